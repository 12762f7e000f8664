//! DECLARE, FETCH, MOVE and CLOSE, which are read by their words.

use sql_tokens::{Kind, Token};

use super::scrolling::{goes_back, has_locks};
use super::session::Words;
use super::{Action, Context, Statement};
use crate::error::{Error, Result, sqlstate};
use crate::lex::{self, Piece};

/// Where FETCH and MOVE go to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// This many rows.
    Forward(u64),
    /// This many rows, in reverse order.
    Backward(u64),
    /// To a row, from 1; from the end where it is negative.
    Absolute(i64),
    /// To a row, from here.
    Relative(i64),
}

/// What a cursor can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Declared {
    /// `WITH HOLD`: it stays after the transaction.
    pub is_held: bool,
    /// `BINARY`: FETCH sends its values in their binary format.
    pub is_binary: bool,
    /// Whether it goes backward.
    pub is_scrollable: bool,
}

/// Words of FETCH at most.
const MAX_WORDS: usize = 16;

const INVALID_CURSOR: &str = "42P11";

/// Options of DECLARE that exclude each other.
const OPPOSITES: [(&str, &str, &str); 2] = [
    ("scroll", "no scroll", "cannot specify both SCROLL and NO SCROLL"),
    ("asensitive", "insensitive", "cannot specify both ASENSITIVE and INSENSITIVE"),
];

/// A statement about a cursor.
pub fn statement(piece: &Piece<'_>, context: &Context) -> Result<Option<Statement>> {
    let tokens = lex::tokens(piece.text).filter(|token| token.kind != Kind::Space);
    let tokens: Vec<_> = tokens.take(MAX_WORDS).collect();
    let Some(first) = tokens.first() else { return Ok(None) };
    match first.text.to_ascii_lowercase().as_str() {
        "declare" => declare(piece, context).map(Some),
        word @ ("fetch" | "move") => fetch(piece, &tokens[1..], word == "move").map(Some),
        "close" => close(piece, &tokens[1..]).map(Some),
        _ => Ok(None),
    }
}

fn syntax(near: &str) -> Error {
    let near: String = near.chars().take(64).collect();
    Error::new(sqlstate::SYNTAX_ERROR, format!("syntax error at or near \"{near}\""))
}

/// The name that a token is.
fn name(token: &Token<'_>) -> Result<String> {
    super::session::name(token).ok_or_else(|| syntax(token.text))
}

fn word<'a>(token: &Token<'a>) -> String {
    token.text.to_ascii_lowercase()
}

fn declare(piece: &Piece<'_>, context: &Context) -> Result<Statement> {
    let mut words = Words::of(piece);
    words.next();
    let name = words.name()?;
    let mut given = Vec::new();
    loop {
        match words.one_of(&["binary", "asensitive", "insensitive", "no", "scroll", "cursor"]) {
            Some("cursor") => break,
            Some("no") => {
                words.expect("scroll")?;
                given.push("no scroll");
            }
            Some(option) => given.push(option),
            None => return Err(words.wrong()),
        }
    }
    let hold = words.one_of(&["with", "without"]);
    if hold.is_some() {
        words.expect("hold")?;
    }
    let begin = words.peek();
    words.expect("for")?;
    let start = begin.map_or(0, |token| token.start + token.text.len());
    let has = |option| given.contains(&option);
    for (one, other, message) in OPPOSITES {
        if has(one) && has(other) {
            return Err(Error::new(INVALID_CURSOR, message));
        }
    }
    let inner = lex::split(&piece.text[start..])?.pop().ok_or_else(|| words.wrong())?;
    let query = super::as_written(&inner, context)?;
    if query.command != "SELECT" || query.action != Action::Run {
        return Err(syntax(inner.text));
    }
    if query.has_no_columns {
        return Err(Error::unsupported("a cursor without columns"));
    }
    let is_held = hold == Some("with");
    if has_locks(&query) {
        check_locking(is_held, has("scroll"), has("insensitive"))?;
    }
    let is_scrollable = has("scroll") || (!has("no scroll") && goes_back(&query));
    let declared = Declared { is_held, is_binary: has("binary"), is_scrollable };
    let sql = lex::without_double_quotes(&query.sql);
    let action = Action::Declare { name, declared };
    Ok(Statement { sql, action, start: piece.start, command: "DECLARE".to_owned(), ..query })
}

