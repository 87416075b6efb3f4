/* Usage: reads the provider's token counts and combines them. Called by the stream watch, the usage
 * scan and lib/exchange/response_judge.c. */
#include "dialect/usage.h"

#include "base/str.h"
#include "dialect/usage_weight.h"
#include "json/find.h"
#include "json/walk.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Maximum nesting depth of a usage object and the objects inside it. */
#define DEPTH_MAX 4

/* The role of a member whose value is an object with further counts. */
#define RC_USAGE_DETAILS RC_USAGE_NUMBER_COUNT

typedef struct member_row {
    rc_str name;
    unsigned number; /* an rc_usage_number, or RC_USAGE_DETAILS */
} member_row;

static const member_row MEMBERS[] = {
#define RC_USAGE_MEMBER(name, WHAT) {RC_STR_INIT(name), RC_USAGE_##WHAT},
#include "spec/usage.def"
};

/* The top-level members of a response that are read: the members that spec/usage.def lists as
 * locations of usage, and "data", which may be a list of images or vectors. */
#define LOCATION_COUNT (sizeof LOCATIONS)
#define AT_DATA LOCATION_COUNT
#define TOP_COUNT (LOCATION_COUNT + 1)
#define TOP_MAX (TOP_COUNT + RC_USAGE_MORE_MAX)

static const uint8_t LOCATIONS[] = {
#define RC_USAGE_LOCATION(name, WHAT) RC_USAGE_LOCATION_##WHAT,
#include "spec/usage.def"
};

static const rc_str TOP_KEYS[TOP_COUNT] = {
#define RC_USAGE_LOCATION(name, WHAT) RC_STR_INIT(name),
#include "spec/usage.def"
    RC_STR_INIT("data"),
};

static const uint8_t TOP_HASHES[RC_JSON_KEY_HASHES_LEN(TOP_MAX)] = {
#define RC_USAGE_LOCATION(name, WHAT) RC_JSON_KEY_HASH(name),
#include "spec/usage.def"
    RC_JSON_KEY_HASH("data"),
};

static const uint64_t TOP_SET = RC_JSON_KEY_BIT("data")
#define RC_USAGE_LOCATION(name, WHAT) | RC_JSON_KEY_BIT(name)
#include "spec/usage.def"
    ;

rc_usage_location rc_usage_location_of(rc_str name)
{
    for (size_t i = 0; i < LOCATION_COUNT; i++)
        if (rc_str_eq(TOP_KEYS[i], name))
            return (rc_usage_location)LOCATIONS[i];
    return RC_USAGE_LOCATION_NONE;
}

void rc_usage_init(rc_usage *usage)
{
    *usage = (rc_usage){.images = -1};
    for (unsigned i = 0; i < RC_USAGE_NUMBER_COUNT; i++)
        usage->numbers[i] = -1;
}

/* --- numbers --- */

/* Converts a count of tokens: "12", or "12.0" as some servers write it. Returns -1 for any other
 * text. */
static int64_t tokens_of(rc_str number)
{
    int64_t value;
    if (rc_json_to_i64(number, &value) == RC_OK)
        return value <= RC_USAGE_MAX ? value : -1;
    size_t point = rc_str_find_byte(number, '.', 0);
    if (point + 1 == number.len)
        return -1;
    for (size_t i = point; i < number.len; i++)
        if (i > point && number.ptr[i] != '0')
            return -1;
    if (rc_json_to_i64(rc_str_slice(number, 0, point), &value) != RC_OK)
        return -1;
    return value <= RC_USAGE_MAX ? value : -1;
}

/* Converts a number to thousandths or millionths (`parts` is 1e3 or 1e6), rounded to the nearest;
 * returns -1 if the number is out of range. */
static int64_t parts_of(rc_str number, double parts)
{
    double value;
    if (rc_json_to_double(number, &value) != RC_OK || !(value >= 0))
        return -1;
    double scaled = value * parts + 0.5;
    return scaled < (double)RC_USAGE_MAX * 1000 ? (int64_t)scaled : -1;
}

static int64_t value_of(unsigned which, rc_str number)
{
    if (which == RC_USAGE_SECONDS)
        return parts_of(number, 1e3);
    if (which == RC_USAGE_DOLLARS)
        return parts_of(number, 1e6);
    return tokens_of(number);
}

/* Sets the number to a later value. A value of 0 does not replace an earlier count. */
static void note(int64_t *number, int64_t value)
{
    if (value > 0 || (value == 0 && *number < 0))
        *number = value;
}

