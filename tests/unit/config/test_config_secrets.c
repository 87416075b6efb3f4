/* Tests of secrets in a configuration: a literal secret is refused and never shown, neither in a
 * message nor in a path or a line of the file, whatever else is wrong with the file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cli/config_load.h"
#include "support/often.h"
#include "support/run_cli.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
/* A secret that the scrubber does not recognise by its form, so that only its position identifies
 * it as a secret. */
#define SECRET "Zq7wm3xTnB"
#define TEXT_MAX 4096
#define ROUNDS OFTEN(20000)

/* Invalid configurations; @ is replaced by the secret. */
static const char *const texts[] = {
    "providers: {openai: {keys: [@]}}\n",
    "providers: {openai: {keys: @}}\n",
    "providers: {openai: {keys: {@: 1}}}\n",
    "providers: {openai: {keys: {@: 1, @: 2}}}\n",
    "providers: {openai: {keys: [[@]]}}\n",
    "providers: {openai: {keys: [env:A, @,\n  x], kind: opnai}}\n",
    "providers:\n  openai:\n    keys:\n      - env:A\n      - [x,\n        @]\n    kind: opnai\n",
    "providers:\n  openai:\n    keys:\n      - @\n      - \"x\n",
    "providers:\n  openai:\n    keys: [@\n    kind: openai\n",
    "providers:\n  openai:\n    kind: opnai\n    keys:\n      - |\n        @\n",
    "providers: {openai: {key: @, kind: opnai}}\n",
    "providers: {openai: {api_key: @}}\n",
    "providers: {openai: {apikey: @}}\n",
    "providers: {openai: {APIKEY: @, kind: opnai}}\n",
    "providers: {openai: {kies: [@]}}\n",
    "providers: {openai: {credential: @}}\n",
    "providers: {openai: {credentails: [@,\n @], kind: opnai}}\n",
    "providers: {openai: {pasword: @}}\n",
    "providers: {openai: {scret: @}}\n",
    "providers: {openai: {foo: @, kind: opnai}}\n",
    "providers: {openai: {auth: @}}\n",
    "providers: {openai: {auth: [@]}}\n",
    "providers: {openai: {atuh: @}}\n",
    "providers: {openai: {auth: bearer @}}\n",
    "providers: {openai: @}\n",
    "providers: [@]\n",
    "providers: {openai: {keys: env:A, @}}\n",
    "providers: {openai: {keys:[@]}}\n",
    "providers:\n  openai:\n    kind: openai\n    keys:[@]\n",
    "providers: {openai: {base_url: \"https://u:@@h\"}}\n",
    "providers: {openai: {base_url: \"https://h/?key=@\"}}\n",
    "providers: {openai: {base_url: [\"https://u:@@h\"]}}\n",
    "providers: {openai: {base_ulr: \"https://u:@@h\", kind: opnai}}\n",
    "clients: [{name: a, token: @}]\n",
    "clients: [{name: a, tokn: @}]\n",
    "clients: [{name: a, token:@}]\n",
    "clients: [@]\n",
    "clients:\n  - name: a\n    token: {x: @}\n  - name: a\n    token: env:B\n",
    "clients:\n  - name: a\n    token: >\n      @\n\n    budget_usd: x\n",
    "admin: {token: @, listen: 5}\n",
    "admin: {tokens: [@, @], listen: 5}\n",
    "admin: @\n",
    "store: postgres://u:@@h/d\n",
    "store: postgres://u:a/b@c?@@h/d\n",
    "store: postgres://u%3A@@h/d\n",
    "store: postgres://h/d?password=@\n",
    "store: postgres://h/d?sslmode=require&pass%77ord=@\n",
    "store: postgres://h/d?PASSWORD=@\n",
    "store: postgres://h/d?sslpassword=@\n",
    "store: POSTGRES://u:@@h/d\n",
    "store: mysql://u:@@h/d\n",
    "store: sqlite:x.db?key=@\n",
    "store: [postgres://u:@@h/d]\n",
    "store: @\n",
    "stroe: postgres://u:@@h/d\n",
    "database_url: postgres://u:@@h/d\nlisten: 5\n",
    "listen: 5 # the old token is @\n",
    "token: @\n",
    "a: 1\nsecret:\n  - b: 2\n    c: @\n",
    "\tproviders: {openai: {keys: [@]}}\n",
    "providers: {openai: {keys: [@], keys: [@]}}\n",
    "providers: {openai: {keys: [&a @, *a, !x @]}}\n",
};

