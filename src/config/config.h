/* rc_config: the checked contents of recourse.yaml, with the defaults filled in.
 *
 *   text ──► rc_yaml ──► sections, by the table of spec/config.def ──► references ──► rc_config
 *               └───────────────┴──────────── faults ────────────────────┘
 *
 * A configuration with a fault (an error with its line) is not used: a reload then keeps the old
 * configuration. The configuration has no secrets, only references to secrets (rc_secret_ref);
 * rc_secret_load reads the secret behind a reference. */
#ifndef RC_CONFIG_CONFIG_H
#define RC_CONFIG_CONFIG_H

#include <recourse/alloc.h>
#include <recourse/chain.h>
#include <recourse/policy.h>
#include <recourse/shared.h>
#include <recourse/status.h>
#include <recourse/str.h>

#include "config/fault.h"
#include "config/kind.h"
#include "config/secret_ref.h"
#include "config/yaml/yaml.h"

/* Maximum numbers of routes and clients. The checks compare every pair of routes and every pair of
 * clients, so their time grows with the square of the number. */
#define RC_CONFIG_ROUTES_MAX 1024
#define RC_CONFIG_CLIENTS_MAX 4096
/* Maximum number of budgets, all of which are checked before each attempt. */
#define RC_CONFIG_BUDGETS_MAX 30

/* Maximum number of interfaces of a provider; equal to RC_INTERFACE_COUNT. */
#define RC_CONFIG_INTERFACES_MAX 4

typedef struct rc_config_root {
    rc_str listen;
    uint64_t threads; /* Number of event loops; 0: one for each usable CPU, at most 8. */
    /* URL or path of the store, as in the file. If the file names no store, rc_config_find_store
     * sets this member. If the URL is a secret, store_ref is used instead. */
    rc_str store;
    uint64_t cooldown_ms;
    uint64_t exhausted_ms;
    rc_str prices; /* Path of the price file; "": no price file. */
    rc_str rules;  /* Path of a file with classification rules; "": no such file. */
} rc_config_root;

typedef struct rc_config_provider {
    rc_str name;
    const rc_config_kind *kind;
    rc_str base_url; /* Address without a trailing slash. If the address is an environment variable
                      * that is not set, "env:NAME". */
    uint32_t base_url_line;
    uint32_t base_url_column;
    rc_secret_ref *keys;
    size_t key_count;
    uint32_t auth; /* An rc_config_auth. */
    bool insecure;
    bool private_network;
    uint64_t max_in_flight; /* Maximum number of concurrent calls to one model; 0: no limit. */
    uint32_t capabilities;  /* RC_NEED_ bits; UINT32_MAX: the capabilities are not known. */
    rc_dialect
        interfaces[RC_CONFIG_INTERFACES_MAX]; /* The APIs through which the provider is called; a
                                                * request of another API is translated into the
                                                * first one that is possible. */
    size_t interface_count;
    bool has_own_interfaces;    /* The configuration names the interfaces. */
    uint64_t context_tokens;    /* The context window; 0: as known for the model. */
    uint64_t max_output_tokens; /* Most tokens of one response; 0: as known for the model. */
} rc_config_provider;

/* The enums rc_config_auth, rc_config_durability, rc_config_exceed and rc_config_log_format are
 * choices in spec/config.def. The constants have the order of that table, because a value is the
 * index of the choice. */
typedef enum rc_config_auth {
    RC_AUTH_NATIVE = 0,
    RC_AUTH_BEARER = 1
} rc_config_auth;

typedef enum rc_config_durability {
    RC_DURABLE_BEFORE_RESPONSE = 0,
    RC_DURABLE_ASYNC = 1,
    RC_DURABLE_OFF = 2 /* No audit records are written. */
} rc_config_durability;

/* Whether requests are translated for targets whose API differs from the client's. */
typedef enum rc_config_translate {
    RC_TRANSLATE_ADAPTED = 0,
    RC_TRANSLATE_EXACT = 1, /* Only if nothing is left out or changed. */
    RC_TRANSLATE_OFF = 2
} rc_config_translate;

/* Origin of the path of the store's file. */
typedef enum rc_config_store_kind {
    RC_CONFIG_STORE_NAMED = 0, /* From the key `store` of the configuration file. */
    /* The default: recourse.db in the state folder of the user or the service. */
    RC_CONFIG_STORE_STATE_DIR = 1,
    /* The default if no state folder is known: recourse.db in the current folder. */
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
    RC_LOG_AUTO = 0, /* RC_LOG_HUMAN on a terminal, otherwise RC_LOG_JSON. */
    RC_LOG_JSON = 1,
    RC_LOG_HUMAN = 2,
    RC_LOG_OFF = 3
} rc_config_log_format;

