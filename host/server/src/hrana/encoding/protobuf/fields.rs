//! The fields of a message, which is hostile.

/// Why a message cannot be read.
pub type Result<T> = std::result::Result<T, String>;

/// What a field has.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Content<'a> {
    Number(u64),
    Eight([u8; 8]),
    Bytes(&'a [u8]),
    Four,
}

/// The fields of a message, one after the other.
pub struct Fields<'a>(pub &'a [u8]);

fn broken<T>() -> Result<T> {
    Err("the message is broken".to_owned())
}

impl<'a> Fields<'a> {
    /// The next field: its number and content.
    pub fn next(&mut self) -> Result<Option<(u64, Content<'a>)>> {
        if self.0.is_empty() {
            return Ok(None);
        }
        let key = self.varint()?;
        let content = match key & 7 {
            0 => Content::Number(self.varint()?),
            1 => Content::Eight(*self.array()?),
            2 => {
                let length = self.varint()?;
                Content::Bytes(self.take(usize::try_from(length).unwrap_or(usize::MAX))?)
            }
            5 => {
                self.array::<4>()?;
                Content::Four
            }
            _ => return broken(),
        };
        Ok(Some((key >> 3, content)))
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8]> {
        let Some((taken, rest)) = self.0.split_at_checked(length) else { return broken() };
        self.0 = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<&'a [u8; N]> {
        self.take(N)?.first_chunk().map_or_else(broken, Ok)
    }

    fn varint(&mut self) -> Result<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let [byte] = *self.array()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        broken()
    }
}

impl<'a> Content<'a> {
    pub fn bytes(self) -> Result<&'a [u8]> {
        match self {
            Self::Bytes(bytes) => Ok(bytes),
            _ => broken(),
        }
    }

    pub fn text(self) -> Result<String> {
        let text = String::from_utf8(self.bytes()?.to_vec());
        text.map_err(|_| "a text is not UTF-8".to_owned())
    }

    pub fn number(self) -> Result<u64> {
        match self {
            Self::Number(number) => Ok(number),
            _ => broken(),
        }
    }

    /// An `int32`; longer ones are cut, as other readers do.
    pub fn int32(self) -> Result<i32> {
        self.number().map(|number| number as i32)
    }

    pub fn uint32(self) -> Result<u32> {
        self.number().map(|number| number as u32)
    }

    /// A `sint64`.
    pub fn sint64(self) -> Result<i64> {
        self.number().map(|number| (number >> 1) as i64 ^ -((number & 1) as i64))
    }

    pub fn double(self) -> Result<f64> {
        match self {
            Self::Eight(bytes) => Ok(f64::from_le_bytes(bytes)),
            _ => broken(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_broken_is_refused() {
        for bytes in [&[0x80][..], &[0x0a, 5, 1], &[0x0b], &[0x09, 0], &[0x0d, 0], &[0xff; 11]] {
            assert!(Fields(bytes).next().is_err(), "{bytes:?}");
        }
        let mut huge = vec![0x0a];
        huge.extend([0xff; 9]);
        huge.push(1);
        assert!(Fields(&huge).next().is_err());
    }

    #[test]
    fn numbers_have_three_forms() {
        assert_eq!(Content::Number(1).sint64(), Ok(-1));
        assert_eq!(Content::Number(u64::MAX).sint64(), Ok(i64::MIN));
        assert_eq!(Content::Number(u64::MAX).int32(), Ok(-1));
        let mut fields = Fields(&[0x08, 0xac, 0x02]);
        assert_eq!(fields.next(), Ok(Some((1, Content::Number(300)))));
        assert_eq!(fields.next(), Ok(None));
    }
}
