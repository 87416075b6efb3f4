/* The interfaces of providers, which requests can be translated into: chat, responses, messages and
 * gemini. An interface is identified by its rc_dialect. Called by the configuration, the gateway
 * and `recourse config check`. */
#ifndef RC_DIALECT_INTERFACE_H
#define RC_DIALECT_INTERFACE_H

#include <recourse/render.h>
#include <recourse/str.h>

#include "dialect/endpoint.h"

/* Number of interfaces. */
#define RC_INTERFACE_COUNT 4u

/* Returns the interface at `index`; RC_DIALECT_PROBLEM past the end. */
rc_dialect rc_interface_at(size_t index);
/* Returns the index of an interface; 0 for any other value. */
size_t rc_interface_index(rc_dialect interface);
/* Returns the name of the interface at `index`, or NULL past the end; an rc_name_at for rc_nearest,
 * and `ctx` is not used. */
const char *rc_interface_name_at(const void *ctx, size_t index);
/* Returns the name of an interface: "chat", "responses", "messages" or "gemini"; "" for any other
 * value. The result is a static string. */
const char *rc_interface_name(rc_dialect interface);

/* Returns the endpoint at which an interface generates responses. is_stream: for gemini, whose
 * streams have an endpoint of their own. The result is a static row; NULL for any other value. */
const rc_endpoint *rc_interface_endpoint(rc_dialect interface, bool is_stream);

/* Returns whether the endpoint generates responses, so that its requests can be translated. */
bool rc_endpoint_is_generation(const rc_endpoint *endpoint);

/* Returns whether requests and responses of the two interfaces can be translated into each
 * other. */
bool rc_interface_is_translatable(rc_dialect from, rc_dialect to);

#endif
