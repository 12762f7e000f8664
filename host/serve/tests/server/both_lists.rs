//! The rules of the policy, which looks at a client's statements, hold for SQL that an extension
//! runs, which only SQLite's authorizer sees: each PRAGMA, each reserved name, each other file.

use serde_json::{Value, json};

use crate::roles::{Tenants, tenants_with};
use crate::support::{error, execute, rows};

/// Requests that go into one session.
const BATCH: usize = 30;

/// What gives a table or a view the name NAME.
const NAMING: &[&str] = &[
    "CREATE TABLE NAME(x)",
    "CREATE TABLE IF NOT EXISTS main.\"NAME\"(x)",
    "CREATE TEMP TABLE NAME(x)",
    "CREATE TABLE NAME AS SELECT 1",
    "CREATE VIEW NAME AS SELECT 1",
    "CREATE TEMPORARY VIEW [NAME] AS SELECT 1",
    "CREATE VIRTUAL TABLE NAME USING fts5(x)",
    "ALTER TABLE t RENAME TO NAME",
    "ALTER TABLE main.t RENAME TO 'NAME'",
];

const OTHERS: &[&str] = &[
    "ATTACH 'a.db' AS x",
    "ATTACH DATABASE 'file:a.db?cache=shared' AS x",
    "ATTACH 'a' || '.db' AS x",
    "ATTACH ':memory:' AS x",
    "ATTACH '' AS x",
    "VACUUM",
    "VACUUM main",
    "VACUUM INTO 'copy.db'",
    "SELECT count(*) FROM sqlite_dbpage",
    "UPDATE sqlite_dbpage SET data = x'' WHERE 0",
    "INSERT INTO main.sqlite_dbpage(pgno, data) VALUES (9, x'')",
    "CREATE VIRTUAL TABLE p USING sqlite_dbpage",
    "SELECT load_extension('x')",
    "CREATE TABLE u(x)",
    "INSERT INTO t VALUES (1)",
    "DELETE FROM t",
    "DROP TABLE t",
    "REINDEX",
    "ANALYZE",
    "SELECT 1",
];

/// By the client itself, and by an extension.
fn both(sql: &str) -> [String; 2] {
    [sql.to_owned(), format!("SELECT eval('{}')", sql.replace('\'', "''"))]
}

/// Which statements are performed, each in a separate session or in a transaction that is rolled back.
fn performed(all: &Tenants, token: &str, statements: &[String], batch: usize) -> Vec<bool> {
    let within = |sql: &String| match batch {
        1 => vec![execute(sql)],
        _ => vec![execute("BEGIN"), execute(sql), execute("ROLLBACK")],
    };
    let mut done = Vec::new();
    for some in statements.chunks(batch) {
        let mut requests: Vec<Value> = some.iter().flat_map(within).collect();
        requests.push(json!({"type": "close"}));
        let body = json!({"requests": requests});
        let (status, reply) = all.server.post_as(token, "/a/v3/pipeline", &body);
        assert_eq!(status, 200, "{reply}");
        let results = reply["results"].as_array().unwrap();
        let (first, step) = if batch == 1 { (0, 1) } else { (1, 3) };
        let own = results.iter().skip(first).step_by(step).take(some.len());
        done.extend(own.map(|result| result["type"] == "ok"));
    }
    assert_eq!(done.len(), statements.len());
    done
}

/// No extension performs what its user may not; how many it performs.
fn compare(
    all: &Tenants,
    [client, extension]: [&str; 2],
    statements: &[String],
    batch: usize,
) -> usize {
    let [by_client, by_extension] = [(client, 0), (extension, 1)].map(|(token, by)| {
        let own: Vec<_> = statements.iter().map(|sql| both(sql)[by].clone()).collect();
        performed(all, token, &own, batch)
    });
    for ((sql, client), extension) in statements.iter().zip(&by_client).zip(&by_extension) {
        assert!(client >= extension, "{sql}: an extension does what its user may not");
    }
    by_extension.iter().filter(|is_performed| **is_performed).count()
}

fn column(all: &Tenants, sql: &str) -> Vec<String> {
    let body = json!({"requests": [execute(sql)]});
    let (_, reply) = all.server.post_as(&all.owner, "/a/v3/pipeline", &body);
    let rows = rows(&reply["results"][0]);
    rows.iter().map(|row| row[0].as_str().unwrap().to_owned()).collect()
}

fn tenants() -> Tenants {
    let mut options = vec!["--grant", "define=sql"];
    for name in ["ann", "define", "regexp", "series", "sha3query", "vec0"] {
        options.extend(["--load", name]);
    }
    let all = tenants_with(&options);
    assert_eq!(all.code(&all.owner, "a", "CREATE TABLE t(x)"), "ok");
    all
}

#[test]
fn no_pragma_is_open_to_extensions_alone() {
    let all = tenants();
    let names = column(&all, "SELECT name FROM pragma_pragma_list");
    assert!(names.len() > 60, "{names:?}");
    let forms = |name: &String| {
        ["", " = 1", "('delete')"].map(|value| format!("PRAGMA main.{name}{value}"))
    };
    let pragmas: Vec<_> = names.iter().flat_map(forms).collect();
    for role in [[&all.reader, &all.reader], [&all.writer, &all.writer], [&all.writer, &all.owner]]
    {
        let role = role.map(String::as_str);
        assert!(compare(&all, role, &pragmas, 1) > 20);
    }
}

#[test]
fn no_reserved_name_or_other_file_is_open_to_extensions_alone() {
    let all = tenants();
    let statements: Vec<_> = OTHERS.iter().map(|sql| (*sql).to_owned()).collect();
    for token in [&all.reader, &all.writer] {
        assert!(compare(&all, [token, token], &statements, 1) > 0);
    }
    assert_eq!(all.code(&all.owner, "a", "CREATE TABLE IF NOT EXISTS t(x)"), "ok");
    let modules = "SELECT name FROM pragma_module_list UNION SELECT 'pragma_' || name FROM pragma_pragma_list";
    let mut names = column(&all, modules);
    names.extend(
        ["pg_class", "PG_type", "information_schema_tables", "pg", "t2"].map(str::to_owned),
    );
    let naming: Vec<_> = names
        .iter()
        .flat_map(|name| NAMING.iter().map(move |form| form.replace("NAME", name)))
        .collect();
    assert!(compare(&all, [&all.writer, &all.writer], &naming, BATCH) > 0);
}

/// A table of that name would stand for it, and deceive the other clients of the file.
#[test]
fn what_from_takes_without_a_table_has_no_table_of_its_name() {
    let all = tenants();
    let modules = column(&all, "SELECT name FROM pragma_module_list");
    let (mut reserved, mut taken) = (0, Vec::new());
    for name in modules {
        let read = format!("SELECT * FROM \"{name}\" LIMIT 0");
        let body = json!({"requests": [execute(&read), {"type": "close"}]});
        let (_, reply) = all.server.post_as(&all.owner, "/a/v3/pipeline", &body);
        let result = &reply["results"][0];
        // Others have no arguments in FROM, and must be created first.
        let is_missing = |message: &str| {
            message.contains("no such table") || message.contains("invalid arguments")
        };
        if result["type"] != "ok" && is_missing(&error(result).1) {
            continue;
        }
        let code = all.code(&all.writer, "a", &format!("CREATE TABLE \"{name}\"(x)"));
        if code == "ok" {
            taken.push(name);
        }
        reserved += 1;
    }
    assert!(reserved > 5 && taken.is_empty(), "{taken:?} of {reserved}");
}
