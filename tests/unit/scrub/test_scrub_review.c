/* Secrets that the scrubber once failed to remove, and texts that it once changed by mistake. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <recourse/buf.h>

#include "scrub/scrub.h"

#define OUT_MAX 4096u
#define COUNT(array) (sizeof(array) / sizeof *(array))

typedef struct example {
    const char *text;
    const char *expected; /* expected text; NULL: the text is unchanged */
} example;

static void check(const example *examples, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *expected = examples[i].expected ? examples[i].expected : examples[i].text;
        char memory[2][OUT_MAX];
        rc_str text = rc_str_c(examples[i].text);
        for (int turn = 0; turn < 2; turn++) {
            rc_buf buf;
            rc_buf_init_fixed(&buf, memory[turn], OUT_MAX);
            assert_int_equal(rc_scrub(text, OUT_MAX, &buf), RC_OK);
            text = rc_buf_get(&buf);
            if (!rc_str_eq(text, rc_str_c(expected)))
                fail_msg("turn %d: %s became %.*s", turn, examples[i].text, (int)text.len,
                         text.ptr);
        }
    }
}

static void test_cookies_that_begin_with_a_word(void **unused)
{
    (void)unused;
    static const example EXAMPLES[] = {
        {"Cookie: a=1; sessionid=abcdef0123456789abcdef0123456789", "Cookie: [redacted]"},
        {"Cookie: value=abcdef0123456789", "Cookie: [redacted]"},
        {"Cookie: flag=1; sessionid=abcdef0123456789", "Cookie: [redacted]"},
        {"Set-Cookie: error=abcdef0123456789abcdef; HttpOnly", "Set-Cookie: [redacted]"},
        {"{\"Cookie\":\"a=abcdef0123456789; b=c\"}", "{\"Cookie\":\"[redacted]\"}"},
        {"cookie=a=1; s=abcdef0123456789", "cookie=[redacted]"},
        {"Cookie: a=\"hunter2\"", "Cookie: [redacted]"},
        {"set-cookie: a=b", NULL},
        {"Cookie: a;password=[2", "Cookie: a;password=[[redacted]"},
        {"set-cookie: a=b\x01\xFF", "set-cookie: a=b\x01\xEF\xBF\xBD"},
        {"Cookie: none", NULL},
        {"Cookie: missing.", NULL},
        {"{\"Cookie\":\"none\"}", NULL},
        {"{\"cookie\": null, \"model\": \"x\"}", NULL},
        {"Set-Cookie: is not supported by this client", NULL},
    };
    check(EXAMPLES, COUNT(EXAMPLES));
}

static void test_passwords_that_begin_with_a_word(void **unused)
{
    (void)unused;
    static const example EXAMPLES[] = {
        {"{\"password\":\"a hunter2\"}", "{\"password\":\"[redacted]\"}"},
        {"{\"password\":\"the quick hunter2\"}", "{\"password\":\"[redacted]\"}"},
        {"{\"db_password\":\"No! hunter2\"}", "{\"db_password\":\"[redacted]\"}"},
        {"{\"password\":\"On hunter2, go!\"}", "{\"password\":\"[redacted]\"}"},
        {"{\"password\":\"a,b;hunter2\"}", "{\"password\":\"[redacted]\"}"},
        {"{\"passwords\":1,\"password\":[\"none\",\"a hunter2\"]}",
         "{\"passwords\":1,\"password\":[\"none\",\"[redacted]\"]}"},
        {"password=The secret phrase", "password=[redacted]"},
        {"password=The secret phrase user=ada", "password=[redacted] user=ada"},
        {"password=a,hunter2", "password=[redacted]"},
        {"password=[none, hunter2]", "password=[none, [redacted]]"},
        {"password=the x-ghp_AbCdEf0123456789GhIjKlMn: >", "password=the x-[redacted]: >"},
        {"Authorization: a hunter2", "Authorization: [redacted]"},
        {"{\"Authorization\":\"a hunter2\"}", "{\"Authorization\":\"[redacted]\"}"},
        {"{\"password\":\"none\"}", NULL},
        {"{\"password\": \"\"}", NULL},
        {"{\"password\":\"${DB_PASSWORD}\"}", NULL},
        {"{\"password\":\"***\"}", NULL},
        {"password=none user=ada", NULL},
        {"Login(password=None, user='ada')", NULL},
        {"Login(password=None) failed", NULL},
        {"password=invalid", NULL},
        {"password: must be at least 8 characters", NULL},
        {"Authorization: missing", NULL},
        {"Authorization: invalid or missing (401)", NULL},
    };
    check(EXAMPLES, COUNT(EXAMPLES));
}

