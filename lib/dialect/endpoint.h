/* rc_endpoint: an endpoint that clients can call. The rows are in spec/endpoints.def. */
#ifndef RC_DIALECT_ENDPOINT_H
#define RC_DIALECT_ENDPOINT_H

#include <recourse/classify.h>
#include <recourse/codes.h>
#include <recourse/render.h>
#include <recourse/str.h>

#include "dialect/stream.h"

typedef enum rc_endpoint_id {
#define RC_ENDPOINT(ID, path, verb, METHOD, WIRE, DIALECT, STREAM, FAMILY, MODEL, STREAMS, REPLAY, \
                    openai, anthropic, gemini)                                                     \
    RC_ENDPOINT_##ID,
#include "spec/endpoints.def"
    RC_ENDPOINT_COUNT
} rc_endpoint_id;

/* The API family whose request and response formats an endpoint uses. */
typedef enum rc_wire {
    RC_WIRE_OPENAI = 0,
    RC_WIRE_ANTHROPIC = 1,
    RC_WIRE_GEMINI = 2,
    RC_WIRE_COUNT = 3, /* Number of API families that a provider can have; NATIVE and LOCAL are not
                        * among them. */
    RC_WIRE_NATIVE = RC_WIRE_COUNT,
    RC_WIRE_LOCAL = 4
} rc_wire;

/* The HTTP methods that an endpoint allows, as bits. */
typedef enum rc_endpoint_method {
    RC_METHOD_GET = 1,
    RC_METHOD_POST = 2,
    RC_METHOD_ANY = 0xff
} rc_endpoint_method;

typedef enum rc_model_location {
    RC_MODEL_NONE = 0,
    RC_MODEL_BODY = 1,
    RC_MODEL_FORM = 2,
    RC_MODEL_PATH = 3
} rc_model_location;

typedef enum rc_endpoint_streams {
    RC_STREAMS_NEVER = 0,
    RC_STREAMS_BODY = 1,
    RC_STREAMS_ALWAYS = 2
} rc_endpoint_streams;

/* The stream dialect of an endpoint whose responses are passed on without being parsed. */
enum {
    RC_STREAM_UNWATCHED = RC_STREAM_DIALECT_COUNT
};

typedef struct rc_endpoint {
    rc_endpoint_id id;
    rc_str path;
    rc_str verb;
    rc_endpoint_method method;
    rc_wire wire;
    rc_dialect dialect;
    rc_stream_dialect stream; /* RC_STREAM_UNWATCHED: responses are passed on without being
                               * parsed. */
    rc_family family;
    rc_model_location model;
    rc_endpoint_streams streams;
    rc_replay replay;
    rc_str upstream[RC_WIRE_COUNT]; /* Path that follows a provider's base path, by rc_wire (API
                                     * family); empty: this API family does not have the
                                     * endpoint. */
} rc_endpoint;

/* The parts of a path, which view (point into) the path. */
typedef struct rc_endpoint_match {
    const rc_endpoint *endpoint;
    rc_str model;            /* The model, with its percent escapes; set if the path contains the
                              * model. */
    rc_str provider;         /* Name of the provider, if the path is a passthrough. */
    rc_str passthrough_path; /* Path of a passthrough from the slash after the provider's name
                              * on. */
} rc_endpoint_match;

/* Returns a static row of the table; NULL if `index` is too large. */
const rc_endpoint *rc_endpoint_at(size_t index);

/* Finds the endpoint of a path, for any method. `path`: without its query; *ret_match views it.
 * Returns false if no endpoint has this path. */
bool rc_endpoint_find(rc_str path, rc_endpoint_match *ret_match);

/* Returns whether the endpoint allows the method. An endpoint that allows GET also allows HEAD.
 * Methods other than GET, HEAD and POST are allowed only by RC_METHOD_ANY. */
bool rc_endpoint_accepts(const rc_endpoint *endpoint, rc_str method);

/* Returns the wire (API family) of a provider of this dialect. */
rc_wire rc_wire_of_dialect(rc_dialect dialect);

/* Returns whether a provider of this dialect has the endpoint. */
bool rc_endpoint_is_supported(const rc_endpoint *endpoint, rc_dialect provider);

#endif
