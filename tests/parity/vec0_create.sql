-- loads: vec0
.mode quote
create virtual table a using vec0();
create virtual table a using vec0(x);
create virtual table a using vec0(x float);
create virtual table a using vec0(x float[]);
create virtual table a using vec0(x float[0]);
create virtual table a using vec0(x float[-1]);
create virtual table a using vec0(x float[8193]);
create virtual table a using vec0(x nope[4]);
create virtual table a using vec0(x float[4] distance_metric=nope);
create virtual table a using vec0(x bit[8] distance_metric=cosine);
create virtual table a using vec0(x bit[7]);
create virtual table a using vec0(x float[4], x2 float[4] distance_metric=);
create virtual table a using vec0(x float[4], chunk_size=7);
create virtual table a using vec0(x float[4], chunk_size=0);
create virtual table a using vec0(x float[4], chunk_size=-8);
create virtual table a using vec0(x float[4], chunk_size=5000);
create virtual table a using vec0(x float[4], chunk_size=abc);
create virtual table a using vec0(x float[4], nope=1);
create virtual table a using vec0(id text primary key, id2 text primary key, x float[4]);
create virtual table a using vec0(id blob primary key, x float[4]);
create virtual table a using vec0(x float[4], p blob partition key);
create virtual table a using vec0(x float[4], m blob);
create virtual table a using vec0(x float[4], +m nope);
create virtual table a using vec0(x float[4], p1 int partition key, p2 int partition key, p3 int partition key, p4 int partition key, p5 int partition key);
create virtual table a using vec0(m integer);
create virtual table a using vec0(x float[4],);
create virtual table a using vec0(x float[4] x);
create virtual table a using vec0("x y" float[4]);
select name, sql from sqlite_schema order by name;
-- what holds
create virtual table t1 using vec0(x float[4]);
create virtual table t2 using vec0(id integer primary key, a float[4] distance_metric=l1, b int8[3], c bit[8], chunk_size=8);
create virtual table t3 using vec0(id text primary key, a float[2] distance_metric=cosine, p text partition key, q integer partition key, m1 text, m2 integer, m3 float, m4 boolean, +x1 text, +x2 blob, +x3 integer, +x4 float);
create virtual table if not exists t3 using vec0(y float[2]);
create virtual table t3 using vec0(y float[2]);
select name, type, sql from sqlite_schema order by name;
select name, type, hidden from pragma_table_xinfo('t3');
select schema, name, type, ncol, wr, strict from pragma_table_list where name like 't%' order by name;
select key, value from t3_info order by key;
pragma table_info(t2);
-- shadow tables are guarded
.dbconfig defensive on
insert into t1_rowids values (1,2,3,4);
drop table t1_chunks;
create table t1_auxiliary(x);
create table t1_metadatachunks15(x);
create table t1_nope(x);
.dbconfig defensive off
create temp virtual table tt using vec0(x float[2]);
insert into tt(rowid, x) values (1, '[1,2]');
select rowid, vec_to_json(x) from tt;
attach ':memory:' as other;
create virtual table other.o using vec0(x float[2]);
insert into other.o(rowid, x) values (1, '[1,2]');
select rowid, vec_to_json(x) from other.o where x match '[1,2]' and k = 1;
select name from other.sqlite_schema order by name;
detach other;
drop table tt;
drop table t2;
drop table t3;
select name from sqlite_schema order by name;
-- rename
alter table t1 rename to t9;
select name from sqlite_schema order by name;
insert into t9(rowid, x) values (1, '[1,2,3,4]');
select rowid, vec_to_json(x) from t9;
