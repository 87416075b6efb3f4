/* The model that a request names: finding it, and what may be one. */
#ifndef RC_GATEWAY_REQUEST_MODEL_H
#define RC_GATEWAY_REQUEST_MODEL_H

#include <recourse/buf.h>
#include <recourse/str.h>

#define RC_MODEL_NAME_MAX 256
/* Each byte of a name becomes six in JSON at most; with quotes and a prefix. */
#define RC_MODEL_QUOTED_MAX (6 * RC_MODEL_NAME_MAX + 32)

/* Not empty, at most RC_MODEL_NAME_MAX bytes, UTF-8 without control characters. */
bool rc_model_name_is_valid(rc_str model);

/* "provider/model", cut at the first slash. model: views. False: there is none, or one part is
 * empty. */
bool rc_model_name_split(rc_str model, rc_str *ret_provider, rc_str *ret_model);

/* Appends text with its %XX resolved; false: one of them is damaged. The buffer's own failures are
 * the buffer's. */
bool rc_percent_decode(rc_str text, rc_buf *buf);

/* Appends text as one segment of a path: letters, digits and -._~ as they are, all else as %XX. So
 * that a model's name can neither end its segment nor bring a verb of its own. */
void rc_percent_encode(rc_str text, rc_buf *buf);

/* How much of a form is looked at, from either end: what lies in the midst of large files is not
 * worth the time. */
#define RC_FORM_WINDOW_BYTES ((size_t)64 << 10)
#define RC_FORM_PARTS_MAX 64

/* A field of a form, RFC 7578. */
typedef struct rc_form_field {
    rc_str name;        /* in: what to look for */
    rc_str value;       /* out: views the body; ptr is NULL when it was not found */
    bool has_duplicate; /* out: it is there again, or in another case */
} rc_form_field;

/* The boundary of a content type of multipart/form-data; empty: it is another one, or damaged.
 * Views content_type. */
rc_str rc_form_boundary(rc_str content_type);

/* Looks for the fields in both ends of the body; the first of a name counts. body: views. */
void rc_form_find(rc_str body, rc_str boundary, rc_form_field *fields, size_t count);

#endif
