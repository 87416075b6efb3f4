/* Bytes as a configuration of LiteLLM. A converted configuration passes our own check, a refused
 * one has a fault, and every note has a text and a position. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <recourse/stdlib.h>

#include "base/utf8.h"
#include "config/config.h"
#include "config/litellm/import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static rc_litellm_notes notes;

static void require(bool is_true, const char *what)
{
    if (is_true)
        return;
    fprintf(stderr, "not true: %s\n", what);
    abort();
}

static void check_notes(void)
{
    for (size_t i = 0; i < notes.count && i < RC_LITELLM_NOTES_MAX; i++) {
        require(notes.list[i].text[0] != '\0', "a note says something");
        require(notes.list[i].line > 0 && notes.list[i].column > 0, "and where");
        require(rc_utf8_is_valid(rc_str_c(notes.list[i].text)), "in UTF-8");
    }
}

static void check_made(rc_str yaml, const rc_alloc *alloc)
{
    rc_config config;
    rc_config_faults faults;
    rc_config_faults_init(&faults);
    const rc_status status = rc_config_parse(&config, yaml, alloc, &faults);
    require(status == RC_OK, "what came of it is good");
    require(config.provider_count > 0, "and has a provider");
    rc_config_done(&config);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const rc_alloc alloc = rc_alloc_stdlib();
    rc_buf yaml;
    rc_config_faults faults;
    rc_buf_init(&yaml, &alloc, RC_LITELLM_OUTPUT_MAX);
    rc_config_faults_init(&faults);
    const rc_str text = rc_str_make(size > 0 ? (const char *)data : NULL, size);
    const rc_status status =
        rc_litellm_import(text, RC_STR("config.yaml"), &alloc, &notes, &yaml, &faults);
    check_notes();
    if (status == RC_OK)
        check_made(rc_buf_get(&yaml), &alloc);
    else
        require(faults.count > 0 || status == RC_E_TOO_LARGE, "what is refused has a fault");
    /* A fault concerns only the input's own values, never values that the conversion made. */
    for (size_t i = 0; status == RC_E_RANGE && i < rc_config_faults_listed(&faults); i++) {
        const rc_str path = rc_str_c(faults.list[i].path);
        require(path.len == 0 || rc_str_eq(rc_str_make(path.ptr, path.len < 10 ? path.len : 10),
                                           RC_STR("model_list")),
                "a fault is one of the input");
    }
    rc_buf_done(&yaml);
    return 0;
}
