/* Bytes as a rules file. A refused file gets one line with position and reason. An accepted one
 * decides every set of facts: some rule always matches, the trace ends with it, the fast matcher
 * agrees with a plain reading of the conditions, and no fatal code becomes retryable. The text of
 * the file is also the text in which its literals are searched. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <recourse/stdlib.h>
#include <recourse/taxonomy.h>

#include "base/str.h"
#include "base/utf8.h"
#include "classify/rules/parts.h"
#include "support/rule_oracle.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool is_true, const char *what)
{
    if (is_true)
        return;
    fprintf(stderr, "not true: %s\n", what);
    abort();
}

static void check_fault(rc_status status, const rc_rules_fault *fault)
{
    rc_str text = rc_str_c(fault->text);
    require(status != RC_OK && status != RC_E_NOMEM, "a file is refused for what it says");
    require(fault->line >= 1 && fault->column >= 1, "a fault has a place");
    require(rc_str_starts_with(text, RC_STR("line ")), "a fault's text begins with its place");
    require(rc_utf8_is_valid(text), "a fault's text is UTF-8");
    for (size_t i = 0; i < text.len; i++)
        require((unsigned char)text.ptr[i] >= 0x20, "a fault's text is one line");
}

/* ---- one set of facts ---- */

typedef struct trace_log {
    size_t tried;
    bool is_matched;
} trace_log;

static void on_note(void *ctx, const rc_trace_note *note)
{
    trace_log *h = ctx;
    require(!h->is_matched, "the match is the last note");
    require(note->subject.len > 0 && note->text.len > 0, "a note has texts");
    if (note->step == RC_TRACE_RULE_MATCHED)
        h->is_matched = true;
    else
        h->tried++;
}

static void check_facts(const rc_rules *rules, const rc_facts *facts)
{
    const rc_rule *rule = rc_rules_match(rules, facts, NULL);
    require(rule != NULL, "some rule matches");
    trace_log h = {0};
    rc_trace trace = {on_note, &h};
    require(rc_rules_match(rules, facts, &trace) == rule, "a trace changes nothing");
    require(h.is_matched, "the trace tells the match");

    size_t first = 0;
    while (first < rules->order.count && !rule_oracle_holds(&rules->order.rules[first], facts))
        first++;
    require(h.tried == first, "every rule before it was tried");
    require(first == rules->order.count || rule == &rules->order.rules[first],
            "the first rule that holds is the one");
}

/* ---- a file ---- */

/* Returns a random set of facts that the conditions of the file use. */
static rc_facts random_facts(const rc_rules *rules, uint64_t *seed)
{
    rc_facts facts = {{0}};
    for (size_t i = 0; i < rules->order.count; i++) {
        const rc_fact *cursor = rules->order.rules[i].terms;
        for (size_t k = 0; k < rules->order.rules[i].clause_count; k++) {
            rc_clause clause = rc_clause_next(&cursor);
            *seed = *seed * 6364136223846793005u + 1442695040888963407u;
            if (*seed >> 61 == 0)
                rc_facts_set(&facts, clause.facts[(*seed >> 32) % clause.count]);
        }
    }
    return facts;
}

static void check_rules(const rc_rules *rules, rc_str text)
{
    for (size_t i = 0; i < rules->order.count; i++) {
        const rc_rule *rule = &rules->order.rules[i];
        require(rc_code_get(rule->code) != NULL, "a rule has a code");
        require(rc_rule_is_retryable(rule) <= rc_code_get(rule->code)->is_retryable,
                "no rule makes its code retryable");
        require(rule->reason.len > 0 && rule->when.len > 0, "a rule has its texts");
    }
    rc_header header = {text, text};
    rc_rule_input input = {.message = text,
                           .all_text = text,
                           .type = text,
                           .code = text,
                           .model = text,
                           .headers = &header,
                           .header_count = 1};
    rc_facts facts = {{0}};
    rc_rules_set_literals(rules, &input, &facts);
    check_facts(rules, &facts);
    uint64_t seed = text.len;
    for (int i = 0; i < 16; i++) {
        facts = random_facts(rules, &seed);
        check_facts(rules, &facts);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    rc_alloc alloc = rc_alloc_stdlib();
    rc_str text = rc_str_make((const char *)data, size);
    rc_rules *rules = NULL;
    rc_rules_fault fault;
    rc_status status = rc_rules_parse(text, &alloc, &rules, &fault);
    if (status != RC_OK) {
        check_fault(status, &fault);
        return 0;
    }
    check_rules(rules, text);
    rc_rules_free(rules);
    return 0;
}
