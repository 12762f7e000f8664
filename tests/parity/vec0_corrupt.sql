-- loads: vec0
-- Left out are the messages in which sqlite-vec gives an int for `%lld`, which
-- C leaves undefined, and failures of columns that the statement does not use.
.mode quote
.dbconfig defensive off
create virtual table v using vec0(x float[2], p integer partition key, m text, n integer, +aux text, chunk_size=8);
insert into v(rowid, x, p, m, n, aux) values (1, '[1,1]', 1, 'a text that does not fit into twelve', 5, 'x'), (2, '[2,2]', 1, 'b', 6, 'y'), (3, '[3,3]', 2, 'c', 7, 'z');
.save base.db
-- validity too short
update v_chunks set validity = x'00' where chunk_id = 1;
update v_chunks set validity = zeroblob(3) where chunk_id = 1;
insert into v(rowid, x, p, m, n, aux) values (9, '[1,1]', 1, 'a', 5, 'x');
select rowid, vec_to_json(x) from v;
.restore base.db
-- rowids too short
update v_chunks set rowids = zeroblob(7) where chunk_id = 1;
insert into v(rowid, x, p, m, n, aux) values (9, '[1,1]', 1, 'a', 5, 'x');
delete from v where rowid = 1;
.restore base.db
-- vectors too short, and gone
update v_vector_chunks00 set vectors = zeroblob(5) where rowid = 1;
select rowid from v where x match '[1,1]' and k = 2;
insert into v(rowid, x, p, m, n, aux) values (9, '[1,1]', 1, 'a', 5, 'x');
select rowid, vec_to_json(x) from v;
update v set x = '[5,5]' where rowid = 1;
.restore base.db
delete from v_vector_chunks00;
select rowid from v where x match '[1,1]' and k = 2;
select rowid, vec_to_json(x) from v;
delete from v where rowid = 1;
.restore base.db
update v_vector_chunks00 set vectors = NULL;
select rowid from v where x match '[1,1]' and k = 2;
.restore base.db
-- metadata
update v_metadatachunks00 set data = zeroblob(5);
select rowid from v where x match '[1,1]' and k = 2 and m = 'b';
select rowid, m from v;
.restore base.db
delete from v_metadatachunks01;
select rowid from v where x match '[1,1]' and k = 2 and n = 5;
select rowid, n from v;
.restore base.db
delete from v_metadatatext00;
select rowid, m from v;
select rowid from v where x match '[1,1]' and k = 2 and m = 'a text that does not fit into twelve';
.restore base.db
-- positions that lead nowhere
update v_rowids set chunk_id = 77 where rowid = 1;
select rowid, vec_to_json(x) from v where rowid = 1;
delete from v where rowid = 1;
.restore base.db
update v_rowids set chunk_offset = 5000 where rowid = 1;
select rowid, vec_to_json(x) from v where rowid = 1;
delete from v where rowid = 1;
.restore base.db
update v_rowids set chunk_id = NULL, chunk_offset = NULL where rowid = 1;
select rowid, vec_to_json(x) from v where rowid = 1;
.restore base.db
delete from v_auxiliary;
select rowid, aux from v;
.restore base.db
drop table v_chunks;
select rowid from v where x match '[1,1]' and k = 2;
insert into v(rowid, x, p, m, n, aux) values (9, '[1,1]', 1, 'a', 5, 'x');
drop table v;
.restore base.db
drop table v_rowids;
select rowid from v;
insert into v(rowid, x, p, m, n, aux) values (9, '[1,1]', 1, 'a', 5, 'x');
.restore base.db
drop table v_info;
select rowid from v;
select name from sqlite_schema order by name;
