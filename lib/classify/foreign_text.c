/* Foreign texts: decides whether a text without a status or other facts comes from a failed call.
 * Compilers' messages, source code, manuals and changelogs contain the same numbers and words as
 * failures. A text comes from a call if one of its lines has one of these:
 *
 *   a status in its usual position     HTTP 429, status code: 503, Error code: 429, 502 Bad Gateway
 *   the name of a call's exception     openai.RateLimitError, java.net.SocketTimeoutException
 *   an error about a call              Error: ... stream ..., curl: (28) ..., Failed to connect ...
 *   a transport's own error            TypeError: fetch failed, write EPIPE, dial tcp 10.0.0.1:443
 *
 * and is neither a compiler's message nor source code. A short text also comes from a call if it
 * mentions a call or an unavailable model. Called by classify.c. */
#include "base/str.h"
#include "classify/evidence.h"
#include "classify/unwrap/unwrap.h"

#define SHORT_BYTES 300
#define SHORT_LINES 3
/* Greatest offset in a line at which "error:" is read as the start of an error message. */
#define LEAD_BYTES 70
#define WORD_MAX 64
/* Length in bytes above which the name of a provider in a text is no evidence that the text comes
 * from this provider. */
#define NAMED_BYTES 2000

static bool is_one_of(rc_str word, const rc_str *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (rc_str_eq_nocase(word, words[i]))
            return true;
    return false;
}
#define IS_ONE_OF(word, words) is_one_of(word, words, sizeof(words) / sizeof((words)[0]))

/* Returns true for words that texts about network calls use. */
static bool is_call_word(rc_str word)
{
    static const rc_str WORDS[] = {
        RC_STR_INIT("api"),        RC_STR_INIT("http"),        RC_STR_INIT("https"),
        RC_STR_INIT("request"),    RC_STR_INIT("requests"),    RC_STR_INIT("response"),
        RC_STR_INIT("connection"), RC_STR_INIT("connect"),     RC_STR_INIT("connected"),
        RC_STR_INIT("stream"),     RC_STR_INIT("socket"),      RC_STR_INIT("websocket"),
        RC_STR_INIT("server"),     RC_STR_INIT("model"),       RC_STR_INIT("provider"),
        RC_STR_INIT("endpoint"),   RC_STR_INIT("upstream"),    RC_STR_INIT("network"),
        RC_STR_INIT("fetch"),      RC_STR_INIT("llm"),         RC_STR_INIT("tcp"),
        RC_STR_INIT("ssl"),        RC_STR_INIT("tls"),         RC_STR_INIT("ratelimit"),
        RC_STR_INIT("host"),       RC_STR_INIT("errno"),       RC_STR_INIT("engine"),
        RC_STR_INIT("curl"),       RC_STR_INIT("getaddrinfo"), RC_STR_INIT("econnreset"),
        RC_STR_INIT("json"),       RC_STR_INIT("etimedout"),   RC_STR_INIT("econnrefused"),
        RC_STR_INIT("enotfound"),  RC_STR_INIT("quota"),       RC_STR_INIT("deployment"),
        RC_STR_INIT("rate"),       RC_STR_INIT("stop"),        RC_STR_INIT("service"),
        RC_STR_INIT("resolve"),    RC_STR_INIT("resolution"),  RC_STR_INIT("rpc"),
    };
    return IS_ONE_OF(word, WORDS);
}

/* Returns true for words that begin an error message. */
static bool is_lead_word(rc_str word)
{
    static const rc_str WORDS[] = {
        RC_STR_INIT("error"),    RC_STR_INIT("fatal"),      RC_STR_INIT("failed"),
        RC_STR_INIT("curl"),     RC_STR_INIT("err"),        RC_STR_INIT("unable"),
        RC_STR_INIT("could"),    RC_STR_INIT("cannot"),     RC_STR_INIT("sorry"),
        RC_STR_INIT("oops"),     RC_STR_INIT("unexpected"), RC_STR_INIT("exception"),
        RC_STR_INIT("exceeded"), RC_STR_INIT("unhandled"),  RC_STR_INIT("disconnected"),
        RC_STR_INIT("post"),     RC_STR_INIT("ssh"),        RC_STR_INIT("wget"),
    };
    return IS_ONE_OF(word, WORDS);
}

/* Returns true for the type name of an exception about a call: RateLimitError,
 * SocketTimeoutException, ResourceExhausted, ReadTimeout. */
