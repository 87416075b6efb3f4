/* Renders the models that clients can request, as the model list of a dialect. */
#ifndef RC_GATEWAY_STATE_MODEL_LIST_H
#define RC_GATEWAY_STATE_MODEL_LIST_H

#include <recourse/buf.h>
#include <recourse/render.h>
#include <recourse/str.h>

typedef struct rc_snapshot rc_snapshot;
typedef struct rc_route rc_route;

/* Appends the list of models that a client of this dialect can request. snapshot: borrows during
 * the call. */
void rc_snapshot_push_models(const rc_snapshot *snapshot, rc_dialect dialect, rc_buf *buf);

/* Appends one entry of the model list. route: the route that serves the model. snapshot, route, id:
 * borrows during the call. */
void rc_snapshot_push_model(const rc_snapshot *snapshot, const rc_route *route, rc_str id,
                            rc_dialect dialect, rc_buf *buf);

#endif
