#!/usr/bin/env bats
# shellcheck disable=SC2154,SC2030,SC2031 # run sets stderr and output
#
# recourse config import litellm: whole files, the resulting configuration, and the notes.

bats_require_minimum_version 1.5.0
load wait

setup() {
    cd "$RECOURSE_SOURCE/tests/golden/litellm" || return
    out=$BATS_TEST_TMPDIR/out.yaml
}

import() { # FILE
    "$RECOURSE" config import litellm "$@"
}

# Imports one entry with these parameters; the route is m.
one() { # PARAMS [MORE]
    printf 'model_list:\n  - model_name: m\n    litellm_params: {%s}\n%s\n' "$1" "${2:-}" \
        >"$BATS_TEST_TMPDIR/in.yaml"
    run --separate-stderr "$RECOURSE" config import litellm "$BATS_TEST_TMPDIR/in.yaml"
}

@test "each file gives the expected configuration, with the notes also on standard error" {
    files=(*.yaml)
    [ "${#files[@]}" -ge 9 ]
    for file in "${files[@]}"; do
        import "$file" >"$out" 2>"$BATS_TEST_TMPDIR/notes"
        diff -u "${file%.yaml}.expected" "$out"
        diff -u "${file%.yaml}.notes" "$BATS_TEST_TMPDIR/notes"
    done
}

@test "deployments of one model_name share the requests by weight, rpm or tpm" {
    group() { # PARAMS PARAMS PARAMS [MORE]
        {
            echo 'model_list:'
            for i in 1 2 3; do
                printf '  - {model_name: m, litellm_params: {model: openai/gpt-%s, api_key: os.environ/K, %s}}\n' "$i" "${!i}"
            done
            printf '%s\n' "${4:-}"
        } >"$BATS_TEST_TMPDIR/in.yaml"
        "$RECOURSE" config import litellm "$BATS_TEST_TMPDIR/in.yaml" >"$out" 2>/dev/null
        "$RECOURSE" config check "$out" >/dev/null
        run --separate-stderr grep -A9 'any_of' "$out"
    }
    group 'weight: 3' 'weight: 1' 'weight: 2'
    [[ $output == *"- openai/gpt-1"*"- openai/gpt-2"*"- openai/gpt-3"*"weights: [3, 1, 2]"* ]]
    group 'weight: 0.9' 'weight: 0.1' 'weight: 0'
    [[ $output == *"- openai/gpt-1"*"- openai/gpt-2"*"weights: [9, 1]"*"- target: openai/gpt-3"* ]]
    group 'rpm: 600' 'rpm: 300' 'rpm: 100, tpm: 5'
    [[ $output == *"weights: [6, 3, 1]"* ]]
    group 'tpm: 30000000' 'tpm: 1' 'tpm: 15000000'
    [[ $output == *"weights: [10000, 1, 5000]"* ]]
    group 'weight: 5' 'rpm: 7' 'tpm: 9' # no parameter that all of them have: equal shares
    [[ $output == *"any_of"* && $output != *"weights"* ]]
    group 'rpm: 1' 'rpm: 1' 'rpm: 1' 'router_settings: {routing_strategy: least-busy}'
    [[ $output == *"by: least-busy"* && $output != *"weights"* ]]
    group 'rpm: 1' 'rpm: 1' 'rpm: 1' 'router_settings: {routing_strategy: usage-based-routing-v2}'
    [[ $output == *"by: remaining"* ]]
    group 'rpm: 1' 'rpm: 1' 'rpm: 1' 'router_settings: {routing_strategy: latency-based-routing}'
    [[ $output == *"any_of"* && $output != *"by:"* ]]
    grep -q 'routing_strategy: no counterpart: the deployments of one model_name share the requests by weight' "$out"
}

@test "the result passes the check, and is the same from a pipe" {
    for file in *.yaml; do
        import "$file" 2>/dev/null >"$out"
        "$RECOURSE" config check "$out"
        "$RECOURSE" config import litellm - <"$file" 2>/dev/null >"$out.piped"
        diff <(tail -n +2 "$out") <(tail -n +2 "$out.piped")
    done
}

