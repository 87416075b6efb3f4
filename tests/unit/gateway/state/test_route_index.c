/* Tests of the index of routes: it finds the same route as a search of the whole list. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "gateway/state/route_index.h"
#include "support/fail_alloc.h"

#define ROUTES_MAX 40u
#define NAME_MAX 24u

static uint32_t random_state = 1;

static uint32_t below(uint32_t limit)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % limit;
}

/* Writes a short name of few different letters, so that names are often equal or similar. */
static rc_str random_name(char *memory, bool has_stars)
{
    const size_t len = below(4) == 0 ? below(NAME_MAX) : below(4);
    for (size_t i = 0; i < len; i++)
        memory[i] = has_stars && below(5) == 0 ? '*' : (char)('a' + below(2));
    return rc_str_make(memory, len);
}

static size_t searched(const rc_config *config, rc_str model)
{
    const rc_config_route *route = rc_config_route_find(config, model);
    return route != NULL ? (size_t)(route - config->routes) : SIZE_MAX;
}

static void finds_the_first_matching_route(void **state)
{
    (void)state;
    static rc_config_route routes[ROUTES_MAX];
    static char names[ROUTES_MAX][NAME_MAX];
    fail_alloc memory = {.fail_at = 0};
    const rc_alloc alloc = fail_alloc_of(&memory);
    size_t found = 0;
    for (int round = 0; round < 2000; round++) {
        rc_config config = {.routes = routes, .route_count = below(ROUTES_MAX)};
        rc_arena arena;
        rc_route_index index;
        for (size_t i = 0; i < config.route_count; i++)
            routes[i] = (rc_config_route){.model = random_name(names[i], below(3) == 0)};
        rc_arena_init(&arena, &alloc, 1 << 20);
        assert_true(rc_route_index_init(&index, &config, &arena));
        for (int i = 0; i < 50; i++) {
            char text[NAME_MAX];
            const rc_str model =
                i < (int)config.route_count ? routes[i].model : random_name(text, below(9) == 0);
            const size_t at = rc_route_index_find(&index, model);
            assert_true(at == searched(&config, model));
            found += at != SIZE_MAX;
        }
        rc_arena_done(&arena);
    }
    assert_true(found > 10000 && found < 90000);
    assert_int_equal(memory.live, 0);
}

static void reports_missing_memory(void **state)
{
    (void)state;
    static rc_config_route route = {.model = RC_STR_INIT("gpt-4o")};
    const rc_config config = {.routes = &route, .route_count = 1};
    fail_alloc memory = {.fail_at = 1};
    const rc_alloc alloc = fail_alloc_of(&memory);
    rc_arena arena;
    rc_route_index index;
    rc_arena_init(&arena, &alloc, 1 << 20);
    assert_false(rc_route_index_init(&index, &config, &arena));
    rc_arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_first_matching_route),
        cmocka_unit_test(reports_missing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
