#!/bin/bash
# test.sh [PART...]: builds every flavour and runs every test; the parts are release, asan and lint.
# Progress is one line a step, the output of what failed is shown, the rest is in
# $RECOURSE_BUILD/logs. The last line is the tally: "N passed, N failed".
set -uo pipefail

cd "$(dirname "$0")/.." || exit
[ $# -gt 0 ] || set -- release asan lint
for part; do
    case $part in
    release | asan | lint) ;;
    *)
        echo "test: no such part: $part (there are: release asan lint)" >&2
        exit 64
        ;;
    esac
done
parts=" $* "
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
# The interpreter itself, instead of what a version manager puts before it: tests start it often, and
# that takes five times as long.
if python=$(python3 -c 'import os, sys; print(os.path.dirname(os.path.realpath(sys.executable)))'); then
    PATH=$python:$PATH
fi
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

# suite PRESET [BUILD-ARGUMENT...] [-- CTEST-ARGUMENT...]: builds a flavour and runs its tests. Many
# of them wait for something most of the time: there are five at once for two cores.
suite() {
    local preset=$1 start=$SECONDS status tally=$root/logs/tally-$1 build=()
    shift
    while [ $# -gt 0 ] && [ "$1" != -- ]; do
        build+=("$1")
        shift
    done
    shift
    step "build-$preset" tools/build.sh "$preset" "${build[@]}" || return
    mkdir -p "$root/logs/$preset"
    : >"$tally"
    RECOURSE_TALLY=$tally RECOURSE_LOGS=$root/logs/$preset \
        ctest --test-dir "$root/$preset" "$@" -j $(((5 * jobs + 1) / 2)) \
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

lint() {
    local check
    for check in format shell cppcheck tidy; do
        step "lint-$check" tools/lint.sh "$check"
    done
    suite tsan --target threads_tests -- -L '^threads$' # gcc
}

# The linters take what the builds and tests leave: there is always something that waits for nothing.
if [[ $parts == *" lint "* ]]; then
    (renice -n 10 -p "$BASHPID" >/dev/null && lint) &
fi
if [[ $parts == *" release "* ]]; then # gcc, as it ships
    suite release -DRECOURSE_TESTS=ON -DRECOURSE_JOIN_TESTS=ON --
fi
if [[ $parts == *" asan "* ]]; then # clang
    suite asan -DRECOURSE_JOIN_TESTS=ON --
fi
wait

passed=$(sum 1 "$RECOURSE_TALLY")
failed=$(sum 2 "$RECOURSE_TALLY")
skipped=$(sum 3 "$RECOURSE_TALLY")
awk '$2 > 0 { print "failed: " $4 }' "$RECOURSE_TALLY"
[ "$skipped" -eq 0 ] || echo "skipped: $skipped"
echo "took $SECONDS s"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
