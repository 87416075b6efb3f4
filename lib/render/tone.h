/* rc_tone: the meaning of a piece of text on a terminal. tone.c maps each tone to an escape
 * sequence; no other file of the project contains escape sequences of colours. */
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
    RC_TONE_ACCENT, /* Emphasised, but neither good nor bad. */
    RC_TONE_BEST,   /* The best value of a column. */
    RC_TONE_OUTAGE  /* Background of a period in which there was a fault. */
} rc_tone;

/* Maximum length in bytes of the escape sequence that begins or ends a tone. */
#define RC_TONE_BYTES_MAX 8u

/* rc_tone_begin and rc_tone_end append the escape sequence that begins or ends a tone. Both
 * functions append nothing for RC_TONE_PLAIN and if has_colour is false. */
void rc_tone_begin(rc_buf *buf, rc_tone tone, bool has_colour);
void rc_tone_end(rc_buf *buf, rc_tone tone, bool has_colour);

#endif
