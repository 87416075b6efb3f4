/* Doctor: checks providers, the clock and the ports, and interprets the responses. Called by
 * command.c. */
#include "cli/doctor/probe.h"

#include <errno.h>
#include <string.h>

#include <recourse/taxonomy.h>

#include "base/secret.h"
#include "base/str.h"
#include "cli/config_load.h"
#include "cli/mock/mock.h"
#include "codec/datetime.h"
#include "config/secret_load.h"
#include "gateway/request/credential_header.h"
#include "sys/clock.h"
#include "sys/file.h"
#include "sys/probe.h"

#define EXIT_UNAVAILABLE 69
#define EXIT_NOPERM 77
#define DAY_MS (INT64_C(24) * 60 * 60 * 1000)
#define CERTIFICATE_DAYS 14
#define SKEW_MS 30000
#define LABEL_BYTES 512
#define PORTS 2

/* Stage at which a probe of a provider ended. */
typedef enum stage {
    STAGE_NAME = 0,
    STAGE_CONNECTION = 1,
    STAGE_TLS = 2,
    STAGE_RESPONSE = 3
} stage;

/* Probes of one provider: one for each key, or one if it has no key. */
typedef struct provider_probe {
    const rc_config_provider *config;
    const char *url_error; /* The error in base_url; NULL: base_url is valid. */
    bool is_demo;
    rc_name_probe *name;    /* Lookup of the host; NULL: it is an IP address. */
    rc_http_probe **probes; /* One per key; NULL: no probe, as the key is unusable. */
    size_t probe_count;
} provider_probe;

typedef struct port {
    const char *subject;
    rc_host_port address;
    int error;
    rc_http_probe *probe; /* Probe of the program that holds the port; NULL: the port is free. */
} port;

/* ---- requests to providers ---- */

typedef struct credentials {
    const rc_sys_calls *calls;
    const rc_config_provider *provider;
    const rc_secret_ref *ref; /* NULL: no key. */
} credentials;

static bool push_credentials(rc_buf *wire, void *ctx)
{
    const credentials *creds = ctx;
    const rc_wire kind = rc_wire_of_dialect(creds->provider->kind->dialect);
    char scratch[RC_SECRET_TOKEN_MAX];
    rc_buf text;
    if (kind == RC_WIRE_ANTHROPIC)
        rc_cli_text(wire, "anthropic-version: 2023-06-01\r\n");
    if (creds->ref == NULL)
        return true;
    rc_buf_init_fixed(&text, scratch, sizeof scratch);
    const bool is_pushed =
        rc_secret_load(creds->calls, creds->ref, &text) == NULL &&
        rc_credential_header_push(wire, kind, (rc_config_auth)creds->provider->auth,
                                  rc_secret_make(rc_str_trim(rc_buf_get(&text))));
    rc_secret_wipe(scratch, sizeof scratch);
    return is_pushed;
}

static const char *path_of(const rc_config_provider *provider)
{
    switch (rc_wire_of_dialect(provider->kind->dialect)) {
    case RC_WIRE_ANTHROPIC:
        return "/v1/models?limit=1";
    case RC_WIRE_GEMINI:
        return "/v1beta/models?pageSize=1";
    case RC_WIRE_OPENAI:
    case RC_WIRE_COUNT: /* Providers whose API belongs to no known family. */
    case RC_WIRE_LOCAL:
        break;
    }
    return "/models";
}

static bool probe_with_key(rc_prober *prober, provider_probe *p, const rc_origin *origin,
                           size_t index)
{
    const rc_config_provider *config = p->config;
    credentials creds = {.calls = prober->doctor->cli->calls, .provider = config};
    if (config->key_count > 0)
        creds.ref = &config->keys[index];
    if (creds.ref != NULL && rc_secret_check_token(creds.calls, creds.ref) != NULL)
        return true; /* doctor/config.c has already reported an unusable key. */
    p->probes[index] =
        rc_http_probe_start(prober, origin, path_of(config), push_credentials, &creds);
    return p->probes[index] != NULL;
}

