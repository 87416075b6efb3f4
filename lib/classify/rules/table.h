/* Generated from spec/classify.rules by `make generate`. Do not edit. */
#ifndef RC_CLASSIFY_RULES_TABLE_H
#define RC_CLASSIFY_RULES_TABLE_H

#include "classify/rules/rule.h"

#define RC_RULES_BUILTIN_COUNT 202u

extern const rc_rule rc_rules_table[RC_RULES_BUILTIN_COUNT];
extern const rc_rule_prefilter rc_rules_prefilters[RC_RULES_BUILTIN_COUNT];
extern const rc_fact rc_rules_terms[];

#endif
