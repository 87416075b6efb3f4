/* Imports a LiteLLM configuration: notes, helpers for values, and the sequence of steps. Called by
 * recourse config import. */
#include "config/litellm/import.h"

#include <string.h>

#include "config/config.h"
#include "config/litellm/private.h"
#include "scrub/scrub.h"

#define ARENA_MAX_BYTES ((size_t)32 << 20)
#define SHARE_MAX UINT64_C(1000000000) /* Maximum of the shares weight, rpm and tpm. */
#define SECONDS_MAX 86400u

/* ---- notes ---- */

rc_litellm_note *rc_litellm_note_append(rc_litellm_note *note, const char *text)
{
    rc_config_text_append(note->text, sizeof note->text, rc_str_c(text));
    return note;
}

rc_litellm_note *rc_litellm_note_append_quoted(rc_litellm_note *note, rc_str text)
{
    /* A text that looks like a secret is not shown in a note. */
    rc_config_fault shown = {.line = 0};
    if (note->line > 0 && rc_scrub_is_clean(text))
        rc_config_fault_append_quoted(&shown, text);
    return rc_litellm_note_append(note, shown.message[0] != '\0' ? shown.message : "(not shown)");
}

rc_litellm_note *rc_litellm_notes_add(rc_litellm *in, const rc_yaml_node *node, const char *text)
{
    rc_config_faults scratch_faults;
    if (in->notes->count++ >= RC_LITELLM_NOTES_MAX) {
        in->spare = (rc_litellm_note){0};
        return &in->spare;
    }
    rc_config_faults_init(&scratch_faults);
    const rc_config_fault *at = node->key.len > 0 ? rc_yaml_fault_at_key(&scratch_faults, node)
                                                  : rc_yaml_fault(&scratch_faults, node);
    rc_litellm_note *note = &in->notes->list[in->notes->count - 1];
    *note = (rc_litellm_note){0};
    note->line = at->line;
    note->column = at->column;
    rc_config_text_append(note->path, sizeof note->path, rc_str_c(at->path));
    return rc_litellm_note_append(note, text);
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

static const rc_str ENVIRON = RC_STR_INIT("os.environ/");

bool rc_litellm_variable(rc_litellm *in, rc_str text, rc_str *ret_ref)
{
    char scratch[160];
    rc_buf ref;
    if (!rc_str_starts_with(text, ENVIRON))
        return false;
    const rc_str name = rc_str_slice(text, ENVIRON.len, text.len);
    if (!is_variable_name(name))
        return false;
    rc_buf_init_fixed(&ref, scratch, sizeof scratch);
    rc_buf_push(&ref, RC_STR("env:"));
    rc_buf_push(&ref, name);
    *ret_ref = rc_arena_dup(&in->arena, rc_buf_get(&ref));
    return true;
}

/* Notes do not show the text after "os.environ/", because it may be a key instead of a misspelt
 * name. */
const char *rc_litellm_uncopied_reason(rc_str text)
{
    if (!rc_str_starts_with(text, ENVIRON))
        return "a literal key is not copied; put it into the variable ";
    if (text.len == ENVIRON.len)
        return "os.environ/ has no variable name; put the key into the variable ";
    return "the text after os.environ/ is not the name of a variable (letters, digits and _) and "
           "is not copied; put the key into the variable ";
}

bool rc_litellm_seconds(rc_litellm *in, const rc_yaml_node *node, uint64_t *ret_ms)
{
    rc_config_faults wrong;
    rc_config_faults_init(&wrong);
    if (node->kind == RC_YAML_NULL)
        return false;
    if (rc_yaml_decimal(node, 3, 0, (uint64_t)SECONDS_MAX * 1000, &wrong, ret_ms))
        return true;
    rc_litellm_notes_add(in, node, "not a number of seconds up to a day; left out");
    return false;
}

bool rc_litellm_share(rc_litellm *in, const rc_yaml_node *node, uint64_t *ret_milli)
{
    rc_config_faults wrong;
    rc_config_faults_init(&wrong);
    if (node->kind == RC_YAML_NULL)
        return false;
    if (rc_yaml_decimal(node, 3, 0, SHARE_MAX * 1000, &wrong, ret_milli))
        return true;
    rc_litellm_notes_add(in, node, "not a number from 0 to 1000000000; left out");
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
    rc_litellm_note_append(rc_litellm_notes_add(in, node, "not a whole number, or too large"),
                           "; left out");
    return false;
}

bool rc_litellm_time_limit(rc_litellm *in, const rc_yaml_node *node, uint64_t *ret_ms)
{
    uint64_t ms = 0;
    if (!rc_litellm_seconds(in, node, &ms))
        return false;
    if (ms == 0) {
        rc_litellm_notes_add(in, node, "a limit of 0 has no counterpart; left out");
        return false;
    }
    *ret_ms = ms;
    return true;
}

bool rc_litellm_has_star(rc_str text)
{
    return rc_str_find_byte(text, '*', 0) != RC_STR_NPOS;
}

const rc_yaml_node *rc_litellm_setting(rc_litellm *in, const char *key)
{
    const rc_yaml_node *node = rc_yaml_get(in->router, rc_str_c(key));
    return node != NULL ? node : rc_yaml_get(in->settings, rc_str_c(key));
}

const rc_yaml_node *rc_litellm_setting_of(rc_litellm *in, const char *key, rc_yaml_kind kind)
{
    const rc_yaml_node *node = rc_litellm_setting(in, key);
    if (node == NULL || node->kind == RC_YAML_NULL)
        return NULL;
    if (node->kind == kind)
        return node;
    rc_litellm_notes_add(in, node,
                         kind == RC_YAML_MAP ? "a map is expected; left out"
                                             : "a list is expected; left out");
    return NULL;
}

/* ---- sections ---- */

static const rc_yaml_node *section(rc_litellm *in, const char *name)
{
    const rc_yaml_node *node = rc_yaml_get(in->doc.root, rc_str_c(name));
    if (node == NULL || node->kind == RC_YAML_MAP || node->kind == RC_YAML_NULL)
        return node != NULL && node->kind == RC_YAML_MAP ? node : NULL;
    rc_litellm_notes_add(in, node, "a map is expected; left out");
    return NULL;
}

/* Returns the text of the note for a top-level key that is not converted. */
static const char *reason_of(const rc_yaml_node *node)
{
    if (rc_str_eq(node->key, RC_STR("environment_variables")))
        return "not copied; set these variables in the gateway's environment";
    if (rc_str_eq(node->key, RC_STR("include")))
        return "included files are not read; put their entries into this file first";
    if (node->has_anchor)
        return "no counterpart as a section; its values were copied to the entries that refer to "
               "it";
    return "no counterpart";
}

static void note_sections(rc_litellm *in)
{
    static const char *const known[] = {"model_list", "router_settings", "litellm_settings",
                                        "general_settings", "credential_list"};
    for (const rc_yaml_node *node = in->doc.root->first; node != NULL; node = node->next) {
        bool is_known = false;
        for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
            is_known = is_known || rc_str_eq(node->key, rc_str_c(known[i]));
        if (!is_known)
            rc_litellm_notes_add(in, node, reason_of(node));
    }
}

/* Adds notes for the parameters of each credential other than key and address. */
static void note_credentials(rc_litellm *in)
{
    if (in->credentials == NULL)
        return;
    for (const rc_yaml_node *one = in->credentials->first; one != NULL; one = one->next) {
        const rc_yaml_node *values = rc_yaml_get(one, RC_STR("credential_values"));
        if (values == NULL || values->kind != RC_YAML_MAP)
            rc_litellm_notes_add(in, one, "credential_values are expected; left out");
        for (const rc_yaml_node *node = values != NULL ? values->first : NULL; node != NULL;
             node = node->next)
            if (!rc_str_eq(node->key, RC_STR("api_key")) &&
                !rc_str_eq(node->key, RC_STR("api_base")) &&
                !rc_str_eq(node->key, RC_STR("base_url")))
                rc_litellm_notes_add(in, node, "no counterpart");
        if (rc_yaml_get(one, RC_STR("credential_info")) != NULL)
            rc_litellm_notes_add(in, rc_yaml_get(one, RC_STR("credential_info")), "no counterpart");
    }
}

static const rc_yaml_node *credentials(rc_litellm *in)
{
    const rc_yaml_node *list = rc_yaml_get(in->doc.root, RC_STR("credential_list"));
    if (list == NULL || list->kind == RC_YAML_LIST || list->kind == RC_YAML_NULL)
        return list != NULL && list->kind == RC_YAML_LIST ? list : NULL;
    rc_litellm_notes_add(in, list, "a list is expected; left out");
    return NULL;
}

static rc_status read_all(rc_litellm *in, rc_config_faults *faults)
{
    const rc_yaml_node *list = rc_yaml_get(in->doc.root, RC_STR("model_list"));
    if (list == NULL) {
        rc_config_fault_append(rc_yaml_fault(faults, in->doc.root),
                               "model_list is missing: this is not a LiteLLM configuration");
        return RC_E_RANGE;
    }
    if (!rc_yaml_expect(list, RC_YAML_LIST, faults))
        return RC_E_RANGE;
    if (list->count > RC_LITELLM_DEPLOYMENTS_MAX) {
        rc_config_fault_append(rc_yaml_fault(faults, list), "more than 1024 entries");
        return RC_E_RANGE;
    }
    in->router = section(in, "router_settings");
    in->settings = section(in, "litellm_settings");
    in->general = section(in, "general_settings");
    in->credentials = credentials(in);
    rc_litellm_read_models(in, list);
    rc_litellm_read_settings(in);
    note_sections(in);
    note_credentials(in);
    if (in->deployment_count == 0 && rc_arena_status(&in->arena) == RC_OK) {
        rc_config_fault_append(rc_yaml_fault(faults, list),
                               "no entry could be imported; the notes give the reasons");
        return RC_E_RANGE;
    }
    return rc_arena_status(&in->arena);
}

/* Checks that the output is a valid configuration. */
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
    else
        /* If the YAML cannot be parsed, any line may contain a key, so no line may be shown. */
        rc_config_faults_hide(faults, 0);
    if (status == RC_OK) {
        rc_litellm_make_routes(&in);
        rc_litellm_write(&in, ret_yaml);
        status = rc_arena_status(&in.arena) == RC_OK ? rc_buf_status(ret_yaml) : RC_E_NOMEM;
    }
    if (status == RC_OK)
        status = check(rc_str_slice(rc_buf_get(ret_yaml), start, SIZE_MAX), alloc, faults);
    rc_yaml_done(&in.doc);
    rc_arena_done(&in.arena);
    return status;
}
