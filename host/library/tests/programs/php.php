<?php
// PDO and the class SQLite3: statements, values, functions of PHP, errors, transactions.
$file = $argv[1] ?? exit("usage: php.php FILE\n");
$db = new PDO("sqlite:$file", null, null, [PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION]);
$db->exec('CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, price REAL, data BLOB)');
$db->beginTransaction();
$insert = $db->prepare('INSERT INTO item(name, price, data) VALUES (:name, :price, :data)');
for ($i = 1; $i <= 1000; $i++) {
    $insert->execute([':name' => "item $i", ':price' => $i / 4, ':data' => str_repeat("\0\1", $i % 100)]);
}
$db->commit();
print_r($db->query('SELECT count(*), sum(price), max(length(data)) FROM item')->fetch(PDO::FETCH_NUM));
echo 'last id ', $db->lastInsertId(), "\n";
try {
    $db->exec("INSERT INTO item(name) VALUES ('item 1')");
} catch (PDOException $error) {
    echo $error->getMessage(), "\n";
}
$db->sqliteCreateFunction('twice', fn ($text) => $text . $text, 1);
$db->sqliteCreateAggregate('longest', fn ($longest, $row, $text) => strlen($text) > strlen($longest ?? '') ? $text : $longest, fn ($longest) => $longest, 1);
$db->sqliteCreateCollation('backwards', fn ($a, $b) => strcmp($b, $a));
print_r($db->query('SELECT twice(name), (SELECT longest(name) FROM item) FROM item WHERE id = 7')->fetch(PDO::FETCH_NUM));
print_r($db->query('SELECT name FROM item WHERE id < 5 ORDER BY name COLLATE backwards')->fetchAll(PDO::FETCH_COLUMN));
$db->beginTransaction();
$db->exec('DELETE FROM item');
$db->rollBack();
echo $db->query('SELECT count(*) FROM item')->fetchColumn(), "\n";
$db = null;

$db = new SQLite3($file);
$db->enableExceptions(true);
$statement = $db->prepare('SELECT id, name, price FROM item WHERE id BETWEEN ? AND ?');
$statement->bindValue(1, 3);
$statement->bindValue(2, 5);
$result = $statement->execute();
while ($row = $result->fetchArray(SQLITE3_ASSOC)) {
    print_r($row);
}
$blob = $db->openBlob('item', 'data', 10);
echo bin2hex(stream_get_contents($blob)), "\n";
fclose($blob);
try {
    $db->exec('SELECT missing');
} catch (Exception $error) {
    echo $error->getMessage(), "\n";
}
$db->backup($copy = new SQLite3(':memory:'));
echo $copy->querySingle('SELECT count(*) FROM item'), "\n";
