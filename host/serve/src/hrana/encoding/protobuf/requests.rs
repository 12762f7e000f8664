//! What clients send over HTTP, in Protocol Buffers. A message may lack what it must have; then it is
//! refused here.

use prost::{Message, Oneof};

use super::ValueMessage;
use crate::hrana::request::{self, Request, Text, Value};
use crate::hrana::response::Empty;

/// A result, or what a message lacks.
pub type Result<T> = std::result::Result<T, &'static str>;

fn all<T: TryFrom<U, Error = &'static str>, U>(messages: Vec<U>) -> Result<Vec<T>> {
    messages.into_iter().map(TryInto::try_into).collect()
}

/// The body of a pipeline.
#[derive(Message)]
pub struct Pipeline {
    #[prost(string, optional, tag = "1")]
    baton: Option<String>,
    #[prost(message, repeated, tag = "2")]
    requests: Vec<StreamRequest>,
}

impl TryFrom<Pipeline> for request::Pipeline {
    type Error = &'static str;

    fn try_from(Pipeline { baton, requests }: Pipeline) -> Result<Self> {
        Ok(Self { baton, requests: all(requests)? })
    }
}

/// The body of a cursor.
#[derive(Message)]
pub struct Cursor {
    #[prost(string, optional, tag = "1")]
    baton: Option<String>,
    #[prost(message, required, tag = "2")]
    batch: Batch,
}

impl TryFrom<Cursor> for request::Cursor {
    type Error = &'static str;

    fn try_from(Cursor { baton, batch }: Cursor) -> Result<Self> {
        Ok(Self { baton, batch: batch.try_into()? })
    }
}

#[derive(Message)]
struct StreamRequest {
    #[prost(oneof = "StreamWork", tags = "1, 2, 3, 4, 5, 6, 7, 8")]
    work: Option<StreamWork>,
}

#[derive(Oneof)]
enum StreamWork {
    #[prost(message, tag = "1")]
    Close(Empty),
    #[prost(message, tag = "2")]
    Execute(Execute),
    #[prost(message, tag = "3")]
    Batch(RunBatch),
    #[prost(message, tag = "4")]
    Sequence(Text),
    #[prost(message, tag = "5")]
    Describe(Text),
    #[prost(message, tag = "6")]
    StoreSql(StoreSql),
    #[prost(message, tag = "7")]
    CloseSql(Id),
    #[prost(message, tag = "8")]
    GetAutocommit(Empty),
}

#[derive(Message)]
struct Execute {
    #[prost(message, optional, boxed, tag = "1")]
    stmt: Option<Box<Stmt>>,
}

#[derive(Message)]
struct RunBatch {
    #[prost(message, optional, tag = "1")]
    batch: Option<Batch>,
}

#[derive(Message)]
pub struct StoreSql {
    #[prost(int32, tag = "1")]
    pub sql_id: i32,
    #[prost(string, tag = "2")]
    pub sql: String,
}

/// The id of a stream, a cursor or an SQL text.
#[derive(Message)]
pub struct Id {
    #[prost(int32, tag = "1")]
    pub id: i32,
}

impl TryFrom<StreamRequest> for Request {
    type Error = &'static str;

    fn try_from(StreamRequest { work }: StreamRequest) -> Result<Self> {
        Ok(match work.ok_or("the message has no request")? {
            StreamWork::Close(_) => Self::Close {},
            StreamWork::Execute(Execute { stmt }) => Self::Execute { stmt: statement(stmt)? },
            StreamWork::Batch(RunBatch { batch }) => Self::Batch { batch: self::batch(batch)? },
            StreamWork::Sequence(text) => Self::Sequence(text),
            StreamWork::Describe(text) => Self::Describe(text),
            StreamWork::StoreSql(StoreSql { sql_id, sql }) => Self::StoreSql { sql_id, sql },
            StreamWork::CloseSql(Id { id }) => Self::CloseSql { sql_id: id },
            StreamWork::GetAutocommit(_) => Self::GetAutocommit {},
        })
    }
}

#[derive(Message)]
pub struct Stmt {
    #[prost(string, optional, tag = "1")]
    sql: Option<String>,
    #[prost(int32, optional, tag = "2")]
    sql_id: Option<i32>,
    #[prost(message, repeated, tag = "3")]
    args: Vec<ValueMessage>,
    #[prost(message, repeated, tag = "4")]
    named_args: Vec<NamedArg>,
    #[prost(bool, optional, tag = "5")]
    want_rows: Option<bool>,
}

