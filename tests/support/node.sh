#!/bin/sh
# node.sh FOLDER [WORD...]: the tests of tests/FOLDER, which run in Node with packages from npm.
# Prints TAP. $RECOURSE is the command under test. The packages are installed once for each lock
# file, in the build folder: $RECOURSE_BUILD, or the folder above $RECOURSE_BINARY. With words, only
# the tests run whose names contain one of the words.
set -eu

support=$(cd "$(dirname "$0")" && pwd)
folder=$1
shift
here=$support/../$folder
build=${RECOURSE_BUILD:-$RECOURSE_BINARY/..}

fail() {
    echo "1..1"
    echo "not ok 1 - what the tests need is there"
    for line; do
        echo "# $line"
    done
    exit 1
}

command -v node >/dev/null || fail "there is no node: install the Debian package nodejs, or Node 18 or later"
command -v npm >/dev/null || fail "there is no npm: install the Debian package npm"
[ "$(node -p 'process.versions.node.split(".")[0]')" -ge 18 ] ||
    fail "node is $(node --version), and the tests need 18 or later"

mkdir -p "$build"
place=$(cd "$build" && pwd)/$folder
lock=$(cat "$here/package.json" "$here/package-lock.json" | cksum)
exec 9>"$place.lock"
flock 9
if [ "$(cat "$place/.lock" 2>/dev/null)" != "$lock" ]; then
    rm -rf "$place"
    mkdir -p "$place"
    cp "$here/package.json" "$here/package-lock.json" "$place/"
    # Install scripts of packages are not run. All packages work with Node 18, whatever version they
    # require.
    export npm_config_fetch_retries="${npm_config_fetch_retries:-3}"
    (cd "$place" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error \
        --fetch-retry-mintimeout=1000 --fetch-retry-maxtimeout=10000) >"$place/npm.log" 2>&1 || {
        sed 's/^/# /' "$place/npm.log"
        fail "npm ci failed, see above: these tests need the packages of tests/$folder/package-lock.json" \
            "from the registry that npm is set to, once; they are then kept in $place"
    }
    echo "$lock" >"$place/.lock"
fi
flock -u 9

# Node searches modules next to the file that imports them.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$support"/*.mjs "$here"/*.mjs "$work/"
ln -s "$place/node_modules" "$work/node_modules"
cd "$work"
node main.mjs "$@"
