//! Mean and variance, updated value by value (Welford).

/// The first two moments of the values so far.
#[derive(Debug, Default)]
pub struct Moments {
    count: u64,
    mean: f64,
    /// The sum of the squares of the differences from the mean.
    squares: f64,
}

impl Moments {
    /// Add a value, if there is one.
    pub fn extend(&mut self, value: Option<f64>) {
        let Some(value) = value else { return };
        self.count += 1;
        let before = value - self.mean;
        self.mean += before / self.count as f64;
        self.squares += before * (value - self.mean);
    }

    /// Take away a value that was added.
    pub fn remove(&mut self, value: Option<f64>) {
        let Some(value) = value else { return };
        if self.count <= 1 {
            *self = Self::default();
            return;
        }
        self.count -= 1;
        let before = value - self.mean;
        self.mean -= before / self.count as f64;
        // Rounding could leave a little less than nothing.
        self.squares = (self.squares - before * (value - self.mean)).max(0.0);
    }

    /// The variance, divided by the count less `less`; none without enough
    /// values.
    pub fn variance(&self, less: u64) -> Option<f64> {
        (self.count > less).then(|| self.squares / (self.count - less) as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::Moments;

    fn moments(values: &[f64]) -> Moments {
        let mut moments = Moments::default();
        values.iter().for_each(|value| moments.extend(Some(*value)));
        moments
    }

    #[test]
    fn variances_of_a_known_series() {
        let values = moments(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]);
        assert_eq!(values.variance(0), Some(4.0));
        assert_eq!(values.variance(1), Some(32.0 / 7.0));
    }

    #[test]
    fn too_few_values_have_none() {
        assert_eq!(moments(&[]).variance(0), None);
        assert_eq!(moments(&[1.0]).variance(1), None);
        assert_eq!(moments(&[1.0]).variance(0), Some(0.0));
    }

    #[test]
    fn values_can_be_taken_away() {
        let mut values = moments(&[100.0, 1.0, 2.0, 3.0]);
        values.remove(Some(100.0));
        assert!((values.variance(1).unwrap() - 1.0).abs() < 1e-9);
    }

    #[test]
    fn large_means_lose_no_digits() {
        let values = moments(&[1e9 + 4.0, 1e9 + 7.0, 1e9 + 13.0, 1e9 + 16.0]);
        assert_eq!(values.variance(1), Some(30.0));
    }
}
