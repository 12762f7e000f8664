-- loads: geojson python
-- Sizes, distances and relations of generated geometries, by GEOS and geographiclib. The last digits depend on the order of sums.
-- input
CREATE TABLE numbers(k INTEGER PRIMARY KEY, x INTEGER);
INSERT INTO numbers WITH RECURSIVE g(k, x) AS (SELECT 0, abs((SELECT sum(n % 1000003) FROM input)) UNION ALL
  SELECT k + 1, (x * 1103515245 + 12345) % 2147483648 FROM g WHERE k < 8000) SELECT k, x / 4096 FROM g;
-- Outlines that cross themselves nowhere: corners around a centre, in the order of their angles.
CREATE TABLE stars AS WITH c(i, corners, cx, cy) AS (SELECT k, 3 + x % 7, x % 23 - 11, x / 64 % 23 - 11 FROM numbers WHERE k < 90)
  SELECT i, cx, cy, corners, json_group_array(json_array(round(cx + r * cos(a), 2), round(cy + r * sin(a), 2)) ORDER BY j) AS outer,
    json_group_array(json_array(round(cx + r * cos(a) * 0.4, 2), round(cy + r * sin(a) * 0.4, 2)) ORDER BY j) AS inner FROM
  (SELECT c.*, j.value AS j, 2 * pi() * (j.value % corners) / corners AS a, 4 + (SELECT x % 700 / 100.0 FROM numbers WHERE k = 100 + i * 10 + j.value % corners) AS r
    FROM c, json_each('[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]') AS j WHERE j.value <= corners) GROUP BY i;
CREATE TABLE shapes(i INTEGER PRIMARY KEY, g TEXT);
INSERT INTO shapes SELECT i, json_object('type', 'Polygon', 'coordinates', json_array(json(outer))) FROM stars WHERE i < 40;
INSERT INTO shapes SELECT i, json_object('type', 'Polygon', 'coordinates', json_array(json(outer), json(inner))) FROM stars WHERE i BETWEEN 40 AND 69;
INSERT INTO shapes SELECT a.i, json_object('type', 'MultiPolygon', 'coordinates', json_array(json_array(json(a.outer)), json_array(
    json((SELECT json_group_array(json_array(value ->> 0, (value ->> 1) + 60)) FROM json_each(b.outer))))))
  FROM stars AS a, stars AS b WHERE a.i BETWEEN 70 AND 79 AND b.i = a.i + 10;
INSERT INTO shapes SELECT 100 + k, json_object('type', 'Point', 'coordinates', json_array(x % 25 - 12, x / 32 % 25 - 12)) FROM numbers WHERE k < 40;
INSERT INTO shapes SELECT 200 + i, json_object('type', 'LineString', 'coordinates', json(outer)) FROM stars WHERE i BETWEEN 40 AND 50;
-- Steps between whole numbers, which touch the squares below; and others. Where several lines cross in a point that is no
-- real of 64 bits, geo finds an edge there.
INSERT INTO shapes SELECT 300 + g, json_object('type', 'LineString', 'coordinates', json_group_array(json_array(
    (SELECT x % 25 - 12 FROM numbers WHERE k = 1000 + j / 2), (SELECT x / 32 % 25 - 12 FROM numbers WHERE k = 1000 + (j + 1) / 2)) ORDER BY j))
  FROM (SELECT k - 1000 AS j, (k - 1000) / 6 AS g FROM numbers WHERE k BETWEEN 1000 AND 1119) GROUP BY g;
INSERT INTO shapes SELECT 350 + g, json_object('type', 'LineString', 'coordinates',
    json_group_array(json_array(x % 25013 / 1000.0 - 12, (x * 7919 + k) % 25031 / 1000.0 - 12) ORDER BY k))
  FROM (SELECT k, x, (k - 1200) / 6 AS g FROM numbers WHERE k BETWEEN 1200 AND 1319) GROUP BY g;
INSERT INTO shapes SELECT 400 + g, json_object('type', 'MultiPoint', 'coordinates', json_group_array(json_array(x % 25 - 12, x / 32 % 25 - 12) ORDER BY k))
  FROM (SELECT k, x, k / 5 AS g FROM numbers WHERE k BETWEEN 2000 AND 2049) GROUP BY g;
