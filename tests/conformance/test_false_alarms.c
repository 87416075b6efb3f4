/* False alarms: what each rule decides on labelled failures, beside what it decides on ordinary
 * texts that come from no call. The texts are paragraphs of the files that Debian installs and
 * of this tree, drawn when the test runs, so that nothing is copied. A rule that is wrong more
 * often than right fails the test. */
#include <ctype.h>
#include <dirent.h>
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "classify/rules/rule.h"
#include "support/failure_cases.h"

#define RULES_MAX 512
#define PATHS_MAX 40000
#define TEXTS_PER_ROOT 260
#define FILE_MAX (64 * 1024)
#define TEXT_MAX 3000
/* The test needs at least TEXTS_MIN texts and tolerates fewer than ALARMS_MIN false alarms of one
 * rule. The other limits are the numbers of texts per thousand that may be classified as failures
 * and as retryable failures. */
#define TEXTS_MIN 400
#define ALARMS_MIN 4
#define CALLED_PER_MILLE 25
#define RETRYABLE_PER_MILLE 8

typedef struct tally {
    int right[RULES_MAX];
    int wrong[RULES_MAX];
    int alarms[RULES_MAX];
    int texts;
    int called;
    int retryable;
} tally;

static size_t index_of(rc_str id)
{
    for (size_t i = 0; i < rc_rules_builtin.count && i < RULES_MAX; i++)
        if (rc_str_eq(rc_rules_builtin.rules[i].id, id))
            return i;
    fail_msg("unknown rule %.*s", (int)id.len, id.ptr);
    return 0;
}

/* ---- labelled failures ---- */

static void count_case(void *ctx, const rc_case *c)
{
    tally *t = ctx;
    rc_classify_space space;
    const rc_verdict verdict = rc_judge(&c->failure, NULL, NULL, &space);
    const size_t rule = index_of(verdict.rule);
    if (rc_case_accepts(c, "code", rc_code_name(verdict.code)))
        t->right[rule]++;
    else
        t->wrong[rule]++;
}

static void count_cases(tally *t, const char *pattern)
{
    char path[512];
    glob_t found;
    assert_true(snprintf(path, sizeof path, "%s/conformance/%s", RC_TEST_DIR, pattern) <
                (int)sizeof path);
    assert_int_equal(glob(path, 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++)
        assert_true(rc_cases_each(found.gl_pathv[i], count_case, t) > 0);
    globfree(&found);
}

/* ---- ordinary texts ---- */

typedef struct path_list {
    char *paths[PATHS_MAX];
    size_t count;
} path_list;

static bool ends_with(const char *name, const char *ends)
{
    const size_t len = strlen(name);
    const size_t end = strlen(ends);
    return len >= end && strcmp(name + len - end, ends) == 0;
}

/* Adds the regular files below the folder in the order of their names. ends: the end that the names
 * must have. */
static void add_files(path_list *list, const char *folder, const char *ends, int depth)
{
    struct dirent **entries = NULL;
    const int count = depth > 6 ? 0 : scandir(folder, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        char path[1024];
        struct stat status;
        const bool fits =
            snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name) < (int)sizeof path;
        if (entries[i]->d_name[0] != '.' && fits && lstat(path, &status) == 0) {
            if (S_ISDIR(status.st_mode))
                add_files(list, path, ends, depth + 1);
            else if (S_ISREG(status.st_mode) && ends_with(path, ends) && list->count < PATHS_MAX)
                list->paths[list->count++] = strdup(path);
        }
        free(entries[i]);
    }
    free(entries);
}

/* Returns the paragraph of the text in which the offset lies. */
static rc_str paragraph_at(rc_str text, size_t at)
{
    size_t from = at;
    while (from > 0 && !(text.ptr[from - 1] == '\n' && text.ptr[from] == '\n'))
        from--;
    size_t to = at;
    while (to < text.len &&
           !(text.ptr[to] == '\n' && to + 1 < text.len && text.ptr[to + 1] == '\n'))
        to++;
    while (from < to && isspace((unsigned char)text.ptr[from]) && text.ptr[from] == '\n')
        from++;
    if (to - from > TEXT_MAX)
        to = from + TEXT_MAX;
    return rc_str_make(text.ptr + from, to - from);
}

