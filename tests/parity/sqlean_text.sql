-- loads: sqlean_text
select text_substring('привет мир', 3, 4), text_slice('hello', -3), text_left('hello', 2), text_right('hello', 2), text_index('hello', 'l'), text_last_index('hello', 'l'), text_contains('hello', 'ell'), text_has_prefix('hello', 'he'), text_has_suffix('hello', 'lo'), text_count('banana', 'a');
select text_split('a|b|c', '|', 2), text_join('-', 'a', 'b', 'c'), text_concat('a', NULL, 1), text_repeat('ab', 3), text_ltrim('  a '), text_trim('xxaxx', 'x'), text_lpad('a', 3, '*'), text_rpad('a', 3), text_replace('aaa', 'a', 'b', 2), text_translate('abc', 'ab', 'xy'), text_reverse('абв');
select text_lower('ПРИВЕТ'), text_upper('straße'), text_title('hello world'), text_casefold('STRASSE'), text_length('𐌀'), text_size('𐌀'), text_bitsize('a'), text_like('Привет', 'п%');
select 'ПРИВЕТ' = 'привет' collate text_nocase, 'a' < 'B' collate text_nocase;
create table t(x text collate text_nocase);
insert into t values ('Ä'), ('ä'), ('b'), ('A');
select group_concat(x) from (select x from t order by x, rowid);
create unique index i on t(x);
select text_split('a', '', 1), text_substring(NULL, 1), text_repeat('a', -1), text_join('-');
select text_split('a');
