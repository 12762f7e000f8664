//! The arguments of a call, calls of plain Rust functions with them, and the types that these take
//! and return.

use crate::{Error, Output, Result, Value, code};

/// The arguments of one call. Taking one moves it.
#[derive(Debug)]
pub struct Arguments<'a> {
    function: &'static str,
    values: &'a mut [Value],
    subtypes: &'a [u8],
}

impl<'a> Arguments<'a> {
    pub(crate) fn new(function: &'static str, values: &'a mut [Value], subtypes: &'a [u8]) -> Self {
        Self { function, values, subtypes }
    }

    /// Arguments of a row, for the tests of an aggregate.
    pub fn of(values: &'a mut [Value]) -> Self {
        Self::new("function", values, &[])
    }

    /// Call a Rust function of up to four arguments and convert its result for SQLite. Missing
    /// arguments are NULL.
    ///
    /// As for most of SQLite's functions, a NULL makes the result NULL, unless
    /// the parameter's type is `Option` or [`Value`].
    pub fn apply<Parameters, F: Apply<Parameters>>(mut self, function: F) -> Result<Output> {
        function.apply(&mut self)
    }

    /// The name of the called function.
    pub fn function(&self) -> &'static str {
        self.function
    }

    /// How many arguments there are.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// All arguments, unchanged.
    pub fn values(&self) -> &[Value] {
        self.values
    }

    /// All arguments, to be taken.
    pub fn values_mut(&mut self) -> &mut [Value] {
        self.values
    }

    /// The subtype of an argument; 0 unless the function `reads_subtypes`.
    pub fn subtype(&self, place: usize) -> u8 {
        self.subtypes.get(place).copied().unwrap_or(0)
    }

    /// Take an argument; NULL if it is missing or was taken already.
    pub fn take(&mut self, place: usize) -> Value {
        self.values.get_mut(place).map(std::mem::take).unwrap_or_default()
    }

    /// Take an argument as a Rust type; `None` for a NULL that the type cannot represent.
    pub fn get<T: FromValue>(&mut self, place: usize) -> Result<Option<T>> {
        let value = self.take(place);
        if value.is_null() && !T::TAKES_NULL {
            return Ok(None);
        }
        T::from_value(value).map(Some).map_err(|wanted| {
            let message = format!("{}: argument {} must be {wanted}", self.function, place + 1);
            Error::new(code::MISMATCH, message)
        })
    }
}

/// A Rust function that can be called with [`Arguments::apply`].
pub trait Apply<Parameters> {
    /// Convert the arguments, call, and convert the result.
    fn apply(self, arguments: &mut Arguments<'_>) -> Result<Output>;
}

macro_rules! apply {
    ($($parameter:ident $place:literal),*) => {
        impl<F, R, $($parameter),*> Apply<($($parameter,)*)> for F
        where
            F: FnOnce($($parameter),*) -> R,
            R: IntoOutput,
            $($parameter: FromValue,)*
        {
            #[inline]
            fn apply(self, _arguments: &mut Arguments<'_>) -> Result<Output> {
                self($(
                    match _arguments.get::<$parameter>($place)? {
                        Some(argument) => argument,
                        None => return Ok(Output::default()),
                    }
                ),*)
                .into_output()
            }
        }
    };
}

apply!();
apply!(A 0);
apply!(A 0, B 1);
apply!(A 0, B 1, C 2);
apply!(A 0, B 1, C 2, D 3);

/// A type to which an argument can be converted.
///
/// Integers, reals and texts are converted as in SQLite's functions: `'12'` is a valid integer, and
/// 12 a valid text.
pub trait FromValue: Sized {
    /// Whether NULL is an argument like any other.
    const TAKES_NULL: bool = false;

    /// Convert the value; the error says what the argument must be.
    fn from_value(value: Value) -> Result<Self, &'static str>;
}

/// A type that can be a result.
pub trait IntoOutput {
    /// Convert it to a result.
    fn into_output(self) -> Result<Output>;
}

macro_rules! arguments {
    ($($type:ty: $value:ident => $result:expr;)*) => {$(
        impl FromValue for $type {
            #[inline]
            fn from_value($value: Value) -> Result<Self, &'static str> {
                $result
            }
        }
    )*};
}

