//! Values in order, sorted when a percentile is needed.

/// The values of a group or window.
#[derive(Debug, Default)]
pub struct Sorted {
    values: Vec<f64>,
    /// How many at the beginning are in order.
    sorted: usize,
}

impl Sorted {
    /// Add a value, if there is one.
    pub fn extend(&mut self, value: Option<f64>) {
        self.values.extend(value);
    }

    /// Take away a value that was added.
    pub fn remove(&mut self, value: Option<f64>) {
        let Some(value) = value else { return };
        self.sort();
        let place = self.values.binary_search_by(|other| other.total_cmp(&value));
        if let Ok(place) = place {
            self.values.remove(place);
            self.sorted -= 1;
        }
    }

    /// The value below which `percent` percent are; none without values.
    pub fn percentile(&mut self, percent: f64) -> Option<f64> {
        self.sort();
        let last = self.values.len().checked_sub(1)?;
        let place = percent / 100.0 * last as f64;
        let below = place.floor() as usize;
        let (low, high) = (self.values[below], self.values[place.ceil() as usize]);
        let part = place - below as f64;
        // Equal ends first: the difference of two infinities is NaN.
        Some(if low == high { low } else { low + (high - low) * part })
    }

    fn sort(&mut self) {
        if self.sorted == self.values.len() {
            return;
        }
        // Nearly sorted input is what the standard sort is quick with.
        self.values.sort_by(f64::total_cmp);
        self.sorted = self.values.len();
    }
}

#[cfg(test)]
mod tests {
    use super::Sorted;

    fn sorted(values: &[f64]) -> Sorted {
        let mut sorted = Sorted::default();
        values.iter().for_each(|value| sorted.extend(Some(*value)));
        sorted
    }

    #[test]
    fn percentiles_lie_on_a_line_between_two_values() {
        let mut values = sorted(&[4.0, 1.0, 3.0, 2.0]);
        for (percent, result) in [(0.0, 1.0), (25.0, 1.75), (50.0, 2.5), (100.0, 4.0)] {
            assert_eq!(values.percentile(percent), Some(result));
        }
        assert_eq!(sorted(&[7.0]).percentile(99.0), Some(7.0));
        assert_eq!(sorted(&[]).percentile(50.0), None);
    }

    #[test]
    fn values_can_be_taken_away() {
        let mut values = sorted(&[5.0, 1.0, 5.0]);
        values.remove(Some(5.0));
        assert_eq!(values.percentile(50.0), Some(3.0));
        values.extend(Some(9.0));
        values.remove(Some(1.0));
        values.remove(None);
        assert_eq!(values.percentile(50.0), Some(7.0));
    }

    #[test]
    fn infinities_stay_infinite() {
        let infinite = [f64::INFINITY, f64::INFINITY];
        assert_eq!(sorted(&infinite).percentile(50.0), Some(f64::INFINITY));
    }
}
