//! From the constraints of a WHERE clause to a request for a series.
//!
//! A plan's text has a letter for each argument of the scan; its `idxNum` is the order.

use crate::series::{Order, Request};
use crate::{START, STEP, STOP, VALUE};
use sqlite_wasm_kit::table::{Check, Constraint, IndexInfo, Operator, Plan, Planned, Scan};
use sqlite_wasm_kit::{Result, Value};

pub use crate::series::Inputs;

/// STOP, when it is left out.
const DEFAULT_STOP: i64 = 0xffff_ffff;

/// Choose the constraints that a scan applies.
pub fn best_index(info: &IndexInfo, plan: &mut Plan) -> Result<Planned> {
    if !info.constraints.iter().any(gives_start) {
        return Err(r#"first argument to "generate_series()" missing or unusable"#.into());
    }
    let roles: Vec<_> = info.constraints.iter().map(Role::of).collect();
    for (constraint, role) in info.constraints.iter().zip(&roles) {
        if role.is_none() && is_input(constraint) && !constraint.usable {
            return Ok(Planned::No);
        }
    }
    plan_order(info, plan);
    let mut letters = String::new();
    for (place, (constraint, role)) in info.constraints.iter().zip(&roles).enumerate() {
        let Some(role) = role else { continue };
        if role.is_cut() && !can_cut(info, plan, &roles) {
            continue;
        }
        let check = if role.is_exact(constraint) { Check::Omit } else { Check::Again };
        plan.take(place, check);
        letters.push(role.letter());
    }
    (plan.cost, plan.rows) = cost(&letters);
    plan.text = Some(letters.into_bytes());
    Ok(Planned::Yes)
}

/// Whether a constraint says where the series begins.
fn gives_start(constraint: &Constraint) -> bool {
    use Operator::{Equal, Greater, GreaterOrEqual, Is};
    match u32::try_from(constraint.column) {
        Ok(START) => matches!(constraint.operator, Equal),
        Ok(VALUE) => {
            let bound = matches!(constraint.operator, Equal | Is | Greater | GreaterOrEqual);
            bound && constraint.usable
        }
        _ => false,
    }
}

fn is_input(constraint: &Constraint) -> bool {
    let inputs = START as i32..=STEP as i32;
    inputs.contains(&constraint.column) && !is_limit(&constraint.operator)
}

fn is_limit(operator: &Operator) -> bool {
    matches!(operator, Operator::Limit | Operator::Offset)
}

/// Rows come ordered by value, which is unique: further terms do not matter.
fn plan_order(info: &IndexInfo, plan: &mut Plan) {
    if let Some(term) = info.order.first()
        && term.column == VALUE as i32
    {
        plan.order_consumed = true;
        plan.number = if term.descending { DESCENDING } else { ASCENDING };
    }
}

const ASCENDING: i32 = 1;
const DESCENDING: i32 = 2;

/// Whether LIMIT and OFFSET may be applied: no row that is counted may be
/// dropped or moved afterwards.
fn can_cut(info: &IndexInfo, plan: &Plan, roles: &[Option<Role>]) -> bool {
    let mut both = info.constraints.iter().zip(roles);
    (info.order.is_empty() || plan.order_consumed)
        && both.all(|(constraint, role)| role.is_some_and(|role| role.is_exact(constraint)))
}

/// As series.c: far cheaper when both ends are known.
fn cost(letters: &str) -> (f64, i64) {
    let has = |role: Role| letters.contains(role.letter());
    match (has(Role::Start) && has(Role::Stop), has(Role::Limit)) {
        (true, _) => (if has(Role::Step) { 1.0 } else { 2.0 }, 1000),
        (false, true) => (1e3, 2500),
        (false, false) => (2e9, i64::from(i32::MAX)),
    }
}

/// What a constraint is to a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Start,
    Stop,
    Step,
    Equal,
    Greater,
    GreaterOrEqual,
    Less,
    LessOrEqual,
    Limit,
    Offset,
}

const ROLES: [(Role, char); 10] = [
    (Role::Start, 's'),
    (Role::Stop, 't'),
    (Role::Step, 'p'),
    (Role::Equal, '='),
    (Role::Greater, '>'),
    (Role::GreaterOrEqual, 'g'),
    (Role::Less, '<'),
    (Role::LessOrEqual, 'l'),
    (Role::Limit, 'n'),
    (Role::Offset, 'o'),
];

impl Role {
    fn of(constraint: &Constraint) -> Option<Self> {
        if !constraint.usable {
            return None;
        }
        match constraint.operator {
            Operator::Limit => return Some(Self::Limit),
            Operator::Offset => return Some(Self::Offset),
            _ => {}
        }
        match (u32::try_from(constraint.column).ok()?, &constraint.operator) {
            (START, Operator::Equal) => Some(Self::Start),
            (STOP, Operator::Equal) => Some(Self::Stop),
            (STEP, Operator::Equal) => Some(Self::Step),
            (VALUE, Operator::Equal | Operator::Is) => Some(Self::Equal),
            (VALUE, Operator::Greater) => Some(Self::Greater),
            (VALUE, Operator::GreaterOrEqual) => Some(Self::GreaterOrEqual),
            (VALUE, Operator::Less) => Some(Self::Less),
            (VALUE, Operator::LessOrEqual) => Some(Self::LessOrEqual),
            _ => None,
        }
    }

