/* rc_listen_set: the addresses at which this process listens. If a provider's base URL leads to one
 * of these addresses, the gateway would send its requests to itself.
 *
 *   base address            matches a listener if the ports are equal and
 *   ----------------------  ------------------------------------------------------------------
 *   an IP address           the listener has this address, or it has a wildcard address and the
 *                           address belongs to this machine
 *   localhost, *.localhost  127.0.0.1 or ::1 matches by the first rule
 *   this machine's name     one of this machine's addresses matches by the first rule
 *   any other name          never, because its addresses are known only when connecting */
#ifndef RC_NET_SERVER_LISTEN_SET_H
#define RC_NET_SERVER_LISTEN_SET_H

#include "codec/origin.h"

#define RC_LISTEN_SET_MAX 16
#define RC_MACHINE_ADDRESSES_MAX 64
#define RC_MACHINE_NAME_MAX 256

typedef struct rc_listen_address {
    rc_address address; /* The address. Its family is AF_UNSPEC if the socket is no IP socket. */
    bool takes_v4;      /* The socket is an IPv6 socket that also accepts IPv4 connections. */
} rc_listen_address;

typedef struct rc_listen_set {
    uint32_t count;
    rc_listen_address listeners[RC_LISTEN_SET_MAX];
} rc_listen_set;

typedef struct rc_machine {
    uint32_t count;
    rc_address addresses[RC_MACHINE_ADDRESSES_MAX]; /* Addresses of the network interfaces, without
                                                     * ports. */
    char name[RC_MACHINE_NAME_MAX];                 /* Host name of this machine; "": unknown. */
} rc_machine;

/* Returns the address at which the socket fd listens. */
rc_listen_address rc_listen_address_of_socket(int fd);

/* Adds `listener`; does nothing if the set is full. listener: copies. */
void rc_listen_set_add(rc_listen_set *set, const rc_listen_address *listener);

/* Reads the machine's host name and the addresses of its network interfaces. Values that cannot be
 * read stay empty. */
void rc_machine_read(rc_machine *ret_machine);

/* Returns whether `origin` matches one of the listeners, by the table above. Makes no system call.
 * All parameters: borrows during the call. */
bool rc_listen_set_has_origin(const rc_listen_set *set, const rc_machine *machine,
                              const rc_origin *origin);

#endif
