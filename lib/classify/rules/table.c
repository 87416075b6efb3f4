/* Generated from spec/classify.rules by `make generate`. Do not edit. */
#include "classify/rules/table.h"

/* clang-format off */

#define RULE(id, code, category, clauses, terms, when, reason) \
    {RC_STR_INIT(id), RC_STR_INIT(when), RC_STR_INIT(reason), RC_CODE_##code, \
     RC_CATEGORY_##category, clauses, &rc_rules_terms[terms]},

const rc_rule rc_rules_table[RC_RULES_BUILTIN_COUNT] = {
    RULE("foreign", UNCLASSIFIED, NONE, 2, 0,
        "body:foreign and not (exit:timeout or exit:not_runnable or "
        "exit:not_found or exit:interrupted or exit:killed or "
        "exit:crashed or exit:terminated or exit:temporary)",
        "the text mentions a failure, but has no sign of a failed call: "
        "no status line, no error field, no error of an SDK")
    RULE("finish.context", CONTEXT_OVERFLOW, NONE, 2, 11, "finish:context and not body:error",
        "the model stopped because the context window was full")
    RULE("answer.over_window", CONTEXT_OVERFLOW, NONE, 2, 15, "body:over_window and not body:error",
        "the usage that was reported is above the model's context "
        "window, so input was dropped silently")
    RULE("finish.filter", CONTENT_FILTER, NONE, 2, 19,
        "(finish:filter or finish:refusal) and not body:error",
        "the response was stopped by a content filter or a refusal")
    RULE("finish.length", OUTPUT_TRUNCATED, NONE, 2, 24, "finish:length and not body:error",
        "the response was cut off at the output limit")
    RULE("finish.tool", MALFORMED_RESPONSE, NONE, 2, 28, "finish:tool and not body:error",
        "the model wrote a tool call that cannot be parsed; another " "attempt may succeed")
    RULE("quota.limit_zero", QUOTA_EXHAUSTED, NONE, 2, 32,
        "limit:zero and (code:quota or code:rate or "
        "code:resource_exhausted or says:quota or says:rate or says:plan "
        "or status:429 or inner:429)",
        "the limit is 0: this account has no quota, so the stated wait " "does not help")
    RULE("size.bucket", REQUEST_TOO_LARGE, NONE, 3, 43,
        "limit:too_small and (code:rate or says:rate or says:too_large "
        "or says:window_short or code:too_large or status:429 or "
        "status:413) and not says:window_long",
        "this single request is larger than the whole limit, so waiting " "never helps")
    RULE("overflow.code", CONTEXT_OVERFLOW, NONE, 2, 55, "code:context_overflow and not code:rate",
        "a typed code says that the input does not fit the context window")
    RULE("size.field_code", INVALID_REQUEST, NONE, 1, 59, "code:field_too_long",
        "a typed code says that one field is too long")
    RULE("rate.payment_status", RATE_LIMITED, NONE, 3, 61,
        "status:402 and (says:rate or says:concurrency or code:rate) and "
        "not (says:balance or says:plan or says:quota or code:balance or "
        "code:quota or code:plan or window:long or says:token_overflow "
        "or says:context_overflow)",
        "the status says payment required, but the message describes a " "rate limit")
    RULE("entitlement.payment_status", PERMISSION_DENIED, NONE, 3, 77,
        "status:402 and (says:entitlement or code:entitlement) and not "
        "(says:balance or code:balance or says:plan or code:quota)",
        "a subscription or entitlement is missing")
    RULE("quota.payment_status", QUOTA_EXHAUSTED, NONE, 2, 87,
        "(status:402 or inner:402) and not (code:filter or code:auth)",
        "the status says that payment is required")
    RULE("quota.status", QUOTA_EXHAUSTED, NONE, 2, 93,
        "(status:432-433 or inner:432-433) and not (code:invalid or " "code:bad_param)",
        "the status says that the plan's limit is reached")
    RULE("size.output_cap_first", INVALID_REQUEST, NONE, 1, 101, "says:output_limit_first",
        "the requested output limit is above the model's maximum")
    RULE("overflow.words", CONTEXT_OVERFLOW, NONE, 2, 103,
        "says:context_overflow and not (code:rate or code:balance or "
        "code:plan or code:filter or code:auth or says:balance or "
        "says:plan or says:field_too_long or says:field_rule or " "says:timeout or window:short)",
        "the message says that the input is longer than the context " "window")
    RULE("size.output_cap", INVALID_REQUEST, NONE, 2, 117,
        "(says:output_cap or code:output_cap) and not (code:rate or "
        "window:short or says:balance)",
        "the request asks for more output than the model can produce")
    RULE("overflow.tokens", CONTEXT_OVERFLOW, NONE, 2, 124,
        "says:token_overflow and not (code:rate or code:balance or "
        "code:plan or code:quota or says:rate or says:balance or "
        "says:plan or says:quota or says:field_too_long or window:short)",
        "the message says that the input has more tokens than the model " "accepts")
    RULE("size.status_code", REQUEST_TOO_LARGE, NONE, 2, 137, "status:413 and code:rate",
        "the status says that the request is too large; the code names " "the exceeded limit")
    RULE("filter.code", CONTENT_FILTER, NONE, 1, 141, "code:filter",
        "a typed code says that content was blocked")
    RULE("quota.code", QUOTA_EXHAUSTED, NONE, 2, 143,
        "(code:balance or code:plan or code:quota) and not (window:short " "or says:concurrency)",
        "a typed code says that quota, plan or credit is used up")
    RULE("quota.code_long", QUOTA_EXHAUSTED, NONE, 2, 150,
        "(code:balance or code:plan or code:quota) and window:long",
        "a typed code says that a quota is used up, and its window is " "long")
    RULE("quota.code_money", QUOTA_EXHAUSTED, NONE, 1, 156, "code:balance or code:plan",
        "a typed code says that the plan or the credit is used up")
    RULE("quota.money", QUOTA_EXHAUSTED, NONE, 2, 159,
        "says:balance and not (says:not_counted or code:model_missing or "
        "code:context_overflow or code:overloaded)",
        "the message says that credit, balance or budget is used up; "
        "this takes precedence over authentication statuses")
    RULE("quota.plan", QUOTA_EXHAUSTED, NONE, 2, 166,
        "says:plan and not (says:not_counted or code:model_missing or "
        "code:overloaded or window:short)",
        "the message says that the usage included in the plan is used up")
    RULE("quota.plan_long", QUOTA_EXHAUSTED, NONE, 3, 173,
        "says:plan and window:long and not (code:model_missing or " "code:overloaded)",
        "the message says that the usage included in the plan is used up " "for a day or longer")
    RULE("entitlement.code", PERMISSION_DENIED, NONE, 1, 180, "code:entitlement",
        "a typed code says that the plan does not include the requested " "function")
    RULE("quota.window", QUOTA_EXHAUSTED, NONE, 3, 182,
        "(code:rate or code:quota or code:resource_exhausted or "
        "says:rate or says:quota or says:resource_exhausted or "
        "status:429) and window:long and not (code:overloaded or "
        "code:loading or code:concurrency)", "the longest window of the limit is a day or more")
    RULE("quota.long_wait", QUOTA_EXHAUSTED, NONE, 3, 196,
        "(code:rate or code:quota or says:rate or says:quota or "
        "status:429) and hint:long and not (code:overloaded or " "code:loading)",
        "a wait of more than an hour is a quota, not a rate")
    RULE("rate.quota_short", RATE_LIMITED, NONE, 2, 207,
        "(says:quota or code:quota) and (window:short or " "says:concurrency)",
        "the quota limits a second, a minute or concurrent requests, so " "it renews soon")
    RULE("rate.quota_wait", RATE_LIMITED, NONE, 3, 213,
        "says:quota and code:resource_exhausted and hint:any",
        "the quota error states a short wait, so it renews soon")
    RULE("quota.words", QUOTA_EXHAUSTED, NONE, 2, 219,
        "says:quota and not (says:not_counted or code:overloaded or "
        "code:loading or code:model_missing or code:auth or " "code:permission)",
        "the message says that a quota is used up and names no short " "window")
    RULE("quota.upsell", QUOTA_EXHAUSTED, NONE, 3, 228,
        "says:upsell and (status:429 or status:403 or status:402) and "
        "not (window:short or says:rate or says:overloaded or "
        "says:concurrency or says:entitlement or code:rate or code:auth "
        "or code:model_missing or code:overloaded)",
        "the message offers more credit or a larger plan")
    RULE("entitlement.words", PERMISSION_DENIED, NONE, 2, 244,
        "says:entitlement and not (says:filter or code:auth or "
        "code:model_missing or code:overloaded or says:rate or " "says:overloaded or status:5xx)",
        "the message says that the plan or account does not include the " "requested function")
    RULE("conflict.in_progress", OUTCOME_UNKNOWN, NONE, 2, 254,
        "(code:in_progress or says:in_progress) and (status:409 or "
        "inner:409 or code:in_progress)",
        "the same request is still being processed: fetch its result "
        "instead of sending it again")
    RULE("conflict.duplicate", INVALID_REQUEST, NONE, 2, 261,
        "(code:duplicate or says:duplicate) and (status:409 or inner:409 " "or code:duplicate)",
        "the operation was already carried out, so repeating it changes " "nothing")
    RULE("overload.code", OVERLOADED, NONE, 1, 268, "code:overloaded",
        "a typed code says that the provider is overloaded")
    RULE("loading.code", MODEL_LOADING, NONE, 1, 270, "code:loading",
        "a typed code says that the model is still loading")
    RULE("degraded.words", OVERLOADED, NONE, 1, 272, "says:degraded",
        "the message says that the service behind the model is degraded")
    RULE("request.typed", INVALID_REQUEST, NONE, 3, 274,
        "(status:400 or status:422) and (says:rate or says:overloaded or "
        "says:loading or says:concurrency) and not (code:overloaded or "
        "code:loading or code:concurrency or code:resource_exhausted or "
        "code:rate or code:server_error or says:auth or says:filter or "
        "says:model_missing or hint:any or inner:429 or inner:5xx)",
        "status and typed code say that the request is invalid; the "
        "message mentions rates or load in another sense")
    RULE("rate.concurrency", RATE_LIMITED, NONE, 2, 295,
        "(code:concurrency or says:concurrency) and not (code:auth or " "code:permission)",
        "too many concurrent requests")
    RULE("rate.overload", OVERLOADED, NONE, 3, 301,
        "code:rate and says:overloaded and not says:rate",
        "the code names a rate limit, but the message describes the " "provider's own load")
    RULE("rate.code", RATE_LIMITED, NONE, 1, 307, "code:rate",
        "a typed code says that requests arrive too fast")
    RULE("region.words", PERMISSION_DENIED, NONE, 2, 309,
        "(says:region or code:region) and not (status:5xx or " "says:connect_failed)",
        "the provider does not serve this country or region")
    RULE("unsupported.model_code", UNSUPPORTED_FEATURE, NONE, 3, 315,
        "code:model_missing and says:unsupported and not " "says:model_missing",
        "the code names the model, but the message says that the model " "lacks a feature")
    RULE("model.code", MODEL_NOT_FOUND, NONE, 2, 321,
        "code:model_missing and not (code:overloaded or " "code:server_error)",
        "a typed code says that the model does not exist at this provider")
    RULE("auth.code_words", AUTH_FAILED, NONE, 2, 326, "code:auth and says:auth",
        "code and message say that the credentials are not accepted")
    RULE("auth.code", AUTH_FAILED, NONE, 2, 330, "code:auth and not says:permission",
        "a typed code says that the credentials are not accepted")
    RULE("permission.model", MODEL_NOT_FOUND, NONE, 3, 334,
        "code:permission and says:model_missing and (status:404 or " "inner:404)",
        "the model does not exist or is not available to this account")
    RULE("filter.permission", CONTENT_FILTER, NONE, 3, 341,
        "says:filter and code:permission and not (says:permission or " "says:account_blocked)",
        "the message says that content was blocked; the code only says "
        "that the request is not allowed")
    RULE("permission.code", PERMISSION_DENIED, NONE, 1, 348, "code:permission or code:auth",
        "a typed code says that the request is not allowed")
    RULE("unsupported.code", UNSUPPORTED_FEATURE, NONE, 2, 351,
        "code:unsupported and not says:auth", "a typed code says that the feature is not supported")
    RULE("stale.code", INVALID_REQUEST, NONE, 1, 355, "code:stale_reference",
        "a typed code says that an object named in the request does not " "exist")
    RULE("endpoint.code", ENDPOINT_NOT_FOUND, NONE, 1, 357, "code:endpoint_missing",
        "a typed code says that the URL does not exist")
    RULE("size.code", REQUEST_TOO_LARGE, NONE, 1, 359, "code:too_large",
        "a typed code says that the request is too large")
    RULE("filter.words_typed", CONTENT_FILTER, NONE, 3, 361,
        "says:filter and (code:bad_param or code:invalid) and not "
        "(says:auth or says:rate or says:model_missing)",
        "the message says that content was blocked; the code only says "
        "that the request is invalid")
    RULE("request.code", INVALID_REQUEST, NONE, 2, 370,
        "code:bad_param and not (says:auth or says:model_missing)",
        "a typed code names an error in the request")
    RULE("overload.timeout_code", OVERLOADED, NONE, 2, 375, "code:timeout and says:overloaded",
        "the code names a timeout, but the message says that load caused " "it")
    RULE("timeout.code_ambiguous", OUTCOME_UNKNOWN, NONE, 3, 379,
        "code:timeout and replay:no and not phase:connect",
        "the provider timed out; the request may have been carried out")
    RULE("timeout.code", PROVIDER_TIMEOUT, NONE, 1, 385, "code:timeout",
        "a typed code says that a time limit of the provider ended the " "request")
    RULE("rpc.timeout", EXECUTION_TIMEOUT, TRANSIENT, 2, 387,
        "(rpc:server or rpc:internal or rpc:tool) and says:timeout",
        "the call of a tool took too long")
    RULE("rpc.closed", UNAVAILABLE, NONE, 2, 393,
        "(rpc:server or rpc:internal) and (says:reset or says:stream_cut "
        "or says:stale_reference or says:connect_failed)",
        "the tool's server closed the connection or does not know the " "session any more")
    RULE("rpc.cancelled", DENIED, NONE, 2, 401,
        "(rpc:server or rpc:internal or rpc:tool) and says:tool_denied",
        "a user or a policy refused the call of the tool")
    RULE("rpc.unsupported", UNSUPPORTED_FEATURE, NONE, 2, 407,
        "(rpc:server or rpc:internal or rpc:tool or rpc:invalid) and " "says:unsupported",
        "the tool's server does not support this feature or version")
    RULE("rpc.permission", FORBIDDEN, CONFIGURATION, 3, 414,
        "(rpc:server or rpc:internal or rpc:tool or rpc:invalid) and "
        "(says:permission or says:not_allowed) and not (says:auth or " "says:bad_param)",
        "the tool's server does not allow this")
    RULE("rpc.invalid", INPUT_INVALID, CONTENT, 1, 425, "rpc:invalid",
        "a JSON-RPC code says that the request or its parameters are " "invalid")
    RULE("rpc.not_found", NOT_FOUND, CONFIGURATION, 1, 427, "rpc:not_found",
        "a JSON-RPC code says that the method or the resource does not " "exist")
    RULE("connect.tls.client_certificate", CONNECTION_FAILED, NONE, 1, 429,
        "connection:tls_client_certificate",
        "the peer requires a client certificate and refused the "
        "connection; it did not read the request")
    RULE("timeout.connect_words", NETWORK_TIMEOUT, NONE, 2, 431,
        "says:connect_timeout and status:none",
        "no connection was established in time; nothing was sent")
    RULE("outcome.timeout", OUTCOME_UNKNOWN, NONE, 4, 435,
        "(transport:timeout or says:timeout) and (status:none or "
        "status:2xx) and replay:no and not phase:connect",
        "the request was sent and no response arrived; a retry may carry " "it out twice")
    RULE("outcome.gateway_timeout", OUTCOME_UNKNOWN, NONE, 3, 445,
        "(status:504 or status:524 or inner:504 or inner:524) and "
        "replay:no and not (code:invalid or says:connect_timeout)",
        "a gateway stopped waiting for the provider; the request may " "have been carried out")
    RULE("outcome.no_answer", OUTCOME_UNKNOWN, NONE, 2, 455,
        "(status:520 or inner:520) and replay:no",
        "a gateway forwarded the request and received an empty or broken "
        "response; the request may have been carried out")
    RULE("outcome.timeout_words", OUTCOME_UNKNOWN, NONE, 4, 460,
        "says:timeout and (status:408 or status:499 or status:5xx) and "
        "replay:no and not (says:connect_timeout or status:522)",
        "the provider's time limit ended the request; it may have been " "carried out")
    RULE("outcome.status", OUTCOME_UNKNOWN, NONE, 2, 471,
        "(status:408 or status:499 or status:598-599) and replay:no",
        "the call was abandoned on the way; the request may have been " "carried out")
    RULE("outcome.tls", OUTCOME_UNKNOWN, NONE, 3, 478,
        "transport:tls and replay:no and (phase:sent or phase:headers or " "phase:committed)",
        "the connection broke after the request was sent")
    RULE("outcome.cut", OUTCOME_UNKNOWN, NONE, 4, 486,
        "(transport:reset or transport:eof or says:reset or "
        "says:stream_cut or body:unterminated) and (status:none or "
        "status:2xx) and replay:no and not phase:connect",
        "the connection ended after the request was sent; a retry may " "carry it out twice")
    RULE("timeout.dns", NETWORK_TIMEOUT, NONE, 1, 499, "connection:dns_timeout",
        "the DNS lookup of the host name timed out; nothing was sent")
    RULE("timeout.tls", NETWORK_TIMEOUT, NONE, 1, 501, "connection:tls_timeout",
        "the TLS handshake did not finish in time; nothing was sent")
    RULE("timeout.connect", NETWORK_TIMEOUT, NONE, 2, 503, "transport:timeout and phase:connect",
        "no connection was established in time; nothing was sent")
    RULE("timeout.stall", STREAM_INTERRUPTED, NONE, 2, 507,
        "connection:stalled and phase:committed", "the stream stalled after its first content")
    RULE("timeout.stream", STREAM_INTERRUPTED, NONE, 2, 511,
        "transport:timeout and phase:committed", "the stream stopped before its end")
    RULE("timeout.send", NETWORK_TIMEOUT, NONE, 1, 515, "connection:send_timeout",
        "the peer accepted no more of the request in time; the request " "can be repeated safely")
    RULE("timeout.first_byte", NETWORK_TIMEOUT, NONE, 1, 517, "connection:first_byte_timeout",
        "the response did not begin in time; the request can be repeated " "safely")
    RULE("timeout.share", NETWORK_TIMEOUT, NONE, 1, 519, "connection:share_timeout",
        "the response did not begin within the target's share of the "
        "deadline; the request can be repeated safely")
    RULE("timeout.stall_early", NETWORK_TIMEOUT, NONE, 1, 521, "connection:stalled",
        "the stream stalled before its first content; the request can be " "repeated safely")
    RULE("timeout.idle", NETWORK_TIMEOUT, NONE, 1, 523, "connection:idle_timeout",
        "the response stopped before its end; the request can be " "repeated safely")
    RULE("deadline.client", NETWORK_TIMEOUT, NONE, 1, 525, "connection:deadline_client",
        "the client's deadline ended the attempt")
    RULE("deadline.announced_timeout", NETWORK_TIMEOUT, NONE, 1, 527,
        "connection:announced_timeout",
        "the timeout that the client announced in x-stainless-timeout " "ended the attempt")
    RULE("deadline.announced_read_timeout", NETWORK_TIMEOUT, NONE, 1, 529,
        "connection:announced_read_timeout", "the timeout that the client announced in "
        "x-stainless-read-timeout ended the attempt")
    RULE("deadline.announced_server_timeout", NETWORK_TIMEOUT, NONE, 1, 531,
        "connection:announced_server_timeout",
        "the timeout that the client announced in x-server-timeout ended " "the attempt")
    RULE("deadline.route", NETWORK_TIMEOUT, NONE, 1, 533, "connection:deadline_route",
        "the route's deadline ended the attempt")
    RULE("deadline.policy", NETWORK_TIMEOUT, NONE, 1, 535, "connection:deadline_policy",
        "the policy's time budget ended the attempt")
    RULE("deadline.body", NETWORK_TIMEOUT, NONE, 1, 537, "connection:deadline_body",
        "the client's deadline passed while its request was being " "received")
    RULE("timeout.network", NETWORK_TIMEOUT, NONE, 1, 539, "transport:timeout",
        "no response arrived in time; the request can be repeated safely")
    RULE("connect.dns.unknown", CONNECTION_FAILED, NONE, 1, 541, "connection:dns_unknown",
        "the host name does not exist; nothing was sent")
    RULE("connect.dns.failed", CONNECTION_FAILED, NONE, 1, 543, "connection:dns_failed",
        "no DNS server could be reached; nothing was sent")
    RULE("connect.dns", CONNECTION_FAILED, NONE, 1, 545, "transport:dns",
        "the DNS lookup of the host name failed; nothing was sent")
    RULE("connect.unreachable", CONNECTION_FAILED, NONE, 1, 547, "connection:unreachable",
        "the host is unreachable; nothing was sent")
    RULE("connect.failed", CONNECTION_FAILED, NONE, 1, 549, "connection:failed",
        "the connection failed; nothing was sent")
    RULE("connect.refused", CONNECTION_FAILED, NONE, 1, 551, "transport:connect_refused",
        "the connection was refused; nothing was sent")
    RULE("connect.certificate", CONNECTION_FAILED, CONFIGURATION, 2, 553,
        "(transport:tls or status:none) and says:tls",
        "the certificate or the TLS configuration is wrong; a retry does " "not help")
    RULE("stream.tls", STREAM_INTERRUPTED, NONE, 2, 558,
        "transport:tls and (phase:headers or phase:committed or " "status:2xx)",
        "TLS failed in the middle of the response")
    RULE("connect.tls.expired", CONNECTION_FAILED, NONE, 1, 564, "connection:tls_expired",
        "the certificate has expired; nothing was sent, and a retry at "
        "the same target does not help")
    RULE("connect.tls.not_yet_valid", CONNECTION_FAILED, NONE, 1, 566,
        "connection:tls_not_yet_valid",
        "the certificate is not valid yet; nothing was sent, and a retry "
        "at the same target does not help")
    RULE("connect.tls.self_signed", CONNECTION_FAILED, NONE, 1, 568, "connection:tls_self_signed",
        "the certificate is self-signed and not trusted; nothing was sent")
    RULE("connect.tls.untrusted", CONNECTION_FAILED, NONE, 1, 570, "connection:tls_untrusted",
        "the certificate's issuer is not trusted; nothing was sent")
    RULE("connect.tls.wrong_host", CONNECTION_FAILED, NONE, 1, 572, "connection:tls_wrong_host",
        "the certificate is for another host; nothing was sent")
    RULE("connect.tls.revoked", CONNECTION_FAILED, NONE, 1, 574, "connection:tls_revoked",
        "the certificate was revoked; nothing was sent")
    RULE("connect.tls.certificate", CONNECTION_FAILED, NONE, 1, 576, "connection:tls_certificate",
        "the certificate is not acceptable; nothing was sent")
    RULE("connect.tls.version", CONNECTION_FAILED, NONE, 1, 578, "connection:tls_version",
        "the peer supports only outdated versions of TLS; nothing was " "sent")
    RULE("connect.tls.refused", CONNECTION_FAILED, NONE, 1, 580, "connection:tls_refused",
        "the peer refused the TLS handshake; nothing was sent")
    RULE("connect.tls.not_spoken", CONNECTION_FAILED, NONE, 1, 582, "connection:tls_not_spoken",
        "the peer does not speak TLS; nothing was sent")
    RULE("connect.tls.alert", CONNECTION_FAILED, NONE, 1, 584, "connection:tls_alert",
        "the peer ended TLS with an alert before it responded")
    RULE("connect.tls.broken", CONNECTION_FAILED, NONE, 1, 586, "connection:tls_broken",
        "TLS failed before a response arrived")
    RULE("connect.tls", CONNECTION_FAILED, NONE, 1, 588, "transport:tls",
        "the TLS handshake failed; nothing was sent")
    RULE("connect.tls.closed", CONNECTION_RESET, NONE, 1, 590, "connection:tls_closed",
        "the connection was closed during the TLS handshake; nothing was " "sent")
    RULE("connect.tls.reset", CONNECTION_RESET, NONE, 1, 592, "connection:tls_reset",
        "the connection was reset during the TLS handshake; nothing was " "sent")
    RULE("stream.cut", STREAM_INTERRUPTED, NONE, 2, 594,
        "transport:eof and (status:2xx or phase:headers or " "phase:committed)",
        "the connection ended before the response was complete")
    RULE("stream.reset", STREAM_INTERRUPTED, NONE, 2, 600,
        "transport:reset and (phase:committed or status:2xx)",
        "the connection was reset in the middle of the response")
    RULE("reset.transport", CONNECTION_RESET, NONE, 1, 605, "transport:reset or transport:eof",
        "the connection was closed before a response arrived; the "
        "request can be repeated safely")
    RULE("account.words", PERMISSION_DENIED, NONE, 2, 608,
        "says:account_blocked and not status:5xx",
        "the message says that the account is closed or locked")
    RULE("filter.words", CONTENT_FILTER, NONE, 2, 612,
        "says:filter and not (says:rate or says:model_missing)",
        "the message says that content was blocked")
    RULE("permission.status_words", PERMISSION_DENIED, NONE, 2, 617,
        "says:permission and (status:403 or inner:403)",
        "status and message say that this account is not allowed to do " "this")
    RULE("auth.words", AUTH_FAILED, NONE, 2, 622, "says:auth and not says:unavailable",
        "the message says that the credentials are missing, wrong or "
        "expired; the status is ignored")
    RULE("rate.words", RATE_LIMITED, NONE, 2, 626,
        "says:rate and not (says:overloaded or status:404)",
        "the message says that requests arrive too fast")
    RULE("loading.words", MODEL_LOADING, NONE, 2, 631,
        "says:loading and not (status:400-404 or status:422 or " "says:model_missing)",
        "the message says that the model is still loading")
    RULE("memory.words", UNSUPPORTED_FEATURE, NONE, 1, 641, "says:host_memory",
        "the machine has too little memory for the model, so a retry " "does not help")
    RULE("overload.words", OVERLOADED, NONE, 2, 643,
        "says:overloaded and not (status:401 or status:403 or status:404)",
        "the message says that the provider has no capacity at the moment")
    RULE("permission.scope_words", PERMISSION_DENIED, NONE, 3, 649,
        "says:permission and says:model_missing and (status:401 or " "inner:401)",
        "status and message say that this account lacks a permission, " "such as access to models")
    RULE("model.words", MODEL_NOT_FOUND, NONE, 2, 656,
        "says:model_missing and not (says:malformed or status:429 or "
        "status:502-504 or status:529 or inner:429 or inner:503)",
        "the message says that the model does not exist at this provider")
    RULE("permission.words", PERMISSION_DENIED, NONE, 2, 667,
        "says:permission and not (status:501-599 or status:404)",
        "the message says that this account is not allowed to do this")
    RULE("rpc.tool_not_found", NOT_FOUND, CONFIGURATION, 2, 770,
        "(rpc:tool or rpc:internal) and (says:not_found or "
        "says:stale_reference or says:endpoint_missing)",
        "the tool says that something does not exist")
    RULE("rpc.tool_invalid", INPUT_INVALID, CONTENT, 2, 777,
        "rpc:tool and (says:bad_param or says:invalid or says:field_rule)",
        "the tool says that its input is invalid")
    RULE("size.field", INVALID_REQUEST, NONE, 2, 783, "says:field_too_long and not status:5xx",
        "the message says that one field is too long")
    RULE("size.words", REQUEST_TOO_LARGE, NONE, 2, 787,
        "says:too_large and not (says:overloaded or says:timeout)",
        "the message says that the request is too large")
    RULE("endpoint.words", ENDPOINT_NOT_FOUND, NONE, 2, 792,
        "says:endpoint_missing and (status:404-405 or status:410 or "
        "status:none or status:400 or status:2xx or status:501)",
        "the message says that the URL does not exist")
    RULE("stale.words", INVALID_REQUEST, NONE, 2, 802,
        "says:stale_reference and (status:400 or status:404 or "
        "status:422 or status:none or status:2xx)",
        "the message says that an object named in the request does not " "exist")
    RULE("truncated.words", OUTPUT_TRUNCATED, NONE, 2, 810,
        "says:truncated and (status:none or status:2xx)",
        "the words say that the response was cut off at the output limit")
    RULE("malformed.words", MALFORMED_RESPONSE, NONE, 3, 815,
        "says:malformed and (status:none or status:2xx) and not "
        "(body:error or inner:4xx or inner:5xx or says:upstream or "
        "transport:eof or transport:reset or transport:timeout)", "the response cannot be parsed")
    RULE("param.words", INVALID_REQUEST, NONE, 2, 828,
        "(says:bad_param or says:field_rule) and not "
        "(says:connect_failed or says:timeout or status:401 or "
        "status:403 or status:429 or status:5xx or inner:401 or "
        "inner:403-404 or inner:429 or inner:5xx)", "the message names an error in the request")
    RULE("unsupported.words", UNSUPPORTED_FEATURE, NONE, 2, 843,
        "says:unsupported and not (status:429 or status:502 or "
        "status:504 or says:unavailable or says:retry_later)",
        "the message says that the model or server does not support this " "feature")
    RULE("crashed.words", PROVIDER_5XX, NONE, 2, 851, "says:crashed and not says:timeout",
        "the process that runs the model crashed; a retry reaches a new " "process")
    RULE("numeric.words", PROVIDER_5XX, NONE, 1, 855, "says:numeric_fault",
        "the model's computation failed; a retry usually succeeds")
    RULE("conflict.status", CONFLICT, NONE, 1, 857, "status:409 or inner:409",
        "a conflict with another request usually ends soon")
    RULE("model.status", MODEL_NOT_FOUND, NONE, 2, 860,
        "(status:404 or inner:404) and (says:mentions_model or " "body:model_param)",
        "status 404, and the message names a model")
    RULE("inner.rate", RATE_LIMITED, NONE, 1, 866, "inner:429",
        "the error in the body is a 429; the HTTP status differs")
    RULE("inner.auth", AUTH_FAILED, NONE, 1, 868, "inner:401 or inner:407",
        "the error in the body is a 401; the HTTP status differs")
    RULE("inner.permission", PERMISSION_DENIED, NONE, 1, 871, "inner:403 or inner:451",
        "the error in the body is a 403; the HTTP status differs")
    RULE("inner.not_found", ENDPOINT_NOT_FOUND, NONE, 1, 874, "inner:404 or inner:405 or inner:410",
        "the error in the body is a 404; the HTTP status differs")
    RULE("inner.size", REQUEST_TOO_LARGE, NONE, 1, 878, "inner:413 or inner:414",
        "the error in the body is a 413; the HTTP status differs")
    RULE("inner.timeout", PROVIDER_TIMEOUT, NONE, 1, 881,
        "inner:408 or inner:504 or inner:522 or inner:524",
        "the error in the body is a timeout; the HTTP status differs")
    RULE("inner.overload", OVERLOADED, NONE, 1, 886, "inner:503 or inner:529",
        "the error in the body is a 503; the HTTP status differs")
    RULE("inner.unsupported", UNSUPPORTED_FEATURE, NONE, 1, 889, "inner:501",
        "the error in the body is a 501; the HTTP status differs")
    RULE("inner.server", PROVIDER_5XX, NONE, 1, 891, "inner:5xx",
        "the error in the body is a server error; the HTTP status differs")
    RULE("inner.request", INVALID_REQUEST, NONE, 2, 893,
        "inner:4xx and not (status:401 or status:403 or status:404)",
        "the error in the body says that the request is invalid; the " "HTTP status differs")
    RULE("timeout.words_status", PROVIDER_TIMEOUT, NONE, 2, 899,
        "says:timeout and (status:408 or status:5xx)",
        "a time limit of the provider, or of a gateway before it, ended " "the request")
    RULE("status.timeout", PROVIDER_TIMEOUT, NONE, 1, 904,
        "status:408 or status:504 or status:522 or status:524 or " "status:598-599",
        "the status says that a time limit of the provider ended the " "request")
    RULE("status.auth", AUTH_FAILED, NONE, 1, 911, "status:401 or status:407",
        "the status says that the credentials are not accepted")
    RULE("status.permission", PERMISSION_DENIED, NONE, 1, 914, "status:403 or status:451",
        "the status says that the request is not allowed")
    RULE("status.not_found", ENDPOINT_NOT_FOUND, NONE, 1, 917, "status:404-405 or status:410",
        "status 404, and nothing in the response names a model")
    RULE("status.rate", RATE_LIMITED, NONE, 1, 921, "status:429 or status:509",
        "a 429 without further information counts as a rate limit")
    RULE("status.size", REQUEST_TOO_LARGE, NONE, 1, 924, "status:413-414 or status:431",
        "the status says that the request is too large")
    RULE("status.cancelled", PROVIDER_5XX, NONE, 1, 928, "status:499",
        "the call was cancelled on the way to the provider; the request " "itself is valid")
    RULE("status.dependency", PROVIDER_5XX, NONE, 1, 930, "status:424-425",
        "a service that the provider depends on failed")
    RULE("status.locked", CONFLICT, NONE, 1, 933, "status:423",
        "another request has locked the resource")
    RULE("server.typed_request", INVALID_REQUEST, NONE, 3, 935,
        "status:500 and code:invalid and not (code:server_error or "
        "says:server_error or says:retry_later)",
        "the typed code says that the request is invalid; a wrapper " "added the status 500")
    RULE("status.unsupported", UNSUPPORTED_FEATURE, NONE, 1, 943, "status:501",
        "the status says that the server does not implement this function")
    RULE("overload.status", OVERLOADED, NONE, 2, 945,
        "(status:503 or status:529) and not (says:reset or " "says:connect_failed)",
        "the status says that the server has no capacity at the moment")
    RULE("status.loop", ENDPOINT_NOT_FOUND, NONE, 2, 951, "status:508 and hint:no_retry",
        "a gateway behind this base URL has already handled the request: "
        "the configuration forms a loop")
    RULE("status.server", PROVIDER_5XX, NONE, 1, 955, "status:5xx",
        "the status says that the server failed")
    RULE("status.request", INVALID_REQUEST, NONE, 1, 957, "status:4xx",
        "the status says that the request is invalid")
    RULE("status.not_modified", MALFORMED_RESPONSE, NONE, 1, 959, "status:304",
        "the status 304 is a cache response, but the request was not " "conditional")
    RULE("status.redirect", ENDPOINT_NOT_FOUND, NONE, 1, 961, "status:3xx",
        "the response is a redirect, so the base URL is probably wrong")
    RULE("timeout.theirs", PROVIDER_TIMEOUT, NONE, 2, 963,
        "says:timeout and (says:their_timeout or status:2xx)",
        "a time limit of the provider, or of a gateway before it, ended " "the request")
    RULE("timeout.words", NETWORK_TIMEOUT, NONE, 1, 968, "says:timeout",
        "the call took too long; the request can be repeated safely")
    RULE("server.upstream", PROVIDER_5XX, NONE, 2, 970,
        "says:upstream and (says:reset or says:connect_failed)",
        "a gateway lost its connection to the server behind it")
    RULE("stream.words", STREAM_INTERRUPTED, NONE, 1, 975, "says:stream_cut or code:stream_cut",
        "the response stopped in the middle")
    RULE("reset.words", CONNECTION_RESET, NONE, 1, 978, "says:reset",
        "the connection was closed before a response arrived")
    RULE("connect.words", CONNECTION_FAILED, NONE, 1, 980, "says:connect_failed",
        "no connection could be established")
    RULE("rpc.failed", EXECUTION_FAILED, TRANSIENT, 1, 982,
        "rpc:internal or rpc:server or rpc:tool",
        "the tool or its server failed and says nothing that names a " "cause")
    RULE("conflict.words", CONFLICT, NONE, 1, 986, "says:conflict or code:conflict",
        "a conflict with another request usually ends soon")
    RULE("cancelled.exit", TOOL_CANCELLED, NONE, 1, 989, "exit:interrupted",
        "a user or another program ended the process")
    RULE("cancelled.code", PROVIDER_5XX, NONE, 1, 991, "code:cancelled",
        "the call was cancelled on the way to the provider; the request " "itself is valid")
    RULE("unavailable.words", OVERLOADED, NONE, 1, 993, "says:unavailable or code:unavailable",
        "the service is not available at the moment")
    RULE("exhausted.words", RATE_LIMITED, NONE, 1, 996,
        "code:resource_exhausted or says:resource_exhausted",
        "a resource is exhausted, and the response names no long window")
    RULE("permission.general", PERMISSION_DENIED, NONE, 1, 999,
        "says:not_allowed or code:not_allowed", "the message says that the request is not allowed")
    RULE("request.words", INVALID_REQUEST, NONE, 2, 1002,
        "(says:invalid or code:invalid or body:validation) and not " "code:server_error",
        "the message says that the request is invalid")
    RULE("server.words", PROVIDER_5XX, NONE, 1, 1008, "says:server_error or code:server_error",
        "the message says that the server failed internally")
    RULE("not_found.words", ENDPOINT_NOT_FOUND, NONE, 1, 1011, "code:not_found",
        "status 404, and nothing in the response names a model")
    RULE("finish.error", PROVIDER_5XX, NONE, 1, 1013, "finish:error",
        "the response ended with an error without details")
    RULE("stream.unterminated", STREAM_INTERRUPTED, NONE, 1, 1015, "body:unterminated",
        "the stream ends without its terminator")
    RULE("page.success", MALFORMED_RESPONSE, UNKNOWN, 2, 1017,
        "body:html and (status:2xx or status:none)",
        "the response is a web page: the base URL is often wrong, so the " "request is not retried")
    RULE("answer.empty", MALFORMED_RESPONSE, NONE, 2, 1022,
        "(body:no_content or body:empty) and (status:2xx or " "body:no_content)",
        "the response is empty")
    RULE("answer.cut", MALFORMED_RESPONSE, NONE, 4, 1028,
        "body:cut and body:json and (status:2xx or status:none) and not " "body:error",
        "the response ends in the middle")
    RULE("exit.timeout", EXECUTION_TIMEOUT, NONE, 1, 1037, "exit:timeout",
        "a time limit ended the process")
    RULE("exit.temporary", RESOURCE_BUSY, NONE, 1, 1039, "exit:temporary",
        "the exit status of the process says that a later attempt may " "succeed")
    RULE("exit.not_found", UNAVAILABLE, NONE, 1, 1041, "exit:not_found or exit:not_runnable",
        "the command does not exist or is not executable")
    RULE("exit.usage", INPUT_INVALID, NONE, 1, 1044, "exit:usage",
        "the process was called with wrong arguments")
    RULE("exit.terminated", TOOL_CANCELLED, NONE, 1, 1046, "exit:terminated",
        "the process was terminated by a signal")
    RULE("exit.killed", EXECUTION_FAILED, NONE, 1, 1048,
        "exit:killed or exit:crashed or exit:other", "the process failed without details")
    RULE("answer.good", UNCLASSIFIED, NONE, 2, 1052,
        "body:answer and not (body:error or body:no_content or "
        "body:unterminated or status:4xx or status:5xx)",
        "the text looks like a successful response: nothing in it " "indicates a failure")
    RULE("unknown", UNCLASSIFIED, NONE, 0, 1060, "always",
        "no rule matches, so the call is not retried")
};

const rc_rule_set rc_rules_builtin = {rc_rules_table, rc_rules_prefilters,
                                      RC_RULES_BUILTIN_COUNT};
