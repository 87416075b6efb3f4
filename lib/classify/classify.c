/* Classifier: unwraps a failure, turns its texts into facts and applies the first matching rule.
 * rc_judge is called by verdict_report.c (rc_classify) and the explain command. */
#include <recourse/classify.h>

#include <string.h>

#include <recourse/taxonomy.h>

#include "base/str.h"
#include "classify/connection.h"
#include "classify/evidence.h"
#include "classify/headers.h"
#include "classify/languages/languages.h"
#include "classify/phrases/phrases.h"
#include "classify/providers/provider.h"
#include "classify/relevance/relevance.h"
#include "classify/rules/rule.h"

/* Longest wait that is usual after a rate limit. A longer wait sets the fact hint:long. */
#define LONG_WAIT_MS INT64_C(3600000)

/* The concepts found in the layers of one failure (errors nested in each other). */
typedef struct meaning {
    rc_phrase_scan scan;
    rc_str scanned; /* The text whose concepts scan.found contains; ptr is NULL if scan.found
                       belongs to no text. */
    rc_concept_set says;
    rc_concept_set code;
    unsigned coverage; /* The largest share of a message that one phrase covers, in per cent. */
    rc_language_reading language; /* What a message in another language than English says. */
} meaning;

static void add_all(rc_concept_set *to, const rc_concept_set *from)
{
    for (size_t i = 0; i < sizeof(to->bits) / sizeof(to->bits[0]); i++)
        to->bits[i] |= from->bits[i];
}

static bool has_decisive(const rc_concept_set *set)
{
    for (unsigned i = 0; i < RC_CONCEPTS_MAX / 64; i++) {
        for (uint64_t bits = set->bits[i]; bits != 0; bits &= bits - 1) {
            unsigned concept = i * 64 + (unsigned)__builtin_ctzll(bits);
            rc_concept_kind kind = rc_concept_kind_of(concept);
            if (kind == RC_CONCEPT_DECISIVE || kind == RC_CONCEPT_GENERAL)
                return true;
        }
    }
    return false;
}

/* Scans a text for concepts. Does nothing if scan.found already has the concepts of this text:
 * read_layers scans the messages that find_provider has scanned before. */
static void scan_text(meaning *m, rc_str text)
{
    if (m->scanned.ptr == text.ptr && m->scanned.len == text.len)
        return;
    rc_phrase_scan_text(&m->scan, text);
    m->scanned = text;
}

static void note_concepts(const rc_evidence *evidence, const meaning *m, rc_str prefix, rc_str text)
{
    if (evidence->trace == NULL)
        return;
    for (unsigned c = 0; c < RC_CONCEPT_COUNT; c++) {
        if (!rc_concept_set_has(&m->scan.found, c))
            continue;
        char name_bytes[64];
        rc_buf name;
        rc_buf_init_fixed(&name, name_bytes, sizeof(name_bytes));
        rc_buf_push(&name, prefix);
        rc_buf_push(&name, rc_concept_name(c));
        rc_phrase_span span = m->scan.spans[c];
        rc_evidence_note(evidence, RC_TRACE_FACT, rc_buf_get(&name),
                         rc_str_slice(text, span.from, span.to));
    }
}

/* Finds the code in the provider's own table of codes. If the table contains the code, stores the
 * code's concept in scan.found and returns true. */
static bool read_known_code(const rc_evidence *evidence, meaning *m, rc_str code)
{
    const rc_provider *provider = evidence->provider;
    for (size_t i = 0; provider != NULL && i < provider->code_count; i++) {
        if (!rc_str_eq_nocase(code, provider->codes[i].code))
            continue;
        unsigned concept = provider->codes[i].concept;
        m->scan.found = (rc_concept_set){0};
        m->scan.found.bits[concept / 64] |= UINT64_C(1) << (concept % 64);
        m->scan.spans[concept] = (rc_phrase_span){0, (uint32_t)code.len, 0};
        return true;
    }
    return false;
}

static bool read_code(const rc_evidence *evidence, meaning *m, rc_str code)
{
    if (code.len == 0)
        return false;
    m->scanned = (rc_str){NULL, 0};
    if (!read_known_code(evidence, m, code))
        rc_phrase_scan_code(&m->scan, code);
    note_concepts(evidence, m, RC_STR("code:"), code);
    add_all(&m->code, &m->scan.found);
    return has_decisive(&m->scan.found);
}