static bool probe_provider(rc_prober *prober, provider_probe *p)
{
    const rc_config_provider *config = p->config;
    const rc_origin_options options = {
        .insecure = config->insecure, .allow_private = config->insecure || config->private_network};
    rc_origin origin;
    p->is_demo = strcmp(config->kind->name, "demo") == 0;
    p->url_error = p->is_demo ? NULL : rc_origin_parse(config->base_url, options, &origin);
    if (p->is_demo || p->url_error != NULL)
        return true;
    if (!origin.is_literal && (p->name = rc_name_probe_start(prober, origin.host)) == NULL)
        return false;
    p->probe_count = config->key_count > 0 ? config->key_count : 1;
    p->probes = rc_arena_get_array(&prober->arena, p->probe_count, sizeof(rc_http_probe *));
    if (p->probes == NULL)
        return false;
    for (size_t i = 0; i < p->probe_count; i++)
        if (!probe_with_key(prober, p, &origin, i))
            return false;
    return true;
}

/* ---- findings about providers ---- */

static stage stage_of(const rc_http_probe *probe)
{
    const rc_upstream_kind kind = probe->failure;
    if ((kind >= RC_UPSTREAM_DNS_UNKNOWN && kind <= RC_UPSTREAM_DNS_TIMEOUT) ||
        kind == RC_UPSTREAM_ADDRESS_REFUSED)
        return STAGE_NAME;
    if (kind >= RC_UPSTREAM_CONNECT_REFUSED && kind <= RC_UPSTREAM_CONNECT_TIMEOUT)
        return STAGE_CONNECTION;
    if (kind >= RC_UPSTREAM_TLS_TIMEOUT && kind <= RC_UPSTREAM_TLS_CLOSED)
        return STAGE_TLS;
    return STAGE_RESPONSE;
}

/* Returns the advice for a probe that failed, which is the advice of the report if the connection
 * was not opened. */
static rc_str advice_of(const rc_http_probe *probe, const rc_report *report)
{
    if (probe->failure == RC_UPSTREAM_ADDRESS_REFUSED)
        return RC_STR("a name that resolves to an address of your own network needs "
                      "private_network: true");
    return stage_of(probe) == STAGE_RESPONSE
               ? RC_STR("retry; if it fails again, check the provider's status page")
               : rc_report_action_detail(report);
}

/* Returns provider and part joined by a space, such as "openai tls". */
static rc_str label(char scratch[LABEL_BYTES], rc_str provider, const char *part)
{
    rc_buf text;
    rc_buf_init_fixed(&text, scratch, LABEL_BYTES);
    rc_buf_push(&text, rc_str_slice(provider, 0, LABEL_BYTES / 2));
    rc_buf_push_byte(&text, ' ');
    rc_buf_push(&text, rc_str_slice(rc_str_c(part), 0, LABEL_BYTES / 4));
    return rc_buf_get(&text);
}

static rc_finding *add(rc_doctor *doctor, const provider_probe *p, rc_finding_level level,
                       const char *part)
{
    char scratch[LABEL_BYTES];
    return rc_doctor_add(doctor, RC_GROUP_PROVIDERS, level, label(scratch, p->config->name, part));
}

static rc_finding *fault(rc_doctor *doctor, const provider_probe *p, const char *part,
                         int exit_status)
{
    char scratch[LABEL_BYTES];
    return rc_doctor_fault(doctor, RC_GROUP_PROVIDERS, label(scratch, p->config->name, part),
                           exit_status);
}

static void push_date(rc_finding *finding, int64_t unix_ms)
{
    char scratch[40];
    rc_buf text;
    rc_buf_init_fixed(&text, scratch, sizeof scratch);
    rc_rfc3339_push(&text, unix_ms);
    rc_finding_push_str(finding, rc_str_slice(rc_buf_get(&text), 0, 10));
}

