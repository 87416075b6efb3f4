/* rc_config_faults: what is wrong with a file that a person wrote, as data.
 *
 * Reading goes on after a fault, so that all of them are told at once. A fault names the place, the
 * path from the top of the document ("routes[2].chain[0].tries"), what is wrong and, for a name
 * that does not exist, the one that was probably meant. */
#ifndef RC_CONFIG_FAULT_H
#define RC_CONFIG_FAULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <recourse/str.h>

#include "base/nearest.h"

/* More are counted and not kept: who has that many looks at the first ones first. */
#define RC_CONFIG_FAULTS_MAX 32

typedef struct rc_config_fault {
    uint32_t line;     /* from 1; 0: the file as a whole */
    uint32_t column;   /* from 1, in characters */
    char path[128];    /* "" for the document itself. All three end in NUL, cut where too long. */
    char message[256]; /* one line, no full stop */
    char nearest[64];  /* "" when there is none */
    uint32_t end_line; /* of what it is about */
    bool is_key;       /* it is about a key alone: what stands behind it may not be shown */
    bool is_private;   /* neither the line nor what stands there may be shown */
} rc_config_fault;

typedef struct rc_config_faults {
    size_t count; /* all of them; at most RC_CONFIG_FAULTS_MAX are in the list */
    bool is_open; /* of a kind of file that has no secrets: everything may be shown */
    rc_config_fault list[RC_CONFIG_FAULTS_MAX];
    rc_config_fault spare; /* where the ones that do not fit are written */
} rc_config_faults;

void rc_config_faults_init(rc_config_faults *faults);

/* Marks those from the place `first` on as private. */
void rc_config_faults_hide(rc_config_faults *faults, size_t first);

/* How many are in the list. */
size_t rc_config_faults_listed(const rc_config_faults *faults);

/* By their place in the file. */
void rc_config_faults_sort(rc_config_faults *faults);

/* A new fault at a place, to be filled with the functions below. Never NULL. Views faults. */
rc_config_fault *rc_config_faults_add(rc_config_faults *faults, uint32_t line, uint32_t column);

/* Append to the message. What came from outside stands in quotes and is cut after some 48 bytes; no
 * ASCII control character passes, and of a private fault nothing. Give fault. text: copies. */
rc_config_fault *rc_config_fault_append(rc_config_fault *fault, const char *text);
rc_config_fault *rc_config_fault_append_u64(rc_config_fault *fault, uint64_t number);
rc_config_fault *rc_config_fault_append_quoted(rc_config_fault *fault, rc_str text);

/* Room for a number with its point and the NUL behind it. */
#define RC_DECIMAL_CAPACITY 24

/* Writes value, whose last `places` digits (at most 9) are behind the point: 1500 with 3 is "1.5".
 * Gives the text in room, which ends in NUL. room: borrows. */
rc_str rc_config_decimal(char space[RC_DECIMAL_CAPACITY], uint64_t value, unsigned places);

/* Appends the names with commas: "a, b or c". ctx: borrows. */
rc_config_fault *rc_config_fault_append_names(rc_config_fault *fault, rc_name_at name_at,
                                              const void *ctx);

/* Says which of the names may have been meant by text, if any that is one word. ctx: borrows. */
void rc_config_fault_suggest(rc_config_fault *fault, rc_str text, rc_name_at name_at,
                             const void *ctx);

/* Does it hold a word that secrets go by, or that is a slip away from one: keys, tokn, pasword? An
 * address counts, since a password may stand in it. Rather one word too many than one too few. */
bool rc_config_is_secret_name(rc_str text);

/* Has it a colon, an equals sign or a space? "openai:x" is a key and its value, with a space too
 * few between them. */
bool rc_config_is_joined(rc_str text);

/* Appends to text that ends in NUL as much as fits into size bytes, whole characters alone. room:
 * borrows. text: copies. */
void rc_config_text_append(char *space, size_t size, rc_str text);

#endif