static void count_text(tally *t, rc_str text)
{
    const rc_failure failure = {.body = text, .now_unix_ms = RC_CASE_NOW_MS};
    rc_classify_space space;
    const rc_verdict verdict = rc_judge(&failure, NULL, NULL, &space);
    t->texts++;
    if (verdict.code == RC_CODE_UNCLASSIFIED)
        return;
    t->called++;
    t->retryable += verdict.is_retryable;
    t->alarms[index_of(verdict.rule)]++;
}

static void count_texts(tally *t, const char *folder, const char *ends)
{
    static path_list list;
    static char bytes[FILE_MAX];
    list.count = 0;
    add_files(&list, folder, ends, 0);
    const size_t step = list.count / TEXTS_PER_ROOT + 1;
    for (size_t i = 0; i < list.count; i++) {
        FILE *file = i % step == 0 ? fopen(list.paths[i], "r") : NULL;
        if (file != NULL) {
            const size_t len = fread(bytes, 1, sizeof bytes, file);
            fclose(file);
            /* The position of the paragraph differs from file to file and is the same in every
             * run. */
            if (len > 40)
                count_text(t, paragraph_at(rc_str_make(bytes, len), (i * 7919) % (len - 1)));
        }
        free(list.paths[i]);
    }
}

static void print_table(const tally *t)
{
    print_message("%-28s %6s %6s %6s\n", "rule", "right", "wrong", "alarms");
    for (size_t i = 0; i < rc_rules_builtin.count; i++) {
        const rc_rule *rule = &rc_rules_builtin.rules[i];
        if (t->right[i] + t->wrong[i] + t->alarms[i] > 0)
            print_message("%-28.*s %6d %6d %6d\n", (int)rule->id.len, rule->id.ptr, t->right[i],
                          t->wrong[i], t->alarms[i]);
    }
    print_message("%d ordinary texts: %d called a failure, %d retryable\n", t->texts, t->called,
                  t->retryable);
}

static void no_rule_is_wrong_more_often_than_right(void **state)
{
    (void)state;
    static tally t;
    count_cases(&t, "field.jsonl");
    count_cases(&t, "meanings.jsonl");
    count_cases(&t, "providers/*.jsonl");
    count_cases(&t, "world/development/*.jsonl");
    count_texts(&t, "/usr/share/doc", "README");
    count_texts(&t, "/usr/share/doc", "copyright");
    count_texts(&t, "/usr/share/doc", ".txt");
    count_texts(&t, "/usr/include", ".h");
    count_texts(&t, "/usr/lib/python3", ".py");
    count_texts(&t, "/usr/share/perl5", ".pm");
    count_texts(&t, "/usr/share/perl", ".pm");
    count_texts(&t, "/usr/share/perl", ".pod");
    count_texts(&t, RC_TEST_DIR "/../docs", ".md");
    count_texts(&t, RC_TEST_DIR "/../src", ".c");
    count_texts(&t, RC_TEST_DIR "/../lib", ".c");
    print_table(&t);
    assert_true(t.texts >= TEXTS_MIN);
    assert_true(t.called * 1000 <= t.texts * CALLED_PER_MILLE);
    assert_true(t.retryable * 1000 <= t.texts * RETRYABLE_PER_MILLE);
    for (size_t i = 0; i < rc_rules_builtin.count; i++) {
        const rc_rule *rule = &rc_rules_builtin.rules[i];
        /* The last rule applies to failures that no other rule recognises. */
        if (rule->code != RC_CODE_UNCLASSIFIED && t.wrong[i] + t.alarms[i] >= ALARMS_MIN &&
            t.wrong[i] + t.alarms[i] > t.right[i])
            fail_msg(
                "%.*s is right %d times, wrong %d times, and takes %d ordinary texts for failures",
                (int)rule->id.len, rule->id.ptr, t.right[i], t.wrong[i], t.alarms[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_rule_is_wrong_more_often_than_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
