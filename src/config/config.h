/* rc_config: the contents of recourse.yaml, checked, with the defaults filled in.
 *
 *   text ──► rc_yaml ──► sections, by the table of spec/config.def ──► references ──► rc_config
 *               └───────────────┴──────────── faults ────────────────────┘
 *
 * A configuration is valid as a whole or not at all: a reload keeps the old configuration until the
 * new one has no fault. The configuration holds no secrets, only references to them
 * (rc_secret_ref); rc_secret_load reads the secret when it is needed. */
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

/* Upper limits. The checks compare every pair of routes and every pair of clients, so that their
 * time grows with the square of the count. */
#define RC_CONFIG_ROUTES_MAX 1024
#define RC_CONFIG_CLIENTS_MAX 4096
/* Upper limit. Every budget is checked before each attempt. */
#define RC_CONFIG_BUDGETS_MAX 30

typedef struct rc_config_root {
    rc_str listen;
    uint64_t threads; /* Event loops; 0: one for each usable CPU, at most 8. */
    rc_str store; /* As written in the file; "": rc_config_find_store fills it in. See store_ref. */
    uint64_t cooldown_ms;
    uint64_t exhausted_ms;
    rc_str prices; /* Path of the price file; "": none. */
    rc_str rules;  /* Path of a file of classification rules; "": none. */
} rc_config_root;

typedef struct rc_config_provider {
    rc_str name;
    const rc_config_kind *kind;
    rc_str base_url; /* Has no trailing slash; still "env:NAME" if that variable is not set. */
    uint32_t base_url_line;
    uint32_t base_url_column;
    rc_secret_ref *keys;
    size_t key_count;
    uint32_t auth; /* An rc_config_auth. */
    bool insecure;
    bool private_network;
    uint64_t max_in_flight; /* Concurrent calls to one model; 0: no limit. */
    uint32_t capabilities;  /* RC_NEED_ bits; UINT32_MAX: not known. */
} rc_config_provider;

/* Choices of spec/config.def: rc_config_auth, rc_config_durability, rc_config_exceed and
 * rc_config_log_format have the order of that table, since the value is the index of the choice. */
typedef enum rc_config_auth {
    RC_AUTH_NATIVE = 0,
    RC_AUTH_BEARER = 1
} rc_config_auth;

typedef enum rc_config_durability {
    RC_DURABLE_BEFORE_RESPONSE = 0,
    RC_DURABLE_ASYNC = 1,
    RC_DURABLE_OFF = 2 /* No audit is written. */
} rc_config_durability;

/* Where the path of the store's file comes from. */
typedef enum rc_config_store_kind {
    RC_CONFIG_STORE_NAMED = 0, /* From the configuration's key `store`. */
    /* Default: recourse.db in the state folder of the user or the service. */
    RC_CONFIG_STORE_STATE_DIR = 1,
    /* Default where no state folder is known: recourse.db in the current folder. */
    RC_CONFIG_STORE_CURRENT_DIR = 2
} rc_config_store_kind;

/* Name of the store's file if the configuration names no store. */
#define RC_CONFIG_STORE_FILE "recourse.db"

typedef enum rc_config_exceed {
    RC_EXCEED_WARN = 0,
    RC_EXCEED_PAUSE = 1,
    RC_EXCEED_FAIL = 2
} rc_config_exceed;

typedef enum rc_config_log_format {
    RC_LOG_AUTO = 0, /* HUMAN on a terminal, otherwise JSON. */
    RC_LOG_JSON = 1,
    RC_LOG_HUMAN = 2,
    RC_LOG_OFF = 3
} rc_config_log_format;

typedef struct rc_config_target {
    uint32_t provider;       /* Index into rc_config.providers. */
    rc_str model;            /* "*": the model that the client requested. */
    uint64_t tries;          /* Attempts at this target; 0: the policy's max_attempts. */
    uint64_t context_window; /* In tokens; 0: not known. */
    uint32_t capabilities;   /* RC_NEED_ bits; UINT32_MAX: not known. */
} rc_config_target;

/* First-byte timeout of a streaming request whose first_byte_ms is 0. */
#define RC_CONFIG_STREAM_FIRST_BYTE_MS UINT64_C(60000)

typedef struct rc_config_timeouts {
    uint64_t connect_ms;
    /* 0: RC_CONFIG_STREAM_FIRST_BYTE_MS for a stream, no timeout for a non-streaming response. */
    uint64_t first_byte_ms;
    uint64_t idle_ms;
} rc_config_timeouts;

typedef struct rc_config_route {
    rc_str model; /* Pattern; * matches any text. */
    rc_config_target *chain;
    size_t chain_count;
    const rc_policy *policy;
    uint64_t deadline_ms;
    rc_config_timeouts timeouts;
    bool has_overflow_to;
    rc_config_target overflow_to;
    uint32_t revert;          /* An rc_revert. */
    uint64_t max_deadline_ms; /* Longest deadline a client may request; 0: deadline_ms. */
    uint64_t max_wait_ms;     /* Sum of all waits between attempts; 0: no limit. */
    uint64_t hedge_ms;        /* Delay before the hedge attempt; 0: no hedging. */
    uint64_t budget_usd;      /* Per month, in millionths of a dollar; 0: no limit. */
    uint32_t on_exceed;       /* An rc_config_exceed. */
} rc_config_route;

