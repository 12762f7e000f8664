//! Definitions as text: what `pg_get_indexdef` and similar functions return.

use sql_tokens::{Dialect, Token, is_reserved, quoted_name};

use crate::catalog::{Catalog, Constraint};
use crate::qualified;
use crate::rows::other_types;
use crate::schema::Relation;
use crate::sql_text;
use postgres_types::{Scalar, Type, Typed};

/// A name, in quotes where it needs them.
pub fn quote_ident(name: &str) -> String {
    let is_plain = name.starts_with(|c: char| c.is_ascii_lowercase() || c == '_')
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    if is_plain && !is_reserved(name, Dialect::Postgres) {
        return name.to_owned();
    }
    quoted_name(name)
}

fn names<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.map(quote_ident).collect::<Vec<_>>().join(", ")
}

/// The columns of an index.
fn index_columns(relation: &Relation, at: usize) -> String {
    let column = |(place, (_, descends)): (usize, &(Option<usize>, bool))| {
        let column = index_column(relation, at, place).unwrap_or_else(|| "rowid".to_owned());
        format!("{column}{}", if *descends { " DESC" } else { "" })
    };
    let columns = relation.indexes[at].columns.iter().enumerate();
    columns.map(column).collect::<Vec<_>>().join(", ")
}

/// A column of an index, without its order, or the expression that it is.
pub fn index_column(relation: &Relation, at: usize, place: usize) -> Option<String> {
    let index = &relation.indexes[at];
    let (column, _) = index.columns.get(place)?;
    if let Some(column) = column.and_then(|column| relation.columns.get(column)) {
        return Some(quote_ident(&column.name));
    }
    let (columns, _) = sql_text::index_parts(&index.sql)?;
    let element = sql_text::index_element(columns, place)?;
    let tokens = sql_text::tokens(&element);
    let is_closed = |open| sql_text::closing(&tokens, open) == Some(tokens.len() - 1);
    let is_plain = match &tokens[..] {
        [open, ..] if open.text == "(" => is_closed(0),
        [_, open, ..] if open.text == "(" => is_closed(1),
        _ => false,
    };
    Some(if is_plain { element } else { format!("({element})") })
}

/// The name of a column of an index that is an expression: that of the function that it calls.
pub fn expression_name(sql: &str, place: usize) -> String {
    let element = sql_text::index_parts(sql)
        .and_then(|(columns, _)| sql_text::index_element(columns, place))
        .unwrap_or_default();
    let tokens = sql_text::tokens(&element);
    match &tokens[..] {
        [name, open, ..]
            if open.text == "(" && sql_text::closing(&tokens, 1) == Some(tokens.len() - 1) =>
        {
            name.unquoted().into_owned()
        }
        _ => "expr".to_owned(),
    }
}

/// CREATE INDEX, with the condition in parentheses, or as psql has it.
pub fn index(relation: &Relation, at: usize, is_pretty: bool) -> String {
    let index = &relation.indexes[at];
    let unique = if index.is_unique { "UNIQUE " } else { "" };
    let condition = sql_text::index_parts(&index.sql).and_then(|(_, condition)| condition);
    let condition = condition.map_or(String::new(), |condition| {
        if is_pretty { format!(" WHERE {condition}") } else { format!(" WHERE ({condition})") }
    });
    let schema = if is_pretty { "" } else { "public." };
    format!(
        "CREATE {unique}INDEX {} ON {schema}{} USING btree ({}){condition}",
        quote_ident(&index.name),
        quote_ident(&relation.name),
        index_columns(relation, at),
    )
}

/// What ALTER TABLE … ADD CONSTRAINT takes. A condition is in two pairs of parentheses, or as psql has it.
pub fn constraint(catalog: &Catalog, constraint: &Constraint, is_pretty: bool) -> String {
    let relation = &catalog.relations[constraint.relation];
    match constraint.kind {
        "p" => format!("PRIMARY KEY ({})", index_columns(relation, constraint.index)),
        "u" => format!("UNIQUE ({})", index_columns(relation, constraint.index)),
        "c" if is_pretty => format!("CHECK ({})", relation.checks[constraint.index].expression),
        "c" => format!("CHECK (({}))", relation.checks[constraint.index].expression),
        _ => foreign_key(catalog, relation, constraint.index),
    }
}

fn foreign_key(catalog: &Catalog, relation: &Relation, at: usize) -> String {
    let key = &relation.foreign_keys[at];
    let (_, columns) = catalog.referred(key);
    let action = |event: &str, action: &str| match action {
        "NO ACTION" | "" => String::new(),
        action => format!(" ON {event} {action}"),
    };
    let deferral = match key.deferral {
        (true, true) => " DEFERRABLE INITIALLY DEFERRED",
        (true, false) => " DEFERRABLE",
        _ => "",
    };
    format!(
        "FOREIGN KEY ({}) REFERENCES {}({}){}{}{deferral}",
        names(key.from.iter().map(String::as_str)),
        qualified::name(&key.table),
        names(columns.iter().map(String::as_str)),
        action("UPDATE", &key.on_update),
        action("DELETE", &key.on_delete),
    )
}

