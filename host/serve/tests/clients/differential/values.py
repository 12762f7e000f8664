"""The types, and constants of each: ordinary ones, and those at the edges."""

CONSTANTS = {
    "int2": ["0::int2", "7::int2", "(-3)::int2", "32767::int2"],
    "int4": ["0", "1", "2", "-5", "42", "2147483647", "10"],
    "int8": ["0::bigint", "3::bigint", "-9::bigint", "9223372036854775807", "5000000000"],
    "numeric": ["0.0", "1.50", "-2.25", "3.14159", "1000000.001", "0.1", "2::numeric", "12345678901234567890.5", "1e10::numeric"],
    "float4": ["1.5::real", "-0.25::real", "3::real", "0.1::real"],
    "float8": ["0.1::float8", "1e10::float8", "-2.5::float8", "3::float8", "1e-7::float8", "'NaN'::float8", "'Infinity'::float8"],
    "text": [
        "'abc'::text",
        "'Hello World'::text",
        "''::text",
        "'a,b,c'::text",
        "'10'::text",
        "'ÄÖ ß'::text",
        "'it''s'::text",
        "'x%y_z'::text",
    ],
    "varchar": ["'abc'::varchar(5)", "'Über'::varchar", "'xyz'::varchar(2)"],
    "bool": ["true", "false"],
    "date": ["date '2024-02-29'", "date '1999-12-31'", "date '2000-01-01'", "date '0044-03-15'"],
    "time": ["time '12:34:56'", "time '00:00'", "time '23:59:59.999'"],
    "timestamp": ["timestamp '2024-02-29 13:14:15.678'", "timestamp '1970-01-01 00:00'", "timestamp '2023-12-31 23:59:59'"],
    "timestamptz": [
        "timestamptz '2024-03-31 01:30:00+02'",
        "timestamptz '2000-01-01 00:00:00Z'",
        "timestamptz '2024-07-01 12:00:00-05:30'",
    ],
    "interval": [
        "interval '1 day'",
        "interval '2 hours 30 minutes'",
        "interval '1 month 3 days'",
        "interval '-5 minutes'",
        "interval '1 year'",
    ],
    "uuid": ["'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid", "'00000000-0000-0000-0000-000000000000'::uuid"],
    "bytea": ["'\\x01ff'::bytea", "''::bytea", "'abc'::bytea"],
    "json": ['\'{"a": 1, "b": [1, 2]}\'::json', "'[1, \"x\", null]'::json", "'3.50'::json"],
    "jsonb": ['\'{"a": 1, "b": [1, 2]}\'::jsonb', "'[1, \"x\", null]'::jsonb", '\'{"k": {"z": 1.50, "a": true}}\'::jsonb', "'null'::jsonb"],
    "int4[]": ["ARRAY[1,2,3]", "'{}'::int[]", "ARRAY[4,NULL,6]", "'{7,8}'::int[]"],
    "text[]": ["ARRAY['a','b']", "'{}'::text[]", "ARRAY['x,y','\"q\"',NULL]::text[]"],
}

# Those that most expressions have.
COMMON = ["int4", "int4", "int8", "numeric", "numeric", "float8", "text", "text", "bool", "date", "timestamp",
          "timestamptz", "interval", "jsonb", "int4[]", "text[]"]  # fmt: skip

# Tables that both servers have, and the types of their columns.
COLUMNS = {
    "t": {"id": "int4", "s": "int2", "b": "int8", "n": "numeric", "p": "numeric", "f": "float8", "x": "text", "v": "varchar", "k": "bool"},
    "u": {"id": "int4", "tid": "int4", "d": "date", "c": "time", "m": "timestamp", "z": "timestamptz", "g": "uuid", "y": "bytea"},
    "w": {"id": "int4", "j": "json", "q": "jsonb", "a": "int4[]", "l": "text[]", "x": "text"},
}

SETUP = """
CREATE TABLE t(id int PRIMARY KEY, s smallint, b bigint, n numeric, p numeric(10,2), f double precision, x text, v varchar(20), k boolean);
CREATE TABLE u(id int PRIMARY KEY, tid int REFERENCES t(id), d date, c time, m timestamp, z timestamptz, g uuid, y bytea);
CREATE TABLE w(id int PRIMARY KEY, j json, q jsonb, a int[], l text[], x text NOT NULL DEFAULT 'none', UNIQUE (x));
INSERT INTO t VALUES (1, 1, 10, 1.5, 2.50, 0.1, 'abc', 'one', true), (2, -2, -5000000000, 0.1, -1.25, 2.5, 'ABC', 'two', false),
  (3, 3, 0, 100, 99999.99, 1e10, 'Hello', 'Three', NULL), (4, NULL, NULL, NULL, NULL, NULL, NULL, NULL, true),
  (5, 5, 25, 2.25, 0.00, -0.5, '', 'five', false), (6, 32767, 9223372036854775807, -7.125, 10, 3, 'äöü', 'six', true);
INSERT INTO u VALUES (1, 1, '2024-02-29', '12:30', '2024-02-29 12:30:45.5', '2024-02-29 12:30:45+02', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', '\\x00ff'),
  (2, 1, '1999-12-31', '23:59:59', '1999-12-31 23:59:59', '1999-12-31 23:59:59Z', NULL, ''), (3, 2, NULL, NULL, NULL, NULL, NULL, NULL),
  (4, NULL, '2000-01-01', '00:00', '2000-01-01 00:00', '2000-06-01 00:00-05', '00000000-0000-0000-0000-000000000001', 'abc');
INSERT INTO w VALUES (1, '{"a": 1}', '{"a": 1, "b": [1, 2, {"c": "d"}]}', '{1,2,3}', '{a,b}', 'first'),
  (2, '[1, 2]', '[3, "x", null]', '{}', '{}', 'second'), (3, NULL, NULL, NULL, NULL, 'third'), (4, '"s"', '{"k": null, "n": 2.50}', '{5,NULL}', '{"x y",NULL}', 'fourth');
"""
