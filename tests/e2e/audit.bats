#!/usr/bin/env bats
# shellcheck disable=SC2154,SC2030,SC2031 # stderr is set by run; a test is a function, not a subshell
#
# recourse audit: reading, showing and exporting a store filled by the store's own writer; messages when it
# cannot be read; and that reading changes nothing.

bats_require_minimum_version 1.5.0
load wait

END=1794790923000 # 2026-11-16T01:02:03Z

setup_file() {
    export TZ=UTC0 LANG=C.UTF-8 TERM=xterm
    unset NO_COLOR COLUMNS LC_ALL LC_CTYPE
    export filler=$RECOURSE_BINARY/tests/tool_audit_fill
    export full=$BATS_FILE_TMPDIR/full.db told=$BATS_FILE_TMPDIR/told.db
    "$filler" "$full" fill 400 24 $END 5
    local at=$((END - 600000)) story
    for story in notice plain recovered exhausted refused cancelled open hedged hostile gap; do
        "$filler" "$told" story $story $at
        at=$((at + 30000))
    done
}

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    pid=
}

teardown() {
    [ -z "$pid" ] || kill "$pid" 2>/dev/null || true
    [ -z "$pid" ] || wait "$pid" 2>/dev/null || true
}

audit() { "$RECOURSE" audit "$@"; }

# refused STATUS TEXT ARG...: the command prints nothing on standard output and the text on standard error.
refused() {
    local wanted=$1 text=$2
    shift 2
    run "-$wanted" --separate-stderr audit "$@"
    echo "$stderr"
    [ -z "$output" ]
    [[ $stderr == *"$text"* ]]
}

# key OUTCOME-OR-FILTER...: prints the short id of the newest matching operation of the story store.
key() {
    audit list --store "$told" --format json --limit 1 "$@" |
        sed -n 's/.*"key":"\([^"]*\)".*/\1/p'
}

# ---- choice of the store ----

@test "a recourse.db in the current folder is not the default store: one line says so and how to read it" {
    mkdir -p "${default_store%/*}"
    cp "$told" "$default_store"
    run -0 --separate-stderr audit list
    [ -z "$stderr" ]
    cp "$full" recourse.db
    run -0 --separate-stderr audit list
    [ "${#stderr_lines[@]}" -eq 1 ]
    [[ $stderr == "recourse audit: recourse.db in the current folder is not used: "*"$default_store"* ]]
    [[ $stderr == *"store: sqlite:recourse.db"*"--store recourse.db" ]]
    rm "$default_store"
    refused 66 "To use the old file" list
    # Formats for programs contain no note, and no note is printed for a named store.
    run -66 --separate-stderr audit list --format json
    [[ $stderr != *"old file"* ]]
    run -0 --separate-stderr audit list --store recourse.db
    [ -z "$stderr" ]
    echo 'store: sqlite:recourse.db' >recourse.yaml
    run -0 --separate-stderr audit list
    [ -z "$stderr" ]
    # Reading created no file.
    rm -r recourse.yaml "$XDG_STATE_HOME"
    refused 66 "$default_store: there is no audit file" list
    [ ! -e "$XDG_STATE_HOME" ]
}

@test "the store is that of the configuration or of --store" {
    mkdir -p data "${default_store%/*}"
    cp "$told" "$default_store"
    audit list | grep -q RateLimited
    mv "$default_store" data/audit.db
    refused 66 "there is no audit file" list
    echo 'store: sqlite:data/audit.db' >recourse.yaml
    audit list | grep -q RateLimited
    echo 'store: sqlite:nowhere.db' >recourse.yaml
    refused 66 "nowhere.db" list
    audit list --store data/audit.db | grep -q RateLimited
    audit list --store sqlite:data/audit.db | grep -q RateLimited
    echo 'store: env:AUDIT_URL' >other.yaml
    AUDIT_URL=sqlite:data/audit.db audit list --config other.yaml | grep -q RateLimited
    refused 78 "the store's URL is in the variable AUDIT_URL, which is not set" list --config other.yaml
    echo sqlite:data/audit.db >url
    echo 'store: file:url' >third.yaml
    audit list --config third.yaml | grep -q RateLimited
    echo 'store: file:gone' >fourth.yaml
    refused 66 "cannot read the store's URL from gone" list --config fourth.yaml
    refused 78 "this kind of store is not supported" list --store postgres://host/db
    echo 'sotre: x' >recourse.yaml
    refused 78 "did you mean store?" list
}

