# DBD::SQLite: statements, values, functions of Perl, errors, transactions.
use strict;
use warnings;
use DBI;

my $file = $ARGV[0] or die "usage: perl.pl FILE\n";
my $db = DBI->connect("dbi:SQLite:dbname=$file", "", "", { RaiseError => 1, PrintError => 0, sqlite_unicode => 1 });
$db->do("CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, price REAL, data BLOB)");
my $insert = $db->prepare("INSERT INTO item(name, price, data) VALUES (?, ?, ?)");
$db->begin_work;
$insert->execute("item $_", $_ / 4, pack("C*", 0 .. $_ % 256)) for 1 .. 1000;
$db->commit;
print join("|", $db->selectrow_array("SELECT count(*), sum(price), max(length(data)) FROM item")), "\n";
print "last id ", $db->last_insert_id("", "", "item", ""), "\n";
eval { $db->do("INSERT INTO item(name) VALUES ('item 1')") };
print "error ", $db->err, " ", $db->errstr, "\n";
$db->sqlite_create_function("twice", 1, sub { $_[0] x 2 });
print $db->selectrow_array("SELECT twice(name) FROM item WHERE id = 7"), "\n";
$db->sqlite_create_collation("backwards", sub { $_[1] cmp $_[0] });
print join(",", @{ $db->selectcol_arrayref("SELECT name FROM item WHERE id < 5 ORDER BY name COLLATE backwards") }), "\n";
{
    package Longest;
    sub new { bless { text => "" }, shift }
    sub step { my ($self, $text) = @_; $self->{text} = $text if length($text) > length($self->{text}) }
    sub finalize { $_[0]{text} }
}
$db->sqlite_create_aggregate("longest", 1, "Longest");
print $db->selectrow_array("SELECT longest(name) FROM item"), "\n";
my @updates;
$db->sqlite_update_hook(sub { push @updates, "$_[0]:$_[2]:$_[3]" });
$db->do("DELETE FROM item WHERE id > 998");
print "@updates\n";
$db->begin_work;
$db->do("DELETE FROM item");
$db->rollback;
print $db->selectrow_array("SELECT count(*) FROM item"), "\n";
print join(",", map { $_->{name} } @{ $db->selectall_arrayref("PRAGMA table_info(item)", { Slice => {} }) }), "\n";
$db->sqlite_backup_to_file("$file.copy");
my $copy = DBI->connect("dbi:SQLite:dbname=$file.copy", "", "", { RaiseError => 1 });
print $copy->selectrow_array("SELECT count(*) FROM item"), "\n";
