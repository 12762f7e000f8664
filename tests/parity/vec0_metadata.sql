-- loads: vec0
.mode quote
create virtual table v using vec0(id integer primary key, x float[2], p text partition key, y integer partition key,
  name text, num integer, score float, ok boolean, +note text, +data blob, +n integer, +r float, chunk_size=8);
insert into v(id, x, p, y, name, num, score, ok, note, data, n, r) values
 (1, '[1,1]', 'a', 1, 'short', 10, 1.5, 1, 'note one', x'00ff', 7, 0.5),
 (2, '[2,2]', 'a', 1, 'a name that is longer than twelve bytes', -20, -2.5, 0, NULL, NULL, NULL, NULL),
 (3, '[3,3]', 'b', 1, 'exactly12byt', 0, 0.0, 1, 'ü', x'', -1, 1e300),
 (4, '[4,4]', 'b', 2, '', 9223372036854775807, 1e-300, 0, '', zeroblob(3), 0, -0.0),
 (5, '[5,5]', NULL, NULL, 'null keys', -9223372036854775808, 1e300, 1, 'x', x'01', 1, 1.0);
select id, vec_to_json(x), p, y, name, num, score, ok, note, hex(data), n, r from v;
-- wrong types
insert into v(id, x, p, y, name, num, score, ok) values (10, '[1,1]', 5, 1, 'a', 1, 1.0, 1);
insert into v(id, x, p, y, name, num, score, ok) values (10, '[1,1]', 'a', 'b', 'a', 1, 1.0, 1);
insert into v(id, x, p, y, name, num, score, ok) values (10, '[1,1]', 'a', 1, 5, 1, 1.0, 1);
insert into v(id, x, p, y, name, num, score, ok) values (10, '[1,1]', 'a', 1, 'a', 'b', 1.0, 1);
insert into v(id, x, p, y, name, num, score, ok) values (10, '[1,1]', 'a', 1, 'a', 1, 1, 1);
insert into v(id, x, p, y, name, num, score, ok) values (10, '[1,1]', 'a', 1, 'a', 1, 1.0, 2);
insert into v(id, x, p, y, name, num, score, ok) values (10, '[1,1]', 'a', 1, 'a', 1, 1.0, 'x');
insert into v(id, x, p, y, name, num, score, ok) values (10, '[1,1]', 'a', 1, NULL, 1, 1.0, 1);
insert into v(id, x, p, y, name, num, score, ok, note) values (10, '[1,1]', 'a', 1, 'a', 1, 1.0, 1, 5);
insert into v(id, x, p, y, name, num, score, ok, n) values (10, '[1,1]', 'a', 1, 'a', 1, 1.0, 1, 'x');
insert into v(id, x, p, y, name, num, score, ok, r) values (10, '[1,1]', 'a', 1, 'a', 1, 1.0, 1, x'00');
insert into v(id, x, p, y, name, num, score, ok, data) values (10, '[1,1]', 'a', 1, 'a', 1, 1.0, 1, 'text');
select count(*) from v;
-- filters on a search
select id, printf('%.4f', distance) from v where x match '[0,0]' and k = 10;
select id from v where x match '[0,0]' and k = 10 and p = 'a';
select id from v where x match '[0,0]' and k = 10 and p = 'b' and y = 2;
select id from v where x match '[0,0]' and k = 10 and y > 1;
select id from v where x match '[0,0]' and k = 10 and y <= 1;
select id from v where x match '[0,0]' and k = 10 and y != 1;
select id from v where x match '[0,0]' and k = 10 and p in ('a', 'b');
select id from v where x match '[0,0]' and k = 10 and p is null;
select id from v where x match '[0,0]' and k = 10 and num > 0;
select id from v where x match '[0,0]' and k = 10 and num >= 0;
select id from v where x match '[0,0]' and k = 10 and num < 0;
select id from v where x match '[0,0]' and k = 10 and num <= 10;
select id from v where x match '[0,0]' and k = 10 and num = 10;
select id from v where x match '[0,0]' and k = 10 and num != 10;
select id from v where x match '[0,0]' and k = 10 and num in (10, 0, 5);
select id from v where x match '[0,0]' and k = 10 and num between -30 and 5;
select id from v where x match '[0,0]' and k = 10 and score > 0.0;
select id from v where x match '[0,0]' and k = 10 and score <= 1.5;
select id from v where x match '[0,0]' and k = 10 and score = 1.5;
select id from v where x match '[0,0]' and k = 10 and score != 1.5;
select id from v where x match '[0,0]' and k = 10 and score in (1.5, 0.0);
select id from v where x match '[0,0]' and k = 10 and ok = 1;
select id from v where x match '[0,0]' and k = 10 and ok = 0;
select id from v where x match '[0,0]' and k = 10 and ok != 1;
select id from v where x match '[0,0]' and k = 10 and ok;
select id from v where x match '[0,0]' and k = 10 and ok > 0;
select id from v where x match '[0,0]' and k = 10 and name = 'short';
select id from v where x match '[0,0]' and k = 10 and name != 'short';
select id from v where x match '[0,0]' and k = 10 and name = 'a name that is longer than twelve bytes';
select id from v where x match '[0,0]' and k = 10 and name = 'exactly12byt';
select id from v where x match '[0,0]' and k = 10 and name > 'b';
select id from v where x match '[0,0]' and k = 10 and name < 'b';
select id from v where x match '[0,0]' and k = 10 and name >= 'exactly12byt';
select id from v where x match '[0,0]' and k = 10 and name <= 'exactly12byt';
select id from v where x match '[0,0]' and k = 10 and name in ('short', 'a name that is longer than twelve bytes', 'none');
select id from v where x match '[0,0]' and k = 10 and name like 's%';
select id from v where x match '[0,0]' and k = 10 and name glob 's*';
select id from v where x match '[0,0]' and k = 10 and name is null;
select id from v where x match '[0,0]' and k = 10 and note = 'note one';
select id from v where x match '[0,0]' and k = 10 and p = 'a' and num > -100 and ok = 0 and id in (1, 2, 3);
-- without a search
select id from v where p = 'a';
select id from v where num > 0 and ok;
select id from v where note is null;
-- update
update v set name = 'shorter' where id = 2;
update v set name = 'now it is a name that does not fit' where id = 1;
update v set num = 11, score = 2.25, ok = 0 where id = 1;
update v set note = 'changed', data = x'abcd', n = 8, r = 2.5 where id = 1;
update v set note = NULL where id = 1;
update v set num = 'x' where id = 1;
update v set ok = 5 where id = 1;
update v set p = 'c' where id = 1;
update v set y = 9 where id = 1;
update v set x = '[9,9]', num = 12 where id = 3;
update v set id = 99 where id = 3;
select id, vec_to_json(x), p, y, name, num, score, ok, note, hex(data), n, r from v;
delete from v where id = 2;
insert or replace into v(id, x, p, y, name, num, score, ok, note) values (1, '[7,7]', 'a', 1, 'again', 1, 1.0, 1, 'n');
select id, vec_to_json(x), p, y, name, num, score, ok, note, hex(data), n, r from v;
select * from v_auxiliary order by rowid;
select chunk_id, size, partition00, partition01, hex(validity) from v_chunks;
select rowid, hex(data) from v_metadatachunks00;
select rowid, hex(data) from v_metadatachunks01;
select rowid, hex(data) from v_metadatachunks02;
select rowid, hex(data) from v_metadatachunks03;
select * from v_metadatatext00 order by rowid;
-- crossed
select id, vec_to_json(x), p, y, name, num, score, ok, note, hex(data), n, r from v;
update v set name = 'crossed over into the other' where id = 4;
select id from v where x match '[0,0]' and k = 10 and name = 'crossed over into the other';
insert into v(id, x, p, y, name, num, score, ok) values (50, '[1,2]', 'a', 1, 'new', 1, 1.0, 1);
select * from v_metadatatext00 order by rowid;
select rowid, hex(data) from v_metadatachunks00;
drop table v;
select count(*) from sqlite_schema;
