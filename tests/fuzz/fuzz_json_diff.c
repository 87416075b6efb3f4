/* The strict reader against Jansson: both accept a text, or both refuse it.
 *
 * Three differences are known and left out. Jansson refuses numbers that do not fit its types; the reader leaves that to
 * whoever asks for the value. Jansson refuses keys that hold U+0000. Its nesting goes deeper than the reader's. */
#include <stdint.h>
#include <string.h>

#include <jansson.h>

#include "base/json_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define SIZE_MAX_INPUT 65536

/* Is there something in the text that the two see differently on purpose? */
static bool is_known_difference(rc_str text, const json_error_t *error)
{
    enum json_error_code code = json_error_code(error);
    if (code == json_error_numeric_overflow || code == json_error_null_byte_in_key)
        return true;
    (void)text;
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > SIZE_MAX_INPUT)
        return 0;
    rc_str text = rc_str_make((const char *)data, size);
    rc_json_limits limits = {.max_bytes = SIZE_MAX, .max_depth = RC_JSON_DEPTH_MAX};
    rc_json_reader reader;
    rc_json_reader_init(&reader, text, &limits);
    rc_json_type type;
    do {
        type = rc_json_reader_next(&reader).type;
    } while (type != RC_JSON_END && type != RC_JSON_ERROR);
    if (reader.fault.status == RC_E_TOO_DEEP)
        return 0;

    json_error_t error;
    json_t *value = json_loadb(text.ptr, text.len, JSON_DECODE_ANY | JSON_ALLOW_NUL, &error);
    bool theirs = value != NULL;
    json_decref(value);
    bool ours = type == RC_JSON_END;
    if (theirs != ours && !(ours && is_known_difference(text, &error)))
        __builtin_trap();
    return 0;
}
