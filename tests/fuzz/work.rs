//! Random operations of `sql-work`, most of them well formed, by an extension
//! with SQL: each is done or refused, and the database is whole.

use std::fmt::Write;

use arbtest::arbitrary::{Result, Unstructured};
use arbtest::arbtest;
use wire::Opcode;

use crate::support::guest::Loaded;
use crate::support::{self, End};

/// Statements that an extension may run.
const STATEMENTS: &[&str] = &[
    "SELECT 1",
    "SELECT ?1, ?2, :name",
    "SELECT * FROM plain",
    "INSERT INTO plain VALUES (?)",
    "INSERT INTO plain SELECT zeroblob(5000) RETURNING a",
    "DELETE FROM plain WHERE rowid % 2",
    "UPDATE plain SET a = a || ?1",
    "BEGIN",
    "COMMIT",
    "ROLLBACK",
    "SAVEPOINT s",
    "RELEASE s",
    "CREATE TEMP TABLE IF NOT EXISTS other(b)",
    "DROP TABLE IF EXISTS temp.other",
    "SELEC",
    "",
    "PRAGMA user_version",
    "EXPLAIN SELECT 1",
    "SELECT raise(FAIL, 'x')",
    "SELECT sql00_count()",
    "WITH RECURSIVE c(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM c LIMIT 500) SELECT i FROM c",
];

const NAMES: &[&str] = &["main", "temp", "plain", "other", "a", "b", "rowid", "", "x\0y"];

fn text(text: &str) -> Vec<u8> {
    [&(text.len() as u32).to_le_bytes(), text.as_bytes(), &[0]].concat()
}

/// A handle, a position or a count: small, or none that there is.
fn number(random: &mut Unstructured<'_>) -> Result<[u8; 4]> {
    let number = match random.int_in_range(0..=9)? {
        0 => u32::MAX,
        1 => random.arbitrary()?,
        _ => random.int_in_range(0..=4)?,
    };
    Ok(number.to_le_bytes())
}

fn value(random: &mut Unstructured<'_>) -> Result<Vec<u8>> {
    Ok(match random.int_in_range(0..=5)? {
        0 => vec![0],
        1 => [&[1][..], &random.arbitrary::<i64>()?.to_le_bytes()].concat(),
        2 => [&[2][..], &random.arbitrary::<f64>()?.to_le_bytes()].concat(),
        3 => [&[3][..], &text(random.choose(STATEMENTS)?)].concat(),
        4 => [&[4][..], &text(random.choose(NAMES)?)].concat(),
        _ => vec![random.arbitrary()?],
    })
}

fn operation(random: &mut Unstructured<'_>) -> Result<Vec<u8>> {
    let code = random.choose_index(Opcode::of_extensions().count())? as u8;
    let mut bytes = vec![code];
    match Opcode::of(code) {
        Some(Opcode::Bind) => {
            bytes.extend(number(random)?);
            bytes.extend(number(random)?);
            bytes.extend(value(random)?);
        }
        Some(Opcode::Prepare | Opcode::Execute) => bytes.extend(text(random.choose(STATEMENTS)?)),
        Some(Opcode::Step) => {
            bytes.extend(number(random)?);
            bytes.extend(number(random)?);
        }
        Some(Opcode::OpenBlobs) => {
            bytes.extend(1_u32.to_le_bytes());
            bytes.push(random.int_in_range(0..=1)?);
            bytes.extend(random.int_in_range(0..=3_i64)?.to_le_bytes());
            for _ in 0..3 {
                bytes.extend(text(random.choose(NAMES)?));
            }
        }
        Some(Opcode::Column) => {
            bytes.push(0);
            bytes.extend(text(random.choose(NAMES)?));
            bytes.extend([&[3][..], &text(random.choose(NAMES)?)].concat());
        }
        Some(Opcode::Database) => {
            bytes.extend([&[1][..], &random.arbitrary::<i64>()?.to_le_bytes()].concat())
        }
        Some(Opcode::SetLastInsertRowId) => bytes.extend(random.arbitrary::<i64>()?.to_le_bytes()),
        _ => {
            for _ in 0..random.int_in_range(0..=3)? {
                bytes.extend(number(random)?);
            }
        }
    }
    // Cut off now and then.
    if random.ratio(1, 20)? {
        bytes.truncate(random.int_in_range(0..=bytes.len())?);
    }
    Ok(bytes)
}

#[test]
fn random_operations_leave_the_database_whole() {
    const CALLS: usize = 150;
    let loaded = Loaded::guest("querying", "work").with(&["--grant", "querying=sql"]);
    arbtest(|random| {
        let mut script = "DROP TABLE IF EXISTS plain; CREATE TABLE plain(a);\n\
                          INSERT INTO plain VALUES (x'00'), (zeroblob(9000));\n"
            .to_owned();
        for _ in 0..CALLS {
            let function = random.choose(&["sql00_work", "sql00_work_later"])?;
            script += &format!("SELECT length({function}(x'");
            for _ in 0..random.int_in_range(1..=5)? {
                for byte in operation(random)? {
                    let _ = write!(script, "{byte:02x}");
                }
            }
            script += "')) AND 0;\n";
        }
        let close_all = Opcode::CloseAll as u8;
        let _ = writeln!(script, "SELECT sql00_work(x'{close_all:02x}') IS NULL;");
        script += "ROLLBACK;\nPRAGMA integrity_check;\n";
        let run = loaded.run(&script);
        assert!(matches!(run.end, End::Exited(0 | 1)), "{run}");
        assert!(run.out().ends_with("ok\n"), "{run}");
        assert!(!run.err().contains("trapped"), "{run}");
        Ok(())
    })
    .budget_ms(support::budget_ms());
}
