/* Providers, the clock and the ports: what is asked, and what the answers mean. */
#include "cli/doctor_net.h"

#include <errno.h>
#include <string.h>

#include <recourse/taxonomy.h>

#include "base/secret.h"
#include "base/str.h"
#include "cli/config_load.h"
#include "cli/mock.h"
#include "codec/datetime.h"
#include "config/secret_load.h"
#include "gateway/credentials_line.h"
#include "sys/clock.h"
#include "sys/file.h"
#include "sys/probe.h"

#define EXIT_UNAVAILABLE 69
#define EXIT_NOPERM 77
#define DAY_MS (INT64_C(24) * 60 * 60 * 1000)
#define CERTIFICATE_DAYS 14
#define SKEW_MS 30000
#define WHAT_ROOM 512
#define PORTS 2

/* How far a provider was reached. */
typedef enum stage {
    STAGE_NAME = 0,
    STAGE_CONNECTION = 1,
    STAGE_TLS = 2,
    STAGE_ANSWER = 3
} stage;

/* The questions of one provider, one for each key; of one without keys, one. */
typedef struct patient {
    const rc_config_provider *config;
    const char *trouble; /* of its address; NULL: none */
    bool is_demo;
    rc_asked_name *name; /* NULL: the host is an address */
    rc_asked **asked;    /* NULL in it: the key is not there */
    size_t asked_count;
} patient;

typedef struct port {
    const char *what;
    rc_mock_address address;
    int error;
    rc_asked *asked; /* of whoever holds it; NULL: nobody does */
} port;

/* ---- asking ---- */

typedef struct credentials {
    const rc_sys_calls *calls;
    const rc_config_provider *provider;
    const rc_secret_ref *ref; /* NULL: none */
} credentials;

static bool push_credentials(rc_buf *wire, void *ctx)
{
    const credentials *with = ctx;
    const rc_gate_wire kind = rc_gate_wire_of(with->provider->kind->dialect);
    char room[RC_SECRET_TOKEN_MAX];
    rc_buf text;
    if (kind == RC_WIRE_ANTHROPIC)
        rc_cli_text(wire, "anthropic-version: 2023-06-01\r\n");
    if (with->ref == NULL)
        return true;
    rc_buf_init_fixed(&text, room, sizeof room);
    const bool is_pushed = rc_secret_load(with->calls, with->ref, &text) == NULL &&
                           rc_gate_push_credential(wire, kind, (rc_config_auth)with->provider->auth,
                                                   rc_secret_make(rc_str_trim(rc_buf_get(&text))));
    rc_secret_wipe(room, sizeof room);
    return is_pushed;
}

static const char *path_of(const rc_config_provider *provider)
{
    switch (rc_gate_wire_of(provider->kind->dialect)) {
    case RC_WIRE_ANTHROPIC:
        return "/v1/models?limit=1";
    case RC_WIRE_GEMINI:
        return "/v1beta/models?pageSize=1";
    case RC_WIRE_OPENAI:
    case RC_WIRE_COUNT: /* NATIVE */
    case RC_WIRE_LOCAL:
        break;
    }
    return "/models";
}

static bool ask_with_key(rc_ask_net *net, patient *p, const rc_origin *origin, size_t index)
{
    const rc_config_provider *config = p->config;
    credentials with = {.calls = net->doctor->cli->calls, .provider = config};
    if (config->key_count > 0)
        with.ref = &config->keys[index];
    if (with.ref != NULL && rc_secret_check_token(with.calls, with.ref) != NULL)
        return true; /* said with the keys */
    p->asked[index] = rc_ask(net, origin, path_of(config), push_credentials, &with);
    return p->asked[index] != NULL;
}

