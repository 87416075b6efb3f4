/* Names of tools and ids of calls for other dialects. Called by the plan and the request writers of
 * lib/dialect. */
#include "dialect/translate/identifier.h"

#include "base/str.h"

#define NAME_HASH_DIGITS 8
#define ID_HASH_DIGITS 24

static size_t name_max(rc_dialect dialect)
{
    return dialect == RC_DIALECT_ANTHROPIC || dialect == RC_DIALECT_GEMINI ? 128 : 64;
}

static bool is_plain(char c)
{
    return rc_ascii_is_alnum(c) || c == '_' || c == '-';
}

static bool is_name_byte(char c, rc_dialect dialect)
{
    return is_plain(c) || (dialect == RC_DIALECT_GEMINI && (c == '.' || c == ':'));
}

bool rc_tool_name_is_changed(rc_str raw, rc_dialect dialect)
{
    bool is_good = raw.len > 0 && raw.len <= name_max(dialect);
    if (is_good && dialect == RC_DIALECT_GEMINI) /* Gemini: names must begin with a letter or an
                                                    underscore */
        is_good = rc_ascii_is_alpha(raw.ptr[0]) || raw.ptr[0] == '_';
    for (size_t i = 0; is_good && i < raw.len; i++)
        is_good = is_name_byte(raw.ptr[i], dialect);
    return !is_good;
}

/* Two rounds of FNV-1a with different offsets, each mixed once more. The hash does not need to
 * resist attacks: a client that makes two of its own names collide harms only its own request. */
static uint64_t hash_of(rc_str bytes, uint64_t offset)
{
    uint64_t hash = offset;
    for (size_t i = 0; i < bytes.len; i++)
        hash = (hash ^ (unsigned char)bytes.ptr[i]) * UINT64_C(0x100000001b3);
    hash ^= hash >> 32;
    hash *= UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

uint64_t rc_identifier_hash(rc_str bytes)
{
    return hash_of(bytes, UINT64_C(0xcbf29ce484222325));
}

void rc_identifier_push_hash(rc_buf *buf, rc_str bytes, size_t count)
{
    const uint64_t halves[2] = {hash_of(bytes, UINT64_C(0xcbf29ce484222325)),
                                hash_of(bytes, UINT64_C(0x84222325cbf29ce4))};
    for (size_t i = 0; i < count; i++) {
        unsigned digit = (unsigned)(halves[i / 16 % 2] >> (i % 16 * 4)) & 15;
        rc_buf_push_byte(buf, "0123456789abcdef"[digit]);
    }
}

void rc_tool_name_push(rc_buf *buf, rc_str raw, rc_dialect dialect)
{
    if (!rc_tool_name_is_changed(raw, dialect)) {
        rc_buf_push(buf, raw);
        return;
    }
    size_t most = name_max(dialect) - NAME_HASH_DIGITS - 1;
    bool has_bad_start = raw.len > 0 && !rc_ascii_is_alpha(raw.ptr[0]) && raw.ptr[0] != '_';
    if (has_bad_start || raw.len == 0)
        rc_buf_push_byte(buf, '_');
    for (size_t i = 0; i < raw.len && i + has_bad_start < most; i++)
        rc_buf_push_byte(buf, is_name_byte(raw.ptr[i], dialect) ? raw.ptr[i] : '_');
    rc_buf_push_byte(buf, '_');
    rc_identifier_push_hash(buf, raw, NAME_HASH_DIGITS);
}

void rc_call_id_push(rc_buf *buf, rc_str raw, rc_dialect dialect, uint32_t turn, uint32_t place)
{
    bool is_good = raw.len > 0 && raw.len <= (dialect == RC_DIALECT_OPENAI_CHAT ? 40u : 64u);
    for (size_t i = 0; is_good && i < raw.len; i++)
        is_good = is_plain(raw.ptr[i]);
    if (is_good) {
        rc_buf_push(buf, raw);
        return;
    }
    rc_buf_push(buf, RC_STR("call_"));
    if (raw.len > 0) {
        rc_identifier_push_hash(buf, raw, ID_HASH_DIGITS);
        return;
    }
    rc_buf_push_u64(buf, turn);
    rc_buf_push_byte(buf, '_');
    rc_buf_push_u64(buf, place);
}