# ---- unreadable stores ----

@test "a file that is not an audit is reported with advice" {
    : >empty
    refused 66 "the file is empty" list --store empty
    refused 66 "the path is a folder" list --store .
    echo "This is no database, and it is long enough to be read as one would be." >text
    refused 65 "is not an audit file of Recourse" list --store text
    python3 -c 'import sqlite3; c = sqlite3.connect("other.db"); c.execute("create table t(x)"); c.commit()'
    refused 65 "is not an audit file of Recourse" list --store other.db
    cp "$told" new.db
    python3 -c 'import sqlite3; sqlite3.connect("new.db").execute("pragma user_version = 99")'
    refused 65 "written by a newer version" list --store new.db
    [[ $stderr == *"Use that version of Recourse or a later one"* ]]
    refused 66 "recourse audit: open nowhere" export --store nowhere
    run -66 --separate-stderr audit export --store nowhere --format jsonl
    [[ $stderr == "{"* ]]
    run -66 --separate-stderr audit list --store nowhere --agent
    [[ $stderr == "#"*StoreUnavailable* ]]
    run -66 --separate-stderr audit list --store nowhere --format json
    python3 -c 'import json, sys; r = json.loads(sys.argv[1]); assert r["error_code"] == "StoreUnavailable"' "$stderr"
}

@test "a damaged file is reported and not shown" {
    cp "$full" bad.db
    audit check --store bad.db | grep -q "The file is intact"
    dd if=/dev/urandom of=bad.db bs=4096 seek=3 count=40 conv=notrunc status=none
    for verb in "list --limit 500" stats export check "tail --limit 500"; do
        # shellcheck disable=SC2086 # words
        run -65 --separate-stderr audit $verb --store bad.db
        echo "$verb: $stderr"
        [[ $stderr == *"the file is damaged"*".recover"* ]]
    done
}

@test "check finds records without their operation" {
    cp "$told" bad.db
    python3 -c 'import sqlite3
c = sqlite3.connect("bad.db")
c.execute("delete from operations where code <> 0")
c.commit()'
    run -65 audit check --store bad.db
    [[ $output == *"The file has records without an operation."*strays* ]]
    run -65 audit check --store bad.db --format json
    [[ $output == *'"sound":false'* ]]
}

@test "an unreadable file is reported; a file in a read-only folder can be read" {
    [ "$(id -u)" -eq 0 ] || skip "only root can become somebody else"
    open=$(mktemp -d)
    cp "$RECOURSE" "$open/recourse"
    cp "$told" "$open/audit.db"
    chmod 755 "$open" "$open/recourse"
    somebody() { setpriv --reuid 65534 --regid 65534 --clear-groups "$open/recourse" audit "$@"; }
    chmod 600 "$open/audit.db"
    run -77 --separate-stderr somebody list --store "$open/audit.db"
    [[ $stderr == *"this user has no access to"* ]]
    chmod 644 "$open/audit.db"
    run -0 somebody list --store "$open/audit.db"
    [[ $output == *RateLimited* ]]
    [ "$(ls "$open")" = $'audit.db\nrecourse' ]
    rm -r "$open"
}

# ---- reading changes nothing ----

@test "reading changes neither the file nor its log, also after a gateway was killed" {
    cp "$told" live.db
    "$filler" live.db fill 100000 24 $END 9 &
    pid=$!
    wait_for test -s live.db-wal
    kill -9 "$pid"
    wait "$pid" || true
    pid=
    sha256sum live.db live.db-wal >before
    for verb in list stats tail export check "show $(key --code RateLimited)"; do
        # shellcheck disable=SC2086 # words
        audit $verb --store live.db >/dev/null
        sha256sum --check --quiet before
    done
}

# ---- lists ----

@test "pages cover all operations once, newest first" {
    audit export --store "$full" | python3 -c '
import json, sys
for line in reversed(list(sys.stdin)): print(json.loads(line)["key"])' >all
    [ "$(wc -l <all)" -eq 400 ]
    : >paged
    after=()
    for _ in $(seq 20); do
        audit list --store "$full" --format json --limit 37 "${after[@]}" >page
        grep -o '"key":"[^"]*"' page | cut -d '"' -f 4 >>paged
        next=$(sed -n 's/.*"next":"\([^"]*\)".*/\1/p' page)
        [ -n "$next" ] || break
        after=(--after "$next")
    done
    cmp all paged
}

