//! Vectors as SQL gives them, and their distances.

use sqlite_wasm_kit::{Error, Result, Value, code};

use crate::kernels::{dot, squared_distance};

/// Largest absolute value of a component: the sum of 8192 such squares is still finite.
pub const MAX_COMPONENT: f32 = 1e15;

/// How far two vectors are from each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metric {
    /// 1 minus the cosine of their angle; 1 where one of them is zero.
    Cosine,
    /// The Euclidean distance.
    L2,
    /// Minus the inner product.
    InnerProduct,
}

impl Metric {
    /// The distance of vectors with these norms.
    pub fn distance(self, left: &[f32], left_norm: f32, right: &[f32], right_norm: f32) -> f32 {
        match self {
            Self::Cosine if left_norm == 0.0 || right_norm == 0.0 => 1.0,
            Self::Cosine => 1.0 - dot(left, right) / left_norm / right_norm,
            Self::L2 => squared_distance(left, right).sqrt(),
            Self::InnerProduct => -dot(left, right),
        }
    }
}

/// The length of a vector.
pub fn norm(vector: &[f32]) -> f32 {
    dot(vector, vector).sqrt()
}

/// A vector out of a blob of 32-bit reals, or a JSON array.
pub fn parse(value: &Value) -> Result<Vec<f32>> {
    let vector = match value {
        Value::Blob(bytes) if bytes.len() % 4 == 0 => floats(bytes),
        Value::Blob(bytes) => {
            let count = bytes.len();
            return Err(refused(format!("{count} bytes are not a blob of 32-bit reals")));
        }
        Value::Text(text) => from_json(text)
            .ok_or_else(|| refused("the text is not a JSON array of numbers".into()))?,
        _ => return Err(refused("it must be a blob of 32-bit reals or a JSON array".into())),
    };
    if vector.iter().all(|component| component.abs() <= MAX_COMPONENT) {
        Ok(vector)
    } else {
        Err(refused("its components must be numbers up to 1e15".into()))
    }
}

fn refused(why: String) -> Error {
    Error::new(code::MISMATCH, format!("ann: vector: {why}"))
}

/// Little-endian 32-bit reals.
pub fn floats(bytes: &[u8]) -> Vec<f32> {
    let (fours, _) = bytes.as_chunks::<4>();
    fours.iter().map(|four| f32::from_le_bytes(*four)).collect()
}

/// As [`floats`] reads them.
pub fn bytes(vector: &[f32]) -> Vec<u8> {
    vector.iter().flat_map(|component| component.to_le_bytes()).collect()
}

fn from_json(text: &[u8]) -> Option<Vec<f32>> {
    let text = std::str::from_utf8(text).ok()?.trim();
    let inner = text.strip_prefix('[')?.strip_suffix(']')?;
    if inner.trim().is_empty() {
        return Some(Vec::new());
    }
    inner.split(',').map(|number| number.trim().parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_are_blobs_or_json() {
        assert_eq!(parse(&Value::text(" [1, -2.5 ,3e1]")), Ok(vec![1.0, -2.5, 30.0]));
        assert_eq!(parse(&Value::Blob(bytes(&[1.0, -2.5]))), Ok(vec![1.0, -2.5]));
        assert_eq!(parse(&Value::text("[]")), Ok(vec![]));
    }

    #[test]
    fn other_values_are_refused() {
        let nan = Value::Blob(bytes(&[f32::NAN]));
        let wrong = ["[1", "1,2", "[1,]", "[nan]", "[1e16]", "[[1]]", "x"].map(Value::text);
        for value in
            [nan, Value::Blob(vec![1, 2, 3]), Value::Null, Value::Integer(1)].iter().chain(&wrong)
        {
            assert_eq!(parse(value).unwrap_err().code, code::MISMATCH, "{value:?}");
        }
    }

    #[test]
    fn distances_are_those_of_the_books() {
        let (left, right) = ([3.0, 4.0], [4.0, 3.0]);
        let distance = |metric: Metric| metric.distance(&left, 5.0, &right, 5.0);
        assert!((distance(Metric::Cosine) - 0.04).abs() < 1e-6);
        assert!((distance(Metric::L2) - 2f32.sqrt()).abs() < 1e-6);
        assert_eq!(distance(Metric::InnerProduct), -24.0);
        assert_eq!(Metric::Cosine.distance(&left, 5.0, &[0.0, 0.0], 0.0), 1.0);
    }
}