static bool read_codes(const rc_evidence *evidence, meaning *m, const rc_layer *layer)
{
    bool is_decisive = read_code(evidence, m, layer->code);
    is_decisive |= read_code(evidence, m, layer->type);
    is_decisive |= read_code(evidence, m, layer->reason);
    is_decisive |= read_code(evidence, m, layer->status_word);
    return is_decisive;
}

/* Returns the offset within the span at which the wait begins: the first digit ("retry in 20
 * seconds"); without a digit, the last word ("wait a minute"). */
static size_t wait_at(rc_str text, rc_phrase_span span)
{
    for (size_t i = span.from; i < span.to && i < text.len; i++) {
        if (rc_ascii_is_digit(text.ptr[i]))
            return i;
    }
    return span.last_word;
}

static void read_wait(rc_evidence *evidence, rc_str text, rc_phrase_span span)
{
    rc_str words = rc_str_slice(text, span.from, span.to);
    if (rc_str_starts_with_nocase(words, RC_STR("retrying")))
        rc_evidence_note(evidence, RC_TRACE_IGNORED, RC_STR("message"),
                         RC_STR("a client's own retry, not what the provider asks for"));
    else
        rc_hints_add_text(&evidence->hints, text, wait_at(text, span));
}

/* Returns whether the concepts show that a text is about a limit. Only in such a text are numbers
 * read as the numbers of a limit. */
static bool has_limit_concept(const rc_concept_set *set)
{
    static const rc_concept CONCEPTS[] = {
        RC_CONCEPT_RATE,        RC_CONCEPT_QUOTA,        RC_CONCEPT_PLAN,
        RC_CONCEPT_TOO_LARGE,   RC_CONCEPT_BALANCE,      RC_CONCEPT_WINDOW_SHORT,
        RC_CONCEPT_WINDOW_LONG, RC_CONCEPT_TOKENS_LIMIT, RC_CONCEPT_RESOURCE_EXHAUSTED,
    };
    for (size_t i = 0; i < sizeof(CONCEPTS) / sizeof(CONCEPTS[0]); i++) {
        if (rc_concept_set_has(set, CONCEPTS[i]))
            return true;
    }
    return false;
}

/* Returns the share of the text that its longest phrase covers, in percent. */
static unsigned coverage_of(const meaning *m, rc_str text)
{
    size_t longest = 0;
    for (unsigned c = 0; c < RC_CONCEPT_COUNT; c++) {
        const rc_phrase_span *span = &m->scan.spans[c];
        if (rc_concept_set_has(&m->scan.found, c) && rc_concept_kind_of(c) != RC_CONCEPT_MODIFIER &&
            span->to - span->from > longest)
            longest = span->to - span->from;
    }
    return (unsigned)(longest * 100 / text.len);
}

static void note_language(const rc_evidence *evidence, const rc_language_reading *reading)
{
    if (evidence->trace == NULL)
        return;
    for (unsigned c = 0; c < RC_CONCEPT_COUNT; c++) {
        if (!rc_concept_set_has(&reading->says, c))
            continue;
        char name_bytes[64];
        rc_buf name;
        rc_buf_init_fixed(&name, name_bytes, sizeof(name_bytes));
        rc_buf_push(&name, RC_STR("says:"));
        rc_buf_push(&name, rc_concept_name(c));
        rc_evidence_note(evidence, RC_TRACE_FACT, rc_buf_get(&name), reading->sentence);
    }
}

static bool is_ascii(rc_str text)
{
    for (size_t i = 0; i < text.len && i < RC_LANGUAGE_TEXT_MAX; i++) {
        if ((unsigned char)text.ptr[i] >= 0x80)
            return false;
    }
    return true;
}

/* Reads a message by the roles of its words if it has letters that English lacks, or if no phrase
 * tells what happened. Chinese has phrases, so the roles of a Chinese message count only if no
 * phrase tells it. Returns whether the roles tell it. */
static bool read_language(rc_evidence *evidence, meaning *m, rc_str text, bool is_told)
{
    if (is_told && is_ascii(text))
        return false;
    const bool has_letters = rc_language_has_letters(text);
    rc_language_reading reading = rc_language_read(text);
    if (!reading.has_language && !has_letters)
        return false;
    if (is_told && !has_letters) {
        m->language = reading;
        return false;
    }
    note_language(evidence, &reading);
    add_all(&m->says, &reading.says);
    if (reading.wait_ms >= 0)
        rc_hints_add_wait(&evidence->hints, reading.wait_ms, reading.wait_text);
    const bool is_telling = has_decisive(&reading.says);
    if (has_letters || is_telling || reading.sentence.len > 0)
        m->language = reading;
    return is_telling;
}

