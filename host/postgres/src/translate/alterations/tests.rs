use super::super::Action;
use super::super::tests::{all, error, one};
use super::*;
use crate::types::infer::Column;

struct Tables;

impl Schema for Tables {
    fn columns(&self, table: &str) -> Option<Vec<Column>> {
        let column = |(name, declared): (&str, &str)| Column {
            name: name.into(),
            declared: declared.into(),
            is_key: name == "id",
            default: None,
            is_generated: false,
            is_identity: false,
            computed: None,
        };
        let columns =
            [("id", "INTEGER"), ("n", "varchar(5)"), ("b", "boolean"), ("D d", "TIMESTAMPTZ")];
        match table {
            "t" => Some(columns.map(column).into()),
            "o" => Some([("id", "INTEGER"), ("x", "INT")].map(column).into()),
            _ => None,
        }
    }
}

fn of(sql: &str) -> Result<Vec<Step>> {
    let statement = one(sql);
    assert_eq!((statement.action.clone(), statement.sql.as_str()), (Action::Alter, ""), "{sql}");
    assert_eq!(altered(&statement).as_deref(), Some("t"), "{sql}");
    steps(&statement, &Tables, &Context::default())
}

fn step(sql: &str) -> Step {
    let mut steps = of(&format!("ALTER TABLE t {sql}")).unwrap();
    assert_eq!(steps.len(), 1, "{sql}");
    steps.remove(0)
}

fn given(name: &str) -> Name {
    Name::Given(name.into())
}

fn base(name: &str) -> Name {
    Name::Base(name.into())
}

#[test]
fn constraints_are_those_of_create_table() {
    use postgres_types::comments::sourced;
    let check = |name, condition: &str| Step::Check { name, condition: condition.into() };
    for (sql, expected) in [
        (
            "ADD CONSTRAINT c CHECK (n ~ '^a')",
            check(given("c"), &sourced("n ~ '^a'", "pg_regex(n, '^a', '')")),
        ),
        ("ADD CHECK (id > 0)", check(base("t_id_check"), "id > 0")),
        ("ADD CHECK (id > length(n))", check(base("t_check"), "id > length(n)")),
        ("ADD CONSTRAINT \"C\" CHECK (b)", check(given("C"), "b")),
    ] {
        assert_eq!(step(sql), expected, "{sql}");
    }
    let unique = |name, columns: &[&str]| {
        let columns = columns.iter().map(|column| (*column).to_owned()).collect();
        Step::Unique { name, columns }
    };
    assert_eq!(step("ADD CONSTRAINT u UNIQUE (N, b)"), unique(given("u"), &["n", "b"]));
    assert_eq!(step("ADD UNIQUE (\"D d\")"), unique(base("t_D d_key"), &["D d"]));
    let reference = |name, text: &str| Step::Reference {
        name,
        columns: vec!["id".into()],
        table: "o".into(),
        text: text.into(),
    };
    assert_eq!(
        step(
            "ADD CONSTRAINT f FOREIGN KEY (id) REFERENCES public.o(x) ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED NOT VALID"
        ),
        reference(
            given("f"),
            "FOREIGN KEY (id) REFERENCES o(x) ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED"
        )
    );
    assert_eq!(
        step("ADD FOREIGN KEY (id) REFERENCES o"),
        reference(base("t_id_fkey"), "FOREIGN KEY (id) REFERENCES o")
    );
}