-- Whole numbers, so that edges and corners meet.
INSERT INTO shapes SELECT 900 + k, json_object('type', 'Polygon', 'coordinates', json_array(json_array(json_array(x0, y0), json_array(x0 + w, y0),
    json_array(x0 + w, y0 + h), json_array(x0, y0 + h), json_array(x0, y0))))
  FROM (SELECT k, x % 9 - 4 AS x0, x / 16 % 9 - 4 AS y0, 1 + x / 256 % 4 AS w, 1 + x / 4096 % 4 AS h FROM numbers WHERE k < 30);
SELECT '110', count(*), count(DISTINCT g) FROM shapes;
SELECT '120', i, geojson_type(g), geojson_bbox(g), geojson_min_x(g), geojson_max_x(g), geojson_min_y(g), geojson_max_y(g) FROM shapes;
SELECT '130', i, printf('%.9g %.9g', geojson_area(g), geojson_length(g)), geojson_is_valid(g) FROM shapes;
SELECT '140', i, printf('%.7g', (geojson_centroid(g) ->> '$.coordinates[0]') + 100), printf('%.7g', (geojson_centroid(g) ->> '$.coordinates[1]') + 100) FROM shapes;
SELECT '150', i, printf('%.10g %.9g', geojson_area(geojson_convex_hull(g)), geojson_length(geojson_convex_hull(g))) FROM shapes
  WHERE geojson_type(g) <> 'Point';
SELECT '160', i, printf('%.8g %.8g', geojson_geodesic_length(g), geojson_geodesic_area(g)) FROM shapes WHERE geojson_type(g) <> 'MultiPoint';
SELECT '170', a.i, b.i, printf('%.9g', geojson_geodesic_distance(a.g, b.g)) FROM shapes AS a, shapes AS b WHERE a.i BETWEEN 100 AND 139 AND b.i BETWEEN 100 AND 120;
-- Of two points that are as far from a line, GEOS keeps the first and geo the last, so none are.
CREATE TABLE lines AS SELECT g AS i, json_object('type', 'LineString', 'coordinates', json_group_array(json_array(x % 25013 / 1000.0, (x * 7919 + k) % 25031 / 1000.0) ORDER BY k)) AS g
  FROM (SELECT k, x, k / 8 AS g FROM numbers WHERE k BETWEEN 3000 AND 3799) GROUP BY g;
SELECT '180', i, value, json_array_length(geojson_simplify(g, value), '$.coordinates'), printf('%.9g', geojson_length(geojson_simplify(g, value)))
  FROM lines, json_each('[0.5, 3, 7]');
SELECT '210', a.i, b.i, geojson_relate(a.g, b.g), geojson_intersects(a.g, b.g), geojson_contains(a.g, b.g), geojson_within(a.g, b.g) FROM shapes AS a, shapes AS b
  WHERE (a.i * 7 + b.i) % 5 = 0;
SELECT '220', a.i, b.i, printf('%.9g', geojson_distance(a.g, b.g)) FROM shapes AS a, shapes AS b WHERE (a.i * 7 + b.i) % 11 = 0;
-- What crosses or touches itself.
SELECT '310', key, geojson_is_valid(json_object('type', 'Polygon', 'coordinates', json(value))) FROM json_each('[
  [[[0,0],[2,2],[2,0],[0,2],[0,0]]], [[[0,0],[4,0],[4,4],[0,4],[0,0]],[[1,1],[2,1],[2,2],[1,2],[1,1]]],
  [[[0,0],[4,0],[4,4],[0,4],[0,0]],[[3,3],[6,3],[6,6],[3,6],[3,3]]], [[[0,0],[4,0],[4,4],[0,4],[0,0]],[[0,0],[2,1],[1,2],[0,0]]],
  [[[0,0],[4,0],[4,4],[0,4],[0,0]],[[9,9],[10,9],[10,10],[9,9]]], [[[0,0],[4,0],[4,4],[2,0],[0,4],[0,0]]]]');
