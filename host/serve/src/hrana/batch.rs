//! Batches: statements, each of which can depend on those before it.

use super::perform::Performer;
use super::request::{Batch, Condition};
use super::response::StepResult;
use crate::session::connection::SessionConnection;
use crate::session::error::{Error, Failure, Result};

/// The outcome of a step so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    Skipped,
    Ok,
    Failed,
}

/// Perform a batch.
///
/// # Errors
///
/// Where a condition names a step that has not been reached.
pub fn perform(
    performer: &mut Performer,
    engine: &mut SessionConnection,
    batch: &Batch,
) -> Result<Vec<StepResult>> {
    let mut results: Vec<StepResult> = Vec::new();
    let mut outcomes = Vec::new();
    for step in &batch.steps {
        let result = if runs(step.condition.as_ref(), &outcomes, engine)? {
            let done = performer.execute(engine, &step.stmt);
            Some(done.map_err(|error| Failure::from(&error)))
        } else {
            None
        };
        outcomes.push(match &result {
            None => Outcome::Skipped,
            Some(Ok(_)) => Outcome::Ok,
            Some(Err(_)) => Outcome::Failed,
        });
        results.push(result);
    }
    Ok(results)
}

/// Whether a step runs.
///
/// # Errors
///
/// Where the condition names a step that has not been reached.
pub fn runs(
    condition: Option<&Condition>,
    outcomes: &[Outcome],
    engine: &SessionConnection,
) -> Result<bool> {
    condition.map_or(Ok(true), |condition| holds(condition, outcomes, engine.is_autocommit()))
}

fn holds(condition: &Condition, outcomes: &[Outcome], is_autocommit: bool) -> Result<bool> {
    let is = |step: u32, outcome| match outcomes.get(step as usize) {
        Some(found) => Ok(*found == outcome),
        None => Err(Error::Request(format!("a condition refers to step {step}, which is later"))),
    };
    let holds = |condition| holds(condition, outcomes, is_autocommit);
    match condition {
        Condition::Ok { step } => is(*step, Outcome::Ok),
        Condition::Error { step } => is(*step, Outcome::Failed),
        Condition::Not { cond } => Ok(!holds(cond)?),
        Condition::And { conds } => all(conds.iter().map(holds)),
        Condition::Or { conds } => Ok(!all(conds.iter().map(|cond| Ok(!holds(cond)?)))?),
        Condition::IsAutocommit {} => Ok(is_autocommit),
    }
}

/// Whether all hold; all are evaluated, so that an invalid one is always reported.
fn all(conditions: impl Iterator<Item = Result<bool>>) -> Result<bool> {
    conditions.collect::<Result<Vec<_>>>().map(|conditions| conditions.iter().all(|holds| *holds))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evaluate(json: &str) -> Option<bool> {
        let condition = serde_json::from_str(json).unwrap();
        holds(&condition, &[Outcome::Ok, Outcome::Failed, Outcome::Skipped], true).ok()
    }

    #[test]
    fn conditions_refer_to_steps_before() {
        for (json, expected) in [
            (r#"{"type":"ok","step":0}"#, Some(true)),
            (r#"{"type":"ok","step":1}"#, Some(false)),
            (r#"{"type":"error","step":1}"#, Some(true)),
            (r#"{"type":"error","step":2}"#, Some(false)),
            (r#"{"type":"ok","step":2}"#, Some(false)),
            (r#"{"type":"ok","step":3}"#, None),
            (r#"{"type":"not","cond":{"type":"ok","step":1}}"#, Some(true)),
            (r#"{"type":"and","conds":[]}"#, Some(true)),
            (r#"{"type":"or","conds":[]}"#, Some(false)),
            (r#"{"type":"or","conds":[{"type":"is_autocommit"},{"type":"ok","step":9}]}"#, None),
            (
                r#"{"type":"or","conds":[{"type":"ok","step":1},{"type":"ok","step":0}]}"#,
                Some(true),
            ),
            (
                r#"{"type":"and","conds":[{"type":"ok","step":1},{"type":"ok","step":0}]}"#,
                Some(false),
            ),
        ] {
            assert_eq!(evaluate(json), expected, "{json}");
        }
    }
}
