/* rc_config_faults: a list of the errors in a file that a person wrote.
 *
 * Parsing continues after a fault, so that one run reports all faults. A fault has a position, the
 * path from the top of the document ("routes[2].chain[0].tries"), a message and, for an unknown
 * name, the most similar known name. */
#ifndef RC_CONFIG_FAULT_H
#define RC_CONFIG_FAULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <recourse/str.h>

#include "base/nearest.h"

/* Maximum length of the list. Further faults are counted but not stored. */
#define RC_CONFIG_FAULTS_MAX 32

typedef struct rc_config_fault {
    uint32_t line;   /* Line number, from 1. 0: the fault concerns the whole file. */
    uint32_t column; /* Column in characters, from 1. */
    /* `path` is "" for the document itself. `path`, `message` and `nearest` are NUL-terminated, and
     * truncated if they are too long. */
    char path[128];
    char message[256]; /* One line, without a full stop. */
    char nearest[64];  /* Most similar known name. "": no name is similar. */
    uint32_t end_line; /* Last line of the faulty node. */
    bool is_key;       /* The fault concerns only the key; the value must not be shown. */
    bool is_private;   /* Neither the line of the file nor the value may be shown. */
} rc_config_fault;

typedef struct rc_config_faults {
    size_t count; /* Number of all faults, including those beyond RC_CONFIG_FAULTS_MAX, which are
                   * not stored. */
    bool is_open; /* The file is of a kind without secrets, so every line may be shown. */
    rc_config_fault list[RC_CONFIG_FAULTS_MAX];
    rc_config_fault spare; /* Storage that rc_config_faults_add returns for each fault beyond
                            * RC_CONFIG_FAULTS_MAX. */
} rc_config_faults;

/* Makes the list empty. */
void rc_config_faults_init(rc_config_faults *faults);

/* Marks the faults from index `first` on as private. */
void rc_config_faults_hide(rc_config_faults *faults, size_t first);

/* Returns the number of faults that are stored in the list. */
size_t rc_config_faults_listed(const rc_config_faults *faults);

/* Sorts the faults by their position in the file. */
void rc_config_faults_sort(rc_config_faults *faults);

/* Adds a fault at a position and returns it, so that the functions below can set its message. Never
 * returns NULL. The result points into faults. */
rc_config_fault *rc_config_faults_add(rc_config_faults *faults, uint32_t line, uint32_t column);

/* The rc_config_fault_append functions append to the message and return `fault`.
 * rc_config_fault_append_quoted is for text from the file: the function truncates the text after 48
 * bytes, and replaces it by "..." in a private fault. ASCII control characters become "?". text:
 * copies. */
rc_config_fault *rc_config_fault_append(rc_config_fault *fault, const char *text);
rc_config_fault *rc_config_fault_append_u64(rc_config_fault *fault, uint64_t number);
rc_config_fault *rc_config_fault_append_quoted(rc_config_fault *fault, rc_str text);

/* Size of a buffer for any decimal number with its point and the NUL. */
#define RC_DECIMAL_CAPACITY 24

/* Formats `value`, whose last `places` digits (at most 9) are decimals: 1500 with 3 places is
 * "1.5". Returns the NUL-terminated text, a view into buffer. */
rc_str rc_config_decimal(char buffer[RC_DECIMAL_CAPACITY], uint64_t value, unsigned places);

/* Appends all names, such as "a, b or c", to the message and returns `fault`. ctx: borrows during
 * the call. */
rc_config_fault *rc_config_fault_append_names(rc_config_fault *fault, rc_name_at name_at,
                                              const void *ctx);

/* Sets fault->nearest to the name that is most similar to `text`. Sets it to "" if no name is
 * similar, or if `text` has a space, a colon or an equals sign. ctx: borrows during the call. */
void rc_config_fault_suggest(rc_config_fault *fault, rc_str text, rc_name_at name_at,
                             const void *ctx);

/* Maximum number of bytes that rc_config_fault_push appends. */
#define RC_CONFIG_FAULT_TEXT_MAX 512

/* Appends the path, the message and the most similar name of a fault, such as "routes[0].polcy:
 * unknown key; did you mean policy?". fault: borrows during the call. */
void rc_config_fault_push(rc_buf *buf, const rc_config_fault *fault);

/* Returns whether `text` contains a word that usually names a secret, such as "keys", or a
 * misspelling of such a word ("tokn", "pasword"). "url" is such a word, because an address may
 * contain a password. The function prefers false positives, because a missed secret could be
 * shown. */
bool rc_config_is_secret_name(rc_str text);

/* Returns whether `text` contains a colon, an equals sign or a space. Such a text, for example
 * "openai:x", is probably a key and a value without the space between them. */
bool rc_config_is_joined(rc_str text);

/* Appends as many characters of `text` as fit to the NUL-terminated string in `buffer` of `size`
 * bytes. Control characters become "?". buffer: borrows during the call. text: copies. */
void rc_config_text_append(char *buffer, size_t size, rc_str text);

#endif
