/* Helpers for writing events and JSON members. Called by the dialect_*.c files. */
#include "mock/dialect.h"

void rc_mock_event_begin(rc_json_writer *w, rc_buf *buf, const char *name)
{
    if (name != NULL) {
        rc_buf_push(buf, RC_STR("event: "));
        rc_buf_push(buf, rc_str_c(name));
        rc_buf_push_byte(buf, '\n');
    }
    rc_buf_push(buf, RC_STR("data: "));
    rc_json_writer_init(w, buf, 0);
    rc_json_object_begin(w);
}

void rc_mock_event_end(rc_buf *buf)
{
    rc_buf_push(buf, RC_STR("\n\n"));
}

void rc_mock_comment(rc_mock_response *response, rc_buf *buf)
{
    (void)response;
    rc_buf_push(buf, RC_STR(": keep-alive\n\n"));
}

void rc_mock_string(rc_json_writer *w, const char *key, const char *value)
{
    rc_json_member_string(w, rc_str_c(key), rc_str_c(value));
}

void rc_mock_number(rc_json_writer *w, const char *key, uint64_t value)
{
    rc_json_key(w, rc_str_c(key));
    rc_json_u64(w, value);
}

void rc_mock_null(rc_json_writer *w, const char *key)
{
    rc_json_key(w, rc_str_c(key));
    rc_json_null(w);
}

void rc_mock_object(rc_json_writer *w, const char *key)
{
    rc_json_key(w, rc_str_c(key));
    rc_json_object_begin(w);
}

void rc_mock_array(rc_json_writer *w, const char *key)
{
    rc_json_key(w, rc_str_c(key));
    rc_json_array_begin(w);
}

void rc_mock_id(rc_json_writer *w, const char *key, const char *prefix,
                const rc_mock_response *response)
{
    char text[64];
    rc_buf scratch;
    rc_buf_init_fixed(&scratch, text, sizeof text);
    rc_buf_push(&scratch, rc_str_c(prefix));
    rc_buf_push(&scratch, rc_str_c(response->id));
    rc_json_member_string(w, rc_str_c(key), rc_buf_get(&scratch));
}

#define ARGUMENTS_1 "{\"query\":"
#define ARGUMENTS_2 "\"mock\"}"

rc_str rc_mock_tool_arguments(void)
{
    return RC_STR(ARGUMENTS_1 ARGUMENTS_2);
}

rc_str rc_mock_tool_part(uint32_t part)
{
    return part == 0 ? RC_STR(ARGUMENTS_1) : RC_STR(ARGUMENTS_2);
}
