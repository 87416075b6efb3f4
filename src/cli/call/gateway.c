/* The gateway of a call: one in this process, which accepts no other client, or the remote one of
 * --via. Called by run.c. */
#include <string.h>

#include "base/str.h"
#include "cli/call/call.h"
#include "cli/store_note.h"
#include "gateway/gateway.h"
#include "store/fault.h"
#include "sys/config_file.h"
#include "sys/file.h"

#define PATH_MAX_BYTES ((size_t)4096)

/* ---- in-process gateway ---- */

/* Called on our own loop (the gateway has one thread). Copies the numbers of the record and its
 * report; the record's texts are valid only during this call. */
static void on_record(void *ctx, const rc_exchange_summary *record)
{
    rc_caller *c = ctx;
    rc_report_free(c->own_report);
    c->own_report = record->report != NULL ? rc_report_dup(record->report) : NULL;
    c->record = (rc_exchange_summary){
        .outcome = record->outcome,
        .attempts = record->attempts,
        .switches = record->switches,
        .wait_ms = record->wait_ms,
        .tokens_in = record->tokens_in,
        .tokens_out = record->tokens_out,
        .cost_usd_micro = record->cost_usd_micro,
    };
    c->has_record = true;
    rc_buf target;
    rc_buf_init_fixed(&target, c->target, sizeof c->target - 1);
    rc_buf_push(&target, record->provider);
    rc_buf_push(&target, record->provider.len > 0 ? RC_STR("/") : RC_STR(""));
    rc_buf_push(&target, record->target);
    c->target[rc_buf_get(&target).len] = '\0';
}

/* Called on our own loop. A response that is not streamed cannot carry events; this callback
 * can. */
static void on_quota(void *ctx, const rc_quota_warning *notice)
{
    rc_caller_set_near_limit(ctx, notice->quota, notice->target);
}

/* Called on the store's thread; the message is printed at the end. */
static void on_suppressed(void *ctx, rc_str line)
{
    rc_caller *c = ctx;
    (void)line;
    uv_mutex_lock(&c->suppressed_lock);
    c->has_suppressed = true;
    uv_mutex_unlock(&c->suppressed_lock);
}

static void on_stopped(void *ctx)
{
    ((rc_caller *)ctx)->gateway = NULL;
}

static int open_connection(void *ctx, const rc_origin *origin)
{
    const rc_caller *c = ctx;
    (void)origin;
    return c->gateway != NULL ? rc_gateway_connect(c->gateway) : -1;
}

/* Decides whether a call may go on without an audit record: yes when there is no configuration
 * file, when audit.on_failure allows it, or when a running gateway holds the store's write lock. */
static bool may_run_unrecorded(const rc_caller *c, int fault)
{
    char scratch[PATH_MAX_BYTES];
    rc_buf path;
    rc_buf_init_fixed(&path, scratch, sizeof scratch);
    const bool has_file = c->config_path != NULL || rc_config_file_find(c->calls, &path);
    return fault == RC_STORE_HAS_WRITER || !has_file ||
           c->snapshot_input.config->audit.on_failure == 1;
}

/* Turns the audit off for this call and warns the user. */
static void warn_unrecorded(rc_caller *c, int fault)
{
    char scratch[RC_CALLER_TEXT_MAX];
    rc_buf text;
    rc_buf_init_fixed(&text, scratch, sizeof scratch);
    c->is_unrecorded = true;
    rc_buf_push(&text, RC_STR("this call will not be on record: "));
    rc_buf_push(&text, rc_str_c(rc_store_fault_text((rc_store_fault_kind)fault)));
    if (fault == RC_STORE_HAS_WRITER)
        rc_buf_push(&text, RC_STR("; a gateway? Then --via calls through it"));
    if (c->format == RC_CALLER_HUMAN)
        rc_caller_push_message(c, rc_buf_get(&text));
}

static rc_gateway *make_gateway(rc_caller *c, rc_load_error *load_error)
{
    const rc_gateway_settings settings = {
        .uv_loop = &c->loop,
        .calls = c->calls,
        .alloc = c->cli->alloc,
        .threads = 1,
        .on_record = on_record,
        .on_quota = on_quota,
        .on_suppressed = on_suppressed,
        .on_stopped = on_stopped,
        .ctx = c,
    };
    rc_gateway *gateway = rc_gateway_new(&settings, &c->snapshot_input, load_error);
    if (gateway != NULL || load_error->store_fault == 0 ||
        !may_run_unrecorded(c, load_error->store_fault))
        return gateway;
    warn_unrecorded(c, load_error->store_fault);
    c->snapshot_input.config->audit.durability = RC_DURABLE_OFF;
    return rc_gateway_new(&settings, &c->snapshot_input, load_error);
}

/* Sets the report for a gateway that could not be created, such as "No API key for provider x:
 * ...". */
static void fail_to_create(rc_caller *c, rc_load_error *load_error)
{
    char *text = load_error->text;
    if (text[0] >= 'a' && text[0] <= 'z')
        text[0] = (char)(text[0] - 'a' + 'A');
    if (!rc_str_ends_with(rc_str_c(text), RC_STR(".")))
        rc_load_error_add(load_error, RC_STR("."));
    rc_code code = RC_CODE_CONFIG_SCHEMA_VIOLATION;
    rc_str advice = RC_STR("");
    if (load_error->is_memory)
        code = RC_CODE_INTERNAL;
    else if (load_error->store_fault != 0)
        code = RC_CODE_STORE_UNAVAILABLE;
    else if (load_error->is_secret) {
        code = RC_CODE_AUTH_FAILED;
        advice = RC_STR("Put it there, or say in the configuration, under the provider's keys, "
                        "where it is.");
    }
    rc_caller_fail(c, code, rc_str_c(text), advice);
}

