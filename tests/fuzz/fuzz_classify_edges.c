/* Failures of the proxies in front of a provider: pages and short texts. Comments that servers and
 * saved pages contain do not change the verdict. */
#include "classify_fuzz.h"

static const char *const PROVIDERS[] = {
    "cloudflare", "nginx", "haproxy", "envoy", "kong",
};

static const char PADDING[] =
    "\r\n<!-- a padding to disable MSIE and Chrome friendly error page -->\r\n";

static void check_padding(const rc_failure *failure)
{
    rc_str text = rc_str_trim(failure->body);
    if (text.len > FUZZ_PLAIN_MAX || !rc_str_starts_with_nocase(text, RC_STR("<html")) ||
        rc_str_find(text, RC_STR("</html>"), 0) == RC_STR_NPOS)
        return;
    fuzz_text padded = {.len = 0};
    fuzz_push(&padded, "\n  ", 3);
    fuzz_push(&padded, text.ptr, text.len);
    fuzz_push(&padded, PADDING, sizeof(PADDING) - 1);
    fuzz_compare(failure, text, rc_str_make(padded.bytes, padded.len),
                 "a comment behind a page does not matter");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_classify(data, size, PROVIDERS, sizeof(PROVIDERS) / sizeof(PROVIDERS[0]),
                         check_padding);
}
