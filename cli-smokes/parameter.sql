-- cli-smokes/parameter.sql: .parameter binds values to the named parameters of statements.
.parameter init
.parameter set @name 'Ann'
.parameter set :n 42
.parameter set $real 1.5
.parameter set ?2 x'00ff'
.parameter set @expr 1+2
.parameter set @bare word
.parameter list
SELECT '110', @name, :n, $real, typeof($real), @expr, @bare;
SELECT '120', hex(?2), ?1 IS NULL, @unbound IS NULL;
SELECT '130', $int_12, $text_abc;
.parameter unset @name
SELECT '140', @name IS NULL;
CREATE TABLE t(a);
INSERT INTO t VALUES(:n), ($real);
SELECT '150', a FROM t WHERE a > :n - 1;
.schema sqlite_parameters
.parameter clear
.parameter list
SELECT '160', :n IS NULL;
.parameter set bad 1
.parameter nonsense
