/* Tests of relevance: texts of compilers, version control, package managers, build tools, test
 * runs, shells and failing programs are foreign, whatever numbers and words they contain, and the
 * verdict names the look of the text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <recourse/classify.h>
#include <recourse/taxonomy.h>

#include "base/str.h"
#include "classify/relevance/relevance.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

typedef struct sample {
    rc_look look;
    const char *text;
} sample;

static const sample SAMPLES[] = {
    /* output of compilers */
    {RC_LOOK_COMPILER,
     "net.c: In function 'retry':\nnet.c:429:9: warning: unused variable 'limit' "
     "[-Wunused-variable]\n  429 |     int limit = 503;\n      |         ^~~~~\n"},
    {RC_LOOK_COMPILER, "http.cpp:88:14: error: no matching function for call to 'rate_limit(int)'\n"
                       "http.h:12:6: note: candidate: 'void rate_limit(int, int)'\n"},
    {RC_LOOK_COMPILER, "/usr/bin/ld: client.o: in function `send_request':\n"
                       "client.c:(.text+0x1f): undefined reference to `too_many_requests'\n"
                       "collect2: error: ld returned 1 exit status\n"},
    {RC_LOOK_COMPILER,
     "error[E0382]: borrow of moved value: `request`\n  --> src/main.rs:14:20\n   |\n"
     "12 |     send(request);\n   |          ------- value moved here\n"},
    {RC_LOOK_COMPILER, "error[E0599]: no method named `timeout` found for struct `Client` in the "
                       "current scope\n"},
    {RC_LOOK_COMPILER, "src/api.ts(42,7): error TS2322: Type 'string' is not assignable to type "
                       "'number'.\n"},
    {RC_LOOK_COMPILER, "src/api.ts:42:7 - error TS2554: Expected 2 arguments, but got 1.\n"},
    {RC_LOOK_COMPILER,
     "./client.go:17:2: undefined: RateLimiter\n./client.go:21:9: too many arguments "
     "in call to retry\n"},
    {RC_LOOK_COMPILER,
     "Client.java:31: error: incompatible types: String cannot be converted to int\n"
     "        int status = \"429\";\n                     ^\n1 error\n"},
    {RC_LOOK_COMPILER, "main.swift:9:5: error: cannot find 'quota' in scope\n"},
    {RC_LOOK_COMPILER, "clang: error: linker command failed with exit code 1 (use -v to see "
                       "invocation)\n"},
    {RC_LOOK_COMPILER,
     "In file included from server.c:3:\nserver.h:1:10: fatal error: overload.h: No "
     "such file or directory\ncompilation terminated.\n"},
    /* output of version control */
    {RC_LOOK_VERSION_CONTROL,
     "fatal: not a git repository (or any of the parent directories): .git\n"},
    {RC_LOOK_VERSION_CONTROL,
     "error: failed to push some refs to 'github.com:example/api.git'\nhint: Updates were rejected "
     "because the remote contains work that you do not have locally.\n"},
    {RC_LOOK_VERSION_CONTROL, "CONFLICT (content): Merge conflict in src/limit.c\nAutomatic merge "
                              "failed; fix conflicts and then commit the result.\n"},
    {RC_LOOK_VERSION_CONTROL,
     "error: pathspec 'feature/rate-limit' did not match any file(s) known to "
     "git\n"},
    {RC_LOOK_VERSION_CONTROL,
     "error: Your local changes to the following files would be overwritten "
     "by merge:\n\tconfig.yaml\nPlease commit your changes or stash them "
     "before you merge.\nAborting\n"},
    {RC_LOOK_VERSION_CONTROL, "fatal: Unable to create '/srv/app/.git/index.lock': File exists.\n\n"
                              "Another git process seems to be running in this repository\n"},
    {RC_LOOK_VERSION_CONTROL, "git: 'comit' is not a git command. See 'git --help'.\n"},
    {RC_LOOK_VERSION_CONTROL, "fatal: refusing to merge unrelated histories\n"},
    {RC_LOOK_VERSION_CONTROL,
     " ! [remote rejected] main -> main (protected branch hook declined)\n"},
    {RC_LOOK_VERSION_CONTROL, "fatal: invalid reference: release/4.2.9\n"},
    {RC_LOOK_VERSION_CONTROL, "svn: E155015: Commit failed (details follow): conflict\n"},
    /* output of package managers */
    {RC_LOOK_PACKAGES, "ERROR: Could not find a version that satisfies the requirement torch==9.9 "
                       "(from versions: 2.0.0, 2.1.0)\nERROR: No matching distribution found for "
                       "torch==9.9\n"},
    {RC_LOOK_PACKAGES, "error: externally-managed-environment\n\n\xC3\x97 This environment is "
                       "externally managed\n"},
    {RC_LOOK_PACKAGES,
     "  error: subprocess-exited-with-error\n  \n  \xC3\x97 python setup.py egg_info "
     "did not run successfully.\n  \xE2\x94\x82 exit code: 1\n"},
    {RC_LOOK_PACKAGES,
     "ERROR: pip's dependency resolver does not currently take into account all the "
     "packages that are installed.\nopenai 1.3 requires httpx<1, but you have httpx "
     "2.0 which is incompatible.\n"},
    {RC_LOOK_PACKAGES,
     "npm ERR! code ERESOLVE\nnpm ERR! ERESOLVE unable to resolve dependency tree\n"},
    {RC_LOOK_PACKAGES, "npm error Missing script: \"start\"\nnpm error\nnpm error To see a list of "
                       "scripts, run:\nnpm error   npm run\n"},
    {RC_LOOK_PACKAGES, "npm ERR! code E404\nnpm ERR! 404 Not Found - GET "
                       "https://registry.example.com/left-padd - Not found\n"},
    {RC_LOOK_PACKAGES,
     "error: could not compile `gateway` (bin \"gateway\") due to 2 previous errors\n"},
    {RC_LOOK_PACKAGES, "error: no matching package named `tokio-limit` found\nlocation searched: "
                       "registry `crates-io`\n"},
    {RC_LOOK_PACKAGES,
     "error: failed to parse manifest at `/srv/app/Cargo.toml`\n\nCaused by:\n  no "
     "targets specified in the manifest\n"},
    {RC_LOOK_PACKAGES,
     "E: Unable to locate package python3.99\nE: Couldn't find any package by glob\n"},
    {RC_LOOK_PACKAGES,
     "E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 429\n"},
    {RC_LOOK_PACKAGES, "ERR_PNPM_NO_MATCHING_VERSION  No matching version found for openai@99\n"},
    {RC_LOOK_PACKAGES, "go: example.com/limit@v1.2.3: reading go.mod: unknown revision v1.2.3\n"},
    /* output of build tools */
    {RC_LOOK_BUILD, "make: *** [Makefile:12: build] Error 2\n"},
    {RC_LOOK_BUILD, "make[2]: *** No rule to make target 'limit.c', needed by 'limit.o'.  Stop.\n"},
    {RC_LOOK_BUILD, "CMake Error at CMakeLists.txt:14 (find_package):\n  Could not find a package "
                    "configuration file provided by \"Quota\"\n"},
    {RC_LOOK_BUILD,
     "FAILURE: Build failed with an exception.\n\n* What went wrong:\nExecution failed "
     "for task ':app:compileJava'.\n"},
    {RC_LOOK_BUILD, "ninja: error: loading 'build.ninja': No such file or directory\n"},
    {RC_LOOK_BUILD, "Module not found: Error: Can't resolve './rate-limit' in '/srv/app/src'\n"},
    /* output of test runs */
    {RC_LOOK_TESTS,
     "=================================== FAILURES ===================================\n"
     "____ test_retry ____\n\n    def test_retry():\n>       assert client.get(1) == 429\n"
     "E       assert 503 == 429\n\ntest_client.py:4: AssertionError\n"},
    {RC_LOOK_TESTS,
     "--- FAIL: TestRateLimit (0.00s)\n    limit_test.go:12: got 429, want 200\nFAIL\n"},
    {RC_LOOK_TESTS,
     "test result: FAILED. 3 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out\n"},
    {RC_LOOK_TESTS,
     "FAIL: test_timeout (test_client.ClientTest)\n-----\nAssertionError: 'timed out' "
     "!= 'ok'\n\nFAILED (failures=1)\n"},
    {RC_LOOK_TESTS,
     "not ok 3 - retries after 429\n  ---\n  operator: equal\n  expected: 200\n  actual:   "
     "503\n"},
    {RC_LOOK_TESTS,
     "Test Suites: 1 failed, 4 passed, 5 total\nTests:       1 failed, 41 passed, 42 "
     "total\n"},
    /* output of programs that failed themselves */
    {RC_LOOK_STACK,
     "Traceback (most recent call last):\n  File \"app.py\", line 9, in <module>\n    "
     "limit = limits['daily']\nKeyError: 'daily'\n"},
    {RC_LOOK_STACK,
     "Traceback (most recent call last):\n  File \"/srv/a.py\", line 2, in <module>\n    "
     "import nosuchmodel\nModuleNotFoundError: No module named 'nosuchmodel'\n"},
    {RC_LOOK_STACK, "Traceback (most recent call last):\n  File \"a.py\", line 3, in f\n    return "
                    "int(s)\nValueError: invalid literal for int() with base 10: '429 Too Many "
                    "Requests'\n"},
    {RC_LOOK_STACK,
     "Traceback (most recent call last):\n  File \"jobs.py\", line 7, in <module>\n    "
     "raise RuntimeError(\"queue is full, try again later\")\nRuntimeError: queue is "
     "full, try again later\n"},
    {RC_LOOK_STACK, "Traceback (most recent call last):\n  File \"w.py\", line 4, in <module>\n    "
                    "raise TimeoutError(\"worker timed out\")\nTimeoutError: worker timed out\n"},
    {RC_LOOK_STACK,
     "/srv/app/index.js:3\nconst n = limits.daily;\n                 ^\n\nTypeError: Cannot "
     "read properties of undefined (reading 'daily')\n    at Object.<anonymous> "
     "(/srv/app/index.js:3:18)\n    at Module._compile (node:internal/modules/cjs/"
     "loader:1356:14)\n\nNode.js v20.11.0\n"},
    {RC_LOOK_STACK,
     "Error: Cannot find module 'rate-limit'\nRequire stack:\n- /srv/app/index.js\n"},
    {RC_LOOK_STACK, "Exception in thread \"main\" java.lang.NullPointerException: Cannot invoke "
                    "\"String.length()\"\n\tat org.example.Limit.main(Limit.java:12)\n"},
    {RC_LOOK_STACK, "panic: runtime error: index out of range [429] with length 3\n\ngoroutine 1 "
                    "[running]:\nmain.main()\n\t/srv/app/main.go:8 +0x1d\nexit status 2\n"},
    {RC_LOOK_STACK, "thread 'main' panicked at src/main.rs:4:5:\ncapacity overflow\nnote: run with "
                    "`RUST_BACKTRACE=1` environment variable to display a backtrace\n"},
    {RC_LOOK_STACK, "Segmentation fault (core dumped)\n"},
    {RC_LOOK_STACK, "Can't call method \"limit\" on an undefined value at app.pl line 12.\n"},
    /* output of shells and commands */
    {RC_LOOK_SHELL, "bash: limit: command not found\n"},
    {RC_LOOK_SHELL, "cat: /etc/quota.conf: No such file or directory\n"},
    {RC_LOOK_SHELL, "cp: cannot create regular file '/usr/local/bin/retry': Permission denied\n"},
    {RC_LOOK_SHELL, "ls: cannot access 'models': No such file or directory\n"},
    {RC_LOOK_SHELL, "app.sh: line 12: syntax error near unexpected token `fi'\n"},
    {RC_LOOK_SHELL,
     "usage: app [-h] --model MODEL\napp: error: the following arguments are required: "
     "--model\n"},
    /* texts that people write */
    {RC_LOOK_PATCH,
     "diff --git a/retry.c b/retry.c\n@@ -1,3 +1,3 @@\n-    wait(429);\n+    wait(503);\n"},
    {RC_LOOK_SOURCE,
     "static bool is_limited(int status)\n{\n    return status == 429 || status == 503;\n"
     "}\n"},
    {RC_LOOK_MANUAL, ".TH RETRY 1\n.SH DESCRIPTION\nThe request is tried again when the server is "
                     "overloaded (503) or the rate limit is exceeded (429).\n"},
    {RC_LOOK_MARKDOWN,
     "# Retries\n\n- A 429 means that the rate limit is exceeded.\n- A 503 means that "
     "the server is overloaded; try again later.\n"},
};

