#!/usr/bin/env bats
# shellcheck disable=SC2030,SC2031,SC2317 # every test is a shell of its own; wait_for calls
#
# Hanging name lookups: the system's resolver does not return during these tests. Neither shutdown nor
# other lookups may wait for it.

bats_require_minimum_version 1.5.0
load wait

setup_file() {
    cd "$BATS_FILE_TMPDIR" || return
    cat >names.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <netdb.h>
#include <string.h>
#include <unistd.h>

/* Of hang-...: never; each leaves a file of its name. */
int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints,
                struct addrinfo **ret)
{
    int (*real)(const char *, const char *, const struct addrinfo *, struct addrinfo **);
    *(void **)&real = dlsym(RTLD_NEXT, "getaddrinfo");
    if (node != NULL && strncmp(node, "hang-", 5) == 0) {
        close(open(node, O_CREAT | O_WRONLY, 0600));
        for (;;)
            pause();
    }
    return real(node, service, hints, ret);
}
C
    cc -shared -fPIC -o names.so names.c -ldl
}

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    unset RECOURSE_TOKEN
    export XDG_CONFIG_HOME=$BATS_TEST_TMPDIR/none KEY=key-0f0f0f0f
    export ASAN_OPTIONS=verify_asan_link_order=0:${ASAN_OPTIONS-}
    pids=()
}

teardown() {
    for pid in "${pids[@]}"; do
        kill -KILL "$pid" 2>/dev/null || true
    done
}

wait_failed() { cat err ./*.talk 2>/dev/null; }

start() { # NAME COMMAND...
    local name=$1
    shift
    LD_PRELOAD=$BATS_FILE_TMPDIR/names.so "$RECOURSE" "$@" --port-file "$name.port" 2>"$name.talk" 3>&- &
    pids+=($!)
    wait_for test -s "$name.port"
    port=$(cat "$name.port")
}

config() { # [MORE]
    cat >recourse.yaml <<YAML
listen: 127.0.0.1:0
admin: {listen: "off"}
store: sqlite:audit.db
$1
providers:
  hang: {kind: openai, base_url: "http://hang-up.test:$port/v1", keys: [env:KEY], insecure: true}
  hang2: {kind: openai, base_url: "http://hang-2.test:$port/v1", keys: [env:KEY], insecure: true}
  hang3: {kind: openai, base_url: "http://hang-3.test:$port/v1", keys: [env:KEY], insecure: true}
  hang4: {kind: openai, base_url: "http://hang-4.test:$port/v1", keys: [env:KEY], insecure: true}
  well: {kind: openai, base_url: "http://localhost:$port/v1", keys: [env:KEY]}
YAML
}

# shellcheck disable=SC2317 # wait_for calls it
is_gone() { ! kill -0 "$ours" 2>/dev/null; }

# Runs a command in the background with all signals enabled; its name lookup hangs.
begin() { # ARGUMENT...
    rm -f hang-up.test
    LD_PRELOAD=$BATS_FILE_TMPDIR/names.so env --default-signal=INT "$RECOURSE" "$@" >out 2>err 3>&- &
    ours=$!
    pids+=("$ours")
    wait_for test -e hang-up.test
}

# ends STATUS PID: the process ends by itself, before the test is over.
ends() {
    local result=0
    is_gone() { ! kill -0 "$1"; }
    wait_for is_gone "$2"
    wait "$2" || result=$?
    [ "$result" -eq "$1" ]
}

draining() { grep -q 'no new requests' gate.talk; }

@test "call: a signal ends it during a hanging lookup" {
    port=1
    config ''
    for how in '--model hang/m' '--via http://hang-up.test:1 --insecure --model m'; do
        for signal in INT:130 TERM:143; do
            # shellcheck disable=SC2086 # words
            begin call $how hello
            kill -"${signal%:*}" "$ours"
            ends "${signal#*:}" "$ours"
            cat err
            grep -q '^recourse call: Cancelled: ' err
        done
    done
    # The request in progress is recorded.
    "$RECOURSE" audit list --store sqlite:audit.db --format json >kept
    grep -q '"hang' kept
}

@test "call: without a message it dies of the signal itself, for the shell around it" {
    port=1
    config ''
    rm -f hang-up.test
    LD_PRELOAD=$BATS_FILE_TMPDIR/names.so run -0 python3 - "$RECOURSE" <<'PY'
import os, signal, subprocess, sys, time
signal.signal(signal.SIGINT, signal.SIG_DFL)
call = subprocess.Popen([sys.argv[1], 'call', '--quiet', '--model', 'hang/m', 'hello'])
for _ in range(1500):
    if os.path.exists('hang-up.test'):
        break
    time.sleep(0.02)
call.send_signal(signal.SIGINT)
try:
    print(call.wait(30))
finally:
    call.kill()
PY
    [ "$output" = -2 ]
}

@test "call: a deadline ends it during a hanging lookup" {
    port=1
    config ''
    for how in '--model hang/m' '--via http://hang-up.test:1 --insecure --model m'; do
        # shellcheck disable=SC2086 # words
        begin call --agent --deadline 300ms $how hello
        ends 124 "$ours"
        grep -q '"error_code":"DeadlineExceeded"' out
    done
}

@test "doctor: its time limit ends it during a hanging lookup" {
    port=1
    config ''
    begin doctor --config recourse.yaml --timeout 1
    wait_for is_gone
}

@test "serve: the first signal ends it after the drain timeout, the second one at once" {
    port=1
    config 'limits: {drain_ms: 200}'
    for signals in 1 2; do
        [ $signals = 1 ] || config 'limits: {drain_ms: 600000}'
        rm -f hang-up.test gate.port
        start gate serve --config recourse.yaml --log human
        gate=${pids[-1]}
        curl -sS -m 60 "http://127.0.0.1:$port/v1/chat/completions" -d '{"model":"hang/m","messages":[]}' >answer 2>&1 &
        client=$!
        wait_for test -e hang-up.test
        kill -TERM "$gate"
        wait_for draining
        [ $signals = 1 ] || kill -TERM "$gate"
        ends 0 "$gate"
        wait "$client" || true
    done
}

@test "serve: a provider with a known name does not wait for hanging lookups" {
    LD_PRELOAD='' start mock mock --listen 127.0.0.1:0 --quiet
    config 'threads: 2'
    start gate serve --config recourse.yaml --log human
    gate=${pids[-1]}
    for provider in hang hang2 hang3 hang4; do
        for _ in 1 2 3 4; do
            curl -sS -m 60 "http://127.0.0.1:$port/v1/chat/completions" -d "{\"model\":\"$provider/m\",\"messages\":[]}" >/dev/null 2>&1 &
            pids+=($!)
        done
    done
    for name in hang-up hang-2 hang-3 hang-4; do
        wait_for test -e $name.test
    done
    curl -sS -m 30 -o answer "http://127.0.0.1:$port/v1/chat/completions" \
        -d '{"model":"well/mock/echo","messages":[{"role":"user","content":"hello"}]}'
    cat answer
    grep -q '"content":"hello"' answer
    kill -TERM "$gate"
    wait_for draining
    kill -TERM "$gate"
    ends 0 "$gate"
}
