//! Names with their schema, for a session whose search path does not have `public`: what `pg_dump` restores.

use std::collections::BTreeSet;

use sql_tokens::Token;
use sqlite_wasm_kit::Value;

use crate::catalog::Catalog;
use crate::definitions::quote_ident;
use crate::schema::query;
use crate::sql_text::{closing, tokens};

/// `public.`, where a name alone would not be found.
pub fn prefix() -> &'static str {
    // Only the server of the Postgres wire has sessions.
    let path = query("SELECT pg_session('current_setting', 'search_path')", None);
    let Some(Value::Text(path)) = path.ok().and_then(|mut rows| rows.pop()?.pop()) else {
        return "";
    };
    let path = String::from_utf8_lossy(&path);
    let is_public = |name: &str| matches!(name.trim().trim_matches('"'), "public" | "main");
    if path.split(',').any(is_public) { "" } else { "public." }
}

/// The name of a relation.
pub fn name(name: &str) -> String {
    format!("{}{}", prefix(), quote_ident(name))
}

/// The parts of FROM, for each pair of parentheses.
#[derive(Clone, Copy, Default)]
struct Level {
    is_query: bool,
    is_from: bool,
}

/// A query with the schema of the tables in its FROM.
pub fn query_text(catalog: &Catalog, sql: &str) -> String {
    match prefix() {
        "" => sql.to_owned(),
        prefix => with_schema(catalog, sql, prefix),
    }
}

fn with_schema(catalog: &Catalog, sql: &str, prefix: &str) -> String {
    let tokens = tokens(sql);
    let of_with = names_of_with(&tokens);
    let is_table = |at: usize| {
        let next = tokens.get(at + 1).map_or("", |next| next.text);
        let name = tokens[at].name().filter(|_| !matches!(next, "." | "("));
        name.is_some_and(|name| {
            catalog.named(&name).is_some() && !of_with.contains(&name.to_lowercase())
        })
    };
    let mut text = String::with_capacity(sql.len());
    let (mut end, mut levels, mut wants_table) = (0, vec![Level::default()], false);
    for (at, token) in tokens.iter().enumerate() {
        let level = levels.last().copied().unwrap_or_default();
        let before = at.checked_sub(1).and_then(|at| tokens.get(at));
        let set = |levels: &mut Vec<Level>, with: Level| {
            levels.last_mut().into_iter().for_each(|level| *level = with);
        };
        let was_wanted = std::mem::take(&mut wants_table);
        match token.text {
            "(" => {
                levels.push(Level { is_query: false, is_from: was_wanted });
                wants_table = was_wanted;
            }
            ")" => _ = levels.pop(),
            "," => wants_table = level.is_from,
            _ if token.is("select") => set(&mut levels, Level { is_query: true, is_from: false }),
            // And not that of IS DISTINCT FROM.
            _ if token.is("from")
                && level.is_query
                && !before.is_some_and(|token| token.is("distinct")) =>
            {
                set(&mut levels, Level { is_from: true, ..level });
                wants_table = true;
            }
            _ if token.is("join") => wants_table = true,
            _ if ENDS.iter().any(|word| token.is(word)) => {
                set(&mut levels, Level { is_from: false, ..level });
            }
            _ if was_wanted && is_table(at) => {
                text.push_str(&sql[end..token.start]);
                text.push_str(prefix);
                end = token.start;
            }
            _ => wants_table = was_wanted && (token.is("lateral") || token.is("only")),
        }
    }
    text + &sql[end..]
}

/// What follows the tables of FROM.
const ENDS: [&str; 9] =
    ["where", "group", "having", "window", "order", "limit", "offset", "union", "values"];

/// The names of the queries of WITH: what is before `AS (`, with columns or without.
fn names_of_with(tokens: &[Token<'_>]) -> BTreeSet<String> {
    let begins = |at: usize| {
        let token = |at: Option<usize>| at.and_then(|at| tokens.get(at));
        let before = token(at.checked_sub(1))?;
        let end = match tokens.get(at + 1) {
            Some(next) if next.text == "(" => closing(tokens, at + 1)?,
            _ => at,
        };
        let after = token(Some(end + 2))?;
        let is_one = (before.text == "," || before.is("with") || before.is("recursive"))
            && tokens[end + 1].is("as")
            && (after.text == "(" || after.is("materialized") || after.is("not"));
        tokens[at].name().filter(|_| is_one)
    };
    (0..tokens.len()).filter_map(begins).map(|name| name.to_lowercase()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::Relation;

    #[test]
    fn only_tables_get_a_schema() {
        let relation = |name: &str| Relation { name: name.into(), ..Relation::default() };
        let catalog = Catalog::of(1, "a".into(), vec![relation("t"), relation("u v")]);
        for (sql, expected) in [
            ("SELECT t.a FROM t", "SELECT t.a FROM public.t"),
            (
                "SELECT * FROM T x, (SELECT 1 FROM \"u v\") y JOIN (t JOIN z ON t.a IN (SELECT t FROM t))",
                "SELECT * FROM public.T x, (SELECT 1 FROM public.\"u v\") y \
                 JOIN (public.t JOIN z ON t.a IN (SELECT t FROM public.t))",
            ),
            (
                "WITH t(a) AS (SELECT 1) SELECT a, t FROM t WHERE a IS DISTINCT FROM t",
                "WITH t(a) AS (SELECT 1) SELECT a, t FROM t WHERE a IS DISTINCT FROM t",
            ),
            (
                "SELECT extract(day FROM t), f(t, t) FROM main.t, t(1), t WHERE t, t",
                "SELECT extract(day FROM t), f(t, t) FROM main.t, t(1), public.t WHERE t, t",
            ),
        ] {
            assert_eq!(with_schema(&catalog, sql, "public."), expected);
        }
    }

    #[test]
    fn any_text_is_read() {
        arbtest::arbtest(|u| {
            let sql: String = u.arbitrary()?;
            with_schema(&Catalog::default(), &sql, "public.");
            Ok(())
        });
    }
}
