//! Codes: vectors in one byte a component, or one bit, and the distances of codes.
//!
//! The graph is walked by codes, which are a quarter of the vectors and fast to
//! multiply. How far a code's distance may be from the vectors' own is known, so that
//! a search can say which vectors it must read to be exact.

use crate::kernels::{LANES, differing_bits, dot, dot_codes};
use crate::vector::{Metric, norm};

/// What is stored of a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantize {
    /// All of it.
    None,
    /// A byte for each component, and a scale.
    Int8,
    /// The sign of each component. Distances are counts of differing signs.
    Binary,
}

/// How vectors of a table become codes.
#[derive(Clone, Copy, Debug)]
pub struct Coder {
    pub dimensions: usize,
    pub metric: Metric,
    pub quantize: Quantize,
}

/// The parts of a code other than its components. The distance of two codes is the sum of their
/// `base`, minus the product of their `scale` and of their components.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Head {
    pub base: f32,
    pub scale: f32,
    /// The length of the vector, and of what the code leaves out of it, in units in
    /// which their products are distances.
    pub length: f32,
    pub residual: f32,
}

/// A vector's code.
#[derive(Clone, Debug, Default)]
pub struct Code {
    pub head: Head,
    pub components: Vec<i8>,
}

/// Share of a distance that rounding to 32-bit reals may change.
const ROUNDING: f32 = 1e-5;

impl Coder {
    /// Components of a code, with padding.
    pub fn code_size(&self) -> usize {
        match self.quantize {
            Quantize::Binary => self.dimensions.div_ceil(8).next_multiple_of(LANES),
            _ => self.dimensions.next_multiple_of(LANES),
        }
    }

    /// Bytes that are stored of a vector.
    pub fn stored_size(&self) -> usize {
        match self.quantize {
            Quantize::None => 4 * self.dimensions,
            Quantize::Int8 => 4 + self.dimensions,
            Quantize::Binary => self.dimensions.div_ceil(8),
        }
    }

    /// What is stored of a vector.
    pub fn store(&self, vector: &[f32]) -> Vec<u8> {
        match self.quantize {
            Quantize::None => crate::vector::bytes(vector),
            Quantize::Int8 => {
                let (scale, components) = quantized(vector);
                scale.to_le_bytes().into_iter().chain(components.map(|it| it as u8)).collect()
            }
            Quantize::Binary => signs(vector).collect(),
        }
    }

    /// The vector that is stored.
    pub fn load(&self, stored: &[u8]) -> Vec<f32> {
        match self.quantize {
            Quantize::None => crate::vector::floats(stored),
            Quantize::Int8 => {
                let (scale, components) = split_scale(stored);
                components.iter().map(|component| f32::from(*component as i8) * scale).collect()
            }
            Quantize::Binary => {
                let sign = |at: usize| if stored[at / 8] >> (at % 8) & 1 == 1 { 1.0 } else { -1.0 };
                (0..self.dimensions).map(sign).collect()
            }
        }
    }

    /// The code of what is stored.
    pub fn code(&self, stored: &[u8]) -> Code {
        match self.quantize {
            Quantize::None => self.encode(&crate::vector::floats(stored)),
            Quantize::Int8 => {
                let (scale, components) = split_scale(stored);
                let components: Vec<i8> = components.iter().map(|it| *it as i8).collect();
                let length =
                    (components.iter().map(|it| i32::from(*it).pow(2)).sum::<i32>() as f32).sqrt()
                        * scale.abs();
                self.padded(self.head(scale, length, 0.0), components)
            }
            Quantize::Binary => {
                self.padded(Head::default(), stored.iter().map(|byte| *byte as i8).collect())
            }
        }
    }

    /// The code of a vector, as of a query.
    pub fn encode(&self, vector: &[f32]) -> Code {
        if self.quantize == Quantize::Binary {
            return self.padded(Head::default(), signs(vector).map(|byte| byte as i8).collect());
        }
        let (scale, components) = quantized(vector);
        let components: Vec<i8> = components.collect();
        let left_out = vector.iter().zip(&components);
        let residual: f32 =
            left_out.map(|(it, code)| (it - f32::from(*code) * scale).powi(2)).sum();
        self.padded(self.head(scale, norm(vector), residual.sqrt()), components)
    }

    fn padded(&self, head: Head, mut components: Vec<i8>) -> Code {
        components.resize(self.code_size(), 0);
        Code { head, components }
    }

    fn head(&self, scale: f32, length: f32, residual: f32) -> Head {
        let (base, unit) = match self.metric {
            Metric::Cosine if length == 0.0 => (0.5, 0.0),
            Metric::Cosine => (0.5, 1.0 / length),
            Metric::L2 => (length * length, std::f32::consts::SQRT_2),
            Metric::InnerProduct => (0.0, 1.0),
        };
        Head { base, scale: scale * unit, length: length * unit, residual: residual * unit }
    }

    /// The distance of two codes, for comparison with others: it is squared for L2.
    #[inline]
    pub fn between(&self, left: (&Head, &[i8]), right: (&Head, &[i8])) -> f32 {
        if self.quantize == Quantize::Binary {
            return differing_bits(left.1, right.1) as f32;
        }
        let product = dot_codes(left.1, right.1) as f32;
        left.0.base + right.0.base - left.0.scale * right.0.scale * product
    }

    /// How far the distance of two codes may be from that of the vectors.
    #[inline]
    pub fn error(&self, left: &Head, right: &Head) -> f32 {
        if self.quantize == Quantize::Binary {
            return 0.0;
        }
        left.residual * (right.length + right.residual)
            + left.length * right.residual
            + ROUNDING * (left.base + right.base + left.length * right.length)
    }

