#!/usr/bin/env bats
# Rules of the source text that no compiler checks.

bats_require_minimum_version 1.5.0

setup() {
    cd "$RECOURSE_SOURCE" || return
    banned='\b(strcpy|strcat|sprintf|vsprintf|strtok|atoi|atol|atoll|sscanf|alloca|gets) *\('
}

code() { find lib src include tools tests bench examples -name '*.[ch]'; }

# All files written by people, without expected outputs and fuzz inputs.
text() {
    find . \( -path ./.git -o -path ./build -o -path ./tests/golden -o -path ./tests/fuzz/corpus \
        -o -name LICENSE \) -prune -o -type f -print |
        grep -E '\.(c|h|def|sh|bats|py|md|txt|in|cmake|json|map|js|mjs|css|html|[1-7])$|/(Makefile|run|\.clang.*)$'
}

# none_match PATTERN <FILE-NAMES: fails and prints the matches, if there are any.
none_match() {
    local found
    found=$(xargs grep -nE "$1" /dev/null || true)
    echo "$found"
    [ -z "$found" ]
}

@test "no banned function is called" {
    code | none_match "$banned"
}

@test "the check for banned functions works" {
    echo 'int f(const char *s) { return atoi(s); }' >"$BATS_TEST_TMPDIR/bad.c"
    run ! none_match "$banned" <<<"$BATS_TEST_TMPDIR/bad.c"
    [[ $output == *"atoi(s)"* ]]
}

@test "no number suffix looks like the digit one" {
    # The conversion of a format such as %9llu is not a suffix.
    local small_l='(^|[^%0-9A-Za-z_.-]|[^%]-)(0[xX][0-9a-fA-F]+|[0-9]+)([uU]?ll?|ll?[uU])\b'
    code | none_match "$small_l"
    printf '%s\n' 'long x = 1l;' 'y = z -0x1Ful;' 'f("%-9llu", 2llu);' 'g("%9llu %-9llu");' >"$BATS_TEST_TMPDIR/bad.c"
    run ! none_match "$small_l" <<<"$BATS_TEST_TMPDIR/bad.c"
    [[ $output == *1l* && $output == *Ful* && $output == *2llu* && $output != *'%9'* ]]
}

@test "hardly any goto" {
    count=$(code | xargs grep -hE '^\s*goto [a-z_]+;' | wc -l)
    echo "$count"
    [ "$count" -le 3 ]
}

@test "no note of unfinished work" {
    text | grep -v source.bats | none_match '\b(TODO|FIXME|XXX|HACK)\b'
}

@test "no date or time of the build" {
    code | none_match '__(DATE|TIME|TIMESTAMP)__'
}

@test "no carriage return, no space at the end of a line" {
    text | none_match $'\r|[ \t]+$'
}

@test "tabs only in the Makefile" {
    text | grep -vx ./Makefile | none_match $'\t'
}

@test "every file ends with exactly one newline" {
    # Lists the last two bytes of each file with its name.
    found=$(text | xargs tail -qc 2 | od -An -v -tx1 -w2 | paste -d ' ' - <(text) |
        grep -E '^ (0a 0a|.. ([^0].|0[^a]))' || true)
    echo "$found"
    [ -z "$found" ]
}

@test "everything is UTF-8" {
    found=$(text | LC_ALL=C.UTF-8 xargs grep -naxvE '.*' || true)
    echo "$found"
    [ -z "$found" ]
}

@test "no path of a personal machine" {
    # The scrubber's tests contain invented paths.
    text | grep -v '^./tests/' | none_match '(^|[ "'\''=(])/(home|root|work|Users)/'
}

@test "no C file above 700 lines" {
    found=$(code | xargs wc -l | awk '$2 != "total" && $1 > 700')
    echo "$found"
    [ -z "$found" ]
}

@test "no line of code above 100 columns" {
    LC_ALL=C.UTF-8
    export LC_ALL
    code | none_match '^.{101,}$'
}

@test "every header of the library has a guard of its own name" {
    for header in include/recourse/*.h; do
        guard=RECOURSE_$(basename "$header" .h | tr '[:lower:]' '[:upper:]')_H
        [ "$guard" != RECOURSE_RECOURSE_H ] || guard=RECOURSE_H
        echo "$header: $guard"
        grep -q "^#ifndef $guard$" "$header"
    done
}

@test "escape sequences of the terminal are in the files of tones and of the status line" {
    find lib src -name '*.[ch]' | grep -vE '^(lib/render/tone|src/sys/status_line)\.c$' |
        none_match '\\(x1b|033|e)\['
    grep -qF '\x1b[' lib/render/tone.c
}
