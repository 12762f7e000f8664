//! The arithmetic of a series: START + n × STEP up to STOP, cut by bounds,
//! reversed, and cut by LIMIT and OFFSET.
//!
//! All is counted in 128 bits while a scan begins, where nothing of 64 bits
//! overflows; a row costs an addition.

use std::ops::RangeInclusive;

/// A direction in which values come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// By STEP.
    #[default]
    Natural,
    Ascending,
    Descending,
}

/// What a scan wants of a series.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    pub inputs: Inputs,
    /// The values that are wanted.
    pub bounds: RangeInclusive<i128>,
    pub order: Order,
    pub offset: i64,
    /// Negative for no limit.
    pub limit: i64,
}

/// The arguments as the hidden columns show them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Inputs {
    pub start: i64,
    pub stop: i64,
    /// Not 0.
    pub step: i64,
}

impl Request {
    pub fn series(&self) -> Series {
        let (start, step) = (i128::from(self.inputs.start), i128::from(self.inputs.step));
        let (mut first, mut last) = self.places();
        let reversed = match self.order {
            Order::Natural => false,
            Order::Ascending => step < 0,
            Order::Descending => step > 0,
        };
        let offset = i128::from(self.offset.max(0));
        if reversed {
            last -= offset;
        } else {
            first += offset;
        }
        if self.limit >= 0 {
            let limit = i128::from(self.limit);
            if reversed {
                first = first.max(last - limit + 1);
            } else {
                last = last.min(first + limit - 1);
            }
        }
        if first > last {
            return Series::default();
        }
        let (first, last) = if reversed { (last, first) } else { (first, last) };
        Series {
            next: Some((start + first * step) as i64),
            last: (start + last * step) as i64,
            step: if reversed { self.inputs.step.wrapping_neg() } else { self.inputs.step },
            row_id: (first + 1) as i64,
            row_step: if reversed { -1 } else { 1 },
        }
    }

    /// The first and the last n whose value is wanted.
    fn places(&self) -> (i128, i128) {
        let (start, step) = (i128::from(self.inputs.start), i128::from(self.inputs.step));
        let stop = i128::from(self.inputs.stop);
        let (least, most) = (*self.bounds.start(), *self.bounds.end());
        if step > 0 {
            let first = (least - start).max(0);
            (divide_up(first, step), (most.min(stop) - start).div_euclid(step))
        } else {
            let first = (start - most).max(0);
            (divide_up(first, -step), (start - least.max(stop)).div_euclid(-step))
        }
    }
}

fn divide_up(number: i128, by: i128) -> i128 {
    (number + by - 1).div_euclid(by)
}

/// The values of a series that remain, each with its row id: its position in the whole series, from
/// 1.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    next: Option<i64>,
    last: i64,
    step: i64,
    row_id: i64,
    row_step: i64,
}

impl Iterator for Series {
    type Item = (i64, i64);

    #[inline]
    fn next(&mut self) -> Option<(i64, i64)> {
        let value = self.next?;
        let row_id = self.row_id;
        // Wrapping is right: a step of -2^63 cannot be negated, but modulo 2^64
        // it is its own negative.
        self.next = (value != self.last).then(|| value.wrapping_add(self.step));
        self.row_id = row_id.wrapping_add(self.row_step);
        Some((value, row_id))
    }
}

#[cfg(test)]
mod tests {
    use super::{Inputs, Order, Request};

    const ALL: std::ops::RangeInclusive<i128> = i64::MIN as i128..=i64::MAX as i128;

    fn request(start: i64, stop: i64, step: i64) -> Request {
        Request {
            inputs: Inputs { start, stop, step },
            bounds: ALL,
            order: Order::Natural,
            offset: 0,
            limit: -1,
        }
    }

    fn values(request: &Request) -> Vec<i64> {
        request.series().map(|(value, _)| value).collect()
    }

    #[test]
    fn counts_up_and_down() {
        assert_eq!(values(&request(1, 10, 4)), [1, 5, 9]);
        assert_eq!(values(&request(10, 1, -4)), [10, 6, 2]);
        assert_eq!(values(&request(3, 3, 7)), [3]);
        assert_eq!(values(&request(1, 0, 1)), []);
        assert_eq!(values(&request(0, 1, -1)), []);
    }

    #[test]
    fn both_ends_of_64_bits_are_reached_and_not_passed() {
        assert_eq!(values(&request(i64::MAX - 1, i64::MAX, 1)), [i64::MAX - 1, i64::MAX]);
        assert_eq!(values(&request(i64::MIN + 1, i64::MIN, -1)), [i64::MIN + 1, i64::MIN]);
        assert_eq!(values(&request(i64::MIN, i64::MAX, i64::MAX)), [i64::MIN, -1, i64::MAX - 1]);
        assert_eq!(values(&request(i64::MAX, i64::MIN, i64::MIN)), [i64::MAX, -1]);
        let mut reversed = request(i64::MAX, i64::MIN, i64::MIN);
        reversed.order = Order::Ascending;
        assert_eq!(values(&reversed), [-1, i64::MAX]);
    }

    #[test]
    fn the_whole_range_begins_at_its_end_when_descending() {
        let mut whole = request(i64::MIN, i64::MAX, 1);
        whole.order = Order::Descending;
        assert_eq!(whole.series().next(), Some((i64::MAX, 0)));
        whole.order = Order::Ascending;
        assert_eq!(whole.series().next(), Some((i64::MIN, 1)));
    }

    /// All small requests against a plain loop.
    #[test]
    fn agrees_with_a_loop() {
        for start in -4..4 {
            for stop in -4..4 {
                for step in [-3, -2, -1, 1, 2, 3] {
                    check_bounds(request(start, stop, step));
                }
            }
        }
    }

    fn check_bounds(mut request: Request) {
        for (least, most) in [(-9, 9), (-2, 2), (0, 0), (3, 1), (-3, -1)] {
            request.bounds = least..=most;
            for order in [Order::Natural, Order::Ascending, Order::Descending] {
                request.order = order;
                for (offset, limit) in [(0, -1), (0, 0), (0, 2), (1, 1), (2, -1), (-5, 3)] {
                    (request.offset, request.limit) = (offset, limit);
                    let found: Vec<_> = request.series().collect();
                    assert_eq!(found, by_loop(&request), "{request:?}");
                }
            }
        }
    }

    fn by_loop(request: &Request) -> Vec<(i64, i64)> {
        let Inputs { start, stop, step } = request.inputs;
        let mut rows = Vec::new();
        let mut value = start;
        while if step > 0 { value <= stop } else { value >= stop } {
            rows.push((value, rows.len() as i64 + 1));
            value += step;
        }
        rows.retain(|(value, _)| request.bounds.contains(&i128::from(*value)));
        match request.order {
            Order::Natural => {}
            Order::Ascending => rows.sort(),
            Order::Descending => rows.sort_by(|a, b| b.cmp(a)),
        }
        let limit = usize::try_from(request.limit).unwrap_or(usize::MAX);
        let rows = rows.into_iter().skip(request.offset.max(0) as usize);
        rows.take(limit).collect()
    }
}
