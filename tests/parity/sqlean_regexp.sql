-- loads: sqlean_regexp
select 'the year is 2021' regexp '[0-9]+', regexp_like('abc', '^a.c$'), regexp_substr('the year is 2021', '\d{4}'), regexp_replace('the year is 2021', '(\d+)', '<$1>'), regexp_capture('years is 2021', '\d\d(\d\d)', 1);
select regexp_like('АБВ', '\p{Cyrillic}+'), regexp_substr('x', 'y'), regexp_replace('aaa', 'a', 'b');
select regexp_like('a', '(');
with recursive n(i) as (select 1 union all select i + 1 from n where i < 500) select count(*) from n where i || '' regexp '^[1-3]+$';
