#!/bin/sh
# Writes docs/api/NOUN.md for every public header: its comments and declarations, in their order. The headers are the
# specification; the pages only make them readable in a browser.
#   tools/gen_api.sh ROOT     reads ROOT/include/recourse, writes ROOT/docs/api
# Fails if a public function has no comment and does not directly follow one that has.
set -eu

root=${1:-.}
mkdir -p "$root/docs/api"
scratch=$(mktemp)
trap 'rm -f "$scratch"' EXIT

page() {
    awk -v header="$1" '
        function flush_comment() {
            if (comment != "") printf "%s\n", comment
            comment = ""
        }
        function flush_code() {
            if (code == "") return
            if (code ~ /(^|\n)RC_API / && !is_explained) {
                printf "%s: no comment above:\n%s", header, code > "/dev/stderr"
                status = 1
            }
            flush_comment()
            printf "```c\n%s```\n\n", code
            code = ""
            is_explained = 0
        }
        function add_comment(line) {
            sub(/^ *\/\* ?/, "", line)
            sub(/^ \* ?/, "", line)
            is_last = line ~ /\*\/ *$/
            sub(/ *\*\/ *$/, "", line)
            # Indented text in a comment is a code block.
            if (line ~ /^  +/) line = "    " line
            gsub(/</, "\\&lt;", line)
            comment = comment line "\n"
            return is_last
        }
        BEGIN { printf "# <recourse/%s>\n\n<!-- Generated from include/recourse/%s by make generate. -->\n\n", header, header }
        in_comment { if (add_comment($0)) { in_comment = 0; is_explained = 1 } ; next }
        depth == 0 && /^\/\*/ {
            flush_code()
            if (comment != "") { flush_comment(); printf "\n" }
            in_comment = !add_comment($0)
            is_explained = 1
            next
        }
        /^#(ifndef|ifdef|if|else|endif|undef) / || /^#(else|endif)$/ || /^#include/ || /^RC_(BEGIN|END)_DECLS/ { next }
        /^#define RECOURSE_/ { next }
        depth == 0 && /^$/ { flush_code(); if (comment != "") { flush_comment(); printf "\n" } is_explained = 0; next }
        {
            code = code $0 "\n"
            depth += gsub(/{/, "{") - gsub(/}/, "}")
        }
        END { flush_code(); flush_comment(); exit status }
    ' "$root/include/recourse/$1"
}

# One blank line between blocks, none at the end.
squeeze() {
    awk 'NF { if (blank && seen) print ""; print; seen = 1 } { blank = !NF }'
}

index="$root/docs/api/README.md"
{
    echo "# The C API, a page a header"
    echo
    echo "<!-- Generated from include/recourse by make generate. -->"
    echo
    echo "Each pointer that a function takes or gives has one of five words in its comment: *borrows* (used during the"
    echo "call, or as long as the text says), *views* (points into memory of somebody else), *copies*, *takes* (becomes the"
    echo "owner), *gives* (makes the caller the owner). A comment also names every status that the function can return."
    echo
} > "$index"

for path in "$root"/include/recourse/*.h; do
    header=$(basename "$path")
    page "$header" > "$scratch"
    squeeze < "$scratch" > "$root/docs/api/${header%.h}.md"
    title=$(sed -n '1s|^/\* *\(.*\)$|\1|p' "$path" | sed 's/\. .*//; s/\.$//; s/ *\*\///')
    echo "- [\`<recourse/$header>\`](${header%.h}.md): $title" >> "$index"
done
