//! Plans of scans: which constraints a scan is given, and in which order.

use sqlite_wasm_kit::Result;
use sqlite_wasm_kit::table::{
    Argument, Check, Constraint, IndexInfo, Operator, Plan, Planned, Scan,
};
use sqlite_wasm_kit::{Value, code};

use crate::arguments::Definition;
use crate::search::Filter;

/// Most nearest rows of one search.
const MAX_K: i64 = 10_000;

/// Values of IN lists and of other conditions: as many as SQLite's parameters.
const MAX_VALUES: usize = 32_000;

/// The indexes of the columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    pub vector: u32,
    /// The vector and the others.
    pub visible: u32,
}

impl Layout {
    pub fn of(definition: &Definition) -> Self {
        let (vector, columns) = (definition.vector_index, definition.columns.len());
        Self { vector: vector as u32, visible: columns as u32 + 1 }
    }

    pub fn distance(self) -> u32 {
        self.visible
    }

    fn k(self) -> u32 {
        self.visible + 1
    }

    fn ef(self) -> u32 {
        self.visible + 2
    }

    fn exact(self) -> u32 {
        self.visible + 3
    }

    /// The column with the table's own name.
    pub fn command(self) -> u32 {
        self.visible + 4
    }

    /// The index of a column other than the vector.
    pub fn beside(self, column: u32) -> Option<usize> {
        let index = column.checked_sub(u32::from(column > self.vector))?;
        (column < self.visible && column != self.vector).then_some(index as usize)
    }

    /// The column of such an index.
    pub fn column(self, beside: usize) -> u32 {
        beside as u32 + u32::from(beside as u32 >= self.vector)
    }
}

/// What an argument of a scan is; a plan's text has one for each.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Given {
    Vector,
    K,
    Ef,
    Exact,
    Limit,
    Offset,
    /// A condition of a row: what stands before the value.
    Condition(String),
}

/// A scan, by its plan and arguments.
#[derive(Debug, Default)]
pub struct Wanted {
    pub vector: Option<Value>,
    pub k: Option<i64>,
    pub ef: Option<i64>,
    pub is_exact: bool,
    pub filter: Option<Filter>,
}

/// A plan for constraints. A search by a vector needs `k` or LIMIT.
pub fn best_index(
    layout: Layout,
    definition: &Definition,
    info: &IndexInfo,
    plan: &mut Plan,
) -> Result<Planned> {
    let mut given = Vec::new();
    let is_search = info.constraints.iter().any(|it| is_match(layout, it));
    let known = |constraint: &Constraint| known(layout, definition, constraint, is_search);
    // What SQLite checks afterwards leaves fewer rows than LIMIT wants.
    let is_whole = info.constraints.iter().all(|it| it.usable && known(it).is_some());
    for (place, constraint) in info.constraints.iter().enumerate() {
        let Some(known) = known(constraint) else { continue };
        let is_limit = matches!(known, Given::Limit | Given::Offset);
        let is_row = is_limit || matches!(known, Given::Condition(_));
        if !constraint.usable && !is_row {
            // A search without its vector or k would be another search.
            return Ok(Planned::No);
        }
        if !constraint.usable || is_limit && !is_whole {
            continue;
        }
        if !matches!(known, Given::Condition(_)) && given.contains(&known) {
            continue;
        }
        take(plan, place, constraint, &known);
        given.push(known);
    }
    let text: Vec<String> = given.iter().map(Given::text).collect();
    plan.text = Some(text.join("\n").into_bytes());
    plan.number = i32::from(is_search);
    let by_distance = matches!(&info.order[..], [term] if term.column == layout.distance() as i32 && !term.descending);
    plan.order_consumed = is_search && by_distance;
    let by_row_id =
        given.iter().any(|it| matches!(it, Given::Condition(text) if text == "r.id = ?"));
    (plan.cost, plan.rows) = match (is_search, by_row_id) {
        // A join by the row id means the rows that are found: the search goes first.
        (true, true) => (1e9, 1),
        (true, false) => (100.0, 10),
        (false, true) => (10.0, 1),
        (false, false) => (1e6 / (1 + given.len()) as f64, 100_000 / (1 + given.len() as i64)),
    };
    plan.unique = !is_search && by_row_id;
    Ok(Planned::Yes)
}

fn is_match(layout: Layout, constraint: &Constraint) -> bool {
    constraint.column == layout.vector as i32 && matches!(constraint.operator, Operator::Match)
}

fn take(plan: &mut Plan, place: usize, constraint: &Constraint, known: &Given) {
    match known {
        Given::Limit | Given::Offset => plan.take(place, Check::Again),
        Given::Condition(text) if text.ends_with("IN") => plan.take_list(place, Check::Omit),
        _ if constraint.is_in_list => plan.take(place, Check::Again),
        _ => plan.take(place, Check::Omit),
    };
}

