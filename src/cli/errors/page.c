/* The reference page of the taxonomy in Markdown. Called by command.c and tools/gen_errors.c. */
#include "cli/errors/page.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

struct page_name {
    const char *id;
    const char *name;
    const char *text;
};

struct page_class {
    const char *id;
    const char *name;
    const char *recoverable;
    const char *handler;
};

struct page_code {
    int number;
    const char *class_id;
    const char *name;
    const char *category_id;
    const char *domain_id;
    bool is_retryable;
    int http_status; /* 0: the code has the HTTP status of its domain. */
    int exit_status;
    const char *event_id;
    const char *action_id;
    const char *action_detail;
    const char *message;
};

/* The tables have ids as text instead of enum constants, because tools/gen_errors.c, which
 * generates the enums, compiles this file, too. */
static const struct page_name page_categories[] = {
#define RC_CATEGORY(number, ID, name, is_retryable, text) {#ID, name, text},
#include "spec/errors.def"
};

static const struct page_name page_domains[] = {
#define RC_DOMAIN(number, ID, name, http_status, text) {#ID, name, text},
#include "spec/errors.def"
};

static const int page_domain_statuses[] = {
#define RC_DOMAIN(number, ID, name, http_status, text) http_status,
#include "spec/errors.def"
};

static const struct page_name page_actions[] = {
#define RC_ACTION(number, ID, name, text) {#ID, name, text},
#include "spec/errors.def"
};

static const struct page_name page_run_events[] = {
#define RC_RUN_EVENT(number, ID, name) {#ID, name, ""},
#include "spec/errors.def"
};

static const struct page_class page_classes[] = {
#define RC_CLASS(number, ID, name, error_type, recoverable, handler) \
    {#ID, name, recoverable, handler},
#include "spec/errors.def"
};

static const struct page_code page_codes[] = {
#define RC_CODE(number, CLASS, ID, name, CATEGORY, DOMAIN, RETRYABLE, http, exit, EVENT, ACTION, \
                detail, message)                                                                 \
    {number, #CLASS, name,   #CATEGORY, #DOMAIN, RETRYABLE,                                      \
     http,   exit,   #EVENT, #ACTION,   detail,  message},
#include "spec/errors.def"
};

#define PAGE_COUNT(table) (sizeof(table) / sizeof((table)[0]))
#define PAGE_CLASS_COUNT PAGE_COUNT(page_classes)
#define PAGE_CODE_COUNT PAGE_COUNT(page_codes)

/* Returns the name that the table has for an id; "" for the id NONE. */
static const char *page_name_of(const struct page_name *table, size_t count, const char *id)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(table[i].id, id) == 0)
            return table[i].name;
    return "";
}

static const char *page_category_name(const char *id)
{
    return page_name_of(page_categories, PAGE_COUNT(page_categories), id);
}

static const char *page_domain_name(const char *id)
{
    return page_name_of(page_domains, PAGE_COUNT(page_domains), id);
}

static const char *page_action_name(const char *id)
{
    return page_name_of(page_actions, PAGE_COUNT(page_actions), id);
}

static const char *page_run_event_name(const char *id)
{
    return page_name_of(page_run_events, PAGE_COUNT(page_run_events), id);
}

static int page_http_status(const struct page_code *row)
{
    if (row->http_status != 0)
        return row->http_status;
    for (size_t i = 0; i < PAGE_COUNT(page_domains); i++)
        if (strcmp(page_domains[i].id, row->domain_id) == 0)
            return page_domain_statuses[i];
    return 500;
}

struct page {
    rc_errors_page_put put;
    void *ctx;
};

static void put(const struct page *page, const char *text)
{
    page->put(page->ctx, text);
}

static void put_number(const struct page *page, int number)
{
    char digits[16];
    snprintf(digits, sizeof(digits), "%d", number);
    put(page, digits);
}

/* Writes text in lower case, because the Markdown anchor of a heading is its text in lower case. */
static void put_lower(const struct page *page, const char *text)
{
    for (const char *c = text; *c != '\0'; c++) {
        const char lower[2] = {(char)(*c >= 'A' && *c <= 'Z' ? *c - 'A' + 'a' : *c), '\0'};
        put(page, lower);
    }
}

/* Writes one cell of a table to the page. Only "|" would need escaping, and no name contains it. */
static void put_cell(const struct page *page, const char *text)
{
    put(page, " ");
    put(page, text);
    put(page, text[0] != '\0' ? " |" : "|");
}

static void put_number_cell(const struct page *page, int number)
{
    put(page, " ");
    put_number(page, number);
    put(page, " |");
}

static void put_sentence(const struct page *page, const char *lead, const char *text)
{
    put(page, lead);
    put(page, text);
    put(page, ".");
}

static void put_names(const struct page *page, const struct page_name *table, size_t count)
{
    put(page, "| name | meaning |\n|---|---|\n");
    for (size_t i = 0; i < count; i++) {
        put(page, "| `");
        put(page, table[i].name);
        put(page, "` |");
        put_cell(page, table[i].text);
        put(page, "\n");
    }
}

