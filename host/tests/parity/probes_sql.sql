-- loads: probes
.mode list
create table t(id integer primary key, a, b);
insert into t values (1, 'one', x'01'), (2, 2.5, NULL), (3, 3, 'three');
select p_run('select * from t; select 1 as x where 0;  -- end');
select p_run('select ?1 as a, :name, @at, $dollar', 1, 'two', x'03', NULL);
select p_run('insert into t(a, b) values (?1, ?2) returning *', 'new', 5);
select p_run('update t set b = 1 where id > ?', 2);
select p_run('select nope from t');
select p_run('selec');
select p_run('insert into t(id) values (1)');
select p_run('select json(''['')');
select p_run('');
select p_run(' -- nothing');
select p_bind();
select p_steps();
select p_exec('select id, a from t; select 5 as five', 1);
select p_exec('select 1, 2, 3; select 4', 1);
select p_exec('create table u(x); insert into u values (1), (2)', 0);
select p_exec('insert into u values (3); nope', 0);
select p_exec('select x from u', 1);
select p_get_table('select id, a, b from t');
select p_get_table('select 1 where 0');
select p_get_table('select 1; select 2, 3');
select p_get_table('nope');
-- uncommitted rows are seen, and go with a rollback
begin;
select p_exec('insert into u values (99)', 0);
select count(*) from u;
rollback;
select count(*) from u;
create table b(id integer primary key, x blob, y text);
insert into b values (1, 'abcdefgh', 'text of b'), (2, zeroblob(500), ''), (3, NULL, 5);
select p_blob('b', 'x', 1, 1);
select p_blob('b', 'y', 1, 0);
select p_blob('b', 'x', 3, 0);
select p_blob('b', 'x', 9, 0);
select p_blob('nope', 'x', 1, 0);
select p_blob('b', 'nope', 1, 0);
select id, hex(x) like '%57585%', y from b;
create trigger tr after insert on u begin select p_exec('insert into t(a) values (' || new.x || ')', 0); end;
insert into u values (7);
select count(*) from t where a = 7;
-- crossed
select count(*) from t;
select id, hex(substr(x, 1, 8)) from b;
