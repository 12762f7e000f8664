//! Arrays, subscripts, zones and fields: forms of expressions that are no calls and no operators.

use sqlparser::ast::{
    BinaryOperator, CastKind, Expr, Ident, Subscript, TrimWhereField, UnaryOperator,
};

use super::super::infer::{is_open, subscript};
use super::super::parameters::{Finder, is_given};
use super::super::{Scalar, Type, Typed};
use super::numbers::literal;
use super::{call, family, number, plans, string, take};
use crate::error::{Error, sqlstate};
use crate::translate::{operator, string_of};

/// Columns of the catalogue with arrays that are texts here (`int2vector`, `oidvector` in
/// `extensions/pgcatalog/src/tables.txt`), and the ends of the names of those with privileges.
const VECTORS: &[&str] = &[
    "indclass",
    "indcollation",
    "indkey",
    "indoption",
    "partattrs",
    "partclass",
    "partcollation",
    "prattrs",
    "proargmodes",
    "proargtypes",
    "stxkeys",
    "stxkind",
    "tgattr",
];
const PRIVILEGES: &[&str] = &["acl", "privs"];

/// Whether a text is an array: that of such a column.
fn has_vectors(expr: &Expr) -> bool {
    let name = match expr {
        Expr::Identifier(name) => name,
        Expr::CompoundIdentifier(parts) => match parts.last() {
            Some(name) => name,
            None => return false,
        },
        _ => return false,
    };
    let name = name.value.to_ascii_lowercase();
    VECTORS.contains(&name.as_str()) || PRIVILEGES.iter().any(|end| name.ends_with(end))
}

