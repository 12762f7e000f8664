-- loads: sqlean_define
.mode quote
select define('sumn', ':n * (:n + 1) / 2');
select sumn(5), sumn(10), sumn(NULL), sumn('4');
select define('twice', '?1 || ?1'), define('swap', '?2 || ''-'' || ?1');
select twice('ab'), swap(1, 2), twice(x'00ff');
select define('answer', '42'), define('rows', 'select count(*) from sqlean_define');
select answer(), typeof(rows());
select name, type, body from sqlean_define order by name;
-- what it says of mistakes
select define('broken', 'nope nope');
select define('empty', '');
select sumn(1, 2);
select nowhere(1);
select define('sumn', ':n + 1');
select sumn(5);
-- evaluation
select eval('select 1; select 2, 3'), eval('select 4, 5', '|');
select eval('create table made(x)'), eval('insert into made values (7) returning x'), eval('select nope');
select x from made;
-- tables
create virtual table series_to using define((with recursive t(x) as (select 1 union all select x + 1 from t where x < :limit) select x, x * x as squared from t));
select * from series_to(4);
select sum(x), max(squared) from series_to where "limit" = 10;
select * from series_to(3) s join series_to(2) t on s.x > t.x;
create table kinds(a integer, b varchar(10), c blob, d);
insert into kinds values (1, 'one', x'01', 1.5), (2, 'two', NULL, 'x');
create virtual table some using define((select a, b, c, d, a + 1 from kinds where a = :which or :every));
select name, type, hidden from pragma_table_xinfo('some');
select * from some(1, 0);
select b from some where a = 2;
select typeof(a), typeof(b), typeof(c), typeof(d) from some(0, 1);
create virtual table bad using define((select nope));
create virtual table bad using define((insert into kinds values (3, 3, 3, 3)));
create virtual table bad using define(select 1);
drop table series_to;
select name from sqlean_define order by name;
select undefine('twice');
select twice(1);
select define_free();
begin;
select define('inside', '?1 * 2');
select inside(4);
rollback;
select count(*) from sqlean_define where name = 'inside';
-- crossed
.mode quote
select sumn(3), answer(), swap('a', 'b');
select * from some(2, 0);
select name, type, body from sqlean_define order by name;
-- natively a connection is not closed while there are statements
select define_free();
