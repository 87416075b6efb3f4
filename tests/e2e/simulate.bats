#!/usr/bin/env bats
# shellcheck disable=SC2016 # where an inner shell expands the variables
#
# recourse simulate: the same seed gives the same bytes in every format; files are complete; human output
# fits the width.

bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    unset NO_COLOR COLUMNS LC_ALL LC_CTYPE
    export LANG=C.UTF-8 TERM=xterm
    cat >world.yaml <<'END'
name: small
about: a small world
duration_ms: 60s
clients: {count: 200, every_ms: 10s, deadline_ms: 20s}
providers:
  - name: alpha
    faults: [{kind: outage, from_ms: 20s, until_ms: 30s}]
policies: [recourse, openai-sdk, none]
END
}

# Runs a shell command on a terminal of its own; its screen is the output.
on_terminal() { # COLUMNS COMMAND
    script -qec "stty cols $1; $2" /dev/null </dev/null | tr -d '\r'
}

@test "the same seed gives the same bytes, another seed gives others" {
    for form in "--plot" "--format json" "--format csv"; do
        # shellcheck disable=SC2086 # words on purpose
        "$RECOURSE" simulate world.yaml --seed 3 $form >first
        # shellcheck disable=SC2086
        "$RECOURSE" simulate - --seed 3 $form <world.yaml >second
        cmp first second
        # shellcheck disable=SC2086
        "$RECOURSE" simulate world.yaml --seed 4 $form >other
        run ! cmp -s first other
    done
}

@test "the files of two runs are identical, and --out does not change the output" {
    "$RECOURSE" simulate world.yaml >plain
    "$RECOURSE" simulate world.yaml --out a >with
    "$RECOURSE" simulate world.yaml --out b/ --format json >printed
    cmp plain with
    cmp printed a/result.json
    diff -r a b
    [ "$(find a -type f | sort | tr '\n' ' ')" = \
        "a/amplification.svg a/latency.svg a/load.svg a/result.json a/success.svg " ]
}

