"""The usage in a response is counted, whatever its size and however it is relayed, and the budgets include its
cost."""

import gzip
import json
import os

from gateways import Lasting
from harness import Suite, check, main
from peers import CLEAN, Client, Upstream, chunks, ending, http, of_each_dialect, post, saying

MEASURED, ESTIMATED = 4, 8
LARGE = 300 << 10  # More than the gateway holds back of a response.
MEGABYTE = 1 << 20
PRICES = "as_of: 2026-11-01\nbuilt_in: false\nprices:\n  - {model: '*', input: 1, output: 10}\n"

upstream = Upstream()
gateway = Lasting({})
with open(os.path.join(gateway.folder, "prices.yaml"), "w", encoding="ascii") as prices:
    prices.write(PRICES)
gateway.write({
    "listen": "127.0.0.1:0", "admin": {"listen": "off"}, "store": "sqlite:audit.db", "threads": 1,
    "prices": "prices.yaml", "providers": of_each_dialect(upstream), "clients": [],
    "cooldown_ms": 0, "breaker": {"min_calls": 0}, "retry_budget": {"burst": 0},
    "budgets": [{"name": "tight", "match": {"target": "o/tight"}, "limit_usd": 1, "on_exceed": "fail"}],
    "routes": [{"model": "o-*", "chain": [{"target": "o/m"}]}, {"model": "c-*", "chain": [{"target": "c/m"}]},
               {"model": "g-*", "chain": [{"target": "g/m"}]}, {"model": "tight", "chain": [{"target": "o/tight"}]}]})
gateway.start()

TEXT = "word " * (LARGE // 5)
CHAT = {"id": "c", "object": "chat.completion", "choices": [
    {"index": 0, "message": {"role": "assistant", "content": TEXT}, "finish_reason": "stop"}]}
CHAT_USAGE = {"usage": {"prompt_tokens": 11, "completion_tokens": 60000, "total_tokens": 60011}}
MESSAGE = {"id": "m", "type": "message", "role": "assistant", "content": [{"type": "text", "text": TEXT}],
           "stop_reason": "end_turn"}
GEMINI = {"candidates": [{"content": {"role": "model", "parts": [{"text": TEXT}]}, "finishReason": "STOP"}]}
VECTORS = {"object": "list", "model": "m", "data": [
    {"object": "embedding", "index": i, "embedding": [0.0123456789] * 1500} for i in range(20)],
    "usage": {"prompt_tokens": 7777, "total_tokens": 7777}}
IMAGES = {"created": 1, "data": [{"b64_json": "A" * MEGABYTE}],
          "usage": {"input_tokens": 50, "output_tokens": 4160, "total_tokens": 4210}}
ASK = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}


def used(answer):
    """Returns tokens, flags and cost of the attempt in the audit."""
    name = "rep" + answer.get("x-recourse-request-id")[3:]
    rows = gateway.rows("SELECT r.tokens_in, r.tokens_out, r.flags, r.cost_usd_micro FROM records r "
                        "JOIN operations o ON o.op = r.op WHERE o.id = ? AND r.kind = 2", name)
    check(len(rows) == 1, name, rows)
    return rows[0]


def ask(path, body, step, extra=b""):
    mark, _ = upstream.plan(step)
    with Client(gateway.port) as client:
        return client.ask(post(path, json.dumps(body).encode(), mark, extra))


def counted(path, body, response, tokens_in, tokens_out):
    raw = response if isinstance(response, bytes) else json.dumps(response).encode()
    for step in (saying(http(raw)), saying(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                                           b"Transfer-Encoding: chunked\r\n\r\n" +
                                           chunks([raw[:9], raw[9:LARGE], raw[LARGE:-7], raw[-7:]]))):
        answer = ask(path, body, step)
        check(answer.status == 200 and answer.end == CLEAN and answer.body == raw, answer)
        row = used(answer)
        check(row[0] == tokens_in and row[1] == tokens_out and row[2] & MEASURED, row)
        check(row[3] == tokens_in + 10 * tokens_out, row)


def counted_events(path, body, events, tokens_in, tokens_out, line_end="\n"):
    raw = "".join("data: " + json.dumps(event) + line_end * 2 for event in events).encode()
    answer = ask(path, body, saying(http(raw, content_type="text/event-stream")))
    check(answer.status == 200 and answer.end == CLEAN and answer.body == raw, answer)
    row = used(answer)
    check(row[:2] == (tokens_in, tokens_out) and row[2] & MEASURED, row)


def counted_compressed():
    """The usage in a compressed response is counted; the client gets the response uncompressed."""
    raw = json.dumps({**CHAT, **CHAT_USAGE}).encode()
    answer = ask("/p/o/chat/completions", ASK, saying(http(gzip.compress(raw), extra=b"Content-Encoding: gzip\r\n")))
    check(answer.status == 200 and answer.body == raw and not answer.get("content-encoding"), answer)
    check(used(answer)[:2] == (11, 60000), used(answer))