static void add_certificate(rc_doctor *doctor, const provider_probe *p, const rc_http_probe *probe)
{
    const int64_t now_ms = rc_clock_unix_ms(doctor->cli->calls);
    const int64_t days = (probe->tls.until_unix_ms - now_ms) / DAY_MS;
    if (!probe->has_tls)
        return;
    const bool is_soon = probe->tls.until_unix_ms > 0 && now_ms > 0 && days < CERTIFICATE_DAYS;
    rc_finding *finding = add(doctor, p, is_soon ? RC_FINDING_WARN : RC_FINDING_FINE, "tls");
    rc_finding_push(rc_finding_push(finding, probe->tls.version), ", the certificate for ");
    rc_finding_push(rc_finding_push(finding, probe->origin.host), " is valid until ");
    push_date(finding, probe->tls.until_unix_ms);
    if (probe->tls.issuer[0] != '\0')
        rc_finding_push(rc_finding_push(finding, ", by "), probe->tls.issuer);
    if (is_soon)
        rc_finding_advise(finding, "the operator of the server should renew the certificate");
}

/* Gives the report of a failed probe. */
static const rc_report *classify(const rc_doctor *doctor, const provider_probe *p,
                                 const rc_http_probe *probe)
{
    const rc_failure failure = {
        .provider = rc_config_kind_provider(p->config->kind),
        .status = probe->status,
        .headers = probe->headers,
        .header_count = probe->header_count,
        .body = rc_buf_get(&probe->body),
        .transport = rc_upstream_kind_transport(probe->failure),
        .connection = rc_upstream_kind_connection(probe->failure),
        .phase = probe->failure != RC_UPSTREAM_NONE ? probe->phase : RC_PHASE_HEADERS,
        .replay = RC_REPLAY_YES,
        .now_unix_ms = rc_clock_unix_ms(doctor->cli->calls),
        .host = rc_str_c(probe->origin.host),
    };
    return rc_classify(&failure, NULL, &doctor->cli->alloc);
}

static void add_failure(rc_doctor *doctor, const provider_probe *p, const rc_http_probe *probe)
{
    static const char *const stage_names[] = {"name", "connection", "tls", "answer"};
    const rc_report *report = classify(doctor, p, probe);
    rc_finding *finding = fault(doctor, p, stage_names[stage_of(probe)], EXIT_UNAVAILABLE);
    rc_finding_push(rc_finding_push(finding, probe->origin.host), ": ");
    rc_finding_push(finding, rc_upstream_kind_text(probe->failure));
    if (strcmp(probe->failure_text, rc_upstream_kind_text(probe->failure)) != 0)
        rc_finding_push(rc_finding_push(finding, ": "), probe->failure_text);
    if (!rc_upstream_kind_is_local(probe->failure)) {
        rc_finding_push(rc_finding_push(finding, " ("), rc_code_name(rc_report_code(report)));
        rc_finding_push(finding, ")");
    }
    rc_config_text_append(finding->advice, sizeof finding->advice, advice_of(probe, report));
    rc_report_free(report);
}

/* Returns the level of the finding for a response whose status is not 200. */
static rc_finding_level level_of(rc_code code, int status, int *ret_exit_status)
{
    *ret_exit_status = EXIT_UNAVAILABLE;
    if (code == RC_CODE_AUTH_FAILED || code == RC_CODE_PERMISSION_DENIED) {
        *ret_exit_status = EXIT_NOPERM;
        return RC_FINDING_FAULT;
    }
    if (code == RC_CODE_RATE_LIMITED || code == RC_CODE_QUOTA_EXHAUSTED || status == 404 ||
        status == 405)
        return RC_FINDING_WARN;
    return RC_FINDING_FAULT;
}

static void add_refusal(rc_doctor *doctor, const provider_probe *p, const rc_http_probe *probe,
                        const char *part)
{
    const rc_report *report = classify(doctor, p, probe);
    const bool is_without_list = probe->status == 404 || probe->status == 405;
    int exit_status = 0;
    const rc_finding_level level = level_of(rc_report_code(report), probe->status, &exit_status);
    rc_finding *finding = level == RC_FINDING_FAULT ? fault(doctor, p, part, exit_status)
                                                    : add(doctor, p, level, part);
    rc_finding_push(rc_finding_push_u64(finding, (uint64_t)probe->status), " ");
    rc_finding_push(rc_finding_push(finding, rc_code_name(rc_report_code(report))), ": ");
    if (is_without_list) {
        rc_finding_push(finding,
                        "the provider responds, but has no list of models at this path; the key "
                        "was not tested");
        rc_finding_advise(finding, "if calls also fail, check the path in base_url");
    } else {
        rc_finding_push_str(finding, rc_report_message(report));
        const rc_str detail = rc_report_action_detail(report);
        rc_config_text_append(
            finding->advice, sizeof finding->advice,
            detail.len > 0 ? detail : rc_str_c(rc_user_action_title(rc_report_action(report))));
    }
    rc_report_free(report);
}

