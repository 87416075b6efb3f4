#!/usr/bin/env bats
# The scripts that install packages and that count tests, on made-up machines and programs.

bats_require_minimum_version 1.5.0

setup() {
    cd "$RECOURSE_SOURCE" || return
    bin=$BATS_TEST_TMPDIR/bin
    mkdir "$bin"
    for tool in sh dirname awk sort grep echo cat; do
        ln -s "$(command -v $tool)" "$bin/$tool"
    done
    unset RECOURSE_TALLY RECOURSE_LOGS
}

stub() { # NAME BODY
    printf '#!/bin/sh\n%s\n' "$2" >"$bin/$1"
    chmod +x "$bin/$1"
}

# A machine with one of the packages; apt-get writes down what it was asked for.
machine() { # USER-ID
    stub dpkg-query 'echo "installed gcc"; exit 1'
    stub id "echo $1"
    stub apt-get "echo \"\$@\" >>$BATS_TEST_TMPDIR/asked"
}

deps() { PATH=$bin tools/deps.sh "$@"; }

@test "deps: silent when nothing is missing" {
    stub dpkg-query 'shift 3; for p; do echo "installed $p"; done'
    run -0 deps build test bench
    [ -z "$output" ]
}

@test "deps: root installs what is missing and nothing else" {
    machine 0
    run -0 deps build
    run -0 cat "$BATS_TEST_TMPDIR/asked"
    [[ $output == *"install -y"*ninja-build* ]]
    [[ $output != *" gcc"* ]]
}

@test "deps: what has come in another way is not installed again" {
    machine 0
    run -0 deps test
    grep -q " nodejs" "$BATS_TEST_TMPDIR/asked"
    grep -q " npm" "$BATS_TEST_TMPDIR/asked"
    rm "$BATS_TEST_TMPDIR/asked"
    stub node ''
    stub npm ''
    run -0 deps test
    grep -q " bats" "$BATS_TEST_TMPDIR/asked"
    run ! grep -q " nodejs\| npm" "$BATS_TEST_TMPDIR/asked"
}

@test "deps: the package lists are fetched when an install fails" {
    machine 0
    stub apt-get "echo \"\$@\" >>$BATS_TEST_TMPDIR/asked
        grep -q update $BATS_TEST_TMPDIR/asked"
    run -0 deps build
    [ "$(grep -c install "$BATS_TEST_TMPDIR/asked")" -eq 2 ]
}

@test "deps: an install that fails for good is a failure" {
    machine 0
    stub apt-get 'exit 100'
    run -100 deps build
}

@test "deps: a user with sudo installs through it" {
    machine 1000
    stub sudo '[ "$1" = -n ] || { echo "through sudo" >&2; exec "$@"; }'
    run -0 deps build
    [[ $output == *"through sudo"* ]]
    grep -q ninja-build "$BATS_TEST_TMPDIR/asked"
}

@test "deps: without root or sudo it says what to run" {
    machine 1000
    run -69 deps build </dev/null
    [[ $output == *"apt-get update && apt-get install -y"*ninja-build* ]]
    [ ! -e "$BATS_TEST_TMPDIR/asked" ]
}

@test "deps: a group that does not exist is an error" {
    run -64 deps nonsense
}

@test "tally: counts each test, and passes when all did" {
    stub program 'echo 1..3; echo ok 1 - a; echo "ok 2 b # skip why"; echo ok 3'
    RECOURSE_TALLY=$BATS_TEST_TMPDIR/tally run -0 tools/tally.sh name "$bin/program"
    [ "$(cat "$BATS_TEST_TMPDIR/tally")" = "2 0 1 name" ]
}

@test "tally: fails on a failed test, a lost test, a crash after success, no test at all" {
    stub failed 'echo 1..2; echo ok 1; echo not ok 2'
    stub lost 'echo 1..2; echo ok 1'
    stub crashed 'echo 1..1; echo ok 1; exit 139'
    stub empty 'echo 1..0'
    for program in failed lost crashed empty; do
        RECOURSE_TALLY=$BATS_TEST_TMPDIR/tally run -1 tools/tally.sh $program "$bin/$program"
    done
    [ "$(awk '{ print $2 }' "$BATS_TEST_TMPDIR/tally" | sort -u)" = 1 ]
}

@test "tally: a program that never ends is ended" {
    RECOURSE_TEST_SECONDS=0.2 run -1 tools/tally.sh endless sleep 60
}

# The tests of the SDKs on a machine of its own, with nothing installed yet.
sdk() { PATH=$bin RECOURSE_BUILD=$BATS_TEST_TMPDIR/build tests/sdk/run.sh; }

@test "sdk: without node, with an old one or without npm the tests fail and say so" {
    for tool in mkdir cksum flock rm cp sed; do
        ln -s "$(command -v $tool)" "$bin/$tool"
    done
    run -1 sdk
    [[ $output == *"not ok 1 - "*"there is no node"* ]]
    stub node 'echo 16'
    run -1 sdk
    [[ $output == *"not ok 1 - "*"there is no npm"* ]]
    stub npm 'echo no route to the registry >&2; exit 1'
    run -1 sdk
    [[ $output == *"not ok 1 - "*"node is 16"* ]]
}

@test "sdk: packages that cannot be had are a failure, each time" {
    for tool in mkdir cksum flock rm cp sed; do
        ln -s "$(command -v $tool)" "$bin/$tool"
    done
    stub node 'echo 18'
    stub npm 'echo no route to the registry >&2; exit 1'
    for _ in 1 2; do
        run -1 sdk
        [[ $output == *"# no route to the registry"*"not ok 1 - "*"npm ci failed"* ]]
    done
}

@test "sdk: packages are fetched once, and again when the lock changes" {
    for tool in mkdir cksum flock rm cp sed mktemp ln; do
        ln -s "$(command -v $tool)" "$bin/$tool"
    done
    stub node '[ "$1" != main.mjs ] || { ls node_modules; exit 0; }; echo 18'
    stub npm "echo \"\$@\" >>$BATS_TEST_TMPDIR/asked; mkdir -p node_modules/there"
    ln -s "$(command -v ls)" "$bin/ls"
    for _ in 1 2; do
        run -0 sdk
        [ "$output" = there ]
    done
    [ "$(wc -l <"$BATS_TEST_TMPDIR/asked")" -eq 1 ]
    echo another >"$BATS_TEST_TMPDIR/build/sdk/.lock"
    run -0 sdk
    [ "$(wc -l <"$BATS_TEST_TMPDIR/asked")" -eq 2 ]
    grep -q '^ci --ignore-scripts' "$BATS_TEST_TMPDIR/asked"
}
