use super::*;

const TABLE: &str = "CREATE TABLE \"t\"(\n  id INTEGER /* BIGINT */ PRIMARY KEY AUTOINCREMENT, -- the, key\n  \
    [b c] varchar(5) CONSTRAINT nn NOT NULL ON CONFLICT ABORT DEFAULT ('a,b)' || ')') COLLATE nocase,\n  \
    d, e \"integer[]\" TEXT DEFAULT -5 REFERENCES o(x) ON DELETE SET NULL ON UPDATE SET DEFAULT NOT DEFERRABLE INITIALLY IMMEDIATE UNIQUE,\n  \
    f INT GENERATED ALWAYS AS (d + 1) STORED CHECK (f <> 3), g AS (d),\n  \
    CONSTRAINT k UNIQUE (d, \"b c\" COLLATE nocase DESC) CONSTRAINT only /* x, y */ CHECK (d > 0)\n  , /* , */ \
    FOREIGN KEY (d, e) REFERENCES \"o\" (x, y) DEFERRABLE INITIALLY DEFERRED\n) STRICT";

fn read(sql: &str) -> TableText<'_> {
    TableText::read(sql).unwrap()
}

#[test]
fn columns_and_constraints_are_found() {
    let text = read(TABLE);
    let names: Vec<_> = text.columns.iter().map(|column| column.name.as_str()).collect();
    assert_eq!(names, ["id", "b c", "d", "e", "f", "g"]);
    let types: Vec<_> =
        text.columns.iter().map(|column| &TABLE[column.data_type.clone()]).collect();
    assert_eq!(types, ["INTEGER /* BIGINT */", "varchar(5)", "", "\"integer[]\" TEXT", "INT", ""]);
    use ClauseKind as K;
    let found: Vec<_> = text
        .all()
        .map(|(column, clause)| {
            (column.unwrap_or("-"), clause.kind, clause.name.as_ref().map_or("", |one| &one.0))
        })
        .collect();
    let expected = [
        ("id", K::PrimaryKey, ""),
        ("b c", K::NotNull, "nn"),
        ("b c", K::Default, ""),
        ("b c", K::Other, ""),
        ("e", K::Default, ""),
        ("e", K::ForeignKey, ""),
        ("e", K::Unique, ""),
        ("f", K::Other, ""),
        ("f", K::Check, ""),
        ("g", K::Other, ""),
        ("-", K::Unique, "k"),
        ("-", K::Check, "only"),
        ("-", K::ForeignKey, ""),
    ];
    assert_eq!(found, expected);
    assert_eq!(text.constraints[0].columns, ["d", "b c"]);
    assert_eq!(text.constraints[2].table.as_deref(), Some("o"));
    assert_eq!(text.written(&text.constraints[1]), "CHECK (d > 0)");
    let is_checked = |column| text.names_in(ClauseKind::Check, column);
    assert!(is_checked("D") && is_checked("f") && !is_checked("b c"));
}

#[test]
fn only_what_changes_is_replaced() {
    let sql = "CREATE TABLE t(a INT DEFAULT 1, -- one, two\n b, CONSTRAINT c CHECK (a > 0) UNIQUE (b), CHECK (b))";
    let text = read(sql);
    let [check, unique, last] = &text.constraints[..] else { panic!() };
    let (a, b) = (text.column("A").unwrap(), text.column("b").unwrap());
    for (changed, expected) in [
        (
            text.without(check),
            "CREATE TABLE t(a INT DEFAULT 1, -- one, two\n b,  UNIQUE (b), CHECK (b))",
        ),
        (
            text.without(unique),
            "CREATE TABLE t(a INT DEFAULT 1, -- one, two\n b, CONSTRAINT c CHECK (a > 0) , CHECK (b))",
        ),
        (
            text.without(last),
            "CREATE TABLE t(a INT DEFAULT 1, -- one, two\n b, CONSTRAINT c CHECK (a > 0) UNIQUE (b) )",
        ),
        (
            text.with_default(a, None),
            "CREATE TABLE t(a INT , -- one, two\n b, CONSTRAINT c CHECK (a > 0) UNIQUE (b), CHECK (b))",
        ),
        (
            text.with_default(b, Some("('x')")),
            "CREATE TABLE t(a INT DEFAULT 1, -- one, two\n b DEFAULT ('x'), CONSTRAINT c CHECK (a > 0) UNIQUE (b), CHECK (b))",
        ),
        (
            text.with_type(b, "TEXT"),
            "CREATE TABLE t(a INT DEFAULT 1, -- one, two\n b TEXT, CONSTRAINT c CHECK (a > 0) UNIQUE (b), CHECK (b))",
        ),
        (
            text.renamed(check, "d\"e"),
            "CREATE TABLE t(a INT DEFAULT 1, -- one, two\n b, CONSTRAINT \"d\"\"e\" CHECK (a > 0) UNIQUE (b), CHECK (b))",
        ),
        (
            text.renamed(last, "n"),
            "CREATE TABLE t(a INT DEFAULT 1, -- one, two\n b, CONSTRAINT c CHECK (a > 0) UNIQUE (b), CONSTRAINT \"n\" CHECK (b))",
        ),
        (
            text.with_constraint("CHECK (1)"),
            "CREATE TABLE t(a INT DEFAULT 1, -- one, two\n b, CONSTRAINT c CHECK (a > 0) UNIQUE (b), CHECK (b)\n, CHECK (1))",
        ),
    ] {
        assert_eq!(changed, expected);
        read(&changed);
    }
    let commented = "CREATE TABLE t(a -- last\n)";
    assert_eq!(
        read(commented).with_constraint("UNIQUE (a)"),
        "CREATE TABLE t(a -- last\n\n, UNIQUE (a))"
    );
    let one = "CREATE TABLE t(a INT CONSTRAINT n REFERENCES b NOT NULL)";
    let text = read(one);
    assert_eq!(text.without(&text.columns[0].clauses[0]), "CREATE TABLE t(a INT  NOT NULL)");
}

