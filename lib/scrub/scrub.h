/* The scrubber: every string that enters a report passes here, and only here.
 *
 * It makes text valid UTF-8 (ill-formed sequences and NUL become U+FFFD), takes out secrets and
 * cuts what is too long. Scrubbing twice gives what scrubbing once gives: a report that is decoded
 * and encoded again does not change. docs/internals/scrubber.md tells how. */
#ifndef RC_SCRUB_SCRUB_H
#define RC_SCRUB_SCRUB_H

#include <recourse/buf.h>
#include <recourse/str.h>

/* What a secret is replaced by: "[redacted]" and its neighbours are kept, so "Bearer [redacted]",
 * "?api_key=[redacted]". */
#define RC_SCRUB_REDACTED "[redacted]"

/* Appends text (borrows) to buf, clean and at most max_bytes long (max_bytes >= 64). A longer text
 * is cut at a character and ends in "… [+N bytes]", N counting the bytes of text that were left
 * out. Fixed buffers work: it needs no more room than max_bytes, and appends all or nothing.
 * RC_E_ARGUMENT: max_bytes is too small. Otherwise returns the buffer's status.
 *
 * Secrets: bearer and basic credentials, provider key shapes, JWTs, PEM private keys, URL userinfo,
 * secret query parameters, secret header lines and JSON / YAML / logfmt / Python / env members
 * whose name says secret, cookies, AWS access keys, secret keys, session tokens and signatures. */
rc_status rc_scrub(rc_str text, size_t max_bytes, rc_buf *buf);

/* Does rc_scrub leave this text as it is, where it need not cut it? */
bool rc_scrub_is_clean(rc_str text);

/* Does a value under this name have to be secret whatever it looks like (authorization, api_key,
 * x-api-key, password, cookie, client_secret, ...)? Case and the separators - _ . do not matter.
 * Names such as max_tokens, token_count, prompt_tokens, key_id, request_id and author are not. */
bool rc_scrub_is_secret_name(rc_str name);

/* For the model's view: appends text (borrows) with file system paths (POSIX absolute paths of two
 * parts or more, relative and home paths, drive letters, UNC, file: URLs) replaced by "[path]".
 * API paths such as /v1/chat/completions and http(s) URLs stay. At most twice as long as text.
 * Returns the buffer's status. */
rc_status rc_scrub_paths(rc_str text, rc_buf *buf);

#endif
