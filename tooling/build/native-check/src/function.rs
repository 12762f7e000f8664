//! One function: what is known at each of its instructions, by following all ways through it.

mod calls;

use std::collections::{BTreeMap, BTreeSet};

use iced_x86::{FlowControl, Instruction, Register};

use crate::access::{self, Ground};
use crate::assume::{assume, opposite};
use crate::code::Code;
use crate::number::Steps;
use crate::state::{SAVED, State};
use crate::step::Machine;
use crate::value::Value;

/// The values of arguments in registers.
pub type Arguments = [Value; 6];

/// A call that a function makes.
#[derive(Debug, Clone)]
pub struct Call {
    /// The function of the image, by its start; `None` for one outside.
    pub callee: Option<u32>,
    /// Whether it returns.
    pub returns: bool,
    /// What it is called with.
    pub arguments: Arguments,
    /// The caller's frame in bytes.
    pub frame: i64,
    /// What a piece of assembler between uses of the stack.
    pub between: i64,
    /// The frame where the stack was last found to be above its limit.
    pub checked: Option<i64>,
}

/// What was found of a function.
#[derive(Debug, Default)]
pub struct Outcome {
    /// What is not allowed, with its position.
    pub refused: Vec<(u64, String)>,
    /// Whether a way through it is not known.
    pub incomplete: bool,
    /// Its calls.
    pub calls: Vec<Call>,
    /// What it returns; none if it does not.
    pub result: Option<Value>,
    /// The largest frame, in bytes.
    pub frame: i64,
    /// How many bytes of arguments on the stack it reads.
    pub incoming: i64,
}

/// What a call of a function returns; none if it does not return.
pub type Callee<'h> = dyn FnMut(u32, Arguments) -> Option<Value> + 'h;

/// How often a position is reached before ranges widen.
const PATIENCE: u32 = 4;

/// The same before they do not stop at the constants of the function.
const LONG_PATIENCE: u32 = 40;

/// How often a position is reached before the function is given up.
const MAX_VISITS: u32 = 400;

struct Walk<'a, 'h> {
    code: &'a Code<'a>,
    machine: Machine<'a>,
    start: u32,
    end: u32,
    /// What is known where ways meet, one of some states, and how often they did.
    known: BTreeMap<u32, (Vec<State>, u32)>,
    /// How many states are kept apart.
    states: usize,
    open: BTreeSet<u32>,
    /// Positions where ways meet.
    leaders: BTreeSet<u32>,
    callee: &'h mut Callee<'h>,
    steps: Steps,
    sizes: Steps,
    outcome: Outcome,
    is_last: bool,
}

/// Follow all ways through the function at `start`, which is called with `arguments`.
pub fn follow<'h>(
    code: &Code<'_>,
    start: u32,
    arguments: &Arguments,
    states: usize,
    callee: &'h mut Callee<'h>,
) -> Outcome {
    let ground = Ground { code: code.bytes, text: code.text, facts: code.facts };
    let end = code.end(start);
    let mut walk = Walk {
        code,
        machine: Machine::new(ground),
        start,
        end,
        known: BTreeMap::new(),
        states,
        open: BTreeSet::new(),
        leaders: code.leaders(start, end),
        callee,
        steps: Steps::near(code.constants(start)),
        sizes: Steps::near(std::iter::empty()),
        outcome: Outcome::default(),
        is_last: false,
    };
    walk.run(arguments);
    let mut outcome = walk.outcome;
    outcome.refused = walk.machine.refused;
    outcome.incoming = walk.machine.incoming;
    outcome
}

impl Walk<'_, '_> {
    fn run(&mut self, arguments: &Arguments) {
        let entry = State::at_entry(arguments);
        self.reach(self.start, entry.clone());
        while let Some(at) = self.open.pop_first() {
            let Some((states, _)) = self.known.get(&at) else { continue };
            for state in states.clone() {
                self.block(at, state);
            }
            let is_endless = self.known.get(&at).is_some_and(|(_, visits)| *visits > MAX_VISITS);
            if is_endless {
                self.machine.refused =
                    vec![(at.into(), "what is known does not settle".to_owned())];
                self.outcome.incomplete = true;
                return;
            }
        }
        // Once more, with what holds always.
        self.machine.refused.clear();
        self.machine.incoming = 0;
        self.outcome = Outcome::default();
        self.is_last = true;
        self.reach(self.start, entry);
        for at in self.known.keys().copied().collect::<Vec<_>>() {
            for state in self.known[&at].0.clone() {
                self.block(at, state);
            }
        }
    }