static bool is_exception_name(rc_str word)
{
    static const rc_str ENDS[] = {
        RC_STR_INIT("Error"),     RC_STR_INIT("Exception"), RC_STR_INIT("Timeout"),
        RC_STR_INIT("Exhausted"), RC_STR_INIT("ClosedOK"),  RC_STR_INIT("Unavailable"),
    };
    static const rc_str PARTS[] = {
        RC_STR_INIT("Timeout"),  RC_STR_INIT("Connect"),     RC_STR_INIT("RateLimit"),
        RC_STR_INIT("Overload"), RC_STR_INIT("Unavailable"), RC_STR_INIT("Exhausted"),
        RC_STR_INIT("HTTP"),     RC_STR_INIT("Http"),        RC_STR_INIT("API"),
        RC_STR_INIT("Api"),      RC_STR_INIT("Server"),      RC_STR_INIT("Response"),
        RC_STR_INIT("Service"),  RC_STR_INIT("Throttl"),     RC_STR_INIT("Network"),
        RC_STR_INIT("Socket"),   RC_STR_INIT("Disconnect"),  RC_STR_INIT("Protocol"),
        RC_STR_INIT("Stream"),   RC_STR_INIT("Retry"),       RC_STR_INIT("Client"),
        RC_STR_INIT("Model"),    RC_STR_INIT("Interrupted"), RC_STR_INIT("Engine"),
        RC_STR_INIT("Internal"), RC_STR_INIT("TooMany"),     RC_STR_INIT("LLM"),
        RC_STR_INIT("Request"),  RC_STR_INIT("Resource"),    RC_STR_INIT("Payload"),
        RC_STR_INIT("Batch"),
    };
    bool is_named = false;
    for (size_t i = 0; i < sizeof(ENDS) / sizeof(ENDS[0]) && !is_named; i++)
        is_named = word.len > ENDS[i].len &&
                   rc_str_eq(rc_str_slice(word, word.len - ENDS[i].len, word.len), ENDS[i]);
    for (size_t i = 0; i < sizeof(PARTS) / sizeof(PARTS[0]) && is_named; i++)
        if (rc_str_find(word, PARTS[i], 0) != RC_STR_NPOS)
            return true;
    return false;
}

/* --- transport errors --- */

/* Returns whether the line has a phrase that only an HTTP client or its runtime prints when a
 * connection fails. */
static bool has_transport_phrase(rc_str line)
{
    static const rc_str PHRASES[] = {
        RC_STR_INIT("TypeError: fetch failed"),   /* undici, the HTTP client of Node.js */
        RC_STR_INIT("TypeError: terminated"),     /* undici; the response body was cut */
        RC_STR_INIT("UND_ERR_"),                  /* prefix of undici's error codes */
        RC_STR_INIT("socket hang up"),            /* http module of Node.js */
        RC_STR_INIT("dial tcp "),                 /* Go, package net */
        RC_STR_INIT("context deadline exceeded"), /* Go, package net/http */
        RC_STR_INIT("(Client.Timeout "),
    };
    for (size_t i = 0; i < sizeof(PHRASES) / sizeof(PHRASES[0]); i++)
        if (rc_str_find(line, PHRASES[i], 0) != RC_STR_NPOS)
            return true;
    return false;
}

static bool is_errno_name(rc_str word)
{
    static const rc_str NAMES[] = {
        RC_STR_INIT("ECONNRESET"),   RC_STR_INIT("ECONNREFUSED"), RC_STR_INIT("ETIMEDOUT"),
        RC_STR_INIT("ECONNABORTED"), RC_STR_INIT("EPIPE"),        RC_STR_INIT("EHOSTUNREACH"),
        RC_STR_INIT("ENETUNREACH"),  RC_STR_INIT("EAI_AGAIN"),
    };
    for (size_t i = 0; i < sizeof(NAMES) / sizeof(NAMES[0]); i++)
        if (rc_str_eq(word, NAMES[i]))
            return true;
    return false;
}

/* Returns whether the line has an errno name after the name of a system call, or as the value of an
 * error's code: "read ECONNRESET", "code: 'EPIPE'". An errno name in any other position, as in a
 * manual page, is not evidence of a failed call. */
