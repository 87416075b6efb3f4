/* The readers of the sections that are more than a row of values. Each adds its faults and goes on;
 * what it fills is used only if there is none in the end. */
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
/* Providers and policies are there. */
void rc_config_read_routes(rc_config_reader *r, const rc_yaml_node *list);
void rc_config_read_clients(rc_config_reader *r, const rc_yaml_node *list);
/* Routes and clients are there. */
void rc_config_read_budgets(rc_config_reader *r, const rc_yaml_node *list);
/* Of the top of the document, whose own values are there. */
void rc_config_read_admin(rc_config_reader *r, const rc_yaml_node *root);

/* Checks what the top of the document says in a row of values. */
void rc_config_check_root(rc_config_reader *r, const rc_yaml_node *root);

/* A list of capabilities as RC_NEED_ bits. */
void rc_config_read_capabilities(rc_config_reader *r, const rc_yaml_node *list,
                                 uint32_t *capabilities);
/* Their names, by bit; NULL past the end. */
const char *rc_config_capability_at(const void *ctx, size_t index);

/* Of an address of a provider: what is wrong with it, or NULL. A static sentence. */
const char *rc_config_url_check(rc_str url, bool is_insecure);
/* "env:NAME", in place of an address. */
bool rc_config_is_variable(rc_str text);

/* Of HOST:PORT: what is wrong with it, or NULL. A static sentence. */
const char *rc_config_listen_check(rc_str listen);

/* Would both be one socket? Not with port 0, which is a new one each time. */
bool rc_config_listen_is_same(rc_str a, rc_str b);

/* An array for the children of a node; NULL: there is none, or no memory, which the end will show.
 */
void *rc_config_array(rc_config_reader *r, const rc_yaml_node *node, size_t size);

#endif
