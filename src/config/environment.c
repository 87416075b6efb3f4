/* Builds the configuration if there is no file: writes YAML from the environment variables that are
 * set and parses the YAML like a file. Called by load.c. */
#include "base/str.h"
#include "config/config.h"
#include "config/keys.h"

#define TEXT_MAX_BYTES ((size_t)64 << 10)
#define NAME_MAX_BYTES 64

typedef const char *(*get_variable)(const char *name);

static void push(rc_buf *buf, const char *text)
{
    rc_buf_push(buf, rc_str_c(text));
}

static bool is_set(get_variable get, rc_str name)
{
    char scratch[NAME_MAX_BYTES];
    if (name.len == 0 || name.len >= sizeof(scratch))
        return false;
    memcpy(scratch, name.ptr, name.len);
    scratch[name.len] = '\0';
    const char *value = get(scratch);
    return value != NULL && value[0] != '\0';
}

/* Returns the first key variable of a kind that is set, or "" if none is set. */
static rc_str key_variable(get_variable get, const rc_config_kind *kind)
{
    rc_str names = rc_str_c(kind->key_names);
    while (names.len > 0) {
        size_t space = rc_str_find_byte(names, ' ', 0);
        rc_str name = rc_str_slice(names, 0, space);
        if (is_set(get, name))
            return name;
        names =
            space == RC_STR_NPOS ? rc_str_make(NULL, 0) : rc_str_slice(names, space + 1, names.len);
    }
    return rc_str_make(NULL, 0);
}

static void push_provider(rc_buf *buf, get_variable get, const rc_config_kind *kind, rc_str key)
{
    push(buf, "  ");
    push(buf, kind->name);
    push(buf, ": {keys: [env:");
    rc_buf_push(buf, key);
    push(buf, "]");
    /* The value of ANTHROPIC_AUTH_TOKEN is sent as a bearer token. */
    if (rc_str_ends_with(key, RC_STR("_AUTH_TOKEN")))
        push(buf, ", auth: bearer");
    if (is_set(get, rc_str_c(kind->base_url_name))) {
        push(buf, ", base_url: ");
        rc_config_push_scalar(buf, rc_str_c(get(kind->base_url_name)));
    }
    push(buf, "}\n");
}

static void push_route(rc_buf *buf, const char *pattern, const char *provider)
{
    push(buf, "  - {model: \"");
    push(buf, pattern);
    push(buf, "\", chain: [{target: ");
    push(buf, provider);
    push(buf, "/*}]}\n");
}

/* Appends routes that demonstrate a retry, a fallback and a reported failure without any key. */
static void push_demo(rc_buf *buf)
{
    push(buf, "  - {model: demo-retry, chain: [{target: demo/429-ms-800@1/2}]}\n"
              "  - {model: demo-fallback, chain: [{target: \"demo/503+tokens-1\", tries: 1}, "
              "{target: demo/ok}]}\n"
              "  - {model: demo-failure, chain: [{target: demo/quota}]}\n");
}

static void push_text(rc_buf *buf, get_variable get)
{
    const char *first = NULL;
    bool has_anthropic = false;
    bool has_gemini = false;
    push(buf, "providers:\n");
    for (size_t i = 0; rc_config_kind_at(i) != NULL; i++) {
        const rc_config_kind *kind = rc_config_kind_at(i);
        /* The loop ends at the kind "demo", because the variables of later kinds may be set for
         * other purposes. */
        if (rc_str_eq(rc_str_c(kind->name), RC_STR("demo")))
            break;
        rc_str key = key_variable(get, kind);
        if (key.len == 0)
            continue;
        push_provider(buf, get, kind, key);
        has_anthropic = has_anthropic || kind->dialect == RC_DIALECT_ANTHROPIC;
        has_gemini = has_gemini || kind->dialect == RC_DIALECT_GEMINI;
        if (first == NULL)
            first = kind->name;
    }
    push(buf, "  demo: {kind: demo}\nroutes:\n");
    push_demo(buf);
    if (has_anthropic)
        push_route(buf, "claude*", "anthropic");
    if (has_gemini)
        push_route(buf, "gemini*", "gemini");
    push_route(buf, "*", first != NULL ? first : "demo");
}

rc_status rc_config_from_environment(rc_config *config, const char *(*getenv)(const char *name),
                                     const rc_alloc *alloc, rc_config_faults *faults)
{
    rc_buf text;
    rc_buf_init(&text, alloc, TEXT_MAX_BYTES);
    push_text(&text, getenv);
    rc_status status = rc_buf_status(&text);
    /* An incomplete text is not parsed. An empty text is parsed instead, because rc_config_done
     * needs a `config` that was parsed. */
    rc_str bytes = status == RC_OK ? rc_buf_get(&text) : RC_STR("");
    rc_status parsed = rc_config_parse(config, bytes, alloc, faults);
    rc_buf_done(&text);
    return status != RC_OK ? status : parsed;
}
