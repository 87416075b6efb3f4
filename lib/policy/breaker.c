/* Circuit breaker of one target: counts calls and failures in a sliding window of ten slots,
 * decides when the breaker opens, lets a probe through, and closes. Called by call*.c and
 * shared.c. */
#include <recourse/breaker.h>

#include <string.h>

#include <recourse/taxonomy.h>

/* Assumed duration of a probe in flight, for the time at which the breaker may close. */
#define PROBE_GUESS_MS 1000u

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t add_ms(uint64_t at_ms, uint64_t wait_ms)
{
    return at_ms > UINT64_MAX - wait_ms ? UINT64_MAX : at_ms + wait_ms;
}

/* --- sliding window --- */

static void clear_window(rc_breaker *breaker, uint64_t now_ms)
{
    memset(breaker->slot_calls, 0, sizeof breaker->slot_calls);
    memset(breaker->slot_failures, 0, sizeof breaker->slot_failures);
    breaker->slot_at_ms = now_ms;
}

static void shift(uint32_t *slots, size_t by)
{
    memmove(slots + by, slots, (RC_BREAKER_SLOTS - by) * sizeof *slots);
    memset(slots, 0, by * sizeof *slots);
}

/* Moves the window forward to now_ms and drops the slots that have become older than the window. */
static void roll(rc_breaker *breaker, const rc_breaker_settings *settings, uint64_t now_ms)
{
    if (now_ms < breaker->slot_at_ms)
        return;
    uint64_t width_ms = later(settings->window_ms / RC_BREAKER_SLOTS, 1);
    uint64_t steps = (now_ms - breaker->slot_at_ms) / width_ms;
    if (steps >= RC_BREAKER_SLOTS) {
        clear_window(breaker, now_ms);
        return;
    }
    if (steps == 0)
        return;
    shift(breaker->slot_calls, (size_t)steps);
    shift(breaker->slot_failures, (size_t)steps);
    breaker->slot_at_ms += steps * width_ms;
}

static bool is_over_threshold(const rc_breaker *breaker, const rc_breaker_settings *settings)
{
    uint64_t calls = 0;
    uint64_t failures = 0;
    for (size_t i = 0; i < RC_BREAKER_SLOTS; i++) {
        calls += breaker->slot_calls[i];
        failures += breaker->slot_failures[i];
    }
    /* failure_pct above 100 means that the breaker never opens. The limit also keeps the product
     * below from overflowing. */
    return settings->failure_pct <= 100 && calls >= settings->min_calls &&
           failures * 100 >= calls * settings->failure_pct;
}

/* --- opening and closing --- */

static uint64_t open_length_ms(const rc_breaker *breaker, const rc_breaker_settings *settings,
                               uint64_t entropy)
{
    uint64_t max_ms = later(settings->open_ms, settings->open_max_ms);
    uint64_t length_ms = settings->open_ms;
    for (unsigned i = 0; i < breaker->opened_in_a_row && length_ms < max_ms; i++)
        length_ms *= 2;
    if (length_ms > max_ms)
        length_ms = max_ms;
    return length_ms - entropy % (length_ms / 5 + 1);
}

static void open_until(rc_breaker *breaker, const rc_breaker_settings *settings, uint64_t now_ms,
                       uint64_t entropy)
{
    breaker->state = RC_BREAKER_OPEN;
    breaker->open_until_ms = add_ms(now_ms, open_length_ms(breaker, settings, entropy));
    if (breaker->opened_in_a_row < UINT8_MAX)
        breaker->opened_in_a_row++;
}

static void close_again(rc_breaker *breaker, uint64_t now_ms)
{
    breaker->state = RC_BREAKER_CLOSED;
    breaker->closed_at_ms = now_ms;
    clear_window(breaker, now_ms);
}

static void on_probe_end(rc_breaker *breaker, const rc_breaker_settings *settings,
                         rc_breaker_outcome outcome, uint64_t now_ms, uint64_t entropy)
{
    if (!breaker->is_probing)
        return;
    breaker->is_probing = false;
    uint64_t at_ms = later(now_ms, breaker->open_until_ms);
    if (outcome == RC_BREAKER_SUCCEEDED)
        close_again(breaker, at_ms);
    if (outcome == RC_BREAKER_FAILED)
        open_until(breaker, settings, at_ms, entropy);
}

static void on_call_end(rc_breaker *breaker, const rc_breaker_settings *settings,
                        rc_breaker_outcome outcome, uint64_t now_ms, uint64_t entropy)
{
    if (breaker->state != RC_BREAKER_CLOSED || outcome == RC_BREAKER_NEUTRAL)
        return;
    roll(breaker, settings, now_ms);
    if (breaker->slot_calls[0] < UINT32_MAX) {
        breaker->slot_calls[0]++;
        breaker->slot_failures[0] += outcome == RC_BREAKER_FAILED;
    }
    if (outcome != RC_BREAKER_FAILED || !is_over_threshold(breaker, settings))
        return;
    uint64_t at_ms = later(now_ms, breaker->slot_at_ms);
    if (at_ms >= add_ms(breaker->closed_at_ms, settings->window_ms))
        breaker->opened_in_a_row = 0;
    open_until(breaker, settings, at_ms, entropy);
}

/* --- public functions --- */

