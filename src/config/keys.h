/* The table of configuration keys (spec/config.def): names, defaults, and reading and writing of
 * simple values. */
#ifndef RC_CONFIG_KEYS_H
#define RC_CONFIG_KEYS_H

#include <recourse/buf.h>

#include "config/yaml/yaml.h"

typedef enum rc_config_section {
#define RC_CONFIG_SECTION(section, path, title) RC_SECTION_##section,
#define RC_CONFIG_KEY(section, name, KIND, min, max, default_value, help)
#define RC_CONFIG_CHOICE(section, name, default_value, help, ...)
#define RC_CONFIG_OTHER(section, name, form, default_value, help)
#include "spec/config.def"
    RC_SECTION_COUNT
} rc_config_section;

typedef enum rc_config_key_kind {
    RC_KEY_NUMBER = 1,
    RC_KEY_MS,
    RC_KEY_BYTES,
    RC_KEY_MILLI,
    RC_KEY_MICRO,
    RC_KEY_FLAG,
    RC_KEY_TEXT,
    RC_KEY_CHOICE,
    RC_KEY_OTHER /* Read by a function of its own, not by this table. */
} rc_config_key_kind;

typedef struct rc_config_key {
    rc_config_section section;
    const char *name;
    rc_config_key_kind kind;
    size_t offset; /* Offset of the field in the section's struct; unused for OTHER. */
    uint64_t min;
    uint64_t max;
    uint64_t default_value;     /* Default of a number, flag or choice. */
    const char *default_text;   /* Default of a text; description of the default for OTHER. */
    const char *const *choices; /* Names of a choice, NULL-terminated. */
    const char *form;           /* Description of the value's form for OTHER. */
    const char *help;
} rc_config_key;

/* Returns a section's path in the document ("routes[].chain[]") and its title. Static. */
const char *rc_config_section_path(rc_config_section section);
const char *rc_config_section_title(rc_config_section section);

/* Returns the key at an index of the section, in the order of the table; NULL past the end.
 * Static. */
const rc_config_key *rc_config_key_at(rc_config_section section, size_t index);

/* Adds a fault, with the nearest known key, for each unknown key of map. Returns false if it added
 * one or if map is not a map. */
bool rc_config_check_keys(rc_config_section section, const rc_yaml_node *map,
                          rc_config_faults *faults);

/* Fill the struct of the section with the defaults, or with the values in map. Invalid values add
 * faults and leave the field unchanged, as do missing keys. fields: borrows. */
void rc_config_fill_defaults(rc_config_section section, void *fields);
void rc_config_fill(rc_config_section section, const rc_yaml_node *map, void *fields,
                    rc_config_faults *faults);

/* rc_config_push_value appends the value of a field as YAML; rc_config_has_value returns whether
 * there is a value to append: false for OTHER and for empty text. fields: borrows. */
bool rc_config_has_value(const rc_config_key *key, const void *fields);
void rc_config_push_value(rc_buf *buf, const rc_config_key *key, const void *fields);

/* Appends text as a YAML scalar, quoted if necessary. */
void rc_config_push_scalar(rc_buf *buf, rc_str text);

/* Appends the generated tables of docs/configuration.md. */
void rc_config_push_docs(rc_buf *buf);

#endif
