/* What client.c and the files of rc_client_call share. */
#ifndef RC_CLIENT_CLIENT_PRIVATE_H
#define RC_CLIENT_CLIENT_PRIVATE_H

#include "client/client.h"
#include "client/client_call.h"

typedef struct rc_exchange_summary rc_exchange_summary;
typedef struct rc_quota_warning rc_quota_warning;

/* Sets the timer to the earliest due time. */
void rc_client_arm(rc_client *client);

/* client_remote.c: parses the URL and reads the token of a remote gateway. False: ret_error says
 * why. */
bool rc_client_read_remote(rc_client *client, const rc_client_remote *remote,
                           rc_client_error *ret_error);

/* client_call_request.c: writes head and body. False: the status of a buffer says why. request:
 * borrows. */
bool rc_client_call_write_request(rc_client_call *call, const rc_client_call_request *request);

/* client_call.c: a due time has passed. May end the call and release its storage. */
void rc_client_call_on_due(rc_client_call *call, uint64_t now_ms);
/* The in-process gateway has recorded the call. record: borrows. */
void rc_client_call_on_record(rc_client_call *call, const rc_exchange_summary *record);

/* The value of a header of the response, whose head has arrived; empty: none. Views. */
rc_str rc_client_call_field(const rc_client_call *call, rc_str name);

/* client_call_report.c: makes a report with this code. message: borrows; "": that of the code. */
const rc_report *rc_client_call_report(const rc_client_call *call, rc_code code,
                                       const char *message);
/* Classifies a complete response; NULL: it is a success. */
const rc_report *rc_client_call_classify_response(rc_client_call *call);
/* Classifies a broken connection; NULL: the response was complete before. failure: borrows. */
const rc_report *rc_client_call_classify_failure(rc_client_call *call,
                                                 const rc_upstream_failure *failure);
/* The report that the caller of an ended call gets: that of the gateway, call->evidence, or one
 * that says more. NULL: the call succeeded. */
const rc_report *rc_client_call_judge(const rc_client_call *call);

#endif
