/* Collects the faults of a file and formats their messages. Called by the readers of configurations
 * and of the files for the simulator and the mock provider. */
#include "config/fault.h"

#include <string.h>

#include "base/str.h"

/* Maximum number of bytes of a quoted value, so that a message fits into a line. */
#define QUOTE_MAX 48

void rc_config_faults_init(rc_config_faults *faults)
{
    memset(faults, 0, sizeof(*faults));
}

size_t rc_config_faults_listed(const rc_config_faults *faults)
{
    return faults->count < RC_CONFIG_FAULTS_MAX ? faults->count : RC_CONFIG_FAULTS_MAX;
}

static bool is_before(const rc_config_fault *a, const rc_config_fault *b)
{
    return a->line != b->line ? a->line < b->line : a->column < b->column;
}

void rc_config_faults_sort(rc_config_faults *faults)
{
    /* The insertion sort is stable, so that faults at the same position stay in the order in which
     * they were found. */
    for (size_t i = 1; i < rc_config_faults_listed(faults); i++) {
        rc_config_fault fault = faults->list[i];
        size_t at = i;
        for (; at > 0 && is_before(&fault, &faults->list[at - 1]); at--)
            faults->list[at] = faults->list[at - 1];
        faults->list[at] = fault;
    }
}

rc_config_fault *rc_config_faults_add(rc_config_faults *faults, uint32_t line, uint32_t column)
{
    rc_config_fault *fault =
        faults->count < RC_CONFIG_FAULTS_MAX ? &faults->list[faults->count] : &faults->spare;
    faults->count++;
    memset(fault, 0, sizeof(*fault));
    fault->line = line;
    fault->column = column;
    fault->end_line = line;
    return fault;
}

void rc_config_faults_hide(rc_config_faults *faults, size_t first)
{
    for (size_t i = first; i < rc_config_faults_listed(faults); i++)
        faults->list[i].is_private = true;
}

/* ---- names of secrets ---- */

#define WORD_MAX 16
/* Words with at least this number of letters are recognised with up to two wrong letters, shorter
 * words with one wrong letter. */
#define LONG_WORD 8

static bool contains_secret_word(rc_str text)
{
    static const char *const parts[] = {"key",  "token", "secret", "pass", "credential",
                                        "auth", "store", "url",    "dsn"};
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        for (size_t at = 0; at < text.len; at++)
            if (rc_str_starts_with_nocase(rc_str_slice(text, at, text.len), rc_str_c(parts[i])))
                return true;
    return false;
}

static bool is_near_secret_word(rc_str word)
{
    static const char *const names[] = {"keys",     "token",      "tokens",    "secret",
                                        "password", "credential", "passwords", "passphrase",
                                        "store",    "base_url"};
    char lower[WORD_MAX];
    if (word.len < 3 || word.len > sizeof(lower))
        return false;
    for (size_t i = 0; i < word.len; i++)
        lower[i] = rc_ascii_lower(word.ptr[i]);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        rc_str name = rc_str_c(names[i]);
        size_t slips = name.len < LONG_WORD ? 1 : 2;
        if (rc_str_distance(rc_str_make(lower, word.len), name, slips + 1) <= slips)
            return true;
    }
    return false;
}

