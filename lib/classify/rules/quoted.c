/* Parser of terms with a quoted text (text:"...", error_code:"..."). Called by term.c and
 * parse.c. */
#include "base/str.h"
#include "classify/phrases/phrases.h"
#include "classify/rules/parts.h"

#define LITERAL_BYTES_MAX 256u

rc_str rc_rules_unescape(rc_rules_parser *parser, rc_str quoted)
{
    char *copy = rc_arena_get(&parser->rules->arena, quoted.len + 1);
    rc_rules_check_memory(parser);
    size_t len = 0;
    for (size_t i = 0; copy && i < quoted.len; i++) {
        char c = quoted.ptr[i];
        size_t from = (size_t)(&quoted.ptr[i] - parser->text.ptr);
        if (c == '\\' && i + 1 < quoted.len) {
            c = quoted.ptr[++i];
            if (c != '"' && c != '\\')
                RC_RULES_REFUSE(
                    parser, RC_E_SYNTAX, from,
                    RC_STR("the only escapes are \\\" and \\\\; write the character itself"));
        }
        if ((unsigned char)c < 0x20 || c == 0x7F)
            RC_RULES_REFUSE(parser, RC_E_SYNTAX, from,
                            RC_STR("a control character in quotes; use a space instead"));
        copy[len++] = c;
    }
    return rc_str_make(copy, len);
}

/* Splits a header literal, "name: value" or "name", into its name and value. */
static void split_header(rc_literal *literal)
{
    size_t colon = rc_str_find_byte(literal->value, ':', 0);
    literal->name = rc_str_trim(rc_str_slice(literal->value, 0, colon));
    size_t after = colon == RC_STR_NPOS ? literal->value.len : colon + 1;
    literal->value = rc_str_trim(rc_str_slice(literal->value, after, literal->value.len));
}

/* Finds the concepts that the literal's value has when it is read as a typed (machine-readable)
 * code. */
static void find_codes(rc_literal *literal)
{
    rc_phrase_scan scan;
    rc_phrase_scan_init(&scan);
    rc_phrase_scan_code(&scan, literal->value);
    for (unsigned concept = 0; concept < RC_CONCEPT_COUNT; concept ++) {
        if (rc_concept_set_has(&scan.found, concept))
            literal->codes[concept / 64] |= UINT64_C(1) << (concept % 64);
    }
}

/* Adds a `text` or `anywhere` literal to the index of first bytes. */
static void index_by_first_byte(rc_rules *rules, rc_literal *literal)
{
    bool is_text = literal->kind == RC_LITERAL_TEXT || literal->kind == RC_LITERAL_ANYWHERE;
    if (!is_text || literal->value.len == 0)
        return;
    unsigned char first = (unsigned char)rc_ascii_lower(literal->value.ptr[0]);
    literal->next_by_byte = rules->first_by_byte[first];
    rules->first_by_byte[first] = (uint16_t)(literal - rules->literals + 1);
}

static rc_literal read_literal(rc_rules_parser *parser)
{
    const rc_rule_token *token = &parser->token;
    rc_str name = rc_str_slice(token->word, 0, rc_str_find_byte(token->word, ':', 0));
    rc_literal literal = {.kind = rc_literal_kind_parse(name)};
    if (!literal.kind || token->word.len != name.len + 1) {
        RC_RULES_REFUSE(
            parser, RC_E_UNKNOWN_KEY, token->from, RC_STR("no term "),
            rc_rules_excerpt(token->word),
            RC_STR("\"...\"; these terms have quotes: text: anywhere: error_code: error_type: "
                   "header: model:"));
        return literal;
    }
    if (token->quoted.len > LITERAL_BYTES_MAX) {
        RC_RULES_REFUSE(parser, RC_E_TOO_LARGE, token->from,
                        RC_STR("more than 256 bytes in quotes; a few words are enough"));
        return literal;
    }
    literal.value = rc_str_trim(rc_rules_unescape(parser, token->quoted));
    literal.source = rc_str_slice(parser->text, token->from, token->to);
    if (literal.kind == RC_LITERAL_HEADER)
        split_header(&literal);
    bool is_empty =
        literal.kind == RC_LITERAL_HEADER ? literal.name.len == 0 : literal.value.len == 0;
    if (is_empty)
        RC_RULES_REFUSE(parser, RC_E_SYNTAX, token->from, name,
                        RC_STR(": has empty quotes; write the text to search for"));
    return literal;
}

static rc_fact add_literal(rc_rules_parser *parser, rc_literal literal)
{
    rc_rules *rules = parser->rules;
    if (rules->literal_count == RC_LITERALS_MAX) {
        RC_RULES_REFUSE(parser, RC_E_TOO_LARGE, parser->token.from,
                        RC_STR("more than 256 different texts in quotes; remove some of them"));
        return RC_FACT_NONE;
    }
    literal.source = rc_arena_dup(&rules->arena, literal.source);
    if (!rules->literals)
        rules->literals = rc_arena_get_array(&rules->arena, RC_LITERALS_MAX, sizeof literal);
    rc_rules_check_memory(parser);
    if (parser->status != RC_OK)
        return RC_FACT_NONE;

    rc_literal *stored = &rules->literals[rules->literal_count];
    *stored = literal;
    index_by_first_byte(rules, stored);
    if (stored->kind == RC_LITERAL_ERROR_CODE)
        find_codes(stored);
    return (rc_fact)(RC_FACT_LITERAL_BASE + rules->literal_count++);
}

rc_fact rc_rules_parse_literal(rc_rules_parser *parser)
{
    if (!parser->builtin) {
        RC_RULES_REFUSE(parser, RC_E_SYNTAX, parser->token.from,
                        RC_STR("a built-in rule has no text in quotes; add a phrase to "
                               "spec/phrases.txt"));
        return RC_FACT_NONE;
    }
    rc_literal literal = read_literal(parser);
    if (parser->status != RC_OK)
        return RC_FACT_NONE;
    for (size_t i = 0; i < parser->rules->literal_count; i++) {
        if (rc_literal_eq(&parser->rules->literals[i], &literal))
            return (rc_fact)(RC_FACT_LITERAL_BASE + i);
    }
    return add_literal(parser, literal);
}
