#!/usr/bin/env bats
# The generated files in the tree are up to date with spec/.

bats_require_minimum_version 1.5.0

setup() {
    fresh=$BATS_TEST_TMPDIR/fresh
    mkdir "$fresh"
    cp -r "$RECOURSE_SOURCE/spec" "$fresh/spec"
}

# generate FOLDER: generates all files, in the order of tools/generate.sh.
generate() {
    "$RECOURSE_BINARY/gen_errors" "$1"
    "$RECOURSE_BINARY/gen_policy" "$1"
    "$RECOURSE_BINARY/gen_phrases" "$1"
    "$RECOURSE_BINARY/gen_languages" "$1"
    "$RECOURSE_BINARY/gen_rules" "$1"
    "$RECOURSE_BINARY/gen_completions" "$1"
    "$RECOURSE_SOURCE/tools/gen_scenarios.sh" "$1"
}

# written FOLDER: lists the files that were written there.
written() {
    (cd "$1" && find . -type f -not -path './spec/*')
}

@test "regenerating changes nothing" {
    generate "$fresh"
    files=$(written "$fresh")
    [ "$(echo "$files" | wc -l)" -ge 12 ]
    for file in $files; do
        diff -u "$RECOURSE_SOURCE/$file" "$fresh/$file"
    done
}

@test "an edited generated file is rewritten" {
    generate "$fresh"
    cp -r "$fresh" "$BATS_TEST_TMPDIR/edited"
    for file in $(written "$BATS_TEST_TMPDIR/edited"); do
        echo edited >>"$BATS_TEST_TMPDIR/edited/$file"
    done
    generate "$BATS_TEST_TMPDIR/edited"
    diff -r "$fresh" "$BATS_TEST_TMPDIR/edited"
}

@test "a folder that cannot be written to is an error" {
    touch "$BATS_TEST_TMPDIR/file"
    for generator in gen_errors gen_phrases gen_languages gen_rules gen_policy gen_completions; do
        run "$RECOURSE_BINARY/$generator" "$BATS_TEST_TMPDIR/file"
        [ "$status" -ne 0 ]
        [ -n "$output" ]
    done
}

@test "a scenario whose name is not that of its file is an error" {
    sed -i 's/^name: outage$/name: outrage/' "$fresh/spec/scenarios/outage.yaml"
    run "$RECOURSE_SOURCE/tools/gen_scenarios.sh" "$fresh"
    [ "$status" -ne 0 ]
    [[ $output == *outage.yaml* ]]
    run "$RECOURSE_SOURCE/tools/gen_scenarios.sh" "$BATS_TEST_TMPDIR/nowhere"
    [ "$status" -ne 0 ]
    [[ $output == *nowhere* ]]
}

@test "a fault in the phrases is reported with its position" {
    printf 'concept nothing sure "text"\n' >"$fresh/spec/phrases.txt"
    run "$RECOURSE_BINARY/gen_phrases" "$fresh"
    [ "$status" -eq 1 ]
    [[ $output == *phrases.txt:1:* ]]
}

@test "a fault in the words of the languages is reported with its line" {
    printf 'role limit\n  de: limit\nquota: limit surplus\n' >"$fresh/spec/languages.txt"
    run "$RECOURSE_BINARY/gen_languages" "$fresh"
    [ "$status" -eq 1 ]
    [[ $output == *languages.txt:3:*surplus* ]]
}

@test "a fault in the rules is reported with its position" {
    printf 'rule a\n  when says:qouta\n  then RateLimited\n  because "x"\n' >"$fresh/spec/classify.rules"
    run "$RECOURSE_BINARY/gen_rules" "$fresh"
    [ "$status" -eq 1 ]
    [[ $output == *"line 2"*says:quota* ]]
}
