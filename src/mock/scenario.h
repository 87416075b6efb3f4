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
 * The behaviour of a request comes from its API key, if the key is unknown, is over its limit or
 * has a behaviour of its own; else from the first matching rule; else from the model's name.
 * docs/mock.md lists all keys of the YAML file. */
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

/* A rule. The texts of a rule are NUL-terminated, and "" matches anything. In a model, a path or a
 * header value "*" matches any text. */
typedef struct rc_mock_rule {
    char model[128];
    char path[128];
    char key[32];    /* Name of an API key, or the end of its value. */
    char header[64]; /* Name of a required header, in lower case. */
    char value[128]; /* Value of that header. */
    uint64_t nth_from;
    uint64_t nth_to; /* UINT64_MAX: no limit. */
    rc_mock_plan plan;
} rc_mock_rule;

typedef struct rc_mock_key {
    char name[32];
    char ends[64]; /* End of the key's value. */
    bool has_plan;
    rc_mock_plan plan;
    uint64_t until_ms; /* Time from the start after which the plan of the key ends; 0: the plan does
                        * not end. */
    uint64_t requests_per_min;
    uint64_t tokens_per_min;
} rc_mock_key;

typedef struct rc_mock_scenario {
    uint64_t seed;
    uint64_t requests_per_min; /* Limit for all keys together; 0: no limit. */
    uint64_t tokens_per_min;
    bool allows_unknown; /* API keys that are not in `keys` are accepted. */
    uint32_t key_count;
    uint32_t rule_count;
    rc_mock_key keys[RC_MOCK_KEYS_MAX];
    rc_mock_rule rules[RC_MOCK_RULES_MAX];
} rc_mock_scenario;

/* Parses a scenario. Returns RC_OK or RC_E_NOMEM. For an invalid text, adds faults and returns the
 * status of rc_yaml_parse, or RC_E_RANGE if the text is valid YAML. text: borrows during the
 * call. */
rc_status rc_mock_scenario_parse(rc_str text, const rc_alloc *alloc, rc_config_faults *faults,
                                 rc_mock_scenario *ret_scenario);

/* Returns whether the pattern matches the whole text. "*" matches any text. pattern, text: borrows
 * during the call. */
bool rc_mock_glob_matches(rc_str pattern, rc_str text);

#endif
