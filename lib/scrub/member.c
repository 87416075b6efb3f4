/* Finds members: the name of a secret, a separator and a value, in JSON, YAML, Python, logfmt,
 * headers, queries, XML and prose. Called by scan.c. */
#include "scrub/parts.h"

#include "base/str.h"

#define PHRASE_MAX 16u /* more letters than the first word of any two-word name in the table has */

/* The separator between a name and its value. */
typedef struct separator {
    int16_t ch;      /* ':', '=', '>' (XML element), ',' (pair) or ' ' (option) */
    size_t value_at; /* Offset after the separator and its blanks. */
    bool is_percent;
    bool is_folded; /* The value is on the next line. */
    bool is_quoted; /* The name was quoted. */
} separator;

static bool has_before(rc_str text, size_t at, rc_str literal)
{
    return at >= literal.len && rc_scrub_has_nocase(text, at - literal.len, literal);
}

/* Returns whether the word at `from` is the name of a parameter in a URL or a form. */
static bool is_parameter(rc_str text, size_t from)
{
    return has_before(text, from, RC_STR("?")) || has_before(text, from, RC_STR("&")) ||
           has_before(text, from, RC_STR("&amp;")) || has_before(text, from, RC_STR("%3f")) ||
           has_before(text, from, RC_STR("%26")) || has_before(text, from, RC_STR("\\u0026"));
}

/* Returns whether the word at `from` is the first half of a pair, as in ("name", "value") or
 * [b'name', b'value']. HTTP libraries print headers in this form. */
static bool is_paired(rc_str text, size_t from)
{
    if (from == 0 || !rc_glyph_is_quote((rc_glyph){.ch = text.ptr[from - 1]}))
        return false;
    from--;
    while (from > 0 && text.ptr[from - 1] == '\\')
        from--;
    if (from > 0 && text.ptr[from - 1] == 'b')
        from--;
    return from > 0 && (text.ptr[from - 1] == '(' || text.ptr[from - 1] == '[');
}

/* Returns the offset after the separator at `at`; 0 if the text has no separator there. */
static size_t colon_or_equals_end(rc_str text, size_t at)
{
    rc_glyph glyph = rc_glyph_at(text, at);
    size_t next = at + glyph.len;
    rc_glyph second = rc_glyph_at(text, next);
    if (glyph.ch == '=') /* the separators =, == and => */
        return second.ch == '=' || second.ch == '>' ? next + second.len : next;
    if (glyph.ch != ':' || second.ch == ':')
        return 0;
    if (second.ch == '/') { /* "://" of a URL, which may be cut between its slashes */
        rc_glyph third = rc_glyph_at(text, next + second.len);
        if (third.ch == '/' || third.ch == RC_GLYPH_ELLIPSIS)
            return 0;
    }
    return second.ch == '=' ? next + second.len : next;
}

/* Skips a filler word between a name and its separator, as in "API key provided: ..." or "token is:
 * ...". */
static size_t skip_filler(rc_str text, size_t at)
{
    static const rc_str FILLERS[] = {
        RC_STR_INIT("provided"), RC_STR_INIT("supplied"), RC_STR_INIT("given"),
        RC_STR_INIT("received"), RC_STR_INIT("used"),     RC_STR_INIT("is"),
        RC_STR_INIT("was"),      RC_STR_INIT("value"),
    };
    if (!rc_scrub_is(text, at, RC_SCRUB_ALPHA))
        return at;
    for (size_t i = 0; i < sizeof FILLERS / sizeof *FILLERS; i++) {
        if (rc_ascii_lower(text.ptr[at]) != FILLERS[i].ptr[0])
            continue;
        size_t to = at + FILLERS[i].len;
        if (rc_scrub_has_nocase(text, at, FILLERS[i]) && !rc_scrub_is(text, to, RC_SCRUB_WORD))
            return rc_glyph_skip_blanks(text, to, false);
    }
    return at;
}

static void set_value_at(rc_str text, size_t at, separator *sep)
{
    size_t same_line = rc_glyph_skip_blanks(text, at, false);
    sep->value_at = rc_glyph_skip_blanks(text, same_line, true);
    sep->is_folded = sep->value_at != same_line;
}

/* Returns the offset after the part ,"value": in {"name":"x-api-key","value":"..."}, or 0 if the
 * text has no such part at `comma`. */
