/* Facts: their names, and which facts imply or exclude each other. Called by rules/, classify.c and
 * tools/gen_rules.c. */
#include "classify/facts.h"

#include "base/str.h"
#include "classify/phrases/phrases.h"

enum {
    GROUP_NONE,
#define RC_FACT_GROUP(GROUP, name, EXCLUSIVE, text) GROUP_##GROUP,
#include "spec/facts.def"
};

static const struct {
    rc_str name;
    bool is_exclusive;
} groups[] = {
    {RC_STR_INIT(""), false},
#define RC_FACT_GROUP(GROUP, name, EXCLUSIVE, text) {RC_STR_INIT(name), EXCLUSIVE},
#include "spec/facts.def"
};

static const struct {
    uint8_t group;
    rc_str name;
    rc_str text;
} listed[] = {
    {GROUP_NONE, RC_STR_INIT(""), RC_STR_INIT("")},
#define RC_FACT(GROUP, ID, name, text) {GROUP_##GROUP, RC_STR_INIT(name), RC_STR_INIT(text)},
#include "spec/facts.def"
};

_Static_assert(sizeof listed / sizeof listed[0] == RC_FACT_LISTED_END, "one row for each fact");

static const rc_str providers[] = {
#define RC_PROVIDER(ID, name, title, RANK, EXTRACT, codes, signatures) RC_STR_INIT(name),
#include "spec/providers.def"
};

#define PROVIDER_COUNT (sizeof providers / sizeof providers[0])

_Static_assert(PROVIDER_COUNT <= RC_PROVIDERS_MAX, "the providers have outgrown their range");

/* Facts whose name is a prefix followed by a number or by a name of another table: the prefix and
 * the range of fact numbers. */
static const struct range {
    rc_str prefix;
    rc_fact base;
    rc_fact end;
} RANGES[] = {
    {RC_STR_INIT("says:"), RC_FACT_SAYS_BASE, RC_FACT_CODE_BASE},
    {RC_STR_INIT("code:"), RC_FACT_CODE_BASE, RC_FACT_PROVIDER_BASE},
    {RC_STR_INIT("provider:"), RC_FACT_PROVIDER_BASE, RC_FACT_STATUS_BASE},
    {RC_STR_INIT("status:"), RC_FACT_STATUS_BASE, RC_FACT_INNER_BASE},
    {RC_STR_INIT("inner:"), RC_FACT_INNER_BASE, RC_FACT_LITERAL_BASE},
    {RC_STR_INIT("literal:"), RC_FACT_LITERAL_BASE, RC_FACT_END},
};

#define RANGE_COUNT (sizeof RANGES / sizeof RANGES[0])

static const struct range *range_of(rc_fact fact)
{
    for (size_t i = 0; i < RANGE_COUNT; i++) {
        if (fact >= RANGES[i].base && fact < RANGES[i].end)
            return &RANGES[i];
    }
    return NULL;
}

/* ---- parsing of names ---- */

static rc_fact parse_listed(rc_str name)
{
    size_t colon = rc_str_find_byte(name, ':', 0);
    if (colon == RC_STR_NPOS)
        return RC_FACT_NONE;
    rc_str group = rc_str_slice(name, 0, colon);
    rc_str rest = rc_str_slice(name, colon + 1, name.len);
    for (unsigned i = 1; i < RC_FACT_LISTED_END; i++) {
        if (rc_str_eq(listed[i].name, rest) && rc_str_eq(groups[listed[i].group].name, group))
            return (rc_fact)i;
    }
    return RC_FACT_NONE;
}

/* Returns the number of the concept with this name. Markers (names of providers) are not facts, so
 * their numbers are not returned. */
static unsigned concept_index(rc_str name)
{
    unsigned concept = rc_concept_parse(name);
    return concept < RC_CONCEPT_COUNT ? concept : RC_FACT_END;
}

static unsigned provider_index(rc_str name)
{
    for (unsigned i = 0; i < PROVIDER_COUNT; i++) {
        if (rc_str_eq(providers[i], name))
            return i;
    }
    return RC_FACT_END;
}

