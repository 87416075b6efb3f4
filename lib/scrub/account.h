/* Masks names of the operator's provider account in a provider's text. Clients may learn which
 * limit was reached, but not which account the key belongs to. */
#ifndef RC_SCRUB_ACCOUNT_H
#define RC_SCRUB_ACCOUNT_H

#include <recourse/buf.h>
#include <recourse/str.h>

/* Appends text with "[account]" in place of each word that names an account. Such a word is an
 * e-mail address, a UUID, an id such as org-... or proj_..., a number of 9 or more digits, or a run
 * of 16 or more letters and digits. Model names and dates are not replaced. Returns the buffer's
 * status. text: borrows during the call. */
rc_status rc_account_mask(rc_str text, rc_buf *buf);

#endif
