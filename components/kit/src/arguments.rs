//! The arguments of a call, and calls of plain Rust functions with them.

use crate::convert::{FromValue, IntoOutput};
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

    /// The number of arguments.
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

    /// Take an argument as a Rust type; none for a NULL that the type cannot represent.
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