static rc_verdict judge(rc_str text, rc_str provider, int exit_status, rc_classify_space *space)
{
    const rc_failure failure = {.body = text, .provider = provider, .exit_status = exit_status};
    return rc_judge(&failure, NULL, NULL, space);
}

static void test_texts_of_other_programs_are_foreign(void **state)
{
    (void)state;
    rc_classify_space space;
    int wrong = 0;
    for (size_t i = 0; i < COUNT(SAMPLES); i++) {
        const rc_str text = rc_str_c(SAMPLES[i].text);
        const rc_verdict verdict = judge(text, RC_STR(""), 0, &space);
        if (rc_str_eq(verdict.rule, RC_STR("foreign")) && !verdict.is_retryable &&
            rc_str_eq(verdict.looks_like, rc_look_name(SAMPLES[i].look)) && verdict.status == 0)
            continue;
        wrong++;
        print_message("%.*s, %.*s: %.60s\n", (int)verdict.rule.len, verdict.rule.ptr,
                      (int)verdict.looks_like.len, verdict.looks_like.ptr, SAMPLES[i].text);
    }
    assert_int_equal(wrong, 0);
}

/* As in `recourse exec`: the command has printed the text and has exited with status 1. */
static void test_a_command_that_prints_error_texts_is_not_retried(void **state)
{
    (void)state;
    rc_classify_space space;
    for (size_t i = 0; i < COUNT(SAMPLES); i++) {
        const rc_verdict verdict = judge(rc_str_c(SAMPLES[i].text), RC_STR(""), 1, &space);
        if (!rc_str_eq(verdict.rule, RC_STR("foreign")) || verdict.is_retryable)
            fail_msg("%.*s: %.60s", (int)verdict.rule.len, verdict.rule.ptr, SAMPLES[i].text);
    }
}

