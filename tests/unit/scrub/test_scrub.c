/* Tests of the scrubber: the secrets that it replaces, in every notation, and the texts that it
 * does not change. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <recourse/buf.h>

#include "base/str.h"
#include "scrub/scrub.h"

#define OUT_MAX 4096u
#define COUNT(array) (sizeof(array) / sizeof *(array))

typedef struct example {
    const char *text;
    const char *expected;
} example;

/* Checks the result, and that a second pass changes nothing. */
static void expect(const char *text, const char *expected)
{
    char memory[2][OUT_MAX];
    rc_str turn = rc_str_c(text);
    for (int i = 0; i < 2; i++) {
        rc_buf buf;
        rc_buf_init_fixed(&buf, memory[i], OUT_MAX);
        assert_int_equal(rc_scrub(turn, OUT_MAX, &buf), RC_OK);
        turn = rc_buf_get(&buf);
        if (!rc_str_eq(turn, rc_str_c(expected)))
            fail_msg("time %d: %s became %.*s", i + 1, text, (int)turn.len, turn.ptr);
    }
    assert_true(rc_scrub_is_clean(turn));
    assert_int_equal(rc_scrub_is_clean(rc_str_c(text)), strcmp(text, expected) == 0);
}

static void expect_all(const example *examples, size_t count)
{
    for (size_t i = 0; i < count; i++)
        expect(examples[i].text, examples[i].expected);
}

typedef struct shape {
    const char *prefix;
    const char *alphabet;
    size_t min;
    bool is_split;
} shape;

#define ALPHABET_ALNUM "a7Bk2Xq9Zm"
#define ALPHABET_WORD "a7B-k2X_q9Z"
#define ALPHABET_HEX "0a1b2c3d4e5f"
#define ALPHABET_UPPER "A2B3C4D5E6F7"
#define ALPHABET_BASE64 "a7B+k2X/q9Z"
#define ALPHABET_DOTTED "a7B.k2X_q9Z"

static const shape SHAPES[] = {
#define RC_SECRET_SHAPE(prefix, CLASS, min, TEST, WHERE, text) \
    {prefix, ALPHABET_##CLASS, min, false},
#define RC_SECRET_SPLIT_SHAPE(prefix, CLASS, min, text) {prefix, ALPHABET_##CLASS, min, true},
#include "spec/secrets.def"
};

/* Writes a key of the shape that is `more` characters longer than its minimum length. */
static void make_key(const shape *s, int more, char key[128])
{
    size_t len = strlen(s->prefix);
    memcpy(key, s->prefix, len + 1);
    size_t letters = strlen(s->alphabet);
    for (size_t i = 0; i < s->min + (size_t)more; i++)
        key[len++] = s->alphabet[i % letters];
    key[len] = '\0';
}

/* Texts that people and programs write around a key. */
static const char *const AROUND[][2] = {
    {"", ""},
    {"key ", " was refused"},
    {"key ", "."},
    {"key ", ", and more"},
    {"(", ")"},
    {"[", "]"},
    {"\"", "\""},
    {"'", "'"},
    {"`", "`"},
    {"<", ">"},
    {"**", "**"},
    {"{\"message\":\"bad key: ", "\"}"},
    {"line\\n", "\\nline"},
    {"%3D", "&x=1"},
    {"\x1b[31m", "\x1b[0m"},
    {"\xE5\xAF\x86\xE9\x92\xA5", "\xE6\x97\xA0\xE6\x95\x88"},
    {"\xE2\x80\x9C", "\xE2\x80\x9D"},
};

static void test_every_shape_is_replaced(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < COUNT(SHAPES); i++) {
        char key[128];
        make_key(&SHAPES[i], 3, key);
        for (size_t j = 0; j < COUNT(AROUND); j++) {
            char text[512];
            char expected[512];
            snprintf(text, sizeof text, "%s%s%s", AROUND[j][0], key, AROUND[j][1]);
            snprintf(expected, sizeof expected, "%s[redacted]%s", AROUND[j][0], AROUND[j][1]);
            expect(text, expected);
        }
    }
}

static void test_shapes_need_their_length_and_a_word_of_their_own(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < COUNT(SHAPES); i++) {
        char key[128];
        char text[160];
        make_key(&SHAPES[i], -1, key);
        snprintf(text, sizeof text, "it says %s here", key);
        bool is_other = strncmp(key, "sk", 2) == 0 || strncmp(key, "AKI", 3) == 0;
        if (!is_other) /* several rows have the same prefix */
            expect(text, text);
        make_key(&SHAPES[i], 3, key);
        snprintf(text, sizeof text, "it says de%s here", key);
        if (!SHAPES[i].is_split)
            expect(text, text);
    }
}

