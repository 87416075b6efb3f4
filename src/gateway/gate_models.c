/* The models that the configuration has, as a client's dialect lists them. */
#include "base/json_writer.h"
#include "base/str.h"
#include "gateway/gate_private.h"

#define ID_MAX_BYTES 2048
/* When a model came to be is not known here; clients want a time. */
#define NO_TIME "1970-01-01T00:00:00Z"

typedef struct listing {
    const rc_gate_plans *plans;
    rc_dialect dialect;
    const rc_gate_endpoint *asks; /* what a client of the dialect asks of a model */
    rc_json_writer writer;
    char ids[2][ID_MAX_BYTES]; /* the first, the latest */
    rc_str first_id;
    rc_str last_id;
} listing;

static bool is_open(rc_str model)
{
    return rc_str_find_byte(model, '*', 0) != RC_STR_NPOS;
}

/* OpenAI's list is for all; the others name what speaks their language. */
static const rc_gate_endpoint *asked_in(rc_dialect dialect)
{
    if (dialect == RC_DIALECT_ANTHROPIC)
        return rc_gate_endpoint_at(RC_ENDPOINT_MESSAGES);
    return dialect == RC_DIALECT_GEMINI ? rc_gate_endpoint_at(RC_ENDPOINT_GENERATE) : NULL;
}

static bool suits(const listing *l, const rc_gate_provider *provider)
{
    return l->asks == NULL || provider->is_demo ||
           rc_gate_endpoint_suits(l->asks, provider->config->kind->dialect);
}

static bool route_suits(const listing *l, const rc_gate_route *route)
{
    for (uint16_t i = 0; i < route->plan.entry_count; i++)
        if (suits(l, route->places[i].provider))
            return true;
    return false;
}

static void push_openai(rc_json_writer *w, rc_str id, rc_str owner)
{
    rc_json_member_string(w, RC_STR("id"), id);
    rc_json_member_string(w, RC_STR("object"), RC_STR("model"));
    rc_json_member_i64(w, RC_STR("created"), 0);
    rc_json_member_string(w, RC_STR("owned_by"), owner);
}

static void push_anthropic(rc_json_writer *w, rc_str id)
{
    rc_json_member_string(w, RC_STR("type"), RC_STR("model"));
    rc_json_member_string(w, RC_STR("id"), id);
    rc_json_member_string(w, RC_STR("display_name"), id);
    rc_json_member_string(w, RC_STR("created_at"), RC_STR(NO_TIME));
}

static void push_gemini(rc_json_writer *w, rc_str id)
{
    static const rc_str methods[] = {RC_STR_INIT("generateContent"),
                                     RC_STR_INIT("streamGenerateContent"),
                                     RC_STR_INIT("embedContent"), RC_STR_INIT("countTokens")};
    char room[ID_MAX_BYTES + sizeof "models/"];
    rc_buf name;
    rc_buf_init_fixed(&name, room, sizeof room);
    rc_buf_push(&name, RC_STR("models/"));
    rc_buf_push(&name, id);
    rc_json_member_string(w, RC_STR("name"), rc_buf_get(&name));
    rc_json_member_string(w, RC_STR("displayName"), id);
    rc_json_key(w, RC_STR("supportedGenerationMethods"));
    rc_json_array_begin(w);
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++)
        rc_json_string(w, methods[i]);
    rc_json_array_end(w);
}

static void push_model(rc_json_writer *w, rc_dialect dialect, rc_str id, rc_str owner)
{
    rc_json_object_begin(w);
    if (dialect == RC_DIALECT_ANTHROPIC)
        push_anthropic(w, id);
    else if (dialect == RC_DIALECT_GEMINI)
        push_gemini(w, id);
    else
        push_openai(w, id, owner);
    rc_json_object_end(w);
}

/* provider: empty for a route. */
static void list_model(listing *l, rc_str provider, rc_str model)
{
    const bool is_first = l->first_id.len == 0;
    rc_buf id;
    rc_buf_init_fixed(&id, l->ids[is_first ? 0 : 1], ID_MAX_BYTES);
    rc_buf_push(&id, provider);
    if (provider.len > 0)
        rc_buf_push_byte(&id, '/');
    rc_buf_push(&id, model);
    if (rc_buf_status(&id) != RC_OK)
        return; /* no request could name it either */
    l->last_id = rc_buf_get(&id);
    if (is_first)
        l->first_id = l->last_id;
    push_model(&l->writer, l->dialect, l->last_id,
               provider.len > 0 ? provider : RC_STR("recourse"));
}

/* Has an earlier place of the chains the same target? */
static bool is_told(const rc_gate_plans *plans, size_t route, uint16_t entry)
{
    const uint16_t target = plans->routes[route].plan.entries[entry].target;
    for (size_t i = 0; i <= route; i++) {
        const rc_plan *plan = &plans->routes[i].plan;
        const uint16_t count = i < route ? plan->entry_count : entry;
        for (uint16_t k = 0; k < count; k++)
            if (plan->entries[k].target == target)
                return true;
    }
    return false;
}

static void list_targets(listing *l, size_t route)
{
    for (uint16_t i = 0; i < l->plans->routes[route].plan.entry_count; i++) {
        const rc_gate_place *place = &l->plans->routes[route].places[i];
        if (!is_open(place->model) && suits(l, place->provider) && !is_told(l->plans, route, i))
            list_model(l, place->provider->config->name, place->model);
    }
}

static void list_all(listing *l)
{
    const rc_config *config = l->plans->config;
    rc_json_array_begin(&l->writer);
    for (size_t i = 0; i < config->route_count; i++)
        if (!is_open(config->routes[i].model) && route_suits(l, &l->plans->routes[i]))
            list_model(l, RC_STR(""), config->routes[i].model);
    for (size_t i = 0; i < config->route_count; i++)
        list_targets(l, i);
    rc_json_array_end(&l->writer);
}

static void end_anthropic(listing *l)
{
    rc_json_member_bool(&l->writer, RC_STR("has_more"), false);
    if (l->first_id.len == 0)
        return;
    rc_json_member_string(&l->writer, RC_STR("first_id"), l->first_id);
    rc_json_member_string(&l->writer, RC_STR("last_id"), l->last_id);
}

void rc_gate_push_models(const rc_gate_plans *plans, rc_dialect dialect, rc_buf *buf)
{
    listing l;
    l.plans = plans;
    l.dialect = dialect;
    l.asks = asked_in(dialect);
    l.first_id = l.last_id = rc_str_make(NULL, 0);
    rc_json_writer_init(&l.writer, buf, 0);
    rc_json_object_begin(&l.writer);
    if (l.asks == NULL)
        rc_json_member_string(&l.writer, RC_STR("object"), RC_STR("list"));
    rc_json_key(&l.writer, dialect == RC_DIALECT_GEMINI ? RC_STR("models") : RC_STR("data"));
    list_all(&l);
    if (dialect == RC_DIALECT_ANTHROPIC)
        end_anthropic(&l);
    rc_json_object_end(&l.writer);
}

void rc_gate_push_model(rc_str id, rc_dialect dialect, rc_buf *buf)
{
    rc_json_writer w;
    rc_json_writer_init(&w, buf, 0);
    push_model(&w, dialect, id, RC_STR("recourse"));
}
