#!/bin/sh
# Regenerates every file of the source tree that is derived from spec/ and the public headers.
set -eu

cd "$(dirname "$0")/.."
root=${RECOURSE_BUILD:-build}
tools/build.sh release --target gen_errors
"$root/release/gen_errors" .
# gen_errors writes headers that the next generators are built with, so they are built one by one.
tools/build.sh release --target gen_policy
"$root/release/gen_policy" .
# The rules refer to facts that the phrases define, so the phrases are generated first.
tools/build.sh release --target gen_phrases
"$root/release/gen_phrases" .
tools/build.sh release --target gen_languages
"$root/release/gen_languages" .
tools/build.sh release --target gen_rules
"$root/release/gen_rules" .
tools/build.sh release --target gen_completions
"$root/release/gen_completions" .
tools/gen_scenarios.sh .
tools/gen_api.sh .
