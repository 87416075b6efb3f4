/* rc_config: what recourse.yaml says, checked and with the defaults filled in.
 *
 *   text ──► rc_yaml ──► sections, by the table of spec/config.def ──► references ──► rc_config
 *               └───────────────┴──────────── faults ────────────────────┘
 *
 * A configuration is good as a whole or not at all: whoever reloads one keeps the old one until the
 * new one has no fault. Secrets are not in it. It names where each one is, and whoever needs one
 * gets it from there. */
#ifndef RC_CONFIG_CONFIG_H
#define RC_CONFIG_CONFIG_H

#include <recourse/alloc.h>
#include <recourse/policy.h>
#include <recourse/shared.h>
#include <recourse/status.h>
#include <recourse/str.h>

#include "config/fault.h"
#include "config/kind.h"
#include "config/secret_ref.h"
#include "config/yaml/yaml.h"

/* Every pair of routes and of clients is compared. */
#define RC_CONFIG_ROUTES_MAX 1024
#define RC_CONFIG_CLIENTS_MAX 4096
/* Each is looked at before every try. */
#define RC_CONFIG_BUDGETS_MAX 30

typedef struct rc_config_root {
    rc_str listen;
    uint64_t threads; /* 0: as many as there are usable CPUs, within reason */
    rc_str store;     /* as it is written, see store_ref; "": rc_config_find_store finds it */
    uint64_t cooldown_ms;
    uint64_t exhausted_ms;
    rc_str prices; /* "" for none */
    rc_str rules;
} rc_config_root;

typedef struct rc_config_provider {
    rc_str name;
    const rc_config_kind *kind;
    rc_str base_url; /* without a slash at the end; env:NAME: the variable is not set */
    uint32_t base_url_line;
    uint32_t base_url_column;
    rc_secret_ref *keys;
    size_t key_count;
    uint32_t auth; /* rc_config_auth */
    bool insecure;
    bool private_network;
    uint64_t max_in_flight; /* 0: no limit */
    uint32_t capabilities;  /* RC_NEED_ bits; all bits set: not known */
} rc_config_provider;

/* The words of spec/config.def, in its order. */
typedef enum rc_config_auth {
    RC_AUTH_NATIVE = 0,
    RC_AUTH_BEARER = 1
} rc_config_auth;

typedef enum rc_config_durability {
    RC_DURABLE_BEFORE_RESPONSE = 0,
    RC_DURABLE_ASYNC = 1,
    RC_DURABLE_OFF = 2 /* there is no audit */
} rc_config_durability;

/* Who chose the file of the store. */
typedef enum rc_config_store_kind {
    RC_CONFIG_STORE_NAMED = 0, /* the configuration */
    RC_CONFIG_STORE_STATE_DIR =
        1, /* nobody: recourse.db in the user's or the service's state folder */
    RC_CONFIG_STORE_CURRENT_DIR = 2 /* nobody, and there is no such folder: the current one */
} rc_config_store_kind;

/* The name of the file where the configuration names none. */
#define RC_CONFIG_STORE_FILE "recourse.db"

typedef enum rc_config_exceed {
    RC_EXCEED_WARN = 0,
    RC_EXCEED_PAUSE = 1,
    RC_EXCEED_FAIL = 2
} rc_config_exceed;

typedef enum rc_config_log_format {
    RC_LOG_AUTO = 0, /* HUMAN on a terminal, else JSON */
    RC_LOG_JSON = 1,
    RC_LOG_HUMAN = 2,
    RC_LOG_OFF = 3
} rc_config_log_format;

typedef struct rc_config_target {
    uint32_t provider;       /* in rc_config.providers */
    rc_str model;            /* "*": the one that the client asked for */
    uint64_t tries;          /* 0: the policy's */
    uint64_t context_window; /* in tokens; 0: not known */
    uint32_t capabilities;   /* RC_NEED_ bits; all bits set: not known */
} rc_config_target;

/* What first_byte_ms 0 stands for where a stream is asked for. */
#define RC_CONFIG_STREAM_FIRST_BYTE_MS UINT64_C(60000)

typedef struct rc_config_timeouts {
    uint64_t connect_ms;
    uint64_t first_byte_ms; /* 0: the above, and no end for an answer that comes whole */
    uint64_t idle_ms;
} rc_config_timeouts;

typedef struct rc_config_route {
    rc_str model; /* a pattern: * is any text */
    rc_config_target *chain;
    size_t chain_count;
    const rc_policy *policy;
    uint64_t deadline_ms;
    rc_config_timeouts timeouts;
    bool has_overflow_to;
    rc_config_target overflow_to;
    uint32_t revert;          /* rc_revert */
    uint64_t max_deadline_ms; /* 0: deadline_ms */
    uint64_t max_wait_ms;     /* 0: no limit */
    uint64_t hedge_ms;        /* 0: never */
    uint64_t budget_usd;      /* millionths; 0: no limit */
    uint32_t on_exceed;       /* rc_config_exceed */
} rc_config_route;

typedef struct rc_config_retry_budget {
    uint64_t ratio; /* thousandths */
    uint64_t floor_per_s;
    uint64_t burst;
} rc_config_retry_budget;

typedef struct rc_config_breaker {
    uint64_t window_ms;
    uint64_t min_calls;
    uint64_t failure_pct;
    uint64_t open_ms;
    uint64_t open_max_ms;
} rc_config_breaker;

