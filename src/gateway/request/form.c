/* Finds fields of a multipart form. In a large form only the beginning and the end are searched.
 * Called by body.c and client_headers.c. */
#define _GNU_SOURCE

#include "gateway/request/model.h"

#include <string.h>

#include "base/str.h"

/* Maximum length of a boundary (RFC 2046, section 5.1.1). */
#define BOUNDARY_MAX 70u

static size_t find(rc_str text, rc_str needle, size_t from)
{
    if (from >= text.len)
        return RC_STR_NPOS;
    const char *at = memmem(text.ptr + from, text.len - from, needle.ptr, needle.len);
    return at != NULL ? (size_t)(at - text.ptr) : RC_STR_NPOS;
}

/* Reads the next parameter of a header value ("; name=value", with or without quotes) and moves
 * *rest behind it. Values with escapes are skipped, because no boundary and no searched field
 * contains escapes. */
static bool next_parameter(rc_str *rest, rc_str *ret_name, rc_str *ret_value)
{
    size_t semicolon = rc_str_find_byte(*rest, ';', 0);
    size_t equals =
        semicolon == RC_STR_NPOS ? RC_STR_NPOS : rc_str_find_byte(*rest, '=', semicolon);
    if (equals == RC_STR_NPOS)
        return false;
    *ret_name = rc_str_trim(rc_str_slice(*rest, semicolon + 1, equals));
    size_t from = equals + 1;
    bool is_quoted = from < rest->len && rest->ptr[from] == '"';
    from += is_quoted;
    size_t to = rc_str_find_byte(*rest, is_quoted ? '"' : ';', from);
    if (to == RC_STR_NPOS && is_quoted)
        return false;
    *ret_value = rc_str_slice(*rest, from, to);
    if (!is_quoted)
        *ret_value = rc_str_trim(*ret_value);
    *rest = rc_str_slice(*rest, to == RC_STR_NPOS ? rest->len : to + is_quoted, rest->len);
    return rc_str_find_byte(*ret_value, '\\', 0) == RC_STR_NPOS;
}

static rc_str parameter(rc_str value, rc_str name)
{
    rc_str found_name;
    rc_str found;
    while (next_parameter(&value, &found_name, &found))
        if (rc_str_eq_nocase(found_name, name))
            return found;
    return rc_str_make(NULL, 0);
}

rc_str rc_form_boundary(rc_str content_type)
{
    const rc_str none = {NULL, 0};
    const rc_str form = RC_STR("multipart/form-data");
    if (content_type.len < form.len)
        return none;
    rc_str type =
        rc_str_trim(rc_str_slice(content_type, 0, rc_str_find_byte(content_type, ';', 0)));
    if (!rc_str_eq_nocase(type, form))
        return none;
    rc_str boundary = parameter(content_type, RC_STR("boundary"));
    return boundary.len <= BOUNDARY_MAX ? boundary : none;
}

/* Returns the field's name from the headers of a part. Empty if the headers contain no name. */
static rc_str name_of(rc_str head)
{
    while (head.len > 0) {
        size_t end = find(head, RC_STR("\r\n"), 0);
        rc_str line = rc_str_slice(head, 0, end);
        if (rc_str_starts_with_nocase(line, RC_STR("content-disposition:")))
            return parameter(line, RC_STR("name"));
        head = rc_str_slice(head, end == RC_STR_NPOS ? head.len : end + 2, head.len);
    }
    return rc_str_make(NULL, 0);
}

static void set_field(rc_form_field *fields, size_t count, rc_str name, rc_str value)
{
    for (size_t i = 0; i < count; i++) {
        if (!rc_str_eq_nocase(fields[i].name, name))
            continue;
        if (fields[i].value.ptr == NULL && rc_str_eq(fields[i].name, name))
            fields[i].value = value;
        else
            fields[i].has_duplicate = true;
    }
}

typedef struct form {
    rc_str delimiter; /* The text before each part: CR LF, two dashes and the boundary. */
    rc_form_field *fields;
    size_t count;
} form;

/* Reads the part behind the delimiter that ends at `at`. Returns the start of the next delimiter,
 * or RC_STR_NPOS if the text ends before a delimiter or no part follows. */
static size_t read_part(const form *f, rc_str text, size_t at)
{
    if (!rc_str_starts_with(rc_str_slice(text, at, text.len), RC_STR("\r\n")))
        return RC_STR_NPOS;
    size_t blank = find(text, RC_STR("\r\n\r\n"), at);
    size_t next = find(text, f->delimiter, at);
    if (blank == RC_STR_NPOS || next == RC_STR_NPOS || blank > next)
        return RC_STR_NPOS;
    /* In a part without content the empty line behind the headers and the delimiter may share one
     * CR LF. */
    size_t from = blank + 4 < next ? blank + 4 : next;
    rc_str name = name_of(rc_str_slice(text, at + 2, blank));
    set_field(f->fields, f->count, name, rc_str_slice(text, from, next));
    return next;
}

/* Reads all parts after the delimiter that ends at `at`. Returns the end of the last delimiter that
 * was found. */
static size_t read_parts(const form *f, rc_str text, size_t at)
{
    for (unsigned i = 0; i < RC_FORM_PARTS_MAX; i++) {
        size_t next = read_part(f, text, at);
        if (next == RC_STR_NPOS)
            break;
        at = next + f->delimiter.len;
    }
    return at;
}

/* Returns the end of the first delimiter at or behind `from`. A delimiter at the beginning of the
 * body may lack the CR LF. */
static size_t delimiter_end(const form *f, rc_str text, size_t from)
{
    rc_str opening = rc_str_slice(f->delimiter, 2, f->delimiter.len);
    if (from == 0 && rc_str_starts_with(text, opening))
        return opening.len;
    size_t at = find(text, f->delimiter, from);
    return at == RC_STR_NPOS ? RC_STR_NPOS : at + f->delimiter.len;
}

void rc_form_find(rc_str body, rc_str boundary, rc_form_field *fields, size_t count)
{
    char memory[BOUNDARY_MAX + 4];
    rc_buf buf;
    for (size_t i = 0; i < count; i++) {
        fields[i].value = rc_str_make(NULL, 0);
        fields[i].has_duplicate = false;
    }
    rc_buf_init_fixed(&buf, memory, sizeof memory);
    rc_buf_push(&buf, RC_STR("\r\n--"));
    if (boundary.len == 0 || rc_buf_push(&buf, boundary) != RC_OK)
        return;
    form f = {.delimiter = rc_buf_get(&buf), .fields = fields, .count = count};

    rc_str front = rc_str_slice(body, 0, RC_FORM_WINDOW_BYTES);
    size_t at = delimiter_end(&f, front, 0);
    at = at == RC_STR_NPOS ? 0 : read_parts(&f, front, at);
    if (body.len <= front.len)
        return;
    size_t back = body.len - RC_FORM_WINDOW_BYTES;
    at = delimiter_end(&f, body, back > at ? back : at);
    if (at != RC_STR_NPOS)
        read_parts(&f, body, at);
}
