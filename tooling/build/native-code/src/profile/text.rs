//! The text of a profile, one line for each function, by their names:
//!
//! ```text
//! NAME <tab> SHAPE CALLS BRANCH...      called
//! NAME                                  never called
//! ```
//!
//! A branch is the count of each way with `/` between, without zeros: `12/3`, `7/8//5`. `34e5` is a count with
//! five zeros. Conditions that went one way are letters without spaces: `t` always held, `f` never, `-` was not
//! reached; `f3` is three of them.

use std::fmt::{self, Display, Write};

use anyhow::{Context, Result, bail, ensure};

use super::{Counted, Counts, Profile};

/// The most branches that a function can have: WebAssembly's limit for a body, in bytes.
const MAX_BRANCHES: usize = 7_654_321;

/// Conditions that went one way; how often is not kept.
const LETTERS: [(char, [u64; 2]); 3] = [('t', [1, 0]), ('f', [0, 1]), ('-', [0, 0])];

impl Profile {
    /// Read a profile.
    ///
    /// # Errors
    ///
    /// With the number of the first line that is wrong.
    pub fn parse(text: &str) -> Result<Self> {
        let mut profile = Self::default();
        for (number, line) in text.lines().enumerate() {
            if line.starts_with('#') || line.is_empty() {
                continue;
            }
            let (name, counts) = line.split_once('\t').unwrap_or((line, ""));
            let counted = counted(counts);
            let counted = counted.with_context(|| format!("line {} of the profile", number + 1))?;
            profile.functions.entry(name.to_owned()).or_default().push(counted);
        }
        Ok(profile)
    }
}

fn counted(text: &str) -> Result<Counted> {
    let mut words = text.split_ascii_whitespace();
    let Some(shape) = words.next() else { return Ok(Counted::Never) };
    let hash = u32::from_str_radix(shape, 16).context("the shape is not a number")?;
    let calls = count(words.next().context("the number of calls is missing")?)?;
    let mut branches = Vec::new();
    for word in words {
        if word.starts_with(LETTERS.map(|(letter, _)| letter)) {
            letters(word, &mut branches)?;
        } else {
            branches.push(word.split('/').map(count).collect::<Result<Vec<_>>>()?);
        }
        ensure!(branches.len() <= MAX_BRANCHES, "there are too many branches");
    }
    Ok(Counted::Called(hash, Counts { calls, branches }))
}

/// Branches that went one way.
fn letters(mut word: &str, branches: &mut Vec<Vec<u64>>) -> Result<()> {
    while let Some(letter) = word.chars().next() {
        let known = LETTERS.iter().find(|(known, _)| *known == letter);
        let Some((_, counts)) = known else {
            bail!("`{}` is not a branch", letter.escape_default())
        };
        let rest = &word[letter.len_utf8()..];
        let digits = rest.len() - rest.trim_start_matches(|it: char| it.is_ascii_digit()).len();
        let times = match &rest[..digits] {
            "" => 1,
            digits => digits.parse().context("a number of branches is wrong")?,
        };
        let all = branches.len().saturating_add(times);
        ensure!(all <= MAX_BRANCHES, "there are too many branches");
        branches.resize(all, counts.to_vec());
        word = &rest[digits..];
    }
    Ok(())
}

/// Zero is empty.
fn count(text: &str) -> Result<u64> {
    if text.is_empty() {
        return Ok(0);
    }
    let (digits, zeros) = text.split_once('e').unwrap_or((text, "0"));
    let digits: u64 = digits.parse().context("a count is not a number")?;
    let unit = zeros.parse().ok().and_then(|zeros| 10_u64.checked_pow(zeros));
    unit.and_then(|unit| digits.checked_mul(unit)).context("a count is too large")
}

impl Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, functions) in &self.functions {
            for function in functions {
                f.write_str(name)?;
                if let Counted::Called(hash, counts) = function {
                    write!(f, "\t{hash:x} {}", Count(counts.calls))?;
                    write_branches(&counts.branches, f)?;
                }
                f.write_char('\n')?;
            }
        }
        Ok(())
    }
}

fn write_branches(branches: &[Vec<u64>], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let mut after_letter = false;
    let same = |a: &Vec<u64>, b: &Vec<u64>| a == b && letter(a).is_some();
    for run in branches.chunk_by(same) {
        if !after_letter || letter(&run[0]).is_none() {
            f.write_char(' ')?;
        }
        after_letter = letter(&run[0]).is_some();
        match (letter(&run[0]), run.len()) {
            (Some(letter), 1) => f.write_char(letter)?,
            (Some(letter), times) => write!(f, "{letter}{times}")?,
            (None, _) => write_counts(&run[0], f)?,
        }
    }
    Ok(())
}

fn letter(branch: &[u64]) -> Option<char> {
    LETTERS.iter().find(|(_, counts)| branch == counts).map(|(letter, _)| *letter)
}

fn write_counts(counts: &[u64], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    for (way, count) in counts.iter().enumerate() {
        if way > 0 {
            f.write_char('/')?;
        }
        // A table with a default alone is still a word.
        match (counts.len(), count) {
            (1, 0) => f.write_char('0')?,
            _ => write!(f, "{}", Count(*count))?,
        }
    }
    Ok(())
}

struct Count(u64);

impl Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mut digits, mut zeros) = (self.0, 0);
        while digits > 0 && digits.is_multiple_of(10) {
            (digits, zeros) = (digits / 10, zeros + 1);
        }
        match (digits, zeros) {
            (0, _) => Ok(()),
            (_, 0..2) => write!(f, "{}", self.0),
            _ => write!(f, "{digits}e{zeros}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_is_read_as_it_was_written() {
        let text = "a b<c>::{d}\t1f 12e3 5/ f t2f-12 /3/4e17 0 3 99\n\
                    never\nnever\nsame\t2 1\nsame\t3 1\n";
        // One way of two, and of a condition zero and one, are letters.
        let expected = "a b<c>::{d}\t1f 12e3 5/ ft2f-12 /3/4e17 0 3 99\n\
                        never\nnever\nsame\t2 1\nsame\t3 1\n";
        let profile = Profile::parse(text).unwrap();
        assert_eq!(profile.to_string(), expected);
        assert_eq!(Profile::parse(expected).unwrap(), profile);
    }

    #[test]
    fn the_profile_of_the_shell_is_as_it_would_be_written() {
        let text = super::super::OF_SHELL;
        assert!(text.len() <= 300_000, "{} bytes", text.len());
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        let lines: String = lines.flat_map(|line| [line, "\n"]).collect();
        assert_eq!(Profile::of_shell().unwrap().to_string(), lines);
    }

    #[test]
    fn each_wrong_line_is_refused_with_its_number() {
        for line in [
            "name\tshape 1",
            "name\t1ffffffff 1",
            "name\t1",
            "name\t1 ",
            "name\t1 x",
            "name\t1 -1",
            "name\t1 1 5/x",
            "name\t1 1 1.5",
            "name\t1 1 5e99",
            "name\t1 1 5e18446744073709551616",
            "name\t1 1 18446744073709551616/",
            "name\t1 1 f18446744073709551616",
            "name\t1 1 f7654322",
            "name\t1 1 f7654321t",
            "name\t1 1 fx",
            "name\t1 1 f\u{1f600}",
        ] {
            let error = Profile::parse(&format!("# a comment\nfine\n{line}\n")).unwrap_err();
            assert_eq!(error.to_string(), "line 3 of the profile", "{line}");
        }
    }
}
