/* Strict parser for base URLs and IP addresses. Called by origin.c, the redirect rules and the
 * gateway's origin guard. */
#include "codec/url.h"

#include "base/str.h"

const char *rc_url_fault_text(rc_url_fault fault)
{
    static const char *const texts[] = {
#define ROW(ID, text) text,
        RC_URL_FAULTS(ROW)
#undef ROW
    };
    return texts[fault];
}

bool rc_url_parse_ipv4(rc_str text, uint8_t ret_ip[4])
{
    uint8_t ip[4];
    size_t at = 0;
    for (size_t part = 0; part < 4; part++) {
        uint32_t value = 0;
        size_t start = at;
        while (at < text.len && rc_ascii_is_digit(text.ptr[at]) && at - start < 3)
            value = value * 10 + (uint32_t)(text.ptr[at++] - '0');
        size_t digits = at - start;
        if (digits == 0 || value > 255 || (digits > 1 && text.ptr[start] == '0'))
            return false;
        ip[part] = (uint8_t)value;
        if (part < 3 && (at >= text.len || text.ptr[at++] != '.'))
            return false;
    }
    if (at != text.len)
        return false;
    memcpy(ret_ip, ip, sizeof(ip));
    return true;
}

static int hex_value(char c)
{
    if (rc_ascii_is_digit(c))
        return c - '0';
    char low = rc_ascii_lower(c);
    return low >= 'a' && low <= 'f' ? low - 'a' + 10 : -1;
}

/* Reads one to four hexadecimal digits at *at. */
static bool read_group(rc_str text, size_t *at, uint16_t *ret_group)
{
    uint32_t value = 0;
    size_t start = *at;
    while (*at < text.len && *at - start < 4 && hex_value(text.ptr[*at]) >= 0)
        value = value << 4 | (uint32_t)hex_value(text.ptr[(*at)++]);
    *ret_group = (uint16_t)value;
    return *at > start;
}

/* The groups of an IPv6 address that have been read so far. */
typedef struct groups {
    uint8_t bytes[16];
    size_t len;
    size_t gap; /* offset in `bytes` of the "::" */
    bool has_gap;
} groups;

static bool add_group(groups *found, uint16_t group)
{
    if (found->len > 14)
        return false;
    found->bytes[found->len++] = (uint8_t)(group >> 8);
    found->bytes[found->len++] = (uint8_t)(group & 0xff);
    return true;
}

/* Adds the last 32 bits of an IPv6 address if they are written as an IPv4 address. */
static bool add_ipv4(groups *found, rc_str text)
{
    if (found->len > 12 || !rc_url_parse_ipv4(text, found->bytes + found->len))
        return false;
    found->len += 4;
    return true;
}

static bool read_groups(rc_str text, groups *found)
{
    size_t at = 0;
    if (rc_str_starts_with(text, RC_STR("::"))) {
        found->has_gap = true;
        at = 2;
    }
    while (at < text.len) {
        uint16_t group = 0;
        size_t start = at;
        if (!read_group(text, &at, &group))
            return false;
        if (at < text.len && text.ptr[at] == '.')
            return add_ipv4(found, rc_str_slice(text, start, text.len));
        if (!add_group(found, group))
            return false;
        if (at == text.len)
            return true;
        if (text.ptr[at++] != ':' || at == text.len)
            return false;
        if (text.ptr[at] == ':') {
            if (found->has_gap)
                return false;
            found->has_gap = true;
            found->gap = found->len;
            at++;
        }
    }
    return true;
}

bool rc_url_parse_ipv6(rc_str text, uint8_t ret_ip[16])
{
    groups found = {.has_gap = false};
    if (text.len < 2 || !read_groups(text, &found))
        return false;
    /* The "::" stands for at least one group. */
    if (found.has_gap ? found.len > 14 : found.len != 16)
        return false;
    size_t front = found.has_gap ? found.gap : found.len;
    size_t behind = found.len - front;
    memset(ret_ip, 0, 16);
    memcpy(ret_ip, found.bytes, front);
    memcpy(ret_ip + 16 - behind, found.bytes + front, behind);
    return true;
}

/* Returns whether text is a valid label of a host name: letters, digits, underscores (which
 * container names have), and hyphens except at its ends. */
static bool is_label(rc_str label)
{
    if (label.len == 0 || label.len > 63 || label.ptr[0] == '-' || label.ptr[label.len - 1] == '-')
        return false;
    for (size_t i = 0; i < label.len; i++)
        if (!rc_ascii_is_alnum(label.ptr[i]) && label.ptr[i] != '-' && label.ptr[i] != '_')
            return false;
    return true;
}

/* Returns whether a label is a number, in any base. Some resolvers read a name as an IPv4 address
 * if its last label is a number. */
static bool is_number(rc_str label)
{
    bool is_hex = rc_str_starts_with_nocase(label, RC_STR("0x"));
    for (size_t i = is_hex ? 2 : 0; i < label.len; i++)
        if (is_hex ? hex_value(label.ptr[i]) < 0 : !rc_ascii_is_digit(label.ptr[i]))
            return false;
    return true;
}

