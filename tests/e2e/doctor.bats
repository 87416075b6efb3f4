#!/usr/bin/env bats
# shellcheck disable=SC2030,SC2031,SC2154,SC2317 # every test is a shell of its own; run sets stderr
#
# recourse doctor: each possible fault is created, and must be found and named.

bats_require_minimum_version 1.5.0
load wait

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    pids=()
    export GOOD=key-of-9999 BAD=key-of-1111 LANG=C.UTF-8
    unset UNSET NO_COLOR CREDENTIALS_DIRECTORY SSL_CERT_FILE COLUMNS
}

teardown() {
    for pid in "${pids[@]}"; do
        kill -TERM "$pid" 2>/dev/null || continue
        wait "$pid" 2>/dev/null || true
    done
}

# Runs a command in the background until its port is in a file; the port is then in $port.
start() { # PORT-FILE COMMAND...
    local file=$1
    shift
    rm -f "$file"
    "$@" 2>words 3>&- &
    pids+=($!)
    wait_for test -s "$file"
    port=$(cat "$file")
}

mock() {
    echo '{unknown_keys: refuse, keys: [{name: one, ends: "9999"}]}' >keys.yaml
    start mock.port "$RECOURSE" mock --listen 127.0.0.1:0 --quiet --scenario keys.yaml \
        --port-file mock.port
}