/// The rows of a cursor that locks them are as they are when it comes to them.
fn check_locking(is_held: bool, has_scroll: bool, is_insensitive: bool) -> Result<()> {
    let (code, what, which) = match () {
        () if is_held => ("0A000", "CURSOR WITH HOLD ... FOR UPDATE is not supported", "Holdable"),
        () if has_scroll => {
            ("0A000", "SCROLL CURSOR ... FOR UPDATE is not supported", "Scrollable")
        }
        () if is_insensitive => {
            (INVALID_CURSOR, "INSENSITIVE CURSOR ... FOR UPDATE is not valid", "Insensitive")
        }
        () => return Ok(()),
    };
    let detail = format!("{which} cursors must be READ ONLY.");
    Err(Error::new(code, format!("DECLARE {what}")).detail(detail))
}

fn fetch(piece: &Piece<'_>, tokens: &[Token<'_>], is_move: bool) -> Result<Statement> {
    let (cursor, before) = tokens.split_last().ok_or_else(|| syntax(piece.text))?;
    let words: Vec<_> = before.iter().map(word).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let words = match words.split_last() {
        Some((&("from" | "in"), words)) => words,
        _ => &words[..],
    };
    let direction = direction(words).ok_or_else(|| syntax(&words.join(" ")))?;
    let command = if is_move { "MOVE" } else { "FETCH" }.to_owned();
    let action = Action::Fetch { name: name(cursor)?, direction, is_move };
    Ok(Statement { action, command, ..Statement::new(piece, String::new()) })
}

fn direction(words: &[&str]) -> Option<Direction> {
    use Direction as D;
    // A sign is a separate token.
    let number = |words: &[&str]| words.concat().parse::<i64>().ok();
    let counted = |count: i64| match u64::try_from(count) {
        Ok(0) => D::Relative(0),
        Ok(count) => D::Forward(count),
        Err(_) => D::Backward(count.unsigned_abs()),
    };
    let back = |direction| match direction {
        D::Forward(count) => D::Backward(count),
        D::Backward(count) => D::Forward(count),
        other => other,
    };
    Some(match words {
        [] | ["next"] | ["forward"] => D::Forward(1),
        ["prior"] | ["backward"] => D::Backward(1),
        ["first"] => D::Absolute(1),
        ["last"] => D::Absolute(-1),
        ["all"] | ["forward", "all"] => D::Forward(u64::MAX),
        ["backward", "all"] => D::Backward(u64::MAX),
        ["absolute", rest @ ..] => D::Absolute(number(rest)?),
        ["relative", rest @ ..] => D::Relative(number(rest)?),
        ["forward", rest @ ..] => counted(number(rest)?),
        ["backward", rest @ ..] => back(counted(number(rest)?)),
        rest => counted(number(rest)?),
    })
}

