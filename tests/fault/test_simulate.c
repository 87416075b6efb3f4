/* `recourse simulate --out` when system calls fail: each file is complete or unchanged, no other
 * file remains, and no failure counts as success. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cli/simulate/simulate.h"
#include "support/fail_alloc.h"
#include "support/fake_sys.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define FILES_MAX 16
#define FILE_BYTES ((size_t)1 << 16)
#define FIRST_FD 20
#define RESULTS 5
#define ASKED_MAX 8

#define SCENARIO                                                \
    "name: small\n"                                             \
    "duration_ms: 10s\n"                                        \
    "clients: {count: 20, every_ms: 10s, deadline_ms: 10s}\n"   \
    "providers:\n"                                              \
    "  - name: alpha\n"                                         \
    "    faults: [{kind: outage, from_ms: 2s, until_ms: 4s}]\n" \
    "policies: [recourse, none]\n"

/* ---- a folder ---- */

typedef struct fake_file {
    bool is_there;
    bool is_open;
    bool is_on_disk;
    char path[64];
    char bytes[FILE_BYTES];
    size_t len;
} fake_file;

static struct fake_folder {
    fake_file files[FILES_MAX];
    bool is_there;
    size_t depth; /* number of folders of a path such as "a/b/c" that exist */
    char asked[ASKED_MAX];
    size_t asked_count;
} folder;

static fake_file *find(const char *path)
{
    for (size_t i = 0; i < FILES_MAX; i++)
        if (folder.files[i].is_there && strcmp(folder.files[i].path, path) == 0)
            return &folder.files[i];
    return NULL;
}

/* Creates a folder of a path such as "a/b/c". Its parent folder must exist. */
static int folder_make_deep(const char *path)
{
    size_t slashes = 0;
    for (const char *c = path; *c != '\0'; c++)
        slashes += *c == '/';
    errno = slashes > folder.depth ? ENOENT : EEXIST;
    if (slashes != folder.depth)
        return -1;
    folder.depth++;
    folder.is_there = true;
    return 0;
}

static int folder_make(const char *path)
{
    if (fake_fails())
        return -1;
    folder.asked[folder.asked_count++ % ASKED_MAX] = path[strlen(path) - 1];
    if (strcmp(path, "charts") != 0)
        return folder_make_deep(path);
    errno = EEXIST;
    const int result = folder.is_there ? -1 : 0;
    folder.is_there = true;
    return result;
}

static int folder_open(const char *path)
{
    if (fake_fails())
        return -1;
    assert_true(folder.is_there);
    assert_null(find(path));
    for (int i = 0; i < FILES_MAX; i++) {
        fake_file *file = &folder.files[i];
        if (file->is_there)
            continue;
        *file = (fake_file){.is_there = true, .is_open = true};
        snprintf(file->path, sizeof(file->path), "%s", path);
        return FIRST_FD + i;
    }
    errno = ENOSPC;
    return -1;
}

/* Discards a part of the written bytes, as in a failure that is reported late. */
static int lose(fake_file *file)
{
    file->len /= 2;
    return -1;
}

static int folder_sync(int fd)
{
    fake_file *file = &folder.files[fd - FIRST_FD];
    assert_true(file->is_open);
    if (fake_fails())
        return lose(file);
    file->is_on_disk = true;
    return 0;
}

static int folder_rename(const char *from, const char *to)
{
    if (fake_fails())
        return -1;
    fake_file *file = find(from);
    assert_non_null(file);
    assert_true(!file->is_open && file->is_on_disk);
    fake_file *old = find(to);
    if (old != NULL)
        old->is_there = false;
    snprintf(file->path, sizeof(file->path), "%s", to);
    return 0;
}

static int folder_unlink(const char *path)
{
    if (fake_fails())
        return -1;
    fake_file *file = find(path);
    assert_non_null(file);
    file->is_there = false;
    return 0;
}