#[test]
fn columns_change_by_the_types_that_they_have() {
    let default = |column: &str, text: Option<&str>| Step::Default {
        column: column.into(),
        expression: text.map(str::to_owned),
    };
    for (sql, expected) in [
        ("ALTER COLUMN n SET DEFAULT 'x''y'", default("n", Some("'x''y'"))),
        ("ALTER COLUMN b SET DEFAULT 'yes'", default("b", Some("true"))),
        ("ALTER n SET DEFAULT lower('X')", default("n", Some("(lower('X'))"))),
        ("ALTER COLUMN n SET DEFAULT NULL", default("n", None)),
        ("ALTER COLUMN id DROP DEFAULT", default("id", None)),
    ] {
        assert_eq!(step(sql), expected, "{sql}");
    }
    let moment = step("ALTER COLUMN \"D d\" SET DEFAULT now()");
    assert!(
        matches!(&moment, Step::Default { expression: Some(text), .. } if text.starts_with("(/* SQL ce920a0d: now() */ rtrim(")),
        "{moment:?}"
    );
    let typed = |declared: &str, wanted: &str, using: Option<&str>| Step::Type {
        column: "n".into(),
        declared: declared.into(),
        wanted: wanted.into(),
        using: using.map(str::to_owned),
        collation: None,
    };
    for (sql, expected) in [
        ("ALTER COLUMN n TYPE varchar(50)", typed("VARCHAR(50)", "VARCHAR(50)", None)),
        ("ALTER COLUMN n SET DATA TYPE int USING n::int", typed("INT", "INT", Some("n::INT"))),
        ("ALTER n TYPE jsonb", typed("JSONB TEXT", "JSONB", None)),
        ("ALTER n TYPE int[]", typed("\"integer[]\" TEXT", "INT[]", None)),
    ] {
        assert_eq!(step(sql), expected, "{sql}");
    }
    let null = |is_set| Step::NotNull { column: "n".into(), is_set };
    assert_eq!(step("ALTER COLUMN n SET NOT NULL"), null(true));
    assert_eq!(step("ALTER COLUMN n DROP NOT NULL"), null(false));
}

#[test]
fn identity_columns_change() {
    let identity = |change| Step::Identity { column: "id".into(), change };
    let set = |is_always, restart| identity(Identity::Set { is_always, restart });
    let add = |is_always| identity(Identity::Add { is_always });
    let drop = |if_exists| identity(Identity::Drop { if_exists });
    for (sql, expected) in [
        ("ALTER id ADD GENERATED BY DEFAULT AS IDENTITY", add(false)),
        ("ALTER id ADD GENERATED ALWAYS AS IDENTITY", add(true)),
        ("ALTER COLUMN id DROP IDENTITY", drop(false)),
        ("alter \"id\" drop /* x */ identity if EXISTS", drop(true)),
        ("ALTER ID SET GENERATED ALWAYS", set(Some(true), None)),
        ("ALTER id SET GENERATED BY DEFAULT SET CACHE 5 RESTART", set(Some(false), Some(1))),
        ("ALTER id RESTART WITH 7 SET NO CYCLE SET INCREMENT BY 1", set(None, Some(7))),
        ("ALTER id RESTART 7", set(None, Some(7))),
    ] {
        assert_eq!(step(sql), expected, "{sql}");
    }
    let code = |sql: &str| of(&format!("ALTER TABLE t {sql}")).unwrap_err().code;
    assert_eq!(code("ALTER nope DROP IDENTITY IF EXISTS"), "42703");
    assert_eq!(code("ALTER id RESTART WITH 0"), "22023");
    assert_eq!(code("ALTER id RESTART WITH x"), "42601");
    assert_eq!(code("ALTER id SET INCREMENT BY 2"), "0A000");
    // A default that calls a function of this name is one.
    let default = step("ALTER n SET DEFAULT pg_change('drop identity', '')");
    assert!(matches!(default, Step::Default { .. }), "{default:?}");
    let several =
        of("ALTER TABLE IF EXISTS ONLY public.t ALTER id ADD GENERATED ALWAYS AS IDENTITY, \
                      ALTER id DROP IDENTITY, ALTER id TYPE bigint");
    let several = several.unwrap();
    assert_eq!((&several[0], &several[2]), (&drop(false), &add(true)));
    assert!(matches!(several[1], Step::Type { .. }));
}

#[test]
fn a_type_may_have_a_collation() {
    for (sql, using, collation) in [
        ("ALTER n TYPE text COLLATE \"C\"", None, "C"),
        (
            "ALTER COLUMN n SET DATA TYPE text COLLATE pg_catalog.\"default\"",
            None,
            "pg_catalog.default",
        ),
        (
            "ALTER n TYPE text COLLATE Nope USING upper(n) COLLATE \"C\"",
            Some("upper(n) COLLATE \"C\""),
            "nope",
        ),
    ] {
        let steps = of(&format!("ALTER TABLE t {sql}, DROP COLUMN b")).unwrap();
        let [Step::DropColumn { .. }, Step::Type { using: found, collation: named, .. }] =
            &steps[..]
        else {
            panic!("{steps:?}")
        };
        assert_eq!((found.as_deref(), named.as_deref()), (using, Some(collation)), "{sql}");
    }
    let code = |name, declared| {
        check_collation(name, crate::types::Typed::declared(declared)).map_err(|error| error.code)
    };
    for name in ["C", "POSIX", "ucs_basic", "pg_catalog.default"] {
        assert_eq!(code(name, "varchar(3)"), Ok(()), "{name}");
        assert_eq!(code(name, "integer"), Err("42804"), "{name}");
    }
    for name in ["nocase", "c", "public.C", "en_US"] {
        assert_eq!(code(name, "integer"), Err("42704"), "{name}");
    }
}

