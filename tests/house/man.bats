#!/usr/bin/env bats
# The manual, the help and the completions document the same commands and options.

bats_require_minimum_version 1.5.0

setup() {
    pages=$RECOURSE_SOURCE/man
    cd "$BATS_TEST_TMPDIR" || return
}

commands() {
    "$RECOURSE" help | sed -n '/^Commands:/,/^Options:/s/^  \([a-z][a-z]*\) .*/\1/p'
}

# Lists the options in the help of a command, except --help.
helped() { # COMMAND
    COLUMNS=96 "$RECOURSE" "$1" --help |
        sed -n '/^Options:/,/^[A-Z][a-z]*s\{0,1\}:$/p' |
        sed -n 's/^  --\([a-z][a-z-]*\).*/\1/p' | sort
}

# Lists the options that begin an entry of the command's page.
written() { # COMMAND [PAGE]
    awk '
        heads && /^\.(B|BI|BR) \\-\\-/ {
            option = $2
            gsub(/\\-/, "-", option)
            sub(/^--/, "", option)
            sub(/[^a-z-].*/, "", option)
            print option
        }
        { heads = /^\.T[PQ]/ }' "${2:-$pages/recourse-$1.1}" | sort
}

@test "every command except help has a page, a synopsis and an entry in the list, and there are no others" {
    [ "$(commands | wc -l)" -ge 11 ]
    diff <(commands | grep -vx help | sort) \
        <(cd "$pages" && printf '%s\n' recourse-*.1 | sed 's/^recourse-\(.*\)\.1$/\1/' | sort)
    diff <(commands | sort) \
        <(sed -n '/^\.SH SYNOPSIS/,/^\.SH DESC/s/^\.B recourse \([a-z]*\).*/\1/p' "$pages/recourse.1" | sort -u)
    diff <(commands | grep -vx help | sort) \
        <(sed -n '/^\.SH COMMANDS/,/^\.SH EXIT/s/^\.BR recourse\\-\([a-z]*\) (1)$/\1/p' "$pages/recourse.1" | sort)
}

@test "a page has the summary of the command's help" {
    COLUMNS=200 "$RECOURSE" help >listed
    for command in $(commands | grep -vx help); do
        echo "$command"
        line=$(sed -n '/^\.SH NAME/{n;p;}' "$pages/recourse-$command.1" | sed 's/\\-/-/g')
        [ "$line" = "recourse-$command - $(sed -n "s/^  $command  *//p" listed)" ]
        grep -q "^\.B recourse $command\b" "$pages/recourse-$command.1"
    done
}

@test "a page documents exactly the options of its command" {
    for command in $(commands | grep -vx help); do
        echo "$command"
        diff <(helped "$command") <(written "$command")
    done
    [ "$(helped audit | wc -l)" -ge 20 ]
}

@test "a missing option in a page is detected" {
    sed '/\\-\\-offline/d' "$pages/recourse-doctor.1" >page
    run ! diff <(helped doctor) <(written doctor page)
    [[ $output == *offline* ]]
}

@test "the verbs of config and audit are documented" {
    for word in check show keys prices import; do
        grep -qE "^\.B(R|I)? $word" "$pages/recourse-config.1"
    done
    for word in list show tail stats export check; do
        grep -qE "^\.B(R|I)? $word" "$pages/recourse-audit.1"
    done
}

@test "the pages are well formed" {
    for file in "$RECOURSE_SOURCE"/man/*.[1-9]; do
        run -0 groff -man -Tutf8 -ww -z "$file"
        echo "$output"
        [ -z "$output" ]
    done
}

@test "each shell accepts its completions" {
    bash -n "$RECOURSE_SOURCE/completions/recourse.bash"
    ! command -v zsh || zsh -n "$RECOURSE_SOURCE/completions/recourse.zsh"
    ! command -v fish || fish --no-execute "$RECOURSE_SOURCE/completions/recourse.fish"
}

# Lists bash's completions for the given words; the last word is incomplete.
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
    [ "$(offered recourse config import "")" = litellm ]
    [ -z "$(offered recourse config lite)" ]
    [ "$(offered recourse serve --log "" | xargs)" = 'auto json human off' ]
    [ "$(offered recourse audit list --code RateL)" = RateLimited ]
    [ "$(offered recourse audit list --class ProviderTra)" = ProviderTransient ]
    [ "$(offered recourse audit stats --by h)" = hour ]
    [ "$(offered recourse errors QuotaE)" = QuotaExhausted ]
    for command in $(commands); do
        diff <(helped "$command") \
            <(offered recourse "$command" -- | sed -n 's/^--//p' | grep -vx help | sort)
    done
    [ -z "$(offered recourse exec -- --bud)" ]
}

@test "zsh and fish offer the same completions as bash" {
    zsh=$RECOURSE_SOURCE/completions/recourse.zsh fish=$RECOURSE_SOURCE/completions/recourse.fish
    grep -qF "'1:verb:(check show keys prices import)'" "$zsh"
    grep -qF '[[ $words[2] = import ]]; then compadd litellm; else' "$zsh"
    grep -qE -- "'--log=.*:FORMAT:\(auto json human off\)'" "$zsh"
    grep -qE -- "'--code=.*:CODE:\(.* RateLimited .*\)'" "$zsh"
    grep -qE -- "'--class=.*:CLASS:\(.* ProviderTransient .*\)'" "$zsh"
    grep -qE -- "'--by=.*:LIST:_values -s , what target code .*'" "$zsh"
    grep -qE "'1:code:\(.* QuotaExhausted .*\)'" "$zsh"
    command -v fish >/dev/null || skip "there is no fish"
    # Lists fish's completions for a line.
    tried() { fish --no-config -c "source '$fish'; complete -C '$1'" | cut -f1; }
    [ "$(tried 'recourse config import lite')" = litellm ]
    [ -z "$(tried 'recourse config lite')" ]
    [ "$(tried 'recourse config im')" = import ]
    [ "$(tried 'recourse serve --log hu')" = human ]
    [ "$(tried 'recourse audit list --code RateL')" = RateLimited ]
    [ "$(tried 'recourse audit list --class ProviderTra')" = ProviderTransient ]
    [ "$(tried 'recourse audit stats --by ho')" = hour ]
    [ "$(tried 'recourse errors QuotaE')" = QuotaExhausted ]
}
