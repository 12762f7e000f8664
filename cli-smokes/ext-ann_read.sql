-- cli-smokes/ext-ann_read.sql: vectors out of files in a granted directory.
-- args: --grant ann_read=dir:.:ro test.db
-- ours-only: native shells load no components
.load ann_read
.mode list
.output lines.jsonl
SELECT '[1, 2.5]' UNION ALL SELECT '{"id": 7, "embedding": [3, 4]}';
.output
SELECT '105', writefile('two.fvecs', x'02000000' || x'0000803f' || x'00000040' || x'02000000' || x'00004040' || x'00008040');
SELECT '110', rowid, hex(vector), line FROM ann_read('lines.jsonl');
SELECT '120', line ->> '$.id', line -> '$.embedding' FROM ann_read('lines.jsonl') WHERE vector IS NULL;
SELECT '130', rowid, hex(vector) FROM ann_read('two.fvecs');
SELECT * FROM ann_read('three.npy');
SELECT * FROM ann_read('../two.fvecs');
SELECT * FROM ann_read('test.db');
SELECT * FROM ann_read;
