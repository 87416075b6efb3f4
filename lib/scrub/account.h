/* Masks names of the operator's account in a provider's text: clients may see which limit was
 * reached, but not whose key it was. */
#ifndef RC_SCRUB_ACCOUNT_H
#define RC_SCRUB_ACCOUNT_H

#include <recourse/buf.h>
#include <recourse/str.h>

/* Appends text with "[account]" in place of each word that names an account: an e-mail address, a
 * UUID, an id such as org-... or proj_..., a number of 9 or more digits, a run of 16 or more
 * letters and digits. Model names and dates stay. Returns the buffer's status. text: borrows. */
rc_status rc_account_mask(rc_str text, rc_buf *buf);

#endif
