#!/usr/bin/env bats
# The rules of the source tree that docs/architecture.md writes down, checked by tree.py. For each check
# there is a small tree with one planted violation, which the check must find.

bats_require_minimum_version 1.5.0

setup() {
    planted=$BATS_TEST_TMPDIR/planted
}

tree() { python3 "$RECOURSE_SOURCE/tests/house/tree.py" "$@"; }

# plant: writes a tree that keeps every rule, for a test to break one of them.
plant() {
    mkdir -p "$planted"/{lib/base,src/net,docs/internals,include/recourse,spec}
    touch "$planted/spec/codes.def"
    cat >"$planted/docs/architecture.md" <<'END'
| folder | contents | may include |
|---|---|---|
| `lib/base` | | |
| `src/net` | | `lib/base` |

| rule | exception | reason |
|---|---|---|
| errno | `src/net/listen.c` | a reason |
| path | `src/net/listen.c` | a reason |

| table | included in |
|---|---|
| `codes.def` | `lib/base` |

[The files](internals/files.md)
END
    cat >"$planted/docs/internals/files.md" <<'END'
| folder | files |
|---|---|
| `lib/base` | `str` |

See `src/net/listen.c`.
END
    printf '%s\n' '/* Strings. */' '#include "base/str.h"' '#include "spec/codes.def"' \
        'int rc_str_x(void) { return 1; }' >"$planted/lib/base/str.c"
    printf '%s\n' '/* rc_str. */' 'typedef struct rc_str { int n; } rc_str;' 'int rc_str_x(void);' >"$planted/lib/base/str.h"
    printf '%s\n' '/* Listens. */' '#include "base/str.h"' 'const char *path = "/v1/x";' \
        'int rc_listen(int errno);' 'int rc_listen(int errno) { return errno + rc_str_x(); }' >"$planted/src/net/listen.c"
}

# compile FILE...: objects where CMake would put them.
compile() {
    local file object
    for file; do
        object=$planted/build/CMakeFiles/all.dir/$file.o
        mkdir -p "${object%/*}"
        gcc -c -I "$planted" -I "$planted/lib" -I "$planted/src" -o "$object" "$planted/$file"
    done
}

# finds CHECK TEXT: the check fails on the planted tree and says TEXT.
finds() {
    run -1 tree "$1" "$planted" "$planted/build"
    echo "$output"
    [[ $output == *"$2"* ]]
}

@test "a tree that keeps the rules passes every check" {
    plant
    compile lib/base/str.c src/net/listen.c
    for check in table includes calls folders headers types errno paths codes upstream opening named spec links hops nouns; do
        echo "$check"
        tree "$check" "$planted" "$planted/build"
    done
}

@test "the table of docs/architecture.md has every folder, and points downwards only" {
    tree table "$RECOURSE_SOURCE"
}

@test "a folder without a row is found, and a row that may include one below it" {
    plant
    mkdir "$planted/src/new"
    echo '/* New. */' >"$planted/src/new/new.c"
    finds table 'src/new/new.c: no row of the table'
    sed -i 's/^| `lib\/base` | | |/| `lib\/base` | | `src\/net` |/' "$planted/docs/architecture.md"
    finds table 'lib/base may include src/net, which is not above it'
}

@test "includes point downwards only" {
    tree includes "$RECOURSE_SOURCE"
}

@test "an include that points upwards is found" {
    plant
    echo '/* Net. */' >"$planted/src/net/net.h"
    echo '#include "net/net.h"' >>"$planted/lib/base/str.c"
    finds includes 'lib/base/str.c includes src/net/net.h: lib/base may not include src/net'
}

@test "calls follow the same table, and no two folders call each other" {
    tree calls "$RECOURSE_SOURCE" "$RECOURSE_BINARY"
}

@test "a call that points upwards is found, and the cycle it makes" {
    plant
    echo 'int rc_listen(int); int rc_str_y(void) { return rc_listen(2); }' >>"$planted/lib/base/str.c"
    compile lib/base/str.c src/net/listen.c
    finds calls 'lib/base/str.c uses rc_listen of src/net/listen.c: lib/base may not include src/net'
    finds calls 'a cycle of folders: lib/base -> src/net -> lib/base'
}

