/* Tests of the taxonomy: a second, hand-written list of the documented codes, and the mapping
 * between names and values. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <recourse/taxonomy.h>
#include <recourse/version.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* The documented classes with their codes, and which of these are retryable. */
static const struct promise {
    const char *class_name;
    const char *error_type;
    const char *codes[13];
    const char *retryable[12];
} promises[] = {
    {"Validation",
     "ValidationError",
     {"ShapeInvalid", "ContractVersionMismatch", "ConfigSchemaViolation", "OutputInvalid",
      "ContextMutationForbidden"},
     {NULL}},
    {"ProviderTransient",
     "ProviderError",
     {"RateLimited", "Overloaded", "ModelLoading", "Provider5xx", "ProviderTimeout",
      "NetworkTimeout", "ConnectionFailed", "ConnectionReset", "StreamInterrupted",
      "MalformedResponse", "Conflict"},
     {"RateLimited", "Overloaded", "ModelLoading", "Provider5xx", "ProviderTimeout",
      "NetworkTimeout", "ConnectionFailed", "ConnectionReset", "StreamInterrupted",
      "MalformedResponse", "Conflict"}},
    {"ProviderCapability",
     "ProviderCapabilityError",
     {"MissingStreaming", "MissingToolCalling", "MissingVision", "MissingStructuredOutput",
      "ContextWindowTooSmall", "UnsupportedFeature"},
     {NULL}},
    {"ProviderTerminal",
     "ProviderError",
     {"AuthFailed", "PermissionDenied", "ModelNotFound", "EndpointNotFound", "InvalidRequest",
      "RequestTooLarge", "ContextOverflow", "OutputTruncated", "ContentFilter", "QuotaExhausted",
      "OutcomeUnknown", "Unclassified"},
     {NULL}},
    {"ToolTransient",
     "ToolError",
     {"ExecutionTimeout", "ResourceBusy", "ExecutionFailed"},
     {"ExecutionTimeout", "ResourceBusy", "ExecutionFailed"}},
    {"ToolTerminal",
     "ToolError",
     {"InputInvalid", "OutputMalformed", "Forbidden", "NotFound", "Denied", "Unavailable"},
     {NULL}},
    {"Session",
     "SessionError",
     {"ManifestDrift", "StoreUnavailable", "ResumeMismatch"},
     {"StoreUnavailable"}},
    {"Limit",
     "LimitError",
     {"BudgetExceeded", "RunTimeout", "TurnLimit", "DeadlineExceeded"},
     {NULL}},
    {"Sandbox",
     "SandboxError",
     {"ExpressionInvalid", "ExpressionRuntime", "ExpressionMemory", "ExpressionResult",
      "ExpressionTimeout"},
     {"ExpressionTimeout"}},
    {"Cancellation",
     "Cancelled",
     {"SessionCancelled", "TurnCancelled", "ToolCancelled", "RetryCancelled"},
     {NULL}},
    {"ExtensionHost",
     "ExtensionHostError",
     {"LifecycleFailure", "DependencyCycle", "DependencyMissing", "ParallelSiblingFailure"},
     {NULL}},
    {"Internal", "InternalError", {"Internal", "InvariantBroken"}, {NULL}},
};

static bool is_listed(const char *const *list, size_t max, const char *name)
{
    for (size_t i = 0; i < max && list[i] != NULL; i++)
        if (strcmp(list[i], name) == 0)
            return true;
    return false;
}

static void has_the_promised_classes_and_codes(void **state)
{
    (void)state;
    size_t row = 0;
    assert_int_equal(rc_class_count(), COUNT(promises));
    for (size_t i = 0; i < COUNT(promises); i++) {
        const rc_class_info *info = rc_class_at(i);
        assert_string_equal(info->name, promises[i].class_name);
        assert_string_equal(info->error_type, promises[i].error_type);
        assert_int_equal(info->error_class, i + 1);
        assert_ptr_equal(rc_class_get(info->error_class), info);
        for (size_t j = 0; promises[i].codes[j] != NULL; j++, row++) {
            const rc_code_info *code = rc_code_at(row);
            assert_string_equal(code->name, promises[i].codes[j]);
            assert_int_equal(code->error_class, info->error_class);
            assert_int_equal(code->code, (i + 1) * 100 + j + 1);
            assert_ptr_equal(rc_code_get(code->code), code);
        }
    }
    assert_int_equal(rc_code_count(), row);
    assert_int_equal(row, 65);
}

