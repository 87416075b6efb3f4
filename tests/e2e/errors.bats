#!/usr/bin/env bats
# shellcheck disable=SC2016 # where an inner shell expands the variables
#
# recourse errors: the taxonomy for people, programs and as Markdown; and behaviour that all commands
# share: help, usage errors, lost output.

bats_require_minimum_version 1.5.0

setup() {
    source_dir=${RECOURSE_SOURCE:-$BATS_TEST_DIRNAME/../..}
    golden=$source_dir/tests/golden/errors.json
    unset NO_COLOR COLUMNS LC_ALL LC_CTYPE
    export LANG=C.UTF-8 TERM=xterm
}

# Prints the rows of the golden snapshot's codes, one per line, without commas.
golden_rows() { sed -n '/^"codes": \[$/,/^\]$/{/^{/{s/,$//;p}}' "$golden"; }

# Runs a shell command on a terminal of its own; its screen is the output.
on_terminal() { # COLUMNS COMMAND
    script -qec "stty cols $1; $2" /dev/null </dev/null | tr -d '\r'
}

@test "the JSON is the golden snapshot, row for row" {
    "$RECOURSE" errors --format json | grep '^{' | sed 's/,$//' >"$BATS_TEST_TMPDIR/rows"
    golden_rows | diff - "$BATS_TEST_TMPDIR/rows"
    [ "$(wc -l <"$BATS_TEST_TMPDIR/rows")" -eq 65 ]
}

