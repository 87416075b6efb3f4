#include "config/litellm.h"

#include <string.h>

#include "config/config.h"
#include "config/litellm_private.h"
#include "core/scrub.h"

#define ARENA_MAX_BYTES ((size_t)32 << 20)
#define SECONDS_MAX 86400u

/* ---- notes ---- */

static rc_litellm_note *new_note(rc_litellm_notes *notes)
{
    /* The last place is written over by those that are too many; the count tells. */
    const size_t at = notes->count < RC_LITELLM_NOTES_MAX ? notes->count : RC_LITELLM_NOTES_MAX - 1;
    notes->count++;
    notes->list[at] = (rc_litellm_note){0};
    return &notes->list[at];
}

rc_litellm_note *rc_litellm_add(rc_litellm_note *note, const char *text)
{
    rc_config_text_append(note->text, sizeof note->text, rc_str_c(text));
    return note;
}

rc_litellm_note *rc_litellm_quote(rc_litellm_note *note, rc_str text)
{
    /* Names are shown, keys are not, wherever they stand. */
    rc_config_fault shown = {.line = 0};
    if (rc_scrub_is_clean(text))
        rc_config_fault_quote(&shown, text);
    return rc_litellm_add(note, shown.message[0] != '\0' ? shown.message : "(not shown)");
}

rc_litellm_note *rc_litellm_say(rc_litellm *in, const rc_yaml_node *node, const char *text)
{
    rc_config_faults place;
    rc_config_faults_init(&place);
    const rc_config_fault *at =
        node->key.len > 0 ? rc_yaml_fault_at_key(&place, node) : rc_yaml_fault(&place, node);
    rc_litellm_note *note = new_note(in->notes);
    note->line = at->line;
    note->column = at->column;
    rc_config_text_append(note->path, sizeof note->path, rc_str_c(at->path));
    return rc_litellm_add(note, text);
}

/* ---- values ---- */

rc_str rc_litellm_text(const rc_yaml_node *node)
{
    return node != NULL && node->kind == RC_YAML_SCALAR ? node->text : rc_str_make(NULL, 0);
}

static bool is_variable_name(rc_str name)
{
    if (name.len == 0 || name.len > 128 || rc_ascii_is_digit(name.ptr[0]))
        return false;
    for (size_t i = 0; i < name.len; i++)
        if (!rc_ascii_is_alnum(name.ptr[i]) && name.ptr[i] != '_')
            return false;
    return rc_scrub_is_clean(name);
}

bool rc_litellm_variable(rc_litellm *in, rc_str text, rc_str *ret_ref)
{
    static const rc_str prefix = RC_STR_INIT("os.environ/");
    char room[160];
    rc_buf ref;
    if (!rc_str_starts_with(text, prefix))
        return false;
    const rc_str name = rc_str_slice(text, prefix.len, text.len);
    if (!is_variable_name(name))
        return false;
    rc_buf_init_fixed(&ref, room, sizeof room);
    rc_buf_push(&ref, RC_STR("env:"));
    rc_buf_push(&ref, name);
    *ret_ref = rc_arena_dup(&in->arena, rc_buf_get(&ref));
    return true;
}

bool rc_litellm_seconds(rc_litellm *in, const rc_yaml_node *node, uint64_t *ret_ms)
{
    rc_config_faults wrong;
    rc_config_faults_init(&wrong);
    if (node->kind == RC_YAML_NULL)
        return false;
    if (rc_yaml_decimal(node, 3, 0, (uint64_t)SECONDS_MAX * 1000, &wrong, ret_ms))
        return true;
    rc_litellm_say(in, node, "not a number of seconds up to a day; left out");
    return false;
}

bool rc_litellm_number(rc_litellm *in, const rc_yaml_node *node, uint64_t max, uint64_t *ret_number)
{
    rc_config_faults wrong;
    rc_config_faults_init(&wrong);
    if (node->kind == RC_YAML_NULL)
        return false;
    if (rc_yaml_u64(node, 0, max, &wrong, ret_number))
        return true;
    rc_litellm_add(rc_litellm_say(in, node, "not a whole number, or too large"), "; left out");
    return false;
}

