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

/* Names that a client can use as they are: routes without a star, then targets. */
void rc_gate_push_models(const rc_gate *gate, rc_buf *buf)
{
    const rc_config *config = gate->settings.config;
    const rc_gate_plans *plans = &gate->plans;
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
    for (size_t i = 0; i < plans->shared.target_count; i++) {
        const rc_gate_place *place = &plans->places[i];
        const rc_str name = config->providers[place->provider].name;
        if (!is_open(place->model))
            push_model(&w, name, place->model, name);
    }
    rc_json_array_end(&w);
    rc_json_object_end(&w);
}
