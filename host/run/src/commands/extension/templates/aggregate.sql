SELECT mine(column1) FROM (VALUES ('a'), ('ccc'), ('bb'));
