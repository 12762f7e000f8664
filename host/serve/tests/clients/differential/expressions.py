"""Random expressions by type. A form is a template with the types of its operands."""

import functions
from values import COLUMNS, COMMON, CONSTANTS

NUMBERS = ["int4", "int8", "numeric", "float8"]


def forms():
    """(result, template, operands)."""
    for kind in [*NUMBERS, "int2", "float4"]:
        for operator in "+-*/":
            yield kind, "({0} %s {1})" % operator, (kind, kind)
        yield kind, "(- {0})", (kind,)
        yield kind, "abs({0})", (kind,)
        yield kind, "{0}::%s" % kind, ("numeric",)
        yield kind, "CAST({0} AS %s)" % kind, ("float8",)
        yield "text", "{0}::text", (kind,)
    for kind in ["int2", "int4", "int8", "numeric"]:
        yield kind, "({0} %% {1})", (kind, kind)
        yield kind, "mod({0}, {1})", (kind, kind)
    for left, right, kind in [
        ("int4", "int8", "int8"),
        ("int4", "numeric", "numeric"),
        ("int8", "numeric", "numeric"),
        ("int2", "int4", "int4"),
        ("int4", "float8", "float8"),
        ("numeric", "float8", "float8"),
    ]:
        for operator in "+-*/":
            yield kind, "({0} %s {1})" % operator, (left, right)
            yield kind, "({0} %s {1})" % operator, (right, left)
    for name in ["round", "ceil", "floor", "trunc", "sign", "sqrt"]:
        for kind in ["numeric", "float8"]:
            yield kind, name + "({0})", (kind,)
    yield from [
        ("numeric", "round({0}, 1)", ("numeric",)), ("numeric", "round({0}, -2)", ("numeric",)), ("numeric", "trunc({0}, 2)", ("numeric",)),
        ("numeric", "{0}::numeric(8,2)", ("numeric",)), ("float8", "power({0}, {1})", ("float8", "float8")), ("float8", "exp({0})", ("float8",)),
        ("float8", "ln({0})", ("float8",)), ("int4", "{0} & {1}", ("int4", "int4")), ("int4", "({0} | {1})", ("int4", "int4")),
        ("int4", "({0} # {1})", ("int4", "int4")), ("int4", "(~ {0})", ("int4",)), ("int4", "({0} << 2)", ("int4",)), ("int4", "({0} >> 1)", ("int4",)),
        ("int4", "gcd({0}, {1})", ("int4", "int4")), ("int4", "div({0}, {1})::int", ("numeric", "numeric")),
        ("int4", "length({0})", ("text",)), ("int4", "char_length({0})", ("varchar",)), ("int4", "octet_length({0})", ("text",)),
        ("int4", "position({0} in {1})", ("text", "text")), ("int4", "strpos({0}, {1})", ("text", "text")), ("int4", "ascii({0})", ("text",)),
        ("int4", "{0}::int", ("text",)), ("int4", "{0}::int", ("bool",)), ("bool", "{0}::bool", ("int4",)), ("bool", "{0}::bool", ("text",)),
        ("text", "({0} || {1})", ("text", "text")), ("text", "({0} || {1})", ("text", "int4")), ("text", "({0} || {1})", ("bool", "text")),
        ("text", "upper({0})", ("text",)), ("text", "lower({0})", ("text",)), ("text", "initcap({0})", ("text",)), ("text", "trim({0})", ("text",)),
        ("text", "ltrim({0}, 'a')", ("text",)), ("text", "btrim({0}, {1})", ("text", "text")), ("text", "replace({0}, {1}, '*')", ("text", "text")),
        ("text", "substr({0}, {1})", ("text", "int4")), ("text", "substring({0} from {1} for 2)", ("text", "int4")), ("text", "left({0}, {1})", ("text", "int4")),
        ("text", "right({0}, 2)", ("text",)), ("text", "repeat({0}, 2)", ("text",)), ("text", "reverse({0})", ("text",)), ("text", "lpad({0}, 6, '-')", ("text",)),
        ("text", "rpad({0}, 3)", ("text",)), ("text", "split_part({0}, ',', 2)", ("text",)), ("text", "concat({0}, {1}, NULL)", ("text", "int4")),
        ("text", "concat_ws('-', {0}, {1})", ("text", "numeric")), ("text", "md5({0})", ("text",)), ("text", "translate({0}, 'abc', 'xy')", ("text",)),
        ("text", "chr({0})", ("int4",)), ("text", "to_char({0}, 'YYYY-MM-DD')", ("timestamp",)), ("text", "to_char({0}, '999.99')", ("numeric",)),
        ("text", "regexp_replace({0}, '[a-c]+', 'X')", ("text",)), ("text", "overlay({0} placing 'ZZ' from 2)", ("text",)), ("text", "quote_literal({0})", ("text",)),
        ("text", "quote_ident({0})", ("text",)), ("text", "encode({0}, 'hex')", ("bytea",)), ("text", "to_hex({0})", ("int4",)), ("text", "format('%s-%s', {0}, {1})", ("text", "int4")),
        ("varchar", "{0}::varchar(3)", ("text",)), ("bytea", "decode(md5({0}), 'hex')", ("text",)), ("bytea", "({0} || {1})", ("bytea", "bytea")),
        ("bool", "(NOT {0})", ("bool",)), ("bool", "({0} AND {1})", ("bool", "bool")), ("bool", "({0} OR {1})", ("bool", "bool")),
        ("bool", "{0} LIKE {1}", ("text", "text")), ("bool", "({0} ILIKE '%b%')", ("text",)), ("bool", "({0} ~ '^[a-z]+$')", ("text",)),
        ("bool", "({0} NOT LIKE 'a%')", ("text",)), ("bool", "({0} ~* 'h')", ("text",)), ("bool", "({0} SIMILAR TO '%(b|d)%')", ("text",)), ("bool", "starts_with({0}, 'a')", ("text",)),
        ("bool", "({0} IS TRUE)", ("bool",)), ("bool", "({0} IS NOT TRUE)", ("bool",)), ("bool", "({0} IS UNKNOWN)", ("bool",)),
        ("date", "({0} + {1})", ("date", "int4")), ("date", "({0} - 30)", ("date",)), ("int4", "({0} - {1})", ("date", "date")), ("date", "{0}::date", ("timestamp",)),
        ("timestamp", "({0} + {1})", ("date", "interval")), ("timestamp", "({0} + {1})", ("timestamp", "interval")), ("timestamp", "({0} - {1})", ("timestamp", "interval")),
        ("timestamptz", "({0} + {1})", ("timestamptz", "interval")), ("interval", "({0} - {1})", ("timestamp", "timestamp")), ("interval", "({0} - {1})", ("timestamptz", "timestamptz")),
        ("interval", "({0} + {1})", ("interval", "interval")), ("interval", "({0} * 2)", ("interval",)), ("interval", "(- {0})", ("interval",)), ("interval", "age({0}, {1})", ("timestamp", "timestamp")),
        ("timestamp", "date_trunc('month', {0})", ("timestamp",)), ("timestamptz", "date_trunc('hour', {0})", ("timestamptz",)), ("timestamp", "({0} AT TIME ZONE 'UTC')", ("timestamptz",)),
        ("timestamptz", "({0} AT TIME ZONE '+02')", ("timestamp",)), ("timestamp", "({0} AT TIME ZONE 'Europe/Berlin')", ("timestamptz",)), ("timestamp", "{0}::timestamp", ("date",)), ("timestamptz", "{0}::timestamptz", ("timestamp",)),
        ("numeric", "extract(year from {0})", ("timestamp",)), ("numeric", "extract(epoch from {0})", ("timestamptz",)), ("numeric", "extract(dow from {0})", ("date",)),
        ("float8", "date_part('hour', {0})", ("timestamp",)), ("numeric", "extract(day from {0})", ("interval",)), ("date", "make_date({0}, 2, 3)", ("int4",)),
        ("time", "{0}::time", ("timestamp",)), ("timestamp", "({0} + {1})", ("date", "time")), ("time", "({0} + {1})", ("time", "interval")), ("text", "{0}::text", ("interval",)),
        ("timestamp", "to_timestamp({0})::timestamp", ("float8",)), ("date", "to_date('05 Dec 2000', 'DD Mon YYYY')", ()), ("interval", "make_interval(days => {0})", ("int4",)), ("interval", "justify_days({0})", ("interval",)),
        ("jsonb", "({0} -> 'b')", ("jsonb",)), ("text", "({0} ->> 'a')", ("jsonb",)), ("jsonb", "({0} -> 0)", ("jsonb",)), ("json", "({0} -> 'b')", ("json",)), ("text", "({0} ->> 1)", ("json",)),
        ("jsonb", "({0} #> '{{b,0}}')", ("jsonb",)), ("text", "({0} #>> '{{b,1}}')", ("jsonb",)), ("bool", "({0} @> {1})", ("jsonb", "jsonb")), ("bool", "({0} <@ {1})", ("jsonb", "jsonb")),
        ("bool", "({0} ? 'a')", ("jsonb",)), ("bool", "({0} ?| ARRAY['a','z'])", ("jsonb",)), ("jsonb", "({0} || {1})", ("jsonb", "jsonb")), ("jsonb", "({0} - 'a')", ("jsonb",)),
        ("int4", "jsonb_array_length({0})", ("jsonb",)), ("text", "jsonb_typeof({0})", ("jsonb",)), ("jsonb", "jsonb_build_object('k', {0})", ("int4",)), ("jsonb", "to_jsonb({0})", ("text",)),
        ("jsonb", "jsonb_build_array({0}, {1})", ("numeric", "bool")), ("jsonb", "jsonb_set({0}, '{{a}}', '5')", ("jsonb",)), ("json", "json_build_object('k', {0})", ("text",)), ("jsonb", "{0}::jsonb", ("json",)),
        ("text", "{0}::text", ("jsonb",)), ("text", "{0}::text", ("json",)), ("jsonb", "jsonb_strip_nulls({0})", ("jsonb",)), ("json", "to_json({0})", ("int4[]",)), ("int4", "({0} ->> 'a')::int", ("jsonb",)),
        ("int4[]", "({0} || {1})", ("int4[]", "int4[]")), ("int4[]", "({0} || {1})", ("int4[]", "int4")), ("int4[]", "array_append({0}, {1})", ("int4[]", "int4")), ("int4[]", "array_remove({0}, 2)", ("int4[]",)),
        ("int4", "({0})[1]", ("int4[]",)), ("int4[]", "({0})[1:2]", ("int4[]",)), ("int4", "array_length({0}, 1)", ("int4[]",)), ("int4", "cardinality({0})", ("text[]",)), ("int4", "array_position({0}, 2)", ("int4[]",)),
        ("bool", "({1} = ANY({0}))", ("int4[]", "int4")), ("bool", "({1} <> ALL({0}))", ("int4[]", "int4")), ("bool", "({0} @> {1})", ("int4[]", "int4[]")), ("bool", "({0} && {1})", ("int4[]", "int4[]")),
        ("text", "array_to_string({0}, '/')", ("text[]",)), ("text[]", "string_to_array({0}, ',')", ("text",)), ("int4[]", "ARRAY[{0}, {1}]", ("int4", "int4")), ("text[]", "{0}::text[]", ("int4[]",)), ("text[]", "array_cat({0}, {1})", ("text[]", "text[]")),
        ("int4", "array_upper({0}, 1)", ("int4[]",)), ("text", "{0}::text", ("int4[]",)), ("uuid", "{0}::text::uuid", ("uuid",)), ("text", "{0}::text", ("uuid",)), ("text", "{0}::text", ("date",)), ("text", "{0}::text", ("timestamptz",)), ("text", "{0}::text", ("bool",)),
    ]  # fmt: skip
    for kind in CONSTANTS:
        yield kind, "COALESCE({0}, {1})", (kind, kind)
        yield kind, "CASE WHEN {1} THEN {0} END", (kind, "bool")
        yield kind, "CASE WHEN {2} THEN {0} ELSE {1} END", (kind, kind, "bool")
        yield "bool", "({0} IS NULL)", (kind,)
        if kind in ("json",):
            continue
        yield kind, "NULLIF({0}, {1})", (kind, kind)
        for operator in ["=", "<>", "<", "<=", ">", ">="]:
            yield "bool", "({0} %s {1})" % operator, (kind, kind)
        yield "bool", "({0} IS DISTINCT FROM {1})", (kind, kind)
        yield "bool", "({0} IN ({1}, {2}))", (kind, kind, kind)
        yield "bool", "({0} BETWEEN {1} AND {2})", (kind, kind, kind)
        if kind not in ("jsonb", "bytea", "uuid"):
            yield kind, "GREATEST({0}, {1})", (kind, kind)
            yield kind, "LEAST({0}, {1})", (kind, kind)
    for left, right in [
        ("int4", "numeric"),
        ("int8", "float8"),
        ("numeric", "float8"),
        ("date", "timestamp"),
        ("timestamp", "timestamptz"),
        ("text", "varchar"),
        ("int2", "int8"),
    ]:
        for operator in ["=", "<", ">="]:
            yield "bool", "({0} %s {1})" % operator, (left, right)