@test "no literal secret is copied, neither to the configuration nor to the notes" {
    grep -q hunter2 secrets.yaml
    run ! grep -F -e hunter2 -e Zq7wm3 ./*.expected ./*.notes
    [ "$(grep -c 'a literal key is not copied' secrets.notes)" = 5 ]
}

@test "an unset variable is reported, and its reference is not shown" {
    one 'model: openai/x, api_key: os.environ/'
    [ "$status" = 0 ]
    [[ $output == *"keys: [env:OPENAI_API_KEY]"* ]]
    [[ $stderr == *"litellm_params.api_key: os.environ/ has no variable name; put the key into the variable OPENAI_API_KEY"* ]]
    [[ $output$stderr != *literal* ]]
    for name in 1KEY 'MY KEY' my-key-hunter2 'K$' "sk-$(printf 'a1%.0s' {1..24})"; do
        one "model: openai/x, api_key: \"os.environ/$name\"" "general_settings: {master_key: \"os.environ/$name\"}"
        [ "$status" = 0 ]
        [ "$(grep -c 'the text after os.environ/ is not the name of a variable' <<<"$stderr")" = 2 ]
        [[ $stderr == *"put the key into the variable OPENAI_API_KEY"* ]]
        [[ $stderr == *"put the key into the variable LITELLM_MASTER_KEY"* ]]
        [[ $output == *"env:OPENAI_API_KEY"*"env:LITELLM_MASTER_KEY"* ]]
        [[ $output$stderr != *literal* && $output$stderr != *"$name"* ]]
    done
}

@test "an imported gateway runs" {
    cd "$BATS_TEST_TMPDIR" || return
    one 'model: openai/x, api_base: "http://127.0.0.1:1/v1", api_key: os.environ/KEY'
    [ "$status" = 0 ]
    (echo 'listen: 127.0.0.1:0' && echo 'admin: {listen: "off"}' && echo "$output") >recourse.yaml
    KEY=key "$RECOURSE" doctor --offline --format json >found.json
    grep -q '"faults":0' found.json
}

# Lists the targets of a route, in order, of the imported configuration.
chain_of() { # MODEL
    awk -v model="  - model: $1" '$0 == model {is_in = 1; next} /^  - model:|^[a-z]/ {is_in = 0}
        is_in && /- target:/ {printf "%s%s", sep, $3; sep = " "}' <<<"$output"
}

@test "a model without a prefix goes to its own provider, or is left out" {
    cd "$BATS_TEST_TMPDIR" || return
    printf 'model_list: [{model_name: "*", litellm_params: {model: "*"}}]\n' >all.yaml
    run -0 --separate-stderr import all.yaml
    [ "$(chain_of '"claude-*"')" = '"anthropic/*"' ]
    [ "$(chain_of '"gpt-*"')" = '"openai/*"' ]
    [ -z "$(chain_of '"*"')" ]
    [[ $output != *'model: "gemini'* ]]
    [[ $stderr == *"all.yaml:1:14: model_list[0]: LiteLLM finds the provider by the model's name"*"are refused"* ]]
    for model in gemini-2.5-pro command-r '"*"' mistral-large; do
        one "model: $model"
        [ "$status" = 65 ]
        [[ $stderr == *"model_list[0].litellm_params.model: left out"* ]]
    done
    printf 'model_list: [{model_name: "*", litellm_params: {model: "*", api_key: os.environ/K}}]\n' \
        >keyed.yaml
    run -65 --separate-stderr import keyed.yaml
    [[ $stderr == *"left out: LiteLLM finds the provider by the model's name, and uses this one key"* ]]
}

@test "a custom address gets the key that LiteLLM would send" {
    one 'model: openai/x, api_base: "https://proxy.corp.example/v1"'
    [ "$status" = 0 ]
    [[ $output == *"keys: [env:OPENAI_API_KEY]"* ]]
    [[ $stderr == *"OPENAI_API_KEY is sent to api_base"* ]]
    one 'model: anthropic/x, api_base: "https://proxy.corp.example"'
    [[ $output == *"keys: [env:ANTHROPIC_API_KEY]"* ]]
    one 'model: hosted_vllm/x, api_base: "https://proxy.corp.example/v1"'
    [[ $output != *keys:* ]]
    [[ $stderr == *"HOSTED_VLLM_API_KEY if the variable is set"* ]]
    one 'model: openai/x, api_base: "https://proxy.corp.example/v1", api_key: os.environ/MINE'
    [[ $output == *"keys: [env:MINE]"* ]]
    [[ $output != *OPENAI_API_KEY* ]]
    # An empty value is ignored; a host is OpenAI's only if its whole name matches.
    one 'model: openai/x, api_base: null, api_key: null, litellm_credential_name: cr' \
        'credential_list: [{credential_name: cr, credential_values: {api_key: os.environ/CRED, api_base: "https://cred.example/v1"}}]'
    [[ $output == *"https://cred.example/v1"*"keys: [env:CRED]"* ]]
    one 'model: openai/x, api_base: "https://api.openai.com.evil.example/v1"'
    [[ $output == *"kind: openai_compatible"* ]]
    one 'model: openai/x, api_base: "https://api.openai.com/v1"'
    [[ $output == *"kind: openai"* && $output != *openai_compatible* ]]
}

@test "unknown names are reported, with the target that replaces them" {
    one 'model: openai/x' '  - {model_name: "*", litellm_params: {model: "openai/*"}}
  - {model_name: az, litellm_params: {model: azure/x}}
router_settings:
  fallbacks: [{az: [m]}, {m: [az]}, {"a/*": [m]}]
  context_window_fallbacks: [{az: [m]}]
  model_group_alias: {other: az}'
    [ "$status" = 0 ]
    [[ $stderr == *"model_list[2].model_name: the model has no route of its own; another route matches the name, and requests go to its targets: \"*\""* ]]
    [[ $stderr == *"router_settings.fallbacks[0].az: left out: no imported model_name has this name; another route matches the name"* ]]
    [[ $stderr == *"router_settings.fallbacks[1].m[0]: no imported model_name has this name; left out"* ]]
    [[ $stderr == *"router_settings.fallbacks[2][\"a/*\"]: left out: no imported model_name"* ]]
    [[ $stderr == *"router_settings.context_window_fallbacks[0].az: left out"* ]]
    [[ $stderr == *"router_settings.model_group_alias.other: no imported model_name"*"\"*\""* ]]
    # A name that matches a pattern has its own fallbacks.
    one 'model: openai/x' '  - {model_name: "gpt-*", litellm_params: {model: "openai/*"}}
router_settings: {fallbacks: [{gpt-5: [m, gpt-4]}]}'
    [ "$(chain_of gpt-5)" = "openai/gpt-5 openai/x openai/gpt-4" ]
    [ "$(chain_of '"gpt-*"')" = '"openai/*"' ]
}

@test "a limit of one deployment does not apply to another" {
    one 'model: openai/x' '  - {model_name: slow, litellm_params: {model: groq/y, timeout: 20, stream_timeout: 5}}
  - {model_name: alone, litellm_params: {model: groq/z, timeout: 20, stream_timeout: 5}}
router_settings: {fallbacks: [{m: [slow]}]}'
    [ "$status" = 0 ]
    [ "$(chain_of m)" = "openai/x groq/y" ]
    [ "$(grep -c 'timeouts: {first_byte_ms: 20000, idle_ms: 5000}' <<<"$output")" = 2 ]
    [ "$(grep -c timeouts: <<<"$output")" = 2 ]
    [[ $stderr == *"litellm_params.timeout: "*"the largest was used: 600000 ms in the route \"m\""* ]]
    [[ $stderr == *"litellm_params.stream_timeout: "*"the largest was used: 120000 ms in the route \"m\""* ]]
}

@test "aliases that are recursive or expand without limit are refused, and no source line is shown" {
    cd "$BATS_TEST_TMPDIR" || return
    {
        echo 'a0: &a0 [hunter2, hunter2, hunter2, hunter2, hunter2, hunter2, hunter2, hunter2]'
        for i in 1 2 3 4 5 6 7 8 9; do
            p="*a$((i - 1))"
            echo "a$i: &a$i [$p, $p, $p, $p, $p, $p, $p, $p]"
        done
        echo 'model_list: *a9'
    } >bomb.yaml
    run -65 --separate-stderr import bomb.yaml
    [[ $stderr == *"bomb.yaml:6:"*"more than 100000 values"* ]]
    printf 'model_list: &l [{model_name: m, litellm_params: {secretly: hunter2, model: *l}}]\n' \
        >cycle.yaml
    run -65 --separate-stderr import cycle.yaml
    [[ $stderr == *"cycle.yaml:1:"*"to the value that contains it"* ]]
    [[ $stderr != *hunter2* ]]
    # A file for recourse must not have aliases.
    printf 'a: &x 1\nb: *x\n' >ours.yaml
    run -78 "$RECOURSE" config check ours.yaml
    [[ $output == *"anchors (&name) are not accepted"* ]]
}

@test "every number is checked against its limits" {
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

@test "names with a special meaning in YAML stay names" {
    one 'model: "openai/yes: [no] # \"x\"", api_key: os.environ/KEY'
    [ "$status" = 0 ]
    echo "$output" >"$out"
    run -0 "$RECOURSE" config show "$out"
    [[ $output == *'openai/yes: [no] # \"x\"'* ]]
}

@test "the file name cannot end the comment that contains it" {
    cd "$BATS_TEST_TMPDIR" || return
    name=$'x\nlisten: 1.2.3.4:5\n#.yaml'
    cp "$RECOURSE_SOURCE/tests/golden/litellm/simple.yaml" "$name"
    run -0 --separate-stderr "$RECOURSE" config import litellm "./$name"
    [[ ${lines[0]} == *'listen: 1.2.3.4:5'* ]]
    run ! grep -q '^listen' <<<"$output"
}

@test "an invalid file is refused with its position" {
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
    [[ $stderr == *"no entry could be imported"* ]]
    : >nothing.yaml
    run -65 --separate-stderr import nothing.yaml
    run -66 --separate-stderr import none.yaml
}

@test "the command line is parsed strictly" {
    run -64 "$RECOURSE" config import
    run -64 "$RECOURSE" config import litellm
    run -64 "$RECOURSE" config import other simple.yaml
    [[ $output == *"expected 'import litellm FILE'"* ]]
    run -64 import simple.yaml local.yaml
    run -64 import simple.yaml --format json
    run -64 "$RECOURSE" config check simple.yaml local.yaml
    run -0 "$RECOURSE" config --help
    [[ $output == *"import litellm"* ]]
}

@test "an address in a variable is imported, and read at the start" {
    cd "$BATS_TEST_TMPDIR" || return
    one 'model: openai/x, api_base: os.environ/FAR_BASE, api_key: os.environ/KEY'
    [ "$status" = 0 ]
    [[ $output == *"base_url: env:FAR_BASE"* ]]
    echo "$output" >far.yaml
    run -0 "$RECOURSE" config check far.yaml
    [[ $output == *"env:FAR_BASE (not set)"* ]]
    FAR_BASE=http://127.0.0.1:1/v1/ run -0 "$RECOURSE" config check far.yaml
    [[ $output == *"http://127.0.0.1:1/v1  env:KEY"* ]]
    FAR_BASE=http://far.example/v1 run -78 "$RECOURSE" config check far.yaml
    [[ $output == *"base_url: the variable FAR_BASE: plain http://"* ]]
    (echo 'listen: 127.0.0.1:0' && echo 'admin: {listen: "off"}' && cat far.yaml) >recourse.yaml
    KEY=key run -78 "$RECOURSE" serve
    [[ $output == *"base_url refers to a variable that is not set: env:FAR_BASE"* ]]
}

@test "our own texts are not scrubbed" {
    one 'model: hosted_vllm/x, api_base: "http://127.0.0.1:1/v1"'
    [[ $stderr == *"LiteLLM sends the key in HOSTED_VLLM_API_KEY"* ]]
    [[ $output$stderr != *redacted* ]]
}

@test "kinds that differ only by address and variable are imported" {
    for kind in moonshot nvidia_nim minimax deepinfra dashscope huggingface sambanova novita hyperbolic nebius baseten; do
        one "model: $kind/x"
        [ "$status" = 0 ]
        [[ $output == *"target: $kind/x"* ]]
    done
    one 'model: databricks/x'
    [[ $output == *"base_url: env:DATABRICKS_API_BASE"* ]]
}
