#!/usr/bin/env bats
# The scripts that install packages, count tests and run tests, with stub commands.

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

# Sets up a machine with one of the packages; apt-get records its arguments.
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

@test "deps: a command installed without its package is not installed again" {
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

@test "deps: the package lists are updated when an install fails" {
    machine 0
    stub apt-get "echo \"\$@\" >>$BATS_TEST_TMPDIR/asked
        grep -q update $BATS_TEST_TMPDIR/asked"
    run -0 deps build
    [ "$(grep -c install "$BATS_TEST_TMPDIR/asked")" -eq 2 ]
}

@test "deps: a permanently failing install is an error" {
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

@test "deps: without root or sudo the command to run is printed" {
    machine 1000
    run -69 deps build </dev/null
    [[ $output == *"apt-get update && apt-get install -y"*ninja-build* ]]
    [ ! -e "$BATS_TEST_TMPDIR/asked" ]
}

@test "deps: an unknown group is an error" {
    run -64 deps nonsense
}

@test "tally: counts each test, and passes when all did" {
    stub program 'echo 1..3; echo ok 1 - a; echo "ok 2 b # skip why"; echo ok 3'
    RECOURSE_TALLY=$BATS_TEST_TMPDIR/tally run -0 tools/tally.sh name "$bin/program"
    grep -qxE "2 0 1 [0-9]+ name [0-9]+" "$BATS_TEST_TMPDIR/tally"
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

@test "tally: a program that never ends is stopped" {
    RECOURSE_TEST_SECONDS=0.2 run -1 tools/tally.sh endless sleep 60
}

@test "tally: without a time limit a program may run as long as it needs" {
    RECOURSE_TEST_SECONDS=0 run -0 tools/tally.sh slow sleep 1
}

# Sets up a tree with the scripts and stub tests, which ctest runs; nothing is built. The build of a
# flavour creates a test for each line "FLAVOUR NAME PROGRAM" of the file tests.
tree() {
    tree=$BATS_TEST_TMPDIR/tree
    mkdir -p "$tree/tools"
    cp tools/test.sh tools/tally.sh "$tree/tools/"
    bin=$tree/tools stub build.sh "mkdir -p \"\$RECOURSE_BUILD/\$1\"
        while read -r flavour name program; do
            [ \"\$flavour\" != \"\$1\" ] ||
                printf 'add_test(%s %s %s %s)\nset_tests_properties(%s PROPERTIES LABELS threads)\n' \
                    \$name $tree/tools/tally.sh \$name $tree/\$program \$name
        done <$tree/tests >\"\$RECOURSE_BUILD/\$1/CTestTestfile.cmake\""
    bin=$tree/tools stub lint.sh ''
    bin=$tree stub passing 'echo 1..2; echo ok 1; echo ok 2'
    bin=$tree stub failing 'echo 1..2; echo ok 1; echo not ok 2; echo sign of the cause; exit 1'
    # Fails on the first run.
    for number in 1 2 3 4; do
        bin=$tree stub flaky$number "echo 1..2; echo ok 1
            [ -e $tree/was-run-$number ] && echo ok 2 && exit
            touch $tree/was-run-$number; echo not ok 2; exit 1"
    done
}

tests() { # FLAVOUR NAME PROGRAM..., and runs them with their parts
    printf '%s %s %s\n' "$@" >"$tree/tests"
    RECOURSE_BUILD=$tree/build "$tree/tools/test.sh" release asan
}

@test "test: a failed test that passes alone is flaky, and counts once" {
    tree
    run -0 tests release unit/a passing release wire/b flaky1 asan unit/a passing
    [ "${lines[-1]}" = "8 passed, 0 failed" ]
    [[ $output == *"not ok 2"*"release/wire/b: flaky when run alone"*$'\n'"flaky: release/wire/b"$'\n'* ]]
    [[ $output != *$'\n'failed:* ]]
}

@test "test: a test that fails twice has failed" {
    tree
    run -1 tests release unit/a passing release unit/b failing release wire/c flaky1 asan unit/a passing
    [ "${lines[-1]}" = "9 passed, 1 failed" ]
    [[ $output == *"sign of the cause"*"failed: release/unit/b"$'\n'"flaky: release/wire/c"$'\n'* ]]
}

@test "test: three flaky tests are a success, four are a failure" {
    tree
    run -0 tests release a flaky1 release b flaky2 asan c flaky3
    [ "${lines[-1]}" = "8 passed, 0 failed" ]
    rm "$tree"/was-run-*
    run -1 tests release a flaky1 release b flaky2 asan c flaky3 asan d flaky4
    [ "$(grep -c '^flaky: ' <<<"$output")" -eq 4 ]
    [ "${lines[-1]}" = "10 passed, 1 failed" ]
}

@test "test: a failed test is run again when nothing else runs" {
    tree
    # Both run longer than the first run of the flaky test.
    wait="for _ in \$(seq 600); do [ -e $tree/was-run ] && break; sleep 0.1; done"
    bin=$tree stub beside "echo 1..1; $wait; : >$tree/running; sleep 1; rm $tree/running; echo ok 1"
    bin=$tree/tools stub lint.sh "$wait; : >$tree/linting; sleep 2; rm $tree/linting"
    bin=$tree stub flaky1 "echo 1..1
        [ -e $tree/was-run ] || { echo not ok 1; touch $tree/was-run; exit 1; }
        [ ! -e $tree/running ] && [ ! -e $tree/linting ] && echo ok 1"
    printf '%s\n' 'release a flaky1' 'release b beside' 'asan c passing' 'tsan d passing' >"$tree/tests"
    JOBS=2 RECOURSE_BUILD=$tree/build run -0 "$tree/tools/test.sh"
    [[ $output == *"flaky: release/a"* ]]
}

@test "test: builds and linters have no time limit" {
    tree
    bin=$tree/tools stub lint.sh "[ \$RECOURSE_TEST_SECONDS = 0 ]"
    echo 'tsan a passing' >"$tree/tests"
    RECOURSE_TEST_SECONDS=60 RECOURSE_BUILD=$tree/build run -0 "$tree/tools/test.sh" lint
}

@test "test: after many failures nothing is repeated" {
    tree
    for number in $(seq 21); do
        echo "release t$number failing"
    done >"$tree/tests"
    echo "asan a passing" >>"$tree/tests"
    RECOURSE_BUILD=$tree/build run -1 "$tree/tools/test.sh" release asan
    [[ $output == *"21 tests failed"* && $output != *"when run alone"* ]]
    [ "${lines[-1]}" = "25 passed, 21 failed" ]
}

@test "test: a missing program, a killed test and a flavour without tests are failures" {
    tree
    run -1 tests release a missing asan b passing
    [[ $output == *"failed: release/a"* ]]
    bin=$tree stub killed 'kill -9 $(cut -d " " -f 4 /proc/$PPID/stat)'
    run -1 tests release a killed asan b passing
    [[ $output == *"failed: release/a"* && ${lines[-1]} = "4 passed, 1 failed" ]]
    run -1 tests release a passing
    [[ $output == *"failed: asan/ctest"* ]]
}

@test "test: the ten longest parts are shown, the longest first" {
    tree
    bin=$tree stub slow 'sleep 1; echo 1..1; echo ok 1'
    for name in a b c d e f g h i; do
        echo "release $name passing"
    done >"$tree/tests"
    echo "asan slow slow" >>"$tree/tests"
    RECOURSE_BUILD=$tree/build run -0 "$tree/tools/test.sh" release asan
    parts=$(sed -n '/^the longest parts/,/^took/p' <<<"$output" | grep -E '^ +[0-9]+ s +[0-9]+ s CPU  ')
    [ "$(wc -l <<<"$parts")" -eq 10 ]
    [[ $parts == *" CPU  asan/slow"* ]]
    sort -c -k 1,1nr -s <<<"$parts"
}

# The npm SDK tests on a stub machine without installed packages.
sdk() { PATH=$bin RECOURSE_BUILD=$BATS_TEST_TMPDIR/build tests/sdk/run.sh; }

@test "sdk: a missing or old node, or a missing npm, is reported as a failure" {
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

@test "sdk: packages that cannot be downloaded are a failure on every run" {
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

@test "sdk: packages are downloaded once, and again when the lock file changes" {
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

# The Python SDK tests on a machine with stub interpreters, which record their arguments.
sdk_python() { PATH=$bin RECOURSE=none RECOURSE_BUILD=$BATS_TEST_TMPDIR/build tests/sdk/python/run.sh "$@"; }

# The argument is a command that acts as pip.
python_machine() {
    for tool in mkdir cksum flock rm sed mktemp env cp sleep; do
        ln -s "$(command -v $tool)" "$bin/$tool"
    done
    stub python3 "case \"\$*\" in
        --version) echo Python 3.11.0 ;;
        '-m venv '*) mkdir -p \"\$3/bin\"; cp $bin/in-venv \"\$3/bin/python\" ;;
        esac"
    stub in-venv "case \"\$2 \$3\" in
        'pip config') exit 1 ;;
        pip* | uv*) echo \"\$@\" >>$BATS_TEST_TMPDIR/asked; $1; exit ;;
        esac
        echo 1..1; echo ok 1"
}

@test "sdk/python: a missing or old python3, or a missing venv, is reported as a failure" {
    run -1 sdk_python
    [[ $output == *"not ok 1 - "*"there is no python3"* ]]
    stub python3 'case "$*" in --version) echo Python 3.9 ;; *version_info*) exit 1 ;; esac'
    run -1 sdk_python
    [[ $output == *"not ok 1 - "*"Python 3.9 is too old"* ]]
    stub python3 'case "$*" in *venv*) exit 1 ;; esac'
    run -1 sdk_python
    [[ $output == *"not ok 1 - "*"python3-venv"* ]]
}

@test "sdk/python: packages that cannot be installed are a failure on every run" {
    python_machine 'echo no route to the index >&2; exit 1'
    for _ in 1 2; do
        run -1 sdk_python
        [[ $output == *"# no route to the index"*"not ok 1 - "*"the installation failed"* ]]
    done
}

@test "sdk/python: packages are installed once, and again when the lists change" {
    python_machine :
    for _ in 1 2; do
        run -0 sdk_python openai litellm
        [ "$(grep -c '^ok 1' <<<"$output")" -eq 2 ]
    done
    [ "$(grep -c 'requirements.txt' "$BATS_TEST_TMPDIR/asked")" -eq 1 ]
    echo another >"$BATS_TEST_TMPDIR/build/sdk-python/.lock"
    run -0 sdk_python openai
    [ "$(grep -c 'requirements.txt' "$BATS_TEST_TMPDIR/asked")" -eq 2 ]
}

@test "sdk/python: two concurrent runs install once" {
    python_machine 'sleep 1'
    sdk_python openai >"$BATS_TEST_TMPDIR/first" &
    run -0 sdk_python openai
    wait $!
    grep -q '^ok 1' "$BATS_TEST_TMPDIR/first"
    [ "$(grep -c 'requirements.txt' "$BATS_TEST_TMPDIR/asked")" -eq 1 ]
}