static bool read_message(rc_evidence *evidence, meaning *m, rc_str text)
{
    if (text.len == 0)
        return false;
    scan_text(m, text);
    note_concepts(evidence, m, RC_STR("says:"), text);
    if (rc_concept_set_has(&m->scan.found, RC_CONCEPT_WAIT))
        read_wait(evidence, text, m->scan.spans[RC_CONCEPT_WAIT]);
    if (has_limit_concept(&m->scan.found))
        rc_limits_parse(text, &evidence->limits);
    add_all(&m->says, &m->scan.found);
    const unsigned coverage = coverage_of(m, text);
    m->coverage = coverage > m->coverage ? coverage : m->coverage;
    const bool is_told = has_decisive(&m->scan.found);
    return read_language(evidence, m, text, is_told) || is_told;
}

/* Iterates over the layers from the innermost to the outermost: returns the layer after `last`, or
 * the innermost one if `last` is NULL. Returns NULL after the outermost layer. */
static const rc_layer *next_outward(const rc_evidence *evidence, const rc_layer *last)
{
    const rc_layer *best = NULL;
    for (size_t i = 0; i < evidence->layer_count; i++) {
        const rc_layer *layer = &evidence->layers[i];
        bool is_further_out = last == NULL || layer->depth < last->depth ||
                              (layer->depth == last->depth && layer > last);
        if (is_further_out && (best == NULL || layer->depth > best->depth))
            best = layer;
    }
    return best;
}

static void note_layer(const rc_evidence *evidence, const rc_layer *layer)
{
    if (evidence->trace == NULL)
        return;
    rc_evidence_note(evidence, RC_TRACE_LAYER, layer->where, layer->message);
    if (layer->type.len > 0)
        rc_evidence_note(evidence, RC_TRACE_FIELD, RC_STR("type"), layer->type);
    if (layer->code.len > 0)
        rc_evidence_note(evidence, RC_TRACE_FIELD, RC_STR("code"), layer->code);
    if (layer->reason.len > 0)
        rc_evidence_note(evidence, RC_TRACE_FIELD, RC_STR("reason"), layer->reason);
    if (layer->status_word.len > 0)
        rc_evidence_note(evidence, RC_TRACE_FIELD, RC_STR("status"), layer->status_word);
    if (layer->param.len > 0)
        rc_evidence_note(evidence, RC_TRACE_FIELD, RC_STR("param"), layer->param);
}

/* Returns whether the layer has both a message and a typed (machine-readable) code. The text of the
 * layers around it then belongs to relays that wrapped the error. */
static bool has_typed_code(const rc_layer *layer)
{
    return layer->message.len > 0 &&
           (layer->code.len > 0 || layer->type.len > 0 || layer->status_word.len > 0);
}

/* Reads the layers from the innermost to the outermost. Once a layer has a message with a decisive
 * concept, the messages of the layers around it are not read. In the same way, once a layer has a
 * decisive code, the codes of the layers around it are not read. */
static void read_layers(rc_evidence *evidence, meaning *m)
{
    bool has_code = false;
    bool has_message = false;
    for (const rc_layer *layer = next_outward(evidence, NULL); layer != NULL;
         layer = next_outward(evidence, layer)) {
        note_layer(evidence, layer);
        if (!has_message)
            has_message = read_message(evidence, m, layer->message) || has_typed_code(layer);
        if (!has_code)
            has_code = read_codes(evidence, m, layer);
    }
    for (size_t i = 0; i < evidence->modifier_count; i++) {
        rc_phrase_scan_code(&m->scan, evidence->modifiers[i]);
        if (rc_concept_set_has(&m->scan.found, RC_CONCEPT_WINDOW_SHORT))
            rc_evidence_set(evidence, RC_FACT_WINDOW_SHORT);
        if (rc_concept_set_has(&m->scan.found, RC_CONCEPT_WINDOW_LONG))
            rc_evidence_set(evidence, RC_FACT_WINDOW_LONG);
    }
}

static bool means(const meaning *m, unsigned concept)
{
    return rc_concept_set_has(&m->says, concept) || rc_concept_set_has(&m->code, concept);
}

static int inner_status(const rc_evidence *evidence)
{
    for (const rc_layer *layer = next_outward(evidence, NULL); layer != NULL;
         layer = next_outward(evidence, layer)) {
        if (layer->status > 0)
            return layer->status;
    }
    return 0;
}

