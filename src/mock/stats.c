/* Counts requests and tokens for /mock/stats. Called by provider.c, server.c and server_run.c. */
#include "mock/stats.h"

#include <string.h>

#include <openssl/sha.h>

#include "base/str.h"
#include "mock/tokens.h"

/* Shortest key whose last four characters are shown. The end of a shorter key would reveal too much
 * of it. */
#define KEY_SHOWS_END 12
#define OTHERS "(others)"

static void copy_text(char *field, size_t size, rc_str text)
{
    text = rc_str_slice(text, 0, size - 1);
    if (text.len > 0)
        memcpy(field, text.ptr, text.len);
    field[text.len] = '\0';
}

static void push_hex(rc_str bytes, size_t count, char *ret_text)
{
    unsigned char digest[SHA256_DIGEST_LENGTH];
    (void)SHA256((const unsigned char *)(bytes.len > 0 ? bytes.ptr : ""), bytes.len, digest);
    for (size_t i = 0; i < count; i++)
        ret_text[i] = "0123456789abcdef"[digest[i / 2] >> (i % 2 == 0 ? 4 : 0) & 15];
    ret_text[count] = '\0';
}

void rc_mock_key_id(rc_str key, char ret_id[RC_MOCK_KEY_ID_MAX])
{
    if (key.len == 0) {
        copy_text(ret_id, RC_MOCK_KEY_ID_MAX, RC_STR("none"));
        return;
    }
    push_hex(key, 8, ret_id);
    if (key.len < KEY_SHOWS_END)
        return;
    ret_id[8] = '-';
    copy_text(ret_id + 9, RC_MOCK_KEY_ID_MAX - 9, rc_str_slice(key, key.len - 4, key.len));
}

uint64_t rc_mock_stats_nth(rc_mock_stats *stats, rc_str key, rc_str model)
{
    uint64_t hash = rc_mock_mix_text(rc_mock_mix_text(1, key), model);
    if (hash == 0)
        hash = 1;
    for (uint64_t at = hash;; at++) {
        rc_mock_pair *pair = &stats->pairs[at % RC_MOCK_PAIRS_MAX];
        if (pair->hash == hash)
            return ++pair->count;
        if (pair->hash != 0)
            continue;
        /* A quarter of the hash table stays unused, so that every search ends at an unused
         * entry. */
        if (stats->pair_count >= RC_MOCK_PAIRS_MAX / 4 * 3)
            return ++stats->spare_pair;
        stats->pair_count++;
        pair->hash = hash;
        return ++pair->count;
    }
}

static uint32_t find_row(rc_mock_table *table, rc_str name)
{
    name = name.len > 0 ? rc_str_slice(name, 0, RC_MOCK_NAME_MAX - 1) : RC_STR("(none)");
    for (uint32_t i = 0; i < table->count; i++)
        if (rc_str_eq(rc_str_c(table->rows[i].name), name))
            return i;
    if (table->count == RC_MOCK_ROWS_MAX) {
        copy_text(table->rows[RC_MOCK_ROWS_MAX].name, RC_MOCK_NAME_MAX, RC_STR(OTHERS));
        return RC_MOCK_ROWS_MAX;
    }
    copy_text(table->rows[table->count].name, RC_MOCK_NAME_MAX, name);
    return table->count++;
}

static uint32_t count_in(rc_mock_table *table, rc_str name, uint64_t tokens, uint64_t billed)
{
    const uint32_t index = find_row(table, name);
    table->rows[index].requests++;
    table->rows[index].tokens_in += tokens;
    table->rows[index].billed_in += billed;
    return index;
}

static void add_recent(rc_mock_stats *stats, const rc_mock_message *message,
                       const rc_mock_request *request, const char *key_id, int status)
{
    rc_mock_recent_request *last = &stats->recent[stats->recent_count++ % RC_MOCK_RECENT_MAX];
    rc_buf names;
    rc_buf_init_fixed(&names, last->names, sizeof last->names - 1);
    memset(last, 0, sizeof *last);
    copy_text(last->method, sizeof last->method, message->method);
    copy_text(last->path, sizeof last->path, request->path);
    copy_text(last->model, sizeof last->model, rc_mock_request_model(request));
    copy_text(last->key, sizeof last->key, rc_str_c(key_id));
    for (size_t i = 0; i < message->header_count; i++) {
        rc_str name = message->headers[i].name;
        if (rc_buf_reserve(&names, name.len + 1) != RC_OK)
            break;
        for (size_t k = 0; k < name.len; k++)
            rc_buf_push_byte(&names, rc_ascii_lower(name.ptr[k]));
        rc_buf_push_byte(&names, '\n');
    }
    push_hex(message->body, 64, last->sha256);
    last->body_bytes = message->body.len;
    last->status = status;
}