static void add_response(rc_doctor *doctor, const provider_probe *p, const rc_http_probe *probe,
                         const char *part)
{
    if (probe->status != 200) {
        add_refusal(doctor, p, probe, part);
        return;
    }
    rc_finding *finding = add(doctor, p, probe->is_html ? RC_FINDING_WARN : RC_FINDING_FINE, part);
    rc_finding_push(finding, "200 in ");
    rc_finding_push_u64(finding, probe->head_ms - probe->started_ms);
    rc_finding_push(finding, probe->is_html ? " ms, but the response is a web page, not a list"
                             : p->config->key_count > 0
                                 ? " ms: the key is accepted"
                                 : " ms: the provider responds without a key");
    if (probe->is_html)
        rc_finding_advise(finding, "check base_url: a portal or another server may respond there");
}

static void add_name(rc_doctor *doctor, const provider_probe *p, const rc_http_probe *probe)
{
    if (p->name == NULL || stage_of(probe) == STAGE_NAME)
        return;
    rc_finding *finding = add(doctor, p, RC_FINDING_FINE, "name");
    rc_finding_push(rc_finding_push(finding, probe->origin.host), ": ");
    rc_finding_push_count(finding, p->name->address_count, "address", "addresses");
}

static void add_late(rc_doctor *doctor, const provider_probe *p)
{
    rc_finding *finding = fault(doctor, p, "answer", EXIT_UNAVAILABLE);
    rc_finding_push(finding, "the check did not end within ");
    rc_finding_push_count(finding, doctor->timeout_s, "second", "seconds");
    rc_finding_advise(finding, "allow more time with --timeout, and check the network");
}

/* Writes the name of a key into scratch, such as "env:OPENAI_API_KEY". */
static void push_key(const provider_probe *p, size_t index, char scratch[LABEL_BYTES])
{
    rc_buf text;
    rc_buf_init_fixed(&text, scratch, LABEL_BYTES);
    if (p->config->key_count == 0) {
        rc_cli_text(&text, "answer");
    } else {
        const rc_secret_ref *ref = &p->config->keys[index];
        rc_cli_text(&text, rc_secret_kind_prefix(ref->kind));
        rc_buf_push(&text, rc_str_slice(ref->name, 0, LABEL_BYTES / 2));
    }
    rc_buf_push_byte(&text, '\0');
}

/* Adds the findings about name, connection and TLS. These findings are the same for all keys of a
 * provider, so only the first probe is used. Returns false if no response was received. */
static bool add_connection(rc_doctor *doctor, const provider_probe *p, const rc_http_probe *probe)
{
    if (probe->is_late) {
        add_late(doctor, p);
        return false;
    }
    add_name(doctor, p, probe);
    if (stage_of(probe) > STAGE_CONNECTION)
        rc_finding_push(
            rc_finding_push(
                rc_finding_push_u64(
                    rc_finding_push(add(doctor, p, RC_FINDING_FINE, "connection"), "port "),
                    probe->origin.port),
                probe->origin.is_https ? " of " : ", without TLS, of "),
            probe->origin.host);
    add_certificate(doctor, p, probe);
    if (probe->failure == RC_UPSTREAM_NONE || probe->status != 0)
        return true;
    add_failure(doctor, p, probe);
    return false;
}

static void add_provider(rc_doctor *doctor, const provider_probe *p)
{
    char key[LABEL_BYTES];
    bool is_first = true;
    if (p->is_demo)
        rc_finding_push(add(doctor, p, RC_FINDING_NOTE, ""), "part of the gateway");
    if (p->url_error != NULL)
        rc_finding_push(fault(doctor, p, "base_url", RC_EXIT_CONFIG), p->url_error);
    for (size_t i = 0; i < p->probe_count; i++) {
        const rc_http_probe *probe = p->probes[i];
        if (probe == NULL)
            continue;
        if (is_first && !add_connection(doctor, p, probe))
            return;
        is_first = false;
        push_key(p, i, key);
        if (probe->is_late)
            add_late(doctor, p);
        else if (probe->status == 0)
            add_failure(doctor, p, probe);
        else
            add_response(doctor, p, probe, key);
    }
    if (is_first && p->probe_count > 0)
        rc_finding_push(add(doctor, p, RC_FINDING_NOTE, ""), "not checked: no key is available");
}

