-- loads: randomjson
-- input
SELECT i, random_json(i), json_valid(random_json(n)) FROM input;
SELECT i, random_json5(i) FROM input LIMIT 100;
SELECT random_json(NULL), random_json('x');
