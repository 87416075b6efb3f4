/* gen_policy ROOT: writes the files below ROOT that are derived from spec/reasons.def,
 * spec/connection.def and spec/events.def. Run by tools/generate.sh.
 *
 *   include/recourse/reasons.h       the enum of the reasons
 *   include/recourse/connections.h   the enum of connection faults
 *   include/recourse/event_types.h   the enum of the events, a struct for each, their union
 *   docs/connections.md              connection faults with their advice
 *   docs/reasons.md                  the reasons by the steps of the decision order
 *   docs/events.md                   the events and their fields
 *
 * A host program, like gen_errors: it needs only the C library and the tables. */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "gen_file.h"

#define GENERATED "Generated from spec/%s.def by `make generate`. Do not edit."
#define COLUMNS 100

/* Writes a line of C with its comment: the comment follows the code if both fit on a line,
 * otherwise it is above. */
static void put_line(FILE *out, const char *code, const char *comment)
{
    const size_t around = strlen("     /*  */");
    if (around + strlen(code) + strlen(comment) <= COLUMNS)
        fprintf(out, "    %s /* %s */\n", code, comment);
    else
        fprintf(out, "    /* %s */\n    %s\n", comment, code);
}

static void put_value(FILE *out, const char *prefix, const char *id, int number,
                      const char *comment)
{
    char code[COLUMNS];
    snprintf(code, sizeof code, "%s_%s = %d,", prefix, id, number);
    put_line(out, code, comment);
}

static void begin_header(FILE *out, const char *table, const char *guard)
{
    fprintf(out, "/* " GENERATED " */\n#ifndef RECOURSE_%s_H\n#define RECOURSE_%s_H\n\n", table,
            guard, guard);
}

static void begin_page(FILE *out, const char *table, const char *title)
{
    fprintf(out, "<!-- " GENERATED " -->\n\n# %s\n\n", table, title);
}

/* ---- include/recourse/reasons.h ---- */

static void write_reasons(FILE *out)
{
    begin_header(out, "reasons", "REASONS");
    fputs("/* clang-format off */\n"
          "\n"
          "/* The numbers are part of the ABI. */\n"
          "typedef enum rc_reason {\n",
          out);
    put_value(out, "RC_WHY", "NONE", 0, "absent");
#define RC_REASON(number, ID, name, step, text) put_value(out, "RC_WHY", #ID, number, text);
#include "spec/reasons.def"
    fputs("} rc_reason;\n\n/* clang-format on */\n\n#endif\n", out);
}

/* ---- include/recourse/connections.h ---- */

static void write_connections(FILE *out)
{
    begin_header(out, "connection", "CONNECTIONS");
    fputs("/* clang-format off */\n"
          "\n"
          "/* Why a connection failed. The numbers are part of the ABI. */\n"
          "typedef enum rc_connection_fault {\n",
          out);
    put_value(out, "RC_CONNECTION", "NONE", 0, "no connection failed, or the cause is not known");
#define RC_CONNECTION(number, ID, name, TRANSPORT, STAYS, ACTION, advice, text, message, dated, \
                      limit)                                                                    \
    put_value(out, "RC_CONNECTION", #ID, number, text);
#include "spec/connection.def"
    fputs("} rc_connection_fault;\n\n/* clang-format on */\n\n#endif\n", out);
}

/* ---- docs/connections.md ---- */

static void put_connection(FILE *out, const char *name, bool is_last, const char *message,
                           const char *text, const char *advice, const char *limit)
{
    const bool is_made = message[0] == '\0';
    const char *quote = limit[0] != '\0' ? "`" : "";
    fprintf(out, "| `%s` | %s | %s | %s | %s%s%s |\n", name, is_made ? text : message,
            is_last ? "no" : "yes", is_made ? "" : advice, quote, limit, quote);
}