static const rc_output_calls folder_calls = {
    .make_folder = folder_make,
    .open_new = folder_open,
    .sync = folder_sync,
    .rename = folder_rename,
    .unlink = folder_unlink,
};

static ssize_t folder_write(int fd, const void *buf, size_t size)
{
    if (fd < FIRST_FD)
        return fake_write(fd, buf, size);
    if (fake_fails())
        return -1;
    fake_file *file = &folder.files[fd - FIRST_FD];
    assert_true(file->is_open);
    const size_t put = fake_piece(size);
    assert_true(file->len + put <= FILE_BYTES);
    memcpy(file->bytes + file->len, buf, put);
    file->len += put;
    return (ssize_t)put;
}

static int folder_close(int fd)
{
    if (fd < FIRST_FD)
        return fake_close(fd);
    fake_file *file = &folder.files[fd - FIRST_FD];
    assert_true(file->is_open);
    file->is_open = false;
    if (!fake_fails())
        return 0;
    return errno == EINTR ? -1 : lose(file);
}

/* ---- the command ---- */

static const char *const result_names[RESULTS] = {"charts/success.svg", "charts/load.svg",
                                                  "charts/latency.svg", "charts/amplification.svg",
                                                  "charts/result.json"};

static fail_alloc memory;

static const char *out_folder = "charts";

static int run(void)
{
    const char *const argv[] = {"-", "--out", out_folder, "--plot", NULL};
    rc_sys_calls calls = fake_calls;
    calls.write = folder_write;
    calls.close = folder_close;
    const rc_alloc alloc = fail_alloc_of(&memory);
    rc_cli cli;
    rc_args args;
    rc_cli_init(&cli, &calls, &alloc);
    int status = rc_args_parse(&cli, &rc_command_simulate, 4, argv, &args);
    if (status == RC_EXIT_OK)
        status = rc_simulate_run(&cli, &args, &folder_calls);
    status = rc_cli_finish(&cli, status);
    rc_cli_done(&cli);
    assert_int_equal(memory.live, 0);
    assert_false(memory.is_broken);
    return status;
}

static void reset(void)
{
    fake_reset(SCENARIO);
    fake_env("LANG", "C.UTF-8");
    memory = (fail_alloc){0};
}

/* Fills the folder with the result files of an earlier run. */
static void leave_old_files(void)
{
    memset(&folder, 0, sizeof(folder));
    folder.is_there = true;
    for (size_t i = 0; i < RESULTS; i++) {
        fake_file *file = &folder.files[i];
        file->is_there = true;
        snprintf(file->path, sizeof(file->path), "%s", result_names[i]);
        memcpy(file->bytes, "old", 3);
        file->len = 3;
    }
}

static fake_file whole[RESULTS];

static void make_whole(void)
{
    memset(&folder, 0, sizeof(folder));
    reset();
    assert_int_equal(run(), RC_EXIT_OK);
    for (size_t i = 0; i < RESULTS; i++) {
        const fake_file *file = find(result_names[i]);
        assert_non_null(file);
        assert_true(file->len > 100);
        whole[i] = *file;
    }
}

/* Checks that each file is the complete old one or the complete new one; after a success all files
 * are new. */
static void check_folder(int status, bool may_leave_one)
{
    size_t count = 0;
    for (size_t i = 0; i < FILES_MAX; i++) {
        assert_false(folder.files[i].is_open);
        count += folder.files[i].is_there;
    }
    assert_true(count == RESULTS || (may_leave_one && count == RESULTS + 1));
    for (size_t i = 0; i < RESULTS; i++) {
        const fake_file *file = find(result_names[i]);
        assert_non_null(file);
        const bool is_old = file->len == 3 && memcmp(file->bytes, "old", 3) == 0;
        if (status == RC_EXIT_OK || !is_old) {
            assert_int_equal(file->len, whole[i].len);
            assert_memory_equal(file->bytes, whole[i].bytes, file->len);
        }
    }
}

