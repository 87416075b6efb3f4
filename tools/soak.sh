#!/bin/bash
# Runs the random unit tests in full, builds a copy of the tree elsewhere, runs the tests of the command
# line and the SDKs under the sanitizers, runs cppcheck and two path analyzers, fuzzes every target for
# SOAK_SECONDS (60) from a copy of its corpus, then proves with the planted bugs of fuzz_negative that the
# fuzzer and the sanitizers find bugs.
set -uo pipefail

cd "$(dirname "$0")/.." || exit
root=${RECOURSE_BUILD:-build}
jobs=${JOBS:-$(nproc)}
export SOAK_SECONDS=${SOAK_SECONDS:-60}
export ASAN_OPTIONS=detect_leaks=1:detect_stack_use_after_return=1
export UBSAN_OPTIONS=print_stacktrace=1

tools/build.sh fuzz || exit 1
programs=$(cd "$root/fuzz/tests" && pwd) || exit 1
work=$root/soak # findings and logs are stored here
rm -rf "$work"
mkdir -p "$work"
work=$(cd "$work" && pwd)
corpora=$(pwd)/tests/fuzz/corpus
export programs work corpora

soak() { # TARGET
    local noun=${1#fuzz_} corpus status dictionary=()
    corpus=$(mktemp -d)
    cp -r "$corpora/$noun/." "$corpus" 2>/dev/null || { echo "$1: FAILED, no corpus"; return; }
    if [ -f "$corpora/../$noun.dict" ]; then
        dictionary=("-dict=$corpora/../$noun.dict")
    fi
    "$programs/$1" -max_total_time="$SOAK_SECONDS" -timeout=10 -rss_limit_mb=2048 \
        -print_final_stats=1 -artifact_prefix="$work/$1-" "${dictionary[@]}" "$corpus" \
        >"$work/$1.log" 2>&1
    status=$?
    rm -rf "$corpus"
    if [ $status -eq 0 ]; then
        echo "$1: ok, $(sed -n 's/^stat::number_of_executed_units: *//p' "$work/$1.log") runs"
    else
        tail -n 60 "$work/$1.log"
        echo "$1: FAILED, the input is in $work"
    fi
}
export -f soak

# must_find NAME PATTERN LIBFUZZER-OPTION...: the fuzzer, with an empty corpus, must find the planted bug.
must_find() {
    local name=$1 pattern=$2 log=$work/negative-$1.log
    shift 2
    if "$programs/fuzz_negative" -runs=5000000 -seed=1 -artifact_prefix="$work/expected-" "$@" \
        >"$log" 2>&1 || ! grep -q "$pattern" "$log"; then
        echo "negative $name: FAILED, the planted bug was not found"
    else
        echo "negative $name: ok, found"
    fi
}

# The unit tests whose random part is long (tests/support/often.h), in full.
soak_units() {
    local log=$work/units.log tests=()
    mapfile -t tests < <(grep -rl --include='test_*.c' 'support/often\.h' tests/unit |
        sed 's,.*/test_\(.*\)\.c,\1,')
    if tools/build.sh release --target joined_unit -DRECOURSE_TESTS=ON -DRECOURSE_JOIN_TESTS=ON \
        -DRECOURSE_SLOW_TESTS=ON >"$log" 2>&1 &&
        RECOURSE_TEST_SECONDS=0 ctest --test-dir "$root/release" -j "$jobs" --no-tests=error \
            --output-on-failure -R "^unit/($(IFS='|'; echo "${tests[*]}"))\$" >>"$log" 2>&1; then
        echo "units: ok, ${#tests[@]} tests"
    else
        tail -n 60 "$log"
        echo "units: FAILED"
    fi
}

# The shipped files must be identical wherever they are built.
soak_copy() {
    local log=$work/copy.log place
    if tools/build.sh release >"$log" 2>&1 && place=$(cd "$root/release" && pwd) &&
        RECOURSE_BINARY=$place RECOURSE_SOURCE=$(pwd) bats tests/soak/copy.bats >>"$log" 2>&1; then
        echo "copy: ok"
    else
        tail -n 60 "$log"
        echo "copy: FAILED"
    fi
}

# The command line and the SDKs under the sanitizers.
soak_commands() {
    local log=$work/commands.log
    if tools/build.sh asan -DRECOURSE_JOIN_TESTS=ON -DRECOURSE_SLOW_TESTS=ON >"$log" 2>&1 &&
        ctest --test-dir "$root/asan" -L '^(e2e|sdk)$' -j "$jobs" --no-tests=error --output-on-failure \
            >>"$log" 2>&1; then
        echo "commands: ok"
    else
        tail -n 60 "$log"
        echo "commands: FAILED"
    fi
}

soak_checks() {
    local check log
    for check in cppcheck analyzer paths; do
        log=$work/$check.log
        if tools/lint.sh "$check" >"$log" 2>&1; then
            echo "$check: ok"
        else
            tail -n 60 "$log"
            echo "$check: FAILED"
        fi
    done
}

{
    soak_units
    soak_copy
    soak_commands
    soak_checks
    (cd "$programs" && ls -d fuzz_*) | grep -vxE 'fuzz_negative|.*\..*' |
        xargs -P "$jobs" -I TARGET bash -c 'soak TARGET'
    must_find overflow 'heap-buffer-overflow' -detect_leaks=0
    must_find leak 'detected memory leaks' -max_len=3
} | tee "$work/results"

passed=$(grep -c ': ok' "$work/results")
failed=$(grep -c ': FAILED' "$work/results")
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 2 ]
