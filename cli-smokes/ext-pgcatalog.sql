-- cli-smokes/ext-pgcatalog.sql: Postgres' catalogue of a database.
-- args: test.db
-- ours-only: native shells load no components
.load pgcatalog
CREATE TABLE author(id INTEGER PRIMARY KEY, name text NOT NULL, born date);
CREATE TABLE book(id integer PRIMARY KEY, author_id integer NOT NULL REFERENCES author(id) ON DELETE CASCADE, title varchar(40) NOT NULL DEFAULT 'x', price numeric(10,2), UNIQUE (author_id, title), CHECK (price > 0));
CREATE UNIQUE INDEX book_title ON book(title DESC) WHERE price > 1;
CREATE VIEW v AS SELECT title FROM book;
SELECT '110', oid, relname, relkind, relhasindex FROM pg_class ORDER BY relname;
SELECT '120', attname, format_type(atttypid, atttypmod), attnotnull, atthasdef FROM pg_attribute WHERE attrelid = to_regclass('book') ORDER BY attnum;
SELECT '130', conname, contype, pg_get_constraintdef(oid), conkey, pg_regclass_name(confrelid) FROM pg_constraint ORDER BY conname;
SELECT '140', pg_get_indexdef(indexrelid), indkey, indisprimary FROM pg_index WHERE indrelid = to_regclass('public.book') ORDER BY 2;
SELECT '150', pg_get_viewdef(to_regclass('v')), pg_get_expr(adbin, adrelid) FROM pg_attrdef;
SELECT '160', table_catalog, table_name, table_type FROM information_schema_tables ORDER BY table_name;
SELECT '170', column_name, data_type, character_maximum_length, is_nullable FROM information_schema_columns WHERE table_name = 'book';
SELECT '180', constraint_name, unique_constraint_name, delete_rule FROM information_schema_referential_constraints;
SELECT '190', t.typname, e.typname FROM pg_type t JOIN pg_type e ON e.oid = t.typelem WHERE t.oid IN (1007, 1009);
SELECT '200', nspname, pg_get_userbyid(nspowner), to_regnamespace(nspname) = oid FROM pg_namespace ORDER BY nspname;
SELECT '210', pg_integer(2.5), pg_boolean('off'), pg_like_glob('a%[_'), pg_regex('Abc', '^a', 'i'), pg_array_json('{1,"b c",NULL}');
SELECT '220', quote_ident('Order'), quote_literal('it''s'), pg_size_pretty(123456), format_type(1043, 14);
SELECT pg_integer('x');
-- The catalogue follows the schema, within a transaction too.
BEGIN;
ALTER TABLE author ADD COLUMN more bigint;
SELECT '230', count(*) FROM pg_attribute WHERE attrelid = to_regclass('author');
ROLLBACK;
SELECT '240', count(*) FROM pg_attribute WHERE attrelid = to_regclass('author');
