/* Writes the imported configuration as YAML, preceded by the notes. Called by import.c. */
#include <string.h>

#include "config/config.h"
#include "config/keys.h"
#include "config/litellm/private.h"
#include "render/wrap.h"

#define DEADLINE_MORE_MS UINT64_C(60000)
#define DAY_MS UINT64_C(86400000)

typedef struct writer {
    const rc_litellm *in;
    rc_buf *buf;
} writer;

static void push(const writer *w, const char *text)
{
    rc_buf_push(w->buf, rc_str_c(text));
}

static void push_member(const writer *w, const char *name, uint64_t value)
{
    push(w, name);
    push(w, ": ");
    rc_buf_push_u64(w->buf, value);
}

/* Appends text to a comment. Control characters are escaped, so that text from the file cannot end
 * the comment. */
static void push_comment(const writer *w, rc_str text)
{
    rc_visible_push(w->buf, text, true);
    push(w, "\n");
}

static void push_notes(const writer *w)
{
    const rc_litellm_notes *notes = w->in->notes;
    push(w, "# Made by recourse config import litellm from ");
    push_comment(w, w->in->title);
    if (notes->count > 0)
        push(w, "# Settings that differ or were left out, by their key in that file:\n");
    for (size_t i = 0; i < notes->count && i < RC_LITELLM_NOTES_MAX; i++) {
        const rc_litellm_note *note = &notes->list[i];
        push(w, "#   ");
        rc_buf_push_u64(w->buf, note->line);
        push(w, ":");
        rc_buf_push_u64(w->buf, note->column);
        push(w, " ");
        rc_visible_push(w->buf, rc_str_c(note->path), true);
        push(w, ": ");
        push_comment(w, rc_str_c(note->text));
    }
    if (notes->count > RC_LITELLM_NOTES_MAX) {
        push(w, "#   and ");
        rc_buf_push_u64(w->buf, notes->count - RC_LITELLM_NOTES_MAX);
        push(w, " more\n");
    }
    push(w, "\n");
}

static void push_providers(const writer *w)
{
    push(w, "providers:\n");
    for (const rc_litellm_provider *p = w->in->providers; p != NULL; p = p->next) {
        push(w, "  ");
        rc_config_push_scalar(w->buf, p->name);
        push(w, ":\n    kind: ");
        push(w, p->kind->name);
        push(w, "\n");
        if (p->base_url.len > 0) {
            push(w, "    base_url: ");
            rc_config_push_scalar(w->buf, p->base_url);
            push(w, "\n");
        }
        if (p->key.len > 0) {
            push(w, "    keys: [");
            rc_buf_push(w->buf, p->key);
            push(w, "]\n");
        }
        if (p->is_insecure)
            push(w, "    insecure: true\n");
    }
}

static void push_target(const writer *w, const rc_litellm_deployment *deployment)
{
    char scratch[1024];
    rc_buf text;
    rc_buf_init_fixed(&text, scratch, sizeof scratch);
    rc_buf_push(&text, deployment->provider->name);
    rc_buf_push_byte(&text, '/');
    rc_buf_push(&text, deployment->model);
    rc_config_push_scalar(w->buf, rc_buf_get(&text));
}

static void push_limits(const writer *w, const rc_litellm_route *r)
{
    if (r->first_byte_ms > 0 || r->idle_ms > 0) {
        push(w, "    timeouts: {");
        if (r->first_byte_ms > 0)
            push_member(w, "first_byte_ms", r->first_byte_ms);
        if (r->idle_ms > 0)
            push_member(w, r->first_byte_ms > 0 ? ", idle_ms" : "idle_ms", r->idle_ms);
        push(w, "}\n");
    }
    rc_config_route standard;
    rc_config_route_init(&standard);
    if (r->first_byte_ms < standard.deadline_ms)
        return;
    const uint64_t deadline_ms = r->first_byte_ms + DEADLINE_MORE_MS;
    push(w, "    ");
    push_member(w, "deadline_ms", deadline_ms < DAY_MS ? deadline_ms : DAY_MS);
    push(w, "\n");
}

static void push_single(const writer *w, const rc_litellm_deployment *deployment)
{
    push(w, "      - target: ");
    push_target(w, deployment);
    push(w, "\n");
}

/* Appends the targets at [first, first + count), which have one model_name. Those with a weight
 * share the requests; LiteLLM sends the others none, so they come after those. */
static void push_group(const writer *w, const rc_litellm_route *r, size_t first, size_t count)
{
    uint64_t weights[RC_GROUP_MAX];
    size_t shared = 0;
    bool is_equal = true;
    rc_litellm_weights(r, first, count, weights);
    for (size_t i = 0; i < count; i++) {
        shared += weights[i] > 0;
        is_equal = is_equal && weights[i] == weights[0];
    }
    if (shared > 1) {
        push(w, "      - any_of:\n");
        for (size_t i = 0; i < count; i++) {
            if (weights[i] == 0)
                continue;
            push(w, "          - ");
            push_target(w, r->chain[first + i]);
            push(w, "\n");
        }
        const char *between = "        weights: [";
        for (size_t i = 0; i < count && !is_equal; i++) {
            if (weights[i] == 0)
                continue;
            push(w, between);
            rc_buf_push_u64(w->buf, weights[i]);
            between = ", ";
        }
        push(w, is_equal ? "" : "]\n");
        if (w->in->by != NULL) {
            push(w, "        by: ");
            push(w, w->in->by);
            push(w, "\n");
        }
    }
    for (size_t i = 0; i < count; i++)
        if (shared == 1 && weights[i] > 0)
            push_single(w, r->chain[first + i]);
    for (size_t i = 0; i < count; i++)
        if (weights[i] == 0)
            push_single(w, r->chain[first + i]);
}

