/* rc_event_template: the form of an event, so that the next one of the same form need not be
 * walked.
 *
 * The events of a stream repeat each other but for what the model says. A mould keeps the bytes of
 * one event that has content, and where in them the values stand that may be others without making
 * the event another one:
 *
 *   {"id":"a1","created":17,"choices":[{"index":0,"delta":{"content":""},"finish_reason":null}]}
 *          ──             ── loose: nobody looks at them              ── content: weighed
 *
 * An event that has the same bytes around such values is what the walk found the first one to be.
 * All that the walk decides by is among those bytes; the values are passed over as the walk does.
 *
 * A mould may be shared by any number of streams, one at a time. It never has content in it. */
#ifndef RC_DIALECT_EVENT_TEMPLATE_H
#define RC_DIALECT_EVENT_TEMPLATE_H

#include "dialect/stream_table.h"
#include "dialect/stream_walk.h"

#define RC_EVENT_TEMPLATE_TEXT_MAX \
    512 /* bytes of an event without its content; longer ones have none */
#define RC_EVENT_TEMPLATE_SLOTS_MAX 16
#define RC_EVENT_TEMPLATE_NAME_MAX 32

/* A value that may be another one: with its quotes, if it is a string. */
typedef struct rc_event_template_slot {
    uint16_t from;
    uint16_t to;
    bool is_content; /* an empty string stands for it */
    bool is_weighed;
} rc_event_template_slot;

/* The caller's storage; zeroed it is ready, and fits nothing. */
struct rc_event_template {
    uint16_t len; /* of text; 0: there is none */
    uint8_t count;
    uint8_t name_len;
    rc_stream_dialect dialect;
    rc_stream_walk_result result; /* without what the contents add */
    rc_event_template_slot slots[RC_EVENT_TEMPLATE_SLOTS_MAX];
    char name[RC_EVENT_TEMPLATE_NAME_MAX];
    char text[RC_EVENT_TEMPLATE_TEXT_MAX];
};

/* What rc_stream_walk would find, if the event is of this form. False: it may be anything, and
 * found is left alone. */
bool rc_event_template_matches(const rc_event_template *template, rc_stream_dialect dialect,
                               rc_str name, rc_str data, rc_stream_walk_result *found);

/* Taking the form of an event while it is walked. */
typedef struct rc_event_recorder {
    rc_event_template *template; /* NULL: nobody wants it, or there is no room */
    rc_str data;
    size_t taken; /* of data, what is in the text or was left out */
    size_t len;   /* of the text so far */
    size_t count;
    uint64_t content_bytes; /* of contents that were left out */
    uint64_t weight;
    rc_event_template_slot slots[RC_EVENT_TEMPLATE_SLOTS_MAX];
    char text[RC_EVENT_TEMPLATE_TEXT_MAX];
} rc_event_recorder;

/* mould: borrows until the end; may be NULL. data: borrows, of the event. */
static inline void rc_event_recorder_begin(rc_event_recorder *recorder, rc_event_template *template,
                                           rc_str data)
{
    /* One by one: what is not used need not be cleared. */
    recorder->template = template;
    recorder->data = data;
    recorder->taken = 0;
    recorder->len = 0;
    recorder->count = 0;
    recorder->content_bytes = 0;
    recorder->weight = 0;
}

/* A string that is content, and adds its weight if it has one; a value that nobody looks at. They
 * come in the order of the text. */
void rc_event_recorder_add_content(rc_event_recorder *recorder, rc_str raw, const uint64_t *weight);
void rc_event_recorder_add_ignored(rc_event_recorder *recorder, rc_str key, char first, rc_str raw);

/* The walk is over, and found this: makes the mould, or leaves it as it is. */
void rc_event_recorder_end(rc_event_recorder *recorder, rc_stream_dialect dialect, rc_str name,
                           const rc_stream_walk_result *found);

#endif
