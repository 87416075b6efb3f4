/* rc_yaml: a YAML document as a tree of nodes that know their position in the file.
 *
 * libyaml parses the bytes; rc_yaml accepts the subset of YAML that configuration files need. A
 * fault is added for anchors and aliases (except in rc_yaml_parse_anchored), tags, a second
 * document, duplicate keys, keys that are not text, tabs for indentation, and everything that
 * exceeds the limits defined below.
 *
 *   rc_yaml doc;
 *   rc_config_faults faults;
 *   rc_config_faults_init(&faults);
 *   if (rc_yaml_parse(&doc, text, &alloc, &faults) == RC_OK) {
 *       const rc_yaml_node *tries = rc_yaml_get(doc.root, RC_STR("tries"));
 *       if (tries != NULL)
 *           rc_yaml_u64(tries, 1, 100, &faults, &wanted.tries);
 *   }
 *   rc_yaml_done(&doc);
 *
 * All nodes are valid until rc_yaml_done. */
#ifndef RC_CONFIG_YAML_YAML_H
#define RC_CONFIG_YAML_YAML_H

#include <recourse/alloc.h>
#include <recourse/status.h>
#include <recourse/str.h>

#include "base/arena.h"
#include "config/fault.h"

#define RC_YAML_MAX_BYTES ((size_t)1 << 20)
#define RC_YAML_MAX_DEPTH 32
#define RC_YAML_MAX_NODES 100000
/* Maximum number of keys in one map. The search for duplicate keys compares every pair. */
#define RC_YAML_MAX_KEYS 1024
#define RC_YAML_MAX_ANCHORS 256

typedef enum rc_yaml_kind {
    RC_YAML_NULL = 1, /* An empty value, or ~ or null without quotes. */
    RC_YAML_SCALAR = 2,
    RC_YAML_LIST = 3,
    RC_YAML_MAP = 4
} rc_yaml_kind;

typedef struct rc_yaml_node {
    rc_yaml_kind kind;
    bool is_quoted; /* The scalar is in quotes, or written with | or >. */
    bool has_anchor;
    uint32_t line;     /* From 1. */
    uint32_t column;   /* From 1, in characters. */
    uint32_t end_line; /* Last line of the node. */
    uint32_t count;    /* Number of children of a list or map. */
    uint32_t index;    /* Index among the parent's children, from 0. */
    rc_str text;       /* Text of a scalar, followed by a NUL. */
    rc_str key;        /* The node's key. Empty if the parent is no map. */
    uint32_t key_line; /* Position of the key: line and column, from 1. */
    uint32_t key_column;
    const struct rc_yaml_node *parent; /* The list or map that contains this node. NULL for the
                                        * root. */
    /* First child of a list or map. The children are in the order of the file. */
    const struct rc_yaml_node *first;
    const struct rc_yaml_node *next; /* Next sibling. */
} rc_yaml_node;

/* A document, in the caller's storage. */
typedef struct rc_yaml {
    rc_arena arena;
    const rc_yaml_node *root; /* Not NULL after RC_OK. The root of an empty document is a node of
                               * kind RC_YAML_NULL. */
} rc_yaml;

/* Parses text. Returns RC_OK; RC_E_SYNTAX, RC_E_TOO_LARGE, RC_E_TOO_DEEP or RC_E_DUPLICATE after
 * adding a fault; or RC_E_NOMEM without a fault. The caller must call rc_yaml_done in each case.
 * libyaml uses malloc for memory that it frees before the function returns. text: copies. alloc:
 * copies the struct. */
rc_status rc_yaml_parse(rc_yaml *doc, rc_str text, const rc_alloc *alloc, rc_config_faults *faults);

/* Parses text as rc_yaml_parse does, for files of other programs: accepts anchors (&name) and
 * expands aliases (*name) and merge keys (<<). A node copied for an alias has the position of the
 * alias. The expanded document must stay below the same limits, and the copied text below
 * RC_YAML_MAX_BYTES in total. An alias inside its own anchor is a fault. */
rc_status rc_yaml_parse_anchored(rc_yaml *doc, rc_str text, const rc_alloc *alloc,
                                 rc_config_faults *faults);
/* Frees the document. */
void rc_yaml_done(rc_yaml *doc);

/* Returns the value of a key, or NULL if there is no such key, `map` is NULL or `map` is not a map.
 * The result views the document of map. */
const rc_yaml_node *rc_yaml_get(const rc_yaml_node *map, rc_str key);

