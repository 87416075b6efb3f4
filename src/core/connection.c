#include "core/connection.h"

#include "base/str.h"
#include "codec/datetime.h"
#include "core/message.h"

/* connections.h is generated, and says the same as the table. */
#define RC_CONNECTION(number, ID, name, TRANSPORT, STAYS, ACTION, advice, text, message, dated) \
    _Static_assert(RC_CONNECTION_##ID == (number), "connections.h is stale: run make generate");
#include "../../spec/connection.def"

static const rc_connection_info rows[] = {
#define RC_CONNECTION(number, ID, name, TRANSPORT, STAYS, ACTION, advice, text, message, dated) \
    {RC_CONNECTION_##ID,                                                                        \
     name,                                                                                      \
     RC_TRANSPORT_##TRANSPORT,                                                                  \
     STAYS,                                                                                     \
     RC_ACTION_##ACTION,                                                                        \
     advice,                                                                                    \
     text,                                                                                      \
     message,                                                                                   \
     dated},
#include "../../spec/connection.def"
};

const rc_connection_info *rc_connection_get(rc_connection_fault fault)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].fault == fault)
            return &rows[i];
    return NULL;
}

/* The codes that say no more than that there was no connection. */
static bool is_of_connection(rc_code code)
{
    return code == RC_CODE_CONNECTION_FAILED || code == RC_CODE_CONNECTION_RESET ||
           code == RC_CODE_NETWORK_TIMEOUT;
}

/* "exp's certificate has expired: it was valid until 2025-01-01." */
static void set_message(rc_builder *builder, const rc_connection_info *row,
                        const rc_failure *failure, rc_str provider)
{
    char room[RC_REPORT_MESSAGE_MAX];
    char day[40];
    rc_buf text;
    rc_buf when;
    rc_buf_init_fixed(&text, room, sizeof room);
    rc_buf_init_fixed(&when, day, sizeof day);
    rc_message_push(&text, rc_str_c(row->message), provider, RC_STR(""));
    if (row->dated[0] != '\0' && failure->certificate_unix_ms != 0) {
        rc_rfc3339_push(&when, failure->certificate_unix_ms);
        rc_buf_push(&text, rc_str_c(row->dated));
        rc_buf_push(&text, rc_str_slice(rc_buf_get(&when), 0, sizeof "2025-01-01" - 1));
    }
    rc_buf_push_byte(&text, '.');
    if (rc_buf_status(&text) == RC_OK)
        rc_builder_set_message(builder, rc_buf_get(&text));
}

void rc_connection_tell(rc_builder *builder, const rc_failure *failure, const rc_verdict *verdict)
{
    const rc_connection_info *row = rc_connection_get(failure->connection);
    if (row == NULL)
        return;
    if (verdict->message.len == 0)
        rc_builder_set_detail(builder, failure->connection_detail.len > 0
                                           ? failure->connection_detail
                                           : rc_str_c(row->text));
    if (row->message[0] == '\0' || !is_of_connection(verdict->code))
        return;
    set_message(builder, row, failure,
                failure->called.len > 0 ? failure->called : verdict->provider);
    rc_builder_set_action(builder, row->action, rc_str_c(row->advice));
}
