/* Estimates the usage of a request from its body. Called by usage_charge.c and the gateway's
 * attempt.c. */
#include "dialect/usage_estimate.h"

#include "base/str.h"
#include "dialect/usage.h"
#include "dialect/usage_weight.h"
#include "json/find.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Assumed size of audio: 128 kbit/s, which is 16 bytes per millisecond. */
#define AUDIO_BYTES_PER_MS 16u

/* The meaning of a member of a request body. */
typedef enum member_role {
    ROLE_TEXT,
    ROLE_PROMPT,  /* text of an image request or of a legacy completion; in the latter case images
                    are not charged */
    ROLE_SCHEMA,  /* a JSON Schema, whose keys are also input of the model */
    ROLE_MAX,     /* limit of the output tokens of the response */
    ROLE_CHOICES, /* number of requested choices */
    ROLE_SETTINGS /* an object that contains members of ROLE_MAX and ROLE_CHOICES */
} member_role;

static const struct {
    rc_str name;
    member_role role;
} MEMBERS[] = {
    {RC_STR_INIT("messages"), ROLE_TEXT},
    {RC_STR_INIT("input"), ROLE_TEXT},
    {RC_STR_INIT("prompt"), ROLE_PROMPT},
    {RC_STR_INIT("system"), ROLE_TEXT},
    {RC_STR_INIT("instructions"), ROLE_TEXT},
    {RC_STR_INIT("contents"), ROLE_TEXT},
    {RC_STR_INIT("content"), ROLE_TEXT},
    {RC_STR_INIT("systemInstruction"), ROLE_TEXT},
    {RC_STR_INIT("system_instruction"), ROLE_TEXT},
    {RC_STR_INIT("tools"), ROLE_SCHEMA},
    {RC_STR_INIT("functions"), ROLE_SCHEMA},
    {RC_STR_INIT("response_format"), ROLE_SCHEMA},
    {RC_STR_INIT("text"), ROLE_SCHEMA},
    {RC_STR_INIT("max_tokens"), ROLE_MAX},
    {RC_STR_INIT("max_completion_tokens"), ROLE_MAX},
    {RC_STR_INIT("max_output_tokens"), ROLE_MAX},
    {RC_STR_INIT("maxOutputTokens"), ROLE_MAX},
    {RC_STR_INIT("n"), ROLE_CHOICES},
    {RC_STR_INIT("candidateCount"), ROLE_CHOICES},
    {RC_STR_INIT("generationConfig"), ROLE_SETTINGS},
    {RC_STR_INIT("generation_config"), ROLE_SETTINGS},
};

/* The facts found in a request so far. */
typedef struct finding {
    rc_usage_estimate estimate;
    uint64_t weight;
    bool has_text;
    bool has_prompt;
} finding;

static void read_number(rc_str text, uint64_t *number)
{
    int64_t value;
    if (rc_json_to_i64(text, &value) == RC_OK && value > 0 && value <= RC_USAGE_MAX)
        *number = (uint64_t)value;
}

static void read_text(finding *f, member_role role, rc_str value)
{
    unsigned keys = role == ROLE_SCHEMA ? RC_WEIGH_KEYS : 0u;
    f->has_text = true;
    f->has_prompt = f->has_prompt || role == ROLE_PROMPT;
    f->weight += rc_weight_json(value, RC_WEIGH_ROLES | RC_WEIGH_MEDIA | keys);
}

static void read_members(finding *f, rc_str object, bool is_top);

/* Reads one member. `is_top`: the member is at the top level. Of the members of an object of
 * ROLE_SETTINGS, only numbers are read. */
static void read_member(finding *f, member_role role, rc_str value, bool is_top)
{
    switch (role) {
    case ROLE_TEXT:
    case ROLE_PROMPT:
    case ROLE_SCHEMA:
        if (is_top)
            read_text(f, role, value);
        return;
    case ROLE_MAX:
        read_number(value, &f->estimate.max_output);
        return;
    case ROLE_CHOICES:
        read_number(value, &f->estimate.choices);
        return;
    case ROLE_SETTINGS:
        if (is_top)
            read_members(f, value, false);
        return;
    }
}

static void read_members(finding *f, rc_str object, bool is_top)
{
    rc_json_member members[COUNT(MEMBERS)];
    for (size_t i = 0; i < COUNT(MEMBERS); i++)
        members[i] = (rc_json_member){.key = MEMBERS[i].name};
    rc_json_find(object, members, COUNT(members), false);
    for (size_t i = 0; i < COUNT(MEMBERS); i++) {
        const rc_json_member *m = &members[i];
        if (m->is_found)
            read_member(f, MEMBERS[i].role, rc_str_slice(object, m->value.offset, m->value_end),
                        is_top);
    }
}

rc_usage_estimate rc_usage_estimate_read(rc_str body)
{
    finding f = {.estimate = {.choices = 1}};
    rc_str text = rc_str_trim(body);
    bool is_json = text.len > 0 && (text.ptr[0] == '{' || text.ptr[0] == '[');
    if (!is_json) {
        f.estimate.audio_ms = body.len / AUDIO_BYTES_PER_MS;
        f.estimate.images = 1;
        return f.estimate;
    }
    read_members(&f, text, true);
    /* no member with text was found, so the format of the request is unknown, and all its strings
     * are weighed */
    if (!f.has_text)
        f.weight = rc_weight_json(text, RC_WEIGH_ROLES | RC_WEIGH_MEDIA);
    f.estimate.input = rc_weight_tokens(f.weight);
    f.estimate.images = f.has_prompt ? f.estimate.choices : 0;
    return f.estimate;
}
