//! Ascii85: five letters for four bytes, `z` for four zeros.

/// The letter for 0.
const FIRST: u8 = b'!';

pub fn encode(content: &[u8]) -> String {
    let mut text = String::with_capacity(content.len() / 4 * 5 + 5);
    for chunk in content.chunks(4) {
        if chunk == [0; 4] {
            text.push('z');
            continue;
        }
        let mut bytes = [0; 4];
        bytes[..chunk.len()].copy_from_slice(chunk);
        let number = u32::from_be_bytes(bytes);
        for power in (0..5).rev().take(chunk.len() + 1) {
            let digit = number / 85u32.pow(power) % 85;
            text.push(char::from(FIRST + digit as u8));
        }
    }
    text
}

/// `None` if the text is not the encoding of any bytes.
pub fn decode(text: &[u8]) -> Option<Vec<u8>> {
    let mut content = Vec::with_capacity(text.len() / 5 * 4 + 4);
    let mut rest = text;
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix(b"z") {
            content.extend([0; 4]);
            rest = after;
            continue;
        }
        let (group, after) = rest.split_at(rest.len().min(5));
        let bytes = decode_group(group)?;
        content.extend(&bytes[..group.len() - 1]);
        rest = after;
    }
    Some(content)
}

/// Up to five letters; those that are missing count as the highest.
fn decode_group(group: &[u8]) -> Option<[u8; 4]> {
    if group.len() < 2 {
        return None;
    }
    let digits = group.iter().copied().chain([FIRST + 84; 4]).take(5);
    let number = digits.into_iter().try_fold(0u64, |number, letter| {
        let digit = letter.checked_sub(FIRST).filter(|digit| *digit < 85)?;
        Some(number * 85 + u64::from(digit))
    })?;
    u32::try_from(number).ok().map(u32::to_be_bytes)
}

#[cfg(test)]
mod tests {
    use super::{decode, encode};

    #[test]
    fn every_length_comes_back() {
        for length in 0..12 {
            let content: Vec<u8> = (0..length).map(|byte| byte * 17 + 60).collect();
            assert_eq!(decode(encode(&content).as_bytes()), Some(content));
        }
        assert_eq!(encode(&[0; 5]), "z!!");
        assert_eq!(decode(b"z!!"), Some(vec![0; 5]));
    }

    #[test]
    fn what_is_not_encoded_so_is_refused() {
        for text in ["!", "abc~", "s8W-\"", "a{"] {
            assert_eq!(decode(text.as_bytes()), None, "{text}");
        }
    }
}