@test "a permission that nothing uses is found, and a build folder without objects" {
    plant
    mkdir "$planted/lib/json"
    echo '/* JSON. */' >"$planted/lib/json/json.c"
    sed -i 's/^| `src\/net` | | `lib\/base` |/| `lib\/json` | | |\n| `src\/net` | | `lib\/base` `lib\/json` |/' \
        "$planted/docs/architecture.md"
    finds calls 'no object of lib/ or src/'
    compile lib/base/str.c lib/json/json.c src/net/listen.c
    finds calls 'src/net may include lib/json, and nothing in it does'
}

@test "no folder has more than 40 files" {
    tree folders "$RECOURSE_SOURCE"
}

@test "a folder of 41 files is found" {
    plant
    for i in {1..40}; do echo '/* One of many. */' >"$planted/src/net/file$i.c"; done
    finds folders 'src/net: 41 files'
}

@test "no header pulls in more than 40 others" {
    tree headers "$RECOURSE_SOURCE"
}

@test "a header that pulls in 41 others is found, by way of another one, too" {
    plant
    for i in {1..40}; do
        echo '/* One of many. */' >"$planted/src/net/file$i.h"
        echo "#include \"net/file$i.h\"" >>"$planted/src/net/all.h"
    done
    tree headers "$planted"
    echo '#include "net/all.h"' >"$planted/src/net/more.h"
    finds headers 'src/net/more.h: pulls in 41 headers'
}

@test "no two types have the same name" {
    tree types "$RECOURSE_SOURCE"
}

@test "two types of one name are found, in a header, in a .c file and by a typedef" {
    plant
    echo 'typedef struct rc_str rc_str; struct cell { int x; };' >>"$planted/src/net/listen.c"
    echo 'struct cell { int y; };' >>"$planted/lib/base/str.c"
    tree types "$planted"
    echo 'struct rc_str { int n; };' >>"$planted/src/net/listen.c"
    finds types 'rc_str is defined at lib/base/str.h:2, src/net/listen.c:'
    echo 'typedef int (*rc_hook)(int);' >>"$planted/lib/base/str.h"
    echo 'typedef enum { A } rc_hook;' >>"$planted/lib/base/str.c"
    finds types 'rc_hook is defined at lib/base/str.c:6, lib/base/str.h:4'
}

@test "errno is below src/sys and where docs/architecture.md lists it" {
    tree errno "$RECOURSE_SOURCE"
}

@test "errno elsewhere is found, and a file that does not use it any more" {
    plant
    mkdir "$planted/src/sys"
    echo '/* Files. */ int f(void) { return errno; }' >"$planted/src/sys/file.c"
    printf '%s\n' '#include <errno.h>' '/* errno */ const char *name = "errno";' >>"$planted/lib/base/str.c"
    tree errno "$planted"
    echo 'int g(void) { return errno; }' >>"$planted/lib/base/str.c"
    finds errno 'lib/base/str.c:7: errno'
    echo '/* Listens. */' >"$planted/src/net/listen.c"
    finds errno 'not needed any more: src/net/listen.c'
}

@test "paths of endpoints are written where docs/architecture.md lists them" {
    tree paths "$RECOURSE_SOURCE"
}

@test "a path of an endpoint elsewhere is found" {
    plant
    echo 'const char *other = "/admin/v1/state"; /* "/v1" */' >>"$planted/lib/base/str.c"
    finds paths 'lib/base/str.c:5: "/admin/'
}

@test "model calls are made by src/client and the gateway alone" {
    tree upstream "$RECOURSE_SOURCE"
}

