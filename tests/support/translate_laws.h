/* Laws of translations, checked on generated conversations and responses. The generator takes its
 * choices from bytes: of a fuzzer, or of a sequence of pseudo-random numbers. Each function returns
 * false if the law does not hold. Used by test_translate_laws.c and fuzz_translate_laws.c. */
#ifndef TESTS_SUPPORT_TRANSLATE_LAWS_H
#define TESTS_SUPPORT_TRANSLATE_LAWS_H

#include <stdio.h>
#include <string.h>

#include <recourse/stdlib.h>

#include "dialect/translate/write.h"
#include "support/translate_run.h"
#include "json/reader.h"

#define LAWS_BYTES_MAX ((size_t)1 << 20)

typedef struct laws_source {
    const unsigned char *bytes;
    size_t len;
    size_t at;
} laws_source;

static inline unsigned laws_choose(laws_source *s, unsigned count)
{
    return s->at < s->len ? s->bytes[s->at++] % count : 0;
}

/* Appends a text as JSON string content: letters, escapes and characters above ASCII. */
static inline void laws_push_text(laws_source *s, rc_buf *buf)
{
    static const char *const words[] = {"a",     "Oslo ", "\\n",     "\\\"",  "\\\\", "\xc3\xa9",
                                        "{\\\"", "}",     "\\u20ac", "error", "[",    "<system>"};
    for (unsigned i = 0, count = 1 + laws_choose(s, 4); i < count; i++)
        rc_buf_push(buf, rc_str_c(words[laws_choose(s, sizeof words / sizeof *words)]));
}

/* ---- responses ---- */

/* The summary of a response: what every dialect can express. */
typedef struct laws_digest {
    rc_buf parts[3]; /* text, reasoning, calls */
    unsigned finish; /* 0: good, 1: length, 2: filter or refusal */
    rc_usage_count usage;
    bool is_over;
} laws_digest;

static inline void laws_digest_init(laws_digest *d, const rc_alloc *alloc)
{
    *d = (laws_digest){.usage = RC_USAGE_COUNT_NONE};
    for (size_t i = 0; i < 3; i++)
        rc_buf_init(&d->parts[i], alloc, LAWS_BYTES_MAX);
}

static inline void laws_digest_done(laws_digest *d)
{
    for (size_t i = 0; i < 3; i++)
        rc_buf_done(&d->parts[i]);
}

static inline rc_status laws_digest_push(void *ctx, const rc_piece *piece)
{
    laws_digest *d = ctx;
    bool is_call = piece->block == RC_BLOCK_CALL;
    rc_buf *buf = &d->parts[is_call ? 2 : piece->block == RC_BLOCK_THOUGHT];
    if (piece->kind == RC_PIECE_OPEN && is_call) {
        rc_buf_push_byte(buf, ';');
        rc_buf_push(buf, piece->name);
        rc_buf_push_byte(buf, '#');
        rc_buf_push(buf, piece->id);
        rc_buf_push_byte(buf, '#');
    } else if (piece->kind == RC_PIECE_DELTA) {
        if (piece->is_value)
            rc_buf_push(buf, piece->text);
        else
            rc_json_unescape(piece->text, buf);
    } else if (piece->kind == RC_PIECE_CLOSE && is_call && buf->ptr[buf->len - 1] == '#') {
        rc_buf_push(buf, RC_STR("{}"));
    } else if (piece->kind == RC_PIECE_FINISH) {
        d->finish = piece->finish == RC_STREAM_FINISH_LENGTH   ? 1
                    : piece->finish >= RC_STREAM_FINISH_FILTER ? 2
                                                               : 0;
    } else if (piece->kind == RC_PIECE_USAGE) {
        d->usage = piece->usage;
    }
    d->is_over = d->is_over || piece->kind == RC_PIECE_END;
    return RC_OK;
}

static inline bool laws_is_same(const laws_digest *a, const laws_digest *b)
{
    for (size_t i = 0; i < 3; i++)
        if (!rc_str_eq(rc_buf_get(&a->parts[i]), rc_buf_get(&b->parts[i])))
            return false;
    return a->finish == b->finish && a->is_over && b->is_over && a->usage.input == b->usage.input &&
           a->usage.output == b->usage.output &&
           rc_output_count(a->usage.cached) == rc_output_count(b->usage.cached) &&
           rc_output_count(a->usage.reasoning) == rc_output_count(b->usage.reasoning);
}

