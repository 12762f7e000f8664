//! Values of SQL as JavaScript's, and back.
//!
//! | SQL | JavaScript |
//! | --- | --- |
//! | NULL | `null`; `undefined` too as a result |
//! | INTEGER | a `number`, or a BigInt if that would not be exact; a result may be a boolean |
//! | REAL | a `number`; as a result one that is not whole, or not exact as an integer |
//! | TEXT | a string; bytes that are not UTF-8 become U+FFFD |
//! | BLOB | a `Uint8Array` |

use rquickjs::{BigInt, Coerced, Ctx, Result, String as Text, TypedArray, Value as Js};
use sqlite_wasm_kit::Value;

/// The largest integer up to which JavaScript represents every integer exactly.
const MAX_SAFE: i64 = (1 << 53) - 1;

/// A value for JavaScript; its bytes are taken.
pub fn to_js<'js>(ctx: &Ctx<'js>, value: &mut Value) -> Result<Js<'js>> {
    Ok(match value {
        Value::Null => Js::new_null(ctx.clone()),
        Value::Integer(number) if number.unsigned_abs() <= MAX_SAFE as u64 => {
            match i32::try_from(*number) {
                Ok(small) => Js::new_int(ctx.clone(), small),
                Err(_) => Js::new_float(ctx.clone(), *number as f64),
            }
        }
        Value::Integer(number) => BigInt::from_i64(ctx.clone(), *number)?.into_value(),
        Value::Real(number) => Js::new_number(ctx.clone(), *number),
        Value::Text(bytes) => {
            Text::from_str(ctx.clone(), &std::string::String::from_utf8_lossy(bytes))?.into_value()
        }
        Value::Blob(bytes) => {
            TypedArray::<u8>::new(ctx.clone(), std::mem::take(bytes))?.into_value()
        }
    })
}

/// A value for SQL. The error says what JavaScript has instead of one.
pub fn from_js(value: Js<'_>) -> std::result::Result<Value, String> {
    if let Some(text) = value.as_string() {
        return text.to_string().map(Value::text).map_err(|error| error.to_string());
    }
    if let Some(number) = value.as_int() {
        return Ok(Value::Integer(number.into()));
    }
    if let Some(number) = value.as_float() {
        return Ok(number_value(number));
    }
    if value.is_null() || value.is_undefined() {
        return Ok(Value::Null);
    }
    if let Some(is_true) = value.as_bool() {
        return Ok(Value::Integer(is_true.into()));
    }
    if value.is_big_int() {
        let digits = value.get::<Coerced<String>>().map_err(|error| error.to_string())?.0;
        let number = digits.parse().map_err(|_| format!("{digits}, which is not 64 bits"))?;
        return Ok(Value::Integer(number));
    }
    let object = value.as_object();
    if let Some(bytes) = object.and_then(|object| object.as_typed_array::<u8>()) {
        return Ok(Value::Blob(bytes_of(bytes)));
    }
    Err(if value.is_promise() {
        "a promise; functions for SQL are not asynchronous".into()
    } else {
        format!("the type {} of JavaScript", value.type_name())
    })
}

/// A copy of an array's bytes; none of an array that was detached.
pub fn bytes_of(array: &TypedArray<'_, u8>) -> Vec<u8> {
    // SAFETY: JavaScript does not run while they are copied.
    unsafe { array.as_bytes() }.unwrap_or_default().to_vec()
}

/// JavaScript has one numeric type: a whole value that is exact is an integer.
fn number_value(number: f64) -> Value {
    if number.fract() == 0.0 && number.abs() <= MAX_SAFE as f64 {
        Value::Integer(number as i64)
    } else {
        Value::Real(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rquickjs::{Context, Runtime};

    #[test]
    fn values_return_as_they_went() {
        let context = Context::full(&Runtime::new().unwrap()).unwrap();
        let values = [
            Value::Null,
            Value::Integer(0),
            Value::Integer(-7),
            Value::Integer(MAX_SAFE),
            Value::Integer(MAX_SAFE + 1),
            Value::Integer(i64::MIN),
            Value::Integer(i64::MAX),
            Value::Real(0.5),
            Value::Real(1e300),
            Value::text(""),
            Value::text("Käse 🧀 \0 end"),
            Value::Blob(vec![]),
            Value::Blob(vec![0, 255, 1]),
        ];
        context.with(|ctx| {
            for value in values {
                let js = to_js(&ctx, &mut value.clone()).unwrap();
                assert_eq!(from_js(js).unwrap(), value);
            }
        });
    }

    #[test]
    fn what_sql_has_no_value_for_is_an_error() {
        let context = Context::full(&Runtime::new().unwrap()).unwrap();
        context.with(|ctx| {
            for source in ["({})", "Symbol()", "2n ** 63n", "(async () => 1)()", "() => 1"] {
                assert!(from_js(ctx.eval(source).unwrap()).is_err(), "{source}");
            }
            for (source, value) in [("true", Value::Integer(1)), ("undefined", Value::Null)] {
                assert_eq!(from_js(ctx.eval(source).unwrap()).unwrap(), value);
            }
        });
    }
}
