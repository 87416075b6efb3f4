/* The scrubber removes secrets from text. Every string of a report passes through rc_scrub.
 *
 * The scrubber makes text valid UTF-8 (ill-formed sequences and NUL become U+FFFD), replaces
 * secrets and cuts text that is too long. Scrubbing is idempotent, so that a report that is decoded
 * and encoded again does not change. docs/internals/scrubber.md describes the method. */
#ifndef RC_SCRUB_SCRUB_H
#define RC_SCRUB_SCRUB_H

#include <recourse/buf.h>
#include <recourse/str.h>

/* The text that replaces a secret. The text around the secret is not changed, as in "Bearer
 * [redacted]" and "?api_key=[redacted]". */
#define RC_SCRUB_REDACTED "[redacted]"

/* Appends text to `buf`, scrubbed and at most max_bytes long. A longer text is cut between two
 * characters and ends in "… [+N bytes]", where N is the number of omitted bytes. The function needs
 * at most max_bytes of space and appends either the whole result or nothing, so it also works with
 * fixed buffers. Returns RC_E_ARGUMENT if max_bytes is below 64, otherwise the buffer's status.
 * text: borrows during the call.
 *
 * The following are secrets: bearer and basic credentials, provider key shapes, JWTs, PEM private
 * keys, URL userinfo, secret query parameters, secret header lines and JSON / YAML / logfmt /
 * Python / env members with the name of a secret, cookies, AWS access keys, secret keys, session
 * tokens and signatures. */
rc_status rc_scrub(rc_str text, size_t max_bytes, rc_buf *buf);

/* Returns whether rc_scrub would not change this text, except by cutting it. */
bool rc_scrub_is_clean(rc_str text);

/* Returns whether every value with this name is secret, whatever the value looks like
 * (authorization, api_key, x-api-key, password, cookie, client_secret, ...). Letter case and the
 * separators - _ . are ignored. Names such as max_tokens, token_count, prompt_tokens, key_id,
 * request_id and author are not secret. */
bool rc_scrub_is_secret_name(rc_str name);

/* Appends text for the model's view of a report, with file system paths replaced by "[path]": POSIX
 * absolute paths of two parts or more, relative and home paths, drive letters, UNC, file: URLs. API
 * paths such as /v1/chat/completions and http(s) URLs are not replaced. The result is at most twice
 * as long as the text. Returns the buffer's status. text: borrows during the call. */
rc_status rc_scrub_paths(rc_str text, rc_buf *buf);

#endif
