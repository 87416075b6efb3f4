/* Parser of rules files. Called by rules.c and gen_rules. The grammar:
 *
 *   file       rule*
 *   rule       "rule" id  "when" conditions  "then" code [category]  "because" string
 *   conditions "always" | condition ("and" condition)* | term ("or" term)*
 *   condition  ["not"] (term | "(" term ("or" term)* ")")
 *
 * Line ends are white space. Parsing stops at the first fault. */
#include "base/str.h"
#include "base/utf8.h"
#include "classify/rules/parts.h"

/* Maximum size of the arena, which contains the rules, their texts, and the list of all rules
 * including the built-in ones. */
#define ARENA_BYTES_MAX (8u << 20)

static void advance(rc_rules_parser *parser)
{
    parser->token = rc_rule_token_next(parser->text, parser->token.to);
    if (parser->token.kind == RC_RULE_TOKEN_UNCLOSED)
        RC_RULES_REFUSE(parser, RC_E_SYNTAX, parser->token.from,
                        RC_STR("the quotes do not end on this line; close them with \""));
}

static bool is_word(const rc_rules_parser *parser, rc_str word)
{
    return parser->token.kind == RC_RULE_TOKEN_WORD && rc_str_eq(parser->token.word, word);
}

static void refuse_unexpected(rc_rules_parser *parser, rc_str expected)
{
    if (parser->token.kind == RC_RULE_TOKEN_END)
        RC_RULES_REFUSE(parser, RC_E_SYNTAX, parser->token.from, RC_STR("the file ends where "),
                        expected, RC_STR(" is needed; add it"));
    else
        RC_RULES_REFUSE(
            parser, RC_E_SYNTAX, parser->token.from, RC_STR("expected "), expected,
            RC_STR(", not "),
            rc_rules_excerpt(rc_str_slice(parser->text, parser->token.from, parser->token.to)));
}

/* Reads the given keyword. Any other token is reported as a fault. */
static void expect(rc_rules_parser *parser, rc_str word)
{
    if (is_word(parser, word))
        advance(parser);
    else
        refuse_unexpected(parser, word);
}

/* ---- conditions ---- */

static bool is_term(const rc_rules_parser *parser)
{
    if (parser->token.kind == RC_RULE_TOKEN_QUOTED)
        return true;
    return parser->token.kind == RC_RULE_TOKEN_WORD &&
           rc_str_find_byte(parser->token.word, ':', 0) != RC_STR_NPOS;
}

static void parse_term(rc_rules_parser *parser)
{
    if (!is_term(parser)) {
        refuse_unexpected(parser, RC_STR("a term such as says:quota"));
        return;
    }
    rc_rules_parse_term(parser);
    if (parser->status == RC_OK)
        advance(parser);
}

static void parse_alternatives(rc_rules_parser *parser)
{
    parse_term(parser);
    while (parser->status == RC_OK && is_word(parser, RC_STR("or"))) {
        advance(parser);
        parse_term(parser);
    }
}

static void parse_terms(rc_rules_parser *parser)
{
    if (parser->token.kind != RC_RULE_TOKEN_OPEN) {
        parse_term(parser);
        return;
    }
    advance(parser);
    parse_alternatives(parser);
    if (parser->status != RC_OK)
        return;
    if (parser->token.kind == RC_RULE_TOKEN_CLOSE)
        advance(parser);
    else
        refuse_unexpected(parser, RC_STR("or, or a closing parenthesis"));
}

/* Parses the first condition of a rule. If the rule has only one condition, "a or b" needs no
 * parentheses. */
static void parse_first(rc_rules_parser *parser)
{
    size_t from = parser->token.from;
    parse_term(parser);
    if (parser->status != RC_OK || !is_word(parser, RC_STR("or")))
        return;
    advance(parser);
    parse_alternatives(parser);
    if (parser->status == RC_OK && is_word(parser, RC_STR("and")))
        RC_RULES_REFUSE(
            parser, RC_E_SYNTAX, from,
            RC_STR("a combination of and with or needs parentheses; write (a or b) and c"));
}