    /// The distance that a user sees, of a vector and what is stored of another.
    pub fn distance(&self, query: &[f32], query_norm: f32, stored: &[u8]) -> f32 {
        if self.quantize == Quantize::Binary {
            let bits = |(left, right): (u8, &u8)| (left ^ right).count_ones();
            return signs(query).zip(stored).map(bits).sum::<u32>() as f32;
        }
        let vector = self.load(stored);
        self.metric.distance(query, query_norm, &vector, norm(&vector))
    }

    /// As [`Self::distance`], of a code that leaves nothing out of what is stored.
    pub fn distance_to_code(&self, query: &[f32], query_norm: f32, code: (&Head, &[i8])) -> f32 {
        if self.quantize == Quantize::Binary {
            let bits = |(left, right): (u8, &i8)| (left ^ *right as u8).count_ones();
            return signs(query).zip(code.1).map(bits).sum::<u32>() as f32;
        }
        let (head, components) = code;
        let components: Vec<f32> =
            components[..query.len()].iter().map(|it| f32::from(*it)).collect();
        let product = dot(query, &components) * head.scale;
        match self.metric {
            Metric::Cosine if query_norm == 0.0 => 1.0,
            Metric::Cosine => 1.0 - product / query_norm,
            Metric::L2 => {
                let squared =
                    query_norm * query_norm + head.base - 2.0 * product / std::f32::consts::SQRT_2;
                squared.max(0.0).sqrt()
            }
            Metric::InnerProduct => -product,
        }
    }
}

/// The scale of a vector, and its components in units of it.
fn quantized(vector: &[f32]) -> (f32, impl Iterator<Item = i8>) {
    let largest = vector.iter().fold(0f32, |largest, component| largest.max(component.abs()));
    let scale = largest / 127.0;
    let inverse = if scale > 0.0 { 1.0 / scale } else { 0.0 };
    // `as` takes what is too large to the largest, and NaN to 0.
    (scale, vector.iter().map(move |component| (component * inverse).round_ties_even() as i8))
}

/// A bit for each component: whether it is more than zero.
fn signs(vector: &[f32]) -> impl Iterator<Item = u8> {
    let byte = |eight: &[f32]| {
        eight.iter().enumerate().fold(0, |byte, (bit, it)| byte | u8::from(*it > 0.0) << bit)
    };
    vector.chunks(8).map(byte)
}

fn split_scale(stored: &[u8]) -> (f32, &[u8]) {
    let (scale, components) = stored.split_at(4);
    (crate::vector::floats(scale)[0], components)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vector(seed: u32, dimensions: usize) -> Vec<f32> {
        (0..dimensions).map(|at| ((seed as usize * 31 + at * 17) as f32).sin()).collect()
    }

    #[test]
    fn the_distance_of_codes_is_within_its_error() {
        for metric in [Metric::Cosine, Metric::L2, Metric::InnerProduct] {
            for quantize in [Quantize::None, Quantize::Int8] {
                let coder = Coder { dimensions: 45, metric, quantize };
                for seed in 0..50 {
                    let (query, stored) = (vector(seed, 45), coder.store(&vector(seed + 7, 45)));
                    let (left, right) = (coder.encode(&query), coder.code(&stored));
                    let pair =
                        ((&left.head, &left.components[..]), (&right.head, &right.components[..]));
                    let approximate = coder.between(pair.0, pair.1);
                    let exact = coder.distance(&query, norm(&query), &stored);
                    let compared = if metric == Metric::L2 { exact * exact } else { exact };
                    let error = coder.error(&left.head, &right.head);
                    assert!((approximate - compared).abs() <= error, "{metric:?} {quantize:?}");
                    if quantize == Quantize::Int8 {
                        let again = coder.distance_to_code(&query, norm(&query), pair.1);
                        assert!((again - exact).abs() < 1e-4, "{metric:?}: {again} {exact}");
                    }
                }
            }
        }
    }

    #[test]
    fn zero_vectors_are_at_distance_one() {
        let coder = Coder { dimensions: 3, metric: Metric::Cosine, quantize: Quantize::Int8 };
        let (zero, other) = (coder.encode(&[0.0; 3]), coder.encode(&[1.0, 2.0, 3.0]));
        let left = (&zero.head, &zero.components[..]);
        assert_eq!(coder.between(left, (&other.head, &other.components[..])), 1.0);
        assert_eq!(coder.distance_to_code(&[1.0, 2.0, 3.0], 3.7, left), 1.0);
    }

    #[test]
    fn binary_codes_count_signs() {
        let coder = Coder { dimensions: 10, metric: Metric::L2, quantize: Quantize::Binary };
        let query = vector(1, 10);
        let other: Vec<f32> = query.iter().map(|it| -it).collect();
        let stored = coder.store(&other);
        assert_eq!((stored.len(), coder.distance(&query, 1.0, &stored)), (2, 10.0));
        let (code, other) = (coder.encode(&query), coder.code(&stored));
        let right = (&other.head, &other.components[..]);
        assert_eq!(coder.between((&code.head, &code.components[..]), right), 10.0);
        assert_eq!(coder.distance_to_code(&query, 1.0, right), 10.0);
        assert_eq!(coder.load(&stored)[0], other_sign(query[0]));
    }

    fn other_sign(component: f32) -> f32 {
        -component.signum()
    }
}
