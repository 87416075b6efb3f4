/* Recourse: one error model for LLM and tool calls. This header includes all public headers except
 * stdlib.h. */
#ifndef RECOURSE_H
#define RECOURSE_H

#include <recourse/admission.h>
#include <recourse/alloc.h>
#include <recourse/breaker.h>
#include <recourse/buf.h>
#include <recourse/builder.h>
#include <recourse/call.h>
#include <recourse/chain.h>
#include <recourse/classify.h>
#include <recourse/codes.h>
#include <recourse/cooldown.h>
#include <recourse/credential.h>
#include <recourse/emitter.h>
#include <recourse/event.h>
#include <recourse/event_types.h>
#include <recourse/export.h>
#include <recourse/hedge.h>
#include <recourse/id.h>
#include <recourse/json.h>
#include <recourse/limiter.h>
#include <recourse/pacer.h>
#include <recourse/partial.h>
#include <recourse/policy.h>
#include <recourse/queue.h>
#include <recourse/rate_limits.h>
#include <recourse/reason.h>
#include <recourse/reasons.h>
#include <recourse/render.h>
#include <recourse/report.h>
#include <recourse/retry_budget.h>
#include <recourse/rules.h>
#include <recourse/shared.h>
#include <recourse/status.h>
#include <recourse/str.h>
#include <recourse/suppressed.h>
#include <recourse/taxonomy.h>
#include <recourse/version.h>

#endif
