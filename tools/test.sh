#!/bin/bash
# Builds every flavour and runs every test. Progress is one line a step, the output of what failed is
# shown, the rest is in $RECOURSE_BUILD/logs. The last line is the tally: "N passed, N failed".
set -uo pipefail

cd "$(dirname "$0")/.." || exit
jobs=${JOBS:-$(nproc)}
root=${RECOURSE_BUILD:-build}
mkdir -p "$root"

# A second run in the same tree builds in a place of its own.
trap 'kill $(jobs -p) 2>/dev/null' EXIT
exec 8>"$root/test.lock"
if ! flock -n 8; then
    root=$(mktemp -d)
    trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$root"' EXIT
    echo "another test run is busy in this tree; building in $root"
fi
root=$(cd "$root" && pwd)
export RECOURSE_BUILD=$root
export RECOURSE_LOGS=$root/logs
export RECOURSE_TALLY=$root/logs/tally
rm -rf "$RECOURSE_LOGS"
mkdir -p "$RECOURSE_LOGS"
: >"$RECOURSE_TALLY"

sum() { # COLUMN FILE
    awk -v column="$1" '{ n += $column } END { print n + 0 }' "$2"
}

# step NAME COMMAND...: one check, counted once.
step() {
    local name=$1 start=$SECONDS output
    shift
    if output=$(tools/tally.sh "$name" "$@"); then
        echo "$name: ok ($((SECONDS - start)) s)"
        return
    fi
    echo "$output"
    echo "$name: FAILED ($((SECONDS - start)) s)"
    return 1
}

# suite PRESET LABELS [BUILD-ARGUMENT...]: builds a flavour, runs its tests with these labels.
suite() {
    local preset=$1 labels=$2 start=$SECONDS status tally=$root/logs/tally-$1
    shift 2
    step "build-$preset" tools/build.sh "$preset" "$@" || return
    mkdir -p "$root/logs/$preset"
    : >"$tally"
    RECOURSE_TALLY=$tally RECOURSE_LOGS=$root/logs/$preset \
        ctest --test-dir "$root/$preset" -L "^($labels)\$" -j "$jobs" \
        --no-tests=error --output-on-failure >"$root/logs/ctest-$preset.log" 2>&1
    status=$?
    # Should ctest fail for a reason of its own, that counts too.
    if [ "$status" -ne 0 ] && [ "$(sum 2 "$tally")" -eq 0 ]; then
        echo "0 1 0 ctest" >>"$tally"
    fi
    sed "s|[^ ]*$|$preset/&|" "$tally" >>"$RECOURSE_TALLY"
    [ "$status" -eq 0 ] || grep -vE '^ *(Start +[0-9]|[0-9]+/[0-9]+ .* Passed )' "$root/logs/ctest-$preset.log"
    echo "$preset: $(sum 1 "$tally") passed, $(sum 2 "$tally") failed ($((SECONDS - start)) s)"
}

# The linters take one core beside the builds and tests, whose longest part is one long test.
for check in format shell cppcheck analyzer tidy; do
    JOBS=1 step "lint-$check" tools/lint.sh "$check"
done >"$root/logs/lint.out" 2>&1 &

suite release 'unit|fault|conformance|fuzz|e2e|wire|sdk|dashboard|house' -DRECOURSE_TESTS=ON # gcc, as it ships
suite asan 'unit|fault|conformance|fuzz|e2e|wire|sdk|harness'                     # clang
suite tsan 'threads' --target threads_tests
wait
cat "$root/logs/lint.out"

passed=$(sum 1 "$RECOURSE_TALLY")
failed=$(sum 2 "$RECOURSE_TALLY")
skipped=$(sum 3 "$RECOURSE_TALLY")
awk '$2 > 0 { print "failed: " $4 }' "$RECOURSE_TALLY"
[ "$skipped" -eq 0 ] || echo "skipped: $skipped"
echo "took $SECONDS s"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
