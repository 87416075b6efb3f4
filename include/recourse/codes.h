/* Generated from spec/errors.def by `make generate`. Do not edit. */

/* The numbers are part of the ABI. NONE means that the value is absent, UNKNOWN that this
 * version does not know the value. */
#ifndef RECOURSE_CODES_H
#define RECOURSE_CODES_H

/* clang-format off */

/* What has to change before the call can succeed. UNKNOWN is a row of the table. */
typedef enum rc_category {
    RC_CATEGORY_NONE = 0, /* absent */
    RC_CATEGORY_TRANSIENT = 1, /* temporary; the same request may work later */
    RC_CATEGORY_CONFIGURATION = 2, /* keys, permissions, models or settings must change first */
    RC_CATEGORY_CONTENT = 3, /* the content of the request must change first */
    RC_CATEGORY_CAPACITY = 4, /* quota, plan, credit or balance is used up */
    RC_CATEGORY_AMBIGUOUS = 5, /* the request may have been carried out; repeating it is unsafe */
    RC_CATEGORY_UNKNOWN = 6, /* no rule recognises the failure; it is not retried */
} rc_category;

/* The cause of a failure: the request, the configuration or the work itself. */
typedef enum rc_domain {
    RC_DOMAIN_NONE = 0, /* absent */
    RC_DOMAIN_INPUT = 1, /* the caller can remove the cause by changing the input */
    RC_DOMAIN_CONFIG = 2, /* the configuration must change */
    RC_DOMAIN_RUNTIME = 3, /* a component failed while the work was in progress */
    RC_DOMAIN_UNKNOWN = 99
} rc_domain;

/* What the user should do next. NO_ACTION (name "none"): the user need do nothing. */
typedef enum rc_user_action {
    RC_ACTION_NONE = 0, /* absent */
    RC_ACTION_WAIT_AND_RETRY = 1,
    RC_ACTION_CHECK_CREDENTIALS = 2,
    RC_ACTION_CHECK_PERMISSIONS = 3,
    RC_ACTION_CHECK_MODEL = 4,
    RC_ACTION_CHECK_CONFIG = 5,
    RC_ACTION_FIX_REQUEST = 6,
    RC_ACTION_SHORTEN_INPUT = 7,
    RC_ACTION_REVISE_CONTENT = 8,
    RC_ACTION_ADD_CREDIT = 9,
    RC_ACTION_RAISE_LIMIT = 10,
    RC_ACTION_CONTACT_SUPPORT = 11,
    RC_ACTION_REPORT_BUG = 12,
    RC_ACTION_NO_ACTION = 13,
    RC_ACTION_UNKNOWN = 99
} rc_user_action;

/* The codes in the events node:failed and run:failed. */
typedef enum rc_run_event {
    RC_EVENT_NONE = 0, /* absent */
    RC_EVENT_VALIDATION = 1,
    RC_EVENT_CONTENT_FILTER = 2,
    RC_EVENT_PROVIDER_AUTH = 3,
    RC_EVENT_PROVIDER_RATE_LIMIT = 4,
    RC_EVENT_PROVIDER_UNAVAILABLE = 5,
    RC_EVENT_TOOL_DENIED = 6,
    RC_EVENT_TOOL_FAILED = 7,
    RC_EVENT_TOOL_UNAVAILABLE = 8,
    RC_EVENT_BUDGET_EXCEEDED = 9,
    RC_EVENT_RUN_TIMEOUT = 10,
    RC_EVENT_TURN_LIMIT = 11,
    RC_EVENT_CANCELLED = 12,
    RC_EVENT_SANDBOX_ERROR = 13,
    RC_EVENT_INTERNAL = 14,
    RC_EVENT_UNKNOWN = 99
} rc_run_event;

/* The kind of limit that a provider applied. */
typedef enum rc_limit_kind {
    RC_LIMIT_KIND_NONE = 0, /* absent */
    RC_LIMIT_KIND_REQUESTS = 1, /* requests in a short window */
    RC_LIMIT_KIND_TOKENS = 2, /* tokens in a short window */
    RC_LIMIT_KIND_CONCURRENCY = 3, /* requests at the same time */
    RC_LIMIT_KIND_DAILY = 4, /* usage in a day or a longer period */
    RC_LIMIT_KIND_PLAN = 5, /* the usage that the plan includes */
    RC_LIMIT_KIND_BALANCE = 6, /* prepaid credit or a spending limit */
    RC_LIMIT_KIND_MODEL_CAPACITY = 7, /* the provider's capacity for this model */
    RC_LIMIT_KIND_UNKNOWN = 99
} rc_limit_kind;

/* The kind of call that failed. */
typedef enum rc_family {
    RC_FAMILY_NONE = 0, /* absent */
    RC_FAMILY_LLM = 1,
    RC_FAMILY_IMAGE = 2,
    RC_FAMILY_AUDIO = 3,
    RC_FAMILY_EMBEDDING = 4,
    RC_FAMILY_EXTRACT = 5,
    RC_FAMILY_SEARCH = 6,
    RC_FAMILY_TOOL = 7,
    RC_FAMILY_UNKNOWN = 99
} rc_family;

