#!/bin/sh
# run.sh [--quick] [--only GROUP,...]: compares the gateway with HAProxy, nginx and Portkey, see
# docs/internals/bench-gateway.md. Needs the bench build; without Node or npm, Portkey is left out.
# Writes $RECOURSE_BUILD/bench/gateway.json.
set -eu

cd "$(dirname "$0")/../.."
root=$(cd "${RECOURSE_BUILD:-build}" && pwd)
export PYTHONDONTWRITEBYTECODE=1

# The package is stored in the build folder and downloaded again when the lock file changes.
portkey=$root/bench/gateway_rivals
fetch() {
    lock=$(cksum <bench/gateway/package-lock.json)
    [ "$(cat "$portkey/.lock" 2>/dev/null)" != "$lock" ] || return 0
    command -v npm >/dev/null || return 1
    rm -rf "$portkey"
    mkdir -p "$portkey"
    cp bench/gateway/package.json bench/gateway/package-lock.json "$portkey/"
    (cd "$portkey" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error) >&2 || return 1
    echo "$lock" >"$portkey/.lock"
}
if fetch; then
    set -- --portkey "$portkey" "$@"
else
    echo "bench gateway: no npm, or npm ci failed: without Portkey" >&2
fi

exec python3 bench/gateway/compare.py --program "$root/bench/recourse" \
    --driver "$root/bench/bench_gateway" --work "$root/bench/gateway_work" \
    --out "$root/bench/gateway.json" "$@"
