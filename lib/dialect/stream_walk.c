/* Stream walk: one pass over the JSON of a stream event. Called by stream.c and
 * lib/exchange/response_judge.c. */
#include "dialect/stream_walk.h"

#include "base/str.h"
#include "dialect/event_template.h"
#include "dialect/stream_table.h"
#include "dialect/usage_weight.h"
#include "json/find.h"
#include "json/walk.h"

rc_stream_walk_result rc_stream_walk_result_none(void)
{
    rc_stream_walk_result found = {.begun = 0};
    rc_usage_init(&found.usage);
    return found;
}

/* State of the walk. The walk reads the text once and skips members that no shape names (a shape is
 * a list of members in spec/stream_events.def). The shapes, not the text, limit the depth of the
 * recursion. Each step returns false if the text is malformed. */

typedef struct walk {
    rc_json_walk json;
    rc_stream_walk_result *found;
    rc_event_recorder *recorder;
    unsigned choice;  /* index of the choice that is being read */
    bool is_begun;    /* this choice has content */
    bool is_finished; /* this choice has a finish reason */
} walk;

static bool walk_object(walk *w, const rc_stream_shape *form);

/* ---- values ---- */

/* Returns whether a value is neither empty, null, false nor 0. */
static bool is_filled(const rc_json_raw_value *v)
{
    switch (v->first) {
    case '"':
        return v->raw.len > 0;
    case '{':
    case '[':
        return rc_str_trim(rc_str_slice(v->raw, 1, v->raw.len - 1)).len > 0;
    case 'n':
    case 'f':
        return false;
    default:
        return !rc_str_eq(v->raw, RC_STR("0"));
    }
}

static void note_finish(rc_stream_event_info *info, rc_str text)
{
    rc_stream_finish finish = rc_stream_finish_parse(text);
    info->kinds |= RC_STREAM_FINISH;
    if (finish >= RC_STREAM_FINISH_TOOL)
        info->kinds |= RC_STREAM_ERROR;
    if (rc_stream_finish_counts(info->finish, finish)) {
        info->finish = finish;
        info->finish_text = text;
    }
}

static void note_choice(walk *w)
{
    uint64_t bit = UINT64_C(1) << w->choice;
    if (w->is_begun || w->is_finished)
        w->found->begun |= bit;
    if (w->is_finished)
        w->found->finished |= bit;
    w->choice = 0;
    w->is_begun = false;
    w->is_finished = false;
}

static void on_content(walk *w, rc_stream_action action, const rc_json_raw_value *v)
{
    rc_stream_walk_result *found = w->found;
    if (!is_filled(v))
        return;
    found->info.kinds |= RC_STREAM_CONTENT;
    found->info.content_bytes += v->raw.len;
    w->is_begun = true;
    const bool is_weighed = action == RC_STREAM_DO_CONTENT;
    uint64_t weight = 0;
    if (is_weighed)
        weight = v->first == '"' ? rc_weight_text(v->raw) : rc_weight_json(v->raw, 0);
    found->usage.weight += weight;
    if (v->first == '"')
        rc_event_recorder_add_content(w->recorder, v->raw, is_weighed ? &weight : NULL);
}

static void on_usage(rc_stream_walk_result *found, rc_str object)
{
    found->has_numbers = true;
    if (rc_usage_read_object(&found->usage, object))
        found->info.kinds |= RC_STREAM_USAGE;
}

static void on_count(rc_stream_walk_result *found, rc_str name, const rc_json_raw_value *v)
{
    found->has_numbers = true;
    if (v->first != '"' && rc_usage_read_number(&found->usage, name, v->raw))
        found->info.kinds |= RC_STREAM_USAGE;
}

static void on_index(walk *w, rc_str raw)
{
    int64_t index;
    if (rc_json_to_i64(raw, &index) == RC_OK && index >= 0)
        w->choice = index < 63 ? (unsigned)index : 63;
}

