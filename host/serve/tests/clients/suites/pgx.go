// Only imports the driver, so that Go can run its tests.
package main

import _ "github.com/jackc/pgx/v5"

func main() {}
