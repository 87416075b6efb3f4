#!/bin/sh
# run.sh [CORPUS...]: compares Recourse with npm's classifiers on the same labelled failures. The corpus:
# the given files, else $RECOURSE_CORPUS, else the conformance sets. Needs the bench build; without Node,
# npm or the packages it measures Recourse alone. Writes $RECOURSE_BUILD/bench/classify.json.
set -eu

cd "$(dirname "$0")/../.."
root=$(cd "${RECOURSE_BUILD:-build}" && pwd)
program=$root/bench/bench_classify
[ $# -gt 0 ] || set -- "${RECOURSE_CORPUS:-}"
[ -n "$1" ] || set -- tests/conformance/providers/*.jsonl

alone() {
    reason=$1
    shift
    echo "bench classify: $reason: Recourse alone" >&2
    exec "$program" "$@"
}

command -v npm >/dev/null || alone "no npm" "$@"
major=$(node -p 'process.versions.node.split(".")[0]') || alone "no Node" "$@"
[ "$major" -ge 20 ] || alone "Node is older than 20" "$@"

# The packages are stored in the build folder and downloaded again when the lock file changes.
work=$root/bench/classify_rivals
lock=$(cksum <bench/classify/package-lock.json)
if [ "$(cat "$work/.lock" 2>/dev/null)" != "$lock" ]; then
    rm -rf "$work"
    mkdir -p "$work"
    cp bench/classify/package.json bench/classify/package-lock.json "$work/"
    (cd "$work" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error) >&2 ||
        alone "npm ci failed" "$@"
    echo "$lock" >"$work/.lock"
fi
cp bench/classify/*.mjs "$work/"

for file; do
    shift
    set -- "$@" "$(realpath -- "$file")"
done
cd "$work"
node compare.mjs --program "$program" --command "$root/bench/recourse" \
    --out "$root/bench/classify.json" "$@"
