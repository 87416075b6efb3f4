/* Reads the parts of a Gemini request. Called by request_read.c. */
#include "dialect/gemini/request_read.h"

#include "base/str.h"
#include "dialect/gemini/member.h"

/* ---- media ---- */

static bool is_image(rc_str media_type)
{
    return rc_str_starts_with_nocase(media_type, RC_STR("image/"));
}

static bool is_pdf(rc_str media_type)
{
    return rc_str_eq_nocase(media_type, RC_STR("application/pdf"));
}

/* Returns the format of audio as the other dialects name it: the part of the media type after the
 * slash, without the prefix "x-". */
static rc_str audio_format(rc_str media_type)
{
    size_t slash = rc_str_find_byte(media_type, '/', 0);
    rc_str format = rc_str_slice(media_type, slash + 1, media_type.len);
    if (rc_str_starts_with(format, RC_STR("x-")))
        format = rc_str_slice(format, 2, format.len);
    return rc_str_eq(format, RC_STR("mpeg")) ? rc_str_slice(format, 0, 2) : format;
}

static void read_inline(rc_conversation *c, rc_str blob, uint8_t flags)
{
    rc_str type = rc_gemini_text(blob, "mimeType");
    rc_str data = rc_gemini_text(blob, "data");
    size_t before = rc_read_position(c);
    rc_part *part = NULL;
    if (is_image(type))
        rc_read_media(c, RC_PART_IMAGE, type, data);
    else if (is_pdf(type))
        part = rc_read_media(c, RC_PART_FILE, type, data);
    else if (rc_str_starts_with_nocase(type, RC_STR("audio/")))
        rc_read_media(c, RC_PART_AUDIO, audio_format(type), data);
    else
        rc_read_feature(c, rc_str_starts_with_nocase(type, RC_STR("video/"))
                               ? RC_FEATURE_VIDEO
                               : RC_FEATURE_UNKNOWN_CONTENT);
    if (part != NULL)
        part->id = rc_read_span(c, rc_gemini_text(blob, "displayName"));
    rc_read_add_flags(c, before, flags);
}

/* Returns whether only Google can read the file: it lives in Google's storage. */
static bool is_stored_file(rc_str uri)
{
    return !rc_str_starts_with_nocase(uri, RC_STR("https://")) ||
           rc_str_starts_with_nocase(uri, RC_STR("https://generativelanguage.googleapis.com/"));
}

static void read_file(rc_conversation *c, rc_str file, uint8_t flags)
{
    rc_str type = rc_gemini_text(file, "mimeType");
    rc_str uri = rc_gemini_text(file, "fileUri");
    size_t before = rc_read_position(c);
    if (is_stored_file(uri))
        rc_read_feature(c, RC_FEATURE_FILE_ID);
    else if (is_image(type))
        rc_read_media_url(c, RC_PART_IMAGE, uri);
    else if (is_pdf(type))
        rc_read_media_url(c, RC_PART_FILE, uri);
    else
        rc_read_feature(c, rc_str_starts_with_nocase(type, RC_STR("video/"))
                               ? RC_FEATURE_VIDEO
                               : RC_FEATURE_UNKNOWN_CONTENT);
    rc_read_add_flags(c, before, flags);
}

/* Reads a part that is media. Returns false if the part is something else. */
static bool read_media(rc_conversation *c, rc_str part, uint8_t flags)
{
    rc_json_raw_value value;
    if (rc_gemini_find(part, "inlineData", &value) && value.first == '{') {
        read_inline(c, value.raw, flags);
        return true;
    }
    if (rc_gemini_find(part, "fileData", &value) && value.first == '{') {
        read_file(c, value.raw, flags);
        return true;
    }
    return false;
}

/* ---- calls and results ---- */

static void read_call(rc_conversation *c, rc_str call, rc_str state)
{
    rc_json_raw_value args;
    rc_part *part = rc_read_part(c, RC_PART_CALL);
    if (part == NULL)
        return;
    part->flags = RC_PART_IS_VALUE;
    part->id = rc_read_span(c, rc_gemini_text(call, "id"));
    part->name = rc_read_span(c, rc_gemini_text(call, "name"));
    part->state = rc_read_span(c, state);
    if (part->name.len == 0)
        rc_read_fail(c, "name");
    else if (rc_gemini_find(call, "args", &args) && args.first == '{')
        part->content = rc_read_span(c, args.raw);
}

/* Returns the text of a response that has only this member, a string. */
static bool find_sole_text(rc_str response, const char *name, rc_str *ret_text)
{
    rc_json_members m = rc_json_members_begin(response);
    if (!rc_json_members_next(&m) || m.value.first != '"' ||
        !rc_json_is_text(m.key, rc_str_c(name)))
        return false;
    *ret_text = m.value.raw;
    return !rc_json_members_next(&m);
}

static bool is_empty_object(rc_str object)
{
    rc_json_members m = rc_json_members_begin(object);
    return !rc_json_members_next(&m);
}

/* Reads the response of a function: a text under "output" or "error", or the whole object as
 * JSON. Returns whether the response is an error. */
