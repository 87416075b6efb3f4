#!/bin/bash
# lint.sh [CHECK...]: runs the named checks (all when none is named); --fix-format formats instead.
# Two of them walk along every path: analyzer is gcc's, paths is clang's. They take longer than all the
# others, and are for make lint and make soak.
set -euo pipefail

cd "$(dirname "$0")/.."
root=${RECOURSE_BUILD:-build}
jobs=${JOBS:-$(nproc)}
checks=(format shell cppcheck tidy analyzer paths)

c_files() { # FOLDER...
    find "$@" \( -name '*.[ch]' -o -name '*.cpp' \) | LC_ALL=C sort
}

tidy_files() { # CHECKS GREP-OPTION COUNT: those without (-L) or with (-l) a va_list, so many at once
    find lib src tools -name '*.c' -exec grep "$2" -Z '\bva_' {} + | LC_ALL=C sort -z |
        xargs -0 -r -n "$3" -P "$jobs" clang-tidy --quiet -p "$root/dev" --checks="$1"
}

# Headers are checked through the files that include them. Version 14 carries what it knows of a
# va_list from one file into the next: those with one are alone, the others share a start.
tidy() { # CHECKS, beside those of .clang-tidy
    tools/build.sh dev --target none
    tidy_files "$1" -L 16
    tidy_files "$1" -l 1
}

run() { # CHECK
    case $1 in
    format) c_files lib src include tests tools examples bench | xargs clang-format --dry-run -Werror ;;
    shell) find tools tests .ci \( -name '*.sh' -o -name '*.bats' -o -name '*.bash' -o -name run \) -exec shellcheck {} + ;;
    cppcheck) # As it is compiled on Linux; its own -j keeps one core busy.
        find lib src tools -name '*.c' | LC_ALL=C sort |
            xargs -n 40 -P "$jobs" cppcheck --quiet --std=c11 -D__linux__ \
                --enable=warning,performance,portability,style --inline-suppr \
                --suppressions-list=tools/cppcheck-suppressions.txt --error-exitcode=1 -I include -I lib -I src -I .
        ;;
    tidy) tidy '-clang-analyzer-*' ;;
    paths) tidy '' ;;
    analyzer) tools/build.sh analyzer --target recourse --target generators ;;
    *)
        echo "lint: no such check: $1 (there are: ${checks[*]})"
        return 64
        ;;
    esac
}

if [ "${1:-}" = --fix-format ]; then
    c_files lib src include tests tools examples bench | xargs clang-format -i
    exit
fi

[ $# -gt 0 ] || set -- "${checks[@]}"
mkdir -p "$root/lint"
failed=0
for check in "$@"; do
    log=$root/lint/$check.log
    status=0
    (run "$check") >"$log" 2>&1 || status=$?
    if [ $status -eq 0 ]; then
        echo "lint $check: clean"
    else
        cat "$log"
        echo "lint $check: FAILED"
        failed=1
    fi
done
exit $failed