/* The scrubber searches the tables by letter and skips words that are shorter than any key, so the
 * tables must be sorted. */
static void test_tables_are_sorted(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < COUNT(SHAPES); i++) {
        const shape *s = &SHAPES[i];
        assert_true(strlen(s->prefix) < 20);
        assert_true(s->min <= 64);
        assert_true(s->is_split || strlen(s->prefix) + s->min >= 16);
        if (i > 0 && SHAPES[i - 1].is_split == s->is_split)
            assert_true(rc_ascii_lower(SHAPES[i - 1].prefix[0]) <= rc_ascii_lower(s->prefix[0]));
    }
    static const char *const NAMES[] = {
#define RC_SECRET_NAME(name, MATCH, KIND, text) name,
#include "spec/secrets.def"
    };
    for (size_t i = 0; i < COUNT(NAMES); i++) {
        size_t len = strlen(NAMES[i]);
        assert_true(len >= 3 && len < 24);
        for (size_t j = 0; j < len; j++)
            assert_true(NAMES[i][j] >= 'a' && NAMES[i][j] <= 'z');
        if (i > 0)
            assert_true(NAMES[i - 1][strlen(NAMES[i - 1]) - 1] <= NAMES[i][len - 1]);
    }
    static const char *const WORDS[] = {
#define RC_SECRET_WORD(word, AFTER) word,
#include "spec/secrets.def"
    };
    for (size_t i = 0; i < COUNT(WORDS); i++)
        assert_true(strlen(WORDS[i]) < 24);
}

static const example TOKENS[] = {
    {"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVm.", "[redacted]."},
    {"Key 01234567-89ab-cdef-0123-456789abcdef:0123456789abcdef0123456789abcdef", "Key [redacted]"},
    {"key=0123456789abcdef0123456789abcdef.AbCdEfGhIjKlMnOp", "key=[redacted]"},
    {"_sk-proj-abcDEF1234567890abcd_ and x-sk-ant-api03-abcDEF1234567890",
     "_[redacted] and x-[redacted]"},
    {"SK-PROJ-ABCDEF1234567890ABCD", "[redacted]"},
    {"akiaiosfodnn7example", "[redacted]"},
    {"wrapped sk-proj-abcDEF1234567890abcd\n  efgh5678IJKL\nnext", "wrapped [redacted]\nnext"},
    {"-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA1234567890\nabc=\n"
     "-----END RSA PRIVATE KEY-----\ntail",
     "[redacted]\ntail"},
    {"{\"private_key\": \"-----BEGIN PRIVATE KEY-----\\nMIIEpAIBAAKCAQEA1234567890\\n"
     "-----END PRIVATE KEY-----\\n\", \"x\": 1}",
     "{\"private_key\": \"[redacted]\", \"x\": 1}"},
    {"-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,0A1B\n\n"
     "MIIEpAIBAAKCAQEA1234567890\n-----END RSA PRIVATE KEY-----",
     "[redacted]"},
    {"cut off: -----BEGIN PRIVATE KEY----- MIIEpAIBAAKCAQEA1234567890", "cut off: [redacted]"},
};

