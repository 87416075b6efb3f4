/* Reads the scenarios of the mock provider from YAML. Called by recourse mock. */
#include "mock/scenario.h"

#include <string.h>

#include "base/str.h"
#include "config/yaml/yaml.h"
#include "mock/limit.h"

#define PLAN_MAX 256
#define UNTIL_MAX_MS 86400000u

bool rc_mock_glob_matches(rc_str pattern, rc_str text)
{
    size_t at = 0;
    size_t from = 0;
    /* `star` is the last star of the pattern so far. The star matches the text up to the offset
     * `tried`. */
    size_t star = RC_STR_NPOS;
    size_t tried = 0;
    while (from < text.len) {
        if (at < pattern.len && pattern.ptr[at] == '*') {
            star = at++;
            tried = from;
        } else if (at < pattern.len && pattern.ptr[at] == text.ptr[from]) {
            at++;
            from++;
        } else if (star != RC_STR_NPOS) {
            at = star + 1;
            from = ++tried;
        } else {
            return false;
        }
    }
    while (at < pattern.len && pattern.ptr[at] == '*')
        at++;
    return at == pattern.len;
}

/* ---- values ---- */

static const rc_yaml_node *get(const rc_yaml_node *map, const char *key)
{
    return rc_yaml_get(map, rc_str_c(key));
}

static const char *name_at(const void *ctx, size_t index)
{
    const char *const *names = ctx;
    return names[index];
}

static bool check_keys(const rc_yaml_node *map, const char *const *names, rc_config_faults *faults)
{
    return rc_yaml_check_keys(map, name_at, names, faults);
}

/* Copies the text of a node into `field` and adds a fault if it is too long. If the node is
 * missing, the field stays empty. */
static void read_text(const rc_yaml_node *node, char *field, size_t size, rc_config_faults *faults)
{
    rc_str text;
    if (node == NULL || !rc_yaml_text(node, faults, &text))
        return;
    if (text.len >= size) {
        rc_config_fault *fault = rc_yaml_fault(faults, node);
        rc_config_fault_append(fault, "it is longer than ");
        rc_config_fault_append_u64(fault, size - 1);
        rc_config_fault_append(fault, " bytes");
        return;
    }
    memcpy(field, text.ptr, text.len);
    field[text.len] = '\0';
}

static void read_limit(const rc_yaml_node *node, uint64_t *ret_limit, rc_config_faults *faults)
{
    if (node != NULL)
        (void)rc_yaml_u64(node, 1, RC_MOCK_LIMIT_MAX, faults, ret_limit);
}

static void append_plan_fault(rc_config_faults *faults, const rc_yaml_node *node,
                              const rc_mock_reading *reading)
{
    rc_config_fault *fault = rc_yaml_fault(faults, node);
    rc_config_fault_append_quoted(fault, reading->word);
    rc_config_fault_append(fault, ": ");
    rc_config_fault_append(fault, rc_mock_fault_text(reading->fault));
    rc_config_fault_suggest(fault, reading->word, rc_mock_behaviour_name_at, NULL);
}

/* Reads a plan: a text, or a list of behaviours, which are joined with "+". */
static bool read_plan(const rc_yaml_node *node, rc_mock_plan *ret_plan, rc_config_faults *faults)
{
    char scratch[PLAN_MAX];
    rc_buf joined;
    rc_str text;
    rc_mock_reading reading;
    const rc_yaml_node *item = node->kind == RC_YAML_LIST ? node->first : node;
    rc_buf_init_fixed(&joined, scratch, sizeof scratch);
    for (; item != NULL; item = node->kind == RC_YAML_LIST ? item->next : NULL) {
        if (!rc_yaml_text(item, faults, &text))
            return false;
        if (rc_buf_get(&joined).len > 0)
            rc_buf_push_byte(&joined, '+');
        rc_buf_push(&joined, text);
    }
    if (rc_buf_status(&joined) != RC_OK || rc_buf_get(&joined).len == 0) {
        rc_config_fault_append(rc_yaml_fault(faults, node),
                               "expected a list of behaviours that is not too long");
        return false;
    }
    if (rc_mock_plan_parse(rc_buf_get(&joined), ret_plan, &reading))
        return true;
    append_plan_fault(faults, node, &reading);
    return false;
}

