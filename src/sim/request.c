/* The life of a request: carries out the actions of rc_call, or of a rival's loop. */
#include "sim/world.h"

static rc_sim_request *request_at(const rc_sim_world *world, uint32_t index)
{
    return &world->chunks[index / RC_SIM_CHUNK][index % RC_SIM_CHUNK];
}

static bool add_chunk(rc_sim_world *world)
{
    if (world->chunk_count == RC_SIM_IN_FLIGHT_MAX / RC_SIM_CHUNK) {
        rc_sim_world_note(world, RC_E_TOO_LARGE);
        return false;
    }
    rc_sim_request *chunk = world->alloc.get(world->alloc.ctx, RC_SIM_CHUNK * sizeof *chunk);
    if (chunk == NULL) {
        rc_sim_world_note(world, RC_E_NOMEM);
        return false;
    }
    uint32_t first = world->chunk_count * RC_SIM_CHUNK;
    world->chunks[world->chunk_count++] = chunk;
    for (uint32_t i = 0; i < RC_SIM_CHUNK; i++)
        chunk[i].next_free = i + 1 < RC_SIM_CHUNK ? first + i + 1 : RC_SIM_NO_REQUEST;
    world->free_request = first;
    return true;
}

/* How much of it the client sees: its patience for the first content, and the deadline. */
static uint64_t cut_short(const rc_sim_world *world, rc_sim_course *course, uint64_t deadline_at_ms)
{
    uint64_t now_ms = world->now_ms;
    uint64_t patience_ms = world->scenario->clients.first_token_wait_ms;
    uint64_t first_by_ms = deadline_at_ms;
    if (patience_ms > 0 && now_ms + patience_ms < first_by_ms)
        first_by_ms = now_ms + patience_ms;
    bool is_served = course->is_held && course->first_ms != RC_UNLIMITED;
    uint64_t content_ms = is_served ? course->first_ms : course->done_ms;
    if (content_ms > first_by_ms - now_ms) {
        course->answer.kind = RC_ANSWER_TIMEOUT;
        course->answer.wait_ms = -1;
        return first_by_ms;
    }
    if (course->done_ms > deadline_at_ms - now_ms) {
        course->answer.kind = RC_ANSWER_OVERDUE;
        return deadline_at_ms;
    }
    return now_ms + course->done_ms;
}

static uint32_t key_of(rc_sim_world *world, const rc_sim_request *request, const rc_action *action)
{
    uint32_t keys = world->scenario->providers[action->target].keys;
    if (world->row == NULL)
        return (uint32_t)action->credential - (uint32_t)action->target * RC_SIM_KEYS_MAX;
    return world->row->picks_any_key ? rc_sim_rng_below(&world->entropy, keys)
                                     : request->client % keys;
}

static void start_call(rc_sim_world *world, uint32_t index, const rc_action *action)
{
    rc_sim_request *request = request_at(world, index);
    const rc_sim_clients *clients = &world->scenario->clients;
    rc_sim_ask ask = {.key = key_of(world, request, action),
                      .tokens_in = request->tokens_in,
                      .tokens_out = request->tokens_out,
                      .is_streaming = clients->is_streaming};
    rc_sim_course course =
        rc_sim_site_ask(&world->sites[action->target], &ask, world->now_ms, &world->sites_rng);
    uint64_t deadline_at_ms = world->now_ms + clients->deadline_ms;
    if (action->deadline_at_ms < deadline_at_ms)
        deadline_at_ms = action->deadline_at_ms;
    uint64_t end_at_ms = cut_short(world, &course, deadline_at_ms);
    bool is_retry = request->calls > 0;
    rc_sim_tally_call(&world->tally, is_retry, world->now_ms);
    if (is_retry)
        rc_sim_tally_grant(&world->tally,
                           request->is_granted ? request->granted_at_ms : world->now_ms);
    request->is_granted = false;
    request->calls++;
    request->call_at_ms = world->now_ms;
    request->site = action->target;
    request->answer = course.answer;
    request->is_held = course.is_held;
    request->is_waiting = false;
    rc_sim_world_note(world, rc_event_heap_push(&world->heap, end_at_ms, index));
}

static void finish(rc_sim_world *world, uint32_t index, rc_sim_end end, rc_reason reason)
{
    rc_sim_request *request = request_at(world, index);
    rc_sim_ending ending = {.end = end,
                            .reason = reason,
                            .arrived_at_ms = request->arrived_at_ms,
                            .call_at_ms = request->call_at_ms,
                            .calls = request->calls};
    rc_sim_tally_end(&world->tally, &ending, world->now_ms);
    uint32_t client = request->client;
    request->next_free = world->free_request;
    world->free_request = index;
    rc_sim_clients_leave(world, client);
}

