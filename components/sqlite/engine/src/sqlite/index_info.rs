//! xBestIndex's argument.

use std::cell::UnsafeCell;
use std::ffi::{CStr, c_int};
use std::ptr::null_mut;
use std::slice;

use libsqlite3_sys as sqlite;
use sqlite::sqlite3_index_info;
use wire::code;

use super::value::Value;
use crate::host::table_types::{
    Constraint, Distinctness, IndexInfo as Info, IndexPlan, Operator, OrderTerm,
};

/// The constraints and the order that SQLite passes to xBestIndex, and the plan that it receives.
#[repr(transparent)]
pub struct IndexInfo(UnsafeCell<sqlite3_index_info>);

impl IndexInfo {
    /// # Safety
    ///
    /// `info` is that of an xBestIndex that takes at least `'a`.
    pub unsafe fn from_ptr<'a>(info: *mut sqlite3_index_info) -> &'a Self {
        // SAFETY: the caller's promise; the type is transparent.
        unsafe { &*info.cast() }
    }

    fn as_ptr(&self) -> *mut sqlite3_index_info {
        self.0.get()
    }

    /// The columns that are used: bit n for column n, bit 63 for all from 63 on.
    pub fn columns_used(&self) -> u64 {
        // SAFETY: SQLite fills its part before the callback, and nobody writes to it.
        unsafe { (*self.as_ptr()).colUsed }
    }

    /// Everything that SQLite passes.
    pub fn to_info(&self) -> Info {
        // SAFETY: SQLite fills its part before the callback, and nobody writes to it.
        let (order, distinctness, count) = unsafe {
            let info = self.as_ptr();
            let order = match (*info).nOrderBy {
                0 => &[],
                count => slice::from_raw_parts((*info).aOrderBy, count as usize),
            };
            (order, sqlite::sqlite3_vtab_distinct(info), (*info).nConstraint)
        };
        Info {
            constraints: (0..count).map(|index| self.constraint(index)).collect(),
            order: order
                .iter()
                .map(|term| OrderTerm { column: term.iColumn, descending: term.desc != 0 })
                .collect(),
            distinctness: match distinctness {
                1 => Distinctness::Grouped,
                2 => Distinctness::Distinct,
                3 => Distinctness::DistinctOrdered,
                _ => Distinctness::Ordered,
            },
            columns_used: self.columns_used(),
        }
    }

    fn constraint(&self, index: c_int) -> Constraint {
        let (info, mut right) = (self.as_ptr(), null_mut());
        // SAFETY: the index is below `nConstraint`. The value of the right side is protected while
        // xBestIndex runs, as is the name of the collation, a C string.
        unsafe {
            let raw = &*(*info).aConstraint.add(index as usize);
            let code = sqlite::sqlite3_vtab_rhs_value(info, index, &mut right);
            let is_known = code == code::OK && !right.is_null();
            let collation = CStr::from_ptr(sqlite::sqlite3_vtab_collation(info, index));
            Constraint {
                column: raw.iColumn,
                operator: operator(raw.op),
                usable: raw.usable != 0,
                right: is_known.then(|| Value::from_ptr(right).to_value()),
                collation: collation.to_string_lossy().into_owned(),
                is_in_list: sqlite::sqlite3_vtab_in(info, index, -1) != 0,
            }
        }
    }

    /// Set the plan, with `text` for xFilter. Uses for constraints that do not exist are ignored.
    pub fn set_plan(&self, plan: &IndexPlan, text: &CStr) {
        let info = self.as_ptr();
        // SAFETY: SQLite has a use for each constraint. SQLite frees the text, as `needToFreeIdxStr` says.
        unsafe {
            let count = (*info).nConstraint as usize;
            for (index, chosen) in plan.uses.iter().enumerate().take(count) {
                let usage = (*info).aConstraintUsage.add(index);
                (*usage).argvIndex = chosen.argument as c_int;
                (*usage).omit = u8::from(chosen.omit);
                if chosen.whole_list {
                    sqlite::sqlite3_vtab_in(info, index as c_int, 1);
                }
            }
            (*info).idxNum = plan.number;
            (*info).idxStr = sqlite::sqlite3_mprintf(c"%s".as_ptr(), text.as_ptr());
            (*info).needToFreeIdxStr = 1;
            (*info).orderByConsumed = c_int::from(plan.order_consumed);
            if plan.unique {
                (*info).idxFlags |= sqlite::SQLITE_INDEX_SCAN_UNIQUE;
            }
        }
        self.set_cost(plan.cost, plan.rows);
    }

    /// Set the estimated cost and row count of a scan.
    pub fn set_cost(&self, cost: f64, rows: i64) {
        // SAFETY: these are the callback's to set.
        unsafe {
            (*self.as_ptr()).estimatedCost = cost;
            (*self.as_ptr()).estimatedRows = rows;
        }
    }
}

fn operator(code: u8) -> Operator {
    match c_int::from(code) {
        sqlite::SQLITE_INDEX_CONSTRAINT_EQ => Operator::Equal,
        sqlite::SQLITE_INDEX_CONSTRAINT_GT => Operator::Greater,
        sqlite::SQLITE_INDEX_CONSTRAINT_LE => Operator::LessOrEqual,
        sqlite::SQLITE_INDEX_CONSTRAINT_LT => Operator::Less,
        sqlite::SQLITE_INDEX_CONSTRAINT_GE => Operator::GreaterOrEqual,
        sqlite::SQLITE_INDEX_CONSTRAINT_MATCH => Operator::Match,
        sqlite::SQLITE_INDEX_CONSTRAINT_LIKE => Operator::Like,
        sqlite::SQLITE_INDEX_CONSTRAINT_GLOB => Operator::Glob,
        sqlite::SQLITE_INDEX_CONSTRAINT_REGEXP => Operator::Regexp,
        sqlite::SQLITE_INDEX_CONSTRAINT_NE => Operator::NotEqual,
        sqlite::SQLITE_INDEX_CONSTRAINT_ISNOT => Operator::IsNot,
        sqlite::SQLITE_INDEX_CONSTRAINT_ISNOTNULL => Operator::IsNotNull,
        sqlite::SQLITE_INDEX_CONSTRAINT_ISNULL => Operator::IsNull,
        sqlite::SQLITE_INDEX_CONSTRAINT_IS => Operator::Is,
        sqlite::SQLITE_INDEX_CONSTRAINT_LIMIT => Operator::Limit,
        sqlite::SQLITE_INDEX_CONSTRAINT_OFFSET => Operator::Offset,
        _ => Operator::Function(code),
    }
}
