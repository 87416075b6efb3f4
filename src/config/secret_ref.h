/* rc_secret_ref: where a secret is stored. These functions never read the secret itself. */
#ifndef RC_CONFIG_SECRET_REF_H
#define RC_CONFIG_SECRET_REF_H

#include "config/yaml/yaml.h"

typedef enum rc_secret_kind {
    RC_SECRET_NONE = 0,
    RC_SECRET_ENV = 1,
    RC_SECRET_FILE = 2,
    RC_SECRET_CREDENTIAL = 3 /* Passed by systemd: a file in $CREDENTIALS_DIRECTORY. */
} rc_secret_kind;

typedef struct rc_secret_ref {
    rc_secret_kind kind;
    rc_str name; /* Name of the variable or credential, or path of the file; NUL-terminated. */
    uint32_t line;
    uint32_t column;
} rc_secret_ref;

/* Longest text value in a configuration, in bytes: names, addresses, paths. */
#define RC_CONFIG_TEXT_MAX 1024

/* Reads text of 1 to RC_CONFIG_TEXT_MAX bytes. Returns false if it added a fault. node: views. */
bool rc_config_text_read(const rc_yaml_node *node, rc_config_faults *faults, rc_str *ret_text);

/* Returns "env:", "file:" or "credential:"; "" for RC_SECRET_NONE. Static. */
const char *rc_secret_kind_prefix(rc_secret_kind kind);

/* Returns whether text is a reference, and its parts in ret_ref. text: views. */
bool rc_secret_ref_parse(rc_str text, rc_secret_ref *ret_ref);

/* Reads a reference. Returns false if it added a fault; the fault shows nothing of the value.
 * plural: what the message calls the values: "keys", "tokens". node: views. */
bool rc_secret_ref_read(const rc_yaml_node *node, const char *plural, rc_config_faults *faults,
                        rc_secret_ref *ret_ref);

#endif