    /// A way leads to a position, where this is known.
    fn reach(&mut self, at: u32, state: State) {
        if !self.leaders.contains(&at) {
            // The way to it must end there, so all starts again.
            self.leaders.insert(at);
            self.open.extend(self.known.keys().copied());
        }
        match self.known.get_mut(&at) {
            None => {
                if self.is_last {
                    self.machine
                        .refused
                        .push((at.into(), "a way to it was not followed".to_owned()));
                }
                self.known.insert(at, (vec![state], 1));
                self.open.insert(at);
            }
            Some((known, visits)) => {
                if known.iter().any(|known| known.holds_in(&state, at)) {
                    return;
                }
                if self.is_last {
                    let reason = "what is known does not hold".to_owned();
                    self.machine.refused.push((at.into(), reason));
                    return;
                }
                if known.len() < self.states {
                    known.push(state);
                } else if let Some(known) = known.last_mut() {
                    let steps = if *visits > LONG_PATIENCE { &self.sizes } else { &self.steps };
                    let steps = (*visits > PATIENCE).then_some(steps);
                    *known = known.joined(&state, at, steps);
                }
                *visits += 1;
                self.open.insert(at);
            }
        }
    }

    /// Follow a way from a position to the next ones where ways meet.
    fn block(&mut self, start: u32, mut state: State) {
        let mut at = start;
        loop {
            let Some(instruction) = self.code.at(at).filter(|_| at < self.end).copied() else {
                self.machine.refused.push((at.into(), "the function does not end".to_owned()));
                self.outcome.incomplete = true;
                return;
            };
            let goes_on = self.instruction(&mut state, &instruction);
            if let Some(pointer) = state.stack_pointer() {
                self.outcome.frame = self.outcome.frame.max(-pointer);
            }
            if !goes_on {
                return;
            }
            at = instruction.next_ip() as u32;
            if self.leaders.contains(&at) {
                return self.reach(at, state);
            }
        }
    }

    /// Whether the next instruction follows.
    fn instruction(&mut self, state: &mut State, instruction: &Instruction) -> bool {
        match instruction.flow_control() {
            FlowControl::Next => {
                self.machine.step(state, instruction);
                true
            }
            FlowControl::Exception | FlowControl::Interrupt => {
                self.machine.framed(state, instruction);
                false
            }
            FlowControl::Return => {
                self.returns(state, instruction);
                false
            }
            FlowControl::UnconditionalBranch => {
                self.jump(instruction, instruction.near_branch64().cast_signed(), state.clone());
                false
            }
            FlowControl::ConditionalBranch => {
                let condition = instruction.condition_code();
                let mut taken = state.clone();
                if assume(&mut taken, condition) {
                    self.jump(instruction, instruction.near_branch64().cast_signed(), taken);
                }
                assume(state, opposite(condition))
            }
            FlowControl::IndirectBranch => {
                self.table(state, instruction);
                false
            }
            FlowControl::Call | FlowControl::IndirectCall => self.call(state, instruction),
            _ => {
                self.leaves(instruction, "its flow is not known");
                false
            }
        }
    }

    fn jump(&mut self, instruction: &Instruction, target: i64, state: State) {
        match u32::try_from(target) {
            Ok(target)
                if (self.start..self.end).contains(&target) && self.code.at(target).is_some() =>
            {
                self.reach(target, state);
            }
            _ => self.leaves(instruction, "it leaves the function"),
        }
    }

    fn leaves(&mut self, instruction: &Instruction, reason: &str) {
        self.machine.refuse(instruction, reason);
        self.outcome.incomplete = true;
    }

    /// A jump by a table.
    fn table(&mut self, state: &mut State, instruction: &Instruction) {
        let operand = self.machine.operand(state, instruction);
        let Value::Target(range, place) = operand.value else {
            let value = operand.value;
            return self.leaves(instruction, &format!("it jumps to {value}"));
        };
        let targets: BTreeSet<i64> = access::distances(self.code.bytes, range)
            .map(|distance| distance.saturating_add(place))
            .collect();
        for target in targets {
            self.jump(instruction, target, state.clone());
        }
    }

    fn returns(&mut self, state: &State, instruction: &Instruction) {
        if instruction.op_count() != 0 || state.stack_pointer() != Some(0) {
            self.machine.refuse(instruction, "it returns from another place of the stack");
        }
        for register in SAVED {
            if state.get(register).value != Value::Saved(register) {
                self.machine.refuse(instruction, format!("{register:?} is not restored"));
            }
        }
        let value = portable(state.get(Register::RAX).value);
        let joined = self.outcome.result.map_or(value, |before| before.joined(&value, None));
        self.outcome.result = Some(joined);
    }
}

/// What means the same in another function.
fn portable(value: Value) -> Value {
    match value {
        Value::Stack(_) | Value::Saved(_) => Value::ANY,
        value if value.owner().is_some() => Value::ANY,
        value => value,
    }
}
