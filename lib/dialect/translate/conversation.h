/* rc_conversation: one request to a model in a form that is independent of the dialects, read once
 * from the client's body.
 *
 *   body ──► rc_conversation_read (dialect of the client) ──► settings, tools, parts
 *                                                                │
 *                    rc_fit (target) ──► exact, adapted, refused ◄┤
 *                    write (dialect of the target) ──► body ◄─────┘
 *
 * There is no tree and no copy: a conversation stores positions in the client's body. Texts, ids,
 * base64 and the arguments of tool calls are contents of JSON strings in every dialect, so the
 * writers copy their escaped bytes unchanged. Each part is one piece of content of one turn, in the
 * order of the body:
 *
 *   SYSTEM text │ USER text, image │ ASSISTANT thought, text, call │ USER result, its text
 *
 * The content of a tool's result is stored in the parts after its RC_PART_RESULT, which have the
 * flag RC_PART_IS_IN_RESULT. */
#ifndef RC_DIALECT_TRANSLATE_CONVERSATION_H
#define RC_DIALECT_TRANSLATE_CONVERSATION_H

#include <stdint.h>

#include <recourse/buf.h>
#include <recourse/codes.h>
#include <recourse/render.h>
#include <recourse/report.h>

/* Limits of the size of one conversation. */
#define RC_CONVERSATION_PARTS_MAX 16384u
#define RC_CONVERSATION_TOOLS_MAX 1024u
#define RC_CONVERSATION_STOPS_MAX 16u
#define RC_CONVERSATION_UNKNOWN_MAX 8u

/* A feature of requests; the values are the rows of spec/translate.def. */
typedef enum rc_feature {
#define RC_FEATURE(ID, name, CODE, chat, responses, messages, gemini) RC_FEATURE_##ID,
#include "spec/translate.def"
    RC_FEATURE_COUNT
} rc_feature;

#define RC_FEATURE_BIT(ID) (UINT64_C(1) << RC_FEATURE_##ID)
_Static_assert(RC_FEATURE_COUNT <= 64, "each feature is one bit of a set");

/* A range of bytes in the client's body; len 0: the value is absent or an empty text. */
typedef struct rc_span {
    uint32_t at;
    uint32_t len;
} rc_span;

typedef enum rc_role {
    RC_ROLE_SYSTEM,
    RC_ROLE_DEVELOPER,
    RC_ROLE_USER,
    RC_ROLE_ASSISTANT
} rc_role;

typedef enum rc_part_kind {
    RC_PART_TEXT,    /* content: the text */
    RC_PART_REFUSAL, /* content: the text with which the model refused */
    RC_PART_IMAGE,   /* content: base64 or a URL; name: the media type, empty for a URL */
    RC_PART_FILE,    /* content: base64 or a URL of a PDF; name: the media type; id: file name */
    RC_PART_AUDIO,   /* content: base64; name: the format, such as wav */
    RC_PART_CALL,    /* content: the arguments; id: of the call; name: of the tool */
    RC_PART_RESULT,  /* id: of the call; name: of the tool; the content is in the parts that
                        follow */
    RC_PART_THOUGHT  /* content: the visible reasoning; state: the provider's opaque state, which
                        calls and texts can also have */
} rc_part_kind;

enum {
    RC_PART_IS_URL = 1,       /* the content is a URL, not base64 */
    RC_PART_IS_IN_RESULT = 2, /* the part belongs to the tool result that precedes it */
    RC_PART_IS_ERROR = 4,     /* RESULT: the tool failed */
    RC_PART_IS_VALUE = 8,     /* the content is any JSON value, not the content of a JSON string */
    RC_PART_IS_CUSTOM = 16,   /* CALL: of a custom tool, whose input is a plain text */
    RC_PART_IS_REDACTED = 32  /* THOUGHT: the text is hidden; only the provider's opaque state is
                                 present */
};

typedef struct rc_part {
    uint8_t kind; /* an rc_part_kind */
    uint8_t role; /* an rc_role */
    uint8_t flags;
    uint8_t detail; /* IMAGE: an rc_image_detail */
    uint32_t turn;  /* index of the turn; successive parts of one role have the same index */
    uint32_t call;  /* RESULT without an id: 1 + index of the part of its call; 0: not known */
    rc_span content;
    rc_span id;
    rc_span name;
    rc_span state;
} rc_part;

typedef enum rc_image_detail {
    RC_IMAGE_DETAIL_AUTO,
    RC_IMAGE_DETAIL_LOW,
    RC_IMAGE_DETAIL_HIGH,
    RC_IMAGE_DETAIL_ORIGINAL
} rc_image_detail;

typedef struct rc_tool_decl {
    rc_span name;
    rc_span description;
    rc_span schema;        /* JSON schema of the parameters; len 0: none */
    uint8_t strict;        /* an rc_tristate */
    bool is_custom;        /* the tool's input is a plain text */
    bool is_gemini_schema; /* the schema has Gemini's form: types in capitals, `nullable` */
    rc_span format;        /* custom tools: the grammar of the input, as JSON; len 0: any text is
                              allowed */
} rc_tool_decl;

typedef enum rc_choice {
    RC_CHOICE_UNSET,
    RC_CHOICE_AUTO,
    RC_CHOICE_NONE,
    RC_CHOICE_REQUIRED, /* the model must call some tool */
    RC_CHOICE_NAMED     /* the model must call the tool `choice_name` */
} rc_choice;