typedef struct rc_config_target {
    uint32_t provider;       /* Index into rc_config.providers. */
    rc_str model;            /* Name of the model; "*": the model that the client requested. */
    uint64_t tries;          /* Number of attempts at this target; 0: max_attempts of the policy. */
    uint64_t context_tokens; /* The context window; 0: the provider's value. */
    uint64_t max_output_tokens; /* Most tokens of one response; 0: the provider's value. */
    uint32_t capabilities;      /* RC_NEED_ bits; UINT32_MAX: the capabilities are not known. */
    uint32_t entry;  /* Index of the chain entry in the file. Targets of one any_of have the
                                same index. */
    uint16_t group;  /* Number of the any_of to which the target belongs; 0: none. */
    uint16_t weight; /* Share of the requests of the group. */
    uint8_t by;      /* An rc_spread. */
    uint8_t sticky;  /* An rc_config_sticky. */
} rc_config_target;

/* Which requests stay with one target of a group: none, those of one user, or those of one
 * session. */
typedef enum rc_config_sticky {
    RC_STICKY_NONE = 0,
    RC_STICKY_USER = 1,
    RC_STICKY_SESSION = 2
} rc_config_sticky;

/* The simple values of a chain entry with any_of, while the entry is read and shown. */
typedef struct rc_config_group {
    uint32_t by;     /* An rc_spread. */
    uint32_t sticky; /* An rc_config_sticky. */
    uint64_t tries;
} rc_config_group;

/* First-byte timeout of a streaming request, in milliseconds, if first_byte_ms is 0. */
#define RC_CONFIG_STREAM_FIRST_BYTE_MS UINT64_C(60000)

/* Default of limits.max_waiting, as in spec/config.def. */
#define RC_CONFIG_MAX_WAITING UINT64_C(10000)

typedef struct rc_config_timeouts {
    uint64_t connect_ms;
    /* Time limit for the first byte. 0 means RC_CONFIG_STREAM_FIRST_BYTE_MS for a streaming
     * response and no time limit for any other response. */
    uint64_t first_byte_ms;
    uint64_t idle_ms;
} rc_config_timeouts;

typedef struct rc_config_route {
    rc_str model;            /* Pattern of model names; "*" matches any text. */
    rc_config_target *chain; /* The targets of all entries, in their order. */
    size_t chain_count;
    const rc_policy *policy;
    uint64_t deadline_ms;
    rc_config_timeouts timeouts;
    bool has_overflow_to;
    rc_config_target overflow_to;
    rc_code_set fallback_on;  /* Fatal codes after which the next target is tried. */
    uint32_t translate;       /* An rc_config_translate. */
    uint32_t revert;          /* An rc_revert. */
    uint64_t max_deadline_ms; /* Longest deadline that a client may request; 0: deadline_ms. */
    uint32_t wait;            /* 0: on, 1: off: requests never wait in the queue. */
    uint64_t max_wait_ms;     /* Limit for the sum of all waits of a request; 0: no limit. */
    uint32_t learn;           /* 0: on, 1: off: learned rate limits are ignored. */
    uint32_t failover;        /* 0: first; 1: last: retries at a target come before failover. */
    uint64_t hedge_ms;        /* Delay before the hedge attempt; 0: no hedging. */
    uint64_t budget_usd;      /* Per month, in millionths of a dollar; 0: no limit. */
    uint32_t on_exceed;       /* An rc_config_exceed. */
} rc_config_route;

typedef struct rc_config_retry_budget {
    uint64_t ratio; /* Allowed retries per request, in thousandths. */
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
    /* Whether requests continue without a record if the store fails: 1 if they continue, 0 if they
     * are refused. */
    uint32_t on_failure;
    uint64_t keep_days; /* Records are deleted after this number of days; 0: never. */
    uint64_t max_bytes; /* Size limit of the store; 0: no limit. */
} rc_config_audit;

typedef struct rc_config_client {
    rc_str name;
    rc_secret_ref token;
    uint64_t budget_usd;    /* Per month, in millionths of a dollar; 0: no limit. */
    uint64_t rpm;           /* Requests per minute; 0: no limit. */
    uint64_t tpm;           /* Tokens per minute; 0: no limit. */
    uint64_t max_in_flight; /* 0: no limit. */
    uint32_t on_exceed;     /* An rc_config_exceed. */
    uint32_t wait;          /* 0: on, 1: off, on every route. */
    uint64_t max_wait_ms;   /* Limit for the sum of all waits; 0: that of the route. */
    uint32_t learn;         /* 0: on, 1: off, on every route. */
    uint32_t failover;      /* 0: first; 1: last, on every route. */
} rc_config_client;

/* The requests whose cost a budget counts. Each member is a pattern in which "*" matches any text.
 * An empty member matches everything. */
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
    rc_str listen; /* HOST:PORT or "off"; see rc_config_admin_listens. */
    rc_str socket; /* Path of a Unix socket; "": no socket. */
    rc_secret_ref token;
} rc_config_admin;

