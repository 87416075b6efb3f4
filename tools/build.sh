#!/bin/sh
# build.sh PRESET [--target TARGET] [CMAKE-ARGUMENT...]: configures one preset in
# $RECOURSE_BUILD/PRESET and builds it, or the target alone; the target "none" configures only.
# Builds of the same directory wait for each other.
set -eu

preset=$1
shift
target=all
if [ "${1:-}" = --target ]; then
    target=$2
    shift 2
fi
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
if [ "$target" != none ]; then
    # Up to ten errors at once: one round shows more than the first.
    cmake --build "$root/$preset" --target "$target" \
        --parallel "${JOBS:-$(nproc)}" -- -k 10
fi

# The release binary has a short name. It is moved into place, never seen half written.
if [ "$preset" = release ] && [ "$target" = all ]; then
    cp "$root/release/recourse" "$root/.recourse.$$"
    mv -f "$root/.recourse.$$" "$root/recourse"
fi
