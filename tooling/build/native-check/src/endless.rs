//! The functions that never return: no way through their code leads to `ret`.
//!
//! That is decided by the code alone. First none returns, and those from which a way is found do, until
//! no more are found. A way goes on behind a call if the function that is called returns.

use std::collections::BTreeSet;

use iced_x86::FlowControl;

use crate::code::Code;
use crate::facts::Role;

/// The starts of the functions that never return, if all ways through them stay inside.
pub fn endless(code: &Code<'_>) -> BTreeSet<u32> {
    let functions = code.pieces().filter(|piece| matches!(piece.role, Role::Function { .. }));
    let mut endless: BTreeSet<u32> = functions.map(|piece| piece.start).collect();
    loop {
        let starts = endless.iter().copied();
        let found: Vec<u32> = starts.filter(|start| returns(code, *start, &endless)).collect();
        if found.is_empty() {
            return endless;
        }
        found.iter().for_each(|start| {
            endless.remove(start);
        });
    }
}

fn returns(code: &Code<'_>, start: u32, endless: &BTreeSet<u32>) -> bool {
    let (mut open, mut seen) = (vec![start], BTreeSet::new());
    while let Some(at) = open.pop() {
        let Some(instruction) = code.at(at).filter(|_| seen.insert(at)) else { continue };
        let next = instruction.next_ip() as u32;
        match instruction.flow_control() {
            FlowControl::Next | FlowControl::IndirectCall => open.push(next),
            FlowControl::Call => {
                let target = instruction.near_branch64();
                let is_endless = u32::try_from(target).is_ok_and(|it| endless.contains(&it));
                if !is_endless {
                    open.push(next);
                }
            }
            FlowControl::UnconditionalBranch => {
                open.extend(u32::try_from(instruction.near_branch64()))
            }
            FlowControl::ConditionalBranch => {
                open.push(next);
                open.extend(u32::try_from(instruction.near_branch64()));
            }
            // It may lead anywhere in the function.
            FlowControl::IndirectBranch => {
                open.extend(code.piece(start).iter().map(|it| it.ip() as u32));
            }
            FlowControl::Exception | FlowControl::Interrupt => {}
            _ => return true,
        }
    }
    false
}
