/* Tests of `recourse doctor`: the exit status is that of the worst fault; texts that are too long;
 * each allocation fails; the checks of the system. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <arpa/inet.h>
#include <sys/socket.h>

#include <cmocka.h>

#include <recourse/stdlib.h>

#include "cli/doctor/doctor.h"
#include "support/run_cli.h"
#include "sys/lock_file.h"
#include "sys/probe.h"

#define CONFIG                                                                              \
    "listen: 127.0.0.1:0\nadmin: {listen: 'off'}\naudit: {durability: 'off'}\n"             \
    "providers: {up: {kind: openai, base_url: 'http://127.0.0.1:1/v1', keys: [env:KEY]}}\n" \
    "routes: [{model: '*', chain: [{target: up/*}]}]\n"

static const char *const offline[] = {"doctor", "--offline", "--config", "c.yaml", NULL};

static void the_worst_fault_sets_the_exit_status(void **state)
{
    (void)state;
    static const int order[] = {69, 74, 77, 78};
    rc_cli cli;
    rc_doctor doctor;
    const rc_alloc alloc = rc_alloc_stdlib();
    fake_reset("");
    rc_cli_init(&cli, &fake_calls, &alloc);
    rc_doctor_init(&doctor, &cli, 1);
    rc_doctor_add(&doctor, RC_GROUP_PORTS, RC_FINDING_WARN, RC_STR("a warning"));
    assert_int_equal(rc_doctor_exit_status(&doctor), 0);
    for (size_t i = 0; i < 4; i++) {
        rc_doctor_fault(&doctor, (rc_doctor_group)(i % RC_GROUP_COUNT), RC_STR("x"), order[i]);
        rc_doctor_fault(&doctor, RC_GROUP_LIMITS, RC_STR("y"), order[0]);
        assert_int_equal(rc_doctor_exit_status(&doctor), order[i]);
    }
    rc_doctor_done(&doctor);
    rc_cli_done(&cli);
}

static void long_texts_are_cut(void **state)
{
    (void)state;
    rc_cli cli;
    rc_doctor doctor;
    const rc_alloc alloc = rc_alloc_stdlib();
    fake_reset("");
    rc_cli_init(&cli, &fake_calls, &alloc);
    rc_doctor_init(&doctor, &cli, 1);
    rc_finding *finding = rc_doctor_add(&doctor, RC_GROUP_PORTS, RC_FINDING_FINE, RC_STR("x"));
    for (int i = 0; i < 200; i++) {
        rc_finding_push_u64(rc_finding_push(finding, "text \xC3\xA4 "), UINT64_MAX);
        rc_finding_advise(finding, "do it \xC3\xA4 ");
    }
    assert_true(strnlen(finding->detail, sizeof finding->detail) < sizeof finding->detail);
    assert_true(strnlen(finding->advice, sizeof finding->advice) < sizeof finding->advice);
    cli.out_terminal.width = 20;
    rc_doctor_push_human(&doctor, &cli.out, true);
    rc_doctor_push_json(&doctor, &cli.out);
    rc_doctor_push_markdown(&doctor, &cli.out);
    assert_int_equal(rc_buf_status(&cli.out), RC_OK);
    rc_doctor_done(&doctor);
    rc_cli_done(&cli);
}

static void every_failing_allocation_is_reported(void **state)
{
    (void)state;
    size_t fail_at = 1;
    for (; fail_at < 1000; fail_at++) {
        fake_reset(CONFIG);
        fake_env("KEY", "value-of-it");
        memory = (fail_alloc){.fail_at = fail_at, .for_good = true};
        const int result = run(offline);
        if (memory.calls < fail_at) {
            assert_int_equal(result, 0);
            break;
        }
        assert_int_not_equal(result, 0);
    }
    assert_true(fail_at > 3 && fail_at < 1000);
}

static void a_port_probe_sees_whether_it_is_in_use(void **state)
{
    (void)state;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t len = sizeof address;
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, len), 0);
    assert_int_equal(listen(fd, 1), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &len), 0);
    const uint16_t port = ntohs(address.sin_port);
    assert_int_equal(rc_probe_port("127.0.0.1", port), EADDRINUSE);
    assert_int_equal(rc_probe_port("localhost", port), EADDRINUSE);
    close(fd);
    assert_int_equal(rc_probe_port("127.0.0.1", 0), 0);
    assert_int_equal(rc_probe_port("example.org", 80), EADDRNOTAVAIL);
}

static void the_disk_and_the_limits_are_read(void **state)
{
    (void)state;
    uint64_t number = 0;
    assert_int_equal(rc_probe_free_bytes("/", &number), 0);
    assert_int_equal(rc_probe_free_bytes("/nowhere/at/all", &number), ENOENT);
    assert_int_equal(rc_probe_folder("/nowhere/at/all"), ENOENT);
    assert_int_equal(rc_probe_files_max(&number), 0);
    assert_true(number > 0);
}

static void a_lock_is_detected_and_not_changed(void **state)
{
    (void)state;
    char folder[] = "/tmp/recourse-doctor-XXXXXX";
    char path[64];
    rc_lock_file lock;
    int error = 0;
    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/lock", folder);
    assert_false(rc_lock_file_is_held(path, &error));
    assert_int_equal(error, 0);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(rc_lock_file_take(&lock, path), 0);
    assert_true(rc_lock_file_is_held(path, &error));
    rc_lock_file_drop(&lock);
    assert_false(rc_lock_file_is_held(path, &error));
    assert_int_equal(rc_lock_file_take(&lock, path), 0);
    rc_lock_file_drop(&lock);
    unlink(path);
    assert_false(rc_lock_file_is_held("/dev/null/x", &error));
    assert_int_equal(error, ENOTDIR);
    rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_worst_fault_sets_the_exit_status),
        cmocka_unit_test(long_texts_are_cut),
        cmocka_unit_test(every_failing_allocation_is_reported),
        cmocka_unit_test(a_port_probe_sees_whether_it_is_in_use),
        cmocka_unit_test(the_disk_and_the_limits_are_read),
        cmocka_unit_test(a_lock_is_detected_and_not_changed),
    };
    return cmocka_run_group_tests_name("doctor", tests, NULL, NULL);
}
