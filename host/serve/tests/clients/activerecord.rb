# A model of ActiveRecord: ruby activerecord.rb HOST PORT
require "active_record"

ActiveRecord::Base.establish_connection(adapter: "postgresql", host: ARGV[0], port: ARGV[1], user: "local", database: "shop")
db = ActiveRecord::Base.connection
db.execute("DROP TABLE IF EXISTS ar_items")
db.execute("CREATE TABLE ar_items(id bigserial PRIMARY KEY, name varchar(40) NOT NULL UNIQUE, stock int DEFAULT 0, made timestamp)")

class Item < ActiveRecord::Base
  self.table_name = "ar_items"
end

def check(actual, wanted)
  raise "#{actual.inspect} instead of #{wanted.inspect}" unless actual == wanted
end

tea = Item.create!(name: "tea", stock: 3, made: Time.utc(2026, 1, 31, 8))
check(tea.id, 1)
Item.create!(name: "jam")
tea.update!(stock: 4)
check(Item.where(name: %w[tea jam]).order(:id).pluck(:name, :stock), [["tea", 4], ["jam", 0]])
check(Item.find_by(name: "tea").made, Time.utc(2026, 1, 31, 8))
begin
  Item.create!(name: "tea")
  raise "the key was not checked"
rescue ActiveRecord::RecordNotUnique
end
Item.transaction do
  Item.where(name: "jam").delete_all
  raise ActiveRecord::Rollback
end
check(Item.count, 2)
check(db.get_advisory_lock(7), true)
check(db.release_advisory_lock(7), true)
db.reset!
check(Item.sum(:stock), 4)
puts "ActiveRecord #{ActiveRecord.version}: a model reads and writes"
