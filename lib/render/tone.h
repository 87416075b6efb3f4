/* rc_tone: the meaning of a piece of text on a terminal. tone.c maps it to an escape sequence; no
 * other file of the project contains the sequence of a colour. */
#ifndef RC_RENDER_TONE_H
#define RC_RENDER_TONE_H

#include <stdbool.h>

#include <recourse/buf.h>

typedef enum rc_tone {
    RC_TONE_PLAIN,
    RC_TONE_FAINT,  /* Less important: labels, ids, column titles. */
    RC_TONE_STRONG, /* Headings and names. */
    RC_TONE_GOOD,
    RC_TONE_WARN,
    RC_TONE_BAD,
    RC_TONE_ACCENT, /* Stands out without a judgement. */
    RC_TONE_BEST,   /* The best value of a column. */
    RC_TONE_OUTAGE  /* The background of a period with a fault. */
} rc_tone;

/* Upper limit of the bytes of either sequence. */
#define RC_TONE_BYTES_MAX 8u

/* Append the sequences that begin and end a tone; nothing for PLAIN or without colour. */
void rc_tone_begin(rc_buf *buf, rc_tone tone, bool has_colour);
void rc_tone_end(rc_buf *buf, rc_tone tone, bool has_colour);

#endif
