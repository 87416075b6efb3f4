/* gen_rules ROOT: compiles the built-in rules, ROOT/spec/classify.rules, into constant tables and
 * lists the terms. Run by `make generate`.
 *
 *   lib/classify/rules/table.c          the rules in their order
 *   lib/classify/rules/table_terms.c    their conditions and prefilters
 *   lib/classify/rules/table.h          their number
 *   docs/internals/rules-terms.md       every named term
 *
 * The library's own parser reads the file and makes all its checks; a fault is printed with its
 * line and column. Facts are written as symbols, so that these files stay valid if the phrase table
 * renumbers its concepts. A file whose content does not change is not written. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <recourse/stdlib.h>
#include <recourse/taxonomy.h>

#include "classify/phrases/phrases.h"
#include "classify/rules/parts.h"
#include "gen_file.h"

#define PROGRAM "gen_rules"
#define SPEC "spec/classify.rules"
#define GENERATED "/* Generated from " SPEC " by `make generate`. Do not edit. */\n"
#define COLUMNS_MAX 100

/* The rules that the writers below print. */
static rc_rule_set table;

/* ---- lines of a bounded width ---- */

typedef struct lines {
    FILE *out;
    int column; /* 0: the line is empty. */
} lines;

/* Indentation of continuation lines. */
#define INDENT 4
#define INDENT_MORE 8

static void put_item(lines *l, const char *item)
{
    int len = (int)strlen(item);
    if (l->column == 0)
        l->column = fprintf(l->out, "%*s%s", INDENT, "", item);
    else if (l->column + 1 + len > COLUMNS_MAX)
        l->column = fprintf(l->out, "\n%*s%s", INDENT_MORE, "", item) - 1;
    else
        l->column += fprintf(l->out, " %s", item);
}

static void end_line(lines *l)
{
    fputc('\n', l->out);
    l->column = 0;
}

/* Bytes of a string literal per line; it is split at the last blank that fits. */
#define PIECE_BYTES 64u

static size_t piece_len(rc_str text)
{
    if (text.len <= PIECE_BYTES)
        return text.len;
    size_t len = PIECE_BYTES;
    while (len > 0 && text.ptr[len - 1] != ' ')
        len--;
    return len > 0 ? len : PIECE_BYTES;
}

static void put_string(lines *l, rc_str text, const char *after)
{
    do {
        char item[2 * PIECE_BYTES + 8]; /* Each byte may need a backslash. */
        size_t end = 0;
        size_t len = piece_len(text);
        item[end++] = '"';
        for (size_t i = 0; i < len; i++) {
            if (text.ptr[i] == '"' || text.ptr[i] == '\\')
                item[end++] = '\\';
            item[end++] = text.ptr[i];
        }
        text = rc_str_make(text.ptr + len, text.len - len);
        snprintf(item + end, sizeof item - end, "\"%s", text.len == 0 ? after : "");
        put_item(l, item);
    } while (text.len > 0);
}

/* ---- symbols ---- */

static const char *const LISTED[] = {
    "NONE",
#define RC_FACT(GROUP, ID, name, text) #ID,
#include "spec/facts.def"
};

static const char *code_id(rc_code code)
{
    switch ((int)code) {
#define RC_CODE(number, CLASS, ID, name, CATEGORY, DOMAIN, RETRYABLE, http, exit, EVENT, ACTION, \
                detail, message)                                                                 \
    case number:                                                                                 \
        return #ID;
#include "spec/errors.def"
    default:
        return "NONE";
    }
}

static const char *category_id(rc_category category)
{
    switch ((int)category) {
#define RC_CATEGORY(number, ID, name, is_retryable, text) \
    case number:                                          \
        return #ID;
#include "spec/errors.def"
    default:
        return "NONE";
    }
}

typedef struct symbol {
    char text[96];
} symbol;

static symbol concept_symbol(const char *macro, unsigned concept)
{
    rc_str name = rc_concept_name(concept);
    symbol made;
    int head = snprintf(made.text, sizeof made.text, "%s(", macro);
    snprintf(made.text + head, sizeof made.text - (size_t)head, "%.*s)", (int)name.len, name.ptr);
    for (char *c = made.text; *c != '\0'; c++)
        *c = *c >= 'a' && *c <= 'z' ? (char)(*c - 'a' + 'A') : *c;
    return made;
}

