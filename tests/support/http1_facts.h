/* The facts about a head that two parsers must agree on. */
#ifndef RC_TEST_HTTP1_FACTS_H
#define RC_TEST_HTTP1_FACTS_H

#include "http/http1.h"

static inline bool is_same_field(const rc_http1 *a, const rc_http1 *b, const char *head, uint32_t i)
{
    /* The offset of an empty value is irrelevant. */
    bool is_there = a->fields[i].value_len == 0 || a->fields[i].gap == b->fields[i].gap;
    return a->fields[i].name_at == b->fields[i].name_at && is_there &&
           rc_str_eq(rc_http1_name(a, head, i), rc_http1_name(b, head, i)) &&
           a->fields[i].value_len == b->fields[i].value_len;
}

static inline bool is_same_head(const rc_http1 *a, const rc_http1 *b, const char *head)
{
    if (a->head_bytes != b->head_bytes || a->field_count != b->field_count ||
        a->target_at != b->target_at || a->target_len != b->target_len ||
        a->host_at != b->host_at || a->host_len != b->host_len || a->framing != b->framing ||
        a->length != b->length || a->left != b->left || a->status != b->status ||
        a->method != b->method || a->minor != b->minor || a->is_kept_alive != b->is_kept_alive)
        return false;
    for (uint32_t i = 0; i < a->field_count; i++)
        if (!is_same_field(a, b, head, i))
            return false;
    return true;
}

#endif
