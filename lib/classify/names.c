/* Names of transports and phases: number to name and name to number. Called by the explain command,
 * the tests and library users. */
#include <recourse/classify.h>

static const char *const TRANSPORTS[] = {"none",  "timeout", "connect_refused", "dns", "tls",
                                         "reset", "eof"};
static const char *const PHASES[] = {"none", "connect", "sent", "headers", "committed"};

static const char *const BASES[] = {NULL, "typed", "status", "phrase", "guess"};

static unsigned find(const char *const *names, unsigned count, rc_str name)
{
    for (unsigned i = 1; i < count; i++) {
        if (rc_str_eq(name, rc_str_c(names[i])))
            return i;
    }
    return 0;
}

const char *rc_transport_name(rc_transport transport)
{
    return (unsigned)transport <= RC_TRANSPORT_EOF ? TRANSPORTS[transport] : TRANSPORTS[0];
}

rc_transport rc_transport_parse(rc_str name)
{
    return (rc_transport)find(TRANSPORTS, RC_TRANSPORT_EOF + 1, name);
}

const char *rc_basis_name(rc_basis basis)
{
    return (unsigned)basis <= RC_BASIS_GUESS ? BASES[basis] : NULL;
}

const char *rc_phase_name(rc_phase phase)
{
    return (unsigned)phase <= RC_PHASE_COMMITTED ? PHASES[phase] : PHASES[0];
}

rc_phase rc_phase_parse(rc_str name)
{
    return (rc_phase)find(PHASES, RC_PHASE_COMMITTED + 1, name);
}
