/* Reads the values of YAML nodes and adds faults for values of the wrong type. Called by the
 * readers of configurations and of the files for the simulator and the mock provider. */
#include <string.h>

#include "base/str.h"
#include "codec/duration.h"
#include "config/yaml/syntax.h"
#include "config/yaml/yaml.h"

#define UNIT_SUFFIX RC_STR("_ms")
#define PLACES_MAX 9
#define NAMES_SHOWN_MAX 6

static rc_config_fault *fault_at(rc_config_faults *faults, const rc_yaml_node *node, uint32_t line,
                                 uint32_t column)
{
    rc_config_fault *fault = rc_config_faults_add(faults, line, column);
    /* A fault that the list cannot store is never shown, so it needs no path. */
    if (fault == &faults->spare)
        return fault;
    rc_yaml_path(node, faults, fault);
    fault->end_line = node->end_line;
    fault->is_private = rc_yaml_is_private(node, faults);
    return fault;
}

rc_config_fault *rc_yaml_fault(rc_config_faults *faults, const rc_yaml_node *node)
{
    return fault_at(faults, node, node->line, node->column);
}

rc_config_fault *rc_yaml_fault_at_key(rc_config_faults *faults, const rc_yaml_node *node)
{
    if (node->key.len == 0)
        return rc_yaml_fault(faults, node);
    return fault_at(faults, node, node->key_line, node->key_column);
}

/* Marks the faults in the lines `first` to `last` as private, except the fault `except`, which may
 * be NULL. */
static void hide_between(rc_config_faults *faults, uint32_t first, uint32_t last,
                         const rc_config_fault *except)
{
    for (size_t i = 0; i < rc_config_faults_listed(faults); i++) {
        rc_config_fault *fault = &faults->list[i];
        if (fault != except && fault->line >= first && fault->line <= last)
            fault->is_private = true;
    }
}

/* Marks the faults on the lines of keys below `node` that name secrets. The depth limit of the tree
 * bounds the recursion. */
static void hide_below(const rc_yaml_node *node, rc_config_faults *faults)
{
    for (const rc_yaml_node *child = node->first; child != NULL; child = child->next) {
        if (rc_config_is_secret_name(child->key))
            hide_between(faults, child->key_line, child->end_line, NULL);
        else
            hide_below(child, faults);
    }
}

void rc_yaml_hide_lines(const rc_yaml_node *root, rc_config_faults *faults)
{
    bool is_hiding[RC_CONFIG_FAULTS_MAX] = {false};
    if (faults->is_open || faults->count == 0)
        return;
    for (size_t i = 0; i < rc_config_faults_listed(faults); i++)
        is_hiding[i] = faults->list[i].is_private || faults->list[i].is_key;
    for (size_t i = 0; i < rc_config_faults_listed(faults); i++) {
        const rc_config_fault *fault = &faults->list[i];
        if (is_hiding[i])
            hide_between(faults, fault->line, fault->end_line, fault);
    }
    if (faults->count > RC_CONFIG_FAULTS_MAX)
        rc_config_faults_hide(faults, 0);
    if (root != NULL)
        hide_below(root, faults);
}

static const char *kind_text(rc_yaml_kind kind)
{
    switch (kind) {
    case RC_YAML_NULL:
        return "nothing";
    case RC_YAML_SCALAR:
        return "a single value";
    case RC_YAML_LIST:
        return "a list";
    case RC_YAML_MAP:
        return "a map of keys and values";
    }
    return "";
}

bool rc_yaml_expect(const rc_yaml_node *node, rc_yaml_kind kind, rc_config_faults *faults)
{
    if (node->kind == kind)
        return true;
    rc_config_fault *fault = rc_yaml_fault(faults, node);
    fault->is_private = !faults->is_open;
    rc_config_fault_append(fault, kind_text(kind));
    rc_config_fault_append(fault, " is expected, not ");
    rc_config_fault_append(fault, kind_text(node->kind));
    return false;
}

static bool has_name(rc_str text, rc_name_at name_at, const void *ctx, size_t *ret_index)
{
    for (size_t i = 0; name_at(ctx, i) != NULL; i++) {
        if (rc_str_eq(text, rc_str_c(name_at(ctx, i)))) {
            *ret_index = i;
            return true;
        }
    }
    return false;
}

typedef struct name_list {
    rc_name_at name_at;
    const void *ctx;
} name_list;

/* An rc_name_at: returns the names of the name_list `ctx` that name secrets. */
static const char *secret_name_at(const void *ctx, size_t index)
{
    const name_list *list = ctx;
    for (size_t i = 0; list->name_at(list->ctx, i) != NULL; i++) {
        const char *name = list->name_at(list->ctx, i);
        if (rc_config_is_secret_name(rc_str_c(name)) && index-- == 0)
            return name;
    }
    return NULL;
}