#[test]
fn what_is_not_understood_is_not_changed() {
    for sql in [
        "CREATE VIRTUAL TABLE t USING fts5(a)",
        "CREATE TABLE t(a INT CHECK)",
        "CREATE TABLE t(a INT, CHECK (a), b)",
        "CREATE TABLE t(a INT DEFAULT ()",
        "CREATE TABLE t(a INT REFERENCES o ON)",
        "CREATE TABLE t(a INT 'x",
        "CREATE TABLE t",
        "CREATE TABLE t()",
        "",
    ] {
        assert_eq!(TableText::read(sql).unwrap_err().code, "0A000", "{sql}");
    }
}

#[test]
fn any_text_is_read() {
    arbtest::arbtest(|u| {
        let parts = [
            "a",
            "INT",
            "CONSTRAINT",
            "\"n\"",
            "CHECK",
            "(",
            ")",
            ",",
            "UNIQUE",
            "PRIMARY",
            "KEY",
            "NOT",
            "NULL",
            "DEFAULT",
            "-",
            "1",
            "REFERENCES",
            "ON",
            "SET",
            "/* , */",
            "-- x\n",
            "FOREIGN",
            "'",
            "é",
        ];
        let mut sql = "CREATE TABLE t(".to_owned();
        while let Ok(true) = u.arbitrary::<bool>() {
            sql.push_str(u.choose(&parts)?);
            sql.push(' ');
        }
        sql.push(')');
        let Ok(text) = TableText::read(&sql) else { return Ok(()) };
        for (_, clause) in text.all() {
            text.without(clause);
            text.renamed(clause, "x");
        }
        for column in &text.columns {
            text.with_default(column, Some("1"));
            text.with_type(column, "INT");
        }
        Ok(())
    });
}

#[test]
fn comments_are_behind_types_and_stay_there() {
    let sql = "CREATE TABLE t (a INTEGER /* BIGINT */ PRIMARY KEY, b, c TEXT)";
    let set = |sql: &str, column: Option<&str>, comment| {
        let text = TableText::read(sql).unwrap();
        let column = column.map(|name| text.column(name).unwrap());
        text.with_comment(column, comment)
    };
    let mut all = sql.to_owned();
    for column in [Some("a"), Some("b"), Some("c"), None] {
        all = set(&all, column, Some("one */ "));
        all = set(&all, column, Some("two"));
    }
    assert_eq!(
        all,
        "CREATE TABLE t (/* COMMENT: two */ a INTEGER /* BIGINT */ /* COMMENT: two */ PRIMARY KEY, \
         b /* COMMENT: two */, c TEXT /* COMMENT: two */)"
    );
    let text = TableText::read(&all).unwrap();
    let typed = text.with_type(text.column("c").unwrap(), "INT");
    assert!(typed.ends_with("c INT /* COMMENT: two */)"), "{typed}");
    let mut none = all;
    for column in [None, Some("c"), Some("b"), Some("a")] {
        none = set(&none, column, None);
    }
    assert_eq!(none, sql);
}
