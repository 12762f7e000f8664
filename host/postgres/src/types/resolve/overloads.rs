//! Functions of the table: which overload PostgreSQL takes for the types of the arguments.

use sqlparser::ast::Expr;

use super::super::parameters::{Finder, is_given, parameter};
use super::super::{Scalar, Type, Typed};
use super::functions::arguments;
use super::table::{FUNCTIONS, Overload};
use super::{call, family, is_null, take};
use crate::error::{Error, sqlstate};
use crate::translate::as_cast;

/// Functions that SQLite has, too: a view stays what other programs read.
const OF_SQLITE: &[&str] = &[
    "abs",
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "ceil",
    "ceiling",
    "cos",
    "cosh",
    "degrees",
    "exp",
    "floor",
    "ln",
    "log",
    "log10",
    "mod",
    "pow",
    "power",
    "radians",
    "round",
    "sign",
    "sin",
    "sinh",
    "sqrt",
    "substr",
    "substring",
    "tan",
    "tanh",
    "trunc",
];

/// How far an argument is from the type of an overload; `None` if it cannot be converted without a cast.
pub(super) fn distance(own: Scalar, target: Scalar) -> Option<u32> {
    use Scalar as S;
    const NUMBERS: [Scalar; 6] = [S::Int2, S::Int4, S::Int8, S::Numeric, S::Float4, S::Float8];
    if own == target {
        return Some(0);
    }
    let rank = |scalar| NUMBERS.iter().position(|known| *known == scalar);
    match (rank(own), rank(target)) {
        // PostgreSQL prefers `double precision` among the numbers that an integer may become.
        (Some(from), Some(to)) if from < to => {
            Some(if target == S::Float8 { 1 } else { 2 + (to - from) as u32 })
        }
        _ => match (own, target) {
            (S::Varchar | S::Bpchar | S::Name | S::Char, S::Text) => Some(1),
            (S::Date, S::Timestamp) => Some(2),
            (S::Date | S::Timestamp, S::Timestamptz) => Some(1),
            _ => None,
        },
    }
}

/// A string may have any type: PostgreSQL prefers `text`, and among numbers `double precision`.
const fn rank_of_unknown(target: Scalar) -> u32 {
    match target {
        Scalar::Text => 0,
        Scalar::Float8 => 1,
        _ => 2,
    }
}

/// The overload that PostgreSQL would take for these types, none of which is that of an unknown one.
fn chosen(name: &str, types: &[Option<Scalar>]) -> Option<&'static Overload> {
    let fits =
        FUNCTIONS.iter().filter(|row| row.name == name && row.arguments.len() == types.len());
    // As PostgreSQL: first the overload with most types as they are.
    let cost = |row: &&Overload| {
        let same = types.iter().zip(row.arguments).filter(|(own, target)| **own == Some(**target));
        let others = types.len() - same.count();
        let distances = types.iter().zip(row.arguments).map(|(own, target)| {
            own.map_or(Some(rank_of_unknown(*target)), |own| distance(own, *target))
        });
        Some((others, distances.sum::<Option<u32>>()?))
    };
    fits.filter_map(|row| Some((cost(&row)?, row)))
        .min_by_key(|(cost, _)| *cost)
        .map(|(_, row)| row)
}

/// The result of a function in the table, for these arguments.
pub fn result(name: &str, types: &[Option<Typed>]) -> Option<Typed> {
    let scalars: Vec<_> = types.iter().map(|typed| typed.map(|typed| typed.ty.scalar())).collect();
    chosen(name, &scalars).map(|row| Typed::plain(Type::One(row.result)))
}

impl Finder<'_> {
    /// A call of a function in the table.
    pub(super) fn resolve_call(&mut self, expr: &mut Expr, name: &str) {
        let Expr::Function(function) = &*expr else { return };
        if function.over.is_some() || !FUNCTIONS.iter().any(|row| row.name == name) {
            return;
        }
        let Some(mut all) = arguments(expr) else { return };
        let types: Vec<_> = all.iter().map(|expr| self.planned_type(expr)).collect();
        let scalar = |ty: &Option<Option<Type>>| match ty.flatten() {
            Some(Type::One(scalar)) => Some(scalar),
            _ => None,
        };
        let scalars: Vec<_> = types.iter().map(scalar).collect();
        let has_array = types.iter().any(|ty| matches!(ty, Some(Some(Type::Array(_)))));
        let Some(row) = chosen(name, &scalars).filter(|_| !has_array) else {
            return self.check_call(name, &types);
        };
        if row.function.is_empty() {
            let what = format!("{name} of {}", row.arguments[0].name());
            let error = Error::unsupported(what);
            return self.refuse(match row.result {
                Scalar::Numeric => error.hint("cast it to double precision"),
                _ => error,
            });
        }
        // SQLite's `substr` of an empty blob is NULL.
        let is_ours = matches!(row.result, Scalar::Numeric | Scalar::Bytea);
        if self.is_view && !is_ours && OF_SQLITE.contains(&name) {
            return;
        }
        if name == "octet_length" {
            all.iter_mut().for_each(|expr| self.padded(expr));
        }
        let arguments: Vec<_> = all
            .into_iter()
            .zip(row.arguments)
            .map(|(expr, target)| self.argument(expr, *target))
            .collect();
        self.replace(expr, |_| call(row.function, arguments));
    }

    fn argument(&mut self, expr: &mut Expr, target: Scalar) -> Expr {
        self.note_parameter(expr, target);
        let own = self.type_of(expr);
        if is_null(expr) {
            return take(expr);
        }
        if is_given(expr) && parameter(expr).is_none() {
            return match target {
                Scalar::Numeric => call("pg_numeric_of", vec![take(expr)]),
                _ => as_cast(take(expr), Typed::plain(Type::One(target))),
            };
        }
        match own.filter(|own| family::number(Some(*own)).is_some()) {
            Some(own) => self.converted(take(expr), own, target),
            None => take(expr),
        }
    }

    /// A parameter has the type of the argument that it is.
    fn note_parameter(&mut self, expr: &mut Expr, target: Scalar) {
        if parameter(expr).is_some() {
            self.note(expr, Some(Typed::plain(Type::One(target))));
        }
    }

    /// Several overloads fit arguments of no type.
    pub(super) fn not_unique(&mut self, name: &str, count: usize) {
        let types = vec!["unknown"; count].join(", ");
        let message = format!("function {name}({types}) is not unique");
        let hint = "Could not choose a best candidate function. You might need to add explicit type casts.";
        self.refuse(Error::new(sqlstate::AMBIGUOUS_FUNCTION, message).hint(hint));
    }

    /// No overload fits: an error where all types are known, of which a string has none.
    pub(super) fn check_call(&mut self, name: &str, types: &[Option<Option<Type>>]) {
        let known = types.iter().copied().collect::<Option<Vec<_>>>();
        if known.is_some_and(|known| known.iter().any(Option::is_some)) {
            self.no_overload(name, types);
        }
    }

    /// No overload fits these arguments.
    pub(super) fn no_overload(&mut self, name: &str, types: &[Option<Option<Type>>]) {
        let known = types.iter().map(|ty| ty.flatten());
        let names = known.map(|ty| ty.map_or_else(|| "unknown".to_owned(), Type::name));
        let names = names.collect::<Vec<_>>().join(", ");
        let message = format!("function {name}({names}) does not exist");
        let hint = "No function matches the given name and argument types. You might need to add explicit type casts.";
        self.refuse(Error::new(sqlstate::UNDEFINED_FUNCTION, message).hint(hint));
    }
}
