-- loads: explain
-- input
SELECT addr, opcode, p1, p2, p3, p4, p5 FROM explain('SELECT n FROM input WHERE i < 5');
SELECT opcode, count(*) FROM explain('SELECT t, count(*) FROM input GROUP BY t ORDER BY 2') GROUP BY opcode ORDER BY opcode;
SELECT p2 FROM explain WHERE sql = 'SELECT * FROM input' AND opcode = 'OpenRead';
SELECT * FROM explain('SELECT nothing');
SELECT * FROM explain;