fn known(
    layout: Layout,
    definition: &Definition,
    constraint: &Constraint,
    is_search: bool,
) -> Option<Given> {
    match constraint.operator {
        Operator::Limit => return is_search.then_some(Given::Limit),
        Operator::Offset => return is_search.then_some(Given::Offset),
        _ if is_match(layout, constraint) => return Some(Given::Vector),
        _ => {}
    }
    if constraint.column < 0 {
        return condition("r.id", constraint);
    }
    let column = constraint.column as u32;
    if let Some(index) = layout.beside(column) {
        let is_filter = !definition.columns[index].is_auxiliary;
        return is_filter.then(|| condition(&format!("r.c{index}"), constraint)).flatten();
    }
    let option = match column {
        it if it == layout.k() => Given::K,
        it if it == layout.ef() => Given::Ef,
        it if it == layout.exact() => Given::Exact,
        _ => return None,
    };
    (is_search && matches!(constraint.operator, Operator::Equal)).then_some(option)
}

/// A condition in SQL, where it is one that SQL of the extension can check.
fn condition(column: &str, constraint: &Constraint) -> Option<Given> {
    // Another collation could be the application's, or this extension's own.
    if !["BINARY", "NOCASE", "RTRIM"].contains(&&*constraint.collation) {
        return None;
    }
    let operator = match constraint.operator {
        Operator::Equal if constraint.is_in_list => "IN",
        Operator::Equal => "= ?",
        Operator::Greater => "> ?",
        Operator::GreaterOrEqual => ">= ?",
        Operator::Less => "< ?",
        Operator::LessOrEqual => "<= ?",
        Operator::NotEqual => "<> ?",
        Operator::Is => "IS ?",
        Operator::IsNot => "IS NOT ?",
        Operator::IsNull => "IS NULL",
        Operator::IsNotNull => "IS NOT NULL",
        _ => return None,
    };
    let collate = match &*constraint.collation {
        "BINARY" => String::new(),
        other => format!(" COLLATE {other}"),
    };
    Some(Given::Condition(format!("{column}{collate} {operator}")))
}

impl Given {
    fn text(&self) -> String {
        let name = match self {
            Self::Vector => "vector",
            Self::K => "k",
            Self::Ef => "ef",
            Self::Exact => "exact",
            Self::Limit => "limit",
            Self::Offset => "offset",
            Self::Condition(text) => text,
        };
        name.to_owned()
    }

    fn parse(text: &str) -> Self {
        match text {
            "vector" => Self::Vector,
            "k" => Self::K,
            "ef" => Self::Ef,
            "exact" => Self::Exact,
            "limit" => Self::Limit,
            "offset" => Self::Offset,
            other => Self::Condition(other.to_owned()),
        }
    }
}

impl Wanted {
    /// What a plan's text and arguments say.
    pub fn of(scan: Scan) -> Result<Self> {
        let text = String::from_utf8_lossy(scan.text.as_deref().unwrap_or_default()).into_owned();
        let mut wanted = Self::default();
        let (mut limit, mut offset) = (None, 0);
        let mut filter = Filter { condition: String::new(), values: Vec::new() };
        let given = text.split('\n').filter(|given| !given.is_empty());
        for (given, argument) in given.map(Given::parse).zip(scan.arguments) {
            let argument = match (given, argument) {
                (Given::Condition(text), argument) => {
                    filter.add(&text, argument);
                    continue;
                }
                (given, Argument::One(value)) => (given, value),
                (_, Argument::Every(_)) => return Err("ann: k, ef and exact are one value".into()),
            };
            match argument {
                (Given::Vector, value) => wanted.vector = Some(value),
                (Given::K, value) => wanted.k = Some(number(&value, "k", MAX_K)?),
                (Given::Ef, value) => wanted.ef = Some(number(&value, "ef", i64::MAX)?),
                (Given::Exact, value) => wanted.is_exact = value.to_integer() != 0,
                (Given::Limit, value) => limit = Some(value.to_integer()),
                (_, value) => offset = value.to_integer().max(0),
            }
        }
        if filter.values.len() > MAX_VALUES {
            return Err(format!("ann: at most {MAX_VALUES} values in conditions").into());
        }
        // A negative LIMIT does not limit.
        let limit = limit.filter(|limit| *limit >= 0);
        let limit = limit.map(|limit| limit.saturating_add(offset).min(MAX_K));
        wanted.k = wanted.k.or(limit);
        wanted.filter = (!filter.condition.is_empty()).then_some(filter);
        Ok(wanted)
    }
}

impl Filter {
    fn add(&mut self, condition: &str, argument: Argument) {
        if !self.condition.is_empty() {
            self.condition += " AND ";
        }
        self.condition += condition;
        match argument {
            Argument::One(value) if condition.contains('?') => self.values.push(value),
            Argument::One(_) => {}
            Argument::Every(values) => {
                let places = vec!["?"; values.len()].join(",");
                self.condition += &format!(" ({places})");
                self.values.extend(values);
            }
        }
    }
}

fn number(value: &Value, name: &str, most: i64) -> Result<i64> {
    match value.whole() {
        Some(number) if (0..=most).contains(&number) => Ok(number),
        _ => {
            let message = format!("ann: {name} must be an integer from 0 to {most}");
            Err(sqlite_wasm_kit::Error::new(code::RANGE, message))
        }
    }
}
