"""The failures that every SDK is tested with."""

# The mock's behaviour: the report's code; the HTTP status for clients of OpenAI, Anthropic and Gemini.
FAILURES = {
    "401": ("AuthFailed", 401, 401, 401),
    "403": ("PermissionDenied", 403, 403, 403),
    "404-model": ("ModelNotFound", 404, 404, 404),
    "429-retry-after-2": ("RateLimited", 429, 429, 429),
    "quota": ("QuotaExhausted", 429, 402, 429),
    "503": ("Overloaded", 503, 529, 503),
    "529": ("Overloaded", 503, 529, 503),
    "400-overflow": ("ContextOverflow", 400, 400, 400),
    "400-filter": ("ContentFilter", 400, 400, 400),
}


CALLS = 2  # Calls of each test: the second call must raise the same exception as the first one.