static void set_inner_status(rc_evidence *evidence, int status)
{
    if (status < 400 || status == evidence->failure->status)
        return;
    if (evidence->failure->status != 0) {
        rc_facts_set_inner(&evidence->facts, status);
        return;
    }
    /* The failure has no HTTP status, so the status in its text is used instead. */
    rc_facts_clear(&evidence->facts, RC_FACT_STATUS_NONE);
    rc_facts_set_status(&evidence->facts, status);
}

static void set_facts(rc_evidence *evidence, meaning *m)
{
    /* A limit of bytes, images or files is not the context window. */
    if ((rc_concept_set_has(&m->says, RC_CONCEPT_BYTE_SIZE) ||
         rc_concept_set_has(&m->says, RC_CONCEPT_OTHER_SIZE)) &&
        !rc_concept_set_has(&m->says, RC_CONCEPT_MENTIONS_TOKEN))
        m->says.bits[RC_CONCEPT_CONTEXT_OVERFLOW / 64] &=
            ~(UINT64_C(1) << (RC_CONCEPT_CONTEXT_OVERFLOW % 64));
    for (unsigned i = 0; i < RC_CONCEPTS_MAX / 64; i++) {
        evidence->facts.bits[RC_FACT_SAYS_BASE / 64 + i] |= m->says.bits[i];
        evidence->facts.bits[RC_FACT_CODE_BASE / 64 + i] |= m->code.bits[i];
    }
    if (means(m, RC_CONCEPT_WINDOW_SHORT) || means(m, RC_CONCEPT_CONCURRENCY))
        rc_evidence_set(evidence, RC_FACT_WINDOW_SHORT);
    if (means(m, RC_CONCEPT_WINDOW_LONG))
        rc_evidence_set(evidence, RC_FACT_WINDOW_LONG);
    if (means(m, RC_CONCEPT_LOCAL_HOST))
        rc_evidence_set(evidence, RC_FACT_HOST_LOCAL);
    if (rc_limits_is_zero(&evidence->limits))
        rc_evidence_set(evidence, RC_FACT_LIMIT_ZERO);
    if (rc_limits_is_too_small(&evidence->limits))
        rc_evidence_set(evidence, RC_FACT_LIMIT_TOO_SMALL);
    int64_t wait_ms = rc_hints_wait_ms(&evidence->hints);
    if (wait_ms >= 0)
        rc_evidence_set(evidence, RC_FACT_HINT_ANY);
    if (wait_ms > LONG_WAIT_MS)
        rc_evidence_set(evidence, RC_FACT_HINT_LONG);
    const rc_failure *failure = evidence->failure;
    if (failure->context_window > 0 && evidence->prompt_tokens > failure->context_window)
        rc_evidence_set(evidence, RC_FACT_BODY_OVER_WINDOW);
}

static rc_limit_kind limit_kind(const rc_evidence *evidence, const meaning *m, rc_code code)
{
    if (code == RC_CODE_OVERLOADED)
        return means(m, RC_CONCEPT_OVERLOADED) ? RC_LIMIT_KIND_MODEL_CAPACITY : RC_LIMIT_KIND_NONE;
    if (code == RC_CODE_QUOTA_EXHAUSTED) {
        bool is_long = rc_evidence_has(evidence, RC_FACT_WINDOW_LONG);
        if (evidence->failure->status == 402)
            return RC_LIMIT_KIND_BALANCE;
        if (is_long && means(m, RC_CONCEPT_RATE))
            return RC_LIMIT_KIND_DAILY;
        if (means(m, RC_CONCEPT_BALANCE))
            return RC_LIMIT_KIND_BALANCE;
        if (means(m, RC_CONCEPT_PLAN))
            return RC_LIMIT_KIND_PLAN;
        return is_long ? RC_LIMIT_KIND_DAILY : RC_LIMIT_KIND_BALANCE;
    }
    if (code != RC_CODE_RATE_LIMITED)
        return RC_LIMIT_KIND_NONE;
    if (means(m, RC_CONCEPT_CONCURRENCY))
        return RC_LIMIT_KIND_CONCURRENCY;
    if (means(m, RC_CONCEPT_TOKENS_LIMIT))
        return RC_LIMIT_KIND_TOKENS;
    return RC_LIMIT_KIND_REQUESTS;
}

/* Returns the wait that the verdict reports, in milliseconds; -1: no wait. A wait in a header is
 * always reported, because a header is explicit. A wait from another source is reported only if
 * waiting can help. */
