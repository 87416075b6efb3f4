/* Recognises lines of compiler messages, of source code and of Markdown. Called by looks.c and
 * signs.c. */
#include "base/str.h"
#include "classify/relevance/relevance.h"

static bool is_digit_at(rc_str line, size_t at)
{
    return at < line.len && rc_ascii_is_digit(line.ptr[at]);
}

/* Returns whether the line begins with a file name and a line number: "main.go:9:2: ", "./a.py:12:
 * ", "App.java:5: ". */
static bool has_place(rc_str text)
{
    size_t at = 0;
    bool has_dot = false;
    while (at < text.len && (rc_ascii_is_alnum(text.ptr[at]) || text.ptr[at] == '/' ||
                             text.ptr[at] == '.' || text.ptr[at] == '_' || text.ptr[at] == '-')) {
        has_dot = text.ptr[at] == '.' || (has_dot && text.ptr[at] != '/');
        at++;
    }
    if (!has_dot || at == 0 || at >= text.len || text.ptr[at] != ':' ||
        !is_digit_at(text, at + 1) || !rc_ascii_is_alpha(text.ptr[at - 1]))
        return false;
    at++;
    while (is_digit_at(text, at))
        at++;
    return at < text.len && text.ptr[at] == ':';
}

bool rc_line_is_diagnostic(rc_str line)
{
    static const rc_str KINDS[] = {RC_STR_INIT(": error"), RC_STR_INIT(": warning"),
                                   RC_STR_INIT(": note"), RC_STR_INIT(": fatal error")};
    for (size_t i = 0; i < sizeof(KINDS) / sizeof(KINDS[0]); i++) {
        const size_t at = rc_str_find(line, KINDS[i], 0);
        if (at != RC_STR_NPOS && at > 0 &&
            (is_digit_at(line, at - 1) || (line.ptr[at - 1] == ')' && is_digit_at(line, at - 2))))
            return true;
    }
    const rc_str text = rc_str_trim(line);
    size_t at = 0;
    while (is_digit_at(text, at))
        at++;
    const rc_str rest = rc_str_slice(text, at, text.len);
    if (at > 0 && (rc_str_starts_with(rest, RC_STR(" | ")) || rc_str_eq(rest, RC_STR(" |"))))
        return true;
    if (rc_str_starts_with(text, RC_STR("--> ")) && rc_str_find_byte(text, ':', 0) != RC_STR_NPOS)
        return true;
    return rc_str_starts_with(text, RC_STR("error[E")) || has_place(text);
}

/* Returns whether the line begins with a keyword that only source code has at this position. */
static bool has_keyword(rc_str text)
{
    static const rc_str BEGINS[] = {
        RC_STR_INIT("#include"),   RC_STR_INIT("#define "), RC_STR_INIT("#if"),
        RC_STR_INIT("#endif"),     RC_STR_INIT("#!"),       RC_STR_INIT("# "),
        RC_STR_INIT("#\""),        RC_STR_INIT("//"),       RC_STR_INIT("/*"),
        RC_STR_INIT("*/"),         RC_STR_INIT("\"\"\""),   RC_STR_INIT("'''"),
        RC_STR_INIT("def "),       RC_STR_INIT("class "),   RC_STR_INIT("import "),
        RC_STR_INIT("return "),    RC_STR_INIT("raise "),   RC_STR_INIT("let "),
        RC_STR_INIT("const "),     RC_STR_INIT("var "),     RC_STR_INIT("static "),
        RC_STR_INIT("struct "),    RC_STR_INIT("typedef "), RC_STR_INIT("enum "),
        RC_STR_INIT("func "),      RC_STR_INIT("fn "),      RC_STR_INIT("pub "),
        RC_STR_INIT("impl "),      RC_STR_INIT("sub "),     RC_STR_INIT("my "),
        RC_STR_INIT("extern "),    RC_STR_INIT("async "),   RC_STR_INIT("await "),
        RC_STR_INIT("export "),    RC_STR_INIT("void "),    RC_STR_INIT("public "),
        RC_STR_INIT("private "),   RC_STR_INIT("elif "),    RC_STR_INIT("try:"),
        RC_STR_INIT("else:"),      RC_STR_INIT("assert "),  RC_STR_INIT("self."),
        RC_STR_INIT("print("),     RC_STR_INIT("=head"),    RC_STR_INIT("=item"),
        RC_STR_INIT("=cut"),       RC_STR_INIT("=over"),    RC_STR_INIT("if ("),
        RC_STR_INIT("for ("),      RC_STR_INIT("while ("),  RC_STR_INIT("switch ("),
        RC_STR_INIT("} else"),     RC_STR_INIT("except "),  RC_STR_INIT("if not "),
        RC_STR_INIT("inline "),    RC_STR_INIT("template"), RC_STR_INIT("namespace "),
        RC_STR_INIT("interface "), RC_STR_INIT("package "), RC_STR_INIT("function "),
        RC_STR_INIT("del "),       RC_STR_INIT("yield "),   RC_STR_INIT("* @"),
        RC_STR_INIT(".. "),        RC_STR_INIT(":param "),  RC_STR_INIT(":return"),
        RC_STR_INIT(">>> "),       RC_STR_INIT("use "),     RC_STR_INIT("require("),
        RC_STR_INIT("throw "),     RC_STR_INIT("f\""),      RC_STR_INIT("f'"),
        RC_STR_INIT("case "),      RC_STR_INIT("goto "),    RC_STR_INIT("continue"),
    };
    for (size_t i = 0; i < sizeof(BEGINS) / sizeof(BEGINS[0]); i++) {
        if (text.ptr[0] == BEGINS[i].ptr[0] && rc_str_starts_with(text, BEGINS[i]))
            return true;
    }
    return false;
}

