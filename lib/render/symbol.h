/* rc_symbol: signs and line characters for terminals. Each symbol has a second form for terminals
 * without UTF-8. */
#ifndef RC_RENDER_SYMBOL_H
#define RC_RENDER_SYMBOL_H

#include <stdbool.h>

#include <recourse/str.h>

typedef enum rc_symbol {
    /* Signs at the beginning of a line; each is one column wide. */
    RC_SYMBOL_GOOD,
    RC_SYMBOL_BAD,
    RC_SYMBOL_STOPPED,
    RC_SYMBOL_RETRY,
    RC_SYMBOL_OPEN,
    RC_SYMBOL_NOTICE,
    RC_SYMBOL_SKIPPED,
    RC_SYMBOL_NEXT,
    RC_SYMBOL_ITEM,
    RC_SYMBOL_NOTE,

    /* Symbols within a text. */
    RC_SYMBOL_ARROW,
    RC_SYMBOL_SEPARATOR,
    RC_SYMBOL_CLAUSE, /* Separates parts of a text that may contain commas. */
    RC_SYMBOL_MORE,
    RC_SYMBOL_QUOTE,
    RC_SYMBOL_UNQUOTE,
    RC_SYMBOL_BRANCH,
    RC_SYMBOL_TWIG,

    /* Lines and corners of boxes. */
    RC_SYMBOL_TOP_LEFT,
    RC_SYMBOL_TOP_RIGHT,
    RC_SYMBOL_BOTTOM_LEFT,
    RC_SYMBOL_BOTTOM_RIGHT,
    RC_SYMBOL_TEE_LEFT,
    RC_SYMBOL_TEE_RIGHT,
    RC_SYMBOL_ACROSS,
    RC_SYMBOL_DOWN,
    RC_SYMBOL_CORNER,
    RC_SYMBOL_THICK,

    /* Charts. RC_SYMBOL_LEVEL_1 to RC_SYMBOL_LEVEL_7 and RC_SYMBOL_FULL fill a cell from below, in
     * steps of one eighth. */
    RC_SYMBOL_LEVEL_1,
    RC_SYMBOL_LEVEL_2,
    RC_SYMBOL_LEVEL_3,
    RC_SYMBOL_LEVEL_4,
    RC_SYMBOL_LEVEL_5,
    RC_SYMBOL_LEVEL_6,
    RC_SYMBOL_LEVEL_7,
    RC_SYMBOL_FULL,
    RC_SYMBOL_OVER,
    RC_SYMBOL_TRACK, /* The part of a bar that is not filled. */
    RC_SYMBOL_SHADE
} rc_symbol;

/* Returns the symbol's text, which is static. */
rc_str rc_symbol_text(rc_symbol symbol, bool has_utf8);

#endif