BY_TYPE: dict[str, list[tuple]] = {}
for result, template, operands in [*forms(), *functions.forms()]:
    BY_TYPE.setdefault(result, []).append((template, operands))


class Expressions:
    """A source of expressions over the columns in scope. `used` collects the templates."""

    def __init__(self, random):
        self.random = random
        self.used = []

    def of(self, kind, depth, columns):
        roll = self.random.random()
        own = [name for name, its in columns.items() if its == kind]
        if own and (roll < 0.35 or depth <= 0):
            return self.random.choice(own)
        if depth <= 0 or roll < 0.45 or kind not in BY_TYPE:
            return "NULL::" + kind if self.random.random() < 0.04 else self.random.choice(CONSTANTS[kind])
        template, operands = self.random.choice(BY_TYPE[kind])
        self.used.append(f"{template.replace('%%', '%')}  {', '.join(operands)}")
        if self.random.random() < 0.015:
            # An operand of any type: most are refused.
            operands = [self.any() if self.random.random() < 0.5 else own for own in operands]
        return template.replace("%%", "%").format(*(self.of(own, depth - 1, columns) for own in operands))

    def any(self):
        return self.random.choice(COMMON if self.random.random() < 0.8 else list(CONSTANTS))


def columns_of(table, alias):
    return {f"{alias}.{name}": kind for name, kind in COLUMNS[table].items()}
