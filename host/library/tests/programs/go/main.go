// Go's runtime has signal handlers: a trap of the sandbox is an error, and a nil pointer of Go's own
// still panics.
package main

import (
	"database/sql"
	"fmt"
	"os"
	"strings"
	"sync"

	_ "github.com/mattn/go-sqlite3"
)

func fail(what string, err error) {
	fmt.Println(what, err)
	os.Exit(1)
}

func hostile(statement string) {
	db, err := sql.Open("sqlite3", ":memory:")
	if err != nil {
		fail("open", err)
	}
	defer db.Close()
	var result []byte
	err = db.QueryRow(statement).Scan(&result)
	if err == nil || !strings.Contains(err.Error(), "trapped") {
		fail(statement, err)
	}
}

func dereferences(pointer *int) (panicked bool) {
	defer func() { panicked = recover() != nil }()
	return *pointer == 1
}

func main() {
	db, err := sql.Open("sqlite3", "file:shared?mode=memory&cache=shared")
	if err != nil {
		fail("open", err)
	}
	if _, err := db.Exec("CREATE TABLE t(a)"); err != nil {
		fail("create", err)
	}
	var all sync.WaitGroup
	for i := 0; i < 8; i++ {
		all.Add(1)
		go func() {
			defer all.Done()
			for j := 0; j < 20; j++ {
				hostile("SELECT planted_read(4000000000, 70000)")
				if !dereferences(nil) {
					fail("nil", nil)
				}
			}
		}()
	}
	all.Wait()
	hostile("SELECT planted_call(2000000000)")
	if _, err := db.Exec("INSERT INTO t VALUES(1)"); err != nil {
		fail("insert", err)
	}
	fmt.Println("traps are errors")
}