/* Returns whether the line begins with an assignment: "name = value", "a.b[c] = value". */
static bool is_assignment(rc_str text)
{
    size_t at = 0;
    while (at < text.len && (rc_ascii_is_alnum(text.ptr[at]) || text.ptr[at] == '_' ||
                             text.ptr[at] == '.' || text.ptr[at] == '[' || text.ptr[at] == ']' ||
                             text.ptr[at] == '$' || text.ptr[at] == '>' || text.ptr[at] == '-'))
        at++;
    const rc_str rest = rc_str_slice(text, at, text.len);
    return at > 0 &&
           (rc_str_starts_with(rest, RC_STR(" = ")) || rc_str_starts_with(rest, RC_STR(" := ")) ||
            rc_str_starts_with(rest, RC_STR(" += ")));
}

/* Returns whether the line is the head of a Python block: "if x == y:", "for a in b:", "with f() as
 * g:". */
static bool is_block_head(rc_str text)
{
    static const rc_str BEGINS[] = {RC_STR_INIT("if "), RC_STR_INIT("for "), RC_STR_INIT("while "),
                                    RC_STR_INIT("with "), RC_STR_INIT("case ")};
    if (text.ptr[text.len - 1] != ':')
        return false;
    for (size_t i = 0; i < sizeof(BEGINS) / sizeof(BEGINS[0]); i++) {
        if (rc_str_starts_with(text, BEGINS[i]))
            return true;
    }
    return false;
}

/* Returns whether the line is an element of a list: a quoted text or an identifier, followed by a
 * comma. */
static bool is_element(rc_str text)
{
    const char first = text.ptr[0];
    if (text.ptr[text.len - 1] != ',' || text.len < 3)
        return false;
    if (first == '"' || first == '\'')
        return rc_str_find_byte(text, ':', 0) == RC_STR_NPOS;
    size_t at = 0;
    while (at < text.len && (rc_ascii_is_alnum(text.ptr[at]) || text.ptr[at] == '_'))
        at++;
    return at + 1 == text.len;
}

bool rc_line_is_source(rc_str line)
{
    const rc_str text = rc_str_trim(line);
    if (text.len == 0)
        return false;
    if (is_element(text) || rc_str_find(text, RC_STR("${"), 0) != RC_STR_NPOS)
        return true;
    if (rc_str_starts_with(text, RC_STR("from ")) &&
        rc_str_find(text, RC_STR(" import "), 0) != RC_STR_NPOS)
        return true;
    /* JSON, and frames of stack traces, may end like a statement, but are not source code. */
    if (memchr("{}\"'[]", text.ptr[0], 6) != NULL && text.len > 3)
        return false;
    if (rc_str_starts_with(text, RC_STR("at ")) || rc_str_starts_with(text, RC_STR("[cause]")))
        return false;
    const char last = text.ptr[text.len - 1];
    const char before = text.len > 1 ? text.ptr[text.len - 2] : '\0';
    const bool is_block = last == '{' && rc_str_find_byte(text, '(', 0) != RC_STR_NPOS &&
                          (before == ')' || before == ' ');
    if (last == ';' || is_block || (last == '\\' && text.len > 1) ||
        (last == '(' && before != ' ') || (last == '=' && before == ' '))
        return true;
    if (rc_str_starts_with(text, RC_STR("* ")) && line.ptr[0] == ' ')
        return true; /* a line inside a comment of C or Java */
    return has_keyword(text) || is_assignment(text) || is_block_head(text);
}

bool rc_line_is_markdown(rc_str line)
{
    static const rc_str BEGINS[] = {
        RC_STR_INIT("# "),   RC_STR_INIT("## "),  RC_STR_INIT("### "), RC_STR_INIT("#### "),
        RC_STR_INIT("```"),  RC_STR_INIT("* "),   RC_STR_INIT("- "),   RC_STR_INIT("+ "),
        RC_STR_INIT("=== "), RC_STR_INIT("| "),   RC_STR_INIT("> "),   RC_STR_INIT("<!--"),
        RC_STR_INIT("o "),   RC_STR_INIT("===="), RC_STR_INIT("----"), RC_STR_INIT("~~~~"),
    };
    const rc_str text = rc_str_trim(line);
    for (size_t i = 0; i < sizeof(BEGINS) / sizeof(BEGINS[0]); i++) {
        if (rc_str_starts_with(text, BEGINS[i]))
            return true;
    }
    return rc_str_find(text, RC_STR("](http"), 0) != RC_STR_NPOS;
}

bool rc_line_is_option(rc_str line)
{
    const rc_str text = rc_str_trim(line);
    if (text.len < 4 || text.ptr[0] != '-')
        return false;
    const bool is_long = text.ptr[1] == '-' && rc_ascii_is_alpha(text.ptr[2]);
    const bool is_short = rc_ascii_is_alpha(text.ptr[1]) && text.ptr[2] == ',' &&
                          rc_str_find(text, RC_STR(" --"), 0) == 3;
    return is_long || is_short;
}
