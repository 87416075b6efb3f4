/* Rewrites JSON schemas for a target. Called by the plan and the request writers of lib/dialect. */
#include "dialect/translate/schema.h"

#include "base/str.h"
#include "json/members.h"
#include "json/reader.h"
#include "json/writer.h"

/* Keywords that Google documents for parametersJsonSchema and responseJsonSchema. */
static const char *const gemini_keywords[] = {"$id",         "$defs",       "$ref",
                                              "$anchor",     "type",        "format",
                                              "title",       "enum",        "items",
                                              "prefixItems", "minItems",    "maxItems",
                                              "minimum",     "maximum",     "anyOf",
                                              "oneOf",       "properties",  "additionalProperties",
                                              "required",    "description", "propertyOrdering",
                                              NULL};

/* Keywords that Anthropic accepts in the schema of a response. */
static const char *const messages_keywords[] = {
    "$defs", "definitions", "$ref",       "type",
    "enum",  "const",       "items",      "anyOf",
    "allOf", "format",      "properties", "required",
    "title", "description", "default",    "additionalProperties",
    NULL};

rc_schema_rules rc_schema_rules_of_tool(const rc_tool_decl *tool, rc_dialect target)
{
    rc_schema_rules rules = {.needs_object = true, .is_from_gemini = tool->is_gemini_schema};
    if (target == RC_DIALECT_GEMINI && !tool->is_gemini_schema) {
        rules.keywords = gemini_keywords;
        rules.has_no_const = true;
        rules.has_no_dialect = true;
    }
    return rules;
}

rc_schema_rules rc_schema_rules_of_response(bool is_from_gemini, rc_dialect target)
{
    rc_schema_rules rules = {.is_from_gemini = is_from_gemini};
    if (target == RC_DIALECT_GEMINI && !is_from_gemini) {
        rules.keywords = gemini_keywords;
        rules.has_no_const = true;
        rules.has_no_dialect = true;
    }
    if (target == RC_DIALECT_ANTHROPIC) {
        rules.keywords = messages_keywords;
        rules.closes_objects = true;
        rules.has_no_dialect = true;
    }
    return rules;
}

/* ---- one schema ---- */

typedef struct schema_write {
    rc_json_writer json;
    rc_schema_rules rules;
    bool is_changed;
} schema_write;

typedef enum keyword_kind {
    KEYWORD_DATA,    /* the value is copied */
    KEYWORD_SCHEMA,  /* the value is a schema or a boolean */
    KEYWORD_SCHEMAS, /* the value is a list of schemas */
    KEYWORD_MAP      /* the value is an object whose members are schemas */
} keyword_kind;

static keyword_kind kind_of(rc_str key, char first)
{
    static const struct {
        const char *name;
        keyword_kind kind;
    } rows[] = {{"properties", KEYWORD_MAP},
                {"$defs", KEYWORD_MAP},
                {"definitions", KEYWORD_MAP},
                {"patternProperties", KEYWORD_MAP},
                {"dependentSchemas", KEYWORD_MAP},
                {"anyOf", KEYWORD_SCHEMAS},
                {"oneOf", KEYWORD_SCHEMAS},
                {"allOf", KEYWORD_SCHEMAS},
                {"prefixItems", KEYWORD_SCHEMAS},
                {"items", KEYWORD_SCHEMA},
                {"additionalProperties", KEYWORD_SCHEMA},
                {"not", KEYWORD_SCHEMA},
                {"if", KEYWORD_SCHEMA},
                {"then", KEYWORD_SCHEMA},
                {"else", KEYWORD_SCHEMA},
                {"contains", KEYWORD_SCHEMA},
                {"propertyNames", KEYWORD_SCHEMA}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!rc_json_is_text(key, rc_str_c(rows[i].name)))
            continue;
        if (rows[i].kind == KEYWORD_SCHEMA && first == '[')
            return KEYWORD_SCHEMAS; /* older drafts allow a list as the value of "items" */
        bool fits = rows[i].kind == KEYWORD_SCHEMAS ? first == '[' : first == '{';
        return fits ? rows[i].kind : KEYWORD_DATA;
    }
    return KEYWORD_DATA;
}

static bool is_accepted(const schema_write *w, rc_str key)
{
    const char *const *keyword = w->rules.keywords;
    for (; keyword != NULL && *keyword != NULL; keyword++)
        if (rc_json_is_text(key, rc_str_c(*keyword)))
            return true;
    return keyword == NULL;
}

static void write_schema(schema_write *w, rc_str schema, bool is_top);

static void write_schema_or_value(schema_write *w, const rc_json_raw_value *value)
{
    if (value->first == '{')
        write_schema(w, value->raw, false);
    else
        rc_json_raw(&w->json, rc_json_value_text(value));
}

static void write_list(schema_write *w, rc_str list)
{
    rc_json_members m = rc_json_members_begin(list);
    rc_json_array_begin(&w->json);
    while (rc_json_members_next(&m))
        write_schema_or_value(w, &m.value);
    rc_json_array_end(&w->json);
}