static void write_connections_page(FILE *out)
{
    begin_page(out, "connection", "Faults of connections");
    fputs(
        "This page lists the faults of connections between a gateway and a provider's host. The "
        "code of such a failure is\n"
        "ConnectionFailed, ConnectionReset or NetworkTimeout. The `rule` and the `message` of its "
        "report name the fault; `detail`\n"
        "has the system's error message and, for a fault of a certificate, the certificate's "
        "names. A rule can test a fault as\n"
        "the fact `connection:NAME`.\n\n"
        "The column *retried* says whether a policy may retry the request at the same target. A "
        "fault that waiting does not\n"
        "remove is not retried there. The next target of a chain is used in both cases.\n\n"
        "For a fault with a time limit, the message states the length and the name of the limit, "
        "as in \"within 30s\n"
        "(timeouts.idle_ms)\" instead of \"in time\". Three codes replace the code of the fault: "
        "StreamInterrupted if content was\n"
        "already received, OutcomeUnknown if the request must not be sent twice, and "
        "DeadlineExceeded if the deadline of the call\n"
        "has passed. The messages of these codes contain the message of the fault.\n\n"
        "| name | message | retried | what to do | time limit |\n"
        "|---|---|---|---|---|\n",
        out);
#define RC_CONNECTION(number, ID, name, TRANSPORT, STAYS, ACTION, advice, text, message, dated,    \
                      limit)                                                                       \
    put_connection(out, name, STAYS || strcmp(#ACTION, "RAISE_LIMIT") == 0, message, text, advice, \
                   limit);
#include "spec/connection.def"
}

/* ---- docs/reasons.md ---- */

static void put_step(FILE *out, int wanted, const char *question)
{
    if (wanted == 0)
        fprintf(out, "\n## %s\n", question);
    else
        fprintf(out, "\n## %d. %s\n", wanted, question);
    fputs("\n| reason | meaning |\n|---|---|\n", out);
#define RC_REASON(number, ID, name, step, text) \
    if (wanted == (step))                       \
        fprintf(out, "| `%s` | %s |\n", name, text);
#include "spec/reasons.def"
}

static void write_reasons_page(FILE *out)
{
    begin_page(out, "reasons", "Reasons");
    fputs("Each decision about a failed call has a reason, whose name appears in the audit, in "
          "the attempts of a report and in the\n"
          "output of the commands. `rc_call` takes the steps below in this order. The first step "
          "that leads to a decision gives its\n"
          "reason.\n",
          out);
#define RC_REASON_STEP(step, text) \
    if ((step) != 0)               \
        put_step(out, step, text);
#include "spec/reasons.def"
#define RC_REASON_STEP(step, text) \
    if ((step) == 0)               \
        put_step(out, step, text);
#include "spec/reasons.def"
}

/* ---- events ---- */

/* One event, or one field of an event (which has a kind). */
struct row {
    int number;
    const char *id;
    const char *member;
    const char *kind;
    const char *name;
    const char *presence;
    const char *text;
};

