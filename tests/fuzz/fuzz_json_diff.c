/* The strict JSON reader compared with Jansson: both accept a text, or both refuse it.
 *
 * Known differences are left out. Jansson refuses numbers that do not fit its types (with our
 * reader the caller of the value decides) and keys that contain U+0000. Jansson treats a NUL byte
 * outside a string as the end of the text, and allows deeper nesting. */
#include <stdint.h>
#include <string.h>

#include <jansson.h>

#include "json/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define SIZE_MAX_INPUT 65536

/* Returns whether Jansson refused a value that the reader passes on unchanged. */
static bool is_known_refusal(const json_error_t *error)
{
    enum json_error_code code = json_error_code(error);
    return code == json_error_numeric_overflow || code == json_error_null_byte_in_key;
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

    bool ours = type == RC_JSON_END;
    if (size > 0 && memchr(data, 0, size)) {
        if (ours)
            __builtin_trap();
        return 0;
    }

    json_error_t error;
    json_t *value = json_loadb(text.ptr, text.len, JSON_DECODE_ANY | JSON_ALLOW_NUL, &error);
    bool theirs = value != NULL;
    json_decref(value);
    if (theirs != ours && !(ours && is_known_refusal(&error)))
        __builtin_trap();
    return 0;
}