# Writes a configuration with this provider and unused addresses.
provider() { # FIELDS [MORE]
    cat >recourse.yaml <<YAML
listen: 127.0.0.1:0
admin: {listen: "off"}
limits: {max_connections: 16, max_in_flight: 16}
providers: {up: {$1}}
routes: [{model: "*", chain: [{target: up/*}]}]
${2:-}
YAML
}

doctor() { # OPTION...
    "$RECOURSE" doctor "$@"
}

# Runs doctor; its findings are in found.json, and one per line in found: SUBJECT, a tab, MARK DETAIL.
found() { # EXIT-STATUS [OPTION...]
    local wanted=$1 status=0
    shift
    doctor --format json "$@" >found.json || status=$?
    [ "$status" = "$wanted" ] || { echo "exit status $status" && cat found.json && return 1; }
    python3 -c '
import json
for f in json.load(open("found.json"))["findings"]:
    print(f["what"], "\t", f["mark"], " ", f["detail"], " -> ", f.get("next", ""), sep="")' >found
}

# Prints the findings of a group and subject.
finding() { # WHAT
    local what rest
    while IFS=$'\t' read -r what rest; do
        [ "$what" != "$1" ] || echo "$rest"
    done <found
}

@test "an accepted key, a rejected key, a missing key" {
    mock
    provider "kind: openai, base_url: \"http://127.0.0.1:$port/v1\", keys: [env:GOOD]"
    found 0
    [[ $(finding file) == "fine recourse.yaml: 1 provider, 1 route, 0 clients "* ]]
    [[ $(finding "up connection") == "fine port $port, without TLS, of 127.0.0.1"* ]]
    [[ $(finding "up env:GOOD") == "fine 200 in "*" ms: the key is accepted"* ]]
    provider "kind: openai, base_url: \"http://127.0.0.1:$port/v1\", keys: [env:GOOD, env:BAD]"
    found 77
    [[ $(finding "up env:GOOD") == "fine 200 "* ]]
    [[ $(finding "up env:BAD") == "fault 401 AuthFailed: "*"-> Check that the API key"* ]]
    provider "kind: openai, base_url: \"http://127.0.0.1:$port/v1\", keys: [env:BAD, env:UNSET]"
    found 78
    [[ $(finding up) == *"fault env:UNSET: not set -> set the variable"* ]]
    [[ $(finding "up env:BAD") == "fault 401"* ]]
    [ -z "$(finding "up env:UNSET")" ]
}

@test "each dialect has its own request" {
    mock
    for kind in "anthropic $port" "gemini $port" "openai $port/v1"; do
        provider "kind: ${kind% *}, base_url: \"http://127.0.0.1:${kind#* }\", keys: [env:GOOD]"
        found 0
        [[ $(finding "up env:GOOD") == "fine 200 "* ]]
        provider "kind: ${kind% *}, base_url: \"http://127.0.0.1:${kind#* }\", keys: [env:BAD]"
        found 77
        [[ $(finding "up env:BAD") == "fault 40"?" AuthFailed"* ]]
    done
}

# A server with one fixed response.
answering() { # STATUS TYPE BODY
    start web.port python3 -c '
import http.server, os, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(int(sys.argv[1]))
        self.send_header("content-type", sys.argv[2])
        self.end_headers()
        self.wfile.write(sys.argv[3].encode())
    def log_message(self, *args):
        pass
server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
open(".port", "w").write(str(server.server_address[1]))
os.rename(".port", "web.port")
server.serve_forever()' "$@"
    provider "kind: openai, base_url: \"http://127.0.0.1:$port/v1\", keys: [env:GOOD]"
}

@test "other responses: no list of models, a page, a rate limit, a failure" {
    answering 404 text/plain "not here"
    found 0
    [[ $(finding "up env:GOOD") == "warning 404 "*"the key was not tested"* ]]
    answering 200 text/html "<h1>Welcome to the hotel</h1>"
    found 0
    [[ $(finding "up env:GOOD") == "warning 200 in "*"the response is a web page, not a list"* ]]
    answering 429 application/json '{"error":{"message":"slow down","type":"rate_limit_error"}}'
    found 0
    [[ $(finding "up env:GOOD") == "warning 429 RateLimited"* ]]
    answering 500 application/json '{"error":{"message":"oh key-of-9999"}}'
    found 69
    [[ $(finding "up env:GOOD") == "fault 500 "* ]]
    run ! grep -F 9999 found.json
}

@test "a closed port, an unknown name, a server without TLS" {
    mock
    provider 'kind: openai, base_url: "http://127.0.0.1:1/v1", keys: [env:GOOD]'
    found 69
    [[ $(finding "up connection") == "fault 127.0.0.1: the connection was refused (ConnectionFailed)"* ]]
    [ -z "$(finding "up env:GOOD")" ]
    provider 'kind: openai, base_url: "https://nowhere.invalid/v1", keys: [env:GOOD]'
    found 69
    # Without a name server the lookup fails with another error.
    [[ $(finding "up name") =~ ^"fault nowhere.invalid: "(the host name does not exist|the DNS lookup of the host name failed) ]]
    provider "kind: openai, base_url: \"https://127.0.0.1:$port/v1\", keys: [env:GOOD]"
    found 69
    [[ $(finding "up connection") == fine* ]]
    [[ $(finding "up tls") == "fault 127.0.0.1: the peer does not speak TLS"* ]]
}

day=86400

peer() { # NAMES FROM UNTIL [DATE-OFFSET]
    rm -rf peer
    mkdir peer
    start peer/port "$RECOURSE_BINARY/tests/tool_tls_peer" peer "$@"
    provider "kind: openai, base_url: \"https://127.0.0.1:$port/v1\", keys: [env:GOOD]"
}

@test "certificates: valid, about to expire, expired, not yet valid, of another host, self-signed" {
    peer IP:127.0.0.1 -$day $((90 * day))
    SSL_CERT_FILE=peer/ca.pem found 0
    [[ $(finding "up tls") == "fine TLSv1.3, the certificate for 127.0.0.1 is valid until 2"*", by Test CA"* ]]
    [[ $(finding "up env:GOOD") == "fine 200"* ]]
    found 69
    [[ $(finding "up tls") == "fault "*"issuer is not trusted"*"SSL_CERT_FILE"* ]]
    peer IP:127.0.0.1 -$day $((3 * day))
    SSL_CERT_FILE=peer/ca.pem found 0
    [[ $(finding "up tls") == "warning "*"valid until"*"renew"* ]]
    peer IP:127.0.0.1 -$((9 * day)) -$day
    SSL_CERT_FILE=peer/ca.pem found 69
    [[ $(finding "up tls") == "fault "*"has expired"*"clock"* ]]
    peer IP:127.0.0.1 $day $((9 * day))
    SSL_CERT_FILE=peer/ca.pem found 69
    [[ $(finding "up tls") == "fault "*"not valid yet"* ]]
    peer DNS:other.example -$day $day
    SSL_CERT_FILE=peer/ca.pem found 69
    [[ $(finding "up tls") == "fault "*"for another host"*"base_url"* ]]
    peer self -$day $day
    SSL_CERT_FILE=peer/ca.pem found 69
    [[ $(finding "up tls") == "fault "*"self-signed"* ]]
}

@test "the clock: equal, ahead, behind" {
    peer IP:127.0.0.1 -$day $((90 * day))
    SSL_CERT_FILE=peer/ca.pem found 0
    [[ $(finding date) == "fine agrees"* ]]
    peer IP:127.0.0.1 -$day $((90 * day)) 7200
    SSL_CERT_FILE=peer/ca.pem found 0
    [[ $(finding date) == "warning "*" seconds behind that of 127.0.0.1 -> set the clock"* ]]
    peer IP:127.0.0.1 -$day $((90 * day)) -7200
    SSL_CERT_FILE=peer/ca.pem found 0
    [[ $(finding date) == "warning "*" seconds ahead of that of 127.0.0.1"* ]]
}

@test "a silent server: the time limit ends the check" {
    start silent.port python3 -c '
import socket, time
s = socket.create_server(("127.0.0.1", 0))
open(".port", "w").write(str(s.getsockname()[1]))
import os; os.rename(".port", "silent.port")
time.sleep(600)'
    provider "kind: openai, base_url: \"http://127.0.0.1:$port/v1\", keys: [env:GOOD]"
    found 69 --timeout 2
    cat found
    [[ $(finding "up answer") == "fault "*"in time (NetworkTimeout)"* || $(finding "up answer") == "fault the check did not end within 2 seconds"* ||
        $(finding "up answer") == "fault "*"in time (ProviderTimeout)"* || $(finding "up connection") == "fault the check did not end within 2 seconds"* ]]
}

@test "offline contacts no provider" {
    provider 'kind: openai, base_url: "http://127.0.0.1:1/v1", keys: [env:GOOD]'
    found 0 --offline
    [[ $(finding offline) == "note no provider was checked"* ]]
    [ -z "$(finding "up connection")" ]
}

@test "an invalid key is reported with the keys and not sent" {
    mock
    provider "kind: openai, base_url: \"http://127.0.0.1:$port/v1\", keys: [env:GOOD, env:ODD]" \
        'clients: [{name: app, token: env:TOLD}]'
    local wrong="can stand in a header -> write only the key there"
    for ODD in $'key-of\n9999' 'clé-of-9999' 'key of 9999' ' ' "$(printf '%017000d' 1)"; do
        export ODD TOLD=token-of-app
        found 78
        [[ $(finding up) == *"fault env:ODD: holds none that $wrong"* ]] ||
            [[ $(finding up) == *"fault env:ODD: is too long -> "* ]]
        [[ $(finding up) == "fine env:GOOD: set"* ]]
        [[ $(finding up) != *"env:ODD: set"* ]]
        [ -z "$(finding "up env:ODD")" ] && [ -z "$(finding "up answer")" ]
        [[ $(finding "up env:GOOD") == "fine 200"* ]]
        run -78 --separate-stderr "$RECOURSE" serve --port-file serve.port
    done
    export ODD=$'key-of-9999\n' TOLD=$'a\tb'
    found 78
    [[ $(finding "up env:ODD") == "fine 200"* ]]
    [[ $(finding "client app") == "fault env:TOLD: holds none that $wrong"* ]]
    (umask 077 && printf 'key-of\n9999\n' >key)
    provider "kind: openai, base_url: \"http://127.0.0.1:$port/v1\", keys: [file:$PWD/key]"
    found 78
    [[ $(finding up) == "fault file:$PWD/key: holds none that $wrong"* ]]
    chmod 644 key
    found 78
    [[ $(finding up) == "warning file:$PWD/key: readable by all users"*"fault file:$PWD/key: holds none"* ]]
}

@test "keys in files: valid, missing, world-readable, a folder" {
    (umask 077 && echo key-of-9999 >key)
    provider "kind: openai, base_url: \"http://127.0.0.1:1/v1\", keys: [file:$PWD/key]"
    found 0 --offline
    [[ $(finding up) == "fine file:$PWD/key: there"* ]]
    chmod 644 key
    found 0 --offline
    [[ $(finding up) == "warning file:$PWD/key: readable by all users -> run chmod 600"* ]]
    rm key
    found 78 --offline
    [[ $(finding up) == "fault file:$PWD/key: missing"* ]]
    mkdir key
    found 78 --offline
    [[ $(finding up) == "fault file:$PWD/key: a folder"* ]]
}

@test "an invalid configuration, and a missing one" {
    echo 'lisen: 127.0.0.1:1' >recourse.yaml
    found 78
    [[ $(finding recourse.yaml) == "fault 1:1: lisen: unknown key; did you mean listen"* ]]
    [ -n "$(finding OpenSSL)" ]
    found 78 --config none.yaml
    [[ $(finding file) == "fault none.yaml cannot be read: "* ]]
}

@test "warnings about valid settings" {
    cat >recourse.yaml <<'YAML'
listen: 0.0.0.0:0
admin: {listen: "off"}
providers:
  bare: {kind: openai, keys: []}
  plain: {kind: openai_compatible, base_url: "http://10.0.0.1/v1", insecure: true}
YAML
    found 0 --offline
    [[ $(finding clients) == "warning no client is configured, and other machines can reach the gateway"* ]]
    [[ $(finding routes) == "warning no route is configured"* ]]
    [[ $(finding bare) == *"note no route uses"*"warning no key is configured"* ]]
    [[ $(finding plain) == *"warning insecure"* ]]
}

@test "the store: missing, in use, damaged, world-readable, without a folder" {
    provider 'kind: demo' 'store: sqlite:audit.db'
    found 0
    [[ $(finding file) == *"note audit.db does not exist yet"* ]]
    [[ $(finding writer) == "fine no process"* ]]
    start gate.port "$RECOURSE" serve --port-file gate.port --log off
    found 0
    [[ $(finding file) == *"fine audit.db can be read, "* ]]
    [[ $(finding writer) == "note a running gateway writes to the store"* ]]
    chmod 644 audit.db
    found 0
    [[ $(finding permissions) == "warning every user"* ]]
    head -c 4096 /dev/urandom >other.db
    provider 'kind: demo' 'store: sqlite:other.db'
    found 74
    [[ $(finding file) == *"fault "* ]]
    provider 'kind: demo' 'store: sqlite:no/folder/x.db'
    found 77
    [[ $(finding folder) == "fault cannot create a file there: "* ]]
    provider 'kind: demo' 'audit: {durability: "off"}'
    found 0
    [[ $(finding audit) == "note off"* ]]
}

@test "the default store: searched in the state folder, which is not created; an unused file here is named" {
    provider 'kind: demo'
    found 0
    [[ $(finding file) == *"note $default_store does not exist yet"* ]]
    [ -z "$(finding folder)" ] && [ -z "$(finding default)" ]
    [ ! -e "$XDG_STATE_HOME" ]
    touch recourse.db
    found 0
    [[ $(finding default) == "note recourse.db in the current folder is not used"*"store: sqlite:recourse.db"* ]]
    provider 'kind: demo' 'store: sqlite:recourse.db'
    doctor --format json >found.json || true
    run ! grep -qF 'is not used' found.json
    rm recourse.db
    provider 'kind: demo'
    XDG_STATE_HOME='' HOME='' found 0
    [[ $(finding default) == "warning neither XDG_STATE_HOME nor HOME"* ]]
    XDG_STATE_HOME=/dev/null found 77
    [[ $(finding folder) == "fault cannot create a file there: "* ]]
}

@test "ports: free, held by a gateway, held by another program" {
    provider 'kind: demo'
    start gate.port "$RECOURSE" serve --port-file gate.port --log off
    sed -i "s/^listen: .*/listen: 127.0.0.1:$port/" recourse.yaml
    found 0
    [[ $(finding listen) == "fine 127.0.0.1:$port: a running gateway is ready"* ]]
    kill -TERM "${pids[-1]}"
    wait "${pids[-1]}"
    found 0
    [[ $(finding listen) == "fine 127.0.0.1:$port is free"* ]]
    mock
    sed -i "s/^listen: .*/listen: 127.0.0.1:$port/" recourse.yaml
    found 69
    [[ $(finding listen) == "fault 127.0.0.1:$port is in use by another program"* ]]
    sed -i "s/^listen: .*/listen: 192.0.2.1:8000/" recourse.yaml
    found 69
    [[ $(finding listen) == "fault 192.0.2.1:8000: "* ]]
}

@test "fewer descriptors than connections is a warning" {
    provider 'kind: demo'
    found 0
    [[ $(finding "open files") == fine* ]]
    ulimit -n 200
    found 0
    [[ $(finding "open files") == "warning 200 at most"*"LimitNOFILE"* ]]
}

@test "no format shows a key, and lines fit the terminal" {
    mock
    provider "kind: openai, base_url: \"http://127.0.0.1:$port/v1\", keys: [env:GOOD, env:BAD]"
    for format in human json markdown; do
        run -77 doctor --format "$format"
        [[ $output != *key-of* ]]
        [[ $output == *AuthFailed* ]]
        [[ $output != *$'\e'* ]]
    done
    for columns in 40 60 100; do
        COLUMNS=$columns doctor >lines || true
        [ "$(wc -L <lines)" -le "$columns" ]
    done
    run -77 doctor --color always
    [[ $output == *$'\e[31m'* ]]
    LANG=C LC_ALL=C run -77 doctor
    [ -z "$(LC_ALL=C tr -d '\n -~' <<<"$output")" ]
    run -77 doctor
    [[ ${lines[-1]} == "1 fault, "*" fine" ]]
}

@test "the command line is parsed strictly" {
    run -64 doctor --timeout 0
    run -64 doctor --format yaml
    run -64 doctor file
    run -0 doctor --help
    [[ $output == *"Exit status"* ]]
}
