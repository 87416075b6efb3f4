/* The escape sequences of the tones. Called by pen.c, panel.c, the log and the CLI. */
#include "render/tone.h"

#include "base/str.h"

static const rc_str SEQUENCES[] = {
    [RC_TONE_PLAIN] = RC_STR_INIT(""),
    [RC_TONE_FAINT] = RC_STR_INIT("\x1b[2m"),
    [RC_TONE_STRONG] = RC_STR_INIT("\x1b[1m"),
    [RC_TONE_GOOD] = RC_STR_INIT("\x1b[32m"),
    [RC_TONE_WARN] = RC_STR_INIT("\x1b[33m"),
    [RC_TONE_BAD] = RC_STR_INIT("\x1b[31m"),
    [RC_TONE_ACCENT] = RC_STR_INIT("\x1b[36m"),
    [RC_TONE_BEST] = RC_STR_INIT("\x1b[1;32m"),
    [RC_TONE_OUTAGE] = RC_STR_INIT("\x1b[2;31m"),
};

void rc_tone_begin(rc_buf *buf, rc_tone tone, bool has_colour)
{
    if (has_colour)
        rc_buf_push(buf, SEQUENCES[tone]);
}

void rc_tone_end(rc_buf *buf, rc_tone tone, bool has_colour)
{
    if (has_colour && tone != RC_TONE_PLAIN)
        rc_buf_push(buf, RC_STR("\x1b[0m"));
}