static void push_chain(const writer *w, const rc_litellm_route *r)
{
    for (size_t i = 0; i < r->chain_count;) {
        size_t end = i + 1;
        while (end < r->chain_count && r->groups[end] == r->groups[i] && end - i < RC_GROUP_MAX)
            end++;
        push_group(w, r, i, end - i);
        i = end;
    }
}

static void push_route(const writer *w, const rc_litellm_route *r)
{
    push(w, "  - model: ");
    rc_config_push_scalar(w->buf, r->model);
    push(w, "\n    chain:\n");
    push_chain(w, r);
    if (w->in->has_policy)
        push(w, "    policy: imported\n");
    if (r->overflow_to != NULL) {
        push(w, "    overflow_to: ");
        push_target(w, r->overflow_to);
        push(w, "\n");
    }
    push_limits(w, r);
}

static void push_policy(const writer *w)
{
    /* The error codes of each element of rc_litellm.rule_attempts. */
    static const char *const codes[] = {"RateLimited", "ProviderTimeout, NetworkTimeout",
                                        "Overloaded, Provider5xx"};
    const rc_litellm *in = w->in;
    bool has_rules = false;
    if (!in->has_policy)
        return;
    push(w, "\npolicies:\n  imported:\n    ");
    push_member(w, "max_attempts", in->max_attempts > 0 ? in->max_attempts : 3);
    push(w, "\n");
    for (size_t i = 0; i < 3; i++) {
        if (in->rule_attempts[i] == 0)
            continue;
        push(w, has_rules ? "" : "    rules:\n");
        has_rules = true;
        push(w, "      - {codes: [");
        push(w, codes[i]);
        push(w, "], ");
        push_member(w, "max_attempts", in->rule_attempts[i]);
        push(w, "}\n");
    }
}

static void push_breaker(const writer *w)
{
    const rc_litellm *in = w->in;
    const uint64_t open_ms =
        in->cooldown_ms < RC_LITELLM_OPEN_MAX_MS ? in->cooldown_ms : RC_LITELLM_OPEN_MAX_MS;
    if (in->has_cooldown) {
        push(w, "\n");
        push_member(w, "cooldown_ms", in->cooldown_ms);
        push(w, "\n");
    }
    if (!in->has_allowed_fails)
        return;
    push(w, "\nbreaker:\n  window_ms: 60000\n  ");
    push_member(w, "min_calls", in->allowed_fails + 1);
    push(w, "\n");
    if (!in->has_cooldown || open_ms == 0)
        return;
    push(w, "  ");
    push_member(w, "open_ms", open_ms);
    push(w, "\n  ");
    push_member(w, "open_max_ms", open_ms);
    push(w, "\n");
}

static void push_clients(const writer *w)
{
    if (w->in->master_key.len == 0)
        return;
    push(w, "\nclients:\n  - name: litellm\n    token: ");
    rc_buf_push(w->buf, w->in->master_key);
    push(w, "\n");
}

/* Sorts the notes by position. The sort is stable. */
static void sort_notes(rc_litellm_notes *notes)
{
    for (size_t i = 1; i < notes->count && i < RC_LITELLM_NOTES_MAX; i++) {
        const rc_litellm_note note = notes->list[i];
        size_t at = i;
        while (at > 0 && (notes->list[at - 1].line > note.line ||
                          (notes->list[at - 1].line == note.line &&
                           notes->list[at - 1].column > note.column))) {
            notes->list[at] = notes->list[at - 1];
            at--;
        }
        notes->list[at] = note;
    }
}

static bool is_same_position(const rc_litellm_note *a, const rc_litellm_note *b)
{
    return a->line == b->line && a->column == b->column;
}

/* Returns whether one of the first `kept` notes has the position, path and text of `note`. */
static bool is_repeated(const rc_litellm_notes *notes, size_t kept, const rc_litellm_note *note)
{
    for (; kept > 0 && is_same_position(&notes->list[kept - 1], note); kept--)
        if (strcmp(notes->list[kept - 1].path, note->path) == 0 &&
            strcmp(notes->list[kept - 1].text, note->text) == 0)
            return true;
    return false;
}

/* Removes duplicate notes: an alias and its group produce the same notes. The notes must be
 * sorted. */
static void drop_repeated(rc_litellm_notes *notes)
{
    size_t kept = 0;
    if (notes->count > RC_LITELLM_NOTES_MAX)
        return;
    for (size_t i = 0; i < notes->count; i++)
        if (!is_repeated(notes, kept, &notes->list[i]))
            notes->list[kept++] = notes->list[i];
    notes->count = kept;
}

void rc_litellm_write(rc_litellm *in, rc_buf *buf)
{
    const writer w = {.in = in, .buf = buf};
    sort_notes(in->notes);
    drop_repeated(in->notes);
    push_notes(&w);
    push_providers(&w);
    push(&w, in->routes != NULL ? "\nroutes:\n" : "");
    for (const rc_litellm_route *r = in->routes; r != NULL; r = r->next)
        push_route(&w, r);
    push_policy(&w);
    push_breaker(&w);
    push_clients(&w);
}