static bool ask_provider(rc_ask_net *net, patient *p)
{
    const rc_config_provider *config = p->config;
    const rc_origin_options options = {
        .insecure = config->insecure, .allow_private = config->insecure || config->private_network};
    rc_origin origin;
    p->is_demo = strcmp(config->kind->name, "demo") == 0;
    p->trouble = p->is_demo ? NULL : rc_origin_parse(config->base_url, options, &origin);
    if (p->is_demo || p->trouble != NULL)
        return true;
    if (!origin.is_literal && (p->name = rc_ask_name(net, origin.host)) == NULL)
        return false;
    p->asked_count = config->key_count > 0 ? config->key_count : 1;
    p->asked = rc_arena_get_array(&net->arena, p->asked_count, sizeof(rc_asked *));
    if (p->asked == NULL)
        return false;
    for (size_t i = 0; i < p->asked_count; i++)
        if (!ask_with_key(net, p, &origin, i))
            return false;
    return true;
}

/* ---- providers: what came ---- */

static stage stage_of(const rc_asked *asked)
{
    const rc_upstream_kind kind = asked->failure;
    if ((kind >= RC_UPSTREAM_DNS_UNKNOWN && kind <= RC_UPSTREAM_DNS_TIMEOUT) ||
        kind == RC_UPSTREAM_ADDRESS_REFUSED)
        return STAGE_NAME;
    if (kind >= RC_UPSTREAM_CONNECT_REFUSED && kind <= RC_UPSTREAM_CONNECT_TIMEOUT)
        return STAGE_CONNECTION;
    if (kind >= RC_UPSTREAM_TLS_TIMEOUT && kind <= RC_UPSTREAM_TLS_CLOSED)
        return STAGE_TLS;
    return STAGE_ANSWER;
}

/* The report's, where it is about the connection. */
static rc_str advice_of(const rc_asked *asked, const rc_report *report)
{
    if (asked->failure == RC_UPSTREAM_ADDRESS_REFUSED)
        return RC_STR("a name that stands for an address of your own network needs "
                      "private_network: true");
    return stage_of(asked) == STAGE_ANSWER
               ? RC_STR("try again; then look at the provider's status page")
               : rc_report_action_detail(report);
}

/* "openai tls" */
static rc_str label(char room[WHAT_ROOM], rc_str provider, const char *what)
{
    rc_buf text;
    rc_buf_init_fixed(&text, room, WHAT_ROOM);
    rc_buf_push(&text, rc_str_slice(provider, 0, WHAT_ROOM / 2));
    rc_buf_push_byte(&text, ' ');
    rc_buf_push(&text, rc_str_slice(rc_str_c(what), 0, WHAT_ROOM / 4));
    return rc_buf_get(&text);
}

static rc_finding *add(rc_doctor *doctor, const patient *p, rc_mark mark, const char *what)
{
    char room[WHAT_ROOM];
    return rc_doctor_add(doctor, RC_GROUP_PROVIDERS, mark, label(room, p->config->name, what));
}

static rc_finding *fault(rc_doctor *doctor, const patient *p, const char *what, int exit_status)
{
    char room[WHAT_ROOM];
    return rc_doctor_fault(doctor, RC_GROUP_PROVIDERS, label(room, p->config->name, what),
                           exit_status);
}

static void push_date(rc_finding *finding, int64_t unix_ms)
{
    char room[40];
    rc_buf text;
    rc_buf_init_fixed(&text, room, sizeof room);
    rc_rfc3339_push(&text, unix_ms);
    rc_finding_say_str(finding, rc_str_slice(rc_buf_get(&text), 0, 10));
}

static void add_certificate(rc_doctor *doctor, const patient *p, const rc_asked *asked)
{
    const int64_t now_ms = rc_clock_unix_ms(doctor->cli->calls);
    const int64_t days = (asked->tls.until_unix_ms - now_ms) / DAY_MS;
    if (!asked->has_tls)
        return;
    const bool is_soon = asked->tls.until_unix_ms > 0 && now_ms > 0 && days < CERTIFICATE_DAYS;
    rc_finding *finding = add(doctor, p, is_soon ? RC_MARK_WARN : RC_MARK_FINE, "tls");
    rc_finding_say(rc_finding_say(finding, asked->tls.version), ", the certificate for ");
    rc_finding_say(rc_finding_say(finding, asked->origin.host), " is good until ");
    push_date(finding, asked->tls.until_unix_ms);
    if (asked->tls.issuer[0] != '\0')
        rc_finding_say(rc_finding_say(finding, ", by "), asked->tls.issuer);
    if (is_soon)
        rc_finding_advise(finding, "whoever runs the server should renew it");
}

