/* Literals (quoted texts) of a user's rules: matches literals against a failure and compares them
 * with each other. Called by classify.c, quoted.c, logic.c and term.c. */
#include "base/str.h"
#include "base/utf8.h"
#include "classify/rules/parts.h"

static const struct {
    rc_literal_kind kind;
    const char *name;
} KINDS[] = {
    {RC_LITERAL_TEXT, "text"},
    {RC_LITERAL_ANYWHERE, "anywhere"},
    {RC_LITERAL_ERROR_CODE, "error_code"},
    {RC_LITERAL_ERROR_TYPE, "error_type"},
    {RC_LITERAL_HEADER, "header"},
    {RC_LITERAL_MODEL, "model"},
};

rc_literal_kind rc_literal_kind_parse(rc_str name)
{
    for (size_t i = 0; i < sizeof KINDS / sizeof KINDS[0]; i++) {
        if (rc_str_eq(rc_str_c(KINDS[i].name), name))
            return KINDS[i].kind;
    }
    return (rc_literal_kind)0;
}

/* ---- whole words ---- */

/* Returns true for a character that forms words together with its neighbours. Returns false for
 * Chinese, Japanese and Korean characters, which are written without blanks between words. */
static bool is_letter(uint32_t cp)
{
    if (cp < 0x80)
        return rc_ascii_is_alnum((char)cp) || cp == '_';
    return cp >= 0xC0 && cp < 0x2000 && cp != 0xD7 && cp != 0xF7;
}

static bool is_letter_at(rc_str text, size_t at)
{
    size_t len;
    return at < text.len && is_letter(rc_utf8_decode(text, at, &len));
}

/* Returns whether the character that ends at offset `at` is a letter. */
static bool is_letter_before(rc_str text, size_t at)
{
    if (at == 0)
        return false;
    size_t from = at - 1;
    while (from > 0 && at - from < 4 && ((unsigned char)text.ptr[from] & 0xC0) == 0x80)
        from--;
    return is_letter_at(text, from);
}

static size_t skip_space(rc_str text, size_t at)
{
    while (at < text.len && rc_ascii_is_space(text.ptr[at]))
        at++;
    return at;
}

/* Returns whether `text` contains `words` at offset `at`, as whole words. `words` must not begin or
 * end with white space. */
static bool has_words_at(rc_str text, size_t at, rc_str words)
{
    if (is_letter_at(words, 0) && is_letter_before(text, at))
        return false;
    for (size_t i = 0; i < words.len;) {
        if (at >= text.len)
            return false;
        if (rc_ascii_is_space(words.ptr[i])) {
            if (!rc_ascii_is_space(text.ptr[at]))
                return false;
            i = skip_space(words, i);
            at = skip_space(text, at);
            continue;
        }
        if (rc_ascii_lower(text.ptr[at]) != rc_ascii_lower(words.ptr[i]))
            return false;
        i++;
        at++;
    }
    return !(is_letter_before(words, words.len) && is_letter_at(text, at));
}

static bool has_words(rc_str text, rc_str words)
{
    for (size_t at = 0; at < text.len; at++) {
        if (has_words_at(text, at, words))
            return true;
    }
    return false;
}

/* ---- other forms ---- */

static bool contains_nocase(rc_str text, rc_str part)
{
    for (size_t at = 0; at + part.len <= text.len; at++) {
        if (rc_str_eq_nocase(rc_str_slice(text, at, at + part.len), part))
            return true;
    }
    return false;
}

/* Returns whether the text matches the pattern: * matches any text, ? matches any byte. After a
 * mismatch it is sufficient to continue at the latest star. */
static bool matches_glob(rc_str text, rc_str glob)
{
    size_t at = 0;
    size_t in_glob = 0;
    size_t star = RC_STR_NPOS;
    size_t star_at = 0;
    while (at < text.len) {
        char want = in_glob < glob.len ? glob.ptr[in_glob] : '\0';
        if (want == '*') {
            star = in_glob++;
            star_at = at;
        } else if (in_glob < glob.len &&
                   (want == '?' || rc_ascii_lower(want) == rc_ascii_lower(text.ptr[at]))) {
            in_glob++;
            at++;
        } else if (star != RC_STR_NPOS) {
            in_glob = star + 1;
            at = ++star_at;
        } else {
            return false;
        }
    }
    while (in_glob < glob.len && glob.ptr[in_glob] == '*')
        in_glob++;
    return in_glob == glob.len;
}

