//! Dates, times and intervals.

use super::super::super::{Scalar, Type};
use super::super::family::typname;
use super::{BOOL, INT, Plan, TEXT, Types, Want, is_integer, is_number, may_be_text, scalar};

const DATE: Type = Type::One(Scalar::Date);
const TIME: Type = Type::One(Scalar::Time);
const STAMP: Type = Type::One(Scalar::Timestamp);
const ZONED: Type = Type::One(Scalar::Timestamptz);
const SPAN: Type = Type::One(Scalar::Interval);
const FLOAT: Type = Type::One(Scalar::Float8);

fn is_moment(scalar: Scalar) -> bool {
    matches!(scalar, Scalar::Date | Scalar::Timestamp | Scalar::Timestamptz)
}

pub fn operator(op: &str, left: Option<Type>, right: Option<Type>) -> Option<Plan> {
    use Scalar as S;
    let spans = || vec![Want::As(SPAN), Want::As(SPAN)];
    let moved =
        |function, result, one| Plan::new(function, result, vec![Want::As(one), Want::As(SPAN)]);
    Some(match (op, scalar(left), scalar(right)) {
        // A time of day becomes an interval.
        ("*" | "/", Some(S::Time), _) if is_number(right) => {
            return operator(op, Some(SPAN), right);
        }
        ("*", _, Some(S::Time)) if is_number(left) => return operator(op, left, Some(SPAN)),
        ("+" | "-", Some(S::Timestamp | S::Timestamptz), Some(S::Time)) => {
            return operator(op, left, Some(SPAN));
        }
        ("+", Some(S::Time), Some(S::Timestamp | S::Timestamptz)) => {
            return operator(op, Some(SPAN), right);
        }
        ("+", Some(S::Date | S::Timestamp), Some(S::Interval)) => {
            moved("pg_timestamp_add", STAMP, STAMP)
        }
        ("-", Some(S::Date | S::Timestamp), Some(S::Interval)) => {
            moved("pg_timestamp_sub", STAMP, STAMP)
        }
        ("+", Some(S::Timestamp), None) if right.is_none() => {
            moved("pg_timestamp_add", STAMP, STAMP)
        }
        ("+", Some(S::Timestamptz), Some(S::Interval)) => moved("pg_timestamptz_add", ZONED, ZONED),
        ("-", Some(S::Timestamptz), Some(S::Interval)) => moved("pg_timestamptz_sub", ZONED, ZONED),
        ("+", Some(S::Timestamptz), None) if right.is_none() => {
            moved("pg_timestamptz_add", ZONED, ZONED)
        }
        ("+", Some(S::Time), Some(S::Interval)) => moved("pg_time_add", TIME, TIME),
        ("-", Some(S::Time), Some(S::Interval)) => moved("pg_time_sub", TIME, TIME),
        ("+", Some(S::Interval), Some(S::Date | S::Timestamp | S::Timestamptz | S::Time)) => {
            return operator(op, right, left).map(Plan::reversed);
        }
        ("+", Some(S::Date), Some(S::Time)) => {
            Plan::new("pg_timestamp_date_time", STAMP, vec![Want::As(DATE), Want::As(TIME)])
        }
        ("+", Some(S::Time), Some(S::Date)) => {
            Plan::new("pg_timestamp_date_time", STAMP, vec![Want::As(TIME), Want::As(DATE)])
                .swapped()
        }
        ("+", Some(S::Date), _) if is_integer(right) => {
            Plan::new("pg_date_add", DATE, vec![Want::As(DATE), Want::Same])
        }
        ("+", _, Some(S::Date)) if is_integer(left) => {
            Plan::new("pg_date_add", DATE, vec![Want::Same, Want::As(DATE)]).swapped()
        }
        ("-", Some(S::Date), _) if is_integer(right) => {
            Plan::new("pg_date_sub", DATE, vec![Want::As(DATE), Want::Same])
        }
        ("-", Some(S::Date), other) if right.is_none() || other == Some(S::Date) => {
            Plan::new("pg_int4_date_sub", INT, vec![Want::As(DATE), Want::As(DATE)])
        }
        ("-", None, Some(S::Date)) if left.is_none() => {
            Plan::new("pg_int4_date_sub", INT, vec![Want::As(DATE), Want::As(DATE)])
        }
        ("-", Some(S::Time), Some(S::Time)) => {
            Plan::new("pg_interval_time_sub", SPAN, vec![Want::As(TIME), Want::As(TIME)])
        }
        ("-", one, other) if difference(left, right) => {
            let has_zone = one == Some(S::Timestamptz) || other == Some(S::Timestamptz);
            let ty = if has_zone { ZONED } else { STAMP };
            Plan::new("pg_interval_moment_sub", SPAN, vec![Want::As(ty), Want::As(ty)])
        }
        ("+", Some(S::Interval), other) if right.is_none() || other == Some(S::Interval) => {
            Plan::new("pg_interval_add", SPAN, spans())
        }
        ("-", Some(S::Interval), other) if right.is_none() || other == Some(S::Interval) => {
            Plan::new("pg_interval_sub", SPAN, spans())
        }
        ("*", Some(S::Interval), _) if is_number(right) => {
            Plan::new("pg_interval_mul", SPAN, vec![Want::As(SPAN), Want::As(FLOAT)])
        }
        ("*", _, Some(S::Interval)) if is_number(left) => {
            Plan::new("pg_interval_mul", SPAN, vec![Want::As(FLOAT), Want::As(SPAN)]).swapped()
        }
        ("/", Some(S::Interval), _) if is_number(right) => {
            Plan::new("pg_interval_div", SPAN, vec![Want::As(SPAN), Want::As(FLOAT)])
        }
        _ => return None,
    })
}

