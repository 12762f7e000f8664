//! Values whose size others choose: if memory for one is not available, that is an error, and the
//! connection goes on.

use crate::attacks::Random;
use crate::support::builder;
use sqlite_sandbox::functions::{Context, FunctionFlags};
use sqlite_sandbox::types::ValueRef;
use sqlite_sandbox::{Connection, Error, ErrorCode, Limit, Result};

/// Memory of the connections, in bytes.
const MEMORY: usize = 32 << 20;

/// Sizes around all that the memory has room for, also for several copies.
const MOST: usize = MEMORY + (8 << 20);

/// Ways in which a value of a size comes in or goes out.
const WAYS: [fn(&Connection, usize) -> Result<usize>; 9] = [
    |db, size| {
        db.query_row("SELECT length(?)", [vec![1u8; size]], |row| row.get::<_, i64>(0))
            .map(|n| n as usize)
    },
    |db, size| {
        db.execute("INSERT INTO t VALUES (?)", [vec![1u8; size]])
            .and_then(|_| db.execute("DELETE FROM t", ()))
            .map(|_| size)
    },
    |db, size| {
        db.query_row("SELECT zeroblob(?)", [size as i64], |row| row.get::<_, Vec<u8>>(0))
            .map(|blob| blob.len())
    },
    |db, size| {
        db.query_row("SELECT printf('%.*c', ?, 'x')", [size as i64], |row| row.get::<_, String>(0))
            .map(|text| text.len())
    },
    |db, size| {
        db.query_row("SELECT length(given(?))", [size as i64], |row| row.get::<_, i64>(0))
            .map(|n| n as usize)
    },
    |db, size| {
        db.query_row("SELECT taken(zeroblob(?))", [size as i64], |row| row.get::<_, i64>(0))
            .map(|n| n as usize)
    },
    |db, size| {
        let sql = format!("SELECT length('{}')", "x".repeat(size));
        db.query_row(&sql, (), |row| row.get::<_, i64>(0)).map(|n| n as usize)
    },
    |db, size| {
        let sql = format!("SELECT 1 AS \"{}\"", "x".repeat(size));
        db.prepare(&sql)
            .map(|statement| statement.column_names().iter().map(|name| name.len()).sum())
    },
    |db, size| {
        db.query_row("SELECT zeroblob(?), zeroblob(?), zeroblob(?)", [size as i64 / 3; 3], |row| {
            let length = |at| row.get_ref(at).map(|value| value.as_blob().map_or(0, <[u8]>::len));
            Ok(length(0)? + length(1)? + length(2)? + size % 3)
        })
    },
];

fn limited() -> Result<Connection> {
    let db = builder().memory(MEMORY).build()?.open_in_memory()?;
    db.execute_batch("CREATE TABLE t(x)")?;
    let flags = FunctionFlags::SQLITE_UTF8;
    db.create_scalar_function("given", 1, flags, |context: &Context<'_>| {
        Ok(vec![7u8; context.get::<i64>(0)? as usize])
    })?;
    db.create_scalar_function("taken", 1, flags, |context: &Context<'_>| {
        Ok(match context.get_raw(0) {
            ValueRef::Blob(bytes) => bytes.len() as i64,
            _ => -1,
        })
    })?;
    Ok(db)
}

#[test]
fn what_does_not_fit_is_an_error_and_the_connection_goes_on() -> Result<()> {
    let db = limited()?;
    let mut random = Random(0x5eed);
    let (mut done, mut refused) = (0, 0);
    for round in 0..25 {
        for (way, run) in WAYS.iter().enumerate() {
            // Also some that fit.
            let size = random.below(if round % 3 == 0 { 1 << 20 } else { MOST });
            match run(&db, size) {
                Ok(found) => {
                    assert_eq!(found, size, "{way}");
                    done += 1;
                }
                Err(Error::LimitReached(Limit::Memory(_))) => refused += 1,
                Err(error) => {
                    let code = error.sqlite_error_code();
                    let is_size = matches!(code, Some(ErrorCode::OutOfMemory | ErrorCode::TooBig));
                    assert!(is_size, "way {way}, {size} bytes: {error:?}");
                    refused += 1;
                }
            }
            assert_eq!(
                db.query_row("SELECT count(*) FROM t", (), |row| row.get::<_, i64>(0))?,
                0,
                "{way}"
            );
        }
    }
    assert!(done >= WAYS.len() * 8 && refused >= WAYS.len() * 4, "{done} {refused}");
    Ok(())
}
