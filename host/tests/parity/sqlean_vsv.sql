-- loads: sqlean_vsv
-- Without affinities, which need `long double` in printf.
create virtual table t using vsv(data='a,b,c
1,"x, y",3.5
2,,"q""q"', header=yes);
select *, typeof(a), typeof(b), typeof(c) from t;
select count(*), sum(a) from t where b = '';
create virtual table u using vsv(data='1|2
3|4', columns=2, fsep='|');
select rowid, * from u;
select * from u order by rowid desc;
create virtual table bad using vsv(nope=1);
