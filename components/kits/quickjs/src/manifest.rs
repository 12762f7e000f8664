//! What the prelude made of a script's export, as a manifest and as functions to call.

use rquickjs::{Array, Ctx, Function, Object, Persistent, Result};
use sqlite_wasm_kit::bindings::types::{
    Collation, Connecting, Function as Declared, FunctionFlags, FunctionKind, Manifest, Module,
    ModuleFlags, ModuleKind, Need, Risk, TextEncoding,
};

use crate::script::{Callable, SqlFunction};
use crate::table::TableDefinition;

/// Most arguments of a function that is called inline, by the contract.
const MAX_INLINE_ARGUMENTS: i8 = 4;

/// What a script registers.
pub struct Parts {
    pub manifest: Manifest,
    pub functions: Vec<SqlFunction>,
    pub collations: Vec<(String, Callable)>,
    pub tables: Vec<TableDefinition>,
}

/// Read what the prelude returned: its own properties, in its types.
pub fn read<'js>(ctx: &Ctx<'js>, exported: &Object<'js>) -> Result<Parts> {
    let mut parts = Parts {
        manifest: Manifest {
            name: exported.get("name")?,
            version: exported.get("version")?,
            description: exported.get("description")?,
            functions: Vec::new(),
            collations: Vec::new(),
            modules: Vec::new(),
            needs: needs(exported)?,
            connects: Connecting::Never,
        },
        functions: Vec::new(),
        collations: Vec::new(),
        tables: Vec::new(),
    };
    for one in list(exported, "functions")? {
        let one = one?;
        parts.manifest.functions.push(declared(&one)?);
        parts.functions.push(SqlFunction {
            name: one.get("name")?,
            is_tokenizer: one.get::<_, String>("kind")? == "tokenizer",
            call: callable(ctx, &one, "call")?,
            check: callable(ctx, &one, "check")?,
            start: callable(ctx, &one, "start")?,
            step: callable(ctx, &one, "step")?,
            inverse: callable(ctx, &one, "inverse")?,
            value: callable(ctx, &one, "value")?,
            finish: callable(ctx, &one, "finish")?,
        });
    }
    for one in list(exported, "collations")? {
        let one = one?;
        let name: String = one.get("name")?;
        let compare = Persistent::save(ctx, one.get::<_, Function<'_>>("compare")?);
        parts.collations.push((name.clone(), compare));
        parts.manifest.collations.push(Collation { name, encoding: TextEncoding::Utf8 });
    }
    for one in list(exported, "tables")? {
        let one = one?;
        parts.manifest.modules.push(Module {
            name: one.get("name")?,
            kind: ModuleKind::EponymousOnly,
            flags: ModuleFlags::empty(),
            risk: risk(&one)?,
            shadow_names: Vec::new(),
        });
        parts.tables.push(TableDefinition {
            name: one.get("name")?,
            declaration: one.get("declaration")?,
            columns: one.get("columns")?,
            parameters: one.get("parameters")?,
            rows: Persistent::save(ctx, one.get::<_, Function<'_>>("rows")?),
        });
    }
    Ok(parts)
}

fn list<'js>(
    exported: &Object<'js>,
    name: &str,
) -> Result<rquickjs::array::ArrayIter<'js, Object<'js>>> {
    Ok(exported.get::<_, Array<'js>>(name)?.iter())
}

fn callable<'js>(ctx: &Ctx<'js>, one: &Object<'js>, name: &str) -> Result<Option<Callable>> {
    let function: Option<Function<'_>> = one.get(name)?;
    Ok(function.map(|function| Persistent::save(ctx, function)))
}

fn declared(one: &Object<'_>) -> Result<Declared> {
    let kind = match one.get::<_, String>("kind")?.as_str() {
        "scalar" => FunctionKind::Scalar,
        "window" => FunctionKind::Window,
        "tokenizer" => FunctionKind::Tokenizer,
        _ => FunctionKind::Aggregate,
    };
    let arguments: i8 = one.get("arguments")?;
    let mut flags = FunctionFlags::empty();
    flags.set(FunctionFlags::DETERMINISTIC, one.get("deterministic")?);
    let is_short = arguments <= MAX_INLINE_ARGUMENTS;
    flags.set(FunctionFlags::INLINE, kind == FunctionKind::Scalar && is_short);
    let (name, risk) = (one.get("name")?, risk(one)?);
    Ok(Declared { name, arguments, kind, encoding: TextEncoding::Utf8, flags, risk })
}

fn risk(one: &Object<'_>) -> Result<Risk> {
    Ok(match one.get::<_, String>("risk")?.as_str() {
        "innocuous" => Risk::Innocuous,
        "direct-only" => Risk::DirectOnly,
        _ => Risk::Ordinary,
    })
}

fn needs(exported: &Object<'_>) -> Result<Vec<Need>> {
    let needs: Vec<String> = exported.get("needs")?;
    let need = |need: &String| match need.as_str() {
        "sql" => Need::Sql,
        _ => Need::SqlReadOnly,
    };
    Ok(needs.iter().map(need).collect())
}