/* ---- faults at a node ---- */

/* rc_yaml_fault adds a fault at the node, rc_yaml_fault_at_key at the node's key. The fault has its
 * path, and is private if rc_yaml_is_private returns true for the node. The functions never return
 * NULL. The result points into faults. */
rc_config_fault *rc_yaml_fault(rc_config_faults *faults, const rc_yaml_node *node);
rc_config_fault *rc_yaml_fault_at_key(rc_config_faults *faults, const rc_yaml_node *node);

/* Marks as private every fault on the lines of a key that names a secret, or on the lines of
 * another private fault. If there are more faults than the list can store, marks all faults. root:
 * borrows during the call; may be NULL. */
void rc_yaml_hide_lines(const rc_yaml_node *root, rc_config_faults *faults);

/* Returns whether the node is of the given kind. If not, adds a fault, which is private because a
 * misplaced value may be a secret. */
bool rc_yaml_expect(const rc_yaml_node *node, rc_yaml_kind kind, rc_config_faults *faults);

/* Adds a fault for each key that is not among the names, with the most similar name. If no name is
 * similar, the fault is private, because the value may be a secret. Also adds a fault if `map` is
 * not a map. Returns false if it added a fault. ctx: borrows during the call. */
bool rc_yaml_check_keys(const rc_yaml_node *map, rc_name_at name_at, const void *ctx,
                        rc_config_faults *faults);

/* ---- values ----
 * Each function returns true and sets its out-parameter, or adds a fault and returns false. Text
 * results view (point into) the document of node. */

/* Reads a text that is not empty. */
bool rc_yaml_text(const rc_yaml_node *node, rc_config_faults *faults, rc_str *ret_text);
bool rc_yaml_bool(const rc_yaml_node *node, rc_config_faults *faults, bool *ret_value);

/* rc_yaml_u64 and rc_yaml_i64 read an integer: digits without leading zeros, which may be grouped
 * with "_". rc_yaml_i64 also accepts a minus sign. */
bool rc_yaml_u64(const rc_yaml_node *node, uint64_t min, uint64_t max, rc_config_faults *faults,
                 uint64_t *ret_value);
bool rc_yaml_i64(const rc_yaml_node *node, int64_t min, int64_t max, rc_config_faults *faults,
                 int64_t *ret_value);

/* Reads a decimal number as an exact integer with `places` decimals (at most 9): 0.2 with 3 places
 * is 200. More decimals are a fault. `min` and `max` have the same unit as the result. */
bool rc_yaml_decimal(const rc_yaml_node *node, unsigned places, uint64_t min, uint64_t max,
                     rc_config_faults *faults, uint64_t *ret_value);

/* Reads a decimal number with at most 9 decimals as a double. The limits `min` and `max` are whole
 * numbers. */
bool rc_yaml_double(const rc_yaml_node *node, uint64_t min, uint64_t max, rc_config_faults *faults,
                    double *ret_value);

/* Reads milliseconds: a plain number, or a duration with units ("1.5s", "2m 30s"). */
bool rc_yaml_duration_ms(const rc_yaml_node *node, uint64_t max_ms, rc_config_faults *faults,
                         uint64_t *ret_ms);

/* ---- times ----
 * The key of a time ends in _ms and takes milliseconds or a duration with a unit ("2m", "1.5s").
 * The key may be written without _ms; its value then needs a unit. */

/* Checks keys as rc_yaml_check_keys does, but also accepts the keys of times without _ms. A key
 * that occurs with and without _ms is a fault. */
bool rc_yaml_check_timed_keys(const rc_yaml_node *map, rc_name_at name_at, const void *ctx,
                              rc_config_faults *faults);
/* Returns the value of `key`, which ends in _ms and may be written without _ms in the file, or NULL
 * if neither form exists. The result views the document of map. */
const rc_yaml_node *rc_yaml_get_time(const rc_yaml_node *map, rc_str key);
/* Reads the value of a key for a time, or an item of a list that is the value of such a key. */
bool rc_yaml_time_ms(const rc_yaml_node *node, uint64_t min, uint64_t max, rc_config_faults *faults,
                     uint64_t *ret_ms);

/* Reads a text that must be one of the names that name_at returns. *ret_index is the index of the
 * name. */
bool rc_yaml_choice(const rc_yaml_node *node, rc_name_at name_at, const void *ctx,
                    rc_config_faults *faults, size_t *ret_index);

#endif