/* A hash of the first letter, the last letter and the length of a name, which selects the only
 * likely row of the table. The compiler turns the comparisons of likely_member into one jump table.
 * If a different name has the same hash, all rows are searched. */
#define KEY(first, last, len)                                                 \
    (((unsigned)(unsigned char)(first)*3u + (unsigned)(unsigned char)(last) + \
      (unsigned)(len)*14u) &                                                  \
     511u)

static inline size_t likely_member(unsigned key)
{
    size_t row = 0;
#define RC_USAGE_MEMBER(name, WHAT)                                        \
    if (key == KEY((name)[0], (name)[sizeof(name) - 2], sizeof(name) - 1)) \
        return row;                                                        \
    row++;
#include "spec/usage.def"
    return row;
}

static const member_row *search_all(rc_str name)
{
    for (size_t i = 0; i < COUNT(MEMBERS); i++)
        if (rc_str_eq(MEMBERS[i].name, name))
            return &MEMBERS[i];
    return NULL;
}

static const member_row *member_of(rc_str name)
{
    if (name.len == 0)
        return NULL;
    size_t row = likely_member(KEY(name.ptr[0], name.ptr[name.len - 1], name.len));
    if (row == COUNT(MEMBERS))
        return NULL;
    const rc_str likely = MEMBERS[row].name;
    return name.len == likely.len && rc_bytes_eq(name.ptr, likely.ptr, name.len) ? &MEMBERS[row]
                                                                                 : search_all(name);
}

bool rc_usage_read_number(rc_usage *usage, rc_str name, rc_str number)
{
    const member_row *row = member_of(name);
    int64_t value = row && row->number != RC_USAGE_DETAILS ? value_of(row->number, number) : -1;
    if (value < 0)
        return false;
    note(&usage->numbers[row->number], value);
    return true;
}

/* --- objects --- */

/* Reads a number in its most common form: up to nine digits before a comma or a bracket. */
static inline bool read_digits(rc_json_walk *json, int64_t *ret_value)
{
    const rc_str text = json->text;
    const size_t from = json->at;
    size_t at = from;
    int64_t value = 0;
    for (; at < text.len && at - from < 9 && rc_ascii_is_digit(text.ptr[at]); at++)
        value = value * 10 + (text.ptr[at] - '0');
    if (at == from || at == text.len || (text.ptr[at] != ',' && text.ptr[at] != '}') ||
        (text.ptr[from] == '0' && at - from > 1))
        return false;
    json->at = at;
    *ret_value = value;
    return true;
}

/* Records the value of a member. A value of -1 means that the member is not a valid number. */
static inline void note_member(rc_usage *usage, unsigned which, int64_t value)
{
    if (value < 0 && which == RC_USAGE_OUTPUT)
        usage->is_output_bad = true;
    note(&usage->numbers[which], value);
}

static bool is_whole_number(unsigned which)
{
    return which != RC_USAGE_SECONDS && which != RC_USAGE_DOLLARS && which != RC_USAGE_DETAILS;
}

/* Reads the members of the object at the current position. */
static bool read_members(rc_usage *usage, rc_json_walk *json, unsigned depth)
{
    if (depth == DEPTH_MAX || !rc_json_walk_byte(json, '{'))
        return false;
    if (rc_json_walk_byte(json, '}'))
        return true;
    do {
        rc_str name;
        rc_json_raw_value value;
        int64_t digits;
        if (!rc_json_walk_key(json, &name))
            return false;
        const member_row *row = member_of(name);
        if ((!row || is_whole_number(row->number)) && read_digits(json, &digits)) {
            if (row)
                note_member(usage, row->number, digits <= RC_USAGE_MAX ? digits : -1);
            continue;
        }
        if (row && row->number == RC_USAGE_DETAILS && rc_json_walk_peek(json) == '{') {
            if (!read_members(usage, json, depth + 1))
                return false;
            continue;
        }
        if (!rc_json_walk_value(json, &value))
            return false;
        if (row && row->number != RC_USAGE_DETAILS)
            note_member(usage, row->number,
                        value.first != '"' ? value_of(row->number, value.raw) : -1);
    } while (rc_json_walk_byte(json, ','));
    return rc_json_walk_byte(json, '}');
}

/* A usage object is read completely or not at all, because a truncated object may end inside a
 * number. */
