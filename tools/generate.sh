#!/bin/sh
# Writes again, into the source tree, every file that is derived from spec/ and the public headers.
set -eu

cd "$(dirname "$0")/.."
root=${RECOURSE_BUILD:-build}
tools/build.sh release --target gen_errors
"$root/release/gen_errors" .
# Its headers are of those that the next ones are built with.
tools/build.sh release --target gen_policy
"$root/release/gen_policy" .
# What the rules are about is named by the phrases: those are written first.
tools/build.sh release --target gen_phrases
"$root/release/gen_phrases" .
tools/build.sh release --target gen_rules
"$root/release/gen_rules" .
tools/build.sh release --target gen_completions
"$root/release/gen_completions" .
tools/gen_scenarios.sh .
tools/gen_api.sh .