    fn letter(self) -> char {
        let entry = ROLES.iter().find(|(role, _)| *role == self);
        entry.map_or('?', |(_, letter)| *letter)
    }

    fn from_letter(letter: char) -> Option<Self> {
        let entry = ROLES.iter().find(|(_, other)| *other == letter);
        entry.map(|(role, _)| *role)
    }

    /// LIMIT or OFFSET.
    fn is_cut(self) -> bool {
        matches!(self, Self::Limit | Self::Offset)
    }

    /// Whether the scan returns exactly the rows that the constraint lets through. For bounds, this
    /// needs a numeric value that is known now: how a text compares depends on affinities that only
    /// SQLite knows.
    fn is_exact(self, constraint: &Constraint) -> bool {
        match self {
            Self::Start | Self::Stop | Self::Step | Self::Limit | Self::Offset => true,
            _ => matches!(constraint.right, Some(Value::Integer(_) | Value::Real(_))),
        }
    }
}

/// The arguments of a scan by their roles.
pub struct Layout(Order);

impl Layout {
    pub fn from_number(number: i32) -> Self {
        Self(match number {
            ASCENDING => Order::Ascending,
            DESCENDING => Order::Descending,
            _ => Order::Natural,
        })
    }

    /// None when a NULL leaves no rows.
    pub fn read(&self, mut scan: Scan) -> Option<Request> {
        if scan.has_null() {
            return None;
        }
        let letters = scan.text.take().unwrap_or_default();
        let roles: Vec<_> =
            letters.into_iter().map(char::from).filter_map(Role::from_letter).collect();
        let mut request = Request {
            inputs: default_inputs(&roles),
            bounds: i64::MIN.into()..=i64::MAX.into(),
            order: self.0,
            offset: 0,
            limit: -1,
        };
        for (place, role) in roles.into_iter().enumerate() {
            apply(&mut request, role, scan.take(place));
        }
        if request.inputs.step == 0 {
            request.inputs.step = 1;
        }
        Some(request)
    }
}

/// Without START or STOP, a bound on the value that stands for it makes the
/// series as long as it can be.
fn default_inputs(roles: &[Role]) -> Inputs {
    use Role::{Equal, Greater, GreaterOrEqual, Less, LessOrEqual, Start, Step, Stop};
    let has = |wanted: &[Role]| roles.iter().any(|role| wanted.contains(role));
    let open_start = !has(&[Start, Step]) && has(&[Equal, Greater, GreaterOrEqual]);
    let open_stop = !has(&[Stop, Step]) && has(&[Equal, Less, LessOrEqual]);
    Inputs {
        start: if open_start { i64::MIN } else { 0 },
        stop: if open_stop { i64::MAX } else { DEFAULT_STOP },
        step: 1,
    }
}

fn apply(request: &mut Request, role: Role, value: Value) {
    match role {
        Role::Start => request.inputs.start = value.to_integer(),
        Role::Stop => request.inputs.stop = value.to_integer(),
        Role::Step => request.inputs.step = value.to_integer(),
        Role::Limit => request.limit = value.to_integer(),
        Role::Offset => request.offset = value.to_integer(),
        Role::Equal | Role::Greater | Role::GreaterOrEqual | Role::Less | Role::LessOrEqual => {
            narrow(request, role, &value);
        }
    }
}

/// Narrow the bounds. A text or blob narrows nothing; SQLite checks it.
fn narrow(request: &mut Request, role: Role, value: &Value) {
    let Some((floor, ceiling)) = whole(value) else {
        return;
    };
    let (least, most) = match role {
        Role::Equal => (ceiling, floor),
        Role::Greater => (floor + 1, i128::MAX),
        Role::GreaterOrEqual => (ceiling, i128::MAX),
        Role::Less => (i128::MIN, ceiling - 1),
        _ => (i128::MIN, floor),
    };
    let (old_least, old_most) = (*request.bounds.start(), *request.bounds.end());
    request.bounds = old_least.max(least)..=old_most.min(most);
}

/// The integers at or next to a value, below and above.
fn whole(value: &Value) -> Option<(i128, i128)> {
    // Far beyond all values, and far from the end of 128 bits.
    const FAR: f64 = 1e30;
    match value {
        Value::Integer(number) => Some(((*number).into(), (*number).into())),
        Value::Real(number) => {
            let number = number.clamp(-FAR, FAR);
            Some((number.floor() as i128, number.ceil() as i128))
        }
        _ => None,
    }
}
