//! The inner loops: products of vectors.

/// Components that the kernels take at once; codes are padded with zeros to it.
pub const LANES: usize = 16;

/// The inner product of two codes of equal length, a multiple of [`LANES`].
///
/// A component is at most 127, and 8192 of them at most 132 million.
#[cfg(target_family = "wasm")]
#[inline]
pub fn dot_codes(left: &[i8], right: &[i8]) -> i32 {
    use core::arch::wasm32::{i32x4_add, i32x4_extract_lane, i32x4_splat};
    let mut sums = [i32x4_splat(0); 4];
    // A host checks at each turn of a loop whether the time is over: few turns.
    let (left, left_rest) = left.as_chunks::<64>();
    let (right, right_rest) = right.as_chunks::<64>();
    for (left, right) in left.iter().zip(right) {
        for eight in 0..8 {
            sums[eight % 4] = i32x4_add(sums[eight % 4], dot_eight(left, right, 8 * eight));
        }
    }
    let (left, _) = left_rest.as_chunks::<LANES>();
    let (right, _) = right_rest.as_chunks::<LANES>();
    for (left, right) in left.iter().zip(right) {
        sums[0] = i32x4_add(sums[0], dot_eight(left, right, 0));
        sums[1] = i32x4_add(sums[1], dot_eight(left, right, 8));
    }
    let sum = i32x4_add(i32x4_add(sums[0], sums[1]), i32x4_add(sums[2], sums[3]));
    i32x4_extract_lane::<0>(sum)
        + i32x4_extract_lane::<1>(sum)
        + i32x4_extract_lane::<2>(sum)
        + i32x4_extract_lane::<3>(sum)
}

/// Four sums of two products each, of the eight components from `at` on.
#[cfg(target_family = "wasm")]
#[inline(always)]
fn dot_eight<const N: usize>(
    left: &[i8; N],
    right: &[i8; N],
    at: usize,
) -> core::arch::wasm32::v128 {
    use core::arch::wasm32::{i16x8_load_extend_i8x8, i32x4_dot_i16x8};
    let (left, right) = (&left[at..at + 8], &right[at..at + 8]);
    // SAFETY: both slices have the eight bytes that are read.
    let (left, right) =
        unsafe { (i16x8_load_extend_i8x8(left.as_ptr()), i16x8_load_extend_i8x8(right.as_ptr())) };
    i32x4_dot_i16x8(left, right)
}

/// As in wasm.
#[cfg(not(target_family = "wasm"))]
#[inline]
pub fn dot_codes(left: &[i8], right: &[i8]) -> i32 {
    left.iter().zip(right).map(|(left, right)| i32::from(*left) * i32::from(*right)).sum()
}

/// How many bits of two codes differ.
#[inline]
pub fn differing_bits(left: &[i8], right: &[i8]) -> u32 {
    left.iter().zip(right).map(|(left, right)| (left ^ right).count_ones()).sum()
}

/// The inner product of two vectors. Sums side by side, which the compiler
/// makes vector instructions of.
#[inline]
pub fn dot(left: &[f32], right: &[f32]) -> f32 {
    sum_pairs(left, right, |left, right| left * right)
}

/// The square of the Euclidean distance of two vectors.
#[inline]
pub fn squared_distance(left: &[f32], right: &[f32]) -> f32 {
    sum_pairs(left, right, |left, right| (left - right) * (left - right))
}

#[inline]
fn sum_pairs(left: &[f32], right: &[f32], term: impl Fn(f32, f32) -> f32) -> f32 {
    let mut sums = [0.0; 2 * LANES];
    let (left, left_rest) = left.as_chunks::<{ 2 * LANES }>();
    let (right, right_rest) = right.as_chunks::<{ 2 * LANES }>();
    let rest = left_rest.iter().zip(right_rest);
    let rest: f32 = rest.map(|(left, right)| term(*left, *right)).sum();
    for (left, right) in left.iter().zip(right) {
        for lane in 0..2 * LANES {
            sums[lane] += term(left[lane], right[lane]);
        }
    }
    rest + sums.iter().sum::<f32>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_are_what_the_plain_loops_are() {
        let left: Vec<f32> = (0..37).map(|i| (i as f32 * 0.7).sin()).collect();
        let right: Vec<f32> = (0..37).map(|i| (i as f32 * 1.3).cos()).collect();
        let pairs = || left.iter().zip(&right);
        let plain: f32 = pairs().map(|(left, right)| left * right).sum();
        assert!((dot(&left, &right) - plain).abs() < 1e-5);
        let plain: f32 = pairs().map(|(left, right)| (left - right).powi(2)).sum();
        assert!((squared_distance(&left, &right) - plain).abs() < 1e-5);
        assert_eq!(dot_codes(&[127; 8192], &[-127; 8192]), -127 * 127 * 8192);
        assert_eq!(differing_bits(&[0b101, -1], &[0b011, 0]), 10);
    }
}
