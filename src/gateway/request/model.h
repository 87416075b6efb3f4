/* The model that a request names: validating, decoding and finding it. */
#ifndef RC_GATEWAY_REQUEST_MODEL_H
#define RC_GATEWAY_REQUEST_MODEL_H

#include <recourse/buf.h>
#include <recourse/str.h>

#define RC_MODEL_NAME_MAX 256
/* Each byte of a name becomes at most six in JSON; plus quotes and a prefix. */
#define RC_MODEL_QUOTED_MAX (6 * RC_MODEL_NAME_MAX + 32)

/* True: not empty, at most RC_MODEL_NAME_MAX bytes, UTF-8 without control characters. */
bool rc_model_name_is_valid(rc_str model);

/* Splits "provider/model" at the first slash. model: views. False: there is no slash, or a part is
 * empty. */
bool rc_model_name_split(rc_str model, rc_str *ret_provider, rc_str *ret_model);

/* Appends text with its %XX decoded. False: an escape is malformed. The buffer reports its own
 * failures. */
bool rc_percent_decode(rc_str text, rc_buf *buf);

/* Appends text as one path segment: letters, digits and -._~ as they are, all else as %XX. So a
 * model's name can neither end its segment nor add a verb. */
void rc_percent_encode(rc_str text, rc_buf *buf);

/* Bytes of a form that are searched at either end, and most parts; the middle of large files is
 * skipped. */
#define RC_FORM_WINDOW_BYTES ((size_t)64 << 10)
#define RC_FORM_PARTS_MAX 64

/* A field of a multipart form (RFC 7578). */
typedef struct rc_form_field {
    rc_str name;        /* In: the name to search for. */
    rc_str value;       /* Out: views the body. A NULL ptr: not found. */
    bool has_duplicate; /* Out: the field occurs again, or in another case of letters. */
} rc_form_field;

/* The boundary of a multipart/form-data content type. Empty: another type, or malformed. Views
 * content_type. */
rc_str rc_form_boundary(rc_str content_type);

/* Searches both ends of the body for the fields; the first of each name counts. body: views. */
void rc_form_find(rc_str body, rc_str boundary, rc_form_field *fields, size_t count);

#endif
