/* rc_admin_web: serves the dashboard's files, which are compiled into the binary.
 *
 *   GET /            web/index.html
 *   GET /app/NAME    web/NAME, and the modules of d3
 *
 * The files contain no data, so they are served without a token. The page has the user enter the
 * token and sends it with all further requests. The build generates the table from web/ and from
 * Debian's d3. */
#ifndef RC_GATEWAY_ADMIN_WEB_H
#define RC_GATEWAY_ADMIN_WEB_H

#include "gateway/admin/core.h"

typedef struct rc_web_file {
    const char *name;
    const char *type;
    const char *etag; /* The file's ETag, with its quotes. */
    const unsigned char *bytes;
    size_t size;
} rc_web_file;

extern const rc_web_file rc_web_files[];
extern const size_t rc_web_file_count;

/* Finds a file. name: borrows during the call. Returns NULL if there is no such file. */
const rc_web_file *rc_web_file_find(rc_str name);

/* Returns the routes of the files. */
rc_admin_table rc_admin_web_table(void);

#endif