static void nothing_lies_past_the_end(void **state)
{
    (void)state;
    assert_null(rc_code_at(rc_code_count()));
    assert_null(rc_code_at(SIZE_MAX));
    assert_null(rc_class_at(rc_class_count()));
    assert_null(rc_class_at(SIZE_MAX));
}

static void values_outside_the_table_have_no_row(void **state)
{
    (void)state;
    static const int codes[] = {0, 1, 100, 106, 199, 212, 1203, 9998, 9999, 10000, INT32_MAX, -1};
    for (size_t i = 0; i < COUNT(codes); i++)
        assert_null(rc_code_get((rc_code)codes[i]));
    static const int classes[] = {0, 13, 98, 99, 100, INT32_MAX, -1};
    for (size_t i = 0; i < COUNT(classes); i++)
        assert_null(rc_class_get((rc_error_class)classes[i]));
}

static void retryable_codes_match_the_contract(void **state)
{
    (void)state;
    for (size_t i = 0; i < rc_code_count(); i++) {
        const rc_code_info *code = rc_code_at(i);
        const struct promise *promise = &promises[code->error_class - 1];
        bool is_promised = is_listed(promise->retryable, COUNT(promise->retryable), code->name);
        assert_int_equal(code->is_retryable, is_promised);
        if (code->category != RC_CATEGORY_NONE)
            assert_int_equal(code->is_retryable, rc_category_is_retryable(code->category));
    }
}

/* Only codes of provider calls have a category. */
static void only_provider_codes_have_a_category(void **state)
{
    (void)state;
    for (size_t i = 0; i < rc_code_count(); i++) {
        const rc_code_info *code = rc_code_at(i);
        bool is_provider = code->error_class == RC_CLASS_PROVIDER_TRANSIENT ||
                           code->error_class == RC_CLASS_PROVIDER_CAPABILITY ||
                           code->error_class == RC_CLASS_PROVIDER_TERMINAL;
        assert_int_equal(code->category != RC_CATEGORY_NONE, is_provider);
        if (code->error_class == RC_CLASS_PROVIDER_TRANSIENT)
            assert_int_equal(code->category, RC_CATEGORY_TRANSIENT);
    }
    assert_int_equal(rc_code_get(RC_CODE_QUOTA_EXHAUSTED)->category, RC_CATEGORY_CAPACITY);
    assert_int_equal(rc_code_get(RC_CODE_OUTCOME_UNKNOWN)->category, RC_CATEGORY_AMBIGUOUS);
    assert_int_equal(rc_code_get(RC_CODE_UNCLASSIFIED)->category, RC_CATEGORY_UNKNOWN);
    assert_int_equal(rc_code_get(RC_CODE_CONTENT_FILTER)->category, RC_CATEGORY_CONTENT);
    assert_int_equal(rc_code_get(RC_CODE_AUTH_FAILED)->category, RC_CATEGORY_CONFIGURATION);
}

static void statuses_come_from_the_code_or_its_domain(void **state)
{
    (void)state;
    static const struct {
        rc_code code;
        int http, exit;
    } rows[] = {
        {RC_CODE_SHAPE_INVALID, 422, 65},           /* domain input */
        {RC_CODE_CONFIG_SCHEMA_VIOLATION, 500, 78}, /* domain config */
        {RC_CODE_EXECUTION_FAILED, 500, 75},        /* domain runtime */
        {RC_CODE_RATE_LIMITED, 429, 75},
        {RC_CODE_AUTH_FAILED, 401, 77},
        {RC_CODE_DEADLINE_EXCEEDED, 504, 124},
        {RC_CODE_TURN_CANCELLED, 499, 130},
        {RC_CODE_INTERNAL, 500, 70},
        {RC_CODE_CONTEXT_OVERFLOW, 400, 65},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_int_equal(rc_code_get(rows[i].code)->http_status, rows[i].http);
        assert_int_equal(rc_code_get(rows[i].code)->exit_status, rows[i].exit);
    }
    assert_int_equal(rc_domain_http_status(RC_DOMAIN_INPUT), 422);
    assert_int_equal(rc_domain_http_status(RC_DOMAIN_CONFIG), 500);
    assert_int_equal(rc_domain_http_status(RC_DOMAIN_RUNTIME), 500);
    assert_int_equal(rc_domain_http_status(RC_DOMAIN_NONE), 500);
    assert_int_equal(rc_domain_http_status(RC_DOMAIN_UNKNOWN), 500);
    assert_int_equal(rc_domain_http_status((rc_domain)42), 500);
}

