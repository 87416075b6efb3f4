/* Writes the turns of a Gemini request. Called by request_write.c. */
#include "base/str.h"
#include "dialect/gemini/request_write.h"

/* The signature that Gemini accepts in place of its own for calls that it did not make. */
#define SKIP_SIGNATURE "skip_thought_signature_validator"

/* ---- parts ---- */

static void put_text(rc_request_writer *w, const rc_part *part)
{
    rc_json_object_begin(&w->json);
    rc_write_part_text(w, "text", part);
    rc_json_object_end(&w->json);
}

static void put_plain_text(rc_request_writer *w, const char *text)
{
    rc_json_object_begin(&w->json);
    rc_write_word(w, "text", text);
    rc_json_object_end(&w->json);
}

/* Returns the media type of a file that is given as a URL, by the ending of its path. */
static const char *type_of_url(const rc_part *part, rc_str url)
{
    static const char *const types[][2] = {{".png", "image/png"},
                                           {".webp", "image/webp"},
                                           {".heic", "image/heic"},
                                           {".heif", "image/heif"}};
    if (part->kind == RC_PART_FILE)
        return "application/pdf";
    size_t query = rc_str_find_byte(url, '?', 0);
    rc_str path = rc_str_slice(url, 0, query == RC_STR_NPOS ? url.len : query);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        rc_str ending = rc_str_c(types[i][0]);
        if (path.len > ending.len &&
            rc_str_eq_nocase(rc_str_slice(path, path.len - ending.len, path.len), ending))
            return types[i][1];
    }
    return "image/jpeg";
}

static void put_media_type(rc_request_writer *w, const rc_part *part)
{
    rc_json_key(&w->json, RC_STR("mimeType"));
    if (part->kind != RC_PART_AUDIO && part->name.len > 0) {
        rc_json_string_escaped(&w->json, rc_write_text(w, part->name));
        return;
    }
    if (part->kind != RC_PART_AUDIO) {
        rc_json_string(&w->json, part->kind == RC_PART_FILE ? RC_STR("application/pdf")
                                                            : RC_STR("image/png"));
        return;
    }
    rc_json_raw(&w->json, RC_STR("\"audio/"));
    rc_buf_push(w->json.buf, part->name.len > 0 ? rc_write_text(w, part->name) : RC_STR("wav"));
    rc_buf_push_byte(w->json.buf, '"');
}

static void put_media(rc_request_writer *w, const rc_part *part)
{
    bool is_url = (part->flags & RC_PART_IS_URL) != 0;
    rc_json_object_begin(&w->json);
    rc_json_key(&w->json, is_url ? RC_STR("fileData") : RC_STR("inlineData"));
    rc_json_object_begin(&w->json);
    if (is_url)
        rc_write_word(w, "mimeType", type_of_url(part, rc_write_text(w, part->content)));
    else
        put_media_type(w, part);
    rc_write_string(w, is_url ? "fileUri" : "data", part->content);
    rc_json_object_end(&w->json);
    rc_json_object_end(&w->json);
}

/* ---- contents ---- */

/* The content that is being written. Neighbouring turns of one role are one content. */
typedef struct open_content {
    bool is_open;
    bool is_user;
} open_content;

static void close_content(rc_request_writer *w, open_content *open)
{
    if (!open->is_open)
        return;
    rc_json_array_end(&w->json);
    rc_json_object_end(&w->json);
    open->is_open = false;
}

static void open_role(rc_request_writer *w, open_content *open, bool is_user)
{
    if (open->is_open && open->is_user == is_user)
        return;
    close_content(w, open);
    rc_json_object_begin(&w->json);
    rc_write_word(w, "role", is_user ? "user" : "model");
    rc_json_key(&w->json, RC_STR("parts"));
    rc_json_array_begin(&w->json);
    *open = (open_content){.is_open = true, .is_user = is_user};
}

/* ---- results ---- */

static bool accepts_result_media(const rc_request_writer *w)
{
    return (w->plan->target->facts.flags & RC_MODEL_RESULT_MEDIA) != 0;
}

/* Writes the texts of a result as one string under "output" or "error". */
static void put_response(rc_request_writer *w, const rc_part *parts, size_t from, size_t end)
{
    bool is_error = (parts[from].flags & RC_PART_IS_ERROR) != 0;
    bool has_text = false;
    rc_json_key(&w->json, RC_STR("response"));
    rc_json_object_begin(&w->json);
    rc_json_key(&w->json, is_error ? RC_STR("error") : RC_STR("output"));
    rc_json_raw(&w->json, RC_STR("\""));
    for (size_t i = from + 1; i < end; i++) {
        if (parts[i].kind != RC_PART_TEXT)
            continue;
        if (has_text)
            rc_buf_push(w->json.buf, RC_STR("\\n"));
        rc_write_push_text(w, &parts[i]);
        has_text = true;
    }
    rc_buf_push_byte(w->json.buf, '"');
    rc_json_object_end(&w->json);
}

