/* Messages for users: inserts the names of provider and model into the sentences of
 * spec/errors.def. Called by the builder and the classifier. */
#include "report/message.h"

#include "base/str.h"
#include "base/utf8.h"

static const rc_str PROVIDER_WORDS = RC_STR_INIT("the provider");
static const rc_str MODEL_WORDS = RC_STR_INIT("the model");

/* Returns whether "the" or "The", with which "the provider" and "the model" begin, may be at `at`.
 * The function checks only a few bytes. */
static bool has_article(rc_str sentence, size_t at)
{
    return (sentence.ptr[at] | 0x20) == 't' && sentence.len - at >= MODEL_WORDS.len &&
           (sentence.ptr[at + 1] | 0x20) == 'h';
}

rc_status rc_message_push(rc_buf *buf, rc_str sentence, rc_str provider, rc_str model)
{
    size_t written = 0;
    for (size_t at = 0; at < sentence.len; at++) {
        if (!has_article(sentence, at))
            continue;
        rc_str rest = rc_str_make(sentence.ptr + at, sentence.len - at);
        if (provider.len && rc_str_starts_with_nocase(rest, PROVIDER_WORDS)) {
            rc_buf_push(buf, rc_str_make(sentence.ptr + written, at - written));
            rc_buf_push(buf, provider);
            written = at + PROVIDER_WORDS.len;
            at = written - 1;
        } else if (model.len && rc_str_starts_with_nocase(rest, MODEL_WORDS)) {
            size_t end = at + MODEL_WORDS.len;
            rc_buf_push(buf, rc_str_make(sentence.ptr + written, end - written));
            rc_buf_push_byte(buf, ' ');
            rc_buf_push(buf, model);
            written = end;
            at = written - 1;
        }
    }
    return rc_buf_push(buf, rc_str_slice(sentence, written, sentence.len));
}

static void push_line(rc_buf *buf, rc_str text)
{
    bool has_gap = false;
    for (size_t at = 0, len = 0; at < text.len; at += len) {
        const uint32_t point = rc_utf8_decode(text, at, &len);
        const bool is_gap = point <= ' ' || rc_utf8_is_unsafe(point);
        if (!is_gap && has_gap)
            rc_buf_push_byte(buf, ' ');
        if (!is_gap)
            rc_buf_push(buf, rc_str_slice(text, at, at + len));
        has_gap = is_gap;
    }
}

void rc_message_push_detail(rc_buf *buf, rc_str detail)
{
    detail = rc_str_trim(detail);
    const bool is_cut = detail.len > RC_MESSAGE_DETAIL_MAX;
    const size_t len = is_cut ? rc_utf8_cut(detail, RC_MESSAGE_DETAIL_MAX) : detail.len;
    rc_buf_push(buf, detail.len > 0 ? RC_STR(": ") : RC_STR("."));
    push_line(buf, rc_str_make(detail.ptr, len));
    if (is_cut)
        rc_buf_push(buf, RC_STR("…"));
}
