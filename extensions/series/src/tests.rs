//! The table as SQLite uses it.

use crate::{START, STEP, STOP, SeriesTable, VALUE};
use sqlite_wasm_kit::table::{
    Argument, Constraint, Operator, OrderTerm, Plan, Planned, Scan, constraint, index_info, scan,
};
use sqlite_wasm_kit::{Table, Value};

fn equal(column: u32, right: impl Into<i64>) -> Constraint {
    let right = Value::Integer(right.into());
    constraint(column as i32, Operator::Equal, Some(right))
}

fn bound(operator: Operator, right: Value) -> Constraint {
    constraint(VALUE as i32, operator, Some(right))
}

fn limit(operator: Operator, right: i64) -> Constraint {
    constraint(0, operator, Some(Value::Integer(right)))
}

/// Plan and scan; the values, and the arguments that were used.
fn select(constraints: Vec<Constraint>, order: Vec<OrderTerm>) -> (Vec<i64>, usize) {
    let rights: Vec<_> = constraints.iter().map(|c| c.right.clone()).collect();
    let info = index_info(constraints, order);
    let mut plan = Plan::new(&info);
    let planned = SeriesTable.best_index(&info, &mut plan);
    assert_eq!(planned, Ok(Planned::Yes));
    let arguments: Vec<_> = plan
        .constraints_taken()
        .map(|place| Argument::One(rights[place].clone().unwrap()))
        .collect();
    let used = arguments.len();
    let request = Scan { number: plan.number, text: plan.text, arguments };
    let rows = scan(&mut SeriesTable, request, vec![VALUE]).unwrap();
    let values = rows.into_iter().map(|(_, row)| row[0].to_integer());
    (values.collect(), used)
}

fn by_value(descending: bool) -> Vec<OrderTerm> {
    vec![OrderTerm { column: VALUE as i32, descending }]
}

#[test]
fn arguments_bound_the_series() {
    let all = vec![equal(START, 1), equal(STOP, 9), equal(STEP, 4)];
    assert_eq!(select(all, vec![]), (vec![1, 5, 9], 3));
    let zero = vec![equal(START, 1), equal(STOP, 2), equal(STEP, 0)];
    assert_eq!(select(zero, vec![]).0, [1, 2]);
}

#[test]
fn limit_comes_after_order_and_offset() {
    let cut = vec![
        equal(START, 1),
        equal(STOP, 9),
        limit(Operator::Limit, 2),
        limit(Operator::Offset, 1),
    ];
    assert_eq!(select(cut.clone(), vec![]), (vec![2, 3], 4));
    assert_eq!(select(cut, by_value(true)), (vec![8, 7], 4));
}

#[test]
fn limit_stays_sqlites_when_rows_are_checked_or_ordered_by_it() {
    let text = bound(Operator::Less, Value::text("x"));
    let checked = vec![equal(START, 1), equal(STOP, 4), text, limit(Operator::Limit, 1)];
    assert_eq!(select(checked, vec![]), (vec![1, 2, 3, 4], 3));
    let ordered = vec![equal(START, 1), equal(STOP, 4), limit(Operator::Limit, 1)];
    let by_stop = vec![OrderTerm { column: STOP as i32, descending: true }];
    assert_eq!(select(ordered, by_stop), (vec![1, 2, 3, 4], 2));
}

#[test]
fn reals_bound_between_whole_numbers() {
    let both = vec![
        bound(Operator::Greater, Value::Real(2.5)),
        bound(Operator::LessOrEqual, Value::Real(4.0)),
    ];
    assert_eq!(select(both, vec![]).0, [3, 4]);
    let half = vec![bound(Operator::Equal, Value::Real(2.5))];
    assert_eq!(select(half, vec![]).0, []);
    let far = vec![bound(Operator::GreaterOrEqual, Value::Real(f64::INFINITY))];
    assert_eq!(select(far, vec![]).0, []);
}

#[test]
fn the_last_integer_is_its_own_end() {
    let greater = vec![bound(Operator::Greater, Value::Integer(i64::MAX))];
    assert_eq!(select(greater, vec![]).0, []);
    let equal = vec![bound(Operator::Equal, Value::Integer(i64::MIN))];
    assert_eq!(select(equal, vec![]).0, [i64::MIN]);
}

#[test]
fn null_gives_no_rows() {
    let mut null = equal(STOP, 1);
    null.right = Some(Value::Null);
    assert_eq!(select(vec![equal(START, 1), null], vec![]).0, []);
}

#[test]
fn start_is_needed() {
    let info = index_info(vec![equal(STOP, 3)], vec![]);
    let error = SeriesTable.best_index(&info, &mut Plan::new(&info)).unwrap_err();
    assert!(error.message.contains("missing or unusable"));
}

#[test]
fn inputs_that_are_not_known_yet_make_another_plan() {
    let mut later = equal(STOP, 3);
    later.usable = false;
    let info = index_info(vec![equal(START, 1), later], vec![]);
    let planned = SeriesTable.best_index(&info, &mut Plan::new(&info));
    assert_eq!(planned, Ok(Planned::No));
}
