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
    {"calm",
     "nothing fails, as on most days",
     "name: calm\n"
     "about: nothing fails, as on most days\n"
     "duration_ms: 120s\n"
     "clients:\n"
     "  count: 1000\n"
     "  every_ms: 10s\n"
     "  deadline_ms: 60s\n"
     "providers:\n"
     "  - name: primary\n"
    },
    {"concurrency",
     "a surge exceeds the number of concurrent requests that the provider accepts",
     "name: concurrency\n"
     "about: a surge exceeds the number of concurrent requests that the provider accepts\n"
     "duration_ms: 150s\n"
     "clients:\n"
     "  count: 600\n"
     "  every_ms: 10s\n"
     "  surge: {from_ms: 40s, until_ms: 60s, pct: 200}\n"
     "  deadline_ms: 60s\n"
     "providers:\n"
     "  - name: primary\n"
     "    limits: {concurrency: 180}\n"
    },
    {"dead-first",
     "the first of two targets refuses connections; six clients with a request a minute",
     "name: dead-first\n"
     "about: the first of two targets refuses connections; six clients with a request a minute\n"
     "duration_ms: 30m\n"
     "clients:\n"
     "  count: 6\n"
     "  every_ms: 60s\n"
     "  deadline_ms: 60s\n"
     "providers:\n"
     "  - name: primary\n"
     "    fails_in_ms: 20\n"
     "    faults:\n"
     "      - {kind: refuse, from_ms: 2m, until_ms: 20m}\n"
     "  - name: backup\n"
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
    {"flapping",
     "the only target fails for 6 s, five times, and works for 6 s in between",
     "name: flapping\n"
     "about: the only target fails for 6 s, five times, and works for 6 s in between\n"
     "duration_ms: 120s\n"
     "clients:\n"
     "  count: 1000\n"
     "  every_ms: 10s\n"
     "  deadline_ms: 60s\n"
     "providers:\n"
     "  - name: primary\n"
     "    faults:\n"
     "      - {kind: outage, from_ms: 20s, until_ms: 26s}\n"
     "      - {kind: outage, from_ms: 32s, until_ms: 38s}\n"
     "      - {kind: outage, from_ms: 44s, until_ms: 50s}\n"
     "      - {kind: outage, from_ms: 56s, until_ms: 62s}\n"
     "      - {kind: outage, from_ms: 68s, until_ms: 74s}\n"
    },
    {"greedy-client",
     "one client sends half of all requests, during a shortage of capacity",
     "name: greedy-client\n"
     "about: one client sends half of all requests, during a shortage of capacity\n"
     "duration_ms: 150s\n"
     "clients:\n"
     "  count: 400\n"
     "  every_ms: 5s\n"
     "  greedy_pct: 50\n"
     "  deadline_ms: 20s\n"
     "providers:\n"
     "  - name: primary\n"
     "    capacity: {per_s: 120, burst: 60, shed_cost_pct: 20}\n"
     "    faults:\n"
     "      - {kind: outage, from_ms: 30s, until_ms: 40s}\n"
    },
    {"half-fails",
     "for one minute, half of the calls fail",
     "name: half-fails\n"
     "about: for one minute, half of the calls fail\n"
     "duration_ms: 150s\n"
     "clients:\n"
     "  count: 1000\n"
     "  every_ms: 10s\n"
     "  deadline_ms: 60s\n"
     "providers:\n"
     "  - name: primary\n"
     "    faults:\n"
     "      - {kind: error, from_ms: 30s, until_ms: 90s, share_pct: 50}\n"
    },
    {"hanging-first",
     "the first of two targets does not respond for two minutes",
     "name: hanging-first\n"
     "about: the first of two targets does not respond for two minutes\n"
     "duration_ms: 5m\n"
     "clients:\n"
     "  count: 200\n"
     "  every_ms: 20s\n"
     "  deadline_ms: 60s\n"
     "providers:\n"
     "  - name: primary\n"
     "    faults:\n"
     "      - {kind: hang, from_ms: 60s, until_ms: 3m}\n"
     "  - name: backup\n"
    },
    {"hidden-limit",
     "a surge exceeds a rate limit that neither headers nor hints name",
     "name: hidden-limit\n"
     "about: a surge exceeds a rate limit that neither headers nor hints name\n"
     "duration_ms: 180s\n"
     "clients:\n"
     "  count: 600\n"
     "  every_ms: 10s\n"
     "  surge: {from_ms: 40s, until_ms: 70s, pct: 200}\n"
     "  deadline_ms: 60s\n"
     "providers:\n"
     "  - name: primary\n"
     "    hides_limits: true\n"
     "    hints: none\n"
     "    limits: {requests_per_min: 4800}\n"
    },
    {"hints-long",
     "an outage of 5 s with a retry-after of 20 s",
     "name: hints-long\n"
     "about: an outage of 5 s with a retry-after of 20 s\n"
     "duration_ms: 120s\n"
     "clients:\n"
     "  count: 600\n"
     "  every_ms: 10s\n"
     "  deadline_ms: 60s\n"
     "providers:\n"
     "  - name: primary\n"
     "    hints: long\n"
     "    faults:\n"
     "      - {kind: outage, from_ms: 20s, until_ms: 25s}\n"
    },
    {"hints-past",
     "an outage whose retry-after is a time in the past",
     "name: hints-past\n"
     "about: an outage whose retry-after is a time in the past\n"
     "duration_ms: 120s\n"
     "clients:\n"
     "  count: 600\n"
     "  every_ms: 10s\n"
     "  deadline_ms: 60s\n"
     "providers:\n"
     "  - name: primary\n"
     "    hints: past\n"
     "    faults:\n"
     "      - {kind: outage, from_ms: 20s, until_ms: 35s}\n"
    },
    {"hints-zero",
     "an outage, then a surge above the rate limit, and every hint is 0",
     "name: hints-zero\n"
     "about: an outage, then a surge above the rate limit, and every hint is 0\n"
     "duration_ms: 150s\n"
     "clients:\n"
     "  count: 600\n"
     "  every_ms: 10s\n"
     "  surge: {from_ms: 70s, until_ms: 90s, pct: 200}\n"
     "  deadline_ms: 60s\n"
     "providers:\n"
     "  - name: primary\n"
     "    hints: zero\n"
     "    hides_limits: true\n"
     "    limits: {requests_per_min: 4800}\n"
     "    faults:\n"
     "      - {kind: outage, from_ms: 20s, until_ms: 35s}\n"
    },
    {"many-processes",
     "eight processes that share nothing, and an outage of 15 seconds",
     "name: many-processes\n"
     "about: eight processes that share nothing, and an outage of 15 seconds\n"
     "duration_ms: 120s\n"
     "clients:\n"
     "  count: 4000\n"
     "  every_ms: 10s\n"
     "  processes: 8\n"
     "  deadline_ms: 60s\n"
     "providers:\n"
     "  - name: primary\n"
     "    capacity: {per_s: 800, burst: 200, shed_cost_pct: 20}\n"
     "    faults:\n"
     "      - {kind: outage, from_ms: 20s, until_ms: 35s}\n"
    },
    {"million-clients",
     "a million clients, an outage of 10 seconds, 50 % spare capacity",
     "name: million-clients\n"
     "about: a million clients, an outage of 10 seconds, 50 % spare capacity\n"
     "duration_ms: 80s\n"
     "clients:\n"
     "  count: 1000000\n"
     "  every_ms: 1000s\n"
     "  deadline_ms: 60s\n"
     "providers:\n"
     "  - name: primary\n"
     "    capacity: {per_s: 1500, burst: 300, shed_cost_pct: 20, warm_up_ms: 3s}\n"
     "    faults:\n"
     "      - {kind: outage, from_ms: 20s, until_ms: 30s}\n"
    },
    {"one-client",
     "a single client and an outage of 30 seconds",
     "name: one-client\n"
     "about: a single client and an outage of 30 seconds\n"
     "duration_ms: 10m\n"
     "clients:\n"
     "  count: 1\n"
     "  every_ms: 5s\n"
     "  deadline_ms: 60s\n"
     "providers:\n"
     "  - name: primary\n"
     "    faults:\n"
     "      - {kind: outage, from_ms: 2m, until_ms: 150s}\n"
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
    {"shared-key",
     "two models of a chain share one key's rate limit, and a surge exceeds it",
     "name: shared-key\n"
     "about: two models of a chain share one key's rate limit, and a surge exceeds it\n"
     "duration_ms: 180s\n"
     "clients:\n"
     "  count: 600\n"
     "  every_ms: 10s\n"
     "  surge: {from_ms: 40s, until_ms: 70s, pct: 200}\n"
     "  deadline_ms: 60s\n"
     "providers:\n"
     "  - name: large\n"
     "    limits: {requests_per_min: 4800}\n"
     "  - name: small\n"
     "    keys_of: large\n"
     "    first_token_ms: {min: 100, p50: 250, p90: 500, p99: 1500, max: 3s}\n"
    },
    {"slow-death",
     "the first of two targets becomes slower and slower, then fails",
     "name: slow-death\n"
     "about: the first of two targets becomes slower and slower, then fails\n"
     "duration_ms: 150s\n"
     "clients:\n"
     "  count: 1000\n"
     "  every_ms: 10s\n"
     "  deadline_ms: 30s\n"
     "providers:\n"
     "  - name: primary\n"
     "    faults:\n"
     "      - {kind: slow, from_ms: 20s, until_ms: 30s, slow_pct: 150}\n"
     "      - {kind: slow, from_ms: 30s, until_ms: 40s, slow_pct: 250}\n"
     "      - {kind: slow, from_ms: 40s, until_ms: 50s, slow_pct: 400}\n"
     "      - {kind: hang, from_ms: 45s, until_ms: 60s, share_pct: 30}\n"
     "      - {kind: slow, from_ms: 50s, until_ms: 60s, slow_pct: 700}\n"
     "      - {kind: error, from_ms: 60s, until_ms: 100s}\n"
     "  - name: backup\n"
    },
    {"tokens",
     "a surge exceeds the key's limit of tokens per minute",
     "name: tokens\n"
     "about: a surge exceeds the key's limit of tokens per minute\n"
     "duration_ms: 180s\n"
     "clients:\n"
     "  count: 600\n"
     "  every_ms: 10s\n"
     "  surge: {from_ms: 40s, until_ms: 70s, pct: 200}\n"
     "  deadline_ms: 60s\n"
     "  tokens_in: {min: 200, p50: 1000, p90: 3000, p99: 6000, max: 8000}\n"
     "  tokens_out: {min: 20, p50: 150, p90: 400, p99: 800, max: 1000}\n"
     "providers:\n"
     "  - name: primary\n"
     "    limits: {tokens_per_min: 7500000}\n"
    },
    {"weak-targets",
     "half of the calls fail at both of two targets",
     "name: weak-targets\n"
     "about: half of the calls fail at both of two targets\n"
     "duration_ms: 120s\n"
     "clients:\n"
     "  count: 1000\n"
     "  every_ms: 10s\n"
     "  deadline_ms: 60s\n"
     "providers:\n"
     "  - name: primary\n"
     "    faults:\n"
     "      - {kind: error, from_ms: 30s, until_ms: 90s, share_pct: 50}\n"
     "  - name: backup\n"
     "    faults:\n"
     "      - {kind: outage, from_ms: 30s, until_ms: 90s, share_pct: 50}\n"
    },
    {NULL, NULL, NULL},
};
