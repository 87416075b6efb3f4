#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2154 # an inner shell expands the variables; bats sets stderr
#
# recourse exec: real commands that succeed, fail, hang, fork, read, and are interrupted. Waits are short
# because the failures name short waits.

bats_require_minimum_version 1.5.0
load wait

setup() {
    unset NO_COLOR COLUMNS LC_ALL LC_CTYPE
    export LANG=C.UTF-8 TERM=xterm TZ=UTC0
    cd "$BATS_TEST_TMPDIR" || return
    # flaky N: fails N times with a temporary failure, then succeeds. Each run adds a line to `runs`.
    cat >flaky <<'END'
#!/bin/sh
echo run >>runs
if [ "$(wc -l <runs)" -gt "$1" ]; then
    echo worked
    exit 0
fi
echo "HTTP 429: too many requests, retry after 0.01s" >&2
exit 7
END
    chmod +x flaky
}

teardown() {
    if [ -e pids ]; then
        while read -r pid; do kill -9 "$pid" 2>/dev/null || true; done <pids
    fi
}

exec_() { "$RECOURSE" exec "$@"; }

runs() { wc -l <runs; }

# is_gone PID: the process does not exist, not even as a zombie.
is_gone() { ! kill -0 "$1" 2>/dev/null; }

# ---- output and environment ----

@test "a successful command: its output, its status, no message" {
    run -0 --separate-stderr exec_ -- sh -c 'echo out; echo err >&2'
    [ "$output" = out ]
    [ "$stderr" = err ]
}

@test "the command needs no --, and options after it belong to the command" {
    run -0 exec_ echo --tries -h -- x
    [ "$output" = "--tries -h -- x" ]
    run -127 exec_ --quiet -- --help
    [ -z "$output" ]
}

@test "a hundred arguments and an empty one arrive unchanged" {
    run -0 exec_ -- sh -c 'echo "$#"; printf "[%s]" "$1" "$2"' sh '' 'a  b' $(seq 100)
    [ "${lines[0]}" = 102 ]
    [ "${lines[1]}" = '[][a  b]' ]
}

@test "bytes of every kind pass through both outputs" {
    head -c 300000 /dev/urandom >bytes
    exec_ -- sh -c 'cat bytes; cat bytes >&2' >out 2>err
    cmp out bytes
    cmp err bytes
}

@test "the environment and the folder are the caller's" {
    FRUIT=plum run -0 exec_ -- sh -c 'echo $FRUIT; pwd'
    [ "${lines[0]}" = plum ]
    [ "${lines[1]}" = "$PWD" ]
}

# ---- failures ----

@test "a temporary failure is retried until it succeeds" {
    run -0 --separate-stderr exec_ -- ./flaky 2
    echo "$stderr"
    [ "$output" = worked ]
    [ "$(runs)" -eq 3 ]
    [[ $stderr == *"recourse exec: RateLimited: retrying (1/5) in 10ms"* ]]
    [[ $stderr == *"retrying (2/5) in 10ms"* ]]
}

@test "exhausted attempts: the status is the command's, and a panel is printed" {
    run -7 --separate-stderr exec_ --tries 3 -- ./flaky 99
    echo "$stderr"
    [ "$(runs)" -eq 3 ]
    [[ $stderr == *"RateLimited"*"The attempts are used up"* ]]
    [[ $stderr == *"exit status 7 in attempt 3"* ]]
}

@test "a permanent failure is run once" {
    run -22 --separate-stderr exec_ -- sh -c 'echo run >>runs; echo "HTTP 401: invalid api key" >&2; exit 22'
    echo "$stderr"
    [ "$(runs)" -eq 1 ]
    [[ $stderr == *AuthFailed* ]]
    [[ $stderr != *retrying* ]]
}

@test "a failure without evidence is run once" {
    run -1 --separate-stderr exec_ -- sh -c 'echo run >>runs; exit 1'
    echo "$stderr"
    [ "$(runs)" -eq 1 ]
    [[ $stderr == *ExecutionFailed* ]]
}

@test "exit status 75 is retried" {
    cat >short.yaml <<'END'
policies:
  short: {max_attempts: 3, backoff: fixed, base_ms: 5, jitter: none}
END
    run -75 --separate-stderr exec_ --config short.yaml --policy short -- sh -c 'echo run >>runs; exit 75'
    echo "$stderr"
    [ "$(runs)" -eq 3 ]
    [[ $stderr == *ResourceBusy* ]]
}

