/* Tests of prices: the exact cost of a charge, price files and the positions of their faults, the
 * choice of a price, and failing allocations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "config/prices/prices.h"
#include "support/fail_alloc.h"
#include "support/often.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static fail_alloc memory;
static rc_prices prices;
static rc_config_faults faults;

static rc_status parse(const char *text)
{
    rc_alloc alloc = fail_alloc_of(&memory);
    rc_config_faults_init(&faults);
    return rc_prices_parse(&prices, rc_str_c(text), &alloc, &faults);
}

static void done(void)
{
    rc_prices_done(&prices);
    assert_int_equal(memory.live, 0);
}

/* ---- costs ---- */

#define MEASURED .is_measured = true

static void a_charge_has_its_cost(void **state)
{
    (void)state;
    static const rc_config_price price = {
        .input = 2500000,
        .output = 10000000,
        .cached_input = 1250000,
        .cache_write = 3125000,
        .cache_write_1h = 5000000,
        .image = 40000,
        .second = 100,
        .request = 5000,
    };
    static const rc_config_price tiny = {.input = 20000, .output = 1};
    static const rc_config_price told = {.input = 1000000, .told = true};
    static const struct {
        const rc_config_price *price;
        rc_charge charge;
        uint64_t cost;
    } rows[] = {
        /* 1000 input tokens, 100 output tokens, one request */
        {&price, {.input = 1000, .output = 100, MEASURED}, 2500 + 1000 + 5000},
        /* 1000 input tokens: 400 cached, 200 written to the cache, 50 of these for an hour */
        {&price,
         {.input = 1000, .cached = 400, .written = 200, .written_1h = 50, MEASURED},
         1000 + 500 + 469 + 250 + 5000}, /* 468.75 is rounded up */
        {&price, {.images = 3, .is_estimated = true}, 120000 + 5000},
        {&price, {.audio_ms = 12340, MEASURED}, 1234 + 5000},
        /* a charge that is empty has no cost, not even that of the request */
        {&price, {.input = 1000}, 0},
        {NULL, {.input = 1000, MEASURED}, 0},
        {NULL, {.cost_micros = 7, .has_cost = true, MEASURED}, 0},
        /* the cost is rounded to the nearest millionth, half up: 0.02 per token */
        {&tiny, {.input = 24, MEASURED}, 0},
        {&tiny, {.input = 25, MEASURED}, 1},
        {&tiny, {.input = 74, MEASURED}, 1},
        {&tiny, {.input = 75, MEASURED}, 2},
        /* fractions of a millionth are added before rounding: 0.48 + 0.02 */
        {&tiny, {.input = 24, .output = 20000, MEASURED}, 1},
        {&tiny, {.input = 24, .output = 19999, MEASURED}, 0},
        /* the cost that the provider reported */
        {&told, {.input = 1000, .cost_micros = 7, .has_cost = true, MEASURED}, 7},
        {&told, {.input = 1000, MEASURED}, 1000},
        {&told, {.cost_micros = UINT64_MAX, .has_cost = true, MEASURED}, RC_COST_MAX},
        {&price, {.input = 1000, .cost_micros = 7, .has_cost = true, MEASURED}, 7500},
        /* extreme numbers are clamped and do not wrap around */
        {&price, {.input = UINT64_MAX, .output = UINT64_MAX, MEASURED}, RC_COST_MAX},
        {&price, {.images = UINT64_MAX, MEASURED}, RC_COST_MAX},
        {&price, {.audio_ms = UINT64_MAX, MEASURED}, RC_COST_MAX},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_int_equal(rc_price_cost(rows[i].price, &rows[i].charge), rows[i].cost);
}

static uint64_t random_state = 88172645463325252u;

static uint64_t random_below(uint64_t below)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state % below;
}

/* Compares random costs with 128-bit arithmetic, which cannot overflow. */
static void costs_agree_with_exact_arithmetic(void **state)
{
    (void)state;
    __extension__ typedef unsigned __int128 wide;
    for (int i = 0; i < OFTEN(200000); i++) {
        uint64_t size = UINT64_C(1) << random_below(27);
        uint64_t rate = UINT64_C(1) << random_below(37);
        rc_charge charge = {.input = random_below(size), .output = random_below(size), MEASURED};
        charge.cached = random_below(charge.input + 1);
        charge.written = random_below(charge.input - charge.cached + 1);
        charge.written_1h = random_below(charge.written + 1);
        charge.audio_ms = random_below(size);
        rc_config_price price = {.input = random_below(rate),
                                 .output = random_below(rate),
                                 .cached_input = random_below(rate),
                                 .cache_write = random_below(rate),
                                 .cache_write_1h = random_below(rate),
                                 .second = random_below(1000000)};
        wide sum = (wide)(charge.input - charge.cached - charge.written) * price.input;
        sum += (wide)charge.cached * price.cached_input;
        sum += (wide)(charge.written - charge.written_1h) * price.cache_write;
        sum += (wide)charge.written_1h * price.cache_write_1h;
        sum += (wide)charge.output * price.output;
        sum += (wide)charge.audio_ms * price.second * 1000;
        wide nearest = (sum + 500000) / 1000000;
        uint64_t wanted = nearest > RC_COST_MAX ? RC_COST_MAX : (uint64_t)nearest;
        assert_int_equal(rc_price_cost(&price, &charge), wanted);
    }
}