static void parse_condition(rc_rules_parser *parser, size_t index)
{
    if (index == RC_RULE_CLAUSES_MAX) {
        RC_RULES_REFUSE(parser, RC_E_TOO_LARGE, parser->token.from,
                        RC_STR("the rule has more than 32 conditions; split it into two rules"));
        return;
    }
    parser->clause_from[index] = parser->token.from;
    bool is_not = is_word(parser, RC_STR("not"));
    if (is_not)
        advance(parser);
    size_t head = parser->term_count++;
    if (is_term(parser) && !is_not && index == 0)
        parse_first(parser);
    else
        parse_terms(parser);
    size_t count = parser->term_count - head - 1;
    parser->terms[head] = (rc_fact)(count | (is_not ? RC_CLAUSE_NOT : 0));
}

/* Parses the conditions of a rule and returns their number; 0 for "always". */
static size_t parse_conditions(rc_rules_parser *parser)
{
    parser->term_count = 0;
    parser->fact_count = 0;
    if (is_word(parser, RC_STR("always"))) {
        advance(parser);
        return 0;
    }
    size_t count = 0;
    parse_condition(parser, count++);
    while (parser->status == RC_OK && is_word(parser, RC_STR("and"))) {
        advance(parser);
        parse_condition(parser, count++);
    }
    if (parser->status == RC_OK && is_word(parser, RC_STR("or")))
        RC_RULES_REFUSE(
            parser, RC_E_SYNTAX, parser->token.from,
            RC_STR("a combination of and with or needs parentheses; write (a or b) and c"));
    return count;
}

/* Returns the conditions as they are written in the file, but without comments and with single
 * blanks. */
static rc_str tidy(rc_rules_parser *parser, size_t from, size_t to)
{
    rc_str part = rc_str_slice(parser->text, 0, to);
    /* maximum size: in the copy, each token may need a blank before it */
    size_t size = 2 * (to - from) + 1;
    char *text = rc_arena_get(&parser->rules->arena, size);
    if (!text)
        return rc_str_make(NULL, 0);
    size_t len = 0;
    bool is_glued = true;
    rc_rule_token token = rc_rule_token_next(part, from);
    while (token.kind != RC_RULE_TOKEN_END) {
        if (!is_glued && token.kind != RC_RULE_TOKEN_CLOSE)
            text[len++] = ' ';
        memcpy(text + len, part.ptr + token.from, token.to - token.from);
        len += token.to - token.from;
        is_glued = token.kind == RC_RULE_TOKEN_OPEN;
        token = rc_rule_token_next(part, token.to);
    }
    rc_arena_shrink(&parser->rules->arena, text, size, len);
    return rc_str_make(text, len);
}

/* ---- rules ---- */

static bool is_id(rc_str word)
{
    for (size_t i = 0; i < word.len; i++) {
        char c = word.ptr[i];
        if (!rc_ascii_is_alnum(c) && c != '_' && c != '-' && c != '.')
            return false;
    }
    return word.len > 0 && word.len <= RC_RULE_ID_MAX;
}

static void parse_id(rc_rules_parser *parser, rc_rule_node *node)
{
    node->id_from = parser->token.from;
    if (parser->token.kind != RC_RULE_TOKEN_WORD || !is_id(parser->token.word)) {
        refuse_unexpected(parser, RC_STR("an id of up to 64 letters, digits, _ - and ."));
        return;
    }
    for (const rc_rule_node *other = parser->first; other; other = other->next) {
        if (rc_str_eq(other->rule.id, parser->token.word)) {
            RC_RULES_REFUSE(parser, RC_E_DUPLICATE, node->id_from, RC_STR("there is a rule "),
                            parser->token.word, RC_STR(" already; give this rule another id"));
            return;
        }
    }
    node->rule.id = rc_arena_dup(&parser->rules->arena, parser->token.word);
    advance(parser);
}

