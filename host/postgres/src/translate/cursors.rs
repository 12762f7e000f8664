//! DECLARE, FETCH, MOVE and CLOSE, which are read by their words.

use sql_tokens::{Kind, Token};

use super::{Action, Context, Statement};
use crate::error::{Error, Result, sqlstate};
use crate::lex::{self, Piece};

/// Where FETCH and MOVE go to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// This number of rows.
    Forward(u64),
    /// This number of rows, in reverse order.
    Backward(u64),
    /// To a row, from 1; from the end where it is negative.
    Absolute(i64),
    /// To a row, from here.
    Relative(i64),
}

/// Words before the query of DECLARE, or of a whole FETCH, at most.
const MAX_WORDS: usize = 16;

/// A statement about a cursor.
pub fn statement(piece: &Piece<'_>, context: &Context) -> Result<Option<Statement>> {
    let tokens = lex::tokens(piece.text).filter(|token| token.kind != Kind::Space);
    let tokens: Vec<_> = tokens.take(MAX_WORDS).collect();
    let Some(first) = tokens.first() else { return Ok(None) };
    match first.text.to_ascii_lowercase().as_str() {
        "declare" => declare(piece, &tokens[1..], context).map(Some),
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

fn declare(piece: &Piece<'_>, tokens: &[Token<'_>], context: &Context) -> Result<Statement> {
    let (cursor, rest) = tokens.split_first().ok_or_else(|| syntax("DECLARE"))?;
    let begin = rest.iter().find(|token| word(token) == "for").ok_or_else(|| syntax("DECLARE"))?;
    let words: Vec<_> = rest.iter().map(word).take_while(|word| word != "for").collect();
    if !words.iter().any(|word| word == "cursor") {
        return Err(syntax(cursor.text));
    }
    let is_forward = words.windows(2).any(|pair| pair == ["no", "scroll"]);
    let is_held = words.windows(2).any(|pair| pair == ["with", "hold"]);
    let start = begin.start + begin.text.len();
    let inner = lex::split(&piece.text[start..])?.pop().ok_or_else(|| syntax("FOR"))?;
    let query = super::as_written(&inner, context)?;
    if query.command != "SELECT" || query.action != Action::Run {
        return Err(syntax(inner.text));
    }
    let sql = lex::without_double_quotes(&query.sql);
    let action = Action::Declare { name: name(cursor)?, is_held, is_forward };
    Ok(Statement { sql, action, start: piece.start, command: "DECLARE".to_owned(), ..query })
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
        let action = Action::Declare { name: "c 1".into(), is_held: true, is_forward: true };
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
        ] {
            assert_eq!(one(wrong).unwrap_err().code, "42601", "{wrong}");
        }
    }
}