/* ---- rules ---- */

static bool read_digits(rc_str text, uint64_t *ret_value)
{
    uint64_t value = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (!rc_ascii_is_digit(text.ptr[i]))
            return false;
        value = value * 10 + (uint64_t)(text.ptr[i] - '0');
    }
    *ret_value = value;
    return text.len > 0 && text.len < 19 && value > 0;
}

/* Reads a range of request numbers: "3", "2-5" or "2-". */
static void read_nth(const rc_yaml_node *node, rc_mock_rule *rule, rc_config_faults *faults)
{
    rc_str text;
    if (!rc_yaml_text(node, faults, &text))
        return;
    const size_t dash = rc_str_find_byte(text, '-', 0);
    rc_str last = rc_str_slice(text, dash == RC_STR_NPOS ? 0 : dash + 1, text.len);
    bool is_right = read_digits(rc_str_slice(text, 0, dash), &rule->nth_from);
    if (dash != RC_STR_NPOS && last.len == 0)
        rule->nth_to = UINT64_MAX;
    else
        is_right = read_digits(last, &rule->nth_to) && is_right;
    if (!is_right || rule->nth_to < rule->nth_from)
        rc_config_fault_append(rc_yaml_fault(faults, node),
                               "expected a number from 1 on, 2-5 or 2-");
}

/* Reads the header of a rule: "name" or "name: value". */
static void read_header(const rc_yaml_node *node, rc_mock_rule *rule, rc_config_faults *faults)
{
    char both[sizeof rule->header + sizeof rule->value] = "";
    read_text(node, both, sizeof both, faults);
    rc_str text = rc_str_c(both);
    const size_t colon = rc_str_find_byte(text, ':', 0);
    rc_str name = rc_str_trim(rc_str_slice(text, 0, colon));
    rc_str value = colon == RC_STR_NPOS ? rc_str_make(NULL, 0)
                                        : rc_str_trim(rc_str_slice(text, colon + 1, text.len));
    if (name.len >= sizeof rule->header || value.len >= sizeof rule->value) {
        rc_config_fault_append(rc_yaml_fault(faults, node), "the header is too long");
        return;
    }
    for (size_t i = 0; i < name.len; i++)
        rule->header[i] = rc_ascii_lower(name.ptr[i]);
    if (value.len > 0)
        memcpy(rule->value, value.ptr, value.len);
}

static void read_when(const rc_yaml_node *node, rc_mock_rule *rule, rc_config_faults *faults)
{
    static const char *const keys[] = {"model", "path", "key", "nth", "header", NULL};
    if (!check_keys(node, keys, faults))
        return;
    read_text(get(node, "model"), rule->model, sizeof rule->model, faults);
    read_text(get(node, "path"), rule->path, sizeof rule->path, faults);
    read_text(get(node, "key"), rule->key, sizeof rule->key, faults);
    if (get(node, "nth") != NULL)
        read_nth(get(node, "nth"), rule, faults);
    if (get(node, "header") != NULL)
        read_header(get(node, "header"), rule, faults);
}

static void read_rule(const rc_yaml_node *node, rc_mock_rule *rule, rc_config_faults *faults)
{
    static const char *const keys[] = {"when", "do", NULL};
    rule->nth_to = UINT64_MAX;
    if (!check_keys(node, keys, faults))
        return;
    if (get(node, "when") != NULL)
        read_when(get(node, "when"), rule, faults);
    if (get(node, "do") == NULL)
        rc_config_fault_append(rc_yaml_fault(faults, node), "do is missing");
    else
        (void)read_plan(get(node, "do"), &rule->plan, faults);
}

/* ---- keys ---- */