@test "filters select the right operations" {
    audit export --store "$full" >all
    audit export --store "$full" --of attempts >tries
    cat >filter.py <<'END'
import json, sys
expression = sys.argv[1]
operations = [json.loads(line) for line in open("all")]
tried = {}
for line in open("tries"):
    a = json.loads(line)
    tried.setdefault(a["operation_id"], set()).add(a["attempt"].get("target"))
for o in reversed(operations):
    o["tried"] = tried.get(o["id"], set())
    if eval(expression): print(o["key"])
END
    check() { # EXPRESSION OPTION...
        python3 filter.py "$1" >expected
        shift
        audit list --store "$full" --limit 1000 --format json "$@" |
            grep -o '"key":"[^"]*"' | cut -d '"' -f 4 >given || true
        echo "$*: $(wc -l <expected)"
        [ -s expected ]
        cmp expected given
    }
    check 'o["client"] == "web"' --client web
    check 'o["route"] == "*"' --route '*'
    check 'o["model"] == "gpt-4o-mini"' --model gpt-4o-mini
    check '"openai/gpt-4o-mini" in o["tried"]' --target openai/gpt-4o-mini
    code=$(grep -o '"outcome":"failed","code":"[^"]*"' all | cut -d '"' -f 8 | sort | uniq -c | sort -n |
        sed -n '$s/.* //p')
    check "o.get('code') == '$code'" --code "${code,,}"
    check 'o.get("class") == "ProviderTerminal"' --class ProviderTerminal
    check 'o["outcome"] == "succeeded"' --outcome succeeded
    check 'o["outcome"] == "failed"' --outcome failed
    check 'o.get("recovered", False)' --outcome recovered
    check 'o["began"] >= "2026-11-15T20:00"' --since 2026-11-15T20:00
    check 'o["began"] < "2026-11-15T20:00"' --until 2026-11-15T20:00:00Z
    check 'o["began"] >= "2026-11-15T20" and o["began"] < "2026-11-15T22" and o["client"] == "web"' \
        --since 2026-11-15T20:00 --until 2026-11-15T22:00 --client web
    report=$(grep -o '"report_id":"[^"]*"' all | tail -1 | cut -d '"' -f 4)
    check "o.get('report_id') == '$report'" --report "$report"
}

@test "a list fits its width and shows every column if there is space" {
    for width in 40 60 80 100 120 160; do
        LANG=C audit list --store "$full" --width $width --limit 50 |
            awk -v width=$width 'length > width { print; bad = 1 } END { exit bad }'
    done
    audit list --store "$full" --width 120 | head -1 |
        grep -q 'time.*id.*client.*model.*outcome.*try.*took.*cost'
    COLUMNS=80 audit list --store "$full" | head -1 | grep -q 'time.*id.*model.*outcome'
}

# ---- one operation ----

@test "an operation is found by its id, a prefix, its report and its short id" {
    short=$(key --code RateLimited)
    audit show "$short" --store "$told" --format json >whole
    id=$(sed -n 's/^{"operation":{"id":"\([^"]*\)".*/\1/p' whole)
    report=$(sed -n 's/.*"report_id":"\([^"]*\)".*/\1/p' whole)
    for name in "$id" "${id:0:16}" "${id:4:12}" "${id,,}" "req_${id:4}" "$report" "${report:0:20}" "${short,,}"; do
        audit show "$name" --store "$told" --format json >again
        cmp whole again
    done
    refused 64 "give more of the id" show rep_01 --store "$told"
    [[ $stderr == *"$short"* ]]
    refused 66 "no operation or report has the id" show rep_0000 --store "$told"
}