static size_t value_member_end(rc_str text, size_t comma)
{
    static const rc_str value = RC_STR_INIT("value");
    rc_glyph glyph = rc_glyph_at(text, comma);
    size_t at = rc_glyph_skip_blanks(text, comma + glyph.len, true);
    glyph = rc_glyph_at(text, at);
    at += glyph.len;
    if (!rc_glyph_is_quote(glyph) || !rc_scrub_has_nocase(text, at, value))
        return 0;
    at += value.len;
    glyph = rc_glyph_at(text, at);
    return rc_glyph_is_quote(glyph) ? colon_or_equals_end(text, at + glyph.len) : 0;
}

static bool find_separator(rc_str text, size_t from, size_t to, separator *ret)
{
    *ret = (separator){0};
    rc_glyph glyph = rc_glyph_at(text, to);
    if (glyph.ch == '>' &&
        (has_before(text, from, RC_STR("<")) || has_before(text, from, RC_STR("&lt;")))) {
        ret->ch = '>';
        ret->value_at = to + glyph.len;
        return true;
    }
    size_t at = to;
    if (rc_glyph_is_quote(glyph)) {
        ret->is_quoted = true;
        at += glyph.len;
        glyph = rc_glyph_at(text, at);
    }
    if (glyph.ch == ']') /* as in headers['x-api-key'] = ... */
        at += glyph.len;
    size_t name_end = at;
    at = rc_glyph_skip_blanks(text, at, false);
    if (at > name_end && !ret->is_quoted)
        at = skip_filler(text, at);

    size_t behind = colon_or_equals_end(text, at);
    glyph = rc_glyph_at(text, at);
    if (behind) {
        ret->ch = glyph.ch;
        ret->is_percent = glyph.is_percent;
        set_value_at(text, behind, ret);
        return true;
    }
    if (glyph.ch == ',' && ret->is_quoted && value_member_end(text, at)) {
        ret->ch = ':';
        set_value_at(text, value_member_end(text, at), ret);
        return true;
    }
    if (glyph.ch == ',' && ret->is_quoted && is_paired(text, from)) {
        ret->ch = ',';
        ret->value_at = rc_glyph_skip_blanks(text, at + glyph.len, false);
        return true;
    }
    if (at > name_end && !ret->is_quoted && rc_scrub_has(text, from, RC_STR("--"))) {
        ret->ch = ' ';
        ret->value_at = at;
        return true;
    }
    return false;
}

/* Returns the kind of a name of two words, such as "API key" or "access key". These words also
 * occur in prose, so their kind is TOKEN, which requires a value that looks like a key. */
static rc_scrub_kind kind_of_phrase(rc_str text, size_t from, size_t to)
{
    if (from < 2 || text.ptr[from - 1] != ' ')
        return RC_SCRUB_KIND_NONE;
    size_t first = from - 1;
    while (first > 0 && from - first < PHRASE_MAX && rc_scrub_is(text, first - 1, RC_SCRUB_WORD))
        first--;
    rc_scrub_kind kind = rc_scrub_kind_of(rc_str_slice(text, first, to), true);
    return kind == RC_SCRUB_KIND_KEY ? RC_SCRUB_KIND_TOKEN : RC_SCRUB_KIND_NONE;
}

/* Determines how random a value must look to be masked. Returns false if a value with this name and
 * separator is never a secret. */
static bool need_of(rc_scrub_kind kind, const separator *sep, bool in_query,
                    rc_scrub_need *ret_need)
{
    switch (kind) {
    case RC_SCRUB_KIND_NONE:
        return false;
    case RC_SCRUB_KIND_AUTH:
    case RC_SCRUB_KIND_COOKIE:
        *ret_need = sep->ch == ',' ? RC_SCRUB_NEED_RANDOM : RC_SCRUB_NEED_NOTHING;
        return true;
    case RC_SCRUB_KIND_TEXT:
    case RC_SCRUB_KIND_KEY:
        *ret_need = sep->ch == ',' || sep->is_folded ? RC_SCRUB_NEED_RANDOM : RC_SCRUB_NEED_NOTHING;
        return true;
    case RC_SCRUB_KIND_TOKEN:
    case RC_SCRUB_KIND_ERROR:
        *ret_need = in_query ? RC_SCRUB_NEED_LITTLE : RC_SCRUB_NEED_RANDOM;
        return true;
    case RC_SCRUB_KIND_HINT:
        *ret_need = in_query ? RC_SCRUB_NEED_LITTLE : RC_SCRUB_NEED_LONG;
        return sep->ch == '=';
    case RC_SCRUB_KIND_PARAM:
        *ret_need = RC_SCRUB_NEED_LITTLE;
        return in_query;
    case RC_SCRUB_KIND_GRANT:
        *ret_need = RC_SCRUB_NEED_LONG;
        return in_query;
    }
    return false;
}

