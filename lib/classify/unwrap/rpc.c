/* Errors of JSON-RPC calls: the codes of the protocol, as members of an error and in texts, and
 * tool results with the member isError. Called by json.c, text.c and relevance/relevance.c. */
#include "base/str.h"
#include "classify/unwrap/unwrap.h"
#include "json/reader.h"

/* Digits of "-32601" after its sign. */
#define CODE_DIGITS 5u

/* Returns the number at this position if the text there is "-32" and three digits without further
 * digits; otherwise 0. */
static int code_at(rc_str text, size_t at)
{
    const rc_str rest = rc_str_slice(text, at, text.len);
    int code = 0;
    if (!rc_str_starts_with(rest, RC_STR("-32")) || rest.len < CODE_DIGITS + 1 ||
        (rest.len > CODE_DIGITS + 1 && rc_ascii_is_digit(rest.ptr[CODE_DIGITS + 1])))
        return 0;
    for (size_t i = 1; i <= CODE_DIGITS; i++) {
        if (!rc_ascii_is_digit(rest.ptr[i]))
            return 0;
        code = code * 10 + (rest.ptr[i] - '0');
    }
    return code;
}

static rc_fact fact_of(int code)
{
    switch (code) {
    case 32700:
    case 32600:
    case 32602:
        return RC_FACT_RPC_INVALID;
    case 32601:
    case 32002:
        return RC_FACT_RPC_NOT_FOUND;
    case 32603:
        return RC_FACT_RPC_INTERNAL;
    default:
        return code >= 32000 && code <= 32099 ? RC_FACT_RPC_SERVER : RC_FACT_NONE;
    }
}

bool rc_rpc_is_error(const rc_evidence *evidence)
{
    for (unsigned f = RC_FACT_RPC_INVALID; f <= RC_FACT_RPC_TOOL; f++) {
        if (rc_facts_has(&evidence->facts, f))
            return true;
    }
    return false;
}

static void set_fact(rc_evidence *evidence, rc_fact fact)
{
    if (fact != RC_FACT_NONE && !rc_rpc_is_error(evidence))
        rc_evidence_set(evidence, fact);
}

void rc_rpc_read_code(rc_evidence *evidence, rc_str value)
{
    if (value.len == CODE_DIGITS + 1)
        set_fact(evidence, fact_of(code_at(value, 0)));
}

void rc_rpc_read_text(rc_evidence *evidence, rc_str text)
{
    static const rc_str BEFORE[] = {RC_STR_INIT("MCP error "),       RC_STR_INIT("JSON-RPC error "),
                                    RC_STR_INIT("JSON-RPC error: "), RC_STR_INIT("RPC error "),
                                    RC_STR_INIT("rpc error "),       RC_STR_INIT("error code "),
                                    RC_STR_INIT("code: "),           RC_STR_INIT("code ")};
    for (size_t at = rc_str_find(text, RC_STR("-32"), 0); at != RC_STR_NPOS;
         at = rc_str_find(text, RC_STR("-32"), at + 1)) {
        for (size_t i = 0; i < sizeof(BEFORE) / sizeof(BEFORE[0]); i++) {
            if (rc_str_ends_with(rc_str_slice(text, 0, at), BEFORE[i]))
                set_fact(evidence, fact_of(code_at(text, at)));
        }
    }
}

/* Adds the first text of the result as the message of a layer. */
void rc_rpc_read_tool(rc_evidence *evidence, rc_str text)
{
    set_fact(evidence, RC_FACT_RPC_TOOL);
    rc_evidence_set(evidence, RC_FACT_BODY_ERROR);
    rc_json_reader reader;
    rc_json_limits limits = {RC_EVIDENCE_BODY_MAX, RC_JSON_DEPTH_MAX, true};
    rc_json_reader_init(&reader, text, &limits);
    for (;;) {
        const rc_json_token token = rc_json_reader_next(&reader);
        if (token.type == RC_JSON_END || token.type == RC_JSON_ERROR)
            return;
        if (token.type != RC_JSON_KEY || !rc_str_eq(token.raw, RC_STR("text")))
            continue;
        const rc_json_token value = rc_json_reader_next(&reader);
        rc_layer *layer = value.type == RC_JSON_STRING
                              ? rc_evidence_add_layer(evidence, 1, RC_STR("tool"))
                              : NULL;
        if (layer != NULL)
            layer->message =
                rc_str_trim(rc_evidence_unescape(evidence, value.raw, value.has_escapes));
        return;
    }
}