static void refuse_key(const rc_yaml_node *node, rc_name_at name_at, const void *ctx,
                       rc_config_faults *faults)
{
    name_list list = {name_at, ctx};
    rc_config_fault *fault = rc_yaml_fault_at_key(faults, node);
    rc_config_fault_suggest(fault, node->key, name_at, ctx);
    bool is_stray = fault->nearest[0] == '\0' && node->kind == RC_YAML_NULL && !faults->is_open;
    rc_config_fault_append(fault,
                           is_stray ? "this key is unknown and has no value" : "unknown key");
    if (is_stray) {
        /* In {keys: a, b} the text "b" looks like a key, but it may be a part of the secret before
         * it. Therefore the path must not contain this text. */
        fault->path[0] = '\0';
        rc_yaml_path(node->parent, faults, fault);
    }
    fault->is_key = true;
    if (!faults->is_open &&
        (fault->nearest[0] == '\0' || rc_nearest(node->key, secret_name_at, &list) != NULL))
        fault->is_private = true;
}

/* Returns whether `key` is `name` without the suffix _ms, such as "deadline" for "deadline_ms". */
static bool is_without_unit(rc_str key, rc_str name)
{
    return name.len == key.len + UNIT_SUFFIX.len && rc_str_starts_with(name, key) &&
           rc_str_ends_with(name, UNIT_SUFFIX);
}

/* Returns the name of a time that consists of `key` and the suffix _ms, or NULL. */
static const char *timed_name(rc_str key, rc_name_at name_at, const void *ctx)
{
    for (size_t i = 0; name_at(ctx, i) != NULL; i++)
        if (is_without_unit(key, rc_str_c(name_at(ctx, i))))
            return name_at(ctx, i);
    return NULL;
}

/* Checks a time whose key lacks _ms. If the map also has the key with _ms, adds a fault and returns
 * false. */
static bool check_timed(const rc_yaml_node *map, const rc_yaml_node *child, const char *name,
                        rc_config_faults *faults)
{
    if (rc_yaml_get(map, rc_str_c(name)) == NULL)
        return true;
    rc_config_fault *fault = rc_yaml_fault_at_key(faults, child);
    rc_config_fault_append(fault, name);
    rc_config_fault_append(fault, " sets the same value and is also present; remove one of them");
    return false;
}

static bool check_keys(const rc_yaml_node *map, rc_name_at name_at, const void *ctx, bool is_timed,
                       rc_config_faults *faults)
{
    if (!rc_yaml_expect(map, RC_YAML_MAP, faults))
        return false;
    bool is_good = true;
    for (const rc_yaml_node *child = map->first; child != NULL; child = child->next) {
        size_t index;
        if (has_name(child->key, name_at, ctx, &index))
            continue;
        const char *timed = is_timed ? timed_name(child->key, name_at, ctx) : NULL;
        if (timed != NULL) {
            is_good &= check_timed(map, child, timed, faults);
            continue;
        }
        refuse_key(child, name_at, ctx, faults);
        is_good = false;
    }
    return is_good;
}

bool rc_yaml_check_keys(const rc_yaml_node *map, rc_name_at name_at, const void *ctx,
                        rc_config_faults *faults)
{
    return check_keys(map, name_at, ctx, false, faults);
}

bool rc_yaml_check_timed_keys(const rc_yaml_node *map, rc_name_at name_at, const void *ctx,
                              rc_config_faults *faults)
{
    return check_keys(map, name_at, ctx, true, faults);
}

const rc_yaml_node *rc_yaml_get_time(const rc_yaml_node *map, rc_str key)
{
    const rc_yaml_node *node = rc_yaml_get(map, key);
    return node != NULL ? node : rc_yaml_get(map, rc_str_slice(key, 0, key.len - UNIT_SUFFIX.len));
}

bool rc_yaml_text(const rc_yaml_node *node, rc_config_faults *faults, rc_str *ret_text)
{
    if (!rc_yaml_expect(node, RC_YAML_SCALAR, faults))
        return false;
    if (node->text.len == 0) {
        rc_config_fault_append(rc_yaml_fault(faults, node), "empty text");
        return false;
    }
    *ret_text = node->text;
    return true;
}

bool rc_yaml_bool(const rc_yaml_node *node, rc_config_faults *faults, bool *ret_value)
{
    if (!rc_yaml_expect(node, RC_YAML_SCALAR, faults))
        return false;
    bool is_true = rc_str_eq(node->text, RC_STR("true"));
    if (!node->is_quoted && (is_true || rc_str_eq(node->text, RC_STR("false")))) {
        *ret_value = is_true;
        return true;
    }
    rc_config_fault *fault = rc_yaml_fault(faults, node);
    rc_config_fault_append(fault, "true or false is expected, not ");
    rc_config_fault_append_quoted(fault, node->text);
    return false;
}