static bool read_response(rc_conversation *c, rc_str response)
{
    rc_str text;
    rc_json_raw_value error;
    size_t before = rc_read_position(c);
    bool is_error = find_sole_text(response, "error", &text);
    if (is_error || find_sole_text(response, "output", &text)) {
        rc_read_text(c, text);
    } else if (!is_empty_object(response)) {
        rc_part *part = rc_read_part(c, RC_PART_TEXT);
        if (part != NULL) {
            part->content = rc_read_span(c, response);
            part->flags = RC_PART_IS_VALUE;
        }
        is_error = rc_json_member_find(response, RC_STR("error"), &error) &&
                   is_empty_object(error.raw) == false && error.first == '{';
    }
    rc_read_add_flags(c, before, RC_PART_IS_IN_RESULT);
    return is_error;
}

static void read_response_part(rc_conversation *c, rc_str part)
{
    if (!read_media(c, part, RC_PART_IS_IN_RESULT))
        rc_read_feature(c, RC_FEATURE_UNKNOWN_CONTENT);
}

static void read_result(rc_conversation *c, rc_str object)
{
    rc_json_raw_value value;
    size_t position = rc_read_position(c);
    rc_part *part = rc_read_part(c, RC_PART_RESULT);
    if (part == NULL)
        return;
    part->id = rc_read_span(c, rc_gemini_text(object, "id"));
    part->name = rc_read_span(c, rc_gemini_text(object, "name"));
    if (part->name.len == 0)
        rc_read_fail(c, "name");
    bool is_error = rc_gemini_find(object, "response", &value) && value.first == '{' &&
                    read_response(c, value.raw);
    if (rc_gemini_find(object, "parts", &value))
        rc_read_objects(c, &value, "parts", read_response_part);
    part = rc_read_added(c, position); /* the parts may have moved */
    if (part != NULL && is_error)
        part->flags |= RC_PART_IS_ERROR;
}

/* ---- parts ---- */

/* Reads a text or reasoning. A state without a text is reasoning that is not visible. */
static void read_text(rc_conversation *c, rc_str raw, bool is_thought, rc_str state)
{
    if (raw.len == 0 && state.len == 0)
        return;
    bool is_text = raw.len > 0 && !is_thought;
    rc_part *part = rc_read_part(c, is_text ? RC_PART_TEXT : RC_PART_THOUGHT);
    if (part == NULL)
        return;
    part->content = rc_read_span(c, raw);
    part->state = rc_read_span(c, state);
}

void rc_gemini_read_part(rc_conversation *c, rc_str part)
{
    rc_json_raw_value value;
    rc_json_raw_value thought;
    rc_str state = rc_gemini_text(part, "thoughtSignature");
    bool is_thought = rc_gemini_find(part, "thought", &thought) && thought.first == 't';
    if (rc_gemini_find(part, "text", &value) && value.first == '"')
        read_text(c, value.raw, is_thought, state);
    else if (rc_gemini_find(part, "functionCall", &value) && value.first == '{')
        read_call(c, value.raw, state);
    else if (rc_gemini_find(part, "functionResponse", &value) && value.first == '{')
        read_result(c, value.raw);
    else if (!read_media(c, part, 0)) {
        bool is_server = rc_gemini_find(part, "executableCode", &value) ||
                         rc_gemini_find(part, "codeExecutionResult", &value) ||
                         rc_gemini_find(part, "toolCall", &value) ||
                         rc_gemini_find(part, "toolResponse", &value);
        if (is_server)
            rc_read_feature(c, RC_FEATURE_TOOLS_SERVER);
        else if (state.len > 0)
            read_text(c, rc_str_c(NULL), true, state);
        else
            rc_read_feature(c, RC_FEATURE_UNKNOWN_CONTENT);
    }
    if (rc_gemini_find(part, "videoMetadata", &value))
        rc_read_feature(c, RC_FEATURE_VIDEO);
}

/* ---- results without ids ---- */

/* The calls of one turn of the model, and the results of the user's turn after it. */
typedef struct turn_range {
    size_t from;
    size_t end;
} turn_range;

static turn_range range_of(const rc_part *parts, size_t count, size_t from)
{
    size_t end = from;
    while (end < count && parts[end].turn == parts[from].turn)
        end++;
    return (turn_range){from, end};
}

/* Connects the results of the range with the calls of the preceding turn. Both are in order, so
 * the search for the next result's call begins at the latest call of that name; `linked` has one
 * bit for each call of the turn that already has its result. */
static void link_turn(rc_conversation *c, rc_part *parts, turn_range calls, turn_range results)
{
    uint64_t linked = 0;
    for (size_t i = results.from; i < results.end; i++) {
        if (parts[i].kind != RC_PART_RESULT || parts[i].id.len > 0)
            continue;
        rc_str name = rc_conversation_text(c, parts[i].name);
        for (size_t k = calls.from; k < calls.end && k - calls.from < 64; k++) {
            uint64_t bit = UINT64_C(1) << (k - calls.from);
            if (parts[k].kind != RC_PART_CALL || parts[k].id.len > 0 || (linked & bit) != 0 ||
                !rc_str_eq(rc_conversation_text(c, parts[k].name), name))
                continue;
            linked |= bit;
            parts[i].call = (uint32_t)k + 1;
            break;
        }
    }
}

void rc_gemini_link_results(rc_conversation *c)
{
    size_t count = c->parts_buf.len / sizeof(rc_part);
    rc_part *parts = rc_read_added(c, 0);
    turn_range previous = {0, 0};
    for (size_t from = 0; from < count;) {
        turn_range range = range_of(parts, count, from);
        if (parts[from].role == RC_ROLE_USER && previous.end > 0 &&
            parts[previous.from].role == RC_ROLE_ASSISTANT)
            link_turn(c, parts, previous, range);
        previous = range;
        from = range.end;
    }
}
