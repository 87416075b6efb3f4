/* The position of the report decoder (JSON pointer, line, column), which its error messages
 * contain. Called by decode.c. */
#include "report/decode_path.h"

#include "base/str.h"
#include "base/utf8.h"
#include "scrub/scrub.h"
#include "json/reader.h"

/* Maximum number of bytes that are shown of a key that the table of fields does not contain. */
#define STEP_MAX 96u

void rc_decode_path_init(rc_decode_path *path, rc_str text, rc_decode_info *info)
{
    *info = (rc_decode_info){.line = 1, .column = 1};
    path->text = text;
    path->info = info;
    rc_buf_init_fixed(&path->pointer, path->memory, sizeof path->memory);
}

/* Returns an untrusted name without secrets and control characters. The result views (points into)
 * `memory`. */
static rc_str safe_name(rc_str name, char memory[STEP_MAX])
{
    rc_buf buf;
    rc_buf_init_fixed(&buf, memory, STEP_MAX);
    if (rc_scrub(name, STEP_MAX, &buf) != RC_OK)
        return RC_STR("?");
    for (size_t i = 0; i < buf.len; i++) {
        if ((unsigned char)memory[i] < 0x20 || memory[i] == 0x7f)
            memory[i] = '?';
    }
    return rc_buf_get(&buf);
}

size_t rc_decode_path_enter(rc_decode_path *path, rc_str step)
{
    rc_buf *pointer = &path->pointer;
    size_t parent_len = pointer->len;
    rc_buf_push_byte(pointer, '/');
    rc_buf_push(pointer, step);
    if (rc_buf_status(pointer) != RC_OK)
        rc_decode_path_leave(path, parent_len);
    return parent_len;
}

size_t rc_decode_path_enter_untrusted(rc_decode_path *path, rc_str step)
{
    char memory[STEP_MAX];
    rc_str safe = safe_name(step, memory);
    char escaped_memory[STEP_MAX * 2];
    rc_buf escaped;
    rc_buf_init_fixed(&escaped, escaped_memory, sizeof escaped_memory);
    for (size_t i = 0; i < safe.len; i++) { /* escapes of a JSON pointer, RFC 6901 §3 */
        if (safe.ptr[i] == '~')
            rc_buf_push(&escaped, RC_STR("~0"));
        else if (safe.ptr[i] == '/')
            rc_buf_push(&escaped, RC_STR("~1"));
        else
            rc_buf_push_byte(&escaped, safe.ptr[i]);
    }
    return rc_decode_path_enter(path, rc_buf_get(&escaped));
}

size_t rc_decode_path_enter_index(rc_decode_path *path, size_t index)
{
    char digits[20];
    rc_buf text;
    rc_buf_init_fixed(&text, digits, sizeof digits);
    rc_buf_push_u64(&text, index);
    return rc_decode_path_enter(path, rc_buf_get(&text));
}

void rc_decode_path_leave(rc_decode_path *path, size_t parent_len)
{
    path->pointer.len = parent_len;
    path->pointer.status = RC_OK;
}

static void copy_pointer(const rc_decode_path *path, char to[RC_DECODE_POINTER_MAX])
{
    rc_str pointer = rc_buf_get(&path->pointer);
    if (pointer.len)
        memcpy(to, pointer.ptr, pointer.len);
    to[pointer.len] = '\0';
}

void rc_decode_path_set_info(rc_decode_path *path, rc_status status, size_t offset,
                             const char *what, rc_str name)
{
    rc_decode_info *info = path->info;
    rc_json_position at = rc_json_position_of(path->text, offset);
    info->status = status;
    info->offset = offset;
    info->line = at.line;
    info->column = at.column;
    copy_pointer(path, info->pointer);

    rc_buf phrase;
    rc_buf_init_fixed(&phrase, info->message, sizeof info->message - 1);
    rc_buf_push(&phrase, rc_str_c(what));
    if (name.len) {
        char memory[STEP_MAX];
        rc_buf_push(&phrase, RC_STR(" \""));
        rc_buf_push(&phrase, safe_name(name, memory));
        rc_buf_push(&phrase, RC_STR("\""));
    }
    info->message[phrase.len] = '\0';
}

void rc_decode_path_note_dropped(rc_decode_path *path)
{
    rc_decode_info *info = path->info;
    if (info->dropped_count < RC_DECODE_DROPPED_MAX)
        copy_pointer(path, info->dropped[info->dropped_count]);
    info->dropped_count++;
}
