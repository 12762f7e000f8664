//! All functions: what is known of their arguments is what holds in all calls.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, bail, ensure};

use crate::code::Code;
use crate::depths::Depths;
use crate::endless::endless;
use crate::facts::{Report, Role, Subject};
use crate::function::{Arguments, Call, Outcome, follow};
use crate::instructions;
use crate::number::Steps;
use crate::thunks;
use crate::value::Value;

/// How many states are kept apart where ways meet, in a function that cannot be proved with one.
const MANY_STATES: usize = 4;

/// How often helpers may call helpers.
const MAX_DEPTH: usize = 4;

/// Prove what the functions of an image access, or list those for which that is not possible.
///
/// # Errors
///
/// When what is not a function of the module cannot be proved.
pub fn verify(subject: &Subject<'_>) -> Result<Report> {
    let far = instructions::check(subject.code, subject.text)?;
    let code = Code::new(subject)?;
    let endless = endless(&code);
    let (helpers, results) = (BTreeMap::new(), BTreeMap::new());
    let mut program = Program { code: &code, helpers, results, endless, far, depth: 0, states: 1 };
    let entries = program.entries()?;
    let functions = program.functions();
    Ok(Report { entries, ..program.report(functions)? })
}

type Key = (u32, [String; 6]);

struct Program<'a> {
    code: &'a Code<'a>,
    /// What is known of helpers, by their starts and arguments.
    helpers: BTreeMap<Key, Outcome>,
    /// What functions return, where something is known of it.
    results: BTreeMap<u32, Value>,
    /// The functions that never return.
    endless: BTreeSet<u32>,
    /// The instructions with a constant that passes the guard.
    far: BTreeSet<u32>,
    depth: usize,
    /// How many states are kept apart if one does not suffice.
    states: usize,
}

fn key(start: u32, arguments: &Arguments) -> Key {
    (start, arguments.map(|value| format!("{value:?}")))
}

/// What is known when a function is called from outside.
fn from_outside() -> Arguments {
    let mut arguments = [Value::ANY; 6];
    arguments[0] = Value::Context(0);
    arguments
}

