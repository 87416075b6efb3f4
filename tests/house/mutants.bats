#!/usr/bin/env bats
# The invariants X1 to X10 of lib/exchange/machine.h can fail: each mutant of the machine breaks one of
# them, and the model of tests/support/exchange_model.h must notice it within 20,000 random exchanges.

bats_require_minimum_version 1.5.0

setup_file() {
    export work=$BATS_FILE_TMPDIR
    cc=(gcc -std=gnu17 -O1 -I "$RECOURSE_SOURCE" -I "$RECOURSE_SOURCE/lib" -I "$RECOURSE_SOURCE/include")
    "${cc[@]}" -DEXCHANGES=20000 -c -o "$work/test.o" \
        "$RECOURSE_SOURCE/tests/unit/exchange/test_machine.c"
    for part in machine machine_time machine_validate; do
        "${cc[@]}" -c -o "$work/$part.o" "$RECOURSE_SOURCE/lib/exchange/$part.c"
    done
}

# link_model FOLDER: links the parts of the machine in this folder, and the missing ones as they are, with
# the model. A program that cannot be linked fails the test.
link_model() {
    local part parts=()
    for part in machine machine_time machine_validate; do
        if [ -f "$1/$part.o" ]; then parts+=("$1/$part.o"); else parts+=("$work/$part.o"); fi
    done
    gcc -o "$BATS_TEST_TMPDIR/model" "$work/test.o" "${parts[@]}" "$RECOURSE_BINARY/librecourse.a" -lcmocka
}

# mutant PART OLD NEW: the line of the machine's part that is OLD becomes NEW; the model must object.
mutant() {
    local source=$BATS_TEST_TMPDIR/exchange/$1.c
    mkdir -p "${source%/*}"
    OLD=$2 NEW=$3 awk '
        index($0, ENVIRON["OLD"]) && !n { n++; sub(/[^ ].*/, ""); $0 = $0 ENVIRON["NEW"] }
        { print }
        END { exit !n }' "$RECOURSE_SOURCE/lib/exchange/$1.c" >"$source"
    gcc -std=gnu17 -O1 -I "$RECOURSE_SOURCE" -I "$RECOURSE_SOURCE/lib" -I "$RECOURSE_SOURCE/include" \
        -c -o "$BATS_TEST_TMPDIR/$1.o" "$source"
    link_model "$BATS_TEST_TMPDIR"
    run "$BATS_TEST_TMPDIR/model"
    echo "$output" | tail -n 5
    [ "$status" -ne 0 ] && [[ $output == *"FAILED"* || $status -gt 128 ]]
}

@test "the machine itself keeps all invariants" {
    link_model "$work"
    "$BATS_TEST_TMPDIR/model"
}

@test "X1: an exchange that is not over after CLOSE" {
    mutant machine 's->machine->state = RC_EXCHANGE_OVER;' 's->machine->state = RC_EXCHANGE_ENDING;'
}

@test "X2: a lane that fails is not settled" {
    mutant machine 'machine->lanes[slot].state = RC_LANE_ENDED;' ';'
}

@test "X2: a lane whose client left is not cancelled" {
    mutant machine 'if (lane->state == RC_LANE_RUNNING)' 'if (lane->state == RC_LANE_IDLE)'
}

@test "X3: a reservation that was not granted is used" {
    mutant machine 'case RC_RESERVE_DENIED:' 'case RC_RESERVE_DENIED: grant(s, slot); return;'
}

@test "X4: a failure after the commit tries another target" {
    mutant machine 'rc_call_on_commit(' '(void)0;'
}

@test "X5: the reply does not wait for the store" {
    mutant machine 'rc_stepper_push(s, RC_EFFECT_STORE);' 'rc_stepper_push(s, RC_EFFECT_STORE); rc_stepper_push(s, RC_EFFECT_REPLY);'
}

@test "X6: a second STORE for a record that is late" {
    mutant machine 'rc_stepper_push(s, RC_EFFECT_STORE_LATE)->at_ms = machine->record_by_ms;' \
        'rc_stepper_push(s, RC_EFFECT_STORE)->at_ms = machine->record_by_ms;'
}

@test "X7: an error without a report" {
    mutant machine 'rc_stepper_push(s, RC_EFFECT_REPORT);' ';'
}

@test "X8: a wait without a due time" {
    mutant machine_time 'return machine->action.at_ms + 1;' 'return RC_UNLIMITED;'
}

@test "X9: a reply to a client that is gone" {
    mutant machine 'if (s->machine->is_gone) {' 'if (0) {'
}

@test "X10: a call that is not cancelled keeps its slot" {
    mutant machine '(void)rc_call_on_cancel(&machine->call, s->now_ms);' ';'
}