static bool has_failed_call(rc_str line)
{
    static const rc_str BEFORE[] = {
        RC_STR_INIT("read "),  RC_STR_INIT("write "),      RC_STR_INIT("connect "),
        RC_STR_INIT("send "),  RC_STR_INIT("recv "),       RC_STR_INIT("getaddrinfo "),
        RC_STR_INIT("code: "), RC_STR_INIT("code: '"),     RC_STR_INIT("code: \""),
        RC_STR_INIT("code="),  RC_STR_INIT("\"code\":\""),
    };
    for (size_t i = 0; i < sizeof(BEFORE) / sizeof(BEFORE[0]); i++) {
        size_t at = rc_str_find(line, BEFORE[i], 0);
        for (; at != RC_STR_NPOS; at = rc_str_find(line, BEFORE[i], at)) {
            at += BEFORE[i].len;
            size_t to = at;
            while (to < line.len && (rc_ascii_is_alpha(line.ptr[to]) || line.ptr[to] == '_'))
                to++;
            if (is_errno_name(rc_str_slice(line, at, to)))
                return true;
        }
    }
    return false;
}

/* --- models --- */

/* Returns true for the name of a model family with a version: "claude-opus-4", "gpt4o", "Llama 3".
 * The name without a version may be that of a person or an animal. */
static bool is_model_at(rc_str line, size_t at)
{
    static const rc_str FAMILIES[] = {
        RC_STR_INIT("claude"), RC_STR_INIT("opus"),      RC_STR_INIT("sonnet"),
        RC_STR_INIT("haiku"),  RC_STR_INIT("gpt"),       RC_STR_INIT("o1"),
        RC_STR_INIT("o3"),     RC_STR_INIT("o4"),        RC_STR_INIT("gemini"),
        RC_STR_INIT("gemma"),  RC_STR_INIT("llama"),     RC_STR_INIT("mistral"),
        RC_STR_INIT("qwen"),   RC_STR_INIT("mixtral"),   RC_STR_INIT("deepseek"),
        RC_STR_INIT("grok"),   RC_STR_INIT("command-r"), RC_STR_INIT("kimi"),
        RC_STR_INIT("glm"),    RC_STR_INIT("phi"),       RC_STR_INIT("nova"),
    };
    const rc_str rest = rc_str_slice(line, at, line.len);
    for (size_t i = 0; i < sizeof(FAMILIES) / sizeof(FAMILIES[0]); i++) {
        const size_t len = FAMILIES[i].len;
        if (rest.len <= len + 1 || !rc_str_eq_nocase(rc_str_slice(rest, 0, len), FAMILIES[i]))
            continue;
        if (rc_ascii_is_digit(rest.ptr[len]) ||
            (rest.ptr[len] == '-' && rc_ascii_is_alnum(rest.ptr[len + 1])) ||
            (rest.ptr[len] == ' ' && rc_ascii_is_digit(rest.ptr[len + 1])))
            return true;
    }
    return false;
}

static bool is_unavailable_word(rc_str word)
{
    static const rc_str WORDS[] = {
        RC_STR_INIT("unavailable"), RC_STR_INIT("overloaded"), RC_STR_INIT("capacity"),
        RC_STR_INIT("busy"),        RC_STR_INIT("down"),       RC_STR_INIT("offline"),
    };
    return IS_ONE_OF(word, WORDS);
}

/* --- lines --- */

static bool is_digit_at(rc_str line, size_t at)
{
    return at < line.len && rc_ascii_is_digit(line.ptr[at]);
}

/* Returns true for a line of a compiler's output: "a.c:12:5: error: ...", "a.ts(3,7): error
 * TS2304", "error[E0425]", " 12 | foo(429);". */
static bool is_diagnostic(rc_str line)
{
    static const rc_str KINDS[] = {RC_STR_INIT(": error"), RC_STR_INIT(": warning"),
                                   RC_STR_INIT(": note"), RC_STR_INIT(": fatal error")};
    for (size_t i = 0; i < sizeof(KINDS) / sizeof(KINDS[0]); i++) {
        const size_t at = rc_str_find(line, KINDS[i], 0);
        if (at != RC_STR_NPOS && at > 0 &&
            (is_digit_at(line, at - 1) || (line.ptr[at - 1] == ')' && is_digit_at(line, at - 2))))
            return true;
    }
    const rc_str text = rc_str_trim(line);
    size_t at = 0;
    while (is_digit_at(text, at))
        at++;
    return (at > 0 && rc_str_starts_with(rc_str_slice(text, at, text.len), RC_STR(" |"))) ||
           rc_str_starts_with(text, RC_STR("error[E")) || rc_str_starts_with(text, RC_STR("| "));
}