def compressed_requests_are_refused():
    """A compressed request is refused if there is a budget, because its cost cannot be estimated. A
    compressed Gemini request is accepted, because its path names the model."""
    mark, plan = upstream.plan(saying(http(json.dumps({**CHAT_USAGE}).encode())))
    body = gzip.compress(json.dumps({**ASK, "model": "tight"}).encode())
    with Client(gateway.port) as client:
        answer = client.ask(post("/p/o/chat/completions", body, mark, b"Content-Encoding: gzip\r\n"))
    check(answer.status == 415 and not plan.seen, answer)
    with Client(gateway.port) as client:
        answer = client.ask(post("/p/g/v1beta/models/m:generateContent", body, mark, b"Content-Encoding: gzip\r\n"))
    check(answer.status == 200 and plan.seen[0].body == body, answer)
    check(used(answer)[3] == 11 + 10 * 60000, used(answer))


def estimated():
    """Without a reported usage, the tokens are estimated from the text, for complete and for cut responses."""
    raw = json.dumps(CHAT).encode()
    for path in ("/v1/chat/completions", "/p/o/chat/completions"):
        body = {**ASK, "model": "o-m"} if path.startswith("/v1") else ASK
        answer = ask(path, body, saying(http(raw)))
        check(answer.status == 200, answer)
        row = used(answer)
        check(len(TEXT) // 4 <= row[1] <= len(TEXT) // 4 + 20 and row[2] & ESTIMATED, row)
        whole = http(raw)
        answer = ask(path, body, ending(whole[:-1000]))
        check(answer.end != CLEAN, answer)
        row = used(answer)
        check(len(TEXT) // 4 - 300 <= row[1] <= len(TEXT) // 4 + 20 and row[2] & ESTIMATED, row)


def not_believed():
    """A reported output of 0 tokens is replaced by an estimate if the response contains text, in each dialect and in
    streams."""
    words = "word " * 100
    zero = {"usage": {"prompt_tokens": 9, "completion_tokens": 0, "total_tokens": 9}}
    text = {"role": "assistant", "content": words}
    message = {**MESSAGE, "content": [{"type": "text", "text": words}], "usage": {"input_tokens": 9, "output_tokens": 0}}
    stream = [{"choices": [{"index": 0, "delta": text, "finish_reason": None}]},
              {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}], **zero}]
    events = "".join("data: " + json.dumps(event) + "\n\n" for event in stream) + "data: [DONE]\n\n"
    for path, body, response in (
            ("/v1/chat/completions", {"model": "o-m"},
             {**CHAT, "choices": [{"index": 0, "message": text, "finish_reason": "stop"}], **zero}),
            ("/v1/messages", {"model": "c-m", "max_tokens": 9}, message),
            ("/v1/chat/completions", {"model": "o-m", "stream": True}, events.encode()),
            ("/p/o/chat/completions", {}, {"choices": [{"message": text}], **zero})):
        is_stream = isinstance(response, bytes)
        raw = http(response, content_type="text/event-stream") if is_stream else http(json.dumps(response).encode())
        answer = ask(path, {**ASK, **body}, saying(raw))
        check(answer.status == 200, answer)
        check(used(answer)[:2] == (9, 125) and used(answer)[2] & ESTIMATED, path, used(answer))


def times(answer):
    return int(answer.get("x-recourse-target-ms")) <= int(answer.get("x-recourse-total-ms"))


def cost_is_told():
    """Complete responses, and errors after attempts with a cost, have a cost header; a stream has none, because its
    cost is not known yet."""
    small = {"choices": [{"index": 0, "message": {"role": "assistant", "content": "Hi"}, "finish_reason": "stop"}]}
    body = {**ASK, "model": "o-m"}
    answer = ask("/v1/chat/completions", body, saying(http(json.dumps({**small, **CHAT_USAGE}).encode())))
    check(answer.get("x-recourse-cost-usd") == "0.600011" and answer.get("x-recourse-cost-basis") == "measured",
          answer.head.raw)
    check(times(answer), answer.head.raw)
    answer = ask("/v1/chat/completions", body, saying(http(json.dumps(small).encode())))
    check(float(answer.get("x-recourse-cost-usd")) * 1e6 == used(answer)[3], answer.head.raw)
    check(answer.get("x-recourse-cost-basis") == "estimated" and times(answer), answer.head.raw)
    events = b'data: {"choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
    answer = ask("/v1/chat/completions", {**body, "stream": True},
                 saying(http(events, content_type="text/event-stream")))
    check(answer.status == 200 and not answer.get("x-recourse-cost-usd") and times(answer), answer.head.raw)
    check(not answer.get("x-recourse-cost-basis"), answer.head.raw)
    answer = ask("/v1/chat/completions", body, saying(http(b'{"error":{"message":"no"}}', "400 Bad Request")))
    check(answer.status == 400 and not answer.get("x-recourse-cost-usd") and times(answer), answer.head.raw)
    answer = ask("/v1/chat/completions", body, saying(http(json.dumps(
        {"error": {"message": "no"}, **CHAT_USAGE}).encode(), "400 Bad Request")))
    check(answer.status == 400 and times(answer), answer.head.raw)
    answer = ask("/v1/chat/completions", {"model": "nobody", "messages": []}, saying(b""))
    check(answer.status == 404 and not answer.get("x-recourse-target-ms"), answer.head.raw)
    check(answer.get("x-recourse-total-ms").isdigit(), answer.head.raw)


