//! Results of random integers are in what is known of them.

use super::*;

const BITS: [u32; 4] = [8, 16, 32, 64];

/// Integers that are near those at which something changes, always the same ones.
struct Source(u64);

impl Source {
    fn next(&mut self, below: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }

    fn number(&mut self) -> i64 {
        let bit = 1_u64 << self.next(64);
        let near = bit.wrapping_add(self.next(9)).wrapping_sub(4);
        let number = if self.next(2) == 0 { near } else { near.wrapping_mul(self.next(1 << 20)) };
        if self.next(3) == 0 { number.wrapping_neg().cast_signed() } else { number.cast_signed() }
    }

    /// What may be known of an integer.
    fn known_of(&mut self, number: i64) -> Number {
        let mut known = Number::constant(number);
        let steps = Steps::near([4, 100].into_iter());
        for _ in 0..self.next(4) {
            let near = number.wrapping_add(self.next(40).cast_signed() - 20);
            let other = if self.next(2) == 0 { near } else { self.number() };
            let steps = (self.next(2) == 0).then_some(&steps);
            known = known.joined(&Number::constant(other), steps);
        }
        for _ in 0..self.next(3) {
            let bits = BITS[self.next(4) as usize];
            let part = part(number, bits);
            let (below, above) = (self.next(300).cast_signed(), self.next(300).cast_signed());
            let full = Range::full(bits);
            let low = part.saturating_sub(below).max(full.low);
            let high = part.saturating_add(above).min(full.high);
            known = known.refined(bits, Range { low, high }).unwrap();
        }
        known
    }
}

/// The lower bits, without a sign but for 64.
fn part(number: i64, bits: u32) -> i64 {
    if bits == 64 { number } else { number & ((1 << bits) - 1) }
}

fn is_in(number: i64, known: &Number) -> bool {
    let is_in = |bits: u32| {
        let (part, range) = (part(number, bits), known.range(bits));
        range.low <= part && part <= range.high
    };
    BITS.iter().all(|bits| is_in(*bits)) && number.trailing_zeros() >= known.zeros.min(64)
}

#[test]
fn what_is_known_of_a_result_holds() {
    let mut source = Source(1);
    for round in 0..20_000 {
        let (x, y) = (source.number(), source.number());
        let (a, b) = (source.known_of(x), source.known_of(y));
        assert!(is_in(x, &a) && is_in(y, &b), "{round}: {x} {a:x?} {y} {b:x?}");
        let bits = BITS[source.next(4) as usize];
        let count = source.next(u64::from(bits)) as u32;
        let (p, q) = (part(x, bits), part(y, bits));
        let unsigned = p.cast_unsigned();
        let sign = 64 - bits;
        let mask = if bits == 64 { -1 } else { (1_i64 << bits) - 1 };
        let results = [
            ("truncated", p, a.truncated(bits)),
            ("extended", x << sign >> sign, if bits == 64 { a } else { a.extended(bits) }),
            ("sum", p.wrapping_add(q), a.sum(&b, bits)),
            ("difference", p.wrapping_sub(q), a.difference(&b, bits)),
            ("product", p.wrapping_mul(q), a.product(&b, bits)),
            ("and", p & q, a.and(&b, bits)),
            ("or", p | q, a.or(&b, bits)),
            ("xor", p ^ q, a.exclusive_or(&b, bits)),
            ("not", p ^ mask, a.exclusive_or(&Number::constant(mask), bits)),
            ("left", p << count, a.shifted_left(count, bits)),
            ("right", (unsigned >> count).cast_signed(), a.shifted_right(count, bits)),
            ("joined", x, a.joined(&b, None)),
            ("joined", y, a.joined(&b, Some(&Steps::near([7].into_iter())))),
        ];
        for (name, result, known) in results {
            let is_whole = matches!(name, "extended" | "joined");
            let result = if is_whole { result } else { part(result, bits) };
            assert!(
                is_in(result, &known),
                "{round} {bits} {name} {count}: {x:x} {a:x?} {y:x} {b:x?}: {result:x} {known:x?}"
            );
        }
        if bits < 32 {
            let replaced = (x & !mask) | q;
            assert!(is_in(replaced, &a.replaced(bits, &b)), "{round}: {x:x} {a:x?} {y:x} {b:x?}");
        }
    }
}
