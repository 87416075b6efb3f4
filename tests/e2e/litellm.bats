#!/usr/bin/env bats
# shellcheck disable=SC2154 # run sets stderr
#
# recourse config import litellm: whole files, what comes of them, and what is said of the rest.

bats_require_minimum_version 1.5.0

setup() {
    cd "$RECOURSE_SOURCE/tests/golden/litellm" || return
    out=$BATS_TEST_TMPDIR/out.yaml
}

import() { # FILE
    "$RECOURSE" config import litellm "$@"
}

# One entry with these parameters, imported; the route is m.
one() { # PARAMS [MORE]
    printf 'model_list:\n  - model_name: m\n    litellm_params: {%s}\n%s\n' "$1" "${2:-}" \
        >"$BATS_TEST_TMPDIR/in.yaml"
    run --separate-stderr "$RECOURSE" config import litellm "$BATS_TEST_TMPDIR/in.yaml"
}

@test "each file becomes what is expected, with the notes on standard error too" {
    files=(*.yaml)
    [ "${#files[@]}" -ge 4 ]
    for file in "${files[@]}"; do
        import "$file" >"$out" 2>"$BATS_TEST_TMPDIR/notes"
        diff -u "${file%.yaml}.expected" "$out"
        diff -u "${file%.yaml}.notes" "$BATS_TEST_TMPDIR/notes"
    done
}

@test "what comes out passes the check, and shows the same from a pipe" {
    for file in *.yaml; do
        import "$file" 2>/dev/null >"$out"
        "$RECOURSE" config check "$out"
        "$RECOURSE" config import litellm - <"$file" 2>/dev/null >"$out.piped"
        diff <(tail -n +2 "$out") <(tail -n +2 "$out.piped")
    done
}

@test "no literal secret is copied, neither to the file nor to the notes" {
    grep -q hunter2 secrets.yaml
    run ! grep -F -e hunter2 -e Zq7wm3 secrets.expected secrets.notes
    [ "$(grep -c 'a literal key is not copied' secrets.notes)" = 5 ]
}

@test "an imported gateway runs" {
    cd "$BATS_TEST_TMPDIR" || return
    one 'model: openai/x, api_base: "http://127.0.0.1:1/v1", api_key: os.environ/KEY'
    [ "$status" = 0 ]
    (echo 'listen: 127.0.0.1:0' && echo 'admin: {listen: "off"}' && echo "$output") >recourse.yaml
    KEY=key "$RECOURSE" doctor --offline --format json >found.json
    grep -q '"faults":0' found.json
}

@test "every number is held to its limits" {
    for seconds in -1 1e3 99999999 "[1]" "'x'"; do
        one 'model: openai/x' "router_settings: {timeout: $seconds}"
        [ "$status" = 0 ]
        [[ $stderr == *"router_settings.timeout: not a number of seconds"* ]]
        [[ $output != *first_byte_ms* ]]
    done
    for number in -1 1.5 1000000 "{a: 1}"; do
        one 'model: openai/x' "router_settings: {num_retries: $number}"
        [ "$status" = 0 ]
        [[ $stderr == *"router_settings.num_retries: not a whole number"* ]]
        [[ $output != *policies* ]]
    done
    one 'model: openai/x' "router_settings: {num_retries: 0, cooldown_time: 0, allowed_fails: 0}"
    [ "$status" = 0 ]
    [[ $output == *"max_attempts: 1"*"cooldown_ms: 0"*"min_calls: 1"* ]]
}

@test "names that mean something in YAML stay names" {
    one 'model: "openai/yes: [no] # \"x\"", api_key: os.environ/KEY'
    [ "$status" = 0 ]
    echo "$output" >"$out"
    run -0 "$RECOURSE" config show "$out"
    [[ $output == *'openai/yes: [no] # \"x\"'* ]]
}

@test "the name of the file cannot end the comment that it stands in" {
    cd "$BATS_TEST_TMPDIR" || return
    name=$'x\nlisten: 1.2.3.4:5\n#.yaml'
    cp "$RECOURSE_SOURCE/tests/golden/litellm/simple.yaml" "$name"
    run -0 --separate-stderr "$RECOURSE" config import litellm "./$name"
    [[ ${lines[0]} == *'listen: 1.2.3.4:5'* ]]
    run ! grep -q '^listen' <<<"$output"
}

@test "what is no such file is refused with its place" {
    cd "$BATS_TEST_TMPDIR" || return
    echo 'listen: 127.0.0.1:1' >ours.yaml
    run -65 --separate-stderr import ours.yaml
    [[ $stderr == *"ours.yaml:1:1: model_list is missing"* ]]
    [ -z "$output" ]
    echo 'model_list: [{a: *b}]' >alias.yaml
    run -65 --separate-stderr import alias.yaml
    [[ $stderr == *"alias.yaml:1:"* ]]
    echo 'model_list: {a: 1}' >map.yaml
    run -65 --separate-stderr import map.yaml
    echo 'model_list: []' >empty.yaml
    run -65 --separate-stderr import empty.yaml
    [[ $stderr == *"no entry of it could be carried over"* ]]
    : >nothing.yaml
    run -65 --separate-stderr import nothing.yaml
    run -66 --separate-stderr import none.yaml
}

@test "the command line is read strictly" {
    run -64 "$RECOURSE" config import
    run -64 "$RECOURSE" config import litellm
    run -64 "$RECOURSE" config import other simple.yaml
    [[ $output == *"litellm is expected"* ]]
    run -64 import simple.yaml local.yaml
    run -64 import simple.yaml --format json
    run -64 "$RECOURSE" config check simple.yaml local.yaml
    run -0 "$RECOURSE" config --help
    [[ $output == *"import litellm"* ]]
}