static symbol symbol_of(unsigned fact)
{
    symbol made;
    if (fact < RC_FACT_LISTED_END)
        snprintf(made.text, sizeof made.text, "F(%s)", LISTED[fact]);
    else if (fact < RC_FACT_CODE_BASE)
        made = concept_symbol("SAYS", fact - RC_FACT_SAYS_BASE);
    else if (fact < RC_FACT_PROVIDER_BASE)
        made = concept_symbol("CODE", fact - RC_FACT_CODE_BASE);
    else if (fact < RC_FACT_STATUS_BASE)
        snprintf(made.text, sizeof made.text, "PROVIDER(%u)", fact - RC_FACT_PROVIDER_BASE);
    else if (fact < RC_FACT_INNER_BASE)
        snprintf(made.text, sizeof made.text, "STATUS(%u)",
                 fact - RC_FACT_STATUS_BASE + RC_STATUS_FACT_MIN);
    else
        snprintf(made.text, sizeof made.text, "INNER(%u)",
                 fact - RC_FACT_INNER_BASE + RC_STATUS_FACT_MIN);
    return made;
}

/* ---- lib/classify/rules/table.h ---- */

static void write_header(FILE *out)
{
    fprintf(out,
            GENERATED
            "#ifndef RC_CLASSIFY_RULES_TABLE_H\n#define RC_CLASSIFY_RULES_TABLE_H\n\n"
            "#include \"classify/rules/rule.h\"\n\n"
            "#define RC_RULES_BUILTIN_COUNT %zuu\n\n"
            "extern const rc_rule rc_rules_table[RC_RULES_BUILTIN_COUNT];\n"
            "extern const rc_rule_prefilter rc_rules_prefilters[RC_RULES_BUILTIN_COUNT];\n"
            "extern const rc_fact rc_rules_terms[];\n\n#endif\n",
            table.count);
}

/* ---- lib/classify/rules/table.c ---- */

static size_t term_count(const rc_rule *rule)
{
    const rc_fact *cursor = rule->terms;
    for (size_t i = 0; i < rule->clause_count; i++)
        rc_clause_next(&cursor);
    return (size_t)(cursor - rule->terms);
}

static void write_table(FILE *out)
{
    fputs(GENERATED "#include \"classify/rules/table.h\"\n\n/* clang-format off */\n\n"
                    "#define RULE(id, code, category, clauses, terms, when, reason) \\\n"
                    "    {RC_STR_INIT(id), RC_STR_INIT(when), RC_STR_INIT(reason), "
                    "RC_CODE_##code, \\\n"
                    "     RC_CATEGORY_##category, clauses, &rc_rules_terms[terms]},\n\n"
                    "const rc_rule rc_rules_table[RC_RULES_BUILTIN_COUNT] = {\n",
          out);
    lines l = {.out = out};
    size_t place = 0;
    for (size_t i = 0; i < table.count; i++) {
        const rc_rule *rule = &table.rules[i];
        char head[256];
        snprintf(head, sizeof head, "RULE(\"%.*s\", %s, %s, %u, %zu,", (int)rule->id.len,
                 rule->id.ptr, code_id(rule->code), category_id(rule->category), rule->clause_count,
                 place);
        put_item(&l, head);
        put_string(&l, rule->when, ",");
        put_string(&l, rule->reason, ")");
        end_line(&l);
        place += term_count(rule);
    }
    fputs("};\n\nconst rc_rule_set rc_rules_builtin = {rc_rules_table, rc_rules_prefilters,\n"
          "                                      RC_RULES_BUILTIN_COUNT};\n",
          out);
}

/* ---- lib/classify/rules/table_terms.c ---- */

static void put_terms(lines *l, const rc_rule *rule)
{
    const rc_fact *cursor = rule->terms;
    for (size_t i = 0; i < rule->clause_count; i++) {
        rc_clause clause = rc_clause_next(&cursor);
        char item[128];
        snprintf(item, sizeof item, "%s(%zu),", clause.is_not ? "NONE" : "ANY", clause.count);
        put_item(l, item);
        for (size_t k = 0; k < clause.count; k++) {
            snprintf(item, sizeof item, "%s,", symbol_of(clause.facts[k]).text);
            put_item(l, item);
        }
    }
}