bool rc_usage_read_object(rc_usage *usage, rc_str text)
{
    rc_json_walk json = rc_json_walk_begin(text);
    rc_usage found;
    rc_usage_init(&found);
    if (text.len > RC_USAGE_OBJECT_MAX_BYTES || !read_members(&found, &json, 0) ||
        rc_json_walk_peek(&json) != '\0' || json.at != text.len)
        return false;
    rc_usage_add(usage, &found);
    return rc_usage_has_tokens(&found) || found.numbers[RC_USAGE_SECONDS] >= 0;
}

void rc_usage_add(rc_usage *usage, const rc_usage *part)
{
    for (unsigned i = 0; i < RC_USAGE_NUMBER_COUNT; i++)
        note(&usage->numbers[i], part->numbers[i]);
    note(&usage->images, part->images);
    usage->weight += part->weight;
    usage->is_final = usage->is_final || part->is_final;
    usage->is_output_bad = usage->is_output_bad || part->is_output_bad;
}

bool rc_usage_has_tokens(const rc_usage *usage)
{
    return usage->numbers[RC_USAGE_INPUT] >= 0 || usage->numbers[RC_USAGE_PLAIN_INPUT] >= 0 ||
           usage->numbers[RC_USAGE_OUTPUT] >= 0;
}

/* --- responses --- */

/* Returns whether an element of "data" is a generated image: it contains the image or the URL of
 * the image. */
static bool is_image(rc_str element)
{
    rc_json_member members[] = {{.key = RC_STR("b64_json")}, {.key = RC_STR("url")}};
    rc_json_find(element, members, COUNT(members), false);
    return members[0].is_found || members[1].is_found;
}

static void count_images(rc_usage *usage, rc_str list)
{
    const rc_json_scan *scan = rc_json_scan_best();
    int64_t count = 0;
    size_t at = rc_str_find_byte(list, '{', 0);
    while (at != RC_STR_NPOS) {
        size_t end = scan->container_end(list, at + 1);
        if (end == RC_JSON_SCAN_NONE || !is_image(rc_str_slice(list, at, end)))
            break;
        count++;
        at = rc_str_find_byte(list, '{', end);
    }
    if (count > 0)
        usage->images = count;
}

/* Returns whether "data" is a list of embeddings, in any encoding. Embeddings have no output text.
 */
static bool is_embedding(rc_str list)
{
    rc_json_member member = {.key = RC_STR("embedding")};
    size_t at = rc_str_find_byte(list, '{', 0);
    if (at == RC_STR_NPOS)
        return false;
    (void)rc_json_find(rc_str_slice(list, at, list.len), &member, 1, true);
    return member.is_found;
}

/* The top-level members that were found. */
typedef struct top {
    rc_str text;
    uint32_t found; /* one bit per member that was found */
    rc_json_value values[TOP_MAX];
} top;

/* Finds the top-level members that may contain usage, and in the same scan the members in
 * `more`. */
static rc_status find_top(top *t, rc_str text, rc_json_member *more, size_t count)
{
    rc_str keys[TOP_MAX];
    uint8_t hashes[sizeof TOP_HASHES];
    rc_json_names names = {keys, hashes, TOP_COUNT + count, TOP_SET};
    memcpy(keys, TOP_KEYS, sizeof TOP_KEYS);
    memcpy(hashes, TOP_HASHES, sizeof TOP_HASHES);
    for (size_t i = 0; i < count; i++) {
        keys[TOP_COUNT + i] = more[i].key;
        hashes[TOP_COUNT + i] = rc_json_key_hash(more[i].key);
        names.set |= rc_json_hash_bit(hashes[TOP_COUNT + i]);
    }
    t->text = text;
    const rc_status status = rc_json_find_names(text, &names, false, t->values, &t->found);
    for (size_t i = 0; i < count; i++) {
        more[i].is_found = t->found >> (TOP_COUNT + i) & 1;
        if (!more[i].is_found)
            continue;
        more[i].value = t->values[TOP_COUNT + i].first;
        more[i].value_end = t->values[TOP_COUNT + i].end;
    }
    return status;
}

static rc_str text_at(const top *t, unsigned at)
{
    return rc_str_slice(t->text, t->values[at].first.offset, t->values[at].end);
}

static bool has_data(const top *t)
{
    return t->found >> AT_DATA & 1;
}

static bool read_inside(rc_usage *usage, rc_str text);

