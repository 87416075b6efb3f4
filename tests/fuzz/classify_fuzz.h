/* Classifies any bytes as a failure of one family of providers. Every verdict is the same the
 * second time and with a trace, its code is in the taxonomy, its report survives encoding and
 * decoding, and changes of spelling (letter case, blanks, ids, JSON white space and escapes) do
 * not change the code.
 *
 * The first four bytes select the provider, the status, and which other facts are given. Header
 * lines up to an empty line follow (if selected), then the body or event. */
#ifndef RC_TEST_CLASSIFY_FUZZ_H
#define RC_TEST_CLASSIFY_FUZZ_H

#include <jansson.h>
#include <recourse/classify.h>
#include <recourse/json.h>
#include <recourse/stdlib.h>
#include <recourse/taxonomy.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "classify/evidence.h"
#include "classify/headers.h"
#include "codec/duration.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_CONTROL_LEN 4u
#define FUZZ_INPUT_MAX 65536u
#define FUZZ_HEADERS_MAX 16u
#define FUZZ_REPORT_MAX ((size_t)1 << 20)
#define FUZZ_NOW_MS INT64_C(1794800000000)

/* Maximum length of the texts that are also classified in other spellings. No spelling of a text of
 * this length exceeds a ceiling. */
#define FUZZ_PLAIN_MAX 900u

/* Bits of the third input byte. */
#define FUZZ_HAS_HEADERS 1u
#define FUZZ_IS_EVENT 2u
#define FUZZ_HAS_TRANSPORT 4u
#define FUZZ_HAS_CLOCK 8u
#define FUZZ_HAS_WINDOW 16u
#define FUZZ_HAS_EXIT 32u

typedef struct fuzz_failure {
    rc_failure failure;
    rc_header headers[FUZZ_HEADERS_MAX];
    char *memory; /* contains exactly the text, so that the sanitizer detects a read after its
                   * end */
} fuzz_failure;

static inline void fuzz_require(bool is_true, const char *what, const rc_failure *failure)
{
    if (is_true)
        return;
    fprintf(stderr, "not true: %s\nstatus %d, provider %.*s, body: %.*s\n", what, failure->status,
            (int)failure->provider.len, failure->provider.ptr, (int)failure->body.len,
            failure->body.ptr ? failure->body.ptr : "");
    abort();
}

/* ---- input ---- */

static inline int fuzz_status(uint8_t choice)
{
    static const int STATUSES[] = {0,   200, 400, 401, 402, 403, 404, 405, 408, 409, 410, 413,
                                   415, 422, 424, 425, 429, 499, 500, 501, 502, 503, 504, 520,
                                   522, 524, 529, 530, 598, 302, -1,  700, 611, 612, 99,  100};
    return STATUSES[choice % (sizeof(STATUSES) / sizeof(STATUSES[0]))];
}

/* Reads the header lines at the start of the text, and returns the remaining text. */
static inline rc_str fuzz_read_headers(fuzz_failure *f, rc_str text)
{
    size_t at = 0;
    size_t count = 0;
    while (at < text.len) {
        size_t to = rc_str_find_byte(text, '\n', at);
        size_t end = to == RC_STR_NPOS ? text.len : to;
        rc_str line = rc_str_slice(text, at, end);
        at = end + 1;
        if (line.len == 0)
            break;
        size_t colon = rc_str_find_byte(line, ':', 0);
        if (colon == RC_STR_NPOS || count == FUZZ_HEADERS_MAX)
            continue;
        f->headers[count].name = rc_str_slice(line, 0, colon);
        f->headers[count].value = rc_str_slice(line, colon + 1, line.len);
        count++;
    }
    f->failure.headers = f->headers;
    f->failure.header_count = count;
    return rc_str_slice(text, at, text.len);
}

