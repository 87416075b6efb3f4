/* Tests of the targets without a price to which a budget applies, and of the text about them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <recourse/stdlib.h>

#include "base/str.h"
#include "config/prices/unpriced.h"

#define PROVIDERS                                                       \
    "providers:\n"                                                      \
    "  u: {kind: openai_compatible, base_url: \"http://127.0.0.1/\"}\n" \
    "  o: {kind: openai}\n"                                             \
    "  d: {kind: demo}\n"

typedef struct found {
    rc_buf text; /* the reported targets, one per line: "u/xx client app+1\n" */
    char scratch[8192];
} found;

static void on_each(void *ctx, const rc_unpriced *unpriced)
{
    found *f = ctx;
    rc_buf_push(&f->text, unpriced->provider);
    rc_buf_push_byte(&f->text, '/');
    rc_buf_push(&f->text, unpriced->model);
    rc_buf_push_byte(&f->text, ' ');
    rc_buf_push(&f->text, rc_str_c(unpriced->kind));
    rc_buf_push_byte(&f->text, ' ');
    rc_buf_push(&f->text, unpriced->name);
    rc_buf_push_byte(&f->text, '+');
    rc_buf_push_u64(&f->text, unpriced->other_count);
    rc_buf_push_byte(&f->text, '\n');
}

/* Runs the search. prices_text: a price file; NULL: none. */
static size_t search_unpriced(const char *config_text, const char *prices_text, found *f)
{
    rc_config config;
    rc_prices prices;
    rc_config_faults faults;
    const rc_alloc alloc = rc_alloc_stdlib();
    rc_config_faults_init(&faults);
    assert_int_equal(rc_config_parse(&config, rc_str_c(config_text), &alloc, &faults), RC_OK);
    rc_prices_init(&prices);
    if (prices_text != NULL)
        assert_int_equal(rc_prices_parse(&prices, rc_str_c(prices_text), &alloc, &faults), RC_OK);
    rc_buf_init_fixed(&f->text, f->scratch, sizeof f->scratch);
    const size_t count = rc_unpriced_find(&prices, &config, on_each, f);
    assert_int_equal(rc_buf_status(&f->text), RC_OK);
    rc_buf_push_byte(&f->text, '\0');
    rc_prices_done(&prices);
    rc_config_done(&config);
    return count;
}

static void expect(const char *config_text, const char *prices_text, const char *expected)
{
    static found f;
    size_t lines = 0;
    const size_t count = search_unpriced(config_text, prices_text, &f);
    assert_string_equal(f.scratch, expected);
    for (const char *at = expected; *at != '\0'; at++)
        lines += *at == '\n' ? 1u : 0u;
    assert_int_equal(count, lines);
}

static void without_a_budget_nothing_is_reported(void **state)
{
    (void)state;
    expect(PROVIDERS "routes: [{model: m, chain: [{target: u/xx}]}]\n", NULL, "");
}

/* A route's budget applies only to the targets of the route; each target is reported once. */
static void a_route_budget_counts_its_own_targets(void **state)
{
    (void)state;
    expect(PROVIDERS "routes:\n"
                     "  - {model: a, chain: [{target: u/aa}, {target: u/bb}]}\n"
                     "  - {model: b, budget_usd: 1, chain: [{target: u/bb},\n"
                     "     {target: o/gpt-4o}, {target: d/ok}], overflow_to: u/large}\n"
                     "  - {model: c, budget_usd: 2, chain: [{target: d/ok}, {target: u/bb}], "
                     "overflow_to: u/bb}\n",
           NULL, "u/bb route b+1\nu/large route b+0\n");
}

/* A client may request any model, also in the form PROVIDER/MODEL. A target without a fixed model
 * is reported if no model of its provider has a price. */
static void a_client_budget_counts_all_targets(void **state)
{
    (void)state;
    expect(PROVIDERS
           "clients: [{name: app, token: env:A, budget_usd: 1}, {name: free, token: env:B}]\n"
           "routes: [{model: m, chain: [{target: u/xx}]},\n"
           "  {model: \"*\", chain: [{target: \"o/*\"}, {target: \"d/*\"}]}]\n",
           NULL, "u/xx client app+0\nu/* client app+0\n");
}

