-- cli-smokes/math.sql: mathematical functions and the arithmetic of integers and reals.
-- args: :memory:
.nullvalue NULL
SELECT '110', ceil(1.2), floor(-1.2), trunc(-1.7), round(2.5), round(-2.675, 2), sign(-3), abs(-9223372036854775807);
SELECT '120', sqrt(2), pow(2, 10), printf('%.12f', pow(2, 0.5)), exp(0), mod(7.5, 2), mod(-7, 3);
SELECT '130', printf('%.12f', sin(1)), printf('%.12f', cos(1)), printf('%.12f', tan(1)), printf('%.12f', asin(0.5)), printf('%.12f', acos(0.5)), printf('%.12f', atan(1)), printf('%.12f', atan2(1, -1));
SELECT '140', printf('%.10f', sinh(1)), printf('%.10f', cosh(1)), printf('%.10f', tanh(1)), printf('%.10f', asinh(1)), printf('%.10f', acosh(2)), printf('%.10f', atanh(0.5));
SELECT '150', printf('%.12f', ln(10)), printf('%.12f', log10(1000)), printf('%.12f', log2(8)), printf('%.10f', log(3, 81)), printf('%.12f', exp(1)), degrees(pi()), printf('%.12f', radians(90)), pi();
SELECT '160', sqrt(-1), ln(0), acos(2), 1/0, 1.0/0, 5%0, log(0);
SELECT '170', 7/2, -7/2, 7%-3, 7.0/2, 9223372036854775807 + 1, -9223372036854775808 - 1, 9223372036854775807 * 2, -(-9223372036854775808);
SELECT '180', 1<<63, 1<<64, -1>>1, 5&3, 5|3, ~5, 1e308*10, -1e308*10, 0.1+0.2, 1e15+0.3;
SELECT '190', cast('12abc' AS INTEGER), cast('1e3x' AS REAL), cast(1e19 AS INTEGER), cast(-1e19 AS INTEGER), cast('  9223372036854775808' AS INTEGER), '3'+'4.5', 0x7fffffffffffffff;
SELECT '200', printf('%d %5.2f|%-8s|%08d|%+d|%x|%o|%e|%g|%c|%%|%,d|%q|%Q|%w', 42, 3.14159, 'ab', 7, 5, 255, 8, 12345.678, 1e-10, 'xyz', 1234567, 'it''s', 'it''s', 'a"b');
SELECT '210', printf('%.30f|%!.30f|%.3s|%!.3s|%*d', 0.1, 0.1, 'eau', 'éàü', 6, 1);
SELECT '220', sum(value), total(value), avg(value), min(value), max(value) FROM generate_series(1, 100000);
SELECT '230', sum(0.1) FROM generate_series(1, 10);
SELECT sum(9223372036854775807) FROM generate_series(1, 2);
SELECT abs(-9223372036854775808);
SELECT '240', decimal_add('0.1', '0.2'), decimal_mul('1.5', '1.5'), decimal_sub('1', '0.9'), decimal(0.1), decimal_cmp('2', '10'), decimal_exp('12345');
SELECT '250', ieee754(45.25), ieee754(181, -2), hex(ieee754_to_blob(1.0));
