/* Charges: decides how many tokens of an attempt are charged. Called by the gateway's ledger and
 * budgets. */
#include "dialect/usage_charge.h"

#include "dialect/usage_weight.h"

/* The source of a number in a charge. */
typedef enum source {
    FROM_NOWHERE,
    FROM_COUNT,  /* the provider's count; without a count, 0 */
    FROM_EITHER, /* the provider's count; without a count, the estimate */
    FROM_LARGER  /* the larger of the provider's count and the estimate, or the count if it is
                    final */
} source;

static const struct {
    const char *name;
    source input;
    source output;
} ENDS[RC_ATTEMPT_END_COUNT] = {
    [RC_ATTEMPT_END_NOT_SENT] = {"not_sent", FROM_NOWHERE, FROM_NOWHERE},
    [RC_ATTEMPT_END_FREE] = {"free", FROM_NOWHERE, FROM_NOWHERE},
    [RC_ATTEMPT_END_REFUSED] = {"refused", FROM_COUNT, FROM_COUNT},
    [RC_ATTEMPT_END_SILENT] = {"silent", FROM_EITHER, FROM_LARGER},
    [RC_ATTEMPT_END_CUT] = {"cut", FROM_EITHER, FROM_LARGER},
    [RC_ATTEMPT_END_CANCELLED] = {"cancelled", FROM_EITHER, FROM_LARGER},
    [RC_ATTEMPT_END_DONE] = {"done", FROM_EITHER, FROM_EITHER},
};

const char *rc_attempt_end_name(rc_attempt_end end)
{
    return end < RC_ATTEMPT_END_COUNT ? ENDS[end].name : "unknown";
}

static uint64_t or_none(int64_t number)
{
    return number > 0 ? (uint64_t)number : 0;
}

/* Sets the input. No request is empty, so a reported input of 0 means that the server does not
 * count tokens; such a count is ignored. */
static void set_input(rc_charge *charge, const rc_usage_count *reported, source from,
                      const rc_usage_estimate *estimate)
{
    bool is_reported = reported->input > 0 || reported->audio_ms >= 0;
    if (is_reported) {
        charge->input = or_none(reported->input);
        charge->cached = or_none(reported->cached);
        charge->written = or_none(reported->written);
        charge->written_1h = or_none(reported->written_1h);
        charge->audio_ms = or_none(reported->audio_ms);
        charge->is_measured = true;
    } else if (from != FROM_COUNT) {
        charge->input = estimate->input;
        charge->audio_ms = estimate->audio_ms;
        charge->is_estimated = true;
    }
}

/* Sets the output. If text was received, a reported output of 0 means that the server does not
 * count tokens; such a count is ignored. */
static void set_output(rc_charge *charge, const rc_usage *usage, const rc_usage_count *reported,
                       source from)
{
    uint64_t guess = from == FROM_COUNT ? 0 : rc_weight_tokens(usage->weight);
    bool is_reported = reported->output > 0 || (reported->output == 0 && guess == 0);
    bool is_open = from == FROM_LARGER && !usage->is_final;
    if (is_reported) {
        charge->output = (uint64_t)reported->output;
        charge->reasoning = or_none(reported->reasoning);
        charge->is_measured = true;
    }
    if ((!is_reported || is_open) && guess > charge->output)
        charge->output = guess;
    /* A response that has a count but no output, such as an embedding, does not make the charge an
     * estimate. */
    if (is_open || (from != FROM_COUNT && !is_reported && charge->output > 0))
        charge->is_estimated = true;
}

/* Sets the number of images: the number in the response, or if that is not known, the requested
 * number. */
static void set_images(rc_charge *charge, const rc_usage_count *reported, source from,
                       const rc_usage_estimate *estimate)
{
    if (reported->images >= 0)
        charge->images = (uint64_t)reported->images;
    else if (from != FROM_COUNT)
        charge->images = estimate->images;
}

/* Computes the charge. `reported`: the result of rc_usage_reported for `usage`. */
static rc_charge charge_of(const rc_usage *usage, const rc_usage_count *reported,
                           rc_attempt_end end, const rc_usage_estimate *estimate)
{
    rc_charge charge = {.input = 0};
    const source from = ENDS[end].input;
    set_input(&charge, reported, from, estimate);
    set_output(&charge, usage, reported, ENDS[end].output);
    set_images(&charge, reported, from, estimate);
    if (reported->cost_micros >= 0) {
        charge.cost_micros = (uint64_t)reported->cost_micros;
        charge.has_cost = true;
    }
    charge.is_measured = charge.is_measured && !charge.is_estimated;
    return charge;
}

static bool is_free(rc_attempt_end end)
{
    return end >= RC_ATTEMPT_END_COUNT || ENDS[end].input == FROM_NOWHERE;
}

rc_charge rc_usage_charge(const rc_usage *usage, rc_attempt_end end, rc_str request)
{
    if (is_free(end))
        return (rc_charge){.input = 0};
    const rc_usage_count reported = rc_usage_reported(usage);
    const bool is_reported = reported.input > 0 || reported.audio_ms >= 0;
    rc_usage_estimate estimate = {.choices = 1};
    if (ENDS[end].input > FROM_COUNT && !is_reported)
        estimate = rc_usage_estimate_read(request);
    return charge_of(usage, &reported, end, &estimate);
}

rc_charge rc_usage_charge_by_estimate(const rc_usage *usage, rc_attempt_end end,
                                      const rc_usage_estimate *estimate)
{
    if (is_free(end))
        return (rc_charge){.input = 0};
    const rc_usage_count reported = rc_usage_reported(usage);
    return charge_of(usage, &reported, end, estimate);
}

rc_charge rc_usage_charge_max(rc_str request, uint64_t default_output)
{
    const rc_usage_estimate estimate = rc_usage_estimate_read(request);
    uint64_t each = estimate.max_output > 0 ? estimate.max_output : default_output;
    uint64_t output;
    if (__builtin_mul_overflow(each, estimate.choices, &output) || output > (uint64_t)RC_USAGE_MAX)
        output = (uint64_t)RC_USAGE_MAX;
    return (rc_charge){
        .input = estimate.input,
        .output = output,
        .audio_ms = estimate.audio_ms,
        .images = estimate.images,
        .is_estimated = true,
    };
}
