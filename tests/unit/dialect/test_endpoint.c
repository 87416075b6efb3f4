/* Tests of rc_endpoint: which endpoint a path belongs to. */
#include "support/client_request.h"

typedef struct path_case {
    const char *path;
    int id; /* expected endpoint; -1: none */
    const char *model;
    const char *provider;
    const char *passthrough_path;
} path_case;

static const path_case path_cases[] = {
    {"/v1/chat/completions", RC_ENDPOINT_CHAT, "", "", ""},
    {"/v1/completions", RC_ENDPOINT_COMPLETIONS, "", "", ""},
    {"/v1/responses", RC_ENDPOINT_RESPONSES, "", "", ""},
    {"/v1/embeddings", RC_ENDPOINT_EMBEDDINGS, "", "", ""},
    {"/v1/images/generations", RC_ENDPOINT_IMAGE_GENERATIONS, "", "", ""},
    {"/v1/images/edits", RC_ENDPOINT_IMAGE_EDITS, "", "", ""},
    {"/v1/images/variations", RC_ENDPOINT_IMAGE_VARIATIONS, "", "", ""},
    {"/v1/audio/speech", RC_ENDPOINT_SPEECH, "", "", ""},
    {"/v1/audio/transcriptions", RC_ENDPOINT_TRANSCRIPTIONS, "", "", ""},
    {"/v1/audio/translations", RC_ENDPOINT_TRANSLATIONS, "", "", ""},
    {"/v1/models", RC_ENDPOINT_MODELS, "", "", ""},
    {"/v1/models/gpt-4o", RC_ENDPOINT_MODEL, "gpt-4o", "", ""},
    {"/v1/models/openai/gpt-4o", RC_ENDPOINT_MODEL, "openai/gpt-4o", "", ""},
    {"/v1beta/models", RC_ENDPOINT_GEMINI_MODELS, "", "", ""},
    {"/v1beta/models/gemini-x", RC_ENDPOINT_GEMINI_MODEL, "gemini-x", "", ""},
    {"/v1/messages", RC_ENDPOINT_MESSAGES, "", "", ""},
    {"/v1/messages/count_tokens", RC_ENDPOINT_COUNT_TOKENS, "", "", ""},
    {"/v1beta/models/gemini-2.0-flash:generateContent", RC_ENDPOINT_GENERATE, "gemini-2.0-flash",
     "", ""},
    {"/v1beta/models/g:streamGenerateContent", RC_ENDPOINT_GENERATE_STREAM, "g", "", ""},
    {"/v1beta/models/g:embedContent", RC_ENDPOINT_EMBED, "g", "", ""},
    {"/v1/models/g:generateContent", RC_ENDPOINT_GENERATE_V1, "g", "", ""},
    {"/v1/models/g:streamGenerateContent", RC_ENDPOINT_GENERATE_STREAM_V1, "g", "", ""},
    {"/v1/models/g:embedContent", RC_ENDPOINT_EMBED_V1, "g", "", ""},
    {"/v1beta/models/g:batchEmbedContents", RC_ENDPOINT_EMBED_BATCH, "g", "", ""},
    {"/v1/models/g:batchEmbedContents", RC_ENDPOINT_EMBED_BATCH_V1, "g", "", ""},
    {"/v1beta/models/g:countTokens", RC_ENDPOINT_TOKENS, "g", "", ""},
    {"/v1/models/g:countTokens", RC_ENDPOINT_TOKENS_V1, "g", "", ""},
    {"/v1beta/models/a/b%2Fc:d:generateContent", RC_ENDPOINT_GENERATE, "a/b%2Fc:d", "", ""},
    {"/p/openai/files", RC_ENDPOINT_PASSTHROUGH, "", "openai", "/files"},
    {"/p/openai/", RC_ENDPOINT_PASSTHROUGH, "", "openai", "/"},
    {"/", -1, "", "", ""},
    {"/v1/chat/completions/", -1, "", "", ""},
    {"//v1/chat/completions", -1, "", "", ""},
    {"/v1//chat/completions", -1, "", "", ""},
    {"/V1/chat/completions", -1, "", "", ""},
    {"/v1/chat/completions%3Fa", -1, "", "", ""},
    {"/v1/chat%2Fcompletions", -1, "", "", ""},
    {"/v1/../v1/messages", -1, "", "", ""},
    {"/v1/models/", -1, "", "", ""},
    {"/v1beta/models/", -1, "", "", ""},
    /* names of models without a known verb after the colon */
    {"/v1beta/models/:generateContent", RC_ENDPOINT_GEMINI_MODEL, ":generateContent", "", ""},
    {"/v1beta/models/g%3AgenerateContent", RC_ENDPOINT_GEMINI_MODEL, "g%3AgenerateContent", "", ""},
    {"/v1beta/models/g:deleteModel", RC_ENDPOINT_GEMINI_MODEL, "g:deleteModel", "", ""},
    {"/p", -1, "", "", ""},
    {"/p/", -1, "", "", ""},
    {"/p/openai", -1, "", "", ""},
    {"/p//files", -1, "", "", ""},
};

