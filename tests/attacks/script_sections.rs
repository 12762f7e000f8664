//! Hostile files of scripts: each is refused with one line, and nothing of it runs. Hostile scripts
//! get no more than other extensions.

use std::fs;

use crate::support::generated::with_custom_section;
use crate::support::{self, Directory, Outcome};

const SECTION: &str = "sqlite-wasm:script";
const EMPTY: &[u8] = b"\0asm\x0d\0\x01\0";
const SCRIPT: &str =
    "export default extension({ name: 'mine', functions: { ran: () => 'it ran' } })";

fn script(header: &str) -> Vec<u8> {
    with_custom_section(EMPTY, SECTION, format!("{header}{SCRIPT}").as_bytes())
}

fn load(directory: &Directory, file: &[u8]) -> Outcome {
    fs::write(directory.path().join("mine.wasm"), file).expect("the directory is ours");
    support::ours(&directory.path(), &["--load", "./mine.wasm", ":memory:", "SELECT ran()"])
}

/// A script with a section of code in front or behind.
fn with_section(id: u8, content: &[u8], is_first: bool) -> Vec<u8> {
    let good = script("quickjs 1\n");
    let section = [&[id, content.len() as u8], content].concat();
    if is_first {
        [EMPTY, &section, &good[EMPTY.len()..]].concat()
    } else {
        [&good[..], &section].concat()
    }
}

#[test]
fn damaged_and_doubled_sections_are_refused() {
    let directory = Directory::fresh("script-sections");
    // The control.
    load(&directory, &script("quickjs 1\n")).prints("it ran\n").keeps_quiet();
    let module = b"\0asm\x01\0\0\0";
    let files = [
        ("two scripts", with_custom_section(&script("quickjs 1\n"), SECTION, b"quickjs 1\nx")),
        ("code behind", with_section(1, module, false)),
        ("code in front", with_section(1, module, true)),
        ("a component inside", with_section(4, EMPTY, false)),
        ("no header", script("")),
        ("no version", script("quickjs\n")),
        ("a path", script("../quickjs 1\n")),
        ("an absolute path", script("/tmp/quickjs 1\n")),
        ("a zero byte", script("quick\0js 1\n")),
        ("an escape", script("quick\u{1b}[2Jjs 1\n")),
        ("a long name", script(&format!("{} 1\n", "q".repeat(60)))),
        ("a negative version", script("quickjs -1\n")),
        ("a version of a thousand digits", script(&format!("quickjs {}\n", "1".repeat(1000)))),
        ("an unknown engine", script("lua 5\n")),
        ("an unknown version", script("quickjs 4294967295\n")),
        ("not UTF-8", with_custom_section(EMPTY, SECTION, b"quickjs 1\n\xff\xfe")),
        ("cut off", script("quickjs 1\n")[..40].to_vec()),
        (
            "too long",
            with_custom_section(
                EMPTY,
                SECTION,
                &[b"quickjs 1\n", &vec![b' '; 17 << 20][..]].concat(),
            ),
        ),
        ("a module", [&module[..], &script("quickjs 1\n")[8..]].concat()),
    ];
    for (what, file) in files {
        let run = load(&directory, &file).exits_with(121).prints("");
        assert_eq!(run.err().lines().count(), 1, "{what}: {run}");
        assert!(!run.err().contains('\u{1b}'), "{what}: {run}");
    }
}

/// SQL chooses a script's file, and not what runs it.
#[test]
fn an_engine_is_never_one_that_sql_can_write() {
    let directory = Directory::fresh("script-engine");
    let engines = directory.path().join("engines");
    fs::create_dir(&engines).expect("the directory is ours");
    let ours = support::repository().join("target/release/extensions/engines/quickjs-1.wasm");
    fs::copy(ours, engines.join("mine-1.wasm")).expect("the directory is ours");
    load(&directory, &script("mine 1\n")).exits_with(121).complains("`mine 1`");
    // In a directory that the user names, it is one.
    let path = directory.path().display().to_string();
    let named = ["--extension-dir", &path, "--load", "mine", ":memory:", "SELECT ran()"];
    support::ours(&directory.path(), &named).prints("it ran\n").keeps_quiet();
    // An engine that is a script would have an engine again, without an end.
    fs::write(engines.join("mine-1.wasm"), script("mine 1\n")).expect("the directory is ours");
    let run = support::ours(&directory.path(), &named).exits_with(121);
    run.complains("it is a script itself");
}