@test "show prints every attempt, wait, switch and skip, and the advice" {
    run -0 audit show "$(key --outcome recovered)" --store "$told"
    [[ $output == *"✗ attempt 1"*"RateLimited · HTTP 429"*"→ switches to"*"✗ attempt 2"*"↻ waits"*"░"*"↷ skips"*"✓ attempt 3"*"the response is complete"* ]]
    run -0 audit show "$(key --code RateLimited)" --store "$told"
    [[ $output == *"■ stops: the attempts are used up"*"the client receives RateLimited, HTTP 429"*"Next     Wait, then try again"* ]]
    run -0 audit show "$(key --code RateLimited)" --store "$told" --agent
    [[ $output == "# Operation"*"| wait |"*"RateLimited"* ]]
    for width in 30 60 80 120; do
        LANG=C audit show "$(key --code RateLimited)" --store "$told" --width $width |
            awk -v width=$width 'length > width { print; bad = 1 } END { exit bad }'
    done
}

# ---- statistics ----

@test "statistics equal the sums of the exported records" {
    audit export --store "$full" >all
    audit export --store "$full" --of attempts >tries
    audit stats --store "$full" --format json --by target,code,client,hour --limit 1000 >sums
    python3 - <<'END'
import json, collections
operations = [json.loads(line) for line in open("all")]
attempts = [json.loads(line) for line in open("tries")]
stats = json.load(open("sums"))
outcome = {o["id"]: o["outcome"] for o in operations}
failed = lambda a: a["result"] == "failed"
had_failure = {a["operation_id"] for a in attempts if failed(a)}
total = stats["operations"]
assert total["count"] == len(operations) == 400
assert total["recovered"] == sum(o["outcome"] == "succeeded" and o["id"] in had_failure for o in operations)
assert total["faltered"] == sum(o["outcome"] in ("succeeded", "failed") and o["id"] in had_failure for o in operations)
assert total["wasted"] == sum(o["attempts"] - (o["outcome"] == "succeeded") for o in operations)
assert total["attempts"] == sum(o["attempts"] for o in operations)
assert abs(total["cost_usd"] - sum(o.get("cost_usd", 0) for o in operations)) < 1e-6
assert stats["attempts"]["count"] == len(attempts)
assert stats["attempts"]["wasted"] == sum(a["result"] != "succeeded" for a in attempts)
times = sorted(o["latency_ms"] for o in operations if "latency_ms" in o)
p50 = times[(len(times) * 500 + 999) // 1000 - 1]
assert p50 <= total["latency_ms"]["p50"] <= p50 * 1.016 + 1, (p50, total["latency_ms"])
assert total["latency_ms"]["max"] == times[-1]
by_target = collections.Counter(a["attempt"]["target"] for a in attempts)
assert {r["target"]: r["attempts"]["count"] for r in stats["by"]["target"]} == by_target
by_client = collections.Counter(o["client"] for o in operations)
assert {r["client"]: r["operations"]["count"] for r in stats["by"]["client"]} == by_client
by_code = collections.Counter(a["attempt"]["code"] for a in attempts if "code" in a["attempt"])
assert {r["code"]: r["attempts"]["count"] for r in stats["by"]["code"] if "attempts" in r} == by_code
by_hour = collections.Counter(o["began"][:13] for o in operations)
assert {r["hour"][:13]: r["operations"]["count"] for r in stats["by"]["hour"]} == by_hour
END
}

@test "a gap in the audit is shown above the tables" {
    run -0 audit stats --store "$told"
    [[ $output == *"! "*"17 operations have"*"! "*"taken out of service"*"target "*"code "* ]]
    run -0 audit stats --store "$told" --since 2026-11-16T01:01 # after all operations
    [[ $output == "No operation matches." ]]
}

# ---- exports ----

@test "CSV has one line per row, no formula and no control character" {
    audit export --store "$told" --format csv >operations.csv
    audit export --store "$told" --format csv --of attempts >attempts.csv
    python3 - <<'END'
import csv
for name, count in (("operations.csv", 8), ("attempts.csv", 12)):
    text = open(name, newline="").read()
    assert not any(ord(c) < 32 and c != "\n" or 127 <= ord(c) < 160 or 0x202A <= ord(c) <= 0x202E for c in text), name
    rows = list(csv.reader(text.splitlines(True), strict=True))
    assert len(rows) == count + 1 and len({len(row) for row in rows}) == 1, name
    for row in rows[1:]:
        assert not any(cell[:1] in ("=", "+", "-", "@", "\t", "\r") for cell in row), row
        assert len(row[0]) == 30
END
    audit export --store "$told" | python3 -c '
import json, sys
lines = [json.loads(line) for line in sys.stdin]
assert [l["client"] for l in lines][-1].startswith("=cmd")
assert "\x1b" in lines[-1]["model"] and "\u202e" in lines[-1]["model"]
assert lines[2]["report"]["error_code"] == "RateLimited"'
}

@test "an export needs memory for one page only" {
    audit export --store "$full" --after "$(audit export --store "$full" --limit 100 | tail -1 |
        sed -n 's/.*"key":"\([^"]*\)".*/\1/p')" >rest
    [ "$(wc -l <rest)" -eq 300 ]
    audit export --store "$full" >all
    tail -300 all | cmp - rest
}

