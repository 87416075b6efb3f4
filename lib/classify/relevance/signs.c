/* Finds the signs in a text that it comes from a failed call. Lines of source code and of compiler
 * output are ignored. Called by relevance.c. */
#include "base/str.h"
#include "classify/relevance/relevance.h"
#include "classify/unwrap/unwrap.h"

/* Greatest offset in a line at which "error:" is read as the start of an error message. */
#define LEAD_BYTES 70
#define WORD_MAX 64
#define SPAN_LINE_MAX 512u /* Length of a line whose code spans are left out. */

static size_t index_of(rc_str word, const rc_str *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (rc_str_eq_nocase(word, words[i]))
            return i;
    return RC_STR_NPOS;
}
#define INDEX_OF(word, words) index_of(word, words, sizeof(words) / sizeof((words)[0]))

/* Returns the index of a word about models, or about the units that they are billed for;
 * RC_STR_NPOS for other words. */
static size_t model_word(rc_str word)
{
    static const rc_str WORDS[] = {
        RC_STR_INIT("api"),          RC_STR_INIT("llm"),        RC_STR_INIT("model"),
        RC_STR_INIT("models"),       RC_STR_INIT("token"),      RC_STR_INIT("tokens"),
        RC_STR_INIT("prompt"),       RC_STR_INIT("completion"), RC_STR_INIT("completions"),
        RC_STR_INIT("chat"),         RC_STR_INIT("embedding"),  RC_STR_INIT("embeddings"),
        RC_STR_INIT("quota"),        RC_STR_INIT("credit"),     RC_STR_INIT("credits"),
        RC_STR_INIT("billing"),      RC_STR_INIT("tier"),       RC_STR_INIT("rate"),
        RC_STR_INIT("ratelimit"),    RC_STR_INIT("inference"),  RC_STR_INIT("provider"),
        RC_STR_INIT("apikey"),       RC_STR_INIT("openai"),     RC_STR_INIT("gpt"),
        RC_STR_INIT("neurons"),      RC_STR_INIT("finetuned"),  RC_STR_INIT("assistant"),
        RC_STR_INIT("subscription"), RC_STR_INIT("usage"),      RC_STR_INIT("oauth"),
        RC_STR_INIT("deployment"),   RC_STR_INIT("plan"),       RC_STR_INIT("temperature"),
        RC_STR_INIT("rpm"),          RC_STR_INIT("tpm"),        RC_STR_INIT("agent"),
        RC_STR_INIT("mcp"),          RC_STR_INIT("moderation"), RC_STR_INIT("gpu"),
        RC_STR_INIT("generating"),   RC_STR_INIT("cuda"),       RC_STR_INIT("balance"),
    };
    return INDEX_OF(word, WORDS);
}

/* Returns the index of a word that texts about network calls use; RC_STR_NPOS for other words. */
static size_t call_word(rc_str word)
{
    static const rc_str WORDS[] = {
        RC_STR_INIT("http"),         RC_STR_INIT("https"),        RC_STR_INIT("request"),
        RC_STR_INIT("requests"),     RC_STR_INIT("response"),     RC_STR_INIT("connection"),
        RC_STR_INIT("connect"),      RC_STR_INIT("connected"),    RC_STR_INIT("stream"),
        RC_STR_INIT("socket"),       RC_STR_INIT("websocket"),    RC_STR_INIT("server"),
        RC_STR_INIT("endpoint"),     RC_STR_INIT("upstream"),     RC_STR_INIT("network"),
        RC_STR_INIT("fetch"),        RC_STR_INIT("tcp"),          RC_STR_INIT("ssl"),
        RC_STR_INIT("tls"),          RC_STR_INIT("host"),         RC_STR_INIT("errno"),
        RC_STR_INIT("engine"),       RC_STR_INIT("curl"),         RC_STR_INIT("getaddrinfo"),
        RC_STR_INIT("econnreset"),   RC_STR_INIT("json"),         RC_STR_INIT("etimedout"),
        RC_STR_INIT("econnrefused"), RC_STR_INIT("enotfound"),    RC_STR_INIT("service"),
        RC_STR_INIT("resolve"),      RC_STR_INIT("resolution"),   RC_STR_INIT("rpc"),
        RC_STR_INIT("account"),      RC_STR_INIT("organization"), RC_STR_INIT("region"),
        RC_STR_INIT("gateway"),      RC_STR_INIT("key"),          RC_STR_INIT("limit"),
        RC_STR_INIT("timeout"),      RC_STR_INIT("stop"),         RC_STR_INIT("content"),
    };
    return INDEX_OF(word, WORDS);
}

