/* The secrets of a configuration, from where it says they are. */
#include "base/str.h"
#include "gateway/plan.h"
#include "sys/file.h"

#define SECRET_MAX_BYTES ((size_t)16 << 10)

static void say(rc_gate_trouble *trouble, const char *text)
{
    rc_gate_trouble_add(trouble, rc_str_c(text));
}

/* "No API key for provider NAME: " or "No token for client NAME: " */
static bool refuse(rc_gate_trouble *trouble, const char *what, rc_str whose,
                   const rc_secret_ref *ref, const char *why)
{
    say(trouble, what);
    rc_gate_trouble_add(trouble, whose);
    say(trouble, ref->kind == RC_SECRET_ENV ? ": the variable " : ": the file ");
    rc_gate_trouble_add(trouble, ref->name);
    say(trouble, " ");
    say(trouble, why);
    return false;
}

/* A file's last line end is not part of the secret. */
static bool keep(rc_gate_plans *plans, rc_str text, rc_gate_key *ret_key)
{
    text = rc_str_trim(text);
    if (text.len == 0 || !rc_secret_is_token(rc_secret_make(text)))
        return false;
    char *bytes = rc_arena_get_unset(&plans->arena, text.len);
    if (bytes == NULL)
        return false;
    memcpy(bytes, text.ptr, text.len);
    *ret_key = (rc_gate_key){.bytes = bytes, .len = text.len};
    return true;
}

static bool read_secret(rc_gate_plans *plans, const rc_sys_calls *calls, const rc_secret_ref *ref,
                        const char *what, rc_str whose, rc_gate_key *ret_key,
                        rc_gate_trouble *trouble)
{
    if (ref->kind == RC_SECRET_ENV) {
        const char *value = calls->getenv(ref->name.ptr);
        if (value == NULL || value[0] == '\0')
            return refuse(trouble, what, whose, ref, "is not set");
        return keep(plans, rc_str_c(value), ret_key) ||
               refuse(trouble, what, whose, ref, "holds none that can stand in a header");
    }
    char room[SECRET_MAX_BYTES];
    rc_buf text;
    rc_buf_init_fixed(&text, room, sizeof room);
    const int error = rc_file_read(calls, ref->name.ptr, &text);
    const bool is_kept = error == 0 && keep(plans, rc_buf_get(&text), ret_key);
    rc_secret_wipe(room, sizeof room);
    if (is_kept)
        return true;
    return refuse(trouble, what, whose, ref,
                  error != 0 ? "cannot be read" : "holds none that can stand in a header");
}

bool rc_gate_plans_read_keys(rc_gate_plans *plans, const rc_sys_calls *calls,
                             rc_gate_trouble *ret_trouble)
{
    const rc_config *config = plans->config;
    for (size_t i = 0; i < config->provider_count; i++) {
        const rc_config_provider *provider = &config->providers[i];
        for (size_t k = 0; k < provider->key_count; k++)
            if (!read_secret(plans, calls, &provider->keys[k], "no API key for provider ",
                             provider->name, &plans->keys[plans->providers[i].first_key + k],
                             ret_trouble))
                return false;
    }
    for (size_t i = 0; i < config->client_count; i++)
        if (!read_secret(plans, calls, &config->clients[i].token, "no token for client ",
                         config->clients[i].name, &plans->tokens[i], ret_trouble))
            return false;
    return true;
}

static void wipe(rc_gate_key *key)
{
    rc_secret_wipe(key->bytes, key->len);
    *key = (rc_gate_key){0};
}

void rc_gate_plans_wipe_keys(rc_gate_plans *plans)
{
    const rc_config *config = plans->config;
    size_t keys = 0;
    for (size_t i = 0; i < config->provider_count; i++)
        keys += config->providers[i].key_count;
    for (size_t i = 0; i < keys; i++)
        wipe(&plans->keys[i]);
    for (size_t i = 0; i < config->client_count; i++)
        wipe(&plans->tokens[i]);
}
