/* The scrubber: every string of a report passes through it, and only through it.
 *
 * It makes text valid UTF-8 (ill-formed sequences and NUL become U+FFFD), replaces secrets and cuts
 * text that is too long. Scrubbing is idempotent: a report that is decoded and encoded again does
 * not change. docs/internals/scrubber.md describes the method. */
#ifndef RC_SCRUB_SCRUB_H
#define RC_SCRUB_SCRUB_H

#include <recourse/buf.h>
#include <recourse/str.h>

/* Replacement of a secret. The text around it stays: "Bearer [redacted]", "?api_key=[redacted]". */
#define RC_SCRUB_REDACTED "[redacted]"

/* Appends text (borrows) to buf, scrubbed and at most max_bytes long (max_bytes >= 64). A longer
 * text is cut at a character and ends in "… [+N bytes]", where N is the number of omitted bytes.
 * Works with fixed buffers: it needs at most max_bytes and appends all or nothing. RC_E_ARGUMENT:
 * max_bytes is too small. Otherwise returns the buffer's status.
 *
 * Secrets: bearer and basic credentials, provider key shapes, JWTs, PEM private keys, URL userinfo,
 * secret query parameters, secret header lines and JSON / YAML / logfmt / Python / env members with
 * the name of a secret, cookies, AWS access keys, secret keys, session tokens and signatures. */
rc_status rc_scrub(rc_str text, size_t max_bytes, rc_buf *buf);

/* Whether rc_scrub leaves this text unchanged, apart from a cut. */
bool rc_scrub_is_clean(rc_str text);

/* Whether every value under this name is secret, whatever it looks like (authorization, api_key,
 * x-api-key, password, cookie, client_secret, ...). Case and the separators - _ . are ignored.
 * Names such as max_tokens, token_count, prompt_tokens, key_id, request_id and author are not
 * secret. */
bool rc_scrub_is_secret_name(rc_str name);

/* For the model's view: appends text (borrows) with file system paths (POSIX absolute paths of two
 * parts or more, relative and home paths, drive letters, UNC, file: URLs) replaced by "[path]". API
 * paths such as /v1/chat/completions and http(s) URLs stay. The result is at most twice as long as
 * text. Returns the buffer's status. */
rc_status rc_scrub_paths(rc_str text, rc_buf *buf);

#endif