#[test]
fn several_changes_are_done_in_the_order_of_postgres() {
    let steps = of("ALTER TABLE t ADD COLUMN u text UNIQUE, ADD CHECK (b), DROP COLUMN n, \
                    VALIDATE CONSTRAINT b, ALTER id TYPE bigint, DROP CONSTRAINT IF EXISTS \"K\" CASCADE");
    let own = |sql: &str, after: &[&str]| Step::Own {
        sql: sql.into(),
        after: after.iter().map(|sql| (*sql).to_owned()).collect(),
    };
    let expected = [
        Step::DropColumn { column: "n".into(), cascades: false },
        Step::Drop { name: "K".into(), if_exists: true },
        Step::Type {
            column: "id".into(),
            declared: "BIGINT".into(),
            wanted: "BIGINT".into(),
            using: None,
            collation: None,
        },
        own("ALTER TABLE \"t\" ADD COLUMN u TEXT", &["INSERT INTO \"t\" DEFAULT VALUES"]),
        Step::Unique { name: base("t_u_key"), columns: vec!["u".into()] },
        Step::Check { name: base("t_b_check"), condition: "b".into() },
        Step::Validate { name: "b".into() },
    ];
    assert_eq!(steps.unwrap(), expected);
    let rename = Step::Rename { name: "a".into(), to: "b".into() };
    assert_eq!(step("RENAME CONSTRAINT a TO b"), rename);
    assert_eq!(
        of("ALTER TABLE t RENAME CONSTRAINT a TO b, DROP COLUMN n").unwrap_err().code,
        "42601"
    );
    let renamed = |sql: &str, column: Option<&str>| Step::Renamed {
        sql: format!("ALTER TABLE \"t\" RENAME {sql}"),
        column: column.map(str::to_owned),
    };
    assert_eq!(step("RENAME COLUMN N TO \"M\""), renamed("COLUMN \"n\" TO \"M\"", Some("n")));
    assert_eq!(step("RENAME TO public.u"), renamed("TO \"u\"", None));
    assert_eq!(of("ALTER TABLE t RENAME n TO m, DROP COLUMN n").unwrap_err().code, "42601");
    let index = Step::RenameIndex { name: "i".into(), to: "J".into() };
    let statement = one("ALTER INDEX public.i RENAME TO \"J\"");
    assert_eq!((&statement.action, altered(&statement)), (&Action::Alter, None));
    assert_eq!(super::steps(&statement, &Tables, &Context::default()).unwrap(), [index]);
    // What SQLite does alone is its own statement still.
    assert_eq!(one("ALTER TABLE t ADD COLUMN m int").action, Action::Run);
    assert_eq!(step("DROP n CASCADE"), Step::DropColumn { column: "n".into(), cascades: true });
    assert_eq!(all("ALTER TABLE t ADD a int; ALTER TABLE t RENAME TO u").len(), 2);
}

#[test]
fn constraints_come_when_columns_have_their_types() {
    for (change, expected) in [
        ("ALTER n TYPE int USING 1, ADD CHECK (n > 0)", None),
        ("ADD CHECK (n > 0)", Some("42883")),
        ("ADD CHECK (id > 0), ALTER id TYPE text", Some("42883")),
    ] {
        let found = of(&format!("ALTER TABLE t {change}"));
        assert_eq!(found.err().as_ref().map(|error| error.code), expected, "{change}");
    }
}

