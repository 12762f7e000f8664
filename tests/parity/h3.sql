-- loads: h3 python
-- The functions of H3, over points of the whole globe and of the places where the grid is irregular. The last digit of
-- a real is the business of each one's sines.
-- input
CREATE TABLE points AS SELECT i, i % 16 AS res,
  ((n % 1000003) * 17 + i * 104729) % 900000 / 10000.0 AS lat, ((n % 999983) * 31 + i * 7919) % 1800000 / 10000.0 AS lng
  FROM input;
INSERT INTO points SELECT 1000 + i, i % 11, 90 - (i % 2) * 180, i FROM input WHERE i <= 20;
INSERT INTO points SELECT 2000 + i, i % 11, i - 10, 180 - (i % 2) * 360 FROM input WHERE i <= 20;
CREATE TABLE cells AS SELECT i, res, lat, lng, h3_latlng_to_cell(lat, lng, res) AS cell FROM points;
-- Each pentagon and its neighbours, of some resolutions.
INSERT INTO cells SELECT 3000 + res, res, h3_cell_to_lat(p), h3_cell_to_lng(p), p FROM
  (SELECT value AS res, h3_cell_to_center_child(576636674163867647, value) AS p FROM json_each('[0, 1, 2, 5, 8]'));
SELECT '110', i, cell, h3_h3_to_string(cell), h3_latlng_to_cell_string(lat, lng, res) FROM cells;
SELECT '120', i, printf('%.6f %.6f', h3_cell_to_lat(cell), h3_cell_to_lng(cell)), h3_get_resolution(cell), h3_get_base_cell_number(cell),
  h3_is_pentagon(cell), h3_is_res_class_iii(cell), h3_is_valid_cell(cell) FROM cells;
SELECT '130', i, (SELECT group_concat(printf('%.6f %.6f', value ->> 0, value ->> 1), ', ') FROM json_each(h3_cell_to_boundary(cell))) FROM cells;
SELECT '140', i, printf('%.5g', h3_cell_area(cell, 'km^2')), printf('%.5g', h3_cell_area(cell, 'm^2')), printf('%.5g', h3_cell_area(cell, 'rads^2')) FROM cells;
SELECT '150', i, value, h3_cell_to_parent(cell, value), h3_cell_to_parent(h3_h3_to_string(cell), value), h3_cell_to_center_child(cell, value),
  h3_cell_to_children_size(cell, value), h3_cell_to_child_pos(cell, value) FROM cells, json_each('[0, 1, 4, 9, 15]');
SELECT '160', i, h3_child_pos_to_cell(5, cell, res + 1), h3_child_pos_to_cell(i * 13, cell, res + 4), h3_child_pos_to_cell(7, cell, res) FROM cells WHERE res < 12;
SELECT '170', h3_get_num_cells(value), printf('%.5g %.5g', h3_get_hexagon_area_avg(value, 'km^2'), h3_get_hexagon_edge_length_avg(value, 'm'))
  FROM json_each('[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]');
SELECT '180', i, printf('%.6f', h3_great_circle_distance(lat, lng, lng / 2, lat, 'km')), printf('%.4f', h3_great_circle_distance(lat, lng, 0, 0, 'm')),
  printf('%.8f', h3_great_circle_distance(lat, lng, 51.5, -0.1, 'rads')) FROM points;
-- What is no cell.
SELECT '210', h3_is_valid_cell(value), h3_is_valid_directed_edge(value), h3_is_valid_vertex(value), h3_get_resolution(value), h3_cell_to_parent(value, 1), h3_cell_area(value, 'm^2') > 0
  FROM json_each('[0, 1, 576636674163867647, 576636674163867646, 9223372036854775807, 1248204388774707199, 2473183459502194687]');