@test "only the end of standard error counts" {
    run -7 --separate-stderr exec_ --tries 2 -- sh -c '
        echo "HTTP 401: invalid api key" >&2
        head -c 40000 /dev/zero | tr "\0" "." >&2
        echo >&2
        exec ./flaky 99'
    [ "$(runs)" -eq 2 ]
    [[ $stderr == *RateLimited* ]]
}

@test "unknown command: 127; not executable: 126; neither is retried" {
    run -127 --separate-stderr exec_ -- no-such-command
    echo "$stderr"
    [[ $stderr == *'No such file or directory: cannot run "no-such-command"'* ]]
    echo data >file
    run -126 --separate-stderr exec_ -- ./file
    echo "$stderr"
    [[ $stderr == *'Permission denied: cannot run "./file"'* ]]
    mkdir folder
    run -126 exec_ -- ./folder
}

@test "a command killed by a signal: 128 plus its number" {
    run -137 --separate-stderr exec_ -- sh -c 'echo run >>runs; kill -9 $$'
    [ "$(runs)" -eq 1 ]
    [[ $stderr == *"terminated by signal 9"* ]]
    run -143 exec_ -- sh -c 'kill -TERM $$'
    run -134 exec_ -- sh -c 'kill -ABRT $$'
}

@test "--policy none runs the command once" {
    run -7 exec_ --policy none -- ./flaky 9
    [ "$(runs)" -eq 1 ]
}

@test "--quiet prints no message" {
    run -7 --separate-stderr exec_ --quiet --tries 2 -- ./flaky 9
    [ "$(runs)" -eq 2 ]
    [ "$(grep -vc 'HTTP 429' <<<"$stderr")" -eq 0 ]
}

# ---- usage errors ----

@test "usage errors are named, and nothing is run" {
    for args in "" "--" "--budget soon -- true" "--budget 0s -- true" "--tries 0 -- true" \
        "--policy transprot -- true" "--evnets x -- true"; do
        # shellcheck disable=SC2086 # words
        run -64 --separate-stderr exec_ $args
        echo "$stderr"
        [ -z "$output" ]
        [[ $stderr == *"recourse exec --help"* ]]
    done
    run -64 exec_ --policy transprot -- true
    [[ $output == *"did you mean transport?"* ]]
}

@test "an events file that cannot be written: nothing is run" {
    run -74 --separate-stderr exec_ --events /no/such/folder/file -- sh -c 'echo run >>runs'
    [ ! -e runs ]
    [[ $stderr == *"cannot write to /no/such/folder/file"* ]]
}

@test "the manual has every option that the help has" {
    manual=${RECOURSE_SOURCE:-$BATS_TEST_DIRNAME/../..}/man/recourse-exec.1
    exec_ --help | grep -oE -- '^  --[a-z-]+' >options
    [ "$(wc -l <options)" -ge 9 ]
    while read -r option; do
        echo "$option"
        grep -qF -- "${option//-/\\-}" "$manual"
    done <options
}

# ---- time ----

@test "--budget ends a command that runs too long" {
    run -143 --separate-stderr exec_ --budget 100ms -- sh -c 'echo $$ >pids; exec sleep 600'
    echo "$stderr"
    [[ $stderr == *DeadlineExceeded* ]]
    is_gone "$(cat pids)"
}

@test "--budget: a command that exits with 0 after it was ended has failed" {
    run -124 exec_ --budget 100ms -- sh -c 'trap "exit 0" TERM; sleep 600 & wait'
}

@test "--budget: no wait that would end after it" {
    run -7 --separate-stderr exec_ --budget 60s -- sh -c 'echo run >>runs; echo "HTTP 429, retry after 100s" >&2; exit 7'
    echo "$stderr"
    [ "$(runs)" -eq 1 ]
    [[ $stderr == *RateLimited* ]]
}

# ---- signals ----

@test "SIGTERM reaches the command, and there is no retry" {
    "$RECOURSE" exec -- sh -c 'trap "echo HTTP 429 retry after 0.01s >&2; echo run >>runs; exit 9" TERM; echo $$ >pids; while :; do sleep 0.01; done' 2>err &
    ours=$!
    wait_for test -s pids
    kill -TERM $ours
    status=0
    wait $ours || status=$?
    cat err
    [ $status -eq 9 ]
    [ "$(runs)" -eq 1 ]
    grep -q ToolCancelled err
}

