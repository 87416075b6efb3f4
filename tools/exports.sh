#!/bin/sh
# Compares the three lists of the library's public functions: the RC_API declarations of the headers,
# the linker's version script, and the snapshot in tests/golden/exports.txt.
#
#   exports.sh            prints the functions that the headers declare
#   exports.sh --map      prints the functions that the version script exports
#   exports.sh --update   rewrites the version script and the snapshot from the headers. This changes
#                         the ABI: review the difference before you commit it.
set -eu

cd "$(dirname "$0")/.."
map=lib/librecourse.map
snapshot=tests/golden/exports.txt

declared() {
    for header in include/recourse/*.h; do
        # A declaration may span lines; the function's name is the first name followed by "(".
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