typedef struct rc_config_audit {
    uint32_t durability; /* rc_config_durability */
    uint32_t content;    /* 1: prompts and answers are kept */
    uint32_t on_failure; /* 1: goes on without the record */
    uint64_t keep_days;  /* 0: for ever */
    uint64_t max_bytes;  /* of the store; 0: no limit */
} rc_config_audit;

typedef struct rc_config_client {
    rc_str name;
    rc_secret_ref token;
    uint64_t budget_usd; /* millionths; 0: no limit */
    uint32_t on_exceed;  /* rc_config_exceed */
} rc_config_client;

/* Patterns in which * is any text; "" is everything. */
typedef struct rc_config_match {
    rc_str client;
    rc_str route;
    rc_str target;
} rc_config_match;

typedef struct rc_config_budget {
    rc_str name;
    rc_config_match match;
    uint32_t per;       /* rc_ledger_period */
    uint64_t limit_usd; /* millionths */
    uint32_t on_exceed; /* rc_config_exceed */
} rc_config_budget;

typedef struct rc_config_admin {
    rc_str listen; /* "off": nowhere; see rc_config_admin_listens */
    rc_str socket; /* "": none */
    rc_secret_ref token;
} rc_config_admin;

typedef struct rc_config_log {
    uint32_t format; /* rc_config_log_format */
    rc_str file;     /* "": standard error */
} rc_config_log;

typedef struct rc_config_limits {
    uint64_t max_body_bytes;
    uint64_t replay_bytes;
    uint64_t max_kept_bytes;
    uint64_t max_header_bytes;
    uint64_t max_connections;
    uint64_t max_in_flight;
    uint64_t drain_ms;
} rc_config_limits;

/* The caller's storage. Everything in it lives until done. */
typedef struct rc_config {
    rc_yaml doc;
    rc_arena arena;
    rc_config_root root;
    rc_secret_ref store_ref; /* of a store whose URL is a secret; else of no kind */
    rc_config_store_kind store_kind;
    rc_config_provider *providers;
    size_t provider_count;
    rc_config_route *routes;
    size_t route_count;
    rc_policy *policies;
    size_t policy_count;
    rc_config_retry_budget retry_budget;
    rc_config_breaker breaker;
    rc_config_audit audit;
    rc_config_client *clients;
    size_t client_count;
    rc_config_budget *budgets;
    size_t budget_count;
    rc_config_admin admin;
    rc_config_log log;
    rc_config_limits limits;
} rc_config;

/* Reads text. RC_OK: there is no fault. RC_E_NOMEM; else faults says what is wrong, sorted by
 * place: RC_E_SYNTAX, RC_E_TOO_LARGE, RC_E_TOO_DEEP, RC_E_DUPLICATE of the YAML, RC_E_RANGE of what
 * it says. rc_config_done is due in each case. text: copies. alloc: copies. */
rc_status rc_config_parse(rc_config *config, rc_str text, const rc_alloc *alloc,
                          rc_config_faults *faults);

/* The configuration that holds without a file: providers whose usual variables are set, routes to
 * them, and the demo provider. A variable that cannot be used is a fault. getenv: may give NULL.
 * Errors as above. */
rc_status rc_config_from_environment(rc_config *config, const char *(*getenv)(const char *name),
                                     const rc_alloc *alloc, rc_config_faults *faults);

/* Fills in root.store where the configuration names none: $STATE_DIRECTORY/recourse.db (systemd),
 * $XDG_STATE_HOME/recourse/recourse.db or ~/.local/state/recourse/recourse.db. A folder that is not
 * absolute is ignored; without any, the file is in the current folder. Makes nothing. getenv: may
 * give NULL. RC_OK or RC_E_NOMEM. */
rc_status rc_config_find_store(rc_config *config, const char *(*getenv)(const char *name));

/* Takes a configuration in any state after one of these, also twice. */
void rc_config_done(rc_config *config);

/* The policy of a name: a preset, or one of the configuration. NULL: there is none. config: NULL
 * for the presets alone. Views config. */
const rc_policy *rc_config_policy(const rc_config *config, rc_str name);

/* The names of all policies, presets first; NULL past the end. ctx: an rc_config or NULL. */
const char *rc_config_policy_name_at(const void *ctx, size_t index);

/* A route of which nothing is said: the defaults of the table, policy transport, no chain. */
void rc_config_route_init(rc_config_route *route);

/* NULL: there is none. Views config. */
const rc_config_provider *rc_config_provider_find(const rc_config *config, rc_str name);

/* The first route whose pattern fits the model. NULL: none. Views config. */
const rc_config_route *rc_config_route_find(const rc_config *config, rc_str model);

/* Has the operator's side an address and port? It may have a socket instead, or be off. */
bool rc_config_admin_listens(const rc_config_admin *admin);

/* Of HOST:PORT where the operator's side is to listen: what is wrong with it, or NULL. Whoever can
 * reach it can steer the gateway, so that beyond this machine it takes a token. A static sentence.
 */
const char *rc_config_admin_check(rc_str listen, bool has_token);

/* What all calls of the process share. */
rc_shared_settings rc_config_shared_settings(const rc_config *config);

/* Does the pattern, in which * is any text, fit all of text? */
bool rc_glob_matches(rc_str pattern, rc_str text);
/* The same in any case: a provider that ignores the case of a model's name runs the same model. */
bool rc_glob_matches_nocase(rc_str pattern, rc_str text);

#endif