/* Returns whether the name is that of a number of tokens, which is no secret. */
static bool is_count(rc_str name)
{
    static const char *const names[] = {"context_tokens", "max_output_tokens"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (rc_str_eq(name, rc_str_c(names[i])))
            return true;
    return false;
}

bool rc_config_is_secret_name(rc_str text)
{
    size_t start = 0;
    if (is_count(text))
        return false;
    if (contains_secret_word(text) || is_near_secret_word(text))
        return true;
    for (size_t at = 0; at <= text.len; at++) {
        if (at < text.len && (rc_ascii_is_alnum(text.ptr[at]) || text.ptr[at] == '_'))
            continue;
        if (is_near_secret_word(rc_str_slice(text, start, at)))
            return true;
        start = at + 1;
    }
    return false;
}

/* Returns how many bytes of `text` fit into `max` bytes without splitting a UTF-8 character. */
static size_t fitting(rc_str text, size_t max)
{
    if (text.len <= max)
        return text.len;
    while (max > 0 && ((unsigned char)text.ptr[max] & 0xC0) == 0x80)
        max--;
    return max;
}

void rc_config_text_append(char *buffer, size_t size, rc_str text)
{
    size_t used = strlen(buffer);
    size_t len = fitting(text, size - 1 - used);
    for (size_t i = 0; i < len; i++) {
        unsigned char byte = (unsigned char)text.ptr[i];
        buffer[used + i] = byte < 0x20 || byte == 0x7F ? '?' : text.ptr[i];
    }
    buffer[used + len] = '\0';
}

static void append(rc_config_fault *fault, rc_str text)
{
    rc_config_text_append(fault->message, sizeof(fault->message), text);
}

rc_config_fault *rc_config_fault_append(rc_config_fault *fault, const char *text)
{
    append(fault, rc_str_c(text));
    return fault;
}

rc_str rc_config_decimal(char buffer[RC_DECIMAL_CAPACITY], uint64_t value, unsigned places)
{
    size_t at = RC_DECIMAL_CAPACITY - 1;
    bool is_zero_so_far = true;
    buffer[at] = '\0';
    for (unsigned i = 0; i < places; i++) {
        char digit = (char)('0' + value % 10);
        value /= 10;
        is_zero_so_far = is_zero_so_far && digit == '0';
        if (!is_zero_so_far)
            buffer[--at] = digit;
    }
    if (!is_zero_so_far)
        buffer[--at] = '.';
    do {
        buffer[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    return rc_str_make(buffer + at, RC_DECIMAL_CAPACITY - 1 - at);
}

rc_config_fault *rc_config_fault_append_u64(rc_config_fault *fault, uint64_t number)
{
    char buffer[RC_DECIMAL_CAPACITY];
    append(fault, rc_config_decimal(buffer, number, 0));
    return fault;
}

bool rc_config_is_joined(rc_str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] == ':' || text.ptr[i] == '=' || text.ptr[i] == ' ')
            return true;
    return false;
}

rc_config_fault *rc_config_fault_append_quoted(rc_config_fault *fault, rc_str text)
{
    if (fault->is_private || (rc_config_is_joined(text) && rc_config_is_secret_name(text)))
        text = RC_STR("...");
    size_t len = fitting(text, QUOTE_MAX);
    append(fault, RC_STR("\""));
    append(fault, rc_str_slice(text, 0, len));
    append(fault, len < text.len ? RC_STR("...\"") : RC_STR("\""));
    return fault;
}

rc_config_fault *rc_config_fault_append_names(rc_config_fault *fault, rc_name_at name_at,
                                              const void *ctx)
{
    const char *name = name_at(ctx, 0);
    for (size_t i = 0; name != NULL; i++) {
        const char *next = name_at(ctx, i + 1);
        if (i > 0)
            rc_config_fault_append(fault, next != NULL ? ", " : " or ");
        rc_config_fault_append(fault, name);
        name = next;
    }
    return fault;
}

void rc_config_fault_suggest(rc_config_fault *fault, rc_str text, rc_name_at name_at,
                             const void *ctx)
{
    rc_str nearest = rc_str_c(rc_nearest(text, name_at, ctx));
    fault->nearest[0] = '\0';
    if (!rc_config_is_joined(nearest))
        rc_config_text_append(fault->nearest, sizeof(fault->nearest), nearest);
}

void rc_config_fault_push(rc_buf *buf, const rc_config_fault *fault)
{
    rc_buf_push(buf, rc_str_c(fault->path));
    if (fault->path[0] != '\0')
        rc_buf_push(buf, RC_STR(": "));
    rc_buf_push(buf, rc_str_c(fault->message));
    rc_nearest_push(buf, "", fault->nearest);
}
