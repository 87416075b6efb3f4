/* JSON schemas in the subset that a target accepts.
 *
 *   {"type":"string","minLength":3}  ──►  {"type":"string","description":"{minLength: 3}"}
 *
 * A keyword that the target does not accept is left out and mentioned in the description of the
 * same object, so that the model still reads it. Data (enum, const, default, examples) and the
 * names of properties are copied. */
#ifndef RC_DIALECT_TRANSLATE_SCHEMA_H
#define RC_DIALECT_TRANSLATE_SCHEMA_H

#include "dialect/translate/conversation.h"

/* The changes that are made to a schema; if all members are false or NULL, the schema is copied. */
typedef struct rc_schema_rules {
    const char *const *keywords; /* the keywords that the target accepts; NULL: all keywords */
    bool needs_object;           /* a schema without a type gets "type":"object" at its top level */
    bool closes_objects;         /* each object gets "additionalProperties":false */
    bool has_no_const;           /* "const" is written as "enum" with one value */
    bool has_no_dialect;         /* $schema is left out, which does not count as a loss */
    bool is_from_gemini;         /* from Gemini's form: types become lower case, "nullable" becomes
                                    a type, and counts in strings become numbers */
} rc_schema_rules;

rc_schema_rules rc_schema_rules_of_tool(const rc_tool_decl *tool, rc_dialect target);
rc_schema_rules rc_schema_rules_of_response(bool is_from_gemini, rc_dialect target);

/* Appends the schema by the rules. schema: valid JSON; an empty text is an object without
 * properties. Returns whether the schema was changed in its meaning: a keyword was moved into the
 * description, or an object was closed. */
bool rc_schema_write(rc_str schema, rc_schema_rules rules, rc_buf *buf);

/* Returns whether OpenAI accepts the schema as strict: every object is closed and requires all of
 * its properties. */
bool rc_schema_is_strict(rc_str schema);

/* Returns whether the text is one valid JSON object. */
bool rc_schema_is_object(rc_str text);

#endif
