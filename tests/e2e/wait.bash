# shellcheck shell=bash
#
# Waits for what comes in its own time, and a state folder for each test; loaded by the tests.

# The store of commands whose configuration names none: no test uses that of whoever runs it.
unset STATE_DIRECTORY
export XDG_STATE_HOME=${BATS_TEST_TMPDIR:-$BATS_FILE_TMPDIR}/state
# shellcheck disable=SC2034 # for the tests
default_store=$XDG_STATE_HOME/recourse/recourse.db

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
