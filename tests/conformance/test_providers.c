/* Conformance of the providers: each has its table row, its conformance set and its page, and every
 * case of every set gets the expected verdict. */
#include <recourse/classify.h>
#include <recourse/taxonomy.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/failure_cases.h"

/* Minimum number of cases of a conformance set. */
#define CASES_MIN 5

static void path_of(char *path, size_t size, const char *folder, const char *name, const char *end)
{
    assert_true(snprintf(path, size, "%s/%s/%s%s", RC_TEST_DIR, folder, name, end) < (int)size);
}

typedef struct tally {
    int wrong;
    const char *provider;
} tally;

static void complain(const rc_case *c, const rc_verdict *verdict)
{
    const json_t *expect = json_object_get(c->json, "expect");
    print_message("%s: expected %s/%s, got %s/%s after %lld ms by rule %.*s\n", c->id,
                  json_string_value(json_object_get(expect, "category")),
                  json_string_value(json_object_get(expect, "code")),
                  rc_category_name(verdict->category), rc_code_name(verdict->code),
                  (long long)verdict->retry_after_ms, (int)verdict->rule.len, verdict->rule.ptr);
}

static void check_case(void *ctx, const rc_case *c)
{
    tally *t = ctx;
    rc_classify_space space;
    rc_verdict verdict = rc_judge(&c->failure, NULL, NULL, &space);
    const json_t *kind = json_object_get(json_object_get(c->json, "expect"), "limit_kind");
    bool is_kind_right =
        kind == NULL || rc_case_accepts(c, "limit_kind", rc_limit_kind_name(verdict.limit_kind));
    bool is_right = rc_case_accepts(c, "category", rc_category_name(verdict.category)) &&
                    rc_case_accepts(c, "code", rc_code_name(verdict.code)) &&
                    rc_case_accepts_wait(c, verdict.retry_after_ms) && is_kind_right;
    bool is_consistent = verdict.is_retryable == (verdict.category == RC_CATEGORY_TRANSIENT) ||
                         verdict.category == RC_CATEGORY_NONE;
    bool is_own = rc_str_eq(c->failure.provider, rc_str_c(t->provider));
    if (is_right && is_consistent && is_own && verdict.rule.len > 0)
        return;
    t->wrong++;
    if (!is_own)
        print_message("%s: in the set of %s\n", c->id, t->provider);
    if (!is_kind_right)
        print_message("%s: limit %s\n", c->id, rc_limit_kind_name(verdict.limit_kind));
    complain(c, &verdict);
}

static void every_provider_has_a_set_whose_cases_pass(void **state)
{
    (void)state;
    for (size_t i = 0; rc_provider_at(i) != NULL; i++) {
        char path[512];
        path_of(path, sizeof(path), "conformance/providers", rc_provider_at(i), ".jsonl");
        tally t = {0, rc_provider_at(i)};
        int count = rc_cases_each(path, check_case, &t);
        if (count < CASES_MIN)
            fail_msg("%s has %d cases, fewer than %d", path, count, CASES_MIN);
        if (t.wrong > 0)
            fail_msg("%s: %d of %d cases are decided otherwise", rc_provider_at(i), t.wrong, count);
    }
}

static void every_provider_has_a_page(void **state)
{
    (void)state;
    for (size_t i = 0; rc_provider_at(i) != NULL; i++) {
        char path[512];
        path_of(path, sizeof(path), "../docs/providers", rc_provider_at(i), ".md");
        if (access(path, R_OK) != 0)
            fail_msg("no page %s", path);
    }
}

/* Results of all conformance sets without the provider's name: texts and codes must be
 * sufficient. */
typedef struct score {
    int count;
    int category;
    int code;
    int wait;
    int provider;
    bool is_named;
} score;

static void score_case(void *ctx, const rc_case *c)
{
    score *s = ctx;
    rc_failure failure = c->failure;
    if (!s->is_named)
        failure.provider = rc_str_make(NULL, 0);
    rc_classify_space space;
    rc_verdict verdict = rc_judge(&failure, NULL, NULL, &space);
    s->count++;
    s->category += rc_case_accepts(c, "category", rc_category_name(verdict.category));
    s->code += rc_case_accepts(c, "code", rc_code_name(verdict.code));
    s->wait += rc_case_accepts_wait(c, verdict.retry_after_ms);
    s->provider += rc_str_eq(verdict.provider, c->failure.provider);
}

static void require(const char *what, int right, int count, int per_mille)
{
    print_message("%s: %d of %d\n", what, right, count);
    if (right * 1000 < count * per_mille)
        fail_msg("%s: %d of %d are right, fewer than %d per mille", what, right, count, per_mille);
}

static void the_name_of_the_provider_is_rarely_needed(void **state)
{
    (void)state;
    score s = {0};
    for (size_t i = 0; rc_provider_at(i) != NULL; i++) {
        char path[512];
        path_of(path, sizeof(path), "conformance/providers", rc_provider_at(i), ".jsonl");
        assert_true(rc_cases_each(path, score_case, &s) > 0);
    }
    require("category without the provider", s.category, s.count, 980);
    require("code without the provider", s.code, s.count, 970);
}

/* Failures that users reported, collected independently of the rules. Not every such failure can be
 * decided; the test requires a minimum share. */
static void enough_reported_failures_are_classified(void **state)
{
    (void)state;
    score s = {.is_named = true};
    char path[512];
    path_of(path, sizeof(path), "conformance", "field", ".jsonl");
    assert_true(rc_cases_each(path, score_case, &s) > 300);
    require("field: category", s.category, s.count, 980);
    require("field: code", s.code, s.count, 960);
    require("field: wait", s.wait, s.count, 990);
}

/* Sentences of SDKs, products, local runtimes and JSON-RPC servers that the rules must understand
 * without a status, most of them without a provider. A case without a category has the code of a
 * tool. */
static void check_meaning(void *ctx, const rc_case *c)
{
    int *wrong = ctx;
    rc_classify_space space;
    const rc_verdict verdict = rc_judge(&c->failure, NULL, NULL, &space);
    const json_t *expect = json_object_get(c->json, "expect");
    const bool has_category = json_object_get(expect, "category") != NULL;
    if (rc_case_accepts(c, "code", rc_code_name(verdict.code)) &&
        (!has_category || rc_case_accepts(c, "category", rc_category_name(verdict.category))))
        return;
    *wrong += 1;
    complain(c, &verdict);
}

static void sentences_are_understood(void **state)
{
    (void)state;
    int wrong = 0;
    char path[512];
    path_of(path, sizeof(path), "conformance", "meanings", ".jsonl");
    assert_true(rc_cases_each(path, check_meaning, &wrong) > 90);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_provider_has_a_set_whose_cases_pass),
        cmocka_unit_test(every_provider_has_a_page),
        cmocka_unit_test(the_name_of_the_provider_is_rarely_needed),
        cmocka_unit_test(enough_reported_failures_are_classified),
        cmocka_unit_test(sentences_are_understood),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
