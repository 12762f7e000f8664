//! The functions of PostgreSQL that are called by the types of their arguments.

use super::super::Scalar::{self, *};

/// An overload: the types of its arguments, that of its result, and the function that computes it, where there is one.
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
    "exp"(Numeric) Numeric "";
    "ln"(Numeric) Numeric "";
    "log"(Numeric) Numeric "";
    "log"(Numeric, Numeric) Numeric "";
    "log10"(Numeric) Numeric "";
    "acos"(Float8) Float8 "pg_float8_acos";
    "acosh"(Float8) Float8 "pg_float8_acosh";
    "asin"(Float8) Float8 "pg_float8_asin";
    "asinh"(Float8) Float8 "pg_float8_asinh";
    "atan"(Float8) Float8 "pg_float8_atan";
    "atan2"(Float8, Float8) Float8 "pg_float8_atan2";
    "atanh"(Float8) Float8 "pg_float8_atanh";
    "cos"(Float8) Float8 "pg_float8_cos";
    "cosh"(Float8) Float8 "pg_float8_cosh";
    "sin"(Float8) Float8 "pg_float8_sin";
    "sinh"(Float8) Float8 "pg_float8_sinh";
    "tan"(Float8) Float8 "pg_float8_tan";
    "tanh"(Float8) Float8 "pg_float8_tanh";
    "width_bucket"(Numeric, Numeric, Numeric, Int4) Int4 "pg_int4_width_bucket";
    "width_bucket"(Float8, Float8, Float8, Int4) Int4 "pg_int4_width_bucket";
    "ascii"(Text) Int4 "ascii";
    "bit_length"(Text) Int4 "pg_int4_bit_length";
    "bit_length"(Bytea) Int4 "pg_int4_bit_length";
    "btrim"(Text) Text "btrim";
    "btrim"(Text, Text) Text "btrim";
    "btrim"(Bytea, Bytea) Bytea "";
    "char_length"(Text) Int4 "char_length";
    "character_length"(Text) Int4 "character_length";
    "chr"(Int4) Text "chr";
    "convert_from"(Bytea, Text) Text "pg_text_convert_from";
    "convert_to"(Text, Text) Bytea "pg_bytea_convert_to";
    "decode"(Text, Text) Bytea "decode";
    "encode"(Bytea, Text) Text "encode";
    "get_byte"(Bytea, Int4) Int4 "pg_int4_get_byte";
    "initcap"(Text) Text "initcap";
    "left"(Text, Int4) Text "left";
    "length"(Text) Int4 "length";
    "length"(Bytea) Int4 "length";
    "lower"(Text) Text "lower";
    "lpad"(Text, Int4) Text "lpad";
    "lpad"(Text, Int4, Text) Text "lpad";
    "ltrim"(Text) Text "ltrim";
    "ltrim"(Text, Text) Text "ltrim";
    "ltrim"(Bytea, Bytea) Bytea "";
    "md5"(Text) Text "md5";
    "md5"(Bytea) Text "md5";
    "octet_length"(Text) Int4 "octet_length";
    "octet_length"(Bytea) Int4 "octet_length";
    "overlay"(Text, Text, Int4) Text "pg_text_overlay";
    "overlay"(Text, Text, Int4, Int4) Text "pg_text_overlay";
    "overlay"(Bytea, Bytea, Int4) Bytea "pg_bytea_overlay";
    "overlay"(Bytea, Bytea, Int4, Int4) Bytea "pg_bytea_overlay";
    "position"(Text, Text) Int4 "strpos";
    "position"(Bytea, Bytea) Int4 "strpos";
    "quote_ident"(Text) Text "quote_ident";
    "regexp_count"(Text, Text) Int4 "pg_int4_regexp_count";
    "regexp_count"(Text, Text, Int4) Int4 "pg_int4_regexp_count";
    "regexp_count"(Text, Text, Int4, Text) Int4 "pg_int4_regexp_count";
    "regexp_like"(Text, Text) Bool "pg_bool_regexp_like";
    "regexp_like"(Text, Text, Text) Bool "pg_bool_regexp_like";
    "regexp_replace"(Text, Text, Text) Text "pg_text_regexp_replace";
    "regexp_replace"(Text, Text, Text, Text) Text "pg_text_regexp_replace";
    "regexp_substr"(Text, Text) Text "pg_text_regexp_substr";
    "repeat"(Text, Int4) Text "repeat";
    "replace"(Text, Text, Text) Text "replace";
    "reverse"(Text) Text "reverse";
    "right"(Text, Int4) Text "right";
    "rpad"(Text, Int4) Text "rpad";
    "rpad"(Text, Int4, Text) Text "rpad";
    "rtrim"(Text) Text "rtrim";
    "rtrim"(Text, Text) Text "rtrim";
    "rtrim"(Bytea, Bytea) Bytea "";
    "set_byte"(Bytea, Int4, Int4) Bytea "pg_bytea_set_byte";
    "sha224"(Bytea) Bytea "pg_bytea_sha224";
    "sha256"(Bytea) Bytea "pg_bytea_sha256";
    "sha384"(Bytea) Bytea "pg_bytea_sha384";
    "sha512"(Bytea) Bytea "pg_bytea_sha512";
    "split_part"(Text, Text, Int4) Text "split_part";
    "starts_with"(Text, Text) Bool "starts_with";
    "strpos"(Text, Text) Int4 "strpos";
    "substr"(Text, Int4) Text "substr";
    "substr"(Text, Int4, Int4) Text "substr";
    "substr"(Bytea, Int4) Bytea "pg_bytea_substr";
    "substr"(Bytea, Int4, Int4) Bytea "pg_bytea_substr";
    "substring"(Text, Int4) Text "substr";
    "substring"(Text, Int4, Int4) Text "substr";
    "substring"(Text, Text) Text "pg_text_regexp_part";
    "substring"(Text, Text, Text) Text "";
    "substring"(Bytea, Int4) Bytea "pg_bytea_substr";
    "substring"(Bytea, Int4, Int4) Bytea "pg_bytea_substr";
    "to_hex"(Int4) Text "pg_text_hex_of_int4";
    "to_hex"(Int8) Text "to_hex";
    "translate"(Text, Text, Text) Text "translate";
    "unistr"(Text) Text "unistr";
    "upper"(Text) Text "upper";
    "scale"(Numeric) Int4 "pg_int4_scale";
    "min_scale"(Numeric) Int4 "pg_int4_min_scale";
    "trim_scale"(Numeric) Numeric "pg_numeric_trim_scale";
}