impl Program<'_> {
    /// What is found of each function, with what they return: that is what they return if all do
    /// so that are called before.
    fn functions(&mut self) -> BTreeMap<u32, Outcome> {
        let mut outcomes = self.settled(true);
        self.states = MANY_STATES;
        let known = outcomes.iter().filter(|(_, outcome)| outcome.refused.is_empty());
        let known = known.filter_map(|(start, outcome)| Some((*start, outcome.result?)));
        self.results = known.filter(|(_, result)| *result != Value::ANY).collect();
        loop {
            self.helpers.clear();
            outcomes = self.settled(false);
            let before = self.results.len();
            self.results.retain(|start, known| {
                let found = outcomes.get(start).and_then(|outcome| outcome.result);
                found.is_none_or(|found| known.joined(&found, None) == *known)
            });
            if self.results.len() == before {
                return outcomes;
            }
        }
    }

    /// Where functions begin that are called from outside. All pieces of assembler are what they
    /// are to be.
    fn entries(&self) -> Result<BTreeMap<u32, u32>> {
        let mut entries = BTreeMap::new();
        for piece in self.code.pieces() {
            let is_right = match piece.role {
                Role::Inward { index, count } => {
                    let target = thunks::inward(self.code, piece.start, count);
                    let called = target.and_then(|target| self.code.role(target));
                    entries.insert(index, piece.start);
                    called == Some(Role::Function { index, outside: Some(count) })
                }
                Role::Outward { count } => thunks::is_outward(self.code, piece.start, count),
                Role::Slot { .. } => thunks::is_slot(self.code, piece.start),
                Role::Function { index, outside: Some(0) } => {
                    entries.insert(index, piece.start);
                    true
                }
                Role::Helper | Role::Function { .. } => true,
            };
            ensure!(is_right, "`{}` is not what it is to be", piece.name);
        }
        Ok(entries)
    }

    /// Follow the functions until what is known of their arguments holds in all calls.
    fn settled(&mut self, with_unproved: bool) -> BTreeMap<u32, Outcome> {
        let steps = Steps::near(std::iter::empty());
        let mut known: BTreeMap<u32, Arguments> = BTreeMap::new();
        let mut outcomes = BTreeMap::new();
        for piece in self.code.pieces() {
            if matches!(piece.role, Role::Function { outside: Some(_), .. }) {
                known.insert(piece.start, from_outside());
            }
        }
        let mut open: BTreeSet<u32> = known.keys().copied().collect();
        while let Some(start) = open.pop_first() {
            let outcome = self.follow(start, &known[&start]);
            // In the end nothing is known of a function that is left out.
            let counts = with_unproved || outcome.refused.is_empty();
            let calls = outcome.calls.iter().filter(|_| counts);
            for call in calls {
                let Some(callee) = call.callee else { continue };
                if self.code.role(callee) == Some(Role::Helper) {
                    continue;
                }
                let mut joined = call.arguments;
                if let Some(before) = known.get(&callee) {
                    for (argument, before) in joined.iter_mut().zip(before) {
                        *argument = before.joined(argument, Some(&steps));
                    }
                }
                if known.insert(callee, joined) != Some(joined) {
                    open.insert(callee);
                }
            }
            outcomes.insert(start, outcome);
        }
        outcomes
    }

    fn follow(&mut self, start: u32, arguments: &Arguments) -> Outcome {
        let code = self.code;
        let mut outcome = Outcome::default();
        for states in [1, self.states] {
            let mut called = |callee, arguments| self.called(callee, arguments);
            outcome = follow(code, start, arguments, states, &mut called);
            if outcome.refused.is_empty() || self.states == 1 {
                break;
            }
        }
        let far = self.far.range(start..code.end(start));
        let far = far.map(|place| ((*place).into(), "its offset passes the guard".to_owned()));
        outcome.refused.extend(far);
        outcome
    }

    /// What a function returns if it is called with these arguments; none if it does not return.
    fn called(&mut self, start: u32, arguments: Arguments) -> Option<Value> {
        if self.code.role(start) != Some(Role::Helper) {
            let result = self.results.get(&start).copied().unwrap_or(Value::ANY);
            return (!self.endless.contains(&start)).then_some(result);
        }
        let key = key(start, &arguments);
        if let Some(outcome) = self.helpers.get(&key) {
            return Some(outcome.result.unwrap_or(Value::ANY));
        }
        let outcome = if self.depth < MAX_DEPTH {
            self.depth += 1;
            let outcome = self.follow(start, &arguments);
            self.depth -= 1;
            outcome
        } else {
            let refused = vec![(start.into(), "helpers call each other too often".to_owned())];
            Outcome { refused, ..Outcome::default() }
        };
        let result = outcome.result.unwrap_or(Value::ANY);
        self.helpers.insert(key, outcome);
        Some(result)
    }

    fn report(mut self, functions: BTreeMap<u32, Outcome>) -> Result<Report> {
        let mut report = Report::default();
        let name = |start: u32| {
            let piece = self.code.pieces().find(|piece| piece.start == start);
            piece.map_or(String::new(), |piece| piece.name.clone())
        };
        self.forget_others(&functions);
        for ((start, _), outcome) in &self.helpers {
            if let Some((place, reason)) = outcome.refused.first() {
                bail!("`{}`, at {place:#x}: {reason}", name(*start));
            }
        }
        let helpers = self.helpers.iter().map(|((start, _), outcome)| (*start, outcome));
        let all: Vec<_> = functions.iter().map(|(start, it)| (*start, it)).chain(helpers).collect();
        let depths = Depths::of(&all);
        for piece in self.code.pieces() {
            let Role::Function { index, outside } = piece.role else { continue };
            let outcome = functions.get(&piece.start);
            let reason = outcome.and_then(|outcome| {
                let first = outcome.refused.first();
                first
                    .map(|(place, reason)| format!("at {place:#x}: {reason}"))
                    .or_else(|| self.arguments(outcome, outside, &functions))
                    .or_else(|| depths.reason(piece.start, outcome, outside))
            });
            match reason {
                Some(reason) => {
                    report.unproved.insert(index, reason);
                }
                None => {
                    report.proved.insert(index);
                }
            }
        }
        for ((start, _), outcome) in &self.helpers {
            let reason = depths.reason(*start, outcome, None);
            let reason = reason.or_else(|| self.arguments(outcome, None, &functions));
            // What is known of arguments is only that of calls that functions make.
            let is_function =
                |call: &Call| call.callee.is_some_and(|it| functions.contains_key(&it));
            let calls = outcome.calls.iter().any(is_function);
            let reason = reason.or_else(|| calls.then(|| "it calls a function".to_owned()));
            ensure!(reason.is_none(), "`{}`: {}", name(*start), reason.unwrap_or_default());
        }
        report.below_limit = depths.largest();
        Ok(report)
    }

    /// Only what helpers are called with in the end counts.
    fn forget_others(&mut self, functions: &BTreeMap<u32, Outcome>) {
        let calls = |outcome: &Outcome| {
            let calls = outcome.calls.iter();
            let keys = calls.filter_map(|call| Some(key(call.callee?, &call.arguments)));
            keys.collect::<Vec<_>>()
        };
        let counted = functions.values().filter(|outcome| outcome.refused.is_empty());
        let mut open: Vec<Key> = counted.flat_map(calls).collect();
        let mut used = BTreeSet::new();
        while let Some(key) = open.pop() {
            if let Some(outcome) = self.helpers.get(&key)
                && !used.contains(&key)
            {
                open.extend(calls(outcome));
                used.insert(key);
            }
        }
        self.helpers.retain(|key, _| used.contains(key));
    }

    /// Arguments on the stack are in the frame of the caller.
    fn arguments(
        &self,
        outcome: &Outcome,
        outside: Option<usize>,
        functions: &BTreeMap<u32, Outcome>,
    ) -> Option<String> {
        if outside.is_some_and(|count| outcome.incoming > 8 * count as i64) {
            return Some("it reads more arguments than it has".to_owned());
        }
        let incoming = |callee: u32| {
            let helpers = self.helpers.iter().filter(|((start, _), _)| *start == callee);
            let helpers = helpers.map(|(_, outcome)| outcome.incoming).max().unwrap_or(0);
            functions.get(&callee).map_or(helpers, |outcome| outcome.incoming)
        };
        let is_wrong = outcome
            .calls
            .iter()
            .any(|call| call.callee.is_some_and(|callee| incoming(callee) > call.frame));
        is_wrong.then(|| "it calls with arguments outside of its frame".to_owned())
    }
}
