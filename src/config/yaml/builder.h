/* rc_yaml_builder: the state while a YAML tree is built. Used by yaml.c, which reads libyaml's
 * events, and by anchor.c, which expands aliases. */
#ifndef RC_CONFIG_YAML_BUILDER_H
#define RC_CONFIG_YAML_BUILDER_H

#include <yaml.h>

#include "config/yaml/yaml.h"

/* A list or map whose end libyaml has not reported yet. */
typedef struct rc_yaml_frame {
    rc_yaml_node *node;
    rc_yaml_node *last;  /* The latest child; NULL: no child yet. */
    rc_yaml_node *merge; /* Value of the merge key "<<", which is not a child; NULL: none. */
    bool has_key;        /* The key of the next value has been read. */
    bool is_merge;       /* The key that has been read is "<<". */
    rc_str key;
    uint32_t key_line;
    uint32_t key_column;
} rc_yaml_frame;

typedef struct rc_yaml_anchor {
    rc_str name;
    const rc_yaml_node *node;
} rc_yaml_anchor;

typedef struct rc_yaml_builder {
    rc_yaml *doc;
    rc_config_faults *faults;
    rc_status status;    /* The first status that is not RC_OK. Reading may continue after such a
                          * status. */
    bool is_stopped;     /* Reading must end. */
    bool allows_anchors; /* Anchors, aliases and merge keys are accepted. */
    size_t node_count;
    unsigned document_count;
    unsigned depth; /* Number of open lists and maps. */
    rc_yaml_frame frames[RC_YAML_MAX_DEPTH];
    size_t copied_bytes; /* Total number of bytes in the texts and keys of all nodes that were
                          * copied for aliases. */
    size_t anchor_count;
    rc_yaml_anchor anchors[RC_YAML_MAX_ANCHORS];
} rc_yaml_builder;

/* Adds a fault and sets the document's status. Never returns NULL. */
rc_config_fault *rc_yaml_build_fault(rc_yaml_builder *b, rc_status status, yaml_mark_t mark);

/* Adds a fault with a message, sets the document's status and ends reading. */
void rc_yaml_build_stop(rc_yaml_builder *b, rc_status status, yaml_mark_t mark,
                        const char *message);

/* Allocates a node in the document's arena. If a limit is exceeded or there is no memory, ends
 * reading and returns NULL. */
rc_yaml_node *rc_yaml_build_node(rc_yaml_builder *b, rc_yaml_kind kind, yaml_mark_t mark);

/* Adds a node as the last child of the innermost open node. */
void rc_yaml_build_attach(rc_yaml_builder *b, rc_yaml_node *node);

/* Makes the node the innermost open list or map. If the node is too deep, ends reading and returns
 * false. */
bool rc_yaml_build_open(rc_yaml_builder *b, rc_yaml_node *node, yaml_mark_t mark);

/* ---- anchor.c ---- */

/* Defines the anchor `name` for `node`. Later aliases refer to this node. name: copies. */
void rc_yaml_anchor_add(rc_yaml_builder *b, const yaml_char_t *name, rc_yaml_node *node,
                        yaml_mark_t mark);

/* Expands an alias: adds a copy of the node of the anchor `name` to the innermost open node. Adds a
 * fault if the anchor is unknown or still open, or if a limit is exceeded. */
void rc_yaml_anchor_expand(rc_yaml_builder *b, const yaml_char_t *name, yaml_mark_t mark);

/* Adds the keys of the "<<" value to the innermost open node, a map, except keys that the map
 * already has. */
void rc_yaml_anchor_merge(rc_yaml_builder *b);

#endif