static int64_t wait_of(const rc_evidence *evidence, rc_category category)
{
    rc_hint hint = rc_hints_best(&evidence->hints);
    bool is_useful = category == RC_CATEGORY_TRANSIENT || category == RC_CATEGORY_CAPACITY ||
                     rc_evidence_has(evidence, RC_FACT_LIMIT_TOO_SMALL);
    return is_useful || hint.rank == RC_HINT_RANK_HEADER ? hint.wait_ms : -1;
}

static rc_rule_input rule_input(const rc_evidence *evidence, const rc_layer *innermost)
{
    const rc_failure *failure = evidence->failure;
    rc_rule_input input = {
        .all_text = failure->body.len > 0 ? failure->body : failure->event,
        .model = failure->model,
        .headers = failure->headers,
        .header_count = failure->header_count,
    };
    if (innermost != NULL) {
        input.message = innermost->message;
        input.type = innermost->type;
        input.code = innermost->code;
    }
    return input;
}

/* Returns the innermost message that is not empty. If all messages are empty, returns the title of
 * the HTML page. */
static rc_str message_of(const rc_evidence *evidence)
{
    for (const rc_layer *layer = next_outward(evidence, NULL); layer != NULL;
         layer = next_outward(evidence, layer)) {
        if (layer->message.len > 0)
            return layer->message;
    }
    return evidence->page_title;
}

static bool is_lasting_fault(rc_connection_fault fault)
{
    const rc_connection_info *connection = rc_connection_get(fault);
    return connection != NULL && connection->is_lasting;
}

static rc_basis basis_of(const rc_evidence *evidence, const rc_rule *rule,
                         const rc_relevance *relevance)
{
    if (rule->code == RC_CODE_UNCLASSIFIED)
        return RC_BASIS_NONE;
    return relevance->is_guess ? RC_BASIS_GUESS : rc_rule_basis(rule, &evidence->facts);
}

static rc_verdict verdict_of(const rc_evidence *evidence, const meaning *m, const rc_rule *rule,
                             const rc_relevance *relevance)
{
    const bool is_foreign = relevance->is_foreign && rule->code == RC_CODE_UNCLASSIFIED;
    rc_verdict verdict = {
        .code = rule->code,
        .category = rc_rule_category(rule),
        .is_retryable = rc_rule_is_retryable(rule) && !relevance->is_guess,
        .rule = rule->id,
        .reason = rule->reason,
        .provider = evidence->provider_name,
        .recognised_by = evidence->recognised_by,
        .request_id = evidence->request_id,
        .message = message_of(evidence),
        .basis = basis_of(evidence, rule, relevance),
        .looks_like = rc_look_name(is_foreign ? relevance->look : RC_LOOK_NONE),
    };
    if (is_foreign) {
        /* The text does not come from a failed call, so the verdict has no provider and no wait
         * from the text. */
        verdict.reason = rc_look_reason(relevance->look);
        verdict.provider = verdict.recognised_by = rc_str_make(NULL, 0);
        verdict.retry_after_ms = -1;
        return verdict;
    }
    const rc_layer *innermost = rc_evidence_innermost(evidence);
    if (innermost != NULL) {
        verdict.type = innermost->type.len > 0 ? innermost->type : innermost->status_word;
        verdict.error_code = innermost->code.len > 0 ? innermost->code : innermost->reason;
        verdict.param = innermost->param;
    }
    if (verdict.error_code.len == 0)
        verdict.error_code = evidence->finish_reason;
    verdict.status = evidence->failure->status;
    if (verdict.status == 0)
        verdict.status = inner_status(evidence);
    verdict.limit_kind = limit_kind(evidence, m, rule->code);
    verdict.retry_after_ms = wait_of(evidence, verdict.category);
    verdict.is_retry_refused = rc_evidence_has(evidence, RC_FACT_HINT_NO_RETRY) ||
                               is_lasting_fault(evidence->failure->connection);
    return verdict;
}

/* Finds the provider by signatures, then by the host's name, then by provider names in the text. A
 * later step runs only if the earlier steps found no provider, or only an edge server (nginx,
 * Cloudflare ...). */
