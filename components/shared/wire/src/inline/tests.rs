use alloc::vec;

use super::*;

fn value_back(value: Value<&[u8]>) -> Option<Value<Vec<u8>>> {
    let inline = InlineValue::new(value, 0)?;
    assert_eq!(InlineValue::from_memory(&inline.to_memory()), inline);
    inline.value()
}

#[test]
fn numbers_stay_as_they_are() {
    for integer in [0, 1, -1, i64::MIN, i64::MAX] {
        assert_eq!(value_back(Value::Integer(integer)), Some(Value::Integer(integer)));
    }
    for real in [0.0, -1.5, f64::INFINITY, f64::MIN_POSITIVE] {
        assert_eq!(value_back(Value::Real(real)), Some(Value::Real(real)));
    }
    assert_eq!(value_back(Value::Null), Some(Value::Null));
}

#[test]
fn bytes_stay_as_they_are_up_to_64() {
    let all: Vec<u8> = (1..=64).collect();
    for count in 0..=InlineValue::MAX_BYTES {
        let bytes = &all[..count];
        assert_eq!(value_back(Value::Text(bytes)), Some(Value::Text(bytes.to_vec())));
        assert_eq!(value_back(Value::Blob(bytes)), Some(Value::Blob(bytes.to_vec())));
    }
    let long = [b'a'; InlineValue::MAX_BYTES + 1];
    assert_eq!(InlineValue::new(Value::Text(&long), 0), None);
    assert_eq!(InlineValue::new(Value::Blob(&long), 0), None);
}

#[test]
fn the_head_has_tag_length_and_subtype() {
    let inline = InlineValue::new(Value::Text(b"[]"), 74).expect("it is short");
    assert_eq!(inline.head, 74 << 16 | 2 << 8 | 3);
    assert_eq!(inline.head(), Head { tag: tag::TEXT, length: 2, subtype: 74 });
}

#[test]
fn another_tag_or_length_is_not_a_value() {
    for head in [5, 65 << 8 | 3, 255 << 8 | 4] {
        assert_eq!(InlineValue { head, words: [0; 8] }.value(), None);
    }
}

fn arguments_back(values: &[Value<&[u8]>]) -> Option<Vec<Value<Vec<u8>>>> {
    let inline = InlineArguments::new(values.iter().copied())?;
    assert!(inline.is_valid(), "{inline:?}");
    let all: Vec<_> = inline.values().collect();
    assert_eq!(inline.only(), all.first().cloned().filter(|_| all.len() == 1));
    Some(all)
}

#[test]
fn arguments_stay_as_they_are_up_to_four_and_eight_words() {
    let text: Vec<u8> = (1..=64).collect();
    let numbers = [Value::Integer(i64::MIN), Value::Real(-0.5), Value::Null];
    assert_eq!(arguments_back(&[]), Some(vec![]));
    for length in 0..=40 {
        let (a, b) = (Value::Text(&text[..length]), Value::Blob(&text[..40 - length]));
        let values = [a, numbers[0], b, numbers[1]];
        let words = length.div_ceil(8) + (40 - length).div_ceil(8) + 2;
        let copies = values.map(|value| value.map(<[u8]>::to_vec)).to_vec();
        assert_eq!(arguments_back(&values), (words <= 8).then_some(copies));
    }
    assert!(arguments_back(&[Value::Null, Value::Null, Value::Null, Value::Text(&text)]).is_some());
    assert!(arguments_back(&[Value::Integer(1), Value::Text(&text)]).is_none());
    assert!(arguments_back(&[Value::Null; 5]).is_none());
    assert!(arguments_back(&[Value::Blob(&[0; 65])]).is_none());
}

#[test]
fn the_heads_have_tags_and_lengths() {
    let inline = InlineArguments::new([Value::Text(b"ab".as_slice()), Value::Null].into_iter());
    let inline = inline.expect("they are short");
    assert_eq!(inline.heads, 0xffff_ffff_0000_0203);
    assert_eq!(inline.words[0], 0x6261);
}

#[test]
fn other_tags_lengths_and_gaps_are_not_arguments() {
    let arguments = |heads| InlineArguments { heads, words: [1; 8] };
    for (heads, count) in [
        (0xffff_ffff_ffff_0005, 0),
        (0xffff_ffff_ffff_00fe, 0),
        (0xffff_ffff_ffff_4103, 0),
        (0xffff_ffff_ff04_0001, 1),
        // Nine words together.
        (0xffff_ffff_0001_4004, 1),
        (0x2103_0903_0903_0903, 3),
        // An argument behind the last one.
        (0xffff_0001_ffff_0001, 1),
        (0x0000_ffff_ffff_ffff, 0),
    ] {
        assert!(!arguments(heads).is_valid(), "{heads:x}");
        assert_eq!(arguments(heads).values().count(), count, "{heads:x}");
    }
}
