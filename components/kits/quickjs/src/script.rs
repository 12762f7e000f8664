//! The script that this instance runs, with the functions that SQL calls.

use std::cell::Cell;
use std::cmp::Ordering;

use rquickjs::function::Args;
use rquickjs::{Context, Ctx, Function, Module, Object, Persistent, Runtime, Value as Js};
use sqlite_wasm_kit::bindings::types::Manifest;
use sqlite_wasm_kit::{Error, Output, Result, Value, code};

use crate::error::{FILE, caught};
use crate::table::TableDefinition;
use crate::value::{from_js, to_js};
use crate::{globals, manifest, standalone, tokenizer};

/// A function of JavaScript that outlives the call that found it.
pub type Callable = Persistent<Function<'static>>;

/// Stack of JavaScript, in bytes: half of the component's, of which C needs the rest.
const MAX_STACK_BYTES: usize = 512 << 10;

/// A function of SQL.
pub struct SqlFunction {
    /// Its name in SQL, for errors.
    pub name: String,
    pub is_tokenizer: bool,
    /// A scalar function, or a tokenizer.
    pub call: Option<Callable>,
    /// What checks the words behind a tokenizer's name.
    pub check: Option<Callable>,
    /// The parts of an aggregate.
    pub start: Option<Callable>,
    pub step: Option<Callable>,
    pub inverse: Option<Callable>,
    pub value: Option<Callable>,
    pub finish: Option<Callable>,
}

/// A script that was evaluated.
pub struct Script {
    context: Context,
    pub manifest: Manifest,
    pub functions: Vec<SqlFunction>,
    /// With their names.
    pub collations: Vec<(String, Callable)>,
    pub tables: Vec<TableDefinition>,
}

thread_local! {
    static LOADED: Cell<Option<&'static Script>> = const { Cell::new(None) };
}

/// The script of this instance.
///
/// # Errors
///
/// If no script is loaded, or the one in the component's own memory fails.
pub fn loaded() -> Result<&'static Script> {
    if let Some(script) = LOADED.get() {
        return Ok(script);
    }
    let source = standalone::script().ok_or("no script is loaded")?;
    Script::load(source)?;
    LOADED.get().ok_or_else(|| "no script is loaded".into())
}

impl Script {
    /// Evaluate the script; it is the one of this instance until the instance ends.
    ///
    /// # Errors
    ///
    /// When it is not UTF-8, fails, or does not export an extension.
    pub fn load(source: &[u8]) -> Result<()> {
        if LOADED.get().is_some() {
            return Err(Error::new(code::MISUSE, "a script is loaded already"));
        }
        let source = std::str::from_utf8(source).map_err(|_| "the script is not UTF-8")?;
        let out_of_memory = |_| Error::new(code::NOMEM, "there is no memory for the script");
        let runtime = Runtime::new().map_err(out_of_memory)?;
        runtime.set_max_stack_size(MAX_STACK_BYTES);
        let context = Context::full(&runtime).map_err(out_of_memory)?;
        let parts = context.with(|ctx| {
            let evaluate = || manifest::read(&ctx, &exported(&ctx, source)?);
            evaluate().map_err(|error| caught(&ctx, "script", error))
        })?;
        let manifest::Parts { manifest, functions, collations, tables } = parts;
        let script = Self { context, manifest, functions, collations, tables };
        // It is needed until the instance ends.
        LOADED.set(Some(Box::leak(Box::new(script))));
        Ok(())
    }

    /// Run `act`, and report an exception as one of `name`.
    pub fn run<T>(
        &self,
        name: &str,
        act: impl for<'js> FnOnce(&Ctx<'js>) -> rquickjs::Result<T>,
    ) -> Result<T> {
        self.context.with(|ctx| act(&ctx).map_err(|error| caught(&ctx, name, error)))
    }

    /// Call a scalar function, or a tokenizer.
    ///
    /// # Errors
    ///
    /// When it fails, or its result is not one for SQL.
    pub fn call(&'static self, function: usize, values: &mut [Value]) -> Result<Output> {
        let function = &self.functions[function];
        if function.is_tokenizer {
            return tokenizer::call(self, function, values);
        }
        let Some(call) = &function.call else { return Err(missing(&function.name)) };
        self.run(&function.name, |ctx| {
            let answer = invoke(ctx, call, None, values)?;
            for_sql(ctx, answer).map(Output::from)
        })
    }

    /// Compare two texts by a collation.
    ///
    /// # Errors
    ///
    /// When it fails, or does not return a `number`.
    pub fn compare(&self, collation: usize, left: &[u8], right: &[u8]) -> Result<Ordering> {
        let (name, compare) = &self.collations[collation];
        let mut texts = [left, right].map(|text| Value::Text(text.to_vec()));
        self.run(name, |ctx| {
            let answer = invoke(ctx, compare, None, &mut texts)?.get::<f64>()?;
            Ok(answer.partial_cmp(&0.0).unwrap_or(Ordering::Equal))
        })
    }
}

/// The default export of the script, checked and completed by the prelude.
fn exported<'js>(ctx: &Ctx<'js>, source: &str) -> rquickjs::Result<Object<'js>> {
    let complete = globals::define(ctx)?;
    let (module, evaluated) = Module::declare(ctx.clone(), FILE, source)?.eval()?;
    evaluated.finish::<()>()?;
    let exported: Js<'_> = module.namespace()?.get("default")?;
    complete.call((exported,))
}

/// Call with values of SQL, behind `first`.
pub fn invoke<'js>(
    ctx: &Ctx<'js>,
    function: &Callable,
    first: Option<Js<'js>>,
    values: &mut [Value],
) -> rquickjs::Result<Js<'js>> {
    let function = function.clone().restore(ctx)?;
    let mut arguments = Args::new(ctx.clone(), usize::from(first.is_some()) + values.len());
    if let Some(first) = first {
        arguments.push_arg(first)?;
    }
    for value in values {
        arguments.push_arg(to_js(ctx, value)?)?;
    }
    function.call_arg(arguments)
}

/// A result for SQL, or an exception that says why it is not one.
pub fn for_sql<'js>(ctx: &Ctx<'js>, value: Js<'js>) -> rquickjs::Result<Value> {
    from_js(value).map_err(|what| {
        let message = format!("SQL has no value for {what}");
        rquickjs::Exception::throw_type(ctx, &message)
    })
}

pub fn missing(name: &str) -> Error {
    Error::new(code::MISUSE, format!("{name}: it cannot be called in this way"))
}
