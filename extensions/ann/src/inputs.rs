//! Table functions, whose arguments are hidden columns.

use sqlite_wasm_kit::table::{Check, IndexInfo, Operator, Plan, Planned, Scan};
use sqlite_wasm_kit::{Result, Value};

/// A plan that takes the arguments, which are the columns from `first` on; of these
/// the first `needed` must be given.
pub fn best_index(info: &IndexInfo, plan: &mut Plan, first: i32, needed: usize) -> Result<Planned> {
    let mut taken: Vec<i32> = Vec::new();
    for (place, constraint) in info.constraints.iter().enumerate() {
        let input = constraint.column - first;
        let is_argument = input >= 0 && matches!(constraint.operator, Operator::Equal);
        if !is_argument || taken.contains(&input) {
            continue;
        }
        if !constraint.usable {
            return Ok(Planned::No);
        }
        plan.take(place, Check::Omit);
        taken.push(input);
    }
    if (0..needed as i32).any(|input| !taken.contains(&input)) {
        return Err("ann: an argument of the table function is missing".into());
    }
    let text: Vec<_> = taken.iter().map(i32::to_string).collect();
    plan.text = Some(text.join(",").into_bytes());
    (plan.cost, plan.rows) = (1000.0, 10);
    Ok(Planned::Yes)
}

/// The arguments in their order; NULL for those that are not given.
pub fn inputs<const N: usize>(scan: &mut Scan) -> [Value; N] {
    let mut inputs = std::array::from_fn(|_| Value::Null);
    let text = scan.text.take().unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    for (place, input) in text.split(',').flat_map(str::parse::<usize>).enumerate() {
        if let Some(own) = inputs.get_mut(input) {
            *own = scan.take(place);
        }
    }
    inputs
}

/// An argument that is a text, such as a name.
pub fn text(value: &Value, what: &str) -> Result<String> {
    match value.as_str() {
        Some(Ok(text)) => Ok(text.to_owned()),
        _ => Err(format!("ann: {what} must be a text").into()),
    }
}
