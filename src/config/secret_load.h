/* Reads the secret that an rc_secret_ref names. The caller must wipe the buffer with the secret. */
#ifndef RC_CONFIG_SECRET_LOAD_H
#define RC_CONFIG_SECRET_LOAD_H

#include <recourse/buf.h>

#include "config/secret_ref.h"
#include "sys/calls.h"

/* Maximum size of a path to a secret, with the NUL. */
#define RC_SECRET_PATH_MAX 4096

/* Writes the NUL-terminated path of the file with the secret: the path in the reference, or for a
 * credential the path in $CREDENTIALS_DIRECTORY. Returns false if the reference is a variable, if
 * $CREDENTIALS_DIRECTORY is not set or if the path is too long. calls, ref: borrows during the
 * call. */
bool rc_secret_path(const rc_sys_calls *calls, const rc_secret_ref *ref,
                    char ret_path[RC_SECRET_PATH_MAX]);

/* Appends the secret to `buf`, including line ends. Returns NULL on success, otherwise a static
 * reason such as "is not set" or "cannot be read". calls, ref: borrows during the call. */
const char *rc_secret_load(const rc_sys_calls *calls, const rc_secret_ref *ref, rc_buf *buf);

/* Maximum number of bytes of a key or token. A longer value does not fit into a header. */
#define RC_SECRET_TOKEN_MAX ((size_t)16 << 10)
#define RC_SECRET_NO_TOKEN "holds none that can stand in a header"

/* Checks that the secret can be sent in a header, as keys and tokens are. Reads the secret and
 * wipes it. Returns NULL if the secret can be sent, otherwise a static reason. calls, ref: borrows
 * during the call. */
const char *rc_secret_check_token(const rc_sys_calls *calls, const rc_secret_ref *ref);

/* Returns the static noun for messages: "the variable", "the file" or "the credential". */
const char *rc_secret_kind_noun(rc_secret_kind kind);

/* State of a secret, determined without reading the secret. */
typedef enum rc_secret_state {
    RC_SECRET_SET = 0,
    RC_SECRET_NOT_SET = 1,    /* The variable, or $CREDENTIALS_DIRECTORY, is not set. */
    RC_SECRET_MISSING = 2,    /* The file does not exist. */
    RC_SECRET_UNREADABLE = 3, /* The file exists but cannot be read. */
    RC_SECRET_EXPOSED = 4,    /* Every user of this machine can read the file. */
    RC_SECRET_NOT_A_FILE = 5  /* The path names something other than a regular file; see
                               * rc_path_special_kind. */
} rc_secret_state;

/* Returns the state of the secret. calls, ref: borrows during the call. */
rc_secret_state rc_secret_inspect(const rc_sys_calls *calls, const rc_secret_ref *ref);

/* Returns the state as a static text, such as "set", "not set", "there", "missing" or "a
 * folder". */
const char *rc_secret_state_text(const rc_sys_calls *calls, const rc_secret_ref *ref);

#endif
