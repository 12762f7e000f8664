//! The opcodes as a C header.

use alloc::format;
use alloc::string::String;

use crate::{Opcode, POINTER_SUBTYPE};

/// Opcodes and the subtype of pointers as a C header. The tags of values are in the
/// bindings that C has of `types.value`.
pub fn c_header() -> String {
    let mut text = String::from("/* Generated from components/wire. */\n#pragma once\nenum {\n");
    for (name, opcode) in Opcode::ALL {
        text += &format!("  WORK{} = {},\n", upper_case(name), *opcode as u8);
    }
    text + &format!("}};\n#define POINTER_SUBTYPE {POINTER_SUBTYPE}\n")
}

/// `LastInsertRowId` as `_LAST_INSERT_ROW_ID`.
fn upper_case(name: &str) -> String {
    name.chars().fold(String::new(), |mut upper, letter| {
        if letter.is_ascii_uppercase() {
            upper.push('_');
        }
        upper.push(letter.to_ascii_uppercase());
        upper
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_header_has_each_opcode() {
        let header = super::c_header();
        assert!(header.contains("  WORK_WRITE = 0,\n  WORK_RESET = 1,\n"));
        assert!(
            header.contains("  WORK_KEEP = 20,\n  WORK_RUN = 21,\n  WORK_BIND_NEXT = 22,\n};\n")
        );
        assert!(header.ends_with("#define POINTER_SUBTYPE 112\n"));
    }
}
