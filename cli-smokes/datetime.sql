-- cli-smokes/datetime.sql: date and time functions with fixed inputs.
-- args: :memory:
.nullvalue NULL
SELECT '110', date('2024-02-29', '+1 year'), datetime('2024-01-31', '+1 month'), time('12:00', '-90 minutes');
SELECT '120', datetime(0, 'unixepoch'), datetime(1e10, 'auto'), unixepoch('2000-01-01'), julianday('2000-01-01 12:00'), datetime(2451545);
SELECT '130', strftime('%Y-%m-%dT%H:%M:%f %j %w %u %W %U %G-W%V %s %J %e %I %l %p %P %R %T %F', '2023-01-01 15:04:05.678');
SELECT '140', date('2024-05-15', 'start of month', '+1 month', '-1 day'), date('2024-05-15', 'weekday 0'), date('2024-05-15', 'start of year');
SELECT '150', timediff('2024-03-01', '2023-12-25 12:00'), datetime('2024-01-31', '+1 month', 'ceiling'), datetime('2024-01-31', '+1 month', 'floor');
SELECT '160', datetime('2024-01-01 00:00:00+05:30'), datetime('2024-01-01T00:00:00Z'), datetime('2024-01-01 12:00', 'subsec'), datetime('2024-01-01 12:00:00.125', 'subsec');
SELECT '170', date('no date'), datetime('9999-12-31 23:59:59', '+1 second'), date('0000-01-01'), date('-4713-11-24'), date('2023-02-30');
SELECT '180', datetime('2024-07-01 12:00', 'localtime'), datetime('2024-07-01 12:00', 'utc');
SELECT '190', count(DISTINCT strftime('%j', date('2024-01-01', value||' days'))) FROM generate_series(0, 365);
