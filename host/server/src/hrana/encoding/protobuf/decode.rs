//! Requests.

use super::fields::{Content, Fields, Result};
use crate::hrana::message::{Message, OnStream, SocketRequest};
use crate::hrana::request::{
    Batch, Condition, Cursor, NamedArg, Pipeline, Request, Step, Stmt, Text, Value,
};

/// Conditions within conditions at most, as in JSON.
const MAX_DEPTH: usize = 100;

/// Look at each field of a message.
fn each<'a>(bytes: &'a [u8], mut field: impl FnMut(u64, Content<'a>) -> Result<()>) -> Result<()> {
    let mut fields = Fields(bytes);
    while let Some((number, content)) = fields.next()? {
        field(number, content)?;
    }
    Ok(())
}

/// The last known field of a message that has one of several.
fn one_of<'a, T>(
    bytes: &'a [u8],
    mut field: impl FnMut(u64, Content<'a>) -> Result<Option<T>>,
) -> Result<Option<T>> {
    let mut found = None;
    each(bytes, |number, content| {
        found = field(number, content)?.or(found.take());
        Ok(())
    })?;
    Ok(found)
}

fn missing(what: &str) -> String {
    format!("the message has no {what}")
}

/// The body of a pipeline.
pub fn pipeline(bytes: &[u8]) -> Result<Pipeline> {
    let mut pipeline = Pipeline { baton: None, requests: Vec::new() };
    each(bytes, |number, content| {
        match number {
            1 => pipeline.baton = Some(content.text()?),
            2 => pipeline.requests.push(request(content.bytes()?)?),
            _ => (),
        }
        Ok(())
    })?;
    Ok(pipeline)
}

/// The body of a cursor.
pub fn cursor(bytes: &[u8]) -> Result<Cursor> {
    let mut cursor = Cursor { baton: None, batch: Batch { steps: Vec::new() } };
    each(bytes, |number, content| {
        match number {
            1 => cursor.baton = Some(content.text()?),
            2 => cursor.batch = batch(content.bytes()?)?,
            _ => (),
        }
        Ok(())
    })?;
    Ok(cursor)
}

fn request(bytes: &[u8]) -> Result<Request> {
    let request = one_of(bytes, |number, content| {
        let inner = || content.bytes();
        Ok(Some(match number {
            1 => Request::Close {},
            2 => Request::Execute { stmt: Box::new(inner_stmt(inner()?, 1)?) },
            3 => Request::Batch { batch: inner_batch(inner()?, 1)? },
            4 => Request::Sequence(text(inner()?)?),
            5 => Request::Describe(text(inner()?)?),
            6 => {
                let stored = on_stream(inner()?)?;
                Request::StoreSql { sql_id: stored.stream_id, sql: stored.sql.unwrap_or_default() }
            }
            7 => Request::CloseSql { sql_id: on_stream(inner()?)?.stream_id },
            8 => Request::GetAutocommit {},
            _ => return Ok(None),
        }))
    })?;
    request.ok_or_else(|| missing("request"))
}

/// The statement in field `at` of a message.
fn inner_stmt(bytes: &[u8], at: u64) -> Result<Stmt> {
    let found = one_of(bytes, |number, content| match number == at {
        true => stmt(content.bytes()?).map(Some),
        false => Ok(None),
    })?;
    found.ok_or_else(|| missing("statement"))
}

/// The batch in field `at` of a message.
fn inner_batch(bytes: &[u8], at: u64) -> Result<Batch> {
    let found = one_of(bytes, |number, content| match number == at {
        true => batch(content.bytes()?).map(Some),
        false => Ok(None),
    })?;
    found.ok_or_else(|| missing("batch"))
}

fn text(bytes: &[u8]) -> Result<Text> {
    let mut text = Text::default();
    each(bytes, |number, content| {
        match number {
            1 => text.sql = Some(content.text()?),
            2 => text.sql_id = Some(content.int32()?),
            _ => (),
        }
        Ok(())
    })?;
    Ok(text)
}

