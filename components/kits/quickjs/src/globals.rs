//! What scripts can use beyond the language: defined by `prelude.js`, over functions in Rust.

use rquickjs::{Ctx, Function, Object, Result, TypedArray};

use crate::sql;
use crate::value::bytes_of;

const PRELUDE: &str = include_str!("prelude.js");

/// Define the globals. Returns the prelude's function that checks and completes a script's export.
pub fn define<'js>(ctx: &Ctx<'js>) -> Result<Function<'js>> {
    let native = Object::new(ctx.clone())?;
    native.set("encode", Function::new(ctx.clone(), encode)?)?;
    native.set("decode", Function::new(ctx.clone(), decode)?)?;
    native.set("log", Function::new(ctx.clone(), log)?)?;
    native.set("all", Function::new(ctx.clone(), sql::all)?)?;
    native.set("open", Function::new(ctx.clone(), sql::open)?)?;
    native.set("next", Function::new(ctx.clone(), sql::next)?)?;
    native.set("close", Function::new(ctx.clone(), sql::close)?)?;
    ctx.eval::<Function<'js>, _>(PRELUDE)?.call((native,))
}

fn encode<'js>(ctx: Ctx<'js>, text: String) -> Result<TypedArray<'js, u8>> {
    TypedArray::new(ctx, text.into_bytes())
}

fn decode(bytes: TypedArray<'_, u8>) -> String {
    String::from_utf8_lossy(&bytes_of(&bytes)).into_owned()
}

/// Printed text is the extension's log.
fn log(text: String) {
    eprintln!("{text}");
}
