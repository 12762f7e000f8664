//! The offsets of window frames: SQLite takes constants only, and PostgreSQL values of `bigint`, or of the type that a
//! column moves by.

use std::ops::ControlFlow;

use sqlparser::ast::{
    BinaryOperator, Expr, Function, NamedWindowExpr, Query, SetExpr, UnaryOperator, Visitor,
    WindowFrameBound, WindowFrameUnits, WindowSpec, WindowType,
};

use super::super::parameters::{Finder, parameter};
use super::super::{Scalar, Type, Typed};
use super::numbers::literal;
use super::{family, is_null, number, take};
use crate::error::{Error, Result, sqlstate};
use crate::translate::{Statement, string_of, typed};
use crate::walk::Walk;

const BIGINT: Typed = Typed::plain(Type::One(Scalar::Int8));

impl Finder<'_> {
    /// The frame of a function's own window, before its parts are visited.
    pub(in super::super) fn frame_of(&mut self, function: &mut Function) {
        if let Some(WindowType::WindowSpec(window)) = &mut function.over {
            self.frame(window);
        }
    }

    /// The frame of a window.
    pub(in super::super) fn frame(&mut self, window: &mut WindowSpec) {
        let by = match &window.order_by[..] {
            [term] => self.type_of(&term.expr),
            _ => None,
        };
        let Some(frame) = &mut window.window_frame else { return };
        let is_range = frame.units == WindowFrameUnits::Range;
        let target = if is_range { by } else { Some(BIGINT) };
        let ends =
            [("starting", Some(&mut frame.start_bound)), ("ending", frame.end_bound.as_mut())];
        for (end, bound) in ends {
            if let Some(
                WindowFrameBound::Preceding(Some(offset))
                | WindowFrameBound::Following(Some(offset)),
            ) = bound
            {
                self.offset(offset, end, target, is_range);
            }
        }
    }

    fn offset(&mut self, offset: &mut Expr, end: &str, target: Option<Typed>, is_range: bool) {
        if parameter(offset).is_some() {
            return self.note(offset, target);
        }
        // The parser takes a string here for an interval.
        if let Expr::Interval(interval) = offset
            && interval.leading_field.is_none()
        {
            let text = take(&mut interval.value);
            *offset = text;
        }
        match constant(offset, end, target, is_range) {
            Ok(Some(text)) if offset.to_string() != text => self.replace(offset, |_| number(text)),
            Ok(Some(_)) => {}
            Ok(None) => {
                let own = self.type_of(offset).filter(|own| family::number(Some(*own)).is_none());
                self.refuse(match own {
                    Some(own) if is_range => Error::unsupported(format_args!(
                        "RANGE with offset PRECEDING/FOLLOWING by type {}",
                        own.ty.name()
                    )),
                    Some(own) if family::of(own).is_some() => Error::new(
                        sqlstate::DATATYPE_MISMATCH,
                        format!("argument of ROWS must be type bigint, not type {}", own.ty.name()),
                    ),
                    _ => Error::unsupported("the offset of a frame that is computed")
                        .hint("give it as a constant or a parameter"),
                });
            }
            Err(error) => self.refuse(error),
        }
    }
}

impl Statement {
    /// The error of an offset that SQLite refuses, by whether the parameter with an index is NULL.
    #[must_use]
    pub fn of_offset(&self, error: Error, is_null: impl Fn(usize) -> bool) -> Error {
        let Some(tree) = self.parsed.as_ref().and_then(|tree| tree.shallow()) else { return error };
        let is_end = error.message.contains("ending");
        let mut search = NullOffset { is_end, is_null };
        if tree.walk(&mut search).is_continue() {
            return error;
        }
        null_offset(if is_end { "ending" } else { "starting" })
    }
}

fn null_offset(end: &str) -> Error {
    let message = format!("frame {end} offset must not be null");
    Error::new(sqlstate::NULL_NOT_ALLOWED, message)
}

/// Looks for a frame whose offset is a parameter that is NULL.
struct NullOffset<F> {
    is_end: bool,
    is_null: F,
}