static void read_key(const rc_yaml_node *node, rc_mock_key *key, rc_config_faults *faults)
{
    static const char *const keys[] = {
        "name", "ends", "do", "until_ms", "requests_per_min", "tokens_per_min", NULL};
    if (!check_keys(node, keys, faults))
        return;
    read_text(get(node, "name"), key->name, sizeof key->name, faults);
    read_text(get(node, "ends"), key->ends, sizeof key->ends, faults);
    if (get(node, "name") == NULL || get(node, "ends") == NULL)
        rc_config_fault_append(rc_yaml_fault(faults, node), "a key needs name and ends");
    if (get(node, "do") != NULL)
        key->has_plan = read_plan(get(node, "do"), &key->plan, faults);
    if (get(node, "until_ms") != NULL)
        (void)rc_yaml_duration_ms(get(node, "until_ms"), UNTIL_MAX_MS, faults, &key->until_ms);
    read_limit(get(node, "requests_per_min"), &key->requests_per_min, faults);
    read_limit(get(node, "tokens_per_min"), &key->tokens_per_min, faults);
}

/* ---- scenarios ---- */

/* Returns whether the node is a list of at most `max` items. Adds a fault if not, except if the
 * node is missing. */
static bool is_list(const rc_yaml_node *node, uint32_t max, rc_config_faults *faults)
{
    if (node == NULL || !rc_yaml_expect(node, RC_YAML_LIST, faults))
        return false;
    if (node->count <= max)
        return true;
    rc_config_fault *fault = rc_yaml_fault(faults, node);
    rc_config_fault_append(fault, "expected at most ");
    rc_config_fault_append_u64(fault, max);
    return false;
}

static void read_top(const rc_yaml_node *root, rc_mock_scenario *scenario, rc_config_faults *faults)
{
    static const char *const keys[] = {"seed", "limits", "unknown_keys", "keys", "rules", NULL};
    static const char *const limits[] = {"requests_per_min", "tokens_per_min", NULL};
    static const char *const unknown[] = {"refuse", "allow", NULL};
    size_t choice = 0;
    if (!check_keys(root, keys, faults))
        return;
    if (get(root, "seed") != NULL)
        (void)rc_yaml_u64(get(root, "seed"), 0, INT64_MAX, faults, &scenario->seed);
    const rc_yaml_node *limit = get(root, "limits");
    if (limit != NULL && check_keys(limit, limits, faults)) {
        read_limit(get(limit, "requests_per_min"), &scenario->requests_per_min, faults);
        read_limit(get(limit, "tokens_per_min"), &scenario->tokens_per_min, faults);
    }
    if (get(root, "unknown_keys") != NULL)
        (void)rc_yaml_choice(get(root, "unknown_keys"), name_at, unknown, faults, &choice);
    scenario->allows_unknown = choice == 1;
    if (is_list(get(root, "keys"), RC_MOCK_KEYS_MAX, faults))
        for (const rc_yaml_node *key = get(root, "keys")->first; key != NULL; key = key->next)
            read_key(key, &scenario->keys[scenario->key_count++], faults);
    if (is_list(get(root, "rules"), RC_MOCK_RULES_MAX, faults))
        for (const rc_yaml_node *rule = get(root, "rules")->first; rule != NULL; rule = rule->next)
            read_rule(rule, &scenario->rules[scenario->rule_count++], faults);
}

rc_status rc_mock_scenario_parse(rc_str text, const rc_alloc *alloc, rc_config_faults *faults,
                                 rc_mock_scenario *ret_scenario)
{
    rc_yaml doc;
    memset(ret_scenario, 0, sizeof *ret_scenario);
    rc_status status = rc_yaml_parse(&doc, text, alloc, faults);
    if (status == RC_OK && doc.root->kind != RC_YAML_NULL) {
        read_top(doc.root, ret_scenario, faults);
        status = faults->count > 0 ? RC_E_RANGE : RC_OK;
    }
    rc_yaml_done(&doc);
    return status;
}