/* Receives the pieces of a generated response: a writer, and the digest of the same response. */
typedef struct laws_target {
    const rc_translate_functions *functions;
    rc_output_writer writer;
    laws_digest *digest;
} laws_target;

static inline void laws_emit(laws_target *t, rc_piece piece)
{
    t->functions->write_piece(&t->writer, &piece);
    laws_digest_push(t->digest, &piece);
}

/* Emits a text in one or two parts. `splits` decides about the parts only. */
static inline void laws_emit_text(laws_target *t, rc_piece piece, rc_str text, laws_source *splits)
{
    size_t at = laws_choose(splits, (unsigned)text.len + 1);
    while (at > 0 && at < text.len &&
           ((text.ptr[at] & 0xc0) == 0x80 || memchr(text.ptr, '\\', text.len) != NULL))
        at--; /* not inside of a character or an escape */
    piece.kind = RC_PIECE_DELTA;
    piece.text = rc_str_slice(text, 0, at);
    if (at > 0)
        laws_emit(t, piece);
    piece.text = rc_str_slice(text, at, text.len);
    if (piece.text.len > 0)
        laws_emit(t, piece);
}

static inline void laws_emit_block(laws_target *t, laws_source *s, laws_source *splits, rc_buf *buf,
                                   uint32_t key)
{
    rc_piece piece = {.kind = RC_PIECE_OPEN, .block = RC_BLOCK_TEXT, .key = key};
    unsigned kind = laws_choose(s, 4);
    char id[16];
    rc_buf_reset(buf);
    if (kind == 1)
        piece.block = RC_BLOCK_THOUGHT;
    if (kind >= 2) {
        int len = snprintf(id, sizeof id, "call_%u", key);
        piece.block = RC_BLOCK_CALL;
        piece.id = rc_str_make(id, (size_t)len);
        piece.name = RC_STR("get-it");
    }
    if (kind == 2) {
        rc_buf_push(buf, RC_STR("{\\\"k\\\":[1,{\\\"l\\\":\\\"v\\\\n\\\"}]}"));
    } else if (kind < 2) {
        laws_push_text(s, buf);
    }
    laws_emit(t, piece);
    if (buf->len > 0)
        laws_emit_text(t, piece, rc_buf_get(buf), splits);
    piece.kind = RC_PIECE_CLOSE;
    laws_emit(t, piece);
}

/* Writes a generated response in the dialect, as lines that the dialect's reader accepts. */
static inline void laws_write(const rc_alloc *alloc, const translate_dialect *dialect,
                              bool is_stream, laws_source s, laws_source splits, rc_buf *lines,
                              laws_digest *digest)
{
    static const rc_stream_finish finishes[] = {RC_STREAM_FINISH_GOOD, RC_STREAM_FINISH_GOOD,
                                                RC_STREAM_FINISH_LENGTH, RC_STREAM_FINISH_FILTER};
    rc_buf out;
    rc_buf text;
    rc_output_facts facts = translate_facts(is_stream);
    laws_target t = {.functions = rc_translate_functions_of(dialect->dialect), .digest = digest};
    rc_buf_init(&out, alloc, LAWS_BYTES_MAX);
    rc_buf_init(&text, alloc, LAWS_BYTES_MAX);
    rc_output_writer_init(&t.writer, &facts, &out, alloc, LAWS_BYTES_MAX);
    laws_emit(&t, (rc_piece){.kind = RC_PIECE_START});
    for (uint32_t i = 0, count = laws_choose(&s, 6); i < count; i++)
        laws_emit_block(&t, &s, &splits, &text, i);
    laws_emit(&t, (rc_piece){.kind = RC_PIECE_FINISH, .finish = finishes[laws_choose(&s, 4)]});
    rc_piece usage = {.kind = RC_PIECE_USAGE, .usage = RC_USAGE_COUNT_NONE};
    usage.usage.cached = laws_choose(&s, 3);
    usage.usage.input = 10 + laws_choose(&s, 100);
    usage.usage.reasoning = laws_choose(&s, 5);
    usage.usage.output = 10 + laws_choose(&s, 100);
    laws_emit(&t, usage);
    laws_emit(&t, (rc_piece){.kind = RC_PIECE_END});
    if (is_stream)
        translate_push_data_lines(rc_buf_get(&out), lines);
    else
        rc_buf_push(lines, rc_buf_get(&out));
    rc_output_writer_done(&t.writer);
    rc_buf_done(&text);
    rc_buf_done(&out);
}

