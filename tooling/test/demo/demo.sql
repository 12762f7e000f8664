-- The demo: real data imported, indexed and queried.

CREATE TABLE airport(
  iata TEXT PRIMARY KEY, name TEXT, city TEXT, state TEXT, country TEXT,
  latitude REAL, longitude REAL
) WITHOUT ROWID;
.import --csv --skip 1 airports.csv airport
.import --csv routes.csv route
CREATE INDEX route_by_source ON route(source, destination);

-- Length of each route: the great circle between its two ends.
CREATE VIEW leg AS
SELECT r.airline, a.iata AS origin, b.iata AS target,
       2 * 6371 * asin(sqrt(
         pow(sin(radians(b.latitude - a.latitude) / 2), 2) +
         cos(radians(a.latitude)) * cos(radians(b.latitude)) *
         pow(sin(radians(b.longitude - a.longitude) / 2), 2))) AS km
FROM route AS r
JOIN airport AS a ON a.iata = r.source
JOIN airport AS b ON b.iata = r.destination;

.print 'Imported'
SELECT (SELECT count(*) FROM airport) AS airports,
       (SELECT count(*) FROM route) AS routes,
       (SELECT count(*) FROM leg) AS "routes with both ends known",
       sqlite_version() AS sqlite;

.print
.print 'Busiest airports: where one can fly to without a change'
SELECT iata, name, state, count(DISTINCT destination) AS destinations,
       count(DISTINCT airline) AS airlines
FROM route JOIN airport ON iata = source
GROUP BY iata ORDER BY destinations DESC, iata LIMIT 8;

.print
.print 'The longest route of each airline, and its rank among all'
SELECT airline, origin || '–' || target AS route, CAST(km AS INTEGER) AS km, rank
FROM (
  SELECT *, rank() OVER (ORDER BY km DESC) AS rank,
         row_number() OVER (PARTITION BY airline ORDER BY km DESC, origin) AS nth
  FROM leg
)
WHERE nth = 1 ORDER BY km DESC LIMIT 8;

.print
.print 'From Key West to Nome with the fewest flights, and of these the shortest ways'
WITH RECURSIVE
  reached(iata, flights) AS (
    VALUES('EYW', 0)
    UNION
    SELECT target, flights + 1 FROM reached JOIN leg ON origin = iata WHERE flights < 3
  ),
  way(iata, flights, stops, km) AS (
    VALUES('EYW', 0, 'EYW', 0)
    UNION
    SELECT target, flights + 1, stops || ' → ' || target, way.km + leg.km
    FROM way JOIN leg ON origin = way.iata
    WHERE flights < (SELECT min(flights) FROM reached WHERE iata = 'OME')
      AND instr(stops, target) = 0
  )
SELECT flights, stops, CAST(km AS INTEGER) AS km
FROM way WHERE iata = 'OME' ORDER BY km LIMIT 4;
