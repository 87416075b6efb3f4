/* A SQLite VFS (file layer) that fails on command: only the Nth write, sync, truncation or open, or
 * the Nth and all later ones. The state is global, so a program has only one such VFS. */
#ifndef RC_TESTS_FAULT_VFS_H
#define RC_TESTS_FAULT_VFS_H

#include <sqlite3.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

typedef struct fault_file {
    sqlite3_file base;
    sqlite3_file *real;
    const char *name; /* Owned by SQLite until the file is closed; NULL for an unnamed file. */
} fault_file;

static struct fault_state {
    sqlite3_vfs *real;
    sqlite3_vfs vfs;
    sqlite3_io_methods methods;
    atomic_int calls;   /* Number of calls so far that could fail. */
    atomic_int fail_at; /* Number of the first call that fails; 0: none fails. */
    atomic_bool is_for_good;
    atomic_int code; /* The result code of a failing call. */
    atomic_int failures;
    void (*on_sync)(const char *name); /* Called when written data would be on the disk; may be
                                          NULL. */
} faults;

static inline bool fault_strikes(void)
{
    const int call = atomic_fetch_add(&faults.calls, 1) + 1;
    const int fail_at = atomic_load(&faults.fail_at);
    if (fail_at == 0 || call < fail_at || (call > fail_at && !atomic_load(&faults.is_for_good)))
        return false;
    atomic_fetch_add(&faults.failures, 1);
    return true;
}

/* Makes the Nth call, counted from now, fail. */
static inline void fault_arm(int nth, bool is_for_good, int code)
{
    atomic_store(&faults.calls, 0);
    atomic_store(&faults.failures, 0);
    atomic_store(&faults.is_for_good, is_for_good);
    atomic_store(&faults.code, code);
    atomic_store(&faults.fail_at, nth);
}

static inline void fault_disarm(void)
{
    atomic_store(&faults.fail_at, 0);
}

static inline sqlite3_file *fault_real(sqlite3_file *file)
{
    return ((fault_file *)file)->real;
}

static inline int fault_close(sqlite3_file *file)
{
    return fault_real(file)->pMethods->xClose(fault_real(file));
}

static inline int fault_read(sqlite3_file *file, void *bytes, int size, sqlite3_int64 at)
{
    return fault_real(file)->pMethods->xRead(fault_real(file), bytes, size, at);
}

static inline int fault_write(sqlite3_file *file, const void *bytes, int size, sqlite3_int64 at)
{
    /* On a full disk, the first half of the data is written. */
    if (fault_strikes()) {
        fault_real(file)->pMethods->xWrite(fault_real(file), bytes, size / 2, at);
        return atomic_load(&faults.code);
    }
    return fault_real(file)->pMethods->xWrite(fault_real(file), bytes, size, at);
}

static inline int fault_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    return fault_strikes() ? atomic_load(&faults.code)
                           : fault_real(file)->pMethods->xTruncate(fault_real(file), size);
}

/* Does not sync, because a sync takes most of the time of a test. The power-cut test records which
 * data would be on the disk. */
static inline int fault_sync(sqlite3_file *file, int flags)
{
    (void)flags;
    if (fault_strikes())
        return atomic_load(&faults.code);
    if (faults.on_sync != NULL)
        faults.on_sync(((fault_file *)file)->name);
    return SQLITE_OK;
}

static inline int fault_size(sqlite3_file *file, sqlite3_int64 *size)
{
    return fault_real(file)->pMethods->xFileSize(fault_real(file), size);
}

static inline int fault_lock(sqlite3_file *file, int level)
{
    return fault_real(file)->pMethods->xLock(fault_real(file), level);
}

static inline int fault_unlock(sqlite3_file *file, int level)
{
    return fault_real(file)->pMethods->xUnlock(fault_real(file), level);
}

static inline int fault_check_lock(sqlite3_file *file, int *is_reserved)
{
    return fault_real(file)->pMethods->xCheckReservedLock(fault_real(file), is_reserved);
}

static inline int fault_control(sqlite3_file *file, int op, void *argument)
{
    return fault_real(file)->pMethods->xFileControl(fault_real(file), op, argument);
}

static inline int fault_sector(sqlite3_file *file)
{
    return fault_real(file)->pMethods->xSectorSize(fault_real(file));
}

static inline int fault_traits(sqlite3_file *file)
{
    return fault_real(file)->pMethods->xDeviceCharacteristics(fault_real(file));
}

static inline int fault_shm_map(sqlite3_file *file, int page, int size, int extend,
                                void volatile **memory)
{
    return fault_real(file)->pMethods->xShmMap(fault_real(file), page, size, extend, memory);
}

static inline int fault_shm_lock(sqlite3_file *file, int offset, int count, int flags)
{
    return fault_real(file)->pMethods->xShmLock(fault_real(file), offset, count, flags);
}

static inline void fault_shm_barrier(sqlite3_file *file)
{
    fault_real(file)->pMethods->xShmBarrier(fault_real(file));
}

static inline int fault_shm_unmap(sqlite3_file *file, int is_deleted)
{
    return fault_real(file)->pMethods->xShmUnmap(fault_real(file), is_deleted);
}

static inline int fault_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags,
                             int *ret_flags)
{
    (void)vfs;
    fault_file *made = (fault_file *)file;
    made->base.pMethods = NULL;
    made->real = (sqlite3_file *)(void *)(made + 1);
    made->name = name;
    if (fault_strikes())
        return SQLITE_CANTOPEN;
    const int code = faults.real->xOpen(faults.real, name, made->real, flags, ret_flags);
    if (code == SQLITE_OK)
        made->base.pMethods = &faults.methods;
    return code;
}

/* Installs the VFS for all connections that this program opens later. */
static inline void fault_vfs_install(void)
{
    if (faults.real != NULL)
        return;
    sqlite3_initialize();
    faults.real = sqlite3_vfs_find(NULL);
    faults.vfs = *faults.real;
    faults.vfs.pNext = NULL;
    faults.vfs.zName = "fault";
    faults.vfs.szOsFile = (int)sizeof(fault_file) + faults.real->szOsFile;
    faults.vfs.xOpen = fault_open;
    faults.methods = (sqlite3_io_methods){
        2,
        fault_close,
        fault_read,
        fault_write,
        fault_truncate,
        fault_sync,
        fault_size,
        fault_lock,
        fault_unlock,
        fault_check_lock,
        fault_control,
        fault_sector,
        fault_traits,
        fault_shm_map,
        fault_shm_lock,
        fault_shm_barrier,
        fault_shm_unmap,
        NULL,
        NULL,
    };
    sqlite3_vfs_register(&faults.vfs, 1);
}

#endif
