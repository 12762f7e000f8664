// pgx against the server: the DSN is the argument.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	ctx := context.Background()
	db, err := pgx.Connect(ctx, os.Args[1])
	must(err)
	defer db.Close(ctx)
	_, err = db.Exec(ctx, "DROP TABLE IF EXISTS g")
	must(err)
	_, err = db.Exec(ctx, "CREATE TABLE g (id serial PRIMARY KEY, a bigint, b text, c boolean, d double precision)")
	must(err)
	batch := &pgx.Batch{}
	for i := 0; i < 10; i++ {
		batch.Queue("INSERT INTO g(a, b, c, d) VALUES ($1, $2, $3, $4)", i, fmt.Sprint("x", i), i%2 == 0, float64(i)/2)
	}
	must(db.SendBatch(ctx, batch).Close())
	copied, err := db.CopyFrom(ctx, pgx.Identifier{"g"}, []string{"a", "b"},
		pgx.CopyFromRows([][]any{{int64(10), "y"}, {int64(11), nil}}))
	must(err)
	if copied != 2 {
		panic(copied)
	}
	var sum int64
	for i := 0; i < 3; i++ {
		must(db.QueryRow(ctx, "SELECT sum(a)::bigint FROM g WHERE a >= $1", i).Scan(&sum))
	}
	if sum != 65 {
		panic(sum)
	}
	_, err = db.Exec(ctx, "INSERT INTO g(id) VALUES ($1)", 1)
	var known *pgconn.PgError
	if !errors.As(err, &known) || known.Code != "23505" {
		panic(err)
	}
	tx, err := db.Begin(ctx)
	must(err)
	_, err = tx.Exec(ctx, "DELETE FROM g")
	must(err)
	must(tx.Rollback(ctx))
	var count int
	must(db.QueryRow(ctx, "SELECT count(*) FROM g").Scan(&count))
	if count != 12 {
		panic(count)
	}
	fmt.Println("pgx passes")
}
