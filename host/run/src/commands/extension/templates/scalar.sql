SELECT mine('ah');
SELECT mine(NULL) IS NULL;
