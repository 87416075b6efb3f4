/* Generated from spec/scenarios by make generate. Do not edit. */
#include "sim/scenarios_table.h"

/* clang-format off */
const rc_sim_builtin rc_sim_scenarios_table[] = {
    {"brownout",
     "for one minute, a third of the calls fail and a third take four times as long",
     "name: brownout\n"
     "about: for one minute, a third of the calls fail and a third take four times as long\n"
     "duration_ms: 150s\n"
     "clients:\n"
     "  count: 2000\n"
     "  every_ms: 10s\n"
     "  deadline_ms: 30s\n"
     "providers:\n"
     "  - name: primary\n"
     "    faults:\n"
     "      - {kind: error, from_ms: 30s, until_ms: 90s, share_pct: 33}\n"
     "      - {kind: slow, from_ms: 30s, until_ms: 90s, share_pct: 33, slow_pct: 400}\n"
    },
    {"flaky-stream",
     "streams that begin late, never begin, or are cut",
     "name: flaky-stream\n"
     "about: streams that begin late, never begin, or are cut\n"
     "duration_ms: 120s\n"
     "clients:\n"
     "  count: 1000\n"
     "  every_ms: 10s\n"
     "  stream: true\n"
     "  deadline_ms: 60s\n"
     "  first_token_wait_ms: 10s\n"
     "providers:\n"
     "  - name: primary\n"
     "    dialect: anthropic\n"
     "    price: {input_usd_per_mtok: 3, output_usd_per_mtok: 15}\n"
     "    faults:\n"
     "      - {kind: slow-first, from_ms: 20s, until_ms: 100s, share_pct: 10, slow_pct: 2000}\n"
     "      - {kind: hang, from_ms: 20s, until_ms: 100s, share_pct: 2}\n"
     "      - {kind: cut, from_ms: 20s, until_ms: 100s, share_pct: 6, after_tokens: 0}\n"
     "      - {kind: cut, from_ms: 20s, until_ms: 100s, share_pct: 4, after_tokens: 60}\n"
    },
    {"outage",
     "the only provider responds with 503 for half a minute",
     "name: outage\n"
     "about: the only provider responds with 503 for half a minute\n"
     "duration_ms: 120s\n"
     "clients:\n"
     "  count: 5000\n"
     "  every_ms: 10s\n"
     "  deadline_ms: 60s\n"
     "providers:\n"
     "  - name: primary\n"
     "    faults:\n"
     "      - {kind: outage, from_ms: 20s, until_ms: 50s}\n"
     "policies: [recourse, budget-alone, openai-sdk, litellm, portkey, naive, none]\n"
    },
    {"quota",
     "both keys of the first provider run out of credit; the second provider costs more",
     "name: quota\n"
     "about: both keys of the first provider run out of credit; the second provider costs more\n"
     "duration_ms: 120s\n"
     "clients:\n"
     "  count: 1000\n"
     "  every_ms: 10s\n"
     "  deadline_ms: 60s\n"
     "providers:\n"
     "  - name: primary\n"
     "    keys: 2\n"
     "    limits: {quota_requests: 3000}\n"
     "    price: {input_usd_per_mtok: 2.5, output_usd_per_mtok: 10}\n"
     "  - name: backup\n"
     "    dialect: anthropic\n"
     "    price: {input_usd_per_mtok: 3, output_usd_per_mtok: 15}\n"
    },
    {"rate-limit",
     "for 40 seconds, the load doubles and exceeds the key's rate limit",
     "name: rate-limit\n"
     "about: for 40 seconds, the load doubles and exceeds the key's rate limit\n"
     "duration_ms: 180s\n"
     "clients:\n"
     "  count: 600\n"
     "  every_ms: 10s\n"
     "  surge: {from_ms: 40s, until_ms: 80s, pct: 200}\n"
     "  deadline_ms: 60s\n"
     "  tokens_in: {min: 200, p50: 600, p90: 1500, p99: 3000, max: 4000}\n"
     "  tokens_out: {min: 20, p50: 150, p90: 400, p99: 800, max: 1000}\n"
     "providers:\n"
     "  - name: primary\n"
     "    dialect: openai\n"
     "    limits: {requests_per_min: 4800, tokens_per_min: 6000000}\n"
    },
    {"recovery-herd",
     "after an outage, all clients retry at the same time, and the provider starts cold",
     "name: recovery-herd\n"
     "about: after an outage, all clients retry at the same time, and the provider starts cold\n"
     "duration_ms: 120s\n"
     "clients:\n"
     "  count: 10000\n"
     "  every_ms: 20s\n"
     "  deadline_ms: 60s\n"
     "providers:\n"
     "  - name: primary\n"
     "    dialect: anthropic\n"
     "    capacity: {per_s: 800, burst: 200, shed_cost_pct: 30, warm_up_ms: 10s}\n"
     "    faults:\n"
     "      - {kind: outage, from_ms: 20s, until_ms: 45s, retry_after_ms: 10s}\n"
    },
    {"retry-storm",
     "10,000 clients, 20 seconds of outage, a provider with 50 % spare capacity",
     "name: retry-storm\n"
     "about: 10,000 clients, 20 seconds of outage, a provider with 50 % spare capacity\n"
     "duration_ms: 120s\n"
     "clients:\n"
     "  count: 10000\n"
     "  every_ms: 10s\n"
     "  deadline_ms: 60s\n"
     "providers:\n"
     "  - name: primary\n"
     "    capacity: {per_s: 1500, burst: 300, shed_cost_pct: 20, warm_up_ms: 5s}\n"
     "    faults:\n"
     "      - {kind: outage, from_ms: 20s, until_ms: 40s}\n"
     "policies: [recourse, budget-alone, openai-sdk, litellm, portkey, naive, none]\n"
    },
    {NULL, NULL, NULL},
};
