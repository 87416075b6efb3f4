#!/usr/bin/env bats
# shellcheck disable=SC2154,SC2030,SC2031 # stderr is set by run; a test is a function, not a subshell
#
# recourse audit prune, and the pruning of a running gateway: what is deleted and what is not, what is
# refused, and that a serving gateway loses nothing.

bats_require_minimum_version 1.5.0
load wait

END=1600000000000 # 2020-09-13T12:26:40Z: past by any clock
DAY=86400000

setup_file() {
    export TZ=UTC0 LANG=C.UTF-8 TERM=xterm
    unset NO_COLOR COLUMNS LC_ALL LC_CTYPE
    export filler=$RECOURSE_BINARY/tests/tool_audit_fill
    export full=$BATS_FILE_TMPDIR/full.db
    "$filler" "$full" fill 2000 240 $END 5
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

refused() { # STATUS TEXT ARG...: nothing on standard output, the text on standard error
    local wanted=$1 text=$2
    shift 2
    run "-$wanted" --separate-stderr audit prune "$@"
    echo "$stderr"
    [ -z "$output" ]
    [[ $stderr == *"$text"* ]]
}

says() { grep -q -- "$2" "$1"; }

sql() { # FILE SQL: the first value
    python3 -c 'import sqlite3, sys
print(sqlite3.connect("file:" + sys.argv[1] + "?mode=ro", uri=True).execute(sys.argv[2]).fetchone()[0])' "$@"
}

member() { sed -n "s/.*\"$1\":\([0-9]*\).*/\1/p"; }

SPENT='SELECT count(*) || " " || sum(attempts) || " " || sum(tokens_in) || " " || sum(cost_usd_micro) FROM spend'

# ---- deletion ----

@test "operations that ended before the time are deleted, and all others are unchanged" {
    cp "$full" audit.db
    left="$(audit export --store audit.db --since 2020-09-09 | wc -l)"
    audit stats --store audit.db --since 2020-09-09 >sums
    audit list --store audit.db --since 2020-09-09 --outcome failed --limit 500 >rows
    old=$(audit list --store audit.db --until 2020-09-08 --outcome failed --limit 1 --format json |
        sed -n 's/.*"key":"\([^"]*\)".*/\1/p')
    new=$(audit list --store audit.db --outcome failed --limit 1 --format json |
        sed -n 's/.*"key":"\([^"]*\)".*/\1/p')
    spent=$(sql audit.db "$SPENT")
    sha256sum audit.db >before
    run -0 audit prune --store audit.db --before 2020-09-09 --dry-run
    [[ $output == *" operations would be deleted: those that ended before Wed 9 Sep 2020 00:00:00 UTC."* ]]
    counted=${output%% *}
    [ "$counted" -gt 800 ]
    sha256sum --check --quiet before

    run -0 audit prune --store audit.db --before 2020-09-09 --format json
    [[ $output == '{"before":"2020-09-09T00:00:00.000Z","dry_run":false,"by_gateway":false,"operations":'"$counted"',"staying":'* ]]
    [ "$(member staying <<<"$output")" -ge 1 ]
    [ "$(member free_bytes <<<"$output")" -gt 100000 ]
    audit check --store audit.db >/dev/null
    [ "$(audit export --store audit.db --since 2020-09-09 | wc -l)" -eq "$left" ]
    audit export --store audit.db --until 2020-09-08 >early
    run ! grep -v '"outcome":"open"' early
    audit stats --store audit.db --since 2020-09-09 | cmp - sums
    audit list --store audit.db --since 2020-09-09 --outcome failed --limit 500 | cmp - rows
    audit show "$new" --store audit.db >/dev/null
    run -66 audit show "$old" --store audit.db
    [ "$(sql audit.db "$SPENT")" = "$spent" ]
    # A second run has nothing to delete.
    run -0 audit prune --store audit.db --before 2020-09-09
    [[ $output == *"✓ 0 operations deleted"*"--vacuum frees them"* ]]
}

@test "an age counts from now; --vacuum returns free space" {
    "$filler" young.db story plain "$(($(date +%s) * 1000 - 2 * DAY))"
    "$filler" young.db story recovered "$(($(date +%s) * 1000 - 4 * DAY))"
    run -0 audit prune --store young.db --older-than 36500d
    [[ $output == *"✓ 0 operations deleted"* ]]
    run -0 audit prune --store young.db --older-than '3 days'
    [[ $output == *"✓ 1 operation deleted"* ]]
    [ "$(audit export --store young.db | wc -l)" -eq 1 ]
    cp "$full" audit.db
    size=$(stat -c %s audit.db)
    run -0 audit prune --store audit.db --before 2100-01-01 --yes --vacuum --format json
    [ "$(member operations <<<"$output")" -gt 1900 ]
    [ "$(member given_back_bytes <<<"$output")" -gt 300000 ]
    [ "$(stat -c %s audit.db)" -lt $((size / 2)) ]
    audit check --store audit.db >/dev/null
    audit export --store audit.db >stays
    run ! grep -v '"outcome":"open"' stays
}

# ---- refusals ----

@test "invalid options change nothing" {
    cp "$full" audit.db
    sha256sum audit.db >before
    refused 64 "prune needs --older-than DURATION or --before TIME" --store audit.db
    refused 64 "prune needs --older-than DURATION or --before TIME" --store audit.db --older-than 9d --before today
    for nonsense in soon 90 -5d 5x 12:00 '' 2026-11-16 1e99d; do
        refused 64 "--older-than needs a duration" --store audit.db --older-than "$nonsense"
    done
    for nonsense in soon 90 2026-13-01 ''; do
        refused 64 "--before needs a time" --store audit.db --before "$nonsense"
    done
    refused 64 "in the future" --store audit.db --before 2100-01-01
    refused 64 "takes no operand" --store audit.db --before 2020-09-09 all
    refused 64 "--client cannot be used with prune" --store audit.db --before today --client web
    refused 64 "prune has no format csv" --store audit.db --before today --format csv
    run -64 --separate-stderr audit list --store audit.db --older-than 9d
    [[ $stderr == *"--older-than cannot be used with list; it can be used with prune"* ]]
    # A dry run with a time in the future needs no --yes.
    run -0 audit prune --store audit.db --before 2100-01-01 --dry-run
    [[ $output == *"would be deleted"* ]]
    sha256sum --check --quiet before
}

@test "a file that is not a store, a newer store and a read-only one are reported, and nothing is created" {
    refused 66 "there is no audit file" --store none.db --older-than 9d
    [ ! -e none.db ] && [ ! -e none.db-writer ]
    refused 66 "" --store . --older-than 9d
    cp "$full" newer.db
    python3 -c 'import sqlite3; sqlite3.connect("newer.db").execute("PRAGMA user_version = 99")'
    sha256sum newer.db >before
    refused 65 "this program reads up to" --store newer.db --older-than 9d
    sha256sum --check --quiet before
    echo 'not an audit' >text.db
    refused 65 "text.db" --store text.db --older-than 9d
    run -66 --separate-stderr audit prune --store none.db --older-than 9d --format json
    [[ $stderr == *'"error_code":"StoreUnavailable"'* ]]
}

@test "a user with read permission only deletes nothing" {
    [ "$(id -u)" -eq 0 ] || skip "only root can become somebody else"
    open=$(mktemp -d)
    cp "$RECOURSE" "$open/recourse"
    cp "$full" "$open/audit.db"
    chmod 755 "$open" "$open/recourse"
    chmod 644 "$open/audit.db"
    somebody() { setpriv --reuid 65534 --regid 65534 --clear-groups "$open/recourse" audit prune "$@"; }
    run -77 --separate-stderr somebody --store "$open/audit.db" --before 2020-09-09
    [[ $stderr == *"has no access"* ]]
    run -0 somebody --store "$open/audit.db" --before 2020-09-09 --dry-run
    cmp "$open/audit.db" "$full"
    rm -r "$open"
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
    wait "$pid"
    pid=
}

ask() { # COUNT: as many requests, or until there is a file called enough; each has to be answered
    for _ in $(seq "$1"); do
        [ ! -e enough ] || break
        curl -sS -f -m 20 -o /dev/null -D - "$base/v1/chat/completions" \
            -d '{"model":"demo/ok","messages":[{"role":"user","content":"Hello"}]}' |
            sed -n 's/^x-recourse-request-id: *\([^\r]*\)\r*$/\1/Ip'
    done
}

# Adds operations that ended long ago.
fill_past() {
    mkdir -p "${default_store%/*}"
    "$filler" "$default_store" fill "$1" 240 $END 5
}

@test "a gateway prunes while it serves: nothing of it is lost, and the file is sound" {
    printf 'admin: {listen: off}\nproviders: {demo: {kind: demo}}\n' >recourse.yaml
    fill_past 5000
    spent=$(sql "$default_store" "SELECT sum(cost_usd_micro) FROM spend")
    start
    ask 500 >ids1 3>&- &
    one=$!
    ask 500 >ids2 3>&- &
    two=$!
    wait_for test -s ids1
    audit prune --older-than 365d --dry-run --format json | member operations >count
    [ "$(cat count)" -gt 4500 ]
    run -0 audit prune --older-than 365d --format json
    [[ $output == *'"by_gateway":true,"operations":'"$(cat count),"* ]]
    touch enough
    wait "$one"
    wait "$two"
    served=$(sort -u ids1 ids2 | wc -l)
    [ "$served" -gt 10 ]
    for id in $(head -3 ids1) $(tail -3 ids1) $(tail -3 ids2); do
        audit show "$id" >/dev/null
    done
    audit check >/dev/null
    audit stats --format json --since 1d | says /dev/stdin "\"count\":$served,\"succeeded\":$served"
    [ "$(audit list --since 1d --limit 1000 --format json | grep -o '"key"' | wc -l)" -eq "$served" ]
    wait_for says log "operations deleted from the audit: $(cat count), ended before"
    # Pruning up to now keeps the newest operations, which may still be amended.
    run -0 audit prune --before 2100-01-01 --yes
    [ "$(audit export --since 1d --outcome succeeded | wc -l)" -eq "$served" ]
    refused 75 "" --older-than 365d --vacuum
    [ ! -e "$default_store-prune" ] && [ ! -e "$default_store-prune-new" ]
    stop
    audit check >/dev/null
    [ "$(sql "$default_store" "SELECT sum(cost_usd_micro) >= $spent FROM spend")" -eq 1 ]
}

@test "a killed prune command withdraws its request; the next one continues" {
    printf 'admin: {listen: off}\nproviders: {demo: {kind: demo}}\n' >recourse.yaml
    fill_past 5000
    start
    # A stopped gateway cannot have started to prune.
    kill -STOP "$pid"
    "$RECOURSE" audit prune --older-than 365d 3>&- &
    pruner=$!
    wait_for test -s "$default_store-prune"
    refused 75 "another process is deleting operations" --older-than 400d
    kill -9 "$pruner"
    wait "$pruner" || true
    kill -CONT "$pid"
    ask 1 >/dev/null
    [ "$(sql "$default_store" 'SELECT count(*) FROM operations WHERE op >> 15 < 1700000000000')" -eq 5000 ]
    audit prune --older-than 365d >/dev/null
    audit check >/dev/null
    stop
}

@test "a gateway keeps the days of its configuration, also after a change" {
    printf 'admin: {listen: off}\nproviders: {demo: {kind: demo}}\n' >recourse.yaml
    fill_past 500
    start
    ask 1 >/dev/null
    [ "$(sql "$default_store" 'SELECT count(*) FROM operations')" -eq 501 ]
    echo 'audit: {keep_days: 30}' >>recourse.yaml
    kill -HUP "$pid"
    wait_for says log "operations deleted from the audit: "
    run ! says log "needs a restart"
    [ "$(sql "$default_store" 'SELECT count(*) FROM operations WHERE outcome IN (1, 2, 3)')" -eq 1 ]
    audit check >/dev/null
    stop
}

@test "on a terminal it shows its progress" {
    cp "$full" audit.db
    script -qec "'$RECOURSE' audit prune --store audit.db --before 2020-09-09" /dev/null </dev/null >shown
    grep -q ' deleted.*: those that ended before' shown
    grep -q $'operations deleted\033\[K\r\033\[K' shown
}