static void write_map(schema_write *w, rc_str map)
{
    rc_json_members m = rc_json_members_begin(map);
    rc_json_object_begin(&w->json);
    while (rc_json_members_next(&m)) {
        rc_json_key_escaped(&w->json, m.key);
        write_schema_or_value(w, &m.value);
    }
    rc_json_object_end(&w->json);
}

/* ---- Gemini's form ---- */

static void push_lower(rc_buf *buf, rc_str raw)
{
    rc_buf_push_byte(buf, '"');
    for (size_t i = 0; i < raw.len; i++)
        rc_buf_push_byte(buf, rc_ascii_lower(raw.ptr[i]));
    rc_buf_push_byte(buf, '"');
}

/* Writes a type of Gemini's form in lower case; a nullable type becomes a list that includes
 * "null". */
static void write_gemini_type(schema_write *w, rc_str schema, rc_str type)
{
    rc_json_raw_value nullable;
    bool is_nullable =
        rc_json_member_find(schema, RC_STR("nullable"), &nullable) && nullable.first == 't';
    rc_json_raw(&w->json, is_nullable ? RC_STR("[") : RC_STR(""));
    push_lower(w->json.buf, type);
    if (is_nullable)
        rc_buf_push(w->json.buf, RC_STR(",\"null\"]"));
}

