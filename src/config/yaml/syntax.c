/* Translates libyaml's errors into faults and formats the paths of nodes. Called by yaml.c and
 * value.c. */
#include "config/yaml/syntax.h"

#include <string.h>

#include "base/str.h"

typedef struct translation {
    const char *theirs; /* The first words of libyaml's message. */
    const char *ours;
} translation;

/* Clearer messages for frequent errors. All other errors keep libyaml's message. */
static const translation translations[] = {
    {"mapping values are not allowed",
     "a colon is not allowed here; quote the text, or check the indentation"},
    {"did not find expected key", "a key is expected here; check the indentation"},
    {"did not find expected node content", "a value is expected here"},
    {"could not find expected ':'", "a colon is expected after the key"},
    {"did not find expected '-' indicator", "a - is expected here; check the indentation"},
    {"did not find expected ',' or ']'", "a comma or ] is expected here"},
    {"did not find expected ',' or '}'", "a comma or } is expected here"},
    {"found unexpected end of stream", "the file ends within quotes"},
    {"block sequence entries are not allowed", "a - is not allowed here; check the indentation"},
    {"found unknown escape character", "an unknown escape; use single quotes"},
    {"control characters are not allowed", "a control character cannot be part of the file"},
    {"invalid leading UTF-8 octet", "not UTF-8"},
    {"invalid trailing UTF-8 octet", "not UTF-8"},
    {"incomplete UTF-8 octet sequence", "not UTF-8"},
    {"did not find expected <document start>", "text after the end of the document"},
};

static const char *translate(const char *problem)
{
    for (size_t i = 0; i < sizeof(translations) / sizeof(translations[0]); i++)
        if (rc_str_starts_with(rc_str_c(problem), rc_str_c(translations[i].theirs)))
            return translations[i].ours;
    return problem;
}

/* Computes the line and column of a byte offset. Columns are in characters, so UTF-8 continuation
 * bytes are not counted. */
static void position_of(rc_str text, size_t offset, uint32_t *ret_line, uint32_t *ret_column)
{
    *ret_line = 1;
    *ret_column = 1;
    for (size_t i = 0; i < offset && i < text.len; i++) {
        if (text.ptr[i] == '\n') {
            (*ret_line)++;
            *ret_column = 1;
        } else if (((unsigned char)text.ptr[i] & 0xC0) != 0x80) {
            (*ret_column)++;
        }
    }
}

static size_t line_start(rc_str text, uint32_t line)
{
    size_t at = 0;
    for (; line > 1; line--) {
        size_t end = rc_str_find_byte(text, '\n', at);
        if (end == RC_STR_NPOS)
            return text.len;
        at = end + 1;
    }
    return at;
}

/* Returns whether the white space at the start of the line contains a tab before `column`. A
 * character of white space is one byte, so columns are bytes here. */
static bool is_tab_indented(rc_str text, uint32_t line, uint32_t column)
{
    bool has_tab = false;
    size_t start = line_start(text, line);
    for (size_t at = start; at < text.len && at <= start + column - 1; at++) {
        if (text.ptr[at] == '\t')
            has_tab = true;
        else if (text.ptr[at] != ' ')
            break;
    }
    return has_tab;
}

rc_status rc_yaml_syntax_fault(const yaml_parser_t *parser, rc_str text, rc_config_faults *faults)
{
    if (parser->error == YAML_MEMORY_ERROR)
        return RC_E_NOMEM;
    uint32_t line = (uint32_t)parser->problem_mark.line + 1;
    uint32_t column = (uint32_t)parser->problem_mark.column + 1;
    if (parser->error == YAML_READER_ERROR)
        position_of(text, parser->problem_offset, &line, &column);
    const char *problem = parser->problem != NULL ? parser->problem : "not YAML";
    rc_config_fault *fault = rc_config_faults_add(faults, line, column);
    if (parser->error != YAML_READER_ERROR && is_tab_indented(text, line, column)) {
        rc_config_fault_append(fault, "a tab is not allowed as indentation; use spaces");
        return RC_E_SYNTAX;
    }
    rc_config_fault_append(fault, translate(problem));
    /* For an unclosed bracket or quote the message also contains the line of the opening bracket or
     * quote, because the parser detects the error in a later line. */
    if (parser->context != NULL && parser->context_mark.line + 1 < line) {
        rc_config_fault_append(fault, "; it began in line ");
        rc_config_fault_append_u64(fault, parser->context_mark.line + 1);
    }
    return RC_E_SYNTAX;
}

/* ---- paths ---- */

static bool is_plain_key(rc_str key)
{
    for (size_t i = 0; i < key.len; i++)
        if (!rc_ascii_is_alnum(key.ptr[i]) && key.ptr[i] != '_' && key.ptr[i] != '-')
            return false;
    return key.len > 0;
}

static void push_key(rc_str key, char *path, size_t size)
{
    if (is_plain_key(key)) {
        rc_config_text_append(path, size, path[0] != '\0' ? RC_STR(".") : RC_STR(""));
        rc_config_text_append(path, size, key);
        return;
    }
    rc_config_text_append(path, size, RC_STR("[\""));
    rc_config_text_append(path, size, key);
    rc_config_text_append(path, size, RC_STR("\"]"));
}

static void push_index(uint32_t index, char *path, size_t size)
{
    char digits[RC_DECIMAL_CAPACITY];
    rc_config_text_append(path, size, RC_STR("["));
    rc_config_text_append(path, size, rc_config_decimal(digits, index, 0));
    rc_config_text_append(path, size, RC_STR("]"));
}

bool rc_yaml_is_private(const rc_yaml_node *node, const rc_config_faults *faults)
{
    for (; node != NULL && !faults->is_open; node = node->parent)
        if (rc_config_is_secret_name(node->key))
            return true;
    return false;
}

void rc_yaml_path(const rc_yaml_node *node, const rc_config_faults *faults, rc_config_fault *fault)
{
    const rc_yaml_node *chain[RC_YAML_MAX_DEPTH + 1];
    size_t depth = 0;
    for (; node != NULL && node->parent != NULL && depth <= RC_YAML_MAX_DEPTH; node = node->parent)
        chain[depth++] = node;
    while (depth > 0) {
        const rc_yaml_node *step = chain[--depth];
        bool is_key = step->parent->kind == RC_YAML_MAP;
        if (is_key && rc_yaml_is_private(step->parent, faults))
            return;
        if (is_key && !faults->is_open && rc_config_is_joined(step->key))
            push_key(RC_STR("..."), fault->path, sizeof(fault->path));
        else if (is_key)
            push_key(step->key, fault->path, sizeof(fault->path));
        else
            push_index(step->index, fault->path, sizeof(fault->path));
    }
}