static void on_value(walk *w, const rc_stream_field *field, const rc_json_raw_value *v)
{
    rc_stream_event_info *info = &w->found->info;
    switch (field->action) {
    case RC_STREAM_DO_WALK:
        break;
    case RC_STREAM_DO_CONTENT:
    case RC_STREAM_DO_MEDIA:
        on_content(w, field->action, v);
        break;
    case RC_STREAM_DO_FINISH:
        if (v->first != '"' || v->raw.len == 0)
            break;
        note_finish(info, v->raw);
        w->is_finished = true;
        break;
    case RC_STREAM_DO_ERROR:
        if (is_filled(v))
            info->kinds |= RC_STREAM_ERROR;
        break;
    case RC_STREAM_DO_IS_ERROR:
        if (v->first == '"' && rc_str_eq(v->raw, RC_STR("error")))
            info->kinds |= RC_STREAM_ERROR;
        break;
    case RC_STREAM_DO_INDEX:
        on_index(w, v->raw);
        break;
    case RC_STREAM_DO_DONE:
        if (v->first == 't')
            info->kinds |= RC_STREAM_TERMINATOR;
        break;
    case RC_STREAM_DO_USAGE:
        on_usage(w->found, v->raw);
        break;
    case RC_STREAM_DO_COUNT:
        on_count(w->found, field->key, v);
        break;
    }
}

/* ---- objects and arrays ---- */

static const rc_stream_field *field_of(const rc_stream_shape *form, rc_str key)
{
    for (size_t i = 0; i < form->count; i++) {
        const rc_stream_field *f = &form->fields[i];
        /* The length and the first letter are compared first, because most keys differ in them. */
        if (f->key.len == key.len && f->key.ptr[0] == key.ptr[0] &&
            memcmp(f->key.ptr, key.ptr, key.len) == 0)
            return f;
    }
    return NULL;
}

/* Walks the array at the current position. Elements that are objects are walked with the shape
 * `form`. */
static bool walk_array(walk *w, const rc_stream_shape *form)
{
    rc_json_walk *json = &w->json;
    rc_json_raw_value unused;
    json->at++;
    if (rc_json_walk_byte(json, ']'))
        return true;
    do {
        bool is_good = rc_json_walk_peek(json) == '{' ? walk_object(w, form)
                                                      : rc_json_walk_value(json, &unused);
        if (!is_good)
            return false;
    } while (rc_json_walk_byte(json, ','));
    return rc_json_walk_byte(json, ']');
}

static bool walk_member(walk *w, const rc_stream_shape *form)
{
    rc_str key;
    if (!rc_json_walk_key(&w->json, &key))
        return false;
    const rc_stream_field *f = field_of(form, key);
    char first = rc_json_walk_peek(&w->json);
    if (f && f->action == RC_STREAM_DO_WALK && first == '{')
        return walk_object(w, &rc_stream_shapes[f->shape]);
    if (f && f->action == RC_STREAM_DO_WALK && first == '[')
        return walk_array(w, &rc_stream_shapes[f->shape]);
    rc_json_raw_value v;
    if (!rc_json_walk_value(&w->json, &v))
        return false;
    if (f)
        on_value(w, f, &v);
    else if (w->recorder->template)
        rc_event_recorder_add_ignored(w->recorder, key, v.first, v.raw);
    return true;
}

static bool walk_object(walk *w, const rc_stream_shape *form)
{
    w->json.at++;
    if (rc_json_walk_byte(&w->json, '}'))
        return true;
    do {
        if (!walk_member(w, form))
            return false;
    } while (rc_json_walk_byte(&w->json, ','));
    if (form->fields[0].action == RC_STREAM_DO_INDEX)
        note_choice(w);
    return rc_json_walk_byte(&w->json, '}');
}

/* ---- the whole event ---- */

static rc_str type_of(rc_str name, rc_str data)
{
    rc_json_member type = {.key = RC_STR("type")};
    rc_json_find(data, &type, 1, true);
    return type.is_found && type.value.type == RC_JSON_STRING ? type.value.raw : name;
}

/* Returns the kind of an event without a type in which nothing was found: PREAMBLE if it has the
 * first member of the root shape (such as an event with only a role or an empty delta), otherwise
 * OTHER. */
static unsigned kinds_of_nothing(rc_str data, const rc_stream_shape *root)
{
    rc_json_member first = {.key = root->fields[0].key};
    rc_json_find(data, &first, 1, true);
    return first.is_found ? RC_STREAM_PREAMBLE : RC_STREAM_OTHER;
}

static bool walk_root(walk *w, const rc_stream_shape *root)
{
    char c = rc_json_walk_peek(&w->json);
    bool is_good = false;
    if (c == '{')
        is_good = walk_object(w, root);
    else if (c == '[')
        is_good = walk_array(w, root);
    note_choice(w);
    return is_good && rc_json_walk_peek(&w->json) == '\0' && w->json.at == w->json.text.len;
}