pub fn statement(stmt: Option<Box<Stmt>>) -> Result<Box<request::Stmt>> {
    let stmt = stmt.ok_or("the message has no statement")?;
    let Stmt { sql, sql_id, args, named_args, want_rows } = *stmt;
    let (args, named_args) = (all(args)?, all(named_args)?);
    Ok(Box::new(request::Stmt { sql, sql_id, args, named_args, want_rows }))
}

impl TryFrom<ValueMessage> for Value {
    type Error = &'static str;

    fn try_from(ValueMessage { value }: ValueMessage) -> Result<Self> {
        value.ok_or("the message has no value")
    }
}

#[derive(Message)]
struct NamedArg {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(message, optional, tag = "2")]
    value: Option<ValueMessage>,
}

impl TryFrom<NamedArg> for request::NamedArg {
    type Error = &'static str;

    fn try_from(NamedArg { name, value }: NamedArg) -> Result<Self> {
        let value = value.map_or(Ok(Value::Null(Empty {})), TryInto::try_into)?;
        Ok(Self { name, value })
    }
}

#[derive(Message)]
pub struct Batch {
    #[prost(message, repeated, tag = "1")]
    steps: Vec<Step>,
}

impl TryFrom<Batch> for request::Batch {
    type Error = &'static str;

    fn try_from(Batch { steps }: Batch) -> Result<Self> {
        Ok(Self { steps: all(steps)? })
    }
}

pub fn batch(batch: Option<Batch>) -> Result<request::Batch> {
    batch.ok_or("the message has no batch")?.try_into()
}

/// Its parts are apart, since an empty step of two bytes must not become a hundred times as many.
#[derive(Message)]
struct Step {
    #[prost(message, optional, boxed, tag = "1")]
    condition: Option<Box<Condition>>,
    #[prost(message, optional, boxed, tag = "2")]
    stmt: Option<Box<Stmt>>,
}

impl TryFrom<Step> for request::Step {
    type Error = &'static str;

    fn try_from(Step { condition, stmt }: Step) -> Result<Self> {
        let stmt = *statement(stmt)?;
        let condition = condition.map(|condition| (*condition).try_into()).transpose()?;
        Ok(Self { condition, stmt })
    }
}

#[derive(Message)]
struct Condition {
    #[prost(oneof = "Kind", tags = "1, 2, 3, 4, 5, 6")]
    kind: Option<Kind>,
}

#[derive(Oneof)]
enum Kind {
    #[prost(uint32, tag = "1")]
    Ok(u32),
    #[prost(uint32, tag = "2")]
    Error(u32),
    #[prost(message, boxed, tag = "3")]
    Not(Box<Condition>),
    #[prost(message, tag = "4")]
    And(Conditions),
    #[prost(message, tag = "5")]
    Or(Conditions),
    #[prost(message, tag = "6")]
    IsAutocommit(Empty),
}

#[derive(Message)]
struct Conditions {
    #[prost(message, repeated, tag = "1")]
    conds: Vec<Condition>,
}

impl TryFrom<Condition> for request::Condition {
    type Error = &'static str;

    /// `prost` has limited how deep they are.
    fn try_from(Condition { kind }: Condition) -> Result<Self> {
        Ok(match kind.ok_or("the message has no condition")? {
            Kind::Ok(step) => Self::Ok { step },
            Kind::Error(step) => Self::Error { step },
            Kind::Not(cond) => Self::Not { cond: Box::new((*cond).try_into()?) },
            Kind::And(Conditions { conds }) => Self::And { conds: all(conds)? },
            Kind::Or(Conditions { conds }) => Self::Or { conds: all(conds)? },
            Kind::IsAutocommit(_) => Self::IsAutocommit {},
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{cursor, message, pipeline};
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
        assert_eq!(stmt.args, [Value::Float(1.0), Value::Null(Empty {})]);
        assert!(matches!(read.requests[1], Request::Close {}));
        for end in 1..bytes.len() {
            // Cut anywhere it is refused, or a shorter message; never more.
            assert!(pipeline(&bytes[..end]).map_or(true, |read| read.requests.len() < 2));
        }
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
