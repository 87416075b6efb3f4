/* rc_secret_ref: where a secret is. The secret itself is never read here. */
#ifndef RC_CONFIG_SECRET_REF_H
#define RC_CONFIG_SECRET_REF_H

#include "config/yaml/yaml.h"

typedef enum rc_secret_kind {
    RC_SECRET_NONE = 0,
    RC_SECRET_ENV = 1,
    RC_SECRET_FILE = 2,
    RC_SECRET_CREDENTIAL = 3 /* that systemd passes on: a file in $CREDENTIALS_DIRECTORY */
} rc_secret_kind;

typedef struct rc_secret_ref {
    rc_secret_kind kind;
    rc_str name; /* of the variable or credential, or the file's path; ends in NUL */
    uint32_t line;
    uint32_t column;
} rc_secret_ref;

/* The longest text in a configuration: names, addresses, paths. */
#define RC_CONFIG_TEXT_MAX 1024

/* Text that is not empty and not longer. False: a fault was added. Views the document. */
bool rc_config_text_read(const rc_yaml_node *node, rc_config_faults *faults, rc_str *ret_text);

/* "env:", "file:", "credential:"; "" for NONE. */
const char *rc_secret_kind_prefix(rc_secret_kind kind);

/* Is text a reference? Then its parts. Views text. */
bool rc_secret_ref_parse(rc_str text, rc_secret_ref *ret_ref);

/* A reference. False: a fault was added, which shows nothing of the value. what: "keys", "tokens".
 * Views the document. */
bool rc_secret_ref_read(const rc_yaml_node *node, const char *plural, rc_config_faults *faults,
                        rc_secret_ref *ret_ref);

#endif
