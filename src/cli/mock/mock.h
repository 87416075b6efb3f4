/* `recourse mock`: a server that imitates a failing provider.
 *
 *   options ──► scenario or script ──► rc_mock_server, one per port ──► until SIGINT or SIGTERM */
#ifndef RC_CLI_MOCK_MOCK_H
#define RC_CLI_MOCK_MOCK_H

#include "cli/cli.h"
#include "mock/scenario.h"
#include "mock/script.h"

/* An address as given with --listen. */
typedef struct rc_host_port {
    char host[64]; /* Ends in NUL. */
    uint16_t port;
} rc_host_port;

/* Parses "127.0.0.1:8788", "[::1]:0", "localhost:80" or a port alone. Returns false for other
 * texts. text: borrows during the call. */
bool rc_host_port_parse(rc_str text, rc_host_port *ret_address);

/* Reads a scenario file. Returns RC_EXIT_OK, or the exit status with the reason in err: 65 (the
 * scenario is invalid), 66 (the file cannot be read) or 70 (out of memory). path: borrows during
 * the call. */
int rc_mock_load(rc_cli *cli, const char *path, rc_mock_scenario *ret_scenario);

typedef struct rc_mock_options {
    rc_host_port address;
    const rc_mock_scenario *scenario; /* NULL: none. */
    rc_mock_script *script;           /* NULL: none. */
    uint64_t seed;
    const char *port_file; /* NULL: none. */
    bool is_quiet;
} rc_mock_options;

/* Serves until SIGINT or SIGTERM; returns the exit status. options: borrows during the call. */
int rc_mock_serve(rc_cli *cli, const rc_mock_options *options);

#endif
