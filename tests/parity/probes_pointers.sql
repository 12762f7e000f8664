-- loads: probes
-- Pointers are values that only the extension knows: SQL hands them on.
select p_pointed(p_point('here'), p_constant(), NULL, 'text', 5, p_point('ö'));
select p_living();
select typeof(p_point('a')), p_point('b') is null, quote(p_constant()), coalesce(p_point('c'), 'null'), subtype(p_point('d'));
-- Nothing keeps them, and nothing else becomes one.
create table t(a);
insert into t values (p_point('stored')), (112), ('p');
select typeof(a), p_pointed(a) from t;
select p_pointed(p_result('subtype', 5)), p_pointed(json('[1]'));
select p_living();
-- For each row, and for all rows.
select value, p_pointed(p_point('row ' || value), p_point('all')) from generate_series(1, 5);
select count(*), count(distinct p_pointed(p_point(value))), min(p_pointed(p_constant())) from generate_series(1, 3000);
select p_living();
-- Aggregates: taken, and given.
select p_pointed(p_gather(p_point(value))) from generate_series(1, 200);
select value % 3, p_pointed(p_gather(p_point(value))) from generate_series(1, 20) group by 1;
select p_pointed(p_gather(NULL));
select p_gather(p_constant()) is null;
select p_living();
-- In a statement that is not done, and one that fails.
select p_pointed(p_point(value)), json(case value when 3 then '[' else '[]' end) from generate_series(1, 5);
select p_living();
with c as materialized (select p_point('through') as p) select p_pointed(p) from c;
select p_pointed(p) from (select p_point('flat') as p);
select p_pointed((select p_point('scalar')));
select p_pointed(case when a = 112 then p_point('case') end) from t;
select p_living();
