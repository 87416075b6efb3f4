/* A power cut: each sector written since the last flush is on the disk or not, at random.
 * Acknowledged records must be present, and the file must be intact. With synchronous=NORMAL
 * records are lost, which proves that the simulated cut has an effect. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/fault_vfs.h"
#include "support/store_fixture.h"

#define OPERATIONS 6
#define POINTS_MAX 200
#define SECTOR 512
#define FILE_MAX ((size_t)1 << 20)
#define DICE 3

/* The content of the file or of its log at the latest flush. */
typedef struct image {
    char path[256];
    size_t len;
    unsigned char bytes[FILE_MAX];
} image;

static image disk[2];
static unsigned char now_there[FILE_MAX];
static uint64_t chance;

static size_t read_file(const char *path, unsigned char *bytes)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return 0;
    const size_t len = fread(bytes, 1, FILE_MAX, file);
    assert_true(len < FILE_MAX);
    assert_int_equal(fclose(file), 0);
    return len;
}

static void on_sync(const char *name)
{
    for (size_t i = 0; name != NULL && i < 2; i++)
        if (strcmp(name, disk[i].path) == 0)
            disk[i].len = read_file(name, disk[i].bytes);
}

static bool flip(void)
{
    chance ^= chance << 13;
    chance ^= chance >> 7;
    chance ^= chance << 17;
    return (chance >> 20 & 1) == 1;
}

/* Replaces the file by the content that the disk has after the power cut. */
static void cut(image *kept)
{
    const size_t len = read_file(kept->path, now_there);
    for (size_t at = 0; at < len; at += SECTOR) {
        const size_t size = len - at < SECTOR ? len - at : SECTOR;
        if (!flip())
            continue;
        if (at > kept->len)
            memset(kept->bytes + kept->len, 0, at - kept->len);
        memcpy(kept->bytes + at, now_there + at, size);
        kept->len = kept->len < at + size ? at + size : kept->len;
    }
    FILE *file = fopen(kept->path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(kept->bytes, 1, kept->len, file), kept->len);
    assert_int_equal(fclose(file), 0);
}

static bool append_one(store_fixture *fixture, const rc_id *id, int i)
{
    rc_record records[3];
    fixture_fill(records, id, FIXTURE_TIME + i);
    return fixture_append(fixture, records, 3);
}

/* Stores operations until the power cut, which happens at the Nth call to the disk. Returns the
 * number of acknowledged operations that are missing afterwards; -1: there were fewer than N
 * calls. */
static int lost_at(int nth, bool is_power_safe, uint64_t seed)
{
    store_fixture fixture;
    rc_id ids[OPERATIONS];
    bool is_acknowledged[OPERATIONS] = {false};
    fixture_init(&fixture);
    chance = seed * UINT64_C(0x9E3779B97F4A7C15) + (uint64_t)nth;
    disk[0].len = disk[1].len = 0;
    snprintf(disk[0].path, sizeof(disk[0].path), "%s", fixture.path);
    snprintf(disk[1].path, sizeof(disk[1].path), "%s-wal", fixture.path);
    const rc_store_settings settings = {.mode = RC_STORE_WRITE, .is_power_safe = is_power_safe};
    assert_true(rc_store_open(rc_str_c(fixture.url), &settings, &fixture.alloc, &fixture.store,
                              &fixture.fault));
    assert_true(rc_store_checkpoint(fixture.store, true, &fixture.fault));
    fault_arm(nth, true, SQLITE_IOERR_WRITE);
    for (int i = 0; i < OPERATIONS; i++) {
        ids[i] = fixture_id(&fixture, FIXTURE_TIME + i);
        is_acknowledged[i] = append_one(&fixture, &ids[i], i);
        if (i % 3 == 2)
            (void)rc_store_checkpoint(fixture.store, true, &fixture.fault);
    }
    const bool is_cut = atomic_load(&faults.failures) > 0;
    fixture_close(&fixture);
    cut(&disk[0]);
    cut(&disk[1]);
    char shm[256];
    snprintf(shm, sizeof(shm), "%s-shm", fixture.path);
    (void)unlink(shm);
    fault_disarm();

    int lost = 0;
    assert_true(fixture_open(&fixture, RC_STORE_WRITE));
    assert_true(rc_store_check(fixture.store, &fixture.fault));
    for (int i = 0; i < OPERATIONS; i++) {
        size_t count = 0;
        assert_true(rc_store_timeline(fixture.store, rc_str_make(ids[i].text, RC_ID_LEN),
                                      count_records, &count, &fixture.fault));
        assert_true(count == 0 || count == 3);
        lost += is_acknowledged[i] && count == 0 ? 1 : 0;
    }
    fixture_done(&fixture);
    return is_cut ? lost : -1;
}

static int lost_in_all(bool is_power_safe)
{
    int points = 0;
    int lost = 0;
    fault_vfs_install();
    faults.on_sync = on_sync;
    for (bool goes_on = true; goes_on && points < POINTS_MAX; points++)
        for (uint64_t seed = 1; goes_on && seed <= DICE; seed++) {
            const int now = lost_at(points + 1, is_power_safe, seed);
            goes_on = now >= 0;
            lost += goes_on ? now : 0;
        }
    assert_true(points > 20);
    assert_true(points < POINTS_MAX);
    return lost;
}

static void test_full_keeps_acknowledged_records(void **state)
{
    (void)state;
    assert_int_equal(lost_in_all(true), 0);
}

static void test_normal_does_not(void **state)
{
    (void)state;
    assert_true(lost_in_all(false) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_full_keeps_acknowledged_records),
        cmocka_unit_test(test_normal_does_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
