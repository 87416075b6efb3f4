/* Table of the fields of a report. Each row has the JSON key, the offset in the struct, the views
 * (user, model, internal) that show the field, and the size limit. The encoder, the strict and the
 * tolerant decoder, the inheritance from causes and the documentation use this table. */
#ifndef RC_REPORT_FIELDS_H
#define RC_REPORT_FIELDS_H

#include <recourse/str.h>

#include <stdint.h>

#include "json/writer.h"

typedef enum rc_field_kind {
    RC_FIELD_TEXT,    /* an rc_str */
    RC_FIELD_INT,     /* an int64_t */
    RC_FIELD_BOOL,    /* a uint32_t with an rc_tristate */
    RC_FIELD_ENUM,    /* a uint32_t with an enum; `names` has the names of its values */
    RC_FIELD_OBJECT,  /* a JSON object whose members are in the same struct; `members` lists them */
    RC_FIELD_CONTEXT, /* entries of the context; this kind and each kind below occurs once in a
                         report */
    RC_FIELD_ATTEMPTS,
    RC_FIELD_SOURCES,
    RC_FIELD_CAUSE
} rc_field_kind;

/* Conversion between the values of one enum and their names. */
typedef struct rc_field_names {
    const char *(*name)(uint32_t value);
    uint32_t (*parse)(rc_str name); /* Returns the value of a name; 0 for the empty name. */
    uint32_t unknown;               /* Result of `parse` for a name that is not in the table. */
} rc_field_names;

typedef struct rc_field_table rc_field_table;

typedef struct rc_field {
    rc_str key;
    rc_json_ready_key ready_key; /* The key with comma, quotes and colon, as the encoder writes
                                    it. */
    rc_field_kind kind;
    uint8_t views;          /* Views that show the field, as bits of rc_view. */
    bool is_inherited;      /* If a report that wraps a cause does not set the field, it gets the
                               value of the cause. */
    bool is_unit;           /* OBJECT: either all members are inherited from the cause or none. */
    bool is_client_fixable; /* The field is a member of provider_metadata that the user's view shows
                               if the client can fix the request (rc_view_is_client_fixable). */
    size_t offset;          /* Offset in the struct of an INT, TEXT, BOOL or ENUM. */
    size_t max_bytes;       /* Size limit of a TEXT in bytes. */
    int64_t absent;         /* INT: the value that means "absent". */
    int64_t min;            /* INT: smallest allowed value; `max` is the largest. */
    int64_t max;
    const rc_field_names *names;
    const rc_field_table *members;
} rc_field;

struct rc_field_table {
    const rc_field *fields;
    size_t count;
};

extern const rc_field_table rc_report_fields;
extern const rc_field_table rc_report_attempt_fields;

/* rc_field_text, rc_field_int and rc_field_u32 return a pointer to the field's value in `object`,
 * the struct that the table describes. */
static inline rc_str *rc_field_text(const rc_field *field, void *object)
{
    return (rc_str *)(void *)((char *)object + field->offset);
}

static inline int64_t *rc_field_int(const rc_field *field, void *object)
{
    return (int64_t *)(void *)((char *)object + field->offset);
}

static inline uint32_t *rc_field_u32(const rc_field *field, void *object)
{
    return (uint32_t *)(void *)((char *)object + field->offset);
}

/* Sets every field of the table to absent. */
void rc_fields_clear(const rc_field_table *table, void *object);

/* Returns whether the field is present; an OBJECT field is present if any of its members is
 * present. The field must be a TEXT, INT, BOOL, ENUM or OBJECT. */
bool rc_field_is_set(const rc_field *field, const void *object);

/* Returns whether any field of the table is present. */
bool rc_fields_any_set(const rc_field_table *table, const void *object);

/* Copies each inherited field that is absent in `to` from `from`. A copied text points to the bytes
 * of the text in `from`. */
void rc_fields_inherit(const rc_field_table *table, void *to, const void *from);

/* Returns whether a view shows context entries with this key. The user's view shows only keys whose
 * values are ids. */
bool rc_context_key_is_in_view(rc_str key, unsigned view);

#endif
