#!/usr/bin/env bats
# What ships: hardened, free of surprises, and the same bytes wherever it is built.

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

# The command takes as long as everything else together: it is built again where there is time
# (make soak).
@test "a copy of the source in another place builds to the same bytes" {
    targets=(--target recourse_core --target recourse_shared)
    files=(librecourse.a librecourse.so.0)
    if [ -n "${RECOURSE_WHOLE_COPY:-}" ]; then
        targets+=(--target recourse)
        files+=(recourse)
    fi
    copy=$BATS_TEST_TMPDIR/elsewhere
    mkdir "$copy"
    cd "$RECOURSE_SOURCE" || return
    cp -r CMakeLists.txt CMakePresets.json LICENSE recourse.pc.in cmake include src spec tools web "$copy"
    RECOURSE_BUILD=$copy/out "$copy/tools/build.sh" release "${targets[@]}"
    for file in "${files[@]}"; do
        echo "$file"
        cmp "$RECOURSE_BINARY/$file" "$copy/out/release/$file"
    done
}
