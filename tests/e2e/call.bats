#!/usr/bin/env bats
# shellcheck disable=SC2016,SC2030,SC2031,SC2154 # inner shells expand; every test is a shell of its own; run sets stderr
#
# recourse call: one request, in this process and through a gateway; messages about retries, waits and
# failures on a terminal, and output for programs. The provider is recourse mock, or demo.

bats_require_minimum_version 1.5.0
load wait

setup() {
    unset NO_COLOR COLUMNS LC_ALL LC_CTYPE OPENAI_API_KEY ANTHROPIC_API_KEY GEMINI_API_KEY RECOURSE_TOKEN
    export LANG=C.UTF-8 TERM=xterm TZ=UTC0 XDG_CONFIG_HOME=$BATS_TEST_TMPDIR/none
    export KEY=key-0f0f0f0f TOKEN=token-of-app
    cd "$BATS_TEST_TMPDIR" || return
    pids=()
    export RECOURSE
    limited='demo is limiting the rate of requests: Rate limit reached for requests. Limit: 60 / min'
}

# Ends the servers; a sanitizer reports leaks here.
teardown() {
    local result=0
    tmux -S "$BATS_TEST_TMPDIR/tmux" kill-server 2>/dev/null || true
    for pid in "${pids[@]}"; do
        kill -TERM "$pid" 2>/dev/null || continue
        wait "$pid" || result=$?
    done
    [ "$result" = 0 ] || cat ./*.talk
    return "$result"
}

call() { "$RECOURSE" call "$@"; }

wait_failed() { screen 2>/dev/null; }

# Starts a server and waits for its port, which is then in $port.
start() { # NAME COMMAND...
    local name=$1
    shift
    "$RECOURSE" "$@" --port-file "$name.port" 2>"$name.talk" 3>&- &
    pids+=($!)
    wait_for test -s "$name.port"
    port=$(cat "$name.port")
}

# Writes a configuration for the mock at $up.
config() {
    cat >recourse.yaml <<YAML
listen: 127.0.0.1:0
admin: {listen: "off"}
store: sqlite:${store:-audit.db}
providers:
  up: {kind: openai, base_url: "$up/v1", keys: [env:KEY]}
  two: {kind: openai, base_url: "$up/v1", keys: [env:KEY, env:KEY_2]}
  claude: {kind: anthropic, base_url: "$up", keys: [env:KEY]}
  google: {kind: gemini, base_url: "$up", keys: [env:KEY]}
  strict: {kind: mistral, base_url: "$up/v1", keys: [env:KEY], insecure: true}
  keyless: {kind: openai, base_url: "$up/v1", keys: [env:NO_SUCH_VARIABLE]}
  demo: {kind: demo}
policies:
  fast: {max_attempts: 3, backoff: fixed, base_ms: 5, jitter: none}
$1
routes:
  - {model: chain, policy: fast, chain: [{target: up/mock/503, tries: 1}, {target: strict/mock/ok}]}
  - {model: fast-503, policy: fast, chain: [{target: up/mock/503}]}
  - {model: without, chain: [{target: keyless/mock/ok}]}
YAML
}

mock() { # OPTION...
    start mock mock --listen 127.0.0.1:0 --quiet "$@"
    up=http://127.0.0.1:$port
    config ''
}

gate() { # [MORE]
    up=http://127.0.0.1:1 # never used
    export KEY_2=key-22222222 NO_SUCH_VARIABLE=key-33333333
    config "$1"
    start gate serve --config recourse.yaml --log human
    via=http://127.0.0.1:$port
    rm recourse.yaml
}

requests() { curl -sS "$up/mock/stats" | grep -o '"requests":[0-9]*' | head -1 | grep -o '[0-9]*'; }
has() { [[ $output == *"$1"* ]]; }
said() { [[ $stderr == *"$1"* ]]; }
# The real length of a wait in the queue, which on a busy machine is longer than the announced one.
said_waited() { # BEFORE AFTER
    [[ $stderr =~ "$1 · waited "[0-9.]+m?s"$2" ]]
}

# ---- responses ----

@test "the response is on standard output, the totals on standard error" {
    run -0 --separate-stderr call --model demo/tokens-5 hello
    echo "$stderr"
    [ "${#lines[@]}" -eq 1 ]
    [ "$(wc -w <<<"$output")" -eq 5 ]
    [ "${#stderr_lines[@]}" -eq 1 ]
    [[ $stderr == "recourse call: demo/tokens-5 · 1 attempt · first token "*" · total "*" · 6 tokens in, 5 out" ]]
}

@test "every dialect gives the same response, streamed and whole" {
    mock
    for model in up/mock/echo claude/mock/echo google/mock/echo strict/mock/echo; do
        for how in '' --no-stream; do
            # shellcheck disable=SC2086 # an empty list is no option
            run --separate-stderr call $how --model $model 'What "is" it? €'
            echo "$model $how: $output / $stderr"
            [ "$status" -eq 0 ]
            [ "$output" = 'What "is" it? €' ]
            said "$model · 1 attempt"
        done
    done
    for dialect in openai anthropic gemini; do
        run -0 --separate-stderr call --dialect $dialect --model demo/echo hello
        [ "$output" = hello ]
        said ' out'
    done
}

@test "a route falls back to the next target and prints it" {
    mock
    run -0 --separate-stderr call --model chain hello
    echo "$stderr"
    said 'switching from up/mock/503 to strict/mock/ok'
    said 'strict/mock/ok · 2 attempts · 1 switch'
}

@test "the prompt from arguments, standard input, both, and images" {
    mock
    run -0 call --quiet --model up/mock/echo some words here
    [ "$output" = 'some words here' ]
    run -0 call --quiet --model up/mock/echo <<<'from a pipe'
    [ "${lines[0]}" = 'from a pipe' ]
    run -0 call --quiet --model up/mock/echo 'Review this:' - <<<'the text'
    [ "$output" = $'Review this:\n\nthe text' ]
    run -0 call --quiet --model up/mock/echo -- --not-an-option
    [ "$output" = '--not-an-option' ]
    printf '\211PNG\r\n\032\nrest' >a.png
    for model in up/mock/ok claude/mock/ok google/mock/ok; do
        run -0 call --quiet --model $model --image a.png --image a.png 'What is it?'
    done
    echo text >a.txt
    run -64 --separate-stderr call --model up/mock/ok --image a.txt 'What is it?'
    said 'a.txt is not a PNG, JPEG, GIF or WebP image'
    run -66 --separate-stderr call --model up/mock/ok --image no.png 'What is it?'
    said 'cannot read no.png'
}

@test "system prompt, token limit and temperature reach the provider" {
    mock
    run -0 --separate-stderr call --model up/mock/ok --max-tokens 3 --system 'be brief' --temperature 0.5 hello
    [ "$(wc -w <<<"$output")" -eq 3 ]
    said 'The response was cut at its token limit; --max-tokens sets it.'
    run -0 --separate-stderr call --model claude/mock/ok --max-tokens 2 hello
    [ "$(wc -w <<<"$output")" -eq 2 ]
    run -0 --separate-stderr call --model google/mock/ok --max-tokens 1 hello
    [ "$(wc -w <<<"$output")" -eq 1 ]
}

@test "the bytes of a response pass unchanged, except on a terminal" {
    printf 'a\033[31mb\tc\r\177d' >prompt
    call --quiet --model demo/echo <prompt >out
    printf '\n' | cat prompt - | cmp - out
    script -qec '"$RECOURSE" call --quiet --model demo/echo <prompt' screen >/dev/null
    cat -v screen
    grep -qF 'a\u{1B}[31mb' screen
    grep -qF 'c\u{D}\u{7F}d' screen
}

@test "a response larger than every buffer arrives complete, also for a slow reader" {
    call --quiet --model demo/huge-3000 hi >fast
    call --quiet --model demo/huge-3000 hi | (sleep 0.5; cat) >slow
    [ "$(wc -c <fast)" -gt 3000000 ]
    cmp fast slow
}

@test "a response without text is reported" {
    run -0 --separate-stderr call --model demo/tool-call hi
    [ -z "$output" ]
    said 'The response has no text.'
}

# ---- temporary failures ----

@test "without a terminal: a plain line for a wait and for a switch, no control character" {
    run -0 --separate-stderr call --model demo-retry hello
    echo "$stderr"
    [ "${stderr_lines[0]}" = "recourse call: $limited: retrying (1/5) in 800ms" ]
    said_waited '2 attempts' ' · first token '
    run -0 --separate-stderr call --model demo-fallback hello
    [ "${stderr_lines[0]}" = 'recourse call: demo is overloaded: switching from demo/503+tokens-1 to demo/ok' ]
    [[ $stderr != *$'\033'* ]]
}

@test "a switch of keys is printed with the key's id, never with the key" {
    printf 'keys:\n  - {name: poor, ends: "0f0f", do: quota}\n  - {name: rich, ends: "2222"}\n' >keys.yaml
    mock --scenario keys.yaml
    export KEY_2=key-22222222
    run -0 --separate-stderr call --model two/mock/ok hello
    echo "$stderr"
    said 'switching the key of two from two:1 to two:2'
    [[ $stderr != *key-* ]]
}

@test "--quiet prints only the response" {
    run -0 --separate-stderr call --quiet --model demo-retry hello
    [ -n "$output" ]
    [ -z "$stderr" ]
}

@test "--no-stream also waits and switches" {
    run -0 --separate-stderr call --no-stream --model demo-retry hello
    said_waited '2 attempts' ''
}

@test "--policy and --deadline apply to the call" {
    mock
    run -75 --separate-stderr call --policy none --model up/mock/503 hello
    [ "$(requests)" = 1 ]
    run -75 --separate-stderr call --policy fast --model up/mock/503 hello
    [ "$(requests)" = 4 ]
    run -64 --separate-stderr call --policy fats --model up/mock/503 hello
    said 'no policy is named "fats"; did you mean fast?'
    run -124 --separate-stderr call --deadline 300ms --model up/mock/hang hello
    echo "$stderr"
    said DeadlineExceeded
    # The message names the option, not the header, which the user never typed.
    [ "$(grep -o -- --deadline <<<"$stderr" | wc -l)" = 2 ] && [[ $stderr != *x-recourse-deadline-ms* ]]
    said 'not finished within 300ms (--deadline)'
    said 'raise --deadline'
    said 'the call may take as long again'
    run -124 --separate-stderr call --agent --deadline 300ms --model up/mock/hang hello
    [[ $output == *'within 300ms (--deadline)'* && $output == *'"rule":"deadline.client"'* ]]
    [[ $output != *x-recourse-deadline-ms* ]]
    export KEY_2=key-22222222 NO_SUCH_VARIABLE=key-33333333
    start serve serve --config recourse.yaml
    run -124 --separate-stderr call --via "http://127.0.0.1:$port" --deadline 300ms --model up/mock/hang hello
    [[ $stderr != *x-recourse-deadline-ms* ]]
    said 'raise --deadline'
}

# ---- permanent failures ----

@test "a failure is a panel with advice, and the exit status is that of its code" {
    run -69 --separate-stderr call --model demo-failure hello
    echo "$stderr"
    [ -z "$output" ]
    said 'QuotaExhausted'
    said 'Add credit'
    said 'demo · quota'
    run -77 call --model demo/401 hi
    run -78 call --model demo/404-model hi
    run -65 call --model demo/400-overflow hi
    run -65 call --model demo/400-filter --dialect gemini hi
}

@test "exhausted attempts are listed" {
    mock
    run -75 --separate-stderr call --model fast-503 hello
    echo "$stderr"
    said 'The attempts are used up'
    said 'Attempts'
    [ "$(grep -c 'up/mock/503 .*Overloaded 503' <<<"$stderr")" -eq 3 ]
    said 'recourse call: up/mock/503 · 3 attempts · waited 10ms'
}

@test "a failure during a response: the received part and the reason" {
    run -75 --separate-stderr call --model demo/stream-error-after-3 hello
    [ "$output" = 'roof up red' ]
    said Provider5xx
    for model in cut-after-3 fin-after-3; do
        run -75 --separate-stderr call --model demo/$model hello
        [ "$(wc -w <<<"$output")" -eq 3 ]
        said StreamInterrupted
    done
}

@test "--format json and --agent: one object for success and failure" {
    run -0 --separate-stderr call --agent --model demo-retry hello
    [ -z "$stderr" ]
    [ "${#lines[@]}" -eq 1 ]
    python3 - "$output" <<'PY'
import json, sys
answer = json.loads(sys.argv[1])
assert answer["error"] is False and answer["text"] and answer["model"] == "demo-retry"
assert answer["target"] == "demo/429-ms-800@1/2" and answer["attempts"] == 2 and answer["wait_ms"] >= 800
assert answer["usage"]["output_tokens"] == 12 and answer["recorded"] is True and answer["first_token_ms"] >= 800
PY
    run -69 --separate-stderr call --agent --model demo-failure hello
    [ -z "$stderr" ]
    python3 - "$output" <<'PY'
import json, sys
error = json.loads(sys.argv[1])
assert error["error"] is True and error["error_code"] == "QuotaExhausted" and error["retryable"] is False
for key in ("error_type", "message", "hint", "error_domain", "error_category"):
    assert error[key], key
PY
    run -75 --separate-stderr call --format json --model demo/stream-error-after-3 hello
    python3 -c 'import json,sys; assert json.loads(sys.argv[1])["partial_text"] == "roof up red"' "$output"
}

@test "--format markdown: the response unchanged, a failure as a page" {
    run -0 call --agent --format markdown --model demo/echo '# A title'
    [ "$output" = '# A title' ]
    run -69 --separate-stderr call --agent --format markdown --model demo-failure hello
    [ "${lines[0]}" = '## Quota exhausted (`QuotaExhausted`)' ]
    [ -z "$stderr" ]
}

# ---- usage errors ----

@test "no model, an unknown model, and the only model as default" {
    run -64 --separate-stderr call hello
    said 'set a model with --model: demo-retry, demo-fallback, demo-failure, demo/MODEL'
    printf 'providers: {demo: {kind: demo}}\nroutes: [{model: mine, chain: [{target: demo/echo}]}]\n' >recourse.yaml
    run -0 call --quiet hello
    [ "$output" = hello ]
    run -78 --separate-stderr call --model other hello
    said 'No route matches the model "other"'
    said 'Use one of these: mine, demo/MODEL.'
}

@test "a missing key is reported, and only if it is needed" {
    mock
    run -77 --separate-stderr call --model without hello
    echo "$stderr"
    said 'No API key for provider keyless: the variable NO_SUCH_VARIABLE is not set.'
    run -0 call --quiet --model up/mock/ok hello
}

@test "an invalid configuration is reported with its position, also for programs" {
    printf 'providers:\n  demo: {kin: demo}\n' >recourse.yaml
    run -78 --separate-stderr call --model demo/ok hello
    said 'recourse.yaml:2:10:'
    run -78 --separate-stderr call --agent --model demo/ok hello
    python3 -c 'import json,sys; assert json.loads(sys.argv[1])["error_code"] == "ConfigSchemaViolation"' "$output"
    run -66 --separate-stderr call --config no.yaml --model demo/ok hello
    said 'cannot read no.yaml'
}

@test "standard input: closed, empty, too large" {
    run -64 --separate-stderr bash -c '"$RECOURSE" call --model demo/ok <&-'
    said 'the prompt is empty'
    run -64 --separate-stderr call --model demo/ok <<<'  '
    said 'the prompt is empty'
    head -c 16777217 /dev/zero >large
    run -65 --separate-stderr call --model demo/ok <large
    said 'larger than the limit of 16 MiB'
    run -0 bash -c '"$RECOURSE" call --quiet --model demo/echo hello <&-'
    [ "$output" = hello ]
}

@test "standard output: full, closed, closed pipe" {
    run -74 --separate-stderr bash -c '"$RECOURSE" call --model demo/ok hello >/dev/full'
    [ "$stderr" = 'recourse: cannot write the output: No space left on device' ]
    run -74 --separate-stderr bash -c '"$RECOURSE" call --model demo/ok hello >&-'
    said 'Bad file descriptor'
    run -0 --separate-stderr bash -c '"$RECOURSE" call --model demo/huge-3000 hello | head -c 5 >/dev/null; echo ${PIPESTATUS[0]}'
    [ "$output" = 74 ]
    [ -z "$stderr" ]
    run -0 --separate-stderr bash -c '"$RECOURSE" call --model demo/huge-3000 hello | { sleep 0.5; head -c 5 >/dev/null; }; echo ${PIPESTATUS[0]}'
    [ "$output" = 74 ]
    [ -z "$stderr" ]
    run -74 --separate-stderr bash -c '"$RECOURSE" call --agent --model demo/ok hello >/dev/full'
    run -0 bash -c '"$RECOURSE" call --model demo/echo hello 2>&-'
    [ "$output" = hello ]
}

@test "the manual documents every option" {
    for option in $(call --help | grep -o '^  --[a-z-]*' | tr -d ' '); do
        sed 's/\\-/-/g' "${RECOURSE_SOURCE:-$BATS_TEST_DIRNAME/../..}/man/recourse-call.1" |
            grep -q -e "^\.BI* $option\b"
    done
}

# ---- audit record ----

# Counts the records of the store.
records() { python3 -c 'import sqlite3,sys; print(*sqlite3.connect(sys.argv[1]).execute("select (select count(*) from operations) + (select count(*) from records)").fetchone())' "$default_store"; }

@test "a call is recorded without a gateway, unless the configuration says otherwise" {
    call --quiet --model demo-retry hello >out
    first=$(records)
    [ "$first" -ge 4 ] # begin, attempt, wait, attempt
    call --quiet --model demo/ok hello >out
    [ "$(records)" -gt "$first" ]
    mkdir other
    cd other
    printf 'providers: {demo: {kind: demo}}\naudit: {durability: "off"}\n' >recourse.yaml
    rm -r "$XDG_STATE_HOME"
    call --quiet --model demo/ok hello >out
    [ ! -e "$default_store" ]
}

@test "a call writes nothing to the current folder; its record is in the state folder, readable only by its owner" {
    mkdir empty
    cd empty
    run -0 call --quiet --model demo/ok hello
    [ -z "$(ls -A)" ]
    [ "$(stat -c %a "$default_store" "${default_store%/*}" "$XDG_STATE_HOME" | tr '\n' ' ')" = '600 700 700 ' ]
    rm -r "$XDG_STATE_HOME"
    XDG_STATE_HOME='' HOME=$BATS_TEST_TMPDIR/home run -0 call --quiet --model demo/ok hello
    [ -s ../home/.local/state/recourse/recourse.db ]
    STATE_DIRECTORY=$BATS_TEST_TMPDIR/service run -0 call --quiet --model demo/ok hello
    [ -s ../service/recourse.db ]
    [ -z "$(ls -A)" ]
}

@test "without a home folder the record is in the current folder, and a message says so" {
    mkdir empty
    cd empty
    XDG_STATE_HOME='' HOME='' run -0 --separate-stderr call --model demo/echo hello
    [ "$output" = hello ]
    said 'neither XDG_STATE_HOME nor HOME names a folder: the audit is recourse.db in the current folder.'
    [ -s recourse.db ]
}

@test "if a gateway holds the store, the call continues and reports that it is not recorded" {
    printf 'listen: 127.0.0.1:0\nadmin: {listen: "off"}\nproviders: {demo: {kind: demo}}\n' >recourse.yaml
    start gate serve --config recourse.yaml --log off
    run -0 --separate-stderr call --model demo/echo hello
    echo "$stderr"
    [ "$output" = hello ]
    [ "$(grep -c 'this call will not be recorded: another process writes this file' <<<"$stderr")" -eq 1 ]
    run -0 --separate-stderr call --agent --model demo/echo hello
    [[ $output == *'"recorded":false'* ]]
    [ -z "$stderr" ]
}

@test "a foreign store is an error with a configuration, and ignored without" {
    mkdir -p "${default_store%/*}"
    echo 'this is no database, and long enough to be looked at' >"$default_store"
    run -0 --separate-stderr call --model demo/echo hello
    [ "$output" = hello ]
    said 'this call will not be recorded: the file is not an audit file of Recourse'
    printf 'providers: {demo: {kind: demo}}\n' >recourse.yaml
    run -74 --separate-stderr call --model demo/echo hello
    said StoreUnavailable
    printf 'providers: {demo: {kind: demo}}\naudit: {on_failure: continue}\n' >recourse.yaml
    run -0 --separate-stderr call --model demo/echo hello
    said 'this call will not be recorded'
}

# ---- through a gateway ----

@test "--via: the same messages, responses and failures" {
    gate
    run -0 --separate-stderr call --via "$via" --model demo/429-ms-300@1 hello
    echo "$stderr"
    said "$limited: retrying (1/5) in 300ms"
    said_waited 'demo/429-ms-300@1 · 2 attempts' ''
    run -69 --separate-stderr call --via "$via/v1" --model demo/quota hello
    said QuotaExhausted
    run -75 --separate-stderr call --via "$via" --model demo/stream-error-after-3 hello
    [ "$output" = 'roof up red' ]
    for dialect in anthropic gemini; do
        run -0 --separate-stderr call --via "$via" --dialect $dialect --model demo/echo hello
        [ "$output" = hello ]
    done
    run -78 --separate-stderr call --via "$via" --agent --model demo/404-model hello
    python3 -c 'import json,sys; e = json.loads(sys.argv[1]); assert e["error_domain"] == "config" and e["error_category"] == "configuration"' "$output"
}

@test "--via: a wait for the budget is shown" {
    export RECOURSE_TOKEN=token-4444444444
    printf 'as_of: 2026-11-01\nprices: [{kind: demo, model: "*", input: 1.0, output: 2.0}]\n' >prices.yaml
    # The budget allows one call of that many tokens; after its cost no further call fits.
    gate 'prices: prices.yaml
clients: [{name: app, token: "env:RECOURSE_TOKEN", budget_usd: 0.000215, on_exceed: pause}]'
    run -0 --separate-stderr call --via "$via" --model demo/tokens-5 --max-tokens 100 hello
    run -69 --separate-stderr call --via "$via" --model demo/tokens-5 --max-tokens 100 --deadline 1s hello
    echo "$stderr"
    said 'The budget of client app is used up ($0.0000'
    said ' of $0.000215 is spent): waiting until it renews or is raised'
    said BudgetExceeded
}

@test "--via: exhausted retries end the stream with an error" {
    gate
    for dialect in openai anthropic gemini; do
        run -75 --separate-stderr call --via "$via" --policy fast --dialect $dialect --model demo/503 hello
        echo "$stderr"
        said Overloaded
        # Gemini's clients get no comments in their streams.
        if [ $dialect = gemini ]; then
            said 'demo/503 · 3 attempts'
            continue
        fi
        [ "$(grep -c 'overloaded: retrying' <<<"$stderr")" -eq 2 ]
        said_waited 'demo/503 · 3 attempts' ''
    done
}

# Kills the gateway when the text appears in the file.
end_gateway_at() { # WORDS FILE
    wait_for grep -q "$1" "$2"
    kill -KILL "${pids[-1]}"
    wait "${pids[-1]}" || true
    unset 'pids[-1]'
}

@test "--via: a gateway that disappears is not reported as its provider" {
    export KEY_2=key-22222222 NO_SUCH_VARIABLE=key-33333333
    mock
    start serve serve --config recourse.yaml
    via=http://127.0.0.1:$port
    call --via "$via" --model up/mock/trickle-100+tokens-200 hello >half 2>why &
    asked=$!
    end_gateway_at . half
    status=0
    wait "$asked" || status=$?
    cat why
    [ "$status" = 75 ]
    tr -d '│\n' <why | tr -s ' ' | grep -F "The gateway at $via closed the connection before the response was complete."
    grep -F 'Check whether the gateway is still running' why
    run ! grep -E 'HTTP 502|provider.s stream' why

    # During a wait there is no stream that could be interrupted.
    start again serve --config recourse.yaml
    via=http://127.0.0.1:$port
    call --via "$via" --model up/mock/429-retry-after-20 hello 2>why &
    asked=$!
    end_gateway_at retrying why
    status=0
    wait "$asked" || status=$?
    cat why
    [ "$status" = 75 ]
    tr -d '│\n' <why | tr -s ' ' | grep -F "The gateway at $via closed the connection before it responded."
    run ! grep -E 'HTTP 502|provider|incomplete' why
}

@test "--via: the token comes from the environment or a file, not from a world-readable one" {
    gate 'clients: [{name: app, token: env:TOKEN}]'
    run -77 --separate-stderr call --via "$via" --model demo/echo hello
    said 'Set RECOURSE_TOKEN, or name a file'
    RECOURSE_TOKEN=$TOKEN run -0 --separate-stderr call --via "$via" --model demo/echo hello
    [ "$output" = hello ]
    echo "$TOKEN" >token
    chmod 644 token
    run -78 --separate-stderr call --via "$via" --token-file token --model demo/echo hello
    said 'is readable by every user'
    chmod 600 token
    run -0 --separate-stderr call --via "$via" --token-file token --model demo/echo hello
    [ "$output" = hello ]
    [[ $stderr != *"$TOKEN"* ]]
}

@test "--via: a gateway that is not running, and invalid addresses" {
    run -75 --separate-stderr call --via http://127.0.0.1:1 --model x hello
    echo "$stderr"
    said 'No gateway responds at http://127.0.0.1:1: the connection was refused.'
    said 'Start it with `recourse serve`, or omit --via'
    run -78 --separate-stderr call --via http://gateway.example --model x hello
    said 'needs --insecure'
    run -78 --separate-stderr call --via nonsense --model x hello
    said 'The address in --via is invalid'
    run -64 --separate-stderr call --via http://127.0.0.1:1 hello
    said 'set a model with --model'
    run -64 call --token-file x --model demo/ok hello
    run -64 call --via http://127.0.0.1:1 --config x --model x hello
}

@test "--via: a server that is not a Recourse gateway works too" {
    mock
    rm recourse.yaml
    run -0 call --quiet --via "$up" --model mock/echo hello
    [ "$output" = hello ]
    run -75 --separate-stderr call --via "$up" --model mock/503 hello
    said Overloaded
    run -77 --separate-stderr call --via "$up" --model mock/401 hello
    run -75 --separate-stderr call --via "$up" --model mock/html-502 hello
    # A foreign server does not know the deadline, so the command enforces the deadline.
    run -124 --separate-stderr call --via "$up" --deadline 100ms --model mock/hang hello
    said DeadlineExceeded
    said 'not finished within 100ms (--deadline)'
}

# A server that answers every request with the same bytes, at $port.
stranger() { # SPEAKS-FIRST BYTES
    rm -f stranger.port
    cat >stranger.py <<'PY'
import os, socket, sys
is_first, answer = sys.argv[1] == 'first', sys.argv[2].encode().decode('unicode_escape').encode()
socket.setdefaulttimeout(30)
listener = socket.create_server(('127.0.0.1', 0))
with open('stranger.tmp', 'w') as f:
    f.write(str(listener.getsockname()[1]))
os.rename('stranger.tmp', 'stranger.port')
peer, _ = listener.accept()
if not is_first:
    # Read the whole request: its body ends with "}".
    asked = piece = peer.recv(65536)
    while piece and not asked.endswith(b'}'):
        piece = peer.recv(65536)
        asked += piece
peer.sendall(answer)
peer.shutdown(socket.SHUT_WR)
while is_first and peer.recv(65536):
    pass
PY
    python3 stranger.py "$1" "$2" 3>&- &
    wait_for test -s stranger.port
    port=$(cat stranger.port)
}

@test "--via: a server that is neither a gateway nor a provider is reported as such, without a retry" {
    check() { # WORDS SPEAKS-FIRST BYTES
        stranger "$2" "$3"
        run -78 --separate-stderr call --agent --via "http://127.0.0.1:$port" --model m hello
        echo "$output"
        has "\"message\":\"The server at http://127.0.0.1:$port is not a Recourse gateway: $1.\""
        has '"retryable":false'
        has '"user_action":{"kind":"check_config","detail":"Set --via to the address at which `recourse serve` listens'
    }
    check 'it answers with a page for people' second \
        'HTTP/1.1 404 Not Found\r\ncontent-type: text/html\r\ncontent-length: 13\r\n\r\n<html></html>'
    check 'it answers with a page for people' second 'HTTP/1.0 200 OK\r\ncontent-type: text/html\r\n\r\n<html>Welcome!</html>'
    check 'it answers with a page for people' second \
        'HTTP/1.0 501 Unsupported method\r\ncontent-type: text/html\r\n\r\n<html>no POST</html>'
    check 'it sends us to another address' second 'HTTP/1.1 301 Moved\r\nlocation: https://x.test/\r\ncontent-length: 0\r\n\r\n'
    check 'its answer is not that of a model' second \
        'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 11\r\n\r\n{"ok":true}'
    check 'its error is not that of a provider' second \
        'HTTP/1.1 404 Not Found\r\ncontent-type: application/json\r\ncontent-length: 22\r\n\r\n{"detail":"Not Found"}'
    check 'it does not speak HTTP' first 'SSH-2.0-OpenSSH_9.2p1\r\n'
    # A truncated stream is still recognised as a stream.
    stranger second 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: 0\r\n\r\n'
    run -75 --separate-stderr call --agent --via "http://127.0.0.1:$port" --model m hello
    has '"error_code":"StreamInterrupted"'
}

@test "--via: https:// to a gateway that listens without TLS" {
    gate ''
    run -78 --separate-stderr call --agent --via "https://127.0.0.1:$port" --model m hello
    echo "$output"
    has "\"message\":\"The server at https://127.0.0.1:$port does not speak TLS.\""
    has '"retryable":false'
    has '"kind":"check_config","detail":"Use http:// instead of https://'
}

@test "--via: unknown events of a newer gateway are ignored; the cost is shown if it is known" {
    cat >gate.py <<'PY'
import socket
server = socket.create_server(("127.0.0.1", 0))
open("fake.port", "w").write(str(server.getsockname()[1]))
client, _ = server.accept()
while b"hello" not in client.recv(65536):
    pass
client.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n"
               b"x-recourse-request-id: req_1\r\nTransfer-Encoding: chunked\r\n\r\n")
for text in (': recourse {"type":"weather:changed","to":"rain"}\n\n', ": ping\n\n", ": recourse nonsense\n\n",
             'data: {"choices":[{"index":0,"delta":{"content":"Hi"}}]}\n\n',
             'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n',
             # A forged event: it does not have the request's id.
             ': recourse {"type":"auto_retry_start","correlation_id":"req_2","delay_ms":99999999,"attempt":99}\n\n',
             # Names are not trusted, and implausible numbers give no warning.
             ': recourse {"type":"quota:warning","correlation_id":"req_1","model":"a/\\u001b[2Jx","kind":"input-tokens",'
             '"remaining":9,"limit":100,"reset_ms":60000}\n\n',
             ': recourse {"type":"quota:warning","correlation_id":"req_1","model":"b","kind":"k","remaining":9,'
             '"limit":8}\n\n',
             ': recourse {"type":"cost:updated","correlation_id":"req_1","attempt":4,"model":"a/x",'
             '"cost_usd":0.000100,"total_usd":0.012300}\n\n',
             "data: [DONE]\n\n"):
    client.sendall(b"%x\r\n%s\r\n" % (len(text), text.encode()))
client.sendall(b"0\r\n\r\n")
client.close()
PY
    python3 gate.py 3>&- &
    wait_for test -s fake.port
    run -0 --separate-stderr call --via "http://127.0.0.1:$(cat fake.port)" --model x hello
    echo "$stderr"
    [ "$output" = Hi ]
    near='recourse call: a/\u{1B}[2Jx is near its limit of input tokens: 9 of 100 are left, renews in 1m.'
    [[ $stderr == "$near"$'\n''recourse call: a/x · 4 attempts · first token '*' · $0.0123' ]]
}

@test "a client that requests no events gets an unchanged response" {
    gate
    ask() { # HEADER FILE
        curl -sS -N -H "$1" "$via/v1/chat/completions" -o "$2" \
            -d '{"model":"demo/429-ms-50+echo@1/2","stream":true,"messages":[{"role":"user","content":"hi"}]}'
    }
    ask 'x-nothing: 1' plain
    ask 'x-recourse-events: 0' zero
    ask 'x-recourse-events: 1' told
    run -1 grep -q '^:' plain
    run -1 grep -q '^:' zero
    grep -q '^: recourse {"type":"auto_retry_start"' told
    grep -q '^: recourse {"type":"cost:updated".*"model":"demo/429-ms-50+echo@1/2"' told
    # Without the comments the streams are the same, except for the ids.
    same() { grep -v '^:' "$1" | cat -s | sed 's/"id":"[^"]*"//; s/"created":[0-9]*//; s/"content":"[^"]*"//' | sed '/./,$!d'; }
    diff <(same plain) <(same told)
    ask 'x-recourse-events: yes' bad
    grep -q 'x-recourse-events' bad
}

