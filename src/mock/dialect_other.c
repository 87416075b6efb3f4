/* Embeddings, token counts and lists of models. Called by response.c. */
#include <string.h>

#include "codec/datetime.h"
#include "mock/dialect.h"
#include "mock/tokens.h"

#define DIMENSIONS 16
/* Embedding values are multiples of 1/4096, which floats and short texts represent exactly. */
#define FRACTION 4096
#define INPUTS_MAX 2048

static uint32_t dimensions_of(const rc_mock_response *a)
{
    return a->dimensions > 0 ? a->dimensions : DIMENSIONS;
}

/* Returns a value from -1 to 1, in units of 1/4096. */
static int32_t number_at(const rc_mock_response *a, uint32_t input, uint32_t index)
{
    const uint64_t mixed = rc_mock_mix(a->seed, (uint64_t)input << 32 | index);
    return (int32_t)(mixed % (2 * FRACTION + 1)) - FRACTION;
}

/* Writes the exact decimal value, which has at most 12 decimals because `number` has 12 fractional
 * bits. */
static void push_number(rc_buf *buf, int32_t number)
{
    uint32_t size = (uint32_t)(number < 0 ? -number : number);
    if (number < 0)
        rc_buf_push_byte(buf, '-');
    rc_buf_push_u64(buf, size / FRACTION);
    uint32_t rest = size % FRACTION;
    if (rest > 0)
        rc_buf_push_byte(buf, '.');
    for (; rest > 0; rest = rest * 10 % FRACTION)
        rc_buf_push_byte(buf, (char)('0' + rest * 10 / FRACTION));
}

static void push_list(const rc_mock_response *a, uint32_t input, rc_json_writer *w)
{
    rc_json_array_begin(w);
    for (uint32_t i = 0; i < dimensions_of(a); i++) {
        char text[24];
        rc_buf scratch;
        rc_buf_init_fixed(&scratch, text, sizeof text);
        push_number(&scratch, number_at(a, input, i));
        rc_json_raw(w, rc_buf_get(&scratch));
    }
    rc_json_array_end(w);
}

static uint8_t byte_at(const rc_mock_response *a, uint32_t input, uint32_t at)
{
    float value = (float)number_at(a, input, at / 4) / (float)FRACTION;
    uint32_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    return (uint8_t)(bits >> (at % 4 * 8));
}

/* Writes the embedding as 32-bit little-endian floats in base64, the encoding that OpenAI's clients
 * request. */
static void push_base64(const rc_mock_response *a, uint32_t input, rc_json_writer *w)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const uint32_t size = dimensions_of(a) * 4;
    rc_json_raw(w, RC_STR("\""));
    for (uint32_t at = 0; at < size; at += 3) {
        char group[4];
        uint32_t bits = (uint32_t)byte_at(a, input, at) << 16;
        if (at + 1 < size)
            bits |= (uint32_t)byte_at(a, input, at + 1) << 8;
        if (at + 2 < size)
            bits |= byte_at(a, input, at + 2);
        for (unsigned i = 0; i < 4; i++)
            group[i] = at + i <= size ? digits[bits >> (18 - 6 * i) & 63] : '=';
        rc_buf_push(w->buf, rc_str_make(group, 4));
    }
    rc_buf_push_byte(w->buf, '"');
}

static uint32_t inputs_of(const rc_mock_response *a)
{
    return a->input_count < INPUTS_MAX ? a->input_count : INPUTS_MAX;
}

static void push_openai_embeddings(const rc_mock_response *a, rc_json_writer *w)
{
    rc_mock_string(w, "object", "list");
    rc_mock_array(w, "data");
    for (uint32_t i = 0; i < inputs_of(a); i++) {
        rc_json_object_begin(w);
        rc_mock_string(w, "object", "embedding");
        rc_mock_number(w, "index", i);
        rc_json_key(w, RC_STR("embedding"));
        if (a->is_base64)
            push_base64(a, i, w);
        else
            push_list(a, i, w);
        rc_json_object_end(w);
    }
    rc_json_array_end(w);
    rc_mock_string(w, "model", a->model);
    rc_mock_object(w, "usage");
    rc_mock_number(w, "prompt_tokens", a->input_tokens);
    rc_mock_number(w, "total_tokens", a->input_tokens);
    rc_json_object_end(w);
}

