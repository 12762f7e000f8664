//! Extensions that are scripts in JavaScript.

use std::fs;

use sqlite_sandbox::Result;

use crate::support::builder;

/// A script in JavaScript has its own functions, tables and instance for SQL, by the shipped engine.
#[test]
fn a_script_is_loaded() -> Result<()> {
    let script = "let calls = 0;
        export default extension({
          name: 'mine', needs: ['sql'],
          functions: {
            shout: (text) => text.toUpperCase() + '!',
            calls: () => ++calls,
            total: () => sql`SELECT sum(n) AS total FROM numbers`[0].total,
            fails: () => null.x,
          },
          tables: { words: { columns: ['word'], parameters: ['text'], *rows(text) { yield* text.split(' ').map((word) => [word]); } } },
        });";
    let directory = tempfile::tempdir().unwrap();
    let wasm = runtime::contract::script::Script::javascript(script.as_bytes()).unwrap();
    fs::write(directory.path().join("mine.wasm"), wasm).unwrap();
    let scripts = || builder().extension_directory(directory.path());
    let database = scripts().extension_grant("mine=sql").build().unwrap();
    let db = database.open_in_memory()?;
    db.load_extension("mine")?;
    db.execute_batch("CREATE TABLE numbers(n); INSERT INTO numbers VALUES (1), (2), (39)")?;
    let text = |sql: &str| db.query_row(sql, (), |row| row.get::<_, String>(0));
    assert_eq!(text("SELECT shout('größe')")?, "GRÖSSE!");
    assert_eq!(text("SELECT group_concat(word, ',') FROM words('to be')")?, "to,be");
    assert_eq!(text("SELECT total() || ' ' || calls()")?, "42 1");
    let error = text("SELECT fails()").unwrap_err().to_string();
    assert!(error.contains("fails") && error.contains("TypeError"), "{error}");
    assert_eq!(text("SELECT calls() || ''")?, "2");
    // Another connection has another instance, and one without the grant has none.
    let other = database.open_in_memory()?;
    other.load_extension("mine")?;
    assert_eq!(other.query_row("SELECT calls()", (), |row| row.get::<_, i64>(0))?, 1);
    let ungranted = scripts().build().unwrap().open_in_memory()?;
    let error = ungranted.load_extension("mine").unwrap_err().to_string();
    assert!(error.contains("mine"), "{error}");
    Ok(())
}
