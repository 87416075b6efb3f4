/* `recourse config prices`: the prices in force, human and JSON. Called by command.c. */
#include "cli/config/config.h"
#include "cli/config_load.h"
#include "config/show.h"
#include "render/wrap.h"
#include "json/writer.h"

#define TEXT_BYTES ((size_t)2048)
#define NAME_WIDTH_MAX 32

/* The amounts of one price, in display order. */
typedef struct column {
    const char *name;
    const char *title;
    size_t offset;
    bool is_of_tokens; /* Per million tokens; shown in a column. */
} column;

static const column columns[] = {
    {"input", "input", offsetof(rc_config_price, input), true},
    {"output", "output", offsetof(rc_config_price, output), true},
    {"cached_input", "cached", offsetof(rc_config_price, cached_input), true},
    {"cache_write", "write", offsetof(rc_config_price, cache_write), true},
    {"cache_write_1h", "write 1h", offsetof(rc_config_price, cache_write_1h), true},
    {"image", "an image", offsetof(rc_config_price, image), false},
    {"second", "a second of sound", offsetof(rc_config_price, second), false},
    {"request", "a request", offsetof(rc_config_price, request), false},
};
#define COLUMN_COUNT (sizeof(columns) / sizeof(columns[0]))

static uint64_t value_of(const rc_config_price *price, const column *c)
{
    uint64_t value;
    memcpy(&value, (const char *)price + c->offset, sizeof(value));
    return value;
}

static void push(rc_buf *buf, const char *text)
{
    rc_buf_push(buf, rc_str_c(text));
}

/* Does the target have a price, at any input length? The model "*" counts as priced, as it names
 * none. */
static bool is_priced(const rc_prices *prices, const rc_config *config,
                      const rc_config_target *target)
{
    const rc_config_provider *provider = &config->providers[target->provider];
    return rc_str_eq(target->model, RC_STR("*")) ||
           rc_prices_find(prices, rc_str_c(provider->kind->name), provider->name, target->model,
                          0) != NULL;
}

typedef void (*target_each)(void *ctx, const rc_config *config, const rc_config_target *target);

/* Calls each for every chain entry whose target has no price. */
static void each_unpriced(const rc_prices *prices, const rc_config *config, target_each each,
                          void *ctx)
{
    for (size_t i = 0; i < config->route_count; i++) {
        const rc_config_route *route = &config->routes[i];
        for (size_t k = 0; k < route->chain_count; k++)
            if (!is_priced(prices, config, &route->chain[k]))
                each(ctx, config, &route->chain[k]);
        if (route->has_overflow_to && !is_priced(prices, config, &route->overflow_to))
            each(ctx, config, &route->overflow_to);
    }
}

/* ---- human format ---- */

static void push_padded(rc_buf *buf, rc_str text, unsigned width, bool has_utf8)
{
    unsigned used = rc_visible_width(text, has_utf8);
    rc_visible_push(buf, text, has_utf8);
    for (; used < width; used++)
        push(buf, " ");
}

/* Appends a right-aligned number of at most 11 digits. */
static void push_number(rc_buf *buf, uint64_t value, unsigned width)
{
    char scratch[RC_DECIMAL_CAPACITY];
    rc_str text = rc_config_decimal(scratch, value, 6);
    for (size_t used = text.len; used < width; used++)
        push(buf, " ");
    rc_buf_push(buf, text);
}

static void push_title(rc_buf *buf, const char *text, unsigned width)
{
    for (size_t used = strlen(text); used < width; used++)
        push(buf, " ");
    push(buf, text);
}

#define NUMBER_WIDTH 10
#define KIND_WIDTH 18

static void push_others(rc_buf *buf, const rc_config_price *price)
{
    char scratch[RC_DECIMAL_CAPACITY];
    for (size_t i = 0; i < COLUMN_COUNT; i++) {
        uint64_t value = value_of(price, &columns[i]);
        if (columns[i].is_of_tokens || value == 0)
            continue;
        push(buf, "  ");
        rc_buf_push(buf, rc_config_decimal(scratch, value, 6));
        push(buf, " ");
        push(buf, columns[i].title);
    }
    if (price->over_input_tokens > 0) {
        push(buf, "  above ");
        rc_buf_push_u64(buf, price->over_input_tokens);
        push(buf, " tokens of input");
    }
    push(buf, price->told ? "  as the answer says" : "");
}

static void push_row(rc_buf *buf, const rc_config_price *price, bool is_own, unsigned width,
                     bool has_utf8)
{
    rc_str owner = price->provider.len > 0 ? price->provider : price->kind;
    push(buf, is_own ? "* " : "  ");
    push_padded(buf, owner.len > 0 ? owner : RC_STR("any"), KIND_WIDTH, has_utf8);
    push(buf, " ");
    push_padded(buf, price->model, width, has_utf8);
    for (size_t i = 0; i < COLUMN_COUNT; i++)
        if (columns[i].is_of_tokens)
            push_number(buf, value_of(price, &columns[i]), NUMBER_WIDTH);
    push_others(buf, price);
    push(buf, "\n");
}

static void push_head(rc_buf *buf, const rc_prices *prices, rc_str name, bool has_utf8)
{
    push(buf, "US dollars for a million tokens. Built in: prices of ");
    push(buf, rc_prices_builtin_as_of());
    push(buf, prices->settings.built_in ? ", to be checked against what you are charged.\n"
                                        : ", which are not used.\n");
    if (prices->as_of.len == 0)
        return;
    push(buf, "Those with a * are of ");
    rc_visible_push(buf, name, has_utf8);
    push(buf, ", ");
    rc_visible_push(buf, prices->as_of, has_utf8);
    push(buf, ".\n");
}