const rc_litellm_deployment *rc_litellm_group(const rc_litellm *in, rc_str name)
{
    for (size_t i = 0; i < in->deployment_count; i++)
        if (rc_str_eq(in->deployments[i].group, name))
            return &in->deployments[i];
    return NULL;
}

/* ---- the whole ---- */

static const rc_yaml_node *section(rc_litellm *in, const char *name)
{
    const rc_yaml_node *node = rc_yaml_get(in->doc.root, rc_str_c(name));
    if (node == NULL || node->kind == RC_YAML_MAP || node->kind == RC_YAML_NULL)
        return node != NULL && node->kind == RC_YAML_MAP ? node : NULL;
    rc_litellm_say(in, node, "a map is expected; left out");
    return NULL;
}

static void note_sections(rc_litellm *in)
{
    static const char *const known[] = {"model_list", "router_settings", "litellm_settings",
                                        "general_settings"};
    for (const rc_yaml_node *node = in->doc.root->first; node != NULL; node = node->next) {
        bool is_known = false;
        for (size_t i = 0; i < 4; i++)
            is_known = is_known || rc_str_eq(node->key, rc_str_c(known[i]));
        if (rc_str_eq(node->key, RC_STR("environment_variables")))
            rc_litellm_say(in, node, "not copied; set them where the gateway is started");
        else if (!is_known)
            rc_litellm_say(in, node, "no counterpart");
    }
}

static rc_status read_all(rc_litellm *in, rc_config_faults *faults)
{
    const rc_yaml_node *list = rc_yaml_get(in->doc.root, RC_STR("model_list"));
    if (list == NULL) {
        rc_config_fault_say(rc_yaml_fault(faults, in->doc.root),
                            "model_list is missing: this is no configuration of LiteLLM");
        return RC_E_RANGE;
    }
    if (!rc_yaml_expect(list, RC_YAML_LIST, faults))
        return RC_E_RANGE;
    if (list->count > RC_LITELLM_DEPLOYMENTS_MAX) {
        rc_config_fault_say(rc_yaml_fault(faults, list), "more than 1024 entries");
        return RC_E_RANGE;
    }
    in->router = section(in, "router_settings");
    in->settings = section(in, "litellm_settings");
    in->general = section(in, "general_settings");
    rc_litellm_read_models(in, list);
    rc_litellm_read_settings(in);
    note_sections(in);
    if (in->deployment_count == 0 && rc_arena_status(&in->arena) == RC_OK) {
        rc_config_fault_say(rc_yaml_fault(faults, list),
                            "no entry of it could be carried over; the notes say why");
        return RC_E_RANGE;
    }
    return rc_arena_status(&in->arena);
}

/* What we write must be what we read. */
static rc_status check(rc_str yaml, const rc_alloc *alloc, rc_config_faults *faults)
{
    rc_config config;
    const rc_status status = rc_config_parse(&config, yaml, alloc, faults);
    rc_config_done(&config);
    return status == RC_OK || status == RC_E_NOMEM ? status : RC_E_RANGE;
}

rc_status rc_litellm_import(rc_str text, rc_str name, const rc_alloc *alloc,
                            rc_litellm_notes *ret_notes, rc_buf *ret_yaml, rc_config_faults *faults)
{
    rc_litellm in = {.notes = ret_notes, .title = name};
    const size_t start = rc_buf_get(ret_yaml).len;
    ret_notes->count = 0;
    rc_arena_init(&in.arena, alloc, ARENA_MAX_BYTES);
    rc_status status = rc_yaml_parse_anchored(&in.doc, text, alloc, faults);
    if (status == RC_OK)
        status = read_all(&in, faults);
    if (status == RC_OK) {
        rc_litellm_write(&in, ret_yaml);
        status = rc_arena_status(&in.arena) == RC_OK ? rc_buf_status(ret_yaml) : RC_E_NOMEM;
    }
    if (status == RC_OK)
        status = check(rc_str_slice(rc_buf_get(ret_yaml), start, SIZE_MAX), alloc, faults);
    rc_yaml_done(&in.doc);
    rc_arena_done(&in.arena);
    return status;
}
