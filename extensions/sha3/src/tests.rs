//! Known answers: NIST's, and SQLite's own shathree.

use super::{AGGREGATES, SCALARS};
use sqlite_wasm_kit::Value;

fn hex(value: Value) -> String {
    let bytes = value.into_bytes();
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn call(name: &str, arguments: Vec<Value>) -> sqlite_wasm_kit::Result<Value> {
    let fits = |f: &&sqlite_wasm_kit::Scalar| f.fits(name, arguments.len());
    SCALARS.iter().find(fits).unwrap().call(arguments)
}

#[test]
fn hashes_of_abc_are_those_of_the_standard() {
    let cases = [
        (224, "e642824c3f8cf24ad09234ee7d3c766fc9a3a5168d0c94ad73b46fdf"),
        (256, "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532"),
    ];
    for (size, hash) in cases {
        let text = vec![Value::text("abc"), Value::Integer(size)];
        assert_eq!(hex(call("sha3", text).unwrap()), hash);
        let named = call(&format!("sha3_{size}"), vec![Value::text("abc")]);
        assert_eq!(hex(named.unwrap()), hash);
    }
    assert_eq!(call("sha3_384", vec![Value::text("")]).unwrap().into_bytes().len(), 48);
    assert_eq!(call("sha3_512", vec![Value::text("")]).unwrap().into_bytes().len(), 64);
}

#[test]
fn numbers_are_hashed_as_their_text() {
    for (number, text) in [(Value::Integer(-12), "-12"), (Value::Real(1.0), "1.0")] {
        assert_eq!(call("sha3", vec![number]), call("sha3", vec![Value::text(text)]));
    }
}

#[test]
fn null_gives_null_but_a_wrong_size_fails() {
    assert_eq!(call("sha3", vec![Value::Null]), Ok(Value::Null));
    let error = call("sha3", vec![Value::Null, Value::Integer(255)]).unwrap_err();
    assert_eq!(error.message, "sha3: size must be 224, 256, 384 or 512");
}

#[test]
fn groups_tell_the_classes_apart() {
    let one = |value| AGGREGATES[0].compute([vec![value]]).unwrap();
    assert_ne!(one(Value::Integer(1)), one(Value::text("1")));
    assert_ne!(one(Value::text("1")), one(Value::Blob(b"1".to_vec())));
    assert_eq!(AGGREGATES[0].compute([]), Ok(Value::Null));
    let rows = [vec![Value::Null], vec![Value::text("ab")]];
    let flat = call("sha3", vec![Value::text("NT2:ab")]);
    assert_eq!(AGGREGATES[0].compute(rows), flat);
}
