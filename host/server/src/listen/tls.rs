//! TLS, with the certificates of the command line.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// Read a chain of certificates and its key.
///
/// # Errors
///
/// Where one cannot be read, or they do not fit.
pub fn acceptor(certificates: &Path, key: &Path) -> Result<TlsAcceptor> {
    let wrong = |path: &Path| format!("failed to read `{}`", path.display());
    let chain = CertificateDer::pem_file_iter(certificates)
        .and_then(Iterator::collect)
        .with_context(|| wrong(certificates))?;
    let key = PrivateKeyDer::from_pem_file(key).with_context(|| wrong(key))?;
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .context("the certificate does not fit its key")?;
    Ok(TlsAcceptor::from(Arc::new(config)))
}
