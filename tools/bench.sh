#!/bin/sh
# Builds and runs every benchmark, one after another, so that they do not disturb each other.
set -eu

cd "$(dirname "$0")/.."
root=${RECOURSE_BUILD:-build}
tools/build.sh bench
for program in "$root"/bench/bench_*; do
    if [ ! -f "$program" ] || [ ! -x "$program" ]; then
        continue
    fi
    # A comparison with other programs has its own script next to its sources.
    script=bench/${program##*/bench_}/run.sh
    if [ -x "$script" ]; then
        "$script" "$@"
    else
        "$program" "$@"
    fi
done
# The delivery of requests is measured on the release build, without a program of its own.
tools/build.sh release
bench/delivery/run.sh
