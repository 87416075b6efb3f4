/* Reads and writes retry policies in YAML. docs/policies.md describes the format. */
#ifndef RC_CONFIG_POLICY_H
#define RC_CONFIG_POLICY_H

#include <recourse/buf.h>
#include <recourse/policy.h>
#include <recourse/taxonomy.h>

#include "config/yaml/yaml.h"

/* Returns the plain policy. A policy without the key `preset` starts with its settings. The plain
 * policy is the preset "transport" without the rules for single codes, so that the default attempts
 * and waits apply to all codes. */
rc_policy rc_policy_plain(void);

/* Reads a policy. Returns false if it added faults. node: borrows during the call. name: copies. */
bool rc_policy_read(const rc_yaml_node *node, rc_str name, rc_config_faults *faults,
                    rc_policy *ret_policy);

/* Reads a list of error codes into a set. check: adds a fault for a code that the key does not
 * accept; may be NULL. */
void rc_policy_read_codes(const rc_yaml_node *list, rc_config_faults *faults,
                          void (*check)(const rc_yaml_node *node, const rc_code_info *info,
                                        rc_config_faults *faults),
                          rc_code_set *set);

/* Appends the codes of the set as a YAML list. */
void rc_policy_push_codes(rc_buf *buf, const rc_code_set *set);

/* Appends all keys of the policy as one line of YAML, such as "{enabled: true, ...}". */
void rc_policy_push_yaml(rc_buf *buf, const rc_policy *policy);

/* Appends a summary of the rule, such as "3 attempts, waits 1s, 2s +-20%". */
void rc_retry_rule_push_summary(rc_buf *buf, const rc_retry_rule *rule);

/* Appends the error codes of the rule, each preceded by a space. */
void rc_retry_rule_push_codes(rc_buf *buf, const rc_retry_rule *rule);

#endif