static bool is_string_prefix(rc_str text, size_t at)
{
    return rc_scrub_is(text, at, RC_SCRUB_ALPHA) && memchr("bBuUrRfF", text.ptr[at], 8) != NULL &&
           rc_glyph_is_quote(rc_glyph_at(text, at + 1));
}

/* Returns whether no value follows that could be masked, because the text is cut here, or because a
 * nested structure or placeholder begins. */
static bool is_no_value(rc_glyph glyph)
{
    switch (glyph.ch) {
    case RC_GLYPH_END:
    case RC_GLYPH_ELLIPSIS:
    case '{':
    case '(':
    case '<':
    case '[': /* further bracket: the one that opens a list was skipped before */
        return true;
    default:
        return rc_glyph_is_newline(glyph);
    }
}

/* Returns whether the value is a phrase such as "password=The secret phrase": it begins with a
 * plain word that is not the whole value. */
static bool is_phrase(rc_str text, const rc_scrub_slot *slot, size_t from)
{
    size_t word_end;
    return slot->is_assigned && slot->kind == RC_SCRUB_KIND_TEXT &&
           rc_scrub_is_plain(text, from, RC_SCRUB_AFTER_NAME, &word_end);
}

/* Masks the value that begins at `from`, after its opening quote if it has one. */
static bool mask_found(rc_str text, const rc_scrub_slot *slot, rc_glyph open, size_t from,
                       rc_scrub_edit *ret_edit)
{
    size_t to;
    size_t release;
    if (open.len) {
        to = rc_scrub_quoted_end(text, from, open);
        release = to + rc_glyph_at(text, to).len;
    } else if (slot->kind == RC_SCRUB_KIND_COOKIE) {
        to = rc_scrub_line_end(text, from, slot->style);
        to = rc_scrub_folded_end(text, to, RC_SCRUB_NEED_NOTHING);
        release = to + rc_glyph_at(text, to).len;
    } else {
        to = rc_scrub_bare_end(text, from, slot->style);
        if (is_phrase(text, slot, from))
            to = rc_scrub_phrase_end(text, from, slot->style);
        if (to > from && slot->is_flowing && slot->kind == RC_SCRUB_KIND_KEY)
            to = rc_scrub_folded_end(text, to, RC_SCRUB_NEED_RANDOM);
        release = to;
    }
    if (to == from)
        return false;
    *ret_edit = rc_scrub_mask_value(text, slot->hold, from, to, release);
    return true;
}

static bool find_value(rc_str text, const rc_scrub_slot *slot, rc_scrub_edit *ret_edit)
{
    static const rc_str mark = RC_STR_INIT(RC_SCRUB_REDACTED);
    rc_glyph open = rc_glyph_at(text, slot->at);
    bool is_marked = rc_scrub_has(text, slot->at, mark);
    if (is_no_value(open) && !is_marked)
        return false;
    if (slot->kind == RC_SCRUB_KIND_AUTH)
        return rc_scrub_find_auth(text, slot, ret_edit);

    if (!rc_glyph_is_quote(open)) {
        if (slot->is_flowing && open.ch == RC_GLYPH_LETTER)
            return false;
        open = (rc_glyph){0};
    }
    size_t from = slot->at + open.len;
    size_t release;
    if (rc_glyph_at(text, from).ch == RC_GLYPH_ELLIPSIS)
        return false;
    if (slot->need == RC_SCRUB_NEED_NOTHING) {
        if (!rc_scrub_is_plain_value(text, slot, open, from, &release))
            return mask_found(text, slot, open, from, ret_edit);
        *ret_edit = rc_scrub_keep(slot->hold, from, release);
        return true;
    }
    if (rc_scrub_looks_secret(text, from, slot->need))
        return mask_found(text, slot, open, from, ret_edit);
    if (!rc_scrub_has(text, from, mark))
        return false;
    *ret_edit = rc_scrub_keep(slot->hold, from + mark.len, from + mark.len);
    return true;
}