impl Finder<'_> {
    /// The name of a function in FROM that returns values stands for its value.
    pub(super) fn resolve_value(&mut self, expr: &mut Expr) {
        let Expr::Identifier(table) = &*expr else { return };
        if self.type_of(expr).is_some() || self.is_column(expr) {
            return;
        }
        let row = self.row_of(&table.value);
        if row.is_some_and(|row| matches!(&row[..], [(name, _)] if name == "value")) {
            let value = vec![table.clone(), Ident::with_quote('"', "value")];
            self.replace(expr, |_| Expr::CompoundIdentifier(value));
        }
    }

    /// `jsonb '…'`.
    pub(super) fn resolve_typed_string(&mut self, expr: &mut Expr) {
        let Expr::TypedString(typed) = &*expr else { return };
        let Some(target) = crate::translate::typed(&typed.data_type) else { return };
        let is_planned = matches!(
            target.ty,
            Type::Array(_) | Type::One(Scalar::Json | Scalar::Jsonb | Scalar::Interval)
        );
        if target.modifier >= 0 || target.ty == Type::One(Scalar::Numeric) {
            let text = Expr::Value(typed.value.clone());
            let data_type = typed.data_type.clone();
            self.replace(expr, |_| Expr::Cast {
                kind: CastKind::DoubleColon,
                expr: Box::new(text),
                data_type,
                format: None,
            });
            return self.resolve_cast(expr);
        }
        if is_planned {
            let text = Expr::Value(typed.value.clone());
            *expr = self.as_type(text, target.ty);
            self.is_changed = true;
        }
    }

    /// `ARRAY[…]`, of one dimension.
    pub(super) fn resolve_array(&mut self, expr: &mut Expr, of: Option<Scalar>) {
        let own = self.type_of(expr).map(|typed| typed.ty);
        let Expr::Array(array) = expr else { return };
        if array.elem.is_empty() {
            let error =
                Error::new(sqlstate::INDETERMINATE_TYPE, "cannot determine type of empty array");
            let hint = "Explicitly cast to the desired type, for example ARRAY[]::integer[].";
            return self.refuse(error.hint(hint));
        }
        let is_nested = |element: &Expr| {
            matches!(element, Expr::Array(_))
                || matches!(self.planned_type(element), Some(Some(Type::Array(_))))
        };
        if array.elem.iter().any(is_nested) {
            return self.refuse(Error::unsupported("arrays of more than one dimension"));
        }
        let all_open = array.elem.iter().all(|element| self.is_untyped(element));
        let of = of.or(match own {
            _ if all_open => Some(Scalar::Text),
            Some(Type::Array(of)) => Some(of),
            _ => None,
        });
        self.check_elements(&array.elem);
        let Some(of) = of else { return };
        self.check_element(of);
        let elements = std::mem::take(&mut array.elem);
        let mut all: Vec<_> =
            elements.into_iter().map(|element| self.as_type(element, Type::One(of))).collect();
        all.push(string(family::kind(Type::Array(of))));
        *expr = call("pg_array_made", all);
        self.is_changed = true;
    }

    /// `ARRAY(query)`, as an array of the type of its column.
    pub(super) fn resolve_array_query(&mut self, expr: &mut Expr) {
        let Some(Typed { ty: ty @ Type::Array(_), .. }) = self.type_of(expr) else { return };
        self.check_element(ty.scalar());
        let kind = string(family::kind(ty));
        self.replace(expr, |expr| call("pg_array_of", vec![expr, kind]));
    }

    /// An array has no bytes, and no character without the spaces at its end.
    pub(super) fn check_element(&mut self, of: Scalar) {
        let hint = match of {
            Scalar::Bytea => "use encode(…, 'hex')",
            Scalar::Bpchar => "cast it to text",
            _ => return,
        };
        let what = format!("an array of {}", of.name());
        self.refuse(Error::unsupported(what).hint(hint));
    }

    /// The elements of an array have one type.
    fn check_elements(&mut self, elements: &[Expr]) {
        let known = elements.iter().filter(|element| !is_open(element) && !is_given(element));
        let known: Vec<Typed> = known.filter_map(|element| self.type_of(element)).collect();
        let Some(first) = known.first() else { return };
        let families = |other: &Typed| [family::loosely(*first), family::loosely(*other)];
        let other = known
            .iter()
            .find(|other| matches!(families(other), [Some(one), Some(other)] if one != other));
        if let Some(other) = other {
            let names = (first.ty.name(), other.ty.name());
            let message = format!("ARRAY types {} and {} cannot be matched", names.0, names.1);
            self.refuse(Error::new(sqlstate::DATATYPE_MISMATCH, message));
        }
    }

    /// Functions of texts with words between their arguments: calls of functions that PostgreSQL has for them.
    pub(super) fn resolve_text_form(&mut self, expr: &mut Expr) {
        let (name, arguments): (_, Vec<Option<Expr>>) = match expr.clone() {
            Expr::Position { expr, r#in } => ("position", vec![Some(*r#in), Some(*expr)]),
            Expr::Substring { expr, substring_from, substring_for, .. } => {
                let from = substring_from.map_or_else(|| number(1), |from| *from);
                ("substring", vec![Some(*expr), Some(from), substring_for.map(|length| *length)])
            }
            Expr::Trim { trim_where, trim_what, expr, trim_characters } => {
                let name = match trim_where {
                    Some(TrimWhereField::Leading) => "ltrim",
                    Some(TrimWhereField::Trailing) => "rtrim",
                    _ => "btrim",
                };
                let listed = trim_characters.and_then(|list| list.into_iter().next());
                (name, vec![Some(*expr), trim_what.map(|what| *what).or(listed)])
            }
            Expr::Overlay { expr, overlay_what, overlay_from, overlay_for } => {
                let length = overlay_for.map(|length| *length);
                ("overlay", vec![Some(*expr), Some(*overlay_what), Some(*overlay_from), length])
            }
            _ => return,
        };
        let mut with = call(name, arguments.into_iter().flatten().collect());
        let before = with.clone();
        self.resolve_function(&mut with);
        if with != before {
            self.replace(expr, |_| with);
        }
    }

    /// `text SIMILAR TO pattern ESCAPE letter`.
    pub(super) fn resolve_similar(&mut self, expr: &mut Expr) {
        let Expr::SimilarTo { negated, expr: text, pattern, escape_char } = expr else { return };
        self.check_like(text, "~", pattern);
        self.padded(text);
        let mut all = vec![take(text), take(pattern)];
        all.extend(escape_char.take().map(|escape| *escape));
        let is = call("pg_bool_similar", all);
        let with = if *negated {
            Expr::UnaryOp { op: UnaryOperator::Not, expr: Box::new(is) }
        } else {
            is
        };
        self.replace(expr, |_| with);
    }

    /// `array[1]` and `array[1:2]`.
    pub(super) fn resolve_subscript(&mut self, expr: &mut Expr) {
        let Expr::CompoundFieldAccess { root, access_chain } = &*expr else { return };
        let Some((root, place)) = subscript(root, access_chain) else { return };
        let of = match self.type_of(&root).map(|typed| typed.ty) {
            Some(Type::Array(of)) => of,
            Some(Type::One(Scalar::Jsonb)) => {
                let Subscript::Index { index } = place.clone() else {
                    let message = "jsonb subscript does not support slices";
                    return self.refuse(Error::new(sqlstate::DATATYPE_MISMATCH, message));
                };
                return self.replace(expr, |_| call("pg_jsonb_get", vec![root, index]));
            }
            // Its letters count from 0.
            Some(Type::One(Scalar::Name)) if let Subscript::Index { index } = &place => {
                let place = Expr::BinaryOp {
                    left: Box::new(Expr::Nested(Box::new(index.clone()))),
                    op: BinaryOperator::Plus,
                    right: Box::new(number(1)),
                };
                return self.replace(expr, |_| call("substr", vec![root, place, number(1)]));
            }
            Some(Type::One(scalar)) if !is_given(&root) => {
                let message = format!(
                    "cannot subscript type {} because it does not support subscripting",
                    Type::One(scalar).name()
                );
                return self.refuse(Error::new(sqlstate::DATATYPE_MISMATCH, message));
            }
            _ => return,
        };
        let any = || string("");
        let with = match place.clone() {
            Subscript::Index { index } => {
                call("pg_array_get", vec![root, index, string(family::typname(of))])
            }
            Subscript::Slice { lower_bound, upper_bound, stride: None } => {
                let bounds = [lower_bound, upper_bound].map(|bound| bound.unwrap_or_else(any));
                let [low, high] = bounds;
                call("pg_array_slice", vec![root, low, high, string(family::kind(Type::Array(of)))])
            }
            Subscript::Slice { .. } => return,
        };
        self.replace(expr, |_| with);
    }

    /// `value op ANY (array)`, where SQLite's comparison of the elements is another.
    pub(super) fn resolve_quantified(&mut self, expr: &mut Expr) {
        let (left, op, right, is_any) = match expr {
            Expr::AnyOp { left, compare_op, right, .. } => (left, compare_op, right, true),
            Expr::AllOp { left, compare_op, right } => (left, compare_op, right, false),
            _ => return,
        };
        let right_type = self.type_of(right).filter(|_| !is_open(right) && !is_given(right));
        let is_text = has_vectors(right);
        let is_array = |own| match own {
            family::Family::Text => is_text,
            own => own == family::Family::Array,
        };
        if right_type.and_then(family::of).is_some_and(|own| !is_array(own)) {
            let message = "op ANY/ALL (array) requires array on right side";
            return self.refuse(Error::new("42809", message));
        }
        let Some(Type::Array(of)) = self.type_of(right).map(|typed| typed.ty) else { return };
        let name = operator(op);
        let left_type =
            self.type_of(left).filter(|_| !is_given(left)).map(|typed| typed.ty.scalar());
        let is_comparison = matches!(name.as_str(), "=" | "<>" | "!=" | "<" | "<=" | ">" | ">=");
        if let Some(own) = left_type.filter(|_| is_comparison && !is_open(left)) {
            let [own, element] = [own, of].map(|scalar| Typed::plain(Type::One(scalar)));
            if let [Some(one), Some(other)] = [own, element].map(family::of)
                && one != other
            {
                return self.no_operator(own, &name, element);
            }
        }
        if is_comparison && of == Scalar::Json {
            let json = Typed::plain(Type::One(of));
            return self.no_operator(json, &name, json);
        }
        let is_plain = |scalar: Scalar| {
            family::is_integer(scalar)
                || matches!(scalar, Scalar::Text | Scalar::Varchar | Scalar::Uuid | Scalar::Date)
        };
        // NULL among the elements of `<> ALL` is not a row that is missing.
        let is_list = name == "=" && is_any;
        let is_alike = |own| is_plain(own) && (own == Scalar::Date) == (of == Scalar::Date);
        if is_list && is_plain(of) && left_type.is_none_or(is_alike) {
            return;
        }
        let is_pattern = name.trim_start_matches('!').starts_with('~');
        if is_pattern {
            self.check_like(left, &name, &string(""));
            self.padded(left);
        } else if !is_comparison {
            return;
        }
        if let Some(own) = left_type.filter(|own| *own != of && is_moment(*own) && is_moment(of)) {
            if own == Scalar::Date {
                self.replace(left, |left| call("pg_timestamp_of", vec![left]));
            }
            if of == Scalar::Date {
                let kind = string(family::kind(Type::Array(own)));
                self.replace(right, |right| call("pg_array_of", vec![right, kind]));
            }
        }
        let of_numbers = |scalar| family::number(Some(Typed::plain(Type::One(scalar))));
        let kind = match (left_type.and_then(of_numbers), of_numbers(of)) {
            (Some(one), Some(other)) => family::common(one, other),
            _ => of,
        };
        let one = self.as_type(take(left), Type::One(kind));
        let array = take(right);
        let function = if is_any { "pg_bool_array_any" } else { "pg_bool_array_all" };
        let all = vec![one, string(name), array, string(family::typname(kind))];
        self.replace(expr, |_| call(function, all));
    }

    /// `moment AT TIME ZONE zone`.
    pub(super) fn resolve_zone(&mut self, expr: &mut Expr) {
        let Expr::AtTimeZone { timestamp, time_zone } = expr else { return };
        let Some(own) = self.planned_type(timestamp) else { return };
        let Some(plan) = plans::at_zone(own) else {
            let ty = own.map_or_else(|| "unknown".to_owned(), Type::name);
            let message = format!("function pg_catalog.timezone(unknown, {ty}) does not exist");
            return self.refuse(Error::new(sqlstate::UNDEFINED_FUNCTION, message));
        };
        let mut zone = take(time_zone);
        if self.planned_type(&zone) == Some(Some(Type::One(Scalar::Interval))) {
            let concat = sqlparser::ast::BinaryOperator::StringConcat;
            let left = Box::new(string("interval "));
            zone = Expr::BinaryOp { left, op: concat, right: Box::new(zone) };
        }
        let moment = take(timestamp);
        *expr = self.planned(&plan, vec![zone, moment]);
    }

    /// `EXTRACT(field FROM value)`.
    pub(super) fn resolve_extract(&mut self, expr: &mut Expr) {
        let Expr::Extract { field, expr: inner, .. } = expr else { return };
        let name = field.to_string().trim_matches('\'').to_lowercase();
        let Some(own) = self.planned_type(inner) else { return };
        if let Some(ty) = own
            && !has_field(ty, &name)
        {
            let what = format!("unit \"{name}\" of type {}", ty.name());
            return self.refuse(Error::unsupported(what));
        }
        match plans::function("extract", &[None, own]) {
            Some(plan) => {
                let inner = take(inner);
                *expr = self.planned(&plan, vec![string(name), inner]);
            }
            None => self.check_call("pg_catalog.extract", &[Some(None), Some(own)]),
        }
    }

    /// An interval that is a constant.
    pub(super) fn resolve_interval(&mut self, expr: &mut Expr) {
        let Expr::Interval(interval) = &*expr else { return };
        let Some(text) = string_of(&interval.value).or_else(|| literal(&interval.value)) else {
            return;
        };
        if interval.last_field.is_some() || interval.leading_precision.is_some() {
            return self.refuse(Error::unsupported("an interval with a range of fields"));
        }
        let mut all = vec![string(text)];
        all.extend(interval.leading_field.as_ref().map(|field| string(field.to_string())));
        self.replace(expr, |_| call("pg_interval_of", all));
    }
}

fn is_moment(scalar: Scalar) -> bool {
    family::of(Typed::plain(Type::One(scalar))) == Some(family::Family::Moment)
}

/// Whether values of a type have a field; a field that there is not is the function's error.
fn has_field(ty: Type, field: &str) -> bool {
    let of_time = ["hour", "minute", "second", "millisecond", "microsecond"];
    let of_days = ["week", "dow", "doy", "isodow", "isoyear", "julian"];
    let is = |fields: &[&str]| fields.contains(&field.trim_end_matches('s'));
    let has_zone = field.starts_with("timezone");
    match ty {
        Type::One(Scalar::Date) => !has_zone && !is(&of_time),
        Type::One(Scalar::Interval) => !has_zone && !is(&of_days),
        Type::One(Scalar::Timestamp | Scalar::Time) => !has_zone,
        _ => true,
    }
}
