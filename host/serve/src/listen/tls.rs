//! TLS, with the certificates of the command line.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result};
use sqlite_wasm_runtime::installation::owner::read_trusted;
use sqlite_wasm_runtime::words::escape::escaped;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// The maximum size of a file with a key, or with a chain of certificates: those of public authorities have less than
/// a tenth.
const MAX_BYTES: u64 = 64 << 10;

/// Read a chain of certificates and its key.
///
/// # Errors
///
/// Where one cannot be read, or they do not fit.
pub fn acceptor(certificates: &Path, key: &Path) -> Result<TlsAcceptor> {
    let wrong = |path: &Path| format!("failed to read `{}`", escaped(path));
    let text = read_trusted(certificates, MAX_BYTES).with_context(|| wrong(certificates))?;
    let chain = CertificateDer::pem_slice_iter(text.as_bytes())
        .collect::<Result<_, _>>()
        .with_context(|| wrong(certificates))?;
    let text = read_trusted(key, MAX_BYTES).with_context(|| wrong(key))?;
    let key = PrivateKeyDer::from_pem_slice(text.as_bytes()).with_context(|| wrong(key))?;
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .context("the certificate does not fit its key")?;
    Ok(TlsAcceptor::from(Arc::new(config)))
}
