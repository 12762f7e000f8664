//! Plans of scans: SQLite's constraints and order, and the table's plan.

use crate::Value;
use crate::bindings::table_types as wit;

pub use wit::{Constraint, Distinctness, IndexInfo, Operator, OrderTerm};

/// Whether a plan was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Planned {
    /// The plan is written.
    Yes,
    /// The constraints cannot be used in this way; SQLite tries others.
    No,
}

/// The plan to be written. At first it uses no constraint.
#[derive(Clone, Debug)]
pub struct Plan {
    pub(super) uses: Vec<wit::ConstraintUse>,
    arguments: u32,
    /// Passed to `filter`.
    pub number: i32,
    /// Passed to `filter`; without NULs.
    pub text: Option<Vec<u8>>,
    /// Rows come in the order of the index info.
    pub order_consumed: bool,
    /// At most one row.
    pub unique: bool,
    /// The cost, in units of a step.
    pub cost: f64,
    /// The expected count of rows.
    pub rows: i64,
}

/// Whether SQLite also checks a constraint that a scan applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    /// Yes.
    Again,
    /// No: it relies on the table.
    Omit,
}

impl Plan {
    /// A plan without constraints, with the cost of a scan of a large table.
    pub fn new(info: &IndexInfo) -> Self {
        let unused = wit::ConstraintUse { argument: 0, omit: false, whole_list: false };
        Self {
            uses: vec![unused; info.constraints.len()],
            arguments: 0,
            number: 0,
            text: None,
            order_consumed: false,
            unique: false,
            cost: 1e6,
            rows: 1_000_000,
        }
    }

    /// Use the constraint with this index: its right side is the
    /// next argument of `filter`, whose index is returned.
    pub fn take(&mut self, constraint: usize, check: Check) -> usize {
        let entry = &mut self.uses[constraint];
        self.arguments += 1;
        entry.argument = self.arguments;
        entry.omit = check == Check::Omit;
        self.arguments as usize - 1
    }

    /// Like [`Plan::take`], for `column IN (…)` with its whole list.
    pub fn take_list(&mut self, constraint: usize, check: Check) -> usize {
        self.uses[constraint].whole_list = true;
        self.take(constraint, check)
    }

    /// The indexes of the constraints that `filter` receives, in its order; for tests.
    pub fn constraints_taken(&self) -> impl Iterator<Item = usize> {
        let mut places: Vec<_> =
            (0..self.uses.len()).filter(|&place| self.uses[place].argument > 0).collect();
        places.sort_by_key(|&place| self.uses[place].argument);
        places.into_iter()
    }

    pub(super) fn finish(self) -> wit::IndexPlan {
        wit::IndexPlan {
            uses: self.uses,
            number: self.number,
            text: self.text,
            order_consumed: self.order_consumed,
            unique: self.unique,
            cost: self.cost,
            rows: self.rows,
        }
    }
}

/// A constraint for tests.
pub fn constraint(column: i32, operator: Operator, right: Option<Value>) -> Constraint {
    Constraint {
        column,
        operator,
        usable: true,
        right,
        collation: "BINARY".into(),
        is_in_list: false,
    }
}

/// An index info for tests.
pub fn index_info(constraints: Vec<Constraint>, order: Vec<OrderTerm>) -> IndexInfo {
    IndexInfo { constraints, order, distinctness: Distinctness::Ordered, columns_used: u64::MAX }
}
