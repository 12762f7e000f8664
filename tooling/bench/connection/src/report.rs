//! The table.

use std::time::Duration;

use crate::workloads::Name;

pub fn head() {
    println!("{:<46} {:>9} {:>9}  ratio (middle half)", "", "ours µs", "native µs");
}

/// The median of the ratios of neighbouring runs; the times are medians of their own.
pub fn times(name: &Name, pairs: &[(Duration, Duration)]) {
    let unit = |time: Duration| time.as_secs_f64() * 1e6 / f64::from(name.units);
    let ours = sorted(pairs.iter().map(|(ours, _)| unit(*ours)));
    let native = sorted(pairs.iter().map(|(_, native)| unit(*native)));
    let ratios = sorted(pairs.iter().map(|(a, b)| a.as_secs_f64() / b.as_secs_f64().max(1e-9)));
    println!(
        "{:<46} {:>9.3} {:>9.3}  {:.2} ({:.2}–{:.2})",
        name.what,
        at(&ours, 2),
        at(&native, 2),
        at(&ratios, 2),
        at(&ratios, 1),
        at(&ratios, 3),
    );
}

pub fn memory(ours: f64, native: f64) {
    let [ours, native] = [ours, native].map(|bytes| bytes / f64::from(1 << 20));
    println!("{:<46} {ours:>6.2} MB {native:>6.2} MB", "an idle connection");
}

fn sorted(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values
}

/// A quarter, half or three quarters of the way.
fn at(values: &[f64], quarters: usize) -> f64 {
    values[(values.len() - 1) * quarters / 4]
}
