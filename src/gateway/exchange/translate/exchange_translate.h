/* The translation of a request for the targets of a route that have another API than the client.
 *
 *   body ──► rc_conversation, read once ──► a plan for each target of another API
 *                                             ├── EXACT, ADAPTED ──► attempt_translate.h
 *                                             └── REFUSED ─────────► the chain entry is closed
 *
 * The request is read when the first target of another API is due, or when the first attempt has
 * failed. Called by attempt.c, attempt_failure.c, exchange_request.c and exchange_reply.c. */
#ifndef RC_GATEWAY_EXCHANGE_EXCHANGE_TRANSLATE_H
#define RC_GATEWAY_EXCHANGE_EXCHANGE_TRANSLATE_H

#include <recourse/builder.h>

#include "dialect/translate/plan.h"
#include "policy/outcome.h"

typedef struct rc_exchange rc_exchange;

/* Maximum number of bytes that rc_exchange_push_unfit appends. */
#define RC_EXCHANGE_UNFIT_MAX 512u

/* How a request is written for one chain entry. */
typedef struct rc_entry_translation {
    bool is_foreign; /* The target has another API than the client. */
    bool is_unfit;   /* The request is not sent to this target. */
    bool is_feature; /* UNFIT: the feature or member `name` cannot be expressed. Otherwise `outcome`
                      * is the reason. */
    rc_local_outcome outcome;
    rc_code code; /* UNFIT: the error code if no other target is left. */
    rc_str name;  /* UNFIT: the feature or member. A static text, or a view of the client's body. */
    rc_translate_target target;
    rc_translation_plan plan; /* Valid unless is_unfit. */
} rc_entry_translation;

typedef struct rc_exchange_translation {
    rc_conversation conversation;
    rc_buf scratch;
    rc_buf names; /* The names of the targets, such as openai/gpt-5, which seals contain. */
    uint16_t entry_count;
    rc_entry_translation entries[];
} rc_exchange_translation;

/* Returns whether the request may have to be translated for a target of its route. */
bool rc_exchange_may_translate(const rc_exchange *exchange);
/* Returns the interface of the chain entry's target for this request. */
rc_dialect rc_exchange_interface(const rc_exchange *exchange, uint16_t entry);

/* Reads the request and plans it for every entry of another API, unless that was done before.
 * Entries for which the request cannot be expressed lose RC_NEED_TRANSLATION. Returns false if
 * memory runs out. The call must not be waiting in the queue. */
bool rc_exchange_plan_translations(rc_exchange *exchange);
/* Returns whether the request can be sent to the chain entry. Before rc_exchange_plan_translations
 * the result is true. */
bool rc_exchange_is_fit(const rc_exchange *exchange, uint16_t entry);
void rc_exchange_translation_done(rc_exchange *exchange);

/* Returns the error code of the first chain entry for which the request cannot be expressed;
 * RC_CODE_NONE if there is none. */
rc_code rc_exchange_untranslatable(const rc_exchange *exchange);
/* Sets message and advice of a report about a request that fits no target. */
void rc_exchange_describe_untranslatable(const rc_exchange *exchange, rc_builder *builder);
/* Appends why the request is not sent to the chain entry, such as "json_object cannot be expressed
 * in the messages API". */
void rc_exchange_push_unfit(const rc_exchange *exchange, uint16_t entry, rc_buf *text);

#endif