static const struct row rows[] = {
#define RC_EVENT(number, ID, EVENT, name, text) {number, #ID, #EVENT, NULL, name, NULL, text},
#define RC_EVENT_FIELD(ID, EVENT, member, KIND, key, presence, text) \
    {0, #ID, #member, #KIND, key, #presence, text},
#include "spec/events.def"
};
#define ROW_COUNT (sizeof rows / sizeof rows[0])

/* C type and JSON type of each kind of field. */
static const struct kind {
    const char *name;
    const char *type; /* C type, including the space or asterisk before the member. */
    const char *json;
} kinds[] = {
    {"NAME", "rc_str ", "string"},
    {"TEXT", "rc_str ", "string"},
    {"COUNT", "uint64_t ", "number"},
    {"FLAG", "bool ", "boolean"},
    {"MONEY", "uint64_t ", "number"},
    {"CODE", "rc_run_event ", "string"},
    {"REPORT", "const rc_report *", "object"},
};

/* Returns the last kind for an unknown name; event.c then does not compile. */
static const struct kind *kind_of(const struct row *row)
{
    const struct kind *kind = kinds;
    while (kind < kinds + sizeof kinds / sizeof kinds[0] - 1 && strcmp(kind->name, row->kind) != 0)
        kind++;
    return kind;
}

static void put_struct(FILE *out, const struct row *event)
{
    fprintf(out, "\n/* %s: %s. */\ntypedef struct rc_event_%s {\n", event->name, event->text,
            event->member);
    for (const struct row *row = event + 1; row < rows + ROW_COUNT && row->kind != NULL; row++) {
        char code[COLUMNS];
        snprintf(code, sizeof code, "%s%s;", kind_of(row)->type, row->member);
        put_line(out, code, row->text);
    }
    fprintf(out, "} rc_event_%s;\n", event->member);
}

static void write_event_types(FILE *out)
{
    begin_header(out, "events", "EVENT_TYPES");
    fputs("#include <stdbool.h>\n"
          "#include <stdint.h>\n"
          "\n"
          "#include <recourse/codes.h>\n"
          "#include <recourse/report.h>\n"
          "#include <recourse/str.h>\n"
          "\n"
          "/* clang-format off */\n"
          "\n"
          "/* The numbers are part of the ABI. */\n"
          "typedef enum rc_event_type {\n",
          out);
    put_value(out, "RC_EVENT_TYPE", "NONE", 0, "absent");
    for (size_t i = 0; i < ROW_COUNT; i++)
        if (rows[i].kind == NULL)
            put_value(out, "RC_EVENT_TYPE", rows[i].id, rows[i].number, rows[i].text);
    fputs("} rc_event_type;\n", out);
    for (size_t i = 0; i < ROW_COUNT; i++)
        if (rows[i].kind == NULL)
            put_struct(out, &rows[i]);
    fputs("\n/* The fields of an event, by its type. Strings and reports are borrowed. */\n"
          "typedef union rc_event_fields {\n",
          out);
    for (size_t i = 0; i < ROW_COUNT; i++)
        if (rows[i].kind == NULL)
            fprintf(out, "    rc_event_%s %s;\n", rows[i].member, rows[i].member);
    fputs("} rc_event_fields;\n\n/* clang-format on */\n\n#endif\n", out);
}

/* ---- docs/events.md ---- */

static void put_event_table(FILE *out, const struct row *event)
{
    fprintf(out,
            "\n## %s\n\nThis event is sent when %s.\n\n| field | JSON | meaning |\n|---|---|---|\n",
            event->name, event->text);
    for (const struct row *row = event + 1; row < rows + ROW_COUNT && row->kind != NULL; row++)
        fprintf(out, "| `%s` | %s%s | %s |\n", row->name, kind_of(row)->json,
                strcmp(row->presence, "MAYBE") == 0 ? ", may be absent" : "", row->text);
}

static void write_events_page(FILE *out)
{
    begin_page(out, "events", "Events");
    fputs(
        "An event is one line of JSON. In addition to the fields below, every event has `type`, "
        "`seq` (the number of the event\n"
        "in its stream), `time` (RFC 3339) and `correlation_id`. The texts in events contain no "
        "secrets. The page\n"
        "[internals/events.md](internals/events.md) explains in which order the events of a retry "
        "are sent.\n",
        out);
    for (size_t i = 0; i < ROW_COUNT; i++)
        if (rows[i].kind == NULL)
            put_event_table(out, &rows[i]);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fputs("usage: gen_policy ROOT\n", stderr);
        return 64;
    }
    static const struct {
        const char *name;
        void (*writer)(FILE *);
    } files[] = {
        {"include/recourse/reasons.h", write_reasons},
        {"include/recourse/connections.h", write_connections},
        {"docs/connections.md", write_connections_page},
        {"include/recourse/event_types.h", write_event_types},
        {"docs/reasons.md", write_reasons_page},
        {"docs/events.md", write_events_page},
    };
    int result = 0;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        result |= gen_file_write("gen_policy", argv[1], files[i].name, files[i].writer);
    return result;
}
