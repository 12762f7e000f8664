SELECT word FROM mine('to be or not');
SELECT count(*) FROM mine('a b c');