/* What the library makes of it. Gives a report. */
static const rc_report *classify(const rc_doctor *doctor, const patient *p, const rc_asked *asked)
{
    const rc_failure failure = {
        .provider = rc_config_kind_provider(p->config->kind),
        .status = asked->status,
        .headers = asked->headers,
        .header_count = asked->header_count,
        .body = rc_buf_get(&asked->body),
        .transport = rc_upstream_kind_transport(asked->failure),
        .connection = rc_upstream_kind_connection(asked->failure),
        .phase = asked->failure != RC_UPSTREAM_NONE ? asked->phase : RC_PHASE_HEADERS,
        .replay = RC_REPLAY_YES,
        .now_unix_ms = rc_clock_unix_ms(doctor->cli->calls),
        .host = rc_str_c(asked->origin.host),
    };
    return rc_classify(&failure, NULL, &doctor->cli->alloc);
}

static void add_failure(rc_doctor *doctor, const patient *p, const rc_asked *asked)
{
    static const char *const whats[] = {"name", "connection", "tls", "answer"};
    const rc_report *report = classify(doctor, p, asked);
    rc_finding *finding = fault(doctor, p, whats[stage_of(asked)], EXIT_UNAVAILABLE);
    rc_finding_say(rc_finding_say(finding, asked->origin.host), ": ");
    rc_finding_say(finding, rc_upstream_kind_text(asked->failure));
    if (strcmp(asked->failure_text, rc_upstream_kind_text(asked->failure)) != 0)
        rc_finding_say(rc_finding_say(finding, ": "), asked->failure_text);
    if (!rc_upstream_kind_is_local(asked->failure)) {
        rc_finding_say(rc_finding_say(finding, " ("), rc_code_name(rc_report_code(report)));
        rc_finding_say(finding, ")");
    }
    rc_config_text_append(finding->advice, sizeof finding->advice, advice_of(asked, report));
    rc_report_free(report);
}

/* The mark of an answer that is not 200. */
static rc_mark mark_of(rc_code code, int status, int *ret_exit_status)
{
    *ret_exit_status = EXIT_UNAVAILABLE;
    if (code == RC_CODE_AUTH_FAILED || code == RC_CODE_PERMISSION_DENIED) {
        *ret_exit_status = EXIT_NOPERM;
        return RC_MARK_FAULT;
    }
    if (code == RC_CODE_RATE_LIMITED || code == RC_CODE_QUOTA_EXHAUSTED || status == 404 ||
        status == 405)
        return RC_MARK_WARN;
    return RC_MARK_FAULT;
}

static void add_refusal(rc_doctor *doctor, const patient *p, const rc_asked *asked,
                        const char *what)
{
    const rc_report *report = classify(doctor, p, asked);
    const bool is_without_list = asked->status == 404 || asked->status == 405;
    int exit_status = 0;
    const rc_mark mark = mark_of(rc_report_code(report), asked->status, &exit_status);
    rc_finding *finding =
        mark == RC_MARK_FAULT ? fault(doctor, p, what, exit_status) : add(doctor, p, mark, what);
    rc_finding_say(rc_finding_say_u64(finding, (uint64_t)asked->status), " ");
    rc_finding_say(rc_finding_say(finding, rc_code_name(rc_report_code(report))), ": ");
    if (is_without_list) {
        rc_finding_say(finding, "it answers, and has no list of models here; the key was not "
                                "tried");
        rc_finding_advise(finding, "if calls fail as well, check the path in base_url");
    } else {
        rc_finding_say_str(finding, rc_report_message(report));
        const rc_str detail = rc_report_action_detail(report);
        rc_config_text_append(
            finding->advice, sizeof finding->advice,
            detail.len > 0 ? detail : rc_str_c(rc_user_action_title(rc_report_action(report))));
    }
    rc_report_free(report);
}

