//! The functions with which PostgreSQL reads and writes the values of types: drivers identify types by them.

use super::functions::Function;
use super::types::type_name;
use super::{Cells, int};
use postgres_types::{Scalar, Type};

/// The types `cstring`, `internal`, `anyarray` and `bytea`.
const CSTRING: i64 = 2275;
const INTERNAL_TYPE: i64 = 2281;
const ANYARRAY: i64 = 2277;
const BYTEA: i64 = 17;

/// The functions of arrays.
const ARRAY: Functions =
    Functions { oids: [750, 751, 2400, 2401], stability: "ssss", has_modifier: true };

/// Those of one type: in, out, receive and send, whether each is immutable or stable, and whether the
/// first and the third get a modifier.
#[derive(Clone, Copy)]
struct Functions {
    oids: [i64; 4],
    stability: &'static str,
    has_modifier: bool,
}

fn of_scalar(scalar: Scalar) -> Functions {
    let (oids, stability, has_modifier) = match scalar {
        Scalar::Bool => ([1242, 1243, 2436, 2437], "iiii", false),
        Scalar::Bytea => ([1244, 31, 2412, 2413], "iiii", false),
        Scalar::Char => ([1245, 33, 2434, 2435], "iiii", false),
        Scalar::Name => ([34, 35, 2422, 2423], "iiss", false),
        Scalar::Int8 => ([460, 461, 2408, 2409], "iiii", false),
        Scalar::Int2 => ([38, 39, 2404, 2405], "iiii", false),
        Scalar::Int4 => ([42, 43, 2406, 2407], "iiii", false),
        Scalar::Text => ([46, 47, 2414, 2415], "iiss", false),
        Scalar::Oid => ([1798, 1799, 2418, 2419], "iiii", false),
        Scalar::Json => ([321, 322, 323, 324], "iiii", false),
        Scalar::Float4 => ([200, 201, 2424, 2425], "iiii", false),
        Scalar::Float8 => ([214, 215, 2426, 2427], "iiii", false),
        Scalar::Bpchar => ([1044, 1045, 2430, 2431], "iiss", true),
        Scalar::Varchar => ([1046, 1047, 2432, 2433], "iiss", true),
        Scalar::Date => ([1084, 1085, 2468, 2469], "ssii", false),
        Scalar::Time => ([1143, 1144, 2470, 2471], "siii", true),
        Scalar::Timestamp => ([1312, 1313, 2474, 2475], "ssii", true),
        Scalar::Timestamptz => ([1150, 1151, 2476, 2477], "ssii", true),
        Scalar::Interval => ([1160, 1161, 2478, 2479], "ssii", true),
        Scalar::Numeric => ([1701, 1702, 2460, 2461], "iiii", true),
        Scalar::Uuid => ([2952, 2953, 2961, 2962], "iiii", false),
        Scalar::Jsonb => ([3806, 3804, 3805, 3803], "iiii", false),
    };
    Functions { oids, stability, has_modifier }
}

/// `int4in` or `date_in`, by the position among the four.
fn name_of(type_name: &str, place: usize) -> String {
    let has_line = matches!(
        type_name,
        "array"
            | "date"
            | "interval"
            | "json"
            | "jsonb"
            | "numeric"
            | "time"
            | "timestamp"
            | "timestamptz"
            | "uuid"
    );
    let line = if has_line { "_" } else { "" };
    format!("{type_name}{line}{}", ["in", "out", "recv", "send"][place])
}

/// What `pg_type` has of the functions of a type.
pub fn of_type(ty: Type) -> Cells {
    let functions = match ty {
        Type::One(scalar) => of_scalar(scalar),
        Type::Array(_) => ARRAY,
    };
    ["typinput", "typoutput", "typreceive", "typsend"]
        .into_iter()
        .zip(functions.oids.map(int))
        .collect()
}

/// All of them.
pub fn functions() -> impl Iterator<Item = Function> {
    let of_scalars = super::types::SCALARS.into_iter();
    let own = of_scalars
        .map(|scalar| (type_name(scalar), i64::from(Type::One(scalar).oid()), of_scalar(scalar)));
    let own = own.chain([("array", ANYARRAY, ARRAY)]);
    own.flat_map(|(name, oid, functions)| {
        (0..4).map(move |place| function(name, oid, functions, place))
    })
}

fn function(type_name: &str, oid: i64, functions: Functions, place: usize) -> Function {
    let (first, result) = match place {
        0 => (CSTRING, oid),
        1 => (oid, CSTRING),
        2 => (INTERNAL_TYPE, oid),
        _ => (oid, BYTEA),
    };
    let has_modifier = functions.has_modifier && place.is_multiple_of(2);
    // The OID of the elements' type, and the modifier.
    let arguments = if has_modifier { vec![first, 26, 23] } else { vec![first] };
    let stability = functions.stability.get(place..=place).unwrap_or("i");
    let letters = format!("f{stability}t");
    Function::new(
        functions.oids[place],
        name_of(type_name, place),
        result,
        arguments,
        letters,
        None,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_type_has_its_functions() {
        let all: Vec<_> = functions().collect();
        let names = |oids: [i64; 4]| {
            oids.map(|oid| all.iter().find(|one| one.oid == oid).unwrap().name.clone())
        };
        assert_eq!(
            names(of_scalar(Scalar::Int4).oids),
            ["int4in", "int4out", "int4recv", "int4send"]
        );
        assert_eq!(
            names(of_scalar(Scalar::Jsonb).oids),
            ["jsonb_in", "jsonb_out", "jsonb_recv", "jsonb_send"]
        );
        assert_eq!(names(ARRAY.oids), ["array_in", "array_out", "array_recv", "array_send"]);
        assert_eq!(all.len(), 92);
    }
}
