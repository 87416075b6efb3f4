/* simdjson on demand, used as its documentation recommends: one parser is reused, and the text is
 * padded beforehand, outside the measured time. */
#include <cstring>
#include <string>
#include <string_view>

#include <simdjson.h>

#include "bench.h"

using namespace simdjson;

static_assert(BENCH_PADDING >= SIMDJSON_PADDING, "the bodies are padded enough");

namespace
{

struct context {
    ondemand::parser parser;
    std::string text;
};

void *open_lib()
{
    return new context;
}

void close_lib(void *ctx)
{
    delete static_cast<context *>(ctx);
}

padded_string_view view_of(const bench_body *body)
{
    return padded_string_view(body->bytes, body->len, body->len + BENCH_PADDING);
}

bool keep_model(std::string_view model, bench_found *found)
{
    if (model.size() >= sizeof found->model)
        return false;
    std::memcpy(found->model, model.data(), model.size());
    found->model[model.size()] = '\0';
    return true;
}

/* Reads all members, so that the last duplicate wins. */
bool find(void *ctx, const bench_body *body, bench_found *found)
{
    ondemand::document doc;
    ondemand::object object;
    if (static_cast<context *>(ctx)->parser.iterate(view_of(body)).get(doc) ||
        doc.get_object().get(object))
        return false;
    bool has_model = false;
    bool has_stream = false;
    for (auto item : object) {
        ondemand::field field;
        if (std::move(item).get(field))
            return false;
        if (field.key() == "model") {
            std::string_view model;
            if (field.value().get_string().get(model) || !keep_model(model, found))
                return false;
            has_model = true;
        } else if (field.key() == "stream") {
            if (field.value().get_bool().get(found->stream))
                return false;
            has_stream = true;
        }
    }
    return has_model && has_stream;
}

bool find_early(void *ctx, const bench_body *body, bench_found *found)
{
    ondemand::document doc;
    std::string_view model;
    return !static_cast<context *>(ctx)->parser.iterate(view_of(body)).get(doc) &&
           !doc.find_field_unordered("model").get_string().get(model) && keep_model(model, found) &&
           !doc.find_field_unordered("stream").get_bool().get(found->stream);
}

bool rewrite(void *ctx, const bench_body *body, const char **ret_text, size_t *ret_len)
{
    context *c = static_cast<context *>(ctx);
    ondemand::document doc;
    ondemand::object object;
    if (c->parser.iterate(view_of(body)).get(doc) || doc.get_object().get(object))
        return false;
    std::string_view token;
    for (auto item : object) {
        ondemand::field field;
        if (std::move(item).get(field))
            return false;
        if (field.key() == "model")
            token = field.value().raw_json_token();
    }
    if (token.empty())
        return false;
    /* The raw token is the string and the white space after it. */
    size_t from = static_cast<size_t>(token.data() - body->bytes);
    size_t to = from + token.find_last_of('"') + 1;
    c->text.clear();
    c->text.append(body->bytes, from);
    c->text.append("\"" BENCH_NEW_MODEL "\"");
    c->text.append(body->bytes + to, body->len - to);
    *ret_text = c->text.data();
    *ret_len = c->text.size();
    return true;
}

} // namespace

extern "C" const bench_lib bench_simdjson = {
    "simdjson", false, open_lib, close_lib, find, find_early, rewrite,
};
