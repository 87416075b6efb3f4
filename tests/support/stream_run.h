/* Passes a stream in arbitrary pieces through a reader and a watch, and records the results. Each
 * piece is separate memory that is freed after it was read, so that a sanitizer detects a view that
 * is used too late. */
#ifndef TESTS_SUPPORT_STREAM_RUN_H
#define TESTS_SUPPORT_STREAM_RUN_H

#include <recourse/buf.h>
#include <recourse/stdlib.h>

#include <stdint.h>
#include <stdlib.h>

#include "codec/sse.h"
#include "codec/stream_array.h"
#include "codec/stream_lines.h"
#include "dialect/stream.h"

typedef enum stream_form {
    FORM_SSE,
    FORM_ARRAY,
    FORM_LINES,
    FORM_COUNT
} stream_form;

/* How the stream is split: CUT_NOT: one piece; CUT_BYTES: byte by byte; other values: pieces of
 * random size from this seed. */
#define CUT_NOT 0u
#define CUT_BYTES 1u

typedef struct stream_note {
    rc_stream_event_type type;
    uint64_t begin;
    uint64_t end;
    uint64_t fields; /* hash of all members of the event */
    unsigned kinds;
    rc_stream_finish finish;
} stream_note;

typedef struct stream_run {
    stream_note *notes; /* the events, without parts of oversized events */
    size_t count;
    size_t size;
    uint64_t parts;
    uint64_t at;          /* number of bytes in the events so far */
    bool is_tiled;        /* every byte of the stream was returned once, in order */
    bool is_error_inside; /* the text for the classifier is inside the event */
    rc_stream_watch watch;
} stream_run;

typedef struct stream_reader {
    stream_form form;
    union {
        rc_sse sse;
        rc_stream_array array;
        rc_stream_lines lines;
    };
} stream_reader;

static inline void stream_reader_init(stream_reader *r, stream_form form, rc_buf *scratch,
                                      size_t max)
{
    r->form = form;
    if (form == FORM_SSE)
        rc_sse_init(&r->sse, scratch, max);
    else if (form == FORM_ARRAY)
        rc_stream_array_init(&r->array, scratch, max);
    else
        rc_stream_lines_init(&r->lines, scratch, max);
}

static inline void stream_reader_push(stream_reader *r, rc_str piece)
{
    if (r->form == FORM_SSE)
        rc_sse_push(&r->sse, piece);
    else if (r->form == FORM_ARRAY)
        rc_stream_array_push(&r->array, piece);
    else
        rc_stream_lines_push(&r->lines, piece);
}

static inline bool stream_reader_pull(stream_reader *r, rc_stream_event *event)
{
    if (r->form == FORM_SSE)
        return rc_sse_pull(&r->sse, event);
    if (r->form == FORM_ARRAY)
        return rc_stream_array_pull(&r->array, event);
    return rc_stream_lines_pull(&r->lines, event);
}

static inline bool stream_reader_end(stream_reader *r, rc_stream_event *event)
{
    if (r->form == FORM_SSE)
        return rc_sse_end(&r->sse, event);
    if (r->form == FORM_ARRAY)
        return rc_stream_array_end(&r->array, event);
    return rc_stream_lines_end(&r->lines, event);
}

static inline uint64_t stream_hash(uint64_t hash, rc_str bytes)
{
    for (size_t i = 0; i < bytes.len; i++)
        hash = (hash ^ (uint8_t)bytes.ptr[i]) * UINT64_C(0x100000001B3);
    return (hash ^ bytes.len) * UINT64_C(0x100000001B3);
}

/* The last bytes that are stored of an oversized event depend on the split; all other members do
 * not and are hashed. */
static inline uint64_t stream_hash_event(const rc_stream_event *e)
{
    uint64_t hash = stream_hash(UINT64_C(0xCBF29CE484222325), e->is_oversized ? e->tail : e->raw);
    hash = stream_hash(hash, e->name);
    hash = stream_hash(hash, e->id);
    hash = stream_hash(hash, e->data);
    hash = (hash ^ (uint64_t)e->retry_ms) * UINT64_C(0x100000001B3);
    unsigned flags = (unsigned)e->has_data | (unsigned)e->is_oversized << 1 |
                     (unsigned)e->is_cut << 2 | (unsigned)e->is_element << 3;
    return (hash ^ flags) * UINT64_C(0x100000001B3);
}

static inline bool stream_is_inside(rc_str whole, rc_str part)
{
    uintptr_t start = (uintptr_t)whole.ptr;
    uintptr_t at = (uintptr_t)part.ptr;
    return part.len == 0 ||
           (at >= start && at - start <= whole.len && part.len <= whole.len - (at - start));
}

