/* What Google's services share: the canonical codes of their errors, and the reasons of
 * ErrorInfo. */
#ifndef RC_CLASSIFY_PROVIDERS_GOOGLE_H
#define RC_CLASSIFY_PROVIDERS_GOOGLE_H

#define RC_GOOGLE_CODES                                                 \
    {RC_STR_INIT("RESOURCE_EXHAUSTED"), RC_CONCEPT_RESOURCE_EXHAUSTED}, \
        {RC_STR_INIT("INVALID_ARGUMENT"), RC_CONCEPT_INVALID},          \
        {RC_STR_INIT("FAILED_PRECONDITION"), RC_CONCEPT_INVALID},       \
        {RC_STR_INIT("UNAVAILABLE"), RC_CONCEPT_UNAVAILABLE},           \
        {RC_STR_INIT("INTERNAL"), RC_CONCEPT_SERVER_ERROR},             \
        {RC_STR_INIT("NOT_FOUND"), RC_CONCEPT_NOT_FOUND},               \
        {RC_STR_INIT("PERMISSION_DENIED"), RC_CONCEPT_PERMISSION},      \
        {RC_STR_INIT("UNAUTHENTICATED"), RC_CONCEPT_AUTH},              \
        {RC_STR_INIT("DEADLINE_EXCEEDED"), RC_CONCEPT_TIMEOUT},         \
        {RC_STR_INIT("ABORTED"), RC_CONCEPT_CONFLICT},                  \
        {RC_STR_INIT("UNIMPLEMENTED"), RC_CONCEPT_UNSUPPORTED},         \
        {RC_STR_INIT("IAM_PERMISSION_DENIED"), RC_CONCEPT_PERMISSION},  \
        {RC_STR_INIT("SERVICE_DISABLED"), RC_CONCEPT_PERMISSION},       \
        {RC_STR_INIT("RATE_LIMIT_EXCEEDED"), RC_CONCEPT_RATE},          \
        {RC_STR_INIT("BILLING_DISABLED"), RC_CONCEPT_BALANCE},          \
        {RC_STR_INIT("ACCESS_TOKEN_EXPIRED"), RC_CONCEPT_AUTH},         \
    {                                                                   \
        RC_STR_INIT("CREDENTIALS_MISSING"), RC_CONCEPT_AUTH             \
    }

#endif
