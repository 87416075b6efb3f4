/* Eight threads submit, one writes and one reads. The test also runs under ThreadSanitizer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdatomic.h>
#include <uv.h>

#include "store/writer.h"
#include "support/store_fixture.h"

#define THREADS 8
#define ROUNDS 25

typedef struct producer {
    rc_writer *writer;
    int number;
    uv_sem_t done;
    rc_ack ack;
    int safe;
} producer;

static void on_done(void *ctx, rc_ack ack, const rc_report *why)
{
    producer *self = ctx;
    (void)why;
    self->ack = ack;
    uv_sem_post(&self->done);
}

static void produce(void *argument)
{
    producer *self = argument;
    rc_id_maker ids = {.has_last = false};
    for (int round = 0; round < ROUNDS; round++) {
        const uint8_t entropy[10] = {(uint8_t)self->number, (uint8_t)round};
        const rc_id id = rc_id_make(&ids, FIXTURE_TIME + round, entropy);
        rc_record records[3];
        fixture_fill(records, &id, FIXTURE_TIME + round);
        const rc_batch batch = {.records = records, .record_count = 3};
        if (rc_writer_submit(self->writer, &batch, on_done, self) != RC_SUBMIT_WAIT)
            continue;
        uv_sem_wait(&self->done);
        self->safe += self->ack == RC_ACK_SAFE ? 1 : 0;
        if (round % 8 == 0)
            rc_report_free(rc_writer_why(self->writer));
    }
}

typedef struct reader {
    store_fixture *files;
    atomic_bool is_over;
    bool is_good;
    size_t last;
} reader;

static void read_on(void *argument)
{
    reader *self = argument;
    rc_store_fault fault;
    rc_store *store = NULL;
    const rc_store_settings settings = {.mode = RC_STORE_READ};
    self->is_good =
        rc_store_open(rc_str_c(self->files->url), &settings, &self->files->alloc, &store, &fault);
    while (self->is_good && !atomic_load(&self->is_over)) {
        size_t count = 0;
        self->is_good =
            rc_store_list(store, &(rc_store_query){.limit = 0}, count_records, &count, &fault) &&
            count >= self->last;
        self->last = count;
    }
    rc_store_close(store);
}

static void test_threads_submit_while_another_reads(void **state)
{
    (void)state;
    store_fixture fixture;
    fixture_init(&fixture);
    const rc_writer_settings settings = {.url = rc_str_c(fixture.url), .calls = &rc_sys_real};
    rc_writer *writer = NULL;
    assert_true(rc_writer_start(&settings, &fixture.alloc, &writer, &fixture.fault));

    reader watching = {.files = &fixture};
    uv_thread_t reading;
    uv_thread_create(&reading, read_on, &watching);
    producer producers[THREADS];
    uv_thread_t threads[THREADS];
    memset(producers, 0, sizeof(producers));
    for (int i = 0; i < THREADS; i++) {
        producers[i].writer = writer;
        producers[i].number = i;
        uv_sem_init(&producers[i].done, 0);
        uv_thread_create(&threads[i], produce, &producers[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        uv_thread_join(&threads[i]);
        assert_int_equal(producers[i].safe, ROUNDS);
    }
    atomic_store(&watching.is_over, true);
    uv_thread_join(&reading);
    assert_true(watching.is_good);
    const rc_writer_counts counts = rc_writer_count(writer);
    assert_int_equal(counts.kept, THREADS * ROUNDS);
    assert_true(counts.groups <= counts.kept);
    rc_writer_stop(writer);
    for (int i = 0; i < THREADS; i++)
        uv_sem_destroy(&producers[i].done);

    /* The ids of one millisecond end in the same letters, so their first keys are equal. */
    size_t count = 0;
    assert_true(fixture_open(&fixture, RC_STORE_READ));
    assert_true(rc_store_list(fixture.store, &(rc_store_query){.limit = 0}, count_records, &count,
                              &fixture.fault));
    assert_int_equal(count, THREADS * ROUNDS);
    assert_true(rc_store_check(fixture.store, &fixture.fault));
    fixture_done(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads_submit_while_another_reads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
