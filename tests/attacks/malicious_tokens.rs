//! What becomes of a tokenizer whose tokens no text has, or that does what no well-behaved one does: one
//! clear line, and the database and the connection live on.

use crate::support::guest::Loaded;
use crate::support::{End, Outcome};

/// Index a text by the tokenizer, in a transaction that goes on.
fn indexed(action: &str) -> Outcome {
    let script = format!(
        "CREATE TABLE t(a); INSERT INTO t VALUES (1);
         CREATE VIRTUAL TABLE w USING fts5(t, tokenize = 'malicious_words {action}');
         BEGIN;
         INSERT INTO t VALUES (2);
         INSERT INTO w VALUES ('abc');
         SELECT count(*), malicious('valid') FROM t;
         COMMIT;
         PRAGMA integrity_check(t);\n"
    );
    let run = Loaded::guest("malicious", "tokens").run(&script);
    assert!(run.out().ends_with("2|valid\nok\n"), "{action}: {run}");
    run
}

#[test]
fn tokens_that_the_text_does_not_have_are_refused() {
    let broken =
        "the extension `malicious` broke the contract: its tokens are not those of the text";
    for action in
        ["outside", "inverted", "backwards", "negative", "long", "endless", "cut", "text", "null"]
    {
        let run = indexed(action);
        assert_eq!(run.end, End::Exited(1), "{action}: {run}");
        assert!(run.err().contains(broken) && run.err().lines().count() == 1, "{action}: {run}");
    }
}

#[test]
fn a_trap_says_what_it_was() {
    let run = indexed("panic");
    assert!(run.err().contains("`malicious` trapped"), "{run}");
    assert!(run.err().contains("the malicious panic"), "{run}");
}

#[test]
fn many_and_long_tokens_do_no_harm() {
    for action in ["many", "wide"] {
        assert_eq!(indexed(action).end, End::Exited(0), "{action}");
    }
}
