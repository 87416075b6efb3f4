/* `recourse doctor`: whether a gateway could work here, and if not, why and what to do.
 *
 *   configuration ──► keys ──► store, ports, limits, versions ─┐
 *         └──► providers, all at once, on one loop ────────────┴──► findings
 *
 * Nothing is changed, nothing that costs money is asked for, and no secret is shown. */
#ifndef RC_CLI_DOCTOR_DOCTOR_H
#define RC_CLI_DOCTOR_DOCTOR_H

#include "base/arena.h"
#include "cli/cli.h"
#include "config/load.h"

/* Sorted by how bad it is. */
typedef enum rc_finding_level {
    RC_FINDING_NOTE = 0, /* nothing to do, worth knowing */
    RC_FINDING_FINE = 1,
    RC_FINDING_WARN = 2,
    RC_FINDING_FAULT = 3
} rc_finding_level;

/* The groups, in the order in which they are shown. */
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
    struct rc_finding *next; /* of the same group */
    rc_finding_level level;
    int exit_status;  /* of a fault */
    char subject[64]; /* "openai tls"; all end in NUL, cut where too long */
    char detail[384];
    char advice[256]; /* what to do next; "": nothing */
} rc_finding;

typedef struct rc_doctor {
    rc_cli *cli;
    rc_arena arena;
    rc_finding *first[RC_GROUP_COUNT];
    rc_finding *last[RC_GROUP_COUNT];
    rc_finding spare; /* written to when there is no memory: then the run fails as a whole */
    size_t counts[RC_FINDING_FAULT + 1];
    unsigned timeout_s;
} rc_doctor;

/* cli: borrows. */
void rc_doctor_init(rc_doctor *doctor, rc_cli *cli, unsigned timeout_s);
void rc_doctor_done(rc_doctor *doctor);

/* ---- findings: doctor_finding.c ---- */

/* A new one. what: copies. Never NULL. */
rc_finding *rc_doctor_add(rc_doctor *doctor, rc_doctor_group group, rc_finding_level level,
                          rc_str what);

/* A fault with the exit status that it stands for. */
rc_finding *rc_doctor_fault(rc_doctor *doctor, rc_doctor_group group, rc_str what, int exit_status);

/* Append to the detail; give finding. text: copies. */
rc_finding *rc_finding_push(rc_finding *finding, const char *text);
rc_finding *rc_finding_push_str(rc_finding *finding, rc_str text);
rc_finding *rc_finding_push_u64(rc_finding *finding, uint64_t number);
/* "1 provider", "2 providers": one is the word for one of them, many for all other numbers. */
rc_finding *rc_finding_push_count(rc_finding *finding, uint64_t number, const char *one,
                                  const char *many);

/* Appends to what to do next. */
rc_finding *rc_finding_advise(rc_finding *finding, const char *text);

const char *rc_doctor_group_name(rc_doctor_group group);
const char *rc_finding_level_name(rc_finding_level level);

/* 0, or that of the worst fault: 78, then 77, 74, 69. */
int rc_doctor_exit_status(const rc_doctor *doctor);

/* ---- the checks ---- */

/* doctor_config.c. True: *ret_config is there, and the caller's to rc_config_done. path: as in
 * rc_config_load. */
bool rc_doctor_load(rc_doctor *doctor, const char *path, rc_config *ret_config);
void rc_doctor_check_config(rc_doctor *doctor, const rc_config *config);
void rc_doctor_check_keys(rc_doctor *doctor, const rc_config *config);

/* doctor_store.c */
void rc_doctor_check_store(rc_doctor *doctor, const rc_config *config);

/* doctor_host.c */
void rc_doctor_check_limits(rc_doctor *doctor, const rc_config *config);
void rc_doctor_add_versions(rc_doctor *doctor);

/* doctor_net.c: providers, the clock, and who holds the ports; all at once. False: there was no
 * memory for it. */
bool rc_doctor_check_net(rc_doctor *doctor, const rc_config *config, bool is_offline);

/* ---- doctor_show.c ---- */

void rc_doctor_push_human(const rc_doctor *doctor, rc_buf *buf, bool has_colour);
void rc_doctor_push_json(const rc_doctor *doctor, rc_buf *buf);
void rc_doctor_push_markdown(const rc_doctor *doctor, rc_buf *buf);

#endif
