SELECT longest(column1) FROM (VALUES ('ah'), ('aha'))