static inline void stream_run_note(stream_run *run, rc_str text, const rc_stream_event *event)
{
    rc_stream_event_info info;
    rc_stream_watch_step(&run->watch, event, &info);
    uint64_t len = event->end - event->begin;
    bool is_right = event->end - event->raw.len == run->at && event->end <= text.len &&
                    event->begin <= run->at && event->raw.len <= len && event->tail.len <= len;
    if (is_right && event->raw.len > 0)
        is_right = memcmp(text.ptr + run->at, event->raw.ptr, event->raw.len) == 0;
    if (is_right && event->tail.len > 0)
        is_right =
            memcmp(text.ptr + event->end - event->tail.len, event->tail.ptr, event->tail.len) == 0;
    run->is_tiled = run->is_tiled && is_right && info.kinds != 0;
    run->is_error_inside = run->is_error_inside && stream_is_inside(event->raw, info.error);
    run->at = event->end;
    if (event->type == RC_STREAM_EVENT_PART) {
        run->parts++;
        return;
    }
    if (run->count == run->size) {
        run->size = run->size ? run->size * 2 : 64;
        run->notes = realloc(run->notes, run->size * sizeof *run->notes);
        if (!run->notes)
            abort();
    }
    run->notes[run->count++] = (stream_note){
        event->type, event->begin, event->end, stream_hash_event(event), info.kinds, info.finish};
}

static inline size_t stream_piece_len(unsigned cut, uint64_t *random, size_t left)
{
    if (cut == CUT_NOT)
        return left;
    if (cut == CUT_BYTES)
        return 1;
    *random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    uint64_t value = *random >> 33;
    size_t len = value % 8 == 0 ? 1 + (size_t)(value >> 3) % 700 : 1 + (size_t)(value >> 3) % 40;
    return len < left ? len : left;
}

/* Runs the whole text; the caller frees the result with stream_run_done. mould: the event template;
 * NULL: none. */
static inline stream_run stream_run_with(stream_form form, rc_stream_dialect dialect, rc_str text,
                                         unsigned cut, rc_buf *scratch, size_t max_bytes,
                                         rc_event_template *template)
{
    stream_run run = {.is_tiled = true, .is_error_inside = true};
    stream_reader reader;
    rc_stream_event event;
    uint64_t random = cut;
    stream_reader_init(&reader, form, scratch, max_bytes);
    rc_stream_watch_init(&run.watch, dialect);
    rc_stream_watch_set_template(&run.watch, template);
    for (size_t at = 0; at < text.len;) {
        size_t len = stream_piece_len(cut, &random, text.len - at);
        char *piece = malloc(len);
        if (!piece)
            abort();
        memcpy(piece, text.ptr + at, len);
        stream_reader_push(&reader, rc_str_make(piece, len));
        while (stream_reader_pull(&reader, &event))
            stream_run_note(&run, text, &event);
        free(piece);
        at += len;
    }
    while (stream_reader_end(&reader, &event))
        stream_run_note(&run, text, &event);
    run.is_tiled = run.is_tiled && run.at == text.len;
    return run;
}

static inline stream_run stream_run_do(stream_form form, rc_stream_dialect dialect, rc_str text,
                                       unsigned cut, rc_buf *scratch, size_t max_bytes)
{
    return stream_run_with(form, dialect, text, cut, scratch, max_bytes, NULL);
}

static inline void stream_run_done(stream_run *run)
{
    free(run->notes);
    run->notes = NULL;
}

/* Returns whether two runs with different splits have the same result. */
static inline bool stream_run_is_same(const stream_run *a, const stream_run *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++) {
        const stream_note *x = &a->notes[i];
        const stream_note *y = &b->notes[i];
        if (x->type != y->type || x->begin != y->begin || x->end != y->end ||
            x->fields != y->fields || x->finish != y->finish || x->kinds != y->kinds)
            return false;
    }
    return rc_stream_watch_end(&a->watch, RC_STREAM_BODY_WHOLE) ==
               rc_stream_watch_end(&b->watch, RC_STREAM_BODY_WHOLE) &&
           rc_stream_watch_end(&a->watch, RC_STREAM_BODY_CUT) ==
               rc_stream_watch_end(&b->watch, RC_STREAM_BODY_CUT) &&
           a->watch.content_events == b->watch.content_events &&
           a->watch.content_bytes == b->watch.content_bytes &&
           a->watch.usage.weight == b->watch.usage.weight && a->watch.begun == b->watch.begun &&
           a->watch.finished == b->watch.finished && a->watch.damaged == b->watch.damaged &&
           a->watch.events == b->watch.events;
}

#endif