/* ---- numbers ---- */

/* Appends a decimal digit. Returns false on overflow. */
static bool push_digit(uint64_t *value, char digit)
{
    uint64_t add = (uint64_t)(digit - '0');
    if (*value > (UINT64_MAX - add) / 10)
        return false;
    *value = *value * 10 + add;
    return true;
}

/* Returns whether a number has a leading zero. Such a number is refused, because programs disagree
 * on whether 010 is eight or ten. */
static bool has_leading_zero(rc_str text)
{
    return text.len > 1 && text.ptr[0] == '0' &&
           (rc_ascii_is_digit(text.ptr[1]) || text.ptr[1] == '_');
}

/* Parses "12", "12.5" or "1_000" as an integer whose last `places` digits are decimals. A number
 * that is too large gives UINT64_MAX, which is above every limit. Returns false if the text has
 * another form. */
static bool read_decimal(rc_str text, unsigned places, uint64_t *ret_value)
{
    uint64_t value = 0;
    bool is_too_large = false;
    bool has_point = false;
    unsigned kept = 0;
    if (has_leading_zero(text))
        return false;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        bool is_inside = i > 0 && i + 1 < text.len && rc_ascii_is_digit(text.ptr[i - 1]) &&
                         rc_ascii_is_digit(text.ptr[i + 1]);
        if (c == '_' && is_inside && !has_point)
            continue;
        if (c == '.' && is_inside && !has_point) {
            has_point = true;
            continue;
        }
        if (!rc_ascii_is_digit(c) || (has_point && kept == places))
            return false;
        kept += has_point ? 1 : 0;
        is_too_large = !push_digit(&value, c) || is_too_large;
    }
    for (; kept < places; kept++)
        is_too_large = !push_digit(&value, '0') || is_too_large;
    *ret_value = is_too_large ? UINT64_MAX : value;
    return text.len > 0;
}

static uint64_t power_of_ten(unsigned exponent)
{
    uint64_t power = 1;
    while (exponent-- > 0)
        power *= 10;
    return power;
}

static void append_decimal(rc_config_fault *fault, uint64_t value, unsigned places)
{
    char scratch[RC_DECIMAL_CAPACITY];
    rc_config_fault_append(fault, rc_config_decimal(scratch, value, places).ptr);
}

static bool refuse_text(rc_config_fault *fault, const rc_yaml_node *node)
{
    rc_config_fault_append(fault, has_leading_zero(node->text)
                                      ? " without leading zeros is expected, not "
                                      : " is expected, not ");
    rc_config_fault_append_quoted(fault, node->text);
    return false;
}

static bool refuse_number(const rc_yaml_node *node, unsigned places, uint64_t min, uint64_t max,
                          rc_config_faults *faults)
{
    rc_config_fault *fault = rc_yaml_fault(faults, node);
    rc_config_fault_append(fault, places > 0 ? "a number" : "a whole number");
    if (max < UINT64_MAX - 1) {
        rc_config_fault_append(fault, " from ");
        append_decimal(fault, min, places);
        rc_config_fault_append(fault, " to ");
        append_decimal(fault, max, places);
    } else if (min > 0) {
        rc_config_fault_append(fault, " of at least ");
        append_decimal(fault, min, places);
    }
    return refuse_text(fault, node);
}

bool rc_yaml_decimal(const rc_yaml_node *node, unsigned places, uint64_t min, uint64_t max,
                     rc_config_faults *faults, uint64_t *ret_value)
{
    if (!rc_yaml_expect(node, RC_YAML_SCALAR, faults))
        return false;
    uint64_t value;
    if (places > PLACES_MAX)
        places = PLACES_MAX;
    if (node->is_quoted || !read_decimal(node->text, places, &value) || value < min ||
        value > max || value == UINT64_MAX)
        return refuse_number(node, places, min, max, faults);
    *ret_value = value;
    return true;
}

bool rc_yaml_u64(const rc_yaml_node *node, uint64_t min, uint64_t max, rc_config_faults *faults,
                 uint64_t *ret_value)
{
    return rc_yaml_decimal(node, 0, min, max, faults, ret_value);
}

bool rc_yaml_i64(const rc_yaml_node *node, int64_t min, int64_t max, rc_config_faults *faults,
                 int64_t *ret_value)
{
    if (!rc_yaml_expect(node, RC_YAML_SCALAR, faults))
        return false;
    bool is_negative = node->text.len > 0 && node->text.ptr[0] == '-';
    rc_str digits = rc_str_slice(node->text, is_negative ? 1 : 0, node->text.len);
    uint64_t magnitude;
    bool is_number = !node->is_quoted && read_decimal(digits, 0, &magnitude);
    if (is_number && magnitude <= INT64_MAX) {
        int64_t value = is_negative ? -(int64_t)magnitude : (int64_t)magnitude;
        if (value >= min && value <= max) {
            *ret_value = value;
            return true;
        }
    }
    rc_config_fault *fault = rc_yaml_fault(faults, node);
    rc_config_fault_append(fault,
                           is_number ? "a whole number in the allowed range" : "a whole number");
    return refuse_text(fault, node);
}

