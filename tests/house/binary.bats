#!/usr/bin/env bats
# What ships: hardened, and free of surprises. That it is the same bytes wherever it is built:
# tests/soak/copy.bats.

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

@test "the command needs the C library, libyaml, libuv, OpenSSL, SQLite and zlib alone" {
    run -0 sh -c "readelf -d '$RECOURSE' | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p'"
    echo "$output"
    run -1 grep -vE '^(libc|libyaml-0|libuv|libssl|libcrypto|libsqlite3|libz|ld-linux.*)\.so' <<<"$output"
}

@test "nothing that ships names the folder where it was built" {
    for file in recourse librecourse.a librecourse.so.0; do
        echo "$file"
        run -1 grep -aqF -e "$RECOURSE_SOURCE/" -e "$RECOURSE_BINARY" "$RECOURSE_BINARY/$file"
    done
}
