/* Parses the plan in a model's name. Called by provider.c, scenario.c, dialect_other.c and
 * src/cli/mock/command.c. */
#include "mock/behaviour.h"

#include "base/nearest.h"
#include "base/str.h"

#define PREFIX "mock/"
#define FIRST_MAX 1000000000u

typedef enum mock_number {
    NUMBER_NONE,
    NUMBER_COUNT,
    NUMBER_SECONDS,
    NUMBER_MILLIS
} mock_number;

typedef struct mock_behaviour {
    const char *name;
    rc_mock_slot slot;
    int value; /* Value of the enum that belongs to the slot. */
    rc_mock_hint hint;
    mock_number number;
    uint32_t fallback;
    uint32_t max;
    const char *help;
} mock_behaviour;

/* Defines the value NONE for the slots without an enum, because spec/mock.def uses NONE for every
 * slot. */
enum {
    RC_MOCK_NOTHING_NONE = 0,
    RC_MOCK_SLOW_NONE = 0,
    RC_MOCK_TRICKLE_NONE = 0,
    RC_MOCK_STALL_NONE = 0,
    RC_MOCK_STALL_AT_NONE = 0,
    RC_MOCK_KEEPALIVE_NONE = 0,
    RC_MOCK_DAMAGE_NONE = 0,
    RC_MOCK_LEFT_NONE = 0
};

static const mock_behaviour behaviours[] = {
#define RC_MOCK_BEHAVIOUR(name, SLOT, VALUE, HINT, ARG, fallback, max, help) \
    {name,                                                                   \
     RC_MOCK_SLOT_##SLOT,                                                    \
     (int)RC_MOCK_##SLOT##_##VALUE,                                          \
     RC_MOCK_HINT_##HINT,                                                    \
     NUMBER_##ARG,                                                           \
     fallback,                                                               \
     max,                                                                    \
     help},
#include "spec/mock.def"
};

#define BEHAVIOUR_COUNT (sizeof behaviours / sizeof *behaviours)

const char *rc_mock_behaviour_name_at(const void *ctx, size_t index)
{
    (void)ctx;
    return index < BEHAVIOUR_COUNT ? behaviours[index].name : NULL;
}

bool rc_mock_behaviour_has_number(size_t index)
{
    return index < BEHAVIOUR_COUNT && behaviours[index].number != NUMBER_NONE;
}

const char *rc_mock_behaviour_help_at(size_t index)
{
    return index < BEHAVIOUR_COUNT ? behaviours[index].help : "";
}

const char *rc_mock_fault_text(rc_mock_fault fault)
{
    switch (fault) {
    case RC_MOCK_FAULT_UNKNOWN:
        return "unknown behaviour";
    case RC_MOCK_FAULT_NUMBER:
        return "the number is out of range";
    case RC_MOCK_FAULT_CONFLICT:
        return "it cannot be combined with an earlier behaviour";
    case RC_MOCK_FAULT_FIRST:
        return "after @, give the number of requests that it applies to, at least 1; after a "
               "slash, the larger number of requests in each cycle";
    case RC_MOCK_FAULT_NONE:
        break;
    }
    return "";
}

/* Reads a decimal number. Returns false if text is empty, has other characters or exceeds max. */
static bool read_number(rc_str text, uint64_t max, uint64_t *ret_value)
{
    uint64_t value = 0;
    if (text.len == 0)
        return false;
    for (size_t i = 0; i < text.len; i++) {
        if (!rc_ascii_is_digit(text.ptr[i]))
            return false;
        value = value * 10 + (uint64_t)(text.ptr[i] - '0');
        if (value > max)
            return false;
    }
    *ret_value = value;
    return true;
}

/* Reads the number of a behaviour. A time is converted to milliseconds. */
static bool read_argument(const mock_behaviour *word, rc_str text, uint32_t *ret_value)
{
    uint64_t scale = word->number == NUMBER_SECONDS ? 1000 : 1;
    uint64_t max = word->max * scale;
    if (word->number == NUMBER_SECONDS || word->number == NUMBER_MILLIS) {
        if (rc_str_ends_with(text, RC_STR("ms"))) {
            text.len -= 2;
            scale = 1;
        } else if (rc_str_ends_with(text, RC_STR("s"))) {
            text.len--;
            scale = 1000;
        }
    }
    uint64_t value = 0;
    if (word->number == NUMBER_NONE || !read_number(text, max / scale, &value))
        return false;
    *ret_value = (uint32_t)(value * scale);
    return true;
}

/* Returns whether `text` is the behaviour's name, or begins with the name, a dash and a digit. */
static bool is_word(rc_str text, const mock_behaviour *word, rc_str *ret_argument)
{
    rc_str name = rc_str_c(word->name);
    if (!rc_str_starts_with(text, name))
        return false;
    *ret_argument = rc_str_slice(text, name.len + 1, text.len);
    if (text.len == name.len)
        return true;
    return text.len > name.len + 1 && text.ptr[name.len] == '-' &&
           rc_ascii_is_digit(ret_argument->ptr[0]);
}

