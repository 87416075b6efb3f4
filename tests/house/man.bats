#!/usr/bin/env bats
# The manual and the help tell of the same commands and options; the completions as well.

bats_require_minimum_version 1.5.0

setup() {
    page=$RECOURSE_SOURCE/man/recourse.1
}

commands() {
    "$RECOURSE" help | sed -n '/^Commands:/,/^Options:/s/^  \([a-z][a-z]*\) .*/\1/p'
}

# The options that the help of a command lists, but for --help, which all have.
helped() { # COMMAND
    COLUMNS=96 "$RECOURSE" "$1" --help |
        sed -n '/^Options:/,/^[A-Z][a-z]*s\{0,1\}:$/p' |
        sed -n 's/^  --\([a-z][a-z-]*\).*/\1/p' | sort
}

# The options that head an entry of the command's section.
written() { # COMMAND [PAGE]
    awk -v name="$1" '
        /^\.SS / { inside = $2 == name }
        /^\.SH / { inside = 0 }
        inside && heads && /^\.(B|BI|BR) \\-\\-/ {
            option = $2
            gsub(/\\-/, "-", option)
            sub(/^--/, "", option)
            sub(/[^a-z-].*/, "", option)
            print option
        }
        { heads = /^\.T[PQ]/ }' "${2:-$page}" | sort
}

@test "every command has a section and a line of synopsis, and no other has" {
    [ "$(commands | wc -l)" -ge 11 ]
    diff <(commands | sort) <(sed -n '/^\.SH COMMANDS/,/^\.SH FORMATS/s/^\.SS //p' "$page" | sort)
    diff <(commands | sort) \
        <(sed -n '/^\.SH SYNOPSIS/,/^\.SH DESC/s/^\.B recourse \([a-z]*\).*/\1/p' "$page" | sort -u)
}

@test "every option of a command is in its section, and no other is" {
    for command in $(commands); do
        echo "$command"
        diff <(helped "$command") <(written "$command")
    done
    [ "$(helped audit | wc -l)" -ge 20 ]
}

@test "an option that is missing from the page is seen" {
    sed '/\\-\\-offline/d' "$page" >"$BATS_TEST_TMPDIR/page"
    run ! diff <(helped doctor) <(written doctor "$BATS_TEST_TMPDIR/page")
    [[ $output == *offline* ]]
}

@test "the verbs of config and audit are told of" {
    for word in check show keys prices import; do
        sed -n '/^\.SS config/,/^\.S[SH] /p' "$page" | grep -qE "^\.B(R|I)? $word"
    done
    for word in list show tail stats export check; do
        sed -n '/^\.SS audit/,/^\.S[SH] /p' "$page" | grep -qE "^\.B(R|I)? $word"
    done
}

@test "the pages are well formed" {
    for file in "$RECOURSE_SOURCE"/man/*.[1-9]; do
        run -0 groff -man -Tutf8 -ww -z "$file"
        echo "$output"
        [ -z "$output" ]
    done
}

@test "each shell takes its completions" {
    bash -n "$RECOURSE_SOURCE/completions/recourse.bash"
    ! command -v zsh || zsh -n "$RECOURSE_SOURCE/completions/recourse.zsh"
    ! command -v fish || fish --no-execute "$RECOURSE_SOURCE/completions/recourse.fish"
}

# What bash offers for the words; the last one is being written.
offered() { # WORD...
    bash -c '
        compopt() { :; }
        . "$1"; shift
        COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
        _recourse; printf "%s\n" "${COMPREPLY[@]}"' bash \
        "$RECOURSE_SOURCE/completions/recourse.bash" "$@"
}

@test "bash offers commands, verbs, options and values" {
    diff <(commands | sort) <(offered recourse "" | grep -v '^--' | sort)
    [ "$(offered recourse doc)" = doctor ]
    [ "$(offered recourse doctor --off)" = --offline ]
    [ "$(offered recourse doctor --format j)" = json ]
    [ "$(offered recourse audit ex)" = export ]
    [ "$(offered recourse config im)" = import ]
    for command in $(commands); do
        diff <(helped "$command") \
            <(offered recourse "$command" -- | sed -n 's/^--//p' | grep -vx help | sort)
    done
    [ -z "$(offered recourse exec -- --bud)" ]
}