#[test]
fn a_grant_is_for_the_script_and_not_for_its_engine() {
    let directory = Directory::fresh("script-grants");
    let needing = |name: &str| {
        let text = format!(
            "quickjs 1\nexport default extension({{ name: '{name}', needs: ['sql'],
             functions: {{ {name}: () => sql`SELECT 7 AS a`[0].a }} }})"
        );
        with_custom_section(EMPTY, SECTION, text.as_bytes())
    };
    for name in ["good", "evil"] {
        let path = directory.path().join(format!("{name}.wasm"));
        fs::write(path, needing(name)).expect("the directory is ours");
    }
    let run = |load: &str, sql: &str| {
        let arguments = ["--grant", "good=sql", "--load", load, ":memory:", sql];
        support::ours(&directory.path(), &arguments)
    };
    run("./good.wasm", "SELECT good()").prints("7\n").keeps_quiet();
    run("./evil.wasm", "SELECT evil()").exits_with(121).complains("evil=sql");
    // By SQL's choice neither the name of the file nor that of the script is an identity.
    fs::copy(directory.path().join("evil.wasm"), directory.path().join("good.wasm"))
        .expect("the directory is ours");
    let chosen = ["--grant", "good=sql", ":memory:", ".load ./good", "SELECT evil()"];
    let refused = support::ours(&directory.path(), &chosen);
    assert!(!refused.out().contains('7'), "{refused}");
}

#[test]
fn a_hostile_script_ends_with_its_limits_and_its_own_instance() {
    let directory = Directory::fresh("script-limits");
    let text = "quickjs 1\nexport default extension({ name: 'mine', functions: {
        ran: () => 'it ran',
        forever: () => { for (;;) ; },
        memory: () => { const all = []; for (;;) all.push(new Uint8Array(1 << 20)); },
        value: () => 'x'.repeat(300 << 20),
        regexp: () => /(a*)*b/.test('a'.repeat(50)),
        stack: () => { const f = () => f() + 1; return f(); },
        nested: () => JSON.parse('['.repeat(1e6)),
        proto: () => { Object.prototype.done = true; Array.prototype[Symbol.iterator] = null; return 1; },
        reach: () => Object.getOwnPropertyNames(globalThis).filter((name) =>
            ['process', 'require', 'std', 'os', 'fetch', 'Deno', 'scriptArgs', 'load'].includes(name)).join(),
      }, tables: { endless: { columns: ['a'], *rows() { for (;;) yield [1]; } },
                   mute: { columns: ['a'], *rows() { for (;;) ; } } } })";
    let file = with_custom_section(EMPTY, SECTION, text.as_bytes());
    fs::write(directory.path().join("mine.wasm"), file).expect("the directory is ours");
    let options =
        ["--extension-timeout", "1", "--extension-memory", "64M", "--extension-value", "4M"];
    for (call, message) in [
        ("forever()", "time"),
        ("memory()", ""),
        ("value()", ""),
        ("regexp()", ""),
        ("stack()", "stack"),
        ("nested()", ""),
        ("(SELECT a FROM mute)", "time"),
    ] {
        let script = format!("SELECT {call};\nSELECT ran();\n");
        let arguments = [&options[..], &["--load", "./mine.wasm", ":memory:"]].concat();
        let input = support::Input::Bytes(script.as_bytes());
        let run = support::run(&support::our_binary(), &arguments, &directory.path(), &input);
        assert!(run.out().ends_with("it ran\n") && run.err().contains(message), "{call}: {run}");
        assert!(run.err().lines().count() <= 3, "{call}: {run}");
    }
    let sql =
        "SELECT reach() = '', proto(), (SELECT count(*) FROM (SELECT a FROM endless LIMIT 9))";
    let arguments = [&options[..], &["--load", "./mine.wasm", ":memory:", sql]].concat();
    let run = support::ours(&directory.path(), &arguments);
    assert!(run.out().starts_with("1|1|"), "{run}");
}
