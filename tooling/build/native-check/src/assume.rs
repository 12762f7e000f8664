//! What a condition says of the values that were compared.

use iced_x86::ConditionCode;

use crate::number::Range;
use crate::state::{Comparison, State};
use crate::value::{Cell, Name, Value};

/// The opposite of a condition.
pub fn opposite(condition: ConditionCode) -> ConditionCode {
    use ConditionCode::{a, ae, b, be, e, g, ge, l, le, ne, no, np, ns, o, p, s};
    match condition {
        ConditionCode::None => ConditionCode::None,
        o => no,
        no => o,
        b => ae,
        ae => b,
        e => ne,
        ne => e,
        be => a,
        a => be,
        s => ns,
        ns => s,
        p => np,
        np => p,
        l => ge,
        ge => l,
        le => g,
        g => le,
    }
}

/// Add to the state that a condition holds. False if it cannot.
pub fn assume(state: &mut State, condition: ConditionCode) -> bool {
    use ConditionCode::{a, ae, b, be, e, g, ge, l, le, ne, ns, s};
    let Some(comparison) = state.flags.clone() else { return true };
    let Comparison { bits, sides: [left, right], only_equality } = comparison;
    let has_order = !only_equality;
    let is_zero = right.value.as_constant() == Some(0);
    match condition {
        e => equal(state, bits, &left, &right),
        ne => unequal(state, bits, &left, &right) && unequal(state, bits, &right, &left),
        b if has_order => below(state, bits, &left, &right, true),
        be if has_order => below(state, bits, &left, &right, false),
        a if has_order => below(state, bits, &right, &left, true),
        ae if has_order => below(state, bits, &right, &left, false),
        l if has_order => less(state, bits, &left, &right, true),
        le if has_order => less(state, bits, &left, &right, false),
        g if has_order => less(state, bits, &right, &left, true),
        ge if has_order => less(state, bits, &right, &left, false),
        s if is_zero => less(state, bits, &left, &right, true),
        ns if is_zero => less(state, bits, &right, &left, false),
        _ => true,
    }
}

fn refine(state: &mut State, side: &Cell, bits: u32, low: i64, high: i64) -> bool {
    low <= high && side.name.is_none_or(|name| state.refine(name, bits, Range { low, high }))
}

/// `left` is below `right` without signs, or perhaps equal.
fn below(state: &mut State, bits: u32, left: &Cell, right: &Cell, strict: bool) -> bool {
    if let (Value::StackLimit, Value::Stack(offset), 64) = (left.value, right.value, bits) {
        // At least here the stack is above its limit.
        let before = state.checked.unwrap_or(offset);
        state.checked = Some(before.min(offset));
        return true;
    }
    let (a, b) = (left.value.number().range(bits), right.value.number().range(bits));
    let least = i64::from(strict);
    // Integers of 64 bits are signed here: a negative one stands for a large unsigned one.
    if b.low < 0 {
        return true;
    }
    let possible =
        refine(state, left, bits, a.low.max(0), a.high.min(b.high.saturating_sub(least)));
    possible
        && (a.low < 0 || refine(state, right, bits, b.low.max(a.low.saturating_add(least)), b.high))
}

/// `left` is less than `right` with signs, or perhaps equal.
fn less(state: &mut State, bits: u32, left: &Cell, right: &Cell, strict: bool) -> bool {
    let (a, b) = (left.value.number().range(bits), right.value.number().range(bits));
    let least = i64::from(strict);
    if bits == 64 {
        return refine(state, left, bits, a.low, a.high.min(b.high.saturating_sub(least)))
            && refine(state, right, bits, b.low.max(a.low.saturating_add(least)), b.high);
    }
    let half = 1 << (bits - 1);
    let is_positive = |range: Range| range.high < half;
    let mut possible = true;
    if is_positive(a) && is_positive(b) {
        possible = refine(state, left, bits, a.low, a.high.min(b.high - least));
    }
    if is_positive(a) {
        possible =
            possible && refine(state, right, bits, b.low.max(a.low + least), b.high.min(half - 1));
    }
    if strict && a == Range::one(2 * half - 1) {
        // More than -1.
        possible = possible && refine(state, right, bits, b.low, b.high.min(half - 1));
    }
    possible
}

fn equal(state: &mut State, bits: u32, left: &Cell, right: &Cell) -> bool {
    for (one, other) in [(left, right), (right, left)] {
        if let (Value::Type(ty), Value::ReferenceType(reference)) = (one.value, other.value)
            && bits == 32
        {
            has_type(state, reference, ty);
            return true;
        }
    }
    let (a, b) = (left.value.number().range(bits), right.value.number().range(bits));
    let (low, high) = (a.low.max(b.low), a.high.min(b.high));
    if matches!((left.value, right.value), (Value::Number(_), Value::Number(_))) {
        return refine(state, left, bits, low, high) && refine(state, right, bits, low, high);
    }
    true
}

/// `left` is not `right`, if that is a constant.
fn unequal(state: &mut State, bits: u32, left: &Cell, right: &Cell) -> bool {
    let Value::Number(number) = right.value else { return true };
    let constant = number.range(bits);
    if constant.low != constant.high {
        return true;
    }
    let Some(name) = left.name else { return true };
    match left.value {
        Value::Number(number) => {
            let mut range = number.range(bits);
            if range.low == constant.low {
                range.low += 1;
            }
            if range.high == constant.low {
                range.high -= 1;
            }
            range.low <= range.high && state.refine(name, bits, range)
        }
        Value::Reference { .. } if constant.low == 0 && bits == 64 => {
            state.learn(|cell| {
                if cell.name == Some(name)
                    && let Value::Reference { null, .. } = &mut cell.value
                {
                    *null = false;
                }
            });
            true
        }
        _ => true,
    }
}

/// The reference with this name has a type.
fn has_type(state: &mut State, reference: Name, compared: u32) {
    state.learn(|cell| match &mut cell.value {
        Value::Reference { ty, .. } if cell.name == Some(reference) => *ty = Some(compared),
        Value::ReferenceCode(name, ty) if *name == reference => *ty = Some(compared),
        _ => {}
    });
}