impl<F: Fn(usize) -> bool> NullOffset<F> {
    fn has(&self, window: &WindowSpec) -> ControlFlow<()> {
        let bound = window.window_frame.as_ref().and_then(|frame| {
            if self.is_end { frame.end_bound.as_ref() } else { Some(&frame.start_bound) }
        });
        match bound {
            Some(
                WindowFrameBound::Preceding(Some(offset))
                | WindowFrameBound::Following(Some(offset)),
            ) if parameter(offset).is_some_and(&self.is_null) => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    }
}

impl<F: Fn(usize) -> bool> Visitor for NullOffset<F> {
    type Break = ();

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        let SetExpr::Select(select) = &*query.body else { return ControlFlow::Continue(()) };
        for definition in &select.named_window {
            if let NamedWindowExpr::WindowSpec(window) = &definition.1 {
                self.has(window)?;
            }
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        match expr {
            Expr::Function(Function { over: Some(WindowType::WindowSpec(window)), .. }) => {
                self.has(window)
            }
            _ => ControlFlow::Continue(()),
        }
    }
}

/// The value of an offset; `None` if it is computed from something else.
fn constant(
    offset: &Expr,
    end: &str,
    target: Option<Typed>,
    is_range: bool,
) -> Result<Option<String>> {
    if is_null(offset) {
        return Err(null_offset(end));
    }
    let is_whole =
        target.is_none_or(|own| matches!(own.ty, Type::One(own) if family::is_integer(own)));
    let text = match string_of(offset) {
        Some(text) if is_whole => match text.trim().parse::<i64>() {
            Ok(number) => number.to_string(),
            Err(_) => {
                let name = target.unwrap_or(BIGINT).ty.name();
                let message = format!("invalid input syntax for type {name}: \"{text}\"");
                return Err(Error::new(sqlstate::INVALID_TEXT, message));
            }
        },
        Some(_) => return Ok(None),
        None => match folded(offset)? {
            Some(text) => text,
            None => return Ok(None),
        },
    };
    let text = match text.parse::<f64>() {
        Ok(_) if text.parse::<i64>().is_ok() || !is_whole => text,
        Ok(_) if is_range => {
            let what = "RANGE with offset PRECEDING/FOLLOWING for integers by a numeric";
            return Err(Error::unsupported(what));
        }
        Ok(number) if number.abs() < i64::MAX as f64 => number.round().to_string(),
        Ok(_) => {
            return Err(Error::new(sqlstate::NUMERIC_OUT_OF_RANGE, "bigint out of range"));
        }
        Err(_) => return Ok(None),
    };
    if text.starts_with('-') {
        let message = if is_range {
            "invalid preceding or following size in window function".to_owned()
        } else {
            format!("frame {end} offset must not be negative")
        };
        return Err(Error::new(sqlstate::INVALID_FRAME, message));
    }
    Ok(Some(text))
}

/// The value of a literal, of its cast to an integer, and of integers that are computed.
fn folded(expr: &Expr) -> Result<Option<String>> {
    use BinaryOperator as O;
    Ok(match expr {
        Expr::Nested(inner) | Expr::UnaryOp { op: UnaryOperator::Plus, expr: inner } => {
            folded(inner)?
        }
        Expr::Cast { expr, data_type, .. } => match typed(data_type).map(|target| target.ty) {
            Some(Type::One(target)) if family::is_integer(target) => {
                let text = string_of(expr).map_or_else(|| folded(expr), |text| Ok(Some(text)))?;
                text.filter(|text| text.parse::<i64>().is_ok())
            }
            _ => literal(expr),
        },
        Expr::BinaryOp { left, op, right } => {
            let whole = |text: Option<String>| text.and_then(|text| text.parse::<i64>().ok());
            let (Some(one), Some(other)) = (whole(folded(left)?), whole(folded(right)?)) else {
                return Ok(None);
            };
            let value = match op {
                O::Plus => one.checked_add(other),
                O::Minus => one.checked_sub(other),
                O::Multiply => one.checked_mul(other),
                O::Divide | O::Modulo if other == 0 => {
                    return Err(Error::new(sqlstate::DIVISION_BY_ZERO, "division by zero"));
                }
                O::Divide => one.checked_div(other),
                O::Modulo => one.checked_rem(other),
                _ => return Ok(None),
            };
            value.map(|value| value.to_string())
        }
        _ => literal(expr),
    })
}