fn close(piece: &Piece<'_>, tokens: &[Token<'_>]) -> Result<Statement> {
    let [cursor] = tokens else { return Err(syntax(piece.text)) };
    let all = cursor.kind == Kind::Word && word(cursor) == "all";
    let closed = if all { None } else { Some(name(cursor)?) };
    let (action, command) = (Action::CloseCursor(closed), "CLOSE CURSOR".to_owned());
    Ok(Statement { action, command, ..Statement::new(piece, String::new()) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(sql: &str) -> Result<Statement> {
        super::super::translate(sql, &Context::default()).map(|mut all| all.remove(0))
    }

    #[test]
    fn cursors_are_read() {
        let declared =
            one("DECLARE \"c 1\" NO SCROLL CURSOR WITH HOLD FOR SELECT \"a\" FROM t WHERE x = $1")
                .unwrap();
        let options = Declared { is_held: true, is_binary: false, is_scrollable: false };
        let action = Action::Declare { name: "c 1".into(), declared: options };
        assert_eq!(declared.action, action);
        assert_eq!(
            (declared.sql.as_str(), declared.parameters),
            ("SELECT `a` FROM t WHERE x = ?1", 1)
        );
        let locked = one("DECLARE c CURSOR FOR SELECT a FROM t FOR UPDATE OF t NOWAIT").unwrap();
        assert_eq!(locked.sql, "SELECT a FROM t");
        for (sql, direction) in [
            ("FETCH c", Direction::Forward(1)),
            ("FETCH FORWARD 100 FROM c", Direction::Forward(100)),
            ("fetch all in c", Direction::Forward(u64::MAX)),
            ("FETCH -2 FROM c", Direction::Backward(2)),
            ("FETCH BACKWARD 3 FROM c", Direction::Backward(3)),
            ("FETCH LAST FROM c", Direction::Absolute(-1)),
            ("FETCH ABSOLUTE -5 c", Direction::Absolute(-5)),
            ("FETCH RELATIVE 0 FROM C", Direction::Relative(0)),
        ] {
            let action = Action::Fetch { name: "c".into(), direction, is_move: false };
            assert_eq!(one(sql).unwrap().action, action, "{sql}");
        }
        assert_eq!(one("CLOSE ALL").unwrap().action, Action::CloseCursor(None));
        assert_eq!(one("CLOSE \"all\"").unwrap().action, Action::CloseCursor(Some("all".into())));
        for wrong in [
            "DECLARE c FOR SELECT 1",
            "DECLARE",
            "FETCH",
            "FETCH x y z",
            "CLOSE",
            "DECLARE c CURSOR FOR DELETE FROM t",
            "DECLARE c NO CURSOR FOR SELECT 1",
            "DECLARE c CURSOR BINARY FOR SELECT 1",
            "DECLARE c CURSOR WITH FOR SELECT 1",
        ] {
            assert_eq!(one(wrong).unwrap_err().code, "42601", "{wrong}");
        }
    }
    #[test]
    fn a_cursor_goes_backward_where_a_plan_of_postgres_does() {
        let is_scrollable = |sql: &str| match one(sql).unwrap().action {
            Action::Declare { declared, .. } => declared.is_scrollable,
            _ => unreachable!(),
        };
        for (query, goes_back) in [
            ("SELECT * FROM t WHERE a > 1", true),
            ("SELECT a FROM t ORDER BY a LIMIT 2", true),
            ("SELECT * FROM (SELECT * FROM t) s", true),
            ("VALUES (1), (2)", true),
            ("SELECT a FROM t UNION ALL SELECT a FROM t", true),
            ("SELECT count(*) FROM t ORDER BY 1", true),
            ("SELECT a, (SELECT max(b) FROM u) FROM t", true),
            ("SELECT 1", false),
            ("SELECT 1 ORDER BY 1", false),
            ("SELECT 1 UNION ALL SELECT 2", false),
            ("SELECT a FROM t UNION SELECT a FROM t", false),
            ("SELECT * FROM t JOIN u ON t.a = u.a", false),
            ("SELECT * FROM t, u", false),
            ("SELECT count(*) FROM t", false),
            ("SELECT a FROM t GROUP BY a", false),
            ("SELECT DISTINCT a FROM t", false),
            ("SELECT rank() OVER (ORDER BY a) FROM t", false),
            ("SELECT generate_series(1, 3) FROM t", false),
            ("SELECT * FROM t WHERE a IN (SELECT a FROM u)", false),
            ("SELECT * FROM t FOR UPDATE", false),
        ] {
            assert_eq!(
                is_scrollable(&format!("DECLARE c CURSOR FOR {query}")),
                goes_back,
                "{query}"
            );
        }
        assert!(is_scrollable("DECLARE c SCROLL CURSOR FOR SELECT 1"));
        assert!(!is_scrollable("DECLARE c NO SCROLL CURSOR FOR SELECT * FROM t"));
    }

    #[test]
    fn options_that_exclude_each_other_are_refused() {
        for (sql, code) in [
            ("DECLARE c SCROLL NO SCROLL CURSOR FOR SELECT 1", "42P11"),
            ("DECLARE c INSENSITIVE ASENSITIVE CURSOR FOR SELECT 1", "42P11"),
            ("DECLARE c SCROLL CURSOR FOR SELECT * FROM t FOR UPDATE", "0A000"),
            ("DECLARE c CURSOR WITH HOLD FOR SELECT * FROM t FOR SHARE", "0A000"),
            ("DECLARE c INSENSITIVE CURSOR FOR SELECT * FROM t FOR UPDATE", "42P11"),
        ] {
            assert_eq!(one(sql).unwrap_err().code, code, "{sql}");
        }
    }
}
