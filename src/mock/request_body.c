/* Reads the body of a request in one pass, collecting and counting its text. Called by
 * request.c. */
#include "base/str.h"
#include "mock/request.h"
#include "mock/tokens.h"
#include "json/reader.h"

#define DEPTH_MAX 64
/* Tokens counted for a message's role and separators. */
#define ROLE_TOKENS 4

/* State of the reader. user_from and user_to are offsets and not pointers, because the buffer of
 * the request's text may move while it grows. */
typedef struct mock_body {
    rc_mock_request *request;
    rc_json_reader reader;
    size_t user_from; /* Start of the user's last message. */
    size_t user_to;
    bool has_model;
    bool has_input;
} mock_body;

static bool is_key(const rc_json_token *key, const char *name)
{
    return rc_json_raw_eq(key->raw, key->has_escapes, rc_str_c(name));
}

static bool is_any_key(const rc_json_token *key, const char *const *names)
{
    for (; *names != NULL; names++)
        if (is_key(key, *names))
            return true;
    return false;
}

static bool is_over(const rc_json_token *token)
{
    return token->type == RC_JSON_END || token->type == RC_JSON_ERROR;
}

static void skip(mock_body *b)
{
    (void)rc_json_reader_skip(&b->reader);
}

/* ---- text ---- */

static void read_text(mock_body *b, const rc_json_token *token, bool *is_users);

static void read_text_object(mock_body *b, bool *is_users)
{
    static const char *const texts[] = {"text", "content", "parts", "output", "summary", NULL};
    for (;;) {
        rc_json_token key = rc_json_reader_next(&b->reader);
        if (key.type != RC_JSON_KEY)
            return;
        if (is_key(&key, "role")) {
            rc_json_token role = rc_json_reader_next(&b->reader);
            *is_users = role.type == RC_JSON_STRING && is_key(&role, "user");
            if (role.type == RC_JSON_STRING)
                b->request->input_tokens += ROLE_TOKENS;
            else
                skip(b);
        } else if (is_any_key(&key, texts)) {
            rc_json_token value = rc_json_reader_next(&b->reader);
            bool is_inner = false;
            read_text(b, &value, &is_inner);
        } else {
            skip(b);
        }
    }
}

/* Collects the text of the value that begins with `token`. If the value has a role, *is_users
 * becomes whether the role is "user". */
static void read_text(mock_body *b, const rc_json_token *token, bool *is_users)
{
    rc_buf *text = &b->request->text;
    if (token->type == RC_JSON_STRING) {
        const size_t from = rc_buf_get(text).len;
        rc_json_unescape(token->raw, text);
        b->request->input_tokens +=
            rc_mock_token_count(rc_str_slice(rc_buf_get(text), from, rc_buf_get(text).len));
    } else if (token->type == RC_JSON_OBJECT_BEGIN) {
        read_text_object(b, is_users);
    } else if (token->type == RC_JSON_ARRAY_BEGIN) {
        for (;;) {
            rc_json_token element = rc_json_reader_next(&b->reader);
            if (element.type == RC_JSON_ARRAY_END || is_over(&element))
                return;
            read_text(b, &element, is_users);
        }
    }
}

/* Reads a message, or a plain text instead of a message. Records the position of the text if it is
 * from the user. */
static void read_message(mock_body *b, const rc_json_token *token)
{
    const size_t from = rc_buf_get(&b->request->text).len;
    /* A plain text is from the user, and so is a message of Gemini without a role. */
    bool is_users = token->type == RC_JSON_STRING || b->request->family == RC_MOCK_GEMINI;
    read_text(b, token, &is_users);
    if (is_users) {
        b->user_from = from;
        b->user_to = rc_buf_get(&b->request->text).len;
    }
}

/* Reads a list of messages, texts or token numbers, or a single message or text. */
static void read_messages(mock_body *b)
{
    rc_json_token first = rc_json_reader_next(&b->reader);
    b->has_input = true;
    b->request->input_count = 1;
    if (first.type != RC_JSON_ARRAY_BEGIN) {
        read_message(b, &first);
        return;
    }
    b->request->input_count = 0;
    uint32_t numbers = 0;
    for (;;) {
        rc_json_token element = rc_json_reader_next(&b->reader);
        if (element.type == RC_JSON_ARRAY_END || is_over(&element))
            break;
        numbers += element.type == RC_JSON_NUMBER;
        b->request->input_count++;
        read_message(b, &element);
    }
    /* A list of token numbers is one input. */
    if (numbers > 0) {
        b->request->input_count -= numbers - 1;
        b->request->input_tokens += numbers;
    }
}

/* ---- single values ---- */

static void read_i64(mock_body *b, int64_t *ret_value)
{
    rc_json_token token = rc_json_reader_next(&b->reader);
    int64_t value = 0;
    if (token.type == RC_JSON_NUMBER && rc_json_to_i64(token.raw, &value) == RC_OK && value >= 0)
        *ret_value = value;
    else
        skip(b);
}

static void read_model(mock_body *b)
{
    rc_mock_request *request = b->request;
    rc_json_token token = rc_json_reader_next(&b->reader);
    rc_buf scratch;
    if (token.type != RC_JSON_STRING) {
        skip(b);
        return;
    }
    /* Gemini's model name is in the path. */
    if (request->family == RC_MOCK_GEMINI)
        return;
    rc_buf_init_fixed(&scratch, request->model, RC_MOCK_MODEL_MAX);
    rc_json_unescape(token.raw, &scratch);
    request->model_len = rc_buf_get(&scratch).len;
    b->has_model = request->model_len > 0 && rc_buf_status(&scratch) == RC_OK;
}

