/* Functions that client.c and the files of rc_client_call share. */
#ifndef RC_CLIENT_CLIENT_PRIVATE_H
#define RC_CLIENT_CLIENT_PRIVATE_H

#include "client/client.h"
#include "client/client_call.h"

typedef struct rc_exchange_summary rc_exchange_summary;
typedef struct rc_quota_warning rc_quota_warning;

/* Sets the client's timer to the earliest due time of its calls. */
void rc_client_arm(rc_client *client);

/* client_remote.c: parses the URL and reads the token of a remote gateway. Returns false with the
 * reason in ret_error. */
bool rc_client_read_remote(rc_client *client, const rc_client_remote *remote,
                           rc_client_error *ret_error);

/* client_call_request.c: writes head and body of the request. Returns false if a buffer failed; the
 * buffer's status has the reason. request: borrows during the call. */
bool rc_client_call_write_request(rc_client_call *call, const rc_client_call_request *request);

/* client_call.c: handles a due time of the call that has passed. May call on_end, which may release
 * the storage of the call. */
void rc_client_call_on_due(rc_client_call *call, uint64_t now_ms);
/* Stores the record that the gateway in this process made of the call. record: borrows during the
 * call. */
void rc_client_call_on_record(rc_client_call *call, const rc_exchange_summary *record);

/* Returns the value of a response header, or an empty text if the head has no such header. The head
 * must have arrived. The result views call->response_head. */
rc_str rc_client_call_field(const rc_client_call *call, rc_str name);

/* client_call_report.c: gives a report with this code. message: borrows during the call; "" selects
 * the message of the code. */
const rc_report *rc_client_call_report(const rc_client_call *call, rc_code code,
                                       const char *message);
/* Gives the report about a complete response. Returns NULL if the response is a success. */
const rc_report *rc_client_call_classify_response(rc_client_call *call);
/* Gives the report about a broken connection. Returns NULL if the response was already complete.
 * failure: borrows during the call. */
const rc_report *rc_client_call_classify_failure(rc_client_call *call,
                                                 const rc_upstream_failure *failure);
/* Gives the report that the caller of an ended call gets: the report of the gateway,
 * call->evidence, or a report that wraps call->evidence. Returns NULL if the call succeeded. */
const rc_report *rc_client_call_judge(const rc_client_call *call);

#endif
