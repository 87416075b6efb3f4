/* Passes each file of a folder to a fuzz target once, and reports in TAP. An empty folder is a
 * failure, so that a missing corpus does not look like a passed one. */
#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MAX_FILES 100000
#define MAX_FILE_BYTES (64 * 1024 * 1024)
#define MAX_PATH_BYTES 4096

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* The whole file in exactly as many bytes as it has, so that the sanitizer sees a read past its
 * end. NULL on failure. */
static uint8_t *read_file(const char *path, size_t *ret_size)
{
    struct stat st;
    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size > MAX_FILE_BYTES)
        return NULL;
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    size_t size = (size_t)st.st_size;
    uint8_t *data = malloc(size ? size : 1);
    if (data && fread(data, 1, size, file) != size) {
        free(data);
        data = NULL;
    }
    fclose(file);
    *ret_size = size;
    return data;
}

static bool replay(const char *folder, const char *name)
{
    char path[MAX_PATH_BYTES];
    int len = snprintf(path, sizeof path, "%s/%s", folder, name);
    if (len < 0 || (size_t)len >= sizeof path)
        return false;
    size_t size = 0;
    uint8_t *data = read_file(path, &size);
    if (!data)
        return false;
    int refused = LLVMFuzzerTestOneInput(data, size);
    free(data);
    return refused == 0;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
        return 64;
    }
    struct dirent **entries = NULL;
    int count = scandir(argv[1], &entries, is_visible, alphasort);
    if (count <= 0 || count > MAX_FILES) {
        fprintf(stderr, "%s: no corpus, or more than %d files\n", argv[1], MAX_FILES);
        return 66;
    }

    printf("1..%d\n", count);
    int failed = 0;
    for (int i = 0; i < count; i++) {
        /* The name is printed before the run, so that the log of a crash ends with the name of its
         * input. */
        fprintf(stderr, "# %s\n", entries[i]->d_name);
        bool ok = replay(argv[1], entries[i]->d_name);
        printf("%s %d - %s\n", ok ? "ok" : "not ok", i + 1, entries[i]->d_name);
        fflush(stdout);
        failed += !ok;
        free(entries[i]);
    }
    free(entries);
    return failed ? 1 : 0;
}