def free():
    """Token counts are free, also in a passthrough."""
    for path in ("/p/c/v1/messages/count_tokens", "/p/g/v1beta/models/m:countTokens"):
        answer = ask(path, ASK, saying(http(b'{"input_tokens":2000,"totalTokens":2000}')))
        check(answer.status == 200 and used(answer)[3] == 0, answer, used(answer))
        check(not answer.get("x-recourse-cost-usd"), answer.head.raw)
    usage = {"usage": {"input_tokens": 4, "output_tokens": 5}}
    for path in ("/p/c/v1/messages;:countTokens", "/p/g/v1beta/models/m:generateContent:countTokens"):
        answer = ask(path, ASK, saying(http(json.dumps(usage).encode())))
        check(answer.status == 200 and used(answer)[3] == 54, answer, used(answer))


def budget_holds():
    """Each response costs $0.6. The second request is granted because its maximum cost is small; the third is
    refused."""
    raw = http(json.dumps({**CHAT, **CHAT_USAGE}).encode())
    statuses = [ask("/v1/chat/completions", {**ASK, "model": "tight", "max_tokens": 9}, saying(raw)).status]
    for _ in range(3):
        statuses.append(ask("/p/o/chat/completions", {**ASK, "model": "tight", "max_tokens": 9}, saying(raw)).status)
    check(statuses == [200, 200, 402, 402], statuses)


suite = Suite()
for word, front, model in (("", "/v1", "o-m"), (" behind /p/", "/p/o", "m")):
    suite.case("chat" + word, counted, front + "/chat/completions", {**ASK, "model": model},
               {**CHAT, **CHAT_USAGE}, 11, 60000)
    suite.case("usage in front" + word, counted, front + "/chat/completions", {**ASK, "model": model},
               {**CHAT_USAGE, **CHAT}, 11, 60000)
    suite.case("embeddings" + word, counted, front + "/embeddings", {"model": model, "input": "x"}, VECTORS, 7777, 0)
    suite.case("images" + word, counted, front + "/images/generations", {"model": model, "prompt": "x"}, IMAGES,
               50, 4160)
    suite.case("responses" + word, counted, front + "/responses", {"model": model, "input": "x"},
               {"id": "r", "object": "response", "output": [{"type": "message", "content": [
                   {"type": "output_text", "text": TEXT}]}], "usage": {"input_tokens": 3, "output_tokens": 70000}},
               3, 70000)
for word, path, model in (("", "/v1/messages", "c-m"), (" behind /p/", "/p/c/v1/messages", "m")):
    suite.case("messages" + word, counted, path, {**ASK, "model": model, "max_tokens": 9},
               {**MESSAGE, "usage": {"input_tokens": 12, "output_tokens": 61000}}, 12, 61000)
for word, path in (("", "/v1beta/models/g-m:generateContent"),
                   (" behind /p/", "/p/g/v1beta/models/m:generateContent")):
    suite.case("Gemini" + word, counted, path, {"contents": [{"parts": [{"text": "Hi"}]}]},
               {**GEMINI, "usageMetadata": {"promptTokenCount": 5, "candidatesTokenCount": 62000}}, 5, 62000)
suite.case("small responses behind /p/", counted, "/p/o/chat/completions", ASK,
           {"choices": [], "usage": {"prompt_tokens": 4, "completion_tokens": 5}}, 4, 5)
suite.case("OpenAI's events behind /p/", counted_events, "/p/o/chat/completions", {**ASK, "stream": True},
           [{"choices": [{"delta": {"content": "Hi"}}]}, {"choices": [], "usage": CHAT_USAGE["usage"]}], 11, 60000)
suite.case("Anthropic's events behind /p/", counted_events, "/p/c/v1/messages", {**ASK, "stream": True},
           [{"type": "message_start", "message": {"usage": {"input_tokens": 7, "output_tokens": 1}}},
            {"type": "message_delta", "usage": {"output_tokens": 33}}], 7, 33, "\r\n")
suite.case("Gemini's events behind /p/", counted_events, "/p/g/v1beta/models/m:streamGenerateContent?alt=sse",
           {"contents": []}, [{"usageMetadata": {"promptTokenCount": 4, "candidatesTokenCount": 2}},
                              {"usageMetadata": {"promptTokenCount": 4, "candidatesTokenCount": 8}}], 4, 8)
suite.case("images as events", counted_events, "/v1/images/generations",
           {"model": "o-m", "prompt": "x", "stream": True},
           [{"type": "image_generation.completed", "b64_json": "A" * MEGABYTE, "usage": IMAGES["usage"]}], 50, 4160)
suite.case("compressed behind /p/", counted_compressed)
suite.case("compressed requests behind /p/", compressed_requests_are_refused)
suite.case("what nobody counted is estimated", estimated)
suite.case("an output of 0 beside text is not believed", not_believed)
suite.case("the cost and the times are told", cost_is_told)
suite.case("counting tokens is free", free)
suite.case("a budget holds", budget_holds)
main(suite, gateway, upstream)
