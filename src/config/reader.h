/* rc_config_reader: reads the sections of recourse.yaml that are more than simple values. Each
 * function continues after a fault, so that one run finds all faults. A configuration with a fault
 * is not used. */
#ifndef RC_CONFIG_READER_H
#define RC_CONFIG_READER_H

#include "config/config.h"
#include "config/keys.h"

typedef struct rc_config_reader {
    rc_config *config;
    rc_config_faults *faults;
} rc_config_reader;

void rc_config_read_providers(rc_config_reader *r, const rc_yaml_node *map);
void rc_config_read_policies(rc_config_reader *r, const rc_yaml_node *map);
/* rc_config_read_routes and the function after it require that providers and policies have been
 * read. */
void rc_config_read_routes(rc_config_reader *r, const rc_yaml_node *list);
void rc_config_read_clients(rc_config_reader *r, const rc_yaml_node *list);
/* Reads the budgets. Requires that routes and clients have been read. */
void rc_config_read_budgets(rc_config_reader *r, const rc_yaml_node *list);
/* Reads and checks the admin section. Requires that the simple values of root have been read. */
void rc_config_read_admin(rc_config_reader *r, const rc_yaml_node *root);

/* Checks values of the file that are read as simple texts and numbers: addresses, store, breaker,
 * audit. */
void rc_config_check_root(rc_config_reader *r, const rc_yaml_node *root);

/* Reads a list of capability names, such as "tools", and sets *capabilities to their RC_NEED_
 * bits. */
void rc_config_read_capabilities(rc_config_reader *r, const rc_yaml_node *list,
                                 uint32_t *capabilities);
/* An rc_name_at for rc_nearest: returns the static name of the capability whose bit number is
 * `index`, or NULL if the index is too large. `ctx` is not used. */
const char *rc_config_capability_at(const void *ctx, size_t index);

/* Checks the address of a provider. Returns NULL if it is valid, otherwise a static error text. */
const char *rc_config_url_check(rc_str url, bool is_insecure);
/* Returns whether `text` is "env:NAME", which a file may have instead of an address. */
bool rc_config_is_variable(rc_str text);

/* Checks HOST:PORT. Returns NULL if it is valid, otherwise a static error text. */
const char *rc_config_listen_check(rc_str listen);

/* Returns whether both listen addresses denote the same socket. Returns false for port 0, because
 * the system chooses a new port for each listener. */
bool rc_config_listen_is_same(rc_str a, rc_str b);

/* Allocates an array with one element of `size` bytes for each child of `node`. Returns NULL if
 * `node` has no children or memory ran out; rc_config_parse detects at its end that memory ran out.
 * The arena of the configuration owns the returned array. */
void *rc_config_array(rc_config_reader *r, const rc_yaml_node *node, size_t size);

#endif
