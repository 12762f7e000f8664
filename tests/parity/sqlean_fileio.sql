-- loads: sqlean_fileio
-- grants: dir:.
.mode quote
select fileio_write('a.txt', 'first line' || char(10) || 'second'), fileio_read('a.txt');
select fileio_append('a.txt', char(10) || 'third');
select length(fileio_read('a.txt')), sum(fileio_append('many', value || ' ')) from json_each('[1,2,3]');
select fileio_read('many'), fileio_append('many', 'x'), fileio_append('made/by/append', 'y');
select fileio_read('many'), fileio_read('made/by/append');
select fileio_read('a.txt', 6), fileio_read('a.txt', 6, 4), fileio_read('a.txt', 1000), fileio_read('a.txt', -1);
select writefile('b.bin', x'00ff00'), hex(readfile('b.bin')), fileio_write('empty', NULL), fileio_read('empty');
select fileio_read('none'), fileio_write('none/there', 'x');
select fileio_mkdir('directory'), fileio_mkdir('directory'), fileio_mkdir('none/there');
select fileio_write('directory/c', 'c'), fileio_write('directory/d', zeroblob(5000), 438), length(fileio_read('directory/d'));
select fileio_write('made/on/the/way', 'x', 438), fileio_read('made/on/the/way');
select fileio_write('timed', 'x', 438, 1000000000);
select name, mtime from fileio_ls('timed');
select fileio_symlink('directory/c', 'link'), fileio_read('link');
-- permissions are not known here: they are left out
select name, substr(lsmode(mode), 1, 1), size from fileio_ls('.') where name not glob '*test.db*' order by name;
select name, size from fileio_ls('.', 1) where name not glob '*test.db*' order by name;
select name, size from fileio_ls('directory') order by name;
select count(*) from fileio_ls('none');
select rowid, value from fileio_scan('a.txt');
select value from fileio_scan('a.txt') limit 1;
select * from fileio_scan('none');
select lsmode(16877), lsmode(33188), lsmode(41471);
select fileio_write();
