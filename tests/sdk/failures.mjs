// Failures of the provider and the errors that clients get. A row: the mock's behaviour, the report's code,
// the HTTP status; OpenAI's class and code; Anthropic's class and type; Google's status.
// Anthropic's status for an overload is 529.
const ROWS = [
    ["400", "InvalidRequest", 400,
        "BadRequestError", "invalid_value", "BadRequestError", "invalid_request_error", "INVALID_ARGUMENT"],
    ["400-overflow", "ContextOverflow", 400,
        "BadRequestError", "context_length_exceeded", "BadRequestError", "invalid_request_error", "INVALID_ARGUMENT"],
    ["401", "AuthFailed", 401,
        "AuthenticationError", "invalid_api_key", "AuthenticationError", "authentication_error", "UNAUTHENTICATED"],
    ["403", "PermissionDenied", 403,
        "PermissionDeniedError", "permission_denied", "PermissionDeniedError", "permission_error", "PERMISSION_DENIED"],
    ["404-model", "ModelNotFound", 404,
        "NotFoundError", "model_not_found", "NotFoundError", "not_found_error", "NOT_FOUND"],
    ["413", "RequestTooLarge", 413,
        "APIError", "request_too_large", "ContentTooLargeError", "request_too_large", "INVALID_ARGUMENT"],
    ["429-retry-after-2", "RateLimited", 429,
        "RateLimitError", "rate_limit_exceeded", "RateLimitError", "rate_limit_error", "RESOURCE_EXHAUSTED"],
    ["500", "Provider5xx", 502,
        "InternalServerError", "server_error", "InternalServerError", "api_error", "UNAVAILABLE"],
    ["503", "Overloaded", 503,
        "InternalServerError", "server_is_overloaded", "OverloadedError", "overloaded_error", "UNAVAILABLE"],
    ["504", "ProviderTimeout", 504,
        "InternalServerError", "timeout", "GatewayTimeoutError", "timeout_error", "DEADLINE_EXCEEDED"],
    ["529", "Overloaded", 503,
        "InternalServerError", "server_is_overloaded", "OverloadedError", "overloaded_error", "UNAVAILABLE"],
    ["html-502", "Provider5xx", 502,
        "InternalServerError", "server_error", "InternalServerError", "api_error", "UNAVAILABLE"],
    ["redirect", "EndpointNotFound", 404,
        "NotFoundError", "unknown_url", "NotFoundError", "not_found_error", "NOT_FOUND"],
    ["200-with-error", "Provider5xx", 502,
        "InternalServerError", "server_error", "InternalServerError", "api_error", "UNAVAILABLE"],
    ["other-shape", "MalformedResponse", 502,
        "InternalServerError", "server_error", "InternalServerError", "api_error", "UNAVAILABLE"],
    ["refuse", "ConnectionReset", 502,
        "InternalServerError", "server_error", "InternalServerError", "api_error", "UNAVAILABLE"],
];

const named = ([does, code, status, openaiClass, openaiCode, anthropicClass, anthropicType, google]) => ({
    does,
    code,
    status,
    openai: { class: openaiClass, code: openaiCode },
    anthropic: {
        class: anthropicClass,
        type: anthropicType,
        status: anthropicType === "overloaded_error" ? 529 : status,
    },
    google,
});

// Failures of all responses, streamed or not.
export const FAILURES = ROWS.map(named);

// Failures of responses that are not streamed.
export const WHOLE_FAILURES = [
    ["empty-200", "MalformedResponse", 502,
        "InternalServerError", "server_error", "InternalServerError", "api_error", "UNAVAILABLE"],
    ["truncated-json", "MalformedResponse", 502,
        "InternalServerError", "server_error", "InternalServerError", "api_error", "UNAVAILABLE"],
    ["wrong-length", "StreamInterrupted", 502,
        "InternalServerError", "server_error", "InternalServerError", "api_error", "UNAVAILABLE"],
    ["bad-chunk", "MalformedResponse", 502,
        "InternalServerError", "server_error", "InternalServerError", "api_error", "UNAVAILABLE"],
].map(named);

// Failures of streams before the first content, so that nothing was sent to the client.
export const EARLY_FAILURES = [
    ["stream-error-first", "Provider5xx", 502,
        "InternalServerError", "server_error", "InternalServerError", "api_error", "UNAVAILABLE"],
    ["start-then-overloaded", "Overloaded", 503,
        "InternalServerError", "server_is_overloaded", "OverloadedError", "overloaded_error", "UNAVAILABLE"],
    ["empty-stream", "StreamInterrupted", 502,
        "InternalServerError", "server_error", "InternalServerError", "api_error", "UNAVAILABLE"],
].map(named);

// Failures of streams after content was sent to the client.
export const LATE_FAILURES = [
    { does: "cut-after-3", code: "StreamInterrupted" },
    { does: "fin-after-3", code: "StreamInterrupted" },
    { does: "stall-after-2", code: "StreamInterrupted", timeouts: { idle_ms: 150 } },
    { does: "bad-chunk", code: "StreamInterrupted" },
    { does: "stream-error-after-3", code: "Provider5xx" },
    { does: "quota+stream-error-after-3", code: "QuotaExhausted" },
    { does: "stall-after-1", code: "DeadlineExceeded", deadline_ms: 400 },
    // The stream is cut in the middle of an event; a client cannot read a part of an event.
    { does: "tokens-100+cut-bytes-5003", code: "StreamInterrupted" },
    { does: "tokens-100+cut-bytes-5107", code: "StreamInterrupted" },
    { does: "truncated-json", code: "StreamInterrupted" },
];
