/* A store in a temporary folder, and records for it. */
#ifndef RC_SUPPORT_STORE_FIXTURE_H
#define RC_SUPPORT_STORE_FIXTURE_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <recourse/id.h>
#include <recourse/stdlib.h>

#include "store/store.h"

#define FIXTURE_TIME INT64_C(1700000000000)

typedef struct store_fixture {
    rc_alloc alloc;
    char folder[128];
    char path[192];
    char url[208];
    rc_id_maker ids;
    rc_store *store;
    rc_store_fault fault;
} store_fixture;

static inline void fixture_init(store_fixture *fixture)
{
    memset(fixture, 0, sizeof(*fixture));
    const char *parent = getenv("TMPDIR");
    fixture->alloc = rc_alloc_stdlib();
    snprintf(fixture->folder, sizeof(fixture->folder), "%.90s/recourse-store-XXXXXX",
             parent != NULL ? parent : "/tmp");
    if (mkdtemp(fixture->folder) == NULL)
        abort();
    snprintf(fixture->path, sizeof(fixture->path), "%s/audit.db", fixture->folder);
    snprintf(fixture->url, sizeof(fixture->url), "sqlite:%s", fixture->path);
}

static inline bool fixture_open(store_fixture *fixture, rc_store_mode mode)
{
    const rc_store_settings settings = {.mode = mode};
    memset(&fixture->fault, 0, sizeof(fixture->fault));
    return rc_store_open(rc_str_c(fixture->url), &settings, &fixture->alloc, &fixture->store,
                         &fixture->fault);
}

static inline void fixture_close(store_fixture *fixture)
{
    rc_store_close(fixture->store);
    fixture->store = NULL;
}

/* Removes the folder and its content. */
static inline void fixture_done(store_fixture *fixture)
{
    fixture_close(fixture);
    DIR *folder = opendir(fixture->folder);
    for (struct dirent *entry = folder != NULL ? readdir(folder) : NULL; entry != NULL;
         entry = readdir(folder)) {
        char path[512];
        snprintf(path, sizeof(path), "%s/%s", fixture->folder, entry->d_name);
        if (entry->d_name[0] != '.' && unlink(path) != 0)
            rmdir(path);
    }
    if (folder != NULL)
        closedir(folder);
    rmdir(fixture->folder);
}

/* Returns the next id with this time; the ids are the same in every run. */
static inline rc_id fixture_id(store_fixture *fixture, int64_t unix_ms)
{
    static const uint8_t entropy[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    return rc_id_make(&fixture->ids, unix_ms, entropy);
}

/* Fills in a complete operation: BEGIN, an ATTEMPT and the OUTCOME. id: views. */
static inline void fixture_fill(rc_record records[3], const rc_id *id, int64_t unix_ms)
{
    static const rc_record_kind kinds[] = {RC_RECORD_BEGIN, RC_RECORD_ATTEMPT, RC_RECORD_OUTCOME};
    for (uint32_t i = 0; i < 3; i++) {
        rc_record_init(&records[i], kinds[i]);
        records[i].operation_id = rc_str_make(id->text, RC_ID_LEN);
        records[i].seq = i;
        records[i].unix_ms = unix_ms + i;
        records[i].client = RC_STR("app");
        records[i].route = RC_STR("gpt-4o*");
        records[i].model = RC_STR("gpt-4o");
        records[i].flags = RC_RECORD_STREAMING;
    }
    for (uint32_t i = 1; i < 3; i++) {
        records[i].attempt = 1;
        records[i].target = RC_STR("openai/gpt-4o");
        records[i].provider = RC_STR("openai");
        records[i].credential = RC_STR("openai-1");
        records[i].status = 200;
        records[i].latency_ms = 840;
        records[i].first_byte_ms = 210;
        records[i].tokens_in = 1200;
        records[i].tokens_out = 300;
        records[i].cost_usd_micro = 6000;
        records[i].bytes = 4096;
        records[i].flags |= RC_RECORD_MEASURED;
        records[i].request_id = RC_STR("req_abc");
    }
    records[2].outcome = RC_OUTCOME_SUCCEEDED;
}

static inline bool fixture_append(store_fixture *fixture, const rc_record *records, size_t count)
{
    const rc_batch batch = {.records = records, .record_count = count};
    return rc_store_append(fixture->store, &batch, &fixture->fault);
}

static inline bool count_records(void *ctx, const rc_record *record)
{
    *(size_t *)ctx += record->operation_id.len == RC_ID_LEN ? 1 : 1000;
    return true;
}

#endif
