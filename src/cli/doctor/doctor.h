/* `recourse doctor`: checks whether a gateway can run here; each finding says what is wrong and
 * what to do.
 *
 *   configuration ──► keys ──► store, ports, limits, versions ─┐
 *         └──► providers, in parallel, on one loop ────────────┴──► findings
 *
 * The doctor changes nothing, sends no request that costs money, and prints no secret. */
#ifndef RC_CLI_DOCTOR_DOCTOR_H
#define RC_CLI_DOCTOR_DOCTOR_H

#include "base/arena.h"
#include "cli/cli.h"
#include "config/load.h"

/* Levels of a finding, in ascending order of severity. */
typedef enum rc_finding_level {
    RC_FINDING_NOTE = 0, /* For information; the user need not act. */
    RC_FINDING_FINE = 1,
    RC_FINDING_WARN = 2,
    RC_FINDING_FAULT = 3
} rc_finding_level;

/* Groups of findings, in the order of the output. */
typedef enum rc_doctor_group {
    RC_GROUP_CONFIG = 0,
    RC_GROUP_KEYS = 1,
    RC_GROUP_PROVIDERS = 2,
    RC_GROUP_CLOCK = 3,
    RC_GROUP_STORE = 4,
    RC_GROUP_PORTS = 5,
    RC_GROUP_LIMITS = 6,
    RC_GROUP_VERSIONS = 7,
    RC_GROUP_COUNT = 8
} rc_doctor_group;

typedef struct rc_finding {
    struct rc_finding *next; /* Next finding of the same group. */
    rc_finding_level level;
    int exit_status; /* Exit status of a fault. */
    /* Checked thing, such as "openai tls". All texts end in NUL and are cut if too long. */
    char subject[64];
    char detail[384];
    char advice[256]; /* Next step for the user; "": none. */
} rc_finding;

typedef struct rc_doctor {
    rc_cli *cli;
    rc_arena arena;
    rc_finding *first[RC_GROUP_COUNT];
    rc_finding *last[RC_GROUP_COUNT];
    /* rc_doctor_add returns this finding if there is no memory; the run then fails. */
    rc_finding spare;
    size_t counts[RC_FINDING_FAULT + 1];
    unsigned timeout_s;
} rc_doctor;

/* cli: borrows until rc_doctor_done. */
void rc_doctor_init(rc_doctor *doctor, rc_cli *cli, unsigned timeout_s);
void rc_doctor_done(rc_doctor *doctor);

/* ---- findings: finding.c ---- */

/* Adds a finding; never returns NULL. subject: copies the text. */
rc_finding *rc_doctor_add(rc_doctor *doctor, rc_doctor_group group, rc_finding_level level,
                          rc_str subject);

/* Adds a finding of the level fault with its exit status. subject: copies the text. */
rc_finding *rc_doctor_fault(rc_doctor *doctor, rc_doctor_group group, rc_str subject,
                            int exit_status);

/* Append text to the detail of the finding; return finding. text: copies the text. */
rc_finding *rc_finding_push(rc_finding *finding, const char *text);
rc_finding *rc_finding_push_str(rc_finding *finding, rc_str text);
rc_finding *rc_finding_push_u64(rc_finding *finding, uint64_t number);
/* Appends "1 provider" or "2 providers": `one` is the noun for 1, `many` for other numbers. */
rc_finding *rc_finding_push_count(rc_finding *finding, uint64_t number, const char *one,
                                  const char *many);

/* Appends text to the advice of the finding. text: copies the text. */
rc_finding *rc_finding_advise(rc_finding *finding, const char *text);

const char *rc_doctor_group_name(rc_doctor_group group);
const char *rc_finding_level_name(rc_finding_level level);

/* Returns 0, or the exit status of the worst fault. From worst to least: 78, 77, 74, 69. */
int rc_doctor_exit_status(const rc_doctor *doctor);

/* ---- checks ---- */

/* config.c. rc_doctor_load returns true and gives *ret_config, which the caller ends with
 * rc_config_done; otherwise it adds the faults as findings. path: like rc_config_load. */
bool rc_doctor_load(rc_doctor *doctor, const char *path, rc_config *ret_config);
void rc_doctor_check_config(rc_doctor *doctor, const rc_config *config);
void rc_doctor_check_keys(rc_doctor *doctor, const rc_config *config);

/* store.c: checks whether the gateway can use its store. */
void rc_doctor_check_store(rc_doctor *doctor, const rc_config *config);

/* machine.c: checks the limit of open files; lists the versions of the libraries. */
void rc_doctor_check_limits(rc_doctor *doctor, const rc_config *config);
void rc_doctor_add_versions(rc_doctor *doctor);

/* net.c: checks providers, clock and ports in parallel. Returns false if memory ran out. */
bool rc_doctor_check_net(rc_doctor *doctor, const rc_config *config, bool is_offline);

/* ---- output: show.c ---- */

void rc_doctor_push_human(const rc_doctor *doctor, rc_buf *buf, bool has_colour);
void rc_doctor_push_json(const rc_doctor *doctor, rc_buf *buf);
void rc_doctor_push_markdown(const rc_doctor *doctor, rc_buf *buf);

#endif
