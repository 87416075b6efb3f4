/* Doctor: checks whether the gateway can use its store. Called by command.c. */
#include <errno.h>
#include <string.h>

#include "base/secret.h"
#include "base/str.h"
#include "cli/config_load.h"
#include "cli/doctor/doctor.h"
#include "cli/store_note.h"
#include "config/secret_load.h"
#include "store/store.h"
#include "sys/file.h"
#include "sys/lock_file.h"
#include "sys/probe.h"

#define EXIT_NOPERM 77
#define URL_MAX 4096
#define SCHEME RC_STR("sqlite:")
#define WRITER_SUFFIX "-writer"
#define MEGABYTE UINT64_C(1000000)
/* Free disk space below SPACE_MIN is a fault, below SPACE_LOW a warning. */
#define SPACE_MIN (16 * MEGABYTE)
#define SPACE_LOW (512 * MEGABYTE)

static rc_finding *add(rc_doctor *doctor, rc_finding_level level, const char *subject)
{
    return rc_doctor_add(doctor, RC_GROUP_STORE, level, rc_str_c(subject));
}

static rc_finding *fault(rc_doctor *doctor, const char *subject, int exit_status)
{
    return rc_doctor_fault(doctor, RC_GROUP_STORE, rc_str_c(subject), exit_status);
}

/* Replaces the path of a file by the path of its folder. */
static void cut_to_folder(char *path)
{
    char *slash = strrchr(path, '/');
    if (slash == NULL)
        memcpy(path, ".", 2);
    else
        slash[slash == path ? 1 : 0] = '\0';
}

static void check_space(rc_doctor *doctor, const char *folder)
{
    uint64_t bytes = 0;
    const int error = rc_probe_free_bytes(folder, &bytes);
    if (error != 0) {
        rc_finding_push(rc_finding_push(add(doctor, RC_FINDING_WARN, "space"), "unknown: "),
                        rc_sys_error_text(error));
        return;
    }
    rc_finding *finding =
        bytes < SPACE_MIN
            ? fault(doctor, "space", RC_EXIT_IO)
            : add(doctor, bytes < SPACE_LOW ? RC_FINDING_WARN : RC_FINDING_FINE, "space");
    rc_finding_push(rc_finding_push_u64(finding, bytes / MEGABYTE), " MB are free");
    if (bytes < SPACE_LOW)
        rc_finding_advise(finding, "free disk space, or move the store");
}

static void check_folder(rc_doctor *doctor, const char *folder)
{
    const int error = rc_probe_folder(folder);
    if (error == 0)
        return;
    rc_finding *finding = fault(doctor, "folder", EXIT_NOPERM);
    rc_finding_push(rc_finding_push(finding, "cannot create a file there: "),
                    rc_sys_error_text(error));
    rc_finding_advise(finding,
                      "give the gateway's user write permission for the folder, or move the store");
}

static void check_mode(rc_doctor *doctor, const char *path)
{
    struct stat facts;
    if (doctor->cli->calls->stat(path, &facts) != 0 || (facts.st_mode & (S_IROTH | S_IWOTH)) == 0)
        return;
    rc_finding_advise(rc_finding_push(add(doctor, RC_FINDING_WARN, "permissions"),
                                      "every user of this machine can read or write the file"),
                      "run chmod 600, also on the files beside it (-wal, -shm)");
}

static void check_writer(rc_doctor *doctor, const char *path)
{
    char lock[URL_MAX + sizeof WRITER_SUFFIX];
    rc_buf name;
    int error = 0;
    rc_buf_init_fixed(&name, lock, sizeof lock);
    rc_buf_push(&name, rc_str_c(path));
    rc_buf_push(&name, RC_STR(WRITER_SUFFIX));
    rc_buf_push_byte(&name, '\0');
    const bool is_held = rc_lock_file_is_held(lock, &error);
    if (error != 0) {
        rc_finding_push(rc_finding_push(add(doctor, RC_FINDING_WARN, "writer"), "unknown: "),
                        rc_sys_error_text(error));
        return;
    }
    rc_finding *finding = add(doctor, is_held ? RC_FINDING_NOTE : RC_FINDING_FINE, "writer");
    rc_finding_push(finding, is_held ? "a running gateway writes to the store"
                                     : "no process writes to the store");
    if (is_held)
        rc_finding_advise(finding, "a second gateway needs a store of its own");
}

