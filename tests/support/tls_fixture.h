/* A TLS client that trusts only the test's own certificate authority, and servers with arbitrary
 * certificates. */
#ifndef TESTS_SUPPORT_TLS_WORLD_H
#define TESTS_SUPPORT_TLS_WORLD_H

#include "net/tls/tls.h"
#include "support/tls_peer.h"
#include "support/upstream_peer.h"

#define OK_5 "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello"
#define DAY (24L * 60 * 60)

static identity authority;
static char authority_pem[4096];
static rc_tls *trust;
static peer server;
static fixture client;

static inline rc_resolve_result to_loopback(void *ctx, const char *host,
                                            rc_addresses *ret_addresses)
{
    (void)ctx;
    (void)host;
    ret_addresses->count = 1;
    ret_addresses->list[0].v4 =
        (struct sockaddr_in){.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    return RC_RESOLVE_FOUND;
}

static inline bool allow_all(void *ctx, const rc_origin *origin, const rc_address *address)
{
    (void)ctx;
    (void)origin;
    (void)address;
    return true;
}

static inline int make_authority(void **state)
{
    const char *why = NULL;
    (void)state;
    authority = identity_make(
        (identity_options){.name = "Test CA", .from_s = -DAY, .until_s = DAY, .is_ca = true});
    const rc_tls_settings settings = {
        .ca_pem = identity_pem(&authority, authority_pem, sizeof(authority_pem)),
        .is_without_system = true,
    };
    trust = rc_tls_new(&settings, &why);
    return trust == NULL ? -1 : 0;
}

static inline int free_authority(void **state)
{
    (void)state;
    rc_tls_free(trust);
    identity_free(&authority);
    return 0;
}

static inline void begin(SSL_CTX *tls, void (*script)(peer_conn *), const void *ctx)
{
    server = (peer){.tls = tls, .ctx = (void *)(uintptr_t)ctx};
    peer_start(&server, script);
    client.settings = rc_upstream_settings_default();
    client.settings.tls = trust;
    client.settings.resolve.hook = to_loopback;
    client.settings.allow = allow_all;
    fixture_open(&client);
}

static inline void finish(void)
{
    assert_true(fixture_close(&client));
    peer_stop(&server);
    SSL_CTX_free(server.tls);
}

static inline identity good_identity(void)
{
    return identity_make((identity_options){.name = "good",
                                            .names = "DNS:good.test,IP:127.0.0.1",
                                            .issuer = &authority,
                                            .from_s = -DAY,
                                            .until_s = DAY});
}

#endif
