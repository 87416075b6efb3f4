#!/usr/bin/env bats
# shellcheck disable=SC2030,SC2031,SC2154,SC2238,SC2317 # every test is a shell of its own; run sets stderr; head is a file
#
# recourse serve: what a client sees while providers fail. The provider is recourse mock.

bats_require_minimum_version 1.5.0
load wait

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    pids=()
    export KEY_1=key-1111 KEY_2=key-2222 TOKEN=token-of-app
}

# Ends the servers; a sanitizer reports leaks here.
teardown() {
    local result=0
    for pid in "${pids[@]}"; do
        kill -TERM "$pid" 2>/dev/null || continue
        wait "$pid" || result=$?
    done
    [ "$result" = 0 ] || cat ./*.talk
    return "$result"
}

# Starts a server and waits for its port, which is then in $port.
start() { # NAME COMMAND...
    local name=$1
    shift
    rm -f "$name.port"
    "$RECOURSE" "$@" --port-file "$name.port" 2>"$name.talk" 3>&- &
    pids+=($!)
    wait_for test -s "$name.port"
    port=$(cat "$name.port")
}

mock() { # OPTION...
    start mock mock --listen 127.0.0.1:0 --quiet "$@"
    up=http://127.0.0.1:$port
}

# Starts a gateway with these routes and other settings; base is its address.
gate() { # ROUTES [MORE]
    gates=$((${gates:-0} + 1))
    cat >recourse.yaml <<YAML
listen: 127.0.0.1:0
admin: {listen: "off"}
store: sqlite:audit-$gates.db
providers:
  up: {kind: openai, base_url: "$up/v1", keys: [env:KEY_1]}
  two: {kind: openai, base_url: "$up/v1", keys: [env:KEY_1, env:KEY_2]}
  claude: {kind: anthropic, base_url: "$up", keys: [env:KEY_1]}
  google: {kind: gemini, base_url: "$up", keys: [env:KEY_1]}
policies:
  fast: {max_attempts: 3, backoff: fixed, base_ms: 5, jitter: none}
$2
routes:
$1
YAML
    start gate serve --config recourse.yaml --log human
    gate_pid=${pids[-1]}
    base=http://127.0.0.1:$port
}

any='  - {model: "*", chain: [{target: up/*}], policy: fast}'

# Sends one chat request; the body is in the file answer, the head in head.
chat() { # MODEL [STREAM] [CURL-OPTION...]
    local model=$1 stream=${2:-false}
    shift 1
    [ $# -eq 0 ] || shift
    curl -sS -m 30 -o answer -D head "$@" "$base/v1/chat/completions" \
        -d "{\"model\":\"$model\",\"stream\":$stream,\"messages\":[{\"role\":\"user\",\"content\":\"Hello you\"}]}"
}

status() { sed -n '1s/^[^ ]* \([0-9]*\).*/\1/p' head; }
header() { tr -d '\r' <head | sed -n "s/^$1: //p"; }
has() { grep -qF -- "$1" answer; }
requests() { curl -sS "$up/mock/stats" | grep -o '"requests":[0-9]*' | head -1 | grep -o '[0-9]*'; }

@test "a temporary failure is hidden: one 200, two attempts" {
    mock
    gate "$any"
    chat mock/503@1
    [ "$(status)" = 200 ]
    [ "$(header x-recourse-attempts)" = 2 ]
    [ "$(header x-recourse-target)" = up/mock/503@1 ]
    [[ "$(header x-recourse-request-id)" == req_* ]]
    has '"finish_reason":"stop"'
    [ "$(requests)" = 2 ]
}

@test "a body that arrives after its head does not change the head" {
    mock
    gate "$any"
    for wait in 0 0.2; do
        exec 4<>"/dev/tcp/127.0.0.1/$port"
        local body='{"model":"mock/ok","messages":[{"role":"user","content":"Hello, hello, hello, hello, hello, hello"}]}'
        printf 'POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nx-note: %s\r\nconnection: close\r\ncontent-length: %s\r\n\r\n' \
            "a-note-of-mine" "${#body}" >&4
        sleep "$wait"
        printf %s "$body" >&4
        cat <&4 >head
        exec 4>&-
        [ "$(status)" = 200 ]
    done
    curl -sS "$up/mock/stats" | grep -q x-note
}

@test "a lasting failure is returned once, typed, with all attempts" {
    mock
    gate "$any"
    chat mock/500
    [ "$(status)" = 502 ]
    [ "$(header x-recourse-attempts)" = 3 ]
    [ "$(header x-recourse-error-code)" = Provider5xx ]
    [ "$(header x-should-retry)" = false ]
    has '"retry_exhausted":true'
    [ "$(requests)" = 3 ]
}

@test "a fatal failure is not retried and not hidden by the next target" {
    mock
    gate '  - {model: chain, policy: fast, chain: [{target: up/mock/400}, {target: up/mock/ok}]}'
    chat chain
    [ "$(status)" = 400 ]
    [ "$(header x-recourse-error-code)" = InvalidRequest ]
    [ "$(requests)" = 1 ]
}

@test "the next target responds when the first has no attempts left" {
    mock
    gate '  - {model: chain, policy: fast, chain: [{target: up/mock/500, tries: 2}, {target: up/mock/ok}]}'
    curl -sS -m 30 -o answer -D head "$base/v1/responses" -d '{"model":"chain","input":"Hello"}'
    [ "$(status)" = 200 ]
    [ "$(header x-recourse-target)" = up/mock/ok ]
    [ "$(header x-recourse-attempts)" = 3 ]
    has '"status":"completed"'
}

@test "an exhausted quota leads to the next key, then to the next target" {
    cat >faults.yaml <<YAML
unknown_keys: allow
keys:
  - {name: first, ends: "1111", do: quota}
YAML
    mock --scenario faults.yaml
    gate '  - {model: keys, policy: fast, chain: [{target: two/ok}]}'
    chat keys
    [ "$(status)" = 200 ]
    [ "$(header x-recourse-attempts)" = 2 ]
    [ "$(header x-recourse-target)" = two/ok ]
    # The cooldowns apply to the next request.
    chat keys
    [ "$(header x-recourse-attempts)" = 1 ]
}

@test "an exhausted quota of the only key leads to the next target" {
    mock
    gate '  - {model: targets, policy: fast, chain: [{target: up/mock/quota}, {target: up/mock/ok}]}'
    chat targets
    # The key is exhausted for all models of its provider, so no target is left.
    [ "$(status)" != 200 ]
    [ "$(header x-recourse-error-code)" = QuotaExhausted ]
    gate '  - {model: targets, policy: fast, chain: [{target: up/mock/quota}, {target: two/mock/ok}]}'
    chat targets
    [ "$(status)" = 200 ]
    [ "$(header x-recourse-target)" = two/mock/ok ]
}

@test "an error in a 200 is an error" {
    mock
    gate '  - {model: chain, policy: fast, chain: [{target: up/mock/200-with-error, tries: 1}, {target: two/mock/ok}]}'
    chat chain
    [ "$(status)" = 200 ]
    [ "$(header x-recourse-target)" = two/mock/ok ]
    has '"finish_reason":"stop"'
}

@test "an empty, truncated or damaged response is retried" {
    mock
    gate "$any"
    for model in empty-200 truncated-json wrong-length bad-chunk refuse cut-bytes-50; do
        chat "mock/$model@1"
        [ "$(status)" = 200 ]
        [ "$(header x-recourse-attempts)" = 2 ]
        has '"finish_reason":"stop"'
    done
}

@test "a stream that fails before its first content is retried without the client noticing" {
    mock
    gate "$any"
    for model in stream-error-first start-then-overloaded empty-stream 503; do
        chat "mock/$model@1" true
        [ "$(status)" = 200 ]
        [ "$(header x-recourse-attempts)" = 2 ]
        [ "$(grep -c '"role":"assistant"' answer)" = 1 ]
        [ "$(tail -n 2 answer | head -n 1)" = "data: [DONE]" ]
        run ! grep -q '"error"' answer
    done
}

@test "a stream that fails after content ends with the dialect's error and is not retried" {
    mock
    gate "$any"
    local count=0
    for model in cut-after-5 fin-after-5 stream-error-after-5; do
        count=$((count + 1))
        chat "mock/$model" true
        [ "$(status)" = 200 ]
        [ "$(header x-recourse-attempts)" = 1 ]
        tail -n 2 answer | grep -q '^data: {"error":{.*"recourse":{.*"error_code":"'
        run ! grep -q DONE answer
        [ "$(requests)" = "$count" ]
    done
    grep -q 'interrupted' gate.talk
}

@test "Anthropic's and Gemini's clients get errors and streams in their dialect" {
    mock
    gate '  - {model: "claude*", policy: fast, chain: [{target: claude/mock/cut-after-2}]}
  - {model: "gemini*", policy: fast, chain: [{target: google/mock/cut-after-2}]}
  - {model: "x*", policy: fast, chain: [{target: google/mock/400}]}'
    curl -sS -m 30 -o answer -D head "$base/v1/messages" \
        -d '{"model":"claude-x","stream":true,"max_tokens":50,"messages":[{"role":"user","content":"Hi"}]}'
    [ "$(status)" = 200 ]
    grep -q '^event: error' answer
    run ! grep -q message_stop answer
    local say='{"contents":[{"role":"user","parts":[{"text":"Hi"}]}]}'
    curl -sS -m 30 -o answer "$base/v1beta/models/gemini-x:streamGenerateContent?alt=sse" -d "$say"
    grep -q '^data: {"error":{"code":502' answer
    # A JSON array stays valid, with the error as its last element.
    curl -sS -m 30 -o answer "$base/v1beta/models/gemini-x:streamGenerateContent" -d "$say"
    tail -c 1 answer | grep -q ']'
    has '"error_code":"StreamInterrupted"'
    curl -sS -m 30 -o answer -D head "$base/v1beta/models/x:generateContent" -d "$say"
    [ "$(status)" = 400 ]
    has '"status":"INVALID_ARGUMENT"'
}

@test "successful responses of all dialects pass unchanged" {
    mock
    gate '  - {model: "m", policy: fast, chain: [{target: up/mock/ok}]}
  - {model: "c", policy: fast, chain: [{target: claude/mock/ok}]}
  - {model: "g", policy: fast, chain: [{target: google/mock/ok}]}'
    local say='{"contents":[{"role":"user","parts":[{"text":"Hi"}]}]}'
    post() { # PATH BODY
        curl -sS -m 30 -o answer -D head "$base$1" -d "$2"
        [ "$(status)" = 200 ]
        [ "$(header x-recourse-attempts)" = 1 ]
    }
    for stream in true false; do
        post /v1/chat/completions "{\"model\":\"m\",\"stream\":$stream,\"messages\":[]}"
        post /v1/completions "{\"model\":\"m\",\"stream\":$stream,\"prompt\":\"Hi\"}"
        post /v1/responses "{\"model\":\"m\",\"stream\":$stream,\"input\":\"Hi\"}"
        post /v1/messages "{\"model\":\"c\",\"stream\":$stream,\"max_tokens\":9,\"messages\":[]}"
    done
    post /v1/embeddings '{"model":"m","input":"Hi"}'
    post /v1/messages/count_tokens '{"model":"c","messages":[]}'
    post /v1beta/models/g:generateContent "$say"
    post "/v1beta/models/g:streamGenerateContent?alt=sse" "$say"
    post /v1beta/models/g:streamGenerateContent "$say"
}

@test "the deadline is enforced: a hanging provider gives a typed 504" {
    mock
    gate "$any"
    chat mock/hang false -H "x-recourse-deadline-ms: 300"
    [ "$(status)" = 504 ]
    [ "$(header x-recourse-error-code)" = DeadlineExceeded ]
    # Within a stream the deadline gives an error event and no normal end.
    chat mock/stall-after-1 true -H "x-recourse-deadline-ms: 1500"
    [ "$(status)" = 200 ]
    has '"error_code":"DeadlineExceeded"'
    run ! grep -q DONE answer
}

@test "a missing first token and a long pause are failures" {
    mock
    gate '  - {model: first, policy: fast, timeouts: {connect_ms: 2000, first_byte_ms: 20000, idle_ms: 1000}, chain: [{target: up/mock/keepalive-3+stall-after-0, tries: 1}, {target: two/mock/ok}]}
  - {model: pause, policy: fast, timeouts: {connect_ms: 1000, first_byte_ms: 20000, idle_ms: 100}, chain: [{target: up/mock/stall-after-1, tries: 1}, {target: two/mock/ok}]}'
    chat first true
    [ "$(header x-recourse-target)" = two/mock/ok ]
    chat pause true
    [ "$(header x-recourse-target)" = up/mock/stall-after-1 ]
    has '"error":{'
    run ! grep -q DONE answer
}

@test "a wait beyond the deadline is not started: the client gets the hint" {
    mock
    gate "$any"
    chat mock/429-retry-after-60 false -H "x-recourse-deadline-ms: 20000"
    [ "$(status)" = 429 ]
    [ "$(header x-recourse-attempts)" = 1 ]
    [ "$(header retry-after)" -ge 59 ]
    # All targets are cooling down: the next request is refused without an attempt.
    chat mock/429-retry-after-60 false -H "x-recourse-deadline-ms: 20000"
    [ "$(status)" = 429 ]
    [ "$(header x-recourse-error-code)" = RateLimited ]
    [ "$(header retry-after)" -ge 50 ]
    [ "$(requests)" = 1 ]
}

@test "a client that disconnects cancels its upstream call" {
    mock
    gate "$any"
    run ! curl -sS -m 1 -o answer "$base/v1/chat/completions" -d '{"model":"mock/hang","messages":[]}'
    left() { curl -sS "$up/mock/stats" | grep -q '"disconnects":1'; }
    wait_for left
    run ! curl -sS -m 1 -o answer "$base/v1/chat/completions" \
        -d '{"model":"mock/trickle-100+tokens-1000","stream":true,"messages":[]}'
    left() { curl -sS "$up/mock/stats" | grep -q '"disconnects":2'; }
    wait_for left
}

@test "a slow client gets a large stream completely" {
    mock
    gate "$any"
    chat mock/huge-2048 true --limit-rate 4M
    [ "$(status)" = 200 ]
    [ "$(wc -c <answer)" -gt 2000000 ]
    [ "$(tail -n 2 answer | head -n 1)" = "data: [DONE]" ]
    chat mock/huge-2048 false
    [ "$(status)" = 200 ]
    [ "$(wc -c <answer)" -gt 2000000 ]
    tail -c 2 answer | grep -q '}}'
    # A stream that cannot be finished is cut, not ended normally.
    run ! chat mock/huge-2048+cut-bytes-1000000 false
}

@test "refusals use the client's dialect" {
    mock
    gate '  - {model: known, chain: [{target: up/mock/ok}]}' 'limits: {max_body_bytes: 1024}'
    chat unknown
    [ "$(status)" = 404 ]
    [ "$(header x-recourse-error-code)" = ModelNotFound ]
    chat nobody/known
    [ "$(status)" = 404 ]
    curl -sS -o answer -D head "$base/v2/else" -d '{}'
    [ "$(status)" = 404 ]
    [ "$(header x-recourse-error-code)" = EndpointNotFound ]
    chat known false -H "x-recourse-deadline-ms: soon"
    [ "$(status)" = 400 ]
    chat known false -H "x-recourse-policy: none-such"
    [ "$(status)" = 400 ]
    curl -sS -o answer -D head "$base/v1/messages" -d "{\"model\":\"known\",\"x\":\"$(head -c 3000 /dev/zero | tr '\0' x)\"}"
    [ "$(status)" = 413 ]
    has '"type":"error"'
    curl -sS -o answer -D head -H "Transfer-Encoding: chunked" -H "accept: application/problem+json" "$base/v1/messages" \
        -d "{\"model\":\"known\",\"x\":\"$(head -c 3000 /dev/zero | tr '\0' x)\"}"
    [ "$(status)" = 413 ]
    [ "$(header content-type)" = application/problem+json ]
    # The provider's API cannot continue a turn of the assistant.
    curl -sS -o answer -D head "$base/v1/messages" \
        -d '{"model":"known","max_tokens":5,"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]}'
    [ "$(header x-recourse-error-code)" = UnsupportedFeature ]
    has '"type":"error"'
    [ "$(requests)" = 0 ]
}

@test "tokens: only clients are served, and keys and tokens are not forwarded" {
    mock
    gate "$any" 'clients: [{name: app, token: env:TOKEN}]'
    chat mock/ok
    [ "$(status)" = 401 ]
    chat mock/ok false -H "authorization: Bearer wrong"
    [ "$(status)" = 401 ]
    chat mock/ok false -H "authorization: Bearer $TOKEN"
    [ "$(status)" = 200 ]
    chat mock/401 false -H "authorization: Bearer $TOKEN"
    cat answer head gate.talk >all
    curl -sS "$up/mock/stats" >>all
    run ! grep -q "$KEY_1\|$TOKEN" all
}

@test "a missing key is reported at the start" {
    up=http://127.0.0.1:9
    cat >recourse.yaml <<YAML
providers: {up: {kind: openai, base_url: "$up/v1", keys: [env:NO_SUCH_KEY]}}
routes: [{model: "*", chain: [{target: up/*}]}]
YAML
    run -78 --separate-stderr "$RECOURSE" serve --listen 127.0.0.1:0
    [ "$stderr" = "recourse serve: no API key for provider up: the variable NO_SUCH_KEY is not set; create it, or correct the reference in the configuration" ]
}

@test "health, readiness and the list of models" {
    mock
    gate '  - {model: named, chain: [{target: up/gpt-4o}]}
  - {model: "*", chain: [{target: up/*}]}'
    [ "$(curl -sS "$base/healthz")" = ok ]
    [ "$(curl -sS "$base/readyz")" = ok ]
    # HEAD gives the head of GET; the connection stays usable.
    for path in healthz v1/models v1/models/named; do
        curl -sS "$base/$path" -o whole
        curl -sS -I "$base/$path" --next -sS "$base/healthz" >head
        [ "$(status)" = 200 ]
        [ "$(header '[Cc]ontent-[Ll]ength')" = "$(stat -c %s whole)" ]
        [ "$(tail -n 1 head)" = ok ]
    done
    curl -sS -o answer -D head -X DELETE "$base/v1/models"
    [ "$(status)" = 405 ]
    [ "$(header allow)" = "GET, HEAD" ]
    curl -sS "$base/v1/models" >answer
    has '"id":"named"'
    run ! grep -qF 'up/' answer
    run ! grep -qF '*' answer
    # A single model is returned; a model that matches a wildcard exists, too.
    curl -sS "$base/v1/models/named" >answer
    created=$(sed -n 's/.*"created":\([0-9]*\),.*/\1/p' answer)
    [ "$(cat answer)" = '{"id":"named","object":"model","created":'"$created"',"owned_by":"up"}' ]
    [ "$created" -gt 1700000000 ]
    curl -sS "$base/v1/models/up/any-other" >answer
    has '"id":"up/any-other"'
    # The error is in the client's dialect, although no model here uses this dialect.
    [ "$(curl -sS -H 'anthropic-version: 2023-06-01' "$base/v1/models")" = '{"data":[],"has_more":false}' ]
    [ "$(curl -sS "$base/v1beta/models")" = '{"models":[]}' ]
}

@test "for a wildcard route the known models are listed, and no targets" {
    mock
    printf 'as_of: 2026-11-01\nbuilt_in: false\nprices: [{kind: openai, model: gpt-mine, input: 1, output: 1}]\n' >prices.yaml
    gate '  - {model: "x-*", chain: [{target: up/x-1}]}
  - {model: "*", overflow_to: up/large, chain: [{target: up/*}, {target: up/spare}]}
prices: prices.yaml'
    curl -sS "$base/v1/models" >answer
    [ "$(python3 -c 'import json; print(*(m["id"] for m in json.load(open("answer"))["data"]))')" = "x-1 gpt-mine" ]
    curl -sS "$base/v1/models/gpt-any" >answer
    has '"id":"gpt-any"'
}

@test "--admin sets the address of the admin server" {
    mock
    gate '  - {model: any, chain: [{target: up/x}]}'
    sed 's/audit-1\.db/audit-2.db/' recourse.yaml >other.yaml
    for wrong in here 127.0.0.1:99999; do
        run -64 --separate-stderr "$RECOURSE" serve --config other.yaml --admin "$wrong"
        [[ "$stderr" == *"--admin must be HOST:PORT or off, not $wrong"* ]]
    done
    # Beyond this machine the admin server needs a token, also with --admin.
    run -69 --separate-stderr "$RECOURSE" serve --config other.yaml --admin 0.0.0.0:0
    [[ "$stderr" == *"admin.token is missing"* ]]
    start other serve --config other.yaml --listen 127.0.0.1:0 --admin 127.0.0.1:0 --log human
    admin=$(sed -n "s/.*admin interface at //p" other.talk)
    [ "$(curl -sS -o /dev/null -w '%{http_code}' "$admin/metrics")" = 200 ]
}

@test "retries do not multiply: failures that a gateway behind this one gave up on are not retried" {
    mock
    gate '  - {model: down, policy: fast, chain: [{target: up/mock/502}]}'
    inner=$base
    cat >outer.yaml <<YAML
store: sqlite:outer.db
providers:
  inner: {kind: openai_compatible, base_url: "$inner/v1"}
  up: {kind: openai_compatible, base_url: "$up/v1"}
policies: {fast: {max_attempts: 3, backoff: fixed, base_ms: 5, jitter: none}}
routes:
  - {model: down, policy: fast, chain: [{target: inner/down}]}
  - {model: elsewhere, policy: fast, chain: [{target: inner/down}, {target: up/mock/ok}]}
YAML
    start outer serve --config outer.yaml --listen 127.0.0.1:0 --admin off
    base=http://127.0.0.1:$port
    chat down
    [ "$(header x-recourse-attempts)" = 1 ]
    [ "$(header x-should-retry)" = false ]
    [ "$(curl -sS "$up/mock/stats" | grep -o '"requests":[0-9]*' | head -1)" = '"requests":3' ]
    # "Do not retry" applies only to the target that sent it.
    chat elsewhere
    [ "$(status)" = 200 ]
    [ "$(header x-recourse-target)" = up/mock/ok ]
}

@test "a provider has the name of the configuration" {
    mock
    gate '  - {model: spent, policy: fast, chain: [{target: up/mock/quota}]}'
    chat spent
    has '"message":"The quota or credit with up is used up: You exceeded your current quota'
    has '"provider":"up"'
}

@test "every dialect lists its models" {
    mock
    cat >recourse.yaml <<EOF
audit: {durability: off}
providers:
  a: {kind: openai, base_url: "http://127.0.0.1:$port/v1"}
  b: {kind: anthropic, base_url: "http://127.0.0.1:$port"}
  c: {kind: gemini, base_url: "http://127.0.0.1:$port"}
routes:
  - {model: all-a, chain: [{target: a/x}]}
  - {model: all-b, chain: [{target: b/x}]}
  - {model: all-c, chain: [{target: c/x}]}
EOF
    start gate serve --config recourse.yaml --listen 127.0.0.1:0 --admin off
    base=http://127.0.0.1:$port
    names() { # PATH [CURL-ARGUMENT...]
        curl -sS "${@:2}" "$base$1" | grep -oE '"(id|name)":"[^"]*"' | cut -d'"' -f4 | tr '\n' ' '
    }
    [ "$(names /v1/models)" = "all-a all-b all-c " ]
    [ "$(names /v1/models -H 'anthropic-version: 2023-06-01')" = "all-b " ]
    [ "$(names /v1beta/models)" = "models/all-c " ]
    # An unknown id gives an error of the dialect.
    curl -sS "$base/v1/models/nobody" >answer
    has '"code":"model_not_found"'
    curl -sS -H 'anthropic-version: 2023-06-01' "$base/v1/models/nobody" >answer
    has '"type":"not_found_error"'
    curl -sS "$base/v1beta/models/nobody" >answer
    has '"status":"NOT_FOUND"'
}

@test "without a configuration there is a built-in demo" {
    export HOME=$PWD XDG_CONFIG_HOME=$PWD
    unset OPENAI_API_KEY ANTHROPIC_API_KEY ANTHROPIC_AUTH_TOKEN GEMINI_API_KEY GOOGLE_API_KEY
    start gate serve --listen 127.0.0.1:0 --admin 127.0.0.1:0 --log human
    gate_pid=${pids[-1]}
    base=http://127.0.0.1:$port
    wait_for grep -qF "The audit is in $default_store." gate.talk
    chat demo/500@1 false -H "x-recourse-policy: session"
    [ "$(status)" = 200 ]
    [ "$(header x-recourse-attempts)" = 2 ]
    [ "$(header x-recourse-target)" = demo/500@1 ]
    chat demo/cut-after-2 true
    has '"error_code":"StreamInterrupted"'
    chat demo/huge-2048 true --limit-rate 4M
    [ "$(tail -n 2 answer | head -n 1)" = "data: [DONE]" ]
    curl -sS -m 30 -o answer "$base/v1/messages" -d '{"model":"demo/ok","max_tokens":5,"messages":[]}'
    has '"type":"message"'
    curl -sS -m 30 -o answer "$base/v1beta/models/ok:generateContent" -d '{"contents":[]}'
    has '"candidates"'
    run ! curl -sS -m 1 -o answer "$base/v1/chat/completions" -d '{"model":"demo/hang","messages":[]}'
    kill -TERM "$gate_pid"
    wait "$gate_pid"
}

@test "without store the audit is in the state folder; a second gateway is told to use another file" {
    printf 'listen: 127.0.0.1:0\nadmin: {listen: "off"}\nproviders: {demo: {kind: demo}}\n' >recourse.yaml
    touch recourse.db
    start gate serve --log json
    [ -s "$default_store" ]
    [ ! -s recourse.db ]
    wait_for grep -qF '"event":"store_default","message":"recourse.db in the current folder is not used: ' gate.talk
    mkdir other
    cp recourse.yaml other
    cd other
    run -78 --separate-stderr "$RECOURSE" serve
    echo "$stderr"
    [[ $stderr == *"$default_store: another process writes this file"*"give this process its own file: store: sqlite:PATH"* ]]
    echo 'store: sqlite:own.db' >>recourse.yaml
    start own serve --log json
    [ -s own.db ]
    run ! grep -q store_default own.talk
    cd "$OLDPWD"
}

@test "a signal waits for requests in flight, a second one does not" {
    mock
    gate "$any"
    chat mock/trickle-50+tokens-20 true &
    local client=$!
    asked() { [ "$(requests)" = 1 ]; }
    wait_for asked
    kill -TERM "$gate_pid"
    wait "$client"
    [ "$(tail -n 2 answer | head -n 1)" = "data: [DONE]" ]
    wait "$gate_pid"
    gate "$any"
    chat mock/hang >/dev/null 2>&1 &
    client=$!
    asked() { [ "$(requests)" = 2 ]; }
    wait_for asked
    kill -TERM "$gate_pid"
    refused() { ! curl -sS -m 5 "$base/healthz" 2>/dev/null; }
    wait_for refused
    kill -TERM "$gate_pid"
    wait "$gate_pid"
    run ! wait "$client"
}

@test "a systemd credential is used as a key; without its folder the gateway reports it" {
    echo "{unknown_keys: refuse, keys: [{name: one, ends: \"9999\"}]}" >keys.yaml
    mock --scenario keys.yaml
    mkdir credentials
    (umask 077 && echo key-9999 >credentials/up-key)
    cat >recourse.yaml <<YAML
listen: 127.0.0.1:0
admin: {listen: "off"}
providers: {up: {kind: openai, base_url: "$up/v1", keys: [credential:up-key]}}
routes: [{model: "*", chain: [{target: up/*}]}]
YAML
    run -78 --separate-stderr "$RECOURSE" serve --config recourse.yaml
    [[ $stderr == *"no API key for provider up: the credential up-key was not passed by systemd"* ]]
    CREDENTIALS_DIRECTORY=$PWD/credentials start gate serve --config recourse.yaml --log human
    base=http://127.0.0.1:$port
    chat mock/ok
    [ "$(status)" = 200 ]
}

@test "a moved log file is created again on SIGHUP" {
    mock
    gate "$any" 'log: {format: json, file: gate.log}'
    kill -TERM "$gate_pid" && wait "$gate_pid"
    unset 'pids[-1]'
    start gate serve --config recourse.yaml
    base=http://127.0.0.1:$port
    chat mock/ok
    logged() { grep -q '"event":"request"' gate.log; }
    wait_for logged
    mv gate.log gate.log.1
    kill -HUP "${pids[-1]}"
    reloaded() { [ -s gate.log ] && grep -q '"event":"reloaded"' gate.log; }
    wait_for reloaded
    chat mock/ok
    wait_for logged
    [ "$(grep -c '"event":"request"' gate.log.1)" = 1 ]
}

@test "the log names the origin of the shutdown" {
    for signal in INT TERM; do
        gate_with json '2>log' "env --default-signal=INT"
        kill -$signal "$gate_pid"
        wait "$gate_pid"
        grep '"event":"draining"' log
        grep -q "\"message\":\"a signal (SIG$signal) requested the shutdown: no new requests; exit after the requests in flight\"" log
    done
    gate_with human '2>log'
    curl -sS --unix-socket admin.sock -X POST -H 'x-recourse-admin: 1' http://localhost/admin/v1/drain
    wait "$gate_pid"
    cat log
    grep -q "^recourse serve: the admin interface requested the shutdown: " log
}

# Starts a gateway with the given redirection of standard error; its admin server listens on a socket.
gate_with() { # FORMAT REDIRECTION [COMMAND]
    rm -f gate.port admin.sock
    cat >recourse.yaml <<YAML
listen: 127.0.0.1:0
admin: {listen: "off", socket: $PWD/admin.sock}
store: sqlite:audit-log.db
providers: {demo: {kind: demo}}
YAML
    bash -c "exec ${3-} \"\$0\" serve --config recourse.yaml --log $1 --port-file gate.port $2" "$RECOURSE" 3>&- &
    gate_pid=$!
    pids+=("$gate_pid")
    wait_for test -s gate.port
    base=http://127.0.0.1:$(cat gate.port)
}

dropped() { curl -sS --unix-socket admin.sock http://localhost/metrics | sed -n 's/^recourse_log_dropped_total //p'; }

@test "log lines that cannot be written are all counted" {
    for format in json human; do
        for where in '2>/dev/full' '2>&-'; do
            echo "$format $where"
            gate_with $format "$where"
            for _ in 1 2 3; do
                chat demo/ok
                [ "$(status)" = 200 ]
            done
            # Two lines about listeners, and three requests.
            all() { [ "$(dropped)" = 5 ]; }
            wait_for all
            kill -TERM "$gate_pid"
            wait "$gate_pid"
        done
    done
    gate_with json '2>log'
    chat demo/ok
    logged() { grep -q request_id log; }
    wait_for logged
    [ "$(dropped)" = 0 ]
}

@test "the audit can be copied while it is being written" {
    command -v sqlite3 || skip "there is no sqlite3"
    mock
    gate "$any"
    for _ in 1 2 3; do chat mock/503@1; done
    sqlite3 -readonly audit-1.db "VACUUM INTO 'copy.db'"
    run -0 "$RECOURSE" audit check --store copy.db
    run -0 "$RECOURSE" audit list --store copy.db --format json
    [[ $output == *mock/503@1* ]]
}

@test "a page of another origin cannot use a gateway without tokens" {
    mock
    gate "$any"
    chat mock/ok false -H "Origin: https://evil.example"
    [ "$(status)" = 403 ]
    has '"error_code":"PermissionDenied"'
    chat mock/ok false -H "Sec-Fetch-Site: cross-site"
    [ "$(status)" = 403 ]
    chat mock/ok false -H "Origin: http://localhost.evil.example"
    [ "$(status)" = 403 ]
    chat mock/ok false -H "Origin: http://localhost:3000"
    [ "$(status)" = 200 ]
    [ "$(requests)" = 1 ]
}

@test "DNS rebinding: a page cannot use a gateway without tokens; programs may use any host name" {
    mock
    gate "$any"
    rebound() { curl -sS -m 30 -o answer -D head -H "Host: evil.example:$port" "$@" "$base/p/up/models"; }
    rebound -H "Sec-Fetch-Site: same-origin"
    [ "$(status)" = 403 ]
    has '"error_code":"PermissionDenied"'
    has 'configure `clients`'
    rebound -A "Mozilla/5.0 (X11)"
    [ "$(status)" = 403 ]
    [ "$(requests)" = 0 ]
    rebound
    [ "$(status)" != 403 ]
    [ "$(requests)" = 1 ]
    curl -sS -o answer -D head -H "Sec-Fetch-Site: same-origin" "$base/v1/models"
    [ "$(status)" = 200 ]
}

@test "it prints the address of the dashboard, for a port and for a socket" {
    mock
    conf='listen: 127.0.0.1:0
store: sqlite:audit.db
providers: {up: {kind: openai, base_url: "'$up'/v1", keys: [env:KEY_1]}}
routes: [{model: "*", chain: [{target: "up/*"}]}]'
    printf '%s\nadmin: {listen: "127.0.0.1:0"}\n' "$conf" >address.yaml
    start address serve --config address.yaml --log human
    url=$(grep -oE "dashboard and admin interface at http://127.0.0.1:[0-9]+" address.talk | grep -o 'http.*')
    run -0 curl -sS "$url/"
    [[ $output == *"<title>Recourse</title>"* ]]
    printf '%s\nadmin: {listen: "off", socket: admin.sock}\n' "${conf/audit.db/other.db}" >socket.yaml
    start socket serve --config socket.yaml --log human
    grep -q "dashboard and admin interface at the socket admin.sock" socket.talk
    run -0 curl -sS --unix-socket admin.sock http://localhost/
    [[ $output == *"<title>Recourse</title>"* ]]
}

@test "a second gateway at the same address reports that it is in use" {
    up=http://127.0.0.1:9
    gate "$any" "threads: 2"
    sed "s/^listen: .*/listen: 127.0.0.1:$port/; s/audit-1/audit-2/" recourse.yaml >second.yaml
    for threads in 1 2; do
        sed "s/^threads: .*/threads: $threads/" second.yaml >again.yaml
        run -69 --separate-stderr timeout 20 "$RECOURSE" serve --config again.yaml
        [[ $stderr == *"cannot listen at 127.0.0.1:$port: "*"Another process listens there: stop it, or set another port with \`listen\` or --listen"* ]]
    done
    [ "$(curl -sS -o /dev/null -w '%{http_code}' "$base/healthz")" = 200 ]
}

@test "the admin API names the configuration file" {
    mock
    printf '%s\n' 'listen: 127.0.0.1:0' 'store: sqlite:audit.db' 'admin: {listen: "127.0.0.1:0"}' \
        "providers: {up: {kind: openai, base_url: \"$up/v1\", keys: [env:KEY_1]}}" \
        'routes: [{model: any, chain: [{target: up/x}]}]' >recourse.yaml
    start found serve --log human
    admin=$(sed -n "s/.*admin interface at //p" found.talk)
    curl -sS "$admin/admin/v1/state" >answer
    has '"config":{"file":"recourse.yaml","generation":1'
    curl -sS -X POST -H 'x-recourse-admin: 1' "$admin/admin/v1/reload" >answer
    has '"file":"recourse.yaml","generation":2'
}