static inline void fuzz_read_flags(rc_failure *failure, uint8_t flags, uint8_t more)
{
    static const int EXITS[] = {1, 2, 64, 75, 124, 126, 127, 130, 137, 139, 143, 255};
    if (flags & FUZZ_HAS_TRANSPORT)
        failure->transport = (rc_transport)(more % 8u); /* includes one value that is not in the
                                                         * enum */
    failure->phase = (rc_phase)(more / 8u % 6u);
    failure->replay = (rc_replay)(more / 64u % 3u);
    failure->family = (rc_family)(more % 11u);
    if (flags & FUZZ_HAS_CLOCK)
        failure->now_unix_ms = FUZZ_NOW_MS;
    if (flags & FUZZ_HAS_WINDOW)
        failure->context_window = 8192;
    if (flags & FUZZ_HAS_EXIT)
        failure->exit_status = EXITS[more % (sizeof(EXITS) / sizeof(EXITS[0]))];
}

static inline void fuzz_init(fuzz_failure *f, const uint8_t *data, size_t size,
                             const char *const *providers, size_t count)
{
    memset(f, 0, sizeof(*f));
    size_t len = size - FUZZ_CONTROL_LEN;
    f->memory = malloc(len ? len : 1);
    if (f->memory == NULL)
        abort();
    memcpy(f->memory, data + FUZZ_CONTROL_LEN, len);
    rc_str text = rc_str_make(f->memory, len);
    /* There is one more choice than providers: the provider is unknown. */
    size_t provider = data[0] % (count + 1);
    if (provider < count)
        f->failure.provider = rc_str_c(providers[provider]);
    f->failure.model = RC_STR("some-model");
    f->failure.status = fuzz_status(data[1]);
    fuzz_read_flags(&f->failure, data[2], data[3]);
    if (data[2] & FUZZ_HAS_HEADERS)
        text = fuzz_read_headers(f, text);
    *(data[2] & FUZZ_IS_EVENT ? &f->failure.event : &f->failure.body) = text;
}

/* ---- one verdict ---- */

static inline bool fuzz_is_same(const rc_verdict *a, const rc_verdict *b)
{
    return a->code == b->code && a->category == b->category && a->is_retryable == b->is_retryable &&
           a->retry_after_ms == b->retry_after_ms && a->limit_kind == b->limit_kind &&
           a->status == b->status && rc_str_eq(a->rule, b->rule) &&
           rc_str_eq(a->provider, b->provider) && rc_str_eq(a->type, b->type) &&
           rc_str_eq(a->error_code, b->error_code) && rc_str_eq(a->param, b->param) &&
           rc_str_eq(a->message, b->message) && rc_str_eq(a->request_id, b->request_id);
}

typedef struct fuzz_trace_log {
    const rc_failure *failure;
    size_t matched;
    size_t sum; /* a sum over the notes, so that every byte of every note is read */
    rc_str rule;
} fuzz_trace_log;

static inline void fuzz_on_note(void *ctx, const rc_trace_note *note)
{
    fuzz_trace_log *h = ctx;
    fuzz_require(h->matched == 0, "the rule that matched is the last note", h->failure);
    for (size_t i = 0; i < note->subject.len; i++)
        h->sum += (unsigned char)note->subject.ptr[i];
    for (size_t i = 0; i < note->text.len; i++)
        h->sum += (unsigned char)note->text.ptr[i];
    if (note->step != RC_TRACE_RULE_MATCHED)
        return;
    h->matched++;
    h->rule = note->subject;
}

/* Checks that facts which exclude each other are never true together; the rules rely on this. */
static inline void fuzz_check_facts(const rc_failure *failure)
{
    rc_classify_space space;
    rc_evidence evidence;
    rc_evidence_init(&evidence, failure, NULL, &space);
    rc_headers_read(&evidence);
    rc_unwrap(&evidence);
    for (rc_fact a = 1; a < RC_FACT_LISTED_END; a++) {
        for (rc_fact b = 1; b < a && rc_evidence_has(&evidence, a); b++)
            fuzz_require(!rc_evidence_has(&evidence, b) || !rc_fact_excludes(a, b),
                         "facts that exclude each other are not both true", failure);
    }
}

