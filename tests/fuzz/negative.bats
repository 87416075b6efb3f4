#!/usr/bin/env bats
# Tests of the fuzz harness with planted bugs: a replay must detect each bug, and a missing corpus.

bats_require_minimum_version 1.5.0

setup() {
    target=$RECOURSE_BINARY/tests/fuzz_negative
    planted=$RECOURSE_SOURCE/tests/fuzz/corpus/negative
    corpus=$BATS_TEST_TMPDIR/corpus
    mkdir "$corpus"
}

@test "a harmless input passes" {
    echo harmless >"$corpus/harmless"
    run -0 "$target" "$corpus"
    [[ $output == *"ok 1 - harmless"* ]]
}

@test "a heap overflow is found" {
    cp "$planted/overflow" "$corpus"
    run "$target" "$corpus"
    [ "$status" -ne 0 ]
    [[ $output == *heap-buffer-overflow* ]]
}

@test "a leak is found" {
    cp "$planted/leak" "$corpus"
    run "$target" "$corpus"
    [ "$status" -ne 0 ]
    [[ $output == *"detected memory leaks"* ]]
}

@test "an empty corpus is a failure" {
    run -66 "$target" "$corpus"
}

@test "a missing corpus is a failure" {
    run -66 "$target" "$corpus/none"
}

@test "an input that cannot be read is a failure" {
    mkdir "$corpus/folder"
    run -1 "$target" "$corpus"
    [[ $output == *"not ok 1 - folder"* ]]
}
