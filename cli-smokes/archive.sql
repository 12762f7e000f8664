-- cli-smokes/archive.sql: .archive creates, lists, updates and extracts; deflated and plain content.
SELECT '100', writefile('in/a.txt', replace(hex(zeroblob(5000)), '00', 'compress me ')), writefile('in/b.bin', x'00ff0102'), writefile('in/sub/c.txt', 'é');
.archive --create --file made.sqlar in/a.txt in/b.bin in/sub
.archive --list --file made.sqlar
.open made.sqlar
SELECT '110', name, sz, length(data) FROM sqlar ORDER BY name;
SELECT '120', name, sqlar_uncompress(data, sz) IS readfile(name) FROM sqlar WHERE sz > 0 ORDER BY name;
.open test.db
.archive --extract --file made.sqlar --directory out in/a.txt
.ar -x -f made.sqlar -C out in/sub
SELECT '130', length(readfile('out/in/a.txt')), readfile('out/in/sub/c.txt'), readfile('out/in/b.bin') IS NULL;
SELECT '140', writefile('new.txt', 'new');
.ar -if made.sqlar new.txt
.ar -tf made.sqlar
.ar -rf made.sqlar in/a.txt
.ar -tf made.sqlar *b.bin
.ar --glob -tf made.sqlar *b.bin
.ar -c in/b.bin
SELECT '150', name, hex(data) FROM sqlar;
.ar -tf missing.sqlar
.ar -xf made.sqlar missing.txt
.ar -cf x.sqlar missing.txt
.ar --dryrun -cf x.sqlar in/b.bin
.ar
