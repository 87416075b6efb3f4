#!/usr/bin/env bats
# The binary interface: headers, version script, shared library and the snapshot agree. The snapshot is
# updated only by hand (tools/exports.sh --update), so that the ABI does not change by accident.

bats_require_minimum_version 1.5.0

setup() {
    cd "$RECOURSE_SOURCE" || return
    snapshot=tests/golden/exports.txt
    library=$RECOURSE_BINARY/librecourse.so
}

@test "the shared library exports the snapshot" {
    nm -D --defined-only "$library" | awk '$2 != "A" { sub("@.*", "", $3); print $3 }' |
        LC_ALL=C sort | diff "$snapshot" -
}

@test "only names that begin with rc_ are exported" {
    [ -s "$snapshot" ]
    run -1 grep -vE '^rc_[a-z0-9_]+$' "$snapshot"
}

@test "every RC_API function is in the version script, and nothing else is" {
    diff <(tools/exports.sh) <(tools/exports.sh --map)
}

@test "the list of declarations agrees with the preprocessed headers" {
    # The list made from the source text is compared with the compiler's output.
    for header in include/recourse/*.h; do
        echo "#include <recourse/${header##*/}>"
    done >"$BATS_TEST_TMPDIR/all.c"
    gcc -E -P -Iinclude "$BATS_TEST_TMPDIR/all.c" | tr '\n' ' ' |
        grep -oE '__attribute__\(\(visibility\("default"\)\)\) [^;(]*((__attribute__ *\(\([^)]*\)\)) *[^;(]*)*\brc_[a-z0-9_]+ *\(' |
        sed -E 's/.*\b(rc_[a-z0-9_]+) *\($/\1/' | LC_ALL=C sort -u | diff <(tools/exports.sh) -
}

@test "the library has its version and no rpath" {
    run -0 readelf -d "$library"
    [[ $output == *"Library soname: [librecourse.so.0]"* ]]
    [[ $output != *RPATH* && $output != *RUNPATH* ]]
}