typedef struct rc_config_log {
    uint32_t format; /* An rc_config_log_format. */
    rc_str file;     /* Path of the log file; "": standard error. */
} rc_config_log;

typedef struct rc_config_limits {
    uint64_t max_body_bytes;
    uint64_t replay_bytes;
    uint64_t max_kept_bytes;
    uint64_t max_header_bytes;
    uint64_t max_connections;
    uint64_t max_in_flight;
    uint64_t max_waiting; /* Requests that wait for a target; 0: no request waits. */
    uint64_t drain_ms;
} rc_config_limits;

/* A configuration, in the caller's storage. Pointers into the configuration are valid until
 * rc_config_done. */
typedef struct rc_config {
    rc_yaml doc;
    rc_arena arena;
    rc_config_root root;
    /* Reference to the store's URL if the URL is a secret. If it is not, the reference has the kind
     * RC_SECRET_NONE. */
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

/* Parses the YAML text. Returns RC_OK if the text has no fault, and RC_E_NOMEM if memory ran out.
 * Faults are added to `faults` in the order of the file; the result is then RC_E_SYNTAX,
 * RC_E_TOO_LARGE, RC_E_TOO_DEEP or RC_E_DUPLICATE for invalid YAML, and RC_E_RANGE for invalid
 * contents. The caller must call rc_config_done in each case. text: copies. alloc: copies the
 * struct. */
rc_status rc_config_parse(rc_config *config, rc_str text, const rc_alloc *alloc,
                          rc_config_faults *faults);

/* Builds the configuration that is used if there is no file. This configuration has the providers
 * whose usual key variables (such as OPENAI_API_KEY) are set, routes to these providers, and the
 * demo provider. A variable with an invalid value adds a fault. `getenv` may return NULL. Returns
 * the same statuses as rc_config_parse. */
rc_status rc_config_from_environment(rc_config *config, const char *(*getenv)(const char *name),
                                     const rc_alloc *alloc, rc_config_faults *faults);

/* Sets root.store if the configuration names no store. The path is $STATE_DIRECTORY/recourse.db
 * (systemd sets this variable); if the variable is not set, $XDG_STATE_HOME/recourse/recourse.db;
 * if neither is set, ~/.local/state/recourse/recourse.db. A variable with a relative folder is
 * ignored; if no folder is known, the file is in the current folder. Creates no file or folder.
 * `getenv` may return NULL. Returns RC_OK or RC_E_NOMEM. */
rc_status rc_config_find_store(rc_config *config, const char *(*getenv)(const char *name));

/* Frees the memory of the configuration. May be called after any result of the functions above, and
 * more than once. */
void rc_config_done(rc_config *config);

/* Returns the policy `name`, a preset or a policy of the configuration, or NULL if there is no such
 * policy. If `config` is NULL, only presets are searched. The result views (points into) config. */
const rc_policy *rc_config_policy(const rc_config *config, rc_str name);

/* An rc_name_at for rc_nearest: returns the name of the policy at `index`, presets first, or NULL
 * if the index is too large. `ctx` is an rc_config, which the result views, or NULL for presets
 * only. */
const char *rc_config_policy_name_at(const void *ctx, size_t index);

/* Sets the route to the defaults of spec/config.def, the policy "transport" and an empty chain. */
void rc_config_route_init(rc_config_route *route);

/* Returns the provider `name`, or NULL if there is no such provider. The result views config. */
const rc_config_provider *rc_config_provider_find(const rc_config *config, rc_str name);

/* Returns the first route whose pattern matches the model, or NULL if no route matches. The result
 * views config. */
const rc_config_route *rc_config_route_find(const rc_config *config, rc_str model);

/* Returns whether the admin server listens on an address and port. The server may use a Unix socket
 * instead, or be off. */
bool rc_config_admin_listens(const rc_config_admin *admin);

/* Checks the admin server's HOST:PORT. Returns NULL if it is valid, otherwise a static error text.
 * An address that other machines can reach requires a token, because every client of the admin
 * server controls the gateway. */
const char *rc_config_admin_check(rc_str listen, bool has_token);

/* Returns the settings of the state that all calls of the process share: retry budget, breakers and
 * cooldowns. */
rc_shared_settings rc_config_shared_settings(const rc_config *config);

/* Returns whether the pattern matches the whole text. "*" matches any text, also an empty text. */
bool rc_glob_matches(rc_str pattern, rc_str text);
/* Matches as rc_glob_matches does, but ignores ASCII case. Used for model names, because a provider
 * may ignore their case. */
bool rc_glob_matches_nocase(rc_str pattern, rc_str text);

#endif
