/* rc_json_members: iterates over the members of one object or the elements of one array of a JSON
 * text that was validated before.
 *
 *   rc_json_members m = rc_json_members_begin(object);
 *   while (rc_json_members_next(&m))
 *       use m.key and m.value
 *
 * The iteration builds no tree, skips nested values at memory speed and does not allocate. */
#ifndef RC_JSON_MEMBERS_H
#define RC_JSON_MEMBERS_H

#include "json/walk.h"

typedef struct rc_json_members {
    rc_json_walk walk;       /* private */
    bool has_begun;          /* private */
    bool is_object;          /* private */
    bool is_over;            /* private */
    rc_str key;              /* the current key as written between its quotes; empty in an array */
    rc_json_raw_value value; /* the current value */
} rc_json_members;

/* Starts an iteration. container: the text of one object or array, which the results view. For any
 * other text the iteration ends at once. */
rc_json_members rc_json_members_begin(rc_str container);

/* Advances to the next member or element. Returns false at the end, and where the text is
 * malformed. */
bool rc_json_members_next(rc_json_members *m);

/* Returns whether a key or string, given as written between its quotes, equals `plain` after its
 * escapes are decoded. */
bool rc_json_is_text(rc_str raw, rc_str plain);

/* Returns whether the value is a string with the value `plain`. */
bool rc_json_value_is(const rc_json_raw_value *value, rc_str plain);

/* Returns the whole text of a value, with the quotes of a string. */
rc_str rc_json_value_text(const rc_json_raw_value *value);

/* Finds a member of an object by its name. Returns false if the object has no such member, or if
 * the member is null. If a name occurs twice, the first one counts. */
bool rc_json_member_find(rc_str object, rc_str name, rc_json_raw_value *ret_value);

/* Returns the content of a string member as written between its quotes; empty if the object has no
 * such string. */
rc_str rc_json_member_text(rc_str object, rc_str name);

#endif
