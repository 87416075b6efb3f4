/* Parser of terms in conditions, and of codes and categories after `then`. Called by parse.c. */
#include <string.h>

#include "base/nearest.h"
#include "base/str.h"
#include "classify/rules/parts.h"

#include <recourse/taxonomy.h>

/* ---- suggestions for unknown names ---- */

/* Among the known names that were compared so far, the one that is most similar to an unknown
 * name. */
typedef struct nearest {
    rc_nearest_search search;
    char text[64];
    size_t len;
} nearest;

static void nearest_offer(nearest *best, rc_str name)
{
    if (name.len == 0 || name.len > sizeof best->text || !rc_nearest_offer(&best->search, name))
        return;
    memcpy(best->text, name.ptr, name.len);
    best->len = name.len;
}

static nearest nearest_to(rc_str wanted)
{
    nearest best = {.len = 0};
    rc_nearest_init(&best.search, wanted);
    return best;
}

static nearest nearest_term(rc_str wanted)
{
    nearest best = nearest_to(wanted);
    for (size_t i = 0; rc_fact_at(i) != RC_FACT_NONE; i++) {
        rc_fact_label label;
        rc_fact_label_init(&label, NULL, rc_fact_at(i));
        nearest_offer(&best, label.view);
    }
    nearest_offer(&best, RC_STR("always"));
    return best;
}

static void refuse_unknown(rc_rules_parser *parser, size_t from, rc_str kind, rc_str word,
                           const nearest *best, rc_str hint)
{
    if (best->len > 0)
        RC_RULES_REFUSE(parser, RC_E_UNKNOWN_KEY, from, RC_STR("no "), kind, RC_STR(" "),
                        rc_rules_excerpt(word), RC_STR("; did you mean "),
                        rc_str_make(best->text, best->len), RC_STR("?"));
    else
        RC_RULES_REFUSE(parser, RC_E_UNKNOWN_KEY, from, RC_STR("no "), kind, RC_STR(" "),
                        rc_rules_excerpt(word), RC_STR("; "), hint);
}

/* ---- facts ---- */

static void push_fact(rc_rules_parser *parser, rc_fact fact)
{
    if (parser->fact_count == RC_RULE_TERMS_MAX) {
        RC_RULES_REFUSE(parser, RC_E_TOO_LARGE, parser->token.from,
                        RC_STR("the rule has more than 640 terms; make two rules of it"));
        return;
    }
    parser->fact_count++;
    parser->terms[parser->term_count++] = fact;
}

/* Reads a range such as "status:500-504". Returns false if the word is not a range. */
static bool parse_range(rc_rules_parser *parser, rc_str word)
{
    size_t dash = rc_str_find_byte(word, '-', 0);
    size_t colon = rc_str_find_byte(word, ':', 0);
    if (dash == RC_STR_NPOS || colon == RC_STR_NPOS || word.len != dash + 4)
        return false;
    rc_fact first = rc_fact_parse(rc_str_slice(word, 0, dash));
    if (first < RC_FACT_STATUS_BASE || first >= RC_FACT_LITERAL_BASE)
        return false;
    char name[16]; /* "status:504" */
    rc_buf buf;
    rc_buf_init_fixed(&buf, name, sizeof name);
    rc_buf_push(&buf, rc_str_slice(word, 0, colon + 1));
    rc_buf_push(&buf, rc_str_slice(word, dash + 1, word.len));
    rc_fact last = rc_fact_parse(rc_buf_get(&buf));
    if (last < RC_FACT_STATUS_BASE || last >= RC_FACT_LITERAL_BASE)
        return false;
    if (last < first) {
        RC_RULES_REFUSE(parser, RC_E_RANGE, parser->token.from, RC_STR("the range "), word,
                        RC_STR(" is empty; write the smaller status first"));
        return true;
    }
    for (unsigned fact = first; fact <= last && parser->status == RC_OK; fact++)
        push_fact(parser, (rc_fact)fact);
    return true;
}

static void parse_word(rc_rules_parser *parser)
{
    rc_str word = parser->token.word;
    rc_fact fact = rc_fact_parse(word);
    if (fact != RC_FACT_NONE) {
        push_fact(parser, fact);
        return;
    }
    if (parse_range(parser, word))
        return;
    rc_str name = rc_str_slice(word, 0, rc_str_find_byte(word, ':', 0));
    if (rc_literal_kind_parse(name)) {
        RC_RULES_REFUSE(parser, RC_E_SYNTAX, parser->token.from, name,
                        RC_STR(": needs a text in quotes right behind it, as in "), name,
                        RC_STR(":\"...\""));
        return;
    }
    nearest best = nearest_term(word);
    refuse_unknown(parser, parser->token.from, RC_STR("term"), word, &best,
                   RC_STR("docs/internals/rules-terms.md lists them"));
}

void rc_rules_parse_term(rc_rules_parser *parser)
{
    if (parser->token.kind == RC_RULE_TOKEN_WORD) {
        parse_word(parser);
        return;
    }
    rc_fact fact = rc_rules_parse_literal(parser);
    if (parser->status == RC_OK)
        push_fact(parser, fact);
}

/* ---- codes and categories ---- */

rc_code rc_rules_parse_code(rc_rules_parser *parser)
{
    rc_str word = parser->token.word;
    rc_code code = rc_code_parse(word);
    if (rc_code_get(code))
        return code;
    nearest best = nearest_to(word);
    for (size_t i = 0; i < rc_code_count(); i++)
        nearest_offer(&best, rc_str_c(rc_code_at(i)->name));
    refuse_unknown(parser, parser->token.from, RC_STR("code"), word, &best,
                   RC_STR("`recourse errors` lists them"));
    return RC_CODE_NONE;
}

rc_category rc_rules_parse_category(rc_rules_parser *parser)
{
    rc_str word = parser->token.word;
    nearest best = nearest_to(word);
#define RC_CATEGORY(number, ID, name, is_retryable, text) \
    if (rc_str_eq(word, RC_STR(name)))                    \
        return RC_CATEGORY_##ID;                          \
    nearest_offer(&best, RC_STR(name));
#include "spec/errors.def"
    refuse_unknown(parser, parser->token.from, RC_STR("category"), word, &best,
                   RC_STR("write because and a reason behind the code"));
    return RC_CATEGORY_NONE;
}
