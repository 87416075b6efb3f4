/* Expands aliases and merge keys by copying nodes. The limits of the document also apply to the
 * copies, so that a small file cannot grow without bound. Called by yaml.c. */
#include "base/str.h"
#include "config/yaml/builder.h"

void rc_yaml_anchor_add(rc_yaml_builder *b, const yaml_char_t *name, rc_yaml_node *node,
                        yaml_mark_t mark)
{
    node->has_anchor = true;
    if (b->anchor_count == RC_YAML_MAX_ANCHORS) {
        rc_yaml_build_stop(b, RC_E_TOO_LARGE, mark, "more than 256 anchors in one file");
        return;
    }
    const rc_str copy = rc_arena_dup(&b->doc->arena, rc_str_c((const char *)name));
    if (rc_arena_status(&b->doc->arena) != RC_OK) {
        b->status = b->status == RC_OK ? rc_arena_status(&b->doc->arena) : b->status;
        b->is_stopped = true;
        return;
    }
    b->anchors[b->anchor_count++] = (rc_yaml_anchor){.name = copy, .node = node};
}

/* Returns the node of the latest anchor with this name, because a later anchor replaces an earlier
 * anchor of the same name. */
static const rc_yaml_node *anchored_node(const rc_yaml_builder *b, rc_str name)
{
    for (size_t i = b->anchor_count; i > 0; i--)
        if (rc_str_eq(b->anchors[i - 1].name, name))
            return b->anchors[i - 1].node;
    return NULL;
}

static bool is_open(const rc_yaml_builder *b, const rc_yaml_node *node)
{
    for (unsigned i = 0; i < b->depth; i++)
        if (b->frames[i].node == node)
            return true;
    return false;
}

static yaml_mark_t mark_of(const rc_yaml_node *node)
{
    return (yaml_mark_t){.line = node->line - 1, .column = node->column - 1};
}

/* Counts the bytes of a copied node's text. The copies share the text in memory, but readers
 * process each copy. */
static bool count_bytes(rc_yaml_builder *b, const rc_yaml_node *node, yaml_mark_t mark)
{
    b->copied_bytes += node->text.len + node->key.len;
    if (b->copied_bytes <= RC_YAML_MAX_BYTES)
        return true;
    rc_yaml_build_stop(b, RC_E_TOO_LARGE, mark, "aliases expand to more than 1 MiB");
    return false;
}

/* Copies a node and everything below it. All copies get the position alias_mark; if it is NULL,
 * each copy keeps the position of its original. The depth limit of the tree bounds the
 * recursion. */
static void copy_below(rc_yaml_builder *b, const rc_yaml_node *from, const yaml_mark_t *alias_mark)
{
    const yaml_mark_t mark = alias_mark != NULL ? *alias_mark : mark_of(from);
    if (!count_bytes(b, from, mark))
        return;
    rc_yaml_node *made = rc_yaml_build_node(b, from->kind, mark);
    if (made == NULL)
        return;
    made->is_quoted = from->is_quoted;
    made->text = from->text;
    rc_yaml_build_attach(b, made);
    if (from->kind != RC_YAML_LIST && from->kind != RC_YAML_MAP)
        return;
    if (!rc_yaml_build_open(b, made, mark))
        return;
    rc_yaml_frame *open = &b->frames[b->depth - 1];
    for (const rc_yaml_node *child = from->first; child != NULL && !b->is_stopped;
         child = child->next) {
        open->has_key = from->kind == RC_YAML_MAP;
        open->key = child->key;
        open->key_line = alias_mark != NULL ? made->line : child->key_line;
        open->key_column = alias_mark != NULL ? made->column : child->key_column;
        copy_below(b, child, alias_mark);
    }
    b->depth--;
}

void rc_yaml_anchor_expand(rc_yaml_builder *b, const yaml_char_t *name, yaml_mark_t mark)
{
    const rc_yaml_node *from = anchored_node(b, rc_str_c((const char *)name));
    if (from == NULL)
        rc_yaml_build_stop(b, RC_E_SYNTAX, mark,
                           "an alias (*name) without an earlier anchor (&name) of the same name");
    else if (is_open(b, from))
        rc_yaml_build_stop(b, RC_E_SYNTAX, mark, "an alias (*name) to the value that contains it");
    else
        copy_below(b, from, &mark);
}

/* ---- merge keys ---- */

static void merge_map(rc_yaml_builder *b, const rc_yaml_node *map)
{
    rc_yaml_frame *open = &b->frames[b->depth - 1];
    for (const rc_yaml_node *child = map->first; child != NULL && !b->is_stopped;
         child = child->next) {
        if (rc_yaml_get(open->node, child->key) != NULL)
            continue;
        if (open->node->count == RC_YAML_MAX_KEYS) {
            rc_yaml_build_stop(b, RC_E_TOO_LARGE, mark_of(child), "more than 1024 keys in one map");
            return;
        }
        open->has_key = true;
        open->key = child->key;
        open->key_line = child->key_line;
        open->key_column = child->key_column;
        copy_below(b, child, NULL);
    }
}

void rc_yaml_anchor_merge(rc_yaml_builder *b)
{
    static const char message[] = "a map or a list of maps is expected after <<";
    const rc_yaml_node *from = b->frames[b->depth - 1].merge;
    if (from->kind == RC_YAML_MAP) {
        merge_map(b, from);
        return;
    }
    if (from->kind != RC_YAML_LIST) {
        rc_yaml_build_stop(b, RC_E_SYNTAX, mark_of(from), message);
        return;
    }
    for (const rc_yaml_node *item = from->first; item != NULL && !b->is_stopped;
         item = item->next) {
        if (item->kind == RC_YAML_MAP)
            merge_map(b, item);
        else
            rc_yaml_build_stop(b, RC_E_SYNTAX, mark_of(item), message);
    }
}
