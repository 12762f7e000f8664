//! The functions of `dispatch`, each of which is one of an extension.

#[macro_use]
mod call;

use std::mem;

use super::ExtensionsView;
use super::sandbox::{Instance, Ready, at_once};
use crate::bindings::sqlite_wasm::extension::table_types::{
    Batch, Change, Conflict, ConnectMode, Connected, FilterArgument, IndexInfo, IndexPlan,
    Overload, Transaction,
};
use crate::bindings::sqlite_wasm::host::dispatch::{ExtensionUsage, Host, Loaded, SqlRequest};
use crate::contract::types::{self, InlineValue, Output, SqlError, Value};
use crate::escape::controls_escaped;
use crate::received;
use call::unary_call;

/// Longest name or path of an extension, in bytes: Linux's longest path. The
/// component chooses it, and messages repeat it.
const MAX_NAME_BYTES: usize = 4096;

impl types::Host for ExtensionsView<'_> {}
impl crate::bindings::sqlite_wasm::extension::table_types::Host for ExtensionsView<'_> {}

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
        let result = match self.ctx.registry.get_mut(extension)?.awaits_disconnect() {
            true => self.reporting_traps(extension, |view| {
                call_at_once!(view.extension(extension)?, extension.call_disconnect())
            }),
            false => Ok(()),
        };
        self.ctx.registry.detach(extension);
        result
    }

    fn connect(&mut self, extension: u32) -> Result<(), SqlError> {
        self.extension(extension)?.connect()
    }

    fn request(&mut self, extension: u32) -> Option<SqlRequest> {
        self.extension(extension).ok()?.request()
    }

    fn resume(&mut self, extension: u32, reply: Result<Vec<u8>, SqlError>) -> Option<SqlRequest> {
        let reply =
            reply.map_err(|error| SqlError { message: received::text(error.message), ..error });
        self.extension(extension).ok()?.resume(reply)
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
    ) -> Result<Output, SqlError> {
        let extension = self.extension(extension)?;
        extension.ready()?;
        let function = extension.function(function)?;
        call!(extension, scalar.call_call(function, &arguments, &subtypes))
    }

    fn unary_call(
        &mut self,
        extension: u32,
        function: u32,
        argument: InlineValue,
    ) -> Option<InlineValue> {
        let extension = self.extension(extension).ok()?;
        unary_call(extension, function, argument).unwrap_or_else(|failure| {
            extension.pending_result = Some(Err(failure));
            None
        })
    }

    fn unary_pending_result(&mut self, extension: u32, function: u32) -> Result<Output, SqlError> {
        let extension = self.extension(extension)?;
        match extension.pending_result.take() {
            Some(answer) => answer,
            None => call!(extension, unary.call_pending_result(function)),
        }
    }

    fn pointers_forget(&mut self, extension: u32, numbers: Vec<i64>) -> Result<(), SqlError> {
        self.reporting_traps(extension, |view| {
            let extension = view.extension(extension)?;
            call!(extension, pointers.call_forget(&numbers); plain)
        })
    }

    fn aggregate_start(&mut self, extension: u32, function: u32) -> Result<u32, SqlError> {
        let extension = self.extension(extension)?;
        let number = call!(extension, aggregate.call_start(function); plain)?;
        extension.handles.add(number)
    }

    fn aggregate_step(
        &mut self,
        extension: u32,
        accumulator: u32,
        count: u32,
        width: u32,
        rows: Vec<Value>,
        subtypes: Vec<u8>,
    ) -> Result<(), SqlError> {
        call!(
            self.with_batch(extension)?,
            aggregate.call_step(number, count, width, &rows, &subtypes),
            with number = accumulator
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
    ) -> Result<(), SqlError> {
        call!(
            self.with_batch(extension)?,
            aggregate.call_inverse(number, count, width, &rows, &subtypes),
            with number = accumulator
        )
    }

    fn aggregate_value(&mut self, extension: u32, accumulator: u32) -> Result<Output, SqlError> {
        call!(
            self.extension(extension)?,
            aggregate.call_value(number),
            with number = accumulator
        )
    }

    fn aggregate_finish(&mut self, extension: u32, accumulator: u32) -> Result<Output, SqlError> {
        let extension = self.extension(extension)?;
        let answer = call!(extension, aggregate.call_finish(number), with number = accumulator);
        extension.forget_handle(accumulator, answer)
    }

    fn aggregate_abandon(&mut self, extension: u32, accumulator: u32) -> Result<(), SqlError> {
        self.reporting_traps(extension, |view| {
            let extension = view.extension(extension)?;
            let answer =
                call!(extension, aggregate.call_abandon(number), with number = accumulator; plain);
            extension.forget_handle(accumulator, answer)
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
    ) -> Result<Connected, SqlError> {
        let extension = self.extension(extension)?;
        let (schema, name) = (received::text(schema), received::text(name));
        let arguments = received::texts(arguments);
        let connected =
            call!(extension, table.call_connect(module, mode, &schema, &name, &arguments))?;
        let table = extension.handles.add(connected.table)?;
        Ok(Connected { table, ..connected })
    }

    fn table_disconnect(&mut self, extension: u32, table: u32) -> Result<(), SqlError> {
        self.reporting_traps(extension, |view| {
            let extension = view.extension(extension)?;
            let answer = call!(extension, table.call_disconnect(number), with number = table);
            extension.forget_handle(table, answer)
        })
    }

    fn table_destroy(&mut self, extension: u32, table: u32) -> Result<(), SqlError> {
        self.reporting_traps(extension, |view| {
            let extension = view.extension(extension)?;
            call!(extension, table.call_destroy(number), with number = table)?;
            extension.forget_handle(table, Ok(()))
        })
    }

    fn table_best_index(
        &mut self,
        extension: u32,
        table: u32,
        mut info: IndexInfo,
    ) -> Result<Option<IndexPlan>, SqlError> {
        for constraint in &mut info.constraints {
            constraint.collation = received::text(mem::take(&mut constraint.collation));
        }
        call!(
            self.extension(extension)?,
            table.call_best_index(number, &info),
            with number = table
        )
    }

    fn table_open(&mut self, extension: u32, table: u32) -> Result<u32, SqlError> {
        let extension = self.extension(extension)?;
        let cursor = call!(extension, table.call_open(number), with number = table)?;
        extension.handles.add(cursor)
    }

    fn table_close(&mut self, extension: u32, cursor: u32) -> Result<(), SqlError> {
        self.reporting_traps(extension, |view| {
            let extension = view.extension(extension)?;
            let answer = call!(extension, table.call_close(number), with number = cursor; plain);
            extension.forget_handle(cursor, answer)
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
    ) -> Result<(), SqlError> {
        call!(
            self.extension(extension)?,
            table.call_filter(number, plan, text.as_deref(), &arguments, &subtypes, &columns),
            with number = cursor
        )
    }

    fn table_fetch_batch(
        &mut self,
        extension: u32,
        cursor: u32,
        limit: u32,
    ) -> Result<Batch, SqlError> {
        call!(self.with_batch(extension)?, table.call_fetch_batch(number, limit), with number = cursor)
    }

    fn table_update(
        &mut self,
        extension: u32,
        table: u32,
        change: Change,
        subtypes: Vec<u8>,
        conflict: Conflict,
    ) -> Result<i64, SqlError> {
        call!(
            self.extension(extension)?,
            table.call_update(number, &change, &subtypes, conflict),
            with number = table
        )
    }

    fn table_transact(
        &mut self,
        extension: u32,
        table: u32,
        step: Transaction,
    ) -> Result<(), SqlError> {
        let call = |view: &mut Self| call!(view.extension(extension)?, table.call_transact(number, step), with number = table);
        // Of all steps SQLite shows only the message of these two.
        match step {
            Transaction::Begin | Transaction::Sync => call(self),
            _ => self.reporting_traps(extension, call),
        }
    }

    fn table_rename(&mut self, extension: u32, table: u32, name: String) -> Result<(), SqlError> {
        let name = received::text(name);
        call!(self.extension(extension)?, table.call_rename(number, &name), with number = table)
    }

    fn table_integrity(
        &mut self,
        extension: u32,
        table: u32,
        schema: String,
        name: String,
        quick: bool,
    ) -> Result<Option<String>, SqlError> {
        let (schema, name) = (received::text(schema), received::text(name));
        call!(
            self.extension(extension)?,
            table.call_integrity(number, &schema, &name, quick),
            with number = table
        )
    }

    fn table_find_function(
        &mut self,
        extension: u32,
        table: u32,
        arguments: u32,
        name: String,
    ) -> Result<Option<Overload>, SqlError> {
        let name = received::text(name);
        self.reporting_traps(extension, |view| {
            let instance = view.extension(extension)?;
            let in_manifest = instance.package.manifest.functions.len();
            let found: Option<Overload> = call!(
                instance,
                table.call_find_function(number, arguments, &name),
                with number = table;
                plain
            )?;
            let Some(mut overload) = found else { return Ok(None) };
            if overload.function as usize >= in_manifest {
                overload.function = instance.late_number(overload.function)?;
            }
            Ok(Some(overload))
        })
    }
}

impl ExtensionsView<'_> {
    /// The instance for a call that carries a batch of rows, which is counted.
    fn with_batch(&mut self, extension: u32) -> Result<&mut Instance, SqlError> {
        let extension = self.extension(extension)?;
        extension.usage.batches += 1;
        Ok(extension)
    }

    fn compared(
        &mut self,
        extension: u32,
        collation: u32,
        left: &[u8],
        right: &[u8],
    ) -> Result<i32, SqlError> {
        call_at_once!(self.extension(extension)?, collation.call_compare(collation, left, right))
    }
}
