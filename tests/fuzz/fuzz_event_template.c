/* Two events of any bytes: the second one, read with the template of the first, gives the same
 * result as without a template. The first byte is the dialect; the following lines are name and
 * data of the first and of the second event. */
#include <stdint.h>
#include <stdlib.h>

#include "base/str.h"
#include "support/template_pair.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static rc_str next_line(rc_str *text)
{
    size_t end = rc_str_find_byte(*text, '\n', 0);
    rc_str line = rc_str_slice(*text, 0, end);
    *text = end == RC_STR_NPOS ? rc_str_make(NULL, 0) : rc_str_slice(*text, end + 1, text->len);
    return line;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    rc_str text = rc_str_make((const char *)data + 1, size - 1);
    template_event events[2];
    for (size_t i = 0; i < 2; i++) {
        events[i].name = next_line(&text);
        events[i].data = next_line(&text);
    }
    if (!template_pair_do((rc_stream_dialect)(data[0] % RC_STREAM_DIALECT_COUNT), events[0],
                          events[1])
             .is_right)
        abort();
    return 0;
}
