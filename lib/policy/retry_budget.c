/* Retry budget of the process: a token bucket filled by the requests of each second or by a minimum
 * rate, whichever adds more tokens. Called by the call*.c files, hedge.c, shared.c, the gateway and
 * the simulator. */
#include <recourse/retry_budget.h>

#define PERIOD_MS 1000u
#define TOKEN_MICRO UINT64_C(1000000)
/* Tokens that a successful retry adds: with four failed retries for each success the budget stays
 * open. */
#define SUCCESS_TOKENS 4u

/* Upper bound of the tokens added in one second, in millionths: far above the size of any bucket,
 * far below an overflow. */
#define ADDED_MAX_MICRO (UINT64_C(1) << 62)

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t capacity(const rc_retry_budget *budget)
{
    return budget->settings.burst * TOKEN_MICRO;
}

static void add_tokens(rc_retry_budget *budget, uint64_t micro)
{
    uint64_t free_micro = capacity(budget) - budget->tokens_micro;
    budget->tokens_micro += micro < free_micro ? micro : free_micro;
}

/* Returns the tokens, in millionths, that floor_per_s adds in elapsed_ms. */
static uint64_t floor_micro(const rc_retry_budget *budget, uint64_t elapsed_ms)
{
    return budget->settings.floor_per_s * elapsed_ms * (TOKEN_MICRO / PERIOD_MS);
}

/* Raises the amount that was added in the current second to `micro`, and adds the difference to the
 * bucket. */
static void add_up_to(rc_retry_budget *budget, uint64_t micro)
{
    if (micro <= budget->added_micro)
        return;
    add_tokens(budget, micro - budget->added_micro);
    budget->added_micro = micro;
}

/* Adds the tokens of floor_per_s for whole seconds in which no request arrived. The division avoids
 * a product that could overflow. */
static void add_idle_seconds(rc_retry_budget *budget, uint64_t seconds)
{
    uint64_t each = floor_micro(budget, PERIOD_MS);
    if (each == 0)
        return;
    uint64_t free_micro = capacity(budget) - budget->tokens_micro;
    add_tokens(budget, seconds > free_micro / each ? free_micro : seconds * each);
}

static void refill(rc_retry_budget *budget, uint64_t now_ms)
{
    if (now_ms < budget->period_at_ms)
        return;
    uint64_t elapsed_ms = now_ms - budget->period_at_ms;
    if (elapsed_ms >= PERIOD_MS) {
        uint64_t periods = elapsed_ms / PERIOD_MS;
        add_up_to(budget, floor_micro(budget, PERIOD_MS));
        add_idle_seconds(budget, periods - 1);
        budget->period_at_ms += periods * PERIOD_MS;
        budget->from_requests_micro = 0;
        budget->added_micro = 0;
        elapsed_ms %= PERIOD_MS;
    }
    add_up_to(budget, larger(floor_micro(budget, elapsed_ms), budget->from_requests_micro));
}

void rc_retry_budget_init(rc_retry_budget *budget, const rc_retry_budget_settings *settings,
                          uint64_t now_ms)
{
    *budget = (rc_retry_budget){.settings = *settings, .period_at_ms = now_ms};
    budget->tokens_micro = capacity(budget);
}

void rc_retry_budget_set_settings(rc_retry_budget *budget, const rc_retry_budget_settings *settings,
                                  uint64_t now_ms)
{
    refill(budget, now_ms);
    budget->settings = *settings;
    if (budget->tokens_micro > capacity(budget))
        budget->tokens_micro = capacity(budget);
}

void rc_retry_budget_on_request(rc_retry_budget *budget, uint64_t now_ms)
{
    refill(budget, now_ms);
    budget->from_requests_micro += budget->settings.ratio_milli * (TOKEN_MICRO / 1000);
    if (budget->from_requests_micro > ADDED_MAX_MICRO)
        budget->from_requests_micro = ADDED_MAX_MICRO;
    add_up_to(budget, budget->from_requests_micro);
}

bool rc_retry_budget_has_token(rc_retry_budget *budget, uint64_t now_ms)
{
    if (budget->settings.burst == 0)
        return true;
    refill(budget, now_ms);
    return budget->tokens_micro >= TOKEN_MICRO;
}

bool rc_retry_budget_take(rc_retry_budget *budget, uint64_t now_ms)
{
    if (!rc_retry_budget_has_token(budget, now_ms))
        return false;
    if (budget->settings.burst > 0)
        budget->tokens_micro -= TOKEN_MICRO;
    return true;
}

void rc_retry_budget_on_retry(rc_retry_budget *budget, bool is_success, uint64_t now_ms)
{
    if (budget->settings.burst == 0)
        return;
    refill(budget, now_ms);
    if (is_success)
        add_tokens(budget, SUCCESS_TOKENS * TOKEN_MICRO);
    else
        budget->tokens_micro -=
            budget->tokens_micro < TOKEN_MICRO ? budget->tokens_micro : TOKEN_MICRO;
}

uint32_t rc_retry_budget_tokens(rc_retry_budget *budget, uint64_t now_ms)
{
    if (budget->settings.burst == 0)
        return UINT32_MAX;
    refill(budget, now_ms);
    return (uint32_t)(budget->tokens_micro / TOKEN_MICRO);
}

uint64_t rc_retry_budget_refill_ms(const rc_retry_budget *budget)
{
    uint64_t burst_ms = (uint64_t)budget->settings.burst * PERIOD_MS;
    uint64_t per_s = budget->settings.floor_per_s;
    if (burst_ms == 0)
        return 0;
    return per_s == 0 ? UINT64_MAX : (burst_ms + per_s - 1) / per_s;
}

bool rc_retry_budget_validate(const rc_retry_budget *budget)
{
    return budget->tokens_micro <= capacity(budget) && budget->added_micro <= ADDED_MAX_MICRO &&
           budget->from_requests_micro <= budget->added_micro;
}