# ---- a terminal ----

# on_screen COMMAND: runs it in a shell on a terminal of its own, $columns wide.
on_screen() {
    tmux -S "$BATS_TEST_TMPDIR/tmux" -f /dev/null new-session -d -x "${columns:-80}" -y 30 \
        "env PS1='> ' RECOURSE='$RECOURSE' LANG=${LANG} TERM=\${TERM_OF_CALL:-screen} bash --norc --noprofile" 3>&-
    printf '%s\n' "$1" >line
    tmux -S "$BATS_TEST_TMPDIR/tmux" send-keys '. ./line' Enter
}
screen() { tmux -S "$BATS_TEST_TMPDIR/tmux" capture-pane -p "$@"; }
keys() { tmux -S "$BATS_TEST_TMPDIR/tmux" send-keys "$@"; }
shows() { screen | grep -qE -- "$1"; }

@test "terminal: the wait counts down, and the response and one line remain" {
    on_screen '"$RECOURSE" call --model demo/429-retry-after-3@1 hello; echo status $?'
    wait_for shows '^Retrying \(1/5\) in [123]s… \(esc to cancel\)  demo is limiting the rate of requests'
    wait_for shows '^status 0'
    screen
    run -1 shows Retrying
    shows '^demo/429-retry-after-3@1 · 2 attempts · waited [0-9.]+s · first token '
    # The totals are dim, the response is not.
    screen -e | grep -qF $'\033[2mdemo/429-retry-after-3@1'
}

