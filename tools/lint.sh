#!/bin/bash
# lint.sh [CHECK...]: runs the named checks (without arguments: all); --fix-format reformats instead.
# analyzer (gcc) and paths (clang) analyse execution paths. These two and cppcheck take longest: make lint
# and make soak run them, make test does not.
set -euo pipefail

cd "$(dirname "$0")/.."
root=${RECOURSE_BUILD:-build}
jobs=${JOBS:-$(nproc)}
checks=(format shell cppcheck tidy analyzer paths)

c_files() { # FOLDER...
    find "$@" \( -name '*.[ch]' -o -name '*.cpp' \) | LC_ALL=C sort
}

tidy_files() { # CHECKS GREP-OPTION COUNT: files without (-L) or with (-l) a va_list, COUNT per process
    find lib src tools -name '*.c' -exec grep "$2" -Z '\bva_' {} + | LC_ALL=C sort -z |
        xargs -0 -r -n "$3" -P "$jobs" clang-tidy --quiet -p "$root/dev" --checks="$1"
}

# Headers are checked through the files that include them. clang-tidy 14 carries va_list state from one
# file to the next and reports false errors: files with a va_list are checked one per process.
tidy() { # CHECKS, in addition to those of .clang-tidy
    tools/build.sh dev --target none
    tidy_files "$1" -L 16
    tidy_files "$1" -l 1
}

run() { # CHECK
    case $1 in
    format) c_files lib src include tests tools examples bench | xargs clang-format --dry-run -Werror ;;
    shell) find tools tests .ci \( -name '*.sh' -o -name '*.bats' -o -name '*.bash' -o -name run \) -exec shellcheck {} + ;;
    cppcheck) # With Linux's definitions; xargs is faster than cppcheck's -j.
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
