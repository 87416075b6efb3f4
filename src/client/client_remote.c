/* Parses the URL and reads the token of a remote gateway. Called by client.c. */
#include <string.h>

#include "base/secret.h"
#include "base/str.h"
#include "client/client_private.h"
#include "sys/calls.h"
#include "sys/config_file.h"
#include "sys/file.h"

/* Removes "/v1" or "/v1beta" from the end of a URL, because users paste the base URL of an SDK. */
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

static bool refuse(rc_client_error *error, const char *subject, const char *why, const char *advice)
{
    rc_buf message;
    *error = (rc_client_error){.code = RC_CODE_CONFIG_SCHEMA_VIOLATION, .advice = advice};
    rc_buf_init_fixed(&message, error->message, sizeof error->message - 1);
    rc_buf_push(&message, rc_str_c(subject));
    rc_buf_push(&message, rc_str_c(why));
    rc_buf_push_byte(&message, '.');
    return false;
}

static bool read_origin(rc_client *client, const rc_client_remote *remote, rc_client_error *error)
{
    const rc_origin_options options = {.insecure = remote->is_insecure, .allow_private = true};
    const char *why =
        rc_origin_parse(without_version(rc_str_c(remote->url)), options, &client->origin);
    return why == NULL || refuse(error, "The address in --via is invalid: ", why,
                                 "Use http://127.0.0.1:8787 or https://HOST. Plain http:// to "
                                 "another machine needs --insecure.");
}

static bool refuse_token(rc_client_error *error, const char *file, const char *why)
{
    return refuse(error,
                  file != NULL ? "The file of --token-file " : "The variable RECOURSE_TOKEN ", why,
                  "Write only the token into a file that only you can read, or into "
                  "RECOURSE_TOKEN.");
}

static bool read_token(rc_client *client, const char *file, rc_client_error *error)
{
    const rc_sys_calls *calls = client->settings.calls;
    const char *value = file == NULL ? calls->getenv("RECOURSE_TOKEN") : NULL;
    int read_error = 0;
    if (file == NULL && value == NULL)
        return true;
    if (value != NULL)
        rc_buf_push(&client->token, rc_str_trim(rc_str_c(value)));
    else if (rc_secret_file_check(calls, file) == RC_SECRET_FILE_WORLD_READABLE)
        return refuse_token(error, file, "is readable by every user of this machine");
    else
        read_error = rc_file_read(calls, file, &client->token);
    if (rc_buf_status(&client->token) == RC_E_TOO_LARGE)
        return refuse_token(error, file, "is longer than 4096 bytes, the maximum of a token");
    if (read_error != 0 || rc_buf_status(&client->token) != RC_OK)
        return refuse_token(error, file, "cannot be read");
    const rc_secret token = rc_secret_make(rc_str_trim(rc_buf_get(&client->token)));
    if (token.len == 0 && value != NULL)
        return true;
    return rc_secret_is_token(token) ||
           refuse_token(error, file, "holds no token that is valid in a header");
}

bool rc_client_read_remote(rc_client *client, const rc_client_remote *remote,
                           rc_client_error *ret_error)
{
    rc_buf_push(&client->url, rc_str_c(remote->url));
    return read_origin(client, remote, ret_error) &&
           read_token(client, remote->token_file, ret_error);
}
