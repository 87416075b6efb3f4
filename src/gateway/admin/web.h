/* rc_admin_web: the dashboard's files, which are in the binary.
 *
 *   GET /            web/index.html
 *   GET /app/NAME    web/NAME, and the modules of d3
 *
 * They hold no data, so they are served without the token: the page asks for it, and for all else
 * with it. The build writes the table from web/ and from Debian's d3. */
#ifndef RC_GATEWAY_ADMIN_WEB_H
#define RC_GATEWAY_ADMIN_WEB_H

#include "gateway/admin/core.h"

typedef struct rc_web_file {
    const char *name;
    const char *type;
    const char *etag; /* quoted */
    const unsigned char *bytes;
    size_t size;
} rc_web_file;

extern const rc_web_file rc_web_files[];
extern const size_t rc_web_file_count;

/* NULL: there is none of this name. name: borrows. */
const rc_web_file *rc_web_file_find(rc_str name);

/* Its paths. */
rc_admin_table rc_admin_web_table(void);

#endif
