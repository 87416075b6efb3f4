/* Decides whether a text comes from a failed call (relevance.h). Called by classify.c. */
#include "classify/relevance/relevance.h"

#include "base/str.h"
#include "classify/unwrap/unwrap.h"

/* Number of bytes that are searched at the beginning and at the end of a text. */
#define PART_BYTES ((size_t)8192)
/* A text with more bytes or lines is probably longer than one error message. */
#define MESSAGE_BYTES 300u
#define MESSAGE_LINES 4u
/* A text with at most this number of bytes is probably a message. */
#define TINY_BYTES 40u
/* Number of points from which a text is the message of a failed call (POINTS_CALL), or may be one
 * (POINTS_GUESS). */
#define POINTS_CALL 6
/* replaces POINTS_CALL if the text has a concept that only failures of models have */
#define POINTS_SPECIFIC 5
#define POINTS_GUESS 3

/* Returns whether the failure has other members than a text: a status, a header, a host ... */
static bool is_known_call(const rc_failure *failure)
{
    return failure->provider.len > 0 || failure->status != 0 || failure->header_count > 0 ||
           failure->event.len > 0 || failure->transport != RC_TRANSPORT_NONE ||
           failure->phase != RC_PHASE_NONE || failure->connection != RC_CONNECTION_NONE ||
           failure->host.len > 0 || failure->model.len > 0;
}

/* Returns whether the text has a concept that only failures of models have, such as a context
 * overflow. */
static bool is_specific(const rc_concept_set *says)
{
    for (unsigned c = 0; c < RC_CONCEPT_COUNT; c++) {
        if (rc_concept_set_has(says, c) && rc_concept_kind_of(c) == RC_CONCEPT_DECISIVE)
            return true;
    }
    return false;
}

static bool is_general(const rc_concept_set *says)
{
    for (unsigned c = 0; c < RC_CONCEPT_COUNT; c++) {
        if (rc_concept_set_has(says, c) && rc_concept_kind_of(c) == RC_CONCEPT_GENERAL)
            return true;
    }
    return false;
}

/* Returns whether the body is one JSON value with an error, or an HTML page. */
static bool is_whole_body(const rc_evidence *evidence, rc_str text)
{
    if (evidence->page_title.len > 0)
        return true;
    const bool is_json = text.ptr[0] == '{' || text.ptr[0] == '[' || text.ptr[0] == '"';
    return is_json && rc_evidence_has(evidence, RC_FACT_BODY_ERROR);
}

/* Returns the signs in the beginning and the end of a long text together. */
static rc_call_signs signs_of(rc_str text)
{
    if (text.len <= 2 * PART_BYTES)
        return rc_call_signs_of(text);
    rc_call_signs begin = rc_call_signs_of(rc_str_slice(text, 0, PART_BYTES));
    rc_call_signs end = rc_call_signs_of(rc_str_slice(text, text.len - PART_BYTES, text.len));
    begin.has_sdk |= end.has_sdk;
    begin.has_transport |= end.has_transport;
    begin.has_status |= end.has_status;
    begin.has_name |= end.has_name;
    begin.has_library_name |= end.has_library_name;
    begin.ends_in_error = end.ends_in_error;
    begin.ends_in_status = end.ends_in_status;
    begin.has_lead |= end.has_lead;
    begin.has_error |= end.has_error;
    begin.lines += end.lines;
    return begin;
}

/* Adds the signs of a message in another language than English. */
static void add_language(rc_call_signs *signs, const rc_language_reading *language)
{
    signs->words += language->words;
    signs->nouns += language->nouns;
    signs->foreign_nouns = language->has_language ? language->nouns + language->words : 0;
    signs->has_voice = signs->has_voice || language->has_voice;
}

/* Returns whether the text is a part of a larger text: its first line is indented, or its last
 * character requires more text. */
static bool is_fragment(rc_str body, rc_str text)
{
    return rc_str_starts_with(body, RC_STR("    ")) ||
           memchr(",:({[=*\\", text.ptr[text.len - 1], 8) != NULL;
}