@test "terminal: Esc ends a wait with 130, and the terminal is restored" {
    on_screen 'stty -a >before; "$RECOURSE" call --model demo/429-retry-after-60 hello; echo status $?; stty -a >after'
    wait_for shows 'esc to cancel'
    keys Escape
    wait_for shows '^status 130'
    screen
    shows '^Cancelled: demo/429-retry-after-60 · 1 attempt'
    wait_for test -s after
    cmp before after
}

@test "terminal: an arrow key is not Esc; Esc also ends a stream" {
    on_screen '"$RECOURSE" call --model demo/trickle-100+tokens-600 hello; echo status $?'
    wait_for shows '^[a-z]+ [a-z]+ [a-z]+'
    keys Up x Left
    words=$(screen | wc -w)
    more() { [ "$(screen | wc -w)" -gt "$words" ]; }
    wait_for more
    run -1 shows status
    keys Escape
    wait_for shows '^status 130'
    shows '^Cancelled: demo/trickle-100'
    # The cancellation is recorded.
    python3 -c 'import sqlite3, sys; assert any("client closed" in str(row) for row in sqlite3.connect(sys.argv[1]).execute("select text from records"))' "$default_store"
}

@test "terminal: Ctrl-C ends the command and the loop around it" {
    on_screen 'for i in 1 2 3; do "$RECOURSE" call --model demo/429-retry-after-60 hello; done; echo status $?'
    wait_for shows 'esc to cancel'
    keys C-c
    wait_for shows '^Cancelled: '
    keys 'echo next $?' Enter
    wait_for shows '^next 130'
    run -1 shows '^status'
}