/* ---- price files ---- */

static const char whole[] =
    "as_of: 2026-11-01\n"
    "prices:\n"
    "  - {kind: openai, model: \"gpt-4o-mini*\", input: 0.15, output: 0.6,\n"
    "     cached_input: 0.075}\n"
    "  - {provider: azure, model: \"*\", input: 2.20, output: 8.8}\n"
    "  - kind: anthropic\n"
    "    model: claude-sonnet-4*\n"
    "    over_input_tokens: 200_000\n"
    "    input: 6\n"
    "    output: 22.5\n"
    "    cache_write: 7.5\n"
    "  - {model: dall-e-3, image: 0.04}\n"
    "  - {model: whisper-1, second: 0.0001}\n"
    "  - {kind: openrouter, model: \"*\", told: true}\n";

static void expect_text(rc_str text, const char *wanted)
{
    assert_int_equal(text.len, strlen(wanted));
    assert_memory_equal(text.ptr, wanted, text.len);
}

static void a_valid_file_is_read(void **state)
{
    (void)state;
    assert_int_equal(parse(whole), RC_OK);
    expect_text(prices.as_of, "2026-11-01");
    assert_int_equal(prices.own_count, 6);
    const rc_config_price *mini = &prices.own[0];
    expect_text(mini->kind, "openai");
    expect_text(mini->model, "gpt-4o-mini*");
    assert_int_equal(mini->input, 150000);
    assert_int_equal(mini->output, 600000);
    assert_int_equal(mini->cached_input, 75000);
    assert_int_equal(mini->cache_write, 150000); /* default value: the input price */
    assert_int_equal(mini->cache_write_1h, 150000);
    const rc_config_price *sonnet = &prices.own[2];
    assert_int_equal(sonnet->over_input_tokens, 200000);
    assert_int_equal(sonnet->cached_input, 6000000);
    assert_int_equal(sonnet->cache_write, 7500000);
    assert_int_equal(sonnet->cache_write_1h, 7500000); /* default value: cache_write */
    assert_int_equal(prices.own[3].image, 40000);
    assert_int_equal(prices.own[4].second, 100);
    assert_true(prices.own[5].told);
    done();
}

static const rc_config_price *find(const char *kind, const char *provider, const char *model,
                                   uint64_t input)
{
    return rc_prices_find(&prices, rc_str_c(kind), rc_str_c(provider), rc_str_c(model), input);
}

static void the_first_matching_price_applies(void **state)
{
    (void)state;
    assert_int_equal(parse(whole), RC_OK);
    /* The prices of the file precede the built-in ones, and the provider's name is sufficient. */
    assert_ptr_equal(find("openai", "openai", "gpt-4o-mini-2024-07-18", 0), &prices.own[0]);
    assert_ptr_equal(find("openai_compatible", "azure", "gpt-4o-mini", 0), &prices.own[1]);
    assert_ptr_equal(find("openai", "azure", "gpt-4o-mini", 0), &prices.own[0]);
    /* The size of the input selects a row; built-in prices come after those of the file. */
    assert_ptr_equal(find("anthropic", "claude", "claude-sonnet-4-5", 200001), &prices.own[2]);
    const rc_config_price *small = find("anthropic", "claude", "claude-sonnet-4-5", 200000);
    assert_non_null(small);
    assert_int_equal(small->input, 3000000);
    assert_non_null(find("gemini", "g", "gemini-2.5-pro", 10));
    assert_null(find("together", "t", "some-model", 10));
    assert_ptr_not_equal(find("openai", "openai", "gpt-4o-min", 10), &prices.own[0]);
    /* The case of a model name is ignored. */
    assert_ptr_equal(find("openai", "openai", "GPT-4o-Mini", 0), &prices.own[0]);
    done();

    assert_int_equal(parse("as_of: 2026-11-01\nbuilt_in: false\n"), RC_OK);
    assert_null(find("openai", "openai", "gpt-4o", 0));
    bool is_own;
    assert_null(rc_prices_at(&prices, 0, &is_own));
    done();

    assert_int_equal(parse("# nothing\n"), RC_OK);
    assert_int_equal(prices.as_of.len, 0);
    assert_non_null(find("openai", "openai", "gpt-4o", 0));
    done();

    rc_prices_init(&prices);
    assert_int_equal(find("openai", "openai", "gpt-4o", 0)->input, 2500000);
    assert_int_equal(find("openai", "openai", "gpt-4o-mini", 0)->input, 150000);
    assert_int_equal(find("demo", "demo", "demo/503", 0)->input, 0);
    assert_int_equal(prices.as_of.len, 0);
}