static unsigned status_index(rc_str digits)
{
    if (digits.len != 3)
        return RC_FACT_END;
    unsigned status = 0;
    for (size_t i = 0; i < digits.len; i++) {
        if (!rc_ascii_is_digit(digits.ptr[i]))
            return RC_FACT_END;
        status = status * 10 + (unsigned)(digits.ptr[i] - '0');
    }
    if (status < RC_STATUS_FACT_MIN || status > RC_STATUS_FACT_MAX)
        return RC_FACT_END;
    return status - RC_STATUS_FACT_MIN;
}

static unsigned index_in_range(rc_fact base, rc_str name)
{
    if (base == RC_FACT_SAYS_BASE || base == RC_FACT_CODE_BASE)
        return concept_index(name);
    if (base == RC_FACT_PROVIDER_BASE)
        return provider_index(name);
    if (base == RC_FACT_STATUS_BASE || base == RC_FACT_INNER_BASE)
        return status_index(name);
    return RC_FACT_END;
}

rc_fact rc_fact_parse(rc_str name)
{
    for (size_t i = 0; i < RANGE_COUNT; i++) {
        if (!rc_str_starts_with(name, RANGES[i].prefix))
            continue;
        unsigned index =
            index_in_range(RANGES[i].base, rc_str_slice(name, RANGES[i].prefix.len, name.len));
        if (index < RC_FACT_END)
            return (rc_fact)(RANGES[i].base + index);
    }
    return parse_listed(name);
}

/* ---- names and texts ---- */

void rc_fact_push_name(rc_buf *buf, rc_fact fact)
{
    if (fact < RC_FACT_LISTED_END) {
        rc_buf_push(buf, groups[listed[fact].group].name);
        rc_buf_push_byte(buf, ':');
        rc_buf_push(buf, listed[fact].name);
        return;
    }
    const struct range *range = range_of(fact);
    if (!range)
        return;
    unsigned index = (unsigned)fact - range->base;
    rc_buf_push(buf, range->prefix);
    if (range->base == RC_FACT_SAYS_BASE || range->base == RC_FACT_CODE_BASE)
        rc_buf_push(buf, rc_concept_name(index));
    else if (range->base == RC_FACT_PROVIDER_BASE)
        rc_buf_push(buf, index < PROVIDER_COUNT ? providers[index] : RC_STR(""));
    else if (range->base == RC_FACT_LITERAL_BASE)
        rc_buf_push_u64(buf, index);
    else
        rc_buf_push_u64(buf, index + RC_STATUS_FACT_MIN);
}

rc_str rc_fact_text(rc_fact fact)
{
    if (fact < RC_FACT_LISTED_END)
        return listed[fact].text;
    if (fact >= RC_FACT_SAYS_BASE && fact < RC_FACT_CODE_BASE)
        return rc_concept_text((unsigned)fact - RC_FACT_SAYS_BASE);
    if (fact >= RC_FACT_CODE_BASE && fact < RC_FACT_PROVIDER_BASE)
        return rc_concept_text((unsigned)fact - RC_FACT_CODE_BASE);
    return rc_str_make(NULL, 0);
}

rc_fact rc_fact_at(size_t index)
{
    if (index < RC_FACT_LISTED_END - 1)
        return (rc_fact)(index + 1);
    index -= RC_FACT_LISTED_END - 1;
    if (index < RC_CONCEPT_COUNT)
        return (rc_fact)(RC_FACT_SAYS_BASE + index);
    index -= RC_CONCEPT_COUNT;
    if (index < RC_CONCEPT_COUNT)
        return (rc_fact)(RC_FACT_CODE_BASE + index);
    index -= RC_CONCEPT_COUNT;
    if (index < PROVIDER_COUNT)
        return (rc_fact)(RC_FACT_PROVIDER_BASE + index);
    return RC_FACT_NONE;
}

/* ---- implication and exclusion ---- */

static rc_fact status_class(int status)
{
    switch (status / 100) {
    case 2:
        return RC_FACT_STATUS_2XX;
    case 3:
        return RC_FACT_STATUS_3XX;
    case 4:
        return RC_FACT_STATUS_4XX;
    case 5:
        return RC_FACT_STATUS_5XX;
    default:
        return RC_FACT_NONE;
    }
}