static bool read_location(rc_usage *usage, const top *t, unsigned at, bool is_top)
{
    const rc_str value = text_at(t, at);
    switch ((rc_usage_location)LOCATIONS[at]) {
    case RC_USAGE_LOCATION_USAGE:
        return rc_usage_read_object(usage, value);
    case RC_USAGE_LOCATION_INSIDE:
        return is_top && read_inside(usage, value);
    case RC_USAGE_LOCATION_NUMBERS:
    case RC_USAGE_LOCATION_NONE:
        break;
    }
    return t->values[at].first.type == RC_JSON_NUMBER &&
           rc_usage_read_number(usage, TOP_KEYS[at], value);
}

/* Reads the usage at all locations. `is_top`: objects that may contain a usage object are also
 * read. */
static bool read_locations(rc_usage *usage, const top *t, bool is_top)
{
    const uint32_t locations = (UINT32_C(1) << LOCATION_COUNT) - 1;
    bool is_read = false;
    for (uint32_t bits = t->found & locations; bits; bits &= bits - 1)
        is_read |= read_location(usage, t, (unsigned)__builtin_ctz(bits), is_top);
    if (is_top && has_data(t) && t->values[AT_DATA].first.type == RC_JSON_ARRAY_BEGIN)
        count_images(usage, text_at(t, AT_DATA));
    return is_read;
}

static bool read_inside(rc_usage *usage, rc_str text)
{
    top t;
    (void)find_top(&t, text, NULL, 0);
    return read_locations(usage, &t, false);
}

bool rc_usage_lacks_output(const rc_usage *usage)
{
    if (usage->numbers[RC_USAGE_OUTPUT] >= 0 || usage->numbers[RC_USAGE_SECONDS] >= 0 ||
        !rc_usage_has_tokens(usage))
        return false;
    const rc_usage_count reported = rc_usage_reported(usage);
    const bool is_none = reported.input >= 0 && usage->numbers[RC_USAGE_TOTAL] == reported.input;
    return reported.output < 0 && (!is_none || usage->is_output_bad);
}

/* The top-level members that contain the text of a whole response, in all dialects. */
static const rc_str TEXT_MEMBERS[] = {
    RC_STR_INIT("choices"), RC_STR_INIT("content"), RC_STR_INIT("candidates"),
    RC_STR_INIT("output"),  RC_STR_INIT("message"), RC_STR_INIT("response"),
    RC_STR_INIT("text"),
};

static uint64_t weigh_response(rc_str body)
{
    rc_json_member members[COUNT(TEXT_MEMBERS)];
    uint64_t weight = 0;
    for (size_t i = 0; i < COUNT(TEXT_MEMBERS); i++)
        members[i] = (rc_json_member){.key = TEXT_MEMBERS[i]};
    (void)rc_json_find(body, members, COUNT(TEXT_MEMBERS), false);
    for (size_t i = 0; i < COUNT(TEXT_MEMBERS); i++) {
        const rc_str value = rc_str_slice(body, members[i].value.offset, members[i].value_end);
        if (members[i].is_found &&
            (members[i].value.type == RC_JSON_STRING || rc_weight_has_content(value)))
            weight += rc_weight_json(value, 0);
    }
    return weight;
}

bool rc_usage_is_text_member(rc_str name)
{
    for (size_t i = 0; i < COUNT(TEXT_MEMBERS); i++)
        if (rc_str_eq(TEXT_MEMBERS[i], name))
            return true;
    return false;
}

bool rc_usage_has_no_output(const rc_usage *usage)
{
    if (usage->numbers[RC_USAGE_OUTPUT] > 0)
        return false; /* The common case, without the sums of rc_usage_reported. */
    const rc_usage_count reported = rc_usage_reported(usage);
    return reported.output == 0 || (reported.output < 0 && reported.input >= 0 &&
                                    usage->numbers[RC_USAGE_TOTAL] == reported.input);
}

static bool read_top(rc_usage *usage, const top *t)
{
    bool is_read = read_locations(usage, t, true);
    if (is_read)
        usage->is_final = true;
    const bool is_vector = has_data(t) && is_embedding(text_at(t, AT_DATA));
    if (!is_read || (rc_usage_lacks_output(usage) && !is_vector))
        usage->weight += rc_weight_json(t->text, 0);
    else if (rc_usage_has_no_output(usage))
        usage->weight += weigh_response(t->text);
    return is_read;
}

bool rc_usage_read(rc_usage *usage, rc_str body)
{
    top t;
    (void)find_top(&t, body, NULL, 0);
    return read_top(usage, &t);
}

rc_status rc_usage_read_checked(rc_usage *usage, rc_str body, rc_json_member *more, size_t count)
{
    top t;
    rc_status status = find_top(&t, body, more, count);
    if (status == RC_OK || status == RC_E_TYPE)
        (void)read_top(usage, &t);
    return status;
}

