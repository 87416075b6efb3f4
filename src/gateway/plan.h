/* rc_gate_plans: a configuration in the form in which calls use it.
 *
 *   providers ──► origins, keys ─┐
 *   routes ────► places ─────────┴──► rc_shared (targets, credentials)
 *        └─────► rc_plan, one a route; and one a provider
 *
 * A place is a provider with a model: a target of rc_shared. Each provider has one more, "*",
 * for models that no route names. Built once, then read; rc_shared alone changes. */
#ifndef RC_GATEWAY_PLAN_H
#define RC_GATEWAY_PLAN_H

#include <recourse/call.h>

#include "base/arena.h"
#include "base/secret.h"
#include "config/config.h"
#include "gateway/request.h"
#include "net/origin.h"
#include "sys/calls.h"

typedef struct rc_gate_provider {
    const rc_config_provider *config;
    rc_origin origin;
    bool is_demo;       /* it lives in this process */
    uint16_t first_key; /* in rc_shared's credentials */
    uint16_t any;       /* its place for models that no route names */
} rc_gate_provider;

typedef struct rc_gate_place {
    uint16_t provider;
    rc_str model; /* "*": the one that the client named */
} rc_gate_place;

typedef struct rc_gate_route {
    rc_plan plan;
    rc_chain chain;
    uint64_t deadline_ms;
    rc_config_timeouts timeouts;
    bool is_picky; /* a target of it lacks something that a request may need */
} rc_gate_route;

/* A secret's own copy, wiped at the end. */
typedef struct rc_gate_key {
    char *bytes;
    size_t len;
} rc_gate_key;

/* The caller's storage. */
typedef struct rc_gate_plans {
    const rc_config *config;
    rc_arena arena;
    rc_shared shared;
    rc_gate_provider *providers; /* as many as config has */
    rc_gate_place *places;       /* as many as shared has targets */
    rc_gate_key *keys;           /* as many as shared has credentials */
    rc_gate_key *tokens;         /* as many as config has clients */
    rc_gate_route *routes;       /* as many as config has */
    rc_gate_route *direct;       /* as many as config has providers */
} rc_gate_plans;

/* Why plans could not be made: one line, without secrets. */
typedef struct rc_gate_trouble {
    bool is_memory;
    char text[512]; /* ends in NUL */
} rc_gate_trouble;

/* Makes plans; reads the secrets. config, calls: borrow until done. alloc: copies. False: why is
 * in ret_trouble, and nothing is left. */
bool rc_gate_plans_init(rc_gate_plans *plans, const rc_config *config, const rc_sys_calls *calls,
                        const rc_alloc *alloc, uint64_t now_ms, rc_gate_trouble *ret_trouble);
void rc_gate_plans_done(rc_gate_plans *plans);

/* What a request is to be tried at. */
typedef struct rc_gate_choice {
    rc_gate_route *route; /* NULL: there is none */
    rc_str model;         /* of a model that names its provider: the rest; else as it came */
    uint16_t place;       /* of the same; else RC_NO_TARGET */
} rc_gate_choice;

/* A model that begins with a provider's name and a slash is that provider's; else the first
 * route that fits. request: borrows. */
rc_gate_choice rc_gate_plans_choose(rc_gate_plans *plans, const rc_gate_request *request);

/* What of rc_plan's capabilities an endpoint asks for. */
static inline uint32_t rc_gate_need_of(const rc_gate_endpoint *endpoint)
{
    return UINT32_C(1) << (8 + (unsigned)endpoint->id);
}

#define RC_GATE_NEEDS_MASK UINT32_C(0xff)

/* Is it a client's token? Compares in constant time. Gives the client's number, or SIZE_MAX. */
size_t rc_gate_plans_client(const rc_gate_plans *plans, rc_secret token);

/* Reads the secrets: a part of init. */
bool rc_gate_plans_read_keys(rc_gate_plans *plans, const rc_sys_calls *calls,
                             rc_gate_trouble *ret_trouble);
void rc_gate_plans_wipe_keys(rc_gate_plans *plans);

/* Adds to the line. */
void rc_gate_trouble_add(rc_gate_trouble *trouble, rc_str text);

#endif
