//! Names that change their meaning while the shell uses them never lead out of
//! the granted directories.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use rustix::fs::{CWD, RenameFlags, renameat_with};

use crate::support::place::{Place, SECRET};
use crate::support::{self, Input, Outcome};

/// What the files inside hold.
const INSIDE: &str = "text-of-inside";

/// How often each command is tried: some hundred times on either side of the
/// swap, and most of them near one.
const ROUNDS: usize = 400;

/// How long a name keeps its meaning: a few of the shell's system calls.
const PAUSE: Duration = Duration::from_micros(20);

/// What is tried in each round, where `FILE` has another meaning all the time.
const ROUND: &str = "
ATTACH 'FILE.db' AS x;
SELECT a FROM x.t;
UPDATE x.t SET a = a;
DETACH x;
SELECT readfile('FILE.sql');
.read FILE.sql
SELECT data FROM fsdir('FILE.sql');
CREATE TABLE u(a);
.import FILE.sql u
SELECT a FROM u;
DROP TABLE u;
SELECT writefile('FILE.sql', '.print text-of-inside') IS NULL;
.output FILE.sql
.print .print text-of-inside
.output
";

/// Runs the script of all rounds while another thread does `swap` and `back`
/// in turn. The last to be done is `back`.
fn run_while(place: &Place, file: &str, swap: impl Fn() + Sync, back: impl Fn() + Sync) -> Outcome {
    let script = ROUND.replace("FILE", file).repeat(ROUNDS);
    let ended = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !ended.load(Ordering::Relaxed) {
                swap();
                thread::sleep(PAUSE);
                back();
                thread::sleep(PAUSE);
            }
        });
        let input = Input::Bytes(script.as_bytes());
        let program = support::our_binary();
        let run = support::run(&program, &[":memory:"], &place.path("inside"), &input);
        ended.store(true, Ordering::Relaxed);
        run
    })
}

/// Fails if the outside was reached, and if the swap was not seen: a race that
/// did not happen proves nothing.
fn check(place: &Place, run: &Outcome) {
    place.is_closed_to(std::slice::from_ref(run));
    saw_the_inside(run);
    assert!(run.err().contains("unable to open database"), "the swap was never seen\n{run}");
}

fn saw_the_inside(run: &Outcome) {
    let out = run.out();
    let seen = out.lines().any(|line| line == INSIDE);
    assert!(seen, "the inside was never seen\n{run}");
}

fn exchange(one: &Path, other: &Path) {
    renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE).expect("both are ours");
}

/// Makes a script and a database that hold the text of the inside.
fn fill(place: &Place, directory: &str) {
    place.fill(directory);
    let directory = place.path(directory);
    fs::write(directory.join("secret.sql"), format!(".print {INSIDE}\n")).expect("it is ours");
    let update = format!("UPDATE t SET a = '{INSIDE}'");
    support::natively(&directory, &["secret.db", &update]).exits_with(0);
}

#[test]
fn a_directory_that_becomes_a_link_does_not_lead_out() {
    let place = Place::fresh("directory");
    fill(&place, "inside/swap");
    let (directory, link) = (place.path("inside/swap"), place.path("inside/link"));
    symlink("../outside", &link).expect("the directory is ours");
    let swap = || exchange(&directory, &link);
    let run = run_while(&place, "swap/secret", swap, swap);
    check(&place, &run);
}

#[test]
fn a_file_that_becomes_a_link_does_not_lead_out() {
    let place = Place::fresh("file");
    fill(&place, "inside");
    let inside = place.path("inside");
    let files = ["secret.db", "secret.sql"].map(|file| {
        let link = inside.join(format!("link-{file}"));
        symlink(place.path("outside").join(file), &link).expect("the directory is ours");
        (inside.join(file), link)
    });
    let swap = || files.iter().for_each(|(file, link)| exchange(file, link));
    let run = run_while(&place, "secret", swap, swap);
    check(&place, &run);
}

/// The parent of a directory that is moved out is outside.
#[test]
fn a_directory_that_is_moved_out_does_not_take_its_parent_along() {
    let place = Place::fresh("moved");
    fill(&place, "inside");
    fs::create_dir(place.path("inside/moved")).expect("the directory is ours");
    let (near, far) = (place.path("inside/moved"), place.path("outside/moved"));
    let rename = |from, to| fs::rename(from, to).expect("both are ours");
    let swap = || rename(&near, &far);
    let back = || rename(&far, &near);
    let run = run_while(&place, "moved/../secret", swap, back);
    saw_the_inside(&run);
    // The move itself changes the time of `outside`.
    assert!(!run.out().contains(SECRET), "saw the secret\n{run}");
    let outside = fs::read_to_string(place.path("outside/secret.sql")).expect("it is ours");
    assert_eq!(outside, format!(".print {SECRET}\n"));
}