/* Reads the usage object after the key that ends at `at`. Returns false if no object follows the
 * key, or if the object is truncated. */
static bool read_behind_key(rc_usage *usage, rc_str tail, size_t at)
{
    while (at < tail.len && (rc_ascii_is_space(tail.ptr[at]) || tail.ptr[at] == ':'))
        at++;
    if (at >= tail.len || tail.ptr[at] != '{')
        return false;
    size_t end = rc_json_scan_best()->container_end(tail, at + 1);
    return end != RC_JSON_SCAN_NONE && rc_usage_read_object(usage, rc_str_slice(tail, at, end));
}

/* Returns whether the text at `at` is a key. Quotes inside strings are escaped, so a name between
 * unescaped quotes is either a key or a string value with the same text. */
static bool is_key_at(rc_str tail, size_t at, rc_str key)
{
    return at > 1 && tail.ptr[at - 1] == '"' && tail.ptr[at - 2] != '\\' &&
           at + key.len < tail.len && tail.ptr[at + key.len] == '"';
}

bool rc_usage_read_tail(rc_usage *usage, rc_str tail)
{
    bool is_read = false;
    for (size_t i = 0; i < LOCATION_COUNT; i++) {
        rc_str key = TOP_KEYS[i];
        if (LOCATIONS[i] != RC_USAGE_LOCATION_USAGE)
            continue;
        for (size_t at = 0; (at = rc_str_find(tail, key, at)) != RC_STR_NPOS; at += key.len)
            if (is_key_at(tail, at, key))
                is_read |= read_behind_key(usage, tail, at + key.len + 1);
    }
    usage->is_final = usage->is_final || is_read;
    return is_read;
}

/* --- combined counts --- */

/* Adds two numbers, each of which may be absent (-1). */
static int64_t sum(int64_t a, int64_t b)
{
    return a < 0 ? b : b < 0 ? a : a + b;
}

static int64_t at_most(int64_t value, int64_t most)
{
    return value > most ? (most < 0 ? 0 : most) : value;
}

/* Adds the output tokens that only the reported total includes: xAI does not count reasoning in the
 * output, although the member has the usual name, and Gemini's OpenAI-compatible API does not
 * report reasoning. */
static void add_unshown(rc_usage_count *count, int64_t total)
{
    if (count->input < 0 || count->output < 0)
        return;
    int64_t unshown = total - count->input - count->output;
    if (unshown <= 0 || (count->reasoning >= 0 && unshown != count->reasoning))
        return;
    count->output += unshown;
    count->reasoning = unshown;
}

rc_usage_count rc_usage_reported(const rc_usage *usage)
{
    const int64_t *n = usage->numbers;
    const bool is_plain = n[RC_USAGE_INPUT] < 0;
    rc_usage_count count = {
        .input = is_plain ? n[RC_USAGE_PLAIN_INPUT] : n[RC_USAGE_INPUT],
        .output = sum(n[RC_USAGE_OUTPUT], n[RC_USAGE_REASONING_APART]),
        .cached = n[RC_USAGE_CACHED] >= 0 ? n[RC_USAGE_CACHED] : n[RC_USAGE_CACHED_APART],
        .written = n[RC_USAGE_WRITTEN_APART],
        .reasoning =
            n[RC_USAGE_REASONING_APART] >= 0 ? n[RC_USAGE_REASONING_APART] : n[RC_USAGE_REASONING],
        .written_1h = n[RC_USAGE_WRITTEN_HOUR],
        .audio_ms = n[RC_USAGE_SECONDS],
        .images = usage->images,
        .cost_micros = n[RC_USAGE_DOLLARS],
    };
    if (is_plain)
        count.input = sum(count.input, sum(n[RC_USAGE_CACHED_APART], n[RC_USAGE_WRITTEN_APART]));
    count.input = sum(count.input, n[RC_USAGE_TOOLS]);
    /* If no output is reported, the output is the total minus the input. */
    if (count.output < 0 && count.input >= 0 && n[RC_USAGE_TOTAL] > count.input)
        count.output = n[RC_USAGE_TOTAL] - count.input;
    add_unshown(&count, n[RC_USAGE_TOTAL]);
    count.cached = at_most(count.cached, count.input);
    count.written = at_most(count.written, count.input - (count.cached > 0 ? count.cached : 0));
    count.written_1h = at_most(count.written_1h, count.written);
    count.reasoning = at_most(count.reasoning, count.output);
    return count;
}