#[test]
fn a_computed_default_fills_the_rows_that_are_there() {
    let steps = of("ALTER TABLE t ADD COLUMN j jsonb DEFAULT '{}'::jsonb NOT NULL").unwrap();
    let [Step::Own { sql, .. }, Step::Fill { column, expression }, Step::NotNull { .. }, default] =
        &steps[..]
    else {
        panic!("{steps:?}")
    };
    assert_eq!((sql.as_str(), column.as_str()), ("ALTER TABLE \"t\" ADD COLUMN j JSONB TEXT", "j"));
    let expected = Step::Default { column: "j".into(), expression: Some(expression.clone()) };
    assert_eq!(default, &expected);
    for constant in ["1", "(1)", "-1", "'x'", "true", "NULL"] {
        let sql = format!("ALTER TABLE t ADD COLUMN x text DEFAULT {constant}");
        assert_eq!(one(&sql).action, Action::Run, "{sql}");
    }
}

#[test]
fn comments_are_on_tables_and_columns() {
    let comment = |sql: &str| {
        let statement = one(&format!("COMMENT ON {sql}"));
        assert_eq!(
            (statement.action.clone(), statement.command.as_str()),
            (Action::Alter, "COMMENT")
        );
        steps(&statement, &Tables, &Context::default())
    };
    for (sql, column, text) in [
        ("TABLE t IS 'it''s'", None, Some("it's")),
        ("COLUMN public.t.\"D d\" IS 'x'", Some("D d"), Some("x")),
        ("COLUMN t.n IS NULL", Some("n"), None),
        ("COLUMN t.N IS ''", Some("n"), None),
    ] {
        let expected =
            Step::Comment { column: column.map(str::to_owned), text: text.map(str::to_owned) };
        assert_eq!(comment(sql).unwrap(), [expected], "{sql}");
    }
    assert_eq!(comment("COLUMN t.nosuch IS 'x'").unwrap_err().code, "42703");
    assert_eq!(comment("TABLE nosuch IS 'x'").unwrap_err().code, "42P01");
}

#[test]
fn what_cannot_be_done_has_its_sqlstate() {
    for (sql, code) in [
        ("ADD PRIMARY KEY (id)", "0A000"),
        ("ADD UNIQUE (id) DEFERRABLE", "0A000"),
        ("ADD UNIQUE NULLS NOT DISTINCT (id)", "0A000"),
        ("ADD UNIQUE (nosuch)", "42703"),
        ("ADD FOREIGN KEY (nosuch) REFERENCES o", "42703"),
        ("ADD FOREIGN KEY (id) REFERENCES nosuch", "42P01"),
        ("ADD FOREIGN KEY (id) REFERENCES nosuch.o", "3F000"),
        ("ADD FOREIGN KEY (n) REFERENCES o", "42804"),
        ("ADD FOREIGN KEY (n) REFERENCES t (id)", "42804"),
        ("ALTER COLUMN nosuch SET NOT NULL", "42703"),
        ("ALTER COLUMN n TYPE nosuch", "42704"),
        ("ALTER COLUMN b SET DEFAULT 'x'", "22P02"),
        ("ALTER COLUMN n SET NOT NULL, ADD COLUMN IF NOT EXISTS x int", "0A000"),
        ("ADD CONSTRAINT c CHECK (\"a\"\"b\" > 0)", "0A000"),
        ("ADD CONSTRAINT u UNIQUE USING INDEX i", "0A000"),
    ] {
        assert_eq!(of(&format!("ALTER TABLE t {sql}")).unwrap_err().code, code, "{sql}");
    }
    let many = vec!["ALTER COLUMN n DROP DEFAULT"; MAX_OPERATIONS + 1].join(", ");
    assert_eq!(of(&format!("ALTER TABLE t {many}")).unwrap_err().code, "54000");
    let nested = format!("ALTER TABLE t ADD CHECK ({}1{})", "(".repeat(9000), ")".repeat(9000));
    assert_eq!(error(&nested).code, "54001");
}

#[test]
fn no_text_closes_more_than_it_opens() {
    for sql in [
        "ADD CONSTRAINT \"x) STRICT; --\" CHECK (n <> '), CONSTRAINT y CHECK (1')",
        "ADD CONSTRAINT c CHECK (n <> ')' /* ) */ )",
    ] {
        let Step::Check { condition, .. } = step(sql) else { panic!("{sql}") };
        let table = format!("CREATE TABLE t (n, CHECK ({condition}))");
        assert_eq!(crate::table_text::TableText::read(&table).unwrap().constraints.len(), 1);
    }
}
