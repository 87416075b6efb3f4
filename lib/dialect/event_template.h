/* rc_event_template: the form of a stream event. Later events of the same form need no JSON walk.
 *
 * The events of a stream differ only in the text of the model. A template stores the bytes of one
 * event that has content, but without this content, and the slots: the positions of the values that
 * may differ between events of the same form:
 *
 *   {"id":"a1","created":17,"choices":[{"index":0,"delta":{"content":""},"finish_reason":null}]}
 *          ──             ── ignored values                           ── content: weighed
 *
 * An event with the same bytes around the slots gets the result that the JSON walk found for the
 * recorded event. The bytes that must be equal include all values that determine the result of the
 * walk. The values in the slots are skipped in the same way as by the walk.
 *
 * Any number of streams may share a template, if they use it one after the other. A template never
 * contains the text of a model. */
#ifndef RC_DIALECT_EVENT_TEMPLATE_H
#define RC_DIALECT_EVENT_TEMPLATE_H

#include "dialect/stream_table.h"
#include "dialect/stream_walk.h"

/* Maximum bytes of an event without its content; a longer event gets no template. */
#define RC_EVENT_TEMPLATE_TEXT_MAX 512
#define RC_EVENT_TEMPLATE_SLOTS_MAX 16
#define RC_EVENT_TEMPLATE_NAME_MAX 32

/* A slot: the position of a value that may differ between events, as a range in the text of the
 * template. The quotes of a string are part of the range. */
typedef struct rc_event_template_slot {
    uint16_t from;
    uint16_t to;
    bool is_content; /* the value is content, which the text replaces by an empty string */
    bool is_weighed; /* the content is counted in the estimate of tokens */
} rc_event_template_slot;

/* A template. The caller provides the storage. A zeroed template matches no event. */
struct rc_event_template {
    uint16_t len;  /* length of text in bytes; 0: no event was recorded */
    uint8_t count; /* number of slots */
    uint8_t name_len;
    rc_stream_dialect dialect;
    rc_stream_walk_result result; /* result of the walk, except for the bytes and weight of the
                                     content */
    rc_event_template_slot slots[RC_EVENT_TEMPLATE_SLOTS_MAX];
    char name[RC_EVENT_TEMPLATE_NAME_MAX];
    char text[RC_EVENT_TEMPLATE_TEXT_MAX];
};

/* Returns whether the event has the form of the template. If the event has this form, *found gets
 * the result that rc_stream_walk would find; otherwise *found is unchanged. */
bool rc_event_template_matches(const rc_event_template *template, rc_stream_dialect dialect,
                               rc_str name, rc_str data, rc_stream_walk_result *found);

/* Records a template of an event during its walk. */
typedef struct rc_event_recorder {
    rc_event_template *template; /* the template to write; NULL: nothing is recorded, or the event
                                    is not suitable */
    rc_str data;
    size_t taken;           /* number of bytes of the event that were copied to the text or left
                               out */
    size_t len;             /* length of the text so far, in bytes */
    size_t count;           /* number of slots so far */
    uint64_t content_bytes; /* number of bytes of content that were left out */
    uint64_t weight;        /* weight of the content that was left out (usage_weight.h) */
    rc_event_template_slot slots[RC_EVENT_TEMPLATE_SLOTS_MAX];
    char text[RC_EVENT_TEMPLATE_TEXT_MAX];
} rc_event_recorder;

/* Begins recording. template: borrows until rc_event_recorder_end; may be NULL. data: the data of
 * the event; borrows until rc_event_recorder_end. */
static inline void rc_event_recorder_begin(rc_event_recorder *recorder, rc_event_template *template,
                                           rc_str data)
{
    /* A struct assignment would clear the large arrays, which takes time. */
    recorder->template = template;
    recorder->data = data;
    recorder->taken = 0;
    recorder->len = 0;
    recorder->count = 0;
    recorder->content_bytes = 0;
    recorder->weight = 0;
}

/* rc_event_recorder_add_content adds a slot for a string of content; *weight is its weight in the
 * estimate of tokens; NULL: the string is not part of the estimate. rc_event_recorder_add_ignored
 * adds a slot for a value that the walk ignores; `first` is its first byte. The slots must be added
 * in the order of the values in the event. */
void rc_event_recorder_add_content(rc_event_recorder *recorder, rc_str raw, const uint64_t *weight);
void rc_event_recorder_add_ignored(rc_event_recorder *recorder, rc_str key, char first, rc_str raw);

/* Ends recording with the result of the walk. The template is replaced if the event is suitable,
 * otherwise it stays unchanged. */
void rc_event_recorder_end(rc_event_recorder *recorder, rc_stream_dialect dialect, rc_str name,
                           const rc_stream_walk_result *found);

#endif
