/* Retry policies in YAML: docs/policies.md. */
#ifndef RC_CONFIG_POLICY_H
#define RC_CONFIG_POLICY_H

#include <recourse/buf.h>
#include <recourse/policy.h>

#include "config/yaml/yaml.h"

/* What a policy starts from that names no preset: transport's tries and waits for the codes that
 * have no rule of their own there, for all codes. */
rc_policy rc_policy_plain(void);

/* Reads a policy. False: faults were added. node: borrows. name: copies. */
bool rc_policy_read(const rc_yaml_node *node, rc_str name, rc_config_faults *faults,
                    rc_policy *ret_policy);

/* Appends the policy's keys and values as YAML in one line, all of them: "{enabled: true, ...}". */
void rc_policy_push_yaml(rc_buf *buf, const rc_policy *policy);

/* Appends what it does, in a few words: "3 tries, waits 1s, 2s +-20%". */
void rc_retry_rule_push_summary(rc_buf *buf, const rc_retry_rule *rule);

/* Appends the codes that it is for, each behind a space. */
void rc_retry_rule_push_codes(rc_buf *buf, const rc_retry_rule *rule);

#endif
