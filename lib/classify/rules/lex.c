/* Tokenizer of rules files. Called by parse.c. */
#include "base/str.h"
#include "classify/rules/parts.h"

static size_t skip_blank(rc_str text, size_t at)
{
    while (at < text.len) {
        if (rc_ascii_is_space(text.ptr[at])) {
            at++;
        } else if (text.ptr[at] == '#') {
            while (at < text.len && text.ptr[at] != '\n')
                at++;
        } else {
            break;
        }
    }
    return at;
}

static bool is_word_byte(char c)
{
    return !rc_ascii_is_space(c) && c != '"' && c != '(' && c != ')' && c != '#';
}

/* Returns the offset after the closing quote of the string whose opening quote is at `at`;
 * RC_STR_NPOS if the string is not closed on its line. */
static size_t string_end(rc_str text, size_t at)
{
    for (at++; at < text.len && text.ptr[at] != '\n' && text.ptr[at] != '\r'; at++) {
        if (text.ptr[at] == '"')
            return at + 1;
        if (text.ptr[at] == '\\' && at + 1 < text.len && text.ptr[at + 1] != '\n')
            at++;
    }
    return RC_STR_NPOS;
}

static void take_string(rc_rule_token *token, rc_str text, size_t at, rc_rule_token_kind kind)
{
    size_t end = string_end(text, at);
    if (end == RC_STR_NPOS) {
        token->kind = RC_RULE_TOKEN_UNCLOSED;
        token->from = at;
        token->to = text.len;
        return;
    }
    token->kind = kind;
    token->quoted = rc_str_slice(text, at + 1, end - 1);
    token->to = end;
}

rc_rule_token rc_rule_token_next(rc_str text, size_t at)
{
    at = skip_blank(text, at);
    rc_rule_token token = {.kind = RC_RULE_TOKEN_END, .from = at, .to = at};
    if (at == text.len)
        return token;

    char c = text.ptr[at];
    if (c == '"') {
        take_string(&token, text, at, RC_RULE_TOKEN_STRING);
        return token;
    }
    if (c == '(' || c == ')') {
        token.kind = c == '(' ? RC_RULE_TOKEN_OPEN : RC_RULE_TOKEN_CLOSE;
        token.to = at + 1;
        return token;
    }

    while (at < text.len && is_word_byte(text.ptr[at]))
        at++;
    token.kind = RC_RULE_TOKEN_WORD;
    token.word = rc_str_slice(text, token.from, at);
    token.to = at;
    if (at < text.len && text.ptr[at] == '"')
        take_string(&token, text, at, RC_RULE_TOKEN_QUOTED);
    return token;
}
