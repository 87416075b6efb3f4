#!/usr/bin/env bats
# The architecture as the linker sees it: lib/ imports only a few memory functions, and no file, socket,
# clock, random number, heap or standard stream.

bats_require_minimum_version 1.5.0

setup() {
    allowed=$RECOURSE_SOURCE/tests/house/imports.txt
    archive=$RECOURSE_BINARY/librecourse.a
}

own_symbols() {
    nm --defined-only --extern-only "$archive" | awk 'NF == 3 { print $3 }' | sort -u
}

# foreign_symbols FILE: prints "member symbol" for imports that are neither allowed nor of the library.
foreign_symbols() {
    nm -A --undefined-only "$1" | awk '{ sub(":$", "", $1); print $1, $NF }' |
        awk 'NR == FNR { if ($1 != "#") ok[$1] = 1; next } !($2 in ok)' \
            <(cat "$allowed" && own_symbols) -
}

@test "every file of the library is checked" {
    sources=$(find "$RECOURSE_SOURCE/lib" -name '*.c' | wc -l)
    [ "$sources" -gt 0 ]
    [ "$(ar t "$archive" | wc -l)" -eq "$sources" ]
}

@test "the library imports nothing beyond the allow-list" {
    run -0 foreign_symbols "$archive"
    echo "$output"
    [ -z "$output" ]
}

@test "an object that reads the clock is refused" {
    echo '#include <time.h>
    long now(void); long now(void) { return (long)time(0); }' >"$BATS_TEST_TMPDIR/clock.c"
    gcc -c -o "$BATS_TEST_TMPDIR/clock.o" "$BATS_TEST_TMPDIR/clock.c"
    run -0 foreign_symbols "$BATS_TEST_TMPDIR/clock.o"
    [[ $output == *" time" ]]
}

mutable_objects() { # FILE; a constant that holds pointers is in .data.rel.ro, read-only once loaded
    objdump -t "$1" | awk '/ O (\.data|\.bss|\.tdata|\.tbss|\*COM\*)[[:space:]]/ { print $NF }'
}

@test "the library has no mutable global" {
    run -0 mutable_objects "$archive"
    echo "$output"
    [ -z "$output" ]
}

@test "an object with a mutable global is refused" {
    echo 'int f(void); int f(void) { static int calls; return ++calls; }' >"$BATS_TEST_TMPDIR/calls.c"
    gcc -c -o "$BATS_TEST_TMPDIR/calls.o" "$BATS_TEST_TMPDIR/calls.c"
    run -0 mutable_objects "$BATS_TEST_TMPDIR/calls.o"
    [[ $output == calls* ]]
}

@test "the library defines no global symbol without the prefix rc_" {
    own_symbols >"$BATS_TEST_TMPDIR/own"
    run -1 grep -vE '^rc_' "$BATS_TEST_TMPDIR/own"
}
