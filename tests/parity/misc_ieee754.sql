-- loads: ieee754
-- input
SELECT i, ieee754(r), ieee754_mantissa(r), ieee754_exponent(r), hex(ieee754_to_blob(r)), ieee754_from_blob(ieee754_to_blob(r)) = r FROM input;
SELECT i, ieee754(n, n % 60) FROM input WHERE abs(n) < 1000000000;
SELECT ieee754(9e999), ieee754(-9e999), ieee754(0.0), ieee754(NULL), ieee754('1.5'), ieee754_from_blob(x'00');
