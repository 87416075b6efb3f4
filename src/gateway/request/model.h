/* Model names in requests: validates, splits, decodes and encodes names, and finds them in
 * multipart forms. */
#ifndef RC_GATEWAY_REQUEST_MODEL_H
#define RC_GATEWAY_REQUEST_MODEL_H

#include <recourse/buf.h>
#include <recourse/str.h>

#define RC_MODEL_NAME_MAX 256
/* Space for a name as a JSON string with quotes and a prefix. A byte of the name takes at most six
 * bytes. */
#define RC_MODEL_QUOTED_MAX (6 * RC_MODEL_NAME_MAX + 32)

/* Whether the name is UTF-8 without control characters, with 1 to RC_MODEL_NAME_MAX bytes. */
bool rc_model_name_is_valid(rc_str model);

/* Splits "provider/model" at the first slash. Both results view (point into) model. Returns false
 * if there is no slash, or a part is empty. */
bool rc_model_name_split(rc_str model, rc_str *ret_provider, rc_str *ret_model);

/* Appends the text with its %XX escapes decoded. Returns false if an escape is malformed. If the
 * buffer is full, the return value is still true; rc_buf_status shows the error. */
bool rc_percent_decode(rc_str text, rc_buf *buf);

/* Appends the text as one path segment. Letters, digits and -._~ stay unchanged; every other byte
 * becomes %XX, so that a model's name can neither end its segment nor add a verb. */
void rc_percent_encode(rc_str text, rc_buf *buf);

/* Limits of the search in a form: the number of bytes at the beginning and at the end, and the
 * number of parts. The search skips the bytes in the middle, such as those of a large file. */
#define RC_FORM_WINDOW_BYTES ((size_t)64 << 10)
#define RC_FORM_PARTS_MAX 64

/* A field of a multipart form (RFC 7578). */
typedef struct rc_form_field {
    rc_str name;        /* Input: the name to search for. */
    rc_str value;       /* Output: the field's value; views (points into) the body. The `ptr` of the
                         * value is NULL if the field was not found. */
    bool has_duplicate; /* Output: the field occurs more than once, perhaps in spellings that differ
                         * in case. */
} rc_form_field;

/* Returns the boundary of a multipart/form-data content type. Empty if the type is not
 * multipart/form-data or is malformed. The result views (points into) content_type. */
rc_str rc_form_boundary(rc_str content_type);

/* Searches the beginning and the end of the body for the fields. If a name occurs twice, its first
 * value counts. The values view (point into) body. */
void rc_form_find(rc_str body, rc_str boundary, rc_form_field *fields, size_t count);

#endif
