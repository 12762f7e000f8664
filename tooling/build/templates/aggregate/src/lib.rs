//! longest: the longest text of a group.
//!
//! - `longest(X)`: the longest X, or the first of several; integers and reals count as their text.
//!   NULL if every X is NULL

// 1. Each function as SQLite registers it: its name, its argument count, whether equal arguments
//    give equal results, and who may call it if the schema is not trusted.
use sqlite_wasm_kit::Risk::Innocuous;
use sqlite_wasm_kit::Stability::Stable;
use sqlite_wasm_kit::{Aggregate, AggregateFunction, Arguments, IntoOutput, Result};

const AGGREGATES: &[AggregateFunction] =
    &[AggregateFunction::new::<Longest>("longest", 1, Stable, Innocuous)];

// 2. The extension.
sqlite_wasm_kit::extension! {
    name: "longest",
    description: "the longest text of a group",
    aggregates: AGGREGATES,
}

// 3. The state of a group; `default()` begins one.
#[derive(Default)]
struct Longest(Option<String>);

impl Aggregate for Longest {
    // 4. One row. For use with OVER, also implement `Window`, which removes the
    //    oldest row, and register with `AggregateFunction::window`.
    fn step(&mut self, mut row: Arguments<'_>) -> Result<()> {
        let Some(text) = row.get::<String>(0)? else {
            return Ok(());
        };
        let letters = |text: &String| text.chars().count();
        if self.0.as_ref().is_none_or(|longest| letters(longest) < letters(&text)) {
            self.0 = Some(text);
        }
        Ok(())
    }

    // 5. The result, also for a group without rows.
    fn finish(self) -> Result<impl IntoOutput> {
        Ok(self.0)
    }
}

// 6. Tests run natively, without SQLite: `cargo test -p longest-extension`.
#[cfg(test)]
mod tests {
    use super::AGGREGATES;
    use sqlite_wasm_kit::Value;

    fn longest(rows: &[Value]) -> Value {
        AGGREGATES[0].compute(rows.iter().map(|value| vec![value.clone()])).unwrap()
    }

    #[test]
    fn the_first_of_the_longest_wins() {
        let rows = ["a", "größe", "grüße", ""].map(Value::text);
        assert_eq!(longest(&rows), Value::text("größe"));
    }

    #[test]
    fn nulls_do_not_count() {
        assert_eq!(longest(&[Value::Null, Value::Integer(12)]), Value::text("12"));
        assert_eq!(longest(&[Value::Null]), Value::Null);
        assert_eq!(longest(&[]), Value::Null);
    }
}
