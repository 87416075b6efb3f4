/* The tree while it grows: what reads libyaml's events, and what writes aliases out, share it. */
#ifndef RC_CONFIG_YAML_BUILDER_H
#define RC_CONFIG_YAML_BUILDER_H

#include <yaml.h>

#include "config/yaml/yaml.h"

/* A list or map that is not closed yet. */
typedef struct rc_yaml_frame {
    rc_yaml_node *node;
    rc_yaml_node *last;  /* child */
    rc_yaml_node *merge; /* the value of <<, which is no child; NULL: there is none */
    bool has_key;        /* a key waits for its value */
    bool is_merge;       /* and it is << */
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
    rc_status status;    /* the first that was not RC_OK; reading may go on */
    bool is_stopped;     /* reading cannot go on */
    bool allows_anchors; /* anchors, aliases and << are read */
    size_t node_count;
    unsigned document_count;
    unsigned depth; /* of open nodes */
    rc_yaml_frame frames[RC_YAML_MAX_DEPTH];
    size_t copied_bytes; /* of the texts and keys that aliases stand for */
    size_t anchor_count;
    rc_yaml_anchor anchors[RC_YAML_MAX_ANCHORS];
} rc_yaml_builder;

/* A fault, and the status of the whole. Never NULL. */
rc_config_fault *rc_yaml_build_fault(rc_yaml_builder *b, rc_status status, yaml_mark_t mark);

/* The same, and nothing more is read. */
void rc_yaml_build_stop(rc_yaml_builder *b, rc_status status, yaml_mark_t mark, const char *what);

/* NULL: there was no room, and nothing more is read. Views the document. */
rc_yaml_node *rc_yaml_build_node(rc_yaml_builder *b, rc_yaml_kind kind, yaml_mark_t mark);

/* Hangs a node below the innermost open one. */
void rc_yaml_build_attach(rc_yaml_builder *b, rc_yaml_node *node);

/* Makes a node the innermost open one. False: it would be too deep, and nothing more is read. */
bool rc_yaml_build_open(rc_yaml_builder *b, rc_yaml_node *node, yaml_mark_t mark);

/* ---- yaml_anchor.c ---- */

/* node: what the name stands for from here on. name: copies. */
void rc_yaml_anchor_add(rc_yaml_builder *b, const yaml_char_t *name, rc_yaml_node *node,
                        yaml_mark_t mark);

/* What the name stands for, written out below the innermost open node, with the place of the
 * alias. A fault: there is none, it is not closed yet, or it would become too much. */
void rc_yaml_anchor_expand(rc_yaml_builder *b, const yaml_char_t *name, yaml_mark_t mark);

/* Gives the innermost open node, a map, the keys of its << that it does not have itself. */
void rc_yaml_anchor_merge(rc_yaml_builder *b);

#endif
