module bench-player

go 1.24.0

require github.com/ncruces/go-sqlite3 v0.30.4

require (
	github.com/ncruces/julianday v1.0.0 // indirect
	github.com/tetratelabs/wazero v1.11.0 // indirect
	golang.org/x/sys v0.39.0 // indirect
)
