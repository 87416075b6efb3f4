#!/bin/sh
# run.sh [SDK...]: the Python SDKs of OpenAI, Anthropic and Google, LiteLLM and LangChain against recourse
# serve with recourse mock behind it; prints TAP with a plan for each SDK. $RECOURSE is the command
# under test. The packages are installed once for each requirements file and interpreter, in a
# virtual environment in the build folder: $RECOURSE_BUILD, or the folder above $RECOURSE_BINARY.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
build=${RECOURSE_BUILD:-$RECOURSE_BINARY/..}
[ $# -gt 0 ] || set -- litellm langchain openai anthropic google # the longest first

fail() {
    echo "1..1"
    echo "not ok 1 - the packages that the tests need are installed"
    for line; do
        echo "# $line"
    done
    exit 1
}

command -v python3 >/dev/null || fail "there is no python3: install the Debian package python3"
python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' ||
    fail "$(python3 --version) is too old: the SDKs need 3.10 or later"
python3 -c 'import ensurepip, venv' 2>/dev/null ||
    fail "python3 has no venv: install the Debian package python3-venv"

mkdir -p "$build"
place=$(cd "$build" && pwd)/sdk-python
lock="$(cat "$here/requirements.txt" "$here/newest.txt" "$here/uv.txt" | cksum) $(python3 --version)"

# The list of packages is complete, so no dependencies are resolved, and no package is built. uv
# installs the packages in seconds, pip in minutes. uv uses the index that pip is configured for,
# and the certificates of the system.
install() {
    python3 -m venv "$place" || return
    "$place/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --no-compile \
        --only-binary :all: --retries 3 -r "$here/uv.txt" || return
    index=${PIP_INDEX_URL:-$("$place/bin/python" -m pip config get global.index-url 2>/dev/null || true)}
    [ -z "$index" ] || export UV_DEFAULT_INDEX="$index"
    [ -z "${PIP_FIND_LINKS:-}" ] || [ ! -d "$PIP_FIND_LINKS" ] || export UV_FIND_LINKS="$PIP_FIND_LINKS"
    [ -z "${PIP_CERT:-}" ] || export SSL_CERT_FILE="$PIP_CERT"
    export UV_CACHE_DIR="$place/cache" UV_SYSTEM_CERTS=true UV_HTTP_TIMEOUT=180
    set -- "$place/bin/python" -m uv pip install --quiet --no-deps --only-binary :all: \
        --python "$place/bin/python"
    "$@" -r "$here/requirements.txt" || return
    "$@" --target "$place/newest" -r "$here/newest.txt" || return
    rm -rf "$UV_CACHE_DIR"
}

exec 9>"$place.lock"
flock 9
if [ "$(cat "$place/.lock" 2>/dev/null)" != "$lock" ]; then
    rm -rf "$place"
    install >"$place.log" 2>&1 || {
        sed 's/^/# /' "$place.log"
        fail "the installation failed, see above: these tests need the packages of tests/sdk/python/*.txt" \
            "from the index that pip is set to, once; they are then kept in $place"
    }
    echo "$lock" >"$place/.lock"
fi
flock -u 9

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for sdk; do
    mkdir "$work/$sdk"
    newest=
    case $sdk in openai | anthropic | google) newest=$place/newest ;; esac
    # No setting of the user is read: no proxy, no key, no address.
    (cd "$work/$sdk" && env -i PATH="$PATH" HOME="$work/$sdk" LANG=C.UTF-8 RECOURSE="$RECOURSE" \
        ASAN_OPTIONS="${ASAN_OPTIONS-}" UBSAN_OPTIONS="${UBSAN_OPTIONS-}" PYTHONPATH="$newest" \
        PYTHONPYCACHEPREFIX="$place/pycache" "$place/bin/python" "$here/test_$sdk.py" \
        >"$work/$sdk.tap" 2>&1 || echo "$sdk" >>"$work/failed") &
done
wait
for sdk; do
    cat "$work/$sdk.tap"
done
[ ! -e "$work/failed" ]
