#!/bin/sh
# run.sh [--only NAME,...] [--seconds N]: plays the scenarios of docs/internals/bench-delivery.md
# against the release build. Writes $RECOURSE_BUILD/bench/delivery.json.
set -eu

cd "$(dirname "$0")/../.."
root=$(cd "${RECOURSE_BUILD:-build}" && pwd)
mkdir -p "$root/bench"
RECOURSE=${RECOURSE:-$root/recourse}
export RECOURSE PYTHONDONTWRITEBYTECODE=1
exec python3 bench/delivery/run.py --out "$root/bench/delivery.json" "$@"
