/* Builds the tree of nodes from libyaml's events. Called by the readers of configurations and of
 * the files for the simulator and the mock provider. */
#include "config/yaml/yaml.h"

#include <string.h>

#include <yaml.h>

#include "base/str.h"
#include "config/yaml/builder.h"
#include "config/yaml/syntax.h"

/* Maximum size of the arena: the text, the nodes and the unused ends of memory blocks. */
#define ARENA_MAX_BYTES ((size_t)32 << 20)

static uint32_t line_of(yaml_mark_t mark)
{
    return (uint32_t)mark.line + 1;
}

static uint32_t column_of(yaml_mark_t mark)
{
    return (uint32_t)mark.column + 1;
}

static void set_status(rc_yaml_builder *b, rc_status status)
{
    if (b->status == RC_OK)
        b->status = status;
}

rc_config_fault *rc_yaml_build_fault(rc_yaml_builder *b, rc_status status, yaml_mark_t mark)
{
    set_status(b, status);
    return rc_config_faults_add(b->faults, line_of(mark), column_of(mark));
}

void rc_yaml_build_stop(rc_yaml_builder *b, rc_status status, yaml_mark_t mark, const char *message)
{
    rc_config_fault_append(rc_yaml_build_fault(b, status, mark), message);
    b->is_stopped = true;
}

rc_yaml_node *rc_yaml_build_node(rc_yaml_builder *b, rc_yaml_kind kind, yaml_mark_t mark)
{
    if (b->node_count == RC_YAML_MAX_NODES) {
        rc_yaml_build_stop(b, RC_E_TOO_LARGE, mark, "more than 100000 values in one file");
        return NULL;
    }
    b->node_count++;
    rc_yaml_node *node = rc_arena_get(&b->doc->arena, sizeof(*node));
    if (node == NULL) {
        set_status(b, rc_arena_status(&b->doc->arena));
        b->is_stopped = true;
        return NULL;
    }
    node->kind = kind;
    node->line = line_of(mark);
    node->column = column_of(mark);
    node->end_line = node->line;
    return node;
}

void rc_yaml_build_attach(rc_yaml_builder *b, rc_yaml_node *node)
{
    if (b->depth == 0) {
        b->doc->root = node;
        return;
    }
    rc_yaml_frame *open = &b->frames[b->depth - 1];
    node->parent = open->node;
    if (open->has_key) {
        node->key = open->key;
        node->key_line = open->key_line;
        node->key_column = open->key_column;
        open->has_key = false;
    }
    if (open->is_merge) {
        open->is_merge = false;
        open->merge = node;
        return;
    }
    node->index = open->node->count++;
    if (open->last != NULL)
        open->last->next = node;
    else
        open->node->first = node;
    open->last = node;
}

/* Returns whether the next scalar is a key. */
static bool wants_key(const rc_yaml_builder *b)
{
    if (b->depth == 0)
        return false;
    const rc_yaml_frame *open = &b->frames[b->depth - 1];
    return open->node->kind == RC_YAML_MAP && !open->has_key;
}

bool rc_yaml_build_open(rc_yaml_builder *b, rc_yaml_node *node, yaml_mark_t mark)
{
    if (b->depth == RC_YAML_MAX_DEPTH) {
        rc_yaml_build_stop(b, RC_E_TOO_DEEP, mark, "more than 32 levels deep");
        return false;
    }
    b->frames[b->depth++] = (rc_yaml_frame){.node = node};
    return true;
}

static void begin(rc_yaml_builder *b, rc_yaml_kind kind, const yaml_char_t *anchor,
                  yaml_mark_t mark)
{
    if (wants_key(b)) {
        rc_yaml_build_stop(b, RC_E_SYNTAX, mark, "a key must be text, not a list or map");
        return;
    }
    rc_yaml_node *node = rc_yaml_build_node(b, kind, mark);
    if (node == NULL)
        return;
    rc_yaml_build_attach(b, node);
    if (rc_yaml_build_open(b, node, mark) && anchor != NULL && b->allows_anchors)
        rc_yaml_anchor_add(b, anchor, node, mark);
}

/* Closes the innermost list or map. libyaml's end mark of a block list or map is the start of the
 * next token, so the end of its last child is used instead. */
static void end(rc_yaml_builder *b, const yaml_event_t *event)
{
    if (b->depth == 0)
        return;
    const rc_yaml_frame *open = &b->frames[b->depth - 1];
    if (event->end_mark.index > event->start_mark.index)
        open->node->end_line = line_of(event->start_mark);
    else if (open->last != NULL)
        open->node->end_line = open->last->end_line;
    if (open->merge != NULL)
        rc_yaml_anchor_merge(b);
    b->depth--;
}