/// Whether two moments are subtracted, or a moment and a string.
fn difference(left: Option<Type>, right: Option<Type>) -> bool {
    let is = |ty: Option<Type>| scalar(ty).is_some_and(is_moment);
    (is(left) && is(right)) || (is(left) && right.is_none()) || (left.is_none() && is(right))
}

impl Plan {
    /// For the operands in their other order.
    fn reversed(mut self) -> Self {
        self.wants.reverse();
        self.is_swapped = !self.is_swapped;
        self
    }
}

pub fn function(name: &str, types: Types<'_>) -> Option<Plan> {
    let at = |place: usize| types.get(place).copied().flatten();
    let (first, second) = (scalar(at(0)), scalar(at(1)));
    let spans = vec![Want::As(SPAN)];
    Some(match (name, types.len()) {
        ("age", 2) if difference(at(0), at(1)) => {
            Plan::new("pg_interval_age", SPAN, vec![Want::As(STAMP), Want::As(STAMP)])
        }
        ("date_trunc", 2) if second == Some(Scalar::Interval) => {
            Plan::new("pg_interval_trunc", SPAN, vec![Want::As(TEXT), Want::As(SPAN)])
        }
        ("date_trunc", 2) if second == Some(Scalar::Timestamp) => {
            Plan::new("pg_timestamp_trunc", STAMP, vec![Want::As(TEXT), Want::As(STAMP)])
        }
        ("date_trunc", 2) if second.is_some_and(is_moment) || at(1).is_none() => {
            Plan::new("pg_timestamptz_trunc", ZONED, vec![Want::As(TEXT), Want::As(ZONED)])
        }
        ("date_bin", 3) if second.is_some_and(is_moment) => {
            let (function, ty) = match second {
                Some(Scalar::Timestamp) => ("pg_timestamp_bin", STAMP),
                _ => ("pg_timestamptz_bin", ZONED),
            };
            Plan::new(function, ty, vec![Want::As(SPAN), Want::As(ty), Want::As(ty)])
        }
        ("date_part", 2) => return part("pg_float8_extract", FLOAT, at(1)),
        ("extract", 2) => return part("pg_numeric_extract", Type::One(Scalar::Numeric), at(1)),
        ("to_char", 2) if may_be_text(at(1)) => {
            let ty = at(0).filter(|ty| {
                scalar(at(0)).is_some_and(|own| {
                    is_moment(own) || own == Scalar::Interval || own == Scalar::Time
                }) || is_number(Some(*ty))
            })?;
            // A time of day is an interval there, and a date a moment.
            let ty = match ty {
                DATE => ZONED,
                other => other,
            };
            Plan::new("pg_text_to_char", TEXT, vec![Want::As(ty), Want::As(TEXT), Want::Named(ty)])
        }
        ("to_timestamp", 1) if is_number(at(0)) => {
            Plan::new("pg_timestamptz_of_epoch", ZONED, vec![Want::As(FLOAT)])
        }
        ("to_timestamp", 2) if may_be_text(at(0)) && may_be_text(at(1)) => {
            Plan::new("pg_timestamptz_scan", ZONED, vec![Want::As(TEXT), Want::As(TEXT)])
        }
        ("to_date", 2) if may_be_text(at(0)) && may_be_text(at(1)) => {
            Plan::new("pg_date_scan", DATE, vec![Want::As(TEXT), Want::As(TEXT)])
        }
        ("make_date", 3) => Plan::new("pg_date_make", DATE, vec![Want::As(INT); 3]),
        ("make_time", 3) => {
            Plan::new("pg_time_make", TIME, vec![Want::As(INT), Want::As(INT), Want::As(FLOAT)])
        }
        ("make_timestamp" | "make_timestamptz", 6) => {
            let mut wants = vec![Want::As(INT); 5];
            wants.push(Want::As(FLOAT));
            match name {
                "make_timestamp" => Plan::new("pg_timestamp_make", STAMP, wants),
                _ => Plan::new("pg_timestamptz_make", ZONED, wants),
            }
        }
        ("make_interval", 0..=7) => {
            let mut wants = vec![Want::As(INT); types.len().min(6)];
            wants.extend((types.len() == 7).then_some(Want::As(FLOAT)));
            wants.extend(std::iter::repeat_n(Want::Word("0"), 7 - types.len()));
            Plan::new("pg_interval_make", SPAN, wants)
        }
        ("justify_hours", 1) => Plan::new("pg_interval_justify_hours", SPAN, spans),
        ("justify_days", 1) => Plan::new("pg_interval_justify_days", SPAN, spans),
        ("justify_interval", 1) => Plan::new("pg_interval_justify_interval", SPAN, spans),
        ("timezone", 2) if may_be_text(at(0)) => return at_zone(at(1)),
        ("overlaps", 4) => {
            let fits = types.iter().all(|ty| ty.is_none() || scalar(*ty).is_some_and(is_moment));
            let any = types.iter().flatten().next().is_some();
            if !(fits && any) {
                return None;
            }
            Plan::new("pg_bool_overlaps", BOOL, vec![Want::As(STAMP); 4])
        }
        _ => {
            let _ = first;
            return None;
        }
    })
}

fn part(function: &'static str, result: Type, of: Option<Type>) -> Option<Plan> {
    let own = scalar(of)
        .filter(|own| is_moment(*own) || matches!(own, Scalar::Time | Scalar::Interval))?;
    debug_assert!(!typname(own).is_empty());
    let ty = Type::One(own);
    Some(Plan::new(function, result, vec![Want::As(TEXT), Want::As(ty), Want::Named(ty)]))
}

/// `timezone(zone, moment)`, and `moment AT TIME ZONE zone`.
pub fn at_zone(of: Option<Type>) -> Option<Plan> {
    match scalar(of) {
        Some(Scalar::Timestamptz | Scalar::Date) | None if of.is_none() || scalar(of).is_some() => {
            let wants = vec![Want::As(TEXT), Want::As(ZONED)];
            Some(Plan::new("pg_timestamp_at_zone", STAMP, wants).swapped())
        }
        Some(Scalar::Timestamp) => {
            let wants = vec![Want::As(TEXT), Want::As(STAMP)];
            Some(Plan::new("pg_timestamptz_at_zone", ZONED, wants).swapped())
        }
        _ => None,
    }
}
