/* Reads price files and finds the price of a model. Called by load.c, unpriced.c and the gateway's
 * budgets. */
#include "config/prices/prices.h"

#include <string.h>

#include "base/str.h"
#include "config/keys.h"
#include "config/secret_ref.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Maximum size of the arena, several times what the largest valid file needs. */
#define ARENA_MAX_BYTES ((size_t)1 << 20)

/* ---- built-in prices ---- */

#define USD(dollars) ((uint64_t)((dollars)*1e6 + 0.5))
/* A negative price stands for the input price. */
#define AS_INPUT (-1.0)
#define OR(price, other) ((price) < 0 ? USD(other) : USD((price) < 0 ? 0 : (price)))
#define TOLD true
#define NOT_TOLD false

static const rc_config_price builtin[] = {
#define RC_PRICE(name, pattern, over, in, out, cached, write, write_hour) \
    {.kind = RC_STR_INIT(name),                                           \
     .model = RC_STR_INIT(pattern),                                       \
     .over_input_tokens = (over),                                         \
     .input = USD(in),                                                    \
     .output = USD(out),                                                  \
     .cached_input = OR(cached, in),                                      \
     .cache_write = OR(write, in),                                        \
     .cache_write_1h = (write_hour) < 0 ? OR(write, in) : OR(write_hour, in)},
#define RC_PRICE_OTHER(name, pattern, in, each, sound, is_told) \
    {.kind = RC_STR_INIT(name),                                 \
     .model = RC_STR_INIT(pattern),                             \
     .input = USD(in),                                          \
     .cached_input = USD(in),                                   \
     .cache_write = USD(in),                                    \
     .cache_write_1h = USD(in),                                 \
     .image = USD(each),                                        \
     .second = USD(sound),                                      \
     .told = (is_told)},
#include "spec/prices.def"
};

const char *rc_prices_builtin_as_of(void)
{
    return
#define RC_PRICES_AS_OF(date) date
#include "spec/prices.def"
        ;
}

/* ---- price file ---- */

typedef struct reader {
    rc_prices *prices;
    rc_config_faults *faults;
} reader;

static unsigned digits_at(rc_str text, size_t at, size_t count)
{
    unsigned value = 0;
    for (size_t i = at; i < at + count; i++)
        value = rc_ascii_is_digit(text.ptr[i]) ? value * 10 + (unsigned)(text.ptr[i] - '0') : 9999;
    return value;
}

