/* `recourse config prices`: the prices in force, human and JSON. Called by command.c. */
#include <limits.h>

#include "cli/config/config.h"
#include "cli/config_load.h"
#include "config/show.h"
#include "render/wrap.h"
#include "ui/grid.h"
#include "json/writer.h"

#define TEXT_BYTES ((size_t)2048)
/* On a narrow terminal names and notes are cut, but not below this width. */
#define NAME_WIDTH_MIN 12

/* One amount of a price, such as the amount per million input tokens; `columns` has the display
 * order. */
typedef struct column {
    const char *name;
    const char *title;
    size_t offset;
    bool is_of_tokens; /* Price per million tokens, shown in its own column. */
} column;

static const column columns[] = {
    {"input", "input", offsetof(rc_config_price, input), true},
    {"output", "output", offsetof(rc_config_price, output), true},
    {"cached_input", "cached", offsetof(rc_config_price, cached_input), true},
    {"cache_write", "write", offsetof(rc_config_price, cache_write), true},
    {"cache_write_1h", "write 1h", offsetof(rc_config_price, cache_write_1h), true},
    {"image", "per image", offsetof(rc_config_price, image), false},
    {"second", "per second of audio", offsetof(rc_config_price, second), false},
    {"request", "per request", offsetof(rc_config_price, request), false},
};
/* Index of the first column that may be hidden on a narrow terminal. */
#define CACHED_AT 2
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

/* Returns whether the target has a price for any length of the input. The model "*" stands for any
 * model and counts as priced. */
static bool is_priced(const rc_prices *prices, const rc_config *config,
                      const rc_config_target *target)
{
    const rc_config_provider *provider = &config->providers[target->provider];
    return rc_str_eq(target->model, RC_STR("*")) ||
           rc_prices_find(prices, rc_str_c(provider->kind->name), provider->name, target->model,
                          0) != NULL;
}

typedef void (*target_each)(void *ctx, const rc_config *config, const rc_config_target *target);

/* Calls `each` for every target of a route (chain and overflow_to) that has no price. */
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

/* Indexes of the columns before the amounts; GRID_AMOUNTS is the first amount. */
enum {
    GRID_OWN, /* Shows an asterisk for a price of the user's file. */
    GRID_PROVIDER,
    GRID_MODEL,
    GRID_AMOUNTS
};

/* Appends the amounts that have no column, and the conditions of the price. */
static void push_others(rc_buf *buf, const rc_config_price *price)
{
    char scratch[RC_DECIMAL_CAPACITY];
    const char *between = "";
    for (size_t i = 0; i < COLUMN_COUNT; i++) {
        uint64_t value = value_of(price, &columns[i]);
        if (columns[i].is_of_tokens || value == 0)
            continue;
        push(buf, between);
        rc_buf_push(buf, rc_config_decimal(scratch, value, 6));
        push(buf, " ");
        push(buf, columns[i].title);
        between = "  ";
    }
    if (price->over_input_tokens > 0) {
        push(buf, between);
        push(buf, "above ");
        rc_buf_push_u64(buf, price->over_input_tokens);
        push(buf, " input tokens");
        between = "  ";
    }
    if (price->told) {
        push(buf, between);
        push(buf, "or the cost in the response");
    }
}

static void put_row(rc_grid *grid, const rc_config_price *price, bool is_own)
{
    char scratch[RC_DECIMAL_CAPACITY];
    rc_str owner = price->provider.len > 0 ? price->provider : price->kind;
    push(&grid->text, is_own ? "*" : "");
    rc_grid_cell(grid, RC_TONE_PLAIN);
    rc_buf_push(&grid->text, owner.len > 0 ? owner : RC_STR("any"));
    rc_grid_cell(grid, RC_TONE_PLAIN);
    rc_buf_push(&grid->text, price->model);
    rc_grid_cell(grid, RC_TONE_PLAIN);
    for (size_t i = 0; i < COLUMN_COUNT; i++) {
        if (!columns[i].is_of_tokens)
            continue;
        rc_buf_push(&grid->text, rc_config_decimal(scratch, value_of(price, &columns[i]), 6));
        rc_grid_cell(grid, RC_TONE_PLAIN);
    }
    push_others(&grid->text, price);
    rc_grid_cell(grid, RC_TONE_PLAIN);
}

