# shellcheck shell=bash disable=SC2034 # its variables are those of the scripts that source it
# Sourced by tests that compare the built server with PostgreSQL: starts both, with empty databases, and ends them.
# Ours has those that the script names in `databases`.
#
# PostgreSQL and Python are Debian's packages, which tooling/setup installs; psycopg comes from its registry.
# Sets `work`, `here`, `own` (a directory of this run, with PostgreSQL's socket), `server` (a process), `host` and `port`.
work=$PWD/target/clients
here=$PWD/host/serve/tests/clients
mkdir -p "$work"
own=$(mktemp -d)
server=""
as_postgres() {
    if [ "$(id -u)" = 0 ]; then runuser -u postgres -- "$@"; else "$@"; fi
}
finish() {
    [ -z "$server" ] || kill "$server" 2>/dev/null || true
    as_postgres "$postgres/pg_ctl" -D "$own/data" -m immediate stop >/dev/null 2>&1 || true
    rm -rf "$own"
}

PATH=$PATH$(printf ':%s' /usr/lib/postgresql/*/bin)
export PATH PYTHONDONTWRITEBYTECODE=1
needed=(psql:postgresql-client initdb:postgresql)
python3 -c 'import ensurepip' 2>/dev/null || needed+=(python3-venv)
tooling/setup "${needed[@]}"
postgres=$(printf '%s\n' /usr/lib/postgresql/*/bin | sort -V | tail -1)
trap finish EXIT
[ -x "$work/venv/bin/python" ] || python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check -r "$here/requirements.txt"

[ "$(id -u)" != 0 ] || chown postgres "$own"
as_postgres "$postgres/initdb" -D "$own/data" -A trust -U postgres -E UTF8 --locale=C --no-sync >/dev/null
as_postgres "$postgres/pg_ctl" -D "$own/data" -l "$own/log" -w start \
    -o "-c listen_addresses='' -c unix_socket_directories=$own -c fsync=off" >/dev/null
served=()
for database in "${databases[@]-generated}"; do
    served+=("$own/$database.db")
done
target/release/sqlite-wasm-run serve "${served[@]}" --http 127.0.0.1:0 --pg 127.0.0.1:0 \
    --statement-timeout 5s --idle-timeout 10m >"$own/address" &
server=$!
# The first start compiles the extension of the catalogue.
for _ in $(seq 600); do
    grep -qs "^libSQL" "$own/address" && break
    sleep 0.1
done
# psql -h HOST -p PORT DATABASE
read -r _ _ host _ port _ <"$own/address"
