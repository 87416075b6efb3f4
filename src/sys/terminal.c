/* The capabilities of the terminal. Called by cli.c. */
#include "sys/terminal.h"

#include <recourse/str.h>

#include "base/str.h"

/* Maximum number of digits of COLUMNS. A longer value is ignored. */
#define COLUMNS_DIGITS_MAX 4

static rc_str env(const rc_sys_calls *calls, const char *name)
{
    return rc_str_c(calls->getenv(name));
}

/* Returns the value of the first variable that is set. An empty variable counts as unset, as in
 * setlocale. */
static rc_str first_set(const rc_sys_calls *calls, const char *const names[], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        rc_str value = env(calls, names[i]);
        if (!rc_str_is_empty(value))
            return value;
    }
    return rc_str_make(NULL, 0);
}

/* Returns whether the charset of a locale is UTF-8. The charset is between the dot and the at sign:
 * "de_DE.UTF-8", "C.utf8", "en_GB.UTF-8@euro". */
static bool is_utf8_locale(rc_str locale)
{
    size_t dot = rc_str_find_byte(locale, '.', 0);
    if (dot == RC_STR_NPOS)
        return false;
    rc_str charset = rc_str_slice(locale, dot + 1, rc_str_find_byte(locale, '@', dot));
    return rc_str_eq_nocase(charset, RC_STR("utf-8")) || rc_str_eq_nocase(charset, RC_STR("utf8"));
}

static unsigned parse_columns(rc_str text)
{
    unsigned value = 0;
    if (text.len > COLUMNS_DIGITS_MAX)
        return 0;
    for (size_t i = 0; i < text.len; i++) {
        if (!rc_ascii_is_digit(text.ptr[i]))
            return 0;
        value = value * 10 + (unsigned)(text.ptr[i] - '0');
    }
    return value;
}

static unsigned find_width(const rc_sys_calls *calls, int fd, bool is_tty)
{
    unsigned configured = parse_columns(env(calls, "COLUMNS"));
    if (configured > 0)
        return configured;
    int own = is_tty ? calls->columns(fd) : 0;
    return own > 0 ? (unsigned)own : RC_TERMINAL_WIDTH_DEFAULT;
}

rc_terminal rc_terminal_get(const rc_sys_calls *calls, int fd)
{
    static const char *const locale_names[] = {"LC_ALL", "LC_CTYPE", "LANG"};

    rc_terminal terminal = {.is_tty = calls->isatty(fd) == 1};
    terminal.has_utf8 = is_utf8_locale(first_set(calls, locale_names, 3));
    terminal.width = find_width(calls, fd, terminal.is_tty);

    rc_str term = env(calls, "TERM");
    bool is_dumb = rc_str_is_empty(term) || rc_str_eq(term, RC_STR("dumb"));
    terminal.can_redraw = terminal.is_tty && !is_dumb;
    terminal.has_colour = terminal.can_redraw && rc_str_is_empty(env(calls, "NO_COLOR"));
    return terminal;
}