/* Returns whether `text` is a valid date of the form 2026-08-08. */
static bool is_date(rc_str text)
{
    static const uint8_t days[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    if (text.len != 10 || text.ptr[4] != '-' || text.ptr[7] != '-')
        return false;
    unsigned year = digits_at(text, 0, 4);
    unsigned month = digits_at(text, 5, 2);
    unsigned day = digits_at(text, 8, 2);
    bool is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return year >= 2000 && year <= 2999 && month >= 1 && month <= 12 && day >= 1 &&
           day <= days[month - 1] && (month != 2 || day <= 28 || is_leap);
}

static void read_date(reader *r, const rc_yaml_node *root)
{
    const rc_yaml_node *node = rc_yaml_get(root, RC_STR("as_of"));
    rc_str text;
    if (node == NULL) {
        rc_config_fault_append(rc_yaml_fault(r->faults, root),
                               "as_of is missing: the date of the prices, as in 2026-08-08");
        return;
    }
    if (!rc_yaml_text(node, r->faults, &text))
        return;
    if (is_date(text)) {
        r->prices->as_of = text;
        return;
    }
    rc_config_fault *fault = rc_yaml_fault(r->faults, node);
    rc_config_fault_append(fault, "a date is expected, as in 2026-08-08, not ");
    rc_config_fault_append_quoted(fault, text);
}

static void read_kind(reader *r, const rc_yaml_node *node, rc_config_price *price)
{
    size_t index;
    if (rc_yaml_choice(node, rc_config_kind_name_at, NULL, r->faults, &index))
        price->kind = rc_str_c(rc_config_kind_at(index)->name);
}

/* Returns the price that a key of `map` states, in millionths of a dollar, or `other` if the key is
 * missing. */
static uint64_t read_or(reader *r, const rc_yaml_node *map, const char *name, uint64_t other)
{
    const rc_yaml_node *node = rc_yaml_get(map, rc_str_c(name));
    uint64_t price = other;
    if (node != NULL)
        rc_yaml_decimal(node, 6, 0, RC_PRICE_MAX, r->faults, &price);
    return price;
}

static bool has_price(const rc_yaml_node *map)
{
    static const char *const names[] = {"input", "output", "image", "second", "request", "told"};
    for (size_t i = 0; i < COUNT(names); i++)
        if (rc_yaml_get(map, rc_str_c(names[i])) != NULL)
            return true;
    return false;
}

/* Returns whether the name `one` of a row matches the name `other`. An empty name of a row matches
 * any name. */
static bool matches_name(rc_str one, rc_str other)
{
    return one.len == 0 || rc_str_eq(one, other);
}

/* Returns whether the first row matches every model that the second row matches. */
static bool covers(const rc_config_price *first, const rc_config_price *second)
{
    return first->model.len > 0 && matches_name(first->kind, second->kind) &&
           matches_name(first->provider, second->provider) &&
           rc_glob_matches_nocase(first->model, second->model) &&
           first->over_input_tokens <= second->over_input_tokens;
}

static void check_reached(reader *r, const rc_yaml_node *node, size_t index)
{
    const rc_config_price *own = r->prices->own;
    for (size_t i = 0; i < index; i++) {
        if (!covers(&own[i], &own[index]))
            continue;
        rc_config_fault *fault = rc_yaml_fault(r->faults, node);
        rc_config_fault_append(fault, "this price is never used: prices[");
        rc_config_fault_append_u64(fault, i);
        rc_config_fault_append(fault, "] matches every call that this price matches");
        return;
    }
}

static void read_price(reader *r, const rc_yaml_node *map, size_t index)
{
    rc_config_price *price = &r->prices->own[index];
    rc_config_fill_defaults(RC_SECTION_price, price);
    rc_config_check_keys(RC_SECTION_price, map, r->faults);
    if (map->kind != RC_YAML_MAP)
        return;
    rc_config_fill(RC_SECTION_price, map, price, r->faults);
    price->cached_input = read_or(r, map, "cached_input", price->input);
    price->cache_write = read_or(r, map, "cache_write", price->input);
    price->cache_write_1h = read_or(r, map, "cache_write_1h", price->cache_write);
    const rc_yaml_node *kind = rc_yaml_get(map, RC_STR("kind"));
    const rc_yaml_node *model = rc_yaml_get(map, RC_STR("model"));
    if (kind != NULL)
        read_kind(r, kind, price);
    if (model == NULL)
        rc_config_fault_append(rc_yaml_fault(r->faults, map),
                               "model is missing: the model that the price applies to");
    else if (price->model.len > 0)
        check_reached(r, model, index);
    if (!has_price(map))
        rc_config_fault_append(rc_yaml_fault(r->faults, map),
                               "no price: input, output, image, second, request or told");
}

static void read_list(reader *r, const rc_yaml_node *list)
{
    rc_prices *prices = r->prices;
    if (!rc_yaml_expect(list, RC_YAML_LIST, r->faults))
        return;
    if (list->count > RC_PRICES_MAX) {
        rc_config_fault_append(rc_yaml_fault(r->faults, list), "more than 1024 prices");
        return;
    }
    if (list->count == 0)
        return;
    prices->own = rc_arena_get_array(&prices->arena, list->count, sizeof(*prices->own));
    if (prices->own == NULL)
        return;
    for (const rc_yaml_node *node = list->first; node != NULL; node = node->next)
        read_price(r, node, prices->own_count++);
}

static void read_root(reader *r, const rc_yaml_node *root)
{
    if (!rc_config_check_keys(RC_SECTION_prices, root, r->faults) && root->kind != RC_YAML_MAP)
        return;
    rc_config_fill(RC_SECTION_prices, root, &r->prices->settings, r->faults);
    read_date(r, root);
    const rc_yaml_node *list = rc_yaml_get(root, RC_STR("prices"));
    if (list != NULL)
        read_list(r, list);
}

void rc_prices_init(rc_prices *prices)
{
    memset(prices, 0, sizeof(*prices));
    rc_config_fill_defaults(RC_SECTION_prices, &prices->settings);
}

rc_status rc_prices_parse(rc_prices *prices, rc_str text, const rc_alloc *alloc,
                          rc_config_faults *faults)
{
    rc_prices_init(prices);
    rc_arena_init(&prices->arena, alloc, ARENA_MAX_BYTES);
    faults->is_open = true; /* A price file has no secrets. */
    reader r = {prices, faults};
    rc_status status = rc_yaml_parse(&prices->doc, text, alloc, faults);
    if (status == RC_OK) {
        /* An empty file has the same effect as no file. */
        if (prices->doc.root->kind != RC_YAML_NULL)
            read_root(&r, prices->doc.root);
        status = rc_arena_status(&prices->arena);
    }
    rc_config_faults_sort(faults);
    return status == RC_OK && faults->count > 0 ? RC_E_RANGE : status;
}

void rc_prices_done(rc_prices *prices)
{
    rc_arena_done(&prices->arena);
    rc_yaml_done(&prices->doc);
}

/* ---- lookup ---- */

const rc_config_price *rc_prices_at(const rc_prices *prices, size_t index, bool *ret_is_own)
{
    *ret_is_own = index < prices->own_count;
    if (*ret_is_own)
        return &prices->own[index];
    index -= prices->own_count;
    return prices->settings.built_in && index < COUNT(builtin) ? &builtin[index] : NULL;
}

bool rc_prices_has_any(const rc_prices *prices, rc_str kind, rc_str provider)
{
    bool is_own;
    const rc_config_price *price;
    for (size_t i = 0; (price = rc_prices_at(prices, i, &is_own)) != NULL; i++)
        if (matches_name(price->kind, kind) && matches_name(price->provider, provider))
            return true;
    return false;
}

const rc_config_price *rc_prices_find(const rc_prices *prices, rc_str kind, rc_str provider,
                                      rc_str model, uint64_t input_tokens)
{
    bool is_own;
    const rc_config_price *price;
    for (size_t i = 0; (price = rc_prices_at(prices, i, &is_own)) != NULL; i++) {
        bool is_large = price->over_input_tokens == 0 || input_tokens > price->over_input_tokens;
        if (is_large && matches_name(price->kind, kind) &&
            matches_name(price->provider, provider) && rc_glob_matches_nocase(price->model, model))
            return price;
    }
    return NULL;
}
