/* The table of the symbols for terminals. Called by the renderers and the CLI. */
#include "render/symbol.h"

#include "base/str.h"

#define SYMBOL(utf8_, ascii_)                   \
    {                                           \
        RC_STR_INIT(utf8_), RC_STR_INIT(ascii_) \
    }

static const struct {
    rc_str utf8;
    rc_str ascii;
} SYMBOLS[] = {
    [RC_SYMBOL_GOOD] = SYMBOL("✓", "+"),        [RC_SYMBOL_BAD] = SYMBOL("✗", "x"),
    [RC_SYMBOL_STOPPED] = SYMBOL("■", "-"),     [RC_SYMBOL_RETRY] = SYMBOL("↻", "~"),
    [RC_SYMBOL_OPEN] = SYMBOL("○", "o"),        [RC_SYMBOL_NOTICE] = SYMBOL("!", "!"),
    [RC_SYMBOL_SKIPPED] = SYMBOL("↷", "^"),     [RC_SYMBOL_NEXT] = SYMBOL("→", ">"),
    [RC_SYMBOL_ITEM] = SYMBOL("•", "*"),        [RC_SYMBOL_NOTE] = SYMBOL("·", "-"),

    [RC_SYMBOL_ARROW] = SYMBOL(" → ", " -> "),  [RC_SYMBOL_SEPARATOR] = SYMBOL(" · ", ", "),
    [RC_SYMBOL_CLAUSE] = SYMBOL(" · ", "; "),   [RC_SYMBOL_MORE] = SYMBOL("…", "..."),
    [RC_SYMBOL_QUOTE] = SYMBOL("“", "\""),      [RC_SYMBOL_UNQUOTE] = SYMBOL("”", "\""),
    [RC_SYMBOL_BRANCH] = SYMBOL("└─ ", "`- "),  [RC_SYMBOL_TWIG] = SYMBOL("└ ", "- "),

    [RC_SYMBOL_TOP_LEFT] = SYMBOL("╭", "+"),    [RC_SYMBOL_TOP_RIGHT] = SYMBOL("╮", "+"),
    [RC_SYMBOL_BOTTOM_LEFT] = SYMBOL("╰", "+"), [RC_SYMBOL_BOTTOM_RIGHT] = SYMBOL("╯", "+"),
    [RC_SYMBOL_TEE_LEFT] = SYMBOL("├", "+"),    [RC_SYMBOL_TEE_RIGHT] = SYMBOL("┤", "+"),
    [RC_SYMBOL_ACROSS] = SYMBOL("─", "-"),      [RC_SYMBOL_DOWN] = SYMBOL("│", "|"),
    [RC_SYMBOL_CORNER] = SYMBOL("└", "+"),      [RC_SYMBOL_THICK] = SYMBOL("━", "="),

    [RC_SYMBOL_LEVEL_1] = SYMBOL("▁", "."),     [RC_SYMBOL_LEVEL_2] = SYMBOL("▂", "."),
    [RC_SYMBOL_LEVEL_3] = SYMBOL("▃", ":"),     [RC_SYMBOL_LEVEL_4] = SYMBOL("▄", ":"),
    [RC_SYMBOL_LEVEL_5] = SYMBOL("▅", ":"),     [RC_SYMBOL_LEVEL_6] = SYMBOL("▆", "#"),
    [RC_SYMBOL_LEVEL_7] = SYMBOL("▇", "#"),     [RC_SYMBOL_FULL] = SYMBOL("█", "#"),
    [RC_SYMBOL_OVER] = SYMBOL("▒", "%"),        [RC_SYMBOL_TRACK] = SYMBOL("·", "."),
    [RC_SYMBOL_SHADE] = SYMBOL("░", "."),
};

rc_str rc_symbol_text(rc_symbol symbol, bool has_utf8)
{
    return has_utf8 ? SYMBOLS[symbol].utf8 : SYMBOLS[symbol].ascii;
}
