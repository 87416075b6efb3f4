/* Opens the client of a call, which uses a gateway in this process or the gateway of --via. Called
 * by run.c. */
#include <string.h>

#include "base/str.h"
#include "cli/call/call.h"
#include "cli/store_note.h"
#include "store/fault.h"

/* Warns that the store could not be opened. */
static void warn_unrecorded(rc_caller *c, int fault)
{
    char scratch[RC_CALLER_TEXT_MAX];
    rc_buf text;
    rc_buf_init_fixed(&text, scratch, sizeof scratch);
    rc_buf_push(&text, RC_STR("this call will not be recorded: "));
    rc_buf_push(&text, rc_str_c(rc_store_fault_text((rc_store_fault_kind)fault)));
    if (fault == RC_STORE_HAS_WRITER)
        rc_buf_push(&text,
                    RC_STR("; if the other process is a gateway, --via sends the call through it"));
    rc_caller_push_message(c, rc_buf_get(&text));
}

/* Prints a note that recourse.db is created in the current folder, if no state folder is known. */
static void note_store(rc_caller *c, const rc_config *config)
{
    char scratch[RC_CALLER_TEXT_MAX];
    rc_buf text;
    rc_buf_init_fixed(&text, scratch, sizeof scratch);
    if (config->audit.durability != RC_DURABLE_OFF &&
        config->store_kind == RC_CONFIG_STORE_CURRENT_DIR &&
        rc_store_note_push(&text, c->calls, config, false))
        rc_caller_push_message(c, rc_buf_get(&text));
}

bool rc_caller_open_client(rc_caller *c)
{
    const rc_client_settings settings = {
        .uv_loop = &c->loop, .calls = c->calls, .alloc = c->cli->alloc};
    const rc_client_remote remote = {
        .url = c->via, .token_file = c->token_file, .is_insecure = c->is_insecure};
    const rc_config *config = c->snapshot_input.config;
    rc_client_error error;
    const bool is_open = c->via != NULL
                             ? rc_client_connect(&c->client, &settings, &remote, &error)
                             : rc_client_open(&c->client, &settings, &c->snapshot_input, &error);
    const int store_fault = rc_client_store_fault(&c->client);
    if (store_fault != 0 && c->format == RC_CALLER_HUMAN)
        warn_unrecorded(c, store_fault);
    if (!is_open)
        rc_caller_fail(c, error.code, rc_str_c(error.message), rc_str_c(error.advice));
    else if (config != NULL && c->format == RC_CALLER_HUMAN)
        note_store(c, config);
    return is_open;
}
