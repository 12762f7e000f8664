-- loads: sqlean_fuzzy
select levenshtein('kitten', 'sitting'), dlevenshtein('ab', 'ba'), osa_distance('ab', 'ba'), hamming('abc', 'abd'), edit_distance('abc', 'abcd');
select printf('%.6f', jaro_winkler('martha', 'marhta')), soundex('Robert'), rsoundex('Robert'), caverphone('Thompson'), phonetic_hash('phonetic'), translit('Привет'), script_code('abc'), script_code('αβγ');
select hamming('a', 'ab'), levenshtein(NULL, 'a'), soundex('');
select levenshtein('a');