@test "a second signal kills a command that ignores the first" {
    "$RECOURSE" exec -- sh -c 'trap "" TERM INT; echo $$ >pids; while :; do sleep 0.01; done' 2>err &
    ours=$!
    wait_for test -s pids
    kill -TERM $ours
    # The first signal has been passed on when recourse has nothing left to read. The same signal within
    # a second would count as a duplicate.
    wait_for sh -c "! grep -q '^SigPnd:.*[1-9a-f]' /proc/$ours/status && ! grep -q '^ShdPnd:.*[1-9a-f]' /proc/$ours/status"
    kill -HUP $ours
    status=0
    wait $ours || status=$?
    [ $status -eq 137 ]
    is_gone "$(cat pids)"
}

@test "SIGTERM is handled while standard error is blocked" {
    mkfifo words
    "$RECOURSE" exec -- sh -c 'echo $$ >pids; exec yes >&2' 2>words &
    ours=$!
    exec 7<words
    wait_for test -s pids
    # The pipe is full when yes sleeps.
    wait_for grep -q '(yes) S' "/proc/$(cat pids)/stat"
    kill -TERM $ours
    wait_for is_gone "$(cat pids)"
    exec 7<&-
    status=0
    wait $ours || status=$?
    [ $status -eq 143 ]
}

@test "an ignored SIGHUP stays ignored" {
    (
        trap '' HUP
        exec "$RECOURSE" exec -- sh -c 'echo $$ >pids; until [ -e go ]; do sleep 0.01; done; echo done'
    ) >out &
    ours=$!
    wait_for test -s pids
    kill -HUP $ours
    touch go
    wait $ours
    [ "$(cat out)" = "done" ]
}

@test "SIGTERM during a wait ends it at once: 143" {
    "$RECOURSE" exec -- sh -c 'echo "HTTP 429, retry after 100s" >&2; exit 7' 2>err &
    ours=$!
    wait_for grep -q retrying err
    kill -TERM $ours
    status=0
    wait $ours || status=$?
    cat err
    [ $status -eq 143 ]
    grep -q RetryCancelled err
}

# ---- remaining processes ----

@test "background processes of a command end with the attempt" {
    run -7 exec_ --tries 3 -- sh -c 'sleep 600 & echo $! >>pids; exec ./flaky 99'
    [ "$(runs)" -eq 3 ]
    [ "$(wc -l <pids)" -eq 3 ]
    while read -r pid; do is_gone "$pid"; done <pids
}

@test "background processes that ignore SIGTERM are killed" {
    run -0 exec_ -- sh -c '(trap "" TERM; echo ready >ready; exec sleep 600) & echo $! >>pids; until [ -e ready ]; do sleep 0.01; done'
    is_gone "$(cat pids)"
}

@test "a process with its own session stays alive" {
    run -0 exec_ -- sh -c 'setsid sh -c "echo \$\$ >pids; exec sleep 600" >/dev/null 2>&1 3>&- & until [ -s pids ]; do sleep 0.01; done'
    kill -0 "$(cat pids)"
}

@test "a background process that holds the pipe does not block us" {
    run -0 exec_ -- sh -c 'setsid sh -c "echo \$\$ >pids; exec sleep 600" >/dev/null 3>&- & until [ -s pids ]; do sleep 0.01; done; echo out'
    [ "$output" = out ]
}

# ---- standard input ----

@test "a file is read again from its starting position" {
    printf 'first\nsecond\nthird\n' >in
    { read -r _; exec_ --tries 3 -- sh -c 'cat >>got; exec ./flaky 2'; } <in >out
    [ "$(cat got)" = "$(printf 'second\nthird\nsecond\nthird\nsecond\nthird')" ]
}

@test "a pipe is replayed completely" {
    head -c 200000 /dev/urandom >bytes
    head -c 999999999 bytes | exec_ -- sh -c 'cat >>got; exec ./flaky 2' >out
    cat bytes bytes bytes | cmp - got
}

@test "a pipe larger than the memory limit is replayed completely" {
    head -c 20000000 /dev/urandom >bytes
    head -c 999999999 bytes | exec_ -- sh -c 'cat >got; exec ./flaky 1' >out
    cmp bytes got
    [ "$(runs)" -eq 2 ]
}

