#include "core/scrub_parts.h"

#include "base/str.h"

typedef enum name_match {
    MATCH_EXACT,
    MATCH_SUFFIX,
    MATCH_PREFIX,
} name_match;

typedef struct secret_name {
    rc_str text;
    name_match match;
    rc_scrub_kind kind;
} secret_name;

static const secret_name NAMES[] = {
#define RC_SECRET_NAME(name, MATCH, KIND, text) \
    {RC_STR_INIT(name), MATCH_##MATCH, RC_SCRUB_KIND_##KIND},
#include "../../spec/secrets.def"
};

static const secret_name PLAIN_NAMES[] = {
#define RC_SECRET_PLAIN_NAME(name, MATCH, text) \
    {RC_STR_INIT(name), MATCH_##MATCH, RC_SCRUB_KIND_NONE},
#include "../../spec/secrets.def"
};

/* The end of a name, in lower case and without separators. Longer names are known by their end. */
#define FOLDED_MAX 48u

typedef struct folded {
    char bytes[FOLDED_MAX];
    rc_str text;   /* the last part of bytes */
    bool is_whole; /* nothing was left out */
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

static bool matches(const secret_name *row, const folded *name, bool is_exact)
{
    if (is_exact || row->match == MATCH_EXACT)
        return name->is_whole && rc_str_eq(name->text, row->text);
    if (row->match == MATCH_PREFIX)
        return name->is_whole && rc_str_starts_with(name->text, row->text);
    return rc_str_ends_with(name->text, row->text);
}

static rc_scrub_kind find_kind(const folded *name, bool is_exact)
{
    char last = name->text.ptr[name->text.len - 1];
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        const secret_name *row = &NAMES[i];
        if (row->text.ptr[row->text.len - 1] == last && matches(row, name, is_exact))
            return row->kind;
    }
    return RC_SCRUB_KIND_NONE;
}

rc_scrub_kind rc_scrub_kind_of(rc_str name, bool is_exact)
{
    folded f;
    fold(name, &f);
    if (f.text.len < 3) /* the shortest of the table */
        return RC_SCRUB_KIND_NONE;
    rc_scrub_kind kind = find_kind(&f, is_exact);
    if (kind == RC_SCRUB_KIND_NONE)
        return kind;
    for (size_t i = 0; i < sizeof PLAIN_NAMES / sizeof *PLAIN_NAMES; i++) {
        const secret_name *row = &PLAIN_NAMES[i];
        if (matches(row, &f, false))
            return row->match == MATCH_PREFIX ? RC_SCRUB_KIND_ERROR : RC_SCRUB_KIND_NONE;
    }
    return kind;
}

bool rc_scrub_may_be_name(char before_last, char last)
{
    char b = rc_ascii_lower(before_last);
    switch (rc_ascii_lower(last)) {
    case 'd': /* password, passwd, pwd */
        return b == 'r' || b == 'w';
    case 'e': /* cookie, passphrase, passcode, code, signature */
        return b == 'i' || b == 's' || b == 'd' || b == 'r';
    case 'g': /* sig */
        return b == 'i';
    case 'h': /* auth */
        return b == 't';
    case 'l': /* credential */
        return b == 'a';
    case 'n': /* token, authorization, pin */
        return b == 'e' || b == 'o' || b == 'i';
    case 'p': /* otp */
        return b == 't';
    case 'r': /* bearer */
        return b == 'e';
    case 's': /* credentials, apikeys, pass */
        return b == 'l' || b == 'y' || b == 's';
    case 't': /* secret, jwt */
        return b == 'e' || b == 'w';
    case 'y': /* key */
        return b == 'e';
    default:
        return false;
    }
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