static void add_answer(rc_doctor *doctor, const patient *p, const rc_asked *asked, const char *what)
{
    if (asked->status != 200) {
        add_refusal(doctor, p, asked, what);
        return;
    }
    rc_finding *finding = add(doctor, p, asked->is_page ? RC_MARK_WARN : RC_MARK_FINE, what);
    rc_finding_say(finding, "200 in ");
    rc_finding_say_u64(finding, asked->answered_ms - asked->started_ms);
    rc_finding_say(finding, asked->is_page             ? " ms, and a page where a list was expected"
                            : p->config->key_count > 0 ? " ms: the key is taken"
                                                       : " ms: it answers without a key");
    if (asked->is_page)
        rc_finding_advise(finding, "check base_url: a portal or another server may answer there");
}

static void add_name(rc_doctor *doctor, const patient *p, const rc_asked *asked)
{
    if (p->name == NULL || stage_of(asked) == STAGE_NAME)
        return;
    rc_finding *finding = add(doctor, p, RC_MARK_FINE, "name");
    rc_finding_say(rc_finding_say(finding, asked->origin.host), ": ");
    rc_finding_say_count(finding, p->name->address_count, "address", "addresses");
}

static void add_late(rc_doctor *doctor, const patient *p)
{
    rc_finding *finding = fault(doctor, p, "answer", EXIT_UNAVAILABLE);
    rc_finding_say(finding, "not done within ");
    rc_finding_say_count(finding, doctor->timeout_s, "second", "seconds");
    rc_finding_advise(finding, "give it more with --timeout, and check the network");
}

/* "env:OPENAI_API_KEY" */
static void push_key(const patient *p, size_t index, char room[WHAT_ROOM])
{
    rc_buf text;
    rc_buf_init_fixed(&text, room, WHAT_ROOM);
    if (p->config->key_count == 0) {
        rc_cli_text(&text, "answer");
    } else {
        const rc_secret_ref *ref = &p->config->keys[index];
        rc_cli_text(&text, rc_secret_kind_prefix(ref->kind));
        rc_buf_push(&text, rc_str_slice(ref->name, 0, WHAT_ROOM / 2));
    }
    rc_buf_push_byte(&text, '\0');
}

/* The way there is the same for all keys: the first that was asked for tells. */
static bool add_way(rc_doctor *doctor, const patient *p, const rc_asked *asked)
{
    if (asked->is_late) {
        add_late(doctor, p);
        return false;
    }
    add_name(doctor, p, asked);
    if (stage_of(asked) > STAGE_CONNECTION)
        rc_finding_say(
            rc_finding_say(rc_finding_say_u64(
                               rc_finding_say(add(doctor, p, RC_MARK_FINE, "connection"), "port "),
                               asked->origin.port),
                           asked->origin.is_https ? " of " : ", without TLS, of "),
            asked->origin.host);
    add_certificate(doctor, p, asked);
    if (asked->failure == RC_UPSTREAM_NONE || asked->status != 0)
        return true;
    add_failure(doctor, p, asked);
    return false;
}

static void add_provider(rc_doctor *doctor, const patient *p)
{
    char key[WHAT_ROOM];
    bool is_first = true;
    if (p->is_demo)
        rc_finding_say(add(doctor, p, RC_MARK_NOTE, ""), "lives in the gateway itself");
    if (p->trouble != NULL)
        rc_finding_say(fault(doctor, p, "base_url", RC_EXIT_CONFIG), p->trouble);
    for (size_t i = 0; i < p->asked_count; i++) {
        const rc_asked *asked = p->asked[i];
        if (asked == NULL)
            continue;
        if (is_first && !add_way(doctor, p, asked))
            return;
        is_first = false;
        push_key(p, i, key);
        if (asked->is_late)
            add_late(doctor, p);
        else if (asked->status == 0)
            add_failure(doctor, p, asked);
        else
            add_answer(doctor, p, asked, key);
    }
    if (is_first && p->asked_count > 0)
        rc_finding_say(add(doctor, p, RC_MARK_NOTE, ""), "not asked: no key is there");
}

