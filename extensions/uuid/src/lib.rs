//! uuid: create and read UUIDs.
//!
//! - `uuid4()`, `gen_random_uuid()`: a random UUID, as text
//! - `uuid7()`: a UUID that begins with the time, as text; later ones sort later
//! - `uuid7_timestamp_ms(X)`: that time, in milliseconds since 1970; NULL for
//!   UUIDs of other versions
//! - `uuid_str(X)`: X in canonical form; NULL if X is NULL or not a UUID
//! - `uuid_blob(X)`: the 16 bytes of X; NULL if X is NULL or not a UUID
//!
//! X is a text, with or without hyphens and braces, or a blob of 16 bytes.

use sqlite_wasm_kit::Risk::Innocuous;
use sqlite_wasm_kit::Stability::{Stable, Volatile};
use sqlite_wasm_kit::{Scalar, Value};
use uuids::Uuid;

const SCALARS: &[Scalar] = &[
    Scalar::new("uuid4", 0, Volatile, Innocuous, |a| a.apply(uuid4)),
    Scalar::new("gen_random_uuid", 0, Volatile, Innocuous, |a| a.apply(uuid4)),
    Scalar::new("uuid7", 0, Volatile, Innocuous, |a| a.apply(uuid7)),
    Scalar::new("uuid7_timestamp_ms", 1, Stable, Innocuous, |a| a.apply(timestamp_ms)),
    Scalar::new("uuid_str", 1, Stable, Innocuous, |a| a.apply(uuid_str)),
    Scalar::new("uuid_blob", 1, Stable, Innocuous, |a| a.apply(uuid_blob)),
];

sqlite_wasm_kit::extension! {
    name: "uuid",
    description: "create and read UUIDs",
    scalars: SCALARS,
}

fn uuid4() -> String {
    Uuid::new_v4().to_string()
}

fn uuid7() -> String {
    Uuid::now_v7().to_string()
}

fn timestamp_ms(content: Value) -> Option<i64> {
    let uuid = read(&content).filter(|uuid| uuid.get_version_num() == 7)?;
    let (seconds, nanoseconds) = uuid.get_timestamp()?.to_unix();
    Some(seconds as i64 * 1000 + i64::from(nanoseconds) / 1_000_000)
}

fn uuid_str(content: Value) -> Option<String> {
    read(&content).map(|uuid| uuid.to_string())
}

fn uuid_blob(content: Value) -> Option<[u8; 16]> {
    read(&content).map(Uuid::into_bytes)
}

fn read(content: &Value) -> Option<Uuid> {
    match content {
        Value::Text(text) => Uuid::try_parse_ascii(text).ok(),
        Value::Blob(bytes) => Uuid::from_slice(bytes).ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{timestamp_ms, uuid_blob, uuid_str, uuid4, uuid7};
    use sqlite_wasm_kit::Value;

    const PLAIN: &str = "00112233-4455-6677-8899-aabbccddeeff";

    #[test]
    fn all_forms_are_read() {
        let bytes = uuid_blob(Value::text(PLAIN)).unwrap();
        assert_eq!(bytes[..4], [0x00, 0x11, 0x22, 0x33]);
        let braced = format!("{{{}}}", PLAIN.to_uppercase());
        for form in [PLAIN, &PLAIN.replace('-', ""), &braced] {
            assert_eq!(uuid_str(Value::text(form)).as_deref(), Some(PLAIN));
        }
        assert_eq!(uuid_str(Value::Blob(bytes.into())).as_deref(), Some(PLAIN));
    }

    #[test]
    fn what_is_no_uuid_gives_null() {
        let short = Value::Blob(vec![0; 15]);
        for value in [Value::Null, Value::Integer(1), Value::text("no uuid"), short] {
            assert_eq!(uuid_blob(value), None);
        }
        assert_eq!(uuid_str(Value::Text(vec![0xff; 36])), None);
    }

    #[test]
    fn only_version_7_has_a_time() {
        let made = "018ff38a-a5c9-712d-bc80-0550b3ad41a2";
        assert_eq!(timestamp_ms(Value::text(made)), Some(1_717_777_901_001));
        assert_eq!(timestamp_ms(Value::text(uuid4())), None);
        assert_eq!(timestamp_ms(Value::Null), None);
    }

    #[test]
    fn made_ones_have_their_version_and_differ() {
        assert_eq!(uuid4().as_bytes()[14], b'4');
        assert_eq!(uuid7().as_bytes()[14], b'7');
        assert_ne!(uuid4(), uuid4());
        let (first, second) = (uuid7(), uuid7());
        assert!(first < second);
    }
}