static void test_placeholders_are_not_elements(void **unused)
{
    (void)unused;
    static const example EXAMPLES[] = {
        {"export OPENAI_API_KEY=<your-api-key> before you start the server", NULL},
        {"Replace <password> with your own and run again", NULL},
        {"<b>Replace <password> with your own</b>", NULL},
        {"usage: tool --api-key <api-key> --model gpt-4o run", NULL},
        {"No API key provided. You can set your API key in code using 'openai.api_key = <API-KEY>',"
         " or you can set the environment variable OPENAI_API_KEY=<API-KEY>)",
         NULL},
        {"<password>none</password>", NULL},
        {"<password></password>", NULL},
        {"<password>hunter2</password>", "<password>[redacted]</password>"},
        {"<password>\n  hunter2\n</password>", "<password>\n  [redacted]</password>"},
        {"<password>the secret phrase</password>", "<password>[redacted]</password>"},
        {"&lt;apiKey&gt;hunter2&lt;/apiKey&gt;", "&lt;apiKey&gt;[redacted]&lt;/apiKey&gt;"},
        {"<api-key>abcdef0123456789abcdef and more", "<api-key>[redacted] and more"},
        {"<password>the password:\"<a>\"</password>",
         "<password>the password:\"[redacted]\"</password>"},
    };
    check(EXAMPLES, COUNT(EXAMPLES));
}

static void test_names_with_suffixes(void **unused)
{
    (void)unused;
    static const example EXAMPLES[] = {
        {"OPENAI_API_KEY_2=abcdef0123456789abcdef", "OPENAI_API_KEY_2=[redacted]"},
        {"OPENAI_API_KEY1=abcdef0123456789abcdef", "OPENAI_API_KEY1=[redacted]"},
        {"OPENAI_API_KEY_12: abcdef0123456789abcdef", "OPENAI_API_KEY_12: [redacted]"},
        {"api_key_prod: abcdef0123456789abcdef", "api_key_prod: [redacted]"},
        {"DB_PASSWORD_PROD=hunter2abc", "DB_PASSWORD_PROD=[redacted]"},
        {"DB_PASSWORD_PROD_2=hunter2abc", "DB_PASSWORD_PROD_2=[redacted]"},
        {"{\"apiKeyValue\":\"hunter2\"}", "{\"apiKeyValue\":\"[redacted]\"}"},
        {"{\"secrets\":[\"abcdef0123456789\"]}", "{\"secrets\":[\"[redacted]\"]}"},
        {"max_tokens_default=4096 step2=done test: passed", NULL},
        {"?key1=abcdef0123 code2=abcdef0123456789abcdef", NULL},
        {"request_id_2=abcdef0123456789 sha256=abcdef0123456789", NULL},
        {"invalid_api_key_test: failed", NULL},
    };
    check(EXAMPLES, COUNT(EXAMPLES));
    static const char *const SECRET[] = {"OPENAI_API_KEY_2", "secrets",     "secret_value",
                                         "apiKeyValue",      "password1",   "token_staging",
                                         "api-key-primary",  "auth_token2", "cookie_new"};
    for (size_t i = 0; i < COUNT(SECRET); i++) {
        if (!rc_scrub_is_secret_name(rc_str_c(SECRET[i])))
            fail_msg("no secret name: %s", SECRET[i]);
    }
    static const char *const PLAIN[] = {"max_tokens_2", "key1",   "code2", "test",      "12",
                                        "value",        "step_2", "",      "prod_test", "key_id_2"};
    for (size_t i = 0; i < COUNT(PLAIN); i++) {
        if (rc_scrub_is_secret_name(rc_str_c(PLAIN[i])))
            fail_msg("secret name: %s", PLAIN[i]);
    }
}

/* Every suffix and every last letter of a name must pass the prefilter. */
static void test_all_names_and_tails_are_found(void **unused)
{
    (void)unused;
    static const struct {
        const char *name;
        const char *kind;
    } NAMES[] = {
#define RC_SECRET_NAME(name, MATCH, KIND, text) {name, #KIND},
#include "spec/secrets.def"
    };
    static const char *const TAILS[] = {
        "1",
        "22",
        "_3",
#define RC_SECRET_TAIL(tail) tail, "_" tail, "_" tail "_4",
#include "spec/secrets.def"
    };
    for (size_t i = 0; i < COUNT(NAMES); i++) {
        bool in_url = strcmp(NAMES[i].kind, "HINT") == 0 || strcmp(NAMES[i].kind, "PARAM") == 0 ||
                      strcmp(NAMES[i].kind, "GRANT") == 0;
        for (size_t t = 0; t < COUNT(TAILS) && !in_url; t++) {
            char text[128];
            char expected[128];
            snprintf(text, sizeof text, "%s%s=Zq7abcdef0123456789", NAMES[i].name, TAILS[t]);
            snprintf(expected, sizeof expected, "%s%s=[redacted]", NAMES[i].name, TAILS[t]);
            check(&(example){text, expected}, 1);
        }
    }
}