/// A number in field 1, then a text, then a number.
fn on_stream(bytes: &[u8]) -> Result<OnStream> {
    let mut on = OnStream::default();
    each(bytes, |number, content| {
        match (number, content) {
            (1, _) => on.stream_id = content.int32()?,
            (2, Content::Bytes(_)) => on.sql = Some(content.text()?),
            (3, Content::Number(_)) => on.sql_id = Some(content.int32()?),
            _ => (),
        }
        Ok(())
    })?;
    Ok(on)
}

fn stmt(bytes: &[u8]) -> Result<Stmt> {
    let mut stmt = Stmt::default();
    each(bytes, |number, content| {
        match number {
            1 => stmt.sql = Some(content.text()?),
            2 => stmt.sql_id = Some(content.int32()?),
            3 => stmt.args.push(value(content.bytes()?)?),
            4 => stmt.named_args.push(named_arg(content.bytes()?)?),
            5 => stmt.want_rows = Some(content.number()? != 0),
            _ => (),
        }
        Ok(())
    })?;
    Ok(stmt)
}

fn named_arg(bytes: &[u8]) -> Result<NamedArg> {
    let mut arg = NamedArg { name: String::new(), value: Value::Null {} };
    each(bytes, |number, content| {
        match number {
            1 => arg.name = content.text()?,
            2 => arg.value = value(content.bytes()?)?,
            _ => (),
        }
        Ok(())
    })?;
    Ok(arg)
}

fn value(bytes: &[u8]) -> Result<Value> {
    let value = one_of(bytes, |number, content| {
        Ok(Some(match number {
            1 => Value::Null {},
            2 => Value::Integer { value: content.sint64()? },
            3 => Value::Float { value: content.double()? },
            4 => Value::Text { value: content.text()? },
            5 => Value::Blob { value: content.bytes()?.to_vec() },
            _ => return Ok(None),
        }))
    })?;
    value.ok_or_else(|| missing("value"))
}

fn batch(bytes: &[u8]) -> Result<Batch> {
    let mut batch = Batch { steps: Vec::new() };
    each(bytes, |number, content| {
        if number == 1 {
            batch.steps.push(step(content.bytes()?)?);
        }
        Ok(())
    })?;
    Ok(batch)
}

fn step(bytes: &[u8]) -> Result<Step> {
    let stmt = inner_stmt(bytes, 2)?;
    let condition = one_of(bytes, |number, content| match number {
        1 => condition(content.bytes()?, 0).map(Some),
        _ => Ok(None),
    })?;
    Ok(Step { condition, stmt })
}

fn condition(bytes: &[u8], depth: usize) -> Result<Condition> {
    if depth > MAX_DEPTH {
        return Err("the conditions are nested too deeply".to_owned());
    }
    let found = one_of(bytes, |number, content| {
        Ok(Some(match number {
            1 => Condition::Ok { step: content.uint32()? },
            2 => Condition::Error { step: content.uint32()? },
            3 => Condition::Not { cond: Box::new(condition(content.bytes()?, depth + 1)?) },
            4 => Condition::And { conds: conditions(content.bytes()?, depth + 1)? },
            5 => Condition::Or { conds: conditions(content.bytes()?, depth + 1)? },
            6 => Condition::IsAutocommit {},
            _ => return Ok(None),
        }))
    })?;
    found.ok_or_else(|| missing("condition"))
}

fn conditions(bytes: &[u8], depth: usize) -> Result<Vec<Condition>> {
    let mut all = Vec::new();
    each(bytes, |number, content| {
        if number == 1 {
            all.push(condition(content.bytes()?, depth)?);
        }
        Ok(())
    })?;
    Ok(all)
}

/// A message of a WebSocket.
pub fn message(bytes: &[u8]) -> Result<Message> {
    let found = one_of(bytes, |number, content| match number {
        1 => {
            let jwt = one_of(content.bytes()?, |number, content| match number {
                1 => content.text().map(Some),
                _ => Ok(None),
            })?;
            Ok(Some(Message::Hello { jwt }))
        }
        2 => numbered(content.bytes()?).map(Some),
        _ => Ok(None),
    })?;
    found.ok_or_else(|| missing("content"))
}