@test "the JSON of one code is its row, whatever the case of its name" {
    golden_rows >"$BATS_TEST_TMPDIR/rows"
    while read -r row; do
        name=${row#*\"error_code\":\"}
        name=${name%%\"*}
        [ "$("$RECOURSE" errors --format=json "${name^^}")" = "$row" ]
    done <"$BATS_TEST_TMPDIR/rows"
}

@test "the JSON of a class has its codes" {
    run -0 "$RECOURSE" errors session --format json
    [[ $output == '{"number":7,"error_class":"Session","error_type":"SessionError",'* ]]
    [ "$(grep -c '"error_code":' <<<"$output")" -eq 3 ]
    [[ $output == *']}' ]]
}

@test "the Markdown is docs/errors.md" {
    "$RECOURSE" errors --format markdown | diff "$source_dir/docs/errors.md" -
}

@test "the Markdown of a class is its part of docs/errors.md" {
    "$RECOURSE" errors --format markdown Limit >"$BATS_TEST_TMPDIR/part"
    [ "$(head -n 1 "$BATS_TEST_TMPDIR/part")" = "## Class Limit" ]
    sed -n '/^## Class Limit$/,/^## Class Sandbox$/p' "$source_dir/docs/errors.md" | head -n -2 |
        diff - "$BATS_TEST_TMPDIR/part"
}

@test "the table has every code, in lines that fit" {
    for width in 26 36 60 79 80 120 200; do
        "$RECOURSE" errors --width "$width" >"$BATS_TEST_TMPDIR/table"
        awk -v width="$width" 'length > width { print; bad = 1 } END { exit bad }' \
            "$BATS_TEST_TMPDIR/table"
        [ "$(grep -c '^  [A-Z]' "$BATS_TEST_TMPDIR/table")" -eq 65 ]
        run ! grep ' $' "$BATS_TEST_TMPDIR/table"
    done
}

@test "columns are aligned" {
    "$RECOURSE" errors --width 80 | awk '
        /^[A-Z].* HTTP / { at = index($0, "HTTP") + 3 }
        /^  [A-Z]/ && substr($0, at, 1) !~ /[0-9]/ { print; bad = 1 }
        /^  [A-Z]/ && substr($0, at + 1, 1) != " " { print; bad = 1 }
        END { exit bad }'
}

@test "a narrow table leaves columns out, a wide one has them all" {
    run -0 "$RECOURSE" errors --width 36
    [[ ${lines[0]} == Validation*retry ]]
    run -0 "$RECOURSE" errors --width 60
    [[ ${lines[0]} == Validation*category*retry*HTTP*exit ]]
    run -0 "$RECOURSE" errors --width 120
    [[ ${lines[0]} == Validation*category*domain*retry*HTTP*exit*event*action ]]
}

@test "the panel of a code has its whole row" {
    run -0 "$RECOURSE" errors quotaexhausted
    for part in QuotaExhausted ProviderTerminal "The quota or credit" "Add credit" capacity config \
        add_credit provider_rate_limit 402 69 410 "another target may"; do
        [[ $output == *"$part"* ]]
    done
}

@test "every code has a panel that fits, in UTF-8 and in ASCII" {
    "$RECOURSE" errors --format json | sed -n 's/.*"error_code":"\([^"]*\)".*/\1/p' \
        >"$BATS_TEST_TMPDIR/names"
    while read -r name; do
        LANG=C "$RECOURSE" errors "$name" --width 60 >"$BATS_TEST_TMPDIR/panel"
        awk 'length != 60 { print; bad = 1 } END { exit bad }' "$BATS_TEST_TMPDIR/panel"
        run ! env LC_ALL=C grep -q '[^ -~]' "$BATS_TEST_TMPDIR/panel"
        "$RECOURSE" errors "$name" | grep -q '^│'
    done <"$BATS_TEST_TMPDIR/names"
}

@test "colour on terminals, and with --color" {
    escape=$'\033'
    run -0 "$RECOURSE" errors
    [[ $output != *"$escape"* ]]
    run -0 "$RECOURSE" errors --color always
    [[ $output == *"${escape}[1mValidation${escape}[0m"* ]]
    run -0 on_terminal 80 "'$RECOURSE' errors"
    [[ $output == *"${escape}[1mValidation${escape}[0m"* ]]
    run -0 on_terminal 80 "NO_COLOR=1 '$RECOURSE' errors"
    [[ $output != *"$escape"* && $output == *Validation* ]]
    run -0 on_terminal 80 "NO_COLOR= '$RECOURSE' errors"
    [[ $output == *"$escape"* ]]
    run -0 on_terminal 80 "TERM=dumb '$RECOURSE' errors"
    [[ $output != *"$escape"* && $output == *Validation* ]]
    run -0 on_terminal 80 "'$RECOURSE' errors --color never"
    [[ $output != *"$escape"* && $output == *Validation* ]]
}

@test "the width is the terminal's, COLUMNS before it, --width before both" {
    run -0 on_terminal 60 "'$RECOURSE' errors --color never"
    [[ ${lines[0]} == Validation*exit ]]
    run -0 on_terminal 60 "COLUMNS=120 '$RECOURSE' errors --color never"
    [[ ${lines[0]} == Validation*event*action ]]
    run -0 on_terminal 60 "COLUMNS=120 '$RECOURSE' errors --color never --width 36"
    [[ ${lines[0]} == Validation*retry ]]
    COLUMNS=120 run -0 "$RECOURSE" errors
    [[ ${lines[0]} == Validation*event*action ]]
}

@test "an unknown code: the nearest is suggested" {
    run -64 --separate-stderr "$RECOURSE" errors RateLimitted
    [ -z "$output" ]
    [[ $stderr == *'no error code or class is named "RateLimitted"; did you mean RateLimited?'* ]]
}

# ---- all commands ----

@test "help: on standard output, with examples, for the whole and for each command" {
    run -0 --separate-stderr "$RECOURSE" --help
    [[ $output == "Usage: recourse COMMAND"* && -z $stderr ]]
    for command in errors render help; do
        [[ $output == *"  $command "* ]]
    done
    for command in errors render help; do
        run -0 --separate-stderr "$RECOURSE" "$command" --help
        [[ $output == "Usage: recourse $command"*"Examples:"* && -z $stderr ]]
        same=$output
        run -0 "$RECOURSE" help "$command"
        [ "$output" = "$same" ]
    done
}

@test "help fits the terminal" {
    for width in 40 60 80; do
        for command in "" errors render; do
            # Lines of usage and examples are for copying and are not wrapped.
            COLUMNS=$width "$RECOURSE" help $command | sed '/^Usage/d;/^  recourse /d' |
                awk -v width="$width" 'length > width { print; bad = 1 } END { exit bad }'
        done
    done
}

@test "the manual has every command, option and format that the help has" {
    for command in errors render; do
        manual=$source_dir/man/recourse-$command.1
        "$RECOURSE" "$command" --help | grep -oE -- "--[a-z]+" | sort -u | grep -vx -- --help >"$BATS_TEST_TMPDIR/options"
        [ -s "$BATS_TEST_TMPDIR/options" ]
        while read -r option; do
            grep -qF -- "\\-\\-${option#--}" "$manual"
        done <"$BATS_TEST_TMPDIR/options"
    done
    run -64 "$RECOURSE" render --format nonsense
    formats=$(sed -n 's/^The values are \(.*\)\.$/\1/p' <<<"$output" | tr -d ,)
    [ -n "$formats" ]
    for format in $formats; do
        grep -qF -- "${format//-/\\-}" "$manual"
    done
}

@test "the manual pages are valid roff" {
    command -v groff >/dev/null || skip "groff is not installed"
    for page in recourse.1 recourse-errors.7; do
        run -0 --separate-stderr groff -t -man -ww -Tutf8 "$source_dir/man/$page"
        [ -z "$stderr" ]
        [ -n "$output" ]
    done
}

@test "version" {
    run -0 --separate-stderr "$RECOURSE" --version
    version=$(sed -n 's/^#define RC_VERSION "\(.*\)"$/\1/p' "$source_dir/include/recourse/version.h")
    [ "$output" = "recourse $version" ]
}

@test "no command: the help on standard error" {
    run -64 --separate-stderr "$RECOURSE"
    [[ -z $output && $stderr == "Usage: recourse COMMAND"* ]]
}

@test "usage errors: 64, the nearest name, one line on how to get help, nothing on standard output" {
    run -64 --separate-stderr "$RECOURSE" erors
    [[ -z $output && $stderr == 'recourse: unknown command "erors"; did you mean errors?'* ]]
    [[ $stderr == *"Run 'recourse --help' for help." ]]
    run -64 --separate-stderr "$RECOURSE" render --fromat json
    [[ -z $output && $stderr == "recourse render: unknown option --fromat; did you mean --format?"* ]]
    [[ $stderr == *"Run 'recourse render --help' for help." ]]
    run -64 --separate-stderr "$RECOURSE" errors --format xml
    [[ $stderr == *"The values are human, json, markdown."* ]]
    run -64 --separate-stderr "$RECOURSE" errors --format
    [[ $stderr == "recourse errors: --format needs a value"* ]]
    run -64 --separate-stderr "$RECOURSE" errors RateLimited Overloaded
    [[ $stderr == 'recourse errors: unexpected operand: "Overloaded"; the command takes one operand'* ]]
}

@test "a full disk is reported: 74" {
    for command in "errors" "errors --format json" "errors RateLimited" "--help" "--version"; do
        # shellcheck disable=SC2086 # words on purpose
        run -74 --separate-stderr bash -c '"$RECOURSE" "$@" >/dev/full' _ $command
        [ "$stderr" = "recourse: cannot write the output: No space left on device" ]
    done
}

@test "a closed pipe ends it silently: 74" {
    run -74 --separate-stderr bash -c 'exec 3> >(exec 0<&-); wait $!; "$RECOURSE" errors >&3'
    [ "$stderr" = "" ]
}

@test "a closed standard output is reported: 74" {
    run -74 --separate-stderr bash -c '"$RECOURSE" errors >&-'
    [ "$stderr" = "recourse: cannot write the output: Bad file descriptor" ]
}

@test "an unwritable standard error does not change the exit status" {
    run -64 bash -c '"$RECOURSE" errors Nope 2>/dev/full'
    run -64 bash -c '"$RECOURSE" errors Nope 2>&-'
    run -0 bash -c '"$RECOURSE" errors 2>&- >/dev/null'
}

@test "help and version reject operands" {
    run -64 --separate-stderr "$RECOURSE" errors --help=1
    [[ "$stderr" == *"--help takes no value"* ]]
    run -64 --separate-stderr "$RECOURSE" --version now
    [[ "$stderr" == *'--version takes no operand, but got "now"'* ]]
    run -0 --separate-stderr "$RECOURSE" --help render
    [ "$output" = "$("$RECOURSE" render --help)" ]
    run -64 --separate-stderr "$RECOURSE" --help rendr
    [[ "$stderr" == *"render"* ]]
    run -66 --separate-stderr "$RECOURSE" render ''
    [[ "$stderr" == *"a file without a name"* ]]
}