/* Every row is complete, and its texts are sentences for users. */
static void rows_are_complete(void **state)
{
    (void)state;
    for (size_t i = 0; i < rc_code_count(); i++) {
        const rc_code_info *code = rc_code_at(i);
        assert_true(code->http_status >= 400 && code->http_status <= 599);
        assert_true(code->exit_status > 0 && code->exit_status < 256);
        assert_true(code->run_event > RC_EVENT_NONE && code->run_event < RC_EVENT_UNKNOWN);
        assert_true(code->action > RC_ACTION_NONE && code->action < RC_ACTION_UNKNOWN);
        assert_true(code->domain > RC_DOMAIN_NONE && code->domain < RC_DOMAIN_UNKNOWN);
        assert_true(code->message[0] >= 'A' && code->message[0] <= 'Z');
        assert_int_equal(code->message[strlen(code->message) - 1], '.');
        assert_true(code->action_detail[0] >= 'A' && code->action_detail[0] <= 'Z');
        assert_int_equal(code->action_detail[strlen(code->action_detail) - 1], '.');
    }
}

/* ---- names and parsers ---- */

static const char *code_name(int value)
{
    return rc_code_name((rc_code)value);
}
static int code_parse(rc_str name)
{
    return (int)rc_code_parse(name);
}
static const char *class_name(int value)
{
    return rc_class_name((rc_error_class)value);
}
static int class_parse(rc_str name)
{
    return (int)rc_class_parse(name);
}
static const char *category_name(int value)
{
    return rc_category_name((rc_category)value);
}
static int category_parse(rc_str name)
{
    return (int)rc_category_parse(name);
}
static const char *domain_name(int value)
{
    return rc_domain_name((rc_domain)value);
}
static int domain_parse(rc_str name)
{
    return (int)rc_domain_parse(name);
}
static const char *action_name(int value)
{
    return rc_user_action_name((rc_user_action)value);
}
static int action_parse(rc_str name)
{
    return (int)rc_user_action_parse(name);
}
static const char *event_name(int value)
{
    return rc_run_event_name((rc_run_event)value);
}
static int event_parse(rc_str name)
{
    return (int)rc_run_event_parse(name);
}
static const char *limit_name(int value)
{
    return rc_limit_kind_name((rc_limit_kind)value);
}
static int limit_parse(rc_str name)
{
    return (int)rc_limit_kind_parse(name);
}
static const char *family_name(int value)
{
    return rc_family_name((rc_family)value);
}
static int family_parse(rc_str name)
{
    return (int)rc_family_parse(name);
}