/* Returns true for a statement, a comment, a list item or a macro of a manual page. */
static bool is_source(rc_str line)
{
    static const rc_str BEGINS[] = {
        RC_STR_INIT("#"),      RC_STR_INIT("//"),      RC_STR_INIT("/*"),
        RC_STR_INIT("* "),     RC_STR_INIT("def "),    RC_STR_INIT("if "),
        RC_STR_INIT("for "),   RC_STR_INIT("import "), RC_STR_INIT("return "),
        RC_STR_INIT("from "),  RC_STR_INIT("class "),  RC_STR_INIT("- "),
        RC_STR_INIT("raise "), RC_STR_INIT("let "),    RC_STR_INIT("const "),
        RC_STR_INIT("var "),   RC_STR_INIT("\"\"\""),  RC_STR_INIT("except "),
    };
    const rc_str text = rc_str_trim(line);
    if (text.len == 0)
        return false;
    const char last = text.ptr[text.len - 1];
    if (last == ';' || (text.ptr[0] == '.' && text.len > 1 && rc_ascii_is_alpha(text.ptr[1])))
        return true;
    for (size_t i = 0; i < sizeof(BEGINS) / sizeof(BEGINS[0]); i++)
        if (rc_str_starts_with(text, BEGINS[i]))
            return true;
    return false;
}

typedef struct line_words {
    bool has_call;
    bool has_lead;
    bool has_name;
    bool has_model;
    bool has_unavailable;
} line_words;

/* Returns true if an error message can begin at this offset: at the start of the line, or after
 * punctuation as in "[x] error". */
static bool is_lead_position(rc_str line, size_t at)
{
    if (at > LEAD_BYTES)
        return false;
    while (at > 0 && (line.ptr[at - 1] == ' ' || line.ptr[at - 1] == '\t'))
        at--;
    return at == 0 || memchr(":])|>-[\"'(", line.ptr[at - 1], 10) != NULL ||
           !rc_ascii_is_alnum(line.ptr[at - 1]);
}

static line_words words_of(rc_str line)
{
    line_words found = {0};
    for (size_t at = 0; at < line.len;) {
        size_t to = at;
        while (to < line.len && rc_ascii_is_alnum(line.ptr[to]))
            to++;
        const rc_str word = rc_str_slice(line, at, to);
        found.has_model = found.has_model || (word.len > 0 && is_model_at(line, at));
        if (word.len > 2 && word.len <= WORD_MAX) {
            found.has_call = found.has_call || is_call_word(word);
            found.has_lead = found.has_lead || (is_lead_word(word) && is_lead_position(line, at));
            found.has_name = found.has_name || is_exception_name(word);
            found.has_unavailable = found.has_unavailable || is_unavailable_word(word);
        }
        at = to > at ? to : at + 1;
    }
    return found;
}

static bool has_context(rc_str text)
{
    size_t lines = 0;
    bool has_call = false;
    bool has_other = false; /* a line is a compiler's message or source code */
    for (size_t at = 0; at < text.len;) {
        const size_t end = rc_str_find_byte(text, '\n', at);
        const size_t to = end == RC_STR_NPOS ? text.len : end;
        const rc_str line = rc_str_slice(text, at, to);
        at = to + 1;
        lines++;
        if (is_diagnostic(line) || is_source(line)) {
            has_other = true;
            continue;
        }
        const line_words found = words_of(line);
        if (found.has_name || (found.has_lead && found.has_call) ||
            rc_text_sure_http_status(line) != 0 || has_transport_phrase(line) ||
            has_failed_call(line))
            return true;
        has_call = has_call || found.has_call || (found.has_model && found.has_unavailable);
    }
    return text.len < SHORT_BYTES && lines <= SHORT_LINES && has_call && !has_other;
}

/* Returns whether the failure certainly comes from a call, because it has other members than a
 * text: a status, a header, a host ... */
static bool is_known_call(const rc_failure *failure)
{
    return failure->provider.len > 0 || failure->status != 0 || failure->header_count > 0 ||
           failure->event.len > 0 || failure->transport != RC_TRANSPORT_NONE ||
           failure->phase != RC_PHASE_NONE || failure->connection != RC_CONNECTION_NONE ||
           failure->host.len > 0 || failure->model.len > 0;
}

bool rc_evidence_is_foreign(const rc_evidence *evidence)
{
    const rc_failure *failure = evidence->failure;
    if (is_known_call(failure) || failure->body.len == 0)
        return false;
    if (rc_evidence_has(evidence, RC_FACT_BODY_ERROR) || evidence->page_title.len > 0)
        return false;
    if (evidence->provider != NULL && failure->body.len <= NAMED_BYTES)
        return false;
    return !has_context(rc_str_slice(failure->body, 0, RC_EVIDENCE_BODY_MAX));
}
