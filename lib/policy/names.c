/* Names of the backoff, jitter and hint settings in YAML: number to name and name to number. Called
 * by check.c and the configuration loader. */
#include <recourse/policy.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *const backoffs[] = {
    [RC_BACKOFF_FIXED] = "fixed",
    [RC_BACKOFF_LINEAR] = "linear",
    [RC_BACKOFF_EXPONENTIAL] = "exponential",
    [RC_BACKOFF_SCHEDULE] = "schedule",
};

static const char *const jitters[] = {
    [RC_JITTER_NONE] = "none",
    [RC_JITTER_PERCENT] = "percent",
    [RC_JITTER_FULL] = "full",
    [RC_JITTER_DECORRELATED] = "decorrelated",
};

static const char *const hint_uses[] = {
    [RC_HINT_EXACT] = "exact",
    [RC_HINT_EXTEND] = "extend",
};

/* Returns "" for 0 and for numbers that the table does not contain. */
static const char *name_of(const char *const *names, size_t count, size_t number)
{
    return number > 0 && number < count ? names[number] : "";
}

static unsigned number_of(const char *const *names, size_t count, rc_str name)
{
    for (unsigned i = 1; i < count; i++)
        if (rc_str_eq(name, rc_str_c(names[i])))
            return i;
    return 0;
}

const char *rc_backoff_name(rc_backoff backoff)
{
    return name_of(backoffs, COUNT(backoffs), (size_t)backoff);
}

const char *rc_jitter_name(rc_jitter jitter)
{
    return name_of(jitters, COUNT(jitters), (size_t)jitter);
}

const char *rc_hint_use_name(rc_hint_use hint)
{
    return name_of(hint_uses, COUNT(hint_uses), (size_t)hint);
}

rc_backoff rc_backoff_parse(rc_str name)
{
    return (rc_backoff)number_of(backoffs, COUNT(backoffs), name);
}

rc_jitter rc_jitter_parse(rc_str name)
{
    return (rc_jitter)number_of(jitters, COUNT(jitters), name);
}

rc_hint_use rc_hint_use_parse(rc_str name)
{
    return (rc_hint_use)number_of(hint_uses, COUNT(hint_uses), name);
}
