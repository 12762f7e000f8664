//! The branches of a function, in the order of its operators.

use anyhow::Result;
use wasmparser::{FunctionBody, Operator};

/// How often an operator can continue in another way: 2 for a condition, the targets of a table with
/// its default at the end, and 0 for what is not a branch.
pub fn ways(operator: &Operator<'_>) -> u32 {
    match operator {
        Operator::If { .. }
        | Operator::BrIf { .. }
        | Operator::Select
        | Operator::TypedSelect { .. } => 2,
        Operator::BrTable { targets } => targets.len() + 1,
        _ => 0,
    }
}

/// What the counts of a function belong to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shape {
    /// A hash of the operators that structure the function: with another one, its branches are others.
    pub hash: u32,
    /// The ways of each branch.
    pub ways: Vec<u32>,
}

impl Shape {
    /// Of a function.
    ///
    /// # Errors
    ///
    /// When the function cannot be read.
    pub fn of(body: &FunctionBody<'_>) -> Result<Self> {
        let (mut hasher, mut all) = (blake3::Hasher::new(), Vec::new());
        for operator in body.get_operators_reader()? {
            let operator = operator?;
            if let Some((kind, number)) = structure(&operator) {
                hasher.update(&[kind]).update(&number.to_le_bytes());
            }
            if let Operator::BrTable { targets } = &operator {
                for target in targets.targets() {
                    hasher.update(&target?.to_le_bytes());
                }
            }
            let ways = ways(&operator);
            if ways > 0 {
                all.push(ways);
            }
        }
        let hash = hasher.finalize();
        let hash =
            u32::from_le_bytes([hash.as_bytes()[0], hash.as_bytes()[1], hash.as_bytes()[2], 0]);
        Ok(Self { hash, ways: all })
    }

    /// The counters that a function needs: one for its calls, then those of its branches.
    pub fn counters(&self) -> usize {
        1 + self.ways.iter().map(|ways| *ways as usize).sum::<usize>()
    }
}

/// A code for each operator that structures a function, and where it leads.
fn structure(operator: &Operator<'_>) -> Option<(u8, u32)> {
    Some(match operator {
        Operator::Block { .. } => (1, 0),
        Operator::Loop { .. } => (2, 0),
        Operator::If { .. } => (3, 0),
        Operator::Else => (4, 0),
        Operator::End => (5, 0),
        Operator::Br { relative_depth } => (6, *relative_depth),
        Operator::BrIf { relative_depth } => (7, *relative_depth),
        Operator::BrTable { targets } => (8, targets.default()),
        Operator::Return => (9, 0),
        Operator::Unreachable => (10, 0),
        Operator::Select | Operator::TypedSelect { .. } => (11, 0),
        _ => return None,
    })
}
