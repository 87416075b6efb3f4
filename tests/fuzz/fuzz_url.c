/* Any text as an address: the parts lie in the text, have no byte that could end a header or name
 * another host, and give the same address when they are written and read again. */
#include <arpa/inet.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/str.h"
#include "codec/url.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool is_true)
{
    if (!is_true)
        abort();
}

static void check_part(rc_str text, rc_str part)
{
    if (part.len == 0)
        return;
    uintptr_t start = (uintptr_t)text.ptr;
    uintptr_t at = (uintptr_t)part.ptr;
    check(at >= start && at - start <= text.len && part.len <= text.len - (at - start));
    for (size_t i = 0; i < part.len; i++)
        check(part.ptr[i] > ' ' && part.ptr[i] < 0x7f && !memchr("?#\\", part.ptr[i], 3));
}

/* The C library's reader is the second opinion. */
static void check_ip(const rc_url *url)
{
    char text[RC_URL_HOST_MAX + 1];
    uint8_t ip[16];
    memcpy(text, url->host.ptr, url->host.len);
    text[url->host.len] = '\0';
    int family = url->host_kind == RC_URL_IPV4 ? AF_INET : AF_INET6;
    check(inet_pton(family, text, ip) == 1);
    check(memcmp(ip, url->ip, family == AF_INET ? 4 : 16) == 0);
}

static void check_again(const rc_url *url)
{
    char text[RC_URL_HOST_MAX + RC_URL_PATH_MAX + 32];
    rc_url again;
    bool is_v6 = url->host_kind == RC_URL_IPV6;
    int len = snprintf(text, sizeof(text), "http%s://%s%.*s%s:%u%.*s", url->is_https ? "s" : "",
                       is_v6 ? "[" : "", (int)url->host.len, url->host.ptr, is_v6 ? "]" : "",
                       (unsigned)url->port, (int)url->path.len, url->path.ptr);
    check(rc_url_parse(rc_str_make(text, (size_t)len), &again) == RC_URL_FAULT_NONE);
    check(rc_str_eq(again.host, url->host) && rc_str_eq(again.path, url->path));
    check(again.port == url->port && again.host_kind == url->host_kind &&
          again.is_https == url->is_https);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    rc_str text = rc_str_make((const char *)data, size);
    rc_url url = {.port = 0};
    if (rc_url_parse(text, &url) != RC_URL_FAULT_NONE) {
        check(url.port == 0);
        return 0;
    }
    check(url.port != 0 && url.host.len > 0 && url.host.len <= RC_URL_HOST_MAX);
    check(url.path.len == 0 || url.path.ptr[0] == '/');
    check_part(text, url.host);
    if (url.host_kind != RC_URL_NAME)
        check_ip(&url);
    check_again(&url);
    return 0;
}
