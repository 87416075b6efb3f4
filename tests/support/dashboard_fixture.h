/* The admin interface with all data of the dashboard, and an audit with operations. */
#ifndef RC_SUPPORT_DASHBOARD_FIXTURE_H
#define RC_SUPPORT_DASHBOARD_FIXTURE_H

#include <dirent.h>

#include <json-c/json.h>
#include <recourse/stdlib.h>

#include "cli/serve/explain.h"
#include "gateway/admin/audit.h"
#include "gateway/admin/live.h"
#include "gateway/admin/web.h"
#include "support/admin_fixture.h"
#include "support/audit_stories.h"

static struct dashboard_fixture {
    char folder[128];
    char path[192];
    char url[208];
    rc_admin_task_pool tasks;
    rc_admin_audit audit;
    rc_admin_live *live;
    rc_serve_explain explain;
    json_object *doc; /* JSON document of the latest response */
} dashboard;

static inline void dashboard_make_folder(void)
{
    const char *place = getenv("TMPDIR");
    snprintf(dashboard.folder, sizeof(dashboard.folder), "%.90s/recourse-dash-XXXXXX",
             place != NULL ? place : "/tmp");
    assert_non_null(mkdtemp(dashboard.folder));
    snprintf(dashboard.path, sizeof(dashboard.path), "%s/audit.db", dashboard.folder);
    snprintf(dashboard.url, sizeof(dashboard.url), "sqlite:%s", dashboard.path);
}

static inline void dashboard_remove_folder(void)
{
    DIR *folder = opendir(dashboard.folder);
    for (struct dirent *entry = folder != NULL ? readdir(folder) : NULL; entry != NULL;
         entry = readdir(folder)) {
        char path[512];
        snprintf(path, sizeof(path), "%s/%s", dashboard.folder, entry->d_name);
        if (entry->d_name[0] != '.')
            unlink(path);
    }
    if (folder != NULL)
        closedir(folder);
    rmdir(dashboard.folder);
}

/* Stores `count` operations of the last `hours` hours before a time in the audit. */
static inline void dashboard_fill(uint64_t count, int64_t hours, int64_t until_unix_ms)
{
    static fill f;
    const rc_alloc alloc = rc_alloc_stdlib();
    rc_store *store = NULL;
    rc_store_fault fault;
    if (!rc_store_open(rc_str_c(dashboard.url), &(rc_store_settings){.mode = RC_STORE_WRITE},
                       &alloc, &store, &fault))
        fail_msg("%s", fault.detail);
    fill_init(&f, store, &alloc, 1);
    if (!fill_run(&f, count, until_unix_ms - hours * 3600000, until_unix_ms, &fault))
        fail_msg("%s", fault.detail);
    rc_store_close(store);
}

static inline void dashboard_add_story(const char *name, int64_t unix_ms)
{
    const rc_alloc alloc = rc_alloc_stdlib();
    rc_store *store = NULL;
    rc_store_fault fault;
    if (!rc_store_open(rc_str_c(dashboard.url), &(rc_store_settings){.mode = RC_STORE_WRITE},
                       &alloc, &store, &fault) ||
        !story_write(store, &alloc, name, unix_ms, &fault))
        fail_msg("%s", fault.detail);
    rc_store_close(store);
}

/* Starts the fixture. url: URL of the audit; "": no audit. Returns false if no memory was
 * available. */
static inline bool dashboard_try_start(const char *token, const char *url)
{
    rc_alloc alloc = fail_alloc_of(&fixture.memory);
    const rc_admin_source source = fake_source_of(&fixture.fake);
    dashboard.live = NULL;
    if (!fixture_try_start(token))
        return false;
    rc_admin_task_pool_init(&dashboard.tasks, &fixture.loop, &alloc);
    dashboard.explain = (rc_serve_explain){.works = &dashboard.tasks, .calls = &rc_sys_real};
    dashboard.live = rc_admin_live_new(&fixture.loop, &alloc, &rc_sys_real, &source);
    if (!rc_admin_audit_init(&dashboard.audit, rc_str_c(url), &dashboard.tasks, &rc_sys_real) ||
        dashboard.live == NULL)
        return false;
    const rc_admin_table tables[] = {rc_admin_web_table(), rc_admin_audit_table(&dashboard.audit),
                                     rc_admin_live_table(dashboard.live),
                                     rc_serve_explain_table(&dashboard.explain)};
    for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
        assert_true(rc_admin_add(fixture.admin, &tables[i]));
    return true;
}

static inline void dashboard_start(const char *token)
{
    fixture.memory = (fail_alloc){0};
    assert_true(dashboard_try_start(token, dashboard.url));
}

static inline void dashboard_end(void)
{
    client_close();
    json_object_put(dashboard.doc);
    dashboard.doc = NULL;
    if (fixture.admin != NULL)
        rc_admin_close(fixture.admin);
    UNTIL(fixture.admin == NULL);
    rc_admin_live_close(dashboard.live);
    dashboard.live = NULL;
    fixture_end();
}

static inline const char *body_of(void)
{
    const char *end = strstr(fixture.client.got, "\r\n\r\n");
    return end != NULL ? end + 4 : "";
}

/* Requests a path and parses the response as JSON. Returns the status. */
static inline int get_json(const char *path)
{
    char text[4096];
    snprintf(text, sizeof(text), "GET %s" OWN "\r\n", path);
    const int status = send_request(text);
    json_object_put(dashboard.doc);
    dashboard.doc = json_tokener_parse(body_of());
    if (dashboard.doc == NULL)
        fail_msg("%s: no JSON: %.500s", path, fixture.client.got);
    return status;
}

/* Returns the member at a path of names and array indexes such as "operations/0/id"; NULL if the
 * document does not have it. */
static inline json_object *member(const char *path)
{
    char names[256];
    json_object *here = dashboard.doc;
    snprintf(names, sizeof(names), "%s", path);
    for (char *name = names, *next; here != NULL && name != NULL; name = next) {
        next = strchr(name, '/');
        if (next != NULL)
            *next++ = '\0';
        if (json_object_is_type(here, json_type_array))
            here = json_object_array_get_idx(here, strtoul(name, NULL, 10));
        else if (!json_object_object_get_ex(here, name, &here))
            here = NULL;
    }
    return here;
}

static inline int64_t number_at(const char *path)
{
    json_object *value = member(path);
    if (value == NULL)
        fail_msg("no %s in %.1500s", path, json_object_to_json_string(dashboard.doc));
    return json_object_get_int64(value);
}

static inline const char *text_at(const char *path)
{
    json_object *value = member(path);
    if (value == NULL)
        fail_msg("no %s in %.1500s", path, json_object_to_json_string(dashboard.doc));
    return json_object_get_string(value);
}

static inline size_t length_at(const char *path)
{
    json_object *value = member(path);
    return json_object_is_type(value, json_type_array) ? json_object_array_length(value) : 0;
}

#endif
