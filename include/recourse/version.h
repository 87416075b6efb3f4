/* The version of the library. */
#ifndef RECOURSE_VERSION_H
#define RECOURSE_VERSION_H

#include <recourse/export.h>

RC_BEGIN_DECLS

#define RC_VERSION_MAJOR 0
#define RC_VERSION_MINOR 1
#define RC_VERSION_PATCH 0
#define RC_VERSION "0.1.0"

/* Returns the version of the linked library, which may be newer than this header. The result is a
 * static string. */
RC_API const char *rc_version(void);

RC_END_DECLS

#endif
