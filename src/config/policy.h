/* Retry policies in YAML, read and written: docs/policies.md. */
#ifndef RC_CONFIG_POLICY_H
#define RC_CONFIG_POLICY_H

#include <recourse/buf.h>
#include <recourse/policy.h>

#include "config/yaml/yaml.h"

/* Returns the policy from which a policy without `preset` starts: transport without its rules for
 * single codes, so that its default attempts and waits apply to all codes. */
rc_policy rc_policy_plain(void);

/* Reads a policy. Returns false if it added faults. node: borrows. name: copies. */
bool rc_policy_read(const rc_yaml_node *node, rc_str name, rc_config_faults *faults,
                    rc_policy *ret_policy);

/* Appends all keys of the policy as one line of YAML: "{enabled: true, ...}". */
void rc_policy_push_yaml(rc_buf *buf, const rc_policy *policy);

/* Appends a summary of the rule: "3 attempts, waits 1s, 2s +-20%". */
void rc_retry_rule_push_summary(rc_buf *buf, const rc_retry_rule *rule);

/* Appends the codes of the rule, each preceded by a space. */
void rc_retry_rule_push_codes(rc_buf *buf, const rc_retry_rule *rule);

#endif
