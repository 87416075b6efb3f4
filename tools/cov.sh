#!/bin/sh
# Prints the line and branch coverage of the library by the tests, per directory and per file.
set -eu

cd "$(dirname "$0")/.."
root=${RECOURSE_BUILD:-build}
tools/build.sh cov
find "$root/cov" -name '*.gcda' -delete
status=0
ctest --test-dir "$root/cov" --output-on-failure -j "${JOBS:-$(nproc)}" || status=1

csv=$root/cov/coverage.csv
gcovr --root . --filter 'lib/' --csv "$csv" "$root/cov"
# Columns: file, lines, covered, ratio, branches, covered, ratio.
awk -F, '
function row(name, lines, hit, branches, taken) {
    printf "%-36s %6.1f %% of %5d lines  %6.1f %% of %5d branches\n", name,
        lines ? 100 * hit / lines : 100, lines, branches ? 100 * taken / branches : 100, branches
}
NR > 1 {
    dir = $1; sub("/[^/]*$", "", dir)
    l[dir] += $2; h[dir] += $3; b[dir] += $5; t[dir] += $6
    row($1, $2, $3, $5, $6)
}
END { print ""; for (dir in l) row(dir, l[dir], h[dir], b[dir], t[dir]) }' "$csv"
exit $status
