//! Functions, by the types of their arguments.

use sqlparser::ast::{
    Expr, FunctionArg, FunctionArgExpr, FunctionArgumentClause, FunctionArguments, Ident,
    ObjectName, WindowType,
};

use super::super::parameters::{Finder, is_given, parameter};
use super::super::{Scalar, Type, Typed};
use super::numbers::literal;
use super::table::{FUNCTIONS, Overload, REFUSED_OF_NUMERIC};
use super::{call, family, is_null, take};
use crate::error::{Error, sqlstate};
use crate::translate::{as_cast, table_name};

/// Functions whose first argument is a text.
const OF_TEXT: &[&str] = &[
    "ascii",
    "btrim",
    "char_length",
    "character_length",
    "initcap",
    "left",
    "length",
    "lower",
    "lpad",
    "ltrim",
    "octet_length",
    "quote_ident",
    "repeat",
    "replace",
    "reverse",
    "right",
    "rpad",
    "rtrim",
    "split_part",
    "starts_with",
    "string_to_array",
    "strpos",
    "substr",
    "translate",
    "upper",
];

/// Those that take bytes, too.
const OF_BYTES_TOO: &[&str] = &["btrim", "length", "ltrim", "octet_length", "rtrim", "substr"];

/// How far an argument is from the type of an overload; none where it cannot be converted without a cast.
fn distance(own: Scalar, target: Scalar) -> Option<u32> {
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

/// The overload that PostgreSQL would take for these types, none of which is that of an unknown one.
fn chosen(name: &str, types: &[Option<Scalar>]) -> Option<&'static Overload> {
    let fits =
        FUNCTIONS.iter().filter(|row| row.name == name && row.arguments.len() == types.len());
    // As PostgreSQL: first the overload with most types as they are.
    let cost = |row: &&Overload| {
        let same = types.iter().zip(row.arguments).filter(|(own, target)| **own == Some(**target));
        let others = types.len() - same.count();
        let distances = types
            .iter()
            .zip(row.arguments)
            .map(|(own, target)| own.map_or(Some(1), |own| distance(own, *target)));
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

/// The expressions among the arguments of a call; none where there is something else.
pub fn arguments(expr: &mut Expr) -> Option<Vec<&mut Expr>> {
    let Expr::Function(function) = expr else { return None };
    let FunctionArguments::List(list) = &mut function.args else { return None };
    list.args
        .iter_mut()
        .map(|argument| match argument {
            FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Some(expr),
            _ => None,
        })
        .collect()
}

impl Finder<'_> {
    pub(super) fn resolve_function(&mut self, expr: &mut Expr) {
        let Expr::Function(function) = &*expr else { return };
        let name = table_name(&function.name);
        self.order_within(expr);
        if self.resolve_planned_call(expr, &name) || self.resolve_aggregate(expr, &name) {
            return;
        }
        if OF_TEXT.contains(&&*name) && self.check_text(expr, &name) {
            return;
        }
        match name.as_str() {
            "coalesce" | "ifnull" => {
                let Some(mut all) = arguments(expr) else { return };
                let common = self.unified(&mut all);
                if common.is_some_and(|typed| typed.ty == Type::One(Scalar::Numeric)) {
                    self.replace(expr, |expr| call("pg_numeric_of", vec![expr]));
                }
            }
            "greatest" | "least" => {
                let Some(mut all) = arguments(expr) else { return };
                if let Some(ty) = all.iter().find_map(|expr| self.structure(expr)) {
                    let what = format!("{name} of {}", ty.name());
                    return self.refuse(Error::unsupported(what).hint("use CASE"));
                }
                let common = self.unified(&mut all);
                if common.is_some_and(|typed| typed.ty == Type::One(Scalar::Numeric)) {
                    let arguments = all.into_iter().map(take).collect();
                    self.replace(expr, |_| call(&format!("pg_numeric_{name}"), arguments));
                }
            }
            "nullif" => {
                let Some(mut all) = arguments(expr) else { return };
                let own = self.type_of(all[0]);
                if let [one, other] = &mut all[..]
                    && (self.structure(one).is_some() || self.structure(other).is_some())
                {
                    let with = self.null_if(take(one), take(other));
                    return self.replace(expr, |_| with);
                }
                self.compare_all(&mut all, "=");
                self.scaled(expr, own);
            }
            "lag" | "lead" | "first_value" | "last_value" | "nth_value" => {
                let Some(mut all) = arguments(expr) else { return };
                let Some(first) = all.first_mut() else { return };
                let own = self.type_of(first);
                let is_literal = literal(first).is_some();
                match own.filter(|own| is_literal && own.ty == Type::One(Scalar::Numeric)) {
                    Some(own) => {
                        let with = self.computed(take(first), own);
                        self.replace(first, |_| with);
                    }
                    None => self.scaled(expr, own),
                }
            }
            "concat" | "concat_ws" => {
                let Some(all) = arguments(expr) else { return };
                for argument in all {
                    if let Some(own) = self.type_of(argument).filter(|_| !is_given(argument)) {
                        self.shown_as_text(argument, own);
                    }
                }
            }
            _ => self.resolve_call(expr, &name),
        }
    }

    /// The type of a value whose text does not compare as it does.
    fn structure(&self, expr: &Expr) -> Option<Type> {
        let ty = self.type_of(expr)?.ty;
        matches!(ty, Type::Array(_) | Type::One(Scalar::Jsonb | Scalar::Interval)).then_some(ty)
    }

    /// The first argument of a function of texts; whether that is refused.
    fn check_text(&mut self, expr: &mut Expr, name: &str) -> bool {
        let Some(all) = arguments(expr) else { return false };
        let Some(first) = all.into_iter().next().filter(|first| !is_null(first)) else {
            return false;
        };
        let Some(own) = self.type_of(first).filter(|_| !is_given(first)) else { return false };
        let is_text = match family::of(own) {
            Some(family::Family::Bytes) => OF_BYTES_TOO.contains(&name),
            Some(family) => family == family::Family::Text,
            None => !matches!(own.ty, Type::Array(_)),
        };
        if !is_text {
            self.no_function(name, own);
        }
        !is_text
    }

    /// The order of a window and of an aggregate.
    fn order_within(&mut self, expr: &mut Expr) {
        let Expr::Function(function) = expr else { return };
        if let Some(WindowType::WindowSpec(window)) = &mut function.over {
            window.order_by.iter_mut().for_each(|term| self.ordered(&mut term.expr, None));
            window.partition_by.iter_mut().for_each(|key| self.compared(key));
        }
        let FunctionArguments::List(list) = &mut function.args else { return };
        for clause in &mut list.clauses {
            if let FunctionArgumentClause::OrderBy(terms) = clause {
                terms.iter_mut().for_each(|term| self.ordered(&mut term.expr, None));
            }
        }
    }

    /// A value of a stored numeric, with the digits of its column.
    fn scaled(&mut self, expr: &mut Expr, own: Option<Typed>) {
        if let Some(own) = own.filter(|own| own.ty == Type::One(Scalar::Numeric)) {
            let with = self.computed(take(expr), own);
            self.replace(expr, |_| with);
        }
    }

    /// A call of a function in the table.
    fn resolve_call(&mut self, expr: &mut Expr, name: &str) {
        let Expr::Function(function) = &*expr else { return };
        if function.over.is_some() || !FUNCTIONS.iter().any(|row| row.name == name) {
            return;
        }
        let Some(all) = arguments(expr) else { return };
        let types: Vec<_> = all.iter().map(|expr| self.argument_type(expr)).collect();
        if REFUSED_OF_NUMERIC.contains(&name) && types.contains(&Some(Scalar::Numeric)) {
            let hint = "cast it to double precision";
            return self.refuse(Error::unsupported(format_args!("{name} of numeric")).hint(hint));
        }
        let Some(row) = chosen(name, &types) else { return self.check_call(expr, name, &types) };
        if self.is_view && row.result != Scalar::Numeric {
            return;
        }
        let arguments: Vec<_> = all
            .into_iter()
            .zip(row.arguments)
            .map(|(expr, target)| self.argument(expr, *target))
            .collect();
        self.replace(expr, |_| call(row.function, arguments));
    }

    /// The scalar of an argument; none for a string or NULL, which take any type, and for what is not known.
    fn argument_type(&self, expr: &Expr) -> Option<Scalar> {
        if is_null(expr) || (is_given(expr) && parameter(expr).is_none()) {
            return None;
        }
        match self.type_of(expr)?.ty {
            Type::One(scalar) => Some(scalar),
            Type::Array(_) => None,
        }
    }

    fn argument(&mut self, expr: &mut Expr, target: Scalar) -> Expr {
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

    /// No overload fits: an error where all types are known, and SQLite has no other meaning for it.
    fn check_call(&mut self, expr: &mut Expr, name: &str, types: &[Option<Scalar>]) {
        let known: Option<Vec<_>> = types.iter().map(|scalar| scalar.map(Scalar::name)).collect();
        let Some(known) = known.filter(|known| !known.is_empty()) else { return };
        if arguments(expr)
            .is_some_and(|all| all.iter().any(|expr| literal(expr).is_some() && types.len() > 2))
        {
            return;
        }
        let message = format!("function {name}({}) does not exist", known.join(", "));
        let hint = "No function matches the given name and argument types. You might need to add explicit type casts.";
        self.refuse(Error::new(sqlstate::UNDEFINED_FUNCTION, message).hint(hint));
    }

    /// `ceil(x)` and `floor(x)`, which the parser has as forms of their own.
    pub(super) fn resolve_rounding(&mut self, expr: &mut Expr) {
        let (name, inner) = match expr {
            Expr::Ceil { expr, .. } => ("ceil", take(expr)),
            Expr::Floor { expr, .. } => ("floor", take(expr)),
            _ => return,
        };
        *expr = call(name, vec![inner]);
        self.is_changed = true;
        self.resolve_function(expr);
    }
}

/// Give a function another name.
pub fn rename(expr: &mut Expr, name: &str) {
    if let Expr::Function(function) = expr {
        function.name = ObjectName::from(Ident::new(name));
    }
}
