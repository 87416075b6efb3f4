/* Reads a page of metrics as a Prometheus scraper does and checks it as promtool does. Each fault
 * is described in words. */
#ifndef RC_TESTS_PROM_LINT_H
#define RC_TESTS_PROM_LINT_H

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

#define LINT_SERIES_MAX 400000

typedef struct prom_lint {
    char *text; /* a copy of the page, with a NUL at the end of each line */
    char **series;
    size_t series_count;
    char family[128];
    char type[16];
    char families[128][128]; /* names of the metric families so far */
    size_t family_count;
    bool has_help;
    /* state of the histogram that is being read */
    char owner[2048]; /* the labels of the histogram, without le */
    double le;
    double below;
    bool has_inf;
    char wrong[512];
} prom_lint;

static bool lint_fail(prom_lint *l, const char *what, const char *line)
{
    if (l->wrong[0] == '\0')
        snprintf(l->wrong, sizeof(l->wrong), "%s: %.300s", what, line);
    return false;
}

static bool lint_is_name(const char *text, size_t len)
{
    if (len == 0 || isdigit((unsigned char)text[0]))
        return false;
    for (size_t i = 0; i < len; i++)
        if (!isalnum((unsigned char)text[i]) && text[i] != '_')
            return false;
    return true;
}

static bool lint_ends(const char *text, const char *end)
{
    size_t len = strlen(text);
    size_t n = strlen(end);
    return len >= n && strcmp(text + len - n, end) == 0;
}

/* Checks promtool's rules for names and units. */
static bool lint_family_name(prom_lint *l, const char *line)
{
    static const char *const bad[] = {"_ms",      "_millis",  "_us",    "_sec",     "_secs",
                                      "_minutes", "_hours",   "_kb",    "_mb",      "_count",
                                      "_sum",     "_bucket",  "_gauge", "_counter", "_histogram",
                                      "_percent", "_dollars", "_usds"};
    const bool is_counter = strcmp(l->type, "counter") == 0;
    const bool is_histogram = strcmp(l->type, "histogram") == 0;
    if (!is_counter && !is_histogram && strcmp(l->type, "gauge") != 0)
        return lint_fail(l, "no such type", line);
    if (!lint_is_name(l->family, strlen(l->family)) || strncmp(l->family, "recourse_", 9) != 0)
        return lint_fail(l, "a name", line);
    if (is_counter != lint_ends(l->family, "_total"))
        return lint_fail(l, "counters end in _total, and nothing else does", line);
    if (is_histogram && !lint_ends(l->family, "_seconds"))
        return lint_fail(l, "a histogram without its unit", line);
    if (lint_ends(l->family, "_timestamp"))
        return lint_fail(l, "a time without its unit", line);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        char inside[32];
        snprintf(inside, sizeof(inside), "%s_", bad[i]);
        if (lint_ends(l->family, bad[i]) || strstr(l->family, inside) != NULL)
            return lint_fail(l, "a unit or type that does not belong in a name", line);
    }
    for (const char *c = l->family; *c != '\0'; c++)
        if (isupper((unsigned char)*c))
            return lint_fail(l, "capitals in a name", line);
    return true;
}

static bool lint_close(prom_lint *l)
{
    const bool was_open = strcmp(l->type, "histogram") == 0 && l->owner[0] != '\0';
    if (was_open && !l->has_inf)
        return lint_fail(l, "a histogram without +Inf", l->family);
    l->owner[0] = '\0';
    return true;
}

/* Copies the first word of text, as far as it fits. Returns the text after the word and one
 * space. */
static const char *lint_word(const char *text, char *word, size_t size)
{
    const size_t len = strcspn(text, " ");
    snprintf(word, size, "%.*s", (int)len, text);
    return text[len] == ' ' ? text + len + 1 : text + len;
}

static bool lint_help(prom_lint *l, const char *line)
{
    char name[128];
    const char *words = lint_word(line + strlen("# HELP "), name, sizeof(name));
    if (!lint_close(l))
        return false;
    for (size_t i = 0; i < l->family_count; i++)
        if (strcmp(l->families[i], name) == 0)
            return lint_fail(l, "HELP twice", line);
    if (words[0] == '\0' || !lint_ends(line, "."))
        return lint_fail(l, "help is a sentence", line);
    snprintf(l->families[l->family_count++], sizeof(l->families[0]), "%s", name);
    snprintf(l->family, sizeof(l->family), "%s", name);
    l->type[0] = '\0';
    l->has_help = true;
    return true;
}

static bool lint_type(prom_lint *l, const char *line)
{
    char name[128];
    const char *type = lint_word(line + strlen("# TYPE "), name, sizeof(name));
    snprintf(l->type, sizeof(l->type), "%s", type);
    if (!l->has_help || strcmp(name, l->family) != 0)
        return lint_fail(l, "TYPE without its HELP", line);
    l->has_help = false;
    return lint_family_name(l, line);
}

static bool lint_comment(prom_lint *l, const char *line)
{
    if (strncmp(line, "# HELP ", 7) == 0)
        return lint_help(l, line);
    if (strncmp(line, "# TYPE ", 7) == 0)
        return lint_type(l, line);
    return lint_fail(l, "a comment that is none", line);
}

/* Reads labels such as {a="b",c="d"}. Returns their end; NULL if they are malformed. Copies all
 * labels except le into owner. */
