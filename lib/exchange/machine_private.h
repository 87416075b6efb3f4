/* The parts of rc_exchange_machine. */
#ifndef RC_EXCHANGE_MACHINE_PRIVATE_H
#define RC_EXCHANGE_MACHINE_PRIVATE_H

#include "exchange/machine.h"

/* One step: the machine that it changes and the effects that it returns. */
typedef struct rc_stepper {
    rc_exchange_machine *machine;
    rc_exchange_effects *effects;
    uint64_t now_ms;
    uint64_t entropy;
} rc_stepper;

/* Adds an effect for the current lane. The caller fills in the other members. */
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

/* Begins an attempt in the slot: its cost is reserved first. */
void rc_stepper_reserve(rc_stepper *s, uint8_t slot, rc_hedge_lane lane, uint16_t entry,
                        uint16_t credential);

/* Does what rc_call has decided. */
void rc_stepper_carry_out(rc_stepper *s, rc_action action);

/* Ends the work for the client: the record is stored, then the rest of the reply is sent. */
void rc_stepper_record(rc_stepper *s, rc_exchange_ending ending);

/* The store has not acknowledged the record in time. */
void rc_stepper_on_record_late(rc_stepper *s);

/* The time of rc_exchange_due_ms has come. */
void rc_stepper_on_timer(rc_stepper *s);

#endif
