/* The limits of the gateway's clients: rows by name, which survive reloads. Called by hub.c,
 * exchange_limits.c and gateway_admin.c. */
#include "gateway/state/client_limits.h"

#include <string.h>

#include "base/str.h"

bool rc_client_table_init(rc_client_table *table, const rc_alloc *alloc)
{
    *table = (rc_client_table){.alloc = *alloc};
    return uv_mutex_init(&table->lock) == 0;
}

void rc_client_table_done(rc_client_table *table)
{
    while (table->rows != NULL) {
        rc_client_row *row = table->rows;
        table->rows = row->next;
        table->alloc.put(table->alloc.ctx, row, sizeof *row + row->name_len);
    }
    uv_mutex_destroy(&table->lock);
}

static rc_client_row *find(const rc_client_table *table, rc_str name)
{
    rc_client_row *row = table->rows;
    while (row != NULL && !rc_str_eq(rc_str_make(row->name, row->name_len), name))
        row = row->next;
    return row;
}

static bool has_limits(const rc_client_row *row)
{
    const rc_client_limits *limits = &row->limits;
    return limits->requests.limit > 0 || limits->tokens.limit > 0 || limits->max_in_flight > 0;
}

static rc_client_row *add(rc_client_table *table, rc_str name)
{
    rc_client_row *row = table->alloc.get(table->alloc.ctx, sizeof *row + name.len);
    if (row == NULL)
        return NULL;
    memset(row, 0, sizeof *row);
    memcpy(row->name, name.ptr, name.len);
    row->name_len = name.len;
    row->next = table->rows;
    rc_client_limits_init(&row->limits);
    table->rows = row;
    return row;
}

static const rc_config_client *client_of(const rc_config *config, const rc_client_row *row)
{
    for (size_t i = 0; i < config->client_count; i++)
        if (rc_str_eq(config->clients[i].name, rc_str_make(row->name, row->name_len)))
            return &config->clients[i];
    return NULL;
}

bool rc_client_table_reserve(rc_client_table *table, const rc_config *config)
{
    bool is_whole = true;
    uv_mutex_lock(&table->lock);
    for (size_t i = 0; i < config->client_count && is_whole; i++) {
        const rc_config_client *client = &config->clients[i];
        if (client->rpm > 0 || client->tpm > 0 || client->max_in_flight > 0)
            is_whole = find(table, client->name) != NULL || add(table, client->name) != NULL;
    }
    uv_mutex_unlock(&table->lock);
    return is_whole;
}

void rc_client_table_apply(rc_client_table *table, const rc_config *config, uint64_t now_ms)
{
    uv_mutex_lock(&table->lock);
    for (rc_client_row *row = table->rows; row != NULL; row = row->next) {
        const rc_config_client *client = client_of(config, row);
        const rc_client_limits_settings settings = {
            .rpm = client != NULL ? client->rpm : 0,
            .tpm = client != NULL ? client->tpm : 0,
            .max_in_flight = client != NULL ? client->max_in_flight : 0,
        };
        rc_client_limits_set(&row->limits, &settings, now_ms);
    }
    uv_mutex_unlock(&table->lock);
}

rc_client_row *rc_client_table_find(rc_client_table *table, rc_str name)
{
    uv_mutex_lock(&table->lock);
    rc_client_row *row = find(table, name);
    uv_mutex_unlock(&table->lock);
    return row;
}

bool rc_client_table_take(rc_client_table *table, rc_client_row *row, const rc_client_need *need,
                          uint64_t now_ms, uint64_t *ret_estimate, rc_client_refusal *ret_refusal)
{
    uv_mutex_lock(&table->lock);
    const rc_client_verdict verdict = rc_client_limits_check(&row->limits, need, now_ms);
    const bool is_taken = verdict.kind == RC_CLIENT_LIMIT_NONE;
    if (is_taken) {
        *ret_estimate = rc_client_limits_start(&row->limits, need, now_ms);
    } else {
        row->refused[verdict.kind]++;
        *ret_refusal = (rc_client_refusal){
            .verdict = verdict,
            .requests = rc_client_limits_get(&row->limits, RC_CLIENT_LIMIT_REQUESTS, now_ms),
            .tokens = rc_client_limits_get(&row->limits, RC_CLIENT_LIMIT_TOKENS, now_ms),
        };
    }
    uv_mutex_unlock(&table->lock);
    return is_taken;
}

void rc_client_table_release(rc_client_table *table, rc_client_row *row, uint64_t estimate,
                             uint64_t input, uint64_t output, uint64_t now_ms)
{
    uv_mutex_lock(&table->lock);
    rc_client_limits_end(&row->limits, estimate, input, output, now_ms);
    uv_mutex_unlock(&table->lock);
}

size_t rc_client_table_list(rc_client_table *table, rc_client_info *list, size_t max,
                            uint64_t now_ms)
{
    size_t count = 0;
    uv_mutex_lock(&table->lock);
    for (const rc_client_row *row = table->rows; row != NULL; row = row->next) {
        const rc_client_limits *limits = &row->limits;
        if (!has_limits(row) || count++ >= max)
            continue;
        rc_client_info *info = &list[count - 1];
        *info = (rc_client_info){
            .name = rc_str_make(row->name, row->name_len),
            .requests = rc_client_limits_get(limits, RC_CLIENT_LIMIT_REQUESTS, now_ms),
            .tokens = rc_client_limits_get(limits, RC_CLIENT_LIMIT_TOKENS, now_ms),
            .max_in_flight = limits->max_in_flight,
            .in_flight = limits->in_flight,
        };
        memcpy(info->refused, row->refused, sizeof info->refused);
    }
    uv_mutex_unlock(&table->lock);
    return count;
}
