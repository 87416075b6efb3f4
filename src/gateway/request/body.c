/* Parses the body of a client's request in one scan of its top-level members. Called by
 * exchange_request.c through rc_client_request_read_body. */
#define _GNU_SOURCE

#include <string.h>

#include "base/str.h"
#include "base/utf8.h"
#include "gateway/request/client_request.h"
#include "json/find.h"

/* The JSON members that the gateway reads from the bodies of all API families. One table suffices,
 * because a name has the same meaning in every API family. */
#define MEMBERS(X)                              \
    X(MODEL, "model")                           \
    X(STREAM, "stream")                         \
    X(MAX_TOKENS, "max_tokens")                 \
    X(MAX_COMPLETION, "max_completion_tokens")  \
    X(MAX_OUTPUT, "max_output_tokens")          \
    X(ANSWERS, "n")                             \
    X(MESSAGES, "messages")                     \
    X(INPUT, "input")                           \
    X(CONTENTS, "contents")                     \
    X(TOOLS, "tools")                           \
    X(FUNCTIONS, "functions")                   \
    X(RESPONSE_FORMAT, "response_format")       \
    X(OUTPUT_FORMAT, "output_format")           \
    X(OUTPUT_CONFIG, "output_config")           \
    X(TEXT, "text")                             \
    X(GENERATION_CONFIG, "generationConfig")    \
    X(GENERATION_CONFIG_2, "generation_config") \
    X(BACKGROUND, "background")                 \
    X(CONVERSATION, "conversation")

enum {
#define ENUM(ID, name) AT_##ID,
    MEMBERS(ENUM)
#undef ENUM
    MEMBER_COUNT
};

/* The members that decide the model, the price and the form of the response. In a passthrough only
 * these members are checked for duplicates; the provider checks the other members of the body. */
#define DECIDING ((UINT32_C(1) << AT_MESSAGES) - 1)

static const rc_json_names *names_of_members(void)
{
    static const rc_str keys[MEMBER_COUNT] = {
#define ROW(ID, name) RC_STR_INIT(name),
        MEMBERS(ROW)
#undef ROW
    };
    static const uint8_t hashes[RC_JSON_KEY_HASHES_LEN(MEMBER_COUNT)] = {
#define ROW(ID, name) RC_JSON_KEY_HASH(name),
        MEMBERS(ROW)
#undef ROW
    };
#define OR_BIT(ID, name) | RC_JSON_KEY_BIT(name)
    static const rc_json_names names = {keys, hashes, MEMBER_COUNT, 0 MEMBERS(OR_BIT)};
#undef OR_BIT
    return &names;
}

/* Maximum length of a verb in a Gemini path, including its colon. */
#define VERB_MAX 64

/* ---- members ---- */

typedef struct top {
    rc_str text;
    uint32_t found; /* A bit for each row of MEMBERS that occurs in the body. */
    rc_json_value values[MEMBER_COUNT];
} top;

/* Returns the first token of a member's value. NULL if the body lacks the member. */
static const rc_json_token *member_at(const top *t, unsigned at)
{
    return t->found >> at & 1 ? &t->values[at].first : NULL;
}

/* Returns the text of a member's value. Empty if the body lacks the member. */
static rc_str text_at(const top *t, unsigned at)
{
    if (!(t->found >> at & 1))
        return rc_str_make(NULL, 0);
    return rc_str_slice(t->text, t->values[at].first.offset, t->values[at].end);
}

static rc_str inner(rc_str object, rc_str key)
{
    rc_json_member member = {.key = key};
    rc_json_find(object, &member, 1, true);
    return member.is_found ? rc_str_slice(object, member.value.offset, member.value_end)
                           : rc_str_make(NULL, 0);
}

/* Whether the object is {"type": "json_schema", ...}. */
static bool is_schema(rc_str object)
{
    rc_json_member type = {.key = RC_STR_INIT("type")};
    rc_json_find(object, &type, 1, true);
    return type.is_found && type.value.type == RC_JSON_STRING &&
           rc_json_raw_eq(type.value.raw, type.value.has_escapes, RC_STR("json_schema"));
}