static void find_provider(rc_evidence *evidence, meaning *m)
{
    rc_concept_set words = {{0}};
    bool is_open = rc_provider_find_by_signature(evidence);
    if (is_open && evidence->failure->host.len > 0) {
        rc_phrase_scan_text(&m->scan, evidence->failure->host);
        rc_provider_find_by_name(evidence, &m->scan.found, RC_STR("the host's name"));
        is_open = evidence->provider == NULL || evidence->provider->rank == RC_PROVIDER_EDGE;
    }
    if (is_open) {
        for (size_t i = 0; i < evidence->layer_count; i++) {
            if (evidence->layers[i].message.len == 0)
                continue;
            scan_text(m, evidence->layers[i].message);
            add_all(&words, &m->scan.found);
        }
        rc_provider_find_by_name(evidence, &words, RC_STR("its name in the text"));
    }
    rc_provider_extract(evidence);
}

static bool is_builtin(const rc_rule *rule)
{
    for (size_t i = 0; i < rc_rules_builtin.count; i++)
        if (rc_str_eq(rc_rules_builtin.rules[i].id, rule->id))
            return true;
    return false;
}

/* Clears all facts that were read from the text, so that only rules about exit statuses can
 * match. */
static void clear_words(rc_evidence *evidence)
{
    for (unsigned i = 0; i < RC_CONCEPTS_MAX / 64; i++) {
        evidence->facts.bits[RC_FACT_SAYS_BASE / 64 + i] = 0;
        evidence->facts.bits[RC_FACT_CODE_BASE / 64 + i] = 0;
    }
    for (unsigned fact = RC_FACT_STATUS_BASE; fact < RC_FACT_LITERAL_BASE; fact++)
        rc_facts_clear(&evidence->facts, fact);
    for (unsigned fact = RC_FACT_STATUS_2XX; fact <= RC_FACT_INNER_5XX; fact++)
        rc_facts_clear(&evidence->facts, fact);
    rc_facts_set_status(&evidence->facts, 0);
}

/* Sets the fact body:foreign if the text does not come from a failed call, so that the verdict does
 * not depend on its numbers and words. Does nothing if a user's rule matches, or if no rule matches
 * and the text has no known look. */
static rc_relevance set_foreign(rc_evidence *evidence, const meaning *m, const rc_rules *rules)
{
    rc_relevance relevance =
        rc_relevance_of(evidence, has_decisive(&m->code), &m->says, m->coverage, &m->language);
    if (!relevance.is_foreign)
        return relevance;
    const rc_rule *rule = rc_rules_match(rules, &evidence->facts, NULL);
    const bool is_formless = rule->code == RC_CODE_UNCLASSIFIED && relevance.look == RC_LOOK_TEXT;
    relevance.is_foreign = is_builtin(rule) && !is_formless;
    if (relevance.is_foreign) {
        clear_words(evidence);
        rc_evidence_set(evidence, RC_FACT_BODY_FOREIGN);
        rc_evidence_note(evidence, RC_TRACE_FACT, RC_STR("body:foreign"),
                         rc_look_name(relevance.look));
    }
    return relevance;
}

rc_verdict rc_judge(const rc_failure *failure, const rc_rules *rules, const rc_trace *trace,
                    rc_classify_space *space)
{
    rc_evidence evidence;
    meaning m;
    rc_evidence_init(&evidence, failure, trace, space);
    rc_phrase_scan_init(&m.scan);
    m.scanned = (rc_str){NULL, 0};
    m.says = (rc_concept_set){0};
    m.code = (rc_concept_set){0};
    m.coverage = 0;
    m.language = (rc_language_reading){.wait_ms = -1};

    rc_headers_read(&evidence);
    rc_unwrap(&evidence);
    rc_headers_add_type(&evidence);
    find_provider(&evidence, &m);
    read_layers(&evidence, &m);
    set_inner_status(&evidence, inner_status(&evidence));
    set_facts(&evidence, &m);

    rc_rule_input input = rule_input(&evidence, rc_evidence_innermost(&evidence));
    rc_rules_set_literals(rules, &input, &evidence.facts);
    const rc_relevance relevance = set_foreign(&evidence, &m, rules);
    const rc_rule *rule = rc_rules_match(rules, &evidence.facts, trace);
    return verdict_of(&evidence, &m, rule, &relevance);
}

/* ---- constructors of rc_failure ---- */

rc_failure rc_failure_http(int status, const char *body, size_t length)
{
    rc_failure failure;
    memset(&failure, 0, sizeof failure);
    failure.status = status;
    failure.body = rc_str_make(body, body != NULL ? length : 0);
    return failure;
}

rc_failure rc_failure_http_text(int status, const char *body)
{
    return rc_failure_http(status, body, body != NULL ? strlen(body) : 0);
}
