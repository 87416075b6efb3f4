#!/usr/bin/env bats
# The systemd units: valid, hardened, and consistent with the command and its configuration.

bats_require_minimum_version 1.5.0

setup() {
    units=$RECOURSE_SOURCE/packaging/systemd
    cd "$BATS_TEST_TMPDIR" || return
    # The units use the command in the build folder.
    sed "s|/usr/bin/recourse|$RECOURSE|" "$units/recourse.service" >recourse.service
    cp "$units/recourse.socket" .
}

has_systemd() {
    command -v systemd-analyze >/dev/null || skip "there is no systemd-analyze"
}

@test "systemd reports no fault in the units" {
    has_systemd
    run systemd-analyze verify --man=no ./recourse.service ./recourse.socket
    echo "$output"
    [ "$status" = 0 ]
    [ -z "$(grep -E 'recourse\.(service|socket)' <<<"$output" || true)" ]
}

@test "a fault in a unit is detected" {
    has_systemd
    echo 'NoNewPriviliges=yes' >>recourse.socket
    run systemd-analyze verify --man=no ./recourse.socket
    [[ $output == *NoNewPriviliges* ]]
}

@test "systemd rates the exposure of the service as low" {
    has_systemd
    run systemd-analyze security --offline=true --threshold=20 ./recourse.service
    echo "$output" | tail -3
    [ "$status" = 0 ]
}

@test "the stop timeout is longer than the drain timeout" {
    stop_s=$(sed -n 's/^TimeoutStopSec=\([0-9]*\)$/\1/p' recourse.service)
    drain_ms=$("$RECOURSE" config show "$RECOURSE_SOURCE/packaging/recourse.yaml" |
        sed -n 's/^ *drain_ms: \([0-9]*\)$/\1/p')
    [ -n "$drain_ms" ]
    [ $((stop_s * 1000)) -gt "$drain_ms" ]
}

@test "the socket uses the port of the configuration" {
    port=$(sed -n 's/^ListenStream=//p' recourse.socket)
    grep -qxF "listen: $port" "$RECOURSE_SOURCE/packaging/recourse.yaml"
}

@test "the path of the audit is absolute and in the service's folder" {
    folder=/var/lib/$(sed -n 's/^StateDirectory=//p' recourse.service)
    grep -qxF "store: sqlite:$folder/recourse.db" "$RECOURSE_SOURCE/packaging/recourse.yaml"
    grep -qF "$folder/recourse.db" "$RECOURSE_SOURCE/docs/deployment.md"
    grep -qF "rm -rf $folder" "$RECOURSE_SOURCE/packaging/debian/postrm"
}

@test "the example configuration is valid, also with its comments enabled" {
    "$RECOURSE" config check "$RECOURSE_SOURCE/packaging/recourse.yaml"
    sed -e 's/^\( *\)# \(openai\|anthropic\): /\1\2: /' -e '/^ *- {model: "\*"/d' \
        -e 's/^\( *\)# \(- {model\)/\1\2/' -e 's/^# clients:/clients:/' -e 's/^#   - {name/  - {name/' \
        "$RECOURSE_SOURCE/packaging/recourse.yaml" >all.yaml
    run -0 "$RECOURSE" config check all.yaml
    [[ $output == *"credential:recourse_openai (not passed by systemd)"* ]]
    [[ $output == *"credential:recourse_app"* ]]
    [[ $output == *"gpt-*"* ]]
}

@test "signals and exit statuses match those of the command" {
    grep -qx 'ExecReload=/bin/kill -HUP $MAINPID' recourse.service
    "$RECOURSE" serve --help | tr '\n' ' ' | grep -q 'SIGHUP reloads the configuration'
    echo 'lisen: 1' >bad.yaml
    run -78 "$RECOURSE" serve --config bad.yaml
    run -66 "$RECOURSE" serve --config none.yaml
    grep -qx 'RestartPreventExitStatus=64 66 78' recourse.service
}
