//! What functions have in common: traps, the check of the stack, the table, copying.

use std::collections::BTreeSet;
use std::fmt::Write;

use anyhow::Result;
use sqlite_wasm_native::pinned::trap;

use super::Program;
use crate::types::Signature;

/// The attributes of every function: no exceptions, no red zone (signals), frame pointers for
/// backtraces, no function of a library, addresses near zero like others, and no assumption that a
/// loop ends (`mustprogress` is missing). The processor is the least that the image needs. Functions
/// of the module also keep their frames when they call: endless recursion ends by a trap.
const ATTRIBUTES: &str = "nounwind noredzone null_pointer_is_valid \
    \"frame-pointer\"=\"all\" \"no-builtins\" \"target-cpu\"=\"x86-64-v2\" \"tune-cpu\"=\"generic\"";

/// The traps that code has a check for.
const TRAPS: &[u8] = &[
    trap::STACK_OVERFLOW,
    trap::INTEGER_OVERFLOW,
    trap::HEAP_OUT_OF_BOUNDS,
    trap::DIVISION_BY_ZERO,
    trap::BAD_CONVERSION,
    trap::UNREACHABLE,
    trap::TABLE_OUT_OF_BOUNDS,
    trap::CALL_TO_NULL,
    trap::BAD_SIGNATURE,
];

