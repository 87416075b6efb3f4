/* Finds credentials in Authorization headers, and after the words Bearer and Basic in other text.
 * Called by member.c and scan.c. */
#include "scrub/parts.h"

#include "base/str.h"

typedef enum scheme_form {
    FORM_NONE,
    FORM_ONE,
    FORM_PARAMS,
} scheme_form;

static const struct {
    rc_str name;
    scheme_form form;
} SCHEMES[] = {
#define RC_SECRET_SCHEME(name, FORM, text) {RC_STR_INIT(name), FORM_##FORM},
#include "spec/secrets.def"
};

#define SCHEME_MAX 24u /* more letters than any name of a scheme has */

static scheme_form form_of(rc_str word)
{
    for (size_t i = 0; i < sizeof SCHEMES / sizeof *SCHEMES; i++) {
        if (rc_str_eq_nocase(SCHEMES[i].name, word))
            return SCHEMES[i].form;
    }
    return FORM_NONE;
}

static bool ends_value(rc_glyph glyph)
{
    return glyph.ch == RC_GLYPH_END || glyph.ch == RC_GLYPH_ELLIPSIS ||
           rc_glyph_is_newline(glyph) || rc_glyph_is_quote(glyph);
}

/* Returns whether a secret in angle brackets begins at `at`, as in "Bearer <7f3a...>". The
 * placeholder "Bearer <token>" is not a secret. */
static bool is_in_angles(rc_str text, size_t at)
{
    rc_glyph glyph = rc_glyph_at(text, at);
    return glyph.ch == '<' && rc_scrub_looks_secret(text, at + glyph.len, RC_SCRUB_NEED_RANDOM);
}

/* Returns the edit that masks the token after a scheme that ends at `at`. If no token follows the
 * scheme, the edit changes no text and only prevents a cut inside the scheme. */
static rc_scrub_edit credentials_edit(rc_str text, const rc_scrub_slot *slot, size_t at)
{
    size_t from = rc_glyph_skip_blanks(text, at, true);
    rc_glyph open = rc_glyph_at(text, from);
    if (rc_glyph_is_quote(open) || is_in_angles(text, from))
        from += open.len;
    size_t word_end;
    if (rc_scrub_is_plain(text, from, RC_SCRUB_AFTER_SCHEME, &word_end))
        return rc_scrub_keep(slot->hold, from, word_end);
    rc_scrub_style style = {.is_listed = slot->style.is_listed,
                            .is_percent = slot->style.is_percent};
    size_t to = rc_scrub_bare_end(text, from, style);
    if (to == from)
        return rc_scrub_keep(slot->hold, at, at);
    to = rc_scrub_folded_end(text, to, RC_SCRUB_NEED_NOTHING);
    return rc_scrub_mask_value(text, slot->hold, from, to, to);
}

/* Finds a key without a known scheme. If several words follow, they are read as an unknown scheme
 * with its parameters and are masked together. */
static bool find_raw(rc_str text, const rc_scrub_slot *slot, rc_glyph open, size_t from,
                     rc_scrub_edit *ret_edit)
{
    size_t to = open.len ? rc_scrub_quoted_end(text, from, open)
                         : rc_scrub_bare_end(text, from, slot->style);
    if (to == from || !rc_scrub_looks_secret(text, from, slot->need))
        return false;
    size_t release = to;
    if (!open.len) {
        if (slot->is_flowing && rc_glyph_is_blank(rc_glyph_at(text, to)))
            to = rc_scrub_line_end(text, from, slot->style);
        to = rc_scrub_folded_end(text, to, RC_SCRUB_NEED_NOTHING);
        release = to;
    }
    release += rc_glyph_at(text, to).len;
    *ret_edit = rc_scrub_mask_value(text, slot->hold, from, to, release);
    return true;
}

