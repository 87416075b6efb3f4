/* Masks names of the operator's account in a provider's text. Called by the classifier. */
#include "scrub/account.h"

#include "base/str.h"

#define NUMBER_MIN 9u /* minimum number of digits of an account number; a date has eight */
#define ID_MIN 16u    /* minimum number of letters and digits of an id without a prefix */
#define SUFFIX_MIN 6u /* minimum number of characters after the prefix of an id */

static bool is_word(char c)
{
    return rc_ascii_is_alnum(c) || c == '_' || c == '-' || c == '@' || c == '.';
}

static bool is_email(rc_str word)
{
    const size_t at = rc_str_find_byte(word, '@', 0);
    return at != RC_STR_NPOS && at > 0 && rc_str_find_byte(word, '.', at) != RC_STR_NPOS;
}

static bool is_uuid(rc_str word)
{
    for (size_t i = 0; i < word.len; i++) {
        const bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;
        const char low = (char)(word.ptr[i] | 0x20);
        const bool is_hex = rc_ascii_is_digit(word.ptr[i]) || (low >= 'a' && low <= 'f');
        if (is_dash ? word.ptr[i] != '-' : !is_hex)
            return false;
    }
    return word.len == 36;
}

static bool has_digit(rc_str word)
{
    for (size_t i = 0; i < word.len; i++)
        if (rc_ascii_is_digit(word.ptr[i]))
            return true;
    return false;
}

static bool has_prefix(rc_str word)
{
    static const char *const prefixes[] = {"org-", "org_", "proj_", "acct_", "wrkspc_"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        const rc_str prefix = rc_str_c(prefixes[i]);
        if (rc_str_starts_with(word, prefix) && word.len >= prefix.len + SUFFIX_MIN)
            return true;
    }
    return rc_str_starts_with(word, RC_STR("user-")) && has_digit(word);
}

/* Returns whether one run of letters and digits is an id. */
static bool is_id(rc_str run)
{
    size_t digits = 0;
    for (size_t i = 0; i < run.len; i++)
        digits += rc_ascii_is_digit(run.ptr[i]);
    return (digits == run.len && run.len >= NUMBER_MIN) ||
           (digits > 0 && digits < run.len && run.len >= ID_MIN);
}

static bool has_id(rc_str word)
{
    for (size_t at = 0; at < word.len;) {
        size_t end = at;
        while (end < word.len && rc_ascii_is_alnum(word.ptr[end]))
            end++;
        if (is_id(rc_str_slice(word, at, end)))
            return true;
        at = end + 1;
    }
    return false;
}

rc_status rc_account_mask(rc_str text, rc_buf *buf)
{
    for (size_t at = 0; at < text.len;) {
        size_t end = at;
        while (end < text.len && is_word(text.ptr[end]))
            end++;
        rc_str word = rc_str_slice(text, at, end);
        while (word.len > 0 && word.ptr[word.len - 1] == '.')
            word.len--;
        if (is_email(word) || is_uuid(word) || has_prefix(word) || has_id(word))
            rc_buf_push(buf, RC_STR("[account]"));
        else
            rc_buf_push(buf, word);
        at += word.len;
        /* Copies the full stops at the end of this word and the text up to the next word. */
        size_t next = at;
        while (next < text.len && (next < end || !is_word(text.ptr[next])))
            next++;
        rc_buf_push(buf, rc_str_slice(text, at, next));
        at = next;
    }
    return rc_buf_status(buf);
}