/* Every built-in row is reachable, names an existing kind and has a price. */
static void the_built_in_prices_are_valid(void **state)
{
    (void)state;
    rc_prices_init(&prices);
    const rc_config_price *price;
    bool is_own;
    size_t count = 0;
    for (; (price = rc_prices_at(&prices, count, &is_own)) != NULL; count++) {
        assert_false(is_own);
        assert_non_null(rc_config_kind_find(price->kind));
        assert_true(price->input <= RC_PRICE_MAX && price->output <= RC_PRICE_MAX);
        assert_true(price->cached_input <= price->input);
        char model[64];
        assert_true(price->model.len < sizeof model);
        snprintf(model, sizeof model, "%.*s", (int)price->model.len, price->model.ptr);
        const rc_config_price *found = rc_prices_find(
            &prices, price->kind, RC_STR("x"), rc_str_c(model), price->over_input_tokens + 1);
        if (found != price && price->over_input_tokens == 0)
            found = rc_prices_find(&prices, price->kind, RC_STR("x"), rc_str_c(model), 0);
        if (found != price)
            print_message("never reached: %s\n", model);
        assert_ptr_equal(found, price);
    }
    assert_true(count > 150);
    assert_int_equal(strlen(rc_prices_builtin_as_of()), 10);
}

static void faults_are_reported_with_their_position(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t line;
        uint32_t column;
        const char *path;
        const char *message; /* a part of the expected message */
        const char *nearest;
    } rows[] = {
        {"1\n", 1, 1, "", "a map of keys and values is expected", ""},
        {"prices: []\n", 1, 1, "", "as_of is missing", ""},
        {"as_of: yesterday\n", 1, 8, "as_of", "a date is expected, as in 2026-08-08", ""},
        {"as_of: 2026-02-29\n", 1, 8, "as_of", "a date is expected", ""},
        {"as_of: 2026-13-01\n", 1, 8, "as_of", "a date is expected", ""},
        {"as_of: 2026-00-10\n", 1, 8, "as_of", "a date is expected", ""},
        {"as_of: 2026-04-31\n", 1, 8, "as_of", "a date is expected", ""},
        {"as_of: 1999-04-30\n", 1, 8, "as_of", "a date is expected", ""},
        {"as_of: 2026-4-300\n", 1, 8, "as_of", "a date is expected", ""},
        {"as_of: 20x6-04-30\n", 1, 8, "as_of", "a date is expected", ""},
        {"as_of: [2026]\n", 1, 8, "as_of", "a single value is expected", ""},
        {"as_off: 1\nas_of: 2026-01-01\n", 1, 1, "as_off", "unknown key", "as_of"},
        {"as_of: 2026-01-01\nbuilt_in: maybe\n", 2, 11, "built_in", "true or false", ""},
        {"as_of: 2026-01-01\nprices: {}\n", 2, 9, "prices", "a list is expected", ""},
        {"as_of: 2026-01-01\nprices:\n  - model\n", 3, 5, "prices[0]", "a map of keys", ""},
        {"as_of: 2026-01-01\nprices:\n  - {input: 1}\n", 3, 5, "prices[0]", "model is missing", ""},
        {"as_of: 2026-01-01\nprices:\n  - {model: a}\n", 3, 5, "prices[0]", "no price: input", ""},
        {"as_of: 2026-01-01\nprices:\n  - {model: a, inptu: 1, output: 1}\n", 3, 16,
         "prices[0].inptu", "unknown key", "input"},
        {"as_of: 2026-01-01\nprices:\n  - {model: a, kind: opanai, input: 1}\n", 3, 22,
         "prices[0].kind", "", "openai"},
        {"as_of: 2026-01-01\nprices:\n  - {model: a, input: -1}\n", 3, 23, "prices[0].input", "",
         ""},
        {"as_of: 2026-01-01\nprices:\n  - {model: a, input: 1.0000001}\n", 3, 23, "prices[0].input",
         "", ""},
        {"as_of: 2026-01-01\nprices:\n  - {model: a, input: 100000.1}\n", 3, 23, "prices[0].input",
         "", ""},
        {"as_of: 2026-01-01\nprices:\n  - {model: a, input: 1, cache_write: x}\n", 3, 39,
         "prices[0].cache_write", "", ""},
        {"as_of: 2026-01-01\nprices:\n  - {model: a, input: 1, cache_write_1h: 1e9}\n", 3, 42,
         "prices[0].cache_write_1h", "", ""},
        {"as_of: 2026-01-01\nprices:\n  - {model: a, input: $1}\n", 3, 23, "prices[0].input", "",
         ""},
        /* a row that an earlier row makes unreachable */
        {"as_of: 2026-01-01\nprices:\n  - {model: \"gpt*\", input: 1}\n"
         "  - {kind: openai, model: gpt-4o, input: 1}\n",
         4, 27, "prices[1].model", "this price is never used: prices[0]", ""},
        {"as_of: 2026-01-01\nprices:\n  - {model: a, input: 1}\n"
         "  - {model: a, over_input_tokens: 5, input: 1}\n",
         4, 13, "prices[1].model", "this price is never used: prices[0]", ""},
        {"as_of: &a 2026-01-01\n", 1, 8, "", "anchors", ""},
        {"as_of: 2026-01-01\nas_of: 2026-01-02\n", 2, 1, "as_of", "appears twice", ""},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_int_not_equal(parse(rows[i].text), RC_OK);
        const rc_config_fault *fault = &faults.list[0];
        if (faults.count != 1 || fault->line != rows[i].line || fault->column != rows[i].column)
            print_message("%zu: %s%u:%u: %s: %s\n", i, rows[i].text, fault->line, fault->column,
                          fault->path, fault->message);
        assert_int_equal(faults.count, 1);
        assert_int_equal(fault->line, rows[i].line);
        assert_int_equal(fault->column, rows[i].column);
        assert_string_equal(fault->path, rows[i].path);
        assert_non_null(strstr(fault->message, rows[i].message));
        assert_string_equal(fault->nearest, rows[i].nearest);
        assert_true(fault->message[0] != '\0');
        done();
    }
}

