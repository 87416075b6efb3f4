/* rc_yaml: a YAML document as a tree that knows the place of every node.
 *
 * The bytes are read by libyaml; this is the part of YAML that people configure with. Refused, each
 * with its place: anchors and aliases (unless asked for), tags, more than one document, a key that
 * stands twice, keys that are not text, tabs for indentation, and what is above the ceilings below.
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
 * Every node lives as long as the document. */
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
/* Of one map: the search for a key that stands twice compares all with all. */
#define RC_YAML_MAX_KEYS 1024
#define RC_YAML_MAX_ANCHORS 256

typedef enum rc_yaml_kind {
    RC_YAML_NULL = 1, /* nothing, ~ or null, without quotes */
    RC_YAML_SCALAR = 2,
    RC_YAML_LIST = 3,
    RC_YAML_MAP = 4
} rc_yaml_kind;

typedef struct rc_yaml_node {
    rc_yaml_kind kind;
    bool is_quoted; /* of a scalar: also | and > */
    bool has_anchor;
    uint32_t line;     /* from 1 */
    uint32_t column;   /* from 1, in characters */
    uint32_t end_line; /* the last that it takes */
    uint32_t count;    /* of a list or map: its children */
    uint32_t index;    /* among the parent's children, from 0 */
    rc_str text;       /* of a scalar; ends in NUL, which does not count */
    rc_str key;        /* of a map's child */
    uint32_t key_line; /* where the key stands */
    uint32_t key_column;
    const struct rc_yaml_node *parent; /* NULL: the root */
    const struct rc_yaml_node *first;  /* child of a list or map, in the order of the file */
    const struct rc_yaml_node *next;   /* of the same parent */
} rc_yaml_node;

/* The caller's storage. */
typedef struct rc_yaml {
    rc_arena arena;
    const rc_yaml_node *root; /* never NULL after RC_OK; an empty document is RC_YAML_NULL */
} rc_yaml;

/* Reads text. RC_OK, or with a fault added to faults: RC_E_SYNTAX, RC_E_TOO_LARGE, RC_E_TOO_DEEP,
 * RC_E_DUPLICATE; or RC_E_NOMEM without one. rc_yaml_done is due in each case. text: copies. alloc:
 * copies (libyaml's own working memory, given back before the end, is the C library's). */
rc_status rc_yaml_parse(rc_yaml *doc, rc_str text, const rc_alloc *alloc, rc_config_faults *faults);

/* The same for files of other programs: anchors (&name) are kept, aliases (*name) and merge keys
 * (<<) are written out, each node at the place of the alias. What comes of it is below the same
 * ceilings as if it had been written so, and the texts that aliases stand for are RC_YAML_MAX_BYTES
 * at most in all. An alias of what it stands in is refused. */
rc_status rc_yaml_parse_anchored(rc_yaml *doc, rc_str text, const rc_alloc *alloc,
                                 rc_config_faults *faults);
void rc_yaml_done(rc_yaml *doc);

/* The value of a key. NULL: there is none, or map is NULL or not a map. Views the document. */
const rc_yaml_node *rc_yaml_get(const rc_yaml_node *map, rc_str key);

/* ---- faults of a node ---- */

/* A new fault at the node, or at its key, with the path filled in. It is private when the node is,
 * or hangs below, a key that secrets go by, unless faults is open. Never NULL. Views faults. */
rc_config_fault *rc_yaml_fault(rc_config_faults *faults, const rc_yaml_node *node);
rc_config_fault *rc_yaml_fault_at_key(rc_config_faults *faults, const rc_yaml_node *node);

/* Makes every fault private that stands in a line of something private: of a key that secrets go
 * by, or of another private fault. With more faults than are kept, all. root: NULL is fine. */
void rc_yaml_hide_lines(const rc_yaml_node *root, rc_config_faults *faults);

/* Is it of that kind? False: a fault was added, private: what is in the wrong place may be a
 * secret. */
bool rc_yaml_expect(const rc_yaml_node *node, rc_yaml_kind kind, rc_config_faults *faults);

/* Adds a fault for each key that is not among the names, with the nearest that is; without one
 * nobody knows what the value is, and the fault is private. False when there was one, or when map
 * is not a map (a fault too). ctx: borrows. */
bool rc_yaml_check_keys(const rc_yaml_node *map, rc_name_at name_at, const void *ctx,
                        rc_config_faults *faults);

/* ---- values ----
 * True: *ret_... is set. False: a fault was added, and it is unchanged. Views the document. */

/* Text that is not empty. */
bool rc_yaml_text(const rc_yaml_node *node, rc_config_faults *faults, rc_str *ret_text);
bool rc_yaml_bool(const rc_yaml_node *node, rc_config_faults *faults, bool *ret_value);

/* Digits, without a sign and without zeros in front; _ between digits may group them. i64: a minus
 * sign too. */
bool rc_yaml_u64(const rc_yaml_node *node, uint64_t min, uint64_t max, rc_config_faults *faults,
                 uint64_t *ret_value);
bool rc_yaml_i64(const rc_yaml_node *node, int64_t min, int64_t max, rc_config_faults *faults,
                 int64_t *ret_value);

/* A decimal number, exactly: `places` digits (at most 9) behind the point are kept as an integer,
 * so that 0.2 with 3 places is 200. More digits than that are a fault. min, max: in the same unit.
 */
bool rc_yaml_decimal(const rc_yaml_node *node, unsigned places, uint64_t min, uint64_t max,
                     rc_config_faults *faults, uint64_t *ret_value);

/* The same as a double, with at most 9 digits behind the point. */
bool rc_yaml_double(const rc_yaml_node *node, uint64_t min, uint64_t max, rc_config_faults *faults,
                    double *ret_value);

/* Milliseconds: a plain number, or one with units ("1.5s", "2m 30s"). */
bool rc_yaml_duration_ms(const rc_yaml_node *node, uint64_t max_ms, rc_config_faults *faults,
                         uint64_t *ret_ms);

/* A key of a time ends in _ms and takes milliseconds, or a duration with its unit ("2m", "1.5s");
 * without the _ms it is the same key and needs the unit. */

/* As rc_yaml_check_keys, where keys of times may stand without their _ms. Both are a fault. */
bool rc_yaml_check_timed_keys(const rc_yaml_node *map, rc_name_at name_at, const void *ctx,
                              rc_config_faults *faults);
/* The value of a key, which ends in _ms, under either name; NULL: neither is there. */
const rc_yaml_node *rc_yaml_get_time(const rc_yaml_node *map, rc_str key);
/* Such a value, or an item of a list of them. */
bool rc_yaml_time_ms(const rc_yaml_node *node, uint64_t min, uint64_t max, rc_config_faults *faults,
                     uint64_t *ret_ms);

/* The place of a scalar among the names. */
bool rc_yaml_choice(const rc_yaml_node *node, rc_name_at name_at, const void *ctx,
                    rc_config_faults *faults, size_t *ret_index);

#endif
