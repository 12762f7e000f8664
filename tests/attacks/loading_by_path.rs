//! Extensions by a path that SQL or a component chose: links, pipes, and what an
//! error message reveals of files outside.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use nix::sys::stat::Mode;
use nix::unistd::mkfifo;

use crate::script;
use crate::support::attacker::{all_done, attack};
use crate::support::composed::shipped;
use crate::support::place::Place;

/// A directory with an extension outside, and links to it inside.
fn linked() -> Place {
    let place = Place::fresh("load");
    let link = |target: &str, name: &str| {
        symlink(target, place.path("inside").join(name)).expect("the directory is ours");
    };
    for directory in ["outside", "inside"] {
        let path = place.path(directory).join("real.wasm");
        fs::copy(shipped("uuid"), path).expect("the directory is ours");
    }
    link("../outside/real.wasm", "link.wasm");
    link(&place.name("outside/real.wasm"), "absolute.wasm");
    link("link.wasm", "chain.wasm");
    link("../outside", "directory");
    link("real.wasm", "good.wasm");
    place
}

/// Names of an extension outside.
const OUTSIDE: &[&str] = &[
    "./link.wasm",
    "./link",
    "./absolute",
    "./chain.wasm",
    "./directory/real.wasm",
    "./directory/real",
    "../outside/real.wasm",
    "./inner/../../outside/real",
];

#[test]
fn an_extension_outside_is_not_loaded_through_any_name() {
    let place = linked();
    let inside = place.path("inside");
    for name in OUTSIDE {
        for load in [format!(".load {name}"), format!("SELECT load_extension('{name}');")] {
            let run = script(&inside, &[], &[], &format!("{load}\nSELECT length(uuid4());\n"));
            assert!(!run.out().contains("36"), "it was loaded from outside\n{run}");
        }
        let absolute = format!("load={}/{name}", inside.display());
        let run = attack(&inside, &[], &[absolute]).exits_with(0);
        assert!(run.out().contains("load: refused"), "it was loaded from outside\n{run}");
    }
}

#[test]
fn an_extension_inside_is_loaded_through_a_link() {
    let place = linked();
    let inside = place.path("inside");
    for name in ["./good", "./good.wasm", "./inner/../real"] {
        let run = script(&inside, &[], &[], &format!(".load {name}\nSELECT length(uuid4());\n"));
        run.keeps_quiet().prints("36\n");
    }
    all_done(attack(&inside, &[], &[format!("load={}/good.wasm", inside.display())]));
    let outside = place.name("outside");
    for name in OUTSIDE {
        let options = ["--dir", &outside];
        let sql = format!(".load {name}\nSELECT length(uuid4());\n");
        script(&inside, &options, &[], &sql).keeps_quiet().prints("36\n");
    }
}

/// The error in SQL for a name outside, with the name taken out. (The message to the user
/// also names the directory that could be granted.)
fn said(inside: &Path, name: &str) -> String {
    let sql = format!(".load {name}\nSELECT load_extension('{name}');\n");
    let run = script(inside, &[], &[], &sql);
    let whole = inside.join(name).display().to_string();
    let short = name.trim_start_matches("./");
    let err = run.err();
    let lines = err.lines().filter(|line| !line.starts_with("sqlite-wasm-run:"));
    let text = lines.fold(run.out().into_owned(), |text, line| text + line + "\n");
    let text = text.replace(&whole, "NAME").replace(name, "NAME").replace(short, "NAME");
    let base = inside.parent().expect("it has one").display().to_string();
    // The same path in other words, which say where a link leads, not whether anything is there.
    text.replace(&base, "BASE").replace(&short.replace("../", ""), "NAME")
}

/// A file, a directory, what may not be read, and nothing at all look the same.
#[test]
fn messages_do_not_tell_what_is_outside() {
    let place = linked();
    let (inside, outside) = (place.path("inside"), place.path("outside"));
    fs::create_dir(outside.join("is-a-directory.wasm")).expect("the directory is ours");
    fs::write(outside.join("is-a-module.wasm"), b"\0asm\x01\0\0\0").expect("the directory is ours");
    fs::write(outside.join("is-a-text.wasm"), "text").expect("the directory is ours");
    mkfifo(&outside.join("is-a-pipe.wasm"), Mode::S_IRWXU).expect("the directory is ours");
    let expected = said(&inside, "../outside/is-missing.wasm").replace("is-missing", "X");
    assert!(!expected.is_empty(), "nothing was said");
    for file in ["is-a-directory", "is-a-module", "is-a-text", "is-a-pipe"] {
        for ending in [".wasm", ""] {
            let message = said(&inside, &format!("../outside/{file}{ending}"));
            let missing = said(&inside, &format!("../outside/is-missing{ending}"));
            let (message, missing) =
                (message.replace(file, "X"), missing.replace("is-missing", "X"));
            assert_eq!(message, missing, "{file}{ending} can be told from a missing one");
        }
    }
    for name in ["./probe.wasm", "./probe"] {
        let links =
            ["real", "is-a-directory", "is-a-module", "is-a-pipe", "is-missing"].map(|file| {
                let link = inside.join("probe.wasm");
                symlink(format!("../outside/{file}.wasm"), &link).expect("the directory is ours");
                // The error that a component gets, without the shell's own resolution.
                let actions = [format!("load={}/{name}", inside.display())];
                let loaded = attack(&inside, &[], &actions).out().into_owned();
                let message = (said(&inside, name) + &loaded).replace(file, "X");
                fs::remove_file(link).expect("it was just made");
                message
            });
        assert!(links.iter().all(|message| *message == links[0]), "links reveal files: {links:#?}");
    }
}

#[test]
fn the_interfaces_do_not_tell_what_is_outside() {
    let place = linked();
    let inside = place.path("inside");
    let message = |file: &str| {
        let path = format!("{}/{file}", place.name("outside"));
        let actions = [
            "files-read",
            "files-write",
            "files-create",
            "files-delete",
            "files-exists",
            "files-permissions",
            "files-target",
            "files-attributes",
            "granted",
            "startup",
            "wasi-read",
            "wasi-write",
            "wasi-remove",
            "wasi-create-directory",
            "load",
        ];
        let actions = actions.map(|action| format!("{action}={path}"));
        attack(&inside, &[], &actions).exits_with(0).out().replace(file, "NAME")
    };
    for (file, missing) in [("real.wasm", "none.wasm"), ("secret.db", "none.db"), ("real", "none")]
    {
        assert_eq!(message(file), message(missing), "{file} can be told from a missing one");
    }
}

#[test]
fn a_pipe_is_not_waited_for() {
    let place = Place::fresh("pipe");
    let inside = place.path("inside");
    mkfifo(&inside.join("pipe.wasm"), Mode::S_IRWXU).expect("the directory is ours");
    let run = script(&inside, &[], &[], ".load ./pipe\nSELECT 'alive';\n");
    assert!(run.out().contains("alive") && run.err().lines().count() == 1, "{run}");
}