/* other parts of the file */
static const char *const rest[] = {
    "",
    "listen: h:1\n",
    "limits: {max_body_bytes: x}\n",
    "routes:\n  - model: a\n    polcy: x\n    chain: [{target: openai/x, tries: 0}]\n",
    "policies: {p: {preset: transprt, base_ms: soon}}\n",
    "retry_budget: 5\n---\nb: 1\n",
    "? [a]\n: b\n",
    "a1: 1\na2: 1\na3: 1\na4: 1\na5: 1\na6: 1\na7: 1\na8: 1\na9: 1\nb1: 1\nb2: 1\nb3: 1\nb4: 1\n"
    "b5: 1\nb6: 1\nb7: 1\nb8: 1\nb9: 1\nc1: 1\nc2: 1\nc3: 1\nc4: 1\nc5: 1\nc6: 1\nc7: 1\nc8: 1\n"
    "c9: 1\nd1: 1\nd2: 1\nd3: 1\nd4: 1\nd5: 1\nd6: 1\nd7: 1\nd8: 1\nd9: 1\n",
};

static uint64_t random_state;

static size_t random_below(size_t bound)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (size_t)(random_state >> 33) % bound;
}

static void append(char *scratch, size_t *used, const char *text)
{
    for (; *text != '\0'; text++) {
        const char *part = text[0] == '@' ? SECRET : NULL;
        /* "@@" stands for the secret followed by a literal @ */
        if (text[0] == '@' && text[1] == '@') {
            part = SECRET "@";
            text++;
        }
        size_t len = part != NULL ? strlen(part) : 1;
        assert_true(*used + len < TEXT_MAX);
        memcpy(scratch + *used, part != NULL ? part : text, len);
        *used += len;
    }
    scratch[*used] = '\0';
}

/* Returns whether a change at this position would change the secret (so that it could not be
 * searched for), or the separator between the secret and a user name, which may be shown. */
static bool is_within_secret(const char *text, size_t at)
{
    size_t from = at >= sizeof(SECRET) ? at - sizeof(SECRET) + 1 : 0;
    const char *found = strstr(text + from, SECRET);
    size_t before = strstr(text, "://u") != NULL ? 3 : 0;
    return found != NULL && (size_t)(found - text) <= at + before;
}

static void make_typo(char *text)
{
    static const char signs[] = "[]{}:,\"'\t-#&*!|>%\n ?@=ax1";
    size_t len = strlen(text);
    size_t at = random_below(len);
    if (is_within_secret(text, at))
        return;
    switch (random_below(4)) {
    case 0: /* a character removed */
        memmove(text + at, text + at + 1, len - at);
        return;
    case 1: /* a character inserted */
        if (len + 1 < TEXT_MAX) {
            memmove(text + at + 1, text + at, len - at + 1);
            text[at] = signs[random_below(sizeof(signs) - 1)];
        }
        return;
    case 2: /* a character replaced */
        text[at] = signs[random_below(sizeof(signs) - 1)];
        return;
    default: /* two characters swapped, or the file truncated */
        if (random_below(8) == 0) {
            text[at] = '\0';
        } else if (at + 1 < len && !is_within_secret(text, at + 1)) {
            char first = text[at];
            text[at] = text[at + 1];
            text[at + 1] = first;
        }
    }
}

static void expect_no_secret(const char *text, const char *input)
{
    if (strstr(text, SECRET) != NULL)
        fail_msg("it came out: %s\nof: %s", text, input);
}