/// CREATE TRIGGER, with a function that does not exist: PostgreSQL would run the statements of SQLite's trigger when it
/// reads them.
pub fn trigger(table: &str, name: &str, sql: &str) -> String {
    let event = event(&sql_text::tokens(sql)).unwrap_or_else(|| "BEFORE INSERT".to_owned());
    format!(
        "CREATE TRIGGER {} {event} ON {} FOR EACH ROW EXECUTE FUNCTION sqlite_trigger()",
        quote_ident(name),
        qualified::name(table)
    )
}

/// When a trigger runs: what is between its name and ON.
fn event(tokens: &[Token<'_>]) -> Option<String> {
    let is = |at: usize, word: &str| tokens.get(at).is_some_and(|token| token.is(word));
    let mut at = tokens.iter().position(|token| token.is("trigger"))? + 1;
    at += if is(at, "if") && is(at + 1, "not") { 3 } else { 0 };
    at += if is(at + 1, ".") { 3 } else { 1 };
    let (time, words) = match tokens.get(at)? {
        _ if is(at, "instead") => ("INSTEAD OF", 2),
        _ if is(at, "after") => ("AFTER", 1),
        _ => ("BEFORE", usize::from(is(at, "before"))),
    };
    at += words;
    let action = ["INSERT", "DELETE", "UPDATE"].into_iter().find(|action| is(at, action))?;
    if !is(at + 1, "of") {
        return Some(format!("{time} {action}"));
    }
    let columns = tokens[at + 2..].iter().take_while(|token| !token.is("on"));
    let columns =
        columns.filter(|token| !token.is(",")).map(|token| quote_ident(&token.unquoted()));
    Some(format!("{time} {action} OF {}", columns.collect::<Vec<_>>().join(", ")))
}

/// `format_type`: a type with its modifier.
pub fn type_text(oid: i64, modifier: i64) -> String {
    let Some(ty) = u32::try_from(oid).ok().and_then(Type::of_oid) else {
        let unknown = || if oid == 0 { "-".to_owned() } else { "???".to_owned() };
        return other_types::name(oid).unwrap_or_else(unknown);
    };
    let modifier = i32::try_from(modifier).unwrap_or(-1);
    let text = scalar_text(Typed { ty: Type::One(ty.scalar()), modifier });
    if matches!(ty, Type::Array(_)) { text + "[]" } else { text }
}

fn scalar_text(typed: Typed) -> String {
    let name = typed.ty.scalar().name();
    let modifier = typed.modifier;
    match typed.ty.scalar() {
        Scalar::Varchar | Scalar::Bpchar if modifier >= 4 => format!("{name}({})", modifier - 4),
        Scalar::Numeric if modifier >= 4 => {
            format!("{name}({},{})", (modifier - 4) >> 16, typed.scale().unwrap_or(0))
        }
        Scalar::Time | Scalar::Timestamp | Scalar::Timestamptz if modifier >= 0 => {
            name.replacen(' ', &format!("({modifier}) "), 1)
        }
        _ => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_quoted_where_they_need_it() {
        let quoted = ["a_1", "A", "1a", "order", "a\"b", ""].map(quote_ident);
        assert_eq!(quoted, ["a_1", "\"A\"", "\"1a\"", "\"order\"", "\"a\"\"b\"", "\"\""]);
    }

    #[test]
    fn triggers_have_no_statements() {
        for (sql, expected) in [
            ("CREATE TRIGGER a AFTER INSERT ON t BEGIN DELETE FROM t; END", "AFTER INSERT"),
            (
                "create trigger if not exists main.a delete on t begin select 1; end",
                "BEFORE DELETE",
            ),
            (
                "CREATE TRIGGER \"on\" INSTEAD OF UPDATE OF b, [c;], \"on\" ON v BEGIN SELECT 1; END",
                "INSTEAD OF UPDATE OF b, \"c;\", \"on\"",
            ),
            ("CREATE TRIGGER a BEFORE UPDATE ON t WHEN 1 BEGIN SELECT 1; END", "BEFORE UPDATE"),
            ("nothing", "BEFORE INSERT"),
        ] {
            let tokens = sql_text::tokens(sql);
            assert_eq!(event(&tokens).unwrap_or_else(|| "BEFORE INSERT".to_owned()), expected);
        }
        arbtest::arbtest(|u| {
            event(&sql_text::tokens(&format!("CREATE TRIGGER {}", u.arbitrary::<String>()?)));
            Ok(())
        });
    }

    #[test]
    fn types_are_written_as_postgres_does() {
        let of = |text: &str| {
            let typed = Typed::declared(text).unwrap();
            type_text(typed.ty.oid().into(), typed.modifier.into())
        };
        for (declared, expected) in [
            ("VARCHAR(40)", "character varying(40)"),
            ("char(3)", "character(3)"),
            ("NUMERIC(10,2)", "numeric(10,2)"),
            ("timestamptz(3)", "timestamp(3) with time zone"),
            ("TIMESTAMP", "timestamp without time zone"),
            ("int[]", "integer[]"),
            ("double", "double precision"),
        ] {
            assert_eq!(of(declared), expected);
        }
        assert_eq!(type_text(0, -1), "-");
        assert_eq!(type_text(9, -1), "???");
    }
}
