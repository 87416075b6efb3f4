#!/usr/bin/env bats
# shellcheck disable=SC2154 # stderr is set by run
#
# recourse mock: responses on the wire, and start and end of the server.

bats_require_minimum_version 1.5.0
load wait

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    pid=
}

teardown() {
    [ -z "$pid" ] || kill "$pid" 2>/dev/null || true
    [ -z "$pid" ] || wait "$pid" 2>/dev/null || true
}

# Starts the server on a free port; base is its address.
start() { # OPTION...
    rm -f port
    # shellcheck disable=SC2238 # talk is a file
    "$RECOURSE" mock --listen 127.0.0.1:0 --port-file port "$@" 2>talk 3>&- &
    pid=$!
    wait_for test -s port
    base=http://127.0.0.1:$(cat port)
}

use_port() { # PORT
    base=http://127.0.0.1:$1
}

stop() {
    kill -TERM "$pid"
    wait "$pid"
    pid=
}

counted() { # TEXT
    curl -sS "$base/mock/stats" >stats && grep -qF "$1" stats
}

# Sends one chat request; the body is in the file answer, the head in head.
chat() { # MODEL [STREAM] [CURL-OPTION...]
    local model=$1 stream=${2:-false}
    shift 1
    [ $# -eq 0 ] || shift
    curl -sS -m 20 -o answer -D head "$@" "$base/v1/chat/completions" \
        -d "{\"model\":\"$model\",\"stream\":$stream,\"messages\":[{\"role\":\"user\",\"content\":\"Hello you\"}]}"
}

status() { sed -n '1s/^[^ ]* \([0-9]*\).*/\1/p' head; }

# Prints the response to a request of any dialect.
post() { # PATH BODY
    curl -sS -m 20 -D head "$base$1" -d "$2"
}

@test "it prints its address, and a signal ends it with status 0" {
    start
    grep -qx "recourse mock: listening at $base" talk
    chat mock/ok
    [ "$(status)" = 200 ]
    stop
    grep -qx "POST /v1/chat/completions mock/ok: 200" talk
    start --quiet
    chat mock/503
    kill -INT "$pid"
    wait "$pid"
    pid=
    run ! grep -q POST talk
}

@test "it ends at once while a client hangs, is slow or streams" {
    start --quiet
    for model in hang slow-first-60s trickle-500+tokens-1000; do
        chat "$model" true >/dev/null 2>&1 3>&- &
    done
    wait_for counted '"requests":3,'
    stop
}

@test "K failures, then a successful response" {
    start --quiet
    chat mock/503@2 && [ "$(status)" = 503 ]
    chat mock/503@2 && [ "$(status)" = 503 ]
    chat mock/503@2 && [ "$(status)" = 200 ]
}

@test "every dialect responds, whole and as a stream" {
    start --quiet --seed 3
    messages='"messages":[{"role":"user","content":"Hello"}]'
    contents='{"contents":[{"parts":[{"text":"Hello"}]}]}'
    post /v1/chat/completions "{\"model\":\"ok\",$messages}" | grep -q '"object":"chat.completion"'
    post /v1/chat/completions "{\"model\":\"ok\",\"stream\":true,$messages}" | grep -qx 'data: \[DONE\]'
    post /v1/completions '{"model":"ok","prompt":"Hello"}' | grep -q '"object":"text_completion"'
    post /v1/responses '{"model":"ok","input":"Hello"}' | grep -q '"status":"completed"'
    post /v1/responses '{"model":"ok","input":"Hello","stream":true}' |
        grep -qx 'event: response.completed'
    post /v1/messages "{\"model\":\"ok\",\"max_tokens\":99,$messages}" | grep -q '"stop_reason":"end_turn"'
    post /v1/messages "{\"model\":\"ok\",\"max_tokens\":99,\"stream\":true,$messages}" |
        grep -qx 'event: message_stop'
    post /v1/messages/count_tokens "{\"model\":\"ok\",$messages}" | grep -qx '{"input_tokens":6}'
    post /v1beta/models/mock/ok:generateContent "$contents" | grep -q '"finishReason":"STOP"'
    post "/v1beta/models/mock/ok:streamGenerateContent?alt=sse" "$contents" | grep -q '^data: {'
    post /v1beta/models/mock/ok:streamGenerateContent "$contents" | grep -q '^\[{'
    post /v1beta/models/mock/ok:embedContent '{"content":{"parts":[{"text":"a"}]}}' |
        grep -q '"embedding":{"values":\['
    post /v1/embeddings '{"model":"ok","input":"a","dimensions":2}' | grep -q '"object":"embedding"'
    curl -sS "$base/v1/models" | grep -q '"id":"mock/trickle"'
}

@test "the same seed gives the same bytes" {
    start --quiet --seed 11
    chat reasoning true
    mv answer first
    stop
    start --quiet --seed 11
    chat reasoning true
    cmp first answer
    stop
    start --quiet --seed 12
    chat reasoning true
    run ! cmp -s first answer
}

# curl's exit codes: 52 empty reply, 56 connection reset or damaged chunks, 18 truncated
@test "connections break as configured" {
    start --quiet
    run -56 chat cut-after-2 true
    [ "$(grep -c '"content":"[^"]' answer)" = 2 ]
    run -56 chat cut-bytes-100 true
    [ "$(wc -c <answer)" = 100 ]
    run -56 chat cut-bytes-33
    [ "$(wc -c <answer)" = 33 ]
    # A reset does not discard the bytes before it, even for a slow reader.
    run -56 chat huge-8192+cut-bytes-8000000 false --limit-rate 16M
    [ "$(wc -c <answer)" = 8000000 ]
    run -18 chat fin-after-3 true
    [ "$(grep -c '"content":"[^"]' answer)" = 3 ]
    run -56 chat bad-chunk true
    run -18 chat wrong-length
    run -18 chat wrong-length true
    run -56 chat refuse
    rm -f answer
    run -28 chat hang false -m 1
    [ ! -s answer ]
    run -28 chat stall-after-1 true -m 1
    run ! grep -q DONE answer
    chat no-terminator true
    run ! grep -q DONE answer
    chat empty-stream true
    [ ! -s answer ]
    chat empty-200
    [ ! -s answer ]
}

@test "a large response arrives complete" {
    start --quiet
    chat huge-4096
    [ "$(wc -c <answer)" -gt 4194304 ]
    chat huge-2048 true
    tail -n 2 answer | grep -qx 'data: \[DONE\]'
}

@test "headers contain the wait" {
    start --quiet
    chat 429-retry-after-7
    grep -qi '^retry-after: 7' head
    chat 429-ms-1500
    grep -qi '^retry-after-ms: 1500' head
    chat 429-date-9
    grep -qiE '^retry-after: (Mon|Tue|Wed|Thu|Fri|Sat|Sun), .* GMT' head
    chat 429-reset-openai-3
    grep -qi '^x-ratelimit-reset-requests: 3s' head
    chat 429-reset-anthropic
    grep -qiE '^anthropic-ratelimit-requests-reset: [0-9]{4}-.*Z' head
    chat redirect
    [ "$(status)" = 307 ]
    grep -qi '^location: /' head
}

@test "headers contain the remaining quota" {
    start --quiet
    chat quota-left-30
    [ "$(status)" = 200 ]
    grep -qi '^x-ratelimit-limit-requests: 1000' head
    grep -qi '^x-ratelimit-remaining-requests: 30' head
    grep -qi '^x-ratelimit-reset-requests: 60000ms' head
    post /v1/messages '{"model":"503+quota-left-0","max_tokens":9,"messages":[{"role":"user","content":"a"}]}'
    [ "$(status)" = 503 ]
    grep -qi '^anthropic-ratelimit-requests-limit: 1000' head
    grep -qi '^anthropic-ratelimit-requests-remaining: 0' head
    grep -qiE '^anthropic-ratelimit-requests-reset: [0-9]{4}-.*Z' head
    post /v1beta/models/quota-left-1:generateContent '{"contents":[{"role":"user","parts":[{"text":"a"}]}]}'
    [ "$(status)" = 200 ]
    run ! grep -qi ratelimit head
    chat ok
    run ! grep -qi ratelimit head
}

@test "explain recognises its responses" {
    start --quiet
    for pair in 429-retry-after-7:RateLimited quota:QuotaExhausted 400-overflow:ContextOverflow \
        404-model:ModelNotFound html-502:Provider5xx; do
        chat "${pair%:*}"
        run -0 --separate-stderr bash -c 'cat head answer | "$RECOURSE" explain --format json || true'
        [[ $output == *"\"error_code\":\"${pair#*:}\""* ]]
    done
}

@test "an unknown model name: the nearest is suggested" {
    start --quiet
    chat mock/cut-aftr-3
    [ "$(status)" = 404 ]
    grep -q 'did you mean cut-after?' answer
}

@test "statistics count the requests and show no key" {
    start --quiet
    chat tokens-5 false -H 'Authorization: Bearer sk-planted-0123456789-WXYZ'
    chat tokens-7+cut-after-3 true || true
    chat stall-after-2 true -m 1 || true
    wait_for counted '"disconnects":1,'
    grep -q '"requests":3,' stats
    grep -q '"tokens_out":10,' stats
    grep -q '"disconnects":1,' stats
    grep -q -- '-WXYZ' stats
    run ! grep -q planted stats
    run ! grep -q 'Hello' stats
    [ "$(curl -sS -X POST "$base/mock/reset")" = '{"reset":true}' ]
    curl -sS "$base/mock/stats" | grep -q '^{"requests":0,'
}

@test "a scenario decides by key, rule and limit" {
    cat >faults.yaml <<'END'
keys:
  - {name: dead, ends: "1111", do: 401}
  - {name: slow, ends: "2222", requests_per_min: 2}
rules:
  - {when: {model: "gpt-*", nth: 1}, do: 503-retry-after-1}
  - {when: {model: "gpt-*"}, do: ok}
END
    start --quiet --scenario faults.yaml
    chat ok && [ "$(status)" = 401 ]
    chat ok false -H 'x-api-key: sk-1111' && [ "$(status)" = 401 ]
    chat gpt-4o false -H 'x-api-key: sk-2222' && [ "$(status)" = 503 ]
    chat gpt-4o false -H 'x-api-key: sk-2222' && [ "$(status)" = 200 ]
    grep -qi '^x-ratelimit-remaining-requests: 0' head
    chat gpt-4o false -H 'x-api-key: sk-2222' && [ "$(status)" = 429 ]
    grep -qi '^retry-after: ' head
}

@test "a script is played in real time, each provider at a port of its own" {
    cat >down.yaml <<'END'
duration_ms: 60s
providers:
  - name: primary
    limits: {requests_per_min: 60, burst_ms: 2s}
    faults: [{kind: refuse, from_ms: 0, until_ms: 60s}]
  - name: backup
    fails_in_ms: 0
    faults: [{kind: outage, from_ms: 0, until_ms: 60s, retry_after_ms: 4s}]
END
    start --script down.yaml
    mapfile -t ports <port
    [ "${#ports[@]}" = 3 ]
    grep -qx "recourse mock: backup at http://127.0.0.1:${ports[2]}" talk
    run -7 curl -sS -m 20 "http://127.0.0.1:${ports[1]}/v1/models" # connection refused
    use_port "${ports[2]}"
    chat any
    [ "$(status)" = 503 ]
    grep -qi '^retry-after: 4' head
    counted '"name":"backup","calls":1,"served":0,"outage":1,'
    [ "$(curl -sS -X POST "$base/mock/reset")" = '{"reset":true}' ]
    counted '"name":"backup","calls":0,'
    stop
    # A scenario of the simulator has the same faults in both commands.
    sed -i 's/kind: outage/kind: outrage/' down.yaml
    run -65 --separate-stderr "$RECOURSE" mock --script down.yaml
    [[ $stderr == "down.yaml:"*"outage"* ]]
    run -64 --separate-stderr "$RECOURSE" mock --script outag
    [[ $stderr == "recourse: mock: "*"outage"* || $stderr == *"did you mean outage?"* ]]
}

@test "faults are reported before the start" {
    printf 'rules:\n  - do: stal\n' >bad.yaml
    run -65 --separate-stderr "$RECOURSE" mock --scenario bad.yaml
    [[ $stderr == "bad.yaml:2:"*"did you mean stall?"* ]]
    run -66 --separate-stderr "$RECOURSE" mock --scenario none.yaml
    run -64 --separate-stderr "$RECOURSE" mock --listen nowhere
    run -64 --separate-stderr "$RECOURSE" mock --listen 127.0.0.1:70000
    run -74 --separate-stderr "$RECOURSE" mock --listen 127.0.0.1:0 --port-file no/such/folder
    start --quiet
    run -69 --separate-stderr "$RECOURSE" mock --listen "${base#http://}"
    [[ $stderr == *"cannot listen at 127.0.0.1:"* ]]
}

@test "several requests use one connection, and a too large body is refused" {
    start --quiet
    body='{"model":"ok","messages":[]}'
    curl -sS -o a -o b -w '%{num_connects}\n' -d "$body" \
        "$base/v1/chat/completions" "$base/v1/chat/completions" >connects
    [ "$(tr '\n' ' ' <connects)" = "1 0 " ]
    head -c 34000000 /dev/zero >zeros
    [ "$(curl -sS -o /dev/null -w '%{http_code}' --data-binary @zeros "$base/v1/chat/completions")" = 413 ]
    [ "$(curl -sS -o /dev/null -w '%{http_code}' "$base/v1/chat/completions")" = 405 ]
    [ "$(curl -sS -o /dev/null -w '%{http_code}' -d '{' "$base/v1/chat/completions")" = 400 ]
    [ "$(curl -sS -o /dev/null -w '%{http_code}' "$base/nowhere")" = 404 ]
}

@test "the help names every behaviour" {
    run -0 "$RECOURSE" mock --help
    for word in 429-retry-after stall-after cut-bytes start-then-overloaded tool-call; do
        [[ $output == *"$word"* ]]
    done
}