fn numbered(bytes: &[u8]) -> Result<Message> {
    let mut request_id = 0;
    let request = one_of(bytes, |number, content| match number {
        1 => {
            request_id = content.int32()?;
            Ok(None)
        }
        _ => socket_request(number, content),
    })?;
    let request = request.ok_or_else(|| missing("request"))?;
    Ok(Message::Request { request_id, request })
}

fn socket_request(number: u64, content: Content) -> Result<Option<SocketRequest>> {
    if !(2..=13).contains(&number) {
        return Ok(None);
    }
    let bytes = content.bytes()?;
    let ids = numbers(bytes)?;
    let [first, second] = ids;
    Ok(Some(match number {
        2 => SocketRequest::OpenStream { stream_id: first },
        3 => SocketRequest::CloseStream { stream_id: first },
        4 => SocketRequest::Execute { stream_id: first, stmt: Box::new(inner_stmt(bytes, 2)?) },
        5 => SocketRequest::Batch { stream_id: first, batch: inner_batch(bytes, 2)? },
        6 => {
            let batch = inner_batch(bytes, 3)?;
            SocketRequest::OpenCursor { stream_id: first, cursor_id: second, batch }
        }
        7 => SocketRequest::CloseCursor { cursor_id: first },
        8 => SocketRequest::FetchCursor { cursor_id: first, max_count: second as u32 },
        9 => SocketRequest::Sequence(on_stream(bytes)?),
        10 => SocketRequest::Describe(on_stream(bytes)?),
        11 => {
            let stored = on_stream(bytes)?;
            SocketRequest::StoreSql { sql_id: first, sql: stored.sql.unwrap_or_default() }
        }
        12 => SocketRequest::CloseSql { sql_id: first },
        _ => SocketRequest::GetAutocommit { stream_id: first },
    }))
}

/// The numbers in fields 1 and 2.
fn numbers(bytes: &[u8]) -> Result<[i32; 2]> {
    let mut numbers = [0; 2];
    each(bytes, |number, content| {
        if let (1 | 2, Content::Number(_)) = (number, content) {
            numbers[number as usize - 1] = content.int32()?;
        }
        Ok(())
    })?;
    Ok(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pipeline_is_read() {
        // baton "b"; execute "S" with the arguments 1.0 and null; close.
        let bytes = [
            0x0a, 1, b'b', 0x12, 22, 0x12, 20, 0x0a, 18, 0x0a, 1, b'S', 0x1a, 9, 0x19, 0, 0, 0, 0,
            0, 0, 0xf0, 0x3f, 0x1a, 2, 0x0a, 0, 0x12, 2, 0x0a, 0,
        ];
        let read = pipeline(&bytes).unwrap();
        assert_eq!(read.baton.as_deref(), Some("b"));
        let Request::Execute { stmt } = &read.requests[0] else { panic!("{read:?}") };
        assert_eq!(stmt.sql.as_deref(), Some("S"));
        assert_eq!(stmt.args, [Value::Float { value: 1.0 }, Value::Null {}]);
        assert!(matches!(read.requests[1], Request::Close {}));
        for end in 1..bytes.len() {
            // Cut anywhere it is refused, or a shorter message; never more.
            assert!(
                pipeline(&bytes[..end]).is_ok_and(|read| read.requests.len() < 2)
                    || pipeline(&bytes[..end]).is_err()
            );
        }
    }

    #[test]
    fn nesting_is_bounded() {
        let mut bytes = vec![0x32, 0];
        for _ in 0..300 {
            let length = bytes.len();
            let mut outer = vec![0x1a];
            if length >= 0x80 {
                outer.push((length & 0x7f | 0x80) as u8);
                outer.push((length >> 7) as u8);
            } else {
                outer.push(length as u8);
            }
            outer.extend(bytes);
            bytes = outer;
        }
        assert!(condition(&bytes, 0).unwrap_err().contains("nested"));
    }

    #[test]
    fn random_bytes_do_no_harm() {
        let mut state = 1_u64;
        for _ in 0..20_000 {
            let mut bytes = [0; 24];
            for byte in &mut bytes {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                *byte = (state >> 33) as u8 & if state & 8 == 0 { 0x1f } else { 0xff };
            }
            let _ = (pipeline(&bytes), cursor(&bytes), message(&bytes));
        }
    }
}
