-- cli-smokes/json.sql: JSON functions, operators, table functions, JSON5 and errors.
-- args: :memory:
SELECT '110', json(' { "a" : [1, 2.50, "x", null, true] , "b":{} } ');
SELECT '120', '{"a":{"b":[10,20]}}' -> '$.a.b', '{"a":{"b":[10,20]}}' ->> '$.a.b[#-1]', '[1,2]' ->> 1;
SELECT '130', json_extract('{"a":1.0,"b":"s","c":null}', '$.a', '$.b', '$.c', '$.d');
SELECT '140', json_set('{"a":1}', '$.b', json('[1]'), '$.a', 'x'), json_insert('{"a":1}', '$.a', 2), json_replace('{"a":1}', '$.a', 2);
SELECT '150', json_remove('[0,1,2,3]', '$[1]', '$[0]'), json_patch('{"a":1,"b":2}', '{"b":null,"c":3}');
SELECT '160', json_type('{"a":[1]}', '$.a'), json_array_length('[1,2,3]'), json_valid('{x:1}'), json_valid('{x:1}', 2), json_error_position('[1,,2]');
SELECT '170', json_group_array(value), json_group_object('k'||value, value * 1.5) FROM generate_series(1, 3);
SELECT '180', key, value, type, atom, id, parent, fullkey, path FROM json_tree('{"a":[1,{"b":"x"}],"c.d":null}');
SELECT '190', key, value, type FROM json_each('[true,false,"q\"q",3e2]');
SELECT '200', json('{a:0x1F,''b'':+.5,c:Infinity,d:"\x41",/*c*/}');
SELECT '210', json_quote('x"y'||char(10)), json_quote(1e100), json_array(1, NULL, 'é', 9007199254740993, 0.1);
SELECT '220', json_pretty('{"a":[1,2,{"b":[]}],"c":"d"}');
SELECT '230', '"\u00e9\ud83d\ude00\n"' ->> '$', json_extract('{"é":"漢"}', '$.é');
SELECT json('{"a":');
SELECT json_extract('{}', 'a');
SELECT json_object('a');
SELECT json_array(x'00');
