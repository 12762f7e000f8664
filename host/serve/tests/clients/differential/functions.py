"""More forms: functions and operators that fewer statements have, by result."""

FIELDS = [
    "year",
    "month",
    "day",
    "hour",
    "minute",
    "second",
    "quarter",
    "week",
    "doy",
    "dow",
    "isodow",
    "isoyear",
    "century",
    "decade",
    "millennium",
    "epoch",
    "milliseconds",
    "microseconds",
]
UNITS = ["second", "minute", "hour", "day", "week", "month", "quarter", "year", "decade", "century"]
PATTERNS = ["YYYY-MM-DD HH24:MI:SS", "DD Mon YYYY", "FMDay, FMDDth FMMonth", "HH12:MI AM", "IYYY-IW-ID", "Q", "J", "YY MM D DDD", "MS US"]
NUMBER_PATTERNS = ["9999.99", "FM999,999.00", "0000", "S999", "9.9EEEE", "RN", "L99", "999PR", "MI99"]


def forms():
    """(result, template, operands)."""
    for field in FIELDS:
        for kind in ["timestamp", "timestamptz", "date", "interval"]:
            yield "numeric", "extract(%s from {0})" % field, (kind,)
        yield "float8", "date_part('%s', {0})" % field, ("timestamp",)
    for unit in UNITS:
        yield "timestamp", "date_trunc('%s', {0})" % unit, ("timestamp",)
        yield "timestamptz", "date_trunc('%s', {0})" % unit, ("timestamptz",)
        yield "interval", "date_trunc('%s', {0})" % unit, ("interval",)
    for pattern in PATTERNS:
        yield "text", "to_char({0}, '%s')" % pattern, ("timestamp",)
        yield "text", "to_char({0}, '%s')" % pattern, ("date",)
    for pattern in NUMBER_PATTERNS:
        for kind in ["numeric", "int4", "float8"]:
            yield "text", "to_char({0}, '%s')" % pattern, (kind,)
    for kind in ["int2", "int4", "int8"]:
        yield kind, "({0} << {1})", (kind, "int4")
        yield kind, "({0} >> {1})", (kind, "int4")
        yield kind, "({0} & {1})", (kind, kind)
        yield kind, "({0} # {1})", (kind, kind)
        if kind != "int2":
            yield kind, "lcm({0}, {1})", (kind, kind)
        yield "text", "lpad({0}::text, 5, '0')", (kind,)
    for name in ["cbrt", "exp", "ln", "log", "degrees", "radians", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh"]:
        yield "float8", name + "({0})", ("float8",)
    for kind in ["int4", "text", "numeric", "date"]:
        many = kind + "[]" if kind in ("int4", "text") else None
        yield "bool", "(({0}, {1}) = ({2}, {3}))", (kind, "int4", kind, "int4")
        yield "bool", "(({0}, {1}) < ({2}, {3}))", (kind, "int4", kind, "int4")
        yield "bool", "({0} NOT IN ({1}, {2}))", (kind, kind, kind)
        yield "bool", "({0} IS NOT DISTINCT FROM {1})", (kind, kind)
        if many:
            for operator in ["=", "<", ">=", "<>"]:
                yield "bool", "({0} %s ANY({1}))" % operator, (kind, many)
                yield "bool", "({0} %s ALL({1}))" % operator, (kind, many)
            yield many, "array_prepend({0}, {1})", (kind, many)
            yield many, "array_replace({0}, {1}, {2})", (many, kind, kind)
            yield "int4[]", "array_positions({0}, {1})", (many, kind)
            yield many, "trim_array({0}, 1)", (many,)
            yield "text", "array_dims({0})", (many,)
            yield "int4", "array_ndims({0})", (many,)
            yield "bool", "({0} = {1})", (many, many)
            yield "bool", "({0} < {1})", (many, many)
    yield from [
        ("float8", "atan2({0}, {1})", ("float8", "float8")), ("float8", "power({0}, 2)", ("int4",)), ("float8", "({0} ^ 2)", ("float8",)), ("numeric", "power({0}, 2)", ("numeric",)), ("numeric", "({0} ^ 3)", ("numeric",)),
        ("numeric", "div({0}, {1})", ("numeric", "numeric")), ("numeric", "factorial({0})", ("int4",)), ("int4", "width_bucket({0}, 0, 10, 5)", ("numeric",)), ("int4", "scale({0})", ("numeric",)), ("numeric", "trim_scale({0})", ("numeric",)),
        ("int4", "min_scale({0})", ("numeric",)), ("numeric", "log(10, {0})", ("numeric",)), ("float8", "pi()", ()), ("numeric", "to_number({0}::text, '99999.99')", ("int4",)), ("float8", "(|/ {0})", ("float8",)), ("int4", "(@ {0})", ("int4",)),
        ("text", "overlay({0} placing {1} from 2 for 1)", ("text", "text")), ("bytea", "overlay({0} placing {1} from 1)", ("bytea", "bytea")), ("text", "regexp_replace({0}, '(l+)', '<\\1>', 'g')", ("text",)), ("text", "regexp_replace({0}, 'B', '-', 'gi')", ("text",)),
        ("text", "regexp_replace({0}, '\\s*', '_', 'g')", ("text",)), ("text", "regexp_substr({0}, '[a-z]+')", ("text",)), ("int4", "regexp_count({0}, '[a-z]')", ("text",)), ("bool", "regexp_like({0}, '^h', 'i')", ("text",)), ("text[]", "regexp_match({0}, '([a-z])([a-z])')", ("text",)),
        ("text[]", "regexp_split_to_array({0}, '[, ]')", ("text",)), ("text", "substring({0} from '[a-z]+')", ("text",)), ("text", "substring({0} from 2)", ("text",)), ("text", "substring({0} for 2)", ("text",)), ("bytea", "substring({0} from 2)", ("bytea",)), ("int4", "bit_length({0})", ("text",)),
        ("int4", "length({0})", ("bytea",)), ("text", "trim(leading 'a' from {0})", ("text",)), ("text", "rtrim({0}, {1})", ("text", "text")), ("text", "format('%I=%L', {0}, {1})", ("text", "text")), ("text", "quote_nullable({0})", ("text",)), ("text", "concat({0}, {1}, {2})", ("bool", "date", "float8")),
        ("text", "concat_ws({0}, {1}, {2})", ("text", "text", "bool")), ("text", "unistr({0})", ("text",)), ("text", "string_to_array({0}, ' ')::text", ("text",)), ("text[]", "string_to_array({0}, {1})", ("text", "text")), ("text[]", "string_to_array({0}, NULL)", ("text",)), ("text", "encode({0}, 'base64')", ("bytea",)), ("text", "encode({0}, 'escape')", ("bytea",)),
        ("bytea", "sha256({0})", ("bytea",)), ("text", "md5({0})", ("bytea",)), ("int4", "get_byte({0}, 0)", ("bytea",)), ("bytea", "set_byte({0}, 0, 7)", ("bytea",)), ("bytea", "convert_to({0}, 'UTF8')", ("text",)), ("text", "({0} || {1})", ("text", "date")), ("text", "({0} || {1})", ("numeric", "text")),
        ("bool", "({0} LIKE 'a!%' ESCAPE '!')", ("text",)), ("bool", "({0} NOT ILIKE {1})", ("text", "text")), ("bool", "({0} !~ '[0-9]')", ("text",)), ("bool", "({0} !~* 'w')", ("text",)), ("bool", "({0} ~ '\\d+')", ("text",)), ("bool", "({0} NOT SIMILAR TO 'a_c')", ("text",)), ("bool", "({0} ^@ {1})", ("text", "text")),
        ("bool", "({0} IS FALSE)", ("bool",)), ("bool", "({0} IS NOT UNKNOWN)", ("bool",)), ("bool", "({0} = {1})", ("bool", "bool")), ("int4", "num_nulls({0}, {1})", ("int4", "text")), ("int4", "num_nonnulls({0}, {1})", ("int4", "text")), ("text", "pg_typeof({0})::text", ("int4",)), ("text", "pg_typeof({0})::text", ("numeric",)),
        ("interval", "age({0})", ("timestamp",)), ("interval", "justify_hours({0})", ("interval",)), ("interval", "justify_interval({0})", ("interval",)), ("interval", "({0} / 2)", ("interval",)), ("interval", "({0} * 1.5)", ("interval",)), ("interval", "({0} - {1})", ("time", "time")), ("interval", "{0}::interval", ("time",)),
        ("interval", "make_interval(years => {0}, hours => 2)", ("int4",)), ("time", "make_time(1, 2, 3.5)", ()), ("timestamp", "make_timestamp({0}, 2, 3, 4, 5, 6.7)", ("int4",)), ("timestamp", "to_timestamp('05 Dec 2000 10:11', 'DD Mon YYYY HH24:MI')::timestamp", ()), ("timestamp", "({0} - {1})", ("date", "interval")), ("bool", "isfinite({0})", ("timestamp",)),
        ("bool", "(({0}, {1}) OVERLAPS ({2}, {3}))", ("date", "date", "date", "date")), ("timestamp", "date_bin('15 minutes', {0}, timestamp '2001-01-01')", ("timestamp",)), ("date", "({0} + interval '1 day')::date", ("date",)), ("timestamptz", "({0} AT TIME ZONE interval '02:00')", ("timestamp",)), ("time", "({0} - {1})", ("time", "interval")), ("text", "{0}::text", ("time",)), ("text", "{0}::text", ("timestamp",)),
        ("jsonb", "({0} #- '{{a}}')", ("jsonb",)), ("jsonb", "({0} - 0)", ("jsonb",)), ("jsonb", "({0} - ARRAY['a','k'])", ("jsonb",)), ("jsonb", "jsonb_insert({0}, '{{b,0}}', '9')", ("jsonb",)), ("text", "jsonb_pretty({0})", ("jsonb",)), ("json", "json_strip_nulls({0})", ("json",)), ("text", "json_typeof({0})", ("json",)), ("int4", "json_array_length({0})", ("json",)),
        ("jsonb", "jsonb_extract_path({0}, 'b', '0')", ("jsonb",)), ("text", "jsonb_extract_path_text({0}, 'a')", ("jsonb",)), ("jsonb", "to_jsonb({0})", ("numeric",)), ("jsonb", "to_jsonb({0})", ("timestamp",)), ("jsonb", "to_jsonb({0})", ("text[]",)), ("json", "json_build_array({0}, {1})", ("text", "date")), ("json", "row_to_json(row({0}, {1}))", ("int4", "text")), ("json", "array_to_json({0})", ("int4[]",)),
        ("bool", "({0} ?& ARRAY['a','b'])", ("jsonb",)), ("numeric", "({0} -> 'a')::numeric", ("jsonb",)), ("jsonb", "jsonb_set({0}, '{{b,1}}', to_jsonb({1}), false)", ("jsonb", "int4")), ("jsonb", "jsonb_object('{{a,1,b,2}}')", ()), ("bool", "jsonb_path_exists({0}, '$.a')", ("jsonb",)), ("jsonb", "{0}::text::jsonb", ("json",)), ("bool", "({0} = {1})", ("jsonb", "jsonb")),
        ("int4[]", "array_fill({0}, ARRAY[2])", ("int4",)), ("int4", "({0})[2]", ("int4[]",)), ("text[]", "({0})[:1]", ("text[]",)), ("int4", "array_lower({0}, 1)", ("text[]",)), ("text", "array_to_string({0}, ',', '*')", ("text[]",)), ("int4[]", "array_cat({0}, {1})", ("int4[]", "int4[]")), ("text[]", "({0} || {1})", ("text", "text[]")), ("int4[]", "ARRAY(SELECT generate_series(1, 3))", ()), ("text[]", "{0}::varchar[]", ("text[]",)),
        ("bool", "({0} <@ {1})", ("text[]", "text[]")), ("uuid", "{0}::uuid", ("text",)), ("text", "CASE {0} WHEN 1 THEN 'one' WHEN 2 THEN 'two' ELSE 'many' END", ("int4",)), ("int4", "CASE WHEN {0} > {1} THEN 1 ELSE 0 END", ("numeric", "float8")), ("int4", "(SELECT max(id) FROM t WHERE f > {0})", ("float8",)), ("text", "(SELECT x FROM t WHERE id = {0})", ("int4",)), ("numeric", "(SELECT p FROM t WHERE b = {0})", ("int8",)),
        ("int8", "(SELECT count(*) FROM u WHERE u.tid = {0})", ("int4",)), ("numeric", "COALESCE({0}, {1}, 0)", ("numeric", "int4")), ("float8", "COALESCE({0}, {1})", ("float8", "numeric")), ("numeric", "GREATEST({0}, {1})", ("numeric", "int4")), ("timestamp", "COALESCE({0}, {1})", ("timestamp", "date")), ("text", "COALESCE({0}, 'none')", ("text",)), ("int4", "NULLIF({0}, 0)", ("int4",)),
        ("numeric", "{0}::numeric(4)", ("float8",)), ("float4", "{0}::real", ("numeric",)), ("int2", "{0}::smallint", ("float8",)), ("int8", "{0}::bigint", ("text",)), ("numeric", "{0}::numeric", ("text",)), ("float8", "{0}::float8", ("text",)), ("date", "{0}::date", ("text",)), ("timestamp", "{0}::timestamp", ("text",)), ("int4[]", "{0}::int[]", ("text[]",)), ("varchar", "{0}::char(4)", ("text",)), ("timestamp", "{0}::timestamp(0)", ("timestamp",)),
        ("bool", "(({0}) COLLATE \"C\" < {1})", ("text", "text")), ("text", "chr(65 + {0} % 26)", ("int4",)), ("text", "left({0}, -1)", ("text",)), ("text", "right({0}, -1)", ("text",)), ("text", "substr({0}, {1}, 3)", ("text", "int4")), ("text", "split_part({0}, ',', -1)", ("text",)), ("text", "lpad({0}, {1})", ("text", "int4")), ("text", "repeat({0}, {1} % 4)", ("text", "int4")),
    ]  # fmt: skip


AGGREGATES = [
    ("sum({0})", "interval"), ("avg({0})", "interval"), ("max({0})", "interval"), ("min({0})", "text"), ("max({0})", "timestamptz"), ("sum({0})", "int2"), ("sum({0})", "float4"), ("avg({0})", "int8"), ("variance({0})", "float8"), ("round(var_pop({0}), 4)", "numeric"),
    ("bit_and({0})", "int4"), ("bit_or({0})", "int4"), ("bit_xor({0})", "int4"), ("every({0})", "bool"), ("array_agg({0} ORDER BY {0} DESC)", "text"), ("array_agg(DISTINCT {0})", "int4"), ("string_agg(DISTINCT {0}, '-')", "text"), ("json_agg({0} ORDER BY {0})", "text"),
    ("sum(DISTINCT {0})", "int4"), ("sum(DISTINCT {0})", "numeric"), ("jsonb_object_agg({0}::text, 1) FILTER (WHERE {0} IS NOT NULL)", "int4"), ("percentile_cont(0.5) WITHIN GROUP (ORDER BY {0})", "float8"), ("mode() WITHIN GROUP (ORDER BY {0})", "int4"), ("corr({0}, {0})", "float8"), ("regr_slope({0}, {0})", "float8"),
    ("count({0}) FILTER (WHERE {1})", "text"), ("avg({0}) FILTER (WHERE {1})", "int4"), ("min({0})", "uuid"), ("max({0})", "jsonb"), ("sum({0})", "text"), ("max({0})", "int4[]"), ("count(DISTINCT ({0}, 1))", "int4"),
]  # fmt: skip

WINDOWS = [
    "dense_rank() OVER (ORDER BY {0})", "percent_rank() OVER (ORDER BY {k})", "cume_dist() OVER (ORDER BY {k})", "last_value({0}) OVER (ORDER BY {k} ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)", "nth_value({0}, 2) OVER (ORDER BY {k})",
    "lead({0}, 1) OVER (ORDER BY {k} DESC)", "lag({n}, 1, 0) OVER (ORDER BY {k})", "sum({n}) OVER (ORDER BY {k} ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)", "max({n}) OVER (PARTITION BY {b} ORDER BY {k})", "count(*) OVER (ORDER BY {k} RANGE BETWEEN 1 PRECEDING AND CURRENT ROW)",
    "array_agg({k}) OVER (ORDER BY {k})", "string_agg({0}::text, ',') OVER (ORDER BY {k})", "row_number() OVER (PARTITION BY {b} ORDER BY {k} DESC)", "sum({n}) FILTER (WHERE {b}) OVER (ORDER BY {k})", "bool_or({b}) OVER (ORDER BY {k})",
]  # fmt: skip