static rc_fact inner_class(int status)
{
    switch (status / 100) {
    case 4:
        return RC_FACT_INNER_4XX;
    case 5:
        return RC_FACT_INNER_5XX;
    default:
        return RC_FACT_NONE;
    }
}

/* Returns the group of mutually exclusive facts that the fact belongs to. A single status
 * (status:429) belongs to the group of the status classes (status:4xx). */
static unsigned group_of(rc_fact fact)
{
    if (fact < RC_FACT_LISTED_END)
        return listed[fact].group;
    if (fact >= RC_FACT_STATUS_BASE && fact < RC_FACT_INNER_BASE)
        return GROUP_STATUS_CLASS;
    if (fact >= RC_FACT_INNER_BASE && fact < RC_FACT_LITERAL_BASE)
        return GROUP_INNER_CLASS;
    return GROUP_NONE;
}

/* Returns the class of a single status: status:4xx for status:429. Returns a fact that is not a
 * single status unchanged. */
static rc_fact class_of(rc_fact fact)
{
    if (fact >= RC_FACT_STATUS_BASE && fact < RC_FACT_INNER_BASE)
        return status_class(fact - RC_FACT_STATUS_BASE + RC_STATUS_FACT_MIN);
    if (fact >= RC_FACT_INNER_BASE && fact < RC_FACT_LITERAL_BASE)
        return inner_class(fact - RC_FACT_INNER_BASE + RC_STATUS_FACT_MIN);
    return fact;
}

bool rc_fact_excludes(rc_fact a, rc_fact b)
{
    unsigned group = group_of(a);
    if (a == b || group != group_of(b) || !groups[group].is_exclusive)
        return false;
    return class_of(a) != b && class_of(b) != a;
}

bool rc_fact_implies(rc_fact a, rc_fact b)
{
    return a == b || (b != RC_FACT_NONE && class_of(a) == b);
}

void rc_facts_add_implying(rc_facts *facts)
{
    static const struct {
        rc_fact class_fact;
        rc_fact first;
    } CLASSES[] = {
        {RC_FACT_STATUS_2XX, RC_FACT_STATUS_BASE + 200 - RC_STATUS_FACT_MIN},
        {RC_FACT_STATUS_3XX, RC_FACT_STATUS_BASE + 300 - RC_STATUS_FACT_MIN},
        {RC_FACT_STATUS_4XX, RC_FACT_STATUS_BASE + 400 - RC_STATUS_FACT_MIN},
        {RC_FACT_STATUS_5XX, RC_FACT_STATUS_BASE + 500 - RC_STATUS_FACT_MIN},
        {RC_FACT_INNER_4XX, RC_FACT_INNER_BASE + 400 - RC_STATUS_FACT_MIN},
        {RC_FACT_INNER_5XX, RC_FACT_INNER_BASE + 500 - RC_STATUS_FACT_MIN},
    };
    for (size_t i = 0; i < sizeof CLASSES / sizeof CLASSES[0]; i++) {
        if (!rc_facts_has(facts, CLASSES[i].class_fact))
            continue;
        for (unsigned index = 0; index < 100; index++)
            rc_facts_set(facts, CLASSES[i].first + index);
    }
}

static void set_status(rc_facts *facts, int status, unsigned base, rc_fact class_fact)
{
    if (status >= RC_STATUS_FACT_MIN && status <= RC_STATUS_FACT_MAX)
        rc_facts_set(facts, base + (unsigned)(status - RC_STATUS_FACT_MIN));
    if (class_fact != RC_FACT_NONE)
        rc_facts_set(facts, class_fact);
}

void rc_facts_set_status(rc_facts *facts, int status)
{
    if (status == 0)
        rc_facts_set(facts, RC_FACT_STATUS_NONE);
    else
        set_status(facts, status, RC_FACT_STATUS_BASE, status_class(status));
}

void rc_facts_set_inner(rc_facts *facts, int status)
{
    set_status(facts, status, RC_FACT_INNER_BASE, inner_class(status));
}
