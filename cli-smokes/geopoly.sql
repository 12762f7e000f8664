-- cli-smokes/geopoly.sql: polygons: area, overlap, within, conversion and the index.
CREATE VIRTUAL TABLE g USING geopoly(name);
INSERT INTO g(name, _shape) VALUES
  ('square', '[[0,0],[10,0],[10,10],[0,10],[0,0]]'),
  ('inside', '[[2,2],[4,2],[4,4],[2,4],[2,2]]'),
  ('far', '[[50,50],[60,50],[55,60],[50,50]]');
SELECT '110', name, geopoly_area(_shape), geopoly_json(_shape) FROM g;
SELECT '120', name FROM g WHERE geopoly_overlap(_shape, '[[3,3],[20,3],[20,20],[3,20],[3,3]]') ORDER BY name;
SELECT '130', name FROM g WHERE geopoly_within(_shape, '[[-1,-1],[11,-1],[11,11],[-1,11],[-1,-1]]') ORDER BY name;
SELECT '140', name FROM g WHERE geopoly_contains_point(_shape, 3, 3) ORDER BY name;
SELECT '150', hex(geopoly_blob('[[0,0],[1,0],[0,1],[0,0]]'));
SELECT '160', geopoly_svg('[[0,0],[1,0],[0,1],[0,0]]', 'class="p"');
SELECT '170', geopoly_json(geopoly_xform('[[0,0],[1,0],[0,1],[0,0]]', 2, 0, 0, 2, 5, 5));
SELECT '180', geopoly_json(geopoly_bbox('[[0,0],[3,1],[0,2],[0,0]]')), geopoly_json(geopoly_ccw('[[0,0],[0,1],[1,0],[0,0]]')), geopoly_area('no polygon') IS NULL;
INSERT INTO g(name, _shape) VALUES('bad', 'no polygon');
