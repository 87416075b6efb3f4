#!/usr/bin/env bats
# The shipped binaries: hardening and dependencies. tests/soak/copy.bats checks that builds are
# reproducible.

bats_require_minimum_version 1.5.0

@test "the command is position independent, with read-only relocations" {
    run -0 readelf -hld "$RECOURSE"
    [[ $output == *"Type:"*DYN* ]]
    [[ $output == *GNU_RELRO* ]]
    [[ $output == *BIND_NOW* || $output == *"Flags: NOW"* ]]
}

@test "the stack is protected and not executable" {
    nm -D "$RECOURSE" | grep -q __stack_chk_fail
    readelf -lW "$RECOURSE" | grep -E 'GNU_STACK.* RW ' | grep -qv RWE
}

@test "the command links only the C library, libyaml, libuv, OpenSSL, SQLite and zlib" {
    run -0 sh -c "readelf -d '$RECOURSE' | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p'"
    echo "$output"
    run -1 grep -vE '^(libc|libyaml-0|libuv|libssl|libcrypto|libsqlite3|libz|ld-linux.*)\.so' <<<"$output"
}

@test "no shipped file contains the path of the build folder" {
    for file in recourse librecourse.a librecourse.so.0; do
        echo "$file"
        run -1 grep -aqF -e "$RECOURSE_SOURCE/" -e "$RECOURSE_BINARY" "$RECOURSE_BINARY/$file"
    done
}
