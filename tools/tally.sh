#!/bin/sh
# tally.sh NAME COMMAND...: runs a test program and counts its passed, failed and skipped tests.
#
# A program that prints TAP counts once for each test; any other program counts once, by its exit
# status. A program has also failed if its exit status is an error although no test failed, if it
# runs fewer tests than announced, or if it takes longer than $RECOURSE_TEST_SECONDS (default 600;
# 0: no limit). The count is appended to $RECOURSE_TALLY (when set) as "PASSED FAILED SKIPPED
# SECONDS NAME CPU", with the processor seconds that the program and its children used; the output
# goes to $RECOURSE_LOGS/NAME.log (when set).
set -u

name=$1
shift
log=${RECOURSE_LOGS:+$RECOURSE_LOGS/$(echo "$name" | tr / _).log}
if [ -z "$log" ]; then
    log=$(mktemp)
    trap 'rm -f "$log"' EXIT
fi

start=$(date +%s)
CMOCKA_MESSAGE_OUTPUT=TAP timeout -k 5 "${RECOURSE_TEST_SECONDS:-600}" "$@" >"$log" 2>&1
status=$?
seconds=$(($(date +%s) - start))
times >"$log.times" # a pipe would be a subshell, which has other children
cpu=$(awk -F '[ms ]+' 'NR == 2 { printf "%d", $1 * 60 + $2 + $3 * 60 + $4 + 0.5 }' "$log.times")
rm -f "$log.times"

# cmocka writes a skipped test as "not ok 3 # SKIP", bats as "ok 3 name # skip".
counts=$(awk -v status="$status" '
/^1\.\.[0-9]+/       { planned += substr($1, 4); is_tap = 1 }
/^(not )?ok.* # [sS][kK][iI][pP]/ { skipped++; next }
/^ok /               { passed++ }
/^not ok/            { failed++ }
END {
    if (!is_tap) { passed = status == 0; failed = status != 0 }
    else if (!failed && (status != 0 || planned == 0)) failed = 1
    else if (status == 0 && passed + failed + skipped < planned)
        failed += planned - passed - failed - skipped
    print passed + 0, failed + 0, skipped + 0
}' "$log")
[ -z "${RECOURSE_TALLY:-}" ] || echo "$counts $seconds $name $cpu" >>"$RECOURSE_TALLY"

case $counts in
*" 0 "*) exit 0 ;;
esac
tail=${RECOURSE_TAIL:-60}
# Prints the failed tests that are not in the printed end of the output.
awk -v end="$(($(wc -l <"$log") - tail))" '
NR > end   { exit }
/^not ok/  { is_shown = 1 }
/^ok /     { is_shown = 0 }
is_shown' "$log" | head -n 200
tail -n "$tail" "$log"
echo "$name: exit status $status, passed failed skipped: $counts"
exit 1