typedef enum rc_output_format {
    RC_OUTPUT_TEXT,
    RC_OUTPUT_JSON,  /* JSON without a schema */
    RC_OUTPUT_SCHEMA /* JSON that `schema` describes */
} rc_output_format;

/* The amount of reasoning that a request asks of the model, as one of a few words. */
typedef enum rc_effort {
    RC_EFFORT_UNSET,
    RC_EFFORT_NONE,
    RC_EFFORT_MINIMAL,
    RC_EFFORT_LOW,
    RC_EFFORT_MEDIUM,
    RC_EFFORT_HIGH,
    RC_EFFORT_XHIGH,
    RC_EFFORT_MAX
} rc_effort;

typedef struct rc_conversation {
    rc_str body;        /* the client's body, borrowed; all spans are positions in this body */
    rc_dialect dialect; /* the client's dialect */
    uint64_t features;  /* RC_FEATURE_BITs of all features that the request uses */
    rc_span unknown[RC_CONVERSATION_UNKNOWN_MAX]; /* names of members that the reader of the dialect
                                                     does not know */
    size_t unknown_count;

    rc_buf parts_buf;   /* private: array of rc_part */
    rc_buf tools_buf;   /* private: array of rc_tool_decl */
    rc_buf allowed_buf; /* private: array of rc_span, the names of the allowed tools */
    uint32_t turn_count;
    rc_role role; /* private: role of the current turn */

    bool is_stream;
    bool wants_usage;   /* the last chunk of a stream must contain the usage */
    bool sees_thoughts; /* the client can receive the model's visible reasoning */
    bool takes_state;   /* the client can receive the opaque state of reasoning */
    rc_tristate store;

    int64_t max_tokens;     /* maximum number of output tokens; -1: not set */
    int64_t thought_budget; /* maximum number of tokens for reasoning; -1: not set */
    rc_effort effort;
    bool is_adaptive; /* the model decides how much it reasons (Anthropic's adaptive thinking) */
    rc_span temperature, top_p, top_k, seed, presence_penalty, frequency_penalty; /* positions of
                                                                                     JSON numbers;
                                                                                     len 0: not
                                                                                     set */
    rc_span stops[RC_CONVERSATION_STOPS_MAX];
    size_t stop_count;
    bool has_too_many_stops; /* the request has more than RC_CONVERSATION_STOPS_MAX stop
                                sequences */

    rc_choice choice;
    rc_span choice_name;
    bool has_allowed_tools;
    bool is_parallel_off; /* the model may make at most one tool call per response */

    rc_output_format format;
    rc_span schema; /* JSON schema of the response */
    rc_span schema_name;
    rc_span schema_description;
    rc_tristate schema_strict;
    bool is_schema_gemini; /* the schema has Gemini's form */

    rc_span user, metadata, service_tier, verbosity; /* positions of JSON values; for strings,
                                                        including the quotes */

    rc_status status;       /* private: status of the first failure; later reads do not change it */
    const char *fault_name; /* private: name of the member whose value has a wrong type */
} rc_conversation;

/* Starts an empty conversation. alloc: copies the struct. */
void rc_conversation_init(rc_conversation *c, const rc_alloc *alloc);
/* Frees the memory. */
void rc_conversation_done(rc_conversation *c);

/* Reads a request. dialect: OPENAI_CHAT, OPENAI_RESPONSES, ANTHROPIC or GEMINI. body: borrows for
 * as long as the conversation is used, at most 4 GiB. is_stream: GEMINI: whether the request's path
 * names the streaming method; the other dialects state this in the body. Returns
 *
 *   RC_E_SYNTAX, RC_E_TRUNCATED, RC_E_TOO_DEEP   the body is not valid JSON
 *   RC_E_TYPE       a member has a value of a wrong type: rc_conversation_fault names it
 *   RC_E_TOO_LARGE  the body has more parts or tools than the limits allow
 *   RC_E_ARGUMENT   the dialect cannot be translated
 *   RC_E_NOMEM */
rc_status rc_conversation_read(rc_conversation *c, rc_dialect dialect, rc_str body, bool is_stream);

/* Checks that a whole body is valid JSON with an object at the top, so that readers, which skip
 * what they do not need, never copy malformed bytes into another request. Returns RC_OK, or a
 * status of rc_conversation_read. */
rc_status rc_conversation_check(rc_str body);

/* Returns the name of the member that caused RC_E_TYPE; a static string. */
const char *rc_conversation_fault(const rc_conversation *c);

/* These functions return the arrays of the conversation, which they view. */
const rc_part *rc_conversation_parts(const rc_conversation *c, size_t *ret_count);
const rc_tool_decl *rc_conversation_tools(const rc_conversation *c, size_t *ret_count);
const rc_span *rc_conversation_allowed(const rc_conversation *c, size_t *ret_count);

/* Returns the bytes of a span. The result views the body. */
static inline rc_str rc_conversation_text(const rc_conversation *c, rc_span span)
{
    return rc_str_make(span.len > 0 ? c->body.ptr + span.at : NULL, span.len);
}

/* Returns whether all spans lie inside the body and all rows are consistent, for tests and
 * fuzzing. */
bool rc_conversation_validate(const rc_conversation *c);

#endif
