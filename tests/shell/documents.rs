//! The examples in the README and in `docs`: each block marked `console` is run, and prints
//! what it says.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{self, Directory, Input};

/// What a block says: a command, and what it prints.
struct Example {
    command: String,
    output: String,
}

/// The examples of a page.
fn examples(page: &str) -> Vec<Example> {
    let mut examples: Vec<Example> = Vec::new();
    let mut lines = page.lines();
    while lines.by_ref().any(|line| line == "```console") {
        let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        let mut block = block.into_iter();
        while let Some(line) = block.next() {
            let Some(command) = line.strip_prefix("$ ") else {
                let example = examples.last_mut().expect("a block begins with a command");
                example.output += &format!("{line}\n");
                continue;
            };
            let mut command = command.to_owned();
            let end =
                command.split_once("<<'").map(|(_, end)| end.trim_end_matches('\'').to_owned());
            while let Some(end) = &end
                && let Some(line) = block.next()
            {
                command += &format!("\n{line}");
                if line == end {
                    break;
                }
            }
            while command.ends_with('\\') {
                command += &format!("\n{}", block.next().expect("the command goes on"));
            }
            examples.push(Example { command, output: String::new() });
        }
    }
    examples
}

/// Runs all examples of a page in one directory. Each has all that it needs in that page.
fn run(page: &Path) -> usize {
    let directory = Directory::fresh("documents");
    let text = fs::read_to_string(page).expect("it is there");
    let examples = examples(&text);
    for Example { command, output } in &examples {
        let shell = Path::new("/bin/sh");
        let mut process = support::command(shell, &["-c", command], &directory.path());
        process.env("PATH", path()).env("XDG_STATE_HOME", directory.path().join("state"));
        let outcome = support::finish(process, &Input::Nothing);
        let printed = format!("{}{}", outcome.err(), outcome.out());
        assert_eq!(printed, *output, "{}\n{command}", page.display());
    }
    examples.len()
}

/// Our programs before all others.
fn path() -> OsString {
    let ours = support::our_binary().parent().expect("it is in a directory").to_owned();
    std::env::join_paths([ours, "/usr/bin".into(), "/bin".into()]).expect("no colon is in it")
}

#[test]
fn the_examples_of_all_pages_print_what_they_say() {
    let docs = support::repository().join("docs");
    let pages = fs::read_dir(docs).expect("it is there").flatten().map(|entry| entry.path());
    let is_page = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "md");
    let pages = pages.filter(is_page).chain([support::repository().join("README.md")]);
    let run: usize = pages.map(|page| run(&page)).sum();
    assert!(run > 30, "{run} examples");
}

/// Every page is in the book, and every link leads to a page or a part of one.
#[test]
fn the_book_is_whole() {
    let docs = support::repository().join("docs");
    let read = |path: &Path| fs::read_to_string(path).expect("it is there");
    let summary = read(&docs.join("SUMMARY.md"));
    for entry in fs::read_dir(&docs).expect("it is there").flatten() {
        let name = entry.file_name().into_string().expect("UTF-8");
        if !name.ends_with(".md") {
            continue;
        }
        assert!(name == "SUMMARY.md" || summary.contains(&format!("({name})")), "{name}");
        check_links(&entry.path());
        let page = read(&entry.path());
        for include in page.split("{{#include ").skip(1).filter_map(|rest| rest.split("}}").next())
        {
            let (file, anchor) = include.split_once(':').unwrap_or((include, ""));
            let text = read(&docs.join(file));
            let [begin, end] =
                ["ANCHOR", "ANCHOR_END"].map(|word| format!("<!-- {word}: {anchor} -->\n"));
            let part = match anchor {
                "" => Some(&text[..]),
                _ => text.split_once(&begin).and_then(|(_, rest)| Some(rest.split_once(&end)?.0)),
            };
            let part = part.unwrap_or_else(|| panic!("{name}: {include}"));
            // It would lead from `docs`.
            assert!(!part.contains("]("), "{name}: a link in {include}");
        }
    }
}

#[test]
fn links_of_other_documents_lead_somewhere() {
    let repository = support::repository();
    let others = ["README.md", "SECURITY.md", "CHANGELOG.md", "ARCHITECTURE.md", "CONTRIBUTING.md"];
    let crates =
        ["library", "postgres", "python", "sandbox", "serve"].map(|name| format!("host/{name}"));
    let parts =
        ["extensions", "extensions/ann", "components/kits/c-api", "javascript", "tooling/bench"];
    let parts = parts.map(str::to_owned).into_iter().chain(crates);
    let mut readmes: Vec<String> = parts.map(|part| format!("{part}/README.md")).collect();
    readmes.push("docs/design/measurements.md".into());
    for page in others.into_iter().chain(readmes.iter().map(String::as_str)) {
        check_links(&repository.join(page));
    }
}

/// The map names files by whole paths, so that a reader can open each of them.
#[test]
fn paths_in_the_architecture_exist() {
    let repository = support::repository();
    let page = fs::read_to_string(repository.join("ARCHITECTURE.md")).expect("it is there");
    // Every other part is a diagram.
    let text: String = page.split("```").step_by(2).collect();
    let paths: Vec<&str> =
        text.split('`').skip(1).step_by(2).filter(|span| is_path(span)).collect();
    assert!(paths.len() > 50, "{} paths", paths.len());
    for path in paths {
        assert!(repository.join(path).exists(), "{path}");
    }
}

/// Whether code in a text is a path of the repository: `shell.c` and `.cwasm` are not, `grants.rs` is, and is incomplete.
fn is_path(span: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
    let is_ours =
        [".rs", ".wit", ".py", ".md", ".toml"].iter().any(|ending| span.ends_with(ending));
    span.chars().all(is_letter)
        && !span.starts_with(['/', '.', '-'])
        && (span.contains('/') || is_ours)
}

/// Fails unless each link of the page leads to something of the repository, and to a part that it has.
#[track_caller]
fn check_links(page: &Path) {
    let read = |path: &Path| fs::read_to_string(path).expect("it is there");
    let directory = page.parent().expect("it is in a directory");
    for link in read(page).split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
        if link.starts_with("https://") {
            continue;
        }
        let (file, part) = link.split_once('#').unwrap_or((link, ""));
        let target = if file.is_empty() { page.to_owned() } else { directory.join(file) };
        assert!(target.exists(), "{}: {link}", page.display());
        let has =
            |text: String| text.lines().any(|line| line.starts_with('#') && slug(line) == part);
        assert!(part.is_empty() || has(read(&target)), "{}: {link}", page.display());
    }
}

/// The name of a heading in a link.
fn slug(heading: &str) -> String {
    let text = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = text.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}
