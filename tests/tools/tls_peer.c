/* tool_tls_peer FOLDER NAMES FROM UNTIL [DATE-OFFSET]: a TLS server on 127.0.0.1 that responds to
 * every request with 200 and a list of models, until it is stopped. The server's certificate is for
 * NAMES ("DNS:localhost,IP:127.0.0.1"), valid from FROM to UNTIL (seconds from now), and signed by
 * an authority whose certificate is FOLDER/ca.pem; with NAMES "self" it is self-signed. The
 * server's Date header is off by DATE-OFFSET seconds. FOLDER/port has the port once the server
 * listens. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "support/tls_peer.h"

#define DAY (24L * 60 * 60)

static void write_file(const char *folder, const char *name, rc_str text)
{
    char path[4096];
    char whole[4096];
    (void)snprintf(path, sizeof path, "%s/.%s", folder, name);
    (void)snprintf(whole, sizeof whole, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(text.ptr, 1, text.len, file) != text.len || fclose(file) != 0 ||
        rename(path, whole) != 0)
        exit(74);
}

static int listen_here(const char *folder)
{
    char text[16];
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t len = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, len) != 0 || listen(fd, 16) != 0 ||
        getsockname(fd, (struct sockaddr *)&address, &len) != 0)
        exit(69);
    int count = snprintf(text, sizeof text, "%d", ntohs(address.sin_port));
    write_file(folder, "port", rc_str_make(text, (size_t)count));
    return fd;
}

static void respond(SSL *ssl, long offset_s)
{
    char date[64];
    char text[512];
    char request[8192];
    const char *body = "{\"data\":[]}";
    time_t now = time(NULL) + offset_s;
    struct tm parts;
    if (SSL_accept(ssl) != 1 || SSL_read(ssl, request, sizeof request) <= 0)
        return;
    (void)strftime(date, sizeof date, "%a, %d %b %Y %H:%M:%S GMT", gmtime_r(&now, &parts));
    int len = snprintf(text, sizeof text,
                       "HTTP/1.1 200 OK\r\ndate: %s\r\ncontent-type: application/json\r\n"
                       "content-length: %zu\r\nconnection: close\r\n\r\n%s",
                       date, strlen(body), body);
    (void)SSL_write(ssl, text, len);
    (void)SSL_shutdown(ssl);
}

int main(int argc, char **argv)
{
    char pem[4096];
    if (argc < 5)
        return 64;
    (void)signal(SIGPIPE, SIG_IGN);
    const bool is_self = strcmp(argv[2], "self") == 0;
    const identity authority = identity_make((identity_options){
        .name = "Test CA", .from_s = -100 * DAY, .until_s = 100 * DAY, .is_ca = true});
    const identity shown = identity_make((identity_options){
        .name = "a server",
        .names = is_self ? "IP:127.0.0.1" : argv[2],
        .issuer = is_self ? NULL : &authority,
        .from_s = strtol(argv[3], NULL, 10),
        .until_s = strtol(argv[4], NULL, 10),
    });
    SSL_CTX *context = tls_server_new(&shown, 0);
    write_file(argv[1], "ca.pem", identity_pem(&authority, pem, sizeof pem));
    const int fd = listen_here(argv[1]);
    while (true) {
        const int connection = accept(fd, NULL, NULL);
        if (connection < 0)
            return 71;
        SSL *ssl = SSL_new(context);
        (void)SSL_set_fd(ssl, connection);
        respond(ssl, argc > 5 ? strtol(argv[5], NULL, 10) : 0);
        SSL_free(ssl);
        (void)close(connection);
    }
}