static inline void fuzz_check_report(const rc_failure *failure, const rc_verdict *verdict)
{
    rc_alloc alloc = rc_alloc_stdlib();
    const rc_report *report = rc_classify(failure, NULL, &alloc);
    const rc_report *again = NULL;
    rc_buf buf;
    rc_buf_init(&buf, &alloc, FUZZ_REPORT_MAX);
    fuzz_require(rc_report_encode(report, RC_VIEW_INTERNAL, &buf) == RC_OK, "a report encodes",
                 failure);
    fuzz_require(rc_report_decode(rc_buf_get(&buf), RC_DECODE_STRICT, &alloc, &again, NULL) ==
                     RC_OK,
                 "it decodes strictly", failure);
    fuzz_require(rc_report_code(again) == verdict->code &&
                     rc_report_category(again) == verdict->category &&
                     rc_report_is_retryable(again) == verdict->is_retryable &&
                     rc_report_retry_after_ms(again) == verdict->retry_after_ms &&
                     rc_report_limit_kind(again) == verdict->limit_kind,
                 "and says what the verdict says", failure);
    fuzz_require(rc_str_eq(rc_report_rule(again), verdict->rule), "by the same rule", failure);
    rc_report_free(again);
    rc_report_free(report);
    rc_buf_done(&buf);
}

static inline rc_code fuzz_check_verdict(const rc_failure *failure)
{
    rc_classify_space first_space;
    rc_classify_space second_space;
    rc_classify_space third_space;
    memset(&first_space, 0x11, sizeof(first_space)); /* the previous contents must not matter */
    memset(&second_space, 0xEE, sizeof(second_space));
    rc_verdict verdict = rc_judge(failure, NULL, NULL, &first_space);
    rc_verdict second = rc_judge(failure, NULL, NULL, &second_space);
    fuzz_require(fuzz_is_same(&verdict, &second), "the same failure gets the same verdict",
                 failure);
    fuzz_trace_log trace_log = {.failure = failure};
    rc_trace trace = {fuzz_on_note, &trace_log};
    rc_verdict traced = rc_judge(failure, NULL, &trace, &third_space);
    fuzz_require(fuzz_is_same(&verdict, &traced), "a trace changes nothing", failure);
    fuzz_require(trace_log.matched == 1 && rc_str_eq(trace_log.rule, verdict.rule),
                 "the trace ends with the rule", failure);

    const rc_code_info *info = rc_code_get(verdict.code);
    fuzz_require(info != NULL, "the code is in the taxonomy", failure);
    fuzz_require(verdict.rule.len > 0 && verdict.reason.len > 0, "a rule decided", failure);
    fuzz_require(!verdict.is_retryable ||
                     (info->is_retryable && (verdict.category == RC_CATEGORY_TRANSIENT ||
                                             info->category == RC_CATEGORY_NONE)),
                 "only what is transient is retried", failure);
    fuzz_require(verdict.retry_after_ms >= -1 && verdict.retry_after_ms <= RC_DURATION_MAX_MS,
                 "a wait is a wait", failure);
    fuzz_require(verdict.status == failure->status || failure->status == 0,
                 "the status is HTTP's where there is one", failure);
    fuzz_check_facts(failure);
    fuzz_check_report(failure, &verdict);
    return verdict.code;
}

/* ---- other spellings ---- */

typedef struct fuzz_text {
    char bytes[4 * FUZZ_PLAIN_MAX];
    size_t len;
} fuzz_text;

static inline void fuzz_push(fuzz_text *t, const char *bytes, size_t len)
{
    if (len > sizeof(t->bytes) - t->len)
        abort();
    memcpy(t->bytes + t->len, bytes, len);
    t->len += len;
}

static inline rc_code fuzz_code_of(const rc_failure *failure, rc_str text)
{
    rc_failure other = *failure;
    rc_classify_space space;
    if (failure->event.len > 0)
        other.event = text;
    else
        other.body = text;
    return rc_judge(&other, NULL, NULL, &space).code;
}

static inline rc_code fuzz_code_of_text(const rc_failure *failure, const fuzz_text *t)
{
    return fuzz_code_of(failure, rc_str_make(t->bytes, t->len));
}