bool rc_yaml_double(const rc_yaml_node *node, uint64_t min, uint64_t max, rc_config_faults *faults,
                    double *ret_value)
{
    uint64_t unit = power_of_ten(PLACES_MAX);
    uint64_t most = max <= (UINT64_MAX - 1) / unit ? max * unit : UINT64_MAX - 1;
    uint64_t least = min <= (UINT64_MAX - 1) / unit ? min * unit : UINT64_MAX - 1;
    uint64_t value;
    if (!rc_yaml_decimal(node, PLACES_MAX, least, most, faults, &value))
        return false;
    *ret_value = (double)value / (double)unit;
    return true;
}

bool rc_yaml_duration_ms(const rc_yaml_node *node, uint64_t max_ms, rc_config_faults *faults,
                         uint64_t *ret_ms)
{
    int64_t ms;
    if (!rc_yaml_expect(node, RC_YAML_SCALAR, faults))
        return false;
    if (!has_leading_zero(node->text) && rc_duration_parse(node->text, RC_UNIT_MS, &ms) == RC_OK &&
        (uint64_t)ms <= max_ms) {
        *ret_ms = (uint64_t)ms;
        return true;
    }
    rc_config_fault *fault = rc_yaml_fault(faults, node);
    rc_config_fault_append(fault, "milliseconds, or a duration such as 1.5s, up to ");
    rc_config_fault_append_u64(fault, max_ms);
    rc_config_fault_append(fault, " ms are expected, not ");
    rc_config_fault_append_quoted(fault, node->text);
    return false;
}

/* Returns whether the node's key ends in _ms. An item of a list has the key of the list. */
static bool has_unit_in_key(const rc_yaml_node *node)
{
    const rc_yaml_node *named =
        node->parent != NULL && node->parent->kind == RC_YAML_LIST ? node->parent : node;
    return rc_str_ends_with(named->key, UNIT_SUFFIX);
}

bool rc_yaml_time_ms(const rc_yaml_node *node, uint64_t min, uint64_t max, rc_config_faults *faults,
                     uint64_t *ret_ms)
{
    int64_t ms = 0;
    if (!rc_yaml_expect(node, RC_YAML_SCALAR, faults))
        return false;
    const bool has_unit =
        !has_leading_zero(node->text) && rc_duration_parse(node->text, RC_UNIT_NONE, &ms) == RC_OK;
    const bool is_zero = rc_str_eq(node->text, RC_STR("0")) && !node->is_quoted;
    if (!has_unit && (has_unit_in_key(node) || (is_zero && min == 0)))
        return rc_yaml_decimal(node, 0, min, max, faults, ret_ms);
    if (has_unit && (uint64_t)ms >= min && (uint64_t)ms <= max) {
        *ret_ms = (uint64_t)ms;
        return true;
    }
    rc_config_fault *fault = rc_yaml_fault(faults, node);
    rc_config_fault_append(fault, "a time with its unit, as in 90s or 2m, from ");
    rc_config_fault_append_u64(fault, min);
    rc_config_fault_append(fault, " ms to ");
    rc_config_fault_append_u64(fault, max);
    rc_config_fault_append(fault, " ms");
    return refuse_text(fault, node);
}

static bool has_many(rc_name_at name_at, const void *ctx)
{
    size_t count = 0;
    while (count <= NAMES_SHOWN_MAX && name_at(ctx, count) != NULL)
        count++;
    return count > NAMES_SHOWN_MAX;
}

bool rc_yaml_choice(const rc_yaml_node *node, rc_name_at name_at, const void *ctx,
                    rc_config_faults *faults, size_t *ret_index)
{
    if (!rc_yaml_expect(node, RC_YAML_SCALAR, faults))
        return false;
    if (has_name(node->text, name_at, ctx, ret_index))
        return true;
    rc_config_fault *fault = rc_yaml_fault(faults, node);
    rc_config_fault_suggest(fault, node->text, name_at, ctx);
    /* The message lists all names unless there are many of them and a similar name is suggested. */
    if (name_at(ctx, 0) == NULL || (fault->nearest[0] != '\0' && has_many(name_at, ctx))) {
        rc_config_fault_append(fault, "there is no ");
        rc_config_fault_append_quoted(fault, node->text);
        return false;
    }
    rc_config_fault_append_names(fault, name_at, ctx);
    rc_config_fault_append(fault, " is expected, not ");
    rc_config_fault_append_quoted(fault, node->text);
    return false;
}
