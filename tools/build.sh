#!/bin/sh
# build.sh PRESET [--target TARGET | CMAKE-ARGUMENT]...: configures one preset in
# $RECOURSE_BUILD/PRESET and builds all targets, or only the named ones; the target "none" configures
# only. Concurrent builds of the same directory wait for each other.
set -eu

preset=$1
shift
targets=
left=$#
while [ "$left" -gt 0 ]; do
    if [ "$1" = --target ]; then
        targets="$targets $2"
        shift
        left=$((left - 1))
    else
        set -- "$@" "$1" # CMake's arguments stay, in their order.
    fi
    shift
    left=$((left - 1))
done
targets=${targets:- all}
cd "$(dirname "$0")/.."
root=${RECOURSE_BUILD:-build}
mkdir -p "$root"
root=$(cd "$root" && pwd)

exec 9>"$root/$preset.lock"
flock 9
cmake --preset "$preset" -B "$root/$preset" "$@" >"$root/$preset.configure.log" 2>&1 || {
    cat "$root/$preset.configure.log" >&2
    exit 1
}
if [ "$targets" != " none" ]; then
    # Continue after errors, so that one run shows up to ten of them.
    # shellcheck disable=SC2086 # a list of targets
    cmake --build "$root/$preset" --target $targets \
        --parallel "${JOBS:-$(nproc)}" -- -k 10
fi

# Copies the release binary to build/recourse. The rename is atomic: no process sees a partial file.
if [ "$preset" = release ] && [ "$targets" = " all" ]; then
    cp "$root/release/recourse" "$root/.recourse.$$"
    mv -f "$root/.recourse.$$" "$root/recourse"
fi
