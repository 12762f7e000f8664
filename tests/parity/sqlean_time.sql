-- loads: sqlean_time
-- Without dur_h() and its like: they keep a number of 64 bits in a pointer.
select time_fmt_iso(time_date(2011, 11, 18)), time_fmt_datetime(time_unix(1321631795)), time_to_unix(time_date(2011, 11, 18, 15, 56, 35)), time_get_year(time_date(2011, 11, 18)), time_get(time_date(2011, 11, 18), 'weekday'), hex(time_date(1, 2, 3));
select time_fmt_iso(time_add(time_date(2011, 11, 18), 24 * 3600000000000)), time_sub(time_date(2011, 11, 19), time_date(2011, 11, 18)), time_fmt_iso(time_trunc(time_date(2011, 11, 18, 15, 56, 35), 'hour')), time_compare(time_date(2011, 1, 1), time_date(2012, 1, 1)), time_fmt_iso(time_parse('2011-11-18T15:56:35.666777888Z')), date_part('year', time_date(2011, 1, 1));
select time_parse('nope'), time_get(time_date(2011, 11, 18), 'nope');
select time_unix('a');