/* Returns the digest of lines in the dialect. */
static inline void laws_read(const translate_dialect *dialect, bool is_stream, rc_str lines,
                             laws_digest *digest)
{
    const rc_translate_functions *functions = rc_translate_functions_of(dialect->dialect);
    rc_output_reader reader;
    rc_str line;
    rc_output_reader_init(&reader, (rc_piece_sink){digest, laws_digest_push});
    for (size_t at = 0; translate_next_line(lines, &at, &line);)
        if (is_stream)
            functions->read_event(&reader, line);
        else
            functions->read_body(&reader, line);
}

/* Law: a response in dialect A, translated to B, has the text, the reasoning, the calls, the reason
 * of its end and the counts that it had. */
static inline bool laws_response_holds(const rc_alloc *alloc, laws_source s, laws_source splits,
                                       const translate_dialect *from, const translate_dialect *to,
                                       bool is_stream)
{
    rc_buf bufs[3];
    laws_digest before;
    laws_digest after;
    bool is_over = false;
    rc_output_facts facts = translate_facts(is_stream);
    laws_digest_init(&before, alloc);
    laws_digest_init(&after, alloc);
    for (size_t i = 0; i < 3; i++)
        rc_buf_init(&bufs[i], alloc, LAWS_BYTES_MAX);
    laws_write(alloc, from, is_stream, s, splits, &bufs[0], &before);
    rc_status status =
        translate_lines(alloc, from, to, &facts, rc_buf_get(&bufs[0]), &bufs[1], &is_over);
    if (is_stream)
        translate_push_data_lines(rc_buf_get(&bufs[1]), &bufs[2]);
    laws_read(to, is_stream, rc_buf_get(&bufs[is_stream ? 2 : 1]), &after);
    bool holds = status == RC_OK && is_over && laws_is_same(&before, &after);
    laws_digest_done(&before);
    laws_digest_done(&after);
    for (size_t i = 0; i < 3; i++)
        rc_buf_done(&bufs[i]);
    return holds;
}

/* ---- requests ---- */

static inline void laws_push_message(laws_source *s, rc_buf *buf, unsigned turn)
{
    rc_buf_push(buf, RC_STR(",{\"role\":\"user\",\"content\":"));
    if (laws_choose(s, 3) == 0) {
        rc_buf_push(buf, RC_STR("[{\"type\":\"image_url\",\"image_url\":{\"url\":"
                                "\"data:image/png;base64,QUJD\"}},{\"type\":\"text\",\"text\":\""));
        laws_push_text(s, buf);
        rc_buf_push(buf, RC_STR("\"}]}"));
    } else {
        rc_buf_push_byte(buf, '"');
        laws_push_text(s, buf);
        rc_buf_push(buf, RC_STR("\"}"));
    }
    rc_buf_push(buf, RC_STR(",{\"role\":\"assistant\",\"content\":\""));
    laws_push_text(s, buf);
    if (laws_choose(s, 2) == 0) {
        rc_buf_push(buf, RC_STR("\"}"));
        return;
    }
    rc_buf_push(buf, RC_STR("\",\"tool_calls\":[{\"id\":\"c"));
    rc_buf_push_u64(buf, turn);
    rc_buf_push(buf,
                RC_STR("\",\"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":"
                       "\"{\\\"a\\\":[1,null]}\"}}]},{\"role\":\"tool\",\"tool_call_id\":\"c"));
    rc_buf_push_u64(buf, turn);
    rc_buf_push(buf, RC_STR("\",\"content\":\""));
    laws_push_text(s, buf);
    rc_buf_push(buf, RC_STR("\"}"));
}

