-- cli-smokes/mode-show.sql: what .mode and .show say of the settings.
-- (.mode without arguments shows the mode, then sets it anew without its options.)
.mode
.mode csv
.mode
.mode box --wrap 40 --ww --quote
.separator ; \n\n
.headers on
.nullvalue NULL
.width 3 -4
.bail off
.echo off
.show
.mode nonsense
.mode list --unknown
.headers maybe
SELECT 1 AS a, NULL AS b;
