/* Error messages of the parser of rules. Called by all files of the parser. */
#include "base/str.h"
#include "base/utf8.h"
#include "classify/rules/parts.h"

#define EXCERPT_BYTES_MAX 48u

rc_str rc_rules_excerpt(rc_str word)
{
    return rc_str_slice(word, 0, rc_utf8_cut(word, EXCERPT_BYTES_MAX));
}

static void find_position(rc_str text, size_t from, rc_rules_fault *fault)
{
    fault->line = 1;
    fault->column = 1;
    for (size_t i = 0; i < from && i < text.len; i++) {
        if (text.ptr[i] == '\n') {
            fault->line++;
            fault->column = 1;
        } else if (((unsigned char)text.ptr[i] & 0xC0) != 0x80) {
            fault->column++;
        }
    }
}

/* Appends text of the file to a message, with control characters replaced, so that the message has
 * only one line. */
static void push_clean(rc_buf *buf, rc_str part)
{
    for (size_t i = 0; i < part.len; i++) {
        unsigned char c = (unsigned char)part.ptr[i];
        rc_buf_push_byte(buf, c < 0x20 || c == 0x7F ? '?' : (char)c);
    }
}

void rc_rules_refuse(rc_rules_parser *parser, rc_status status, size_t from, const rc_str *parts,
                     size_t count)
{
    if (parser->status != RC_OK)
        return;
    parser->status = status;
    rc_rules_fault *fault = parser->fault;
    if (!fault)
        return;

    find_position(parser->text, from, fault);
    rc_buf buf;
    rc_buf_init_fixed(&buf, fault->text, sizeof fault->text - 1);
    rc_buf_push(&buf, RC_STR("line "));
    rc_buf_push_u64(&buf, fault->line);
    rc_buf_push(&buf, RC_STR(", column "));
    rc_buf_push_u64(&buf, fault->column);
    rc_buf_push(&buf, RC_STR(": "));
    for (size_t i = 0; i < count; i++)
        push_clean(&buf, parts[i]);
    /* a truncated message must not end inside a UTF-8 character */
    size_t len = rc_utf8_valid_prefix(rc_buf_get(&buf));
    fault->text[len] = '\0';
}

void rc_rules_check_memory(rc_rules_parser *parser)
{
    rc_status status = rc_arena_status(&parser->rules->arena);
    if (status != RC_OK)
        RC_RULES_REFUSE(parser, status, parser->token.from, RC_STR("no memory for the rules"));
}

void rc_fact_label_init(rc_fact_label *label, const rc_literal *literals, rc_fact fact)
{
    rc_buf buf;
    rc_buf_init_fixed(&buf, label->text, sizeof label->text);
    if (fact >= RC_FACT_LITERAL_BASE && literals)
        rc_buf_push(&buf, rc_rules_excerpt(literals[fact - RC_FACT_LITERAL_BASE].source));
    else
        rc_fact_push_name(&buf, fact);
    label->view = rc_buf_get(&buf);
}
