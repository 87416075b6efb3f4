/* The secret that a reference names, from where it is. Whoever reads one wipes it. */
#ifndef RC_CONFIG_SECRET_LOAD_H
#define RC_CONFIG_SECRET_LOAD_H

#include <recourse/buf.h>

#include "config/secret_ref.h"
#include "sys/calls.h"

/* No path to a secret is longer. */
#define RC_SECRET_PATH_MAX 4096

/* The file of a reference that is one: its own, or of a credential the one that systemd has put
 * into $CREDENTIALS_DIRECTORY. False: it has none, or not here, or the path is too long. ret_path
 * ends in NUL then. calls, ref: borrow. */
bool rc_secret_path(const rc_sys_calls *calls, const rc_secret_ref *ref,
                    char ret_path[RC_SECRET_PATH_MAX]);

/* Appends it to room, line ends and all. Gives NULL, or why not: "is not set", "cannot be read".
 * Static. */
const char *rc_secret_load(const rc_sys_calls *calls, const rc_secret_ref *ref, rc_buf *space);

/* Longer ones are in no header. */
#define RC_SECRET_TOKEN_MAX ((size_t)16 << 10)
#define RC_SECRET_NO_TOKEN "holds none that can stand in a header"

/* Could it go into a header, as keys and tokens do? Reads and wipes it. Gives NULL, or why not. */
const char *rc_secret_check_token(const rc_sys_calls *calls, const rc_secret_ref *ref);

/* Where a secret of that kind is, for people: "the variable", "the file", "the credential". */
const char *rc_secret_kind_noun(rc_secret_kind kind);

/* What can be said of a secret without reading it. */
typedef enum rc_secret_state {
    RC_SECRET_SET = 0,
    RC_SECRET_NOT_SET = 1,    /* a variable, or the place of credentials */
    RC_SECRET_MISSING = 2,    /* its file */
    RC_SECRET_UNREADABLE = 3, /* the file is there */
    RC_SECRET_EXPOSED = 4,    /* everybody on this machine may read the file */
    RC_SECRET_NOT_A_FILE = 5  /* but something else of that name: rc_path_special_kind */
} rc_secret_state;

rc_secret_state rc_secret_inspect(const rc_sys_calls *calls, const rc_secret_ref *ref);

/* "set", "not set", "there", "missing", "a folder" ... Static. */
const char *rc_secret_state_text(const rc_sys_calls *calls, const rc_secret_ref *ref);

#endif