static void push_values(const rc_mock_response *a, uint32_t input, rc_json_writer *w)
{
    rc_json_object_begin(w);
    rc_json_key(w, RC_STR("values"));
    push_list(a, input, w);
    rc_json_object_end(w);
}

void rc_mock_push_embeddings(const rc_mock_response *a, rc_buf *buf)
{
    rc_json_writer w;
    rc_json_writer_init(&w, buf, 0);
    rc_json_object_begin(&w);
    if (a->family == RC_MOCK_OPENAI) {
        push_openai_embeddings(a, &w);
    } else if (a->is_batch) {
        rc_mock_array(&w, "embeddings");
        for (uint32_t i = 0; i < inputs_of(a); i++)
            push_values(a, i, &w);
        rc_json_array_end(&w);
    } else {
        rc_json_key(&w, RC_STR("embedding"));
        push_values(a, 0, &w);
    }
    rc_json_object_end(&w);
}

void rc_mock_push_count(const rc_mock_response *a, rc_buf *buf)
{
    rc_json_writer w;
    rc_json_writer_init(&w, buf, 0);
    rc_json_object_begin(&w);
    rc_mock_number(&w, a->family == RC_MOCK_GEMINI ? "totalTokens" : "input_tokens",
                   a->input_tokens);
    rc_json_object_end(&w);
}

/* ---- models ---- */

static void push_model(const rc_mock_response *a, const char *word, rc_json_writer *w)
{
    char name[96];
    rc_buf scratch;
    rc_buf_init_fixed(&scratch, name, sizeof name);
    rc_buf_push(&scratch, a->family == RC_MOCK_GEMINI ? RC_STR("models/mock/") : RC_STR("mock/"));
    rc_buf_push(&scratch, rc_str_c(word));
    rc_json_object_begin(w);
    if (a->family == RC_MOCK_GEMINI) {
        rc_json_member_string(w, RC_STR("name"), rc_buf_get(&scratch));
        rc_mock_string(w, "displayName", word);
        rc_mock_number(w, "inputTokenLimit", 1048576);
        rc_mock_number(w, "outputTokenLimit", 65536);
        rc_mock_array(w, "supportedGenerationMethods");
        rc_json_string(w, RC_STR("generateContent"));
        rc_json_string(w, RC_STR("countTokens"));
        rc_json_array_end(w);
    } else if (a->family == RC_MOCK_ANTHROPIC) {
        char when[32];
        rc_buf time;
        rc_buf_init_fixed(&time, when, sizeof when);
        rc_rfc3339_push(&time, a->created_s * 1000);
        rc_mock_string(w, "type", "model");
        rc_json_member_string(w, RC_STR("id"), rc_buf_get(&scratch));
        rc_mock_string(w, "display_name", word);
        rc_json_member_string(w, RC_STR("created_at"), rc_buf_get(&time));
    } else {
        rc_json_member_string(w, RC_STR("id"), rc_buf_get(&scratch));
        rc_mock_string(w, "object", "model");
        rc_json_member_i64(w, RC_STR("created"), a->created_s);
        rc_mock_string(w, "owned_by", "mock");
    }
    rc_json_object_end(w);
}

void rc_mock_push_models(const rc_mock_response *a, rc_buf *buf)
{
    rc_json_writer w;
    rc_json_writer_init(&w, buf, 0);
    rc_json_object_begin(&w);
    if (a->family == RC_MOCK_OPENAI)
        rc_mock_string(&w, "object", "list");
    rc_mock_array(&w, a->family == RC_MOCK_GEMINI ? "models" : "data");
    for (size_t i = 0; rc_mock_behaviour_name_at(NULL, i) != NULL; i++)
        push_model(a, rc_mock_behaviour_name_at(NULL, i), &w);
    rc_json_array_end(&w);
    if (a->family == RC_MOCK_ANTHROPIC)
        rc_json_member_bool(&w, RC_STR("has_more"), false);
    rc_json_object_end(&w);
}
