//! The server is killed while it changes tables: each migration is there as a whole or not at all, and no row is lost.

use std::io::Write;
use std::time::{Duration, Instant};

use super::support::{Server, setting};
use super::wire::{Client, message, text};
use super::wire_alter::native;

const MIGRATIONS: u64 = 30;

/// A parent with rows to be rewritten, and children of each row.
const SCHEMA: &str = "
    CREATE TABLE p(id serial PRIMARY KEY, n int NOT NULL, t varchar(60) DEFAULT 'd', self int REFERENCES p(id) ON DELETE CASCADE);
    CREATE TABLE c(p_id int NOT NULL REFERENCES p(id) ON DELETE CASCADE ON UPDATE CASCADE, a int);
    CREATE INDEX c_p ON c(p_id); CREATE INDEX p_part ON p(self) WHERE id > 1; CREATE INDEX p_n ON p(n); CREATE INDEX p_expr ON p(lower(t));
    CREATE VIEW v AS SELECT p.id, c.a FROM p JOIN c ON c.p_id = p.id;
    INSERT INTO p(n, t) SELECT i % 100, 'row ' || i FROM generate_series(1, 5000) AS s(i);
    UPDATE p SET self = id - 1 WHERE id > 1;
    INSERT INTO c SELECT id, id % 7 + 1 FROM p";

/// All that no migration changes.
const ROWS: &str = "SELECT count(*), sum(id), sum(n), sum(length(t)), sum(self) FROM p;
    SELECT count(*), sum(p_id), sum(a) FROM c; SELECT count(*), sum(a) FROM v";

const DEFINITIONS: &str = "SELECT type, name, sql FROM sqlite_schema ORDER BY name";

/// The migrations of a seed: each succeeds after those before it.
fn migrations(seed: u64) -> Vec<String> {
    let mut state = seed;
    let mut next = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) % below
    };
    let migration = |number| match next(10) {
        0 => format!("ALTER TABLE p ADD COLUMN x{number} int NOT NULL DEFAULT 7"),
        1 => format!(
            "ALTER TABLE p ADD CONSTRAINT k{number} CHECK (id > 0 AND self IS DISTINCT FROM id)"
        ),
        2 => "ALTER TABLE p ALTER COLUMN n TYPE bigint USING n::bigint".to_owned(),
        3 => "ALTER TABLE p ALTER COLUMN n TYPE text USING n::text".to_owned(),
        4 => "ALTER TABLE p ALTER COLUMN n TYPE integer USING n::integer".to_owned(),
        5 => "ALTER TABLE p ALTER COLUMN t TYPE text, ALTER COLUMN t SET DEFAULT 'e'".to_owned(),
        6 => format!("ALTER TABLE p ADD CONSTRAINT u{number} UNIQUE (id, t)"),
        7 => format!("ALTER TABLE c ADD CONSTRAINT f{number} FOREIGN KEY (a) REFERENCES p(id)"),
        8 => "ALTER TABLE c ALTER COLUMN a SET NOT NULL, ALTER COLUMN a SET DEFAULT 1".to_owned(),
        _ => format!("ALTER TABLE c ADD COLUMN y{number} text DEFAULT 'y'"),
    };
    (0..MIGRATIONS).map(migration).collect()
}

fn server() -> Server {
    let server = Server::start(&["--pg", "127.0.0.1:0"]);
    Client::new(&server).rows(SCHEMA);
    server
}

/// Whether the server has reported that it is done; false if the server ends first.
fn is_done(client: &mut Client, sql: &str) -> bool {
    if client.stream.write_all(&message('Q', &text(sql))).is_err() {
        return false;
    }
    let mut is_done = false;
    while let Ok((tag, body)) = client.try_receive() {
        assert!(tag != 'E', "{sql}: {}", String::from_utf8_lossy(&body));
        is_done |= tag == 'C';
        if tag == 'Z' {
            return is_done;
        }
    }
    // It may have been done without a reply.
    false
}

/// `SERVE_KILLS=50` does it more often.
#[test]
fn a_killed_migration_is_whole_or_nothing() {
    for round in 0..setting("SERVE_KILLS", 3) {
        let all = migrations(round);
        // What each leaves behind, where nothing is killed, and how long they take.
        let whole = server();
        let rows = native(&whole, ROWS);
        let mut definitions = vec![native(&whole, DEFINITIONS)];
        let mut client = Client::new(&whole);
        let mut time = Duration::ZERO;
        for sql in &all {
            let start = Instant::now();
            assert!(is_done(&mut client, sql), "{sql}");
            time += start.elapsed();
            definitions.push(native(&whole, DEFINITIONS));
        }
        assert_eq!(native(&whole, ROWS), rows);

        let mut killed = server();
        let mut client = Client::new(&killed);
        let done = std::thread::scope(|scope| {
            let migrating =
                scope.spawn(|| all.iter().take_while(|sql| is_done(&mut client, sql)).count());
            std::thread::sleep(time.mul_f64((round * 37 % 100) as f64 / 100.0 + 0.01).min(time));
            killed.signal("-KILL");
            migrating.join().unwrap()
        });
        assert!(!killed.wait());
        let checks = "PRAGMA integrity_check; PRAGMA foreign_key_check";
        assert_eq!(native(&killed, checks), "ok\n", "round {round}, after {done}");
        assert_eq!(native(&killed, ROWS), rows, "round {round}, after {done}");
        let found = native(&killed, DEFINITIONS);
        let fits = definitions.iter().skip(done).take(2).any(|known| *known == found);
        assert!(fits, "round {round}, after {done} of {all:?}: {found}");
    }
}
