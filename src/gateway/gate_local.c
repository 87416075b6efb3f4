/* What the gateway answers by itself: is it there, and which models are. */
#include "base/json_writer.h"
#include "base/str.h"
#include "gateway/gate_private.h"

bool rc_gate_answer_health(const rc_gate *gate, rc_exchange *exchange, rc_str path)
{
    const rc_header field = {RC_STR("content-type"), RC_STR("text/plain")};
    const bool is_ready = rc_str_eq(path, RC_STR("/readyz"));
    if (!is_ready && !rc_str_eq(path, RC_STR("/healthz")))
        return false;
    const bool is_leaving = is_ready && gate->is_stopping;
    (void)rc_exchange_answer(exchange, is_leaving ? 503 : 200, &field, 1,
                             is_leaving ? RC_STR("stopping\n") : RC_STR("ok\n"));
    return true;
}

static bool is_open(rc_str model)
{
    return rc_str_find_byte(model, '*', 0) != RC_STR_NPOS;
}

static void push_model(rc_json_writer *w, rc_str provider, rc_str model, rc_str owner)
{
    char memory[2048];
    rc_buf id;
    rc_buf_init_fixed(&id, memory, sizeof memory);
    rc_buf_push(&id, provider);
    if (provider.len > 0)
        rc_buf_push_byte(&id, '/');
    rc_buf_push(&id, model);
    rc_json_object_begin(w);
    rc_json_member_string(w, RC_STR("id"), rc_buf_get(&id));
    rc_json_member_string(w, RC_STR("object"), RC_STR("model"));
    rc_json_member_i64(w, RC_STR("created"), 0);
    rc_json_member_string(w, RC_STR("owned_by"), owner);
    rc_json_object_end(w);
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

static void push_targets(rc_json_writer *w, const rc_gate_plans *plans, size_t route)
{
    for (uint16_t i = 0; i < plans->routes[route].plan.entry_count; i++) {
        const rc_gate_place *place = &plans->routes[route].places[i];
        const rc_str name = place->provider->config->name;
        if (!is_open(place->model) && !is_told(plans, route, i))
            push_model(w, name, place->model, name);
    }
}

/* Names that a client can use as they are: routes without a star, then targets. */
void rc_gate_push_models(const rc_gate_plans *plans, rc_buf *buf)
{
    const rc_config *config = plans->config;
    const rc_str none = {NULL, 0};
    rc_json_writer w;
    rc_json_writer_init(&w, buf, 0);
    rc_json_object_begin(&w);
    rc_json_member_string(&w, RC_STR("object"), RC_STR("list"));
    rc_json_key(&w, RC_STR("data"));
    rc_json_array_begin(&w);
    for (size_t i = 0; i < config->route_count; i++)
        if (!is_open(config->routes[i].model))
            push_model(&w, none, config->routes[i].model, RC_STR("recourse"));
    for (size_t i = 0; i < config->route_count; i++)
        push_targets(&w, plans, i);
    rc_json_array_end(&w);
    rc_json_object_end(&w);
}