static void parse_when(rc_rules_parser *parser, rc_rule_node *node)
{
    expect(parser, RC_STR("when"));
    if (parser->status != RC_OK)
        return;
    node->when_from = parser->token.from;
    size_t count = parse_conditions(parser);
    if (parser->status != RC_OK)
        return;
    rc_rule *rule = &node->rule;
    rule->clause_count = (uint16_t)count;
    rule->when = tidy(parser, node->when_from, parser->token.from);
    size_t bytes = parser->term_count * sizeof *rule->terms;
    rc_fact *terms = rc_arena_get(&parser->rules->arena, bytes);
    if (!terms)
        return;
    memcpy(terms, parser->terms, bytes);
    rule->terms = terms;
    rc_rules_check_conditions(parser, rule);
}

static void parse_then(rc_rules_parser *parser, rc_rule_node *node)
{
    if (!is_word(parser, RC_STR("then"))) {
        refuse_unexpected(parser,
                          node->rule.clause_count > 0 ? RC_STR("and, or then") : RC_STR("then"));
        return;
    }
    advance(parser);
    node->then_from = parser->token.from;
    if (parser->token.kind != RC_RULE_TOKEN_WORD) {
        refuse_unexpected(parser, RC_STR("a code such as RateLimited"));
        return;
    }
    node->rule.code = rc_rules_parse_code(parser);
    if (parser->status != RC_OK)
        return;
    advance(parser);
    if (parser->token.kind != RC_RULE_TOKEN_WORD || is_word(parser, RC_STR("because")))
        return;
    node->rule.category = rc_rules_parse_category(parser);
    if (parser->status == RC_OK)
        advance(parser);
}

static void parse_because(rc_rules_parser *parser, rc_rule_node *node)
{
    expect(parser, RC_STR("because"));
    if (parser->status != RC_OK)
        return;
    if (parser->token.kind != RC_RULE_TOKEN_STRING) {
        refuse_unexpected(parser, RC_STR("a reason in quotes"));
        return;
    }
    node->rule.reason = rc_str_trim(rc_rules_unescape(parser, parser->token.quoted));
    if (node->rule.reason.len == 0)
        RC_RULES_REFUSE(parser, RC_E_SYNTAX, parser->token.from,
                        RC_STR("the reason is empty; add a short explanation"));
    if (parser->status == RC_OK)
        advance(parser);
}

static size_t find_builtin(const rc_rule_set *builtin, rc_str id)
{
    for (size_t i = 0; builtin && i < builtin->count; i++) {
        if (rc_str_eq(builtin->rules[i].id, id))
            return i;
    }
    return RC_STR_NPOS;
}

static void parse_rule(rc_rules_parser *parser)
{
    if (parser->rules->count == RC_RULES_MAX) {
        RC_RULES_REFUSE(parser, RC_E_TOO_LARGE, parser->token.from,
                        RC_STR("more than 512 rules; remove some of them"));
        return;
    }
    rc_rule_node *node = rc_arena_get(&parser->rules->arena, sizeof *node);
    rc_rules_check_memory(parser);
    void (*const parts[])(rc_rules_parser *, rc_rule_node *) = {parse_id, parse_when, parse_then,
                                                                parse_because};
    expect(parser, RC_STR("rule"));
    for (size_t i = 0; i < sizeof parts / sizeof parts[0] && parser->status == RC_OK; i++) {
        parts[i](parser, node);
        rc_rules_check_memory(parser);
    }
    if (parser->status != RC_OK)
        return;
    node->builtin = find_builtin(parser->builtin, node->rule.id);
    if (parser->last)
        parser->last->next = node;
    else
        parser->first = node;
    parser->last = node;
    parser->rules->count++;
}

/* ---- order of the rules ---- */

/* Builds the list of all rules: first the new rules of the file, then the built-in rules. A rule of
 * the file with the id of a built-in rule takes that rule's position. */