static bool is_count_keyword(rc_str key)
{
    static const char *const names[] = {"minItems",  "maxItems",      "minLength",
                                        "maxLength", "minProperties", "maxProperties"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (rc_json_is_text(key, rc_str_c(names[i])))
            return true;
    return false;
}

/* Returns whether a text is a whole number as JSON writes it. */
static bool is_count(rc_str raw)
{
    for (size_t i = 0; i < raw.len; i++)
        if (!rc_ascii_is_digit(raw.ptr[i]))
            return false;
    return raw.len == 1 || (raw.len > 1 && raw.len < 20 && raw.ptr[0] != '0');
}

/* Writes a member that only Gemini's form of a schema has. Returns false if the member is not of
 * that kind. */
static bool write_gemini_member(schema_write *w, rc_str schema, const rc_json_members *m)
{
    if (rc_json_is_text(m->key, RC_STR("nullable")))
        return true;
    if (m->value.first != '"')
        return false;
    if (rc_json_is_text(m->key, RC_STR("type"))) {
        rc_json_key_escaped(&w->json, m->key);
        write_gemini_type(w, schema, m->value.raw);
        return true;
    }
    if (!is_count_keyword(m->key) || !is_count(m->value.raw))
        return false;
    rc_json_key_escaped(&w->json, m->key); /* 64-bit numbers are strings in Google's JSON */
    rc_json_raw(&w->json, m->value.raw);
    return true;
}

/* ---- members ---- */

/* Returns whether a keyword is left out and mentioned in the description instead. */
static bool moves(const schema_write *w, rc_str key)
{
    bool is_dialect = w->rules.has_no_dialect && rc_json_is_text(key, RC_STR("$schema"));
    bool is_const = w->rules.has_no_const && rc_json_is_text(key, RC_STR("const"));
    return !is_accepted(w, key) && !is_dialect && !is_const;
}

static bool has_moved(const schema_write *w, rc_str schema)
{
    rc_json_members m = rc_json_members_begin(schema);
    while (rc_json_members_next(&m))
        if (moves(w, m.key))
            return true;
    return false;
}

/* Writes the description with "{keyword: value}" for each keyword that the target does not accept.
 * The values become part of a JSON string, so their quotes and backslashes are escaped. */
static void write_description(schema_write *w, rc_str schema)
{
    rc_buf *buf = w->json.buf;
    rc_str text = rc_json_member_text(schema, RC_STR("description"));
    bool is_first = text.len == 0;
    rc_json_key(&w->json, RC_STR("description"));
    rc_json_raw(&w->json, RC_STR("\""));
    rc_buf_push(buf, text);
    rc_json_members m = rc_json_members_begin(schema);
    while (rc_json_members_next(&m)) {
        if (!moves(w, m.key))
            continue;
        rc_buf_push(buf, is_first ? RC_STR("{") : RC_STR(" {"));
        rc_buf_push(buf, m.key);
        rc_buf_push(buf, RC_STR(": "));
        rc_json_push_escaped(buf, rc_json_value_text(&m.value));
        rc_buf_push_byte(buf, '}');
        is_first = false;
        w->is_changed = true;
    }
    rc_buf_push_byte(buf, '"');
}

/* Returns whether the schema describes an object that may have members which the schema does not
 * name. */
static bool is_open_object(rc_str schema)
{
    rc_json_raw_value value;
    bool is_closed =
        rc_json_member_find(schema, RC_STR("additionalProperties"), &value) && value.first == 'f';
    bool has_properties = rc_json_member_find(schema, RC_STR("properties"), &value);
    bool is_object = rc_json_member_find(schema, RC_STR("type"), &value) &&
                     rc_json_value_is(&value, RC_STR("object"));
    return (is_object || has_properties) && !is_closed;
}

static void write_member(schema_write *w, rc_str schema, const rc_json_members *m, bool closes)
{
    if (w->rules.is_from_gemini && write_gemini_member(w, schema, m))
        return;
    if (w->rules.has_no_const && rc_json_is_text(m->key, RC_STR("const"))) {
        rc_json_key(&w->json, RC_STR("enum"));
        rc_json_array_begin(&w->json);
        rc_json_raw(&w->json, rc_json_value_text(&m->value));
        rc_json_array_end(&w->json);
        return;
    }
    bool is_additional = rc_json_is_text(m->key, RC_STR("additionalProperties"));
    if (!is_accepted(w, m->key) || (closes && is_additional))
        return;
    rc_json_key_escaped(&w->json, m->key);
    switch (kind_of(m->key, m->value.first)) {
    case KEYWORD_SCHEMA:
        write_schema(w, m->value.raw, false);
        break;
    case KEYWORD_SCHEMAS:
        write_list(w, m->value.raw);
        break;
    case KEYWORD_MAP:
        write_map(w, m->value.raw);
        break;
    case KEYWORD_DATA:
        rc_json_raw(&w->json, rc_json_value_text(&m->value));
        break;
    }
}

static void write_schema(schema_write *w, rc_str schema, bool is_top)
{
    rc_json_raw_value type;
    rc_json_members m = rc_json_members_begin(schema);
    bool has_notes = has_moved(w, schema);
    bool closes = w->rules.closes_objects && is_open_object(schema);
    rc_json_object_begin(&w->json);
    if (is_top && w->rules.needs_object && !rc_json_member_find(schema, RC_STR("type"), &type))
        rc_json_member_string(&w->json, RC_STR("type"), RC_STR("object"));
    while (rc_json_members_next(&m))
        if (!has_notes || !rc_json_is_text(m.key, RC_STR("description")))
            write_member(w, schema, &m, closes);
    if (closes) {
        rc_json_member_bool(&w->json, RC_STR("additionalProperties"), false);
        w->is_changed = true;
    }
    if (has_notes)
        write_description(w, schema);
    rc_json_object_end(&w->json);
}

bool rc_schema_write(rc_str schema, rc_schema_rules rules, rc_buf *buf)
{
    schema_write w = {.rules = rules};
    rc_json_writer_init(&w.json, buf, 0);
    if (schema.len == 0)
        rc_buf_push(buf, RC_STR("{\"type\":\"object\",\"properties\":{}}"));
    else
        write_schema(&w, schema, true);
    return w.is_changed;
}

/* ---- questions ---- */

static bool requires_all(rc_str schema, rc_str properties)
{
    rc_json_raw_value required;
    size_t property_count = 0;
    size_t required_count = 0;
    rc_json_members m = rc_json_members_begin(properties);
    while (rc_json_members_next(&m))
        property_count++;
    if (!rc_json_member_find(schema, RC_STR("required"), &required))
        return property_count == 0;
    m = rc_json_members_begin(required.raw);
    while (rc_json_members_next(&m))
        required_count++;
    return required_count == property_count;
}

/* Returns whether the value of the member is strict: no schema, or only schemas that are strict. */
static bool is_member_strict(const rc_json_members *member)
{
    rc_json_members m = rc_json_members_begin(member->value.raw);
    switch (kind_of(member->key, member->value.first)) {
    case KEYWORD_SCHEMA:
        return rc_schema_is_strict(member->value.raw);
    case KEYWORD_SCHEMAS:
    case KEYWORD_MAP:
        while (rc_json_members_next(&m))
            if (m.value.first == '{' && !rc_schema_is_strict(m.value.raw))
                return false;
        return true;
    case KEYWORD_DATA:
        break;
    }
    return true;
}

bool rc_schema_is_strict(rc_str schema)
{
    rc_json_raw_value properties;
    bool has_properties = rc_json_member_find(schema, RC_STR("properties"), &properties);
    if (is_open_object(schema) || (has_properties && !requires_all(schema, properties.raw)))
        return false;
    rc_json_members m = rc_json_members_begin(schema);
    while (rc_json_members_next(&m))
        if (!is_member_strict(&m))
            return false;
    return true;
}

bool rc_schema_is_object(rc_str text)
{
    rc_json_reader reader;
    rc_json_limits limits = {.max_bytes = SIZE_MAX, .max_depth = RC_JSON_DEPTH_MAX};
    rc_json_reader_init(&reader, text, &limits);
    rc_json_token token = rc_json_reader_next(&reader);
    bool is_object = token.type == RC_JSON_OBJECT_BEGIN;
    while (is_object && token.type != RC_JSON_END && token.type != RC_JSON_ERROR)
        token = rc_json_reader_next(&reader);
    return is_object && token.type == RC_JSON_END;
}
