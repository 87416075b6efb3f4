#!/bin/sh
# Writes again, into the source tree, every file that is derived from spec/ and the public headers.
set -eu

cd "$(dirname "$0")/.."
root=${RECOURSE_BUILD:-build}
tools/build.sh release --target gen_errors
"$root/release/gen_errors" .
tools/gen_api.sh .
