# One line per step; the logic is in tooling/. `make help` lists the targets.

RELEASE := target/release
RUNNER := $(RELEASE)/sqlite-wasm-run
COMPONENT := target/wasm32-wasip2/release/cli.wasm
PORTABLE := $(RELEASE)/cli.wasm
PRECOMPILED := $(RELEASE)/cli.cwasm
DATABASE := target/wasm32-wasip2/release/database.wasm
DATABASE_CODE := $(RELEASE)/database.cwasm
PORTABLE_DATABASE := $(RELEASE)/database.wasm
EXCLUDE_HOST := $(addprefix --exclude sqlite-wasm-,access mcp run runtime compile serve library postgres tests) --exclude sqlite-wasm
BENCH_PAGE := target/bench-report.html
# With the peers' Python usearch is measured too, where `make bench-peers` has installed it.
PEERS_PYTHON := $(firstword $(wildcard target/bench-peers/python/bin/python) python3)
PLOTLY := target/bench-peers/node_modules/plotly.js-basic-dist-min/plotly-basic.min.js

# The paths above hold wherever the user's other builds go, and a fresh rustup
# works before the next login.
export CARGO_TARGET_DIR := $(CURDIR)/target
export PATH := $(PATH):$(or $(CARGO_HOME),$(HOME)/.cargo)/bin

.DELETE_ON_ERROR:
.NOTPARALLEL:
# All that `make help` lists, and what has no description.
.PHONY: $(shell sed -n 's/^\([a-z-]*\):.*\#\# .*/\1/p' Makefile) compile

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 18

run: build ## set up, build, then import and query real data
	tooling/demo $(RUNNER)

test: build native-reference guests c-extensions first-wall-broken ## set up, build, then run all tests
	tooling/host unit-tests
	tooling/host test
	tooling/host server
	tooling/library test
	tooling/test-programs cpython shell
	cargo test --release --workspace --exclude cli --exclude engine --exclude database --exclude bench-loop $(EXCLUDE_HOST)
	tooling/bench-smoke

test-clients: build ## existing clients against the server; they are installed from their registries
	tooling/test-clients

test-agents: build ## clients of MCP's SDKs, its conformance tests, and bypasses of another server; from their registries
	tooling/test-agents

test-differential: build ## 20,000 generated statements by PostgreSQL and by the server
	tooling/test-differential 20000

fuzz: build native-reference guests ## random input for longer; FUZZ_MS=60000 for each test
	ARBTEST_BUDGET_MS=$(or $(FUZZ_MS),60000) tooling/host test fuzz
	ARBTEST_BUDGET_MS=$(or $(FUZZ_MS),60000) tooling/host server any_

test-long: build guests ## the server under load for a minute, and 50 kills
	SERVE_LOAD_SECONDS=60 SERVE_KILLS=50 tooling/host server

build: compile $(PRECOMPILED) $(PORTABLE) $(DATABASE_CODE) $(PORTABLE_DATABASE) ## the runner, its CLI and the extensions, in target/release

docs: setup ## the book for users, in target/book
	tooling/docs

packages: dist ## packages of this commit, in dist/packages: .deb, tarball, wheel
	tooling/packages build

package-javascript: build ## the npm package sqlite-sandbox, in dist/packages, tried in an empty directory
	tooling/javascript package

test-javascript: build native-reference ## its tests: better-sqlite3's cases, locks, kills, extensions, hostile input
	tooling/javascript test

test-javascript-long: build native-reference ## the same, and better-sqlite3, built from source, against what is recorded of it
	tooling/javascript test-long

packages-aarch64: dist ## the same for aarch64, cross-compiled, in dist/packages-aarch64
	ARCH=aarch64 tooling/packages build

release-version: ## write the version into all files that have it, and commit them: VERSION=X.Y.Z
	tooling/release-version $(VERSION)

release: ## all checks, packages built twice, the tag: make release VERSION=X.Y.Z
	tooling/release $(VERSION)

test-aarch64: build native-reference ## cross-compile for aarch64, and test in an emulated machine
	tooling/test-machine aarch64

test-levels: build native-reference ## the programs in an emulated machine whose processor has fewer features
	tooling/test-machine x86_64

test-replication: build native-reference ## Litestream beside our shell and our server, with kills; Go builds it
	tooling/test-replication

test-packages: ## install the packages into empty environments, and use them
	tooling/packages test

test-packages-aarch64: ## the same for those of aarch64, in an emulated machine
	ARCH=aarch64 tooling/packages test

