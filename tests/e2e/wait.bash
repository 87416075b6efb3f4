# shellcheck shell=bash
#
# Waits for what comes in its own time; loaded by the tests.

# wait_for COMMAND...: until it works, a minute at most. A command that cannot tell yet (of a file
# that is not there) has not worked. A test may define wait_failed, which shows what there is instead.
wait_for() {
    local tries
    for ((tries = 0; tries < 1200; tries++)); do
        if "$@" 2>/dev/null; then return 0; fi
        sleep 0.05
    done
    echo "never: $*"
    if declare -F wait_failed >/dev/null; then wait_failed; fi
    return 1
}