static bool is_concept(rc_fact fact)
{
    return fact >= RC_FACT_SAYS_BASE && fact < RC_FACT_PROVIDER_BASE;
}

/* Collects the facts of one of the four words of a rule's prefilter, as rc_rule_prefilter_of
 * computes them. facts: RC_RULE_TERMS_MAX elements. */
static size_t needed_facts(const rc_rule *rule, bool of_all, bool of_concepts, rc_fact *facts)
{
    size_t count = 0;
    bool has_any = false;
    const rc_fact *cursor = rule->terms;
    for (size_t i = 0; i < rule->clause_count; i++) {
        rc_rule alone = {.clause_count = 1, .terms = cursor};
        rc_clause clause = rc_clause_next(&cursor);
        rc_rule_prefilter needs = rc_rule_prefilter_of(&alone);
        bool is_all = (needs.all.concepts | needs.all.others) != 0;
        if (clause.is_not || is_all != of_all || has_any)
            continue;
        has_any = !is_all;
        for (size_t k = 0; k < (is_all ? 1 : clause.count); k++) {
            if (is_concept(clause.facts[k]) == of_concepts)
                facts[count++] = clause.facts[k];
        }
    }
    /* The value of `any` for a rule without such a condition: the bit that is set in every
     * digest. */
    if (!of_all && !of_concepts && !has_any)
        facts[count++] = RC_FACT_NONE;
    return count;
}

static void put_prefilter(lines *l, const char *before, const rc_rule *rule, bool of_all,
                          bool of_concepts, const char *after)
{
    rc_fact facts[RC_RULE_TERMS_MAX];
    size_t count = needed_facts(rule, of_all, of_concepts, facts);
    char item[128];
    for (size_t i = 0; i < count; i++) {
        snprintf(item, sizeof item, "%sBIT(%s)%s", i == 0 ? before : "", symbol_of(facts[i]).text,
                 i + 1 < count ? " |" : after);
        put_item(l, item);
    }
    snprintf(item, sizeof item, "%s0%s", before, after);
    if (count == 0)
        put_item(l, item);
}

static void write_terms(FILE *out)
{
    fputs(GENERATED "#include \"classify/phrases/phrases.h\"\n"
                    "#include \"classify/rules/table.h\"\n\n"
                    "/* clang-format off */\n\n"
                    "#define ANY(count) (count)\n"
                    "#define NONE(count) (RC_CLAUSE_NOT | (count))\n"
                    "#define F(id) RC_FACT_##id\n"
                    "#define SAYS(id) (RC_FACT_SAYS_BASE + (int)RC_CONCEPT_##id)\n"
                    "#define CODE(id) (RC_FACT_CODE_BASE + (int)RC_CONCEPT_##id)\n"
                    "#define PROVIDER(index) (RC_FACT_PROVIDER_BASE + (index))\n"
                    "#define STATUS(status) (RC_FACT_STATUS_BASE + (status) - RC_STATUS_FACT_MIN)\n"
                    "#define INNER(status) (RC_FACT_INNER_BASE + (status) - RC_STATUS_FACT_MIN)\n"
                    "#define BIT(fact) (UINT64_C(1) << ((fact) % 64))\n\n"
                    "const rc_fact rc_rules_terms[] = {\n",
          out);
    lines l = {.out = out};
    for (size_t i = 0; i < table.count; i++) {
        put_terms(&l, &table.rules[i]);
        if (table.rules[i].clause_count > 0)
            end_line(&l);
    }
    /* The rule that always matches has no conditions; its `terms` points here. */
    fputs("    RC_FACT_NONE\n};\n\n"
          "const rc_rule_prefilter rc_rules_prefilters[RC_RULES_BUILTIN_COUNT] = {\n",
          out);
    for (size_t i = 0; i < table.count; i++) {
        const rc_rule *rule = &table.rules[i];
        put_prefilter(&l, "{{", rule, true, true, ",");
        put_prefilter(&l, "", rule, true, false, "},");
        put_prefilter(&l, "{", rule, false, true, ",");
        put_prefilter(&l, "", rule, false, false, "}},");
        end_line(&l);
    }
    fputs("};\n", out);
}

/* ---- docs/internals/rules-terms.md ---- */

