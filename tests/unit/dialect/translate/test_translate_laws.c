/* Laws of translations on generated conversations and responses, for all pairs of dialects. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "support/translate_laws.h"

#define ROUNDS 60
#define CHOICES 64

static void fill(unsigned char *bytes, uint32_t seed)
{
    uint32_t state = seed * 2654435761u + 1;
    for (size_t i = 0; i < CHOICES; i++) {
        state = state * 1664525u + 1013904223u;
        bytes[i] = (unsigned char)(state >> 24);
    }
}

/* Calls `check` with the choices of each round, for each pair of dialects. */
static void for_each(void (*check)(laws_source s, laws_source splits, const translate_dialect *from,
                                   const translate_dialect *to))
{
    unsigned char bytes[CHOICES];
    unsigned char splits[CHOICES];
    for (uint32_t round = 0; round < ROUNDS; round++)
        for (size_t i = 0; i < TRANSLATE_DIALECT_COUNT; i++)
            for (size_t k = 0; k < TRANSLATE_DIALECT_COUNT; k++) {
                fill(bytes, round);
                fill(splits, round * 31 + 7);
                if (i != k)
                    check((laws_source){.bytes = bytes, .len = CHOICES},
                          (laws_source){.bytes = splits, .len = CHOICES}, &translate_dialects[i],
                          &translate_dialects[k]);
            }
}

static void check_response(laws_source s, laws_source splits, const translate_dialect *from,
                           const translate_dialect *to)
{
    rc_alloc alloc = rc_alloc_stdlib();
    for (int is_stream = 0; is_stream < 2; is_stream++)
        if (!laws_response_holds(&alloc, s, splits, from, to, is_stream != 0))
            fail_msg("a response of %s for %s, stream: %d", from->name, to->name, is_stream);
}

static void a_response_has_the_same_content_in_every_dialect(void **state)
{
    (void)state;
    for_each(check_response);
}

static size_t exact_counts[TRANSLATE_DIALECT_COUNT][TRANSLATE_DIALECT_COUNT];

static void check_request(laws_source s, laws_source splits, const translate_dialect *from,
                          const translate_dialect *to)
{
    rc_alloc alloc = rc_alloc_stdlib();
    bool is_exact = false;
    (void)splits;
    if (!laws_request_holds(&alloc, s, from->dialect, to->dialect, &is_exact))
        fail_msg("a request of %s for %s", from->name, to->name);
    exact_counts[from - translate_dialects][to - translate_dialects] += is_exact;
}

static void a_request_is_the_same_after_a_way_there_and_back(void **state)
{
    (void)state;
    for_each(check_request);
    for (size_t i = 0; i < TRANSLATE_DIALECT_COUNT; i++)
        for (size_t k = 0; k < TRANSLATE_DIALECT_COUNT; k++)
            if (i != k && exact_counts[i][k] < ROUNDS / 6)
                fail_msg("only %zu requests of %s for %s were exact", exact_counts[i][k],
                         translate_dialects[i].name, translate_dialects[k].name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_response_has_the_same_content_in_every_dialect),
        cmocka_unit_test(a_request_is_the_same_after_a_way_there_and_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