/* Appends a request of Chat Completions. */
static inline void laws_push_request(laws_source *s, rc_buf *buf)
{
    static const char *const settings[] = {
        "",
        ",\"temperature\":0.5",
        ",\"top_p\":0.9",
        ",\"tool_choice\":\"required\"",
        ",\"parallel_tool_calls\":false",
        ",\"response_format\":{\"type\":\"json_schema\",\"json_schema\":{\"name\":\"answer\","
        "\"strict\":true,\"schema\":{\"type\":\"object\",\"properties\":{\"k\":{\"type\":"
        "\"string\"}},\"required\":[\"k\"],\"additionalProperties\":false}}}",
        ",\"reasoning_effort\":\"low\""};
    rc_buf_push(buf,
                RC_STR("{\"max_tokens\":9000,\"messages\":[{\"role\":\"system\",\"content\":\""));
    laws_push_text(s, buf);
    rc_buf_push(buf, RC_STR("\"}"));
    for (unsigned i = 0, count = laws_choose(s, 3); i < count; i++)
        laws_push_message(s, buf, i);
    rc_buf_push(buf, RC_STR(",{\"role\":\"user\",\"content\":\"go\"}],\"tools\":[{\"type\":"
                            "\"function\",\"function\":{\"name\":\"f\",\"description\":\"D\","
                            "\"parameters\":{\"type\":\"object\",\"properties\":{}}}}]"));
    rc_buf_push(buf, rc_str_c(settings[laws_choose(s, sizeof settings / sizeof *settings)]));
    rc_buf_push_byte(buf, '}');
}

/* Translates a request. Returns whether nothing was adapted. */
static inline bool laws_translate(const rc_alloc *alloc, rc_dialect from, rc_str body,
                                  rc_dialect to, rc_buf *out)
{
    rc_conversation c;
    rc_translation_plan plan;
    rc_buf scratch;
    rc_translate_target target = {
        .dialect = to,
        .model = RC_STR("m"),
        .facts = {.is_known = true, .flags = 0xffffffffu & ~(uint32_t)RC_MODEL_SIGNATURES}};
    rc_conversation_init(&c, alloc);
    rc_buf_init(&scratch, alloc, LAWS_BYTES_MAX);
    bool is_exact = rc_conversation_read(&c, from, body, false) == RC_OK &&
                    rc_translation_plan_make(&plan, &c, &target, &scratch) == RC_OK &&
                    plan.fit == RC_FIT_EXACT && rc_translation_write(&plan, &scratch, out) == RC_OK;
    rc_buf_done(&scratch);
    rc_conversation_done(&c);
    return is_exact;
}

/* Law: a request in dialect A that is translated to B, back to A and to B again is the same in B
 * both times, if no translation adapts anything, and is not longer than three times what was read
 * and 4 KiB. ret_is_exact: whether no translation adapted anything. */
static inline bool laws_request_holds(const rc_alloc *alloc, laws_source s, rc_dialect from,
                                      rc_dialect to, bool *ret_is_exact)
{
    rc_buf bufs[5];
    for (size_t i = 0; i < 5; i++)
        rc_buf_init(&bufs[i], alloc, LAWS_BYTES_MAX);
    laws_push_request(&s, &bufs[0]);
    bool is_chat = from == RC_DIALECT_OPENAI_CHAT;
    bool is_exact = is_chat || laws_translate(alloc, RC_DIALECT_OPENAI_CHAT, rc_buf_get(&bufs[0]),
                                              from, &bufs[1]);
    rc_str first = rc_buf_get(&bufs[is_chat ? 0 : 1]);
    is_exact = is_exact && laws_translate(alloc, from, first, to, &bufs[2]) &&
               laws_translate(alloc, to, rc_buf_get(&bufs[2]), from, &bufs[3]) &&
               laws_translate(alloc, from, rc_buf_get(&bufs[3]), to, &bufs[4]);
    *ret_is_exact = is_exact;
    bool holds = (!is_exact || rc_str_eq(rc_buf_get(&bufs[2]), rc_buf_get(&bufs[4]))) &&
                 bufs[2].len <= 3 * first.len + 4096;
    for (size_t i = 0; i < 5; i++)
        rc_buf_done(&bufs[i]);
    return holds;
}

#endif