@test "a pipe that cannot be stored: reported before the wait, no retry" {
    run -7 --separate-stderr sh -c 'head -c 20000000 /dev/zero | TMPDIR=/no/such/folder "$RECOURSE" exec -- sh -c "cat >/dev/null; exec ./flaky 9"'
    echo "$stderr"
    [ "$(runs)" -eq 1 ]
    [[ $stderr == *"standard input cannot be sent again, the input is long, and no temporary file could be created"* ]]
    [[ $stderr == *RateLimited* ]]
}

@test "a command that reads a part of a pipe gets the same part again" {
    yes | head -n 100000 | exec_ -- sh -c 'head -n 2 >>got; exec ./flaky 1' >out
    [ "$(wc -l <got)" -eq 4 ]
}

@test "a slow writer's input is passed on at once" {
    mkfifo pipe
    exec_ -- sh -c 'read -r line; echo "$line" >got; cat >/dev/null' <pipe &
    ours=$!
    exec 7>pipe
    echo one >&7
    wait_for grep -q one got
    exec 7>&-
    wait $ours
}

@test "an empty input" {
    run -0 exec_ -- cat </dev/null
    run -0 sh -c ': | "$RECOURSE" exec -- cat'
    [ -z "$output" ]
}

# ---- closed descriptors ----

@test "closed standard descriptors" {
    exec_ -- sh -c 'echo out' >out <&-
    [ "$(cat out)" = out ]
    exec_ -- sh -c 'echo fine >got; echo err >&2' 2>&-
    [ "$(cat got)" = fine ]
    status=0
    exec_ -- sh -c 'echo x' >&- 2>err || status=$?
    [ $status -ne 0 ]
    exec_ -- sh -c 'echo all >got' <&- >&- 2>&-
    [ "$(cat got)" = all ]
    exec_ --tries 2 -- ./flaky 1 <&- >out 2>&-
    [ "$(cat out)" = worked ]
}

@test "a closed standard error pipe does not stop the command" {
    sh -c '"$RECOURSE" exec -- sh -c "sleep 0.1; head -c 300000 /dev/zero >&2; echo fine >got" 2>&1 >/dev/null | true'
    wait_for test -s got
}

# ---- events ----

