-- cli-smokes/ext-fuzzy.sql: how far two words are from each other.
-- args: test.db
-- ours-only: native shells load no components
.load fuzzy
SELECT '110', fuzzy_leven('kitten', 'sitting');
SELECT '120', fuzzy_damlev('abcd', 'acbd'), fuzzy_leven('abcd', 'acbd');
SELECT '130', round(fuzzy_jarowin('martha', 'marhta'), 4);
SELECT '140', fuzzy_soundex('Robert'), fuzzy_soundex('Rupert');
SELECT '150', fuzzy_hamming('karolin', 'kathrin');
SELECT '160', fuzzy_leven(NULL, 'a') IS NULL;