/* Rows that overlap only in part are accepted, because each is reachable. */
static void rows_that_overlap_in_part_are_accepted(void **state)
{
    (void)state;
    static const char *const files[] = {
        "as_of: 2026-01-01\nprices:\n  - {model: gpt-4o, input: 1}\n  - {model: gpt*, input: 2}\n",
        "as_of: 2026-01-01\nprices:\n  - {kind: openai, model: \"*\", input: 1}\n"
        "  - {model: a, input: 2}\n",
        "as_of: 2026-01-01\nprices:\n  - {provider: a, model: \"*\", input: 1}\n"
        "  - {provider: b, model: \"*\", input: 2}\n",
        "as_of: 2026-01-01\nprices:\n  - {model: a, over_input_tokens: 5, input: 1}\n"
        "  - {model: a, input: 2}\n",
    };
    for (size_t i = 0; i < COUNT(files); i++) {
        assert_int_equal(parse(files[i]), RC_OK);
        assert_int_equal(prices.own_count, 2);
        done();
    }
}

static void more_prices_than_the_limit_are_refused(void **state)
{
    (void)state;
    static char text[80000];
    for (int count = RC_PRICES_MAX; count <= RC_PRICES_MAX + 1; count++) {
        int at = snprintf(text, sizeof text, "as_of: 2026-01-01\nprices:\n");
        for (int i = 0; i < count; i++)
            at += snprintf(text + at, sizeof text - (size_t)at, "  - {model: m%d, input: 1}\n", i);
        assert_int_equal(parse(text), count > RC_PRICES_MAX ? RC_E_RANGE : RC_OK);
        if (count > RC_PRICES_MAX)
            assert_string_equal(faults.list[0].message, "more than 1024 prices");
        done();
    }
}

static void failing_allocations_are_reported(void **state)
{
    (void)state;
    for (int is_for_good = 0; is_for_good < 2; is_for_good++) {
        for (size_t fail_at = 1; fail_at < 1000; fail_at++) {
            memory = (fail_alloc){.fail_at = fail_at, .for_good = is_for_good != 0};
            rc_status status = parse(whole);
            bool has_failed = memory.calls >= fail_at;
            assert_int_equal(status, has_failed ? RC_E_NOMEM : RC_OK);
            done();
            if (!has_failed)
                break;
            assert_true(fail_at < 999);
        }
    }
    memory = (fail_alloc){0};
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_charge_has_its_cost),
        cmocka_unit_test(costs_agree_with_exact_arithmetic),
        cmocka_unit_test(a_valid_file_is_read),
        cmocka_unit_test(the_first_matching_price_applies),
        cmocka_unit_test(the_built_in_prices_are_valid),
        cmocka_unit_test(faults_are_reported_with_their_position),
        cmocka_unit_test(rows_that_overlap_in_part_are_accepted),
        cmocka_unit_test(more_prices_than_the_limit_are_refused),
        cmocka_unit_test(failing_allocations_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
