/* The table of configuration keys (spec/config.def): their names and defaults, and the functions
 * that read and write simple values. */
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
    RC_KEY_OTHER /* A function of its own reads the key; the table has only its description. */
} rc_config_key_kind;

typedef struct rc_config_key {
    rc_config_section section;
    const char *name;
    rc_config_key_kind kind;
    size_t offset; /* Offset of the field in the section's struct; unused for RC_KEY_OTHER. */
    uint64_t min;
    uint64_t max;
    uint64_t default_value;     /* Default of a number, flag or choice. */
    const char *default_text;   /* Default of a text; for RC_KEY_OTHER a description of the
                                 * default. */
    const char *const *choices; /* Names of a choice; ends with NULL. */
    const char *form;           /* For RC_KEY_OTHER a description of the value's form. */
    const char *help;
} rc_config_key;

/* rc_config_section_path returns a section's path in the document, such as "routes[].chain[]", and
 * rc_config_section_title its title. The texts are static. */
const char *rc_config_section_path(rc_config_section section);
const char *rc_config_section_title(rc_config_section section);

/* Returns the static description of the key at `index` in the section, in the order of
 * spec/config.def, or NULL if the index is too large. */
const rc_config_key *rc_config_key_at(rc_config_section section, size_t index);

/* Adds a fault, with the most similar known key, for each unknown key of `map`. Returns false if it
 * added a fault or if `map` is not a map. */
bool rc_config_check_keys(rc_config_section section, const rc_yaml_node *map,
                          rc_config_faults *faults);

/* rc_config_fill_defaults sets `fields`, the struct of the section, to the defaults. rc_config_fill
 * sets `fields` to the values in `map`. An invalid value adds a fault; the fields of invalid values
 * and of missing keys are unchanged. fields: borrows during the call. */
void rc_config_fill_defaults(rc_config_section section, void *fields);
void rc_config_fill(rc_config_section section, const rc_yaml_node *map, void *fields,
                    rc_config_faults *faults);

/* rc_config_push_value appends the value of a field as YAML. rc_config_has_value returns whether
 * the field has such a value; it returns false for RC_KEY_OTHER and for an empty text. fields:
 * borrows during the call. */
bool rc_config_has_value(const rc_config_key *key, const void *fields);
void rc_config_push_value(rc_buf *buf, const rc_config_key *key, const void *fields);

/* Appends `text` as a YAML scalar, quoted if necessary. */
void rc_config_push_scalar(rc_buf *buf, rc_str text);

/* Appends the generated tables of docs/configuration.md. */
void rc_config_push_docs(rc_buf *buf);

#endif
