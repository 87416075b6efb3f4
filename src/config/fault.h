/* rc_config_faults: the errors in a file that a person wrote, as data.
 *
 * Parsing continues after a fault so that one run reports all of them. A fault has a position, the
 * path from the top of the document ("routes[2].chain[0].tries"), a message and, for an unknown
 * name, the nearest known name. */
#ifndef RC_CONFIG_FAULT_H
#define RC_CONFIG_FAULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <recourse/str.h>

#include "base/nearest.h"

/* Upper limit of the list. Further faults are counted but not stored. */
#define RC_CONFIG_FAULTS_MAX 32

typedef struct rc_config_fault {
    uint32_t line;   /* From 1; 0: the whole file. */
    uint32_t column; /* From 1, in characters. */
    char path[128]; /* "": the document itself. The three texts are NUL-terminated and truncated. */
    char message[256]; /* One line, without a full stop. */
    char nearest[64];  /* Nearest known name; "": none. */
    uint32_t end_line; /* Last line of the faulty node. */
    bool is_key;       /* The fault is about the key only: its value must not be shown. */
    bool is_private;   /* Neither the source line nor the value must be shown. */
} rc_config_fault;

typedef struct rc_config_faults {
    size_t count; /* All faults; the list holds at most RC_CONFIG_FAULTS_MAX. */
    bool is_open; /* This kind of file has no secrets: every line may be shown. */
    rc_config_fault list[RC_CONFIG_FAULTS_MAX];
    rc_config_fault spare; /* Overwritten by each fault beyond RC_CONFIG_FAULTS_MAX. */
} rc_config_faults;

/* Makes the list empty. */
void rc_config_faults_init(rc_config_faults *faults);

/* Marks the faults from index `first` on as private. */
void rc_config_faults_hide(rc_config_faults *faults, size_t first);

/* Number of faults stored in the list. */
size_t rc_config_faults_listed(const rc_config_faults *faults);

/* Sorts the faults by their position in the file. */
void rc_config_faults_sort(rc_config_faults *faults);

/* Adds a fault at a position; the functions below fill it in. Never returns NULL. faults: views. */
rc_config_fault *rc_config_faults_add(rc_config_faults *faults, uint32_t line, uint32_t column);

/* Append to the message and return fault. Quoted text is input: it is truncated after 48 bytes, and
 * replaced by "..." in a private fault. ASCII control characters become ?. text: copies. */
rc_config_fault *rc_config_fault_append(rc_config_fault *fault, const char *text);
rc_config_fault *rc_config_fault_append_u64(rc_config_fault *fault, uint64_t number);
rc_config_fault *rc_config_fault_append_quoted(rc_config_fault *fault, rc_str text);

/* Bytes of a decimal number with its point and the NUL. */
#define RC_DECIMAL_CAPACITY 24

/* Formats value, whose last `places` digits (at most 9) are decimals: 1500 with 3 places is "1.5".
 * Returns the NUL-terminated text, a view of buffer. buffer: borrows. */
rc_str rc_config_decimal(char buffer[RC_DECIMAL_CAPACITY], uint64_t value, unsigned places);

/* Appends all names: "a, b or c". Returns fault. ctx: borrows. */
rc_config_fault *rc_config_fault_append_names(rc_config_fault *fault, rc_name_at name_at,
                                              const void *ctx);

/* Sets fault->nearest to the name that is nearest to text, or to "" if none is near or it has a
 * space, : or =. ctx: borrows. */
void rc_config_fault_suggest(rc_config_fault *fault, rc_str text, rc_name_at name_at,
                             const void *ctx);

/* The longest text of a fault. */
#define RC_CONFIG_FAULT_TEXT_MAX 512

/* Appends "routes[0].polcy: unknown key; did you mean policy?": path, message and nearest name.
 * fault: borrows. */
void rc_config_fault_push(rc_buf *buf, const rc_config_fault *fault);

/* Whether text contains a word that usually names a secret, or a misspelling of one: keys, tokn,
 * pasword. "url" counts, since an address may contain a password. False positives are harmless,
 * misses are not. */
bool rc_config_is_secret_name(rc_str text);

/* Whether text contains a colon, an equals sign or a space: "openai:x" is a key and a value without
 * the space between them. */
bool rc_config_is_joined(rc_str text);

/* Appends text to the NUL-terminated string in buffer, as many whole characters as fit into size
 * bytes; control characters become ?. buffer: borrows. text: copies. */
void rc_config_text_append(char *buffer, size_t size, rc_str text);

#endif