@test "a call of an upstream elsewhere is found, and an exception that is not needed" {
    plant
    mkdir "$planted/src/client"
    echo '/* Calls. */ void f(void) { rc_upstream_start(); }' >"$planted/src/client/call.c"
    echo '/* rc_upstream_new() */ const char *text = "rc_upstream_new(";' >"$planted/src/net/comment.c"
    tree upstream "$planted"
    echo 'void g(void) { rc_upstream_new(); }' >>"$planted/lib/base/str.c"
    finds upstream 'lib/base/str.c:5: rc_upstream_new( (upstream)'
    sed -i 's/^| errno .*/&\n| upstream | `src\/net\/listen.c` | a reason |/' "$planted/docs/architecture.md"
    finds upstream 'not needed any more: src/net/listen.c'
}

@test "the gateway's request handling names no error code" {
    tree codes "$RECOURSE_SOURCE"
}

@test "an error code in the gateway's request handling is found" {
    plant
    mkdir -p "$planted"/src/gateway/{admin,exchange,state}
    printf '%s\n' '/* RC_CODE_INTERNAL */' 'int none = RC_CODE_NONE;' >"$planted/src/gateway/exchange/reply.c"
    echo 'int admin = RC_CODE_INTERNAL;' >"$planted/src/gateway/admin/paths.c"
    tree codes "$planted"
    echo 'int busy = RC_CODE_OVERLOADED;' >>"$planted/src/gateway/exchange/reply.c"
    finds codes 'src/gateway/exchange/reply.c:3: RC_CODE_OVERLOADED'
    echo '#define ROW(CODE) RC_CODE_##CODE' >"$planted/src/gateway/state/row.h"
    finds codes 'src/gateway/state/row.h:1: RC_CODE_'
}

@test "every .c file opens with a comment" {
    tree opening "$RECOURSE_SOURCE"
}

@test "a file without an opening comment is found" {
    plant
    echo '#include <stdio.h>' >"$planted/src/net/listen.c"
    finds opening 'src/net/listen.c:1'
}

@test "every source file is named on a page of docs/internals" {
    tree named "$RECOURSE_SOURCE"
}

@test "a source file that no page names is found" {
    plant
    echo '/* str */' >"$planted/src/net/str.c"
    finds named 'src/net/str.c: no page'
}

@test "docs/architecture.md has every table of spec/, with the folders that include it" {
    tree spec "$RECOURSE_SOURCE"
}

@test "a table that the page does not have is found, and one that is included elsewhere" {
    plant
    touch "$planted/spec/new.def"
    echo '#include "spec/codes.def"' >>"$planted/src/net/listen.c"
    finds spec 'spec/new.def: docs/architecture.md does not list it'
    finds spec "spec/codes.def: included in ['lib/base', 'src/net']; the page says ['lib/base']"
}

@test "docs/architecture.md links every page of docs/internals" {
    tree links "$RECOURSE_SOURCE"
}

@test "a page without a link is found, and a link without a page" {
    plant
    touch "$planted/docs/internals/lost.md"
    echo '[gone](internals/gone.md)' >>"$planted/docs/architecture.md"
    finds links 'no link to internals/lost.md'
    finds links 'internals/gone.md does not exist'
}

@test "the tables that follow a request name functions that exist" {
    tree hops "$RECOURSE_SOURCE"
}

@test "a hop to a function that moved is found, and a wrong sum" {
    plant
    printf '%s\n' '| hop | file | function |' '|---|---|---|' '| 1 | `lib/base/str.c` | `rc_str_x` |' \
        '| 2 | `lib/base/str.c` | `rc_listen` |' '' '2 hops through 2 files' >"$planted/docs/internals/way.md"
    finds hops 'hop 2: lib/base/str.c has no rc_listen'
    finds hops 'the text does not say: 2 hops through 1 files'
}

@test "the nouns of the glossary are types of their folders" {
    tree nouns "$RECOURSE_SOURCE"
}

@test "a noun whose type is gone is found" {
    plant
    printf '%s\n' '| noun | type | folder | meaning |' '|---|---|---|---|' '| text | `rc_str` | `lib/base` | |' \
        '| text | `rc_text` | `lib/base` | |' >"$planted/docs/internals/glossary.md"
    finds nouns 'glossary.md: lib/base declares no rc_text'
    [[ $output != *rc_str* ]]
}