/* ---- clock ---- */

static uint64_t magnitude_of(int64_t ms)
{
    return ms < 0 ? (uint64_t)-ms : (uint64_t)ms;
}

static void add_clock(rc_doctor *doctor, const rc_prober *prober)
{
    /* Prefers the date of another machine, because a gateway on this machine uses the same clock as
     * the doctor. */
    const rc_http_probe *farthest = NULL;
    for (const rc_http_probe *probe = prober->probes; probe != NULL; probe = probe->next)
        if (probe->has_date && !probe->origin.is_loopback &&
            (farthest == NULL || magnitude_of(probe->ahead_ms) > magnitude_of(farthest->ahead_ms)))
            farthest = probe;
    for (const rc_http_probe *probe = prober->probes; farthest == NULL && probe != NULL;
         probe = probe->next)
        if (probe->has_date)
            farthest = probe;
    if (farthest == NULL)
        return;
    const uint64_t skew_ms = magnitude_of(farthest->ahead_ms);
    rc_finding *finding =
        rc_doctor_add(doctor, RC_GROUP_CLOCK, skew_ms > SKEW_MS ? RC_FINDING_WARN : RC_FINDING_FINE,
                      RC_STR("date"));
    if (skew_ms <= SKEW_MS) {
        rc_finding_push(rc_finding_push(finding, "agrees with that of "), farthest->origin.host);
        return;
    }
    rc_finding_push(rc_finding_push_u64(finding, skew_ms / 1000),
                    farthest->ahead_ms > 0 ? " seconds behind that of "
                                           : " seconds ahead of that of ");
    rc_finding_push(finding, farthest->origin.host);
    rc_finding_advise(finding,
                      "set the clock (timedatectl): waits, budgets and certificates depend on "
                      "it");
}

/* ---- ports ---- */

static bool probe_port(rc_prober *prober, port *at)
{
    char scratch[128];
    rc_buf url;
    rc_origin origin;
    /* A listener on all interfaces is probed on the loopback address. */
    const char *host = at->address.host;
    if (strcmp(host, "0.0.0.0") == 0 || strcmp(host, "::") == 0)
        host = host[0] == ':' ? "::1" : "127.0.0.1";
    rc_buf_init_fixed(&url, scratch, sizeof scratch);
    const bool is_v6 = strchr(host, ':') != NULL;
    rc_cli_text(&url, is_v6 ? "http://[" : "http://");
    rc_cli_text(&url, host);
    rc_cli_text(&url, is_v6 ? "]:" : ":");
    rc_buf_push_u64(&url, at->address.port);
    const rc_origin_options options = {.insecure = true, .allow_private = true};
    if (rc_origin_parse(rc_buf_get(&url), options, &origin) != NULL)
        return true;
    at->probe = rc_http_probe_start(prober, &origin, "/readyz", NULL, NULL);
    return at->probe != NULL;
}

static bool check_port(rc_prober *prober, port *at, const char *subject, rc_str listen)
{
    at->subject = subject;
    if (!rc_host_port_parse(listen, &at->address)) {
        at->error = EADDRNOTAVAIL;
        return true;
    }
    if (at->address.port == 0)
        return true;
    at->error = rc_probe_port(at->address.host, at->address.port);
    return at->error != EADDRINUSE || probe_port(prober, at);
}

static void push_address(rc_finding *finding, const port *at)
{
    rc_finding_push(rc_finding_push(finding, at->address.host), ":");
    rc_finding_push_u64(finding, at->address.port);
}