static void put_response_media(rc_request_writer *w, const rc_part *parts, size_t from, size_t end)
{
    bool has_begun = false;
    for (size_t i = from + 1; i < end && accepts_result_media(w); i++) {
        if (!rc_write_is_media(&parts[i]))
            continue;
        if (!has_begun) {
            rc_json_key(&w->json, RC_STR("parts"));
            rc_json_array_begin(&w->json);
        }
        has_begun = true;
        put_media(w, &parts[i]);
    }
    if (has_begun)
        rc_json_array_end(&w->json);
}

static void put_result(rc_request_writer *w, const rc_part *parts, size_t from)
{
    size_t end = rc_write_result_end(w, from);
    const rc_part *call = rc_write_find_call(w, &parts[from]);
    rc_json_object_begin(&w->json);
    rc_json_key(&w->json, RC_STR("functionResponse"));
    rc_json_object_begin(&w->json);
    rc_write_call_id(w, "id", &parts[from]);
    if (call != NULL)
        rc_write_tool_name(w, "name", call->name);
    else if (parts[from].name.len > 0)
        rc_write_tool_name(w, "name", parts[from].name);
    else
        rc_write_word(w, "name", "unknown");
    put_response(w, parts, from, end);
    put_response_media(w, parts, from, end);
    rc_json_object_end(&w->json);
    rc_json_object_end(&w->json);
}

/* A result and the position of its call; results without a known call are last. */
typedef struct ordered_result {
    uint32_t call;
    uint32_t result;
} ordered_result;

/* Stores the results of a turn in the scratch memory in the order of their calls. */
static size_t order_results(rc_request_writer *w, const rc_part *parts, size_t from, size_t end)
{
    rc_buf_reset(w->scratch);
    for (size_t i = from; i < end; i++) {
        if (parts[i].kind != RC_PART_RESULT)
            continue;
        const rc_part *call = rc_write_find_call(w, &parts[i]);
        ordered_result row = {.call = call != NULL ? (uint32_t)(call - parts) : UINT32_MAX,
                              .result = (uint32_t)i};
        rc_buf_push(w->scratch, rc_str_make((const char *)&row, sizeof row));
    }
    if (rc_buf_status(w->scratch) != RC_OK)
        return 0;
    size_t count = w->scratch->len / sizeof(ordered_result);
    ordered_result *rows = (ordered_result *)(void *)w->scratch->ptr;
    for (size_t i = 1; i < count; i++) /* the results are nearly always in order already */
        for (size_t k = i; k > 0 && rows[k - 1].call > rows[k].call; k--) {
            ordered_result row = rows[k];
            rows[k] = rows[k - 1];
            rows[k - 1] = row;
        }
    return count;
}

static void put_user_turn(rc_request_writer *w, const rc_part *parts, size_t from, size_t end,
                          open_content *open)
{
    open_role(w, open, true);
    size_t count = order_results(w, parts, from, end);
    const ordered_result *rows = (const ordered_result *)(const void *)w->scratch->ptr;
    for (size_t i = 0; i < count; i++)
        put_result(w, parts, rows[i].result);
    for (size_t i = from; i < end; i++) {
        bool is_in_result = (parts[i].flags & RC_PART_IS_IN_RESULT) != 0;
        if (rc_write_is_media(&parts[i]) && !(is_in_result && accepts_result_media(w)))
            put_media(w, &parts[i]);
        else if (parts[i].kind == RC_PART_TEXT && !is_in_result)
            put_text(w, &parts[i]);
    }
}

/* ---- the model's turns ---- */

static void put_signature(rc_request_writer *w, const rc_part *with_state)
{
    rc_seal seal;
    if (with_state != NULL && rc_write_open_state(w, with_state, &seal))
        rc_write_plain(w, "thoughtSignature", seal.state);
}

static bool has_state(rc_request_writer *w, const rc_part *part)
{
    rc_seal seal;
    return part->state.len > 0 && rc_write_open_state(w, part, &seal) &&
           seal.kind == RC_SEAL_CALL && seal.state.len > 0;
}