static bool has_schema(rc_str config)
{
    rc_json_member keys[] = {
        {.key = RC_STR_INIT("responseSchema")},
        {.key = RC_STR_INIT("responseJsonSchema")},
        {.key = RC_STR_INIT("response_schema")},
        {.key = RC_STR_INIT("response_json_schema")},
    };
    rc_json_find(config, keys, sizeof keys / sizeof keys[0], false);
    return keys[0].is_found || keys[1].is_found || keys[2].is_found || keys[3].is_found;
}

static bool is_filled_array(rc_str value)
{
    return value.len > 2 && value.ptr[0] == '[' &&
           rc_str_trim(rc_str_slice(value, 1, value.len - 1)).len > 0;
}

/* ---- facts ---- */

/* The first of the members that can request a response that follows a JSON schema. */
#define FORMATS_FROM AT_RESPONSE_FORMAT
#define FORMATS_TO AT_GENERATION_CONFIG_2
#define FORMATS ((UINT32_C(2) << FORMATS_TO) - (UINT32_C(1) << FORMATS_FROM))

static bool wants_schema(const top *t)
{
    for (uint32_t bits = t->found & FORMATS; bits; bits &= bits - 1) {
        const unsigned at = (unsigned)__builtin_ctz(bits);
        rc_str value = text_at(t, at);
        if (at == AT_OUTPUT_CONFIG || at == AT_TEXT)
            value = inner(value, RC_STR("format"));
        if (at >= AT_GENERATION_CONFIG ? has_schema(value) : is_schema(value))
            return true;
    }
    return false;
}

static uint32_t needs_of(const top *t)
{
    uint32_t needs = 0;
    if (is_filled_array(text_at(t, AT_TOOLS)) || is_filled_array(text_at(t, AT_FUNCTIONS)))
        needs |= RC_NEED_TOOLS;
    if (wants_schema(t))
        needs |= RC_NEED_STRUCTURED_OUTPUT;
    return needs;
}

static rc_str messages_of(const top *t)
{
    static const unsigned members[] = {AT_MESSAGES, AT_INPUT, AT_CONTENTS};
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++)
        if (member_at(t, members[i]) != NULL)
            return text_at(t, members[i]);
    return rc_str_make(NULL, 0);
}

/* Whether the request starts a background job or extends a stored conversation. Such a request must
 * not be sent twice. */
static bool has_side_effects(const top *t)
{
    const rc_json_token *background = member_at(t, AT_BACKGROUND);
    const rc_json_token *conversation = member_at(t, AT_CONVERSATION);
    return (background != NULL && background->type == RC_JSON_TRUE) ||
           (conversation != NULL && conversation->type != RC_JSON_NULL);
}

static rc_request_fault invalid_model(void)
{
    return rc_request_fault_make(RC_REQUEST_FAULT_MODEL_INVALID, "model",
                                 "text of at most 256 bytes");
}

static rc_request_fault read_model(rc_client_request *request, const rc_json_token *value)
{
    bool is_named = request->endpoint->model == RC_MODEL_BODY;
    if (value == NULL)
        return is_named ? rc_request_fault_make(RC_REQUEST_FAULT_MODEL_MISSING, "model", "")
                        : rc_request_fault_none();
    if (value->type != RC_JSON_STRING)
        return invalid_model();
    request->is_model_in_body = true;
    request->model_at = value->offset;
    request->model_end = value->end;
    if (request->endpoint->model == RC_MODEL_PATH)
        return rc_request_fault_none();
    rc_str model = value->raw;
    if (value->has_escapes) {
        rc_buf scratch;
        rc_buf_init_fixed(&scratch, request->model_storage, sizeof request->model_storage);
        if (rc_json_unescape(value->raw, &scratch) != RC_OK)
            return invalid_model();
        model = rc_buf_get(&scratch);
    }
    rc_client_request_set_model(request, model);
    return rc_model_name_is_valid(model) ? rc_request_fault_none() : invalid_model();
}

/* Reads the value of `stream`. A value other than true, false and null leaves the form of the
 * response unknown, because some servers read 1 or "yes" as true. */
