/* Writes generated files; used by all generators (gen_*.c). */
#define _GNU_SOURCE
#include "gen_file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct text {
    char *ptr;
    size_t len;
};

static int fail(const char *program, const char *action, const char *path)
{
    fprintf(stderr, "%s: %s %s: %s\n", program, action, path, strerror(errno));
    return 1;
}

static bool is_same(const char *path, const struct text *text)
{
    FILE *in = fopen(path, "rb");
    if (in == NULL)
        return false;
    char *old = malloc(text->len + 1);
    size_t len = old != NULL ? fread(old, 1, text->len + 1, in) : 0;
    bool same = old != NULL && len == text->len && memcmp(old, text->ptr, len) == 0;
    free(old);
    fclose(in);
    return same;
}

/* Creates the missing folders of the path. */
static int make_folders(const char *program, char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        int result = mkdir(path, 0777);
        *slash = '/';
        if (result != 0 && errno != EEXIST)
            return fail(program, "cannot make the folder of", path);
    }
    return 0;
}

/* Writes a second file and renames it, so that a reader never sees a partial file. */
static int write_file(const char *program, char *path, const struct text *text)
{
    if (is_same(path, text))
        return 0;
    if (make_folders(program, path) != 0)
        return 1;

    char *fresh = NULL;
    if (asprintf(&fresh, "%s.new", path) < 0)
        return fail(program, "no memory for", path);
    FILE *out = fopen(fresh, "wb");
    bool is_written = out != NULL && fwrite(text->ptr, 1, text->len, out) == text->len;
    if (out != NULL && fclose(out) != 0)
        is_written = false;
    int result = is_written && rename(fresh, path) == 0 ? 0 : fail(program, "cannot write", path);
    if (result != 0 && out != NULL)
        remove(fresh);
    free(fresh);
    return result;
}

int gen_file_write(const char *program, const char *root, const char *name, void (*writer)(FILE *))
{
    struct text text = {0};
    FILE *out = open_memstream(&text.ptr, &text.len);
    if (out == NULL)
        return fail(program, "no memory for", name);
    writer(out);
    bool has_failed = ferror(out) != 0;
    has_failed = fclose(out) != 0 || has_failed;

    char *path = NULL;
    if (has_failed || asprintf(&path, "%s/%s", root, name) < 0) {
        free(text.ptr);
        return fail(program, "no memory for", name);
    }
    int result = write_file(program, path, &text);
    free(path);
    free(text.ptr);
    return result;
}

char *gen_file_read(const char *program, const char *path)
{
    FILE *in = fopen(path, "rb");
    struct text text = {0};
    FILE *out = in ? open_memstream(&text.ptr, &text.len) : NULL;
    char part[4096];
    size_t len;
    while (out && (len = fread(part, 1, sizeof part, in)) > 0)
        fwrite(part, 1, len, out);
    bool has_failed = !out || ferror(in) != 0 || ferror(out) != 0;
    if (out && fclose(out) != 0)
        has_failed = true;
    if (has_failed) {
        fail(program, "cannot read", path);
        free(text.ptr);
        text.ptr = NULL;
    }
    if (in)
        fclose(in);
    return text.ptr;
}