impl Program<'_> {
    /// The head of the text.
    pub(super) fn common(&self, slots: &[u32]) -> Result<String> {
        let mut ir = String::from("target triple = \"x86_64-unknown-linux-gnu\"\n");
        let _ = writeln!(ir, "attributes #0 = {{ \"disable-tail-calls\"=\"true\" {ATTRIBUTES} }}");
        let _ = writeln!(ir, "attributes #1 = {{ alwaysinline {ATTRIBUTES} }}");
        let _ = writeln!(ir, "attributes #2 = {{ alwaysinline cold noreturn {ATTRIBUTES} }}");
        let _ = writeln!(ir, "attributes #3 = {{ noinline {ATTRIBUTES} }}");
        ir.push_str(
            "!0 = !{}\n!1 = !{!\"branch_weights\", i32 1, i32 1000000}\n!2 = !{!\"rsp\"}\n",
        );
        ir.push_str(TEXT);
        for code in TRAPS {
            // `ud2`, with its address and the reason in a section that the linker reads.
            let _ = writeln!(
                ir,
                "define internal void @trap{code}() #2 {{\n  call void asm sideeffect \
                 \"1: ud2\\0A\\09.pushsection .traps,\\22\\22,@progbits\\0A\\09.quad 1b\\0A\\09.quad \
                 {code}\\0A\\09.popsection\", \"~{{memory}}\"()\n  unreachable\n}}"
            );
        }
        self.stack_check(&mut ir);
        if self.is_timed {
            self.time_check(&mut ir);
        }
        if let Some(slots) = self.module.fixed_slots() {
            self.resolve(slots, &mut ir);
        }
        self.bounds(&mut ir);
        self.slots(slots, &mut ir)?;
        self.outward(&mut ir);
        Ok(ir)
    }

    /// The frames of functions have a limit (`link`), so the check does not know their sizes: it
    /// may pass the limit of the stack by that much.
    fn stack_check(&self, ir: &mut String) {
        let (context, limit) = (self.layout.store_context, self.layout.stack_limit);
        let _ = write!(
            ir,
            "define internal void @check_stack(ptr %vm) #1 {{
  %a = getelementptr i8, ptr %vm, i64 {context}
  %context = load ptr, ptr %a, !invariant.load !0
  %b = getelementptr i8, ptr %context, i64 {limit}
  %limit = load i64, ptr %b
  %stack = call i64 @llvm.read_register.i64(metadata !2)
  %over = icmp ult i64 %stack, %limit
  br i1 %over, label %trap, label %fits, !prof !1
trap:
  call void @trap{}()
  unreachable
fits:
  ret void
}}\n",
            trap::STACK_OVERFLOW
        );
    }

    /// Both loads are volatile: another thread moves the epoch, and a call out of the image may move the deadline.
    fn time_check(&self, ir: &mut String) {
        let layout = &self.layout;
        let _ = write!(
            ir,
            "declare hidden void @interrupt(ptr, ptr, i32) #0
define internal void @check_time(ptr %vm) #1 {{
  %a = getelementptr i8, ptr %vm, i64 {epoch}
  %clock = load ptr, ptr %a, !invariant.load !0
  %now = load volatile i64, ptr %clock
  %b = getelementptr i8, ptr %vm, i64 {context}
  %store = load ptr, ptr %b, !invariant.load !0
  %c = getelementptr i8, ptr %store, i64 {deadline}
  %end = load volatile i64, ptr %c
  %over = icmp uge i64 %now, %end
  br i1 %over, label %late, label %goes_on, !prof !1
late:
  call void @interrupt(ptr %vm, ptr %vm, i32 0)
  br label %goes_on
goes_on:
  ret void
}}\n",
            epoch = layout.epoch,
            context = layout.store_context,
            deadline = layout.epoch_deadline,
        );
        ir.push_str(&slot("interrupt"));
    }

    /// The reference in the table: bounded by an instruction that the processor does not guess,
    /// filled if it was never read, present, and of the right type.
    fn resolve(&self, slots: i32, ir: &mut String) {
        let layout = &self.layout;
        let _ = write!(
            ir,
            "define internal ptr @resolve(ptr %vm, i32 %index, i32 %type) #0 {{
  %a = getelementptr i8, ptr %vm, i64 {base}
  %table = load ptr, ptr %a, !invariant.load !0
  %wide = zext i32 %index to i64
  %over = icmp uge i64 %wide, {slots}
  br i1 %over, label %outside, label %inside, !prof !1
inside:
  %masked = call i64 asm \"cmpq $2, $0\\0A\\09cmovaeq $3, $0\", \"=&r,0,i,r,~{{flags}}\"(i64 %wide, i64 {slots}, i64 0)
  %offset = shl i64 %masked, 3
  %slot = getelementptr i8, ptr %table, i64 %offset
  %first = load i64, ptr %slot
  %unread = icmp eq i64 %first, 0
  br i1 %unread, label %fill, label %filled, !prof !1
fill:
  call void @fill(ptr %vm, ptr %vm, i32 %index)
  %second = load i64, ptr %slot
  br label %filled
filled:
  %bits = phi i64 [ %first, %inside ], [ %second, %fill ]
  %address = and i64 %bits, -2
  %none = icmp eq i64 %address, 0
  br i1 %none, label %null, label %some, !prof !1
some:
  %reference = inttoptr i64 %address to ptr
  %c = getelementptr i8, ptr %vm, i64 {types}
  %ids = load ptr, ptr %c, !invariant.load !0
  %d = zext i32 %type to i64
  %e = getelementptr i8, ptr %ids, i64 %d
  %expected = load i32, ptr %e, !invariant.load !0
  %f = getelementptr i8, ptr %reference, i64 {reference_type}
  %found = load i32, ptr %f
  %differs = icmp ne i32 %expected, %found
  br i1 %differs, label %other, label %right, !prof !1
right:
  ret ptr %reference
outside:
  call void @trap{outside}()
  unreachable
null:
  call void @trap{null}()
  unreachable
other:
  call void @trap{other}()
  unreachable
}}\n",
            base = layout.table_base,
            types = layout.type_ids,
            reference_type = layout.reference_type,
            outside = trap::TABLE_OUT_OF_BOUNDS,
            null = trap::CALL_TO_NULL,
            other = trap::BAD_SIGNATURE,
        );
    }

    /// `memory.copy` and `memory.fill` with their checks.
    fn bounds(&self, ir: &mut String) {
        let (base, length) = (self.layout.memory_base, self.layout.memory_length);
        let trap = trap::HEAP_OUT_OF_BOUNDS;
        let _ = write!(
            ir,
            "define internal void @range(ptr %vm, i32 %start, i32 %count) #1 {{
  %b = getelementptr i8, ptr %vm, i64 {length}
  %length = load i64, ptr %b
  %first = zext i32 %start to i64
  %more = zext i32 %count to i64
  %end = add i64 %first, %more
  %over = icmp ugt i64 %end, %length
  br i1 %over, label %outside, label %inside, !prof !1
outside:
  call void @trap{trap}()
  unreachable
inside:
  ret void
}}
define internal ptr @memory(ptr %vm) #1 {{
  %a = getelementptr i8, ptr %vm, i64 {base}
  %mem = load ptr, ptr %a, !invariant.load !0
  ret ptr %mem
}}
define internal void @memory_copy(ptr %vm, i32 %to, i32 %from, i32 %count) #0 {{
  call void @range(ptr %vm, i32 %to, i32 %count)
  call void @range(ptr %vm, i32 %from, i32 %count)
  %mem = call ptr @memory(ptr %vm)
  call void @move(ptr %mem, i32 %to, i32 %from, i32 %count)
  ret void
}}
define internal void @memory_fill(ptr %vm, i32 %to, i32 %byte, i32 %count) #0 {{
  call void @range(ptr %vm, i32 %to, i32 %count)
  %mem = call ptr @memory(ptr %vm)
  %b = trunc i32 %byte to i8
  call void @set(ptr %mem, i32 %to, i8 %b, i32 %count)
  ret void
}}\n"
        );
    }

    /// The ways out of the image to kept functions, each a `jmp` that wasmtime completes.
    fn slots(&self, slots: &[u32], ir: &mut String) -> Result<()> {
        let imports = self.module.imports.len() as u32;
        let _ = writeln!(ir, "declare hidden void @fill(ptr, ptr, i32) #0");
        ir.push_str(&slot("fill"));
        for index in slots {
            let signature = self.signature(imports + index)?;
            let parameters: String =
                signature.parameters.iter().map(|ty| format!(", {ty}")).collect();
            let returned = signature.returned();
            let _ = writeln!(ir, "declare hidden {returned} @kept{index}(ptr, ptr{parameters}) #0");
            ir.push_str(&slot(&format!("kept{index}")));
        }
        Ok(())
    }

    fn outward(&self, ir: &mut String) {
        let types = self.module.types.iter().filter_map(|ty| Signature::of(ty).ok());
        let counts: BTreeSet<_> =
            types.map(|ty| ty.on_stack()).filter(|count| *count > 0).collect();
        counts.into_iter().for_each(|count| ir.push_str(&outward(count)));
    }
}