/* Each enum with the names that are documented for it. */
static const struct names {
    const char *(*name)(int value);
    int (*parse)(rc_str name);
    int unknown;
    const char *listed[15];
} enums[] = {
    {category_name,
     category_parse,
     RC_CATEGORY_UNKNOWN,
     {"transient", "configuration", "content", "capacity", "ambiguous", "unknown"}},
    {domain_name, domain_parse, RC_DOMAIN_UNKNOWN, {"input", "config", "runtime"}},
    {action_name,
     action_parse,
     RC_ACTION_UNKNOWN,
     {"wait_and_retry", "check_credentials", "check_permissions", "check_model", "check_config",
      "fix_request", "shorten_input", "revise_content", "add_credit", "raise_limit",
      "contact_support", "report_bug", "none"}},
    {event_name,
     event_parse,
     RC_EVENT_UNKNOWN,
     {"validation", "content_filter", "provider_auth", "provider_rate_limit",
      "provider_unavailable", "tool_denied", "tool_failed", "tool_unavailable", "budget_exceeded",
      "run_timeout", "turn_limit", "cancelled", "sandbox_error", "internal"}},
    {limit_name,
     limit_parse,
     RC_LIMIT_KIND_UNKNOWN,
     {"requests", "tokens", "concurrency", "daily", "plan", "balance", "model_capacity"}},
    {family_name,
     family_parse,
     RC_FAMILY_UNKNOWN,
     {"llm", "image", "audio", "embedding", "extract", "search", "tool"}},
    {class_name,
     class_parse,
     RC_CLASS_UNKNOWN,
     {"Validation", "ProviderTransient", "ProviderCapability", "ProviderTerminal", "ToolTransient",
      "ToolTerminal", "Session", "Limit", "Sandbox", "Cancellation", "ExtensionHost", "Internal"}},
};

static void listed_names_map_to_values_and_back(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(enums); i++) {
        for (int j = 0; enums[i].listed[j] != NULL; j++) {
            assert_int_equal(enums[i].parse(rc_str_c(enums[i].listed[j])), j + 1);
            assert_string_equal(enums[i].name(j + 1), enums[i].listed[j]);
        }
    }
    for (size_t i = 0; i < rc_code_count(); i++) {
        const rc_code_info *code = rc_code_at(i);
        assert_int_equal(code_parse(rc_str_c(code->name)), code->code);
        assert_string_equal(code_name((int)code->code), code->name);
    }
}

static void none_is_the_empty_name(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(enums); i++) {
        assert_string_equal(enums[i].name(0), "");
        assert_int_equal(enums[i].parse(rc_str_make(NULL, 0)), 0);
    }
    assert_string_equal(code_name(0), "");
    assert_int_equal(code_parse(RC_STR("")), RC_CODE_NONE);
}

static void other_values_are_unknown(void **state)
{
    (void)state;
    static const int values[] = {77, 98, 100, 9998, INT32_MAX, -1};
    for (size_t i = 0; i < COUNT(enums); i++) {
        assert_string_equal(enums[i].name(enums[i].unknown), "unknown");
        for (size_t j = 0; j < COUNT(values); j++)
            assert_string_equal(enums[i].name(values[j]), "unknown");
    }
    assert_string_equal(code_name(RC_CODE_UNKNOWN), "unknown");
    assert_string_equal(code_name(106), "unknown");
    assert_int_equal(RC_CODE_UNKNOWN, 9999);
    assert_int_equal(RC_CATEGORY_UNKNOWN, 6);
}

/* Names that differ slightly from one in the table are not accepted. */
static void expect_unknown(int (*parse)(rc_str), int unknown, const char *name)
{
    char scratch[64];
    size_t len = strlen(name);
    assert_true(len + 1 < sizeof(scratch));
    memcpy(scratch, name, len + 1);

    scratch[len] = 'x';
    assert_int_equal(parse(rc_str_make(scratch, len + 1)), unknown);
    scratch[len] = '\0';
    assert_int_equal(parse(rc_str_make(scratch, len + 1)), unknown);
    assert_int_equal(parse(rc_str_make(scratch + 1, len - 1)), unknown);
    scratch[0] = (char)(scratch[0] ^ 0x20); /* the letter in the other case */
    assert_int_equal(parse(rc_str_make(scratch, len)), unknown);
}

static void parsers_are_exact(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(enums); i++)
        for (size_t j = 0; enums[i].listed[j] != NULL; j++)
            expect_unknown(enums[i].parse, enums[i].unknown, enums[i].listed[j]);
    for (size_t i = 0; i < rc_code_count(); i++)
        expect_unknown(code_parse, RC_CODE_UNKNOWN, rc_code_at(i)->name);
}

/* A parser reads only the view, not the bytes after it. */
static void parsers_take_views(void **state)
{
    (void)state;
    assert_int_equal(rc_code_parse(rc_str_make("RateLimitedAndMore", 11)), RC_CODE_RATE_LIMITED);
    assert_int_equal(rc_domain_parse(rc_str_make("inputs", 5)), RC_DOMAIN_INPUT);
}