static void read_stream(rc_client_request *request, const rc_json_token *value, bool is_start)
{
    const rc_json_type type = value != NULL ? value->type : RC_JSON_NULL;
    request->is_stream = type == RC_JSON_TRUE;
    request->is_stream_unknown =
        value != NULL ? type != RC_JSON_TRUE && type != RC_JSON_FALSE && type != RC_JSON_NULL
                      : is_start;
}

/* Makes the fault of a duplicate member. A duplicate is refused because a provider that ignores the
 * case of letters, or uses the first of two members, would read another value than the one that the
 * gateway used for the route and the price. */
static rc_request_fault ambiguous(const rc_client_request *request, uint32_t duplicates)
{
    if (request->endpoint->wire == RC_WIRE_NATIVE)
        duplicates &= DECIDING;
    return duplicates == 0
               ? rc_request_fault_none()
               : rc_request_fault_make(RC_REQUEST_FAULT_AMBIGUOUS,
                                       names_of_members()->keys[__builtin_ctz(duplicates)].ptr, "");
}

/* Finds a duplicate among the members. A body with both spellings of generationConfig, which Gemini
 * accepts, counts as ambiguous, too. */
static rc_request_fault find_duplicate(const rc_client_request *request, const top *t,
                                       uint32_t duplicates)
{
    if (member_at(t, AT_GENERATION_CONFIG) != NULL && member_at(t, AT_GENERATION_CONFIG_2) != NULL)
        duplicates |= UINT32_C(1) << AT_GENERATION_CONFIG;
    return ambiguous(request, duplicates);
}

/* Reads a JSON body. Passthrough bodies are parsed as tolerantly as servers parse them: the model
 * is found even if the body begins with a byte order mark, is malformed or has text after the
 * object. */
static rc_request_fault read_json(rc_client_request *request)
{
    const bool is_native = request->endpoint->wire == RC_WIRE_NATIVE;
    top t;
    t.text = is_native ? rc_utf8_without_bom(request->body) : request->body;
    uint32_t duplicates;
    const rc_status status =
        rc_json_find_names_once(t.text, names_of_members(), t.values, &t.found, &duplicates);
    const bool is_start = request->body_left > 0 && status == RC_E_TRUNCATED;
    const bool is_known = is_native && member_at(&t, AT_MODEL) != NULL;
    if (status != RC_OK && !is_start && !is_known)
        return rc_request_fault_make(RC_REQUEST_FAULT_BODY, "",
                                     status == RC_E_TRUNCATED ? "a complete one" : "");
    const rc_request_fault fault = find_duplicate(request, &t, duplicates);
    if (fault.kind != RC_REQUEST_FAULT_NONE)
        return fault;
    if (request->endpoint->streams == RC_STREAMS_BODY)
        read_stream(request, member_at(&t, AT_STREAM), is_start);
    request->needs = needs_of(&t);
    request->messages = messages_of(&t);
    if (has_side_effects(&t) && !request->is_replay_explicit)
        request->replay = RC_REPLAY_NO;
    return read_model(request, member_at(&t, AT_MODEL));
}

static rc_request_fault read_form(rc_client_request *request)
{
    rc_form_field fields[] = {{.name = RC_STR_INIT("model")}, {.name = RC_STR_INIT("stream")}};
    rc_form_find(request->body, request->boundary, fields, 2);
    for (size_t i = 0; i < 2; i++)
        if (fields[i].has_duplicate)
            return rc_request_fault_make(RC_REQUEST_FAULT_AMBIGUOUS, fields[i].name.ptr, "");
    if (request->endpoint->streams == RC_STREAMS_BODY)
        request->is_stream = rc_str_eq_nocase(fields[1].value, RC_STR("true"));
    if (fields[0].value.ptr == NULL)
        return rc_request_fault_none();
    if (!rc_model_name_is_valid(fields[0].value))
        return invalid_model();
    rc_client_request_set_model(request, fields[0].value);
    request->is_model_in_body = true;
    request->model_at = (size_t)(fields[0].value.ptr - request->body.ptr);
    request->model_end = request->model_at + fields[0].value.len;
    return rc_request_fault_none();
}

/* Removes the last segment from *path and decodes it into scratch. Empty segments are skipped,
 * because servers also skip them. Returns false if the segment cannot be decoded. */
