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

/// The square of what codes leave out of a vector.
#[inline]
pub fn squared_residual(vector: &[f32], codes: &[i8], scale: f32) -> f32 {
    sum_pairs(vector, codes, |part, code| (part - f32::from(code) * scale).powi(2))
}

/// The largest absolute value of a component.
#[inline]
pub fn largest(vector: &[f32]) -> f32 {
    let max = |left: f32, right: f32| if right > left { right } else { left };
    let mut lanes = [0.0; LANES];
    let (chunks, rest) = vector.as_chunks::<LANES>();
    for chunk in chunks {
        for lane in 0..LANES {
            lanes[lane] = max(lanes[lane], chunk[lane].abs());
        }
    }
    lanes.into_iter().chain(rest.iter().map(|it| it.abs())).fold(0.0, max)
}

/// Components in units of a scale, whose inverse this is.
#[inline]
pub fn rounded(vector: &[f32], inverse: f32) -> Vec<i8> {
    // `as` takes what is too large to the largest, and NaN to 0.
    let round = |part: &f32| (part * inverse).round_ties_even() as i32;
    vector.iter().map(|part| round(part).clamp(-127, 127) as i8).collect()
}

#[inline]
fn sum_pairs<T: Copy>(left: &[f32], right: &[T], term: impl Fn(f32, T) -> f32) -> f32 {
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

    #[test]
    fn components_are_rounded_to_bytes() {
        let vector: Vec<f32> = (0..37).map(|i| (i as f32 * 0.7).sin() * 3.0).collect();
        let plain = vector.iter().fold(0f32, |largest, part| largest.max(part.abs()));
        assert_eq!(largest(&vector), plain);
        let codes = rounded(&vector, 127.0 / plain);
        assert!(
            vector
                .iter()
                .zip(&codes)
                .all(|(part, code)| { (part * 127.0 / plain - f32::from(*code)).abs() <= 0.501 })
        );
        let left_out = vector.iter().zip(&codes);
        let plain: f32 =
            left_out.map(|(part, code)| (part - f32::from(*code) * 0.02).powi(2)).sum();
        assert!((squared_residual(&vector, &codes, 0.02) - plain).abs() < 1e-4);
        assert_eq!(rounded(&[f32::NAN, 1e30, -1e30, 0.5, 1.5], 1.0), [0, 127, -127, 0, 2]);
    }
}