/* ---- the clock ---- */

static uint64_t size_of(int64_t ms)
{
    return ms < 0 ? (uint64_t)-ms : (uint64_t)ms;
}

static void add_clock(rc_doctor *doctor, const rc_ask_net *net)
{
    /* Our own gateway has our own clock. */
    const rc_asked *far = NULL;
    for (const rc_asked *asked = net->asked; asked != NULL; asked = asked->next)
        if (asked->has_date && !asked->origin.is_loopback &&
            (far == NULL || size_of(asked->ahead_ms) > size_of(far->ahead_ms)))
            far = asked;
    for (const rc_asked *asked = net->asked; far == NULL && asked != NULL; asked = asked->next)
        if (asked->has_date)
            far = asked;
    if (far == NULL)
        return;
    const uint64_t skew_ms = size_of(far->ahead_ms);
    rc_finding *finding = rc_doctor_add(
        doctor, RC_GROUP_CLOCK, skew_ms > SKEW_MS ? RC_MARK_WARN : RC_MARK_FINE, RC_STR("date"));
    if (skew_ms <= SKEW_MS) {
        rc_finding_say(rc_finding_say(finding, "agrees with that of "), far->origin.host);
        return;
    }
    rc_finding_say(rc_finding_say_u64(finding, skew_ms / 1000),
                   far->ahead_ms > 0 ? " seconds behind that of " : " seconds ahead of that of ");
    rc_finding_say(finding, far->origin.host);
    rc_finding_advise(finding, "set the clock (timedatectl): waits, budgets and certificates go by "
                               "it");
}

/* ---- ports ---- */

static bool ask_port(rc_ask_net *net, port *at)
{
    char room[128];
    rc_buf url;
    rc_origin origin;
    /* Who listens everywhere is asked here. */
    const char *host = at->address.host;
    if (strcmp(host, "0.0.0.0") == 0 || strcmp(host, "::") == 0)
        host = host[0] == ':' ? "::1" : "127.0.0.1";
    rc_buf_init_fixed(&url, room, sizeof room);
    const bool is_v6 = strchr(host, ':') != NULL;
    rc_cli_text(&url, is_v6 ? "http://[" : "http://");
    rc_cli_text(&url, host);
    rc_cli_text(&url, is_v6 ? "]:" : ":");
    rc_buf_push_u64(&url, at->address.port);
    const rc_origin_options options = {.insecure = true, .allow_private = true};
    if (rc_origin_parse(rc_buf_get(&url), options, &origin) != NULL)
        return true;
    at->asked = rc_ask(net, &origin, "/readyz", NULL, NULL);
    return at->asked != NULL;
}

static bool look_at_port(rc_ask_net *net, port *at, const char *what, rc_str listen)
{
    at->what = what;
    if (!rc_mock_address_parse(listen, &at->address)) {
        at->error = EADDRNOTAVAIL;
        return true;
    }
    if (at->address.port == 0)
        return true;
    at->error = rc_probe_port(at->address.host, at->address.port);
    return at->error != EADDRINUSE || ask_port(net, at);
}

static void say_address(rc_finding *finding, const port *at)
{
    rc_finding_say(rc_finding_say(finding, at->address.host), ":");
    rc_finding_say_u64(finding, at->address.port);
}

