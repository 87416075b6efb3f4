/* Reads the secrets of a configuration from their sources, refreshes and wipes them. Called by
 * snapshot.c and exchanges. */
#include "base/str.h"
#include "config/secret_load.h"
#include "gateway/state/hub.h"
#include "gateway/state/snapshot.h"

static void add_text(rc_load_error *error, const char *text)
{
    rc_load_error_add(error, rc_str_c(text));
}

/* Writes a message such as "no API key for provider NAME: the variable X is not set". */
static bool refuse(rc_load_error *error, const char *prefix, rc_str owner, const rc_secret_ref *ref,
                   const char *why)
{
    error->is_secret = true;
    add_text(error, prefix);
    rc_load_error_add(error, owner);
    add_text(error, ": ");
    add_text(error, rc_secret_kind_noun(ref->kind));
    add_text(error, " ");
    rc_load_error_add(error, ref->name);
    add_text(error, " ");
    add_text(error, why);
    return false;
}

/* Copies a secret into the arena, without white space at its ends, such as the line end of a
 * file. */
static bool store_key(rc_snapshot *snapshot, rc_str text, rc_snapshot_key *ret_key)
{
    text = rc_str_trim(text);
    if (text.len == 0 || !rc_secret_is_token(rc_secret_make(text)))
        return false;
    char *bytes = rc_arena_get_unset(&snapshot->arena, text.len);
    if (bytes == NULL)
        return false;
    memcpy(bytes, text.ptr, text.len);
    *ret_key = (rc_snapshot_key){.bytes = bytes, .len = text.len};
    return true;
}

static bool read_secret(rc_snapshot *snapshot, const rc_secret_ref *ref, const char *prefix,
                        rc_str owner, rc_snapshot_key *ret_key, rc_load_error *error)
{
    char scratch[RC_SECRET_TOKEN_MAX];
    rc_buf text;
    rc_buf_init_fixed(&text, scratch, sizeof scratch);
    const char *why = rc_secret_load(snapshot->hub->calls, ref, &text);
    if (why == NULL && !store_key(snapshot, rc_buf_get(&text), ret_key))
        why = RC_SECRET_NO_TOKEN;
    rc_secret_wipe(scratch, sizeof scratch);
    return why == NULL || refuse(error, prefix, owner, ref, why);
}

static bool read_provider(rc_snapshot *snapshot, rc_snapshot_provider *provider,
                          rc_load_error *error)
{
    const rc_config_provider *config = provider->config;
    for (size_t i = 0; i < config->key_count; i++) {
        rc_snapshot_key *key = rc_arena_get(&snapshot->arena, sizeof *key);
        if (key == NULL || !read_secret(snapshot, &config->keys[i], "no API key for provider ",
                                        config->name, key, error))
            return false;
        atomic_init(&provider->keys[i], key);
    }
    return true;
}

bool rc_snapshot_read_keys(rc_snapshot *snapshot, rc_load_error *ret_error)
{
    const rc_config *config = snapshot->config;
    for (size_t i = 0; i < config->provider_count; i++)
        if (!read_provider(snapshot, &snapshot->providers[i], ret_error))
            return false;
    if (config->admin.token.kind != RC_SECRET_NONE &&
        !read_secret(snapshot, &config->admin.token, "no token for the admin interface",
                     rc_str_make(NULL, 0), &snapshot->admin_token, ret_error))
        return false;
    for (size_t i = 0; i < config->client_count; i++)
        if (!read_secret(snapshot, &config->clients[i].token, "no token for client ",
                         config->clients[i].name, &snapshot->tokens[i], ret_error))
            return false;
    return true;
}

bool rc_snapshot_provider_key(const rc_snapshot_provider *provider, uint16_t credential,
                              rc_secret *ret_key)
{
    const uint32_t at = (uint32_t)credential - provider->first_key;
    if (credential < provider->first_key || at >= provider->config->key_count)
        return false;
    const rc_snapshot_key *key = atomic_load_explicit(&provider->keys[at], memory_order_acquire);
    *ret_key = rc_secret_make(rc_str_make(key->bytes, key->len));
    return true;
}

/* ---- refresh ---- */

/* Replaces the key at index `at` if it has changed. An unchanged key is not stored again. The
 * caller holds refresh_lock. */
static bool replace(rc_snapshot *snapshot, const rc_snapshot_provider *provider, uint32_t at,
                    rc_str text)
{
    rc_snapshot_key *old = atomic_load(&provider->keys[at]);
    if (rc_secret_eq(rc_secret_make(rc_str_trim(text)),
                     rc_secret_make(rc_str_make(old->bytes, old->len))))
        return false;
    rc_snapshot_key *key = rc_arena_get(&snapshot->arena, sizeof *key);
    if (key == NULL || !store_key(snapshot, text, key))
        return false;
    key->previous = old;
    atomic_store_explicit(&provider->keys[at], key, memory_order_release);
    return true;
}

static bool read_again(rc_snapshot *snapshot, const rc_snapshot_provider *provider, uint32_t at)
{
    char scratch[RC_SECRET_TOKEN_MAX];
    rc_buf text;
    rc_buf_init_fixed(&text, scratch, sizeof scratch);
    const bool is_fresh =
        rc_secret_load(snapshot->hub->calls, &provider->config->keys[at], &text) == NULL &&
        replace(snapshot, provider, at, rc_buf_get(&text));
    rc_secret_wipe(scratch, sizeof scratch);
    return is_fresh;
}

/* If several attempts were rejected with the old key, the first attempt loads the key again. Each
 * later attempt finds that the key was already replaced and gets true, because its rejection must
 * not count against the new key. */
bool rc_snapshot_provider_refresh(rc_snapshot *snapshot, rc_snapshot_provider *provider,
                                  uint16_t credential, rc_secret used)
{
    const uint32_t at = (uint32_t)credential - provider->first_key;
    if (credential < provider->first_key || at >= provider->config->key_count)
        return false;
    uv_mutex_lock(&snapshot->refresh_lock);
    const rc_snapshot_key *key = atomic_load(&provider->keys[at]);
    const bool is_read = !rc_secret_eq(rc_secret_make(rc_str_make(key->bytes, key->len)), used);
    const bool is_fresh = is_read || read_again(snapshot, provider, at);
    uv_mutex_unlock(&snapshot->refresh_lock);
    return is_fresh;
}

/* ---- wiping ---- */

static void wipe(rc_snapshot_key *key)
{
    rc_secret_wipe(key->bytes, key->len);
    *key = (rc_snapshot_key){0};
}

static void wipe_provider(const rc_snapshot_provider *provider)
{
    for (size_t i = 0; provider->keys != NULL && i < provider->config->key_count; i++) {
        rc_snapshot_key *key = atomic_load(&provider->keys[i]);
        while (key != NULL) {
            rc_snapshot_key *old = key->previous;
            wipe(key);
            key = old;
        }
    }
}

void rc_snapshot_wipe_keys(rc_snapshot *snapshot)
{
    const rc_config *config = snapshot->config;
    for (size_t i = 0; snapshot->providers != NULL && i < config->provider_count; i++)
        if (snapshot->providers[i].config != NULL)
            wipe_provider(&snapshot->providers[i]);
    wipe(&snapshot->admin_token);
    for (size_t i = 0; snapshot->tokens != NULL && i < config->client_count; i++)
        wipe(&snapshot->tokens[i]);
}
