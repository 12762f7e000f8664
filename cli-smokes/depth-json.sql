-- cli-smokes/depth-json.sql: JSON nested 1000 deep is read, written, searched and changed; 1001 is malformed.
CREATE TABLE t(depth INTEGER PRIMARY KEY, arrays, objects);
INSERT INTO t SELECT value, replace(hex(zeroblob(value)), '00', '[')||replace(hex(zeroblob(value)), '00', ']'),
  replace(hex(zeroblob(value)), '00', '{"a":')||'1'||replace(hex(zeroblob(value)), '00', '}') FROM (SELECT 10 AS value UNION ALL SELECT 1000 UNION ALL SELECT 1001);
SELECT '110', depth, json_valid(arrays), json_valid(objects), json_error_position(arrays) FROM t;
SELECT '120', length(json(arrays)), length(jsonb(objects)), length(json(jsonb(objects))), length(json_pretty(arrays)) FROM t WHERE depth = 1000;
SELECT '130', json_extract(objects, '$'||replace(hex(zeroblob(999)), '00', '.a')) FROM t WHERE depth = 1000;
SELECT '140', length(json_set(objects, '$'||replace(hex(zeroblob(998)), '00', '.a'), 'new')) FROM t WHERE depth = 1000;
SELECT '141', length(json_set('{}', '$'||replace(hex(zeroblob(998)), '00', '.a'), 'new'));
SELECT '150', count(*), max(length(fullkey)) FROM t, json_tree(objects) WHERE depth = 1000;
SELECT '160', length(json_patch(objects, objects)) FROM t WHERE depth = 1000;
SELECT '170', length(json_group_array(json(arrays))) FROM t WHERE depth <= 1000;
SELECT json(arrays) FROM t WHERE depth = 1001;
SELECT length(json_set('{}', '$'||replace(hex(zeroblob(1100)), '00', '.a'), 1));
