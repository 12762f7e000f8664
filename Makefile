# One line per step; the logic is in tooling/. `make help` lists the targets.
RELEASE := target/release
RUNNER := $(RELEASE)/sqlite-wasm-run
COMPILER := $(RELEASE)/sqlite-wasm-compile
COMPONENTS := target/wasm32-wasip2/release
# With its component: code is made anew for a limit of time, or where there is little address space.
SHELL_FILES := $(RELEASE)/cli.cwasm $(RELEASE)/cli.wasm
DATABASE_FILES := $(RELEASE)/database.cwasm $(RELEASE)/database.wasm
# With Python of the peers, if it is there: usearch is measured too.
BENCH := $(firstword $(wildcard target/bench-peers/python/bin/python) python3) tooling/bench/run
PLOTLY := $(wildcard target/bench-peers/node_modules/plotly.js-basic-dist-min/plotly-basic.min.js)
# Wherever the user's other builds go; and a fresh rustup works before the next login.
export CARGO_TARGET_DIR := $(CURDIR)/target
export PATH := $(PATH):$(or $(CARGO_HOME),$(HOME)/.cargo)/bin
.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: $(shell sed -n 's/^\([a-z0-9-]*\):.*\#\# .*/\1/p' Makefile) shell rest
help: ## list the targets
	@sed -n 's/^\([a-z0-9-]*\):.*## /\1\t/p' Makefile | expand -t 24
run: $(SHELL_FILES) ## set up, build the shell and the runner, then import and query real data
	tooling/test/demo/run $(RUNNER)
build: rest $(SHELL_FILES) $(DATABASE_FILES) ## all programs, components, extensions, in target/release; LLVM=no: none of LLVM's code, minutes less
setup: ## install what is missing: packages, toolchain
	tooling/setup
clean: ## remove all that was built
	rm -rf target dist
test: build native-reference guests c-extensions first-wall-broken ## build everything, then run all tests
	tooling/test/all
smoke: build ## only the scripts of cli-smokes
	tooling/host test shell smokes::
fuzz: build native-reference guests ## random input for longer: FUZZ_MS=60000 for each test; COVERAGE=1: parsers by libFuzzer
	FUZZ_MS=$(FUZZ_MS) tooling/test/fuzz $(COVERAGE:%=parsers)
test-long: build guests ## the server under load for a minute, and 50 kills
	SERVE_LOAD_SECONDS=60 SERVE_KILLS=50 tooling/host server
test-clients: build native-reference ## existing clients against the server, from their registries; LONG=1: also their own test suites
	tooling/test/clients $(LONG:%=long)
test-agents: build ## clients of MCP's SDKs, its conformance tests, bypasses of another server; from their registries
	tooling/test/agents
test-differential: build ## 20,000 generated statements by PostgreSQL and by the server
	tooling/test/differential 20000
test-programs: build native-reference ## unchanged programs on libsqlite3.so.0; apt installs those that are missing
	tooling/library build
	tooling/test/programs
test-python: build ## sqlite_sandbox on each Python 3.10 to 3.13 here; LONG=1: CPython's tests, SQLAlchemy, pandas, Datasette
	tooling/library build
	tooling/python test$(LONG:%=-long)
test-javascript: build native-reference guests ## the npm package in Node and Chromium; LONG=1: also better-sqlite3, built from source, and 100 kills
	tooling/javascript test$(LONG:%=-long)
playground: build ## the page and the shell on files of the browser: static files in target/browser/site
	tooling/browser site
test-native: setup ## LLVM's code of WebAssembly's own tests, beside Cranelift's
	tooling/host native-tests
test-replication: build native-reference ## Litestream beside our shell and our server, with kills; Go builds it
	tooling/test/replication/run
test-aarch64: build native-reference ## cross-compile for aarch64, and test in an emulated machine
	tooling/test/machine/run aarch64
test-levels: build native-reference ## the programs in an emulated machine whose processor has fewer features
	tooling/test/machine/run x86_64
lint: native-reference ## formatting, clippy, ruff, mypy, shellcheck; the rules of tooling/test/guards, refusals of a release
	tooling/test/lint/all
lint-workflows: ## actionlint on .github/workflows; Go builds it
	tooling/test/lint-workflows
docs: setup ## the book for users, in target/book
	tooling/build/docs
native-reference: setup ## the same SQLite and shell, built natively
	tooling/build/native-reference
guests: setup ## the extensions that only the tests load
	tooling/test/guests
c-extensions: setup ## existing C extensions, which only the tests load
	tooling/test/c-sources/build
first-wall-broken: shell ## the program that only proves the second wall: it runs native code unchecked
	tooling/host broken
catalogue: build c-extensions ## all extensions with a page in docs/catalogue, checked: a source, in target/catalogue
	tooling/catalogue
new-extension: ## NAME=x KIND=scalar|table|aggregate|c [DIR=…]: one to begin with
	@tooling/build/new-extension "$(NAME)" "$(KIND)" $(if $(DIR),"$(DIR)")
cargo-component: build ## prove that extensions also build by `cargo component`; takes minutes
	tooling/test/cargo-component
dist: build ## the files to hand out, in dist
	tooling/release/dist
packages: dist ## packages of this commit, in dist/packages: .deb, tarball, wheel
	tooling/release/packages build
packages-aarch64: dist ## the same for aarch64, cross-compiled, in dist/packages-aarch64
	ARCH=aarch64 tooling/release/packages build
package-javascript: build ## the npm package sqlite-sandbox, in dist/packages, tried in an empty directory
	tooling/javascript package
test-packages: ## install the packages into empty environments, and use them
	tooling/release/packages test
test-packages-aarch64: ## the same for those of aarch64, in an emulated machine
	ARCH=aarch64 tooling/release/packages test
release-version: ## write the version into all files that have it, and commit them: VERSION=X.Y.Z
	tooling/release/version $(VERSION)
release: ## all checks, packages built twice, the tag: make release VERSION=X.Y.Z
	tooling/release/run $(VERSION)
bench: dist native-reference guests c-extensions ## compare with native SQLite; SUITE=NAME,…|all PROFILE=small PEERS=1 RECORD=DIR
	tooling/bench/build all
	$(if $(filter all,$(SUITE))$(findstring javascript,$(SUITE)),tooling/javascript build)
	$(BENCH) --profile $(or $(PROFILE),full) $(if $(SUITE),--suites $(SUITE)) $(if $(PEERS),--peers) $(if $(RECORD),--record $(RECORD))
bench-peers: ## other engines for `make bench PEERS=1`, and what draws the plots, into target/bench-peers
	tooling/bench/install-peers
bench-report: ## target/bench-report.html of records, RECORD=DIR, and tables in Markdown
	$(BENCH) report $(RECORD) --html target/bench-report.html $(PLOTLY:%=--plots %)
# Cargo decides whether these are new; the empty recipes make `make` look.
shell: setup
	tooling/host shell
rest: shell
	tooling/build/rest
$(COMPONENTS)/cli.wasm $(RUNNER) $(COMPILER): shell ;
$(COMPONENTS)/database.wasm: rest ;
$(RELEASE)/%.cwasm: $(COMPONENTS)/%.wasm $(RUNNER) $(COMPILER)
	$(RUNNER) precompile $< -o $@
$(RELEASE)/%.wasm: $(COMPONENTS)/%.wasm
	install -m 644 $< $@