@test "events: pairs, one correlation id, rising sequence numbers, the report at the end" {
    run -7 exec_ --tries 3 --events events.jsonl -- ./flaky 99
    cat events.jsonl
    [ "$(wc -l <events.jsonl)" -eq 5 ]
    [ "$(grep -c '"type":"auto_retry_start"' events.jsonl)" -eq 2 ]
    [ "$(grep -c '"type":"auto_retry_end"' events.jsonl)" -eq 2 ]
    [ "$(grep -o '"seq":[0-9]*' events.jsonl | tr -d '\n')" = '"seq":1"seq":2"seq":3"seq":4"seq":5' ]
    [ "$(grep -o '"correlation_id":"[^"]*"' events.jsonl | sort -u | wc -l)" -eq 1 ]
    [[ $(tail -n 1 events.jsonl) == *'"type":"run:failed"'*'"error_code":"RateLimited"'*'"retry_exhausted":true'* ]]
    [[ $(sed -n 1p events.jsonl) == *'"attempt":2,"max_attempts":3,"delay_ms":10,'* ]]
    run -0 exec_ --events events.jsonl -- true
    [ "$(wc -l <events.jsonl)" -eq 6 ]
    [[ $(tail -n 1 events.jsonl) == *'"type":"run:completed"'* ]]
}

@test "--json-events: JSON lines between the command's output, and no messages" {
    run -0 --separate-stderr exec_ --json-events -- ./flaky 1
    echo "$stderr"
    [ "$output" = worked ]
    [ "${#stderr_lines[@]}" -eq 4 ]
    [[ ${stderr_lines[0]} == HTTP* ]]
    [[ ${stderr_lines[1]} == '{"type":"auto_retry_start"'* ]]
    [[ ${stderr_lines[2]} == '{"type":"auto_retry_end"'*'"success":true'* ]]
    [[ ${stderr_lines[3]} == '{"type":"run:completed"'* ]]
}

@test "no key appears in a report or an event" {
    key=sk-ant-api03-$(printf 'A%.0s' $(seq 90))
    run -1 --separate-stderr exec_ --events events.jsonl -- sh -c "echo 'HTTP 401 invalid x-api-key: $key' >/dev/null; echo 'HTTP 401 bad key $key' >&2; exit 1"
    [ "$(grep -c "$key" <<<"$stderr")" -eq 1 ] # the command's own output, which is not changed
    run -1 grep -q "$key" events.jsonl
}

# ---- a terminal ----

# on_terminal COMMAND: runs it in the background on a terminal of its own; the screen is in `screen`, and
# input for it is written to descriptor 8. Ctrl-C is enabled, which a shell ignores for background jobs.
on_terminal() {
    mkfifo keys
    env --default-signal=INT,QUIT script -qefc "stty cols ${columns:-80}; $1" screen <keys >/dev/null &
    terminal=$!
    exec 8>keys
}

@test "Esc ends a wait: the status is the command's" {
    export RECOURSE
    on_terminal '"$RECOURSE" exec -- sh -c "echo HTTP 429 retry after 100s >&2; exit 7"'
    wait_for grep -q 'Retrying (1/5) in 1m 40s… (esc to cancel)' screen
    printf '\033' >&8
    status=0
    wait $terminal || status=$?
    exec 8>&-
    cat -v screen
    [ $status -eq 7 ]
    grep -q RetryCancelled screen
}

@test "an arrow key is not Esc; Ctrl-C ends a wait with 130" {
    export RECOURSE
    on_terminal '"$RECOURSE" exec -- sh -c "echo HTTP 429 retry after 100s >&2; exit 7"'
    wait_for grep -q 'esc to cancel' screen
    printf '\033[A\033OPx' >&8
    wait_for grep -qE 'in 1m [0-3]?[0-9]s' screen
    printf '\003' >&8
    status=0
    wait $terminal || status=$?
    exec 8>&-
    cat -v screen
    [ $status -eq 130 ]
    grep -q RetryCancelled screen
}

@test "the terminal is restored after a wait that was cancelled and after one that was not" {
    export RECOURSE
    on_terminal 'stty -a >before; "$RECOURSE" exec -- ./flaky 2; stty -a >between; "$RECOURSE" exec -- sh -c "echo HTTP 429 retry after 100s >&2; exit 7"; stty -a >after'
    wait_for grep -q 'in 1m 40s' screen
    printf '\033' >&8
    wait $terminal
    exec 8>&-
    cmp before between
    cmp before after
}

@test "Ctrl-C while the command runs goes to the command and ends it" {
    export RECOURSE
    on_terminal '"$RECOURSE" exec -- sh -c "echo started; exec sleep 600"'
    wait_for grep -q started screen
    printf '\003' >&8
    status=0
    wait $terminal || status=$?
    exec 8>&-
    [ $status -eq 130 ]
}

@test "a command reads the terminal" {
    export RECOURSE
    on_terminal '"$RECOURSE" exec -- sh -c "read -r line; echo got \$line >got"'
    printf 'words\n' >&8
    wait $terminal
    exec 8>&-
    [ "$(cat got)" = "got words" ]
}

@test "TERM=dumb: one line without control characters" {
    export RECOURSE
    TERM=dumb on_terminal '"$RECOURSE" exec -- ./flaky 1'
    wait $terminal
    exec 8>&-
    cat -v screen
    grep -q 'recourse exec: RateLimited: retrying (1/5) in 10ms' screen
    run -1 grep -q $'\033' screen
}

@test "Ctrl-S does not block signals" {
    export RECOURSE
    on_terminal 'echo $$ >shell; exec "$RECOURSE" exec -- sh -c "echo \$\$ >pids; yes HTTP 429 >&2"'
    wait_for test -s pids
    wait_for grep -q 'HTTP 429' screen
    printf '\023' >&8
    kill -TERM "$(cat shell)"
    wait_for is_gone "$(cat shell)"
    exec 8>&-
    wait $terminal || true
}

@test "the terminal is restored after a killed command" {
    export RECOURSE
    on_terminal 'stty -a >before; "$RECOURSE" exec -- sh -c "stty raw -echo; kill -9 \$\$"; stty -a >after; "$RECOURSE" exec -- sh -c "stty -echo"; stty -a >chosen'
    wait $terminal || true
    exec 8>&-
    cmp before after
    grep -q -- '-echo ' chosen
}

@test "a pipeline's reader keeps the terminal" {
    export RECOURSE
    on_terminal '"$RECOURSE" exec -- sh -c "echo from the command; until [ -e go ]; do sleep 0.01; done" | sh -c "read -r line; read -r key </dev/tty; echo \$line, \$key >got; touch go"'
    printf 'key\n' >&8
    wait $terminal
    exec 8>&-
    [ "$(cat got)" = "from the command, key" ]
}

@test "a command in a pipeline gets the terminal when it needs it" {
    export RECOURSE
    on_terminal '"$RECOURSE" exec -- sh -c "read -r line </dev/tty; echo got \$line" | cat >got'
    printf 'words\n' >&8
    wait $terminal
    exec 8>&-
    [ "$(cat got)" = "got words" ]
}

@test "Ctrl-C ends a loop around exec" {
    export RECOURSE
    for command in 'sh -c "echo ready; exec sleep 600"' \
        'sh -c "echo HTTP 429 retry after 100s >&2; exit 7"' \
        'sh -c "trap \"exit 130\" INT; echo ready; sleep 600"'; do
        rm -f keys rounds screen
        printf 'for i in 1 2 3; do echo round >>rounds; "$RECOURSE" exec -- %s; done\n' "$command" >loop
        on_terminal 'bash loop'
        wait_for grep -qE 'ready|esc to cancel' screen
        printf '\003' >&8
        wait $terminal || true
        exec 8>&-
        [ "$(wc -l <rounds)" -eq 1 ]
    done
}

@test "Ctrl-Z in a wait: the shell gets its terminal, and fg continues" {
    export RECOURSE
    on_terminal 'exec bash --norc --noprofile -i'
    printf '"$RECOURSE" exec -- sh -c "echo HTTP 429 retry after 100s >&2; exit 7"\n' >&8
    wait_for grep -q 'esc to cancel' screen
    printf '\032' >&8
    wait_for grep -q Stopped screen
    printf 'bg; (stty -a; echo all) >modes\n' >&8
    wait_for grep -q all modes
    printf 'echo mid""dle; fg\n' >&8
    wait_for sh -c 'sed "1,/middle/d" screen | grep -q "esc to cancel"'
    printf '\033' >&8
    wait_for grep -q RetryCancelled screen
    printf '(stty -a; echo all) >modes; exit 0\n' >&8
    wait $terminal
    exec 8>&-
    grep -q ' icanon' modes
    grep -q ' echo ' modes
}

@test "keys typed before a wait do not end it" {
    export RECOURSE
    on_terminal '"$RECOURSE" exec -- sh -c "echo ready; until [ -e typed ]; do sleep 0.01; done; exec ./flaky 1"'
    wait_for grep -q ready screen
    printf '\033' >&8
    wait_for grep -q '\^\[' screen
    touch typed
    wait $terminal
    exec 8>&-
    grep -q worked screen
}

@test "a command that cannot get the terminal is ended with a message" {
    export RECOURSE
    on_terminal 'exec bash --norc --noprofile -i'
    printf '("$RECOURSE" exec -- sh -c "until [ -e go ]; do sleep 0.01; done; exec cat /dev/tty" 2>err &)\n' >&8
    printf 'touch go\n' >&8
    wait_for grep -q 'is in use' err
    printf 'exit 0\n' >&8
    wait $terminal
    exec 8>&-
}

# ---- nested exec ----

@test "retries exhausted by an inner layer are not repeated" {
    run -7 --separate-stderr exec_ --tries 3 -- "$RECOURSE" exec --tries 2 -- ./flaky 99
    echo "$stderr"
    [ "$(runs)" -eq 2 ]
    rm runs
    run -7 --separate-stderr exec_ --tries 3 -- env -u RECOURSE_REPORT_FD "$RECOURSE" exec --json-events --tries 2 -- ./flaky 99
    echo "$stderr"
    [ "$(runs)" -eq 2 ]
}

@test "a program's report on RECOURSE_REPORT_FD is used" {
    cat >knows <<'END'
#!/bin/sh
echo run >>runs
echo "HTTP 429: too many requests" >&2
echo '{"error_class":"ProviderTerminal","error_code":"AuthFailed"}' >/dev/fd/$RECOURSE_REPORT_FD
exit 4
END
    chmod +x knows
    run -4 --separate-stderr exec_ -- ./knows
    echo "$stderr"
    [ "$(runs)" -eq 1 ]
    [[ $stderr == *AuthFailed* ]]
}

@test "a descriptor that is not a pipe is not written to" {
    echo kept >file
    for number in 7 2 1 0 -1 x 99999999999 ''; do
        RECOURSE_REPORT_FD=$number exec_ --quiet -- sh -c 'exit 1' 7>>file >out 2>err || true
        [ ! -s err ]
    done
    [ "$(cat file)" = kept ]
}

# ---- exit statuses and signals ----

@test "an exit status above 128 is not a signal" {
    run -200 --separate-stderr exec_ --width 200 -- sh -c 'exit 200'
    [[ $stderr == *'"sh" failed with exit status 200.'* ]]
}

@test "a closed output pipe is not reported" {
    run --separate-stderr bash -c '"$RECOURSE" exec -- yes | head -n 1; echo ${PIPESTATUS[0]}'
    [ "${lines[1]}" = 141 ]
    [ -z "$stderr" ]
}

@test "our messages begin on a new line and name no HTTP status that was not received" {
    run -3 --separate-stderr exec_ -- sh -c 'printf "half a line" >&2; exit 3'
    [ "${stderr_lines[0]}" = "half a line" ]
    [[ $stderr != *"Answer"* ]]
    run -3 --separate-stderr exec_ --json-events -- sh -c 'printf "half a line" >&2; exit 3'
    [ "${stderr_lines[0]}" = "half a line" ]
    [[ ${stderr_lines[1]} == '{"type":"run:failed"'* ]]
}

@test "a script without an interpreter line is run by the shell" {
    mkdir bin
    printf 'echo "$1" "$2"\nexit 5\n' >bin/script
    chmod +x bin/script
    run -5 exec_ --quiet -- bin/script 'a  b' c
    [ "$output" = 'a  b c' ]
    PATH=/no/such/folder:$PWD/bin:$PATH run -5 exec_ --quiet -- script c d
    [ "$output" = 'c d' ]
}

@test "an unusual terminating signal ends the command too" {
    for signal in ALRM XCPU VTALRM PROF IO PWR; do
        rm -f pids
        "$RECOURSE" exec --quiet -- sh -c 'echo $$ >pids; exec sleep 600' &
        ours=$!
        wait_for test -s pids
        kill -$signal $ours
        status=0
        wait $ours || status=$?
        echo "$signal: $status"
        [ $status -gt 128 ]
        is_gone "$(cat pids)"
    done
}

@test "a real-time signal is passed to the command" {
    "$RECOURSE" exec -- bash -c 'trap "exit 9" RTMIN+3; echo $$ >pids; while :; do sleep 0.01; done' 2>err &
    ours=$!
    wait_for test -s pids
    kill -RTMIN+3 $ours
    status=0
    wait $ours || status=$?
    [ $status -eq 9 ]
}

@test "a shell sees exec die of SIGINT when the command did" {
    status=0
    env --default-signal=INT bash -c '"$RECOURSE" exec -- sh -c "kill -INT \$\$" 2>err; kill -l $? >out' || status=$?
    [ "$status/$(cat out)" = 0/INT ]
    run -130 exec_ --quiet -- sh -c 'exit 130'
}

@test "processes with their own group end with the attempt, nested or not" {
    run -0 exec_ -- sh -c 'timeout 600 sh -c "echo \$\$ >>pids; exec sleep 600" & until [ -s pids ]; do sleep 0.01; done'
    is_gone "$(cat pids)"
    rm pids
    "$RECOURSE" exec --quiet -- "$RECOURSE" exec --quiet -- sh -c 'echo $PPID >inner; echo $$ >pids; exec sleep 600' &
    ours=$!
    wait_for test -s pids
    kill -9 "$(cat inner)"
    status=0
    wait $ours || status=$?
    [ $status -eq 137 ]
    is_gone "$(cat pids)"
}

@test "an events pipe without a reader: reported, and nothing is run" {
    mkfifo pipe
    run -74 --separate-stderr exec_ --events pipe -- sh -c 'echo run >>runs'
    [ ! -e runs ]
    [[ $stderr == *"cannot write to pipe: the pipe has no reader"* ]]
}

@test "SIGTERM is handled while the events are not read" {
    mkfifo pipe
    exec 7<>pipe
    head -c 65536 /dev/zero >&7 # fills the pipe
    "$RECOURSE" exec --quiet --events pipe -- sh -c 'echo "HTTP 429 retry after 0.01s" >&2; echo run >>runs; [ "$(wc -l <runs)" -lt 3 ] || exec sleep 600; exit 7' &
    ours=$!
    wait_for sh -c '[ "$(wc -l <runs)" -eq 3 ]'
    kill -TERM $ours
    status=0
    wait $ours || status=$?
    exec 7<&-
    [ $status -eq 143 ]
}
