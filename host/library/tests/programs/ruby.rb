# The gem sqlite3: statements, values, functions of Ruby, errors, transactions.
require "sqlite3"

file = ARGV[0] or abort "usage: ruby.rb FILE"
db = SQLite3::Database.new(file)
db.execute("CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, price REAL, data BLOB)")
db.transaction do
  insert = db.prepare("INSERT INTO item(name, price, data) VALUES (?, ?, ?)")
  (1..1000).each { |i| insert.execute("item #{i}", i / 4.0, SQLite3::Blob.new("\x00\x01" * (i % 100))) }
  insert.close
end
p db.execute("SELECT count(*), sum(price), max(length(data)) FROM item")
p db.last_insert_row_id, db.changes, db.total_changes
begin
  db.execute("INSERT INTO item(name) VALUES ('item 1')")
rescue SQLite3::ConstraintException => error
  puts error.message
end
db.create_function("twice", 1) { |function, text| function.result = text * 2 }
db.create_aggregate("longest", 1) do
  step { |group, text| group[:text] = text if text.length > (group[:text] || "").length }
  finalize { |group| group.result = group[:text] }
end
p db.execute("SELECT twice(name), (SELECT longest(name) FROM item) FROM item WHERE id = 7")
backwards = Object.new
def backwards.compare(a, b) = b <=> a
db.collation("backwards", backwards)
p db.execute("SELECT name FROM item WHERE id < 5 ORDER BY name COLLATE backwards")
db.transaction
db.execute("DELETE FROM item")
db.rollback
p db.get_first_value("SELECT count(*) FROM item")
statement = db.prepare("SELECT id, name, price FROM item WHERE id = :id")
p statement.columns, statement.types
statement.bind_params("id" => 3)
p statement.to_a
statement.close
copy = SQLite3::Database.new(":memory:")
backup = SQLite3::Backup.new(copy, "main", db, "main")
backup.step(-1)
backup.finish
p copy.execute("SELECT count(*) FROM item")
begin
  db.execute("SELECT missing")
rescue SQLite3::SQLException => error
  puts error.message
end
