-- loads: timezone python
-- The time zones of the world, over times of all years, and around each change of the clocks.
-- input
SELECT '100', tz_version();
SELECT '110', name FROM tz_names ORDER BY name;
CREATE TABLE zones AS SELECT row_number() OVER (ORDER BY name) AS k, name FROM tz_names;
-- Of the years 1800 to 2200, half of them after 1970.
CREATE TABLE times AS SELECT i, datetime(CASE i % 2 WHEN 0 THEN -5364662400 + (n % 1000003 + 1000003) * 3155 ELSE (n % 1000003 + 1000003) * 1578 END + i, 'unixepoch') AS t FROM input;
SELECT '210', i, t, name, tz_offset(t, name), tz_abbreviation(t, name), tz_format(t, name) FROM times, zones WHERE k % 25 = i % 25;
-- Where winter is the exception, and clocks go back for it, the wheel says `dst` in winter and the crate in summer.
SELECT '215', i, t, name, tz_is_dst(t, name) FROM times, zones WHERE k % 25 = i % 25
  AND name NOT IN ('Africa/Casablanca', 'Africa/El_Aaiun', 'Africa/Windhoek', 'Eire', 'Europe/Dublin', 'Europe/Bratislava', 'Europe/Prague');
SELECT '220', i, z.name, y.name, tz_convert(t, z.name, y.name) FROM times, zones AS z, zones AS y WHERE z.k = i * 2 % 597 + 1 AND y.k % 40 = i % 40;
SELECT '230', i, name, tz_to_utc(t, name), tz_from_utc(t, name) FROM times, zones WHERE k % 30 = i % 30;
-- Each hour of the days on which clocks are changed.
CREATE TABLE days(name, day);
INSERT INTO days VALUES ('Europe/Berlin', '2024-03-31'), ('Europe/Berlin', '2024-10-27'), ('America/New_York', '2007-03-11'), ('America/New_York', '2037-11-01'),
  ('America/New_York', '2050-03-13'), ('Australia/Lord_Howe', '2024-04-07'), ('Australia/Lord_Howe', '2024-10-06'), ('Pacific/Apia', '2011-12-30'),
  ('Africa/Casablanca', '2024-03-10'), ('America/Sao_Paulo', '2018-11-04'), ('Asia/Tehran', '2022-03-22'), ('Europe/Dublin', '1971-10-31'), ('Antarctica/Troll', '2024-03-31');
CREATE TABLE minutes AS SELECT name, datetime(day, value || ' minutes') AS t FROM days, (WITH RECURSIVE m(value) AS (SELECT 0 UNION ALL SELECT value + 15 FROM m WHERE value < 1425) SELECT value FROM m);
SELECT '310', name, t, tz_to_utc(t, name), tz_to_utc(t, name, 'earlier'), tz_to_utc(t, name, 'later'), tz_to_utc(t, name, 'compatible') FROM minutes;
SELECT '320', name, t, tz_offset(t, name), tz_abbreviation(t, name), tz_convert(t, name, 'Asia/Tokyo'), tz_convert(t, 'Asia/Tokyo', name, 'later') FROM minutes;
SELECT '410', value, tz_is_valid(value) FROM json_each('["UTC", "Europe/Paris", "Europe/Nowhere", "US/Pacific", "Etc/GMT-14", "GMT0", ""]');
