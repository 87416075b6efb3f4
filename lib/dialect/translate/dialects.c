/* The table of the dialects that can be translated. Called by rc_conversation_read,
 * rc_translation_write and the translator. */
#include "dialect/translate/dialects.h"

#include "dialect/translate/read.h"

#define ROW(name)                                                                         \
    .read_request = rc_##name##_read_request, .write_request = rc_##name##_write_request, \
    .read_event = rc_##name##_read_event, .read_body = rc_##name##_read_body,             \
    .write_piece = rc_##name##_write_piece

static const rc_translate_functions table[] = {
    [RC_DIALECT_OPENAI_CHAT] = {ROW(chat)},
    [RC_DIALECT_OPENAI_RESPONSES] = {ROW(responses), .seals_all = true},
    [RC_DIALECT_ANTHROPIC] = {ROW(messages), .seals_all = true},
    [RC_DIALECT_GEMINI] = {ROW(gemini)},
};

const rc_translate_functions *rc_translate_functions_of(rc_dialect dialect)
{
    size_t index = (size_t)dialect;
    if (index >= sizeof table / sizeof *table || table[index].read_request == NULL)
        return NULL;
    return &table[index];
}
