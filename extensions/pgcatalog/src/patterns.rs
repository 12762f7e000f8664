//! Regular expressions as PostgreSQL writes them, and what it does with their matches: the longest of those that begin first.

mod functions;
mod like;
mod syntax;

use std::cell::RefCell;
use std::ops::Range;

use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::util::syntax::Config as Syntax;
use regex_automata::{Anchored, Input, MatchKind};
use regexes::{Captures, Regex};
use sqlite_wasm_kit::{Error, Result};

pub use functions::SCALARS;
pub use like::matches;
use syntax::Options;

/// How many compiled patterns are kept: as many as a statement may well have. A pattern can come from a column, each row
/// with another.
const KEPT: usize = 16;

/// The size of a compiled pattern, and of each of its automata, in bytes. All that are kept together have 48 MiB at most of
/// the memory of the extension.
const MAX_SIZE: usize = 1 << 20;

thread_local! {
    /// The last used at the end.
    static COMPILED: RefCell<Vec<Pattern>> = const { RefCell::new(Vec::new()) };
}

/// A compiled pattern.
pub struct Pattern {
    source: String,
    regex: Regex,
    /// The automaton that finds the longest match, made on first use.
    longest: Option<(DFA, Cache)>,
    /// Whether it prefers short matches somewhere, or has alternatives, where its groups would be others than PostgreSQL's.
    has_lazy: bool,
    has_alternatives: bool,
}

/// Use a pattern, compiled now or before.
pub fn with<R>(
    pattern: &str,
    options: Options,
    act: impl FnOnce(&mut Pattern) -> Result<R>,
) -> Result<R> {
    check_length(pattern)?;
    with_source(syntax::of_regular(pattern, options)?, act)
}

/// A longer one would need more memory while it is compiled than an extension has.
const MAX_PATTERN: usize = 16 << 10;

fn check_length(pattern: &str) -> Result<()> {
    if pattern.len() > MAX_PATTERN {
        let message = format!("54000: a regular expression has at most {MAX_PATTERN} bytes here");
        return Err(message.into());
    }
    Ok(())
}

fn with_source<R>(
    source: syntax::Source,
    act: impl FnOnce(&mut Pattern) -> Result<R>,
) -> Result<R> {
    COMPILED.with_borrow_mut(|compiled| {
        match compiled.iter().rposition(|known| known.source == source.text) {
            Some(place) => compiled[place..].rotate_left(1),
            None => {
                let pattern = Pattern::new(source)?;
                if compiled.len() == KEPT {
                    compiled.remove(0);
                }
                compiled.push(pattern);
            }
        }
        let last = compiled.len() - 1;
        act(&mut compiled[last])
    })
}

fn unsupported(what: &str) -> Error {
    format!("0A000: a regular expression with {what} is not supported").into()
}

impl Pattern {
    fn new(source: syntax::Source) -> Result<Self> {
        let regex = regexes::RegexBuilder::new(&source.text)
            .size_limit(MAX_SIZE)
            .dfa_size_limit(MAX_SIZE)
            .build();
        let regex = regex.map_err(|error| {
            if matches!(error, regexes::Error::CompiledTooBig(_)) {
                return Error::from("54000: the regular expression is too large");
            }
            // The crate's text draws the pattern on several lines; its last says why.
            let text = error.to_string();
            let reason = text.lines().last().unwrap_or_default().trim_start_matches("error: ");
            Error::from(format!("2201B: invalid regular expression: {reason}"))
        })?;
        Ok(Self {
            source: source.text,
            regex,
            longest: None,
            has_lazy: source.has_lazy,
            has_alternatives: source.has_alternatives,
        })
    }

    pub fn is_match(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }

    /// The match that begins first at or after this offset, and is the longest of those.
    pub fn find(&mut self, text: &str, from: usize) -> Result<Option<Range<usize>>> {
        let Some(first) = self.regex.find_at(text, from) else { return Ok(None) };
        if self.has_lazy {
            return Err(unsupported("*?, +? or ??, whose match is replaced or returned,"));
        }
        let input = Input::new(text).range(first.start()..).anchored(Anchored::Yes);
        let (automaton, cache) = self.longest()?;
        match automaton.try_search_fwd(cache, &input) {
            Ok(Some(end)) => Ok(Some(first.start()..end.offset())),
            // The automaton does not know where words of other letters end.
            _ if self.has_alternatives => Err(unsupported("alternatives beside such letters")),
            _ => Ok(Some(first.range())),
        }
    }

    fn longest(&mut self) -> Result<&mut (DFA, Cache)> {
        if self.longest.is_none() {
            let config = DFA::config()
                .match_kind(MatchKind::All)
                .unicode_word_boundary(true)
                .skip_cache_capacity_check(true)
                .cache_capacity(MAX_SIZE);
            let automaton =
                DFA::builder().configure(config).syntax(Syntax::new()).build(&self.source);
            let automaton = automaton.map_err(|_| unsupported("so many states"))?;
            let cache = automaton.create_cache();
            self.longest = Some((automaton, cache));
        }
        self.longest.as_mut().ok_or_else(|| unsupported("so many states"))
    }

    /// The same with its groups.
    pub fn groups<'t>(&mut self, text: &'t str, from: usize) -> Result<Option<Captures<'t>>> {
        let Some(found) = self.find(text, from)? else { return Ok(None) };
        let groups = self.regex.captures_at(text, from);
        let is_same = groups.as_ref().is_some_and(|groups| groups.get_match().range() == found);
        let has_groups = self.regex.captures_len() > 1;
        if has_groups && (!is_same || self.has_alternatives) {
            Err(unsupported("groups beside alternatives"))
        } else if is_same {
            Ok(groups)
        } else {
            Err(unsupported("this match"))
        }
    }

    /// How many groups it has.
    pub fn group_count(&self) -> usize {
        self.regex.captures_len() - 1
    }
}
