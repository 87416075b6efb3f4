/* rc_listen_set: where this process listens. A provider's base address that leads there would make
 * the gateway send its requests to itself.
 *
 *   base address            is the listener's when the port is the same and
 *   ----------------------  ---------------------------------------------------------------------
 *   an IP address           it is the listener's, or one of this machine and the listener takes all
 *   localhost, *.localhost  the same for 127.0.0.1 or ::1
 *   this machine's name     the same for one of this machine's addresses
 *   any other name          never: whoever answers for a name is known when it is connected to */
#ifndef RC_NET_SERVER_LISTEN_SET_H
#define RC_NET_SERVER_LISTEN_SET_H

#include "codec/origin.h"

#define RC_LISTEN_SET_MAX 16
#define RC_MACHINE_ADDRESSES_MAX 64
#define RC_MACHINE_NAME_MAX 256

typedef struct rc_listen_address {
    rc_address address; /* AF_UNSPEC: of no network */
    bool takes_v4;      /* a socket of IPv6 to which IPv4 connects, too */
} rc_listen_address;

typedef struct rc_listen_set {
    uint32_t count;
    rc_listen_address listeners[RC_LISTEN_SET_MAX];
} rc_listen_set;

typedef struct rc_machine {
    uint32_t count;
    rc_address addresses[RC_MACHINE_ADDRESSES_MAX]; /* ports do not count */
    char name[RC_MACHINE_NAME_MAX];                 /* "": not known */
} rc_machine;

/* Where a socket listens. */
rc_listen_address rc_listen_address_of_socket(int fd);

/* One more; past the most that fit it is left out. */
void rc_listen_set_add(rc_listen_set *set, const rc_listen_address *listener);

/* Asks the system. What it does not say is left empty. */
void rc_machine_read(rc_machine *ret_machine);

/* The table above. Pure. All: borrow. */
bool rc_listen_set_has_origin(const rc_listen_set *set, const rc_machine *machine,
                              const rc_origin *origin);

#endif
