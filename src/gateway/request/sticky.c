/* The user or session of a request, whose requests stay with one target of a group. Called by
 * exchange_request.c. */
#include "gateway/request/client_request.h"
#include "json/find.h"

/* Returns the text of a member, without decoding its escapes: only the equality of two texts
 * matters. */
static rc_str text_of(const rc_json_member *member)
{
    const bool is_text = member->is_found && member->value.type == RC_JSON_STRING;
    return is_text ? member->value.raw : rc_str_make(NULL, 0);
}

/* Returns metadata.user_id, which Anthropic's API has. */
static rc_str user_in(rc_str body, const rc_json_member *metadata)
{
    rc_json_member user = {.key = RC_STR_INIT("user_id")};
    if (!metadata->is_found || metadata->value.type != RC_JSON_OBJECT_BEGIN)
        return rc_str_make(NULL, 0);
    rc_json_find(rc_str_slice(body, metadata->value.offset, metadata->value_end), &user, 1, false);
    return text_of(&user);
}

static rc_str user_of(rc_str body)
{
    rc_json_member members[] = {
        {.key = RC_STR_INIT("prompt_cache_key")},
        {.key = RC_STR_INIT("user")},
        {.key = RC_STR_INIT("safety_identifier")},
        {.key = RC_STR_INIT("metadata")},
    };
    const size_t count = sizeof members / sizeof *members;
    rc_json_find(body, members, count, false);
    for (size_t i = 0; i + 1 < count; i++)
        if (text_of(&members[i]).len > 0)
            return text_of(&members[i]);
    return user_in(body, &members[count - 1]);
}

uint64_t rc_client_request_sticky_key(const rc_client_request *request, rc_config_sticky sticky)
{
    rc_str id = rc_str_make(NULL, 0);
    if (sticky == RC_STICKY_SESSION)
        id = request->session;
    else if (sticky == RC_STICKY_USER && !request->is_compressed &&
             !rc_client_request_is_form(request))
        id = user_of(request->body);
    return id.len > 0 ? rc_spread_hash(id) : 0;
}