static void push_head(rc_buf *buf, const rc_prices *prices, rc_str name, bool has_utf8)
{
    push(buf, "US dollars per million tokens. Built-in prices are of ");
    push(buf, rc_prices_builtin_as_of());
    push(buf,
         prices->settings.built_in ? "; compare them with your invoices.\n" : " and not used.\n");
    if (prices->as_of.len == 0)
        return;
    push(buf, "Prices with * are from ");
    rc_visible_push(buf, name, has_utf8);
    push(buf, ", ");
    rc_visible_push(buf, prices->as_of, has_utf8);
    push(buf, ".\n");
}

static rc_status push_table(rc_cli *cli, const rc_prices *prices)
{
    rc_grid_column shown[GRID_AMOUNTS + COLUMN_COUNT + 1] = {
        [GRID_OWN] = {.title = ""},
        [GRID_PROVIDER] = {.title = "provider", .min = NAME_WIDTH_MIN},
        [GRID_MODEL] = {.title = "model", .min = NAME_WIDTH_MIN},
    };
    /* The table is narrowed only on a terminal, so that a file or a pipe gets whole names. */
    const rc_panel_style style = {.width =
                                      cli->out_terminal.is_tty ? cli->out_terminal.width : UINT_MAX,
                                  .has_utf8 = cli->out_terminal.has_utf8};
    size_t count = GRID_AMOUNTS;
    bool is_own;
    const rc_config_price *price;
    rc_grid grid;
    for (size_t i = 0; i < COLUMN_COUNT; i++)
        if (columns[i].is_of_tokens)
            shown[count++] = (rc_grid_column){.title = columns[i].title,
                                              .is_right = true,
                                              .rank = i >= CACHED_AT ? (unsigned)i : 0};
    shown[count++] = (rc_grid_column){.title = "", .min = NAME_WIDTH_MIN};
    rc_grid_init(&grid, shown, count, &style, &cli->alloc);
    for (size_t i = 0; (price = rc_prices_at(prices, i, &is_own)) != NULL; i++)
        put_row(&grid, price, is_own);
    push(&cli->out, "\n");
    const rc_status status = rc_grid_push(&grid, &cli->out);
    rc_grid_done(&grid);
    return status;
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
    push(list->buf, list->has_any ? ", " : "\nTargets without a price, counted as free: ");
    rc_visible_push(list->buf, rc_buf_get(&text), list->has_utf8);
    list->has_any = true;
}

static rc_status push_human(rc_cli *cli, const rc_prices *prices, const rc_config *config,
                            rc_str name)
{
    bool has_utf8 = cli->out_terminal.has_utf8;
    unpriced_list list = {&cli->out, has_utf8, false};
    push_head(&cli->out, prices, name, has_utf8);
    const rc_status status = push_table(cli, prices);
    if (status != RC_OK) {
        rc_buf_reset(&cli->out);
        return status;
    }
    each_unpriced(prices, config, push_unpriced, &list);
    push(&cli->out, list.has_any ? "\n" : "");
    return RC_OK;
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
        if (status == RC_OK && is_json)
            push_json(cli, &prices, &config);
        else if (status == RC_OK)
            status = push_human(cli, &prices, &config, rc_config_source_name(&prices_source));
        if (status != RC_OK)
            result = rc_cli_config_refuse(cli, "config", &prices_source, status);
    }
    rc_prices_done(&prices);
    rc_config_source_done(&prices_source);
    rc_config_done(&config);
    rc_config_source_done(&source);
    return result;
}
