/* Doctor: the list of findings. Called by all checks. */
#include <string.h>

#include "base/str.h"
#include "cli/doctor/doctor.h"

#define FINDINGS_MAX_BYTES ((size_t)4 << 20)

void rc_doctor_init(rc_doctor *doctor, rc_cli *cli, unsigned timeout_s)
{
    memset(doctor, 0, sizeof *doctor);
    doctor->cli = cli;
    doctor->timeout_s = timeout_s;
    rc_arena_init(&doctor->arena, &cli->alloc, FINDINGS_MAX_BYTES);
}

void rc_doctor_done(rc_doctor *doctor)
{
    rc_arena_done(&doctor->arena);
}

rc_finding *rc_doctor_add(rc_doctor *doctor, rc_doctor_group group, rc_finding_level level,
                          rc_str subject)
{
    rc_finding *finding = rc_arena_get(&doctor->arena, sizeof *finding);
    if (finding == NULL)
        return &doctor->spare;
    finding->level = level;
    rc_config_text_append(finding->subject, sizeof finding->subject, subject);
    if (doctor->last[group] != NULL)
        doctor->last[group]->next = finding;
    else
        doctor->first[group] = finding;
    doctor->last[group] = finding;
    doctor->counts[level]++;
    return finding;
}

rc_finding *rc_doctor_fault(rc_doctor *doctor, rc_doctor_group group, rc_str subject,
                            int exit_status)
{
    rc_finding *finding = rc_doctor_add(doctor, group, RC_FINDING_FAULT, subject);
    finding->exit_status = exit_status;
    return finding;
}

rc_finding *rc_finding_push_str(rc_finding *finding, rc_str text)
{
    rc_config_text_append(finding->detail, sizeof finding->detail, text);
    return finding;
}

rc_finding *rc_finding_push(rc_finding *finding, const char *text)
{
    return rc_finding_push_str(finding, rc_str_c(text));
}

rc_finding *rc_finding_push_u64(rc_finding *finding, uint64_t number)
{
    char scratch[24];
    rc_buf text;
    rc_buf_init_fixed(&text, scratch, sizeof scratch);
    rc_buf_push_u64(&text, number);
    return rc_finding_push_str(finding, rc_buf_get(&text));
}

rc_finding *rc_finding_push_count(rc_finding *finding, uint64_t number, const char *one,
                                  const char *many)
{
    rc_finding_push(rc_finding_push_u64(finding, number), " ");
    return rc_finding_push(finding, number == 1 ? one : many);
}

rc_finding *rc_finding_advise(rc_finding *finding, const char *text)
{
    rc_config_text_append(finding->advice, sizeof finding->advice, rc_str_c(text));
    return finding;
}

const char *rc_doctor_group_name(rc_doctor_group group)
{
    static const char *const names[RC_GROUP_COUNT] = {
        [RC_GROUP_CONFIG] = "configuration", [RC_GROUP_KEYS] = "keys",
        [RC_GROUP_PROVIDERS] = "providers",  [RC_GROUP_CLOCK] = "clock",
        [RC_GROUP_STORE] = "store",          [RC_GROUP_PORTS] = "ports",
        [RC_GROUP_LIMITS] = "limits",        [RC_GROUP_VERSIONS] = "versions",
    };
    return names[group];
}

const char *rc_finding_level_name(rc_finding_level level)
{
    static const char *const names[] = {"note", "fine", "warning", "fault"};
    return names[level];
}

int rc_doctor_exit_status(const rc_doctor *doctor)
{
    static const int worst_first[] = {78, 77, 74, 69};
    for (size_t i = 0; i < sizeof worst_first / sizeof worst_first[0]; i++)
        for (size_t g = 0; g < RC_GROUP_COUNT; g++)
            for (const rc_finding *f = doctor->first[g]; f != NULL; f = f->next)
                if (f->level == RC_FINDING_FAULT && f->exit_status == worst_first[i])
                    return worst_first[i];
    return RC_EXIT_OK;
}
