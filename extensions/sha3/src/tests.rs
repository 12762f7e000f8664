//! Known answers: NIST's, and SQLite's own shathree.

use super::{AGGREGATES, Running, SCALARS, Size, hash};
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
        (
            384,
            "ec01498288516fc926459f58e2c6ad8df9b473cb0fc08c2596da7cf0e49be4b298d88cea927ac7f539f1edf228376d25",
        ),
        (
            512,
            "b751850b1a57168a5693cd924b6b096e08f621827444f70d884f5d0240d2712e10e116e9192af3c91a7ec57647e3934057340b4cf408d5a56592f8274eec53f0",
        ),
    ];
    for (size, hash) in cases {
        let text = vec![Value::text("abc"), Value::Integer(size)];
        assert_eq!(hex(call("sha3", text).unwrap()), hash);
        let named = call(&format!("sha3_{size}"), vec![Value::text("abc")]);
        assert_eq!(hex(named.unwrap()), hash);
    }
}

/// The expected hashes of hashes are Python's (`hashlib`).
#[test]
fn each_length_up_to_some_blocks_has_the_right_hash() {
    let content: Vec<u8> = (0..300).map(|i| (i * 7 % 256) as u8).collect();
    let cases = [
        (224, "352c03ddb964bd9a027cf4e5b7665a901725f5fb2848a415705f92df"),
        (256, "07d8ad50e6fa39ae28f4765ce157ae9a7175d64505d46d144d4e8b601079ed38"),
        (
            384,
            "5bb47eb28ee8b8149bd81f97c21caa7f225896ce99b1efa440f8738eb68bd4195f71c70a722a9f1e97fb481e658408ef",
        ),
        (
            512,
            "34c96b04d30320299f7082c3b54d80c4bff9b2ef2642afc1326906840d0fb6f52dbe440244d6453b650135b45159697f1cc1f6e01ac99f22dbca55cd7d417082",
        ),
    ];
    for (bits, expected) in cases {
        let size = Size::from_bits(bits).unwrap();
        let hashes: Vec<u8> = (0..=300).flat_map(|n| hash(size, &content[..n])).collect();
        assert_eq!(hex(Value::Blob(hash(size, &hashes))), expected);
    }
}

#[test]
fn content_in_parts_has_the_hash_of_the_whole() {
    let content = [0xa5; 700];
    for step in [1, 7, 8, 136, 137, 300] {
        let mut running = Running::new(Size::Bits256);
        content.chunks(step).for_each(|part| running.update(part));
        assert_eq!(running.finish(), hash(Size::Bits256, &content));
    }
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
