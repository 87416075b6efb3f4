#include "core/message.h"

#include "base/str.h"

static const rc_str PROVIDER_WORDS = RC_STR_INIT("the provider");
static const rc_str MODEL_WORDS = RC_STR_INIT("the model");

rc_status rc_message_push(rc_buf *buf, rc_str sentence, rc_str provider, rc_str model)
{
    size_t at = 0;
    while (at < sentence.len) {
        rc_str rest = rc_str_slice(sentence, at, sentence.len);
        if (provider.len && rc_str_starts_with_nocase(rest, PROVIDER_WORDS)) {
            rc_buf_push(buf, provider);
            at += PROVIDER_WORDS.len;
        } else if (model.len && rc_str_starts_with_nocase(rest, MODEL_WORDS)) {
            rc_buf_push(buf, rc_str_slice(rest, 0, MODEL_WORDS.len));
            rc_buf_push_byte(buf, ' ');
            rc_buf_push(buf, model);
            at += MODEL_WORDS.len;
        } else {
            rc_buf_push_byte(buf, sentence.ptr[at++]);
        }
    }
    return rc_buf_status(buf);
}
