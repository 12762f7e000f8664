//! The functions of `dispatch`: loading and attaching extensions, and calling their functions, which
//! `sandbox` limits.

#[macro_use]
mod call;
mod room;

use std::mem;

use super::ExtensionsView;
use super::sandbox::{Answer, Instance, Ready, at_once};
use crate::contract::bindings::sqlite_wasm::extension::table_types::{
    Batch, Change, Conflict, ConnectMode, Connected, FilterArgument, IndexInfo, IndexPlan,
    Overload, Transaction,
};
use crate::contract::bindings::sqlite_wasm::host::dispatch::{
    ExtensionUsage, Host, InlineOutcome, Loaded, Unfinished,
};
use crate::contract::types::{self, InlineArguments, Output, SqlError, Value};
use crate::words::escape::controls_escaped;
use crate::words::received;
use call::{forgetting, inline_call, with_handle};

/// Longest name or path of an extension, in bytes: Linux's longest path. The
/// component chooses it, and messages repeat it.
const MAX_NAME_BYTES: usize = 4096;

impl types::Host for ExtensionsView<'_> {}
impl crate::contract::bindings::sqlite_wasm::extension::table_types::Host for ExtensionsView<'_> {}

impl Host for ExtensionsView<'_> {
    fn load(&mut self, name: String) -> Result<Loaded, String> {
        let name = received::text(name);
        if name.len() > MAX_NAME_BYTES {
            return Err(format!("a name has at most {MAX_NAME_BYTES} bytes"));
        }
        self.ctx.load(&name, self.grants).map_err(|error| controls_escaped(format!("{error:#}")))
    }

    fn statistics(&mut self) -> Vec<ExtensionUsage> {
        self.ctx.registry.statistics()
    }

    fn attach(&mut self, extension: u32) -> Result<u32, SqlError> {
        self.ctx.registry.attach(extension)
    }

    fn disconnect(&mut self, extension: u32) -> Result<(), SqlError> {
        let result = if self.ctx.registry.get_mut(extension)?.awaits_disconnect() {
            self.reporting_traps(extension, |view| {
                call_at_once!(view.extension(extension)?, extension.call_disconnect())
            })
        } else {
            Ok(())
        };
        self.ctx.registry.detach(extension);
        result
    }

    fn connect(&mut self, extension: u32) -> Result<(), Unfinished> {
        self.extension(extension)?.connect()
    }

    resumes! {
        resume_nothing: ();
        resume_output: Output;
        resume_handle: u32;
        resume_connected: Connected;
        resume_plan: Option<IndexPlan>;
        resume_batch: Batch;
        resume_row_id: i64;
        resume_text: Option<String>;
        resume_overload: Option<Overload>;
    }

    fn embedded(&mut self) -> Vec<Loaded> {
        self.ctx.load_embedded()
    }

    fn scalar_call(
        &mut self,
        extension: u32,
        function: u32,
        arguments: Vec<Value>,
        subtypes: Vec<u8>,
    ) -> Result<Output, Unfinished> {
        self.with_room(extension, |view| {
            let extension = view.extension(extension)?;
            let function = extension.function(function);
            call!(extension, scalar.call_call(id, &arguments, &subtypes), of id = function)
        })
    }

    fn inline_call(
        &mut self,
        extension: u32,
        function: u32,
        arguments: InlineArguments,
    ) -> InlineOutcome {
        let Ok(instance) = self.extension(extension) else { return InlineOutcome::Stored };
        match inline_call(instance, function, arguments) {
            Ok(InlineOutcome::Pending(request)) => {
                InlineOutcome::Pending(self.room_for_request(extension, request))
            }
            Ok(outcome) => outcome,
            Err(failure) => {
                instance.pending_result = Some(Err(failure));
                InlineOutcome::Stored
            }
        }
    }

    fn inline_pending_result(
        &mut self,
        extension: u32,
        function: u32,
    ) -> Result<Output, Unfinished> {
        self.with_room(extension, |view| {
            let extension = view.extension(extension)?;
            match extension.pending_result.take() {
                Some(answer) => answer.map_err(Unfinished::Failed),
                None => call!(extension, inline.call_pending_result(function)),
            }
        })
    }

    fn pointers_forget(&mut self, extension: u32, numbers: Vec<i64>) -> Result<(), Unfinished> {
        self.reporting_traps(extension, |view| {
            let extension = view.extension(extension)?;
            call!(extension, pointers.call_forget(&numbers); plain)
        })
    }

    fn aggregate_start(&mut self, extension: u32, function: u32) -> Result<u32, Unfinished> {
        let extension = self.extension(extension)?;
        extension.calls(Some(function));
        call!(extension, aggregate.call_start(function), then with_handle; plain)
    }

    fn aggregate_step(
        &mut self,
        extension: u32,
        accumulator: u32,
        count: u32,
        width: u32,
        rows: Vec<Value>,
        subtypes: Vec<u8>,
    ) -> Result<(), Unfinished> {
        call!(
            self.with_batch(extension)?,
            aggregate.call_step(id, count, width, &rows, &subtypes),
            with id = accumulator
        )
    }

    fn aggregate_inverse(
        &mut self,
        extension: u32,
        accumulator: u32,
        count: u32,
        width: u32,
        rows: Vec<Value>,
        subtypes: Vec<u8>,
    ) -> Result<(), Unfinished> {
        call!(
            self.with_batch(extension)?,
            aggregate.call_inverse(id, count, width, &rows, &subtypes),
            with id = accumulator
        )
    }

    fn aggregate_value(&mut self, extension: u32, accumulator: u32) -> Result<Output, Unfinished> {
        self.with_room(extension, |view| {
            call!(view.extension(extension)?, aggregate.call_value(id), with id = accumulator)
        })
    }

    fn aggregate_finish(&mut self, extension: u32, accumulator: u32) -> Result<Output, Unfinished> {
        self.with_room(extension, |view| {
            let (extension, then) = (view.extension(extension)?, forgetting(accumulator));
            call!(extension, aggregate.call_finish(id), with id = accumulator, then then)
        })
    }

    fn aggregate_abandon(&mut self, extension: u32, accumulator: u32) -> Result<(), Unfinished> {
        self.reporting_traps(extension, |view| {
            let extension = view.extension(extension)?;
            call!(
                extension,
                aggregate.call_abandon(id),
                with id = accumulator,
                then forgetting(accumulator);
                plain
            )
        })
    }

    fn collation_compare(
        &mut self,
        extension: u32,
        collation: u32,
        left: Vec<u8>,
        right: Vec<u8>,
    ) -> i32 {
        // A comparison cannot fail; the order of bytes is at least an order.
        self.reporting_traps(extension, |view| view.compared(extension, collation, &left, &right))
            .unwrap_or_else(|_| left.cmp(&right) as i32)
    }

    fn table_connect(
        &mut self,
        extension: u32,
        module: u32,
        mode: ConnectMode,
        schema: String,
        name: String,
        arguments: Vec<String>,
    ) -> Result<Connected, Unfinished> {
        let extension = self.extension(extension)?;
        let (schema, name) = (received::text(schema), received::text(name));
        let arguments = received::texts(arguments);
        call!(
            extension,
            table.call_connect(module, mode, &schema, &name, &arguments),
            then |extension: &mut Instance, connected: Answer<Connected>| {
                let connected = connected?;
                let table = extension.handle_of(connected.table)?;
                Ok(Connected { table, ..connected })
            }
        )
    }

    fn table_disconnect(&mut self, extension: u32, table: u32) -> Result<(), Unfinished> {
        self.reporting_traps(extension, |view| {
            let extension = view.extension(extension)?;
            call!(
                extension,
                table.call_disconnect(id),
                with id = table,
                then forgetting(table)
            )
        })
    }

    fn table_destroy(&mut self, extension: u32, table: u32) -> Result<(), Unfinished> {
        self.reporting_traps(extension, |view| {
            let extension = view.extension(extension)?;
            call!(
                extension,
                table.call_destroy(id),
                with id = table,
                then move |extension: &mut Instance, answer: Answer<()>| {
                    answer.inspect(|()| extension.handles.remove(table))
                }
            )
        })
    }

    fn table_best_index(
        &mut self,
        extension: u32,
        table: u32,
        mut info: IndexInfo,
    ) -> Result<Option<IndexPlan>, Unfinished> {
        for constraint in &mut info.constraints {
            constraint.collation = received::text(mem::take(&mut constraint.collation));
        }
        call!(
            self.extension(extension)?,
            table.call_best_index(id, &info),
            with id = table
        )
    }

    fn table_open(&mut self, extension: u32, table: u32) -> Result<u32, Unfinished> {
        let extension = self.extension(extension)?;
        call!(extension, table.call_open(id), with id = table, then with_handle)
    }

    fn table_close(&mut self, extension: u32, cursor: u32) -> Result<(), Unfinished> {
        self.reporting_traps(extension, |view| {
            let extension = view.extension(extension)?;
            call!(
                extension,
                table.call_close(id),
                with id = cursor,
                then forgetting(cursor);
                plain
            )
        })
    }

    fn table_filter(
        &mut self,
        extension: u32,
        cursor: u32,
        plan: i32,
        text: Option<Vec<u8>>,
        arguments: Vec<FilterArgument>,
        subtypes: Vec<u8>,
        columns: Vec<u32>,
    ) -> Result<(), Unfinished> {
        call!(
            self.extension(extension)?,
            table.call_filter(id, plan, text.as_deref(), &arguments, &subtypes, &columns),
            with id = cursor
        )
    }

    fn table_fetch_batch(
        &mut self,
        extension: u32,
        cursor: u32,
        limit: u32,
    ) -> Result<Batch, Unfinished> {
        self.with_room(extension, |view| {
            call!(view.with_batch(extension)?, table.call_fetch_batch(id, limit), with id = cursor)
        })
    }

    fn table_update(
        &mut self,
        extension: u32,
        table: u32,
        change: Change,
        subtypes: Vec<u8>,
        conflict: Conflict,
    ) -> Result<i64, Unfinished> {
        call!(
            self.extension(extension)?,
            table.call_update(id, &change, &subtypes, conflict),
            with id = table
        )
    }

    fn table_transact(
        &mut self,
        extension: u32,
        table: u32,
        step: Transaction,
    ) -> Result<(), Unfinished> {
        let call = |view: &mut Self| call!(view.extension(extension)?, table.call_transact(id, step), with id = table);
        // SQLite shows messages only for these two steps.
        match step {
            Transaction::Begin | Transaction::Sync => call(self),
            _ => self.reporting_traps(extension, call),
        }
    }

    fn table_rename(&mut self, extension: u32, table: u32, name: String) -> Result<(), Unfinished> {
        let name = received::text(name);
        call!(self.extension(extension)?, table.call_rename(id, &name), with id = table)
    }

    fn table_integrity(
        &mut self,
        extension: u32,
        table: u32,
        schema: String,
        name: String,
        quick: bool,
    ) -> Result<Option<String>, Unfinished> {
        let (schema, name) = (received::text(schema), received::text(name));
        call!(
            self.extension(extension)?,
            table.call_integrity(id, &schema, &name, quick),
            with id = table
        )
    }

    fn table_find_function(
        &mut self,
        extension: u32,
        table: u32,
        arguments: u32,
        name: String,
    ) -> Result<Option<Overload>, Unfinished> {
        let name = received::text(name);
        self.reporting_traps(extension, |view| {
            let instance = view.extension(extension)?;
            let in_manifest = instance.package.manifest.functions.len();
            call!(
                instance,
                table.call_find_function(id, arguments, &name),
                with id = table,
                then move |instance: &mut Instance, found: Answer<Option<Overload>>| {
                    let Some(mut overload) = found? else { return Ok(None) };
                    if overload.function as usize >= in_manifest {
                        overload.function = instance.offer(overload.function)?;
                    }
                    Ok(Some(overload))
                };
                plain
            )
        })
    }
}