static void add_occupied(rc_doctor *doctor, const port *at)
{
    const rc_str body = rc_str_trim(rc_buf_get(&at->probe->body));
    const bool is_ready = at->probe->status == 200 && rc_str_eq(body, RC_STR("ok"));
    /* A Recourse gateway that is not ready responds to /readyz with 503 and one short line of
     * text. */
    const bool is_leaving = at->probe->status == 503 && body.len > 0 && body.len < 128 &&
                            !at->probe->is_html && body.ptr[0] != '{';
    rc_finding *finding;
    if (is_ready)
        finding = rc_doctor_add(doctor, RC_GROUP_PORTS, RC_FINDING_FINE, rc_str_c(at->subject));
    else if (is_leaving)
        finding = rc_doctor_add(doctor, RC_GROUP_PORTS, RC_FINDING_WARN, rc_str_c(at->subject));
    else
        finding = rc_doctor_fault(doctor, RC_GROUP_PORTS, rc_str_c(at->subject), EXIT_UNAVAILABLE);
    push_address(finding, at);
    if (is_ready) {
        rc_finding_push(finding, ": a running gateway is ready");
    } else if (is_leaving) {
        rc_finding_push(rc_finding_push_str(
                            rc_finding_push(finding, ": a running gateway is not ready: "), body),
                        "");
        rc_finding_advise(finding, "check the log of that gateway");
    } else {
        rc_finding_push(finding, " is in use by another program");
        rc_finding_advise(finding, "stop that program (ss -ltnp shows it), or choose another port");
    }
}

static void add_port(rc_doctor *doctor, const port *at)
{
    if (at->subject == NULL)
        return;
    if (at->probe != NULL) {
        add_occupied(doctor, at);
        return;
    }
    if (at->error != 0) {
        rc_finding *finding = rc_doctor_fault(doctor, RC_GROUP_PORTS, rc_str_c(at->subject),
                                              at->error == EACCES ? EXIT_NOPERM : EXIT_UNAVAILABLE);
        push_address(finding, at);
        rc_finding_push(rc_finding_push(finding, ": "), rc_sys_error_text(at->error));
        rc_finding_advise(finding,
                          at->error == EACCES
                              ? "ports below 1024 need a privilege: use another port, or a socket "
                                "of systemd"
                              : "choose an address of this machine");
        return;
    }
    rc_finding *finding =
        rc_doctor_add(doctor, RC_GROUP_PORTS, RC_FINDING_FINE, rc_str_c(at->subject));
    push_address(finding, at);
    rc_finding_push(finding, at->address.port == 0 ? ": the system chooses the port" : " is free");
}

/* ---- all checks ---- */

static bool probe_all(rc_prober *prober, const rc_config *config, bool is_offline,
                      provider_probe *provider_probes, port ports[PORTS])
{
    if (!check_port(prober, &ports[0], "listen", config->root.listen) ||
        (rc_config_admin_listens(&config->admin) &&
         !check_port(prober, &ports[1], "admin", config->admin.listen)))
        return false;
    for (size_t i = 0; i < config->provider_count && !is_offline; i++) {
        provider_probes[i].config = &config->providers[i];
        if (!probe_provider(prober, &provider_probes[i]))
            return false;
    }
    return true;
}

bool rc_doctor_check_net(rc_doctor *doctor, const rc_config *config, bool is_offline)
{
    rc_prober prober;
    port ports[PORTS] = {{.subject = NULL}};
    if (!rc_prober_init(&prober, doctor))
        return false;
    provider_probe *provider_probes =
        rc_arena_get_array(&prober.arena, config->provider_count + 1, sizeof *provider_probes);
    bool is_probed =
        provider_probes != NULL && probe_all(&prober, config, is_offline, provider_probes, ports);
    rc_prober_run(&prober);
    if (is_probed) {
        for (size_t i = 0; i < config->provider_count && !is_offline; i++)
            add_provider(doctor, &provider_probes[i]);
        if (is_offline)
            rc_finding_push(
                rc_doctor_add(doctor, RC_GROUP_PROVIDERS, RC_FINDING_NOTE, RC_STR("offline")),
                "no provider was checked");
        else
            add_clock(doctor, &prober);
        for (size_t i = 0; i < PORTS; i++)
            add_port(doctor, &ports[i]);
    }
    is_probed = is_probed && rc_arena_status(&prober.arena) == RC_OK;
    rc_prober_done(&prober);
    return is_probed;
}
