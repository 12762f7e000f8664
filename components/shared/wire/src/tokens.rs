//! The tokens of a tokenizer, as the documents of `scalar` have them.

use alloc::vec::Vec;

use crate::{Error, Reader};

/// In the length of a token: it shares the position of the one before.
const COLOCATED: u32 = 1 << 31;

/// A token of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token<'a> {
    /// Where it begins in the text, in bytes.
    pub start: u32,
    /// Where it ends in the text, in bytes.
    pub end: u32,
    /// What the index holds.
    pub bytes: &'a [u8],
    /// It shares the position of the token before: a synonym.
    pub is_colocated: bool,
}

impl<'a> Token<'a> {
    /// Append it to others.
    ///
    /// # Errors
    ///
    /// [`Error::Malformed`] for one of 2^31 bytes or more, or without memory for it.
    pub fn write(&self, tokens: &mut Vec<u8>) -> Result<(), Error> {
        let length = u32::try_from(self.bytes.len()).map_err(|_| Error::Malformed)?;
        if length & COLOCATED != 0 {
            return Err(Error::Malformed);
        }
        tokens.try_reserve(12 + self.bytes.len()).map_err(|_| Error::Malformed)?;
        let flag = if self.is_colocated { COLOCATED } else { 0 };
        for word in [self.start, self.end, length | flag] {
            tokens.extend(word.to_le_bytes());
        }
        tokens.extend(self.bytes);
        Ok(())
    }

    fn read(tokens: &mut Reader<'a>) -> Result<Self, Error> {
        let (start, end, length) = (tokens.u32()?, tokens.u32()?, tokens.u32()?);
        let count = (length & !COLOCATED) as usize;
        let (bytes, rest) = tokens.0.split_at_checked(count).ok_or(Error::Malformed)?;
        tokens.0 = rest;
        Ok(Self { start, end, bytes, is_colocated: length & COLOCATED != 0 })
    }
}

/// The tokens of a text of `length` bytes. Ends after an error.
///
/// # Errors
///
/// [`Error::Malformed`] if bytes are missing, or if a token is not inside the text, or begins before
/// the one before it.
pub fn tokens(bytes: &[u8], length: usize) -> impl Iterator<Item = Result<Token<'_>, Error>> {
    let (mut left, mut earliest) = (Reader(bytes), 0);
    core::iter::from_fn(move || {
        if left.is_empty() {
            return None;
        }
        let token = Token::read(&mut left).and_then(|token| {
            let is_inside =
                earliest <= token.start && token.start <= token.end && token.end as usize <= length;
            earliest = token.start;
            if is_inside { Ok(token) } else { Err(Error::Malformed) }
        });
        if token.is_err() {
            left = Reader(&[]);
        }
        Some(token)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: Token = Token { start: 0, end: 2, bytes: b"ab", is_colocated: false };
    const SYNONYM: Token = Token { start: 0, end: 2, bytes: b"", is_colocated: true };
    const LAST: Token = Token { start: 3, end: 5, bytes: b"lonG", is_colocated: false };

    fn written(all: &[Token]) -> Vec<u8> {
        let mut bytes = Vec::new();
        all.iter().try_for_each(|token| token.write(&mut bytes)).unwrap();
        bytes
    }

    #[test]
    fn tokens_are_read_as_they_were_written() {
        let all = [FIRST, SYNONYM, LAST];
        let bytes = written(&all);
        assert!(tokens(&bytes, 5).map(Result::unwrap).eq(all));
        for cut in 0..bytes.len() {
            let whole = all.map(|token| 12 + token.bytes.len());
            let is_between = [0, whole[0], whole[0] + whole[1]].contains(&cut);
            assert_eq!(tokens(&bytes[..cut], 5).all(|token| token.is_ok()), is_between, "{cut}");
        }
    }

    #[test]
    fn tokens_are_inside_of_the_text_and_in_its_order() {
        let is_refused = |all: &[Token], length| {
            let bytes = written(all);
            let read: Vec<_> = tokens(&bytes, length).collect();
            assert!(read.len() <= all.len());
            read.last() == Some(&Err(Error::Malformed))
        };
        assert!(!is_refused(&[FIRST, LAST], 5));
        assert!(is_refused(&[FIRST, LAST], 4));
        assert!(is_refused(&[LAST, FIRST, LAST], 5));
        assert!(is_refused(&[Token { end: 2, ..LAST }], 5));
    }
}