/* Returns whether error messages begin with this word. */
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
    return INDEX_OF(word, WORDS) != RC_STR_NPOS;
}

/* Returns whether the word is the type name of an exception about a call: RateLimitError,
 * SocketTimeoutException, ResourceExhausted, ReadTimeout. */
static bool is_exception_name(rc_str word)
{
    static const rc_str ENDS[] = {
        RC_STR_INIT("Error"),     RC_STR_INIT("Exception"), RC_STR_INIT("Timeout"),
        RC_STR_INIT("Exhausted"), RC_STR_INIT("ClosedOK"),  RC_STR_INIT("Unavailable"),
    };
    static const rc_str PARTS[] = {
        RC_STR_INIT("Timeout"),    RC_STR_INIT("Connect"),     RC_STR_INIT("RateLimit"),
        RC_STR_INIT("Overload"),   RC_STR_INIT("Unavailable"), RC_STR_INIT("Exhausted"),
        RC_STR_INIT("HTTP"),       RC_STR_INIT("Http"),        RC_STR_INIT("API"),
        RC_STR_INIT("Api"),        RC_STR_INIT("Server"),      RC_STR_INIT("Response"),
        RC_STR_INIT("Service"),    RC_STR_INIT("Throttl"),     RC_STR_INIT("Network"),
        RC_STR_INIT("Socket"),     RC_STR_INIT("Disconnect"),  RC_STR_INIT("Protocol"),
        RC_STR_INIT("Stream"),     RC_STR_INIT("Retry"),       RC_STR_INIT("Client"),
        RC_STR_INIT("Model"),      RC_STR_INIT("Interrupted"), RC_STR_INIT("Engine"),
        RC_STR_INIT("Internal"),   RC_STR_INIT("TooMany"),     RC_STR_INIT("LLM"),
        RC_STR_INIT("Request"),    RC_STR_INIT("Resource"),    RC_STR_INIT("Payload"),
        RC_STR_INIT("Batch"),      RC_STR_INIT("Auth"),        RC_STR_INIT("Quota"),
        RC_STR_INIT("Credential"), RC_STR_INIT("Prompt"),      RC_STR_INIT("Token"),
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

static bool has_one_of(rc_str line, const rc_str *texts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (rc_str_find(line, texts[i], 0) != RC_STR_NPOS)
            return true;
    return false;
}
#define HAS_ONE_OF(line, texts) has_one_of(line, texts, sizeof(texts) / sizeof((texts)[0]))

/* --- libraries that make calls --- */

static bool has_sdk(rc_str line)
{
    static const rc_str NAMES[] = {
        RC_STR_INIT("openai."),
        RC_STR_INIT("anthropic."),
        RC_STR_INIT("/openai/"),
        RC_STR_INIT("/anthropic/"),
        RC_STR_INIT("litellm."),
        RC_STR_INIT("/litellm/"),
        RC_STR_INIT("google.genai"),
        RC_STR_INIT("google.api_core.exceptions"),
        RC_STR_INIT("botocore."),
        RC_STR_INIT("langchain"),
        RC_STR_INIT("llama_index"),
        RC_STR_INIT("pydantic_ai."),
        RC_STR_INIT("huggingface_hub"),
        RC_STR_INIT("mistralai."),
        RC_STR_INIT("ollama."),
        RC_STR_INIT("vllm"),
        RC_STR_INIT("sglang"),
        RC_STR_INIT("AI_APICallError"),
        RC_STR_INIT("AI_RetryError"),
        RC_STR_INIT("AI_No"),
        RC_STR_INIT("AI_JSONParse"),
        RC_STR_INIT("AI_TypeValidation"),
        RC_STR_INIT("AI_Invalid"),
        RC_STR_INIT("AI_Unsupported"),
        RC_STR_INIT("AI_LoadAPIKey"),
        RC_STR_INIT("AI_Tool"),
        RC_STR_INIT("instructor."),
        RC_STR_INIT("OutputParserException"),
        RC_STR_INIT("[GoogleGenerativeAI Error]"),
        RC_STR_INIT("@anthropic-ai/"),
        RC_STR_INIT("software.amazon.awssdk"),
        RC_STR_INIT("google.auth."),
        RC_STR_INIT("replicate.exceptions"),
        RC_STR_INIT("cohere."),
        RC_STR_INIT("status_code: "),
        RC_STR_INIT("ReplicateError"),
        RC_STR_INIT("OpenAI/API"),   /* Perl */
        RC_STR_INIT(" operation: "), /* AWS SDKs: "... when calling the Converse operation: " */
        RC_STR_INIT("Error code: 4"),
        RC_STR_INIT("Error code: 5"),
        RC_STR_INIT("API Error"),
        RC_STR_INIT("API error"),
    };
    return HAS_ONE_OF(line, NAMES);
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
        RC_STR_INIT("httpx."), /* httpx, a library for Python */
        RC_STR_INIT("httpcore."),
        RC_STR_INIT("requests.exceptions."),
        RC_STR_INIT("urllib3.exceptions."),
        RC_STR_INIT("urllib.error."),
        RC_STR_INIT("aiohttp."),
        RC_STR_INIT("java.net."),
        RC_STR_INIT("javax.net."),
        RC_STR_INIT("curl: ("),
        RC_STR_INIT("rpc error: code = "),
        RC_STR_INIT("Could not resolve host"),
        RC_STR_INIT("Connection reset by peer"),
        RC_STR_INIT("connection reset by peer"),
        RC_STR_INIT("Connection refused"),
        RC_STR_INIT("connection refused"),
        RC_STR_INIT("Connection timed out"),
        RC_STR_INIT("GOAWAY"),
        RC_STR_INIT("RST_STREAM"),
        RC_STR_INIT("net::ERR_"),
        RC_STR_INIT("[SSL: "),
        RC_STR_INIT("HTTPSConnectionPool("),
        RC_STR_INIT("HTTPConnectionPool("),
        RC_STR_INIT("Network is unreachable"),
        RC_STR_INIT("Name or service not known"),
        RC_STR_INIT("Temporary failure in name resolution"),
        RC_STR_INIT("websockets."),
        RC_STR_INIT("WebSocket closed"),
        RC_STR_INIT("upstream connect error"),
        RC_STR_INIT("[Errno 111]"), /* Python, with the sentence in the user's language */
        RC_STR_INIT("[Errno 110]"),
        RC_STR_INIT("[Errno 104]"),
        RC_STR_INIT("[Errno 113]"),
        RC_STR_INIT("[Errno 101]"),
        RC_STR_INIT("[Errno 61]"),
        RC_STR_INIT("[Errno 54]"),
        RC_STR_INIT("[Errno -2]"),
        RC_STR_INIT("[Errno -3]"),
        RC_STR_INIT("[Errno 11001]"),
        RC_STR_INIT("[WinError 100"),
        RC_STR_INIT("(os error 111)"), /* Rust */
        RC_STR_INIT("(os error 104)"),
        RC_STR_INIT("(os error 110)"),
        RC_STR_INIT("(os error 100"),
        RC_STR_INIT("connectex: "), /* Go on Windows */
        RC_STR_INIT("wsarecv: "),
    };
    return HAS_ONE_OF(line, PHRASES);
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
    if (rc_str_find_byte(line, 'E', 0) == RC_STR_NPOS)
        return false;
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

/* --- requests --- */

/* Returns whether the line has the name and a digit after it: "messages.1". */
static bool has_element(rc_str line, rc_str name)
{
    for (size_t at = rc_str_find(line, name, 0); at != RC_STR_NPOS;
         at = rc_str_find(line, name, at + 1)) {
        if (at + name.len < line.len && rc_ascii_is_digit(line.ptr[at + name.len]))
            return true;
    }
    return false;
}

/* Returns whether the line has the name of a member or parameter that occurs only in requests to
 * models. */
static bool has_field(rc_str line)
{
    static const rc_str NAMES[] = {
        RC_STR_INIT("messages["),     RC_STR_INIT("'messages"),
        RC_STR_INIT("tools["),        RC_STR_INIT("contents["),
        RC_STR_INIT("tool_use"),      RC_STR_INIT("tool_call"),
        RC_STR_INIT("tool call"),     RC_STR_INIT("tool_result"),
        RC_STR_INIT("tool_choice"),   RC_STR_INIT("tool choice"),
        RC_STR_INIT("max_tokens"),    RC_STR_INIT("max_new_tokens"),
        RC_STR_INIT("image_url"),     RC_STR_INIT("response_format"),
        RC_STR_INIT("top_p"),         RC_STR_INIT("top_k"),
        RC_STR_INIT("output_config"), RC_STR_INIT("cache_control"),
        RC_STR_INIT("toolConfig"),    RC_STR_INIT("previous_response_id"),
        RC_STR_INIT("`inputs`"),      RC_STR_INIT("system message"),
        RC_STR_INIT("system prompt"), RC_STR_INIT("roles must"),
        RC_STR_INIT("assistant"),     RC_STR_INIT("chatCompletion"),
        RC_STR_INIT("message_stop"),  RC_STR_INIT("message_start"),
        RC_STR_INIT("content_block"), RC_STR_INIT("budget_tokens"),
        RC_STR_INIT("maxTokens"),
    };
    return has_element(line, RC_STR("messages.")) || has_element(line, RC_STR("tools.")) ||
           HAS_ONE_OF(line, NAMES);
}

static bool has_request_id(rc_str line)
{
    static const rc_str NAMES[] = {
        RC_STR_INIT("request id"), RC_STR_INIT("Request id"), RC_STR_INIT("request ID"),
        RC_STR_INIT("Request ID"), RC_STR_INIT("request_id"), RC_STR_INIT("requestId"),
        RC_STR_INIT("RequestId"),  RC_STR_INIT("trace_id"),   RC_STR_INIT("Trace ID"),
    };
    return HAS_ONE_OF(line, NAMES);
}

/* Returns whether the line has words with which a service addresses its user. */
static bool has_voice(rc_str line)
{
    static const rc_str TEXTS[] = {
        RC_STR_INIT("Please "),     RC_STR_INIT("please "),      RC_STR_INIT("your "),
        RC_STR_INIT("Your "),       RC_STR_INIT("You have "),    RC_STR_INIT("You don't "),
        RC_STR_INIT("You do not "), RC_STR_INIT("You can "),     RC_STR_INIT("You've "),
        RC_STR_INIT("you have "),   RC_STR_INIT("try again"),    RC_STR_INIT("Try again"),
        RC_STR_INIT("We're "),      RC_STR_INIT("Our "),         RC_STR_INIT("our "),
        RC_STR_INIT("Sorry"),       RC_STR_INIT("You exceeded"),
    };
    return HAS_ONE_OF(line, TEXTS);
}

static bool has_east_asian(rc_str line)
{
    for (size_t i = 0; i + 2 < line.len; i++) {
        const unsigned char c = (unsigned char)line.ptr[i];
        if (c >= 0xE3 && c <= 0xED && ((unsigned char)line.ptr[i + 1] & 0xC0) == 0x80)
            return true;
    }
    return false;
}

/* --- models --- */

/* Returns whether the text at `at` is the name of a model family with a version: "claude-opus-4",
 * "gpt4o", "Llama 3". Without a version, the name may be that of a person or an animal. */
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

/* --- lines --- */

/* The words of a text as bits, one bit per row of the tables above. */
typedef struct word_bits {
    uint64_t model;
    uint64_t call;
} word_bits;

/* Returns whether an error message can begin at this offset: at the start of the line, or after
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

/* Returns whether the word is the level of a log line. */
static bool is_level(rc_str word)
{
    return rc_str_eq(word, RC_STR("ERROR")) || rc_str_eq(word, RC_STR("WARN")) ||
           rc_str_eq(word, RC_STR("WARNING")) || rc_str_eq(word, RC_STR("CRITICAL")) ||
           rc_str_eq(word, RC_STR("FATAL"));
}

static void read_words(rc_str line, rc_call_signs *signs, word_bits *bits)
{
    bool has_lead = false;
    bool has_call = false;
    for (size_t at = 0; at < line.len;) {
        size_t to = at;
        while (to < line.len && rc_ascii_is_alnum(line.ptr[to]))
            to++;
        const rc_str word = rc_str_slice(line, at, to);
        if (word.len > 1 && is_model_at(line, at)) {
            bits->model |= UINT64_C(1) << 63;
            has_call = true;
        }
        if (word.len > 2 && word.len <= WORD_MAX) {
            const size_t model = model_word(word);
            const size_t call = call_word(word);
            if (model != RC_STR_NPOS)
                bits->model |= UINT64_C(1) << model;
            if (call != RC_STR_NPOS)
                bits->call |= UINT64_C(1) << call;
            has_call = has_call || model != RC_STR_NPOS || call != RC_STR_NPOS;
            has_lead = has_lead || (is_lead_word(word) && is_lead_position(line, at)) ||
                       (is_level(word) && at > 0 && at <= LEAD_BYTES);
            if (is_exception_name(word)) {
                signs->has_name = true;
                signs->has_library_name =
                    signs->has_library_name || (at > 0 && line.ptr[at - 1] == '.');
            }
        }
        at = to > at ? to : at + 1;
    }
    signs->has_error = signs->has_error || has_lead;
    signs->has_lead = signs->has_lead || (has_lead && has_call);
}

static unsigned count_of(uint64_t bits)
{
    unsigned count = 0;
    for (; bits != 0; bits &= bits - 1)
        count++;
    return count;
}

/* Copies the line and blanks its code spans (`...`), because what they contain is an example. A
 * line that is too long, or has no span, stays as it is. */
static rc_str without_spans(rc_str line, char *memory)
{
    const size_t first = rc_str_find_byte(line, '`', 0);
    if (first == RC_STR_NPOS || line.len > SPAN_LINE_MAX ||
        rc_str_find_byte(line, '`', first + 1) == RC_STR_NPOS)
        return line;
    bool is_inside = false;
    for (size_t i = 0; i < line.len; i++) {
        is_inside = line.ptr[i] == '`' ? !is_inside : is_inside;
        memory[i] = is_inside ? ' ' : line.ptr[i];
    }
    return rc_str_make(memory, line.len);
}

/* Returns the number of code spans in the line. */
static unsigned spans_of(rc_str line)
{
    unsigned ticks = 0;
    for (size_t at = rc_str_find_byte(line, '`', 0); at != RC_STR_NPOS;
         at = rc_str_find_byte(line, '`', at + 1))
        ticks++;
    return ticks / 2;
}

/* Returns whether the text begins with a status: "401 Unauthorized", "[404]: ...", "429: ...".
 * Returns false if a noun follows, as in "500 files". */
static bool begins_with_status(rc_str text)
{
    const size_t at = text.len > 0 && text.ptr[0] == '[' ? 1 : 0;
    if (text.len < at + 3 || rc_http_status_parse(rc_str_slice(text, at, at + 3)) < 400)
        return false;
    const rc_str rest = rc_str_slice(text, at + 3, text.len);
    if (rest.len == 0 || rc_str_starts_with(rest, RC_STR(" status")))
        return true;
    const char next = rest.len > 1 && rest.ptr[0] == ' ' ? rest.ptr[1] : '\0';
    return memchr(":] {-", rest.ptr[0], 5) != NULL && (next < 'a' || next > 'z');
}

static void read_line(rc_str line, rc_call_signs *signs, word_bits *bits)
{
    char memory[SPAN_LINE_MAX];
    const rc_str plain = without_spans(line, memory);
    signs->spans += spans_of(line);
    const bool had_name = signs->has_name;
    signs->has_name = false;
    read_words(line, signs, bits);
    signs->has_name = signs->has_name && plain.ptr == line.ptr;
    const bool is_sdk = has_sdk(plain);
    const bool is_transport = has_transport_phrase(plain) || has_failed_call(plain);
    signs->ends_in_error = is_sdk || is_transport || signs->has_name;
    signs->has_name = signs->has_name || had_name;
    signs->has_sdk = signs->has_sdk || is_sdk;
    signs->has_transport = signs->has_transport || is_transport;
    const bool is_status = rc_text_sure_http_status(plain) != 0;
    signs->ends_in_status = is_status || begins_with_status(line);
    signs->has_status = signs->has_status || is_status;
    signs->has_field = signs->has_field || has_field(line);
    signs->has_id = signs->has_id || has_request_id(line);
    signs->has_voice = signs->has_voice || has_voice(line);
    signs->is_east_asian = signs->is_east_asian || has_east_asian(line);
}

rc_call_signs rc_call_signs_of(rc_str text)
{
    rc_call_signs signs = {0};
    word_bits bits = {0, 0};
    signs.has_status = begins_with_status(text);
    signs.has_error = signs.has_status;
    for (size_t at = 0; at < text.len;) {
        const size_t end = rc_str_find_byte(text, '\n', at);
        const size_t to = end == RC_STR_NPOS ? text.len : end;
        const rc_str line = rc_str_slice(text, at, to);
        at = to + 1;
        if (rc_str_trim(line).len == 0)
            continue;
        signs.lines++;
        signs.ends_in_error = false;
        signs.ends_in_status = false;
        if (rc_line_is_diagnostic(line) || rc_line_is_source(line))
            continue;
        read_line(line, &signs, &bits);
    }
    signs.words = count_of(bits.model);
    signs.nouns = count_of(bits.call);
    return signs;
}