/* Returns the points of a text that has neither a known look nor a certain sign of a failed call.
 * The weights were fitted to the messages of the conformance sets and to a collection of other
 * texts; docs/internals/classify.md has the results. */
static int points_of(const rc_evidence *evidence, rc_str text, const rc_call_signs *signs,
                     const rc_concept_set *says, unsigned coverage)
{
    int points = is_specific(says) ? 3 : is_general(says) ? 2 : 0;
    /* In another language than English, a word about calls beside a cause is a sign. */
    points += signs->foreign_nouns >= 1 ? 2 : 0;
    points += signs->foreign_nouns >= 1 && points == 2 ? 1 : 0;
    points += signs->words >= 2 ? 4 : signs->words == 1 ? 3 : 0;
    points += signs->foreign_nouns >= 2 ? 4 : signs->foreign_nouns == 1 ? 3 : 0;
    points += signs->nouns >= 1 && signs->foreign_nouns == 0 ? 2 : 0;
    points += signs->has_voice ? 3 : 0;
    points += signs->has_field ? 3 : 0;
    points += signs->has_id ? 2 : 0;
    points += signs->is_east_asian ? 2 : 0;
    points += coverage >= 75 ? 4 : coverage >= 25 ? 1 : 0;
    const bool is_json = rc_evidence_has(evidence, RC_FACT_BODY_JSON);
    points += evidence->provider != NULL ? 3 : 0;
    points += is_json ? 4 : 0;
    points += text.len <= TINY_BYTES ? 2 : 0;
    points -= signs->spans >= 2 && !signs->has_field ? 4 : 0;
    points -= is_fragment(evidence->failure->body, text) ? 3 : 0;
    points -= text.len > MESSAGE_BYTES && !is_json ? 5 : 0;
    points -= text.len > 2 * MESSAGE_BYTES || signs->lines > MESSAGE_LINES ? 6 : 0;
    return points;
}

rc_relevance rc_relevance_of(const rc_evidence *evidence, bool has_typed_code,
                             const rc_concept_set *says, unsigned coverage,
                             const rc_language_reading *language)
{
    rc_relevance relevance = {false, false, RC_LOOK_NONE};
    const rc_failure *failure = evidence->failure;
    const rc_str text = rc_str_trim(rc_str_slice(failure->body, 0, RC_EVIDENCE_BODY_MAX));
    if (is_known_call(failure) || text.len == 0 || is_whole_body(evidence, text) ||
        rc_rpc_is_error(evidence))
        return relevance;
    relevance.look = rc_look_of(rc_str_slice(failure->body, 0, PART_BYTES));
    rc_call_signs signs = signs_of(text);
    add_language(&signs, language);
    if (rc_look_is_document(relevance.look)) {
        const bool is_trace = relevance.look == RC_LOOK_SOURCE && signs.ends_in_error;
        relevance.is_foreign = !is_trace && !(has_typed_code && signs.has_sdk);
        return relevance;
    }
    if (has_typed_code || signs.has_sdk)
        return relevance;
    if (relevance.look != RC_LOOK_NONE) {
        const bool may_call = relevance.look != RC_LOOK_TESTS && relevance.look != RC_LOOK_COMPILER;
        relevance.is_foreign = !may_call || (!signs.has_transport && !signs.has_library_name);
        return relevance;
    }
    const bool is_long = text.len > MESSAGE_BYTES;
    if (signs.has_transport || (signs.has_status && (!is_long || signs.has_error)) ||
        signs.ends_in_status || signs.has_name || signs.has_lead)
        return relevance;
    const int points = points_of(evidence, text, &signs, says, coverage);
    relevance.is_foreign = points < POINTS_GUESS;
    relevance.is_guess =
        !relevance.is_foreign && points < (is_specific(says) ? POINTS_SPECIFIC : POINTS_CALL);
    if (relevance.is_foreign)
        relevance.look = RC_LOOK_TEXT;
    return relevance;
}