static void test_an_exit_status_with_a_meaning_is_not_changed(void **state)
{
    (void)state;
    rc_classify_space space;
    assert_int_equal(
        judge(RC_STR("bash: limit: command not found\n"), RC_STR(""), 127, &space).code,
        RC_CODE_UNAVAILABLE);
    /* The words of the text do not decide; the exit status does. */
    assert_int_equal(
        judge(RC_STR("make: *** [all] rate limit exceeded\n"), RC_STR(""), 124, &space).code,
        RC_CODE_EXECUTION_TIMEOUT);
}

/* With a typed code, an SDK's exception or a given provider, the text is about a call in spite of
 * its look. */
static void test_evidence_of_a_call_makes_the_text_relevant(void **state)
{
    (void)state;
    static const char *const TEXTS[] = {
        "Traceback (most recent call last):\n  File \"/srv/openai/_base_client.py\", line 1061, in "
        "_request\n    raise self._make_status_error_from_response(err.response) from None\n"
        "openai.RateLimitError: Error code: 429 - {'error': {'message': 'Rate limit reached', "
        "'code': 'rate_limit_exceeded'}}\n",
        "npm ERR! code ECONNRESET\nnpm ERR! network request to https://registry.example.com/x "
        "failed, "
        "reason: connect ECONNRESET 104.16.1.35:443\n",
        "Traceback (most recent call last):\n  File \"a.py\", line 4, in <module>\n    "
        "client.post(url)\nhttpx.ReadTimeout: The read operation timed out\n",
        "panic: Post \"https://llm.example.org/v1/chat\": dial tcp 203.0.113.7:443: connect: "
        "connection refused\n\ngoroutine 1 [running]:\nmain.main()\n",
    };
    rc_classify_space space;
    for (size_t i = 0; i < COUNT(TEXTS); i++) {
        const rc_verdict verdict = judge(rc_str_c(TEXTS[i]), RC_STR(""), 1, &space);
        if (!verdict.is_retryable)
            fail_msg("%.*s: %.60s", (int)verdict.rule.len, verdict.rule.ptr, TEXTS[i]);
    }
    const rc_str text = RC_STR("error: could not compile the grammar, the rate limit is exceeded");
    assert_int_equal(judge(text, RC_STR("openai"), 0, &space).code, RC_CODE_RATE_LIMITED);
}

