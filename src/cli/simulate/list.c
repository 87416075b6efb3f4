/* `recourse simulate --list`: built-in scenarios and policies. Called by command.c. */
#include "cli/simulate/simulate.h"
#include "json/writer.h"

static const char *policy_about(const char *name, rc_sim_policy *scratch)
{
    return rc_sim_policy_named(rc_str_c(name), scratch) ? scratch->about : "";
}

void rc_simulate_list_human(rc_buf *buf, unsigned width)
{
    rc_sim_policy policy;
    rc_cli_text(buf, "Scenarios:\n");
    for (size_t i = 0; rc_sim_builtin_at(i) != NULL; i++) {
        const rc_sim_builtin *builtin = rc_sim_builtin_at(i);
        rc_help_entry(buf, rc_str_c(builtin->name), builtin->about, width);
    }
    rc_cli_text(buf, "\nPolicies:\n");
    for (size_t i = 0; rc_sim_policy_name_at(i) != NULL; i++) {
        const char *name = rc_sim_policy_name_at(i);
        rc_help_entry(buf, rc_str_c(name), policy_about(name, &policy), width);
    }
}

static void push_entry(rc_json_writer *w, const char *name, const char *about)
{
    rc_json_object_begin(w);
    rc_json_member_string(w, RC_STR("name"), rc_str_c(name));
    rc_json_member_string(w, RC_STR("about"), rc_str_c(about));
    rc_json_object_end(w);
}

void rc_simulate_list_json(rc_buf *buf)
{
    rc_json_writer w;
    rc_sim_policy policy;
    rc_json_writer_init(&w, buf, 0);
    rc_json_object_begin(&w);
    rc_json_key(&w, RC_STR("scenarios"));
    rc_json_array_begin(&w);
    for (size_t i = 0; rc_sim_builtin_at(i) != NULL; i++)
        push_entry(&w, rc_sim_builtin_at(i)->name, rc_sim_builtin_at(i)->about);
    rc_json_array_end(&w);
    rc_json_key(&w, RC_STR("policies"));
    rc_json_array_begin(&w);
    for (size_t i = 0; rc_sim_policy_name_at(i) != NULL; i++)
        push_entry(&w, rc_sim_policy_name_at(i), policy_about(rc_sim_policy_name_at(i), &policy));
    rc_json_array_end(&w);
    rc_json_object_end(&w);
    rc_buf_push_byte(buf, '\n');
}
