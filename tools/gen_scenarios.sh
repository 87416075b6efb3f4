#!/bin/sh
# Writes the built-in scenarios as C source, so that the command needs no data files.
#   tools/gen_scenarios.sh ROOT     reads ROOT/spec/scenarios/*.yaml, writes ROOT/src/sim/scenarios_table.c
# A file that is up to date is not touched.
set -eu

root=${1:-.}
export LC_ALL=C
if [ ! -d "$root/spec/scenarios" ]; then
    echo "gen_scenarios: no folder $root/spec/scenarios" >&2
    exit 1
fi
scratch=$(mktemp)
trap 'rm -f "$scratch"' EXIT

# row FILE: prints the scenario as an element of the table.
row() {
    name=$(basename "$1" .yaml)
    about=$(sed -n 's/^about: //p' "$1")
    if ! grep -qx "name: $name" "$1" || [ -z "$about" ]; then
        echo "gen_scenarios: $1: needs 'name: $name' and an 'about:' of one line" >&2
        return 1
    fi
    printf '    {"%s",\n     "%s",\n' "$name" "$about"
    sed 's/\\/\\\\/g; s/"/\\"/g; s/^/     "/; s/$/\\n"/' "$1"
    printf '    },\n'
}

{
    printf '/* Generated from spec/scenarios by make generate. Do not edit. */\n'
    printf '#include "sim/scenarios_table.h"\n\n/* clang-format off */\n'
    printf 'const rc_sim_builtin rc_sim_scenarios_table[] = {\n'
    for file in "$root"/spec/scenarios/*.yaml; do
        row "$file"
    done
    printf '    {NULL, NULL, NULL},\n};\n'
} >"$scratch"

mkdir -p "$root/src/sim"
if ! cmp -s "$scratch" "$root/src/sim/scenarios_table.c"; then
    cp "$scratch" "$root/src/sim/scenarios_table.c"
fi
