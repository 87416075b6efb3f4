/* The table of configuration keys, from spec/config.def: checks key names and fills structs with
 * defaults and values. Called by the section readers and prices.c. */
#include "config/keys.h"

#include <string.h>

#include "base/str.h"
#include "config/config.h"
#include "config/prices/prices.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Initialisers for the default of a key, one macro per kind of value. */
#define DEFAULT_NUMBER(value) .default_value = (value)
#define DEFAULT_MS(value) .default_value = (value)
#define DEFAULT_BYTES(value) .default_value = (value)
#define DEFAULT_MILLI(value) .default_value = (value)
#define DEFAULT_MICRO(value) .default_value = (value)
#define DEFAULT_FLAG(value) .default_value = (value)
#define DEFAULT_TEXT(value) .default_text = (value)

/* Defines an array of choices for each key with choices. The key's row in the table refers to this
 * array. */
#define RC_CONFIG_SECTION(section, path, title)
#define RC_CONFIG_KEY(section, name, KIND, min, max, default_value, help)
#define RC_CONFIG_CHOICE(section, name, default_value, help, ...) \
    static const char *const choices_##section##_##name[] = {__VA_ARGS__, NULL};
#define RC_CONFIG_OTHER(section, name, form, default_value, help)
#include "spec/config.def"

static const rc_config_key keys[] = {
#define RC_CONFIG_SECTION(part, path, title)
#define RC_CONFIG_KEY(part, key, KIND, least, most, value, text) \
    {.section = RC_SECTION_##part,                               \
     .name = #key,                                               \
     .kind = RC_KEY_##KIND,                                      \
     .offset = offsetof(rc_config_##part, key),                  \
     .min = (least),                                             \
     .max = (most),                                              \
     DEFAULT_##KIND(value),                                      \
     .help = (text)},
#define RC_CONFIG_CHOICE(part, key, value, text, ...) \
    {.section = RC_SECTION_##part,                    \
     .name = #key,                                    \
     .kind = RC_KEY_CHOICE,                           \
     .offset = offsetof(rc_config_##part, key),       \
     .default_value = (value),                        \
     .choices = choices_##part##_##key,               \
     .help = (text)},
#define RC_CONFIG_OTHER(part, key, shape, value, text) \
    {.section = RC_SECTION_##part,                     \
     .name = #key,                                     \
     .kind = RC_KEY_OTHER,                             \
     .default_text = (value),                          \
     .form = (shape),                                  \
     .help = (text)},
#include "spec/config.def"
};

static const char *const paths[] = {
#define RC_CONFIG_SECTION(section, path, title) path,
#define RC_CONFIG_KEY(section, name, KIND, min, max, default_value, help)
#define RC_CONFIG_CHOICE(section, name, default_value, help, ...)
#define RC_CONFIG_OTHER(section, name, form, default_value, help)
#include "spec/config.def"
};

static const char *const titles[] = {
#define RC_CONFIG_SECTION(section, path, title) title,
#define RC_CONFIG_KEY(section, name, KIND, min, max, default_value, help)
#define RC_CONFIG_CHOICE(section, name, default_value, help, ...)
#define RC_CONFIG_OTHER(section, name, form, default_value, help)
#include "spec/config.def"
};

const char *rc_config_section_path(rc_config_section section)
{
    return paths[section];
}

const char *rc_config_section_title(rc_config_section section)
{
    return titles[section];
}

const rc_config_key *rc_config_key_at(rc_config_section section, size_t index)
{
    for (size_t i = 0; i < COUNT(keys); i++)
        if (keys[i].section == section && index-- == 0)
            return &keys[i];
    return NULL;
}

static const char *key_name_at(const void *ctx, size_t index)
{
    const rc_config_key *key = rc_config_key_at(*(const rc_config_section *)ctx, index);
    return key != NULL ? key->name : NULL;
}

bool rc_config_check_keys(rc_config_section section, const rc_yaml_node *map,
                          rc_config_faults *faults)
{
    return rc_yaml_check_timed_keys(map, key_name_at, &section, faults);
}

static const char *choice_at(const void *ctx, size_t index)
{
    return ((const rc_config_key *)ctx)->choices[index];
}

/* ---- fields ---- */

static void *field_of(const rc_config_key *key, void *fields)
{
    return (char *)fields + key->offset;
}

static void set_number(const rc_config_key *key, void *fields, uint64_t value)
{
    memcpy(field_of(key, fields), &value, sizeof(value));
}

static void set_choice(const rc_config_key *key, void *fields, size_t index)
{
    uint32_t value = (uint32_t)index;
    memcpy(field_of(key, fields), &value, sizeof(value));
}

static void set_flag(const rc_config_key *key, void *fields, bool value)
{
    memcpy(field_of(key, fields), &value, sizeof(value));
}

static void set_text(const rc_config_key *key, void *fields, rc_str value)
{
    memcpy(field_of(key, fields), &value, sizeof(value));
}

void rc_config_fill_defaults(rc_config_section section, void *fields)
{
    for (size_t i = 0; i < COUNT(keys); i++) {
        const rc_config_key *key = &keys[i];
        if (key->section != section)
            continue;
        switch (key->kind) {
        case RC_KEY_NUMBER:
        case RC_KEY_MS:
        case RC_KEY_BYTES:
        case RC_KEY_MILLI:
        case RC_KEY_MICRO:
            set_number(key, fields, key->default_value);
            break;
        case RC_KEY_FLAG:
            set_flag(key, fields, key->default_value != 0);
            break;
        case RC_KEY_CHOICE:
            set_choice(key, fields, (size_t)key->default_value);
            break;
        case RC_KEY_TEXT:
            set_text(key, fields, rc_str_c(key->default_text));
            break;
        case RC_KEY_OTHER:
            break;
        }
    }
}

static unsigned places_of(rc_config_key_kind kind)
{
    return kind == RC_KEY_MICRO ? 6 : kind == RC_KEY_MILLI ? 3 : 0;
}

static void fill_field(const rc_config_key *key, const rc_yaml_node *node, void *fields,
                       rc_config_faults *faults)
{
    uint64_t number;
    size_t index;
    bool flag;
    rc_str text;
    switch (key->kind) {
    case RC_KEY_MS:
        if (rc_yaml_time_ms(node, key->min, key->max, faults, &number))
            set_number(key, fields, number);
        return;
    case RC_KEY_NUMBER:
    case RC_KEY_BYTES:
    case RC_KEY_MILLI:
    case RC_KEY_MICRO:
        if (rc_yaml_decimal(node, places_of(key->kind), key->min, key->max, faults, &number))
            set_number(key, fields, number);
        return;
    case RC_KEY_FLAG:
        if (rc_yaml_bool(node, faults, &flag))
            set_flag(key, fields, flag);
        return;
    case RC_KEY_CHOICE:
        if (rc_yaml_choice(node, choice_at, key, faults, &index))
            set_choice(key, fields, index);
        return;
    case RC_KEY_TEXT:
        if (rc_config_text_read(node, faults, &text))
            set_text(key, fields, text);
        return;
    case RC_KEY_OTHER:
        return;
    }
}

void rc_config_fill(rc_config_section section, const rc_yaml_node *map, void *fields,
                    rc_config_faults *faults)
{
    for (size_t i = 0; i < COUNT(keys); i++) {
        if (keys[i].section != section)
            continue;
        const rc_str name = rc_str_c(keys[i].name);
        const rc_yaml_node *node =
            keys[i].kind == RC_KEY_MS ? rc_yaml_get_time(map, name) : rc_yaml_get(map, name);
        if (node != NULL)
            fill_field(&keys[i], node, fields, faults);
    }
}