static bool take_segment(rc_str *path, rc_buf *scratch)
{
    while (path->len > 0 && path->ptr[path->len - 1] == '/')
        path->len--;
    size_t at = path->len;
    while (at > 0 && path->ptr[at - 1] != '/')
        at--;
    const rc_str segment = rc_str_slice(*path, at, path->len);
    path->len = at;
    return rc_percent_decode(segment, scratch) && rc_buf_status(scratch) == RC_OK;
}

/* Reads the model from a Gemini path, ".../models/NAME:verb", because a Gemini body need not name
 * the model. */
static void read_native_path(rc_client_request *request)
{
    char parent_scratch[sizeof "models"];
    rc_str path = request->passthrough_path;
    rc_buf last;
    rc_buf parent;
    char last_scratch[RC_MODEL_NAME_MAX + VERB_MAX];
    rc_buf_init_fixed(&last, last_scratch, sizeof last_scratch);
    rc_buf_init_fixed(&parent, parent_scratch, sizeof parent_scratch);
    if (!rc_str_eq(rc_http1_method(request->reader), RC_STR("POST")) ||
        !take_segment(&path, &last) || !take_segment(&path, &parent) ||
        !rc_str_eq(rc_buf_get(&parent), RC_STR("models")))
        return;
    const size_t colon = rc_str_find_byte(rc_buf_get(&last), ':', 0);
    const rc_str name = rc_str_slice(rc_buf_get(&last), 0, colon);
    if (colon == RC_STR_NPOS || !rc_model_name_is_valid(name))
        return;
    memcpy(request->model_storage, name.ptr, name.len);
    rc_client_request_set_model(request, rc_str_make(request->model_storage, name.len));
}

/* Whether the first bytes look like JSON in UTF-16 or UTF-32. Some providers accept these encodings
 * (Python's json does), but the gateway's parser cannot check them. */
static bool is_wide_json(rc_str body)
{
    static const char some[] = " \t\r\n{\"\xFE\xFF";
    bool has_zero = false;
    for (size_t i = 0; i < 4; i++) {
        const char c = i < body.len ? body.ptr[i] : 'x';
        if (c != '\0' && strchr(some, c) == NULL)
            return false;
        has_zero |= c == '\0';
    }
    return has_zero;
}

/* Reads the body of a passthrough, which may have any format. The model is read if the format is
 * known, because prices and budgets need it. JSON is recognised without its content type, because
 * some servers ignore the content type. */
static rc_request_fault read_any(rc_client_request *request)
{
    rc_request_fault fault = rc_request_fault_none();
    if (!request->is_compressed && is_wide_json(request->body))
        return rc_request_fault_make(RC_REQUEST_FAULT_BODY, "", "UTF-8");
    if (!request->is_compressed && request->boundary.len > 0)
        fault = read_form(request);
    if (!request->is_compressed && fault.kind == RC_REQUEST_FAULT_NONE &&
        request->requested_model.len == 0)
        fault = read_json(request);
    request->is_model_in_body = false;
    if (fault.kind != RC_REQUEST_FAULT_NONE)
        rc_client_request_set_model(request, rc_str_make(NULL, 0));
    read_native_path(request);
    request->is_model_pending = request->body_left > 0 && request->requested_model.len == 0 &&
                                !request->is_compressed &&
                                (request->boundary.len > 0 || fault.kind == RC_REQUEST_FAULT_NONE);
    return fault.kind == RC_REQUEST_FAULT_AMBIGUOUS ? fault : rc_request_fault_none();
}

rc_request_fault rc_client_request_read_body(rc_client_request *request, rc_str body)
{
    rc_request_fault fault = rc_request_fault_none();
    request->body = body;
    if (request->endpoint->wire == RC_WIRE_NATIVE)
        fault = read_any(request);
    else if (rc_client_request_is_form(request))
        fault = read_form(request);
    else if (request->endpoint->wire != RC_WIRE_LOCAL)
        fault = read_json(request);
    if (request->is_stream)
        request->needs |= RC_NEED_STREAMING;
    return fault;
}

void rc_client_request_forget_start(rc_client_request *request)
{
    request->body_left = 0;
    request->body = rc_str_make(NULL, 0);
    request->is_model_in_body = false;
    if (request->endpoint->model != RC_MODEL_PATH)
        rc_client_request_set_model(request, rc_str_make(NULL, 0));
}

