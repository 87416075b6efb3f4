/* Imports the configuration of a LiteLLM proxy: converts config.yaml to recourse.yaml.
 *
 *   config.yaml ──► deployments ──► providers (kind, address, key) ─────┐
 *                       └─────────► groups of one model_name ──► chains ┴──► recourse.yaml
 *                                        └── fallbacks, aliases ──┘     └──► notes
 *
 * Every setting that recourse.yaml cannot express becomes a note with its position. Literal secrets
 * are never copied; the output refers to an environment variable instead. rc_config_parse accepts
 * the output. */
#ifndef RC_CONFIG_LITELLM_IMPORT_H
#define RC_CONFIG_LITELLM_IMPORT_H

#include <recourse/alloc.h>
#include <recourse/buf.h>
#include <recourse/status.h>

#include "config/fault.h"

/* Maximum length of the list. Further notes are counted but not stored. */
#define RC_LITELLM_NOTES_MAX 500
#define RC_LITELLM_DEPLOYMENTS_MAX 1024
/* Maximum size of the output: RC_YAML_MAX_BYTES, because rc_config_parse does not read more. */
#define RC_LITELLM_OUTPUT_MAX ((size_t)1 << 20)

/* A note about a setting that was not converted, or only in part. */
typedef struct rc_litellm_note {
    uint32_t line;
    uint32_t column;
    char path[128]; /* Path of the setting, such as "router_settings.routing_strategy";
                     * NUL-terminated. */
    char text[256];
} rc_litellm_note;

typedef struct rc_litellm_notes {
    size_t count; /* Number of all notes, including those beyond RC_LITELLM_NOTES_MAX, which are not
                   * stored. */
    rc_litellm_note list[RC_LITELLM_NOTES_MAX];
} rc_litellm_notes;

/* Converts `text` and appends the recourse.yaml to ret_yaml, with the notes as comments at its top.
 * Returns RC_OK or RC_E_NOMEM. If `text` has errors, `faults` gets them; the result is then the
 * status of rc_yaml_parse_anchored, or RC_E_RANGE if `text` is not a LiteLLM configuration or no
 * part of it could be converted. `name` is the file name for the first comment. All pointer
 * parameters: borrows during the call. */
rc_status rc_litellm_import(rc_str text, rc_str name, const rc_alloc *alloc,
                            rc_litellm_notes *ret_notes, rc_buf *ret_yaml,
                            rc_config_faults *faults);

#endif
