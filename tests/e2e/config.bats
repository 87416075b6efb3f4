#!/usr/bin/env bats
# recourse config: where the file is found, the output for valid and invalid files, and that no secret is
# printed.

bats_require_minimum_version 1.5.0

setup() {
    unset NO_COLOR COLUMNS LC_ALL LC_CTYPE
    unset OPENAI_API_KEY OPENAI_BASE_URL ANTHROPIC_API_KEY ANTHROPIC_AUTH_TOKEN GEMINI_API_KEY GOOGLE_API_KEY
    export LANG=C.UTF-8 TERM=xterm HOME=$BATS_TEST_TMPDIR/home XDG_CONFIG_HOME=
    mkdir -p "$HOME/.config/recourse" "$BATS_TEST_TMPDIR/here"
    cd "$BATS_TEST_TMPDIR/here" || return
    cat >good.yaml <<'END'
providers:
  openai: {keys: [env:OPENAI_API_KEY, env:OPENAI_API_KEY_2]}
  relay: {kind: openai_compatible, base_url: "https://relay.example/v1", keys: [file:/nowhere/key]}
routes:
  - model: "gpt-4o*"
    chain:
      - {target: openai/gpt-4o, tries: 2}
      - {target: relay/gpt-4o}
    policy: fast
policies:
  fast: {max_attempts: 3, base_ms: 50, max_delay_ms: 1000}
END
}

config() { "$RECOURSE" config "$@"; }

@test "check: a valid file, in a few lines" {
    OPENAI_API_KEY=hunter2 run -0 --separate-stderr config check good.yaml
    [ -z "$stderr" ]
    [ "${lines[0]}" = "good.yaml: valid" ]
    [[ $output == *"env:OPENAI_API_KEY (set), env:OPENAI_API_KEY_2 (not set)"* ]]
    [[ $output == *"file:/nowhere/key (missing)"* ]]
    [[ $output == *"openai/gpt-4o x2, then relay/gpt-4o  policy fast"* ]]
    [[ $output == *"fast"*"3 attempts, waits 50ms, 100ms +-20%"* ]]
    [[ $output != *hunter2* ]]
}

@test "check: a world-readable key file is reported and never read" {
    echo hunter2 >key
    chmod 644 key
    echo "providers: {openai: {keys: [file:$PWD/key]}}" >c.yaml
    run -0 config check c.yaml
    [[ $output == *"key (readable by all users)"* && $output != *hunter2* ]]
    chmod 600 key
    run -0 config check c.yaml
    [[ $output == *"key (there)"* ]]
}

@test "check: a key file that is a pipe is reported and not opened" {
    mkfifo pipe
    echo "providers: {openai: {keys: [file:$PWD/pipe, file:$PWD]}}" >c.yaml
    run -0 timeout 20 "$RECOURSE" config check c.yaml
    [[ $output == *"pipe (a pipe), file:$PWD (a folder)"* ]]
    for key in rules prices; do
        echo "$key: pipe" >c.yaml
        run -78 timeout 20 "$RECOURSE" config check c.yaml
        [[ $output == *"cannot read \"pipe\": it is a pipe"* ]]
    done
}

@test "check: an empty file is valid, from every source" {
    : >empty.yaml
    run -0 config check empty.yaml
    [ "${lines[0]}" = "empty.yaml: valid" ]
    run -0 config check /dev/null
    run -0 config check - </dev/null
    [ "${lines[0]}" = "<stdin>: valid" ]
    echo 'prices: empty.yaml' >c.yaml
    run -0 config check c.yaml
    run -65 "$RECOURSE" simulate empty.yaml
    run -65 "$RECOURSE" simulate - </dev/null
}

