#!/usr/bin/env bats
# The installed library: found by pkg-config and CMake, linked shared and static; each example prints its
# expected output.

bats_require_minimum_version 1.5.0

setup_file() {
    export stage=$BATS_FILE_TMPDIR/stage
    export prefix=$stage/opt/recourse
    export examples=$RECOURSE_SOURCE/examples
    DESTDIR=$stage cmake --install "$RECOURSE_BINARY" --prefix /opt/recourse >/dev/null
}

setup() {
    export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
    export LD_LIBRARY_PATH=$prefix/lib
    cd "$BATS_TEST_TMPDIR" || return
}

has_examples() {
    ls "$examples"/*.c
}

# Runs a built example in the folder of its input files and compares its output with NAME.expected.
check_example() { # NAME PROGRAM
    local program
    program=$(realpath "$2")
    (cd "$examples" && "$program") >"$BATS_TEST_TMPDIR/output"
    [ ! -f "$examples/$1.expected" ] || diff -u "$examples/$1.expected" "$BATS_TEST_TMPDIR/output"
}

compile_examples() { # KIND LINK-OPTION...
    local kind=$1 source name
    shift
    for source in "$examples"/*.c; do
        name=$(basename "$source" .c)
        # shellcheck disable=SC2046 # a list of options
        gcc -std=c99 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Werror \
            $(pkg-config --cflags recourse) "$source" "$@" -o "$name-$kind"
        check_example "$name" "./$name-$kind"
    done
}

# libcurl's headers may be missing: then uses stubs of the parts that the example needs.
@test "the example for libcurl compiles" {
    curl=-I$RECOURSE_SOURCE/tests/support
    [ ! -e /usr/include/curl/curl.h ] && ! pkg-config --exists libcurl || curl=$(pkg-config --cflags libcurl)
    # shellcheck disable=SC2046,SC2086 # lists of options
    gcc -std=c99 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Werror -fsyntax-only \
        $(pkg-config --cflags recourse) $curl "$examples/libcurl/main.c"
}

@test "everything is installed" {
    for file in bin/recourse include/recourse/recourse.h lib/librecourse.a lib/librecourse.so.0 \
        lib/pkgconfig/recourse.pc lib/cmake/Recourse/RecourseConfig.cmake \
        share/doc/recourse/LICENSE share/doc/recourse/copyright share/man/man1/recourse.1 share/man/man1/recourse-serve.1 share/man/man7/recourse-errors.7 \
        share/bash-completion/completions/recourse share/zsh/site-functions/_recourse \
        share/fish/vendor_completions.d/recourse.fish; do
        echo "$file"
        [ -e "$prefix/$file" ]
    done
    [ -z "$(find "$stage" -path "$prefix" -prune -o -type f -print)" ]
}

@test "the installed headers are identical to the source" {
    diff -r "$RECOURSE_SOURCE/include/recourse" "$prefix/include/recourse"
}

@test "the installed command runs" {
    run -0 "$prefix/bin/recourse" errors
    [ -n "$output" ]
}

@test "no installed file contains the path of the build machine" {
    run -1 grep -rlF -e "$RECOURSE_SOURCE" -e "$RECOURSE_BINARY" -e "$stage" "$prefix"
}

@test "pkg-config and the header agree on the version" {
    grep -qF "RC_VERSION \"$(pkg-config --modversion recourse)\"" "$prefix/include/recourse/version.h"
}

@test "the examples work with pkg-config and the shared library" {
    has_examples
    # shellcheck disable=SC2046
    compile_examples shared $(pkg-config --libs recourse)
    for program in ./*-shared; do
        ldd "$program" | grep -qF "$prefix/lib/librecourse.so.0"
    done
}

@test "the examples work with pkg-config and the static library" {
    has_examples
    compile_examples static "$prefix/lib/librecourse.a"
    for program in ./*-static; do
        run -1 grep -q librecourse <(ldd "$program")
    done
}

@test "the examples work with the CMake package, shared and static" {
    has_examples
    cmake -G Ninja -S "$RECOURSE_SOURCE/tests/house/consumer" -B build \
        -DCMAKE_PREFIX_PATH="$prefix" -DEXAMPLES="$examples"
    cmake --build build
    for source in "$examples"/*.c; do
        name=$(basename "$source" .c)
        check_example "$name" "build/$name-shared"
        check_example "$name" "build/$name-static"
    done
}

@test "a program in C++ links with the library" {
    printf '%s\n' '#include <recourse/recourse.h>' '#include <cstdio>' \
        'int main() { std::puts(rc_version()); }' >program.cpp
    # shellcheck disable=SC2046
    g++ -std=c++17 $(pkg-config --cflags recourse) program.cpp $(pkg-config --libs recourse) -o program
    run -0 ./program
    [ "$output" = "$(pkg-config --modversion recourse)" ]
}