SELECT '220', h3_cell_to_parent(cell, res + 1) IS NULL, h3_cell_to_center_child(cell, res - 1) IS NULL FROM cells WHERE res BETWEEN 1 AND 14;
-- Neighbours, edges and vertices.
CREATE TABLE near AS SELECT i, cells.cell AS one, disk.cell AS other, distance FROM cells CROSS JOIN h3_grid_disk(cells.cell, 2) AS disk WHERE i % 4 = 0 OR i > 1000;
SELECT '310', i, one, other, distance, h3_grid_distance(one, other), h3_are_neighbor_cells(one, other) FROM near ORDER BY i, one, distance, other;
SELECT '320', i, other, h3_cells_to_directed_edge(one, other) AS edge, h3_cells_to_directed_edge(h3_h3_to_string(one), h3_h3_to_string(other)) FROM near WHERE distance < 2 ORDER BY 2, 3;
SELECT '330', i, edge, h3_get_directed_edge_origin(edge), h3_get_directed_edge_destination(edge), printf('%.5g %.5g', h3_edge_length(edge, 'm'), h3_edge_length(edge, 'rads')),
  h3_is_valid_directed_edge(edge) FROM cells CROSS JOIN h3_origin_to_directed_edges(cells.cell) ORDER BY 2, 3;
SELECT '340', i, vertex, printf('%.6f %.6f', h3_vertex_to_lat(vertex), h3_vertex_to_lng(vertex)), h3_is_valid_vertex(vertex) FROM cells CROSS JOIN h3_cell_to_vertexes(cells.cell) ORDER BY 2, 3;
SELECT '350', i, count(*), min(c.cell), max(c.cell), sum(c.cell % 1000003) FROM cells CROSS JOIN h3_cell_to_children(cells.cell, min(res + 3, 15)) AS c GROUP BY i;
SELECT '360', one, p.cell FROM near CROSS JOIN h3_grid_path_cells(one, other) AS p WHERE distance = 2 AND i < 1000 AND i % 8 = 0 ORDER BY 2, other, 3;
-- Sets: what is compacted gives the same when it is expanded.
CREATE TABLE sets AS SELECT i, (SELECT json_group_array(cell) FROM h3_grid_disk(cells.cell, 9)) AS list, res FROM cells WHERE res BETWEEN 4 AND 9;
SELECT '410', i, c.cell FROM sets CROSS JOIN h3_compact_cells(list) AS c ORDER BY 2, 3;
SELECT '420', i, count(*), sum(u.cell % 1000003) FROM sets CROSS JOIN h3_uncompact_cells((SELECT json_group_array(cell) FROM h3_compact_cells(list)), res + 1) AS u GROUP BY i;
-- Polygons: with a hole, of two parts, and across the meridian 180.
CREATE TABLE polygons(name, res, polygon);
INSERT INTO polygons VALUES
  ('hole', 6, '{"type": "Polygon", "coordinates": [[[2.1, 48.7], [2.6, 48.7], [2.5, 49.1], [2.1, 48.7]], [[2.4, 48.75], [2.5, 48.75], [2.45, 48.85], [2.4, 48.75]]]}'),
  ('two', 5, '{"type": "MultiPolygon", "coordinates": [[[[10, 50], [11, 50], [11, 51], [10, 51], [10, 50]]], [[[12, 50], [13, 50], [12.5, 51], [12, 50]]]]}'),
  ('meridian', 3, '{"type": "Polygon", "coordinates": [[[175, -20], [-175, -20], [-175, -15], [175, -15], [175, -20]]]}');
INSERT INTO polygons SELECT 'square ' || i, 4 + i % 4, json_object('type', 'Polygon', 'coordinates', json_array(json_array(json_array(x, y), json_array(x + 0.7, y + 0.1),
  json_array(x + 0.5, y + 0.6), json_array(x - 0.1, y + 0.4), json_array(x, y)))) FROM (SELECT i, lng AS x, lat AS y FROM points WHERE abs(lat) < 80 AND abs(lng) < 178 AND i <= 60);
SELECT '510', name, count(*), min(cell), max(cell), sum(cell % 1000003) FROM polygons CROSS JOIN h3_polygon_to_cells(polygons.polygon, res) GROUP BY name;