static void put_in_order(rc_rules_parser *parser)
{
    rc_rules *rules = parser->rules;
    size_t builtin_count = parser->builtin ? parser->builtin->count : 0;
    rc_rule *order = rc_arena_get_array(&rules->arena, rules->count + builtin_count, sizeof *order);
    rc_rule_prefilter *needs =
        rc_arena_get_array(&rules->arena, rules->count + builtin_count, sizeof *needs);
    rc_rules_check_memory(parser);
    if (parser->status != RC_OK)
        return;

    size_t own = 0;
    for (const rc_rule_node *node = parser->first; node; node = node->next) {
        if (node->builtin == RC_STR_NPOS)
            order[own++] = node->rule;
    }
    for (size_t i = 0; i < builtin_count; i++)
        order[own + i] = parser->builtin->rules[i];
    for (const rc_rule_node *node = parser->first; node; node = node->next) {
        if (node->builtin != RC_STR_NPOS)
            order[own + node->builtin] = node->rule;
    }
    rules->order = (rc_rule_set){order, needs, own + builtin_count};
    for (size_t i = 0; i < rules->order.count; i++)
        needs[i] = rc_rule_prefilter_of(&order[i]);
}

static void check_last(rc_rules_parser *parser)
{
    if (parser->builtin)
        return;
    if (!parser->last || parser->last->rule.clause_count != 0 ||
        parser->last->rule.code != RC_CODE_UNCLASSIFIED)
        RC_RULES_REFUSE(parser, RC_E_RANGE, parser->last ? parser->last->id_from : 0,
                        RC_STR("the last built-in rule must be: when always then Unclassified"));
}

static void parse_file(rc_rules_parser *parser)
{
    if (parser->text.len > RC_RULES_BYTES_MAX) {
        RC_RULES_REFUSE(parser, RC_E_TOO_LARGE, RC_RULES_BYTES_MAX,
                        RC_STR("the file has more than 256 KiB; remove some rules"));
        return;
    }
    size_t valid = rc_utf8_valid_prefix(parser->text);
    if (valid < parser->text.len) {
        RC_RULES_REFUSE(parser, RC_E_SYNTAX, valid,
                        RC_STR("the file is not UTF-8; save it as UTF-8"));
        return;
    }
    parser->text = rc_utf8_without_bom(parser->text); /* the file may begin with a byte order mark,
                                                         which some editors write */

    advance(parser);
    while (parser->status == RC_OK && parser->token.kind != RC_RULE_TOKEN_END)
        parse_rule(parser);

    void (*const checks[])(rc_rules_parser *) = {put_in_order, rc_rules_check_order,
                                                 rc_rules_check_fatal, check_last};
    for (size_t i = 0; i < sizeof checks / sizeof checks[0] && parser->status == RC_OK; i++)
        checks[i](parser);
}

rc_status rc_rules_read(rc_str text, const rc_rule_set *builtin, const rc_alloc *alloc,
                        rc_rules **ret_rules, rc_rules_fault *ret_fault)
{
    rc_rules_parser parser = {.text = text, .builtin = builtin, .fault = ret_fault};
    rc_rules *rules = alloc->get(alloc->ctx, sizeof *rules);
    if (!rules) {
        RC_RULES_REFUSE(&parser, RC_E_NOMEM, 0, RC_STR("no memory for the rules"));
        return parser.status;
    }
    *rules = (rc_rules){0};
    rc_arena_init(&rules->arena, alloc, ARENA_BYTES_MAX);
    parser.rules = rules;
    parse_file(&parser);
    if (parser.status != RC_OK) {
        rc_rules_free(rules);
        return parser.status;
    }
    *ret_rules = rules;
    return RC_OK;
}

void rc_rules_free(rc_rules *rules)
{
    if (!rules)
        return;
    rc_alloc alloc = rules->arena.alloc;
    rc_arena_done(&rules->arena);
    alloc.put(alloc.ctx, rules, sizeof *rules);
}
