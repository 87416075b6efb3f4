/* rc_mock_scenario: keys, limits and rules of the mock provider, from YAML.
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
 * The behaviour of a request comes from its key (unknown, over its limit, its own behaviour), else
 * from the first matching rule, else from the model's name. docs/mock.md lists all keys. */
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

/* A rule. Texts are NUL-terminated; "" matches anything. * in a model, path or header value matches
 * any text. */
typedef struct rc_mock_rule {
    char model[128];
    char path[128];
    char key[32];    /* Name of a key, or the end of its value. */
    char header[64]; /* Header that must be present, in lower case ... */
    char value[128]; /* ... with this value. */
    uint64_t nth_from;
    uint64_t nth_to; /* UINT64_MAX: no limit. */
    rc_mock_plan plan;
} rc_mock_rule;

typedef struct rc_mock_key {
    char name[32];
    char ends[64]; /* End of the key's value. */
    bool has_plan;
    rc_mock_plan plan;
    uint64_t until_ms; /* End of the plan, since the start; 0: never. */
    uint64_t requests_per_min;
    uint64_t tokens_per_min;
} rc_mock_key;

typedef struct rc_mock_scenario {
    uint64_t seed;
    uint64_t requests_per_min; /* For all keys together; 0: no limit. */
    uint64_t tokens_per_min;
    bool allows_unknown; /* Keys that are not listed are accepted. */
    uint32_t key_count;
    uint32_t rule_count;
    rc_mock_key keys[RC_MOCK_KEYS_MAX];
    rc_mock_rule rules[RC_MOCK_RULES_MAX];
} rc_mock_scenario;

/* Parses a scenario. Returns RC_OK, RC_E_NOMEM, or with faults added as rc_yaml_parse or
 * RC_E_RANGE. text: borrows. */
rc_status rc_mock_scenario_parse(rc_str text, const rc_alloc *alloc, rc_config_faults *faults,
                                 rc_mock_scenario *ret_scenario);

/* Whether the pattern matches the whole text; * matches any text. pattern, text: borrow. */
bool rc_mock_glob_matches(rc_str pattern, rc_str text);

#endif