static inline void fuzz_compare(const rc_failure *failure, rc_str left, rc_str right,
                                const char *what)
{
    rc_code left_code = fuzz_code_of(failure, left);
    rc_code right_code = fuzz_code_of(failure, right);
    if (left_code == right_code)
        return;
    fprintf(stderr, "%s: %s [%.*s]\n%s: %s [%.*s]\n", what, rc_code_name(left_code), (int)left.len,
            left.ptr, what, rc_code_name(right_code), (int)right.len, right.ptr);
    fuzz_require(false, what, failure);
}

static inline void fuzz_compare_texts(const rc_failure *failure, const fuzz_text *left,
                                      const fuzz_text *right, const char *what)
{
    fuzz_compare(failure, rc_str_make(left->bytes, left->len),
                 rc_str_make(right->bytes, right->len), what);
}

/* Returns whether the byte stays in the plain text. An apostrophe belongs to a word, but a quote
 * would make a word the name of a member. A colon stays only before a letter: after a colon, a
 * number can be a status, which depends on the case of the next letter. */
static inline bool fuzz_is_plain(rc_str text, size_t i)
{
    char c = text.ptr[i];
    if (c == ':')
        return i + 1 < text.len && rc_ascii_is_alpha(text.ptr[i + 1]);
    if (c == '\'')
        return i > 0 && i + 1 < text.len && rc_ascii_is_alpha(text.ptr[i - 1]) &&
               rc_ascii_is_alpha(text.ptr[i + 1]);
    return rc_ascii_is_alnum(c) || (c != '\0' && strchr(".,;:!?-()/%_ ", c) != NULL);
}

/* Returns whether the text begins with the fields of a stream or with the first sentence of an AWS
 * SDK's exception. Such texts have only one spelling, so they are not compared. */
static inline bool fuzz_is_wrapped(rc_str text)
{
    static const rc_str STARTS[] = {RC_STR_INIT(":"), RC_STR_INIT("data:"), RC_STR_INIT("event:"),
                                    RC_STR_INIT("id:")};
    for (size_t i = 0; i < sizeof(STARTS) / sizeof(STARTS[0]); i++) {
        if (rc_str_starts_with_nocase(text, STARTS[i]))
            return true;
    }
    return rc_str_find(text, RC_STR("An error occurred ("), 0) != RC_STR_NPOS;
}

/* Writes the words of the text, without the characters that would make the text JSON, a page,
 * fields or lines. */
static inline bool fuzz_plain(rc_str text, fuzz_text *ret_plain)
{
    ret_plain->len = 0;
    for (size_t i = 0; i < text.len && ret_plain->len < FUZZ_PLAIN_MAX; i++)
        fuzz_push(ret_plain, fuzz_is_plain(text, i) ? &text.ptr[i] : " ", 1);
    rc_str trimmed = rc_str_trim(rc_str_make(ret_plain->bytes, ret_plain->len));
    memmove(ret_plain->bytes, trimmed.ptr, trimmed.len);
    ret_plain->len = trimmed.len;
    trimmed.ptr = ret_plain->bytes;
    return trimmed.len > 0 && !fuzz_is_wrapped(trimmed);
}

/* Checks that the case of letters does not matter. Identifiers such as RateLimitError are split at
 * capitals, so only texts in a single case are compared. */
static inline void fuzz_check_case(const rc_failure *failure, const fuzz_text *plain)
{
    fuzz_text lower = {.len = 0};
    fuzz_text upper = {.len = 0};
    for (size_t i = 0; i < plain->len; i++) {
        char small = rc_ascii_lower(plain->bytes[i]);
        char big = small >= 'a' && small <= 'z' ? (char)(small - ('a' - 'A')) : small;
        fuzz_push(&lower, &small, 1);
        fuzz_push(&upper, &big, 1);
    }
    fuzz_compare_texts(failure, &lower, &upper, "letter case does not matter");
}

