/* Line and column of a byte offset. Called by the report decoder for its error messages. */
#include "json/reader.h"

#include "base/utf8.h"

rc_json_position rc_json_position_of(rc_str text, size_t offset)
{
    if (offset > text.len)
        offset = text.len;
    rc_json_position position = {.line = 1, .column = 1};
    size_t at = 0;
    while (at < offset) {
        char c = text.ptr[at];
        size_t len;
        rc_utf8_decode(text, at, &len);
        if (at + len > offset)
            break; /* the offset is inside a character: the result is the position of its first
                      byte */

        at += len;
        bool is_line_end = c == '\n' || (c == '\r' && (at == text.len || text.ptr[at] != '\n'));
        position.line += is_line_end;
        position.column = is_line_end ? 1 : position.column + 1;
    }
    return position;
}
