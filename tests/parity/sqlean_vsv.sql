-- loads: sqlean_vsv
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
-- affinities: whole numbers are read as `long double`
create virtual table n using vsv(affinity=numeric, columns=1, data='1
-2.50
3.0
1e3
9007199254740993.0
9223372036854775807.0
9223372036854775808.0
-9223372036854775808.0
18446744073709551616
0.1
123456789012345678901234567890
1e308
1e-320
2.2250738585072011e-308
1e400
.5
5.
+7
 8
8x
nan
inf
0x10
-0.0
3.14159265358979323846264338327950288');
select quote(c0), typeof(c0) from n;
create virtual table i using vsv(affinity=integer, columns=1, data='1
2.5
x
9223372036854775807
9223372036854775808
1e3');
select quote(c0), typeof(c0) from i;
create virtual table r using vsv(affinity=real, columns=1, data='1
2.5
x
0.1
1e400');
select quote(c0), typeof(c0) from r;
create virtual table x using vsv(affinity=text, columns=1, data='1
2.5');
select quote(c0), typeof(c0) from x;
create virtual table b using vsv(affinity=blob, columns=1, data='1
ä');
select quote(c0), typeof(c0) from b;
create virtual table a using vsv(affinity=nope, columns=1, data='1');
create virtual table s using vsv(schema='create table s(a integer, b real, c numeric, d)', columns=4, affinity=numeric, dsep=',', fsep=';', data='1;2,5;3,0;4');
-- it writes into its own value: reading one twice natively gives a text
select quote(a), quote(b), quote(c), quote(d) from s;
