/* The table of spec/config.def, and what it does by itself: names, defaults, simple values. */
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
    RC_KEY_OTHER /* has a reader of its own */
} rc_config_key_kind;

typedef struct rc_config_key {
    rc_config_section section;
    const char *name;
    rc_config_key_kind kind;
    size_t offset; /* of the field in the section's struct; of OTHER nothing */
    uint64_t min;
    uint64_t max;
    uint64_t default_value;     /* the default, of a number, flag or choice */
    const char *default_text;   /* of a text; for people, of OTHER */
    const char *const *choices; /* of a choice; ends with NULL */
    const char *form;           /* of OTHER, for people */
    const char *help;
} rc_config_key;

/* A section's place ("routes[].chain[]") and title. */
const char *rc_config_section_path(rc_config_section section);
const char *rc_config_section_title(rc_config_section section);

/* The keys of a section in the table's order; NULL past the end. */
const rc_config_key *rc_config_key_at(rc_config_section section, size_t index);

/* Adds a fault for each unknown key of map, with the nearest. False: there was one, or it is no
 * map. */
bool rc_config_check_keys(rc_config_section section, const rc_yaml_node *map,
                          rc_config_faults *faults);

/* Fills the fields of fields, the section's struct, that the table knows: with the defaults, or
 * with what map has (checked; faults are added; the rest stays). fields: borrows. */
void rc_config_fill_defaults(rc_config_section section, void *fields);
void rc_config_fill(rc_config_section section, const rc_yaml_node *map, void *fields,
                    rc_config_faults *faults);

/* Appends the value of a field as YAML; has: is there one? Not of an OTHER or an empty text.
 * fields: borrows. */
bool rc_config_has_value(const rc_config_key *key, const void *fields);
void rc_config_push_value(rc_buf *buf, const rc_config_key *key, const void *fields);

/* Appends text as a YAML scalar, in quotes where it needs them. */
void rc_config_push_scalar(rc_buf *buf, rc_str text);

/* Appends the tables of docs/configuration.md. */
void rc_config_push_docs(rc_buf *buf);

#endif
