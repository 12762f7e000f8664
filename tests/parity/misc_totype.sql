-- loads: totype
-- input
SELECT i, tointeger(n), tointeger(r), tointeger(t), tointeger(b), tointeger(n || ''), toreal(n), toreal(r), toreal(t), toreal(b), toreal(r || '') FROM input;
SELECT tointeger('9223372036854775807'), tointeger('9223372036854775808'), tointeger(' 12 '), tointeger('-'), tointeger(1e18), tointeger(0.5), toreal('1e5'), toreal('x'), toreal(NULL), toreal(9007199254740993);
SELECT tointeger(x'0100000000000000'), toreal(x'000000000000f03f');