arguments! {
    i64: value => Ok(value.to_integer());
    i32: value => i32::try_from(value.to_integer()).map_err(|_| "an integer of 32 bits");
    u32: value => u32::try_from(value.to_integer()).map_err(|_| "0 or more, in 32 bits");
    f64: value => Ok(value.to_real());
    bool: value => Ok(value.to_real() != 0.0);
    Vec<u8>: value => Ok(value.into_bytes());
    String: value => String::from_utf8(value.into_bytes()).map_err(|_| "text in UTF-8");
}

impl FromValue for Value {
    const TAKES_NULL: bool = true;

    #[inline]
    fn from_value(value: Value) -> Result<Self, &'static str> {
        Ok(value)
    }
}

impl<T: FromValue> FromValue for Option<T> {
    const TAKES_NULL: bool = true;

    #[inline]
    fn from_value(value: Value) -> Result<Self, &'static str> {
        match value {
            Value::Null => Ok(None),
            value => T::from_value(value).map(Some),
        }
    }
}

macro_rules! results {
    ($($type:ty: $result:ident => $value:expr;)*) => {$(
        impl IntoOutput for $type {
            #[inline]
            fn into_output(self) -> Result<Output> {
                let $result = self;
                Ok(Output { value: $value, subtype: 0 })
            }
        }
    )*};
}

results! {
    (): _nothing => Value::Null;
    i64: result => Value::Integer(result);
    i32: result => Value::Integer(result.into());
    u32: result => Value::Integer(result.into());
    bool: result => Value::Integer(result.into());
    f64: result => Value::Real(result);
    &str: result => Value::Text(result.into());
    String: result => Value::Text(result.into_bytes());
    Vec<u8>: result => Value::Blob(result);
    Value: result => result;
}

impl<const N: usize> IntoOutput for [u8; N] {
    #[inline]
    fn into_output(self) -> Result<Output> {
        Vec::from(self).into_output()
    }
}

impl IntoOutput for Output {
    #[inline]
    fn into_output(self) -> Result<Output> {
        Ok(self)
    }
}

impl<T: IntoOutput> IntoOutput for Option<T> {
    #[inline]
    fn into_output(self) -> Result<Output> {
        self.map_or_else(|| Ok(Output::default()), T::into_output)
    }
}

impl<T: IntoOutput, E: Into<Error>> IntoOutput for Result<T, E> {
    #[inline]
    fn into_output(self) -> Result<Output> {
        self.map_err(E::into)?.into_output()
    }
}

#[cfg(test)]
mod tests {
    use crate::{Arguments, Value};

    fn repeat(text: String, times: Option<i64>) -> String {
        text.repeat(times.unwrap_or(2) as usize)
    }

    fn call(mut values: Vec<Value>) -> crate::Result<Value> {
        Arguments::new("repeat", &mut values, &[]).apply(repeat).map(|output| output.value)
    }

    #[test]
    fn arguments_and_results_are_converted() {
        let result = call(vec![Value::text("ab"), Value::Integer(3)]);
        assert_eq!(result, Ok(Value::text("ababab")));
        assert_eq!(call(vec![Value::Integer(1)]), Ok(Value::text("11")));
    }

    #[test]
    fn null_gives_null_unless_the_parameter_takes_it() {
        assert_eq!(call(vec![Value::Null, Value::Integer(3)]), Ok(Value::Null));
        let result = call(vec![Value::text("a"), Value::Null]);
        assert_eq!(result, Ok(Value::text("aa")));
    }

    #[test]
    fn a_wrong_argument_is_named() {
        let error = call(vec![Value::Text(vec![0xff])]).unwrap_err();
        assert_eq!(error.message, "repeat: argument 1 must be text in UTF-8");
    }
}
