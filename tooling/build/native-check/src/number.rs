//! Integers in registers: what is known of all 64 bits and of the lower 32, 16 and 8.

/// From the least to the greatest, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Range {
    /// The least.
    pub low: i64,
    /// The greatest.
    pub high: i64,
}

/// Bounds at which a range stops that grows in a loop.
#[derive(Debug)]
pub struct Steps(Vec<i64>);

impl Steps {
    /// The bounds of sizes, and those near the constants of a function's comparisons.
    pub fn near(constants: impl Iterator<Item = i64>) -> Self {
        let sizes = [
            -1,
            0,
            u8::MAX.into(),
            u16::MAX.into(),
            i32::MAX.into(),
            u32::MAX.into(),
            1 << 33,
            1 << 40,
        ];
        let near = constants.flat_map(|constant| [constant.saturating_sub(1), constant]);
        let mut steps: Vec<i64> = near.chain(sizes).collect();
        steps.sort_unstable();
        steps.dedup();
        Self(steps)
    }
}

impl Range {
    /// All integers of this many bits: without a sign, but for 64.
    pub const fn full(bits: u32) -> Self {
        match bits {
            64 => Self { low: i64::MIN, high: i64::MAX },
            _ => Self { low: 0, high: (1 << bits) - 1 },
        }
    }

    /// One integer.
    pub const fn one(number: i64) -> Self {
        Self { low: number, high: number }
    }

    /// The integers from `low` to `high`, or all of this many bits if one of those has more.
    pub fn fitting(low: i128, high: i128, bits: u32) -> Self {
        let full = Self::full(bits);
        match (i64::try_from(low), i64::try_from(high)) {
            (Ok(low), Ok(high)) if full.low <= low && high <= full.high => Self { low, high },
            _ => full,
        }
    }

    /// From the first to the last multiple of `1 << zeros`.
    fn multiples(self, zeros: u32) -> Self {
        let mask = (1_i64 << zeros.min(62)) - 1;
        let low = self.low.checked_add(mask).map_or(self.low, |low| low & !mask);
        let multiples = Self { low, high: self.high & !mask };
        if multiples.low <= multiples.high { multiples } else { self }
    }

    /// Whether `other` is in it.
    pub fn contains(self, other: Self) -> bool {
        self.low <= other.low && other.high <= self.high
    }

    /// What is in both; none if nothing is.
    pub fn both(self, other: Self) -> Option<Self> {
        let both = Self { low: self.low.max(other.low), high: self.high.min(other.high) };
        (both.low <= both.high).then_some(both)
    }

    /// What is in one of them.
    pub fn either(self, other: Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// What is in one of them, and up to the next step if a bound moved.
    pub fn joined(self, other: Self, steps: Option<&Steps>) -> Self {
        steps.map_or_else(|| self.either(other), |steps| self.widened(other, steps))
    }

    /// The same, where a bound that moved goes on to the next step.
    pub fn widened(self, other: Self, steps: &Steps) -> Self {
        let either = self.either(other);
        let low = if either.low < self.low {
            steps.0.iter().rev().copied().find(|step| *step <= either.low)
        } else {
            Some(self.low)
        };
        let high = if either.high > self.high {
            steps.0.iter().copied().find(|step| *step >= either.high)
        } else {
            Some(self.high)
        };
        Self { low: low.unwrap_or(i64::MIN), high: high.unwrap_or(i64::MAX) }
    }
}

/// What is known of a register with an integer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Number {
    /// All 64 bits, with a sign.
    all: Range,
    /// The lower 32, 16 and 8, without a sign.
    parts: [Range; 3],
    /// How many of the lowest bits are certainly zero.
    pub zeros: u32,
}

const PARTS: [u32; 3] = [32, 16, 8];

impl Number {
    /// Nothing is known.
    pub const ANY: Self = Self {
        all: Range::full(64),
        parts: [Range::full(32), Range::full(16), Range::full(8)],
        zeros: 0,
    };

    /// A constant.
    pub fn constant(number: i64) -> Self {
        let part = |bits: u32| Range::one(number & ((1_i64 << bits) - 1));
        Self { all: Range::one(number), parts: PARTS.map(part), zeros: number.trailing_zeros() }
    }

