/* The fields of a report, once: what the JSON calls them, where they stand in memory, who may see
 * them and how much they may hold. The encoder, both decoders, the inheritance from causes and the
 * documentation read this table. */
#ifndef RC_REPORT_FIELDS_H
#define RC_REPORT_FIELDS_H

#include <recourse/str.h>

#include <stdint.h>

#include "json/writer.h"

typedef enum rc_field_kind {
    RC_FIELD_TEXT,    /* rc_str */
    RC_FIELD_INT,     /* int64_t */
    RC_FIELD_BOOL,    /* uint32_t: rc_tristate */
    RC_FIELD_ENUM,    /* uint32_t; `names` translates */
    RC_FIELD_OBJECT,  /* members stand in the same struct; `members` lists them */
    RC_FIELD_CONTEXT, /* the lists and the cause have one place in the report each */
    RC_FIELD_ATTEMPTS,
    RC_FIELD_SOURCES,
    RC_FIELD_CAUSE
} rc_field_kind;

/* The names of one enum. */
typedef struct rc_field_names {
    const char *(*name)(uint32_t value);
    uint32_t (*parse)(rc_str name); /* 0: the empty name */
    uint32_t unknown;               /* what parse gives for a name that is not in the table */
} rc_field_names;

typedef struct rc_field_table rc_field_table;

typedef struct rc_field {
    rc_str key;
    rc_json_ready_key ready_key; /* the same for the encoder */
    rc_field_kind kind;
    uint8_t views;          /* rc_view bits */
    bool is_inherited;      /* a wrapper that does not set it takes it from its cause */
    bool is_unit;           /* of OBJECT: inherited whole or not at all */
    bool is_client_fixable; /* of provider_metadata: shown to the user when the client can fix the
                              request (rc_view_is_client_fixable) */
    size_t offset;          /* in the struct; of INT, TEXT, BOOL, ENUM */
    size_t max_bytes;       /* of TEXT */
    int64_t absent;         /* of INT: the value that means "not there" */
    int64_t min;            /* of INT: the least and the greatest value allowed */
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

/* Typed access to the field of an object. */
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

/* Is the field, or any member of an OBJECT field, there? For TEXT, INT, BOOL, ENUM and OBJECT. */
bool rc_field_is_set(const rc_field *field, const void *object);

/* Is any field of the table there? */
bool rc_fields_any_set(const rc_field_table *table, const void *object);

/* Fills each inherited field that is absent in `to` from `from`. The memory is shared, not copied.
 */
void rc_fields_inherit(const rc_field_table *table, void *to, const void *from);

/* May an entry of the context with this key be in the view? The user's view has only ids. */
bool rc_context_key_is_in_view(rc_str key, unsigned view);

#endif