/* A log is relevant if its last line is the failure of a call, however long the log is. */
static void test_the_last_line_of_a_log_decides(void **state)
{
    (void)state;
    static const char *const ENDS[] = {
        "401 Incorrect API key provided\n",
        "HTTP 429: too many requests, retry after 0.01s\n",
    };
    static const rc_code CODES[] = {RC_CODE_AUTH_FAILED, RC_CODE_RATE_LIMITED};
    static char log[64000];
    rc_classify_space space;
    for (size_t i = 0; i < COUNT(ENDS); i++) {
        size_t len = 0;
        while (len < 60000)
            len += (size_t)snprintf(log + len, sizeof log - len, "INFO all is well\n");
        const size_t end = len + (size_t)snprintf(log + len, sizeof log - len, "%s", ENDS[i]);
        assert_int_equal(judge(rc_str_make(log, end), RC_STR(""), 0, &space).code, CODES[i]);
        const size_t after = end + (size_t)snprintf(log + end, sizeof log - end, "INFO done\n");
        assert_int_equal(judge(rc_str_make(log, after), RC_STR(""), 0, &space).code,
                         RC_CODE_UNCLASSIFIED);
    }
}

static void test_the_basis_of_a_verdict(void **state)
{
    (void)state;
    rc_classify_space space;
    rc_failure failure = {.status = 429};
    assert_int_equal(rc_judge(&failure, NULL, NULL, &space).basis, RC_BASIS_STATUS);
    failure.body = RC_STR("{\"error\":{\"code\":\"insufficient_quota\"}}");
    assert_int_equal(rc_judge(&failure, NULL, NULL, &space).basis, RC_BASIS_TYPED);
    rc_verdict verdict =
        judge(RC_STR("Rate limit reached for gpt-4o: requests per min"), RC_STR(""), 0, &space);
    assert_int_equal(verdict.basis, RC_BASIS_PHRASE);
    assert_true(verdict.is_retryable);
    /* General words alone result in a guess, which is not retried. */
    verdict = judge(RC_STR("the reader timed out"), RC_STR(""), 0, &space);
    assert_int_equal(verdict.basis, RC_BASIS_GUESS);
    assert_false(verdict.is_retryable);
    assert_int_equal(judge(RC_STR("nothing at all"), RC_STR(""), 0, &space).basis, RC_BASIS_NONE);
    assert_string_equal(rc_basis_name(RC_BASIS_GUESS), "guess");
    assert_null(rc_basis_name(RC_BASIS_NONE));
    assert_null(rc_basis_name((rc_basis)9));
}

static void test_every_look_has_a_name(void **state)
{
    (void)state;
    for (rc_look look = RC_LOOK_NONE + 1; look < RC_LOOK_END; look++) {
        assert_true(rc_look_name(look).len > 0);
        assert_true(rc_str_find(rc_look_reason(look), rc_look_name(look), 0) != RC_STR_NPOS);
    }
    assert_int_equal(rc_look_name(RC_LOOK_END).len, 0);
    assert_int_equal(rc_look_of(RC_STR("")), RC_LOOK_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts_of_other_programs_are_foreign),
        cmocka_unit_test(test_a_command_that_prints_error_texts_is_not_retried),
        cmocka_unit_test(test_an_exit_status_with_a_meaning_is_not_changed),
        cmocka_unit_test(test_evidence_of_a_call_makes_the_text_relevant),
        cmocka_unit_test(test_the_last_line_of_a_log_decides),
        cmocka_unit_test(test_the_basis_of_a_verdict),
        cmocka_unit_test(test_every_look_has_a_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