static void actions_have_titles(void **state)
{
    (void)state;
    for (int i = RC_ACTION_WAIT_AND_RETRY; i <= RC_ACTION_NO_ACTION; i++)
        assert_true(rc_user_action_title((rc_user_action)i)[0] != '\0');
    assert_string_equal(rc_user_action_title(RC_ACTION_CHECK_CREDENTIALS), "Check the credentials");
    assert_string_equal(rc_user_action_title(RC_ACTION_NONE), "");
    assert_string_equal(rc_user_action_title(RC_ACTION_UNKNOWN), "");
    assert_string_equal(rc_user_action_title((rc_user_action)50), "");
}

static void only_transient_is_retryable(void **state)
{
    (void)state;
    for (int i = -1; i < 120; i++)
        assert_int_equal(rc_category_is_retryable((rc_category)i), i == RC_CATEGORY_TRANSIENT);
}

static void the_error_type_comes_from_the_family_or_the_class(void **state)
{
    (void)state;
    static const struct {
        rc_family family;
        rc_code code;
        const char *type;
    } rows[] = {
        {RC_FAMILY_LLM, RC_CODE_RATE_LIMITED, "LLMCompletionError"},
        {RC_FAMILY_LLM, RC_CODE_MODEL_NOT_FOUND, "LLMModelNotFoundError"},
        {RC_FAMILY_LLM, RC_CODE_NONE, "LLMCompletionError"},
        {RC_FAMILY_IMAGE, RC_CODE_CONTENT_FILTER, "ImageGenError"},
        {RC_FAMILY_IMAGE, RC_CODE_MODEL_NOT_FOUND, "ImageGenModelNotFoundError"},
        {RC_FAMILY_AUDIO, RC_CODE_MODEL_NOT_FOUND, "AudioModelNotFoundError"},
        {RC_FAMILY_EMBEDDING, RC_CODE_OVERLOADED, "EmbeddingError"},
        {RC_FAMILY_EXTRACT, RC_CODE_OVERLOADED, "ExtractError"},
        {RC_FAMILY_SEARCH, RC_CODE_OVERLOADED, "SearchError"},
        {RC_FAMILY_TOOL, RC_CODE_DENIED, "ToolError"},
        {RC_FAMILY_NONE, RC_CODE_DENIED, "ToolError"},
        {RC_FAMILY_NONE, RC_CODE_MODEL_NOT_FOUND, "ProviderError"},
        {RC_FAMILY_UNKNOWN, RC_CODE_SHAPE_INVALID, "ValidationError"},
        {(rc_family)55, RC_CODE_TURN_CANCELLED, "Cancelled"},
        {RC_FAMILY_NONE, RC_CODE_NONE, "InternalError"},
        {RC_FAMILY_NONE, RC_CODE_UNKNOWN, "InternalError"},
        {RC_FAMILY_NONE, (rc_code)106, "InternalError"},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_string_equal(rc_error_type_for(rows[i].family, rows[i].code), rows[i].type);
}

static void the_version_matches_the_header(void **state)
{
    (void)state;
    assert_string_equal(rc_version(), RC_VERSION);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(has_the_promised_classes_and_codes),
        cmocka_unit_test(nothing_lies_past_the_end),
        cmocka_unit_test(values_outside_the_table_have_no_row),
        cmocka_unit_test(retryable_codes_match_the_contract),
        cmocka_unit_test(only_provider_codes_have_a_category),
        cmocka_unit_test(statuses_come_from_the_code_or_its_domain),
        cmocka_unit_test(rows_are_complete),
        cmocka_unit_test(listed_names_map_to_values_and_back),
        cmocka_unit_test(none_is_the_empty_name),
        cmocka_unit_test(other_values_are_unknown),
        cmocka_unit_test(parsers_are_exact),
        cmocka_unit_test(parsers_take_views),
        cmocka_unit_test(actions_have_titles),
        cmocka_unit_test(only_transient_is_retryable),
        cmocka_unit_test(the_error_type_comes_from_the_family_or_the_class),
        cmocka_unit_test(the_version_matches_the_header),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
