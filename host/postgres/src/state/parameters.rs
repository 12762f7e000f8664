//! The parameters of PostgreSQL 15, with the values that each of them takes.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::units;
use crate::error::{Error, Result, sqlstate};

/// A line for each: `name|context|type|unit|least|most|values|default`, as `pg_settings` has them
/// for a user who is not a superuser, with the defaults of this server.
const LINES: &str = include_str!("parameters.txt");

static ALL: LazyLock<BTreeMap<String, Parameter>> = LazyLock::new(|| {
    let parameters = LINES.lines().filter_map(Parameter::of_line);
    parameters.map(|parameter| (parameter.name.to_lowercase(), parameter)).collect()
});

/// Names that PostgreSQL has dropped or merged.
const OLD_NAMES: &[(&str, &str)] =
    &[("sort_mem", "work_mem"), ("vacuum_mem", "maintenance_work_mem")];

/// A parameter.
#[derive(Debug, PartialEq, Eq)]
pub struct Parameter {
    /// As SHOW writes it.
    pub name: &'static str,
    /// Who may change it, and when: `user` for everyone at any time.
    pub context: &'static str,
    /// `bool`, `integer`, `real`, `string` or `enum`.
    pub kind: &'static str,
    /// The unit of a value that is given without one: `ms`, `kB`, …; empty if values have no units.
    pub unit: &'static str,
    /// The minimum and the maximum of a numeric type; empty for other types.
    pub range: (&'static str, &'static str),
    /// The values of `enum`, with semicolons.
    values: &'static str,
    /// As `pg_settings` has it.
    pub default: &'static str,
}

/// The parameter with this name, in any case.
pub fn named(name: &str) -> Option<&'static Parameter> {
    let name = name.to_lowercase();
    let name = OLD_NAMES.iter().find(|(old, _)| *old == name).map_or(name.as_str(), |(_, new)| new);
    ALL.get(name)
}

/// All parameters, by name.
pub fn all() -> impl Iterator<Item = &'static Parameter> {
    ALL.values()
}

impl Parameter {
    fn of_line(line: &'static str) -> Option<Self> {
        let mut parts = line.split('|');
        let mut part = || parts.next();
        Some(Self {
            name: part()?,
            context: part()?,
            kind: part()?,
            unit: part()?,
            range: (part()?, part()?),
            values: part()?,
            default: part()?,
        })
    }

    /// The values of `enum`.
    pub fn values(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.values.split(';').filter(|value| !value.is_empty())
    }

    /// Whether a session may change it.
    ///
    /// # Errors
    ///
    /// 55P02 and 42501, as for a user who is not a superuser.
    pub fn check_context(&self) -> Result<()> {
        let name = self.name;
        let fixed = |how: &str| {
            Err(Error::new("55P02", format!("parameter \"{name}\" cannot be changed{how}")))
        };
        match self.context {
            "internal" => fixed(""),
            "postmaster" => fixed(" without restarting the server"),
            "sighup" => fixed(" now"),
            "superuser" => {
                let message = format!("permission denied to set parameter \"{name}\"");
                Err(Error::new(sqlstate::INSUFFICIENT_PRIVILEGE, message))
            }
            "user" => Ok(()),
            _ => {
                let message = format!("parameter \"{name}\" cannot be set after connection start");
                Err(Error::new("55P02", message))
            }
        }
    }

    /// A value as `pg_settings` has it.
    ///
    /// # Errors
    ///
    /// 22023 for a text that is not a value of its type.
    pub fn read(&self, text: &str) -> Result<String> {
        match self.kind {
            "bool" => boolean(text)
                .map(|value| if value { "on" } else { "off" }.to_owned())
                .ok_or_else(|| {
                    let message = format!("parameter \"{}\" requires a Boolean value", self.name);
                    Error::new(sqlstate::INVALID_PARAMETER_VALUE, message)
                }),
            "integer" | "real" => self.number(text),
            "enum" => self.one_of(text),
            _ => Ok(text.to_owned()),
        }
    }

    fn one_of(&self, text: &str) -> Result<String> {
        let found = self.values().find(|value| value.eq_ignore_ascii_case(text));
        // A Boolean is another spelling of `on` and `off`, where there are such values.
        let of_boolean = || {
            let word = if boolean(text)? { "on" } else { "off" };
            self.values().find(|value| *value == word)
        };
        found.or_else(of_boolean).map(str::to_owned).ok_or_else(|| {
            let known: Vec<_> = self.values().collect();
            self.invalid(text).hint(format!("Available values: {}.", known.join(", ")))
        })
    }