static void push_table(rc_buf *buf, const rc_prices *prices, bool has_utf8)
{
    bool is_own;
    unsigned width = 0;
    const rc_config_price *price;
    for (size_t i = 0; (price = rc_prices_at(prices, i, &is_own)) != NULL; i++) {
        unsigned used = rc_visible_width(price->model, has_utf8);
        width = used > width ? (used < NAME_WIDTH_MAX ? used : NAME_WIDTH_MAX) : width;
    }
    push(buf, "\n  ");
    push_padded(buf, RC_STR("provider"), KIND_WIDTH + 1, has_utf8);
    push_padded(buf, RC_STR("model"), width, has_utf8);
    for (size_t i = 0; i < COLUMN_COUNT; i++)
        if (columns[i].is_of_tokens)
            push_title(buf, columns[i].title, NUMBER_WIDTH);
    push(buf, "\n");
    for (size_t i = 0; (price = rc_prices_at(prices, i, &is_own)) != NULL; i++)
        push_row(buf, price, is_own, width, has_utf8);
}

typedef struct unpriced_list {
    rc_buf *buf;
    bool has_utf8;
    bool has_any;
} unpriced_list;

static void push_unpriced(void *ctx, const rc_config *config, const rc_config_target *target)
{
    unpriced_list *list = ctx;
    char scratch[TEXT_BYTES];
    rc_buf text;
    rc_buf_init_fixed(&text, scratch, sizeof(scratch));
    rc_config_push_target(&text, config, target);
    push(list->buf, list->has_any ? ", " : "\nWithout a price, so that they cost nothing here: ");
    rc_visible_push(list->buf, rc_buf_get(&text), list->has_utf8);
    list->has_any = true;
}

static void push_human(rc_cli *cli, const rc_prices *prices, const rc_config *config, rc_str name)
{
    bool has_utf8 = cli->out_terminal.has_utf8;
    unpriced_list list = {&cli->out, has_utf8, false};
    push_head(&cli->out, prices, name, has_utf8);
    push_table(&cli->out, prices, has_utf8);
    each_unpriced(prices, config, push_unpriced, &list);
    push(&cli->out, list.has_any ? "\n" : "");
}

/* ---- JSON ---- */

static void write_text(rc_json_writer *w, const char *key, rc_str text)
{
    if (text.len > 0)
        rc_json_member_string(w, rc_str_c(key), text);
}

static void write_price(rc_json_writer *w, const rc_config_price *price, bool is_own)
{
    char scratch[RC_DECIMAL_CAPACITY];
    rc_json_object_begin(w);
    write_text(w, "kind", price->kind);
    write_text(w, "provider", price->provider);
    write_text(w, "model", price->model);
    if (price->over_input_tokens > 0)
        rc_json_member_i64(w, RC_STR("over_input_tokens"), (int64_t)price->over_input_tokens);
    for (size_t i = 0; i < COLUMN_COUNT; i++) {
        uint64_t value = value_of(price, &columns[i]);
        if (!columns[i].is_of_tokens && value == 0)
            continue;
        rc_json_key(w, rc_str_c(columns[i].name));
        rc_json_raw(w, rc_config_decimal(scratch, value, 6));
    }
    if (price->told)
        rc_json_member_bool(w, RC_STR("told"), true);
    rc_json_member_bool(w, RC_STR("built_in"), !is_own);
    rc_json_object_end(w);
}

static void write_unpriced(void *ctx, const rc_config *config, const rc_config_target *target)
{
    char scratch[TEXT_BYTES];
    rc_buf text;
    rc_buf_init_fixed(&text, scratch, sizeof(scratch));
    rc_config_push_target(&text, config, target);
    rc_json_string(ctx, rc_buf_get(&text));
}

static void push_json(rc_cli *cli, const rc_prices *prices, const rc_config *config)
{
    bool is_own;
    rc_json_writer w;
    const rc_config_price *price;
    rc_json_writer_init(&w, &cli->out, 2);
    rc_json_object_begin(&w);
    write_text(&w, "as_of", prices->as_of);
    rc_json_member_string(&w, RC_STR("built_in_as_of"), rc_str_c(rc_prices_builtin_as_of()));
    rc_json_key(&w, RC_STR("prices"));
    rc_json_array_begin(&w);
    for (size_t i = 0; (price = rc_prices_at(prices, i, &is_own)) != NULL; i++)
        write_price(&w, price, is_own);
    rc_json_array_end(&w);
    rc_json_key(&w, RC_STR("unpriced"));
    rc_json_array_begin(&w);
    each_unpriced(prices, config, write_unpriced, &w);
    rc_json_array_end(&w);
    rc_json_object_end(&w);
    rc_buf_push_byte(&cli->out, '\n');
}

int rc_cli_config_prices(rc_cli *cli, const char *path, bool is_json)
{
    rc_config config;
    rc_config_source source;
    rc_config_source prices_source = {.error = 0};
    rc_prices prices;
    int result = RC_EXIT_OK;
    rc_prices_init(&prices);
    rc_status status = rc_config_load(&config, cli->calls, &cli->alloc, path, &source);
    if (status != RC_OK) {
        result = rc_cli_config_refuse(cli, "config", &source, status);
    } else {
        status = rc_prices_load(&prices, cli->calls, &cli->alloc, &config, &source, &prices_source);
        if (status != RC_OK)
            result = rc_cli_config_refuse(cli, "config", &prices_source, status);
        else if (is_json)
            push_json(cli, &prices, &config);
        else
            push_human(cli, &prices, &config, rc_config_source_name(&prices_source));
    }
    rc_prices_done(&prices);
    rc_config_source_done(&prices_source);
    rc_config_done(&config);
    rc_config_source_done(&source);
    return result;
}