static void apply(rc_mock_plan *plan, const mock_behaviour *word, uint32_t number)
{
    switch (word->slot) {
    case RC_MOCK_SLOT_ERROR:
        plan->error = (rc_mock_error)word->value;
        plan->hint = word->hint;
        plan->hint_ms = number;
        break;
    case RC_MOCK_SLOT_PLACE:
        plan->place = (rc_mock_place)word->value;
        plan->place_count = number;
        break;
    case RC_MOCK_SLOT_TEXT:
        plan->text = (rc_mock_text)word->value;
        plan->text_count = number;
        break;
    case RC_MOCK_SLOT_SLOW:
        plan->slow_ms = number;
        break;
    case RC_MOCK_SLOT_TRICKLE:
        plan->trickle_ms = number;
        break;
    case RC_MOCK_SLOT_STALL:
        plan->stall_ms = number;
        break;
    case RC_MOCK_SLOT_STALL_AT:
        plan->stall_at = number;
        break;
    case RC_MOCK_SLOT_KEEPALIVE:
        plan->keepalives = number;
        break;
    case RC_MOCK_SLOT_DAMAGE:
        plan->damaged = number;
        break;
    case RC_MOCK_SLOT_WIRE:
        plan->wire = (rc_mock_wire)word->value;
        plan->wire_count = number;
        break;
    case RC_MOCK_SLOT_LEFT:
        plan->has_remaining = true;
        plan->remaining = number;
        break;
    case RC_MOCK_SLOT_NOTHING:
        break;
    }
}

static bool refuse(rc_mock_reading *reading, rc_mock_fault fault, rc_str word)
{
    *reading = (rc_mock_reading){.fault = fault, .word = word};
    if (fault == RC_MOCK_FAULT_UNKNOWN)
        reading->nearest = rc_nearest(word, rc_mock_behaviour_name_at, NULL);
    return false;
}

/* Reads one behaviour. decided_slots has a bit for each slot that an earlier behaviour has set. */
static bool read_word(rc_str text, rc_mock_plan *plan, uint32_t *decided_slots,
                      rc_mock_reading *reading)
{
    for (size_t i = 0; i < BEHAVIOUR_COUNT; i++) {
        const mock_behaviour *word = &behaviours[i];
        rc_str argument;
        if (!is_word(text, word, &argument))
            continue;
        uint32_t number = word->fallback * (word->number == NUMBER_SECONDS ? 1000u : 1u);
        if (argument.len > 0 && !read_argument(word, argument, &number))
            return refuse(reading, RC_MOCK_FAULT_NUMBER, text);
        const uint32_t bit = word->slot == RC_MOCK_SLOT_NOTHING ? 0 : 1u << word->slot;
        if ((*decided_slots & bit) != 0)
            return refuse(reading, RC_MOCK_FAULT_CONFLICT, text);
        *decided_slots |= bit;
        apply(plan, word, number);
        return true;
    }
    return refuse(reading, RC_MOCK_FAULT_UNKNOWN, text);
}

/* Completes a stall for which the plan gives only the time or only the position. */
static void resolve_stall(rc_mock_plan *plan, uint32_t decided_slots)
{
    const bool has_time = (decided_slots & 1u << RC_MOCK_SLOT_STALL) != 0;
    const bool has_place = (decided_slots & 1u << RC_MOCK_SLOT_STALL_AT) != 0;
    plan->has_stall = has_time || has_place;
    if (has_time && !has_place)
        plan->stall_at = 1;
    if (has_place && !has_time)
        plan->stall_ms = RC_MOCK_FOREVER;
}

/* Chooses the error if the plan gives only its position. */
static void resolve_error(rc_mock_plan *plan)
{
    if (plan->place == RC_MOCK_PLACE_STARTED)
        plan->error = RC_MOCK_ERROR_OVERLOADED;
    else if (plan->place != RC_MOCK_PLACE_STATUS && plan->error == RC_MOCK_ERROR_NONE)
        plan->error = RC_MOCK_ERROR_SERVER;
}

/* Reads the part after @: "2" or "1/3". */
static bool read_first(rc_str text, rc_mock_plan *plan)
{
    const size_t slash = rc_str_find_byte(text, '/', 0);
    uint64_t first = 0;
    uint64_t round = 0;
    if (!read_number(rc_str_slice(text, 0, slash), FIRST_MAX, &first) || first == 0)
        return false;
    if (slash != RC_STR_NPOS &&
        (!read_number(rc_str_slice(text, slash + 1, text.len), FIRST_MAX, &round) ||
         round <= first))
        return false;
    plan->first = (uint32_t)first;
    plan->round = (uint32_t)round;
    return true;
}

bool rc_mock_plan_parse(rc_str text, rc_mock_plan *ret_plan, rc_mock_reading *ret_reading)
{
    rc_mock_plan plan = {0};
    uint32_t decided_slots = 0;
    *ret_reading = (rc_mock_reading){0};
    if (rc_str_starts_with(text, RC_STR(PREFIX)))
        text = rc_str_slice(text, sizeof PREFIX - 1, text.len);

    const size_t at = rc_str_find_byte(text, '@', 0);
    if (at != RC_STR_NPOS) {
        if (!read_first(rc_str_slice(text, at + 1, text.len), &plan))
            return refuse(ret_reading, RC_MOCK_FAULT_FIRST, rc_str_slice(text, at, text.len));
        text = rc_str_slice(text, 0, at);
    }
    for (size_t from = 0; from <= text.len;) {
        size_t plus = rc_str_find_byte(text, '+', from);
        if (plus == RC_STR_NPOS)
            plus = text.len;
        if (!read_word(rc_str_slice(text, from, plus), &plan, &decided_slots, ret_reading))
            return false;
        from = plus + 1;
    }
    resolve_stall(&plan, decided_slots);
    resolve_error(&plan);
    *ret_plan = plan;
    return true;
}
