//! The binary format.

use super::{Field, MAX_ROW, TOO_MANY_FIELDS};

/// What the data begins with.
const SIGNATURE: &[u8; 11] = b"PGCOPY\n\xff\r\n\0";

/// A row, as far as it has arrived.
pub enum Tuple {
    /// More is needed.
    Incomplete,
    /// The end of the data.
    End,
    /// Its columns and its length.
    Row(Vec<Field>, usize),
}

fn word(bytes: &[u8], at: usize) -> Option<i32> {
    let word = bytes.get(at..)?.first_chunk()?;
    Some(i32::from_be_bytes(*word))
}

/// The length of the header, where all of it has arrived.
pub fn header(bytes: &[u8]) -> Result<Option<usize>, &'static str> {
    let common = bytes.len().min(SIGNATURE.len());
    if bytes[..common] != SIGNATURE[..common] {
        return Err("COPY file signature not recognized");
    }
    let (Some(flags), Some(extension)) = (word(bytes, 11), word(bytes, 15)) else {
        return Ok(None);
    };
    if flags != 0 {
        return Err("unrecognized critical flags in COPY file header");
    }
    let extension = usize::try_from(extension).map_err(|_| "invalid COPY file header")?;
    if extension > MAX_ROW {
        return Err("invalid COPY file header");
    }
    Ok((bytes.len() >= 19 + extension).then_some(19 + extension))
}

/// The first row of the data, whose columns must not be more than `most`.
pub fn tuple(bytes: &[u8], most: usize) -> Result<Tuple, &'static str> {
    let Some(count) = bytes.first_chunk().map(|count| i16::from_be_bytes(*count)) else {
        return Ok(Tuple::Incomplete);
    };
    if count == -1 {
        return Ok(Tuple::End);
    }
    let count = usize::try_from(count).map_err(|_| "invalid count of columns")?;
    if count > most {
        return Err(TOO_MANY_FIELDS);
    }
    let (mut fields, mut at) = (Vec::new(), 2);
    for _ in 0..count {
        let Some(length) = word(bytes, at) else { return Ok(Tuple::Incomplete) };
        at += 4;
        if length == -1 {
            fields.push(None);
            continue;
        }
        let length = usize::try_from(length).map_err(|_| "invalid length of a column")?;
        if length > MAX_ROW {
            return Err("invalid length of a column");
        }
        let Some(field) = bytes.get(at..at + length) else { return Ok(Tuple::Incomplete) };
        fields.push(Some(field.to_vec()));
        at += length;
    }
    Ok(Tuple::Row(fields, at))
}

pub fn put_header(out: &mut Vec<u8>) {
    out.extend_from_slice(SIGNATURE);
    out.extend_from_slice(&[0; 8]);
}

pub fn put_field(field: Option<&[u8]>, out: &mut Vec<u8>) {
    match field {
        None => out.extend_from_slice(&(-1_i32).to_be_bytes()),
        Some(field) => {
            out.extend_from_slice(&(field.len() as i32).to_be_bytes());
            out.extend_from_slice(field);
        }
    }
}