dist: build precompile-cli ## the files to hand out, in dist
	install -m 755 $(RUNNER) $(RELEASE)/sqlite-wasm-compile $(RELEASE)/sqlite-wasm-serve $(RELEASE)/sqlite-wasm-mcp dist
	install -m 644 $(COMPONENT) dist/cli.wasm
	install -m 644 $(DATABASE) $(DATABASE_CODE) dist
	install -D -m 644 -t dist/extensions $(RELEASE)/extensions/*.wasm $(RELEASE)/extensions/grants.toml
	tooling/library install

precompile-cli: compile ## dist/cli.cwasm: the CLI as native code of this machine
	mkdir -p dist
	$(RUNNER) precompile $(COMPONENT) -o dist/cli.cwasm

guests: setup ## the extensions that only the tests load
	tooling/build-guests

first-wall-broken: compile ## the program that only proves the second wall: it runs native code unchecked
	tooling/host broken

c-extensions: setup ## existing C extensions, which only the tests load
	tooling/c-sources/build

smoke: build ## only the scripts of cli-smokes
	tooling/host test shell smokes::

bench: dist native-reference guests c-extensions ## compare with native SQLite; SUITE=NAME,…|all PROFILE=smoke|small|full PEERS=1 RECORD=DIR
	tooling/setup valgrind
	tooling/bench-loop crate
	tooling/bench-loop component
	tooling/bench-loop vec0
	tooling/bench-loop ann
	tooling/bench.py --profile $(or $(PROFILE),full) $(if $(SUITE),--suites $(SUITE)) $(if $(PEERS),--peers) $(if $(RECORD),--record $(RECORD))

bench-smoke: build native-reference c-extensions ## the suites with a few hundred rows: answers and records, no times
	tooling/bench-smoke

bench-peers: ## other engines for `make bench PEERS=1`, and what draws the plots, into target/bench-peers
	tooling/bench-peers

bench-compare: ## two records: A=DIR B=DIR, FAIL=1: an error if something is slower
	tooling/bench.py compare $(A) $(B) $(if $(FAIL),--fail)

bench-report: ## a page of records: RECORD=DIR, which needs nothing else; and tables in Markdown
	tooling/bench.py report $(RECORD) --html $(BENCH_PAGE) $(if $(wildcard $(PLOTLY)),--plots $(PLOTLY))

bench-screenshot: ## pictures of the page of bench-report, by Chromium, which apt installs
	tooling/bench-screenshot $(BENCH_PAGE)

bench-readme: ## the README's chapter on speed and the tables of docs/benchmarks.md, from RECORD=DIR
	tooling/bench.py report $(RECORD) --readme README.md --tables docs/benchmarks.md

bench-vec: dist native-reference c-extensions ## vec0 compared with the native sqlite-vec, ann with usearch
	$(PEERS_PYTHON) tooling/bench.py --suites vec

bench-connection: build ## the crate sqlite-wasm compared with rusqlite
	tooling/bench-connection

bench-serve: build ## the server compared with PostgreSQL at a Unix socket; after make test-clients
	tooling/bench-serve

bench-c: build native-reference ## libsqlite3.so.0 compared with SQLite built natively: times, and instructions of a look-up
	tooling/setup valgrind
	tooling/library bench

test-programs: build native-reference ## unchanged programs on libsqlite3.so.0; apt installs those that are missing
	tooling/library build
	tooling/test-programs

test-python: build ## the Python package sqlite_sandbox, on each Python 3.10 to 3.13 here
	tooling/library build
	tooling/python test

test-python-long: build ## the same, CPython's own tests, SQLAlchemy, pandas, sqlite-utils and Datasette
	tooling/library build
	tooling/python test-long

bench-python: build ## sqlite_sandbox compared with CPython's own module
	tooling/library build
	tooling/python bench

native-reference: setup ## the same SQLite and shell, built natively
	tooling/native-reference

new-extension: ## NAME=x KIND=scalar|table|aggregate|c [DIR=…]: one to begin with
	@tooling/new-extension "$(NAME)" "$(KIND)" $(if $(DIR),"$(DIR)")

cargo-component: build ## prove that extensions also build by `cargo component`; takes minutes
	tooling/cargo-component

lint: setup ## formatting, clippy (warnings are errors), the rules of tooling/guards, refusals of a release
	tooling/guards --test
	tooling/bench.py --test
	tooling/test-release
	tooling/guards
	cargo fmt --all --check
	cargo fmt --check --manifest-path host/tests/rust-extensions/Cargo.toml
	cargo fmt --check --manifest-path tooling/bench/connection/Cargo.toml
	tooling/host clippy
	cargo clippy --release --workspace $(EXCLUDE_HOST) --target wasm32-wasip2 -- -D warnings

lint-workflows: ## actionlint on .github/workflows; Go builds it
	tooling/lint-workflows

clean: ## remove all that was built
	rm -rf target dist

setup: ## install what is missing: packages, toolchain
	tooling/setup

compile: setup
	cargo build --release -p cli --target wasm32-wasip2
	cargo build --release -p database --target wasm32-wasip2
	tooling/host build
	tooling/build-extensions

# Cargo decides whether these two are new; the empty recipe makes make look.
$(COMPONENT) $(DATABASE) $(RUNNER): compile ;

$(PRECOMPILED): $(COMPONENT) $(RUNNER)
	$(RUNNER) precompile $(COMPONENT) -o $@

$(DATABASE_CODE): $(DATABASE) $(RUNNER)
	$(RUNNER) precompile $(DATABASE) -o $@

# Compiled anew where the system gives too little address space for the other.
$(PORTABLE): $(COMPONENT)
	install -m 644 $(COMPONENT) $@

# Compiled anew for connections with a limit of time.
$(PORTABLE_DATABASE): $(DATABASE)
	install -m 644 $(DATABASE) $@