void rc_breaker_init(rc_breaker *breaker, uint64_t now_ms)
{
    *breaker = (rc_breaker){.state = RC_BREAKER_CLOSED, .slot_at_ms = now_ms};
}

rc_breaker_admission rc_breaker_peek(const rc_breaker *breaker, const rc_breaker_settings *settings,
                                     uint64_t now_ms)
{
    if (breaker->state == RC_BREAKER_CLOSED || settings->min_calls == 0)
        return RC_BREAKER_ADMITTED;
    if (breaker->state == RC_BREAKER_OPEN)
        return now_ms < breaker->open_until_ms ? RC_BREAKER_REFUSED : RC_BREAKER_PROBE;
    return breaker->is_probing ? RC_BREAKER_REFUSED : RC_BREAKER_PROBE;
}

rc_breaker_admission rc_breaker_admit(rc_breaker *breaker, const rc_breaker_settings *settings,
                                      uint64_t now_ms)
{
    rc_breaker_admission admission = rc_breaker_peek(breaker, settings, now_ms);
    if (admission == RC_BREAKER_PROBE) {
        breaker->state = RC_BREAKER_HALF_OPEN;
        breaker->is_probing = true;
    }
    return admission;
}

void rc_breaker_on_end(rc_breaker *breaker, const rc_breaker_settings *settings,
                       rc_breaker_admission admission, rc_breaker_outcome outcome, uint64_t now_ms,
                       uint64_t entropy)
{
    if (admission == RC_BREAKER_PROBE)
        on_probe_end(breaker, settings, outcome, now_ms, entropy);
    if (admission == RC_BREAKER_ADMITTED && settings->min_calls > 0)
        on_call_end(breaker, settings, outcome, now_ms, entropy);
}

bool rc_breaker_is_stale(const rc_breaker *breaker, uint64_t admitted_at_ms)
{
    return admitted_at_ms < breaker->closed_at_ms;
}

uint64_t rc_breaker_ready_at_ms(const rc_breaker *breaker, uint64_t now_ms)
{
    if (breaker->state == RC_BREAKER_OPEN)
        return breaker->open_until_ms;
    return breaker->is_probing ? add_ms(now_ms, PROBE_GUESS_MS) : now_ms;
}

const char *rc_breaker_state_name(rc_breaker_state state)
{
    switch (state) {
    case RC_BREAKER_CLOSED:
        return "closed";
    case RC_BREAKER_OPEN:
        return "open";
    case RC_BREAKER_HALF_OPEN:
        return "half_open";
    }
    return "unknown";
}

bool rc_breaker_validate(const rc_breaker *breaker)
{
    if (breaker->state != RC_BREAKER_CLOSED && breaker->state != RC_BREAKER_OPEN &&
        breaker->state != RC_BREAKER_HALF_OPEN)
        return false;
    if (breaker->is_probing && breaker->state != RC_BREAKER_HALF_OPEN)
        return false;
    if (breaker->state != RC_BREAKER_CLOSED && breaker->opened_in_a_row == 0)
        return false;
    for (size_t i = 0; i < RC_BREAKER_SLOTS; i++) {
        if (breaker->slot_failures[i] > breaker->slot_calls[i])
            return false;
    }
    return true;
}

/* --- breaker outcome of an error code --- */

/* Error codes whose breaker outcome differs from the outcome of their error class. */
typedef struct code_row {
    rc_code code;
    rc_breaker_outcome outcome;
} code_row;

static const code_row exceptions[] = {
    /* The target responded, so it works: the cause of these failures is the client's request rate
     * or this one request. */
    {RC_CODE_RATE_LIMITED, RC_BREAKER_SUCCEEDED},
    {RC_CODE_CONFLICT, RC_BREAKER_SUCCEEDED},
    /* The request was sent and no response arrived, so the call counts as a failure of the
     * target. */
    {RC_CODE_OUTCOME_UNKNOWN, RC_BREAKER_FAILED},
    {RC_CODE_UNCLASSIFIED, RC_BREAKER_NEUTRAL},
};

static rc_breaker_outcome outcome_of_class(rc_error_class error_class)
{
    switch (error_class) {
    case RC_CLASS_PROVIDER_TRANSIENT:
        return RC_BREAKER_FAILED;
    case RC_CLASS_PROVIDER_CAPABILITY:
    case RC_CLASS_PROVIDER_TERMINAL:
        return RC_BREAKER_SUCCEEDED;
    case RC_CLASS_VALIDATION:
    case RC_CLASS_TOOL_TRANSIENT:
    case RC_CLASS_TOOL_TERMINAL:
    case RC_CLASS_SESSION:
    case RC_CLASS_LIMIT:
    case RC_CLASS_SANDBOX:
    case RC_CLASS_CANCELLATION:
    case RC_CLASS_EXTENSION_HOST:
    case RC_CLASS_INTERNAL:
    case RC_CLASS_NONE:
    case RC_CLASS_UNKNOWN:
        break;
    }
    return RC_BREAKER_NEUTRAL;
}

rc_breaker_outcome rc_breaker_outcome_of(rc_code code)
{
    for (size_t i = 0; i < sizeof exceptions / sizeof exceptions[0]; i++) {
        if (exceptions[i].code == code)
            return exceptions[i].outcome;
    }
    const rc_code_info *info = rc_code_get(code);
    return info ? outcome_of_class(info->error_class) : RC_BREAKER_NEUTRAL;
}