static const example HEADERS[] = {
    {"Authorization: Bearer abc", "Authorization: Bearer [redacted]"},
    {"AUTHORIZATION: BEARER ABCDEF", "AUTHORIZATION: BEARER [redacted]"},
    {"Authorization: Basic dXNlcjpwYXNz\r\nHost: x", "Authorization: Basic [redacted]\r\nHost: x"},
    {"Authorization: Token abc", "Authorization: Token [redacted]"},
    {"Authorization: anything at all\nHost: x", "Authorization: [redacted]\nHost: x"},
    {"Authorization: rawkey, Host: x", "Authorization: [redacted], Host: x"},
    {"Proxy-Authorization: Basic xyz", "Proxy-Authorization: Basic [redacted]"},
    {"Authorization: Bearer\r\n abcdefgh1234\r\nHost: x",
     "Authorization: Bearer\r\n [redacted]\r\nHost: x"},
    {"Authorization: Bearer abcdefgh\r\n ijklmnop\r\nHost: x",
     "Authorization: Bearer [redacted]\r\nHost: x"},
    {"X-Api-Key: abc\r\nx-goog-api-key: def\r\napi-key: ghi",
     "X-Api-Key: [redacted]\r\nx-goog-api-key: [redacted]\r\napi-key: [redacted]"},
    {"Ocp-Apim-Subscription-Key: 0123456789abcdef", "Ocp-Apim-Subscription-Key: [redacted]"},
    {"Cookie: sid=abc; theme=\"dark\"; x=y\nHost: x", "Cookie: [redacted]\nHost: x"},
    {"set-cookie: __cf_bm=abc.def; path=/; expires=Wed, 21 Oct", "set-cookie: [redacted]"},
    {"curl -H 'Authorization: Bearer abc123' -H \"x-api-key: abc\" -d {}",
     "curl -H 'Authorization: Bearer [redacted]' -H \"x-api-key: [redacted]\" -d {}"},
    {"curl -H \"Cookie: sid=abcd; theme=dark\" https://x",
     "curl -H \"Cookie: [redacted]\" https://x"},
    {"Bearer topsecret was refused", "Bearer [redacted] was refused"},
    {"Basic dXNlcjpwYXNz, Basic dTpw", "Basic [redacted], Basic [redacted]"},
    {"map[Authorization:[Bearer abc123] X-Api-Key:[abc]]",
     "map[Authorization:[Bearer [redacted]] X-Api-Key:[[redacted]]]"},
    {"(b'x-api-key', b'abc12345'), ('authorization', 'Bearer abcdefg')",
     "(b'x-api-key', b'[redacted]'), ('authorization', 'Bearer [redacted]')"},
    {"Authorization: AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20250101/us-east-1/bedrock/"
     "aws4_request, SignedHeaders=host, Signature=5d672d79c15b13162d9279b0855cfba6",
     "Authorization: AWS4-HMAC-SHA256 Credential=[redacted], SignedHeaders=host, "
     "Signature=[redacted]"},
    {"x-amz-security-token:IQoJb3JpZ2luX2VjEAAa", "x-amz-security-token:[redacted]"},
};

static const example MEMBERS[] = {
    {"{\"api_key\": \"hunter2\", \"model\": \"gpt-4o\"}",
     "{\"api_key\": \"[redacted]\", \"model\": \"gpt-4o\"}"},
    {"{\\\"api_key\\\": \\\"hunter2\\\", \\\"n\\\": 1}",
     "{\\\"api_key\\\": \\\"[redacted]\\\", \\\"n\\\": 1}"},
    {"{\\\\\\\"api_key\\\\\\\": \\\\\\\"hun\\\\\\\\\\\\\\\"ter2\\\\\\\", \\\\\\\"n\\\\\\\": 1}",
     "{\\\\\\\"api_key\\\\\\\": \\\\\\\"[redacted]\\\\\\\", \\\\\\\"n\\\\\\\": 1}"},
    {"{\"password\": \"ends in \\\\\", \"n\": 1}", "{\"password\": \"[redacted]\", \"n\": 1}"},
    {"{'api_key': 'hunter2', 'n': 1}", "{'api_key': '[redacted]', 'n': 1}"},
    {"{\"password\":12345,\"n\":1}", "{\"password\":[redacted],\"n\":1}"},
    {"%22api_key%22%3A%22hunter2%22%2C", "%22api_key%22%3A%22[redacted]%22%2C"},
    {"&quot;api_key&quot;:&quot;hunter2&quot;,", "&quot;api_key&quot;:&quot;[redacted]&quot;,"},
    {"\\u0022password\\u0022:\\u0022x y\\u0022", "\\u0022password\\u0022:\\u0022[redacted]\\u0022"},
    {"\"api_keys\": [\"abc\", \"def\", null, \"\", b'ghi'], \"m\": 1",
     "\"api_keys\": [\"[redacted]\", \"[redacted]\", null, \"\", b'[redacted]'], \"m\": 1"},
    {"password=hunter2 passwd: hunter3 secret: hunter4 user=bob",
     "password=[redacted] passwd: [redacted] secret: [redacted] user=bob"},
    {"password=hunt,er)2! x", "password=[redacted] x"},
    {"(password=hunter2).", "(password=[redacted])."},
    {"export OPENAI_API_KEY=abc ANTHROPIC_AUTH_TOKEN='def'",
     "export OPENAI_API_KEY=[redacted] ANTHROPIC_AUTH_TOKEN='[redacted]'"},
    {"AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCY;", "AWS_SECRET_ACCESS_KEY=[redacted];"},
    {"grant_type=x&client_secret=abc%26d&code=4/0AX4XfWhabcdefghijk1",
     "grant_type=x&client_secret=[redacted]&code=[redacted]"},
    {"AccountName=x;AccountKey=abc+/def==;EndpointSuffix=core",
     "AccountName=x;AccountKey=[redacted];EndpointSuffix=core"},
    {"api_key=SecretStr('hunter2'), n=1", "api_key=[redacted]'), n=1"},
    {"headers['x-api-key'] = 'abc'", "headers['x-api-key'] = '[redacted]'"},
    {"os.environ[\"OPENAI_API_KEY\"] = \"abc\"", "os.environ[\"OPENAI_API_KEY\"] = \"[redacted]\""},
    {"--api-key abc --token=abcdef123456 --password hunter2",
     "--api-key [redacted] --token=[redacted] --password [redacted]"},
    {"api_key\xEF\xBC\x9A"
     "abc\xE3\x80\x82",
     "api_key\xEF\xBC\x9A[redacted]\xE3\x80\x82"},
    {"{\"apiKey\":\"k\",\"clientSecret\":\"l\",\"sessionToken\":\"m\"}",
     "{\"apiKey\":\"[redacted]\",\"clientSecret\":\"[redacted]\",\"sessionToken\":\"[redacted]\"}"},
    {"password => 'x', secret := \"y\"", "password => '[redacted]', secret := \"[redacted]\""},
    {"Incorrect API key provided: 0123456789abcdef. See",
     "Incorrect API key provided: [redacted]. See"},
    {"Invalid API key: \"5f4dcc3b5aa765d61d83\"", "Invalid API key: \"[redacted]\""},
    {"cut off: {\"password\": \"hunter2", "cut off: {\"password\": \"[redacted]"},
};

