/* tool_translate FILE...: translates each request into every other dialect and prints a line for
 * each: the target's dialect, the file, the body, with tabs between. A file has the form of
 * tests/fuzz/corpus/translation: a byte whose lowest two bits are the client's dialect, a byte that
 * is ignored, the body. Requests that a target refuses are left out. Called by tests/schemas. */
#include <stdio.h>
#include <string.h>

#include <recourse/stdlib.h>

#include "base/str.h"
#include "dialect/translate/write.h"
#include "support/translate_run.h"

#define BYTES_MAX ((size_t)1 << 20)
#define HEAD_BYTES 2

static bool read_file(const char *path, rc_buf *buf)
{
    char chunk[4096];
    size_t count;
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return false;
    while ((count = fread(chunk, 1, sizeof chunk, file)) > 0)
        rc_buf_push(buf, rc_str_make(chunk, count));
    fclose(file);
    return rc_buf_status(buf) == RC_OK && buf->len > HEAD_BYTES;
}

static void print_translation(const rc_alloc *alloc, const rc_conversation *c,
                              const translate_dialect *to, const char *path)
{
    rc_translation_plan plan;
    rc_buf scratch;
    rc_buf out;
    rc_translate_target target = {.dialect = to->dialect,
                                  .model = RC_STR("m"),
                                  .name = RC_STR("p/m"),
                                  .facts = {.is_known = true, .flags = 0xffffffffu}};
    rc_buf_init(&scratch, alloc, BYTES_MAX);
    rc_buf_init(&out, alloc, BYTES_MAX);
    if (rc_translation_plan_make(&plan, c, &target, &scratch) == RC_OK &&
        plan.fit != RC_FIT_REFUSED && rc_translation_write(&plan, &scratch, &out) == RC_OK)
        printf("%s\t%s\t%.*s\n", to->name, path, (int)out.len, out.ptr);
    rc_buf_done(&scratch);
    rc_buf_done(&out);
}

static void translate_file(const rc_alloc *alloc, const char *path)
{
    rc_buf file;
    rc_conversation c;
    rc_buf_init(&file, alloc, BYTES_MAX);
    rc_conversation_init(&c, alloc);
    if (read_file(path, &file)) {
        rc_str all = rc_buf_get(&file);
        const translate_dialect *from = &translate_dialects[all.ptr[0] & 3];
        rc_str body = rc_str_slice(all, HEAD_BYTES, all.len);
        if (rc_conversation_read(&c, from->dialect, body, false) == RC_OK)
            for (size_t i = 0; i < TRANSLATE_DIALECT_COUNT; i++)
                if (&translate_dialects[i] != from)
                    print_translation(alloc, &c, &translate_dialects[i], path);
    }
    rc_conversation_done(&c);
    rc_buf_done(&file);
}

int main(int argc, char **argv)
{
    rc_alloc alloc = rc_alloc_stdlib();
    for (int i = 1; i < argc; i++)
        translate_file(&alloc, argv[i]);
    return 0;
}
