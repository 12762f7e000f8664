// Plays a tape on ncruces/go-sqlite3 (SQLite as WebAssembly in wazero), as components/sqlite/bench-loop
// does: setup|check|time DATABASE < TAPE. The answer is a line of JSON.
package main

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"runtime/debug"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/ncruces/go-sqlite3"
	_ "github.com/ncruces/go-sqlite3/embed"
)

type statement struct {
	SQL         string `json:"sql"`
	Unordered   bool   `json:"unordered"`
	Neighbours  int    `json:"neighbours"`
	IDs         bool   `json:"ids"`
	Approximate bool   `json:"approximate"`
}

type header struct {
	Settings   []string    `json:"settings"`
	Schema     []string    `json:"schema"`
	Statements []statement `json:"statements"`
	Gate       []string    `json:"gate"`
	Block      int         `json:"block"`
	Warmup     int         `json:"warmup"`
	Close      bool        `json:"close"`
}

type step struct {
	place  int // -1: a text
	text   string
	values []any
	ends   bool
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "go-player:", err)
		os.Exit(1)
	}
}

func sized(in io.Reader) []byte {
	var size uint32
	must(binary.Read(in, binary.LittleEndian, &size))
	data := make([]byte, size)
	_, err := io.ReadFull(in, data)
	must(err)
	return data
}

func read(in *bufio.Reader) (*step, bool) {
	kind, err := in.ReadByte()
	if err == io.EOF {
		return nil, false
	}
	must(err)
	found := &step{place: -1, ends: kind&0x80 != 0}
	if kind&0x7f == 0 {
		var place uint16
		must(binary.Read(in, binary.LittleEndian, &place))
		found.place = int(place)
	} else {
		found.text = string(sized(in))
	}
	count, err := in.ReadByte()
	must(err)
	for ; count > 0; count-- {
		found.values = append(found.values, value(in))
	}
	return found, true
}

func value(in *bufio.Reader) any {
	kind, err := in.ReadByte()
	must(err)
	switch kind {
	case 0:
		return nil
	case 1:
		var number int64
		must(binary.Read(in, binary.LittleEndian, &number))
		return number
	case 2:
		var number float64
		must(binary.Read(in, binary.LittleEndian, &number))
		return number
	case 3:
		return string(sized(in))
	}
	return sized(in)
}

func bind(s *sqlite3.Stmt, values []any) {
	for place, each := range values {
		var err error
		switch each := each.(type) {
		case nil:
			err = s.BindNull(place + 1)
		case int64:
			err = s.BindInt64(place+1, each)
		case float64:
			err = s.BindFloat(place+1, each)
		case string:
			err = s.BindText(place+1, each)
		case []byte:
			err = s.BindBlob(place+1, each)
		}
		must(err)
	}
}

// column reads a value, and writes it down as all players do.
func column(s *sqlite3.Stmt, place int, write bool) string {
	switch s.ColumnType(place) {
	case sqlite3.INTEGER:
		if number := s.ColumnInt64(place); write {
			return "i" + strconv.FormatInt(number, 10)
		}
	case sqlite3.FLOAT:
		if number := s.ColumnFloat(place); write {
			return fmt.Sprintf("r%016x", math.Float64bits(number+0))
		}
	case sqlite3.TEXT:
		if text := s.ColumnRawText(place); write {
			return "t" + string(text)
		}
	case sqlite3.BLOB:
		if data := s.ColumnRawBlob(place); write {
			digest := sha256.Sum256(data)
			return "b" + hex.EncodeToString(digest[:])
		}
	default:
		return "n"
	}
	return ""
}

func run(s *sqlite3.Stmt, values []any, write bool) (rows []string, count int) {
	bind(s, values)
	columns := s.ColumnCount()
	for s.Step() {
		count++
		parts := make([]string, 0, 8)
		for place := 0; place < columns; place++ {
			part := column(s, place, write)
			if write {
				parts = append(parts, part)
			}
		}
		if write {
			rows = append(rows, strings.Join(parts, "|"))
		}
	}
	must(s.Err())
	must(s.Reset())
	return rows, count
}

type player struct {
	db         *sqlite3.Conn
	statements []*sqlite3.Stmt
}

func (p *player) prepare(sql string) *sqlite3.Stmt {
	s, _, err := p.db.Prepare(sql)
	must(err)
	return s
}

func (p *player) play(each *step, write bool) ([]string, int) {
	if each.place >= 0 {
		return run(p.statements[each.place], each.values, write)
	}
	s := p.prepare(each.text)
	defer s.Close()
	return run(s, each.values, write)
}

// shell runs statements, one a line, and prints rows as SQLite's shell does.
func shell(path string) {
	db, err := sqlite3.Open(path)
	must(err)
	out, lines := bufio.NewWriter(os.Stdout), bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		s, _, err := db.Prepare(lines.Text())
		must(err)
		if s == nil {
			continue
		}
		for s.Step() {
			for place := 0; place < s.ColumnCount(); place++ {
				if place > 0 {
					out.WriteByte('|')
				}
				out.WriteString(s.ColumnText(place))
			}
			out.WriteByte('\n')
		}
		must(s.Err())
		must(s.Close())
	}
	must(out.Flush())
	must(db.Close())
}

