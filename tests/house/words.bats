#!/usr/bin/env bats
# The words that the names of the tree have retired (words.txt) stay out of the code, its comments and the documents.

bats_require_minimum_version 1.5.0

setup() {
    cd "$RECOURSE_SOURCE" || return
    words=tests/house/words.txt
}

# uses WORD EXCEPTION FOLDER...: prints the lines of the folders in which WORD stands alone or as a
# part of a snake_case name. Lines that match the regular expression EXCEPTION are left out.
uses() {
    local word=$1 exception=$2
    shift 2
    grep -rniE "(^|[^A-Za-z])$word(\$|[^A-Za-z])" "$@" --include='*.[ch]' --include='*.def' --include='*.inc' \
        --include='*.md' | grep -vE "${exception:-^\$}" || true
}

@test "retired words are not used in lib, src, include, spec or docs" {
    [ "$(grep -vc '^#' "$words")" -gt 10 ]
    found=
    while IFS= read -r line; do
        word=${line%% ;*}
        exception=$(awk -F ' ; ' '{ print $3 }' <<<"$line")
        found+=$(uses "$word" "$exception" lib src include spec docs)
    done < <(grep -v '^#' "$words")
    echo "$found"
    [ -z "$found" ]
}

@test "a retired word is found in a name, a comment and a document, and an exception is honoured" {
    mkdir "$BATS_TEST_TMPDIR/src"
    printf '%s\n' 'int rc_gate_new(void);' '/* The Gate ends. */' 'int gateway, investigate;' 'a submitted job' \
        >"$BATS_TEST_TMPDIR/src/a.c"
    [ "$(uses gate '' "$BATS_TEST_TMPDIR/src" | wc -l)" -eq 2 ]
    [ "$(uses job '' "$BATS_TEST_TMPDIR/src" | wc -l)" -eq 1 ]
    [ -z "$(uses job 'submitted job' "$BATS_TEST_TMPDIR/src")" ]
}
