#!/usr/bin/env bats
# shellcheck disable=SC2030,SC2031,SC2154,SC2238,SC2317 # every test is a shell of its own; run sets stderr; talk is a file
#
# recourse serve from the operator's point of view: signals, reloads and the log.

bats_require_minimum_version 1.5.0
load wait

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    export KEY_1=key-1111-of-nobody
    gate_pid=
}

# Ends the gateway; a sanitizer reports leaks here.
teardown() {
    [ -z "$gate_pid" ] || end || {
        cat talk
        return 1
    }
}

# Writes the configuration, with these lines instead of listen and log.
config() { # LINE...
    cat >recourse.yaml <<YAML
admin: {listen: "off", socket: $PWD/admin.sock}
store: sqlite:audit.db
providers:
  demo: {kind: demo}
  up: {kind: openai, base_url: "http://127.0.0.1:1/v1", keys: [env:KEY_1]}
routes:
  - {model: spare, chain: [{target: up/gpt}]}
  - {model: "*", chain: [{target: demo/*}], budget_usd: 3}
YAML
    [ $# -gt 0 ] || set -- 'listen: 127.0.0.1:0'
    printf '%s\n' "$@" >>recourse.yaml
}

# Starts the gateway. Its standard error goes to the file that the variable `talk` names, or to the
# file `talk` if the variable is not set.
start() { # OPTION...
    rm -f port admin.sock
    env --default-signal=INT,QUIT "$RECOURSE" serve --config recourse.yaml --port-file port "$@" 2>"${talk:-talk}" 3>&- 8>&- &
    gate_pid=$!
    wait_for test -s port
    base=http://127.0.0.1:$(cat port)
}

end() {
    local pid=$gate_pid
    gate_pid=
    kill -TERM "$pid" 2>/dev/null || true
    wait "$pid"
}

chat() { # MODEL
    curl -sS -m 30 -o answer -w '%{http_code}' "$base/v1/chat/completions" -d "{\"model\":\"$1\",\"messages\":[]}"
}

admin() { # PATH [CURL-OPTION...]
    local path=$1
    shift
    curl -sS -m 30 --unix-socket admin.sock -H 'x-recourse-admin: 1' "$@" "http://localhost/admin/v1/$path"
}

says() { # FILE TEXT
    [ -s "$1" ] && grep -qF -- "$2" "$1"
}

lines() { # FILE TEXT COUNT
    [ "$(grep -cF -- "$2" "$1")" = "$3" ]
}

# Sends SIGHUP; waits until the log, as JSON in talk, has that many reload events.
reload() { # COUNT
    kill -HUP "$gate_pid"
    wait_for lines talk '"event":"reload' "$1"
}

all_json() { # FILE
    python3 -c 'import json, sys; [json.loads(line) for line in open(sys.argv[1])]' "$1"
}

notices() {
    python3 -c 'import sqlite3
for row in sqlite3.connect("file:audit.db?mode=ro", uri=True).execute(
        "SELECT text FROM records WHERE kind = 11 ORDER BY op, seq"):
    print(row[0])'
}

# ---- signals ----

@test "SIGUSR1 reopens the log and writes the state as one object; calls in flight continue" {
    config 'listen: 127.0.0.1:0' 'log: {format: json, file: gate.log}'
    start
    [ "$(chat ok)" = 200 ]
    chat slow-first-1 >status &
    local asked=$!
    busy() { admin state | grep -q '"in_flight":1'; }
    wait_for busy
    mv gate.log gate.log.1
    kill -USR1 "$gate_pid"
    wait_for says gate.log '"event":"state"'
    wait "$asked"
    [ "$(cat status)" = 200 ]
    wait_for says gate.log '"event":"request"'
    run ! grep -q '"event":"state"' gate.log.1
    all_json gate.log
    python3 - <<'PY'
import json
line = next(row for row in map(json.loads, open("gate.log")) if row["event"] == "state")
state = line["state"]
assert line["level"] == "info" and line["time"]
assert state["ready"] and state["config"]["generation"] == 1, state
assert state["store"]["on"] and state["budget"]["on"], state
assert {t["target"]: t["breaker"] for t in state["targets"]}["up/gpt"] == "closed", state
assert [k["id"] for k in state["keys"]] == ["up:1"] and state["keys"][0]["state"] == "healthy", state
assert [b["scope"] for b in state["budgets"]] == ["route *"] and state["budgets"][0]["limit_usd"] == 3, state
assert len(state["loops"]) > 0 and sum(t["in_flight"] for t in state["targets"]) == 1, state
PY
    run ! grep -q "key-1111" gate.log
}

@test "the human state has several lines, and a cooldown has its reason" {
    config 'listen: 127.0.0.1:0' 'log: {format: human, file: gate.log}' 'retry_budget: {burst: 7}'
    start
    [ "$(chat 503-retry-after-600)" != 200 ]
    admin targets | grep -F '"state":"cooling"' | grep -qF '"why":"Overloaded","assumed":false'
    admin targets/up/gpt/out -X POST | grep -q '"out_of_service":true'
    kill -USR1 "$gate_pid"
    wait_for says gate.log 'key up:1'
    cat gate.log
    grep -qE '^[0-9:]{8}  state  up [0-9].*, ready, 0 log lines lost$' gate.log
    grep -qF 'state  configuration recourse.yaml, generation 1' gate.log
    grep -qE 'state  audit: [0-9]+ records, [0-9]+ queued, 0 lost, 0 refused$' gate.log
    grep -qE 'state  retry budget: [0-7] of 7$' gate.log
    grep -qE 'state  budget of route \*: \$0.00 of \$3.00 spent, \$0.00 reserved, renews 20' gate.log
    grep -qE 'state  loop 1: [0-9]+ connections, 0 requests in flight' gate.log
    grep -qE 'state  target demo/503-retry-after-600: cooling, (10m|9m .*s) left, Overloaded; breaker closed; 0 in flight' gate.log
    grep -qF 'state  target up/gpt: out_of_service; breaker closed; 0 in flight; 1 of 1 keys usable' gate.log
    grep -qF 'state  key up:1: healthy' gate.log
    run ! grep -q "key-1111" gate.log talk
    # With the log off the state goes to standard error.
    end
    start --log off
    kill -USR1 "$gate_pid"
    wait_for says talk 'recourse serve: target up/gpt: out_of_service'
}

@test "a state that is too large for the log names the admin endpoint" {
    config
    python3 -c 'for i in range(1000):
    print(f"  - {{model: m{i}, chain: [{{target: demo/one-{i}}}, {{target: demo/two-{i}}}]}}")' >routes
    sed -i '/^routes:/r routes' recourse.yaml
    start --log json
    kill -USR1 "$gate_pid"
    wait_for says talk '"event":"state","message":"the state is too large for the log; GET /admin/v1/state has it"'
    [ "$(chat ok)" = 200 ]
    all_json talk
}

@test "signals without an effect are logged and end nothing" {
    config
    start --log json
    for name in USR2 ALRM VTALRM IO PWR; do
        kill -"$name" "$gate_pid"
        wait_for says talk "\"event\":\"signal\",\"message\":\"a signal (SIG$name) has no effect"
    done
    kill -PIPE "$gate_pid"
    kill -CHLD "$gate_pid"
    kill -WINCH "$gate_pid"
    kill -XFSZ "$gate_pid"
    [ "$(chat ok)" = 200 ]
    all_json talk
}

@test "SIGQUIT waits for requests in flight" {
    config
    start --log json
    chat slow-first-1 >status &
    local asked=$!
    busy() { admin state | grep -q '"in_flight":1'; }
    wait_for busy
    kill -QUIT "$gate_pid"
    wait_for says talk 'a signal (SIGQUIT) requested the shutdown: no new requests'
    wait "$asked"
    [ "$(cat status)" = 200 ]
    wait "$gate_pid"
    gate_pid=
}

@test "further signals during the shutdown do not change its exit status" {
    config
    # The gateway's output goes to a full pipe without a reader, and is flushed at the end.
    mkfifo full
    exec 8<>full
    head -c 65536 /dev/zero >&8
    talk=full start --log json
    local pid=$gate_pid
    gate_pid=
    kill -TERM "$pid"
    # 0x4000: SIGTERM
    is_deaf() { ! ((0x$(sed -n "s/^SigCgt:\t//p" "/proc/$pid/status") & 0x4000)); }
    wait_for is_deaf
    kill -TERM "$pid" || true
    wait "$pid"
    exec 8>&-
}

@test "a signal during the start is handled after it" {
    config
    mkfifo slow.yaml
    rm -f port admin.sock
    "$RECOURSE" serve --config slow.yaml --port-file port --log json 2>talk 3>&- &
    gate_pid=$!
    # 0x200: SIGUSR1. The process waits for its configuration.
    hears() { ((0x$(sed -n "s/^SigCgt:\t//p" "/proc/$gate_pid/status") & 0x200)); }
    wait_for hears
    kill -USR1 "$gate_pid"
    cat recourse.yaml >slow.yaml
    wait_for says talk '"event":"state"'
    wait_for test -s port
    base=http://127.0.0.1:$(cat port)
    [ "$(chat ok)" = 200 ]
}

# ---- reloads ----

@test "changed keys that need a restart are in the log, the response and the state, as long as they differ" {
    config
    start --log json
    config 'listen: 127.0.0.1:1' 'threads: 1' 'limits: {max_connections: 77}'
    reload 1
    wait_for lines talk 'restart the gateway to apply it' 3
    grep -qF '"event":"restart_needed","message":"listen has changed; restart the gateway to apply it"' talk
    grep -qF '"message":"threads has changed; restart the gateway to apply it"' talk
    grep -qF '"message":"limits.max_connections has changed; restart the gateway to apply it"' talk
    # The difference between the configurations remains.
    admin reload -X POST | tee answer
    grep -qF '"generation":3' answer
    grep -qF '"needs_restart":["listen","threads","limits.max_connections"]' answer
    wait_for lines talk 'restart the gateway to apply it' 6
    admin state | grep -qF '"needs_restart":["listen","threads","limits.max_connections"]'
    # After the change is undone, no restart is needed.
    config
    admin reload -X POST | tee answer
    run ! grep -q needs_restart answer
    wait_for lines talk '"event":"reloaded"' 3
    lines talk 'restart the gateway to apply it' 6
    all_json talk
    # Keys that the command line overrides need no restart.
    end
    start --log human --listen 127.0.0.1:0
    config 'listen: 127.0.0.1:1'
    admin reload -X POST | tee answer
    run ! grep -q needs_restart answer
    sed -i 's/audit.db/other.db/' recourse.yaml
    admin reload -X POST | grep -qF '"needs_restart":["store"]'
    grep -q '^recourse serve: store has changed; restart the gateway to apply it$' talk
}

@test "a reload changes the log file and format; an unwritable file refuses the reload" {
    config
    start --log json
    end
    start
    wait_for says talk '"event":"listening"'
    config 'listen: 127.0.0.1:0' 'log: {format: json, file: one.log}'
    admin reload -X POST | grep -q '"generation":2'
    wait_for says one.log '"event":"reloaded"'
    run ! grep -q '"event":"reloaded"' talk
    config 'listen: 127.0.0.1:0' 'log: {format: human, file: two.log}'
    admin reload -X POST | grep -q '"generation":3'
    [ "$(chat ok)" = 200 ]
    wait_for says two.log '  200  ok '
    all_json one.log
    # An unwritable path: the old file and its format stay in use.
    config 'listen: 127.0.0.1:0' 'log: {format: json, file: nowhere/three.log}' 'threads: 3'
    admin reload -X POST | tee answer
    grep -qF '"status":422' answer
    grep -qF 'the log cannot be written: log.file: nowhere/three.log: No such file or directory' answer
    admin state | grep -qF '"generation":3,'
    [ "$(chat json-ok || true)" != 000 ]
    wait_for says two.log '  json-ok '
    # A configuration that is refused later restores the log too.
    sed -i 's/env:KEY_1/env:KEY_OF_NOBODY/; s/nowhere.three/four/' recourse.yaml
    admin reload -X POST | grep -qF '"status":422'
    [ "$(chat again)" != 000 ]
    wait_for says two.log '  again '
    [ ! -s four.log ]
    # The log is switched off, and on again with the same file.
    config 'listen: 127.0.0.1:0' 'log: {format: off}'
    admin reload -X POST | grep -q '"generation":4'
    [ "$(chat unseen)" != 000 ]
    config 'listen: 127.0.0.1:0' 'log: {format: json}'
    admin reload -X POST | grep -q '"generation":5'
    [ "$(chat ok)" = 200 ]
    wait_for says talk '"event":"request"'
    run ! grep -q unseen two.log talk
}

@test "with a log file all human lines go to it, and nothing to standard error" {
    config 'listen: 127.0.0.1:0' 'log: {format: human, file: gate.log}'
    start
    wait_for says gate.log '  listening  listening at http://127.0.0.1:'
    admin reload -X POST | grep -q '"generation":2'
    wait_for says gate.log '  reloaded  the configuration was reloaded'
    cp recourse.yaml good.yaml
    echo 'routs: []' >>recourse.yaml
    kill -HUP "$gate_pid"
    wait_for says gate.log '  reload refused  the new configuration was rejected; the previous one stays in use: recourse.yaml:'
    grep -q 'reload refused .*routs: unknown key' gate.log
    # A long file name does not hide the reason.
    long=$(printf 'n%.0s' {1..100})
    sed "s/env:KEY_1/env:$long/" good.yaml >recourse.yaml
    kill -HUP "$gate_pid"
    wait_for says gate.log "$long is not set; create it, or correct the reference in the configuration"
    kill -USR2 "$gate_pid"
    wait_for says gate.log '  signal  a signal (SIGUSR2) has no effect'
    end
    grep -qF '  draining  a signal (SIGTERM) requested the shutdown' gate.log
    run ! grep -vE '^[0-9]{2}:[0-9]{2}:[0-9]{2}  ' gate.log
    [ ! -s talk ]
    # An error that prevents the start goes to standard error, not to the file.
    run --separate-stderr "$RECOURSE" serve --config recourse.yaml
    [ "$status" != 0 ]
    [[ $stderr == "recourse serve: "*"$long is not set"* ]]
    # Without a log file the error goes to standard error.
    sed 's/, file: gate.log//' good.yaml >recourse.yaml
    start
    wait_for says talk 'recourse serve: listening at http://127.0.0.1:'
}

@test "a log file that cannot be reopened is reported in the log" {
    mkdir logs
    config 'listen: 127.0.0.1:0' 'log: {format: json, file: logs/gate.log}'
    start
    mv logs moved
    kill -USR1 "$gate_pid"
    wait_for says moved/gate.log '"event":"log_not_opened","message":"log.file cannot be reopened: logs/gate.log: No such file or directory.'
    wait_for says moved/gate.log '"event":"state"'
    all_json moved/gate.log
    [ ! -s talk ]
}

@test "reloads are in the audit: the requester, the snapshot, the reason of a refusal" {
    config
    start --log json
    reload 1
    admin reload -X POST -d '{"reason":"a new key"}' >answer
    echo 'routs: []' >>recourse.yaml
    reload 3
    all() { notices >found && [ "$(wc -l <found)" = 3 ]; }
    wait_for all
    cat found
    [ "$(sed -n 1p found)" = "configuration reloaded, generation 2, by a signal (SIGHUP)" ]
    [ "$(sed -n 2p found)" = "configuration reloaded, generation 3, by unix: a new key" ]
    [[ $(sed -n 3p found) == "configuration refused (recourse.yaml:"*"routs: unknown key"*"); the previous configuration stays in use. Requested by a signal (SIGHUP)" ]]
    all_json talk
}

# ---- the start ----

@test "an unwritable log or port file is reported with its key and advice" {
    config 'listen: 127.0.0.1:0' 'log: {file: nowhere/gate.log}'
    run -74 --separate-stderr "$RECOURSE" serve --config recourse.yaml
    [ "$stderr" = "recourse serve: the log cannot be written: log.file: nowhere/gate.log: No such file or directory. Create the folder, give this user write access, or set log.file to another file; without log.file, the log goes to standard error" ]
    config
    run -74 --separate-stderr "$RECOURSE" serve --config recourse.yaml --log human --port-file nowhere/port
    [[ $stderr == *"recourse serve: the port file cannot be written: --port-file nowhere/port: No such file or directory. Create its folder, give this user write permission, or use another file"* ]]
}