/// Lines of assembler.
fn assembler(lines: &[String]) -> String {
    lines.iter().map(|line| format!("module asm \"{line}\"\n")).collect()
}

fn head(name: &str) -> Vec<String> {
    [".text", ".p2align 4"]
        .into_iter()
        .map(str::to_owned)
        .chain([format!(".globl {name}"), format!(".hidden {name}"), format!("{name}:")])
        .collect()
}

fn slot(name: &str) -> String {
    let mut lines = head(name);
    lines.extend([".byte 0xe9".to_owned(), ".long 0".to_owned()]);
    assembler(&lines)
}

/// The bytes that `count` arguments take on the stack.
fn stack_bytes(count: usize) -> usize {
    (8 * count).next_multiple_of(16)
}

/// Copies the arguments on the stack, since LLVM's functions leave them there and wasmtime expects
/// that they are removed.
pub fn inward(index: u32, count: usize) -> String {
    let mut lines = head(&format!("entry{index}"));
    lines.extend(framed(count, &format!("callq f{index}")));
    lines.push(format!("retq ${}", stack_bytes(count)));
    assembler(&lines)
}

/// The reverse. The last argument is the function that is called.
fn outward(count: usize) -> String {
    let mut lines = head(&format!("outward{count}"));
    lines.extend(framed(count, &format!("callq *{}(%rbp)", 16 + 8 * count)));
    lines.push("retq".to_owned());
    assembler(&lines)
}

fn framed(count: usize, call: &str) -> Vec<String> {
    let mut lines = vec!["pushq %rbp".to_owned(), "movq %rsp, %rbp".to_owned()];
    lines.push(format!("subq ${}, %rsp", stack_bytes(count)));
    for index in 0..count {
        lines.push(format!("movq {}(%rbp), %rax", 16 + 8 * index));
        lines.push(format!("movq %rax, {}(%rsp)", 8 * index));
    }
    lines.extend([call.to_owned(), "leave".to_owned()]);
    lines
}

/// Moving and setting bytes. The accesses are volatile: LLVM would otherwise recognise the loops
/// and call the functions of a C library that it stands for.
const TEXT: &str = include_str!("move.ll");
