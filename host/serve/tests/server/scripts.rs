//! Extensions that are scripts in JavaScript.

use std::fs;

use crate::support::{self, Server, error, execute};

/// A script in JavaScript, by the shipped engine: each session has its own instance.
#[test]
fn sessions_have_scripts() {
    let script = "let calls = 0;
        export default extension({
          name: 'mine',
          functions: { shout: (text) => text.toUpperCase() + '!', calls: () => ++calls },
          tables: { words: { columns: ['word'], parameters: ['text'], *rows(text) { yield* text.split(' ').map((word) => [word]); } } },
        });";
    let directory = support::directory();
    let wasm =
        sqlite_wasm_runtime::contract::script::Script::javascript(script.as_bytes()).unwrap();
    fs::write(directory.path().join("mine.wasm"), wasm).unwrap();
    let place = directory.path().to_str().unwrap();
    let server = Server::start(&["--extension-dir", place, "--load", "mine"]);
    for _ in 0..2 {
        let sql = "SELECT shout('tea'), (SELECT count(*) FROM words('to be')), calls(), calls()";
        assert_eq!(server.query(sql), [["TEA!", "2", "1", "2"]]);
    }
    assert!(error(&server.pipeline(vec![execute("SELECT shout(NULL)")])[0]).1.contains("shout"));
}
