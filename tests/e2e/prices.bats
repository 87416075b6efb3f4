#!/usr/bin/env bats
# recourse config prices: the built-in prices, a user's price file, and its faults with their position.

bats_require_minimum_version 1.5.0
load wait

setup() {
    unset NO_COLOR COLUMNS LC_ALL LC_CTYPE
    export LANG=C.UTF-8 TERM=xterm HOME=$BATS_TEST_TMPDIR/home XDG_CONFIG_HOME=
    mkdir -p "$HOME" "$BATS_TEST_TMPDIR/here"
    cd "$BATS_TEST_TMPDIR/here" || return
    cat >c.yaml <<'END'
providers:
  openai: {keys: [env:OPENAI_API_KEY]}
  azure: {kind: openai_compatible, base_url: "https://azure.example/v1", keys: [env:AZURE]}
routes:
  - {model: "gpt*", chain: [{target: openai/gpt-4o}, {target: azure/gpt-4o}], overflow_to: azure/big}
prices: mine/prices.yaml
END
    mkdir mine
    cat >mine/prices.yaml <<'END'
as_of: 2026-11-01
prices:
  - {kind: openai, model: gpt-4o, input: 1.5, output: 6}
  - {provider: azure, model: gpt-4o, input: 2.2, output: 8.8, cached_input: 1.1, request: 0.001}
END
}

prices() { "$RECOURSE" config prices "$@"; }

@test "the built-in prices match the reviewed snapshot" {
    # After a change of spec/prices.def: recourse config prices >tests/golden/prices.txt
    rm c.yaml
    diff -u "$RECOURSE_SOURCE/tests/golden/prices.txt" <(prices)
}

@test "prices of the user's file come first, and targets without a price are listed" {
    run -0 --separate-stderr prices c.yaml
    [ -z "$stderr" ]
    [[ $output == *"Prices with * are from mine/prices.yaml, 2026-11-01."* ]]
    [[ $output == *$'\n'"*  openai "*" gpt-4o "*"1.5"*" 6 "* ]]
    [[ $output == *"*  azure "*"2.2"*"0.001 per request"* ]]
    [[ $output == *"Targets without a price, counted as free: azure/big" ]]
}

@test "the same as JSON" {
    prices c.yaml --format json >out.json
    python3 - <<'END'
import json
t = json.load(open("out.json"))
assert t["as_of"] == "2026-11-01" and t["built_in_as_of"] == "2026-08-08", t
assert t["unpriced"] == ["azure/big"], t["unpriced"]
first, second = t["prices"][:2]
assert first == {"kind": "openai", "model": "gpt-4o", "input": 1.5, "output": 6, "cached_input": 1.5,
                 "cache_write": 1.5, "cache_write_1h": 1.5, "built_in": False}, first
assert second["provider"] == "azure" and second["request"] == 0.001, second
assert all(p["built_in"] for p in t["prices"][2:]) and len(t["prices"]) > 150
END
}

@test "without the built-in prices" {
    sed -i '1a built_in: false' mine/prices.yaml
    run -0 prices c.yaml
    [[ $output == *"and not used"* && $output != *claude* ]]
}

@test "faults are reported with file, line, column and key" {
    sed -i 's/output: 6/outptu: 6/' mine/prices.yaml
    run -78 --separate-stderr prices c.yaml
    [ -z "$output" ]
    [[ $stderr == *"mine/prices.yaml:3:47: prices[0].outptu: unknown key; did you mean output?"* ]]
    run -78 --separate-stderr "$RECOURSE" config check c.yaml
    [[ $stderr == *'c.yaml:6:9: prices: "mine/prices.yaml", line 3, column 47: prices[0].outptu: unknown key; did you mean output'* ]]
}

@test "a missing file, and an invalid one" {
    rm mine/prices.yaml
    run -66 --separate-stderr prices c.yaml
    [[ $stderr == *"mine/prices.yaml"*"No such file"* ]]
    mkfifo mine/prices.yaml
    run -78 --separate-stderr timeout 20 "$RECOURSE" config prices c.yaml
    [[ $stderr == *"mine/prices.yaml"*"it is a pipe"* ]]
    rm mine/prices.yaml
    head -c 1100000 /dev/zero | tr '\0' '#' >mine/prices.yaml
    run -78 --separate-stderr prices c.yaml
    [[ $stderr == *"larger than the maximum of 1 MiB"* ]]
}

# A budget never limits a target without a price: several commands warn about it.
cover() { # a budget that covers azure/big, which has no price
    echo 'budgets: [{name: all, limit_usd: 5, on_exceed: fail}]' >>c.yaml
    export OPENAI_API_KEY=k-1 AZURE=k-2
    words="azure/big has no price: its cost does not count towards budget all"
}

@test "config check warns about targets without a price that a budget covers" {
    run -0 "$RECOURSE" config check c.yaml
    [[ $output != *warning* ]]
    cover
    run -0 "$RECOURSE" config check c.yaml
    [[ $output == *$'\nwarnings\n'"  $words; add a price to the file that"*"0 if the model is free"* ]]
    "$RECOURSE" config check c.yaml --format json >out.json
    python3 -c 'import json, sys
(warning,) = json.load(open("out.json"))["warnings"]
assert warning.startswith(sys.argv[1]), warning' "$words"
    echo '  - {provider: azure, model: big, input: 0, output: 0}' >>mine/prices.yaml
    run -0 "$RECOURSE" config check c.yaml
    [[ $output != *warning* ]]
}

