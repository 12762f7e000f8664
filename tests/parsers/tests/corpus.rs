//! Each parser takes all files of its corpus, and these with small changes.

use std::fs;
use std::path::Path;

use sqlite_wasm_parsers::{PARSERS, Parser};

/// What a parser needs at least, so that the test cannot become empty.
const MIN_FILES: usize = 4;

/// Texts that parsers treat in their own ways, written over each file at each of some positions.
const PIECES: &[&[u8]] =
    &[b"\0", b"\xff\xff\xff\xff", b"'", b"\"", b"\\", b"\n", b"{", b"$1", b"/*"];

/// Positions in a file that are changed at most, evenly distributed.
const MAX_POSITIONS: usize = 64;

#[test]
fn parsers_take_their_corpora() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    for (name, parse) in PARSERS {
        let entries = fs::read_dir(corpus.join(name)).expect("each parser has a corpus");
        let files: Vec<_> =
            entries.map(|entry| entry.expect("the directory is readable").path()).collect();
        assert!(files.len() >= MIN_FILES, "{name} has {} files", files.len());
        for file in files {
            let bytes = fs::read(&file).expect("the file is readable");
            parse(&bytes);
            changed(&bytes, parse);
        }
    }
}

fn changed(bytes: &[u8], parse: &Parser) {
    let step = (bytes.len() / MAX_POSITIONS).max(1);
    for position in (0..bytes.len()).step_by(step) {
        parse(&bytes[..position]);
        for piece in PIECES {
            let end = bytes.len().min(position + piece.len());
            let written = [&bytes[..position], piece, &bytes[end..]].concat();
            parse(&written);
        }
    }
}

#[test]
fn corpora_belong_to_parsers() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    for entry in fs::read_dir(corpus).expect("the directory is there") {
        let name = entry.expect("the directory is readable").file_name();
        assert!(
            PARSERS.iter().any(|(parser, _)| name == **parser),
            "{name:?} belongs to no parser"
        );
    }
}