static void read_tool_name(mock_body *b)
{
    rc_json_token token = rc_json_reader_next(&b->reader);
    rc_buf scratch;
    if (token.type != RC_JSON_STRING) {
        skip(b);
        return;
    }
    if (b->request->tool[0] != '\0')
        return;
    rc_buf_init_fixed(&scratch, b->request->tool, sizeof b->request->tool - 1);
    rc_json_unescape(token.raw, &scratch);
}

/* Finds the first "name" of a tool inside lists and function objects. Other objects, such as
 * schemas, are skipped, because they may have a property "name" too. */
static void read_tools(mock_body *b)
{
    static const char *const encodings[] = {"function", "functionDeclarations",
                                            "function_declarations", NULL};
    rc_json_token token = rc_json_reader_next(&b->reader);
    const uint32_t depth = b->reader.depth;
    if (token.type != RC_JSON_ARRAY_BEGIN && token.type != RC_JSON_OBJECT_BEGIN)
        return;
    while (b->reader.depth >= depth && !is_over(&token)) {
        token = rc_json_reader_next(&b->reader);
        if (token.type != RC_JSON_KEY)
            continue;
        if (is_key(&token, "name"))
            read_tool_name(b);
        else if (!is_any_key(&token, encodings))
            skip(b);
    }
}

static bool read_flag(mock_body *b)
{
    const rc_json_token token = rc_json_reader_next(&b->reader);
    skip(b);
    return token.type == RC_JSON_TRUE;
}

/* Reads Gemini's generationConfig or OpenAI's stream_options. */
static void read_options(mock_body *b)
{
    rc_json_token token = rc_json_reader_next(&b->reader);
    if (token.type != RC_JSON_OBJECT_BEGIN) {
        skip(b);
        return;
    }
    for (;;) {
        rc_json_token key = rc_json_reader_next(&b->reader);
        if (key.type != RC_JSON_KEY)
            return;
        if (is_key(&key, "maxOutputTokens"))
            read_i64(b, &b->request->max_tokens);
        else if (is_key(&key, "include_usage"))
            b->request->wants_usage = read_flag(b);
        else
            skip(b);
    }
}

static void read_stream(mock_body *b)
{
    const bool is_stream = read_flag(b);
    if (b->request->family != RC_MOCK_GEMINI)
        b->request->is_stream = is_stream;
}

static void read_encoding(mock_body *b)
{
    rc_json_token token = rc_json_reader_next(&b->reader);
    b->request->is_base64 = token.type == RC_JSON_STRING && is_key(&token, "base64");
    skip(b);
}

static void read_member(mock_body *b, const rc_json_token *key)
{
    static const char *const inputs[] = {"messages", "contents", "input",
                                         "prompt",   "requests", NULL};
    static const char *const systems[] = {"system",       "systemInstruction", "system_instruction",
                                          "instructions", "content",           NULL};
    static const char *const maxima[] = {"max_tokens", "max_completion_tokens", "max_output_tokens",
                                         NULL};
    static const char *const options[] = {"generationConfig", "generation_config", "stream_options",
                                          NULL};
    static const char *const sizes[] = {"dimensions", "outputDimensionality", NULL};
    if (is_any_key(key, inputs)) {
        read_messages(b);
    } else if (is_any_key(key, systems)) {
        rc_json_token value = rc_json_reader_next(&b->reader);
        bool is_users = false;
        b->has_input = b->has_input || is_key(key, "content");
        read_text(b, &value, &is_users);
    } else if (is_any_key(key, maxima)) {
        read_i64(b, &b->request->max_tokens);
    } else if (is_any_key(key, options)) {
        read_options(b);
    } else if (is_any_key(key, sizes)) {
        int64_t size = 0;
        read_i64(b, &size);
        b->request->dimensions = size <= 4096 ? (uint32_t)size : 4096;
    } else if (is_key(key, "model")) {
        read_model(b);
    } else if (is_key(key, "stream")) {
        read_stream(b);
    } else if (is_key(key, "encoding_format")) {
        read_encoding(b);
    } else if (is_key(key, "tools")) {
        read_tools(b);
    } else {
        skip(b);
    }
}

static const char *find_body_error(const mock_body *b)
{
    const rc_mock_request *request = b->request;
    if (b->reader.fault.status != RC_OK)
        return "We could not parse the JSON body of your request.";
    if (request->family != RC_MOCK_GEMINI && !b->has_model)
        return "you must provide a model parameter";
    if (!b->has_input)
        return "the input is missing: messages, input, prompt or contents";
    if (request->endpoint == RC_MOCK_MESSAGES && request->max_tokens < 0)
        return "max_tokens: Field required";
    if (rc_buf_status(&request->text) != RC_OK)
        return "the request has more text than can be read";
    return NULL;
}

void rc_mock_request_read_body(rc_mock_request *request, rc_str body)
{
    const rc_json_limits limits = {.max_bytes = (size_t)64 << 20, .max_depth = DEPTH_MAX};
    mock_body b = {.request = request};
    rc_json_reader_init(&b.reader, body, &limits);
    rc_json_token token = rc_json_reader_next(&b.reader);
    if (token.type != RC_JSON_OBJECT_BEGIN) {
        request->body_error = "We could not parse the JSON body of your request.";
        return;
    }
    for (token = rc_json_reader_next(&b.reader); token.type == RC_JSON_KEY;
         token = rc_json_reader_next(&b.reader))
        read_member(&b, &token);
    if (token.type != RC_JSON_ERROR)
        (void)rc_json_reader_next(&b.reader); /* Reports text after the object as an error. */
    request->last_user = rc_str_slice(rc_buf_get(&request->text), b.user_from, b.user_to);
    request->body_error = find_body_error(&b);
}
