#!/usr/bin/env bats
# What is derived from spec/ and kept in the tree is what the generator writes today.

bats_require_minimum_version 1.5.0

setup() {
    generator=$RECOURSE_BINARY/gen_errors
    fresh=$BATS_TEST_TMPDIR/fresh
}

@test "generating again changes nothing" {
    "$generator" "$fresh"
    files=$(cd "$fresh" && find . -type f)
    [ -n "$files" ]
    for file in $files; do
        diff -u "$RECOURSE_SOURCE/$file" "$fresh/$file"
    done
}

@test "a generated file that was edited is written again" {
    "$generator" "$fresh"
    cp -r "$fresh" "$BATS_TEST_TMPDIR/edited"
    find "$BATS_TEST_TMPDIR/edited" -type f -exec sh -c 'echo edited >>"$1"' _ {} \;
    "$generator" "$BATS_TEST_TMPDIR/edited"
    diff -r "$fresh" "$BATS_TEST_TMPDIR/edited"
}

@test "a place that cannot be written to is an error" {
    touch "$BATS_TEST_TMPDIR/file"
    run "$generator" "$BATS_TEST_TMPDIR/file"
    [ "$status" -ne 0 ]
    [ -n "$output" ]
}