static inline void fuzz_check_blanks(const rc_failure *failure, const fuzz_text *plain)
{
    fuzz_text wide = {.len = 0};
    for (size_t i = 0; i < plain->len; i++) {
        if (plain->bytes[i] == ' ')
            fuzz_push(&wide, " ", 1);
        fuzz_push(&wide, &plain->bytes[i], 1);
    }
    fuzz_compare_texts(failure, plain, &wide, "the width of blanks does not matter");
}

/* Checks that the letters of an id do not matter. Some phrases apply only at the end of a text, so
 * a text with an id is compared with the same text with another id. */
static inline void fuzz_check_ids(const rc_failure *failure, const fuzz_text *plain)
{
    static const char *const IDS[][2] = {
        {" (req_abcdefabcxyz)", " (req_429500abc503)"},
        {" id-abc-x", " id-429-x"},
        {" trace=af3bc", " trace=529bc"},
    };
    for (size_t i = 0; i < sizeof(IDS) / sizeof(IDS[0]); i++) {
        fuzz_text without = *plain;
        fuzz_text with = *plain;
        fuzz_push(&without, IDS[i][0], strlen(IDS[i][0]));
        fuzz_push(&with, IDS[i][1], strlen(IDS[i][1]));
        fuzz_compare_texts(failure, &without, &with, "digits in an id do not matter");
    }
}

/* Returns whether the JSON is read as an error. JSON without any member of an error is read as
 * words, in which punctuation has the meaning that it has in sentences. */
static inline bool fuzz_is_error_json(const rc_failure *failure, rc_str text)
{
    rc_classify_space space;
    rc_failure other = *failure;
    other.body = text;
    other.event = rc_str_make(NULL, 0);
    rc_str message = rc_judge(&other, NULL, NULL, &space).message;
    return message.len == 0 || message.ptr[0] != '{';
}

static inline void fuzz_compare_json(const rc_failure *failure, const json_t *json)
{
    char *compact = json_dumps(json, JSON_COMPACT);
    char *pretty = json_dumps(json, JSON_INDENT(2));
    char *ascii = json_dumps(json, JSON_COMPACT | JSON_ENSURE_ASCII);
    if (compact != NULL && pretty != NULL && ascii != NULL &&
        fuzz_is_error_json(failure, rc_str_c(compact))) {
        fuzz_compare(failure, rc_str_c(compact), rc_str_c(pretty), "JSON's layout does not matter");
        fuzz_compare(failure, rc_str_c(compact), rc_str_c(ascii), "JSON's escapes do not matter");
    }
    free(compact);
    free(pretty);
    free(ascii);
}

/* Checks that the spelling of JSON does not matter. Jansson drops one of two members of the same
 * name, so only texts that Jansson wrote are compared with each other. */
static inline void fuzz_check_json(const rc_failure *failure, rc_str text)
{
    rc_str trimmed = rc_str_trim(text);
    if (trimmed.len == 0 || trimmed.len > FUZZ_PLAIN_MAX || trimmed.ptr[0] != '{')
        return;
    json_t *json = json_loadb(trimmed.ptr, trimmed.len, 0, NULL);
    if (json != NULL)
        fuzz_compare_json(failure, json);
    json_decref(json);
}

static inline void fuzz_check_spellings(const rc_failure *failure)
{
    rc_str text = failure->event.len > 0 ? failure->event : failure->body;
    fuzz_check_json(failure, text);
    fuzz_text plain;
    if (!fuzz_plain(text, &plain))
        return;
    fuzz_check_case(failure, &plain);
    fuzz_check_blanks(failure, &plain);
    fuzz_check_ids(failure, &plain);
}

/* Runs all checks for one input. more: further checks for this family of providers, or NULL. */
static inline int fuzz_classify(const uint8_t *data, size_t size, const char *const *providers,
                                size_t count, void (*more)(const rc_failure *failure))
{
    if (size < FUZZ_CONTROL_LEN || size > FUZZ_INPUT_MAX)
        return 0;
    fuzz_failure f;
    fuzz_init(&f, data, size, providers, count);
    (void)fuzz_check_verdict(&f.failure);
    fuzz_check_spellings(&f.failure);
    if (more != NULL)
        more(&f.failure);
    free(f.memory);
    return 0;
}

#endif