    /// An integer in this range: unsigned if it has fewer than 64 bits, else signed.
    pub fn of(range: Range) -> Self {
        if range.low == range.high {
            return Self::constant(range.low);
        }
        Self { all: range, ..Self::ANY }.consistent()
    }

    /// Zero-extended.
    pub fn bits(bits: u32) -> Self {
        Self::of(Range::full(bits))
    }

    /// If it is a constant.
    pub fn as_constant(&self) -> Option<i64> {
        (self.all.low == self.all.high).then_some(self.all.low)
    }

    /// The lower `bits`, without a sign but for 64.
    pub fn range(&self, bits: u32) -> Range {
        PARTS.iter().position(|part| *part == bits).map_or(self.all, |part| self.parts[part])
    }

    /// The lower `bits`, zero-extended.
    pub fn truncated(&self, bits: u32) -> Self {
        if bits == 64 {
            return *self;
        }
        let mut number = Self { all: self.range(bits), ..*self };
        for (part, range) in PARTS.iter().zip(&mut number.parts) {
            if *part > bits {
                *range = number.all;
            }
        }
        number.consistent()
    }

    /// The lower `bits`, sign-extended.
    pub fn extended(&self, bits: u32) -> Self {
        let range = self.range(bits);
        let half = 1 << (bits - 1);
        if range.high < half {
            return self.truncated(bits);
        }
        let all = if range.low >= half {
            Range { low: range.low - 2 * half, high: range.high - 2 * half }
        } else {
            Range { low: -half, high: half - 1 }
        };
        Self { zeros: self.zeros.min(bits - 1), ..Self::of(all) }
    }

    /// Where the lower `bits` are in a range as well; none if they cannot be.
    pub fn refined(&self, bits: u32, range: Range) -> Option<Self> {
        let both = self.range(bits).both(range)?;
        let mut number = *self;
        match PARTS.iter().position(|part| *part == bits) {
            Some(part) => {
                // If no higher bit can be set, all bits are these.
                if Range::full(bits).contains(number.all) {
                    number.all = number.all.both(both)?;
                }
                number.parts[part] = both;
            }
            None => number.all = both,
        }
        Some(number.consistent())
    }

    /// The lower `bits` are those of another integer, the others remain.
    pub fn replaced(&self, bits: u32, by: &Self) -> Self {
        let mask = (1 << bits) - 1;
        let mut number = if self.all.low >= 0 {
            Self::of(Range { low: self.all.low & !mask, high: self.all.high | mask })
        } else {
            Self::ANY
        };
        for (index, _) in PARTS.iter().enumerate().filter(|(_, part)| **part <= bits) {
            number.parts[index] = by.parts[index];
        }
        number.consistent()
    }

    /// One of two.
    pub fn joined(&self, other: &Self, steps: Option<&Steps>) -> Self {
        let join = |a: Range, b: Range| a.joined(b, steps);
        let part = |index: usize| {
            let bits = PARTS[index];
            join(self.parts[index], other.parts[index]).both(Range::full(bits))
        };
        Self {
            all: join(self.all, other.all),
            parts: [0, 1, 2].map(|index| part(index).unwrap_or(Range::full(PARTS[index]))),
            zeros: self.zeros.min(other.zeros),
        }
        .consistent()
    }

    /// The parts follow from all bits, if those are few enough.
    fn consistent(mut self) -> Self {
        let zeros = self.zeros;
        self.all = self.all.multiples(zeros);
        self.parts = self.parts.map(|part| part.multiples(zeros));
        for (bits, part) in PARTS.iter().zip(&mut self.parts) {
            if Range::full(*bits).contains(self.all) {
                *part = part.both(self.all).unwrap_or(self.all);
            }
        }
        let [larger, middle, smallest] = &mut self.parts;
        if Range::full(16).contains(*larger) {
            *middle = middle.both(*larger).unwrap_or(*larger);
        }
        if Range::full(8).contains(*middle) {
            *smallest = smallest.both(*middle).unwrap_or(*middle);
        }
        self
    }

