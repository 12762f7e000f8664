//! Where code finds what belongs to its instance.

use anyhow::{Context, Result, anyhow, ensure};
use wasmtime_environ::component::{ComponentTypesBuilder, Translator};
use wasmtime_environ::wasmparser::{Parser, Validator};
use wasmtime_environ::{
    DefinedGlobalIndex, DefinedTableIndex, EngineOrModuleTypeIndex, EntityRef, FUNCREF_MASK,
    FuncIndex, HostPtr, Module, ModuleEnvironment, ModuleTypesBuilder, OwnedMemoryIndex, PtrSize,
    ScopeVec, StaticModuleIndex, Tunables, VMOffsets,
};

/// Offsets in bytes: in the VMContext unless said otherwise.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Layout {
    /// The address of the memory.
    pub memory_base: u32,
    /// The size of the memory in bytes.
    pub memory_length: u32,
    /// The address of the table.
    pub table_base: u32,
    /// How many slots the table has.
    pub table_elements: u32,
    /// The store's context.
    pub store_context: u32,
    /// In the store's context: the lowest address of the stack.
    pub stack_limit: u32,
    /// The address of the engine's epoch.
    pub epoch: u32,
    /// In the store's context: the first epoch in which code is interrupted.
    pub epoch_deadline: u32,
    /// The identifiers of types, four bytes each.
    pub type_ids: u32,
    /// In a function's reference: the code.
    pub reference_code: u32,
    /// In a function's reference: the VMContext of its instance.
    pub reference_vmctx: u32,
    /// In a function's reference: the identifier of its type.
    pub reference_type: u32,
    /// The code of each imported function, and the VMContext of its instance.
    pub imports: Vec<(u32, u32)>,
    /// Each global.
    pub globals: Vec<u32>,
    /// The index of each of the module's types in `type_ids`.
    pub types: Vec<u32>,
}

impl Layout {
    /// The layout of instances of the core module `module` in `component`.
    ///
    /// # Errors
    ///
    /// When the component is not valid or has no such module, or this imports more than functions.
    pub fn of(component: &[u8], module: &[u8]) -> Result<Self> {
        let (tunables, scope) = (Tunables::default_host(), ScopeVec::new());
        let mut validator = Validator::new();
        let mut types = ComponentTypesBuilder::new(&validator);
        let translator = Translator::new(&tunables, &mut validator, &mut types, &scope);
        let (_, modules) = translator.translate(component).map_err(|error| anyhow!("{error:#}"))?;
        let found = modules.values().find(|translation| translation.wasm == module);
        Self::of_module(&found.context("the component does not contain the module")?.module)
    }

    /// The layout of instances of a core module that is not in a component.
    ///
    /// # Errors
    ///
    /// When it is not valid, or imports more than functions.
    pub fn of_core(wasm: &[u8]) -> Result<Self> {
        let tunables = Tunables::default_host();
        let mut validator = Validator::new();
        let mut types = ModuleTypesBuilder::new(&validator);
        let index = StaticModuleIndex::from_u32(0);
        let environment = ModuleEnvironment::new(&tunables, &mut validator, &mut types, index);
        let translated = environment.translate(Parser::new(0), wasm);
        Self::of_module(&translated.map_err(|error| anyhow!("{error:#}"))?.module)
    }

    fn of_module(module: &Module) -> Result<Self> {
        ensure!(FUNCREF_MASK == !1, "references in a table are marked by another bit");
        // wasmtime asserts that the requested items are the module's own.
        let others =
            module.num_imported_memories + module.num_imported_tables + module.num_imported_globals;
        ensure!(others == 0, "the module imports more than functions");
        let offsets = VMOffsets::new(HostPtr, module);
        let pointer = &offsets.ptr;
        let memory = |offset: fn(&VMOffsets<HostPtr>, OwnedMemoryIndex) -> u32| {
            if module.memories.is_empty() { 0 } else { offset(&offsets, OwnedMemoryIndex::new(0)) }
        };
        let imports = (0..module.num_imported_funcs).map(FuncIndex::new).map(|index| {
            (
                offsets.vmctx_vmfunction_import_wasm_call(index),
                offsets.vmctx_vmfunction_import_vmctx(index),
            )
        });
        let globals = (0..module.globals.len()).map(DefinedGlobalIndex::new);
        let has_table = module.num_defined_tables() > 0;
        let table = |offset: fn(&VMOffsets<HostPtr>, DefinedTableIndex) -> u32| {
            if has_table { offset(&offsets, DefinedTableIndex::new(0)) } else { 0 }
        };
        Ok(Self {
            memory_base: memory(VMOffsets::vmctx_vmmemory_definition_base),
            memory_length: memory(VMOffsets::vmctx_vmmemory_definition_current_length),
            table_base: table(VMOffsets::vmctx_vmtable_definition_base),
            table_elements: table(VMOffsets::vmctx_vmtable_definition_current_elements),
            store_context: pointer.vmctx_store_context().into(),
            stack_limit: pointer.vm_store_context().stack_limit().into(),
            epoch: pointer.vmctx_epoch_ptr().into(),
            epoch_deadline: pointer.vm_store_context().epoch_deadline().into(),
            type_ids: pointer.vmctx_type_ids_array().into(),
            reference_code: pointer.vm_func_ref().wasm_call().into(),
            reference_vmctx: pointer.vm_func_ref().vmctx().into(),
            reference_type: pointer.vm_func_ref().type_index().into(),
            imports: imports.collect(),
            globals: globals.map(|index| offsets.vmctx_vmglobal_definition(index)).collect(),
            types: module.types.values().map(interned).collect::<Result<_>>()?,
        })
    }

    /// The layout as the list of values that an image has.
    pub fn numbers(&self) -> Vec<u32> {
        let mut numbers = vec![
            self.memory_base,
            self.memory_length,
            self.table_base,
            self.table_elements,
            self.store_context,
            self.stack_limit,
            self.epoch,
            self.epoch_deadline,
            self.type_ids,
            self.reference_code,
            self.reference_vmctx,
            self.reference_type,
            self.imports.len() as u32,
            self.globals.len() as u32,
        ];
        numbers.extend(self.imports.iter().flat_map(|import| [import.0, import.1]));
        numbers.extend(&self.globals);
        numbers.extend(&self.types);
        numbers
    }

    /// Whether an image with these values fits. It need not know types that were added to the
    /// module after its own.
    pub fn fits(&self, numbers: &[u32]) -> bool {
        self.numbers().starts_with(numbers)
    }
}

fn interned(ty: &EngineOrModuleTypeIndex) -> Result<u32> {
    match ty {
        EngineOrModuleTypeIndex::Module(index) => Ok(index.as_u32()),
        _ => Err(anyhow!("a type of the module has another kind of index")),
    }
}
