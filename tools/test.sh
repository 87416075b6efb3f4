#!/bin/bash
# test.sh [PART...]: builds every flavour and runs every test; the parts are release, asan and lint.
# The script prints one line for each step, and the output of each failed step; the output of all
# steps is in $RECOURSE_BUILD/logs. A failed test runs once more, alone, after all other tests have
# ended: if the test passes then, it counts as passed and is listed as flaky. More than three flaky tests fail the run.
# The last line is the tally: "N passed, N failed".
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

# If another run uses the build folder, this run builds in a temporary folder.
trap 'kill $(jobs -p) 2>/dev/null' EXIT
exec 8>"$root/test.lock"
if ! flock -n 8; then
    root=$(mktemp -d)
    trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$root"' EXIT
    echo "another test run is busy in this tree; building in $root"
fi
root=$(cd "$root" && pwd)
# The tests use the interpreter itself and not the wrapper of a version manager, because they start
# the interpreter often, and the wrapper takes five times as long.
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

# step NAME COMMAND...: one check, counted once. A build or a linter takes as long as the machine needs.
step() {
    local name=$1 start=$SECONDS output
    shift
    if output=$(RECOURSE_TEST_SECONDS=0 tools/tally.sh "$name" "$@"); then
        echo "$name: ok ($((SECONDS - start)) s)"
        return
    fi
    echo "$output"
    echo "$name: FAILED ($((SECONDS - start)) s)"
    return 1
}

# count_killed TALLY <NAMES: counts each failed test that ended before tally.sh had counted it.
count_killed() {
    local name
    while read -r name; do
        awk -v name="$name" '$2 > 0 && $5 == name { found = 1 } END { exit !found }' "$1" ||
            echo "0 1 0 0 $name 0" >>"$1"
    done
}

# suite PRESET [BUILD-ARGUMENT...] [-- CTEST-ARGUMENT...]: builds a flavour and runs its tests. Many
# tests mostly wait, so five tests run at once on two cores.
suite() {
    local preset=$1 start=$SECONDS status tally=$root/logs/tally-$1 build=()
    local failures=$root/$1/Testing/Temporary/LastTestsFailed.log
    shift
    while [ $# -gt 0 ] && [ "$1" != -- ]; do
        build+=("$1")
        shift
    done
    shift
    step "build-$preset" tools/build.sh "$preset" "${build[@]}" || return
    mkdir -p "$root/logs/$preset"
    : >"$tally"
    rm -f "$failures"
    RECOURSE_TALLY=$tally RECOURSE_LOGS=$root/logs/$preset \
        ctest --test-dir "$root/$preset" "$@" -j $(((5 * jobs + 1) / 2)) \
        --no-tests=error --output-on-failure >"$root/logs/ctest-$preset.log" 2>&1
    status=$?
    if [ -s "$failures" ]; then
        sed 's/^[0-9]*://' "$failures" >"$root/logs/failed-$preset"
        count_killed "$tally" <"$root/logs/failed-$preset"
    elif [ "$status" -ne 0 ] && [ "$(sum 2 "$tally")" -eq 0 ]; then
        echo "0 1 0 0 ctest 0" >>"$tally" # ctest itself failed
    fi
    awk -v preset="$preset" '{ $5 = preset "/" $5; print }' "$tally" >>"$RECOURSE_TALLY"
    [ "$status" -eq 0 ] || grep -vE '^ *(Start +[0-9]|[0-9]+/[0-9]+ .* Passed )' "$root/logs/ctest-$preset.log"
    echo "$preset: $(sum 1 "$tally") passed, $(sum 2 "$tally") failed ($((SECONDS - start)) s)"
}

# again PRESET: runs the failed tests of a suite once more, one at a time. The result of the second run
# replaces that of the first in the tally.
again() {
    local preset=$1 name verdict start tally=$root/logs/tally-again
    mkdir -p "$root/logs/$preset-again"
    while read -r name; do
        start=$SECONDS
        verdict=flaky
        : >"$tally"
        RECOURSE_TALLY=$tally RECOURSE_LOGS=$root/logs/$preset-again \
            ctest --test-dir "$root/$preset" -R "^$name\$" --no-tests=error --output-on-failure \
            >>"$root/logs/ctest-$preset-again.log" 2>&1 </dev/null || verdict=failed
        if [ $verdict = flaky ]; then
            echo "$preset/$name" >>"$root/logs/flaky"
        else
            count_killed "$tally" <<<"$name"
        fi
        awk -v name="$preset/$name" '$5 != name' "$RECOURSE_TALLY" >"$RECOURSE_TALLY.new"
        awk -v preset="$preset" '{ $5 = preset "/" $5; print }' "$tally" >>"$RECOURSE_TALLY.new"
        mv "$RECOURSE_TALLY.new" "$RECOURSE_TALLY"
        echo "$preset/$name: $verdict when run alone ($((SECONDS - start)) s)"
    done <"$root/logs/failed-$preset"
}

lint() {
    local check
    for check in format shell tidy; do
        step "lint-$check" tools/lint.sh "$check"
    done
    suite tsan --target threads_tests -- -L '^threads$' # gcc
}

# The linters run with low priority beside the builds and tests, so that the processor is always
# used.
if [[ $parts == *" lint "* ]]; then
    (renice -n 10 -p "$BASHPID" >/dev/null && lint) &
fi
if [[ $parts == *" release "* ]]; then # gcc, as it ships
    suite release -DRECOURSE_TESTS=ON -DRECOURSE_JOIN_TESTS=ON -DRECOURSE_SLOW_TESTS=OFF --
fi
if [[ $parts == *" asan "* ]]; then # clang
    suite asan -DRECOURSE_JOIN_TESTS=ON -DRECOURSE_SLOW_TESTS=OFF --
fi
wait

# Maximum number of failed tests that run a second time. With more failures, the cause is hardly
# chance, and the second runs would take long.
failures=$(cat "$root"/logs/failed-* 2>/dev/null | wc -l)
if [ "$failures" -gt 20 ]; then
    echo "$failures tests failed: too many to run each once more"
else
    for list in "$root"/logs/failed-*; do
        [ ! -e "$list" ] || again "${list##*/failed-}"
    done
fi
: >>"$root/logs/flaky"
if [ "$(wc -l <"$root/logs/flaky")" -gt 3 ]; then
    echo "0 1 0 0 more-than-three-flaky-tests 0" >>"$RECOURSE_TALLY"
fi

echo "the longest parts, with the processor time that they used:"
sort -k 4,4nr -k 5,5 "$RECOURSE_TALLY" | head -n 10 | awk '{ printf "%6d s %6d s CPU  %s\n", $4, $6, $5 }'
passed=$(sum 1 "$RECOURSE_TALLY")
failed=$(sum 2 "$RECOURSE_TALLY")
skipped=$(sum 3 "$RECOURSE_TALLY")
awk '$2 > 0 { print "failed: " $5 }' "$RECOURSE_TALLY"
sed 's/^/flaky: /' "$root/logs/flaky"
[ "$skipped" -eq 0 ] || echo "skipped: $skipped"
echo "took $SECONDS s"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