# ---- failing output ----

@test "a closed pipe is not reported; a full disk is" {
    for verb in export "list --limit 400" stats; do
        # shellcheck disable=SC2016 # an inner shell expands them
        run -74 --separate-stderr sh -c '"$RECOURSE" audit $0 --store "$full" >/dev/full' "$verb"
        [[ $stderr == *"cannot write the output: No space left on device"* ]]
    done
    "$filler" more.db fill 6000 24 $END 5
    { audit export --store more.db 2>said || echo $? >left; } | head -1 >first
    [ "$(cat left)" -eq 74 ]
    [ ! -s said ]
    python3 -m json.tool first >/dev/null
}

@test "a killed export leaves complete lines except the last, and the store unchanged" {
    "$filler" more.db fill 6000 24 $END 5
    sha256sum more.db >before
    for signal in TERM INT KILL; do
        mkfifo pipe
        # A shell starts background processes with SIGINT ignored.
        env --default-signal=INT "$RECOURSE" audit export --store more.db >pipe 3>&- &
        pid=$!
        exec 4<pipe
        head -c 300000 <&4 >part
        kill -$signal "$pid"
        wait "$pid" && return 1
        pid=
        exec 4<&-
        rm pipe
        [ "$(head -c -1 part | wc -l)" -gt 100 ]
        sed '$d' part | python3 -c 'import json, sys; [json.loads(line) for line in sys.stdin]'
        sha256sum --check --quiet before
        audit check --store more.db >/dev/null
    done
}

# ---- tail ----

# ended_with STATUS: waits for the background process and checks its exit status.
ended_with() {
    local got=0
    wait "$pid" || got=$?
    pid=
    [ "$got" -eq "$1" ]
}

has_lines() { [ "$(grep -c '"key"' "$1")" -eq "$2" ]; }
says() { grep -q "$2" "$1"; }

@test "tail -f prints each operation once when it ends, for every writer, and ends on a signal" {
    "$filler" live.db story plain
    # shellcheck disable=SC2238 # out is a file
    env --default-signal=INT "$RECOURSE" audit tail -f --store live.db --format jsonl --limit 1 >out 3>&- &
    pid=$!
    wait_for has_lines out 1
    for story in recovered exhausted open cancelled; do # each written by another process
        "$filler" live.db story $story
    done
    wait_for has_lines out 4
    "$filler" live.db story notice
    wait_for has_lines out 5
    # The file is moved away, and the next gateway creates a new one.
    mv live.db old.db
    rm -f live.db-wal live.db-shm
    "$filler" live.db story plain
    wait_for has_lines out 6
    sleep 1
    kill -INT "$pid"
    ended_with 130
    python3 - <<'END'
import json
lines = [json.loads(line) for line in open("out")]
keys = [line["key"] for line in lines]
assert len(keys) == len(set(keys)) == 6, keys
assert [l["outcome"] for l in lines[1:4]] == ["succeeded", "failed", "cancelled"], lines
END
}

@test "tail -f waits for a missing store, and ends when its reader closes the pipe" {
    "$filler" live.db story plain
    # shellcheck disable=SC2238
    "$RECOURSE" audit tail -f --store live.db --client batch >out 2>said 3>&- &
    pid=$!
    wait_for says out '^time'
    "$filler" live.db story plain
    "$filler" live.db story exhausted
    wait_for says out RateLimited
    run ! says out '✓'
    kill "$pid"
    ended_with 143
    { "$RECOURSE" audit tail -f --store live.db || echo $? >left; } | true
    wait_for test -s left
    [ "$(cat left)" -eq 74 ]
}