/* Tells the user that recourse.db is created in the current folder when no state folder is
 * known. */
static void note_store(rc_caller *c)
{
    const rc_config *config = c->snapshot_input.config;
    char scratch[RC_CALLER_TEXT_MAX];
    rc_buf text;
    rc_buf_init_fixed(&text, scratch, sizeof scratch);
    if (c->format == RC_CALLER_HUMAN && config->audit.durability != RC_DURABLE_OFF &&
        config->store_kind == RC_CONFIG_STORE_CURRENT_DIR &&
        rc_store_note_push(&text, c->calls, config, false))
        rc_caller_push_message(c, rc_buf_get(&text));
}

static bool open_in_process(rc_caller *c)
{
    rc_load_error load_error = {0};
    c->gateway = make_gateway(c, &load_error);
    if (c->gateway == NULL) {
        fail_to_create(c, &load_error);
        return false;
    }
    note_store(c);
    c->snapshot_input = (rc_snapshot_input){0};
    if (rc_gateway_open(c->gateway))
        return true;
    rc_caller_fail(c, RC_CODE_INTERNAL, RC_STR("There is no memory for the call."), RC_STR(""));
    return false;
}

/* ---- gateway of --via ---- */

/* Removes "/v1" or "/v1beta" from the end: users paste the base URL of an SDK. */
static rc_str without_version(rc_str url)
{
    while (url.len > 0 && url.ptr[url.len - 1] == '/')
        url.len--;
    static const rc_str ends[] = {RC_STR_INIT("/v1"), RC_STR_INIT("/v1beta")};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        if (rc_str_ends_with(url, ends[i]))
            return rc_str_slice(url, 0, url.len - ends[i].len);
    return url;
}

static bool read_origin(rc_caller *c)
{
    const rc_origin_options options = {.insecure = c->is_insecure, .allow_private = true};
    const char *why = rc_origin_parse(without_version(rc_str_c(c->via)), options, &c->origin);
    if (why == NULL)
        return true;
    char scratch[RC_CALLER_TEXT_MAX];
    rc_buf message;
    rc_buf_init_fixed(&message, scratch, sizeof scratch);
    rc_buf_push(&message, RC_STR("The address of --via cannot be used: "));
    rc_buf_push(&message, rc_str_c(why));
    rc_buf_push_byte(&message, '.');
    rc_caller_fail(c, RC_CODE_CONFIG_SCHEMA_VIOLATION, rc_buf_get(&message),
                   RC_STR("Give it as http://127.0.0.1:8787 or https://HOST. Plain http:// to "
                          "another machine needs --insecure."));
    return false;
}

static bool fail_token(rc_caller *c, const char *why)
{
    char scratch[RC_CALLER_TEXT_MAX];
    rc_buf message;
    rc_buf_init_fixed(&message, scratch, sizeof scratch);
    rc_buf_push(&message, c->token_file != NULL ? RC_STR("The file of --token-file ")
                                                : RC_STR("The variable RECOURSE_TOKEN "));
    rc_buf_push(&message, rc_str_c(why));
    rc_caller_fail(c, RC_CODE_CONFIG_SCHEMA_VIOLATION, rc_buf_get(&message),
                   RC_STR("Put the token alone into a file that only you can read, or into "
                          "RECOURSE_TOKEN."));
    return false;
}

static bool read_token(rc_caller *c)
{
    const char *value = c->token_file == NULL ? c->calls->getenv("RECOURSE_TOKEN") : NULL;
    if (c->token_file == NULL && value == NULL)
        return true;
    if (value != NULL)
        rc_buf_push(&c->token, rc_str_trim(rc_str_c(value)));
    else if (rc_secret_file_check(c->calls, c->token_file) == RC_SECRET_FILE_WORLD_READABLE)
        return fail_token(c, "can be read by everybody on this machine.");
    else if (rc_file_read(c->calls, c->token_file, &c->token) != 0)
        return fail_token(c, "cannot be read.");
    const rc_secret token = rc_secret_make(rc_str_trim(rc_buf_get(&c->token)));
    if (token.len == 0 && value != NULL)
        return true;
    return rc_secret_is_token(token) || fail_token(c, "holds none that can stand in a header.");
}

/* ---- opening and closing ---- */

bool rc_caller_open_gateway(rc_caller *c)
{
    rc_upstream_settings settings = rc_upstream_settings_default();
    settings.alloc = c->cli->alloc;
    if (c->via == NULL) {
        /* A placeholder address: open_connection returns a socket pair, nothing is dialled. */
        (void)rc_origin_parse(RC_STR("http://127.0.0.1:1"), (rc_origin_options){0}, &c->origin);
        settings.open = open_connection;
        settings.open_ctx = c;
        if (!open_in_process(c))
            return false;
    } else if (!read_origin(c) || !read_token(c)) {
        return false;
    }
    c->is_upstream_open = rc_upstream_new(&c->loop, &settings, &c->upstream) == RC_OK;
    if (c->is_upstream_open)
        return true;
    rc_caller_fail(c, RC_CODE_INTERNAL, RC_STR("There is no memory for the call."), RC_STR(""));
    return false;
}

static void on_upstream_closed(void *ctx)
{
    ((rc_caller *)ctx)->is_upstream_open = false;
}

void rc_caller_close_gateway(rc_caller *c)
{
    if (c->upstream != NULL)
        rc_upstream_close(c->upstream, on_upstream_closed, c);
    c->upstream = NULL;
    if (c->gateway != NULL)
        rc_gateway_close(c->gateway);
}

bool rc_caller_is_gateway_closed(const rc_caller *c)
{
    return c->gateway == NULL && !c->is_upstream_open;
}
