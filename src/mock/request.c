/* Reads path, query and headers of a request. Called by provider.c. */
#include "mock/request.h"

#include "base/str.h"

/* ---- path ---- */

typedef struct mock_path {
    const char *end;
    rc_mock_endpoint endpoint;
    rc_mock_family family;
    const char *method;
} mock_path;

/* The first path that matches the end of the request's path is used. A longer path therefore
 * precedes each path that is its end. */
static const mock_path paths[] = {
    {"/chat/completions", RC_MOCK_CHAT, RC_MOCK_OPENAI, "POST"},
    {"/completions", RC_MOCK_COMPLETIONS, RC_MOCK_OPENAI, "POST"},
    {"/responses", RC_MOCK_RESPONSES, RC_MOCK_OPENAI, "POST"},
    {"/embeddings", RC_MOCK_EMBEDDINGS, RC_MOCK_OPENAI, "POST"},
    {"/messages/count_tokens", RC_MOCK_COUNT_TOKENS, RC_MOCK_ANTHROPIC, "POST"},
    {"/messages", RC_MOCK_MESSAGES, RC_MOCK_ANTHROPIC, "POST"},
    {"/mock/stats", RC_MOCK_STATS, RC_MOCK_OPENAI, "GET"},
    {"/mock/reset", RC_MOCK_RESET_COUNTS, RC_MOCK_OPENAI, "POST"},
    {"/models", RC_MOCK_MODELS, RC_MOCK_OPENAI, "GET"},
};

static const struct {
    const char *name;
    rc_mock_endpoint endpoint;
    bool is_stream;
    bool is_batch;
} gemini_methods[] = {
    {"generateContent", RC_MOCK_GENERATE, false, false},
    {"streamGenerateContent", RC_MOCK_GENERATE, true, false},
    {"embedContent", RC_MOCK_EMBED, false, false},
    {"batchEmbedContents", RC_MOCK_EMBED, false, true},
    {"countTokens", RC_MOCK_COUNT_TOKENS, false, false},
};

static int hex_of(char c)
{
    if (rc_ascii_is_digit(c))
        return c - '0';
    c = rc_ascii_lower(c);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Sets request->model to the percent-decoded text, truncated if necessary. */
static void set_model(rc_mock_request *request, rc_str text)
{
    request->model_len = 0;
    for (size_t i = 0; i < text.len && request->model_len < RC_MOCK_MODEL_MAX; i++) {
        char c = text.ptr[i];
        if (c == '%' && i + 2 < text.len && hex_of(text.ptr[i + 1]) >= 0 &&
            hex_of(text.ptr[i + 2]) >= 0) {
            c = (char)(hex_of(text.ptr[i + 1]) * 16 + hex_of(text.ptr[i + 2]));
            i += 2;
        }
        request->model[request->model_len++] = c;
    }
}

/* Finds the last colon, which may be written as %3A. This colon separates the model from the
 * method, because model names have no colon. */
static size_t find_colon(rc_str path, size_t *ret_len)
{
    for (size_t i = path.len; i-- > 0;) {
        *ret_len = 1;
        if (path.ptr[i] == ':')
            return i;
        *ret_len = 3;
        if (rc_str_starts_with_nocase(rc_str_slice(path, i, path.len), RC_STR("%3a")))
            return i;
    }
    return RC_STR_NPOS;
}

/* Reads a path of the form /v1beta/models/MODEL:method. */
static bool read_gemini_path(rc_mock_request *request, rc_str path)
{
    size_t colon_len = 0;
    const size_t models = rc_str_find(path, RC_STR("/models/"), 0);
    const size_t colon = find_colon(path, &colon_len);
    if (models == RC_STR_NPOS || colon == RC_STR_NPOS || colon < models + 8)
        return false;
    rc_str method = rc_str_slice(path, colon + colon_len, path.len);
    for (size_t i = 0; i < sizeof gemini_methods / sizeof *gemini_methods; i++) {
        if (!rc_str_eq(method, rc_str_c(gemini_methods[i].name)))
            continue;
        request->family = RC_MOCK_GEMINI;
        request->endpoint = gemini_methods[i].endpoint;
        request->is_stream = gemini_methods[i].is_stream;
        request->is_batch = gemini_methods[i].is_batch;
        set_model(request, rc_str_slice(path, models + 8, colon));
        return true;
    }
    return false;
}

/* Returns the family to which an unknown path probably belongs, which decides the form of the
 * error. */
static rc_mock_family guess_family(rc_str path, const rc_mock_message *message)
{
    if (rc_mock_header_find(message, RC_STR("anthropic-version")).len > 0)
        return RC_MOCK_ANTHROPIC;
    if (rc_str_find(path, RC_STR("/v1beta"), 0) != RC_STR_NPOS)
        return RC_MOCK_GEMINI;
    return RC_MOCK_OPENAI;
}

static void read_path(rc_mock_request *request, const rc_mock_message *message)
{
    rc_str path = request->path;
    const char *method = "POST";
    request->family = guess_family(path, message);
    if (!read_gemini_path(request, path)) {
        for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
            if (!rc_str_ends_with(path, rc_str_c(paths[i].end)))
                continue;
            request->endpoint = paths[i].endpoint;
            method = paths[i].method;
            if (paths[i].endpoint != RC_MOCK_MODELS)
                request->family = paths[i].family;
            break;
        }
    }
    request->is_method_wrong = request->endpoint != RC_MOCK_NO_ENDPOINT &&
                               !rc_str_eq(message->method, rc_str_c(method)) &&
                               !(method[0] == 'G' && rc_str_eq(message->method, RC_STR("HEAD")));
}