    fn number(&self, text: &str) -> Result<String> {
        let value = units::read(text, self.unit).map_err(|hint| match hint {
            Some(hint) => self.invalid(text).hint(hint),
            None => self.invalid(text),
        })?;
        let is_integer = self.kind == "integer";
        let value = if is_integer { value.round_ties_even() } else { value };
        let bound = |text: &str| text.parse::<f64>().ok();
        let is_below = bound(self.range.0).is_some_and(|least| value < least);
        let is_above = bound(self.range.1).is_some_and(|most| value > most);
        if !is_below && !is_above {
            return Ok(units::number(value, is_integer));
        }
        let unit = if self.unit.is_empty() { String::new() } else { format!(" {}", self.unit) };
        let message = format!(
            "{}{unit} is outside the valid range for parameter \"{}\" ({} .. {})",
            units::number(value, is_integer),
            self.name,
            self.range.0,
            self.range.1
        );
        Err(Error::new(sqlstate::INVALID_PARAMETER_VALUE, message))
    }

    /// A value as SHOW writes it.
    pub fn shown(&self, value: &str) -> String {
        match (self.unit, value.parse::<f64>()) {
            ("", _) | (_, Err(_)) => value.to_owned(),
            (unit, Ok(number)) => units::shown(number, unit),
        }
    }

    /// What it cannot be.
    pub fn invalid(&self, value: &str) -> Error {
        /// Characters of a value that a message has.
        const SHOWN: usize = 100;
        let value: String = value.chars().take(SHOWN).collect();
        let message = format!("invalid value for parameter \"{}\": \"{value}\"", self.name);
        Error::new(sqlstate::INVALID_PARAMETER_VALUE, message)
    }
}

/// A Boolean: its words, and what they begin with, as long as that is only one of them.
pub fn boolean(text: &str) -> Option<bool> {
    let text = text.to_ascii_lowercase();
    let begins = |word: &str, least: usize| text.len() >= least && word.starts_with(&text);
    if begins("true", 1) || begins("yes", 1) || begins("on", 2) || text == "1" {
        return Some(true);
    }
    (begins("false", 1) || begins("no", 1) || begins("off", 2) || text == "0").then_some(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_default_is_a_value() {
        assert!(all().count() > 300);
        for parameter in all() {
            assert_eq!(parameter.read(parameter.default).unwrap(), parameter.default);
        }
    }

    #[test]
    fn values_are_those_of_the_type() {
        for (name, text, value) in [
            ("jit", "of", "off"),
            ("jit", "1", "on"),
            ("work_mem", "1.5MB", "1.5MB=1536kB"),
            ("work_mem", "4096", "4MB"),
            ("work_mem", " 64 kB ", "64kB"),
            ("statement_timeout", "1.5s", "1500ms"),
            ("statement_timeout", "1.5min", "90s"),
            ("statement_timeout", "0", "0"),
            ("wal_sender_timeout", "0.1", "0"),
            ("cpu_tuple_cost", "0.50", "0.5"),
            ("cpu_tuple_cost", "1e300", "1e+300"),
            ("extra_float_digits", "0x3", "3"),
            ("effective_cache_size", "4GB", "4GB"),
            ("synchronous_commit", "true", "on"),
            ("client_min_messages", "WARNING", "warning"),
        ] {
            let value = value.rsplit('=').next().unwrap();
            let parameter = named(name).unwrap();
            assert_eq!(parameter.shown(&parameter.read(text).unwrap()), value, "{name} = {text}");
        }
    }

    #[test]
    fn what_is_no_value_is_named() {
        for (name, text, message) in [
            ("jit", "o", "parameter \"jit\" requires a Boolean value"),
            ("work_mem", "5 XB", "invalid value for parameter \"work_mem\": \"5 XB\""),
            (
                "work_mem",
                "1kB",
                "1 kB is outside the valid range for parameter \"work_mem\" (64 .. 2147483647)",
            ),
            (
                "extra_float_digits",
                "4",
                "4 is outside the valid range for parameter \"extra_float_digits\" (-15 .. 3)",
            ),
            (
                "client_min_messages",
                "x",
                "invalid value for parameter \"client_min_messages\": \"x\"",
            ),
        ] {
            let error = named(name).unwrap().read(text).unwrap_err();
            assert_eq!((error.code, error.message.as_str()), ("22023", message));
        }
    }
}
