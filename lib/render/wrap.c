/* Visible text and line wrapping for terminals. Called by panel.c, markdown_text.c and the CLI. */
#include "render/wrap.h"

#include "base/str.h"
#include "base/utf8.h"
#include "render/symbol.h"

#define TAB_COLUMNS 4u

typedef struct range {
    uint32_t first;
    uint32_t last;
} range;

/* Characters that are shown as escapes, because they move the cursor, reorder or break text, or are
 * invisible. The ranges are sorted. */
static const range ESCAPED[] = {
    {0x0000, 0x001F},   /* C0 control characters, except the tab, which is handled before this table
                           is searched */
    {0x007F, 0x009F},   /* DEL and the C1 control characters, which include CSI */
    {0x00AD, 0x00AD},   /* soft hyphen */
    {0x061C, 0x061C},   /* Arabic letter mark */
    {0x115F, 0x1160},   /* Hangul fillers */
    {0x180E, 0x180E},   /* Mongolian vowel separator */
    {0x200B, 0x200B},   /* zero width space */
    {0x200E, 0x200F},   /* left-to-right and right-to-left marks */
    {0x2028, 0x202E},   /* line and paragraph separator, embeddings and overrides */
    {0x2060, 0x206F},   /* word joiner, isolates, deprecated format characters */
    {0x3164, 0x3164},   /* Hangul filler */
    {0xFEFF, 0xFEFF},   /* byte order mark */
    {0xFFA0, 0xFFA0},   /* half width Hangul filler */
    {0xFFF0, 0xFFFB},   /* interlinear annotation */
    {0xFFFE, 0xFFFF},   /* noncharacters */
    {0x1BCA0, 0x1BCA3}, /* shorthand format controls */
    {0x1D173, 0x1D17A}, /* musical format controls */
    {0xE0000, 0xE0FFF}, /* tags and further variation selectors: invisible text */
};

static const range HIDDEN[] = {
    {0x200D, 0x200D},   /* zero width joiner */
    {0xFE00, 0xFE0F},   /* variation selectors */
    {0x1F3FB, 0x1F3FF}, /* skin tones */
};

static bool is_in(uint32_t cp, const range *ranges, size_t count)
{
    for (size_t i = 0; i < count && ranges[i].first <= cp; i++) {
        if (cp <= ranges[i].last)
            return true;
    }
    return false;
}

typedef enum shape {
    SHAPE_PLAIN,
    SHAPE_TAB,
    SHAPE_HIDDEN,
    SHAPE_ESCAPED
} shape;

static shape shape_of(uint32_t cp, bool has_utf8)
{
    if (cp >= 0x20 && cp < 0x7F)
        return SHAPE_PLAIN;
    if (cp == '\t')
        return SHAPE_TAB;
    if (!has_utf8 || is_in(cp, ESCAPED, sizeof ESCAPED / sizeof *ESCAPED))
        return SHAPE_ESCAPED;
    return is_in(cp, HIDDEN, sizeof HIDDEN / sizeof *HIDDEN) ? SHAPE_HIDDEN : SHAPE_PLAIN;
}

static unsigned hex_digits(uint32_t cp)
{
    unsigned digits = 1;
    while (cp >>= 4)
        digits++;
    return digits;
}

unsigned rc_visible_char_width(uint32_t cp, bool has_utf8)
{
    switch (shape_of(cp, has_utf8)) {
    case SHAPE_TAB:
        return TAB_COLUMNS;
    case SHAPE_HIDDEN:
        return 0;
    case SHAPE_ESCAPED:
        return hex_digits(cp) + 4; /* the characters of \u{ and } */
    case SHAPE_PLAIN:
        break;
    }
    return rc_utf8_width(cp);
}

static void push_escape(rc_buf *buf, uint32_t cp)
{
    static const char HEX[] = "0123456789ABCDEF";
    rc_buf_push(buf, RC_STR("\\u{"));
    for (unsigned i = hex_digits(cp); i > 0; i--)
        rc_buf_push_byte(buf, HEX[(cp >> (4 * (i - 1))) & 0xF]);
    rc_buf_push_byte(buf, '}');
}

void rc_visible_push_char(rc_buf *buf, uint32_t cp, bool has_utf8)
{
    char bytes[4];
    switch (shape_of(cp, has_utf8)) {
    case SHAPE_TAB:
        rc_buf_push(buf, RC_STR("    "));
        return;
    case SHAPE_HIDDEN:
        return;
    case SHAPE_ESCAPED:
        push_escape(buf, cp);
        return;
    case SHAPE_PLAIN:
        break;
    }
    rc_buf_push(buf, rc_str_make(bytes, rc_utf8_encode(cp, bytes)));
}