static void print_group(FILE *out, const char *name, bool is_exclusive, const char *text)
{
    fprintf(
        out,
        "\n## %s\n\nThe terms of this group describe %s.%s\n\n| term | true when |\n|---|---|\n",
        name, text, is_exclusive ? " At most one of them is true." : "");
}

static void print_term(FILE *out, rc_fact fact)
{
    rc_fact_label label;
    rc_fact_label_init(&label, NULL, fact);
    rc_str text = rc_fact_text(fact);
    fprintf(out, "| `%.*s` | %.*s |\n", (int)label.view.len, label.view.ptr, (int)text.len,
            text.ptr);
}

static const char *kind_name(rc_concept_kind kind)
{
    switch (kind) {
    case RC_CONCEPT_DECISIVE:
        return "decisive";
    case RC_CONCEPT_GENERAL:
        return "general";
    case RC_CONCEPT_WEAK:
        return "weak";
    case RC_CONCEPT_MODIFIER:
        return "modifier";
    case RC_CONCEPT_MARKER:
    default:
        return "marker";
    }
}

static void write_list(FILE *out)
{
    fputs(
        "<!-- Generated from spec/facts.def, spec/phrases.txt and spec/providers.def by "
        "`make generate`. Do not edit. -->\n\n# Terms of rules\n\n"
        "A rule of the classifier tests the terms of this page. [rules.md](rules.md) describes the "
        "language of the rules, the\nterms with a number and the terms with a text in quotes.\n\n"
        "## says and code\n\n"
        "`says:NAME` is true if the innermost message expresses the concept NAME; `code:NAME` is "
        "true if the innermost typed code\nor type means it. The kind of a concept is *decisive* "
        "(the concept states what happened), *general*\n(the same, in words that other programs "
        "also "
        "use), *weak* (only in general terms) or *modifier* (the concept means\nnothing "
        "alone).\n\n| name | kind | meaning |\n|---|---|---|\n",
        out);
    for (unsigned i = 0; i < RC_CONCEPT_COUNT; i++) {
        rc_str name = rc_concept_name(i);
        rc_str text = rc_concept_text(i);
        fprintf(out, "| `%.*s` | %s | %.*s |\n", (int)name.len, name.ptr,
                kind_name(rc_concept_kind_of(i)), (int)text.len, text.ptr);
    }
#define RC_FACT_GROUP(GROUP, name, EXCLUSIVE, text) print_group(out, name, EXCLUSIVE, text);
#define RC_FACT(GROUP, ID, name, text) print_term(out, RC_FACT_##ID);
#include "spec/facts.def"
    fputs("\n## provider\n\nA term of this group names the provider whose failure is classified. "
          "The caller names the provider, or the classifier recognises it.\n\n",
          out);
#define RC_PROVIDER(ID, name, title, RANK, EXTRACT, codes, signatures) \
    fputs("- `provider:" name "`\n", out);
#include "spec/providers.def"
}

/* ---- output files ---- */

static int generate_all(const char *root, rc_str text)
{
    rc_alloc alloc = rc_alloc_stdlib();
    rc_rules *rules = NULL;
    rc_rules_fault fault;
    if (rc_rules_read(text, NULL, &alloc, &rules, &fault) != RC_OK) {
        fprintf(stderr, PROGRAM ": " SPEC ": %s\n", fault.text);
        return 1;
    }
    table = rules->order;
    int result = gen_file_write(PROGRAM, root, "lib/classify/rules/table.h", write_header);
    result |= gen_file_write(PROGRAM, root, "lib/classify/rules/table.c", write_table);
    result |= gen_file_write(PROGRAM, root, "lib/classify/rules/table_terms.c", write_terms);
    result |= gen_file_write(PROGRAM, root, "docs/internals/rules-terms.md", write_list);
    rc_rules_free(rules);
    return result;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fputs("usage: " PROGRAM " ROOT\n", stderr);
        return 64;
    }
    char *path = NULL;
    if (asprintf(&path, "%s/" SPEC, argv[1]) < 0) {
        fputs(PROGRAM ": no memory\n", stderr);
        return 1;
    }
    char *text = gen_file_read(PROGRAM, path);
    int result = text != NULL ? generate_all(argv[1], rc_str_c(text)) : 1;
    free(text);
    free(path);
    return result;
}
