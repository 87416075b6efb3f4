/* Facts of models from spec/models.def. Called by the gateway when a configuration is loaded, once
 * for each target. */
#include "dialect/translate/model_facts.h"

#include "base/str.h"

typedef struct model_row {
    rc_model_kind kind;
    rc_str name;
    uint32_t context;
    uint32_t output;
    uint32_t flags;
} model_row;

static const model_row rows[] = {
#define RC_MODEL(KIND, name, context, output, flags) \
    {RC_MODEL_KIND_##KIND, RC_STR_INIT(name), context, output, flags},
#include "spec/models.def"
};

/* Flags of a model that has no row: what such a model is assumed to accept. */
#define FLAGS_UNKNOWN                                                                     \
    (RC_MODEL_VISION | RC_MODEL_PDF | RC_MODEL_AUDIO | RC_MODEL_TOOLS | RC_MODEL_SCHEMA | \
     RC_MODEL_SAMPLING | RC_MODEL_RESULT_MEDIA)

/* Returns whether `rest` is a date such as "-2025-08-07", "-20250929" or "@20250929". */
static bool is_date(rc_str rest)
{
    size_t digits = 0;
    if (rest.len == 0 || (rest.ptr[0] != '-' && rest.ptr[0] != '@'))
        return false;
    for (size_t i = 1; i < rest.len; i++) {
        if (!rc_ascii_is_digit(rest.ptr[i]) && rest.ptr[i] != '-')
            return false;
        digits += rc_ascii_is_digit(rest.ptr[i]);
    }
    return digits >= 6;
}

static bool matches(const model_row *row, rc_str model)
{
    return rc_str_starts_with_nocase(model, row->name) &&
           (model.len == row->name.len || is_date(rc_str_slice(model, row->name.len, model.len)));
}

rc_model_facts rc_model_facts_of(rc_model_kind kind, rc_str model)
{
    if (rc_str_starts_with(model, RC_STR("models/")))
        model = rc_str_slice(model, 7, model.len);
    for (size_t i = 0; kind != RC_MODEL_KIND_OTHER && i < sizeof rows / sizeof *rows; i++)
        if (rows[i].kind == kind && matches(&rows[i], model))
            return (rc_model_facts){.is_known = true,
                                    .flags = rows[i].flags,
                                    .context = rows[i].context,
                                    .max_tokens = rows[i].output};
    return (rc_model_facts){.flags = FLAGS_UNKNOWN};
}