static bool has_header(const rc_rule_input *input, const rc_literal *literal)
{
    for (size_t i = 0; i < input->header_count; i++) {
        const rc_header *header = &input->headers[i];
        if (rc_str_eq_nocase(rc_str_trim(header->name), literal->name) &&
            contains_nocase(header->value, literal->value))
            return true;
    }
    return false;
}

/* ---- matching against a failure ---- */

static bool holds(const rc_literal *literal, const rc_rule_input *input)
{
    switch (literal->kind) {
    case RC_LITERAL_ERROR_CODE:
        return rc_str_eq_nocase(rc_str_trim(input->code), literal->value);
    case RC_LITERAL_ERROR_TYPE:
        return rc_str_eq_nocase(rc_str_trim(input->type), literal->value);
    case RC_LITERAL_HEADER:
        return has_header(input, literal);
    case RC_LITERAL_MODEL:
        return matches_glob(input->model, literal->value);
    case RC_LITERAL_TEXT:
    case RC_LITERAL_ANYWHERE:
    default:
        return false; /* the function set_texts finds literals of these kinds */
    }
}

/* Sets the facts of all literals of this kind that occur in the text, in one pass over the text. */
static void set_texts(const rc_rules *rules, rc_str text, rc_literal_kind kind, rc_facts *facts)
{
    text = rc_str_slice(text, 0, RC_LITERAL_TEXT_MAX);
    for (size_t at = 0; at < text.len; at++) {
        unsigned char first = (unsigned char)rc_ascii_lower(text.ptr[at]);
        for (size_t i = rules->first_by_byte[first]; i != 0;
             i = rules->literals[i - 1].next_by_byte) {
            unsigned fact = RC_FACT_LITERAL_BASE + (unsigned)i - 1;
            const rc_literal *literal = &rules->literals[i - 1];
            if (literal->kind == kind && !rc_facts_has(facts, fact) &&
                has_words_at(text, at, literal->value))
                rc_facts_set(facts, fact);
        }
    }
}

void rc_rules_set_literals(const rc_rules *user, const rc_rule_input *input, rc_facts *facts)
{
    if (!user || user->literal_count == 0)
        return;
    for (size_t i = 0; i < user->literal_count; i++) {
        if (holds(&user->literals[i], input))
            rc_facts_set(facts, RC_FACT_LITERAL_BASE + (unsigned)i);
    }
    set_texts(user, input->message, RC_LITERAL_TEXT, facts);
    /* Literals of the kind `anywhere` are also searched in the message, because all_text may
     * contain the message with escapes. */
    set_texts(user, input->message, RC_LITERAL_ANYWHERE, facts);
    set_texts(user, input->all_text, RC_LITERAL_ANYWHERE, facts);
}

/* ---- implication and exclusion ---- */

bool rc_literal_eq(const rc_literal *a, const rc_literal *b)
{
    return a->kind == b->kind && rc_str_eq_nocase(a->value, b->value) &&
           rc_str_eq_nocase(a->name, b->name);
}

bool rc_literal_implies(const rc_literal *a, const rc_literal *b)
{
    if (rc_literal_eq(a, b))
        return true;
    bool is_same_kind = a->kind == b->kind;
    /* If a failure meets the `text` literal, its message contains the value, so it also meets the
     * `anywhere` literal. */
    if (a->kind == RC_LITERAL_TEXT && b->kind == RC_LITERAL_ANYWHERE)
        return has_words(a->value, b->value);
    if (is_same_kind && (a->kind == RC_LITERAL_TEXT || a->kind == RC_LITERAL_ANYWHERE))
        return has_words(a->value, b->value);
    if (is_same_kind && a->kind == RC_LITERAL_HEADER)
        return rc_str_eq_nocase(a->name, b->name) && contains_nocase(a->value, b->value);
    return false;
}

bool rc_literal_excludes(const rc_literal *a, const rc_literal *b)
{
    if (a->kind != RC_LITERAL_ERROR_CODE && a->kind != RC_LITERAL_ERROR_TYPE)
        return false;
    return a->kind == b->kind && !rc_literal_eq(a, b);
}
