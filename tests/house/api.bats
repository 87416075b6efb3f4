#!/usr/bin/env bats
# The API pages are generated from the headers; every public function has a comment.

bats_require_minimum_version 1.5.0

setup() {
    fresh=$BATS_TEST_TMPDIR/fresh
    mkdir -p "$fresh/include"
    cp -r "$RECOURSE_SOURCE/include/recourse" "$fresh/include/recourse"
}

@test "generating the API pages again changes nothing" {
    "$RECOURSE_SOURCE/tools/gen_api.sh" "$fresh"
    diff -ru "$RECOURSE_SOURCE/docs/api" "$fresh/docs/api"
}

@test "every public header has a page" {
    for header in "$RECOURSE_SOURCE"/include/recourse/*.h; do
        [ -s "$RECOURSE_SOURCE/docs/api/$(basename "$header" .h).md" ]
    done
}

@test "a public function without a comment is refused" {
    printf '/* A header. */\n\nRC_API void rc_unexplained(void);\n' > "$fresh/include/recourse/bad.h"
    run "$RECOURSE_SOURCE/tools/gen_api.sh" "$fresh"
    [ "$status" -ne 0 ]
    [[ "$output" == *"rc_unexplained"* ]]
}
