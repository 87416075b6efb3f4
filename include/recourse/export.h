/* Symbol visibility macros. The library hides all symbols but those declared with RC_API. */
#ifndef RECOURSE_EXPORT_H
#define RECOURSE_EXPORT_H

#if defined(__GNUC__)
#define RC_API __attribute__((visibility("default")))
#define RC_WARN_UNUSED __attribute__((warn_unused_result))
#else
#define RC_API
#define RC_WARN_UNUSED
#endif

#ifdef __cplusplus
#define RC_BEGIN_DECLS extern "C" {
#define RC_END_DECLS }
#else
#define RC_BEGIN_DECLS
#define RC_END_DECLS
#endif

#endif
