/* Parses JSON with a parser that is independent of the library's. */
#ifndef TESTS_SUPPORT_JSON_QUERY_H
#define TESTS_SUPPORT_JSON_QUERY_H

#include <stdbool.h>
#include <stdint.h>

#include <json-c/json.h>

#include <recourse/buf.h>

/* Returns the parsed document; the caller frees it with json_object_put. Fails the test if the text
 * is not JSON. */
static inline json_object *query_parse(rc_str text)
{
    json_tokener *tokener = json_tokener_new_ex(600);
    json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
    json_object *root = json_tokener_parse_ex(tokener, text.ptr, (int)text.len);
    if (json_tokener_get_error(tokener) != json_tokener_success)
        fail_msg("not JSON: %s: %.*s", json_tokener_error_desc(json_tokener_get_error(tokener)),
                 (int)text.len, text.ptr);
    json_tokener_free(tokener);
    return root;
}

static inline bool query_has(json_object *root, const char *pointer)
{
    json_object *found = NULL;
    return json_pointer_get(root, pointer, &found) == 0;
}

static inline void query_string(json_object *root, const char *pointer, const char *want)
{
    json_object *found = NULL;
    if (json_pointer_get(root, pointer, &found) != 0)
        fail_msg("%s is not there: %s", pointer, json_object_to_json_string(root));
    if (!json_object_is_type(found, json_type_string))
        fail_msg("%s is no string: %s", pointer, json_object_to_json_string(root));
    assert_string_equal(json_object_get_string(found), want);
}

static inline void query_int(json_object *root, const char *pointer, int64_t want)
{
    json_object *found = NULL;
    if (json_pointer_get(root, pointer, &found) != 0)
        fail_msg("%s is not there: %s", pointer, json_object_to_json_string(root));
    assert_true(json_object_is_type(found, json_type_int));
    assert_int_equal(json_object_get_int64(found), want);
}

static inline void query_bool(json_object *root, const char *pointer, bool want)
{
    json_object *found = NULL;
    if (json_pointer_get(root, pointer, &found) != 0)
        fail_msg("%s is not there: %s", pointer, json_object_to_json_string(root));
    assert_true(json_object_is_type(found, json_type_boolean));
    assert_int_equal(json_object_get_boolean(found), want);
}

static inline void query_null(json_object *root, const char *pointer)
{
    json_object *found = NULL;
    assert_int_equal(json_pointer_get(root, pointer, &found), 0);
    assert_null(found);
}

#endif