@test "every built-in scenario runs, and its charts are valid XML" {
    scenarios=$("$RECOURSE" simulate --list --format json | grep -o '"scenarios":.*"policies"' |
        grep -o '"name":"[^"]*"' | cut -d '"' -f 4)
    [ "$(wc -w <<<"$scenarios")" -ge 7 ]
    for scenario in $scenarios; do
        echo "$scenario"
        "$RECOURSE" simulate "$scenario" --requests 2000 --out "$scenario" >"$scenario.txt"
        [ "$(head -c $((${#scenario} + 1)) "$scenario.txt")" = "$scenario:" ]
        if command -v python3 >/dev/null; then
            python3 - "$scenario"/*.svg <<'END'
import sys, xml.dom.minidom
for path in sys.argv[1:]:
    xml.dom.minidom.parse(path)
END
        fi
    done
}

@test "a chart has no external references" {
    "$RECOURSE" simulate world.yaml --out charts >/dev/null
    run ! grep -lE 'href|url\(|@import|<script|<image' charts/*.svg
    [ "$(grep -oh 'http[^"]*' charts/*.svg | sort -u)" = "http://www.w3.org/2000/svg" ]
    grep -q 'prefers-color-scheme:dark' charts/load.svg
}

@test "lines fit, with charts and without" {
    for width in 30 56 60 79 80 120 200; do
        for lang in C C.UTF-8; do
            LANG=$lang "$RECOURSE" simulate world.yaml --plot --width "$width" >page
            [ "$(LC_ALL=C.UTF-8 wc -L <page)" -le "$width" ]
            run ! grep ' $' page
            grep -q openai-sdk page
        done
    done
}

@test "without UTF-8 the output is ASCII; without a terminal there is no colour" {
    LANG=C "$RECOURSE" simulate world.yaml --plot >page
    run ! env LC_ALL=C grep -q '[^ -~]' page
    "$RECOURSE" simulate world.yaml --plot --color always >page
    grep -q $'\033\\[' page
}

@test "a terminal gets colour and progress; NO_COLOR disables the colour" {
    run -0 on_terminal 90 '"$RECOURSE" simulate world.yaml --plot'
    [[ $output == *$'\033[1;32m'* && $output == *"100%  oracle, 4 of 4"* ]]
    run -0 on_terminal 90 'NO_COLOR=1 "$RECOURSE" simulate world.yaml --plot 2>/dev/null'
    [[ $output != *$'\033'* && $output == *"against the best of the others"* ]]
}

@test "without a terminal there is no progress" {
    run -0 --separate-stderr "$RECOURSE" simulate world.yaml
    [ -z "$stderr" ]
}

@test "CSV has a header, a row per policy and the same number of fields in each" {
    "$RECOURSE" simulate world.yaml --format csv >rows
    [ "$(wc -l <rows)" -eq 4 ]
    [ "$(awk -F, '{ print NF }' rows | sort -u | wc -l)" -eq 1 ]
    [[ $(head -n 1 rows) == scenario,seed,policy,*success,* ]]
    [ "$(cut -d , -f 3 rows | tr '\n' ' ')" = "policy recourse openai-sdk none " ]
}

@test "an invalid scenario: 65, with every position and the nearest key" {
    printf 'name: x\nclints: {count: 1}\nclients:\n  cuont: 5\n' >bad.yaml
    run -65 --separate-stderr "$RECOURSE" simulate bad.yaml
    [ -z "$output" ]
    [[ $stderr == *"bad.yaml:2:1: "*"did you mean clients?"* ]]
    [[ $stderr == *"bad.yaml:4:3: "*"did you mean count?"* ]]
}

@test "unknown names: 64 and 66" {
    run -64 --separate-stderr "$RECOURSE" simulate retrystorm
    [[ $stderr == *'no built-in scenario and no file is named "retrystorm"; did you mean retry-storm?'* ]]
    run -66 --separate-stderr "$RECOURSE" simulate ./retry-storm
    [[ $stderr == *"cannot read ./retry-storm: No such file or directory"* ]]
    run -66 --separate-stderr "$RECOURSE" simulate .
    [[ $stderr == *"Is a directory"* ]]
    run -64 --separate-stderr "$RECOURSE" simulate outage --policy recurse
    [[ $stderr == *'no policy is named "recurse"; did you mean recourse?'* ]]
}

@test "parent folders of --out are created" {
    "$RECOURSE" simulate world.yaml --out not/yet/there >/dev/null
    [ -s not/yet/there/result.json ]
    "$RECOURSE" simulate world.yaml --out "$PWD/nor//this/" >/dev/null
    [ -s nor/this/result.json ]
}

@test "a folder that cannot be created or written: 74, and the result is still printed" {
    "$RECOURSE" simulate world.yaml >plain
    touch file
    for place in file file/below; do
        run -74 --separate-stderr "$RECOURSE" simulate world.yaml --out "$place"
        [[ $stderr == *"cannot write $place"* ]]
        echo "$output" | cmp - plain
    done
    mkdir -p taken/success.svg/in
    run -74 --separate-stderr "$RECOURSE" simulate world.yaml --out taken
    [[ $stderr == *"cannot write taken/success.svg: "* ]]
    echo "$output" | cmp - plain
    [ "$(ls -A taken)" = success.svg ]
}

@test "Ctrl-C clears the progress and prints the percentage" {
    cat >long.yaml <<'END'
duration_ms: 1h
clients: {count: 50000, every_ms: 1s}
policies: [none]
END
    # The progress line shows that the run has started.
    run -0 bash -c 'mkfifo shown; script -qec "stty cols 80; exec $RECOURSE simulate long.yaml" /dev/null <shown >page &
        exec 3>shown
        for _ in $(seq 600); do ! grep -qs % page || break; sleep 0.1; done
        printf "\003" >&3
        wait'
    run -0 cat page
    [[ $output == *$'\r\033[Krecourse simulate: interrupted at '*'%'* ]]
}

@test "a scenario that would never end is refused, and a fast one ends" {
    echo 'clients: {count: 1000000, every_ms: 1, surge: {from_ms: 0, until_ms: 1m, pct: 10000}}' >absurd.yaml
    run -65 --separate-stderr "$RECOURSE" simulate absurd.yaml
    [[ $stderr == *"some 6000000000000 requests would arrive, and 200000000 is the maximum"* ]]
    cat >fast.yaml <<'END'
duration_ms: 2s
clients: {count: 10, every_ms: 50, loop: closed, surge: {from_ms: 0, until_ms: 2s, pct: 10000}}
providers: [{name: a, fails_in_ms: 0, faults: [{kind: error, from_ms: 0, until_ms: 2s}]}]
policies: [none]
END
    run -0 timeout 60 "$RECOURSE" simulate fast.yaml
    run -64 --separate-stderr "$RECOURSE" simulate - --requests 9000000 <<<'duration_ms: 5'
    [[ $stderr == *"--requests must be at most 5000000 for a scenario of 5 ms"* ]]
}

@test "files that do not fit: 74, and those of the previous run stay" {
    "$RECOURSE" simulate world.yaml --out charts >/dev/null
    cp -r charts before
    run -74 --separate-stderr bash -c 'trap "" XFSZ; ulimit -f 8; "$RECOURSE" simulate world.yaml --seed 9 --out charts'
    [[ $stderr == *"File too large"* ]]
    diff -r before charts
}

@test "a full disk and a closed output are reported: 74" {
    run -74 --separate-stderr bash -c '"$RECOURSE" simulate world.yaml >/dev/full'
    [ "$stderr" = "recourse: cannot write the output: No space left on device" ]
}

@test "the README shows the actual output" {
    sed -n '/^\$ recourse simulate outage --width 100$/,/^```$/p' "$RECOURSE_SOURCE/README.md" | sed '1d;$d' >told
    [ "$(grep -c '%' told)" -ge 6 ]
    diff told <(LANG=C.UTF-8 "$RECOURSE" simulate outage --width 100 | head -n "$(wc -l <told)")
}