@test "terminal: Ctrl-Z and fg" {
    on_screen '"$RECOURSE" call --model demo/429-retry-after-60 hello'
    wait_for shows 'esc to cancel'
    keys C-z
    wait_for shows Stopped
    keys 'clear; stty -a | grep -c " icanon"; fg' Enter
    wait_for shows 'esc to cancel'
    shows '^1$'
    keys Escape
    wait_for shows '^Cancelled: '
}

@test "terminal: the line follows the window's width" {
    columns=100
    on_screen '"$RECOURSE" call --model demo/429-retry-after-60 hello'
    wait_for shows 'esc to cancel\)  demo is limiting the rate of requests: Rate limit reached …$'
    tmux -S "$BATS_TEST_TMPDIR/tmux" resize-window -x 42
    wait_for shows '^Retrying \(1/5\) in [0-9]+s… \(esc to cancel\)$'
    tmux -S "$BATS_TEST_TMPDIR/tmux" resize-window -x 32
    wait_for shows '^Retrying \(1/5\) in [0-9]+s… \(esc\)$'
    keys Escape
    wait_for shows '^Cancelled'
}

@test "terminal: the status line shows the model, and Thinking" {
    on_screen '"$RECOURSE" call --model demo/slow-first-60 hello; echo status $?; "$RECOURSE" call --model demo/reasoning+trickle-900 hello'
    wait_for shows '^Waiting for demo/slow-first-60… [0-9]+s \(esc to cancel\)$'
    keys Escape
    wait_for shows '^status 130'
    run -1 shows 'Waiting for demo/slow'
    wait_for shows '^Thinking… [1-9]s \(esc to cancel\)$'
    keys Escape
    wait_for shows '^Cancelled: demo/reasoning'
}

