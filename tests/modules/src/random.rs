//! A random module.

use anyhow::Result;
use arbitrary::Unstructured;
use wasm_encoder::{ImportSection, TypeSection, ValType};
use wasm_smith::{Config, Module};

use crate::joined::{MEMORY_BYTES, TABLE_SLOTS};

/// How often loops and functions may begin in an instance, before the module traps.
const FUEL: u32 = 1000;

/// The functions of the module `host` that modules may import, by their names `0`, `1`, …: the last one has more
/// arguments than there are registers.
const IMPORTS: [(&[ValType], &[ValType]); 4] = [
    (&[], &[]),
    (&[ValType::I32], &[ValType::I32]),
    (&[ValType::I64, ValType::F64, ValType::F32], &[ValType::F64]),
    (
        &[
            ValType::I32,
            ValType::I64,
            ValType::I32,
            ValType::I64,
            ValType::F64,
            ValType::I32,
            ValType::I64,
        ],
        &[ValType::I64],
    ),
];

/// The module of a seed. Seeds differ in the operators that are used, so that each gets its chance.
pub fn module(seed: u64) -> Result<Vec<u8>> {
    let mut random = Random(seed);
    let kind = random.next();
    let has = |bit: u32| kind >> bit & 1 == 1;
    let config = Config {
        // What engines of ours do not switch on, or our components do not have.
        custom_page_sizes_enabled: false,
        exceptions_enabled: false,
        extended_const_enabled: false,
        gc_enabled: false,
        memory64_enabled: false,
        reference_types_enabled: false,
        relaxed_simd_enabled: false,
        tail_call_enabled: false,
        threads_enabled: false,
        wide_arithmetic_enabled: false,
        compact_imports_enabled: false,
        // Of several modules together one start would remain.
        allow_start_export: false,
        available_imports: Some(imports()),
        export_everything: true,
        // Engines may differ in the bits of NaN.
        canonicalize_nans: true,
        allow_floats: has(0),
        simd_enabled: has(1),
        disallow_traps: has(2),
        multi_value_enabled: has(3) && has(4),
        min_funcs: 1,
        max_funcs: 6,
        max_globals: 6,
        max_instructions: if has(5) { 100 } else { 300 },
        max_types: 12,
        max_data_segments: 4,
        max_element_segments: 4,
        max_elements: TABLE_SLOTS as usize,
        max_memory32_bytes: MEMORY_BYTES,
        max_table_elements: TABLE_SLOTS,
        ..Config::default()
    };
    let bytes = random.bytes(512 << (kind >> 8 & 3));
    let mut module = Module::new(config, &mut Unstructured::new(&bytes))?;
    module.ensure_termination(FUEL)?;
    Ok(module.to_bytes())
}

/// A module with the imports that there are.
pub fn imports() -> Vec<u8> {
    let (mut types, mut imports) = (TypeSection::new(), ImportSection::new());
    for (index, (parameters, results)) in (0..).zip(IMPORTS) {
        types.ty().function(parameters.iter().copied(), results.iter().copied());
        imports.import("host", &index.to_string(), wasm_encoder::EntityType::Function(index));
    }
    let mut module = wasm_encoder::Module::new();
    module.section(&types).section(&imports);
    module.finish()
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    fn bytes(&mut self, count: usize) -> Vec<u8> {
        let words = std::iter::repeat_with(|| self.next().to_le_bytes());
        words.flatten().take(count).collect()
    }
}
