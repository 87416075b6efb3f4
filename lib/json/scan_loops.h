/* The loops of one scan level. This file is a template that scan.c includes once per level. Before
 * each inclusion scan.c defines:
 *
 *   LEVEL(name)                 name with the level's suffix
 *   LEVEL_TARGET                the attribute that lets the compiler use the level's instructions
 *   LEVEL(block_equal)(p, c)    one bit for each of the 64 bytes at p that equals c
 *   LEVEL(block_opens)(p)       one bit for each [ or {
 *   LEVEL(block_closes)(p)      one bit for each ] or }
 *   LEVEL(prefix_xor)(bits)     bit i is the xor of the bits 0 to i
 *   LEVEL(count)(bits)          the number of set bits
 *
 * The file has no include guard, because it is included several times. */

/* Returns one bit for each quote of the block that is not escaped. */
LEVEL_TARGET static inline uint64_t LEVEL(block_quotes)(block b, uint64_t *carry)
{
    uint64_t quotes = LEVEL(block_equal)(b.p, '"') >> b.skip;
    uint64_t backslashes = LEVEL(block_equal)(b.p, '\\') >> b.skip;
    if (!(backslashes | *carry))
        return quotes;
    return quotes & ~escaped_bits(backslashes, carry);
}

LEVEL_TARGET static size_t LEVEL(string_end)(rc_str text, size_t at)
{
    if (text.len < BLOCK)
        return short_string_end(text, at);
    uint64_t carry = 0;
    for (; text.len - at >= BLOCK; at += BLOCK) {
        uint64_t quotes = LEVEL(block_quotes)(whole_block(text, at), &carry);
        if (quotes)
            return at + (size_t)__builtin_ctzll(quotes);
    }
    if (at == text.len)
        return at;
    uint64_t quotes = LEVEL(block_quotes)(last_block(text, at), &carry);
    return quotes ? at + (size_t)__builtin_ctzll(quotes) : text.len;
}

/* Scans one block of a container. If the container ends in the block, returns the number of bytes
 * of the block up to and including the closing bracket, otherwise 0. */
LEVEL_TARGET static inline size_t LEVEL(container_step)(block b, nesting *n)
{
    uint64_t quotes = LEVEL(block_quotes)(b, &n->carry);
    if (n->in_string && !quotes)
        return 0; /* the whole block is inside a long string, like most blocks of a chat request */
    uint64_t inside = LEVEL(prefix_xor)(quotes) ^ n->in_string;
    n->in_string = 0 - (inside >> 63);

    uint64_t closes = LEVEL(block_closes)(b.p) >> b.skip & ~inside;
    uint64_t opens = LEVEL(block_opens)(b.p) >> b.skip & ~inside;
    size_t count = LEVEL(count)(closes);
    if (count >= n->depth)
        return walk_brackets(opens, closes, &n->depth);
    n->depth += LEVEL(count)(opens) - count;
    return 0;
}

LEVEL_TARGET static size_t LEVEL(container_end)(rc_str text, size_t at)
{
    if (text.len < BLOCK)
        return short_container_end(text, at);
    nesting n = {.depth = 1};
    for (; text.len - at >= BLOCK; at += BLOCK) {
        size_t end = LEVEL(container_step)(whole_block(text, at), &n);
        if (end)
            return at + end;
    }
    size_t end = at < text.len ? LEVEL(container_step)(last_block(text, at), &n) : 0;
    return end ? at + end : RC_JSON_SCAN_NONE;
}

static const rc_json_scan LEVEL(scan) = {
    .special = LEVEL(special),
    .unclean = LEVEL(unclean),
    .string_end = LEVEL(string_end),
    .container_end = LEVEL(container_end),
};