static void refuse_duplicate(rc_yaml_builder *b, rc_str key, yaml_mark_t mark,
                             const rc_yaml_node *before)
{
    rc_config_fault *fault = rc_yaml_build_fault(b, RC_E_DUPLICATE, mark);
    fault->is_private = rc_yaml_is_private(before->parent, b->faults);
    rc_config_fault_append_quoted(fault, key);
    rc_config_fault_append(fault, " appears twice; the first is at ");
    rc_config_fault_append_u64(fault, before->key_line);
    rc_config_fault_append(fault, ":");
    rc_config_fault_append_u64(fault, before->key_column);
    rc_yaml_path(before, b->faults, fault);
}

static void take_key(rc_yaml_builder *b, rc_str key, bool is_merge, yaml_mark_t mark)
{
    rc_yaml_frame *open = &b->frames[b->depth - 1];
    if (open->node->count == RC_YAML_MAX_KEYS) {
        rc_yaml_build_stop(b, RC_E_TOO_LARGE, mark, "more than 1024 keys in one map");
        return;
    }
    const rc_yaml_node *before = is_merge ? open->merge : rc_yaml_get(open->node, key);
    if (before != NULL)
        refuse_duplicate(b, key, mark, before);
    open->has_key = true;
    open->is_merge = is_merge;
    open->key = key;
    open->key_line = line_of(mark);
    open->key_column = column_of(mark);
}

static bool is_null_word(rc_str text)
{
    return text.len == 0 || rc_str_eq(text, RC_STR("~")) || rc_str_eq(text, RC_STR("null")) ||
           rc_str_eq(text, RC_STR("Null")) || rc_str_eq(text, RC_STR("NULL"));
}

static void take_scalar(rc_yaml_builder *b, const yaml_event_t *event)
{
    rc_str raw = rc_str_make((const char *)event->data.scalar.value, event->data.scalar.length);
    bool is_quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    if (rc_str_find_byte(raw, '\0', 0) != RC_STR_NPOS) {
        rc_yaml_build_stop(b, RC_E_SYNTAX, event->start_mark,
                           "a NUL character cannot be part of a value");
        return;
    }
    bool is_key = wants_key(b);
    bool is_null = !is_quoted && is_null_word(raw);
    if (is_key && is_null) {
        rc_yaml_build_stop(b, RC_E_SYNTAX, event->start_mark, "a key is missing here");
        return;
    }
    rc_str text = rc_arena_dup(&b->doc->arena, raw);
    if (rc_arena_status(&b->doc->arena) != RC_OK) {
        set_status(b, rc_arena_status(&b->doc->arena));
        b->is_stopped = true;
        return;
    }
    if (is_key) {
        const bool is_merge = b->allows_anchors && !is_quoted && rc_str_eq(text, RC_STR("<<"));
        take_key(b, text, is_merge, event->start_mark);
        return;
    }
    rc_yaml_node *node =
        rc_yaml_build_node(b, is_null ? RC_YAML_NULL : RC_YAML_SCALAR, event->start_mark);
    if (node == NULL)
        return;
    node->is_quoted = is_quoted;
    node->text = text;
    node->end_line = line_of(event->end_mark);
    rc_yaml_build_attach(b, node);
    if (event->data.scalar.anchor != NULL && b->allows_anchors)
        rc_yaml_anchor_add(b, event->data.scalar.anchor, node, event->start_mark);
}

/* Handles an alias. If anchors are not allowed, adds a fault and a null node instead of the alias,
 * so that reading can continue. */
static void take_alias(rc_yaml_builder *b, const yaml_event_t *event)
{
    const yaml_mark_t mark = event->start_mark;
    if (b->allows_anchors && wants_key(b)) {
        rc_yaml_build_stop(b, RC_E_SYNTAX, mark,
                           "a key cannot be an alias (*name); write the key itself");
        return;
    }
    if (b->allows_anchors) {
        rc_yaml_anchor_expand(b, event->data.alias.anchor, mark);
        return;
    }
    rc_config_fault_append(rc_yaml_build_fault(b, RC_E_SYNTAX, mark),
                           "aliases (*name) are not accepted; write the value itself");
    if (wants_key(b)) {
        b->is_stopped = true;
        return;
    }
    rc_yaml_node *node = rc_yaml_build_node(b, RC_YAML_NULL, mark);
    if (node != NULL)
        rc_yaml_build_attach(b, node);
}