static rc_scrub_kind kind_at(rc_str text, size_t from, size_t to, bool in_query)
{
    rc_scrub_kind kind = rc_scrub_kind_of(rc_str_slice(text, from, to), false);
    if (kind == RC_SCRUB_KIND_PARAM && !in_query)
        kind = kind_of_phrase(text, from, to);
    return kind;
}

/* Finds the edit for the value of a slot. If the value is not a secret, the edit changes no text
 * and only prevents a cut between the name and the end of the value's first character, because the
 * value might look like a secret after such a cut. The scan then continues at `next`. */
static void find_or_hold(rc_str text, rc_scrub_slot *slot, size_t next, rc_scrub_edit *ret_edit)
{
    if (find_value(text, slot, ret_edit))
        return;
    rc_glyph glyph = rc_glyph_at(text, slot->at);
    *ret_edit = rc_scrub_keep(slot->hold, next, slot->at + glyph.len);
    slot->style.is_listed &= rc_glyph_is_quote(glyph); /* the list may continue after an empty
                                                          string */
}

bool rc_scrub_find_member(rc_str text, size_t from, size_t to, rc_scrub_edit *ret_edit,
                          rc_scrub_slot *ret_slot)
{
    separator sep;
    if (!find_separator(text, from, to, &sep))
        return false;
    bool in_query = sep.ch == '=' && is_parameter(text, from);
    rc_scrub_slot slot = {.hold = from, .at = sep.value_at};
    slot.kind = kind_at(text, from, to, in_query);
    if (!need_of(slot.kind, &sep, in_query, &slot.need))
        return false;

    slot.is_flowing = sep.ch == ':' && !sep.is_quoted;
    slot.is_assigned = sep.ch == '=';
    slot.style = (rc_scrub_style){.is_text = slot.kind == RC_SCRUB_KIND_TEXT,
                                  .is_parameter = in_query,
                                  .is_percent = sep.is_percent};
    if (sep.ch == '>') {
        slot.style.is_element = rc_scrub_is_element(text, rc_str_slice(text, from, to), slot.at);
        if (slot.style.is_element)
            slot.at = rc_glyph_skip_blanks(text, slot.at, true);
        else
            slot.need = RC_SCRUB_NEED_RANDOM;
    }
    rc_glyph glyph = rc_glyph_at(text, slot.at);
    if (glyph.ch == '[' && !in_query && !rc_scrub_has(text, slot.at, RC_STR(RC_SCRUB_REDACTED))) {
        slot.style.is_listed = true;
        slot.at = rc_glyph_skip_blanks(text, slot.at + glyph.len, false);
    }
    if (glyph.ch == '(' && rc_glyph_is_quote(rc_glyph_at(text, slot.at + glyph.len)))
        slot.at += glyph.len;
    static const rc_str go_list = RC_STR_INIT("]string{");
    if (slot.style.is_listed && rc_scrub_has(text, slot.at, go_list))
        slot.at += go_list.len;
    if (is_string_prefix(text, slot.at))
        slot.at++;
    if (sep.ch == ',' && !rc_glyph_is_quote(rc_glyph_at(text, slot.at)))
        return false;
    find_or_hold(text, &slot, to, ret_edit);
    *ret_slot = slot;
    return true;
}

bool rc_scrub_find_element(rc_str text, rc_scrub_slot *slot, rc_scrub_edit *ret_edit)
{
    size_t at = slot->at;
    rc_glyph glyph = rc_glyph_at(text, at);
    if (rc_glyph_is_quote(glyph)) /* the edit of a plain word ends before its closing quote */
        at += glyph.len;
    at = rc_glyph_skip_blanks(text, at, true);
    glyph = rc_glyph_at(text, at);
    if (glyph.ch != ',')
        return false;
    slot->hold = slot->at = rc_glyph_skip_blanks(text, at + glyph.len, true);
    if (is_string_prefix(text, slot->at))
        slot->at++;
    find_or_hold(text, slot, slot->hold, ret_edit);
    return true;
}
