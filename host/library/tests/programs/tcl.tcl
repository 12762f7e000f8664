# Tcl's binding: statements, values, functions of Tcl, errors, transactions, hooks.
package require sqlite3
set file [lindex $argv 0]
sqlite3 db $file
db eval {CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, price REAL, data BLOB)}
db transaction {
    for {set i 1} {$i <= 1000} {incr i} {
        set name "item $i"
        set price [expr {$i / 4.0}]
        set data [binary format c* [list 0 1 2 $i]]
        db eval {INSERT INTO item(name, price, data) VALUES ($name, $price, @data)}
    }
}
puts [db eval {SELECT count(*), sum(price), max(length(data)) FROM item}]
puts [list [db last_insert_rowid] [db changes] [db total_changes] [db errorcode]]
puts [list [catch {db eval {INSERT INTO item(name) VALUES ('item 1')}} why] $why [db errorcode]]
db function twice {apply {{text} {return $text$text}}}
puts [db eval {SELECT twice(name) FROM item WHERE id = 7}]
# A function that uses the connection that calls it.
db function counted {apply {{} {db onecolumn {SELECT count(*) FROM item}}}}
puts [db eval {SELECT id + counted() FROM item WHERE id < 4}]
db collate backwards {apply {{a b} {string compare $b $a}}}
puts [db eval {SELECT name FROM item WHERE id < 5 ORDER BY name COLLATE backwards}]
db collation_needed {apply {{name} {db collate $name {string compare}}}}
puts [db eval {SELECT name FROM item WHERE id < 5 ORDER BY name COLLATE unknown}]
set log {}
db update_hook {apply {{args} {lappend ::log $args}}}
db commit_hook {apply {{} {lappend ::log commit; return 0}}}
db rollback_hook {lappend ::log rollback}
db eval {DELETE FROM item WHERE id > 998}
db eval {BEGIN; DELETE FROM item WHERE id = 1; ROLLBACK}
puts $log
db trace {apply {{sql} {puts "trace $sql"}}}
db eval {SELECT 1}
db trace {}
db authorizer {apply {{action args} {expr {$action eq {SQLITE_DELETE} ? {SQLITE_DENY} : {SQLITE_OK}}}}}
puts [list [catch {db eval {DELETE FROM item}} why] $why]
db authorizer {}
set stream [db incrblob -readonly item data 10]
fconfigure $stream -translation binary
binary scan [read $stream] H* bytes
puts $bytes
close $stream
db backup $file.copy
sqlite3 copy $file.copy
puts [copy eval {SELECT count(*) FROM item}]
puts [list [catch {db eval {SELECT missing}} why] $why]
copy close
db close