static void refuse_extras(rc_yaml_builder *b, const yaml_char_t *anchor, const yaml_char_t *tag,
                          yaml_mark_t mark)
{
    if (anchor != NULL && !b->allows_anchors)
        rc_config_fault_append(rc_yaml_build_fault(b, RC_E_SYNTAX, mark),
                               "anchors (&name) are not accepted; write the value itself");
    else if (anchor != NULL && wants_key(b))
        rc_config_fault_append(
            rc_yaml_build_fault(b, RC_E_SYNTAX, mark),
            "a key cannot have an anchor (&name); put the anchor before the value");
    if (tag != NULL)
        rc_config_fault_append(rc_yaml_build_fault(b, RC_E_SYNTAX, mark),
                               "tags (!name) are not accepted; quote the text if it begins with !");
}

static void take_document(rc_yaml_builder *b, yaml_mark_t mark)
{
    b->document_count++;
    if (b->document_count > 1)
        rc_yaml_build_stop(b, RC_E_SYNTAX, mark,
                           "a second document begins here; a file can have only one");
}

static void take_event(rc_yaml_builder *b, const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        take_document(b, event->start_mark);
        return;
    case YAML_ALIAS_EVENT:
        take_alias(b, event);
        return;
    case YAML_SCALAR_EVENT:
        refuse_extras(b, event->data.scalar.anchor, event->data.scalar.tag, event->start_mark);
        take_scalar(b, event);
        return;
    case YAML_SEQUENCE_START_EVENT:
        refuse_extras(b, event->data.sequence_start.anchor, event->data.sequence_start.tag,
                      event->start_mark);
        begin(b, RC_YAML_LIST, event->data.sequence_start.anchor, event->start_mark);
        return;
    case YAML_MAPPING_START_EVENT:
        refuse_extras(b, event->data.mapping_start.anchor, event->data.mapping_start.tag,
                      event->start_mark);
        begin(b, RC_YAML_MAP, event->data.mapping_start.anchor, event->start_mark);
        return;
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        end(b, event);
        return;
    case YAML_STREAM_END_EVENT:
        b->is_stopped = true;
        return;
    case YAML_NO_EVENT:
    case YAML_STREAM_START_EVENT:
    case YAML_DOCUMENT_END_EVENT:
        return;
    }
}

static void read_events(rc_yaml_builder *b, yaml_parser_t *parser, rc_str text)
{
    while (!b->is_stopped) {
        yaml_event_t event;
        if (yaml_parser_parse(parser, &event) == 0) {
            b->is_stopped = true;
            set_status(b, rc_yaml_syntax_fault(parser, text, b->faults));
            return;
        }
        take_event(b, &event);
        yaml_event_delete(&event);
    }
}

static rc_status parse(rc_yaml *doc, rc_str text, bool allows_anchors, const rc_alloc *alloc,
                       rc_config_faults *faults)
{
    rc_arena_init(&doc->arena, alloc, ARENA_MAX_BYTES);
    doc->root = NULL;
    rc_yaml_builder b = {.doc = doc, .faults = faults, .allows_anchors = allows_anchors};
    if (text.len > RC_YAML_MAX_BYTES) {
        rc_config_fault_append(rc_config_faults_add(faults, 0, 0),
                               "larger than the maximum of 1 MiB");
        return RC_E_TOO_LARGE;
    }
    yaml_parser_t parser;
    if (yaml_parser_initialize(&parser) == 0)
        return RC_E_NOMEM;
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    /* libyaml does not accept NULL, which is the pointer of an empty buffer. */
    const char *bytes = text.ptr != NULL ? text.ptr : "";
    yaml_parser_set_input_string(&parser, (const unsigned char *)bytes, text.len);
    read_events(&b, &parser, text);
    yaml_parser_delete(&parser);
    if (b.status == RC_OK && doc->root == NULL)
        doc->root = rc_yaml_build_node(&b, RC_YAML_NULL, (yaml_mark_t){0});
    return b.status;
}

rc_status rc_yaml_parse(rc_yaml *doc, rc_str text, const rc_alloc *alloc, rc_config_faults *faults)
{
    return parse(doc, text, false, alloc, faults);
}

rc_status rc_yaml_parse_anchored(rc_yaml *doc, rc_str text, const rc_alloc *alloc,
                                 rc_config_faults *faults)
{
    return parse(doc, text, true, alloc, faults);
}

void rc_yaml_done(rc_yaml *doc)
{
    rc_arena_done(&doc->arena);
    doc->root = NULL;
}

const rc_yaml_node *rc_yaml_get(const rc_yaml_node *map, rc_str key)
{
    if (map == NULL || map->kind != RC_YAML_MAP)
        return NULL;
    for (const rc_yaml_node *child = map->first; child != NULL; child = child->next)
        if (rc_str_eq(child->key, key))
            return child;
    return NULL;
}