static const char *lint_labels(prom_lint *l, const char *at, char *owner, size_t size, char *le,
                               size_t le_size, const char *line)
{
    size_t used = 0;
    owner[0] = '\0';
    le[0] = '\0';
    if (*at != '{')
        return at;
    do {
        const char *name = ++at;
        at = strchr(at, '=');
        if (at == NULL || !lint_is_name(name, (size_t)(at - name)) || strncmp(name, "__", 2) == 0 ||
            at[1] != '"') {
            lint_fail(l, "a label", line);
            return NULL;
        }
        const char *value = at + 2;
        for (at = value; *at != '"'; at++) {
            if (*at == '\0' || (*at == '\\' && strchr("\\\"n", at[1]) == NULL) ||
                (unsigned char)*at < 0x20) {
                lint_fail(l, "a label's value", line);
                return NULL;
            }
            at += *at == '\\';
        }
        if (!rc_utf8_is_valid(rc_str_make(value, (size_t)(at - value)))) {
            lint_fail(l, "a value that is not UTF-8", line);
            return NULL;
        }
        if (strncmp(name, "le=", 3) == 0)
            snprintf(le, le_size, "%.*s", (int)(at - value), value);
        else if (used < size)
            used += (size_t)snprintf(owner + used, size - used, "%.*s;", (int)(at - name), name);
        at++;
    } while (*at == ',');
    if (*at != '}') {
        lint_fail(l, "braces that do not close", line);
        return NULL;
    }
    return at + 1;
}

static bool lint_bucket(prom_lint *l, const char *part, const char *owner, const char *le,
                        double value, const char *line)
{
    char key[2048];
    /* A histogram without labels has the empty text as its owner. */
    snprintf(key, sizeof(key), "%s:%s", l->family, owner);
    if (strcmp(key, l->owner) != 0) {
        if (!lint_close(l))
            return false;
        snprintf(l->owner, sizeof(l->owner), "%s", key);
        l->le = -1;
        l->below = 0;
        l->has_inf = false;
    }
    if (strcmp(part, "_bucket") == 0) {
        const double end = strcmp(le, "+Inf") == 0 ? 1e300 : strtod(le, NULL);
        if (le[0] == '\0' || end <= l->le || value < l->below)
            return lint_fail(l, "buckets in order", line);
        l->le = end;
        l->below = value;
        l->has_inf = end >= 1e300;
        return true;
    }
    if (strcmp(part, "_count") == 0 && (!l->has_inf || value != l->below))
        return lint_fail(l, "a count that is not that of its buckets", line);
    return strcmp(part, "_count") == 0 || strcmp(part, "_sum") == 0 ||
           lint_fail(l, "a part of a histogram", line);
}

static bool lint_sample(prom_lint *l, char *line)
{
    char owner[1900];
    char le[64];
    const size_t name_len = strcspn(line, "{ ");
    const size_t family_len = strlen(l->family);
    char part[128];
    if (family_len == 0 || l->type[0] == '\0' || strncmp(line, l->family, family_len) != 0 ||
        name_len < family_len)
        return lint_fail(l, "a sample outside of its family", line);
    snprintf(part, sizeof(part), "%.*s", (int)(name_len - family_len), line + family_len);
    const char *at = lint_labels(l, line + name_len, owner, sizeof(owner), le, sizeof(le), line);
    if (at == NULL)
        return false;
    char *end = NULL;
    const double value = *at == ' ' ? strtod(at + 1, &end) : 0;
    if (end == NULL || end == at + 1 || *end != '\0')
        return lint_fail(l, "a number behind one space", line);
    if (strcmp(l->type, "gauge") != 0 && value < 0)
        return lint_fail(l, "a count below zero", line);
    const bool is_histogram = strcmp(l->type, "histogram") == 0;
    if (is_histogram && !lint_bucket(l, part, owner, le, value, line))
        return false;
    if (!is_histogram && part[0] != '\0')
        return lint_fail(l, "a sample of another name", line);
    if (l->series_count >= LINT_SERIES_MAX)
        return lint_fail(l, "too many series", line);
    line[at - line] = '\0';
    l->series[l->series_count++] = line;
    return true;
}

static int lint_compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Checks a page. Returns true and the number of series if the page has no fault; false, with a
 * description in wrong, otherwise. */
static inline bool prom_lint_page(rc_str page, size_t *ret_series, char wrong[512])
{
    prom_lint *l = calloc(1, sizeof(*l));
    if (l == NULL)
        abort();
    l->text = malloc(page.len + 1);
    l->series = malloc(LINT_SERIES_MAX * sizeof(char *));
    if (l->text == NULL || l->series == NULL)
        abort();
    memcpy(l->text, page.ptr, page.len);
    l->text[page.len] = '\0';
    bool is_good = page.len > 0 && page.ptr[page.len - 1] == '\n' && strlen(l->text) == page.len;
    if (!is_good)
        lint_fail(l, "lines, each with its end", "");
    const char *end = l->text + page.len;
    for (char *line = l->text; is_good && line < end;) {
        /* strchr would be slower: a sanitizer lets it read up to the NUL of the page. */
        char *next = memchr(line, '\n', (size_t)(end - line));
        if (next == NULL)
            break;
        *next = '\0';
        is_good = *line == '#' ? lint_comment(l, line) : lint_sample(l, line);
        line = next + 1;
    }
    is_good = is_good && lint_close(l);
    qsort(l->series, l->series_count, sizeof(char *), lint_compare);
    for (size_t i = 1; is_good && i < l->series_count; i++)
        if (strcmp(l->series[i - 1], l->series[i]) == 0)
            is_good = lint_fail(l, "a series twice", l->series[i]);
    *ret_series = l->series_count;
    snprintf(wrong, 512, "%s", l->wrong);
    free(l->series);
    free(l->text);
    free(l);
    return is_good;
}

#endif
