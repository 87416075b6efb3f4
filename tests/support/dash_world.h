/* The operator's side with everything that the dashboard asks for, and an audit to look at. */
#ifndef RC_TESTS_DASH_WORLD_H
#define RC_TESTS_DASH_WORLD_H

#include <dirent.h>

#include <json-c/json.h>
#include <recourse/stdlib.h>

#include "cli/serve_explain.h"
#include "gateway/admin_audit.h"
#include "gateway/admin_live.h"
#include "gateway/admin_web.h"
#include "support/admin_world.h"
#include "support/audit_stories.h"

static struct dash_world {
    char folder[128];
    char path[192];
    char url[208];
    rc_admin_works works;
    rc_admin_audit audit;
    rc_admin_live *live;
    rc_serve_explain explain;
    json_object *doc; /* of the latest answer */
} dash;

static inline void dash_make_folder(void)
{
    const char *place = getenv("TMPDIR");
    snprintf(dash.folder, sizeof(dash.folder), "%.90s/recourse-dash-XXXXXX",
             place != NULL ? place : "/tmp");
    assert_non_null(mkdtemp(dash.folder));
    snprintf(dash.path, sizeof(dash.path), "%s/audit.db", dash.folder);
    snprintf(dash.url, sizeof(dash.url), "sqlite:%s", dash.path);
}

static inline void dash_remove_folder(void)
{
    DIR *folder = opendir(dash.folder);
    for (struct dirent *entry = folder != NULL ? readdir(folder) : NULL; entry != NULL;
         entry = readdir(folder)) {
        char path[512];
        snprintf(path, sizeof(path), "%s/%s", dash.folder, entry->d_name);
        if (entry->d_name[0] != '.')
            unlink(path);
    }
    if (folder != NULL)
        closedir(folder);
    rmdir(dash.folder);
}

/* Writes to the audit: count operations of the last hours before a time. */
static inline void dash_fill(uint64_t count, int64_t hours, int64_t until_unix_ms)
{
    static fill f;
    const rc_alloc alloc = rc_alloc_stdlib();
    rc_store *store = NULL;
    rc_store_fault fault;
    if (!rc_store_open(rc_str_c(dash.url), &(rc_store_settings){.mode = RC_STORE_WRITE}, &alloc,
                       &store, &fault))
        fail_msg("%s", fault.detail);
    fill_init(&f, store, &alloc, 1);
    if (!fill_run(&f, count, until_unix_ms - hours * 3600000, until_unix_ms, &fault))
        fail_msg("%s", fault.detail);
    rc_store_close(store);
}

static inline void dash_tell(const char *name, int64_t unix_ms)
{
    const rc_alloc alloc = rc_alloc_stdlib();
    rc_store *store = NULL;
    rc_store_fault fault;
    if (!rc_store_open(rc_str_c(dash.url), &(rc_store_settings){.mode = RC_STORE_WRITE}, &alloc,
                       &store, &fault) ||
        !story_tell(store, &alloc, name, unix_ms, &fault))
        fail_msg("%s", fault.detail);
    rc_store_close(store);
}

/* url: of the audit; "": there is none. False: there was no memory. */
static inline bool dash_try_start(const char *token, const char *url)
{
    rc_alloc alloc = fail_alloc_of(&world.memory);
    const rc_admin_source source = fake_source_of(&world.fake);
    dash.live = NULL;
    if (!world_try_start(token))
        return false;
    rc_admin_works_init(&dash.works, &world.loop, &alloc);
    dash.explain = (rc_serve_explain){.works = &dash.works, .calls = &rc_sys_real};
    dash.live = rc_admin_live_new(&world.loop, &alloc, &rc_sys_real, &source);
    if (!rc_admin_audit_init(&dash.audit, rc_str_c(url), &dash.works, &rc_sys_real) ||
        dash.live == NULL)
        return false;
    const rc_admin_table tables[] = {rc_admin_web_table(), rc_admin_audit_table(&dash.audit),
                                     rc_admin_live_table(dash.live),
                                     rc_serve_explain_table(&dash.explain)};
    for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
        assert_true(rc_admin_add(world.admin, &tables[i]));
    return true;
}

static inline void dash_start(const char *token)
{
    world.memory = (fail_alloc){0};
    assert_true(dash_try_start(token, dash.url));
}

static inline void dash_end(void)
{
    client_close();
    json_object_put(dash.doc);
    dash.doc = NULL;
    if (world.admin != NULL)
        rc_admin_close(world.admin);
    UNTIL(world.admin == NULL);
    rc_admin_live_close(dash.live);
    dash.live = NULL;
    world_end();
}

static inline const char *body_of(void)
{
    const char *end = strstr(world.got, "\r\n\r\n");
    return end != NULL ? end + 4 : "";
}

/* Asks for a path and reads the answer as JSON. */
static inline int look(const char *path)
{
    char text[4096];
    snprintf(text, sizeof(text), "GET %s" OWN "\r\n", path);
    const int status = ask(text);
    json_object_put(dash.doc);
    dash.doc = json_tokener_parse(body_of());
    if (dash.doc == NULL)
        fail_msg("%s: no JSON: %.500s", path, world.got);
    return status;
}

/* The member at a path of names and places, "operations/0/id"; NULL: there is none. */
static inline json_object *member(const char *path)
{
    char names[256];
    json_object *here = dash.doc;
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
        fail_msg("no %s in %.1500s", path, json_object_to_json_string(dash.doc));
    return json_object_get_int64(value);
}

static inline const char *text_at(const char *path)
{
    json_object *value = member(path);
    if (value == NULL)
        fail_msg("no %s in %.1500s", path, json_object_to_json_string(dash.doc));
    return json_object_get_string(value);
}

static inline size_t length_at(const char *path)
{
    json_object *value = member(path);
    return json_object_is_type(value, json_type_array) ? json_object_array_length(value) : 0;
}

#endif
