/* rc_snapshot_input: the parts that a snapshot is built from. rc_load_error: the reason if the
 * snapshot cannot be built. */
#ifndef RC_GATEWAY_STATE_SNAPSHOT_INPUT_H
#define RC_GATEWAY_STATE_SNAPSHOT_INPUT_H

#include <stdbool.h>

#include <recourse/alloc.h>
#include <recourse/rules.h>
#include <recourse/str.h>

typedef struct rc_config rc_config;
typedef struct rc_prices rc_prices;

/* Paths of configuration files with more bytes are truncated. */
#define RC_SNAPSHOT_FILE_MAX 256

/* The parts that a snapshot is built from. */
typedef struct rc_snapshot_input {
    rc_config *config; /* Allocated, with everything it contains, by the hub's allocator. */
    rc_rules *rules;   /* The user's classification rules. NULL if there are only the built-in
                          rules. */
    rc_prices *prices; /* Allocated by the hub's allocator. */
    char file[RC_SNAPSHOT_FILE_MAX]; /* Path of the configuration file, for messages. "" if there is
                                        no file. */
    bool is_environment;             /* The configuration was made from environment variables; there
                                      * is no file. */
} rc_snapshot_input;

/* Frees the members. input: takes ownership of its members, which may be NULL. */
void rc_snapshot_input_done(rc_snapshot_input *input, const rc_alloc *alloc);

/* The reason why a snapshot could not be built or loaded. The text is one line without secrets. */
typedef struct rc_load_error {
    bool is_memory;
    bool is_secret;  /* A key or token could not be read. */
    int store_fault; /* The reason as an rc_store_fault_kind. 0 if the store is not the reason. */
    char text[512];  /* NUL-terminated. */
} rc_load_error;

/* Appends to the error's text. */
void rc_load_error_add(rc_load_error *error, rc_str text);

#endif