static int run_on(const char *input, const char *const *args)
{
    fake_reset(input);
    fake_env("LANG", "C.UTF-8");
    memory = (fail_alloc){0};
    int result = run(args);
    expect_no_secret(fake.out.text, input);
    expect_no_secret(fake.err.text, input);
    return result;
}

static int run_all(const char *input)
{
    static const char *const check[] = {"config", "check", "c.yaml", NULL};
    static const char *const json[] = {"config", "check", "c.yaml", "--format", "json", NULL};
    static const char *const show[] = {"config", "show", "c.yaml", NULL};
    int result = run_on(input, check);
    assert_int_equal(run_on(input, json), result);
    assert_int_equal(run_on(input, show), result);
    return result;
}

static void a_literal_secret_is_refused_and_not_shown(void **state)
{
    (void)state;
    static char text[TEXT_MAX];
    for (size_t i = 0; i < COUNT(texts); i++) {
        for (size_t j = 0; j < COUNT(rest) * 2; j++) {
            size_t used = 0;
            append(text, &used, j % 2 == 0 ? texts[i] : rest[j / 2]);
            append(text, &used, j % 2 == 0 ? rest[j / 2] : texts[i]);
            if (run_all(text) != RC_EXIT_CONFIG)
                fail_msg("it is not refused: %s", text);
        }
    }
}

static void no_typing_error_reveals_a_secret(void **state)
{
    (void)state;
    static char text[TEXT_MAX];
    random_state = 1;
    for (int i = 0; i < ROUNDS; i++) {
        size_t used = 0;
        append(text, &used, rest[random_below(COUNT(rest))]);
        append(text, &used, texts[random_below(COUNT(texts))]);
        append(text, &used, rest[random_below(COUNT(rest))]);
        make_typo(text);
        run_all(text);
    }
}

/* Valid references and addresses are accepted and shown. */
static void references_and_plain_addresses_pass(void **state)
{
    (void)state;
    static const char *const args[] = {"config", "show", "c.yaml", NULL};
    fake_reset("providers: {openai: {keys: [env:OPENAI_API_KEY, file:/run/secrets/key]}}\n"
               "store: sqlite:/var/lib/recourse/audit.db\n"
               "clients: [{name: a, token: env:TOKEN_A}]\n");
    memory = (fail_alloc){0};
    assert_int_equal(run(args), RC_EXIT_OK);
    assert_non_null(strstr(fake.out.text, "[env:OPENAI_API_KEY, file:/run/secrets/key]"));
    assert_non_null(strstr(fake.out.text, "store: sqlite:/var/lib/recourse/audit.db"));
    assert_non_null(strstr(fake.out.text, "token: env:TOKEN_A"));
}

/* A key pasted after env: by mistake may look like the name of a variable. */
static void a_key_after_env_is_not_taken_for_a_variable(void **state)
{
    (void)state;
    static const char *const args[] = {"config", "check", "c.yaml", NULL};
    fake_reset("providers: {groq: {keys: "
               "[env:gsk_abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOP]}}\n");
    memory = (fail_alloc){0};
    assert_int_equal(run(args), RC_EXIT_CONFIG);
    assert_null(strstr(fake.err.text, "abcdefghij"));
}

/* Only lines with a secret are hidden; the other lines of the file are shown. */
static void other_lines_are_shown(void **state)
{
    (void)state;
    static const char *const args[] = {"config", "check", "c.yaml", NULL};
    fake_reset("providers:\n  openai:\n    keys:\n      - env:A\n    kind: opnai\n");
    memory = (fail_alloc){0};
    assert_int_equal(run(args), RC_EXIT_CONFIG);
    assert_non_null(strstr(fake.err.text, "\n  5 |     kind: opnai\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_literal_secret_is_refused_and_not_shown),
        cmocka_unit_test(no_typing_error_reveals_a_secret),
        cmocka_unit_test(references_and_plain_addresses_pass),
        cmocka_unit_test(a_key_after_env_is_not_taken_for_a_variable),
        cmocka_unit_test(other_lines_are_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
