/* The secrets of a configuration, from where it says they are. */
#include "base/str.h"
#include "config/secret_load.h"
#include "gateway/plan.h"
#include "gateway/world.h"

static void say(rc_gate_trouble *trouble, const char *text)
{
    rc_gate_trouble_add(trouble, rc_str_c(text));
}

/* "no API key for provider NAME: the variable X is not set" */
static bool refuse(rc_gate_trouble *trouble, const char *what, rc_str whose,
                   const rc_secret_ref *ref, const char *why)
{
    trouble->is_secret = true;
    say(trouble, what);
    rc_gate_trouble_add(trouble, whose);
    say(trouble, ": ");
    say(trouble, rc_secret_kind_noun(ref->kind));
    say(trouble, " ");
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

static bool read_secret(rc_gate_plans *plans, const rc_secret_ref *ref, const char *what,
                        rc_str whose, rc_gate_key *ret_key, rc_gate_trouble *trouble)
{
    char room[RC_SECRET_TOKEN_MAX];
    rc_buf text;
    rc_buf_init_fixed(&text, room, sizeof room);
    const char *why = rc_secret_load(plans->world->calls, ref, &text);
    if (why == NULL && !keep(plans, rc_buf_get(&text), ret_key))
        why = RC_SECRET_NO_TOKEN;
    rc_secret_wipe(room, sizeof room);
    return why == NULL || refuse(trouble, what, whose, ref, why);
}

static bool read_provider(rc_gate_plans *plans, rc_gate_provider *provider,
                          rc_gate_trouble *trouble)
{
    const rc_config_provider *config = provider->config;
    for (size_t i = 0; i < config->key_count; i++) {
        rc_gate_key *key = rc_arena_get(&plans->arena, sizeof *key);
        if (key == NULL || !read_secret(plans, &config->keys[i], "no API key for provider ",
                                        config->name, key, trouble))
            return false;
        atomic_init(&provider->keys[i], key);
    }
    return true;
}

bool rc_gate_plans_read_keys(rc_gate_plans *plans, rc_gate_trouble *ret_trouble)
{
    const rc_config *config = plans->config;
    for (size_t i = 0; i < config->provider_count; i++)
        if (!read_provider(plans, &plans->providers[i], ret_trouble))
            return false;
    if (config->admin.token.kind != RC_SECRET_NONE &&
        !read_secret(plans, &config->admin.token, "no token for the operator's side",
                     rc_str_make(NULL, 0), &plans->admin_token, ret_trouble))
        return false;
    for (size_t i = 0; i < config->client_count; i++)
        if (!read_secret(plans, &config->clients[i].token, "no token for client ",
                         config->clients[i].name, &plans->tokens[i], ret_trouble))
            return false;
    return true;
}

bool rc_gate_provider_key(const rc_gate_provider *provider, uint16_t credential, rc_secret *ret_key)
{
    const uint32_t at = (uint32_t)credential - provider->first_key;
    if (credential < provider->first_key || at >= provider->config->key_count)
        return false;
    const rc_gate_key *key = atomic_load_explicit(&provider->keys[at], memory_order_acquire);
    *ret_key = rc_secret_make(rc_str_make(key->bytes, key->len));
    return true;
}

/* ---- a fresh one ---- */

/* Locked. The same key again takes no memory. */
static bool replace(rc_gate_plans *plans, const rc_gate_provider *provider, uint32_t at,
                    rc_str text)
{
    rc_gate_key *old = atomic_load(&provider->keys[at]);
    if (rc_secret_eq(rc_secret_make(rc_str_trim(text)),
                     rc_secret_make(rc_str_make(old->bytes, old->len))))
        return false;
    rc_gate_key *key = rc_arena_get(&plans->arena, sizeof *key);
    if (key == NULL || !keep(plans, text, key))
        return false;
    key->old = old;
    atomic_store_explicit(&provider->keys[at], key, memory_order_release);
    return true;
}

static bool read_again(rc_gate_plans *plans, const rc_gate_provider *provider, uint32_t at)
{
    char room[RC_SECRET_TOKEN_MAX];
    rc_buf text;
    rc_buf_init_fixed(&text, room, sizeof room);
    const bool is_fresh =
        rc_secret_load(plans->world->calls, &provider->config->keys[at], &text) == NULL &&
        replace(plans, provider, at, rc_buf_get(&text));
    rc_secret_wipe(room, sizeof room);
    return is_fresh;
}

/* Of many calls that had sent the old key the first one reads the new one, which the others must
 * not take for refused. */
bool rc_gate_provider_refresh(rc_gate_plans *plans, rc_gate_provider *provider, uint16_t credential,
                              rc_secret used)
{
    const uint32_t at = (uint32_t)credential - provider->first_key;
    if (credential < provider->first_key || at >= provider->config->key_count)
        return false;
    uv_mutex_lock(&plans->fresh_lock);
    const rc_gate_key *key = atomic_load(&provider->keys[at]);
    const bool is_read = !rc_secret_eq(rc_secret_make(rc_str_make(key->bytes, key->len)), used);
    const bool is_fresh = is_read || read_again(plans, provider, at);
    uv_mutex_unlock(&plans->fresh_lock);
    return is_fresh;
}

/* ---- the end ---- */

static void wipe(rc_gate_key *key)
{
    rc_secret_wipe(key->bytes, key->len);
    *key = (rc_gate_key){0};
}

static void wipe_provider(const rc_gate_provider *provider)
{
    for (size_t i = 0; provider->keys != NULL && i < provider->config->key_count; i++) {
        rc_gate_key *key = atomic_load(&provider->keys[i]);
        while (key != NULL) {
            rc_gate_key *old = key->old;
            wipe(key);
            key = old;
        }
    }
}

void rc_gate_plans_wipe_keys(rc_gate_plans *plans)
{
    const rc_config *config = plans->config;
    for (size_t i = 0; plans->providers != NULL && i < config->provider_count; i++)
        if (plans->providers[i].config != NULL)
            wipe_provider(&plans->providers[i]);
    wipe(&plans->admin_token);
    for (size_t i = 0; plans->tokens != NULL && i < config->client_count; i++)
        wipe(&plans->tokens[i]);
}
