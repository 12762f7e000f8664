-- loads: sqlean_unicode
select nlower('ПРИВЕТ'), nupper('привет'), casefold('Straße'), unaccent('Crème Brûlée'), unicode_version(), nlike('при%', 'ПРИВЕТ'), nlike('a!%', 'a%', '!');
select 'ä' like 'Ä', upper('ä'), lower('Ä');
select nlower(NULL), unaccent(1);
