/* rc_stream_mould: the form of an event, so that the next one of the same form need not be walked.
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
#ifndef RC_CODEC_STREAM_MOULD_H
#define RC_CODEC_STREAM_MOULD_H

#include "codec/stream_table.h"
#include "codec/stream_walk.h"

#define RC_STREAM_MOULD_TEXT 512 /* bytes of an event without its content; longer ones have none */
#define RC_STREAM_MOULD_PLACES 16
#define RC_STREAM_MOULD_NAME 32

/* A value that may be another one: with its quotes, if it is a string. */
typedef struct rc_stream_place {
    uint16_t from;
    uint16_t to;
    bool is_content; /* an empty string stands for it */
    bool is_weighed;
} rc_stream_place;

/* The caller's storage; zeroed it is ready, and fits nothing. */
struct rc_stream_mould {
    uint16_t len; /* of text; 0: there is none */
    uint8_t count;
    uint8_t name_len;
    rc_stream_dialect dialect;
    rc_stream_found found; /* without what the contents add */
    rc_stream_place places[RC_STREAM_MOULD_PLACES];
    char name[RC_STREAM_MOULD_NAME];
    char text[RC_STREAM_MOULD_TEXT];
};

/* What rc_stream_walk would find, if the event is of this form. False: it may be anything, and
 * found is left alone. */
bool rc_stream_mould_fits(const rc_stream_mould *mould, rc_stream_dialect dialect, rc_str name,
                          rc_str data, rc_stream_found *found);

/* Taking the form of an event while it is walked. */
typedef struct rc_stream_cast {
    rc_stream_mould *mould; /* NULL: nobody wants it, or there is no room */
    rc_str data;
    size_t taken; /* of data, what is in the text or was left out */
    size_t len;   /* of the text so far */
    size_t count;
    uint64_t content_bytes; /* of contents that were left out */
    uint64_t weight;
    rc_stream_place places[RC_STREAM_MOULD_PLACES];
    char text[RC_STREAM_MOULD_TEXT];
} rc_stream_cast;

/* mould: borrows until the end; may be NULL. data: borrows, of the event. */
static inline void rc_stream_cast_begin(rc_stream_cast *cast, rc_stream_mould *mould, rc_str data)
{
    /* One by one: what is not used need not be cleared. */
    cast->mould = mould;
    cast->data = data;
    cast->taken = 0;
    cast->len = 0;
    cast->count = 0;
    cast->content_bytes = 0;
    cast->weight = 0;
}

/* A string that is content, and adds its weight if it has one; a value that nobody looks at. They
 * come in the order of the text. */
void rc_stream_cast_content(rc_stream_cast *cast, rc_str raw, const uint64_t *weight);
void rc_stream_cast_loose(rc_stream_cast *cast, rc_str key, char first, rc_str raw);

/* The walk is over, and found this: makes the mould, or leaves it as it is. */
void rc_stream_cast_end(rc_stream_cast *cast, rc_stream_dialect dialect, rc_str name,
                        const rc_stream_found *found);

#endif