bool rc_client_request_read_start(rc_client_request *request, rc_str body, uint64_t left)
{
    request->body_left = left;
    const rc_request_fault fault = rc_client_request_read_body(request, body);
    const bool is_native = request->endpoint->wire == RC_WIRE_NATIVE;
    const bool is_known =
        request->requested_model.len > 0 || (is_native && !request->is_model_pending);
    if (fault.kind == RC_REQUEST_FAULT_NONE && is_known)
        return true;
    rc_client_request_forget_start(request);
    return false;
}

/* ---- checking a body that is passed on as it arrives ---- */

static bool on_key(void *ctx, rc_str raw)
{
    rc_client_request *request = ctx;
    const size_t name = rc_json_names_find_nocase(names_of_members(), raw);
    if (name == SIZE_MAX)
        return true;
    const uint32_t bit = UINT32_C(1) << name;
    const bool is_exact = rc_json_raw_eq(raw, true, names_of_members()->keys[name]);
    const uint32_t duplicates = is_exact && (request->members_seen & bit) == 0 ? 0 : bit;
    request->members_seen |= bit;
    const rc_request_fault fault = ambiguous(request, duplicates);
    request->ambiguous_member = fault.kind != RC_REQUEST_FAULT_NONE ? fault.name : NULL;
    return request->ambiguous_member == NULL;
}

void rc_client_request_watch_begin(rc_client_request *request)
{
    request->members_seen = 0;
    memset(&request->top, 0, sizeof request->top);
    request->top.is_over = request->is_compressed;
    (void)rc_json_top_keys_push(&request->top, request->body, on_key, request);
}

bool rc_client_request_watch(rc_client_request *request, rc_str piece)
{
    return rc_json_top_keys_push(&request->top, piece, on_key, request);
}

/* ---- images ---- */

/* Whether the text before `at` ends with this key and a colon. */
static bool is_behind_key(rc_str text, size_t at, rc_str key)
{
    while (at > 0 && rc_ascii_is_space(text.ptr[at - 1]))
        at--;
    if (at == 0 || text.ptr[at - 1] != ':')
        return false;
    at--;
    while (at > 0 && rc_ascii_is_space(text.ptr[at - 1]))
        at--;
    return rc_str_ends_with(rc_str_slice(text, 0, at), key);
}

/* A piece of JSON that shows an image: a string value that starts with `begins` and belongs to the
 * key `key`. `begins` and `key` both contain a quote. A quote inside a JSON string is escaped, so
 * the text of a prompt cannot be mistaken for an image. */
typedef struct image_sign {
    rc_str begins;
    rc_str key;
} image_sign;

static bool has_image_sign(rc_str text, const image_sign *m)
{
    for (size_t at = 0; at < text.len;) {
        const char *found = memmem(text.ptr + at, text.len - at, m->begins.ptr, m->begins.len);
        if (found == NULL)
            return false;
        at = (size_t)(found - text.ptr);
        if (is_behind_key(text, at, m->key))
            return true;
        at += m->begins.len;
    }
    return false;
}

uint32_t rc_client_request_needs(const rc_client_request *request)
{
    static const image_sign signs[] = {
        {RC_STR_INIT("\"image_url\""), RC_STR_INIT("\"type\"")},
        {RC_STR_INIT("\"input_image\""), RC_STR_INIT("\"type\"")},
        {RC_STR_INIT("\"image\""), RC_STR_INIT("\"type\"")},
        {RC_STR_INIT("\"image/"), RC_STR_INIT("\"mimeType\"")},
        {RC_STR_INIT("\"image/"), RC_STR_INIT("\"mime_type\"")},
    };
    static const struct {
        uint8_t from, to;
    } of_wire[] = {{0, 2}, {2, 3}, {3, 5}, {0, 5}, {0, 0}};
    unsigned wire = request->endpoint->wire;
    for (unsigned i = of_wire[wire].from; i < of_wire[wire].to; i++)
        if (has_image_sign(request->messages, &signs[i]))
            return request->needs | RC_NEED_VISION;
    return request->needs;
}
