/* rc_mock_provider: the mock provider without sockets. The provider turns a message into a
 * response; the caller sends the response and reports how many tokens were sent.
 *
 *   message ──► request ──► key? limits? rules? model's name? ──► plan ──► response
 *                                                                   └────► stats
 *
 * Time is an argument; no function waits. `recourse mock` serves the provider over HTTP; the
 * gateway runs one as its demo provider. */
#ifndef RC_MOCK_PROVIDER_H
#define RC_MOCK_PROVIDER_H

#include "mock/limit.h"
#include "mock/response.h"
#include "mock/scenario.h"
#include "mock/script.h"
#include "mock/stats.h"

#define RC_MOCK_NO_PROVIDER UINT32_MAX

/* A provider, in the caller's storage. The struct is too large for the stack. */
typedef struct rc_mock_provider {
    const rc_mock_scenario *scenario; /* Borrows; NULL: no scenario. */
    rc_mock_script *script;           /* Borrows; NULL: no script. */
    uint32_t script_index; /* The script's provider that responds; RC_MOCK_NO_PROVIDER: the names of
                            * models determine the responses, and the script is used only for the
                            * statistics and the reset. */
    uint64_t seed;
    uint64_t started_ms;
    rc_mock_stats stats;
    /* One bucket for each key of the scenario; the last bucket is for all keys together. */
    rc_mock_limit requests[RC_MOCK_KEYS_MAX + 1];
    rc_mock_limit tokens[RC_MOCK_KEYS_MAX + 1];
} rc_mock_provider;

typedef struct rc_mock_time {
    uint64_t ms;     /* Monotonic time. */
    int64_t unix_ms; /* Unix time, used for absolute times in headers. */
} rc_mock_time;

/* Initialises a provider. If `seed` is 0, the scenario's seed is used. scenario: borrows as long as
 * the provider is used; may be NULL. */
void rc_mock_provider_init(rc_mock_provider *provider, const rc_mock_scenario *scenario,
                           uint64_t seed, uint64_t now_ms);

/* Lets a script decide how the provider responds. script: borrows as long as the provider is
 * used. */
void rc_mock_provider_use_script(rc_mock_provider *provider, rc_mock_script *script,
                                 uint32_t index);

/* Begins the response to a message. Returns RC_OK, or RC_E_NOMEM or RC_E_TOO_LARGE if there is no
 * response; the caller must call rc_mock_response_done in each case. *ret_ticket is for
 * rc_mock_stats_add_sent and rc_mock_provider_end. message, now: borrows during the call. */
rc_status rc_mock_provider_respond(rc_mock_provider *provider, const rc_mock_message *message,
                                   const rc_mock_time *now, const rc_alloc *alloc,
                                   rc_mock_response *ret_response, rc_mock_ticket *ret_ticket);

/* Ends a call whose response has ended or whose client has disconnected. ticket: borrows during the
 * call. */
void rc_mock_provider_end(rc_mock_provider *provider, const rc_mock_ticket *ticket);

#endif
