/* HTTP/1.1 message reader of the gateway benchmark. Called by load.c and peer.c. */
#define _GNU_SOURCE /* memmem */
#include "message.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

void bench_message_reset(bench_message *message)
{
    message->state = BENCH_IN_HEAD;
    message->is_closing = false;
    message->status = 0;
    message->left = 0;
    message->body_bytes = 0;
    message->line_bytes = 0;
    message->head_bytes = 0;
    message->start_bytes = 0;
}

static bool is_field(const char *line, const char *name)
{
    return strncasecmp(line, name, strlen(name)) == 0;
}

/* Parses the head, which ends with an empty line and is followed by a zero byte. */
static void read_head(bench_message *m)
{
    bool has_length = false;
    bool is_chunked = false;
    if (m->is_response)
        m->status = (int)strtol(m->head + sizeof "HTTP/1.1", NULL, 10);
    for (const char *line = strstr(m->head, "\r\n"); line != NULL; line = strstr(line, "\r\n")) {
        line += 2;
        if (is_field(line, "content-length:")) {
            m->left = strtoull(line + sizeof "content-length:" - 1, NULL, 10);
            has_length = true;
        } else if (is_field(line, "transfer-encoding:")) {
            is_chunked = true;
        } else if (is_field(line, "connection: close")) {
            m->is_closing = true;
        }
    }
    if (is_chunked)
        m->state = BENCH_IN_CHUNK_SIZE;
    else if (has_length || !m->is_response)
        m->state = m->left > 0 ? BENCH_IN_LENGTH : BENCH_WHOLE;
    else
        m->state = BENCH_UNTIL_CLOSE;
    if (m->state == BENCH_IN_CHUNK_SIZE)
        m->left = 0;
}

static size_t push_head(bench_message *m, const char *bytes, size_t len)
{
    size_t before = m->head_bytes;
    size_t space = sizeof m->head - 1 - before;
    size_t taken = len < space ? len : space;
    memcpy(m->head + before, bytes, taken);
    m->head_bytes += taken;
    size_t from = before > 3 ? before - 3 : 0;
    const char *end = memmem(m->head + from, m->head_bytes - from, "\r\n\r\n", 4);
    if (end == NULL) {
        if (taken == space)
            m->state = BENCH_WRONG;
        return taken;
    }
    m->head_bytes = (size_t)(end + 4 - m->head);
    m->head[m->head_bytes] = '\0';
    read_head(m);
    return m->head_bytes - before;
}

static size_t push_body(bench_message *m, const char *bytes, size_t len)
{
    size_t taken = m->state == BENCH_UNTIL_CLOSE || len < m->left ? len : (size_t)m->left;
    size_t space = sizeof m->start - m->start_bytes;
    size_t kept = taken < space ? taken : space;
    memcpy(m->start + m->start_bytes, bytes, kept);
    m->start_bytes += kept;
    m->body_bytes += taken;
    if (m->state == BENCH_UNTIL_CLOSE)
        return taken;
    m->left -= taken;
    if (m->left == 0)
        m->state = m->state == BENCH_IN_CHUNK ? BENCH_IN_CHUNK_END : BENCH_WHOLE;
    return taken;
}

static int hex(char byte)
{
    if (byte >= '0' && byte <= '9')
        return byte - '0';
    if (byte >= 'a' && byte <= 'f')
        return byte - 'a' + 10;
    return byte >= 'A' && byte <= 'F' ? byte - 'A' + 10 : -1;
}

static void on_line(bench_message *m)
{
    if (m->state == BENCH_IN_CHUNK_END)
        m->state = BENCH_IN_CHUNK_SIZE;
    else if (m->state == BENCH_IN_CHUNK_SIZE)
        m->state = m->left > 0 ? BENCH_IN_CHUNK : BENCH_IN_TRAILER;
    else if (m->line_bytes == 0)
        m->state = BENCH_WHOLE;
    m->line_bytes = 0;
    m->is_extension = false;
}

/* Reads the lines around chunks. */
static size_t push_line(bench_message *m, const char *bytes, size_t len)
{
    bench_message_state state = m->state;
    for (size_t i = 0; i < len; i++) {
        if (bytes[i] == '\n') {
            on_line(m);
            return i + 1;
        }
        if (bytes[i] == '\r')
            continue;
        int digit = hex(bytes[i]);
        m->is_extension = m->is_extension || digit < 0;
        if (state == BENCH_IN_CHUNK_SIZE && !m->is_extension)
            m->left = m->left * 16 + (uint64_t)digit;
        m->line_bytes++;
    }
    return len;
}

size_t bench_message_push(bench_message *message, const char *bytes, size_t len)
{
    size_t done = 0;
    while (done < len && message->state != BENCH_WHOLE && message->state != BENCH_WRONG) {
        const char *rest = bytes + done;
        if (message->state == BENCH_IN_HEAD)
            done += push_head(message, rest, len - done);
        else if (message->state == BENCH_IN_LENGTH || message->state == BENCH_IN_CHUNK ||
                 message->state == BENCH_UNTIL_CLOSE)
            done += push_body(message, rest, len - done);
        else
            done += push_line(message, rest, len - done);
    }
    return done;
}