static const example URLS[] = {
    {"https://user:pass@host/path", "https://[redacted]@host/path"},
    {"https://ghp_abc@github.com/x", "https://[redacted]@github.com/x"},
    {"postgres://u:pa/s#s@db:5432/x", "postgres://[redacted]@db:5432/x"},
    {"redis://:p@ss@host", "redis://[redacted]@host"},
    {"https:\\/\\/u:p@h\\/", "https:\\/\\/[redacted]@h\\/"},
    {"https%3A%2F%2Fu:p%40h%2Fx", "https%3A%2F%2F[redacted]%40h%2Fx"},
    {"https://x/?key=abc123&model=m&api_key=z&token=abcdef&sig=a%2Bb1%3D&password=p#f",
     "https://x/?key=[redacted]&model=m&api_key=[redacted]&token=[redacted]&sig=[redacted]"
     "&password=[redacted]#f"},
    {"https://x/?a=1\\u0026key=AIza12345\\u0026z=1",
     "https://x/?a=1\\u0026key=[redacted]\\u0026z=1"},
    {"https://x/?a=1&amp;key=abc123&amp;z=1", "https://x/?a=1&amp;key=[redacted]&amp;z=1"},
    {"u=https%3A%2F%2Fx%3Fkey%3Dabc123%26z%3D1", "u=https%3A%2F%2Fx%3Fkey%3D[redacted]%26z%3D1"},
    {"https://b/k?X-Amz-Credential=AKIA%2F2025&X-Amz-Signature=0123abcd&X-Amz-Security-Token=IQoJ",
     "https://b/k?X-Amz-Credential=[redacted]&X-Amz-Signature=[redacted]"
     "&X-Amz-Security-Token=[redacted]"},
};

static void test_secrets_are_replaced(void **unused)
{
    (void)unused;
    expect_all(TOKENS, COUNT(TOKENS));
    expect_all(HEADERS, COUNT(HEADERS));
    expect_all(MEMBERS, COUNT(MEMBERS));
    expect_all(URLS, COUNT(URLS));
}

