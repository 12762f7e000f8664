-- loads: ends
-- grants: sql,dir:.
-- What is registered is given back when the connection is closed, once.
create table t(a);
create virtual table e using e_table;
select e_keep(1), e_run('insert into t values (1)'), count(*) from e;
select e_register('e_late'), e_file('file.txt');
select e_late('select 1');
select group_concat(a order by a collate e_order), e_window(a) from t;
-- a module that is used does not end before its table
drop table e;
.open second.db
select value, count(*) from json_each('["' || replace(trim(readfile('ends.txt'), char(10)), char(10), '","') || '"]') group by 1;
select readfile('file.txt');
select e_run('select 1');
-- crossed
select e_keep(2);
.open third.db
select value, count(*) from json_each('["' || replace(trim(readfile('ends.txt'), char(10)), char(10), '","') || '"]') group by 1;