/* A group of codes with one exit status. */
typedef enum rc_error_class {
    RC_CLASS_NONE = 0, /* absent */
    RC_CLASS_VALIDATION = 1,
    RC_CLASS_PROVIDER_TRANSIENT = 2,
    RC_CLASS_PROVIDER_CAPABILITY = 3,
    RC_CLASS_PROVIDER_TERMINAL = 4,
    RC_CLASS_TOOL_TRANSIENT = 5,
    RC_CLASS_TOOL_TERMINAL = 6,
    RC_CLASS_SESSION = 7,
    RC_CLASS_LIMIT = 8,
    RC_CLASS_SANDBOX = 9,
    RC_CLASS_CANCELLATION = 10,
    RC_CLASS_EXTENSION_HOST = 11,
    RC_CLASS_INTERNAL = 12,
    RC_CLASS_UNKNOWN = 99
} rc_error_class;

/* The name of a failure. Number: 100 times the number of the class, plus the place in the class. */
typedef enum rc_code {
    RC_CODE_NONE = 0, /* absent */

    /* Validation */
    RC_CODE_SHAPE_INVALID = 101,
    RC_CODE_CONTRACT_VERSION_MISMATCH = 102,
    RC_CODE_CONFIG_SCHEMA_VIOLATION = 103,
    RC_CODE_OUTPUT_INVALID = 104,
    RC_CODE_CONTEXT_MUTATION_FORBIDDEN = 105,

    /* ProviderTransient */
    RC_CODE_RATE_LIMITED = 201,
    RC_CODE_OVERLOADED = 202,
    RC_CODE_MODEL_LOADING = 203,
    RC_CODE_PROVIDER_5XX = 204,
    RC_CODE_PROVIDER_TIMEOUT = 205,
    RC_CODE_NETWORK_TIMEOUT = 206,
    RC_CODE_CONNECTION_FAILED = 207,
    RC_CODE_CONNECTION_RESET = 208,
    RC_CODE_STREAM_INTERRUPTED = 209,
    RC_CODE_MALFORMED_RESPONSE = 210,
    RC_CODE_CONFLICT = 211,

    /* ProviderCapability */
    RC_CODE_MISSING_STREAMING = 301,
    RC_CODE_MISSING_TOOL_CALLING = 302,
    RC_CODE_MISSING_VISION = 303,
    RC_CODE_MISSING_STRUCTURED_OUTPUT = 304,
    RC_CODE_CONTEXT_WINDOW_TOO_SMALL = 305,
    RC_CODE_UNSUPPORTED_FEATURE = 306,

    /* ProviderTerminal */
    RC_CODE_AUTH_FAILED = 401,
    RC_CODE_PERMISSION_DENIED = 402,
    RC_CODE_MODEL_NOT_FOUND = 403,
    RC_CODE_ENDPOINT_NOT_FOUND = 404,
    RC_CODE_INVALID_REQUEST = 405,
    RC_CODE_REQUEST_TOO_LARGE = 406,
    RC_CODE_CONTEXT_OVERFLOW = 407,
    RC_CODE_OUTPUT_TRUNCATED = 408,
    RC_CODE_CONTENT_FILTER = 409,
    RC_CODE_QUOTA_EXHAUSTED = 410,
    RC_CODE_OUTCOME_UNKNOWN = 411,
    RC_CODE_UNCLASSIFIED = 412,

    /* ToolTransient */
    RC_CODE_EXECUTION_TIMEOUT = 501,
    RC_CODE_RESOURCE_BUSY = 502,
    RC_CODE_EXECUTION_FAILED = 503,

    /* ToolTerminal */
    RC_CODE_INPUT_INVALID = 601,
    RC_CODE_OUTPUT_MALFORMED = 602,
    RC_CODE_FORBIDDEN = 603,
    RC_CODE_NOT_FOUND = 604,
    RC_CODE_DENIED = 605,
    RC_CODE_UNAVAILABLE = 606,

    /* Session */
    RC_CODE_MANIFEST_DRIFT = 701,
    RC_CODE_STORE_UNAVAILABLE = 702,
    RC_CODE_RESUME_MISMATCH = 703,

    /* Limit */
    RC_CODE_BUDGET_EXCEEDED = 801,
    RC_CODE_RUN_TIMEOUT = 802,
    RC_CODE_TURN_LIMIT = 803,
    RC_CODE_DEADLINE_EXCEEDED = 804,

    /* Sandbox */
    RC_CODE_EXPRESSION_INVALID = 901,
    RC_CODE_EXPRESSION_RUNTIME = 902,
    RC_CODE_EXPRESSION_MEMORY = 903,
    RC_CODE_EXPRESSION_RESULT = 904,
    RC_CODE_EXPRESSION_TIMEOUT = 905,

    /* Cancellation */
    RC_CODE_SESSION_CANCELLED = 1001,
    RC_CODE_TURN_CANCELLED = 1002,
    RC_CODE_TOOL_CANCELLED = 1003,
    RC_CODE_RETRY_CANCELLED = 1004,

    /* ExtensionHost */
    RC_CODE_LIFECYCLE_FAILURE = 1101,
    RC_CODE_DEPENDENCY_CYCLE = 1102,
    RC_CODE_DEPENDENCY_MISSING = 1103,
    RC_CODE_PARALLEL_SIBLING_FAILURE = 1104,

    /* Internal */
    RC_CODE_INTERNAL = 1201,
    RC_CODE_INVARIANT_BROKEN = 1202,

    RC_CODE_UNKNOWN = 9999
} rc_code;

/* clang-format on */

#endif