static void begin_wait(rc_sim_request *request, uint64_t now_ms)
{
    request->is_waiting = true;
    if (!request->is_granted)
        request->granted_at_ms = now_ms;
    request->is_granted = true;
}

static void carry_out(rc_sim_world *world, uint32_t index, rc_action action)
{
    switch (action.what) {
    case RC_DO_TRY:
        start_call(world, index, &action);
        return;
    case RC_DO_WAIT:
        begin_wait(request_at(world, index), world->now_ms);
        rc_sim_world_note(world, rc_event_heap_push(&world->heap, action.at_ms, index));
        return;
    case RC_DO_DELIVER:
        finish(world, index, RC_SIM_END_DELIVERED, action.reason);
        return;
    case RC_DO_REFRESH:
    case RC_DO_COMPACT:
    case RC_DO_STOP:
        finish(world, index, RC_SIM_END_FAILED, action.reason);
        return;
    }
}

void rc_sim_request_begin(rc_sim_world *world, uint32_t client, uint32_t tokens_in,
                          uint32_t tokens_out)
{
    rc_sim_tally_request(&world->tally, world->now_ms);
    if (world->free_request == RC_SIM_NO_REQUEST && !add_chunk(world))
        return;
    uint32_t index = world->free_request;
    rc_sim_request *request = request_at(world, index);
    world->free_request = request->next_free;
    request->arrived_at_ms = world->now_ms;
    request->call_at_ms = world->now_ms;
    request->client = client;
    request->tokens_in = tokens_in;
    request->tokens_out = tokens_out;
    request->calls = 0;
    request->is_waiting = false;
    request->is_granted = false;
    request->is_held = false;
    if (world->row != NULL) {
        carry_out(world, index, rc_sim_rival_begin(&request->rival));
        return;
    }
    rc_call_options options = {.deadline_at_ms =
                                   world->now_ms + world->scenario->clients.deadline_ms};
    rc_shared *shared = &world->processes[client % world->process_count].shared;
    rc_call_init(&request->call, &world->plan, shared, &options, world->now_ms);
    carry_out(world, index,
              rc_call_begin(&request->call, world->now_ms, rc_sim_rng_next(&world->entropy)));
}

static uint64_t cost_of(const rc_sim_world *world, const rc_sim_request *request)
{
    const rc_sim_provider *provider = &world->scenario->providers[request->site];
    return (uint64_t)request->answer.tokens_in * provider->input_nano_usd +
           (uint64_t)request->answer.tokens_out * provider->output_nano_usd;
}

static rc_action on_failure(rc_sim_world *world, rc_sim_request *request)
{
    const rc_sim_answer *answer = &request->answer;
    if (world->row != NULL)
        return rc_sim_rival_on_failure(
            &request->rival, world->row, answer, world->scenario->providers[request->site].dialect,
            world->scenario->provider_count, world->now_ms, &world->entropy);
    if (rc_sim_answer_has_content(answer->kind))
        rc_call_on_commit(&request->call, world->now_ms);
    rc_setback why = rc_sim_answer_setback(answer->kind, answer->wait_ms);
    return rc_call_on_failure(&request->call, &why, world->now_ms,
                              rc_sim_rng_next(&world->entropy));
}

static void on_answer(rc_sim_world *world, uint32_t index)
{
    rc_sim_request *request = request_at(world, index);
    rc_sim_answer_kind kind = request->answer.kind;
    if (request->is_held)
        rc_sim_site_leave(&world->sites[request->site]);
    request->is_held = false;
    rc_sim_tally_cost(&world->tally, cost_of(world, request), kind != RC_ANSWER_SERVED);
    if (kind == RC_ANSWER_SERVED) {
        rc_action done = {.what = RC_DO_DELIVER, .reason = RC_WHY_SUCCEEDED};
        if (world->row == NULL)
            done = rc_call_on_success(&request->call, world->now_ms);
        carry_out(world, index, done);
        return;
    }
    bool is_cut = kind == RC_ANSWER_CUT || kind == RC_ANSWER_CUT_EMPTY;
    if (is_cut && world->row != NULL && world->row->hides_cuts) {
        finish(world, index, RC_SIM_END_TRUNCATED, RC_WHY_COMMITTED);
        return;
    }
    carry_out(world, index, on_failure(world, request));
}

void rc_sim_request_go_on(rc_sim_world *world, uint32_t index)
{
    rc_sim_request *request = request_at(world, index);
    if (!request->is_waiting) {
        on_answer(world, index);
        return;
    }
    request->is_waiting = false;
    rc_action action = world->row != NULL ? rc_sim_rival_on_wake(&request->rival)
                                          : rc_call_on_wake(&request->call, world->now_ms,
                                                            rc_sim_rng_next(&world->entropy));
    carry_out(world, index, action);
}