@test "doctor warns about them too, and about unreadable prices" {
    cover
    run "$RECOURSE" doctor --offline --config c.yaml --format json
    [[ $output == *"$words"* ]]
    echo 'prices: [' >mine/prices.yaml
    run -78 "$RECOURSE" doctor --offline --config c.yaml --format json
    [[ $output == *"prices.yaml"* ]]
    rm mine/prices.yaml
    run -78 "$RECOURSE" doctor --offline --config c.yaml --format json
    [[ $output == *"prices.yaml cannot be read: "* ]]
}

@test "the log warns at the start and at every reload" {
    cover
    printf '%s\n' 'listen: 127.0.0.1:0' 'admin: {listen: "off"}' 'store: sqlite:audit.db' >>c.yaml
    "$RECOURSE" serve --config c.yaml --log json --port-file port >log 2>&1 3>&- &
    pid=$!
    warned() { # TIMES
        [ "$(grep -c "\"event\":\"budget_unpriced\",\"message\":\"$words" log)" = "$1" ]
    }
    wait_failed() {
        cat log
        kill $pid
    }
    wait_for warned 1
    kill -HUP $pid
    wait_for warned 2
    kill $pid
    wait $pid
    [ "$(grep -c budget_unpriced log)" = 2 ]
}

@test "estimated costs are marked wherever they are shown" {
    printf 'as_of: 2026-11-01\nprices: [{kind: demo, model: "*", input: 100.0, output: 200.0}]\n' >prices.yaml
    printf 'store: sqlite:a.db\nprices: prices.yaml\nproviders: {demo: {kind: demo}}\n' >demo.yaml
    "$RECOURSE" call --quiet --config demo.yaml --model demo/tokens-5 hi
    run -0 "$RECOURSE" audit stats --config demo.yaml
    [[ $output != *'~'* ]]
    run -0 "$RECOURSE" audit list --width 120 --config demo.yaml
    echo "$output"
    [[ $output == *' $0.0015'* && $output != *'~'* ]]
    run -75 "$RECOURSE" call --quiet --config demo.yaml --policy none --model demo/trickle-1+cut-after-3 hi
    run -0 "$RECOURSE" audit list --width 120 --config demo.yaml
    echo "$output"
    # The amount received before the cut varies.
    [[ $output =~ \ (~[$]0[.]001[0-9]) ]]
    guess=${BASH_REMATCH[1]}
    [[ $output == *' $0.0015'* && $output == *'~ marks an estimate.'* ]]
    run -0 "$RECOURSE" audit list --format markdown --config demo.yaml
    [[ $output == *"| ~\\${guess#\~} |"* && $output == *'| \$0.0015 |'* ]]
    run -0 "$RECOURSE" audit stats --width 100 --config demo.yaml
    echo "$output"
    [[ $output == *'cost        ~$0.002'*" out; estimated (~): ${guess#\~}, 1 call"* ]]
    [[ $output == *" $guess"* && $output == *' $0.0015'* ]]
    "$RECOURSE" audit stats --format json --config demo.yaml >sums.json
    for of in operations attempts; do "$RECOURSE" audit export --format csv --of $of --config demo.yaml >$of.csv; done
    python3 - <<'END'
import csv
import json
sums = json.load(open("sums.json"))
for of in ("operations", "attempts"):
    rows = list(csv.DictReader(open(of + ".csv")))
    assert list(rows[0])[-1] == "tokens_are", rows[0]
    assert [row["tokens_are"] for row in rows] == ["measured", "estimated"], rows
    assert rows[0]["cost_usd_micro"] == "1500", rows
    assert sums[of]["estimated"] == 1, sums
    assert round(sums[of]["estimated_usd"] * 1e6) == int(rows[1]["cost_usd_micro"]), sums
END
}

@test "a named budget is shown by its name; a refusal by it is not a failed attempt" {
    printf 'as_of: 2026-11-01\nprices: [{kind: demo, model: "*", input: 100.0, output: 200.0}]\n' >prices.yaml
    cat >demo.yaml <<'END'
store: sqlite:a.db
prices: prices.yaml
providers: {demo: {kind: demo}}
budgets: [{name: day, per: day, limit_usd: 0.001, on_exceed: fail}]
END
    run -69 --separate-stderr "$RECOURSE" call --config demo.yaml --model demo/tokens-5 --max-tokens 9 hi
    echo "$stderr"
    [[ $stderr == *'The budget day is smaller than the possible cost of this request'* ]]
    run -0 "$RECOURSE" audit stats --width 120 --config demo.yaml
    echo "$output"
    [[ $output == *'100% failed'* && $output != *'nothing failed'* ]]
    [[ $output == *'no attempt failed: the failed requests were refused before any attempt'* ]]
    "$RECOURSE" call --quiet --model demo/tokens-5 hi
    # shellcheck disable=SC2154 # wait.bash sets it
    run -0 "$RECOURSE" audit stats --store "$default_store"
    [[ $output == *'nothing failed'* ]]
}