/* Returns the character that is shown in one-line text: a space for a line feed. */
static uint32_t inline_cp(uint32_t cp)
{
    return cp == '\n' ? ' ' : cp;
}

void rc_visible_push(rc_buf *buf, rc_str text, bool has_utf8)
{
    size_t len;
    for (size_t at = 0; at < text.len && rc_buf_status(buf) == RC_OK; at += len)
        rc_visible_push_char(buf, inline_cp(rc_utf8_decode(text, at, &len)), has_utf8);
}

unsigned rc_visible_width(rc_str text, bool has_utf8)
{
    unsigned width = 0;
    size_t len;
    for (size_t at = 0; at < text.len; at += len)
        width += rc_visible_char_width(inline_cp(rc_utf8_decode(text, at, &len)), has_utf8);
    return width;
}

unsigned rc_visible_push_cut(rc_buf *buf, rc_str text, unsigned max, bool has_utf8)
{
    unsigned width = rc_visible_width(text, has_utf8);
    if (width <= max) {
        rc_visible_push(buf, text, has_utf8);
        return width;
    }
    rc_str dots = rc_symbol_text(RC_SYMBOL_MORE, has_utf8);
    unsigned dots_width = has_utf8 ? 1 : 3;
    if (max < dots_width)
        return 0;
    unsigned used = 0;
    size_t len;
    for (size_t at = 0; at < text.len; at += len) {
        uint32_t cp = inline_cp(rc_utf8_decode(text, at, &len));
        unsigned glyph = rc_visible_char_width(cp, has_utf8);
        if (used + glyph > max - dots_width)
            break;
        rc_visible_push_char(buf, cp, has_utf8);
        used += glyph;
    }
    rc_buf_push(buf, dots);
    return used + dots_width;
}

void rc_wrap_init(rc_wrap *wrap, rc_str text, bool has_utf8)
{
    *wrap = (rc_wrap){.text = text, .has_utf8 = has_utf8};
}

/* The end of a line: its offset in the text, and the width of the line in columns. */
typedef struct line_end {
    size_t at;
    unsigned width;
} line_end;

/* Returns how much of the text up to `stop` fits into one line. `stop` is the offset of the next
 * line feed or of the end of the text. */
static line_end fit(const rc_wrap *wrap, size_t stop, unsigned width)
{
    line_end best = {0};
    unsigned used = 0;
    bool was_space = true; /* leading spaces are indentation, at which a line is not broken */
    bool was_wide = false;
    size_t len;
    for (size_t at = wrap->at; at < stop; at += len) {
        uint32_t cp = rc_utf8_decode(wrap->text, at, &len);
        unsigned glyph = rc_visible_char_width(cp, wrap->has_utf8);
        bool is_space = cp == ' ';
        bool is_wide = glyph == 2;
        bool may_break = is_space ? !was_space : !was_space && glyph > 0 && (is_wide || was_wide);
        if (may_break)
            best = (line_end){at, used};
        if (used + glyph > width && at > wrap->at)
            return best.at ? best : (line_end){at, used};
        used += glyph;
        was_space = is_space;
        was_wide = glyph > 0 ? is_wide : was_wide;
    }
    return (line_end){stop, used};
}

bool rc_wrap_next(rc_wrap *wrap, unsigned width, rc_wrap_line *ret_line)
{
    rc_str text = wrap->text;
    if (wrap->at >= text.len)
        return false;
    size_t feed = rc_str_find_byte(text, '\n', wrap->at);
    size_t stop = feed == RC_STR_NPOS ? text.len : feed;
    size_t after = feed == RC_STR_NPOS ? text.len : feed + 1;
    if (feed != RC_STR_NPOS && stop > wrap->at && text.ptr[stop - 1] == '\r')
        stop--;

    line_end end = fit(wrap, stop, width);
    ret_line->text = rc_str_slice(text, wrap->at, end.at);
    ret_line->width = end.width;

    /* The spaces at which the line is broken are dropped, so that the next line does not begin with
     * them. */
    size_t next = end.at;
    while (next < stop && text.ptr[next] == ' ')
        next++;
    wrap->at = next < stop ? next : after;
    return true;
}
