-- loads: fossildelta
-- input
SELECT a.i, hex(delta_create(a.b, b.b)), delta_apply(a.b, delta_create(a.b, b.b)) IS b.b, delta_output_size(delta_create(a.b, b.b)) FROM input a JOIN input b ON b.i = 301 - a.i;
CREATE TABLE long AS SELECT CAST(group_concat(t) AS BLOB) AS one, CAST(group_concat(CASE WHEN i % 20 THEN t ELSE n END) AS BLOB) AS two FROM input;
SELECT delta_create(one, two), delta_apply(one, delta_create(one, two)) = two FROM long;
SELECT op, a1, length(a2) FROM long, delta_parse(delta_create(one, two));
SELECT delta_apply(x'00', 'broken');
SELECT delta_apply(NULL, NULL), delta_output_size('x');
