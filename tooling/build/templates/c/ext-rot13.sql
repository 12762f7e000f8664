-- cli-smokes/ext-rot13.sql: the extension rot13.
-- args: test.db
-- ours-only: native shells load no components
.load rot13
SELECT '110', rot13('Uryyb, jbeyq!'), rot13(rot13('again'));
SELECT '120', rot13(NULL) IS NULL, rot13('größe'), rot13(12);
