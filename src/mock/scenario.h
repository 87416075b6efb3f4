/* rc_mock_scenario: who gets what, in YAML.
 *
 *   seed: 7
 *   limits: {requests_per_min: 600, tokens_per_min: 100000}
 *   unknown_keys: allow
 *   keys:
 *     - {name: first, ends: "1111", do: quota, until_ms: 30s}
 *     - {name: second, ends: "2222", requests_per_min: 60}
 *   rules:
 *     - when: {model: "gpt-4o*", nth: 1-2}
 *       do: 503-retry-after-1
 *     - do: ok
 *
 * Who is asked first: the key (unknown, spent, its own behaviour), then the rules in order, then
 * the model's name. docs/mock.md has all keys. */
#ifndef RC_MOCK_SCENARIO_H
#define RC_MOCK_SCENARIO_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/alloc.h>
#include <recourse/status.h>
#include <recourse/str.h>

#include "config/fault.h"
#include "mock/behaviour.h"

#define RC_MOCK_RULES_MAX 128
#define RC_MOCK_KEYS_MAX 64

/* Texts end in NUL; "" is any. A * in a model or path stands for any text. */
typedef struct rc_mock_rule {
    char model[128];
    char path[128];
    char key[32];    /* a key's name, or how it ends */
    char header[64]; /* that is there, by its name in lower case ... */
    char value[128]; /* ... with this value */
    uint64_t nth_from;
    uint64_t nth_to; /* UINT64_MAX: no end */
    rc_mock_plan plan;
} rc_mock_rule;

typedef struct rc_mock_key {
    char name[32];
    char ends[64];
    bool has_plan;
    rc_mock_plan plan;
    uint64_t until_ms; /* the plan's end, from the start on; 0: none */
    uint64_t requests_per_min;
    uint64_t tokens_per_min;
} rc_mock_key;

typedef struct rc_mock_scenario {
    uint64_t seed;
    uint64_t requests_per_min; /* of all keys together; 0: no limit */
    uint64_t tokens_per_min;
    bool allows_unknown;
    uint32_t key_count;
    uint32_t rule_count;
    rc_mock_key keys[RC_MOCK_KEYS_MAX];
    rc_mock_rule rules[RC_MOCK_RULES_MAX];
} rc_mock_scenario;

/* Reads a scenario. RC_OK, RC_E_NOMEM, or with faults added whatever rc_yaml_parse says or
 * RC_E_RANGE. text: borrows. */
rc_status rc_mock_scenario_parse(rc_str text, const rc_alloc *alloc, rc_config_faults *faults,
                                 rc_mock_scenario *ret_scenario);

/* Does the text fit the pattern, in which * stands for any text? Both: borrow. */
bool rc_mock_glob_matches(rc_str pattern, rc_str text);

#endif