static void add_held(rc_doctor *doctor, const port *at)
{
    const rc_str said = rc_str_trim(rc_buf_get(&at->asked->body));
    const bool is_ready = at->asked->status == 200 && rc_str_eq(said, RC_STR("ok"));
    /* Ours says why in one short line of text. */
    const bool is_leaving = at->asked->status == 503 && said.len > 0 && said.len < 128 &&
                            !at->asked->is_page && said.ptr[0] != '{';
    rc_finding *finding;
    if (is_ready)
        finding = rc_doctor_add(doctor, RC_GROUP_PORTS, RC_MARK_FINE, rc_str_c(at->what));
    else if (is_leaving)
        finding = rc_doctor_add(doctor, RC_GROUP_PORTS, RC_MARK_WARN, rc_str_c(at->what));
    else
        finding = rc_doctor_fault(doctor, RC_GROUP_PORTS, rc_str_c(at->what), EXIT_UNAVAILABLE);
    say_address(finding, at);
    if (is_ready) {
        rc_finding_say(finding, ": a gateway runs there and is ready");
    } else if (is_leaving) {
        rc_finding_say(
            rc_finding_say_str(rc_finding_say(finding, ": a gateway runs there: "), said), "");
        rc_finding_advise(finding, "look at its log");
    } else {
        rc_finding_say(finding, " is held by another program");
        rc_finding_advise(finding, "end that (ss -ltnp shows it), or choose another port");
    }
}

static void add_port(rc_doctor *doctor, const port *at)
{
    if (at->what == NULL)
        return;
    if (at->asked != NULL) {
        add_held(doctor, at);
        return;
    }
    if (at->error != 0) {
        rc_finding *finding = rc_doctor_fault(doctor, RC_GROUP_PORTS, rc_str_c(at->what),
                                              at->error == EACCES ? EXIT_NOPERM : EXIT_UNAVAILABLE);
        say_address(finding, at);
        rc_finding_say(rc_finding_say(finding, ": "), rc_sys_error_text(at->error));
        rc_finding_advise(finding, at->error == EACCES
                                       ? "ports below 1024 need a right: use another, or a socket "
                                         "of systemd"
                                       : "choose an address of this machine");
        return;
    }
    rc_finding *finding = rc_doctor_add(doctor, RC_GROUP_PORTS, RC_MARK_FINE, rc_str_c(at->what));
    say_address(finding, at);
    rc_finding_say(finding, at->address.port == 0 ? ": the system chooses the port" : " is free");
}

/* ---- all of it ---- */

static bool ask_all(rc_ask_net *net, const rc_config *config, bool is_offline, patient *patients,
                    port ports[PORTS])
{
    if (!look_at_port(net, &ports[0], "listen", config->root.listen) ||
        (rc_config_admin_listens(&config->admin) &&
         !look_at_port(net, &ports[1], "admin", config->admin.listen)))
        return false;
    for (size_t i = 0; i < config->provider_count && !is_offline; i++) {
        patients[i].config = &config->providers[i];
        if (!ask_provider(net, &patients[i]))
            return false;
    }
    return true;
}

bool rc_doctor_check_net(rc_doctor *doctor, const rc_config *config, bool is_offline)
{
    rc_ask_net net;
    port ports[PORTS] = {{.what = NULL}};
    if (!rc_ask_net_init(&net, doctor))
        return false;
    patient *patients =
        rc_arena_get_array(&net.arena, config->provider_count + 1, sizeof *patients);
    bool is_asked = patients != NULL && ask_all(&net, config, is_offline, patients, ports);
    rc_ask_net_run(&net);
    if (is_asked) {
        for (size_t i = 0; i < config->provider_count && !is_offline; i++)
            add_provider(doctor, &patients[i]);
        if (is_offline)
            rc_finding_say(
                rc_doctor_add(doctor, RC_GROUP_PROVIDERS, RC_MARK_NOTE, RC_STR("offline")),
                "no provider was asked");
        else
            add_clock(doctor, &net);
        for (size_t i = 0; i < PORTS; i++)
            add_port(doctor, &ports[i]);
    }
    is_asked = is_asked && rc_arena_status(&net.arena) == RC_OK;
    rc_ask_net_done(&net);
    return is_asked;
}
