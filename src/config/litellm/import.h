/* The configuration of a LiteLLM proxy, told in ours.
 *
 *   config.yaml ──► deployments ──► providers (who, where, whose key) ─┐
 *                       └─────────► groups of one model_name ──► chains ┴──► recourse.yaml
 *                                        └── fallbacks, aliases ──┘     └──► notes
 *
 * What has no counterpart becomes a note with its place. Literal secrets are never copied: a
 * variable takes their place. What comes out passes rc_config_parse. */
#ifndef RC_CONFIG_LITELLM_IMPORT_H
#define RC_CONFIG_LITELLM_IMPORT_H

#include <recourse/alloc.h>
#include <recourse/buf.h>
#include <recourse/status.h>

#include "config/fault.h"

/* More are counted and not kept. */
#define RC_LITELLM_NOTES_MAX 500
#define RC_LITELLM_DEPLOYMENTS_MAX 1024
/* Beyond RC_YAML_MAX_BYTES nothing could read it again. */
#define RC_LITELLM_OUTPUT_MAX ((size_t)1 << 20)

/* One thing that was not carried over, or only in part. */
typedef struct rc_litellm_note {
    uint32_t line;
    uint32_t column;
    char path[128]; /* "router_settings.routing_strategy"; both end in NUL */
    char text[256];
} rc_litellm_note;

typedef struct rc_litellm_notes {
    size_t count; /* all of them; at most RC_LITELLM_NOTES_MAX are in the list */
    rc_litellm_note list[RC_LITELLM_NOTES_MAX];
} rc_litellm_notes;

/* Appends our YAML, with the notes as comments at its top. RC_OK; RC_E_NOMEM; else faults says what
 * is wrong with text: as rc_yaml_parse, or RC_E_RANGE: it is no configuration of LiteLLM, or
 * nothing of it could be carried over. name: of the file, for the first comment. All: borrow. */
rc_status rc_litellm_import(rc_str text, rc_str name, const rc_alloc *alloc,
                            rc_litellm_notes *ret_notes, rc_buf *ret_yaml,
                            rc_config_faults *faults);

#endif