static rc_url_fault read_name(rc_url *url)
{
    rc_str label = {NULL, 0};
    if (rc_url_parse_ipv4(url->host, url->ip)) {
        url->host_kind = RC_URL_IPV4;
        return RC_URL_FAULT_NONE;
    }
    for (size_t at = 0; at <= url->host.len; at += label.len + 1) {
        size_t end = rc_str_find_byte(url->host, '.', at);
        label = rc_str_slice(url->host, at, end);
        if (!is_label(label))
            return RC_URL_FAULT_HOST;
    }
    url->host_kind = RC_URL_NAME;
    return is_number(label) ? RC_URL_FAULT_NUMBER : RC_URL_FAULT_NONE;
}

static rc_url_fault read_port(rc_str text, uint16_t *ret_port)
{
    uint32_t port = 0;
    if (text.len == 0 || text.len > 5 || text.ptr[0] == '0')
        return RC_URL_FAULT_PORT;
    for (size_t i = 0; i < text.len; i++) {
        if (!rc_ascii_is_digit(text.ptr[i]))
            return RC_URL_FAULT_PORT;
        port = port * 10 + (uint32_t)(text.ptr[i] - '0');
    }
    if (port > 65535)
        return RC_URL_FAULT_PORT;
    *ret_port = (uint16_t)port;
    return RC_URL_FAULT_NONE;
}

static rc_url_fault read_authority(rc_str text, rc_url *url)
{
    size_t end = 0;
    rc_url_fault fault = RC_URL_FAULT_NONE;
    if (rc_str_find_byte(text, '@', 0) != RC_STR_NPOS)
        return RC_URL_FAULT_USER;
    if (text.len > 0 && text.ptr[0] == '[') {
        end = rc_str_find_byte(text, ']', 0);
        if (end == RC_STR_NPOS)
            return RC_URL_FAULT_HOST;
        url->host = rc_str_slice(text, 1, end++);
        url->host_kind = RC_URL_IPV6;
        if (!rc_url_parse_ipv6(url->host, url->ip))
            return RC_URL_FAULT_HOST;
    } else {
        end = rc_str_find_byte(text, ':', 0);
        if (end == RC_STR_NPOS)
            end = text.len;
        url->host = rc_str_slice(text, 0, end);
        if (url->host.len > RC_URL_HOST_MAX)
            return RC_URL_FAULT_TOO_LONG;
        fault = read_name(url);
    }
    if (fault != RC_URL_FAULT_NONE || end == text.len)
        return fault;
    if (text.ptr[end] != ':')
        return RC_URL_FAULT_HOST;
    return read_port(rc_str_slice(text, end + 1, text.len), &url->port);
}

/* Returns whether a path may contain the character unescaped (RFC 3986, section 3.3). */
static bool is_path_char(char c)
{
    return rc_ascii_is_alnum(c) || (c != '\0' && memchr("-._~!$&'()*+,;=:@/", c, 18) != NULL);
}

/* Returns whether a segment is "." or "..", escaped or not. Servers that resolve such a segment
 * would use another path. */
static bool is_dots(rc_str segment)
{
    size_t dots = 0;
    size_t at = 0;
    while (at < segment.len) {
        if (segment.ptr[at] == '.')
            at++;
        else if (rc_str_starts_with_nocase(rc_str_slice(segment, at, at + 3), RC_STR("%2e")))
            at += 3;
        else
            return false;
        dots++;
    }
    return dots == 1 || dots == 2;
}

static rc_url_fault read_path(rc_str text, rc_url *url)
{
    rc_str segment = {NULL, 0};
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '%') {
            if (text.len - i < 3 || hex_value(text.ptr[i + 1]) < 0 ||
                hex_value(text.ptr[i + 2]) < 0)
                return RC_URL_FAULT_PATH;
            i += 2;
        } else if (!is_path_char(text.ptr[i])) {
            return RC_URL_FAULT_PATH;
        }
    }
    for (size_t at = 0; at <= text.len; at += segment.len + 1) {
        segment = rc_str_slice(text, at, rc_str_find_byte(text, '/', at));
        if (is_dots(segment))
            return RC_URL_FAULT_PATH;
    }
    while (text.len > 0 && text.ptr[text.len - 1] == '/')
        text.len--;
    url->path = text;
    return text.len > RC_URL_PATH_MAX ? RC_URL_FAULT_TOO_LONG : RC_URL_FAULT_NONE;
}

rc_url_fault rc_url_parse(rc_str text, rc_url *ret_url)
{
    rc_url url = {.is_https = rc_str_starts_with(text, RC_STR("https://"))};
    if (!url.is_https && !rc_str_starts_with(text, RC_STR("http://")))
        return RC_URL_FAULT_SCHEME;
    url.port = url.is_https ? 443 : 80;
    size_t start = url.is_https ? 8 : 7;
    if (rc_str_find_byte(text, '?', 0) != RC_STR_NPOS ||
        rc_str_find_byte(text, '#', 0) != RC_STR_NPOS)
        return RC_URL_FAULT_QUERY;
    size_t end = rc_str_find_byte(text, '/', start);
    if (end == RC_STR_NPOS)
        end = text.len;
    rc_url_fault fault = read_authority(rc_str_slice(text, start, end), &url);
    if (fault == RC_URL_FAULT_NONE)
        fault = read_path(rc_str_slice(text, end, text.len), &url);
    if (fault == RC_URL_FAULT_NONE)
        *ret_url = url;
    return fault;
}
