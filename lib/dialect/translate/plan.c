/* Plans translations: grades each feature of a conversation for one target and decides which values
 * are written. Called by the gateway before it starts an attempt at a target of another dialect. */
#include "dialect/translate/plan.h"

#include "base/str.h"
#include "dialect/translate/identifier.h"
#include "dialect/translate/schema.h"
#include "dialect/translate/write.h"
#include "json/reader.h"

/* ---- the table ---- */

typedef enum feature_grade {
    GRADE_EXACT,
    GRADE_ADAPTED,
    GRADE_REFUSED,
    GRADE_OPENAI,
    GRADE_DECIDED
} feature_grade;

typedef struct feature_row {
    rc_str name;
    rc_code code;
    uint8_t grades[4]; /* grades for the dialects Chat Completions, Responses, Messages and
                          Gemini */
} feature_row;

static const feature_row features[] = {
#define RC_FEATURE(ID, name, CODE, chat, responses, messages, gemini) \
    {RC_STR_INIT(name),                                               \
     RC_CODE_##CODE,                                                  \
     {GRADE_##chat, GRADE_##responses, GRADE_##messages, GRADE_##gemini}},
#include "spec/translate.def"
};

static size_t column_of(rc_dialect dialect)
{
    switch (dialect) {
    case RC_DIALECT_OPENAI_RESPONSES:
        return 1;
    case RC_DIALECT_ANTHROPIC:
        return 2;
    case RC_DIALECT_GEMINI:
        return 3;
    case RC_DIALECT_OPENAI_CHAT:
    case RC_DIALECT_PROBLEM:
        break;
    }
    return 0;
}

static bool is_openai_dialect(rc_dialect dialect)
{
    return dialect == RC_DIALECT_OPENAI_CHAT || dialect == RC_DIALECT_OPENAI_RESPONSES;
}

rc_str rc_feature_name(rc_feature feature)
{
    return features[feature].name;
}

bool rc_feature_is_never(rc_feature feature, rc_dialect target)
{
    return features[feature].grades[column_of(target)] == GRADE_REFUSED;
}

rc_code rc_translation_plan_code(const rc_translation_plan *plan)
{
    return features[plan->refused].code;
}

/* ---- verdicts ---- */

static void adapt(rc_translation_plan *plan, rc_feature feature)
{
    plan->adapted |= UINT64_C(1) << feature;
    if (plan->fit == RC_FIT_EXACT)
        plan->fit = RC_FIT_ADAPTED;
}

static void refuse(rc_translation_plan *plan, rc_feature feature)
{
    if (plan->fit == RC_FIT_REFUSED)
        return;
    plan->fit = RC_FIT_REFUSED;
    plan->refused = feature;
}

static void grade_by_table(rc_translation_plan *plan, rc_feature feature)
{
    const rc_conversation *c = plan->conversation;
    bool is_openai_pair = is_openai_dialect(c->dialect) && is_openai_dialect(plan->target->dialect);
    switch ((feature_grade)features[feature].grades[column_of(plan->target->dialect)]) {
    case GRADE_ADAPTED:
        adapt(plan, feature);
        break;
    case GRADE_REFUSED:
        refuse(plan, feature);
        break;
    case GRADE_OPENAI:
        if (!is_openai_pair)
            adapt(plan, feature);
        break;
    case GRADE_EXACT:
    case GRADE_DECIDED:
        break;
    }
}

static bool has(const rc_translation_plan *plan, uint64_t features_bit)
{
    return (plan->conversation->features & features_bit) != 0;
}

static bool accepts(const rc_translation_plan *plan, uint32_t flag)
{
    return (plan->target->facts.flags & flag) != 0;
}

/* ---- media, tools, system turns ---- */

static void decide_media(rc_translation_plan *plan)
{
    static const struct {
        rc_feature feature;
        uint32_t flag;
    } rows[] = {{RC_FEATURE_IMAGE, RC_MODEL_VISION},
                {RC_FEATURE_PDF, RC_MODEL_PDF},
                {RC_FEATURE_AUDIO, RC_MODEL_AUDIO},
                {RC_FEATURE_TOOLS, RC_MODEL_TOOLS}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (has(plan, UINT64_C(1) << rows[i].feature) && !accepts(plan, rows[i].flag))
            refuse(plan, rows[i].feature);
    if (has(plan, RC_FEATURE_BIT(RESULT_MEDIA)) && plan->target->dialect == RC_DIALECT_GEMINI &&
        !accepts(plan, RC_MODEL_RESULT_MEDIA))
        adapt(plan, RC_FEATURE_RESULT_MEDIA);
}

static bool is_system(const rc_part *part)
{
    return part->role <= RC_ROLE_DEVELOPER;
}

/* Returns whether Anthropic accepts the places of the system turns: each system turn after the
 * first turn of another role follows a user's turn, and precedes a turn of the model or the end. */
static bool fits_mid_system(const rc_conversation *c)
{
    size_t count = 0;
    const rc_part *parts = rc_conversation_parts(c, &count);
    bool has_turn = false;
    for (size_t i = 0; i < count; i++) {
        if (!is_system(&parts[i])) {
            has_turn = true;
            continue;
        }
        size_t end = i;
        while (end < count && is_system(&parts[end]))
            end++;
        bool is_after_user = has_turn && parts[i - 1].role == RC_ROLE_USER;
        bool is_before_model = end == count || parts[end].role == RC_ROLE_ASSISTANT;
        if (has_turn && !(is_after_user && is_before_model))
            return false;
        i = end - 1;
    }
    return true;
}

static void decide_system(rc_translation_plan *plan)
{
    bool is_messages = plan->target->dialect == RC_DIALECT_ANTHROPIC;
    if (!has(plan, RC_FEATURE_BIT(SYSTEM_MID)) || !is_messages)
        return;
    plan->has_mid_system =
        accepts(plan, RC_MODEL_MID_SYSTEM) && fits_mid_system(plan->conversation);
    if (!plan->has_mid_system)
        adapt(plan, RC_FEATURE_SYSTEM_MID);
}

/* Returns whether the content of a call is a JSON object, or empty. */
static bool has_object_arguments(const rc_conversation *c, const rc_part *call, rc_buf *scratch)
{
    if (call->content.len == 0 || (call->flags & RC_PART_IS_VALUE) != 0)
        return true;
    rc_buf_reset(scratch);
    rc_json_unescape(rc_conversation_text(c, call->content), scratch);
    return rc_schema_is_object(rc_buf_get(scratch));
}

static void decide_calls(rc_translation_plan *plan, rc_buf *scratch)
{
    const rc_conversation *c = plan->conversation;
    size_t count = 0;
    const rc_part *parts = rc_conversation_parts(c, &count);
    bool needs_objects = !is_openai_dialect(plan->target->dialect);
    for (size_t i = 0; i < count; i++) {
        if (parts[i].kind != RC_PART_CALL)
            continue;
        if (rc_tool_name_is_changed(rc_conversation_text(c, parts[i].name), plan->target->dialect))
            adapt(plan, RC_FEATURE_TOOLS_NAME);
        if (needs_objects && !has_object_arguments(c, &parts[i], scratch))
            adapt(plan, RC_FEATURE_CALL_ARGUMENTS);
    }
}

static void decide_tools(rc_translation_plan *plan, rc_buf *scratch)
{
    const rc_conversation *c = plan->conversation;
    size_t count = 0;
    const rc_tool_decl *tools = rc_conversation_tools(c, &count);
    for (size_t i = 0; i < count; i++) {
        if (rc_tool_name_is_changed(rc_conversation_text(c, tools[i].name), plan->target->dialect))
            adapt(plan, RC_FEATURE_TOOLS_NAME);
        rc_buf_reset(scratch);
        rc_schema_rules rules = rc_schema_rules_of_tool(&tools[i], plan->target->dialect);
        if (rc_schema_write(rc_conversation_text(c, tools[i].schema), rules, scratch))
            adapt(plan, RC_FEATURE_TOOLS_SCHEMA);
    }
}

/* ---- reasoning of earlier turns ---- */

bool rc_translation_plan_open_state(const rc_translation_plan *plan, const rc_part *part,
                                    rc_buf *scratch, rc_seal *ret_seal)
{
    rc_str state = rc_conversation_text(plan->conversation, part->state);
    return plan->target->name.len > 0 && rc_seal_open(state, plan->target->name, scratch, ret_seal);
}

/* Returns whether the part's state is restored at the target. */
static bool is_restored(const rc_translation_plan *plan, const rc_part *part, rc_buf *scratch)
{
    rc_seal seal;
    return rc_translation_plan_open_state(plan, part, scratch, &seal) && seal.state.len > 0;
}

/* Returns whether any part of the turn that begins at `from` has a state that is restored. */
static bool is_turn_restored(const rc_translation_plan *plan, size_t from, rc_buf *scratch)
{
    size_t count = 0;
    const rc_part *parts = rc_conversation_parts(plan->conversation, &count);
    for (size_t i = from; i < count && parts[i].turn == parts[from].turn; i++)
        if (parts[i].state.len > 0 && is_restored(plan, &parts[i], scratch))
            return true;
    return false;
}

/* Gemini: returns whether the turn's first call needs a signature and has none of this target. */
static bool lacks_signature(const rc_translation_plan *plan, size_t from, bool is_turn_signed)
{
    size_t count = 0;
    const rc_part *parts = rc_conversation_parts(plan->conversation, &count);
    if (plan->target->dialect != RC_DIALECT_GEMINI || !accepts(plan, RC_MODEL_SIGNATURES) ||
        is_turn_signed)
        return false;
    for (size_t i = from; i < count && parts[i].turn == parts[from].turn; i++)
        if (parts[i].kind == RC_PART_CALL)
            return true;
    return false;
}

/* Reasoning in the history is left out, unless this target made and sealed it. The text of
 * reasoning beside a restored state is no loss: the state contains it. */
static void decide_history(rc_translation_plan *plan, rc_buf *scratch)
{
    size_t count = 0;
    size_t from = 0;
    bool is_signed = false;
    const rc_part *parts = rc_conversation_parts(plan->conversation, &count);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || parts[i].turn != parts[from].turn) {
            from = i;
            is_signed = is_turn_restored(plan, from, scratch);
            if (lacks_signature(plan, from, is_signed))
                adapt(plan, RC_FEATURE_THINKING_HISTORY);
        }
        if ((parts[i].kind == RC_PART_THOUGHT || parts[i].state.len > 0) && !is_signed)
            adapt(plan, RC_FEATURE_THINKING_HISTORY);
    }
}

/* ---- the response's format ---- */

static void decide_schema(rc_translation_plan *plan, rc_buf *scratch)
{
    const rc_conversation *c = plan->conversation;
    if (c->format != RC_OUTPUT_SCHEMA)
        return;
    if (!accepts(plan, RC_MODEL_SCHEMA)) {
        refuse(plan, RC_FEATURE_SCHEMA);
        return;
    }
    rc_str schema = rc_conversation_text(c, c->schema);
    rc_schema_rules rules = rc_schema_rules_of_response(c->is_schema_gemini, plan->target->dialect);
    rc_buf_reset(scratch);
    bool is_changed = rc_schema_write(schema, rules, scratch);
    plan->is_schema_strict =
        c->schema_strict != RC_FALSE && rc_schema_is_strict(rc_buf_get(scratch));
    bool is_loosened = is_openai_dialect(plan->target->dialect) && c->schema_strict == RC_TRUE &&
                       !plan->is_schema_strict;
    if (is_changed || is_loosened)
        adapt(plan, RC_FEATURE_SCHEMA);
}

/* ---- stop sequences ---- */

static void decide_stops(rc_translation_plan *plan)
{
    const rc_conversation *c = plan->conversation;
    size_t most = plan->target->dialect == RC_DIALECT_OPENAI_CHAT ? 4 : RC_CONVERSATION_STOPS_MAX;
    if (plan->target->dialect == RC_DIALECT_GEMINI)
        most = 5;
    if (c->has_too_many_stops || c->stop_count > most)
        refuse(plan, RC_FEATURE_STOP);
    for (size_t i = 0; i < c->stop_count && plan->target->dialect == RC_DIALECT_ANTHROPIC; i++)
        if (rc_write_is_blank(rc_conversation_text(c, c->stops[i])))
            adapt(plan, RC_FEATURE_STOP);
}

/* ---- limits and reasoning ---- */

static const struct {
    rc_str word;
    int64_t tokens;
} efforts[] = {
    [RC_EFFORT_UNSET] = {RC_STR_INIT(""), -1},
    [RC_EFFORT_NONE] = {RC_STR_INIT("none"), 0},
    [RC_EFFORT_MINIMAL] = {RC_STR_INIT("minimal"), 1024},
    [RC_EFFORT_LOW] = {RC_STR_INIT("low"), 1024},
    [RC_EFFORT_MEDIUM] = {RC_STR_INIT("medium"), 8192},
    [RC_EFFORT_HIGH] = {RC_STR_INIT("high"), 24576},
    [RC_EFFORT_XHIGH] = {RC_STR_INIT("xhigh"), 32768},
    [RC_EFFORT_MAX] = {RC_STR_INIT("max"), 65536},
};

int64_t rc_effort_budget(rc_effort effort)
{
    return efforts[effort].tokens;
}

rc_str rc_effort_word(rc_effort effort)
{
    return efforts[effort].word;
}

rc_effort rc_effort_of_budget(int64_t tokens)
{
    if (tokens <= 0)
        return RC_EFFORT_NONE;
    if (tokens <= efforts[RC_EFFORT_LOW].tokens)
        return RC_EFFORT_LOW;
    return tokens <= efforts[RC_EFFORT_MEDIUM].tokens ? RC_EFFORT_MEDIUM : RC_EFFORT_HIGH;
}

static void decide_max_tokens(rc_translation_plan *plan)
{
    const rc_conversation *c = plan->conversation;
    int64_t most = plan->target->facts.max_tokens;
    plan->max_tokens = c->max_tokens;
    if (most > 0 && c->max_tokens > most)
        plan->max_tokens = most;
    if (plan->target->dialect == RC_DIALECT_OPENAI_RESPONSES && c->max_tokens >= 0 &&
        c->max_tokens < 16)
        plan->max_tokens = 16;
    if (plan->max_tokens != c->max_tokens)
        adapt(plan, RC_FEATURE_MAX_TOKENS);
    if (plan->target->dialect == RC_DIALECT_ANTHROPIC && c->max_tokens < 0)
        plan->max_tokens = most > 0 ? most : RC_PLAN_TOKENS_DEFAULT;
}

/* Returns the nearest effort that the target's model accepts. */
static rc_effort accepted_effort(const rc_translation_plan *plan, rc_effort wanted)
{
    bool is_messages = plan->target->dialect == RC_DIALECT_ANTHROPIC;
    switch (wanted) {
    case RC_EFFORT_NONE:
        if (accepts(plan, RC_MODEL_EFFORT_NONE))
            return RC_EFFORT_NONE;
        return accepts(plan, RC_MODEL_EFFORT_MINIMAL) ? RC_EFFORT_MINIMAL : RC_EFFORT_LOW;
    case RC_EFFORT_MINIMAL:
        return accepts(plan, RC_MODEL_EFFORT_MINIMAL) && !is_messages ? RC_EFFORT_MINIMAL
                                                                      : RC_EFFORT_LOW;
    case RC_EFFORT_MAX:
        if (accepts(plan, RC_MODEL_EFFORT_MAX))
            return RC_EFFORT_MAX;
        return accepts(plan, RC_MODEL_EFFORT_XHIGH) ? RC_EFFORT_XHIGH : RC_EFFORT_HIGH;
    case RC_EFFORT_XHIGH:
        return accepts(plan, RC_MODEL_EFFORT_XHIGH) ? RC_EFFORT_XHIGH : RC_EFFORT_HIGH;
    case RC_EFFORT_UNSET:
    case RC_EFFORT_LOW:
    case RC_EFFORT_MEDIUM:
    case RC_EFFORT_HIGH:
        break;
    }
    return wanted;
}

static void use_word(rc_translation_plan *plan, rc_effort wanted, rc_feature told)
{
    plan->thinking = RC_PLAN_THINKING_WORD;
    plan->effort = accepted_effort(plan, wanted);
    if (plan->effort != wanted)
        adapt(plan, told);
}

static bool has_result(const rc_part *parts, size_t from, size_t end)
{
    for (size_t i = from; i < end; i++)
        if (parts[i].kind == RC_PART_RESULT)
            return true;
    return false;
}

/* Returns the index of the first part of the turn that contains the part before `end`. */
static size_t turn_begin(const rc_part *parts, size_t end)
{
    size_t from = end - 1;
    while (from > 0 && parts[from - 1].turn == parts[end - 1].turn)
        from--;
    return from;
}

/* Returns whether the conversation ends in a loop of tool calls that the model began without
 * reasoning which this target can restore. Anthropic refuses to begin reasoning in the middle of
 * such a loop. */
static bool is_in_bare_loop(const rc_translation_plan *plan, rc_buf *scratch)
{
    size_t end = 0;
    const rc_part *parts = rc_conversation_parts(plan->conversation, &end);
    size_t first_model_turn = SIZE_MAX; /* of the loop, as far as the search has come */
    while (end > 0) {
        size_t from = turn_begin(parts, end);
        if (parts[from].role == RC_ROLE_USER && !has_result(parts, from, end))
            break;
        if (parts[from].role == RC_ROLE_ASSISTANT)
            first_model_turn = from;
        end = from;
    }
    return first_model_turn != SIZE_MAX && !is_turn_restored(plan, first_model_turn, scratch);
}

static void decide_messages_thinking(rc_translation_plan *plan, rc_effort effort, rc_buf *scratch)
{
    const rc_conversation *c = plan->conversation;
    bool is_forced = c->choice == RC_CHOICE_REQUIRED || c->choice == RC_CHOICE_NAMED;
    rc_feature told = c->thought_budget >= 0 ? RC_FEATURE_BUDGET : RC_FEATURE_EFFORT;
    if (effort == RC_EFFORT_NONE)
        return;
    if (is_forced || is_in_bare_loop(plan, scratch)) {
        adapt(plan, told);
        return;
    }
    if (accepts(plan, RC_MODEL_ADAPTIVE)) {
        plan->thinking = RC_PLAN_THINKING_ADAPTIVE;
        plan->effort = accepted_effort(plan, effort);
        if (plan->effort != c->effort)
            adapt(plan, told);
        return;
    }
    int64_t budget = c->thought_budget >= 0 ? c->thought_budget : rc_effort_budget(effort);
    if (budget >= plan->max_tokens)
        budget = plan->max_tokens / 2;
    if (budget < 1024) {
        adapt(plan, told);
        return;
    }
    plan->thinking = RC_PLAN_THINKING_BUDGET;
    plan->thought_budget = budget;
    if (budget != c->thought_budget)
        adapt(plan, RC_FEATURE_BUDGET);
}

static void decide_gemini_thinking(rc_translation_plan *plan, rc_effort effort)
{
    const rc_conversation *c = plan->conversation;
    if (accepts(plan, RC_MODEL_LEVELS)) {
        rc_effort wanted =
            effort == RC_EFFORT_XHIGH || effort == RC_EFFORT_MAX ? RC_EFFORT_HIGH : effort;
        use_word(plan, wanted, RC_FEATURE_EFFORT);
        if (wanted != effort || c->thought_budget >= 0)
            adapt(plan, c->thought_budget >= 0 ? RC_FEATURE_BUDGET : RC_FEATURE_EFFORT);
        return;
    }
    plan->thinking = RC_PLAN_THINKING_BUDGET;
    plan->thought_budget = c->thought_budget >= 0 ? c->thought_budget : rc_effort_budget(effort);
    if (c->thought_budget < 0 && effort != RC_EFFORT_NONE)
        adapt(plan, RC_FEATURE_BUDGET);
}

static void decide_thinking(rc_translation_plan *plan, rc_buf *scratch)
{
    const rc_conversation *c = plan->conversation;
    rc_effort effort = c->effort;
    plan->thinking = RC_PLAN_THINKING_UNSET;
    if (effort == RC_EFFORT_UNSET && c->thought_budget >= 0)
        effort = rc_effort_of_budget(c->thought_budget);
    if (effort == RC_EFFORT_UNSET)
        return; /* without an effort the model decides itself how much it reasons */
    if (!accepts(plan, RC_MODEL_REASONING)) {
        if (effort != RC_EFFORT_NONE)
            adapt(plan, RC_FEATURE_EFFORT);
        return;
    }
    if (plan->target->dialect == RC_DIALECT_ANTHROPIC) {
        decide_messages_thinking(plan, effort, scratch);
    } else if (plan->target->dialect == RC_DIALECT_GEMINI) {
        decide_gemini_thinking(plan, effort);
    } else {
        use_word(plan, effort, RC_FEATURE_EFFORT);
        if (c->effort == RC_EFFORT_UNSET)
            adapt(plan, RC_FEATURE_BUDGET);
    }
}

static bool is_above_one(rc_str number)
{
    double value = 0;
    return rc_json_to_double(number, &value) == RC_OK && value > 1;
}

/* Leaves out the sampling members if the model does not accept them, and for Anthropic if reasoning
 * is requested. */
static void decide_sampling(rc_translation_plan *plan)
{
    const rc_conversation *c = plan->conversation;
    bool is_messages = plan->target->dialect == RC_DIALECT_ANTHROPIC;
    bool is_free = accepts(plan, RC_MODEL_SAMPLING) &&
                   !(is_messages && plan->thinking != RC_PLAN_THINKING_UNSET);
    plan->has_temperature = is_free && c->temperature.len > 0;
    /* Anthropic's newer models refuse temperature and top_p together. */
    plan->has_top_p = is_free && c->top_p.len > 0 && !(is_messages && plan->has_temperature);
    plan->has_top_k = is_free && c->top_k.len > 0 && !is_openai_dialect(plan->target->dialect);
    if (c->temperature.len > 0 && !plan->has_temperature)
        adapt(plan, RC_FEATURE_TEMPERATURE);
    if (c->top_p.len > 0 && !plan->has_top_p)
        adapt(plan, RC_FEATURE_TOP_P);
    if (c->top_k.len > 0 && !plan->has_top_k)
        adapt(plan, RC_FEATURE_TOP_K);
    plan->is_temperature_capped = is_messages && plan->has_temperature &&
                                  is_above_one(rc_conversation_text(c, c->temperature));
    if (plan->is_temperature_capped)
        adapt(plan, RC_FEATURE_TEMPERATURE);
}

rc_status rc_translation_plan_make(rc_translation_plan *plan, const rc_conversation *conversation,
                                   const rc_translate_target *target, rc_buf *scratch)
{
    *plan = (rc_translation_plan){
        .conversation = conversation, .target = target, .max_tokens = -1, .thought_budget = -1};
    for (size_t i = 0; i < RC_FEATURE_COUNT; i++)
        if (has(plan, UINT64_C(1) << i))
            grade_by_table(plan, (rc_feature)i);
    decide_media(plan);
    decide_system(plan);
    decide_calls(plan, scratch);
    decide_history(plan, scratch);
    decide_tools(plan, scratch);
    decide_schema(plan, scratch);
    decide_stops(plan);
    decide_max_tokens(plan);
    decide_thinking(plan, scratch);
    decide_sampling(plan);
    if (conversation->unknown_count > 0 && plan->fit == RC_FIT_EXACT)
        plan->fit = RC_FIT_ADAPTED;
    return rc_buf_status(scratch);
}

/* ---- names ---- */

static void push_separator(rc_buf *buf, size_t start)
{
    if (rc_buf_get(buf).len > start)
        rc_buf_push_byte(buf, ',');
}

static void push_member_name(rc_buf *buf, rc_str name)
{
    for (size_t i = 0; i < name.len && i < 64; i++)
        if (rc_ascii_is_alnum(name.ptr[i]) || name.ptr[i] == '_' || name.ptr[i] == '.' ||
            name.ptr[i] == '-')
            rc_buf_push_byte(buf, name.ptr[i]);
}

void rc_translation_plan_push_names(const rc_translation_plan *plan, rc_buf *buf)
{
    const rc_conversation *c = plan->conversation;
    size_t start = rc_buf_get(buf).len;
    for (size_t i = 0; i < RC_FEATURE_COUNT; i++) {
        if ((plan->adapted & UINT64_C(1) << i) == 0)
            continue;
        push_separator(buf, start);
        rc_buf_push(buf, features[i].name);
    }
    for (size_t i = 0; i < c->unknown_count; i++) {
        push_separator(buf, start);
        push_member_name(buf, rc_conversation_text(c, c->unknown[i]));
    }
}
