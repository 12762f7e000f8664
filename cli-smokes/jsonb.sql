-- cli-smokes/jsonb.sql: JSONB: the bytes, round trips, functions that give it, a stored column.
CREATE TABLE t(j BLOB);
SELECT '110', hex(jsonb('{"a":[1,2.5,"x",null,true]}')), hex(jsonb('[]')), hex(jsonb('"é"'));
INSERT INTO t VALUES(jsonb('{"name":"Ann","tags":["x","y"]}')), (jsonb_object('name', 'Bob', 'tags', jsonb_array()));
SELECT '120', json(j), j ->> '$.name', json_array_length(j, '$.tags'), typeof(j), json_valid(j, 4) FROM t;
UPDATE t SET j = jsonb_set(j, '$.tags[#]', 'new');
SELECT '130', json(j), hex(jsonb_extract(j, '$.tags')) FROM t;
SELECT '140', json(jsonb_group_array(j ->> 'name')), json(jsonb_group_object(rowid, jsonb_remove(j, '$.tags'))) FROM t;
SELECT '150', json(jsonb_patch(j, '{"name":null}')), json(jsonb_insert(j, '$.age', 3)), json(jsonb_replace(j, '$.name', 1)) FROM t LIMIT 1;
SELECT '160', length(jsonb(json_group_array(value))), json_array_length(jsonb(json_group_array(value))) FROM generate_series(1, 10000);
SELECT json(x'ff00');