# ---- running gateway ----

# Starts a gateway with the demo provider, which fails on purpose; base is its address.
start() {
    rm -f port
    # shellcheck disable=SC2238 # log is a file
    "$RECOURSE" serve --listen 127.0.0.1:0 --port-file port >log 2>&1 3>&- &
    pid=$!
    wait_for test -s port
    base=http://127.0.0.1:$(cat port)
}

stop() {
    kill -TERM "$pid"
    ended_with 0
}

ask() { # MODEL: the id that the client receives
    curl -sS -m 20 -o answer -D head "$base/v1/chat/completions" \
        -d "{\"model\":\"demo/$1\",\"messages\":[{\"role\":\"user\",\"content\":\"Hello\"}]}"
    sed -n 's/^x-recourse-request-id: *\([^\r]*\)\r*$/\1/Ip' head
}

@test "a running gateway's store can be read, and the client's request id finds the operation" {
    printf 'admin: {listen: off}\nproviders: {demo: {kind: demo}}\n' >recourse.yaml
    start
    recovered=$(ask 429-retry-after-1@1)
    failed=$(ask 401)
    [ -n "$recovered" ] && [ -n "$failed" ]
    run -0 audit show "$recovered"
    [[ $output == *"✓ recovered"*"✗ attempt 1"*"RateLimited"*"↻ waits as long as the server asked"*"✓ attempt 2"*"the response is complete"* ]]
    run -0 audit show "$failed"
    [[ $output == *"✗ AuthFailed"*"■ stops: the same request would fail again"*"Next     Check the credentials"* ]]
    audit stats --format json | grep -q '"count":2,"succeeded":1,"failed":1,"cancelled":0,"open":0,"attempts":3,"faltered":2,"recovered":1'
    # shellcheck disable=SC2238
    "$RECOURSE" audit tail -f --format jsonl >out 3>&- &
    follower=$!
    wait_for has_lines out 2
    stop
    start
    ask ok >/dev/null
    wait_for has_lines out 3
    stop
    kill "$follower"
    wait "$follower" || true
    audit check >/dev/null
}

# ---- terminals ----

on_terminal() { script -qec "$*" /dev/null </dev/null | tr -d '\r'; }

@test "colour only on a terminal, and not with NO_COLOR" {
    on_terminal "$RECOURSE" audit list --store "$told" --width 100 >coloured
    grep -q $'\033\[31m✗ RateLimited\033\[0m' coloured
    NO_COLOR=1 on_terminal "$RECOURSE" audit list --store "$told" --width 100 >plain
    run ! grep -q $'\033' plain
    sed $'s/\033\\[[0-9;]*m//g' coloured | cmp - plain
    run ! grep -q $'\033' <(audit list --store "$told")
    grep -q $'\033' <(audit list --store "$told" --color always)
}

@test "no foreign text reaches the terminal as a control sequence" {
    for verb in list stats tail "show $(key --code InvalidRequest)" "show $(key --code InvalidRequest) --view internal"; do
        # shellcheck disable=SC2086 # words
        on_terminal "$RECOURSE" audit $verb --store "$told" --width 120 >seen
        # Without our own colour sequences there is only text.
        sed $'s/\033\\[[0-9;]*m//g' seen >text
        run ! grep -qP '[\x00-\x09\x0B-\x1F\x7F]|\xC2[\x80-\x9F]|\xE2\x80[\xAA-\xAE]' text
    done
    LANG=C audit show "$(key --code InvalidRequest)" --store "$told" >ascii
    run ! env LC_ALL=C grep -q '[^ -~]' ascii
}

# ---- help ----

@test "the help fits, and the manual has every option" {
    manual=${RECOURSE_SOURCE:-$BATS_TEST_DIRNAME/../..}/man/recourse-audit.1
    for width in 40 60 80 120; do
        COLUMNS=$width audit --help | sed '/^Usage/d;/^  recourse /d' |
            awk -v width=$width 'length > width { print; bad = 1 } END { exit bad }'
    done
    audit --help | grep -oE -- '--[a-z-]+' | sort -u | grep -vx -- --help >options
    [ "$(wc -l <options)" -eq 27 ]
    while read -r option; do
        echo "$option"
        grep -qF -- "${option//-/\\-}" "$manual"
    done <options
}
