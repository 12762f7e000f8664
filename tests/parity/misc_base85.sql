-- loads: base85
-- input
SELECT i, base85(b), base85(base85(b)) IS b FROM input;
SELECT base85(zeroblob(70)), is_base85(base85(x'00ff')), is_base85('~'), is_base85(NULL), base85(NULL);
SELECT base85(1);
