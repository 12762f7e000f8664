-- loads: vec0
.mode quote
create virtual table f using vec0(a float[8], b float[8] distance_metric=l1, c float[8] distance_metric=cosine, d int8[8], e int8[8] distance_metric=cosine, g bit[16], chunk_size=16);
with recursive n(i, r) as (select 1, 12345 union all select i + 1, (r * 1103515245 + 12345) & 2147483647 from n where i < 100)
insert into f(rowid, a, b, c, d, e, g) select i, v, v, v, vec_quantize_int8(vec_normalize(v), 'unit'), vec_quantize_int8(vec_normalize(v), 'unit'), vec_quantize_binary('[' || group_concat(value * 1.0) || ',1,-1,1,-1,' || (i - 50) || ',1,1,1]')
from (select i, vec_f32('[' || (r % 97) || ',' || (r % 89 - 40) || ',' || (r % 83) || ',' || (r % 79 - 30) || ',' || (r % 73) || ',' || (r % 71 - 50) || ',' || (r % 67) || ',' || (r % 61) || ']') as v from n) join vec_each(v) group by i;
select count(*) from f;
select rowid, printf('%.4f', distance) from f where a match '[1,2,3,4,5,6,7,8]' and k = 10;
select rowid, printf('%.4f', distance) from f where b match '[1,2,3,4,5,6,7,8]' and k = 10;
select rowid, printf('%.5f', distance) from f where c match '[1,2,3,4,5,6,7,8]' and k = 10;
select rowid, printf('%.4f', distance) from f where d match vec_int8('[1,2,3,4,5,6,7,8]') and k = 10;
select rowid, printf('%.5f', distance) from f where e match vec_int8('[1,2,3,4,5,6,7,8]') and k = 10;
select rowid, distance from f where g match vec_bit(x'0ff0') and k = 10 order by distance, rowid;
-- the number of rows
select rowid from f where a match '[1,2,3,4,5,6,7,8]' order by distance limit 3;
select rowid from f where a match '[1,2,3,4,5,6,7,8]' limit 3;
select rowid from f where a match '[1,2,3,4,5,6,7,8]' order by distance limit 3 offset 1;
select rowid from f where a match '[1,2,3,4,5,6,7,8]' and k = 3 limit 2;
select rowid from f where a match '[1,2,3,4,5,6,7,8]' and k = 0;
select rowid from f where a match '[1,2,3,4,5,6,7,8]' and k = -1;
select rowid from f where a match '[1,2,3,4,5,6,7,8]' and k = 'a';
select rowid from f where a match '[1,2,3,4,5,6,7,8]';
select count(*) from f where a match '[1,2,3,4,5,6,7,8]' and k = 1000;
select k, distance is not null from f where a match '[1,2,3,4,5,6,7,8]' and k = 1;
select rowid from f where k = 3;
-- rows to look among
select rowid from f where a match '[1,2,3,4,5,6,7,8]' and k = 5 and rowid in (1, 2, 3, 50, 99, 1000);
select rowid from f where a match '[1,2,3,4,5,6,7,8]' and k = 5 and rowid in (select value from vec_each('[5,6,7]'));
select rowid from f where a match '[1,2,3,4,5,6,7,8]' and k = 5 and rowid in ();
select rowid from f where a match '[1,2,3,4,5,6,7,8]' and k = 5 and rowid in (7);
select rowid from f where a match '[1,2,3,4,5,6,7,8]' and k = 5 and rowid = 7;
select rowid from f where a match '[1,2,3,4,5,6,7,8]' and k = 5 and rowid > 7;
-- distances
select rowid, printf('%.4f', distance) from f where a match '[1,2,3,4,5,6,7,8]' and k = 10 and distance < 100;
select rowid from f where a match '[1,2,3,4,5,6,7,8]' and k = 5 and distance > 100;
select rowid from f where a match '[1,2,3,4,5,6,7,8]' and k = 5 and distance >= 100 and distance <= 120;
select rowid from f where a match '[1,2,3,4,5,6,7,8]' and k = 5 and distance between 100 and 120;
select rowid from f where a match '[1,2,3,4,5,6,7,8]' and k = 5 and distance = 100;
select rowid from f where a match '[1,2,3,4,5,6,7,8]' and k = 5 order by distance desc;
select rowid from f where a match '[1,2,3,4,5,6,7,8]' and k = 5 order by rowid;
-- what fails
select rowid from f where a match '[1,2]' and k = 5;
select rowid from f where a match vec_int8('[1,2,3,4,5,6,7,8]') and k = 5;
select rowid from f where a match NULL and k = 5;
select rowid from f where a match 5 and k = 5;
select rowid from f where a match 'x' and k = 5;
select rowid from f where a match '[1,2,3,4,5,6,7,8]' and b match '[1,2,3,4,5,6,7,8]' and k = 5;
select rowid from f where a match '[1,2,3,4,5,6,7,8]' and k = 5 and k = 6;
select rowid from f where a = '[1,2,3,4,5,6,7,8]';
select rowid from f where a match x'0000c07f0000c07f0000c07f0000c07f0000c07f0000c07f0000c07f0000c07f' and k = 3;
select rowid from f where a match x'0000807f0000807f0000807f0000807f0000807f0000807f0000807f0000807f' and k = 3;
insert into f(rowid, a, b, c, d, e, g) select 200, x'0000c07f0000c07f0000c07f0000c07f0000c07f0000c07f0000c07f0000c07f', b, c, d, e, g from f where rowid = 1;
insert into f(rowid, a, b, c, d, e, g) select 201, x'0000807f0000807f0000807f0000807f0000807f0000807f0000807f0000807f', b, c, d, e, g from f where rowid = 1;
select rowid from f where a match '[1,2,3,4,5,6,7,8]' and k = 3;
select rowid, printf('%.4f', distance) from f where a match '[1,2,3,4,5,6,7,8]' and k = 200 order by rowid desc limit 5;
select max(distance) > 1e9 from f where a match '[1,2,3,4,5,6,7,8]' and k = 200;
-- joined, and in other statements
create table docs(id integer primary key, title text);
insert into docs select rowid, 'doc ' || rowid from f;
select title, printf('%.4f', distance) from f join docs on docs.id = f.rowid where a match '[1,2,3,4,5,6,7,8]' and k = 3;
with q(v) as (values ('[1,2,3,4,5,6,7,8]'), ('[8,7,6,5,4,3,2,1]')) select q.v, f.rowid from q, f where f.a match q.v and f.k = 2;
select id, (select f.rowid from f where f.a match (select a from f where rowid = docs.id) and k = 1) from docs where id < 4;
create view best as select rowid as id, distance from f where a match '[1,2,3,4,5,6,7,8]' and k = 3;
select id, printf('%.4f', distance) from best;
delete from f where rowid in (select rowid from f where a match '[1,2,3,4,5,6,7,8]' and k = 3);
select count(*) from f;
create trigger tr after insert on docs begin insert into f(rowid, a, b, c, d, e, g) select new.id, a, b, c, d, e, g from f where rowid = 50; end;
insert into docs values (500, 'by trigger');
select rowid, vec_to_json(a) from f where rowid = 500;
-- empty
create virtual table z using vec0(x float[2]);
select rowid from z where x match '[1,2]' and k = 3;
-- crossed
select rowid, printf('%.4f', distance) from f where a match '[1,2,3,4,5,6,7,8]' and k = 10;
select rowid, distance from f where g match vec_bit(x'0ff0') and k = 10 order by distance, rowid;
select id, printf('%.4f', distance) from best;