bool rc_stream_walk(rc_stream_dialect dialect, rc_str name, rc_str data,
                    rc_event_template *template, rc_stream_walk_result *found)
{
    if (template && rc_event_template_matches(template, dialect, name, data, found))
        return true;
    const rc_stream_traits *traits = &rc_stream_dialects[dialect];
    const rc_stream_shape *root = &rc_stream_shapes[traits->root];
    const rc_stream_type *row = NULL;
    if (traits->is_typed)
        row = rc_stream_type_find(dialect, type_of(name, data));
    if (row)
        root = &rc_stream_shapes[row->shape];
    rc_event_recorder recorder;
    rc_event_recorder_begin(&recorder, template, data);
    walk w = {.json = rc_json_walk_begin(data), .found = found, .recorder = &recorder};
    if (!walk_root(&w, root)) {
        *found = rc_stream_walk_result_none();
        return false;
    }
    rc_stream_event_info *info = &found->info;
    if (row)
        info->kinds |= row->kinds;
    else if (info->kinds == 0)
        info->kinds = traits->is_typed ? RC_STREAM_OTHER : kinds_of_nothing(data, root);
    if (info->kinds & RC_STREAM_FINISH && info->finish == RC_STREAM_FINISH_NONE)
        info->finish = RC_STREAM_FINISH_UNKNOWN;
    rc_event_recorder_end(&recorder, dialect, name, found);
    return true;
}

/* Returns the offset of the last occurrence of the key in the tail, after its opening quote;
 * RC_STR_NPOS if the key does not occur. Quotes inside strings are escaped, so a name between
 * unescaped quotes is either a key or a string value with the same text. */
static size_t last_key(rc_str tail, rc_str key)
{
    if (key.len == 0 || tail.len < key.len + 3)
        return RC_STR_NPOS;
    for (size_t i = tail.len - key.len - 1; i >= 2; i--)
        if (tail.ptr[i - 1] == '"' && tail.ptr[i + key.len] == '"' && tail.ptr[i - 2] != '\\' &&
            memcmp(tail.ptr + i, key.ptr, key.len) == 0)
            return i;
    return RC_STR_NPOS;
}

/* Returns the string value of the last occurrence of the key in the tail; empty if there is no such
 * value. *ret_key_at is the offset of the key; it is written only if a value is found. */
static rc_str last_value(rc_str tail, rc_str key, size_t *ret_key_at)
{
    const size_t key_at = last_key(tail, key);
    if (key_at == RC_STR_NPOS)
        return rc_str_make(NULL, 0);
    size_t at = key_at + key.len + 1;
    while (at < tail.len && (tail.ptr[at] == ':' || rc_ascii_is_space(tail.ptr[at])))
        at++;
    size_t end = rc_str_find_byte(tail, '"', at + 1);
    if (end == RC_STR_NPOS || tail.ptr[at] != '"')
        return rc_str_make(NULL, 0);
    *ret_key_at = key_at;
    return rc_str_slice(tail, at + 1, end);
}

rc_str rc_stream_tail_finish(rc_stream_dialect dialect, rc_str tail, size_t *ret_key_at)
{
    return last_value(tail, rc_stream_dialects[dialect].finish, ret_key_at);
}

const rc_stream_type *rc_stream_head_type(rc_stream_dialect dialect, rc_str head)
{
    const size_t at = rc_str_find_byte(head, '{', 0);
    if (!rc_stream_dialects[dialect].is_typed || at == RC_STR_NPOS)
        return NULL;
    const rc_str none = rc_str_make(NULL, 0);
    return rc_stream_type_find(dialect, type_of(none, rc_str_slice(head, at, head.len)));
}

const rc_stream_type *rc_stream_tail_type(rc_stream_dialect dialect, rc_str tail)
{
    if (!rc_stream_dialects[dialect].is_typed)
        return NULL;
    const rc_str end = rc_str_trim(tail);
    size_t key_at = 0;
    const rc_str type = last_value(end, RC_STR("type"), &key_at);
    if (type.len == 0)
        return NULL;
    /* After the type, only the closing bracket of the event may follow. */
    const size_t behind = (size_t)(type.ptr - end.ptr) + type.len + 1;
    const rc_str rest = rc_str_trim(rc_str_slice(end, behind, end.len));
    return rc_str_eq(rest, RC_STR("}")) ? rc_stream_type_find(dialect, type) : NULL;
}

void rc_stream_walk_tail(rc_stream_dialect dialect, rc_str tail, rc_stream_walk_result *found)
{
    size_t key_at;
    rc_str finish = rc_stream_tail_finish(dialect, tail, &key_at);
    if (finish.len == 0)
        return;
    note_finish(&found->info, finish);
    found->finished = 1;
}
