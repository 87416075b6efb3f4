#include "codec/usage_ask.h"

#include "base/json_find.h"
#include "base/str.h"
#include "codec/usage.h"
#include "codec/usage_weight.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* 128 kbit/s are 16 bytes a millisecond. */
#define AUDIO_BYTES_PER_MS 16u

/* What a member of a request is. */
typedef enum ask_what {
    ASK_TEXT,
    ASK_PROMPT, /* text: of an image, or of an old completion, which nobody counts in images */
    ASK_SCHEMA, /* text whose keys count, too */
    ASK_MAX,
    ASK_ANSWERS,
    ASK_SETTINGS /* an object with the last two in it */
} ask_what;

static const struct {
    rc_str name;
    ask_what what;
} MEMBERS[] = {
    {RC_STR_INIT("messages"), ASK_TEXT},
    {RC_STR_INIT("input"), ASK_TEXT},
    {RC_STR_INIT("prompt"), ASK_PROMPT},
    {RC_STR_INIT("system"), ASK_TEXT},
    {RC_STR_INIT("instructions"), ASK_TEXT},
    {RC_STR_INIT("contents"), ASK_TEXT},
    {RC_STR_INIT("content"), ASK_TEXT},
    {RC_STR_INIT("systemInstruction"), ASK_TEXT},
    {RC_STR_INIT("system_instruction"), ASK_TEXT},
    {RC_STR_INIT("tools"), ASK_SCHEMA},
    {RC_STR_INIT("functions"), ASK_SCHEMA},
    {RC_STR_INIT("response_format"), ASK_SCHEMA},
    {RC_STR_INIT("text"), ASK_SCHEMA},
    {RC_STR_INIT("max_tokens"), ASK_MAX},
    {RC_STR_INIT("max_completion_tokens"), ASK_MAX},
    {RC_STR_INIT("max_output_tokens"), ASK_MAX},
    {RC_STR_INIT("maxOutputTokens"), ASK_MAX},
    {RC_STR_INIT("n"), ASK_ANSWERS},
    {RC_STR_INIT("candidateCount"), ASK_ANSWERS},
    {RC_STR_INIT("generationConfig"), ASK_SETTINGS},
    {RC_STR_INIT("generation_config"), ASK_SETTINGS},
};

/* What was found so far. */
typedef struct finding {
    rc_ask ask;
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

static void read_text(finding *f, ask_what what, rc_str value)
{
    unsigned keys = what == ASK_SCHEMA ? RC_WEIGH_KEYS : 0u;
    f->has_text = true;
    f->has_prompt = f->has_prompt || what == ASK_PROMPT;
    f->weight += rc_weight_json(value, RC_WEIGH_ROLES | RC_WEIGH_MEDIA | keys);
}

static void read_members(finding *f, rc_str object, bool is_top);

/* is_top: not of the settings, which have numbers alone. */
static void read_member(finding *f, ask_what what, rc_str value, bool is_top)
{
    switch (what) {
    case ASK_TEXT:
    case ASK_PROMPT:
    case ASK_SCHEMA:
        if (is_top)
            read_text(f, what, value);
        return;
    case ASK_MAX:
        read_number(value, &f->ask.max_output);
        return;
    case ASK_ANSWERS:
        read_number(value, &f->ask.answers);
        return;
    case ASK_SETTINGS:
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
            read_member(f, MEMBERS[i].what, rc_str_slice(object, m->value.offset, m->value_end),
                        is_top);
    }
}

rc_ask rc_ask_read(rc_str body)
{
    finding f = {.ask = {.answers = 1}};
    rc_str text = rc_str_trim(body);
    bool is_json = text.len > 0 && (text.ptr[0] == '{' || text.ptr[0] == '[');
    if (!is_json) {
        f.ask.audio_ms = body.len / AUDIO_BYTES_PER_MS;
        f.ask.images = 1;
        return f.ask;
    }
    read_members(&f, text, true);
    /* A form that is not known: all that it says. */
    if (!f.has_text)
        f.weight = rc_weight_json(text, RC_WEIGH_ROLES | RC_WEIGH_MEDIA);
    f.ask.input = rc_weight_tokens(f.weight);
    f.ask.images = f.has_prompt ? f.ask.answers : 0;
    return f.ask;
}