typedef struct rc_config_retry_budget {
    uint64_t ratio; /* Retries per request, in thousandths. */
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
    uint32_t durability; /* An rc_config_durability. */
    uint32_t content;    /* 1: prompts and responses are stored. */
    /* 1: requests continue without a record if the store fails; 0: they are refused. */
    uint32_t on_failure;
    uint64_t keep_days; /* 0: no records are deleted by age. */
    uint64_t max_bytes; /* Size limit of the store; 0: no limit. */
} rc_config_audit;

typedef struct rc_config_client {
    rc_str name;
    rc_secret_ref token;
    uint64_t budget_usd; /* Per month, in millionths of a dollar; 0: no limit. */
    uint32_t on_exceed;  /* An rc_config_exceed. */
} rc_config_client;

/* What a budget counts. Each member is a pattern: * matches any text, "" matches everything. */
typedef struct rc_config_match {
    rc_str client;
    rc_str route;
    rc_str target;
} rc_config_match;

typedef struct rc_config_budget {
    rc_str name;
    rc_config_match match;
    uint32_t per;       /* An rc_ledger_period. */
    uint64_t limit_usd; /* In millionths of a dollar. */
    uint32_t on_exceed; /* An rc_config_exceed. */
} rc_config_budget;

typedef struct rc_config_admin {
    rc_str listen; /* HOST:PORT, or "off": see rc_config_admin_listens. */
    rc_str socket; /* Path of a Unix socket; "": none. */
    rc_secret_ref token;
} rc_config_admin;

typedef struct rc_config_log {
    uint32_t format; /* An rc_config_log_format. */
    rc_str file;     /* Path; "": standard error. */
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

/* A configuration in the caller's storage. Its pointers are valid until rc_config_done. */
typedef struct rc_config {
    rc_yaml doc;
    rc_arena arena;
    rc_config_root root;
    /* Reference to the store's URL if that is a secret; otherwise of kind RC_SECRET_NONE. */
    rc_secret_ref store_ref;
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

/* Parses the YAML text. Returns RC_OK if the text has no fault, RC_E_NOMEM if memory ran out. If
 * the text has faults, lists them in `faults`, in the order of the file, and returns RC_E_SYNTAX,
 * RC_E_TOO_LARGE, RC_E_TOO_DEEP or RC_E_DUPLICATE for invalid YAML, RC_E_RANGE for invalid
 * contents. The caller calls rc_config_done in each case. text: copies. alloc: copies. */
rc_status rc_config_parse(rc_config *config, rc_str text, const rc_alloc *alloc,
                          rc_config_faults *faults);

/* Builds the configuration that is used without a file: the providers whose usual key variables are
 * set, routes to them, and the demo provider. A variable with an invalid value adds a fault. getenv
 * may return NULL. Returns as rc_config_parse does. */
rc_status rc_config_from_environment(rc_config *config, const char *(*getenv)(const char *name),
                                     const rc_alloc *alloc, rc_config_faults *faults);

/* Sets root.store if the configuration names no store: $STATE_DIRECTORY/recourse.db (set by
 * systemd), $XDG_STATE_HOME/recourse/recourse.db or ~/.local/state/recourse/recourse.db, the first
 * that is known. A relative folder is ignored; without a folder the file is in the current folder.
 * Creates no file or folder. getenv may return NULL. Returns RC_OK or RC_E_NOMEM. */
rc_status rc_config_find_store(rc_config *config, const char *(*getenv)(const char *name));

/* Frees what the configuration holds. Valid after any of the functions above, whatever they
 * returned, and more than once. */
void rc_config_done(rc_config *config);

/* Returns the policy of that name, a preset or one of the configuration; NULL: no such policy.
 * config: views; NULL: presets only. */
const rc_policy *rc_config_policy(const rc_config *config, rc_str name);

/* An rc_name_at: returns the name of the policy with that index, presets first; NULL past the end.
 * ctx: an rc_config (views) or NULL. */
const char *rc_config_policy_name_at(const void *ctx, size_t index);

/* Sets the route to the defaults of spec/config.def, with the policy `transport` and no chain. */
void rc_config_route_init(rc_config_route *route);

/* Returns the provider of that name; NULL: no such provider. config: views. */
const rc_config_provider *rc_config_provider_find(const rc_config *config, rc_str name);

/* Returns the first route whose pattern matches the model; NULL: none matches. config: views. */
const rc_config_route *rc_config_route_find(const rc_config *config, rc_str model);

/* Whether the admin server listens on an address and port. It may use a Unix socket instead, or be
 * off. */
bool rc_config_admin_listens(const rc_config_admin *admin);

/* Checks the admin server's HOST:PORT. Returns NULL if it is valid, otherwise a static error text.
 * Every client of the admin server controls the gateway, so an address that other machines can
 * reach requires a token. */
const char *rc_config_admin_check(rc_str listen, bool has_token);

/* Returns the settings of the state that all calls of the process share: retry budget, breaker,
 * cooldowns. */
rc_shared_settings rc_config_shared_settings(const rc_config *config);

/* Whether the pattern matches the whole text. * matches any text, also an empty one. */
bool rc_glob_matches(rc_str pattern, rc_str text);
/* As rc_glob_matches, ignoring ASCII case: a provider that ignores the case of a model name runs
 * the same model. */
bool rc_glob_matches_nocase(rc_str pattern, rc_str text);

#endif