static void a_named_budget_counts_what_it_matches(void **state)
{
    (void)state;
    /* The budget applies to the target in route b, although route a mentions the target first. */
    expect(PROVIDERS "budgets: [{name: of-b, limit_usd: 1, match: {route: b}},\n"
                     "  {name: of-o, limit_usd: 1, match: {target: \"o/*\"}},\n"
                     "  {name: of-u, limit_usd: 1, match: {target: u/xx}}]\n"
                     "routes: [{model: a, chain: [{target: u/xx}, {target: u/yy}]},\n"
                     "  {model: b, chain: [{target: u/yy}]}]\n",
           NULL, "u/xx budget of-u+0\nu/yy budget of-b+0\nu/* budget of-u+0\n");
    /* A request for PROVIDER/MODEL has an implicit route with the provider's name. */
    expect(PROVIDERS
           "clients: [{name: app, token: env:A}]\n"
           "budgets: [{name: direct, limit_usd: 1, match: {client: \"a*\", route: \"*\"}}]\n"
           "routes: [{model: m, chain: [{target: d/ok}]}]\n",
           NULL, "u/* budget direct+0\n");
}

/* A price of 0 counts as a price; the price of one model does not apply to other models. */
static void a_price_of_0_is_a_price(void **state)
{
    static const char config[] = PROVIDERS "budgets: [{name: all, limit_usd: 1}]\n"
                                           "routes: [{model: m, chain: [{target: u/xx}]}]\n";
    (void)state;
    expect(config,
           "as_of: 2026-11-01\nprices: [{provider: u, model: \"*\", input: 0, output: 0}]\n", "");
    expect(config, "as_of: 2026-11-01\nprices: [{provider: u, model: yy, input: 1, output: 1}]\n",
           "u/xx budget all+0\n");
    expect(config, "as_of: 2026-11-01\nbuilt_in: false\nprices: []\n",
           "u/xx budget all+0\nu/* budget all+0\no/* budget all+0\n");
}

/* The callback is called for the first RC_UNPRICED_SHOWN targets; the result is the number of all
 * unpriced targets. */
static void all_are_counted_and_the_first_are_reported(void **state)
{
    static char config[16384];
    static found f;
    size_t lines = 0;
    int at = snprintf(config, sizeof config,
                      PROVIDERS "routes:\n  - {model: m, budget_usd: 1, chain: [");
    (void)state;
    for (int i = 0; i < 30; i++)
        at += snprintf(config + at, sizeof config - (size_t)at, "{target: u/m%d}, ", i);
    (void)snprintf(config + at, sizeof config - (size_t)at, "{target: o/gpt-4o}]}\n");
    assert_int_equal(search_unpriced(config, NULL, &f), 30);
    for (const char *c = f.scratch; *c != '\0'; c++)
        lines += *c == '\n' ? 1u : 0u;
    assert_int_equal(lines, RC_UNPRICED_SHOWN);
}

static void the_text_names_the_budgets(void **state)
{
    static const char *const expected[] = {
        "u/m has no price: its cost does not count towards route r",
        "u/m has no price: its cost does not count towards route r and 1 more budget",
        "u/m has no price: its cost does not count towards route r and 2 more budgets",
    };
    rc_unpriced unpriced = {
        .provider = RC_STR("u"), .model = RC_STR("m"), .kind = "route", .name = RC_STR("r")};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        char scratch[256];
        rc_buf text;
        unpriced.other_count = i;
        rc_buf_init_fixed(&text, scratch, sizeof scratch);
        rc_unpriced_push(&text, &unpriced);
        assert_true(rc_str_eq(rc_buf_get(&text), rc_str_c(expected[i])));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_budget_nothing_is_reported),
        cmocka_unit_test(a_route_budget_counts_its_own_targets),
        cmocka_unit_test(a_client_budget_counts_all_targets),
        cmocka_unit_test(a_named_budget_counts_what_it_matches),
        cmocka_unit_test(a_price_of_0_is_a_price),
        cmocka_unit_test(all_are_counted_and_the_first_are_reported),
        cmocka_unit_test(the_text_names_the_budgets),
    };
    return cmocka_run_group_tests_name("unpriced", tests, NULL, NULL);
}