/* ---- query and headers ---- */

/* Returns the value of `name` in a query such as "a=1&b=2", or the empty string. */
static rc_str query_find(rc_str query, rc_str name)
{
    for (size_t from = 0; from < query.len;) {
        size_t end = rc_str_find_byte(query, '&', from);
        if (end == RC_STR_NPOS)
            end = query.len;
        rc_str pair = rc_str_slice(query, from, end);
        if (rc_str_starts_with(pair, name) && pair.len > name.len && pair.ptr[name.len] == '=')
            return rc_str_slice(pair, name.len + 1, pair.len);
        from = end + 1;
    }
    return rc_str_make(NULL, 0);
}

rc_str rc_mock_header_find(const rc_mock_message *message, rc_str name)
{
    for (size_t i = 0; i < message->header_count; i++)
        if (rc_str_eq_nocase(message->headers[i].name, name))
            return message->headers[i].value;
    return rc_str_make(NULL, 0);
}

static rc_str find_key(const rc_mock_message *message, rc_str query)
{
    static const char *const names[] = {"x-api-key", "api-key", "x-goog-api-key"};
    rc_str bearer = rc_mock_header_find(message, RC_STR("authorization"));
    if (rc_str_starts_with_nocase(bearer, RC_STR("bearer ")))
        return rc_str_trim(rc_str_slice(bearer, 7, bearer.len));
    for (size_t i = 0; i < 3; i++) {
        rc_str value = rc_mock_header_find(message, rc_str_c(names[i]));
        if (value.len > 0)
            return value;
    }
    return query_find(query, RC_STR("key"));
}

void rc_mock_request_read(rc_mock_request *request, const rc_mock_message *message,
                          const rc_alloc *alloc)
{
    memset(request, 0, sizeof *request);
    rc_buf_init(&request->text, alloc, RC_MOCK_TEXT_MAX);
    request->max_tokens = -1;
    size_t mark = rc_str_find_byte(message->target, '?', 0);
    if (mark == RC_STR_NPOS)
        mark = message->target.len;
    rc_str query = rc_str_slice(message->target, mark + 1, message->target.len);
    request->path = rc_str_slice(message->target, 0, mark);
    request->key = find_key(message, query);
    read_path(request, message);
    request->is_array = request->is_stream && request->family == RC_MOCK_GEMINI &&
                        !rc_str_eq(query_find(query, RC_STR("alt")), RC_STR("sse"));
    if (request->endpoint == RC_MOCK_NO_ENDPOINT || request->endpoint == RC_MOCK_MODELS ||
        request->endpoint >= RC_MOCK_STATS || request->is_method_wrong)
        return;
    rc_mock_request_read_body(request, message->body);
}

void rc_mock_request_done(rc_mock_request *request)
{
    rc_buf_done(&request->text);
}