bool rc_scrub_find_auth(rc_str text, const rc_scrub_slot *slot, rc_scrub_edit *ret_edit)
{
    rc_glyph open = rc_glyph_at(text, slot->at);
    if (!rc_glyph_is_quote(open))
        open = (rc_glyph){0};
    size_t from = slot->at + open.len;
    size_t to = rc_scrub_run(text, from, RC_SCRUB_WORD, SCHEME_MAX);
    scheme_form form = form_of(rc_str_slice(text, from, to));
    if (form == FORM_PARAMS) {
        *ret_edit = rc_scrub_keep(slot->hold, to, to);
        return true;
    }
    rc_glyph glyph = rc_glyph_at(text, to);
    if (form == FORM_ONE && (ends_value(glyph) || rc_glyph_is_blank(glyph))) {
        *ret_edit = credentials_edit(text, slot, to);
        return true;
    }
    if (ends_value(rc_glyph_at(text, from)))
        return false;
    if (rc_scrub_is_plain_value(text, slot, open, from, &to)) {
        *ret_edit = rc_scrub_keep(slot->hold, from, to);
        return true;
    }
    return find_raw(text, slot, open, from, ret_edit);
}

static int base64_value(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (rc_ascii_is_digit(c))
        return c - '0' + 52;
    if (c == '+' || c == '-')
        return 62;
    return c == '/' || c == '_' ? 63 : -1;
}

#define BASIC_MIN 4u
#define BASIC_WINDOW 64u

/* Returns whether the credentials of a Basic scheme begin at `at`: base64 of user:password (RFC
 * 7617). Ordinary words do not decode to printable text with a colon. */
static bool is_basic(rc_str text, size_t at)
{
    uint32_t bits = 0;
    unsigned count = 0;
    for (size_t i = at; i < text.len && i < at + BASIC_WINDOW; i++) {
        int value = base64_value(text.ptr[i]);
        if (value < 0)
            return false;
        bits = (bits << 6 | (uint32_t)value) & 0xFFFFFFu;
        count += 6;
        if (count < 8)
            continue;
        count -= 8;
        uint32_t byte = (bits >> count) & 0xFFu;
        if (byte == ':')
            return rc_scrub_run(text, at, RC_SCRUB_TOKEN, BASIC_MIN) - at == BASIC_MIN;
        if (byte < 0x20 || byte == 0x7F)
            return false;
    }
    return false;
}

bool rc_scrub_find_scheme(rc_str text, size_t from, size_t to, rc_scrub_edit *ret_edit)
{
    rc_str word = rc_str_slice(text, from, to);
    bool is_bearer = rc_str_eq_nocase(word, RC_STR("bearer"));
    if (!is_bearer && !rc_str_eq_nocase(word, RC_STR("basic")))
        return false;
    size_t at = rc_glyph_skip_blanks(text, to, false);
    size_t folded = rc_glyph_skip_blanks(text, at, true);
    if (folded == to)
        return false;
    rc_glyph open = rc_glyph_at(text, folded);
    bool is_opened = rc_glyph_is_quote(open) || is_in_angles(text, folded);
    size_t value = is_opened ? folded + open.len : folded;
    size_t word_end;
    if (rc_scrub_is_plain(text, value, RC_SCRUB_AFTER_SCHEME, &word_end)) {
        *ret_edit = rc_scrub_keep(from, value, word_end);
        return true;
    }
    bool is_secret = is_bearer ? rc_scrub_run(text, value, RC_SCRUB_TOKEN, 6) - value == 6
                               : is_basic(text, value);
    if (folded != at) /* a word on the next line is a secret only if it looks random */
        is_secret = is_secret && rc_scrub_looks_secret(text, value, RC_SCRUB_NEED_RANDOM);
    if (!is_secret)
        return false;
    size_t end = rc_scrub_bare_end(text, value, (rc_scrub_style){0});
    if (end == value)
        return false;
    *ret_edit = rc_scrub_mask_value(text, from, value, end, end);
    return true;
}
