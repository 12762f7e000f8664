//! The sections of a component, to be written again.

use wasm_encoder::{Component, RawSection};
use wasmparser::{Chunk, Parser, Payload};

/// The sections of a component, without those of nested components.
pub fn sections(wasm: &[u8]) -> impl Iterator<Item = wasmparser::Result<Payload<'_>>> {
    let (mut parser, mut rest) = (Parser::new(0), wasm);
    std::iter::from_fn(move || {
        let (payload, consumed) = match parser.parse(rest, true) {
            Ok(Chunk::Parsed { payload, consumed }) => (payload, consumed),
            Ok(Chunk::NeedMoreData(_)) => return None,
            Err(error) => return Some(Err(error)),
        };
        let nested = match &payload {
            Payload::ModuleSection { unchecked_range: range, .. }
            | Payload::ComponentSection { unchecked_range: range, .. } => range.end - range.start,
            Payload::End(_) => return None,
            _ => 0,
        };
        rest = rest.get(consumed + nested as usize..)?;
        Some(Ok(payload))
    })
}

/// Add a section as it is.
pub fn copy(payload: &Payload<'_>, wasm: &[u8], result: &mut Component) {
    let section = payload.as_section();
    let data = |start, end| wasm.get(start as usize..end as usize);
    if let Some((id, Some(data))) = section.map(|(id, range)| (id, data(range.start, range.end))) {
        result.section(&RawSection { id, data });
    }
}