static void no_failing_call_passes_for_success(void **state)
{
    (void)state;
    static const int errors[] = {EIO, ENOSPC, EACCES, EINTR, EROFS};
    make_whole();
    const size_t printed = fake.out.len;
    const int calls = fake.calls;
    assert_true(calls > 5 * RESULTS && calls < 200);
    for (int i = 0; i < calls * (int)COUNT(errors) * 2; i++) {
        leave_old_files();
        reset();
        fake.error = errors[(size_t)i / 2 % COUNT(errors)];
        fake.is_for_good = i % 2 != 0 && fake.error != EINTR; /* a permanent EINTR would be retried
                                                               * for ever */
        fake.fail_at = i / 2 / (int)COUNT(errors) + 1;
        const int status = run();
        assert_true(status == RC_EXIT_OK || status == RC_EXIT_IO || status == RC_EXIT_NO_INPUT);
        /* If the files cannot be written, the result is still printed. */
        if (status == RC_EXIT_OK || strstr(fake.err.text, "cannot write charts") != NULL)
            assert_true(fake.out.len == printed || fake.is_for_good);
        /* If all calls fail, removing a temporary file fails, too. */
        check_folder(status, fake.is_for_good);
    }
}

static void writes_come_in_pieces(void **state)
{
    (void)state;
    make_whole();
    leave_old_files();
    reset();
    fake.piece = 7;
    assert_int_equal(run(), RC_EXIT_OK);
    check_folder(RC_EXIT_OK, false);
}

static void lost_files_are_reported(void **state)
{
    (void)state;
    memset(&folder, 0, sizeof(folder));
    reset();
    fake.fail_at = 3; /* the third call, after two reads, creates the folder */
    fake.error = EACCES;
    assert_int_equal(run(), RC_EXIT_IO);
    assert_string_equal(fake.err.text,
                        "recourse simulate: cannot write charts: Permission denied\n");
    assert_non_null(strstr(fake.out.text, "against the best of the others"));

    memset(&folder, 0, sizeof(folder));
    reset();
    fake.fail_at = 6; /* the calls four to six draw the random number, open the file and write its
                       * bytes */
    fake.error = ENOSPC;
    assert_int_equal(run(), RC_EXIT_IO);
    assert_string_equal(
        fake.err.text,
        "recourse simulate: cannot write charts/success.svg: No space left on device\n");
    assert_non_null(strstr(fake.out.text, "against the best of the others"));
}

static void folders_above_are_made(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        const char *asked; /* the last letters of the folders that were created, in order */
    } cases[] = {{"a/b/c", "cabc"}, {"/a/b", "bab"}, {"a//b", "bab"}, {"a", "a"}, {"a/", "/"}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        memset(&folder, 0, sizeof(folder));
        folder.depth = cases[i].name[0] == '/' || strcmp(cases[i].name, "a/") == 0 ? 1 : 0;
        reset();
        out_folder = cases[i].name;
        int status = run();
        out_folder = "charts";
        if (strstr(cases[i].name, "//") == NULL && status != RC_EXIT_OK)
            fail_msg("%s: %s", cases[i].name, fake.err.text);
        assert_memory_equal(folder.asked, cases[i].asked, strlen(cases[i].asked));
    }
}

static void no_failing_allocation_crashes_leaks_or_leaves_half_a_file(void **state)
{
    (void)state;
    make_whole();
    const size_t requests = memory.calls;
    assert_true(requests > 10 && requests < 2000);
    for (size_t i = 0; i < requests * 2; i++) {
        leave_old_files();
        reset();
        memory.fail_at = i / 2 + 1;
        memory.for_good = i % 2 != 0;
        const int status = run();
        assert_true(status == RC_EXIT_OK || status == RC_EXIT_INTERNAL);
        check_folder(status, false);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_failing_call_passes_for_success),
        cmocka_unit_test(writes_come_in_pieces),
        cmocka_unit_test(lost_files_are_reported),
        cmocka_unit_test(folders_above_are_made),
        cmocka_unit_test(no_failing_allocation_crashes_leaks_or_leaves_half_a_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