@test "check: position, path, nearest key and the source line" {
    sed 's/policy: fast/polcy: fast/' good.yaml >bad.yaml
    run -78 --separate-stderr config check bad.yaml
    [ -z "$output" ]
    [ "$stderr" = "bad.yaml:9:5: routes[0].polcy: unknown key; did you mean policy?
  9 |     polcy: ...
    |     ^" ]
}

@test "check: all faults, in the order of the file" {
    sed 's/tries: 2/tries: 0/; s/relay\/g/rely\/g/; s/base_ms: 50/base_ms: soon/' good.yaml >bad.yaml
    run -78 --separate-stderr config check bad.yaml
    run -0 grep -c '^bad.yaml:' <<<"$stderr"
    [ "$output" = 3 ]
    [[ $stderr == *"7:40: "*"8:18: "*"did you mean relay?"*"11:36: "* ]]
}

@test "check: addresses beyond the machine, and unknown dialects, are refused with their position" {
    printf 'admin:\n  listen: 0.0.0.0:8788\n' >bad.yaml
    run -78 --separate-stderr config check bad.yaml
    [[ $stderr == "bad.yaml:2:11: admin.listen: other machines can reach this address, and admin.token is missing"* ]]
    printf '  token: env:ADMIN\n' >>bad.yaml
    run -0 config check bad.yaml
    sed 's/kind: openai_compatible/kind: anthropic/; s/policy: fast/translate: off/' good.yaml >bad.yaml
    run -78 --separate-stderr config check bad.yaml
    [[ $stderr == "bad.yaml:8:18: routes[0].chain[1].target: this target's provider has the interface messages and chain[0] "* ]]
}

@test "check: the translations of each route, and what is never sent" {
    sed 's/kind: openai_compatible/kind: anthropic/' good.yaml >mixed.yaml
    run -0 config check mixed.yaml
    [[ $output == *"translations"*"chat>messages  relay/gpt-4o"*"never sent to messages: "*"json_object"* ]]
    run -0 config check mixed.yaml --format json
    [ "$(jq -c '[.translations[] | select(.translation == "chat>messages") | .target, (.never | index("json_object") != null)]' \
        <<<"$output")" = '["relay/gpt-4o",true]' ]
    sed 's/policy: fast/translate: off/' good.yaml >off.yaml
    run -0 config check off.yaml --format json
    [ "$(jq -c .translations <<<"$output")" = '[]' ]
}

@test "check: JSON is a report on standard output" {
    sed 's/policy: fast/polcy: fast/' good.yaml >bad.yaml
    run -78 --separate-stderr config check bad.yaml --format json
    [ -z "$stderr" ]
    [ "$(jq -r .error_code <<<"$output")" = ConfigSchemaViolation ]
    [ "$(jq -c '[.context | .file, .line, .column, .key, .nearest, .faults]' <<<"$output")" = \
        '["bad.yaml",9,5,"routes[0].polcy","policy",1]' ]
    run -0 config check good.yaml --format json
    [ "$(jq -c '[.valid, .routes[0].chain[1], .providers[1].keys[0].state]' <<<"$output")" = \
        '[true,"relay/gpt-4o","missing"]' ]
}

@test "check: a literal key is refused and never shown" {
    for text in 'providers: {openai: {keys: [hunter2]}}' \
        'providers: {openai: {kind: opnai, keys: [hunter2]}}' \
        'providers: {openai: {key: hunter2}}' \
        'providers: {openai: {keys: hunter2}}' \
        $'providers:\n  openai:\n    keys:\n      - hunter2\n      - "x' \
        $'providers:\n  openai:\n    keys: [env:A,\n      hunter2]\n    kind: opnai' \
        'providers: {openai: {auth: hunter2}}' \
        'providers: {openai: {tokn: hunter2, kind: opnai}}' \
        'clients: [{name: a, token: hunter2}]' \
        'store: postgres://u:hunter2@h/d' \
        'store: postgres://h/d?pass%77ord=hunter2' \
        'store: mysql://u:hunter2@h/d' \
        'listen: sk-ant-api03-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaahunter2'; do
        run -78 config check - <<<"$text"
        [[ $output == *"<stdin>:"* && $output != *hunter2* ]]
        run -78 config check - --format json <<<"$text"
        [[ $output != *hunter2* ]]
    done
}

@test "check: invalid YAML is reported with its position" {
    printf 'a:\n\tb: 1\n' >bad.yaml
    run -78 config check bad.yaml
    [[ $output == "bad.yaml:2:1: a tab is not allowed as indentation; use spaces"* ]]
    printf 'listen: [1,\n' >bad.yaml
    run -78 config check bad.yaml
    [[ $output == "bad.yaml:2:1: a value is expected here"* ]]
}

@test "check: no control character reaches the terminal" {
    printf 'listen: "\\e[31mred"\n"\\e[2J": 1\n' >bad.yaml
    run -78 config check bad.yaml
    [[ $output != *$'\e'* ]]
}

@test "check: the files that the configuration names" {
    printf 'rules: my.rules\n' >c.yaml
    run -78 config check c.yaml
    [[ $output == *"c.yaml:1:8: rules: cannot read \"my.rules\": No such file"* ]]
    printf 'rule x\n  when status:503\n  then Nonsense\n' >my.rules
    run -78 config check c.yaml
    [[ $output == *"c.yaml:1:8: rules: \"my.rules\", line 3"* ]]
    mkdir sub
    printf 'rule x.y\n  when status:503 and text:"pool is empty"\n  then Overloaded\n  because "so"\n' >sub/my.rules
    mv c.yaml sub/
    run -0 config check sub/c.yaml
    printf 'prices: p.yaml\n' >c.yaml
    printf 'a: [\n' >p.yaml
    run -78 config check c.yaml
    [[ $output == *"prices: \"p.yaml\", line 2, column 1: "* ]]
}

@test "the file: here, then XDG_CONFIG_HOME or ~/.config, then the environment" {
    run -0 config check
    [ "${lines[0]}" = "the environment: valid" ]
    [[ $output == *demo* ]]
    OPENAI_API_KEY=x run -0 config check
    [[ $output == *"env:OPENAI_API_KEY (set)"* ]]
    echo 'listen: "h:1"' >"$HOME/.config/recourse/recourse.yaml"
    run -0 config check
    [ "${lines[0]}" = "$HOME/.config/recourse/recourse.yaml: valid" ]
    mkdir -p xdg/recourse
    echo 'listen: "h:2"' >xdg/recourse/recourse.yaml
    XDG_CONFIG_HOME=$PWD/xdg run -0 config check
    [ "${lines[0]}" = "$PWD/xdg/recourse/recourse.yaml: valid" ]
    echo 'listen: "h:3"' >recourse.yaml
    run -0 config check
    [ "${lines[0]}" = "recourse.yaml: valid" ]
}

@test "show: every default, and its output is a valid configuration with the same output" {
    run -0 --separate-stderr config show good.yaml
    [ -z "$stderr" ]
    echo "$output" >shown.yaml
    grep -q '^listen: 127.0.0.1:8787$' shown.yaml
    grep -q '^    deadline_ms: 600000$' shown.yaml
    grep -A 3 '^    timeouts:$' shown.yaml | tr -d '\n' | grep -q 'connect_ms: 5000 *first_byte_ms: 0 *idle_ms: 120000'
    grep -q '^    keys: \[env:OPENAI_API_KEY, env:OPENAI_API_KEY_2\]$' shown.yaml
    config show shown.yaml | cmp - shown.yaml
    config show - <shown.yaml >again.yaml
    cmp again.yaml shown.yaml
    run -78 --separate-stderr config show - <<<'lisen: 1'
    [[ -z $output && $stderr == *"did you mean listen?"* ]]
}

@test "keys: all keys of the configuration" {
    run -0 config keys
    [[ $output == *'| `deadline_ms` | milliseconds | 600000 |'*'| `first_byte_ms` | milliseconds | 0 |'* ]]
}

@test "usage errors" {
    run -64 config
    [[ $output == *"expected check, show, keys, prices or import"* ]]
    run -64 config chek
    [[ $output == *"did you mean check?"* ]]
    run -64 config show good.yaml --format json
    run -64 config keys good.yaml
    run -64 config check a b
    [[ $output == *"expected one file"* ]]
    run -64 config check a b c
    [[ $output == *"three operands"* ]]
    run -66 --separate-stderr config check nowhere.yaml
    [[ $stderr == *"cannot read nowhere.yaml: No such file"* ]]
    run -66 config check .
}

@test "a systemd credential is searched in its folder" {
    echo "providers: {openai: {keys: [credential:openai]}}" >c.yaml
    run -0 config check c.yaml
    [[ $output == *"credential:openai (not passed by systemd)"* ]]
    mkdir credentials
    CREDENTIALS_DIRECTORY=$PWD/credentials run -0 config check c.yaml
    [[ $output == *"credential:openai (missing)"* ]]
    (umask 077 && echo sk-x >credentials/openai)
    CREDENTIALS_DIRECTORY=$PWD/credentials run -0 config check c.yaml --format json
    [[ $output == *'{"credential":"openai","state":"there"}'* ]]
    run -0 config show c.yaml
    [[ $output == *"keys: [credential:openai]"* ]]
}

@test "the name of a credential cannot leave the folder" {
    for name in ../openai a/b . .. .hidden "" "a b"; do
        echo "providers: {openai: {keys: [\"credential:$name\"]}}" >c.yaml
        run -78 config check c.yaml
        [[ $output == *"the name of a credential is expected after credential:"* ]]
    done
}