static void paths_map_to_endpoints(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(path_cases); i++) {
        const path_case *row = &path_cases[i];
        rc_endpoint_match match = {0};
        print_message("%s\n", row->path);
        bool is_found = rc_endpoint_find(rc_str_c(row->path), &match);
        assert_int_equal(is_found ? (int)match.endpoint->id : -1, row->id);
        if (!is_found)
            continue;
        assert_text(match.model, row->model);
        assert_text(match.provider, row->provider);
        assert_text(match.passthrough_path, row->passthrough_path);
    }
}

static void the_table_is_consistent(void **state)
{
    (void)state;
    assert_null(rc_endpoint_at(RC_ENDPOINT_COUNT));
    for (size_t i = 0; i < RC_ENDPOINT_COUNT; i++) {
        const rc_endpoint *row = rc_endpoint_at(i);
        assert_int_equal(row->id, i);
        assert_int_equal(row->path.ptr[0], '/');
        assert_true((row->verb.len > 0) ==
                    (row->model == RC_MODEL_PATH && row->wire != RC_WIRE_LOCAL));
        /* The gateway's own endpoints are the last rows. */
        assert_int_equal(row->wire == RC_WIRE_LOCAL, i >= RC_ENDPOINT_MODELS);
        /* A provider of an API family has the endpoints of that family. */
        if (row->wire < RC_WIRE_COUNT)
            assert_true(row->upstream[row->wire].len > 0);
        /* An endpoint with streams has a stream dialect, unless its content is not text. */
        if (row->streams != RC_STREAMS_NEVER && row->stream == (int)RC_STREAM_UNWATCHED)
            assert_true(row->family != RC_FAMILY_LLM || row->wire == RC_WIRE_NATIVE);
        bool may_replay = row->family == RC_FAMILY_LLM || row->family == RC_FAMILY_EMBEDDING;
        if (row->wire != RC_WIRE_NATIVE)
            assert_int_equal(row->replay, may_replay ? RC_REPLAY_YES : RC_REPLAY_NO);
    }
}

static void methods_are_checked(void **state)
{
    (void)state;
    const rc_endpoint *chat = rc_endpoint_at(RC_ENDPOINT_CHAT);
    const rc_endpoint *models = rc_endpoint_at(RC_ENDPOINT_MODELS);
    const rc_endpoint *any = rc_endpoint_at(RC_ENDPOINT_PASSTHROUGH);
    assert_true(rc_endpoint_accepts(chat, RC_STR("POST")));
    assert_false(rc_endpoint_accepts(chat, RC_STR("GET")));
    assert_true(rc_endpoint_accepts(models, RC_STR("GET")));
    assert_true(rc_endpoint_accepts(models, RC_STR("HEAD")));
    assert_false(rc_endpoint_accepts(chat, RC_STR("HEAD")));
    assert_false(rc_endpoint_accepts(models, RC_STR("DELETE")));
    assert_true(rc_endpoint_accepts(any, RC_STR("DELETE")));
}

static void providers_support_the_endpoints_of_their_interface(void **state)
{
    (void)state;
    const rc_endpoint *chat = rc_endpoint_at(RC_ENDPOINT_CHAT);
    const rc_endpoint *messages = rc_endpoint_at(RC_ENDPOINT_MESSAGES);
    const rc_endpoint *generate = rc_endpoint_at(RC_ENDPOINT_GENERATE);
    assert_true(rc_endpoint_is_supported(chat, RC_DIALECT_OPENAI_CHAT));
    assert_true(rc_endpoint_is_supported(chat, RC_DIALECT_ANTHROPIC));
    assert_true(rc_endpoint_is_supported(chat, RC_DIALECT_GEMINI));
    assert_false(rc_endpoint_is_supported(messages, RC_DIALECT_OPENAI_CHAT));
    assert_true(rc_endpoint_is_supported(messages, RC_DIALECT_ANTHROPIC));
    assert_false(rc_endpoint_is_supported(generate, RC_DIALECT_ANTHROPIC));
    assert_true(rc_endpoint_is_supported(generate, RC_DIALECT_GEMINI));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_map_to_endpoints),
        cmocka_unit_test(the_table_is_consistent),
        cmocka_unit_test(methods_are_checked),
        cmocka_unit_test(providers_support_the_endpoints_of_their_interface),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
