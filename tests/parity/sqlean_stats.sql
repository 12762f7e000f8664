-- loads: sqlean_stats
create table t(g, x);
insert into t select value % 3, value * value % 17 from stats_seq(1, 60);
select count(*), sum(value) from stats_seq(1, 99), (select 1) where value % 2;
select value from stats_seq(10, 20, 5);
select value from stats_seq(3, 1, -1);
select g, stats_median(x), stats_p25(x), stats_p75(x), stats_p90(x), stats_p95(x), stats_p99(x), stats_perc(x, 33), printf('%.10f', stats_stddev(x)), printf('%.10f', stats_var_pop(x)) from t group by g;
select stats_median(x) from t where g = 99;
select stats_median('a');
select stats_perc(x, 101) from t;
