//! A request to the helper to compose: the length of a header (32 bits, little endian),
//! the header in JSON, and the components.

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use super::{Base, Extension};
use crate::contract::types::Manifest;

/// Bytes of the header's length.
const LENGTH_BYTES: usize = 4;

#[derive(Serialize, Deserialize)]
struct Header {
    base_bytes: usize,
    base_version: Option<String>,
    fused: Vec<Manifest>,
    extensions: Vec<Part>,
}

#[derive(Serialize, Deserialize)]
struct Part {
    bytes: usize,
    manifest: Manifest,
    is_script: bool,
}

/// What the helper composes.
pub struct Request {
    /// What gets the extensions.
    pub base: Base,
    /// The manifests of those that are fused into it, in their order: all trampolines are made anew. Empty if
    /// no further one is fused.
    pub fused: Vec<Manifest>,
    /// The further extensions.
    pub extensions: Vec<Extension>,
}

/// The request to put `extensions` into `base`: the header with its length, and
/// the components.
///
/// # Errors
///
/// When the header is too long.
pub(crate) fn encode<'a>(
    base: &'a Base,
    fused: Vec<Manifest>,
    extensions: &'a [Extension],
) -> Result<(Vec<u8>, Vec<&'a [u8]>)> {
    let part = |one: &Extension| Part {
        bytes: one.wasm().len(),
        manifest: one.manifest().clone(),
        is_script: one.is_script(),
    };
    let header = serde_json::to_vec(&Header {
        base_bytes: base.wasm().len(),
        base_version: base.version().map(str::to_owned),
        fused,
        extensions: extensions.iter().map(part).collect(),
    })?;
    let mut bytes = u32::try_from(header.len())?.to_le_bytes().to_vec();
    bytes.extend(header);
    let components = std::iter::once(base.wasm()).chain(extensions.iter().map(Extension::wasm));
    Ok((bytes, components.collect()))
}

/// Parse a request, as the helper.
///
/// # Errors
///
/// When it is not complete.
pub fn parse(request: &[u8]) -> Result<Request> {
    let (length, mut rest) = request.split_first_chunk::<LENGTH_BYTES>().context(INCOMPLETE)?;
    let header = take(&mut rest, u32::from_le_bytes(*length) as usize)?;
    let header: Header = serde_json::from_slice(header).context(INCOMPLETE)?;
    let wasm = take(&mut rest, header.base_bytes)?.to_vec();
    let base = Base::new(wasm, header.base_version);
    let mut extensions = Vec::new();
    for part in header.extensions {
        let wasm = take(&mut rest, part.bytes)?.to_vec();
        extensions.push(Extension::new(wasm, part.manifest, part.is_script));
    }
    ensure!(rest.is_empty(), INCOMPLETE);
    Ok(Request { base, fused: header.fused, extensions })
}

const INCOMPLETE: &str = "the request is not complete";

fn take<'a>(rest: &mut &'a [u8], bytes: usize) -> Result<&'a [u8]> {
    let (part, behind) = rest.split_at_checked(bytes).context(INCOMPLETE)?;
    *rest = behind;
    Ok(part)
}
