/* Functions of rc_exchange_machine that machine.c and machine_time.c share. */
#ifndef RC_EXCHANGE_MACHINE_PRIVATE_H
#define RC_EXCHANGE_MACHINE_PRIVATE_H

#include "exchange/machine.h"

/* The arguments of one rc_exchange_step: the machine, and the list of effects that the step
 * fills. */
typedef struct rc_stepper {
    rc_exchange_machine *machine;
    rc_exchange_effects *effects;
    uint64_t now_ms;
    uint64_t entropy;
} rc_stepper;

/* Adds an effect for the current lane and returns it; the caller sets further members. */
static inline rc_exchange_effect *rc_stepper_push(rc_stepper *s, rc_exchange_effect_kind kind)
{
    rc_exchange_effect *effect = &s->effects->list[s->effects->count++];
    *effect = (rc_exchange_effect){.kind = (uint8_t)kind, .slot = s->machine->current};
    return effect;
}

static inline void rc_stepper_push_slot(rc_stepper *s, rc_exchange_effect_kind kind, uint8_t slot)
{
    rc_stepper_push(s, kind)->slot = slot;
}

static inline uint8_t rc_other_slot(uint8_t slot)
{
    return slot ^ 1u;
}

/* Prepares an attempt in the slot and adds the effect RESERVE, by which the owner reserves the cost
 * of the attempt. */
void rc_stepper_reserve(rc_stepper *s, uint8_t slot, rc_hedge_lane lane, uint16_t entry,
                        uint16_t credential);

/* Carries out an action of rc_call. */
void rc_stepper_carry_out(rc_stepper *s, rc_action action);

/* Ends the exchange: the record is stored, then the ending of the reply is sent. */
void rc_stepper_record(rc_stepper *s, rc_exchange_ending ending);

/* Called when the store has not acknowledged the record in time. */
void rc_stepper_on_record_late(rc_stepper *s);

/* Called when the time that rc_exchange_due_ms returned has been reached. */
void rc_stepper_on_timer(rc_stepper *s);
/* Handles the input WAKE: ends a wait in the queue. */
void rc_stepper_on_wake(rc_stepper *s);

#endif
