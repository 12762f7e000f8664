//! The permutation Keccak-f[1600] of FIPS 202, as fast in WebAssembly as in C.
//!
//! The crate `keccak` loops over the lanes, which takes 2.5 times as long: an index that is only
//! known at run time keeps the state in memory and is checked. Here each index is a constant after
//! inlining, and each round leaves its results in the lanes that it has read, so none is copied.
//! After four rounds each lane is back at its own index.

use std::array::from_fn;
use std::hint::black_box;

/// 25 lanes; lane (x, y) of the standard has index 5y + x.
pub type State = [u64; 25];

/// What is added in each round (FIPS 202, 3.2.5).
const ROUND_CONSTANTS: [[u64; 4]; 6] = [
    [0x0000_0000_0000_0001, 0x0000_0000_0000_8082, 0x8000_0000_0000_808a, 0x8000_0000_8000_8000],
    [0x0000_0000_0000_808b, 0x0000_0000_8000_0001, 0x8000_0000_8000_8081, 0x8000_0000_0000_8009],
    [0x0000_0000_0000_008a, 0x0000_0000_0000_0088, 0x0000_0000_8000_8009, 0x0000_0000_8000_000a],
    [0x0000_0000_8000_808b, 0x8000_0000_0000_008b, 0x8000_0000_0000_8089, 0x8000_0000_0000_8003],
    [0x8000_0000_0000_8002, 0x8000_0000_0000_0080, 0x0000_0000_0000_800a, 0x8000_0000_8000_000a],
    [0x8000_0000_8000_8081, 0x8000_0000_0000_8080, 0x0000_0000_8000_0001, 0x8000_0000_8000_8008],
];

/// By how many bits lane (x, y) is rotated, at `[y][x]` (FIPS 202, 3.2.2).
const ROTATIONS: [[u32; 5]; 5] = [
    [0, 1, 62, 28, 27],
    [36, 44, 6, 55, 20],
    [3, 10, 43, 25, 39],
    [41, 45, 15, 21, 8],
    [18, 2, 61, 56, 14],
];

pub fn permute(state: &mut State) {
    for constants in &ROUND_CONSTANTS {
        round::<0>(state, constants[0]);
        round::<1>(state, constants[1]);
        round::<2>(state, constants[2]);
        round::<3>(state, constants[3]);
    }
}

/// Where lane (x, y) is before round `round` of four.
const fn place(round: usize, x: usize, y: usize) -> usize {
    (((1 << round) - 1) * x + (1 << round) * y) % 5 * 5 + x
}

#[inline(always)]
fn round<const ROUND: usize>(state: &mut State, constant: u64) {
    let parity: [u64; 5] =
        from_fn(|x| state[x] ^ state[x + 5] ^ state[x + 10] ^ state[x + 15] ^ state[x + 20]);
    let theta = from_fn(|x| parity[(x + 4) % 5] ^ parity[(x + 1) % 5].rotate_left(1));
    in_memory(state);
    row::<ROUND, 0>(state, &theta);
    row::<ROUND, 1>(state, &theta);
    row::<ROUND, 2>(state, &theta);
    row::<ROUND, 3>(state, &theta);
    row::<ROUND, 4>(state, &theta);
    state[0] ^= constant;
    in_memory(state);
}

/// Have the lanes read from memory again, as an operand of the next operation. Otherwise the
/// compiler keeps all 25 in registers, of which there are too few, and spills and reloads each one
/// with separate instructions: 410 instead of 365 ns for a permutation.
#[inline(always)]
fn in_memory(state: &mut State) {
    black_box(state);
}

/// Row `Y` of a round's result: theta, rho and pi of the five lanes that become it, then chi.
#[inline(always)]
fn row<const ROUND: usize, const Y: usize>(state: &mut State, theta: &[u64; 5]) {
    let moved: [u64; 5] = from_fn(|x| {
        let column = (x + 3 * Y) % 5;
        let lane = state[place(ROUND, column, x)] ^ theta[column];
        lane.rotate_left(ROTATIONS[x][column])
    });
    for x in 0..5 {
        state[place(ROUND + 1, x, Y)] = moved[x] ^ (!moved[(x + 1) % 5] & moved[(x + 2) % 5]);
    }
}
