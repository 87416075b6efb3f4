/* Bytes as YAML, without and with anchors. A refused text has faults that are one line of UTF-8
 * each; an accepted one is a tree whose nodes have the right position, parent and number, within
 * the limits, also after alias expansion. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <recourse/stdlib.h>

#include "base/str.h"
#include "base/utf8.h"
#include "config/yaml/yaml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool is_true, const char *what)
{
    if (is_true)
        return;
    fprintf(stderr, "not true: %s\n", what);
    abort();
}

static void check_line(const char *text)
{
    require(rc_utf8_is_valid(rc_str_c(text)), "a fault's text is UTF-8");
    for (; *text != '\0'; text++)
        require((unsigned char)*text >= 0x20, "a fault's text is one line");
}

static void check_faults(const rc_config_faults *faults)
{
    for (size_t i = 0; i < rc_config_faults_listed(faults); i++) {
        check_line(faults->list[i].message);
        check_line(faults->list[i].path);
        check_line(faults->list[i].nearest);
        require(faults->list[i].message[0] != '\0', "a fault says something");
    }
}

/* Calls every reader of values for every node. A reader may only add faults. */
static void read_values(const rc_yaml_node *node, rc_config_faults *faults)
{
    uint64_t number = 0;
    int64_t whole = 0;
    double real = 0;
    bool flag = false;
    rc_str text;
    if (rc_yaml_u64(node, 5, 500, faults, &number))
        require(number >= 5 && number <= 500, "a number is within its limits");
    if (rc_yaml_decimal(node, 6, 5, 500, faults, &number))
        require(number >= 5 && number <= 500, "a decimal is within its limits");
    if (rc_yaml_i64(node, -5, 5, faults, &whole))
        require(whole >= -5 && whole <= 5, "a signed number is within its limits");
    if (rc_yaml_double(node, 0, 9, faults, &real))
        require(real >= 0 && real <= 9, "a double is within its limits");
    if (rc_yaml_duration_ms(node, 1000, faults, &number))
        require(number <= 1000, "a duration is within its limits");
    if (rc_yaml_text(node, faults, &text))
        require(text.len > 0 && text.ptr[text.len] == '\0', "text ends in NUL");
    rc_yaml_bool(node, faults, &flag);
}

static size_t node_count;
static size_t text_bytes;

static void check_node(const rc_yaml_node *node, size_t depth, rc_config_faults *faults)
{
    node_count++;
    text_bytes += node->text.len + node->key.len;
    require(depth <= RC_YAML_MAX_DEPTH + 1, "a tree is not too deep");
    require(node->line >= 1 && node->column >= 1, "a node has a place");
    read_values(node, faults);
    uint32_t count = 0;
    for (const rc_yaml_node *child = node->first; child != NULL; child = child->next) {
        require(child->parent == node && child->index == count, "a child knows where it is");
        if (node->kind == RC_YAML_MAP)
            require(rc_yaml_get(node, child->key) == child, "a key finds its value");
        check_node(child, depth + 1, faults);
        count++;
    }
    require(count == node->count, "the children are counted");
}

typedef rc_status (*parse)(rc_yaml *doc, rc_str text, const rc_alloc *alloc,
                           rc_config_faults *faults);

/* Returns the number of nodes; 0: the text was refused. */
static size_t check(parse read, rc_str text)
{
    rc_yaml doc;
    rc_config_faults faults;
    rc_alloc alloc = rc_alloc_stdlib();
    rc_config_faults_init(&faults);
    const rc_status status = read(&doc, text, &alloc, &faults);
    require((status == RC_OK) == (faults.count == 0), "what is refused has a fault");
    node_count = 0;
    text_bytes = 0;
    if (status == RC_OK)
        check_node(doc.root, 1, &faults);
    require(node_count <= RC_YAML_MAX_NODES, "there are not too many nodes");
    require(text_bytes <= text.len * 2 + RC_YAML_MAX_BYTES,
            "aliases stand for so much and no more");
    check_faults(&faults);
    rc_config_faults_sort(&faults);
    for (size_t i = 1; i < rc_config_faults_listed(&faults); i++)
        require(faults.list[i - 1].line <= faults.list[i].line, "faults are sorted");
    rc_yaml_done(&doc);
    return node_count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const rc_str text = rc_str_make(size > 0 ? (const char *)data : NULL, size);
    const size_t plain = check(rc_yaml_parse, text);
    const size_t anchored = check(rc_yaml_parse_anchored, text);
    /* A text without anchors gives the same tree in both modes, unless it has the key <<, which has
     * a meaning only with anchors. */
    if (plain > 0 && rc_str_find(text, RC_STR("<<"), 0) == RC_STR_NPOS)
        require(plain == anchored, "what has no anchors is read the same");
    return 0;
}
