/* The loops of one scan level, included once for each by json_scan.c, which defines before:
 *
 *   LEVEL(name)                 name with the level's suffix
 *   LEVEL_TARGET                the attribute that lets the compiler use the level's instructions
 *   LEVEL(block_equal)(p, c)    64 bytes at p: a bit for each that equals c
 *   LEVEL(block_opens)(p)       ... for each [ or {
 *   LEVEL(block_closes)(p)      ... for each ] or }
 *   LEVEL(prefix_xor)(bits)     bit i is the xor of the bits 0 to i
 *   LEVEL(count)(bits)          how many are set
 *
 * No include guard: it is a template. */

/* The quotes of the block at p that no backslash takes the meaning from. */
LEVEL_TARGET static inline uint64_t LEVEL(block_quotes)(const char *p, uint64_t *carry)
{
    uint64_t quotes = LEVEL(block_equal)(p, '"');
    uint64_t backslashes = LEVEL(block_equal)(p, '\\');
    if (!(backslashes | *carry))
        return quotes;
    return quotes & ~escaped_bits(backslashes, carry);
}

LEVEL_TARGET static size_t LEVEL(string_end)(rc_str text, size_t at)
{
    char tail[BLOCK];
    uint64_t carry = 0;
    for (; at < text.len; at += BLOCK) {
        uint64_t quotes = LEVEL(block_quotes)(block_at(text, at, tail), &carry);
        if (quotes)
            return at + (size_t)__builtin_ctzll(quotes);
    }
    return text.len;
}

LEVEL_TARGET static size_t LEVEL(container_end)(rc_str text, size_t at)
{
    char tail[BLOCK];
    uint64_t carry = 0;
    uint64_t in_string = 0; /* all bits set while the block begins inside a string */
    size_t depth = 1;
    for (; at < text.len; at += BLOCK) {
        const char *p = block_at(text, at, tail);
        uint64_t quotes = LEVEL(block_quotes)(p, &carry);
        uint64_t inside = LEVEL(prefix_xor)(quotes) ^ in_string;
        in_string = 0 - (inside >> 63);

        uint64_t closes = LEVEL(block_closes)(p) & ~inside;
        uint64_t opens = LEVEL(block_opens)(p) & ~inside;
        size_t count = LEVEL(count)(closes);
        if (count < depth) {
            depth += LEVEL(count)(opens) - count;
            continue;
        }
        size_t end = walk_brackets(opens, closes, &depth);
        if (depth == 0)
            return at + end;
    }
    return RC_JSON_SCAN_NONE;
}

static const rc_json_scan LEVEL(scan) = {
    .special = LEVEL(special),
    .unclean = LEVEL(unclean),
    .string_end = LEVEL(string_end),
    .container_end = LEVEL(container_end),
};
