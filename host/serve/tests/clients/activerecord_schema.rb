# Migrations of ActiveRecord and schema.rb: ruby activerecord_schema.rb HOST PORT USER DATABASE
require "active_record"
require "stringio"

host, port, user, database = ARGV
ActiveRecord::Base.establish_connection(adapter: "postgresql", host: host, port: port, username: user, database: database)
ActiveRecord::Migration.verbose = false
DB = ActiveRecord::Base.connection

def check(actual, wanted)
  raise "#{actual.inspect} instead of #{wanted.inspect}" unless actual == wanted
end

class First < ActiveRecord::Migration[6.1]
  def change
    create_table :ar_authors do |t|
      t.string :name, null: false, limit: 40
      t.integer :age, default: 18
      t.timestamps
    end
    create_table :ar_books do |t|
      t.references :author, null: false, foreign_key: { to_table: :ar_authors, on_delete: :cascade }
      t.string :title
      t.integer :price
      t.text :old
    end
  end
end

class Rows < ActiveRecord::Migration[6.1]
  def up
    execute "INSERT INTO ar_authors(name, created_at, updated_at) VALUES ('Anna', now(), now()), ('Otto', now(), now())"
    100.times { |number| execute "INSERT INTO ar_books(author_id, title, price) VALUES (#{1 + number % 2}, 'Tea #{number}', #{number})" }
  end

  def down; end
end

class Changes < ActiveRecord::Migration[6.1]
  def change
    change_table :ar_authors, bulk: true do |t|
      t.date :born
      t.boolean :known, null: false, default: false
    end
    rename_column :ar_books, :old, :body
    reversible do |way|
      way.up { change_column :ar_books, :price, :decimal, precision: 8, scale: 2 }
      way.down { change_column :ar_books, :price, :integer }
    end
    change_column_null :ar_books, :title, false
    change_column_default :ar_books, :title, from: nil, to: "none"
    add_index :ar_books, %i[author_id title], unique: true, name: "ar_once"
    add_index :ar_books, :price, order: { price: :desc }
    add_check_constraint :ar_books, "price >= 0", name: "ar_price"
    add_column :ar_books, :data, :jsonb, default: {}, null: false
    add_column :ar_books, :code, :uuid
    add_column :ar_books, :made, :datetime, default: -> { "CURRENT_TIMESTAMP" }
    change_column_comment :ar_books, :title, from: nil, to: "as on its cover"
    change_table_comment :ar_books, from: nil, to: "what is read"
    create_join_table :ar_authors, :ar_books, table_name: :ar_likes do |t|
      t.index %i[ar_author_id ar_book_id], unique: true
    end
    add_foreign_key :ar_likes, :ar_books
  end
end

MIGRATIONS = [First, Rows, Changes].each_with_index.map { |one, at| one.new(one.name, at + 1) }

def migrate(to)
  ActiveRecord::Migrator.new(to < ActiveRecord::Base.connection.migration_context.current_version ? :down : :up,
                             MIGRATIONS, ActiveRecord::SchemaMigration, to).migrate
end

def dump
  ActiveRecord::SchemaDumper.ignore_tables = [/\A(?!ar_)/]
  out = StringIO.new
  ActiveRecord::SchemaDumper.dump(ActiveRecord::Base.connection, out)
  out.string
end

%w[ar_likes ar_books ar_authors schema_migrations ar_internal_metadata].each { |name| DB.drop_table(name, if_exists: true, force: :cascade) }
migrate(3)
class Author < ActiveRecord::Base
  self.table_name = "ar_authors"
  has_many :books, foreign_key: :author_id
end

class Book < ActiveRecord::Base
  self.table_name = "ar_books"
  belongs_to :author
end
check(Book.count, 100)
check(Author.includes(:books).find_by(name: "Anna").books.sum(:price), 2450)
check(Book.create!(author_id: 1, title: "new", data: { "a" => 1 }).reload.attributes.slice("data", "price"),
      { "data" => { "a" => 1 }, "price" => nil })
raise "no time" unless Book.last.made
Author.insert_all([{ name: "Cid", created_at: Time.now, updated_at: Time.now }])
check(DB.column_exists?(:ar_books, :price, :decimal, precision: 8, scale: 2), true)
dumped = dump
puts dumped if ARGV[4]
migrate(2)
check(Author.connection.select_value("SELECT sum(price) FROM ar_books"), 4950)
migrate(3)
check(dump, dumped)
# What was dumped makes the same schema.
StringIO.open { $stdout = _1; eval(dumped); $stdout = STDOUT }
check(dump, dumped)
puts "ActiveRecord #{ActiveRecord.version}: schema.rb makes the schema of the migrations"