static void put_intro(const struct page *page)
{
    put(page, "<!-- Generated from spec/errors.def by `make generate`. Do not edit. -->\n"
              "\n"
              "# Errors\n"
              "\n"
              "Every failure has one **code**. The report (JSON), the HTTP response, the log, the "
              "metrics and the terminal show\n"
              "the same code, and `recourse errors CODE` prints its row of this table.\n"
              "\n"
              "A code belongs to a **class**, which says who has to act next. The **category** of "
              "a code decides whether the call\n"
              "is retried, its **domain** says which side caused the failure, and its **action** "
              "tells the user what to do.\n"
              "\n"
              "| class | recoverable | how it is handled |\n"
              "|---|---|---|\n");
    for (size_t i = 0; i < PAGE_CLASS_COUNT; i++) {
        const struct page_class *cls = &page_classes[i];
        put(page, "| [");
        put(page, cls->name);
        put(page, "](#class-");
        put_lower(page, cls->name);
        put(page, ") |");
        put_cell(page, cls->recoverable);
        put_cell(page, cls->handler);
        put(page, "\n");
    }
}

static void put_legend(const struct page *page)
{
    put(page, "\n## What the columns mean\n"
              "\n"
              "**Category** decides about retries: a call's policy retries only `transient` codes. "
              "A code without a category gets\n"
              "the category of the report's cause; the column *retry* says whether such a code may "
              "be retried.\n"
              "\n");
    put_names(page, page_categories, PAGE_COUNT(page_categories));
    put(page, "\n**Domain** is the side that caused the failure. A code without an HTTP status of "
              "its own has the status of its domain.\n"
              "\n| name | HTTP | meaning |\n|---|---:|---|\n");
    for (size_t i = 0; i < PAGE_COUNT(page_domains); i++) {
        put(page, "| `");
        put(page, page_domains[i].name);
        put(page, "` |");
        put_number_cell(page, page_domain_statuses[i]);
        put_cell(page, page_domains[i].text);
        put(page, "\n");
    }
    put(page, "\n**Action** is what the user should do next.\n\n");
    put_names(page, page_actions, PAGE_COUNT(page_actions));
    put(page,
        "\n**HTTP** is the status that an HTTP client gets; a 429 of a provider is always passed "
        "on as 429.\n"
        "**Exit** is the exit status of the command, from `sysexits.h` if a suitable one exists.\n"
        "**Run event** is the code in the events `node:failed` and `run:failed`.\n");
}

static void put_row(const struct page *page, const struct page_code *row)
{
    put(page, "| [`");
    put(page, row->name);
    put(page, "`](#");
    put_lower(page, row->name);
    put(page, ") |");
    put_cell(page, page_category_name(row->category_id));
    put_cell(page, page_domain_name(row->domain_id));
    put_cell(page, row->is_retryable ? "yes" : "no");
    put_number_cell(page, page_http_status(row));
    put_number_cell(page, row->exit_status);
    put_cell(page, page_run_event_name(row->event_id));
    put_cell(page, page_action_name(row->action_id));
    put(page, "\n");
}

static void put_table_head(const struct page *page)
{
    put(page, "| code | category | domain | retry | HTTP | exit | run event | action |\n"
              "|---|---|---|---|---:|---:|---|---|\n");
}

static void put_advice(const struct page *page, const struct page_code *row)
{
    put(page, row->message);
    put(page, "\n\n**What to do:** ");
    put(page, row->action_detail);
    put(page, "\n");
}

static void put_class_of(const struct page *page, const struct page_code *row)
{
    for (size_t i = 0; i < PAGE_CLASS_COUNT; i++) {
        if (strcmp(page_classes[i].id, row->class_id) != 0)
            continue;
        put_sentence(page, "**Class:** ", page_classes[i].name);
        put_sentence(page, " Recoverable: ", page_classes[i].recoverable);
        put_sentence(page, " Handling: ", page_classes[i].handler);
        put(page, "\n");
    }
}

static void put_class(const struct page *page, const struct page_class *cls)
{
    put(page, "## Class ");
    put(page, cls->name);
    put_sentence(page, "\n\nRecoverable: ", cls->recoverable);
    put_sentence(page, " Handling: ", cls->handler);
    put(page, "\n\n");
    put_table_head(page);
    for (size_t i = 0; i < PAGE_CODE_COUNT; i++)
        if (strcmp(page_codes[i].class_id, cls->id) == 0)
            put_row(page, &page_codes[i]);

    for (size_t i = 0; i < PAGE_CODE_COUNT; i++) {
        const struct page_code *row = &page_codes[i];
        if (strcmp(row->class_id, cls->id) != 0)
            continue;
        put(page, "\n### ");
        put(page, row->name);
        put(page, "\n\n");
        put_advice(page, row);
    }
}

void rc_errors_page(rc_errors_page_put put_piece, void *ctx)
{
    struct page page = {put_piece, ctx};
    put_intro(&page);
    put_legend(&page);
    for (size_t i = 0; i < PAGE_CLASS_COUNT; i++) {
        put(&page, "\n");
        put_class(&page, &page_classes[i]);
    }
}

void rc_errors_page_class(const char *name, rc_errors_page_put put_piece, void *ctx)
{
    struct page page = {put_piece, ctx};
    for (size_t i = 0; i < PAGE_CLASS_COUNT; i++)
        if (strcmp(page_classes[i].name, name) == 0)
            put_class(&page, &page_classes[i]);
}

void rc_errors_page_code(const char *name, rc_errors_page_put put_piece, void *ctx)
{
    struct page page = {put_piece, ctx};
    for (size_t i = 0; i < PAGE_CODE_COUNT; i++) {
        const struct page_code *row = &page_codes[i];
        if (strcmp(row->name, name) != 0)
            continue;
        put(&page, "# ");
        put(&page, row->name);
        put(&page, "\n\n");
        put_advice(&page, row);
        put(&page, "\n");
        put_table_head(&page);
        put_row(&page, row);
        put(&page, "\n");
        put_class_of(&page, row);
    }
}
