#!/usr/bin/env bats
# The shipped files have the same bytes wherever they are built. The test builds everything once
# more, so it is part of make soak only.

@test "a copy of the source in another place builds to the same bytes" {
    copy=$BATS_TEST_TMPDIR/elsewhere
    mkdir "$copy"
    cd "$RECOURSE_SOURCE" || return
    cp -r CMakeLists.txt CMakePresets.json LICENSE recourse.pc.in cmake include lib src spec tools web "$copy"
    RECOURSE_BUILD=$copy/out "$copy/tools/build.sh" release --target recourse_core --target recourse_shared \
        --target recourse
    for file in librecourse.a librecourse.so.0 recourse; do
        echo "$file"
        cmp "$RECOURSE_BINARY/$file" "$copy/out/release/$file"
    done
}
