/* rc_secret_ref: where a secret is stored. These functions never read the secret itself. */
#ifndef RC_CONFIG_SECRET_REF_H
#define RC_CONFIG_SECRET_REF_H

#include "config/yaml/yaml.h"

typedef enum rc_secret_kind {
    RC_SECRET_NONE = 0,
    RC_SECRET_ENV = 1,
    RC_SECRET_FILE = 2,
    RC_SECRET_CREDENTIAL = 3 /* A credential of systemd: a file in $CREDENTIALS_DIRECTORY. */
} rc_secret_kind;

typedef struct rc_secret_ref {
    rc_secret_kind kind;
    rc_str name; /* Name of the variable or credential, or path of the file; followed by a NUL. */
    uint32_t line;
    uint32_t column;
} rc_secret_ref;

/* Maximum number of bytes of a text value in a configuration: name, address or path. */
#define RC_CONFIG_TEXT_MAX 1024

/* Reads a text of 1 to RC_CONFIG_TEXT_MAX bytes. Returns false if it added a fault. *ret_text views
 * the document of `node`. */
bool rc_config_text_read(const rc_yaml_node *node, rc_config_faults *faults, rc_str *ret_text);

/* Returns the static prefix "env:", "file:" or "credential:", or "" for RC_SECRET_NONE. */
const char *rc_secret_kind_prefix(rc_secret_kind kind);

/* Returns whether `text` is a reference, and sets *ret_ref to its parts, which view text. */
bool rc_secret_ref_parse(rc_str text, rc_secret_ref *ret_ref);

/* Reads a reference. Returns false if it added a fault; the fault shows no part of the value.
 * `plural` is the noun for the values in the message, such as "keys" or "tokens". *ret_ref views
 * the document of `node`. */
bool rc_secret_ref_read(const rc_yaml_node *node, const char *plural, rc_config_faults *faults,
                        rc_secret_ref *ret_ref);

#endif
