//! libFuzzer on one parser, `PARSER`: `PARSER=copy fuzz-parsers [DIRECTORY…] [-OPTION=…]`.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use sqlite_wasm_parsers::{PARSERS, Parser};

static PARSER: LazyLock<Parser> = LazyLock::new(|| {
    let wanted = std::env::var("PARSER").unwrap_or_default();
    let named = PARSERS.iter().find(|(name, _)| *name == wanted);
    let names: Vec<_> = PARSERS.iter().map(|(name, _)| *name).collect();
    let Some((_, parser)) = named else { panic!("PARSER is one of {names:?}") };
    *parser
});

fuzz_target!(|bytes: &[u8]| PARSER(bytes));
