/* Parses references to secrets: env:NAME, file:PATH, credential:NAME. Called by the section
 * readers. */
#include "config/secret_ref.h"

#include "base/str.h"
#include "scrub/scrub.h"

static const rc_str ENV = RC_STR_INIT("env:");
static const rc_str FILE_PREFIX = RC_STR_INIT("file:");
static const rc_str CREDENTIAL = RC_STR_INIT("credential:");
/* Maximum number of bytes of a credential's name, which must be a valid file name
 * (systemd.exec(5)). */
#define CREDENTIAL_NAME_MAX 255

bool rc_config_text_read(const rc_yaml_node *node, rc_config_faults *faults, rc_str *ret_text)
{
    rc_str text;
    if (!rc_yaml_text(node, faults, &text))
        return false;
    if (text.len > RC_CONFIG_TEXT_MAX) {
        rc_config_fault_append(rc_yaml_fault(faults, node), "longer than 1024 bytes");
        return false;
    }
    *ret_text = text;
    return true;
}

const char *rc_secret_kind_prefix(rc_secret_kind kind)
{
    switch (kind) {
    case RC_SECRET_ENV:
        return ENV.ptr;
    case RC_SECRET_FILE:
        return FILE_PREFIX.ptr;
    case RC_SECRET_CREDENTIAL:
        return CREDENTIAL.ptr;
    case RC_SECRET_NONE:
        break;
    }
    return "";
}

bool rc_secret_ref_parse(rc_str text, rc_secret_ref *ret_ref)
{
    *ret_ref = (rc_secret_ref){0};
    if (rc_str_starts_with(text, ENV)) {
        ret_ref->kind = RC_SECRET_ENV;
        ret_ref->name = rc_str_slice(text, ENV.len, text.len);
    } else if (rc_str_starts_with(text, FILE_PREFIX)) {
        ret_ref->kind = RC_SECRET_FILE;
        ret_ref->name = rc_str_slice(text, FILE_PREFIX.len, text.len);
    } else if (rc_str_starts_with(text, CREDENTIAL)) {
        ret_ref->kind = RC_SECRET_CREDENTIAL;
        ret_ref->name = rc_str_slice(text, CREDENTIAL.len, text.len);
    }
    return ret_ref->kind != RC_SECRET_NONE;
}

/* Returns whether `name` has letters, digits and underscores only. A key that was pasted after
 * "env:" by mistake almost never has this form. */
static bool is_variable_name(rc_str name)
{
    if (name.len == 0 || rc_ascii_is_digit(name.ptr[0]))
        return false;
    for (size_t i = 0; i < name.len; i++)
        if (!rc_ascii_is_alnum(name.ptr[i]) && name.ptr[i] != '_')
            return false;
    return true;
}

/* Returns whether `name` is a valid file name. The name is appended to a folder's path and must not
 * lead out of that folder. */
static bool is_credential_name(rc_str name)
{
    if (name.len == 0 || name.len > CREDENTIAL_NAME_MAX || name.ptr[0] == '.')
        return false;
    for (size_t i = 0; i < name.len; i++)
        if (!rc_ascii_is_alnum(name.ptr[i]) && name.ptr[i] != '_' && name.ptr[i] != '-' &&
            name.ptr[i] != '.')
            return false;
    return true;
}

static bool read_ref(const rc_yaml_node *node, const char *plural, rc_config_faults *faults,
                     rc_secret_ref *ret_ref)
{
    rc_secret_ref ref;
    rc_str text;
    if (!rc_config_text_read(node, faults, &text))
        return false;
    if (!rc_secret_ref_parse(text, &ref)) {
        rc_config_fault *fault = rc_yaml_fault(faults, node);
        rc_config_fault_append(fault, "literal ");
        rc_config_fault_append(fault, plural);
        rc_config_fault_append(fault,
                               " are not accepted; use env:NAME, file:PATH or credential:NAME");
        return false;
    }
    /* A variable's name that looks like a secret is refused: many keys have the form of such a
     * name, and messages show the name. */
    if (ref.kind == RC_SECRET_ENV &&
        (!is_variable_name(ref.name) || !rc_scrub_is_clean(ref.name))) {
        rc_config_fault_append(rc_yaml_fault(faults, node),
                               "the name of a variable is expected after env:");
        return false;
    }
    if (ref.kind == RC_SECRET_CREDENTIAL &&
        (!is_credential_name(ref.name) || !rc_scrub_is_clean(ref.name))) {
        rc_config_fault_append(rc_yaml_fault(faults, node),
                               "the name of a credential is expected after credential:");
        return false;
    }
    if (ref.name.len == 0 || !rc_scrub_is_clean(ref.name)) {
        rc_config_fault_append(rc_yaml_fault(faults, node), "a path is expected after file:");
        return false;
    }
    ref.line = node->line;
    ref.column = node->column;
    *ret_ref = ref;
    return true;
}

bool rc_secret_ref_read(const rc_yaml_node *node, const char *plural, rc_config_faults *faults,
                        rc_secret_ref *ret_ref)
{
    size_t before = faults->count;
    bool is_good = read_ref(node, plural, faults, ret_ref);
    rc_config_faults_hide(faults, before);
    return is_good;
}
