/* bench_message: finds the end of HTTP/1.1 messages. */
#ifndef BENCH_GATEWAY_MESSAGE_H
#define BENCH_GATEWAY_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BENCH_HEAD_MAX 8192
#define BENCH_START_MAX 512

typedef enum bench_message_state {
    BENCH_IN_HEAD,
    BENCH_IN_LENGTH,
    BENCH_IN_CHUNK_SIZE,
    BENCH_IN_CHUNK,
    BENCH_IN_CHUNK_END,
    BENCH_IN_TRAILER,
    BENCH_UNTIL_CLOSE, /* The body ends when the connection ends. */
    BENCH_WHOLE,
    BENCH_WRONG
} bench_message_state;

/* State of the reader. In an all-zero struct nothing has been read yet. */
typedef struct bench_message {
    bench_message_state state;
    bool is_response; /* Set by the caller: the message is a response, which ends with the
                       * connection if it has no length. */
    bool is_closing;
    bool is_extension; /* The reader is in the extension after a chunk's size. */
    int status;
    uint64_t left;
    uint64_t body_bytes;
    size_t line_bytes; /* Length of the current line: a chunk's size or a trailer. */
    size_t head_bytes;
    size_t start_bytes;
    char start[BENCH_START_MAX]; /* Beginning of the body. */
    char head[BENCH_HEAD_MAX];
} bench_message;

/* Prepares the reader for the next message of the same kind. */
void bench_message_reset(bench_message *message);

/* Reads up to the end of the message; returns the number of bytes read. */
size_t bench_message_push(bench_message *message, const char *bytes, size_t len);

#endif
