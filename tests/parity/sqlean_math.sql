-- loads: sqlean_math
select math_pi(), math_sqrt(2), math_pow(2, 10), math_ceil(1.2), math_floor(-1.2), math_trunc(-1.7), math_round(1.25, 1), math_mod(10, 3), math_degrees(1), math_radians(180);
select printf('%.12f %.12f %.12f', math_sin(1), math_exp(1), math_ln(10)), math_log(100), math_log(2, 8), math_log2(8), math_log10(1000);
select math_sqrt(-1), math_ln(0), math_sqrt(NULL), math_sqrt('a');
