//! Which instructions may trap: those with an address that is neither on the stack nor a constant
//! of the image.

use anyhow::{Result, ensure};
use iced_x86::{
    Decoder, DecoderOptions, Instruction, InstructionInfoFactory, Mnemonic, OpAccess, Register,
};
use sqlite_wasm_native::image::Trap;
use sqlite_wasm_native::pinned::trap::HEAP_OUT_OF_BOUNDS;

/// The explicit traps, and all instructions of `text` that access the memory.
///
/// # Errors
///
/// When something is not an instruction.
pub fn all(text: &[u8], explicit: Vec<Trap>) -> Result<Vec<Trap>> {
    let mut traps = explicit;
    let mut decoder = Decoder::with_ip(64, text, 0, DecoderOptions::NONE);
    let mut factory = InstructionInfoFactory::new();
    let mut instruction = Instruction::default();
    while decoder.can_decode() {
        decoder.decode_out(&mut instruction);
        ensure!(!instruction.is_invalid(), "there is no instruction at {:#x}", instruction.ip());
        if accesses_memory(&instruction, &mut factory) {
            traps.push(Trap { offset: u32::try_from(instruction.ip())?, code: HEAP_OUT_OF_BOUNDS });
        }
    }
    traps.sort_unstable();
    ensure!(traps.is_sorted_by(|a, b| a.offset < b.offset), "an instruction traps for two reasons");
    Ok(traps)
}

fn accesses_memory(instruction: &Instruction, factory: &mut InstructionInfoFactory) -> bool {
    if matches!(instruction.mnemonic(), Mnemonic::Lea | Mnemonic::Nop) {
        return false;
    }
    factory.info(instruction).used_memory().iter().any(|used| {
        let is_inside = matches!(used.base(), Register::RSP | Register::RBP | Register::RIP);
        // The base of an address in the image is resolved by the decoder.
        let is_constant = used.base() == Register::None && used.index() == Register::None;
        used.access() != OpAccess::NoMemAccess && !is_inside && !is_constant
    })
}