static const char *const PLAIN[] = {
    "max_tokens: 4096, token_count=12, prompt tokens: 15, \"prompt_tokens\": 12",
    "The API key is invalid. The API key was not found; please pass a valid API key.",
    "key: value pairs",
    "bearer of bad news",
    "Authorization: Bearer token is missing; the header must start with Bearer",
    "WWW-Authenticate: Bearer realm=\"api\", error=\"invalid_token\", scope=\"all\"",
    "basic authentication failed. Basic plan. Basic usage limits; basic subscription",
    "req_011CSHoEeqs5C35K2UUqR7Fy chatcmpl-9abcDEF123456789 8e695a03eed4f9fd-SJC",
    "550e8400-e29b-41d4-a716-446655440000",
    "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "commit 13a9052d2f8a8b1c2d3e4f5061728394a5b6c7d8",
    "gpt-4o claude-sonnet-4-5-20250929 accounts/fireworks/models/llama-v3p1-405b-instruct",
    "https://platform.openai.com/account/api-keys https://x.com/?key=value&foo=1",
    "https://example.com/@user http://localhost:8000/v1?x=1@2 ssh://git@github.com/org/repo",
    "f() takes 2 arguments; signature: (a, b=None) signature=inspect.signature(f)",
    "secret sauce; password must be 8 characters; cookie monster",
    "user@example.com, mailto:user@example.com, git@github.com:org/repo",
    "sk-learn sk-learn-compatible-estimators task-1234567890abcdef12345 risk-averse",
    "desk-1234567890abcdef1234 disk-0123456789abcdef0123",
    "Missing required parameter: 'api_key'. \"code\": \"invalid_api_key\", \"param\": \"api_key\"",
    "{\"api_key\": null, \"password\": true, \"token\": \"Hello\"} api_key=None",
    "password: String should have at least 8 characters",
    "api_key: Optional[str] = None",
    "ExpiredToken: The security token included in the request is expired",
    "Unexpected token '<', \"<!DOCTYPE \"... is not valid JSON",
    "\"eos_token\": \"<|endoftext|>\", next_page_token=abc123def456ghi789",
    "\xE5\xAF\x86\xE7\xA0\x81\xE9\x94\x99\xE8\xAF\xAF api_key: \xE6\x97\xA0\xE6\x95\x88",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk",
    "sk-...abcd <redacted> [redacted] Bearer [redacted] password=[redacted], x",
    "api_key: env:OPENAI_API_KEY, token=${HF_TOKEN_1}, password: ***, secret=\"...\"",
    "expected -----BEGIN PRIVATE KEY----- but got something else",
    "-----BEGIN CERTIFICATE-----\nMIIEpAIBAAKCAQEA1234567890\n-----END CERTIFICATE-----",
    "time: 12:30:45, key_id=abc12345678 request_id=abc123 author: bob",
    "The request signature we calculated does not match the signature you provided.",
    "asia-northeast1 asiapacificnortheast1 ap-northeast-1",
    "\"required\": [\"api_key\", \"model\", \"messages\"]",
    "\"cursor\":\"eyJpZCI6MTIzfQ\" and a.b.c",
    "",
};

static void test_ordinary_text_stays(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < COUNT(PLAIN); i++)
        expect(PLAIN[i], PLAIN[i]);
}

static void test_names(void **unused)
{
    (void)unused;
    static const char *const SECRET[] = {
        "authorization",
        "Proxy-Authorization",
        "api_key",
        "apiKey",
        "X-Api-Key",
        "x.api.key",
        "x-goog-api-key",
        "password",
        "DB_PASSWORD",
        "cookie",
        "Set-Cookie",
        "client_secret",
        "access_token",
        "refresh_token",
        "token",
        "id_token",
        "GITHUB_TOKEN",
        "secret",
        "credentials",
        "jwt",
        "private_key",
        "AWS_SECRET_ACCESS_KEY",
        "pin",
        "passphrase",
        "ocp-apim-subscription-key",
    };
    static const char *const NOT_SECRET[] = {
        "max_tokens",
        "token_count",
        "prompt_tokens",
        "key_id",
        "request_id",
        "author",
        "key",
        "code",
        "signature",
        "public_key",
        "eos_token",
        "next_page_token",
        "tokenizer",
        "invalid_api_key",
        "model",
        "",
        "-",
        "_._",
        "ke",
        "authority",
        "cache_key",
        "session_id",
        "tokens",
        "keyboard",
        "secretary",
    };
    for (size_t i = 0; i < COUNT(SECRET); i++) {
        if (!rc_scrub_is_secret_name(rc_str_c(SECRET[i])))
            fail_msg("%s is no secret name", SECRET[i]);
    }
    for (size_t i = 0; i < COUNT(NOT_SECRET); i++) {
        if (rc_scrub_is_secret_name(rc_str_c(NOT_SECRET[i])))
            fail_msg("%s is a secret name", NOT_SECRET[i]);
    }
    char longest[512];
    memset(longest, 'x', sizeof longest);
    memcpy(longest + sizeof longest - 7, "api-key", 7);
    assert_true(rc_scrub_is_secret_name(rc_str_make(longest, sizeof longest)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_shape_is_replaced),
        cmocka_unit_test(test_shapes_need_their_length_and_a_word_of_their_own),
        cmocka_unit_test(test_tables_are_sorted),
        cmocka_unit_test(test_secrets_are_replaced),
        cmocka_unit_test(test_ordinary_text_stays),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
