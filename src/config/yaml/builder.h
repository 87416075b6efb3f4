/* rc_yaml_builder: the YAML tree while it is built. Shared by yaml.c, which reads libyaml's events,
 * and anchor.c, which expands aliases. */
#ifndef RC_CONFIG_YAML_BUILDER_H
#define RC_CONFIG_YAML_BUILDER_H

#include <yaml.h>

#include "config/yaml/yaml.h"

/* A list or map whose end event has not been read. */
typedef struct rc_yaml_frame {
    rc_yaml_node *node;
    rc_yaml_node *last;  /* Last child so far. */
    rc_yaml_node *merge; /* Value of the merge key <<, which is not a child; NULL: none. */
    bool has_key;        /* A key has been read, its value has not. */
    bool is_merge;       /* That key is <<. */
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
    rc_status status;    /* First status other than RC_OK; reading may continue. */
    bool is_stopped;     /* Reading ends. */
    bool allows_anchors; /* Anchors, aliases and << are accepted. */
    size_t node_count;
    unsigned document_count;
    unsigned depth; /* Number of open lists and maps. */
    rc_yaml_frame frames[RC_YAML_MAX_DEPTH];
    size_t copied_bytes; /* Bytes of the texts and keys that aliases expand to. */
    size_t anchor_count;
    rc_yaml_anchor anchors[RC_YAML_MAX_ANCHORS];
} rc_yaml_builder;

/* Adds a fault and sets the document's status. Never returns NULL. */
rc_config_fault *rc_yaml_build_fault(rc_yaml_builder *b, rc_status status, yaml_mark_t mark);

/* As rc_yaml_build_fault with a message, and ends reading. */
void rc_yaml_build_stop(rc_yaml_builder *b, rc_status status, yaml_mark_t mark,
                        const char *message);

/* Allocates a node in the document's arena. Returns NULL at a ceiling or without memory, which ends
 * reading. */
rc_yaml_node *rc_yaml_build_node(rc_yaml_builder *b, rc_yaml_kind kind, yaml_mark_t mark);

/* Adds a node as the last child of the innermost open node. */
void rc_yaml_build_attach(rc_yaml_builder *b, rc_yaml_node *node);

/* Makes the node the innermost open one. Returns false if it is too deep, which ends reading. */
bool rc_yaml_build_open(rc_yaml_builder *b, rc_yaml_node *node, yaml_mark_t mark);

/* ---- anchor.c ---- */

/* Defines the anchor `name` for node from here on. name: copies. */
void rc_yaml_anchor_add(rc_yaml_builder *b, const yaml_char_t *name, rc_yaml_node *node,
                        yaml_mark_t mark);

/* Adds a copy of the anchor's node to the innermost open node, at the position of the alias. Adds a
 * fault if the anchor is unknown, is still open, or exceeds a ceiling. */
void rc_yaml_anchor_expand(rc_yaml_builder *b, const yaml_char_t *name, yaml_mark_t mark);

/* Adds to the innermost open node, a map, the keys of its << value that it lacks. */
void rc_yaml_anchor_merge(rc_yaml_builder *b);

#endif
