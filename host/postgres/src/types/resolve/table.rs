//! The functions of PostgreSQL that are called by the types of their arguments.

use super::super::Scalar::{self, *};

/// An overload: the types of its arguments, that of its result, and the function that computes it. `{}` in place of a name
/// stands for SQLite's own function of that name.
#[derive(Clone, Copy, Debug)]
pub struct Overload {
    pub name: &'static str,
    pub arguments: &'static [Scalar],
    pub result: Scalar,
    pub function: &'static str,
}

macro_rules! functions {
    ($($name:literal ($($argument:ident),*) $result:ident $function:literal;)*) => {
        pub const FUNCTIONS: &[Overload] = &[
            $(Overload { name: $name, arguments: &[$($argument),*], result: $result, function: $function },)*
        ];
    };
}

functions! {
    "abs"(Int2) Int2 "pg_int2_abs";
    "abs"(Int4) Int4 "pg_int4_abs";
    "abs"(Int8) Int8 "pg_int8_abs";
    "abs"(Numeric) Numeric "pg_numeric_abs";
    "abs"(Float4) Float4 "abs";
    "abs"(Float8) Float8 "abs";
    "round"(Numeric) Numeric "pg_numeric_round";
    "round"(Float8) Float8 "pg_float8_round";
    "round"(Numeric, Int4) Numeric "pg_numeric_round";
    "trunc"(Numeric) Numeric "pg_numeric_trunc";
    "trunc"(Float8) Float8 "trunc";
    "trunc"(Numeric, Int4) Numeric "pg_numeric_trunc";
    "ceil"(Numeric) Numeric "pg_numeric_ceil";
    "ceil"(Float8) Float8 "ceil";
    "ceiling"(Numeric) Numeric "pg_numeric_ceil";
    "ceiling"(Float8) Float8 "ceil";
    "floor"(Numeric) Numeric "pg_numeric_floor";
    "floor"(Float8) Float8 "floor";
    "sign"(Numeric) Numeric "pg_numeric_sign";
    "sign"(Float8) Float8 "pg_float8_sign";
    "mod"(Int2, Int2) Int2 "pg_int2_mod";
    "mod"(Int4, Int4) Int4 "pg_int4_mod";
    "mod"(Int8, Int8) Int8 "pg_int8_mod";
    "mod"(Numeric, Numeric) Numeric "pg_numeric_mod";
    "div"(Numeric, Numeric) Numeric "pg_numeric_quotient";
    "sqrt"(Numeric) Numeric "pg_numeric_sqrt";
    "sqrt"(Float8) Float8 "pg_float8_sqrt";
    "cbrt"(Float8) Float8 "pg_float8_cbrt";
    "exp"(Float8) Float8 "pg_float8_exp";
    "ln"(Float8) Float8 "pg_float8_ln";
    "log"(Float8) Float8 "pg_float8_log10";
    "log10"(Float8) Float8 "pg_float8_log10";
    "power"(Numeric, Numeric) Numeric "pg_numeric_power";
    "power"(Float8, Float8) Float8 "pg_float8_power";
    "pow"(Numeric, Numeric) Numeric "pg_numeric_power";
    "pow"(Float8, Float8) Float8 "pg_float8_power";
    "degrees"(Float8) Float8 "pg_float8_degrees";
    "radians"(Float8) Float8 "pg_float8_radians";
    "gcd"(Int4, Int4) Int4 "pg_int4_gcd";
    "gcd"(Int8, Int8) Int8 "pg_int8_gcd";
    "gcd"(Numeric, Numeric) Numeric "pg_numeric_gcd";
    "lcm"(Int4, Int4) Int4 "pg_int4_lcm";
    "lcm"(Int8, Int8) Int8 "pg_int8_lcm";
    "lcm"(Numeric, Numeric) Numeric "pg_numeric_lcm";
    "factorial"(Int8) Numeric "pg_numeric_factorial";
    "md5"(Text) Text "md5";
    "md5"(Bytea) Text "md5";
    "initcap"(Text) Text "initcap";
    "reverse"(Text) Text "reverse";
    "translate"(Text, Text, Text) Text "translate";
    "split_part"(Text, Text, Int4) Text "split_part";
    "repeat"(Text, Int4) Text "repeat";
    "lpad"(Text, Int4) Text "lpad";
    "lpad"(Text, Int4, Text) Text "lpad";
    "rpad"(Text, Int4) Text "rpad";
    "rpad"(Text, Int4, Text) Text "rpad";
    "starts_with"(Text, Text) Bool "starts_with";
    "to_hex"(Int4) Text "pg_text_hex_of_int4";
    "to_hex"(Int8) Text "to_hex";
    "encode"(Bytea, Text) Text "encode";
    "decode"(Text, Text) Bytea "decode";
    "scale"(Numeric) Int4 "pg_int4_scale";
    "min_scale"(Numeric) Int4 "pg_int4_min_scale";
    "trim_scale"(Numeric) Numeric "pg_numeric_trim_scale";
}

/// Functions of `numeric` whose digits only PostgreSQL has: with such an argument they are refused.
pub const REFUSED_OF_NUMERIC: &[&str] = &["exp", "ln", "log", "log10"];
