SELECT column1 FROM (VALUES ('bb'), ('a'), ('ccc')) ORDER BY column1 COLLATE mine;
