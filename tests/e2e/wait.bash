# shellcheck shell=bash
#
# Functions that wait for events, and a state folder for each test; loaded by the tests.

# The default store of each test: no test uses that of the user.
unset STATE_DIRECTORY
export XDG_STATE_HOME=${BATS_TEST_TMPDIR:-$BATS_FILE_TMPDIR}/state
# shellcheck disable=SC2034 # for the tests
default_store=$XDG_STATE_HOME/recourse/recourse.db

# wait_for COMMAND...: repeats it until it succeeds, for at most four minutes. A command that fails for another
# reason (a missing file) counts as not yet successful. A test may define wait_failed for diagnostics.
wait_for() {
    local tries
    for ((tries = 0; tries < 4800; tries++)); do
        if "$@" 2>/dev/null; then return 0; fi
        sleep 0.05
    done
    echo "never: $*"
    if declare -F wait_failed >/dev/null; then wait_failed; fi
    return 1
}