    /// The result of `operation` on the lower `bits`.
    fn computed(bits: u32, low: i128, high: i128, zeros: u32) -> Self {
        // Those that pass the end all pass it as often.
        let turns = if bits == 64 { 0 } else { low.div_euclid(1 << bits) << bits };
        let (low, high) = (low - turns, high - turns);
        let number = Self::of(Range::fitting(low, high, bits));
        Self { zeros: number.zeros.max(zeros.min(62)), ..number }.consistent()
    }

    /// The sum of the lower `bits`.
    pub fn sum(&self, other: &Self, bits: u32) -> Self {
        let (a, b) = (self.range(bits), other.range(bits));
        let zeros = self.zeros.min(other.zeros);
        let (low, high) =
            (i128::from(a.low) + i128::from(b.low), i128::from(a.high) + i128::from(b.high));
        Self::computed(bits, low, high, zeros)
    }

    /// The difference of the lower `bits`.
    pub fn difference(&self, other: &Self, bits: u32) -> Self {
        let (a, b) = (self.range(bits), other.range(bits));
        let (low, high) =
            (i128::from(a.low) - i128::from(b.high), i128::from(a.high) - i128::from(b.low));
        Self::computed(bits, low, high, self.zeros.min(other.zeros))
    }

    /// The product of the lower `bits`.
    pub fn product(&self, other: &Self, bits: u32) -> Self {
        let (a, b) = (self.range(bits), other.range(bits));
        if a.low < 0 || b.low < 0 {
            return Self::bits(bits);
        }
        let low = i128::from(a.low) * i128::from(b.low);
        let high = i128::from(a.high) * i128::from(b.high);
        Self::computed(bits, low, high, self.zeros + other.zeros)
    }

    /// Both bits.
    pub fn and(&self, other: &Self, bits: u32) -> Self {
        let (a, b) = (self.range(bits), other.range(bits));
        let high = match (a.low >= 0, b.low >= 0) {
            (true, true) => a.high.min(b.high),
            (true, false) => a.high,
            (false, true) => b.high,
            (false, false) => {
                return Self { zeros: self.zeros.max(other.zeros), ..Self::bits(bits) };
            }
        };
        Self::computed(bits, 0, high.into(), self.zeros.max(other.zeros))
    }

    /// One of the bits or both.
    pub fn or(&self, other: &Self, bits: u32) -> Self {
        self.set_bits(other, bits, self.range(bits).low.max(other.range(bits).low))
    }

    /// No bit is set above the highest of both, and the result is at least `low`.
    fn set_bits(&self, other: &Self, bits: u32, low: i64) -> Self {
        let (a, b) = (self.range(bits), other.range(bits));
        let zeros = self.zeros.min(other.zeros);
        if a.low < 0 || b.low < 0 {
            return Self { zeros, ..Self::bits(bits) };
        }
        let highest = (a.high | b.high).checked_ilog2().map_or(0, |bit| (2_i128 << bit) - 1);
        Self::computed(bits, low.into(), highest, zeros)
    }

    /// One of the bits, but not both.
    pub fn exclusive_or(&self, other: &Self, bits: u32) -> Self {
        let (a, b) = (self.range(bits), other.range(bits));
        // All bits are set in the constant, so that nothing is borrowed.
        let is_mask = a.low >= 0 && b.low == b.high && b.low & b.low.wrapping_add(1) == 0;
        if is_mask && a.high <= b.low {
            other.difference(self, bits)
        } else {
            self.set_bits(other, bits, 0)
        }
    }

    /// Shifted to the left by a constant.
    pub fn shifted_left(&self, count: u32, bits: u32) -> Self {
        let range = self.range(bits);
        if count >= bits {
            return Self::bits(bits);
        }
        let (low, high) = (i128::from(range.low) << count, i128::from(range.high) << count);
        let zeros = self.zeros + count;
        Self::computed(bits, low, high, zeros)
    }

    /// Shifted to the right by a constant, without a sign.
    pub fn shifted_right(&self, count: u32, bits: u32) -> Self {
        let range = self.range(bits);
        if count == 0 || count >= bits {
            return Self::bits(bits);
        }
        if range.low < 0 {
            return Self::of(Range { low: 0, high: (u64::MAX >> count).cast_signed() });
        }
        Self::of(Range { low: range.low >> count, high: range.high >> count })
    }
}

#[cfg(test)]
#[path = "number_tests.rs"]
mod tests;