@test "terminal: a switch stays on the screen" {
    on_screen '"$RECOURSE" call --model demo-fallback hello; echo status $?'
    wait_for shows '^status 0'
    shows '^Switching from demo/503\+tokens-1 to demo/ok: demo is overloaded$'
    screen -e | grep -qF $'\033[2mSwitching'
}

@test "terminal: NO_COLOR, TERM=dumb and a locale without UTF-8" {
    on_screen 'NO_COLOR=1 "$RECOURSE" call --model demo-fallback hello; echo status $?'
    wait_for shows '^status 0'
    run -1 bash -c 'tmux -S "$BATS_TEST_TMPDIR/tmux" capture-pane -p -e | grep -F $'"'\\033[2m'"
    keys 'clear; TERM=dumb "$RECOURSE" call --model demo-retry hello; echo dumb $?' Enter
    wait_for shows '^dumb 0'
    shows '^recourse call: demo is limiting the rate of requests: Rate limit reached'
    keys 'clear; LANG=C "$RECOURSE" call --model demo/429-retry-after-60 hello; echo ascii $?' Enter
    wait_for shows '^Retrying \(1/5\) in [0-9m ]+s\.\.\. \(esc to cancel\)'
    keys Escape
    wait_for shows '^ascii 130'
    shows '^Cancelled: demo/429-retry-after-60, 1 attempt, '
}