static void check_open(rc_doctor *doctor, rc_str url, const char *path)
{
    const rc_store_settings settings = {.mode = RC_STORE_READ};
    rc_store *store = NULL;
    rc_store_fault store_fault;
    struct stat facts;
    if (doctor->cli->calls->stat(path, &facts) != 0) {
        rc_finding_push(rc_finding_push(add(doctor, RC_FINDING_NOTE, "file"), path),
                        " does not exist yet; the gateway creates it");
        return;
    }
    if (rc_store_open(url, &settings, &doctor->cli->alloc, &store, &store_fault)) {
        rc_finding *finding = add(doctor, RC_FINDING_FINE, "file");
        rc_finding_push(rc_finding_push(finding, path), " can be read, ");
        rc_finding_push(rc_finding_push_u64(finding, (uint64_t)facts.st_size / 1000), " kB");
        rc_store_close(store);
        return;
    }
    const bool is_denied =
        store_fault.kind == RC_STORE_NOT_ALLOWED || store_fault.kind == RC_STORE_READ_ONLY;
    rc_finding *finding = fault(doctor, "file", is_denied ? EXIT_NOPERM : RC_EXIT_IO);
    rc_finding_push(finding, store_fault.detail);
    rc_finding_advise(finding, rc_store_fault_advice(store_fault.kind));
}

/* Shortens the path to the nearest folder that exists, because the gateway creates the missing
 * folders of a default store. */
static void cut_to_existing(const rc_doctor *doctor, char *path)
{
    struct stat facts;
    while (path[0] == '/' && path[1] != '\0' && doctor->cli->calls->stat(path, &facts) != 0 &&
           errno == ENOENT)
        cut_to_folder(path);
}

/* Adds notes about a store that the configuration does not name. */
static void check_default(rc_doctor *doctor, const rc_config *config)
{
    if (config->store_kind == RC_CONFIG_STORE_CURRENT_DIR)
        rc_finding_advise(
            rc_finding_push(add(doctor, RC_FINDING_WARN, "default"),
                            "neither XDG_STATE_HOME nor HOME names a folder: the file "
                            "is in the current folder"),
            "set store: sqlite:PATH");
    else if (rc_store_note_is_old_here(doctor->cli->calls, config))
        rc_finding_advise(
            rc_finding_push(add(doctor, RC_FINDING_NOTE, "default"),
                            "recourse.db in the current folder is not used, because the "
                            "configuration sets no store"),
            "set store: sqlite:recourse.db to use that file");
}

static void check_url(rc_doctor *doctor, rc_str url, bool makes_folders)
{
    char path[URL_MAX + 1];
    if (!rc_str_starts_with(url, SCHEME)) {
        rc_finding_advise(rc_finding_push(fault(doctor, "file", RC_EXIT_CONFIG),
                                          "this version stores its audit in SQLite only"),
                          "set store: sqlite:PATH");
        return;
    }
    const rc_str name = rc_str_slice(url, SCHEME.len, url.len);
    memcpy(path, name.ptr, name.len);
    path[name.len] = '\0';
    check_open(doctor, url, path);
    check_mode(doctor, path);
    check_writer(doctor, path);
    cut_to_folder(path);
    if (makes_folders)
        cut_to_existing(doctor, path);
    check_folder(doctor, path);
    check_space(doctor, path);
}

void rc_doctor_check_store(rc_doctor *doctor, const rc_config *config)
{
    char scratch[URL_MAX];
    rc_buf text;
    rc_buf_init_fixed(&text, scratch, sizeof scratch);
    if (config->audit.durability == RC_DURABLE_OFF) {
        rc_finding_push(add(doctor, RC_FINDING_NOTE, "audit"), "off: requests are not recorded");
        return;
    }
    /* doctor/config.c checks every key, so a missing secret is already reported. */
    const bool has_url =
        config->store_ref.kind == RC_SECRET_NONE
            ? rc_buf_push(&text, config->root.store) == RC_OK
            : rc_secret_load(doctor->cli->calls, &config->store_ref, &text) == NULL;
    if (has_url)
        check_url(doctor, rc_str_trim(rc_buf_get(&text)),
                  config->store_kind == RC_CONFIG_STORE_STATE_DIR);
    check_default(doctor, config);
    rc_secret_wipe(scratch, sizeof scratch);
}
