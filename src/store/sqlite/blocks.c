/* Writes the table `blocks`. A row of this table is a block note. It states that a client, model,
 * code or outcome occurs in a block of keys; a block covers 256 ms. Called by write.c; prune.c and
 * sqlite.c clear the cache. Block notes replace indexes, which would cost a search and a page for
 * each operation. A note is written only once per block and value, and a query reads only the
 * blocks that have the value. */
#include <string.h>

#include "store/operation_key.h"
#include "store/sqlite/private.h"

_Static_assert(RC_SQLITE_BLOCK_BITS >= RC_OPERATION_KEY_LOW_BITS,
               "a block consists of whole milliseconds");

static bool write_note(rc_sqlite *sqlite, const rc_sqlite_note *note, rc_store_fault *fault)
{
    sqlite3_stmt *add = rc_sqlite_get(sqlite, RC_SQL_ADD_NOTE, fault);
    if (add == NULL)
        return false;
    sqlite3_bind_int64(add, 1, note->field);
    sqlite3_bind_int64(add, 2, note->value);
    sqlite3_bind_int64(add, 3, note->block);
    bool is_done = sqlite3_step(add) == SQLITE_DONE || rc_sqlite_fail(sqlite, "write", fault);
    sqlite3_reset(add);
    return is_done;
}

/* Returns the cache slot for a note. A small cache is enough, because operations that end at about
 * the same time began in a few blocks and need the same notes. */
static rc_sqlite_note *slot_of(rc_sqlite *sqlite, const rc_sqlite_note *note)
{
    const uint64_t odd = UINT64_C(0x9E3779B97F4A7C15);
    const uint64_t mixed =
        ((uint64_t)note->value * 8 + (uint64_t)note->field) * odd ^ (uint64_t)note->block;
    return &sqlite->notes[(mixed * odd) >> 32 & (RC_SQLITE_NOTES - 1)];
}

bool rc_sqlite_note_value(rc_sqlite *sqlite, int64_t key, rc_sqlite_block_field about,
                          int64_t value, rc_store_fault *fault)
{
    const rc_sqlite_note note = {
        .field = about, .value = value, .block = key >> RC_SQLITE_BLOCK_BITS};
    rc_sqlite_note *slot = slot_of(sqlite, &note);
    if (slot->field == note.field && slot->value == note.value && slot->block == note.block)
        return true;
    if (!write_note(sqlite, &note, fault))
        return false;
    *slot = note;
    return true;
}

void rc_sqlite_forget_notes(rc_sqlite *sqlite)
{
    memset(sqlite->notes, 0, sizeof(sqlite->notes));
}
