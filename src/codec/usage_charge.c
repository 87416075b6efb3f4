#include "codec/usage_charge.h"

#include "codec/usage_weight.h"

/* Where a number comes from. */
typedef enum source {
    FROM_NOWHERE,
    FROM_COUNT,  /* or nowhere */
    FROM_EITHER, /* the count, else the estimate */
    FROM_LARGER  /* of both, unless the count is final */
} source;

static const struct {
    const char *name;
    source input;
    source output;
} ENDS[RC_TRY_END_COUNT] = {
    [RC_TRY_NOT_SENT] = {"not_sent", FROM_NOWHERE, FROM_NOWHERE},
    [RC_TRY_FREE] = {"free", FROM_NOWHERE, FROM_NOWHERE},
    [RC_TRY_REFUSED] = {"refused", FROM_COUNT, FROM_COUNT},
    [RC_TRY_SILENT] = {"silent", FROM_EITHER, FROM_LARGER},
    [RC_TRY_CUT] = {"cut", FROM_EITHER, FROM_LARGER},
    [RC_TRY_CANCELLED] = {"cancelled", FROM_EITHER, FROM_LARGER},
    [RC_TRY_DONE] = {"done", FROM_EITHER, FROM_EITHER},
};

const char *rc_try_end_name(rc_try_end end)
{
    return end < RC_TRY_END_COUNT ? ENDS[end].name : "unknown";
}

static uint64_t or_none(int64_t number)
{
    return number > 0 ? (uint64_t)number : 0;
}

/* No request is empty: an input of 0 is what a server says that does not count. */
static void set_input(rc_charge *charge, const rc_usage_count *said, source from, const rc_ask *ask)
{
    bool is_said = said->input > 0 || said->audio_ms >= 0;
    if (is_said) {
        charge->input = or_none(said->input);
        charge->cached = or_none(said->cached);
        charge->written = or_none(said->written);
        charge->written_1h = or_none(said->written_1h);
        charge->audio_ms = or_none(said->audio_ms);
        charge->is_measured = true;
    } else if (from != FROM_COUNT) {
        charge->input = ask->input;
        charge->audio_ms = ask->audio_ms;
        charge->is_estimated = true;
    }
}

/* An output of 0 beside text is what a server says that does not count. */
static void set_output(rc_charge *charge, const rc_usage *usage, const rc_usage_count *said,
                       source from)
{
    uint64_t guess = from == FROM_COUNT ? 0 : rc_weight_tokens(usage->weight);
    bool is_said = said->output > 0 || (said->output == 0 && guess == 0);
    bool is_open = from == FROM_LARGER && !usage->is_final;
    if (is_said) {
        charge->output = (uint64_t)said->output;
        charge->reasoning = or_none(said->reasoning);
        charge->is_measured = true;
    }
    if ((!is_said || is_open) && guess > charge->output)
        charge->output = guess;
    /* An answer that is counted without an output has none: an embedding. */
    if (is_open || (from != FROM_COUNT && !is_said && charge->output > 0))
        charge->is_estimated = true;
}

/* As many as were wanted, where the answer does not show it. */
static void set_images(rc_charge *charge, const rc_usage_count *said, source from,
                       const rc_ask *ask)
{
    if (said->images >= 0)
        charge->images = (uint64_t)said->images;
    else if (from != FROM_COUNT)
        charge->images = ask->images;
}

/* said: what rc_usage_said gives. */
static rc_charge charge_of(const rc_usage *usage, const rc_usage_count *said, rc_try_end end,
                           const rc_ask *ask)
{
    rc_charge charge = {.input = 0};
    const source from = ENDS[end].input;
    set_input(&charge, said, from, ask);
    set_output(&charge, usage, said, ENDS[end].output);
    set_images(&charge, said, from, ask);
    if (said->cost_micros >= 0) {
        charge.cost_micros = (uint64_t)said->cost_micros;
        charge.has_cost = true;
    }
    charge.is_measured = charge.is_measured && !charge.is_estimated;
    return charge;
}

static bool is_free(rc_try_end end)
{
    return end >= RC_TRY_END_COUNT || ENDS[end].input == FROM_NOWHERE;
}

rc_charge rc_usage_charge(const rc_usage *usage, rc_try_end end, rc_str request)
{
    if (is_free(end))
        return (rc_charge){.input = 0};
    const rc_usage_count said = rc_usage_said(usage);
    const bool is_said = said.input > 0 || said.audio_ms >= 0;
    rc_ask ask = {.answers = 1};
    if (ENDS[end].input > FROM_COUNT && !is_said)
        ask = rc_ask_read(request);
    return charge_of(usage, &said, end, &ask);
}

rc_charge rc_usage_charge_ask(const rc_usage *usage, rc_try_end end, const rc_ask *ask)
{
    if (is_free(end))
        return (rc_charge){.input = 0};
    const rc_usage_count said = rc_usage_said(usage);
    return charge_of(usage, &said, end, ask);
}

rc_charge rc_usage_foresee(rc_str request, uint64_t default_output)
{
    const rc_ask ask = rc_ask_read(request);
    uint64_t each = ask.max_output > 0 ? ask.max_output : default_output;
    uint64_t output;
    if (__builtin_mul_overflow(each, ask.answers, &output) || output > (uint64_t)RC_USAGE_MAX)
        output = (uint64_t)RC_USAGE_MAX;
    return (rc_charge){
        .input = ask.input,
        .output = output,
        .audio_ms = ask.audio_ms,
        .images = ask.images,
        .is_estimated = true,
    };
}
