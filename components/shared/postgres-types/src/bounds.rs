//! The bounds of generated columns: CHECKs, since SQLite keeps any value there. Their names are the errors of
//! PostgreSQL, which begin with the SQLSTATE.

use crate::{Scalar, Type, Typed};

/// The name and the condition of the CHECK of a column, whose name is quoted; `None` for other types.
pub fn of(column: &str, typed: Typed) -> Option<(String, String)> {
    let Type::One(scalar) = typed.ty else { return None };
    let name = scalar.name();
    let out_of_range = format!("22003: {name} out of range");
    let within = |least: i64, most: i64| {
        format!(
            "{column} IS NULL OR typeof({column}) = 'integer' AND {column} BETWEEN {least} AND {most}"
        )
    };
    Some(match scalar {
        Scalar::Int2 => (out_of_range, within(i16::MIN.into(), i16::MAX.into())),
        Scalar::Int4 => (out_of_range, within(i32::MIN.into(), i32::MAX.into())),
        Scalar::Int8 => (out_of_range, format!("{column} IS NULL OR typeof({column}) = 'integer'")),
        Scalar::Varchar if typed.modifier >= 4 => {
            let most = typed.modifier - 4;
            let error = format!("22001: value too long for type {name}({most})");
            (error, format!("length({column}) <= {most}"))
        }
        _ => return None,
    })
}

/// Whether a CHECK has the name of one of these.
pub fn is_own(name: &str) -> bool {
    ["22003: ", "22001: "].iter().any(|code| name.starts_with(code))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_with_bounds_have_checks() {
        for (declared, wanted) in [
            ("integer", "22003: integer out of range"),
            ("bigint", "22003: bigint out of range"),
            ("varchar(3)", "22001: value too long for type character varying(3)"),
        ] {
            let (name, condition) = of("\"a\"", Typed::declared(declared).unwrap()).unwrap();
            assert_eq!(name, wanted);
            assert!(is_own(&name) && condition.contains("\"a\""));
        }
        assert_eq!(of("a", Typed::declared("text").unwrap()), None);
        assert!(!is_own("t_a_check"));
    }
}
