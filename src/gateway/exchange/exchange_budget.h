/* Messages about budgets for clients and operators. */
#ifndef RC_GATEWAY_EXCHANGE_EXCHANGE_BUDGET_H
#define RC_GATEWAY_EXCHANGE_EXCHANGE_BUDGET_H

typedef struct rc_attempt rc_attempt;
typedef struct rc_exchange rc_exchange;
typedef struct rc_ledger_notices rc_ledger_notices;

/* Builds the report BudgetExceeded, with the amounts and the renewal time, from the `decision` of
 * the exchange. */
void rc_attempt_report_budget(rc_attempt *attempt);
/* Emits notices about budgets. */
void rc_exchange_emit_budgets(rc_exchange *exchange, const rc_ledger_notices *notices);

#endif