func main() {
	if os.Args[1] == "version" {
		version := "unknown"
		if info, ok := debug.ReadBuildInfo(); ok {
			for _, each := range info.Deps {
				if each.Path == "github.com/ncruces/go-sqlite3" {
					version = each.Version
				}
			}
		}
		db, err := sqlite3.Open(":memory:")
		must(err)
		s, _, err := db.Prepare("SELECT sqlite_version()")
		must(err)
		s.Step()
		fmt.Println(version, s.ColumnText(0))
		return
	}
	if os.Args[1] == "shell" {
		shell(os.Args[2])
		return
	}
	in := bufio.NewReaderSize(os.Stdin, 1<<16)
	line, err := in.ReadBytes('\n')
	must(err)
	var head header
	must(json.Unmarshal(line, &head))
	db, err := sqlite3.Open(os.Args[2])
	must(err)
	p := &player{db: db}
	for _, sql := range append(append([]string{}, head.Settings...), head.Schema...) {
		s := p.prepare(sql)
		run(s, nil, false)
		s.Close()
	}
	for _, each := range head.Statements {
		p.statements = append(p.statements, p.prepare(each.SQL))
	}
	answer := map[string]any{}
	switch os.Args[1] {
	case "setup":
		start := time.Now()
		for each, ok := read(in); ok; each, ok = read(in) {
			p.play(each, false)
		}
		answer["setup_ns"] = time.Since(start).Nanoseconds()
	case "check":
		answer = p.check(in, head)
	case "time":
		answer = p.time(in, head)
	}
	start := time.Now()
	for _, s := range p.statements {
		s.Close()
	}
	must(db.Close())
	if head.Close && os.Args[1] == "time" {
		answer["total_ns"] = answer["total_ns"].(int64) + time.Since(start).Nanoseconds()
	}
	must(json.NewEncoder(os.Stdout).Encode(answer))
}

// Rows that are shown, so that a difference can be looked at.
const shownRows = 5

func (p *player) check(in *bufio.Reader, head header) map[string]any {
	digest, rows, shown, ids, gate := sha256.New(), 0, []string{}, [][]int64{}, []string{}
	for each, ok := read(in); ok; each, ok = read(in) {
		found, count := p.play(each, true)
		rows += count
		about := statement{}
		if each.place >= 0 {
			about = head.Statements[each.place]
		}
		if about.IDs {
			own := []int64{}
			for _, row := range found {
				number, _ := strconv.ParseInt(strings.TrimPrefix(strings.Split(row, "|")[0], "i"), 10, 64)
				own = append(own, number)
			}
			ids = append(ids, own)
		}
		if about.Approximate {
			continue
		}
		if about.Unordered {
			sort.Strings(found)
		}
		for _, row := range found {
			if len(shown) < shownRows {
				shown = append(shown, row)
			}
			io.WriteString(digest, row+"\n")
		}
		io.WriteString(digest, ";\n")
	}
	for _, sql := range head.Gate {
		s := p.prepare(sql)
		found, _ := run(s, nil, true)
		gate = append(gate, found...)
		s.Close()
	}
	io.WriteString(digest, strings.Join(gate, "\n"))
	return map[string]any{"digest": hex.EncodeToString(digest.Sum(nil)), "rows": rows, "shown": shown, "ids": ids, "gate": gate[:min(len(gate), shownRows)]}
}

func (p *player) time(in *bufio.Reader, head header) map[string]any {
	operations, part := [][]*step{}, []*step{}
	for each, ok := read(in); ok; each, ok = read(in) {
		part = append(part, each)
		if each.ends {
			operations, part = append(operations, part), nil
		}
	}
	play := func(some [][]*step) (rows int) {
		for _, operation := range some {
			for _, each := range operation {
				_, count := p.play(each, false)
				rows += count
			}
		}
		return rows
	}
	play(operations[:min(head.Warmup, len(operations))])
	times, total, rows := []int64{}, int64(0), 0
	for at := 0; at < len(operations); at += head.Block {
		block := operations[at:min(at+head.Block, len(operations))]
		start := time.Now()
		rows += play(block)
		took := time.Since(start).Nanoseconds()
		total += took
		for range block {
			times = append(times, took/int64(len(block)))
		}
	}
	sort.Slice(times, func(a, b int) bool { return times[a] < times[b] })
	at := func(part float64) int64 { return times[min(int(part*float64(len(times))), len(times)-1)] }
	return map[string]any{"total_ns": total, "operations": len(operations), "rows": rows,
		"p50_ns": at(0.5), "p95_ns": at(0.95), "p99_ns": at(0.99), "p999_ns": at(0.999), "max_ns": at(1)}
}
