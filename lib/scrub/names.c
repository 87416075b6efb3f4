/* Names of secrets: finds in the table the kind of secret that follows a name. Called by member.c,
 * prefilter.c and the report builder. */
#include "scrub/parts.h"

#include "base/str.h"

typedef enum name_match {
    MATCH_EXACT,
    MATCH_SUFFIX,
    MATCH_PREFIX,
} name_match;

typedef struct secret_name {
    char text[24];
    uint8_t len;
    name_match match;
    rc_scrub_kind kind;
} secret_name;

static const secret_name NAMES[] = {
#define RC_SECRET_NAME(name, MATCH, KIND, text) \
    {name, sizeof(name) - 1, MATCH_##MATCH, RC_SCRUB_KIND_##KIND},
#include "spec/secrets.def"
};

static const secret_name PLAIN_NAMES[] = {
#define RC_SECRET_PLAIN_NAME(name, MATCH, text) \
    {name, sizeof(name) - 1, MATCH_##MATCH, RC_SCRUB_KIND_NONE},
#include "spec/secrets.def"
};

/* Maximum length of a folded name (a name in lower case without separators) in bytes. Of longer
 * names only the end is compared. */
#define FOLDED_MAX 48u

#define NAME_MIN 3u /* length in bytes of the shortest name in the table */

typedef struct folded {
    char bytes[FOLDED_MAX];
    rc_str text;   /* The folded name, a view of the last bytes of `bytes`. */
    bool is_whole; /* true: the folded name is complete; false: only the end of the name was
                      folded */
} folded;

static bool is_separator(char c)
{
    return c == '-' || c == '_' || c == '.' || c == ' ';
}

static void fold(rc_str name, folded *ret)
{
    size_t from = FOLDED_MAX;
    size_t at = name.len;
    while (at > 0 && from > 0) {
        char c = name.ptr[--at];
        if (!is_separator(c))
            ret->bytes[--from] = rc_ascii_lower(c);
    }
    ret->text = rc_str_make(ret->bytes + from, FOLDED_MAX - from);
    ret->is_whole = at == 0;
}

/* Returns whether a name has this end. Most rows of the table differ in the last two bytes, so
 * memcmp is called only if these match. */
static inline bool has_end(rc_str name, const char *end, size_t len)
{
    return name.len >= len && name.ptr[name.len - 1] == end[len - 1] &&
           name.ptr[name.len - 2] == end[len - 2] &&
           memcmp(name.ptr + name.len - len, end, len) == 0;
}

static inline bool matches(const secret_name *row, const folded *name, bool is_exact)
{
    if (is_exact || row->match == MATCH_EXACT)
        return name->text.len == row->len && name->is_whole &&
               has_end(name->text, row->text, row->len);
    if (row->match == MATCH_PREFIX)
        return name->is_whole && name->text.ptr[0] == row->text[0] &&
               rc_str_starts_with(name->text, rc_str_make(row->text, row->len));
    return has_end(name->text, row->text, row->len);
}

static rc_scrub_kind find_kind(const folded *name, bool is_exact)
{
    const size_t count = sizeof NAMES / sizeof *NAMES;
    char last = name->text.ptr[name->text.len - 1];
    size_t low = 0;
    for (size_t high = count; low < high;) {
        size_t middle = low + (high - low) / 2;
        if (NAMES[middle].text[NAMES[middle].len - 1] < last)
            low = middle + 1;
        else
            high = middle;
    }
    for (size_t i = low; i < count && NAMES[i].text[NAMES[i].len - 1] == last; i++) {
        if (matches(&NAMES[i], name, is_exact))
            return NAMES[i].kind;
    }
    return RC_SCRUB_KIND_NONE;
}

/* Removes a suffix by which several similar names differ, as in OPENAI_API_KEY_2, DB_PASSWORD_PROD
 * and secretValue. */
static bool strip_tail(rc_str *name)
{
    static const rc_str TAILS[] = {
#define RC_SECRET_TAIL(tail) RC_STR_INIT(tail),
#include "spec/secrets.def"
    };
    if (name->len > 0 && rc_ascii_is_digit(name->ptr[name->len - 1])) {
        name->len--;
        return true;
    }
    for (size_t i = 0; i < sizeof TAILS / sizeof *TAILS; i++) {
        if (has_end(*name, TAILS[i].ptr, TAILS[i].len)) {
            name->len -= TAILS[i].len;
            return true;
        }
    }
    return false;
}

/* Returns the kind of a name that has suffixes such as _2 or _PROD. The result is the kind of the
 * name without the suffixes; NONE for names that are secret only in URLs. */
static rc_scrub_kind find_tailed_kind(folded *name)
{
    rc_scrub_kind kind = RC_SCRUB_KIND_NONE;
    while (kind == RC_SCRUB_KIND_NONE && strip_tail(&name->text) && name->text.len >= NAME_MIN)
        kind = find_kind(name, false);
    return kind < RC_SCRUB_KIND_HINT ? kind : RC_SCRUB_KIND_NONE;
}

rc_scrub_kind rc_scrub_kind_of(rc_str name, bool is_exact)
{
    folded f;
    fold(name, &f);
    if (f.text.len < NAME_MIN)
        return RC_SCRUB_KIND_NONE;
    rc_scrub_kind kind = find_kind(&f, is_exact);
    if (kind == RC_SCRUB_KIND_NONE && !is_exact)
        kind = find_tailed_kind(&f);
    if (kind == RC_SCRUB_KIND_NONE)
        return kind;
    char first = f.text.ptr[0];
    char last = f.text.ptr[f.text.len - 1];
    for (size_t i = 0; i < sizeof PLAIN_NAMES / sizeof *PLAIN_NAMES; i++) {
        const secret_name *row = &PLAIN_NAMES[i];
        bool is_near =
            row->match == MATCH_PREFIX ? row->text[0] == first : row->text[row->len - 1] == last;
        if (is_near && matches(row, &f, false))
            return row->match == MATCH_PREFIX ? RC_SCRUB_KIND_ERROR : RC_SCRUB_KIND_NONE;
    }
    return kind;
}

/* One bit for each pair of letters that ends a name of the table. Further bits are for the word
 * Basic, for the first words of split shapes (keys of several words) and for the suffixes. The
 * words Bearer and BEGIN need no bit, because they end like names of the table. */
enum {
    AL = 1u << 0,
    DE = 1u << 1,
    EN = 1u << 2,
    ER = 1u << 3,
    ET = 1u << 4,
    EY = 1u << 5,
    IE = 1u << 6,
    IG = 1u << 7,
    IN = 1u << 8,
    LS = 1u << 9,
    ON = 1u << 10,
    RD = 1u << 11,
    RE = 1u << 12,
    SE = 1u << 13,
    SS = 1u << 14,
    TH = 1u << 15,
    TP = 1u << 16,
    WD = 1u << 17,
    WT = 1u << 18,
    YS = 1u << 19,
    TABLE_ENDS = (1u << 20) - 1,

    IC = 1u << 20, /* end of the word Basic */

    AQ = 1u << 21,  /* end of the first word of the key prefix AQ.Ab */
    Y29 = 1u << 22, /* end of the first word of the key prefix ya29. */
    V3 = 1u << 23,  /* end of the first word of the key prefix bce-v3/ */
    SG = 1u << 24,  /* end of the first word of the key prefix SG. */
    VS = 1u << 25,  /* end of the first word of the key prefix hvs. */

    DIGITS = 1u << 26, /* a numeric suffix, as in API_KEY_2 */
    OLD = 1u << 27,    /* the suffixes old and prod */
    NEW = 1u << 28,    /* the suffixes new and dev */
    TEST = 1u << 29,   /* the suffixes test and default */
    STAGING = 1u << 30,
    TAIL_ENDS = DIGITS | OLD | NEW | TEST | STAGING, /* all suffixes; some share a bit with names */
    SPLIT_ENDS = AQ | Y29 | V3 | SG | VS,
    NAME_ENDS = TABLE_ENDS | TAIL_ENDS,
};

#define BOTH_CASES(upper, lower, bits) [upper] = (bits), [lower] = (bits)

const uint32_t rc_scrub_letters_before[256] = {
    ['0' ... '1'] = DIGITS,
    ['2'] = DIGITS | Y29,
    ['3' ... '9'] = DIGITS,
    ['-'] = DIGITS,
    ['_'] = DIGITS,
    BOTH_CASES('A', 'a', AL | AQ),
    BOTH_CASES('D', 'd', DIGITS | DE),
    BOTH_CASES('E', 'e', DIGITS | EN | ER | ET | EY | NEW),
    BOTH_CASES('I', 'i', IC | IE | IG | IN),
    BOTH_CASES('L', 'l', DIGITS | LS | OLD | TEST),
    BOTH_CASES('N', 'n', DIGITS | STAGING),
    BOTH_CASES('O', 'o', ON | OLD),
    BOTH_CASES('P', 'p', DIGITS),
    BOTH_CASES('R', 'r', DIGITS | EY | RD | RE),
    BOTH_CASES('S', 's', DIGITS | SE | SG | SS | TEST),
    BOTH_CASES('T', 't', DIGITS | LS | TH | TP),
    BOTH_CASES('U', 'u', DE),
    BOTH_CASES('V', 'v', DIGITS | V3 | VS),
    BOTH_CASES('W', 'w', DIGITS | WD | WT),
    BOTH_CASES('Y', 'y', DIGITS | YS),
};

const uint32_t rc_scrub_last_letters[256] = {
    ['0' ... '2'] = DIGITS,
    ['3'] = DIGITS | V3,
    ['4' ... '8'] = DIGITS,
    ['9'] = DIGITS | Y29,
    BOTH_CASES('C', 'c', IC),
    BOTH_CASES('D', 'd', OLD | RD | WD),
    BOTH_CASES('E', 'e', DE | IE | RE | SE),
    BOTH_CASES('G', 'g', IG | SG | STAGING),
    BOTH_CASES('H', 'h', TH),
    BOTH_CASES('L', 'l', AL),
    BOTH_CASES('N', 'n', EN | IN | ON),
    BOTH_CASES('P', 'p', TP),
    BOTH_CASES('Q', 'q', AQ),
    BOTH_CASES('R', 'r', ER),
    BOTH_CASES('S', 's', LS | SS | VS | YS),
    BOTH_CASES('T', 't', ET | TEST | WT),
    BOTH_CASES('V', 'v', NEW),
    BOTH_CASES('W', 'w', NEW),
    BOTH_CASES('Y', 'y', EY),
};

/* For each byte, the bits of the words that this byte may follow: a separator, a byte between a
 * name and its separator, or the first byte of an escape of these. */
const uint32_t rc_scrub_bytes_behind[256] = {
    [':'] = NAME_ENDS,
    ['='] = NAME_ENDS,
    ['"'] = NAME_ENDS,
    ['\''] = NAME_ENDS,
    ['`'] = NAME_ENDS,
    ['\\'] = NAME_ENDS | ER | IC,
    ['%'] = NAME_ENDS | ER | IC,
    ['&'] = NAME_ENDS,
    [']'] = NAME_ENDS,
    ['>'] = NAME_ENDS,
    [' '] = NAME_ENDS | ER | IC,
    ['\t'] = NAME_ENDS | ER | IC,
    ['\n'] = ER | IC,
    ['\r'] = ER | IC,
    [0x80 ... 0xFF] = NAME_ENDS | ER | IC,
    ['.'] = SPLIT_ENDS,
    ['/'] = SPLIT_ENDS,
};

/* A bit set of the last four letters of the table's names and suffixes, or three letters if a name
 * has only three. The compiler computes the set. Different ends may have the same bit. */
#define END_BIT(a, b, c, d) \
    (((unsigned)(a)*3 ^ (unsigned)(b)*5 ^ (unsigned)(c)*17 ^ (unsigned)(d)*29) & 255u)
#define FROM_END(text, back) ((text)[sizeof(text) > (back) ? sizeof(text) - 1 - (back) : 0])
#define END_OF(text)                                                                        \
    END_BIT(sizeof(text) > 4 ? FROM_END(text, 4) : 0, FROM_END(text, 3), FROM_END(text, 2), \
            FROM_END(text, 1))
#define END_IN(text, word) | (END_OF(text) / 64 == (word) ? UINT64_C(1) << END_OF(text) % 64 : 0)

static const uint64_t ENDS[4] = {
#define RC_SECRET_NAME(name, MATCH, KIND, text) END_IN(name, 0)
#define RC_SECRET_TAIL(tail) END_IN(tail, 0)
    0
#include "spec/secrets.def"
    ,
#define RC_SECRET_NAME(name, MATCH, KIND, text) END_IN(name, 1)
#define RC_SECRET_TAIL(tail) END_IN(tail, 1)
    0
#include "spec/secrets.def"
    ,
#define RC_SECRET_NAME(name, MATCH, KIND, text) END_IN(name, 2)
#define RC_SECRET_TAIL(tail) END_IN(tail, 2)
    0
#include "spec/secrets.def"
    ,
#define RC_SECRET_NAME(name, MATCH, KIND, text) END_IN(name, 3)
#define RC_SECRET_TAIL(tail) END_IN(tail, 3)
    0
#include "spec/secrets.def"
};

static bool has_end_bit(unsigned bit)
{
    return ENDS[bit / 64] >> bit % 64 & 1;
}

bool rc_scrub_may_be_name(rc_str text, size_t to)
{
    if (to < 4)
        return true;
    char letters[4];
    for (size_t i = 0; i < 4; i++) {
        char c = text.ptr[to - 4 + i];
        if (rc_ascii_is_digit(c) || c == '-' || c == '_') /* part of a suffix, or a separator inside
                                                             a name */
            return true;
        letters[i] = rc_ascii_lower(c);
    }
    return has_end_bit(END_BIT(letters[0], letters[1], letters[2], letters[3])) ||
           has_end_bit(END_BIT(0, letters[1], letters[2], letters[3]));
}

bool rc_scrub_is_secret_name(rc_str name)
{
    switch (rc_scrub_kind_of(name, false)) {
    case RC_SCRUB_KIND_AUTH:
    case RC_SCRUB_KIND_COOKIE:
    case RC_SCRUB_KIND_TEXT:
    case RC_SCRUB_KIND_KEY:
    case RC_SCRUB_KIND_TOKEN:
        return true;
    case RC_SCRUB_KIND_NONE:
    case RC_SCRUB_KIND_ERROR:
    case RC_SCRUB_KIND_HINT:
    case RC_SCRUB_KIND_PARAM:
    case RC_SCRUB_KIND_GRANT:
        return false;
    }
    return false;
}
