// Models of GORM: gorm-client DSN
package main

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"time"

	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
)

type oldOwner struct {
	ID   uint
	Name string `gorm:"size:40"`
	Age  int
}

func (oldOwner) TableName() string { return "gorm_owners" }

type oldPet struct {
	ID      int64
	OwnerID uint
	Owner   *oldOwner `gorm:"constraint:OnDelete:CASCADE"`
	Name    string
	Weight  int
}

func (oldPet) TableName() string { return "gorm_pets" }

// Owner has more than before, and a longer name.
type Owner struct {
	gorm.Model
	Name  string `gorm:"size:80;uniqueIndex;not null"`
	Age   int64  `gorm:"default:18;check:gorm_owners_age,age > 0"`
	Pets  []Pet
	Likes []Thing `gorm:"many2many:gorm_likes"`
}

func (Owner) TableName() string { return "gorm_owners" }

// Pet has another type of weight.
type Pet struct {
	ID      int64
	OwnerID uint `gorm:"index:gorm_pet_of,priority:1"`
	Owner   *Owner `gorm:"constraint:OnDelete:CASCADE"`
	Name    string `gorm:"not null;default:none;index:gorm_pet_of,priority:2;comment:as it hears it"`
	Weight  float64 `gorm:"type:numeric(8,2)"`
	Born    *time.Time
	Data    []byte
}

func (Pet) TableName() string { return "gorm_pets" }

// Thing is liked.
type Thing struct {
	Word string `gorm:"primaryKey;size:20"`
}

func (Thing) TableName() string { return "gorm_things" }

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func same(found, wanted any) {
	if !reflect.DeepEqual(found, wanted) {
		panic(fmt.Sprintf("found %v, expected %v", found, wanted))
	}
}

func main() {
	config := gorm.Config{Logger: logger.Default.LogMode(logger.Silent), TranslateError: true}
	db, err := gorm.Open(postgres.Open(os.Args[1]), &config)
	check(err)
	for _, table := range []string{"gorm_likes", "gorm_things", "gorm_pets", "gorm_owners"} {
		check(db.Exec("DROP TABLE IF EXISTS " + table).Error)
	}
	check(db.AutoMigrate(&oldOwner{}, &oldPet{}))
	check(db.AutoMigrate(&oldOwner{}, &oldPet{}))
	owners := []oldOwner{{Name: "Ann", Age: 30}, {Name: "Bob", Age: 20}}
	check(db.Create(&owners).Error)
	same([]uint{owners[0].ID, owners[1].ID}, []uint{1, 2})
	pets := []oldPet{}
	for number := range 100 {
		pets = append(pets, oldPet{OwnerID: uint(1 + number%2), Name: fmt.Sprint("pet ", number), Weight: number})
	}
	check(db.CreateInBatches(&pets, 40).Error)

	for range 2 {
		check(db.AutoMigrate(&Owner{}, &Pet{}, &Thing{}))
	}
	var weight float64
	check(db.Model(&Pet{}).Select("sum(weight)").Scan(&weight).Error)
	same(weight, 4950.0)
	var ann Owner
	check(db.Preload("Pets", "weight > ?", 90).First(&ann, "name = ?", "Ann").Error)
	same(len(ann.Pets), 4)
	check(db.Model(&ann).Association("Likes").Append([]Thing{{Word: "tea"}, {Word: "jam"}}))
	same(db.Model(&ann).Association("Likes").Count(), int64(2))
	same(errors.Is(db.Create(&Owner{Name: "Ann"}).Error, gorm.ErrDuplicatedKey), true)
	same(errors.Is(db.Create(&Pet{OwnerID: 99}).Error, gorm.ErrForeignKeyViolated), true)
	same(errors.Is(db.Create(&Owner{Name: "Cid", Age: -1}).Error, gorm.ErrCheckConstraintViolated), true)
	err = db.Transaction(func(tx *gorm.DB) error {
		check(tx.Delete(&ann).Error)
		return errors.New("undone")
	})
	same(err.Error(), "undone")
	var count int64
	check(db.Model(&Owner{}).Count(&count).Error)
	same(count, int64(2))

	migrator := db.Migrator()
	same(migrator.HasColumn(&Owner{}, "deleted_at"), true)
	same(migrator.HasIndex(&Pet{}, "gorm_pet_of"), true)
	same(migrator.HasConstraint(&Owner{}, "gorm_owners_age"), true)
	types, err := migrator.ColumnTypes(&Pet{})
	check(err)
	found := []string{}
	for _, column := range types {
		precision, scale, _ := column.DecimalSize()
		nullable, _ := column.Nullable()
		key, _ := column.PrimaryKey()
		numbered, _ := column.AutoIncrement()
		value, _ := column.DefaultValue()
		comment, _ := column.Comment()
		found = append(found, fmt.Sprint(column.Name(), " ", column.DatabaseTypeName(), " ", precision, " ", scale, " ", nullable, key, numbered, value, comment))
	}
	same(found, []string{
		"id int8 64 0 false true true", "owner_id int8 64 0 true false false", "name text 0 0 false false falsenoneas it hears it",
		"weight numeric 8 2 true false false", "born timestamptz 6 0 true false false", "data bytea 0 0 true false false",
	})
	check(migrator.RenameColumn(&Pet{}, "name", "called"))
	check(migrator.RenameColumn(&Pet{}, "called", "name"))
	check(migrator.DropColumn(&Pet{}, "data"))
	check(migrator.DropIndex(&Pet{}, "gorm_pet_of"))
	check(migrator.DropConstraint(&Owner{}, "gorm_owners_age"))
	tables, err := migrator.GetTables()
	check(err)
	same(len(tables) >= 4, true)
	check(migrator.DropTable("gorm_likes", &Thing{}, &Pet{}, &Owner{}))
	fmt.Println("GORM: models migrate")
}
