#!/usr/bin/env bats
# Each public header compiles alone, twice in a row, as C99 and as C++17, with both compilers.

bats_require_minimum_version 1.5.0

strict="-pedantic -Wall -Wextra -Wshadow -Wconversion -Wundef -Werror -fsyntax-only"

compile_each() { # COMPILER STANDARD LANGUAGE
    local header source
    for header in "$RECOURSE_SOURCE"/include/recourse/*.h; do
        source=$BATS_TEST_TMPDIR/${header##*/}.source
        echo "#include <recourse/${header##*/}>
#include <recourse/${header##*/}>
int rc_not_empty;" >"$source"
        # shellcheck disable=SC2086 # a list of options
        "$1" -std="$2" -x "$3" $strict -I "$RECOURSE_SOURCE/include" "$source"
    done
}

@test "gcc, C99" { compile_each gcc c99 c; }
@test "clang, C99" { compile_each clang c99 c; }
@test "gcc, C++17" { compile_each g++ c++17 c++; }
@test "clang, C++17" { compile_each clang++ c++17 c++; }

@test "recourse.h includes every other header except stdlib.h" {
    cd "$RECOURSE_SOURCE/include/recourse"
    for header in *.h; do
        case $header in recourse.h | stdlib.h) continue ;; esac
        echo "$header"
        gcc -M -I.. recourse.h | grep -q "recourse/$header"
    done
}