rc_mock_ticket rc_mock_stats_add(rc_mock_stats *stats, const rc_mock_message *message,
                                 const rc_mock_request *request, const char *key_id,
                                 const rc_mock_response *response)
{
    const uint64_t tokens = request->input_tokens;
    const uint64_t billed = response->is_unbilled ? 0 : tokens;
    stats->requests++;
    stats->tokens_in += tokens;
    stats->billed_in += billed;
    add_recent(stats, message, request, key_id, response->status);
    return (rc_mock_ticket){
        .model = count_in(&stats->models, rc_mock_request_model(request), tokens, billed),
        .key = count_in(&stats->keys, rc_str_c(key_id), tokens, billed),
        .path = count_in(&stats->paths, request->path, tokens, billed),
        .generation = stats->generation,
    };
}

void rc_mock_stats_add_sent(rc_mock_stats *stats, const rc_mock_ticket *ticket, uint64_t tokens)
{
    if (ticket->generation != stats->generation)
        return;
    stats->tokens_out += tokens;
    stats->models.rows[ticket->model].tokens_out += tokens;
    stats->keys.rows[ticket->key].tokens_out += tokens;
    stats->paths.rows[ticket->path].tokens_out += tokens;
}

void rc_mock_stats_add_disconnect(rc_mock_stats *stats)
{
    stats->disconnects++;
}

/* ---- JSON ---- */

static void push_u64(rc_json_writer *w, const char *key, uint64_t value)
{
    rc_json_key(w, rc_str_c(key));
    rc_json_u64(w, value);
}

static void push_table(rc_json_writer *w, const char *key, const rc_mock_table *table)
{
    rc_json_key(w, rc_str_c(key));
    rc_json_object_begin(w);
    for (uint32_t i = 0; i <= RC_MOCK_ROWS_MAX; i++) {
        const rc_mock_row *row = &table->rows[i];
        if (row->requests == 0)
            continue;
        rc_json_key(w, rc_str_c(row->name));
        rc_json_object_begin(w);
        push_u64(w, "requests", row->requests);
        push_u64(w, "tokens_in", row->tokens_in);
        push_u64(w, "billed_in", row->billed_in);
        push_u64(w, "tokens_out", row->tokens_out);
        rc_json_object_end(w);
    }
    rc_json_object_end(w);
}

static void push_recent(rc_json_writer *w, const rc_mock_recent_request *last)
{
    rc_json_object_begin(w);
    rc_json_member_string(w, RC_STR("method"), rc_str_c(last->method));
    rc_json_member_string(w, RC_STR("path"), rc_str_c(last->path));
    rc_json_member_string(w, RC_STR("model"), rc_str_c(last->model));
    rc_json_member_string(w, RC_STR("key"), rc_str_c(last->key));
    rc_json_member_i64(w, RC_STR("status"), last->status);
    rc_json_key(w, RC_STR("headers"));
    rc_json_array_begin(w);
    const rc_str names = rc_str_c(last->names);
    for (size_t from = 0, to; from < names.len; from = to + 1) {
        to = rc_str_find_byte(names, '\n', from);
        rc_json_string(w, rc_str_slice(names, from, to));
    }
    rc_json_array_end(w);
    push_u64(w, "body_bytes", last->body_bytes);
    rc_json_member_string(w, RC_STR("body_sha256"), rc_str_c(last->sha256));
    rc_json_object_end(w);
}

void rc_mock_stats_push(const rc_mock_stats *stats, rc_json_writer *w)
{
    push_u64(w, "requests", stats->requests);
    push_u64(w, "tokens_in", stats->tokens_in);
    push_u64(w, "billed_in", stats->billed_in);
    push_u64(w, "tokens_out", stats->tokens_out);
    push_u64(w, "disconnects", stats->disconnects);
    push_table(w, "by_model", &stats->models);
    push_table(w, "by_key", &stats->keys);
    push_table(w, "by_path", &stats->paths);
    rc_json_key(w, RC_STR("last"));
    rc_json_array_begin(w);
    const uint64_t shown_count =
        stats->recent_count < RC_MOCK_RECENT_MAX ? stats->recent_count : RC_MOCK_RECENT_MAX;
    for (uint64_t i = stats->recent_count - shown_count; i < stats->recent_count; i++)
        push_recent(w, &stats->recent[i % RC_MOCK_RECENT_MAX]);
    rc_json_array_end(w);
}
