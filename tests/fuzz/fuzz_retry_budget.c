/* The retry budget under any order of requests, retries, times and new settings.
 *
 *   4 bytes of settings, then steps of two bytes: kind, amount */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <recourse/retry_budget.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool is_true)
{
    if (!is_true)
        abort();
}

/* Upper limit of the tokens that the bucket had and gained, and the tokens that were taken, in
 * millionths. */
typedef struct balance {
    uint64_t in;
    uint64_t out;
    uint64_t seen_ms; /* the latest time that was passed */
} balance;

static rc_retry_budget_settings read_settings(const uint8_t *bytes)
{
    return (rc_retry_budget_settings){.ratio_milli = bytes[0] * 8u,
                                      .floor_per_s = bytes[1],
                                      .burst = bytes[2] == 255 ? 100000u : bytes[2]};
}

static void check_state(rc_retry_budget *budget, balance *balance_sheet, uint64_t now_ms)
{
    uint32_t tokens = rc_retry_budget_tokens(budget, now_ms);
    check(rc_retry_budget_validate(budget));
    if (now_ms > balance_sheet->seen_ms) {
        balance_sheet->in +=
            (now_ms - balance_sheet->seen_ms) * budget->settings.floor_per_s * 1000;
        balance_sheet->seen_ms = now_ms;
    }
    if (budget->settings.burst == 0)
        return;
    check(tokens <= budget->settings.burst);
    check(rc_retry_budget_tokens(budget, now_ms) == tokens);
    check(rc_retry_budget_has_token(budget, now_ms) == (tokens > 0));
}

static void take(rc_retry_budget *budget, balance *balance_sheet, uint64_t now_ms)
{
    uint32_t before = rc_retry_budget_tokens(budget, now_ms);
    bool took = rc_retry_budget_take(budget, now_ms);
    if (budget->settings.burst == 0) {
        check(took);
        return;
    }
    check(took == (before > 0));
    check(rc_retry_budget_tokens(budget, now_ms) == before - took);
    balance_sheet->out += took ? 1000000u : 0;
    check(balance_sheet->out <= balance_sheet->in);
}

static void request(rc_retry_budget *budget, balance *balance_sheet, uint64_t now_ms)
{
    uint32_t before = rc_retry_budget_tokens(budget, now_ms);
    rc_retry_budget_on_request(budget, now_ms);
    check(rc_retry_budget_tokens(budget, now_ms) >= before);
    balance_sheet->in += budget->settings.ratio_milli * UINT64_C(1000);
}

/* Runs the budget with any 32-bit settings and any jumps of the clock. Only the bounds are
 * checked. */
static void run_wild(const uint8_t *data, size_t size)
{
    rc_retry_budget_settings settings = {.ratio_milli = data[1] * UINT32_C(0x01010101),
                                         .floor_per_s = data[2] * UINT32_C(0x01010101),
                                         .burst = data[3] * UINT32_C(0x01010101)};
    rc_retry_budget budget;
    rc_retry_budget_init(&budget, &settings, 0);
    for (size_t i = 4; i + 1 < size; i += 2) {
        uint64_t now_ms = (uint64_t)data[i] << data[i + 1] % 57;
        rc_retry_budget_on_request(&budget, now_ms);
        check(rc_retry_budget_validate(&budget));
        check(rc_retry_budget_has_token(&budget, now_ms) == rc_retry_budget_take(&budget, now_ms));
        check(rc_retry_budget_validate(&budget));
    }
}

static void run(const uint8_t *data, size_t size)
{
    rc_retry_budget_settings settings = read_settings(data + 1);
    uint64_t now_ms = 1000000;
    balance balance_sheet = {.in = UINT64_C(1000000) * settings.burst, .seen_ms = now_ms};
    rc_retry_budget budget;
    rc_retry_budget_init(&budget, &settings, now_ms);
    for (size_t i = 4; i + 1 < size; i += 2) {
        uint8_t amount = data[i + 1];
        switch (data[i] % 6) {
        case 0:
            now_ms += amount;
            break;
        case 1:
            now_ms += amount * UINT64_C(100);
            break;
        case 2:
            now_ms -= amount;
            break;
        case 3:
            for (unsigned k = 0; k < amount; k++)
                request(&budget, &balance_sheet, now_ms);
            break;
        case 4:
            for (unsigned k = 0; k < amount; k++)
                take(&budget, &balance_sheet, now_ms);
            break;
        default:
            settings.floor_per_s = amount;
            settings.burst = amount / 2;
            check_state(&budget, &balance_sheet, now_ms);
            rc_retry_budget_set_settings(&budget, &settings, now_ms);
            /* The new floor may apply to the whole of the current second. */
            balance_sheet.in += UINT64_C(1000000) * amount;
            break;
        }
        check_state(&budget, &balance_sheet, now_ms);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 4)
        return 0;
    if (data[0] % 2 == 0)
        run(data, size);
    else
        run_wild(data, size);
    return 0;
}
