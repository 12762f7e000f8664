# shellcheck shell=bash
# Commands that run beside others, as the two cores of a machine allow. Sourced by the scripts that do so: the script ends
# what it has started, also when it fails.
declare -A beside_pids=()
beside_logs=$(mktemp -d)
trap 'end_beside' EXIT
trap 'exit 130' INT TERM

end_beside() {
    local pid
    for pid in "${beside_pids[@]}"; do kill -- "-$pid" 2>/dev/null || true; done
    rm -rf "$beside_logs"
}

# beside NAME COMMAND...: starts it; what it prints comes when it has ended.
beside() {
    # In a group of processes of its own, to be ended with all that it has started.
    set -m
    "${@:2}" >"$beside_logs/$1" 2>&1 </dev/null &
    set +m
    beside_pids[$1]=$!
}

# ended NAME: waits for it, shows what it has printed, and fails as it did.
ended() {
    local code=0
    wait "${beside_pids[$1]}" || code=$?
    unset "beside_pids[$1]"
    cat "$beside_logs/$1" >&2
    return "$code"
}