static void test_a_key_is_not_a_reference(void **unused)
{
    (void)unused;
    static const example EXAMPLES[] = {
        {"Authorization: env:AKIAIOSFODNN7EXAMPLE_", "Authorization: [redacted]"},
        {"password=${AKIAIOSFODNN7EXAMPLE_}", "password=[redacted]}"},
        {"Authorization: env:OPENAI_API_KEY", NULL},
        {"api_key: ${OPENAI_API_KEY}", NULL},
    };
    check(EXAMPLES, COUNT(EXAMPLES));
}

static void test_more_secrets(void **unused)
{
    (void)unused;
    static const example EXAMPLES[] = {
        {"> -----BEGIN RSA PRIVATE KEY-----\n> MIIEvQIBADANBgkqhkiG9w0BAQEF\n> "
         "-----END RSA PRIVATE KEY-----",
         "> [redacted]"},
        {"http.Header{\"X-Api-Key\":[]string{\"abcdef0123456789abcdef\"}}",
         "http.Header{\"X-Api-Key\":[]string{\"[redacted]\"}}"},
        {"{\"name\":\"x-api-key\",\"value\":\"abcdef0123456789abcdef\"}",
         "{\"name\":\"x-api-key\",\"value\":\"[redacted]\"}"},
        {"Bearer <abcdef0123456789abcdef>", "Bearer <[redacted]>"},
        {"Authorization: Bearer <abcdef0123456789abcdef>", "Authorization: Bearer <[redacted]>"},
        {"password=(\"hunter2\")", "password=(\"[redacted]\")"},
        {"Authorization: Bearer <token>", NULL},
        {"{\"name\":\"x-api-key\",\"value\":null}", NULL},
        {"{\"name\":\"model\",\"value\":\"gpt-4o\"}", NULL},
        {"http.Header{\"Accept\":[]string{\"application/json\"}}", NULL},
        {"Authorization: Bearer YOUR_KEY", NULL},
        {"Expected 'Authorization: Bearer YOUR_API_KEY'", NULL},
        {"api_key: environment variable ANTHROPIC_API_KEY not set", NULL},
        {"password: Passwords do not match", NULL},
    };
    check(EXAMPLES, COUNT(EXAMPLES));
}

static void test_paths(void **unused)
{
    (void)unused;
    static const example EXAMPLES[] = {
        {"open /mnt/John Smith/Documents/x.txt failed", "open [path] failed"},
        {"open /mnt/ada/x.txt failed", "open [path] failed"},
        {"see ../../etc/passwd.", "see [path]."},
        {"see ./x and $HOME/secret/x and ${HOME}/y", "see [path] and [path] and [path]"},
        {"{\"file\":\"\\/home\\/alice\\/x\"}", "{\"file\":\"[path]\"}"},
        {"at /code/x.py:12", "at [path]:12"},
        {"in /build/x.c, /data/models/x.gguf", "in [path], [path]"},
        {"/workdir/x.py", "[path]"},
        {"/home2/alice/x", "[path]"},
        {"/users/alice/x", "[path]"},
        {"POST /v1/chat/completions returned 404", NULL},
        {"/v1beta/models/gemini-pro:generateContent", NULL},
        {"no route /api/x/y, /openai/deployments/x, /models/x, /p/x", NULL},
        {"GET /code/x.py", NULL},
        {"api.example.com/code/x and https://api.example.com/code/x", NULL},
        {"https:\\/\\/api.example.com\\/v1\\/chat", NULL},
        {"\\/v1\\/chat", NULL},
        {"{base_url}/code/x", NULL},
        {"/items/0/name is required; yes / no; and/or; ... / x; a/b", NULL},
        {"It costs $5/month. </b></i> wait.../", NULL},
        {"./. ~ ..", NULL},
    };
    for (size_t i = 0; i < COUNT(EXAMPLES); i++) {
        const char *expected = EXAMPLES[i].expected ? EXAMPLES[i].expected : EXAMPLES[i].text;
        char memory[2][OUT_MAX];
        rc_str text = rc_str_c(EXAMPLES[i].text);
        for (int turn = 0; turn < 2; turn++) {
            rc_buf buf;
            rc_buf_init_fixed(&buf, memory[turn], OUT_MAX);
            assert_int_equal(rc_scrub_paths(text, &buf), RC_OK);
            text = rc_buf_get(&buf);
            if (!rc_str_eq(text, rc_str_c(expected)))
                fail_msg("turn %d: %s became %.*s", turn, EXAMPLES[i].text, (int)text.len,
                         text.ptr);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cookies_that_begin_with_a_word),
        cmocka_unit_test(test_passwords_that_begin_with_a_word),
        cmocka_unit_test(test_placeholders_are_not_elements),
        cmocka_unit_test(test_names_with_suffixes),
        cmocka_unit_test(test_all_names_and_tails_are_found),
        cmocka_unit_test(test_a_key_is_not_a_reference),
        cmocka_unit_test(test_more_secrets),
        cmocka_unit_test(test_paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
