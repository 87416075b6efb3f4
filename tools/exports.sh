#!/bin/sh
# The public functions of the library, in three places that must agree: the RC_API declarations of
# the headers, the version script, and the snapshot in tests/golden/exports.txt.
#
#   exports.sh            prints what the headers declare
#   exports.sh --map      prints what the version script exports
#   exports.sh --update   writes the version script and the snapshot again from the headers. This
#                         changes the ABI: look at the difference before it is committed.
set -eu

cd "$(dirname "$0")/.."
map=lib/librecourse.map
snapshot=tests/golden/exports.txt

declared() {
    for header in include/recourse/*.h; do
        # A declaration may span lines; the function's name is the first one that a "(" follows.
        grep -v '^ *#' "$header" | tr '\n' ' ' | grep -oE 'RC_API [^;(]*\brc_[a-z0-9_]+ *\(' || true
    done | sed -E 's/.*\b(rc_[a-z0-9_]+) *\($/\1/' | LC_ALL=C sort -u
}

case ${1:-} in
"") declared ;;
--map) sed -n '/global:/,/local:/s/^ *\(rc_[a-z0-9_]*\);$/\1/p' "$map" ;;
--update)
    declared >"$snapshot"
    {
        echo "/* Written by tools/exports.sh --update from the RC_API declarations of the headers. */"
        echo "RECOURSE_0 {"
        echo "global:"
        sed 's/.*/    &;/' "$snapshot"
        echo "local:"
        echo "    *;"
        echo "};"
    } >"$map"
    ;;
*)
    echo "usage: exports.sh [--map | --update]" >&2
    exit 64
    ;;
esac
