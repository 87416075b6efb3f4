/* The part of libcurl's declarations that examples/libcurl uses, for machines without the headers
 * of libcurl. */
#ifndef RC_TEST_CURL_H
#define RC_TEST_CURL_H

typedef void CURL;
typedef enum CURLcode {
    CURLE_OK = 0,
    CURLE_COULDNT_RESOLVE_HOST = 6,
    CURLE_COULDNT_CONNECT = 7,
    CURLE_OPERATION_TIMEDOUT = 28
} CURLcode;
typedef enum CURLoption {
    CURLOPT_WRITEDATA = 10001,
    CURLOPT_URL = 10002,
    CURLOPT_WRITEFUNCTION = 20011,
    CURLOPT_TIMEOUT = 13
} CURLoption;
typedef enum CURLINFO {
    CURLINFO_RESPONSE_CODE = 0x200002
} CURLINFO;

CURL *curl_easy_init(void);
CURLcode curl_easy_setopt(CURL *curl, CURLoption option, ...);
CURLcode curl_easy_perform(CURL *curl);
CURLcode curl_easy_getinfo(CURL *curl, CURLINFO info, ...);
void curl_easy_cleanup(CURL *curl);

#endif