/* Writes a call. before: a part before the call whose state belongs to the call, or NULL. */
static void put_call(rc_request_writer *w, const rc_part *part, const rc_part *before,
                     bool is_first)
{
    const rc_part *with_state = has_state(w, part) ? part : before;
    bool needs_signature = (w->plan->target->facts.flags & RC_MODEL_SIGNATURES) != 0;
    rc_json_object_begin(&w->json);
    rc_json_key(&w->json, RC_STR("functionCall"));
    rc_json_object_begin(&w->json);
    rc_write_call_id(w, "id", part);
    rc_write_tool_name(w, "name", part->name);
    rc_write_arguments_object(w, "args", part);
    rc_json_object_end(&w->json);
    if (with_state != NULL)
        put_signature(w, with_state);
    else if (is_first && needs_signature)
        rc_write_word(w, "thoughtSignature", SKIP_SIGNATURE);
    rc_json_object_end(&w->json);
}

/* Writes reasoning that this target made and signed. */
static void put_thought(rc_request_writer *w, const rc_part *part, rc_seal_kind kind)
{
    rc_json_object_begin(&w->json);
    if (kind == RC_SEAL_TEXT)
        rc_write_word(w, "text", "");
    else
        rc_write_part_text(w, "text", part);
    if (kind != RC_SEAL_TEXT)
        rc_json_member_bool(&w->json, RC_STR("thought"), true);
    put_signature(w, part);
    rc_json_object_end(&w->json);
}

static void put_model_turn(rc_request_writer *w, const rc_part *parts, size_t from, size_t end,
                           open_content *open)
{
    const rc_part *before = NULL; /* the latest part whose state belongs to the next call */
    bool is_first = true;
    for (size_t i = from; i < end; i++) {
        rc_seal seal = {.kind = RC_SEAL_THOUGHT};
        bool is_call = parts[i].kind == RC_PART_CALL;
        bool is_sealed = rc_write_open_state(w, &parts[i], &seal) && seal.state.len > 0;
        if (is_sealed && !is_call && seal.kind == RC_SEAL_CALL) {
            before = &parts[i];
            is_sealed = false;
        }
        if (parts[i].kind == RC_PART_THOUGHT && !is_sealed)
            continue;
        open_role(w, open, false);
        if (is_call) {
            put_call(w, &parts[i], before, is_first);
            before = NULL;
            is_first = false;
        } else if (parts[i].kind == RC_PART_THOUGHT) {
            put_thought(w, &parts[i], seal.kind);
        } else {
            put_text(w, &parts[i]);
        }
    }
}

/* ---- system ---- */

static void put_tagged_text(rc_request_writer *w, const rc_part *part)
{
    rc_json_object_begin(&w->json);
    rc_json_key(&w->json, RC_STR("text"));
    rc_json_raw(&w->json, RC_STR("\"<system>"));
    rc_write_push_text(w, part);
    rc_buf_push(w->json.buf, RC_STR("</system>\""));
    rc_json_object_end(&w->json);
}

static size_t put_system(rc_request_writer *w, const rc_part *parts, size_t count)
{
    size_t end = 0;
    while (end < count && parts[end].role <= RC_ROLE_DEVELOPER)
        end++;
    if (end == 0)
        return 0;
    rc_json_key(&w->json, RC_STR("systemInstruction"));
    rc_json_object_begin(&w->json);
    rc_json_key(&w->json, RC_STR("parts"));
    rc_json_array_begin(&w->json);
    for (size_t i = 0; i < end; i++)
        if (parts[i].kind == RC_PART_TEXT)
            put_text(w, &parts[i]);
    rc_json_array_end(&w->json);
    rc_json_object_end(&w->json);
    return end;
}

void rc_gemini_write_turns(rc_request_writer *w)
{
    size_t count = 0;
    const rc_part *parts = rc_conversation_parts(w->c, &count);
    open_content open = {.is_open = false};
    size_t first = put_system(w, parts, count);
    rc_json_key(&w->json, RC_STR("contents"));
    rc_json_array_begin(&w->json);
    if ((w->plan->adapted & RC_FEATURE_BIT(FIRST_TURN)) != 0) {
        open_role(w, &open, true);
        put_plain_text(w, RC_WRITE_FIRST_TURN);
    }
    for (size_t from = first; from < count;) {
        size_t end = rc_write_turn_end(w, from);
        if (parts[from].role == RC_ROLE_ASSISTANT) {
            put_model_turn(w, parts, from, end, &open);
        } else if (parts[from].role == RC_ROLE_USER) {
            put_user_turn(w, parts, from, end, &open);
        } else {
            open_role(w, &open, true);
            for (size_t i = from; i < end; i++)
                put_tagged_text(w, &parts[i]);
        }
        from = end;
    }
    close_content(w, &open);
    rc_json_array_end(&w->json);
}