@test "terminal: the prompt is typed" {
    on_screen '"$RECOURSE" call --quiet --model demo/echo; echo status $?'
    wait_for shows 'type the prompt; end it with Ctrl-D'
    keys 'some words' Enter C-d
    wait_for shows '^status 0'
    [ "$(screen | grep -c '^some words$')" -eq 2 ]
}

@test "terminal: the response goes to a file, the status line to the screen" {
    on_screen '"$RECOURSE" call --model demo-retry hello >out; echo status $?; "$RECOURSE" call --model demo/429-retry-after-60 hello >none'
    wait_for shows '^status 0'
    [ "$(wc -w <out)" -eq 12 ]
    shows '2 attempts'
    wait_for shows '^Retrying \(1/5\)'
    keys Escape
    wait_for shows '^Cancelled: '
    [ ! -s none ]
}

@test "a signal ends it: 143 after SIGTERM, and nothing is left running" {
    "$RECOURSE" call --model demo/hang hello 2>err &
    ours=$!
    wait_for test -e "$default_store"
    sleep 0.2
    kill -TERM $ours
    status=0
    wait $ours || status=$?
    [ $status -eq 143 ]
    cat err
    grep -q '^recourse call: Cancelled: demo/hang' err
}

@test "a provider without a key: the message names the variable" {
    unset OPENAI_API_KEY ANTHROPIC_API_KEY ANTHROPIC_AUTH_TOKEN GEMINI_API_KEY GOOGLE_API_KEY GROQ_API_KEY
    for model in gpt-4o openai/gpt-4o; do
        run -77 --separate-stderr call --model $model hello
        echo "$stderr"
        said 'No API key for provider openai: set OPENAI_API_KEY or add'
    done
    run -77 --separate-stderr call --agent --model claude-sonnet-4-5 hello
    has '"message":"No API key for provider anthropic: set ANTHROPIC_API_KEY or add providers.anthropic.keys in recourse.yaml."'
    # A configured route is used even without a key.
    printf 'providers: {demo: {kind: demo}}\nroutes: [{model: gpt-4o, chain: [{target: demo/echo}]}]\n' >recourse.yaml
    run -0 --separate-stderr call --model gpt-4o hello
    [ "$output" = hello ]
}

@test "--agent: failures before the request are JSON too" {
    check() { # EXIT-STATUS MESSAGE ARGUMENT...
        run -"$1" --separate-stderr call --agent --model demo/ok "${@:3}" </dev/null
        echo "$output"
        [ -z "$stderr" ]
        has '"error":true'
        has "\"message\":\"$2"
    }
    check 66 'cannot read nosuch.yaml: No such file or directory"' --config nosuch.yaml hello
    check 66 'cannot read nosuch.png: No such file or directory"' --image nosuch.png hello
    check 64 'the prompt is empty: pass it as an argument or on standard input"'
    echo 'listen: 5' >bad.yaml
    check 78 'bad.yaml:1:9: listen: ' --config bad.yaml hello
}
