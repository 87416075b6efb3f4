"""Responses of one provider in the API of another client: states of reasoning, bodies of other types, bodies that
cannot be read."""

import json

from gateways import Lasting
from harness import Suite, check, main
from peers import CLEAN, Client, Upstream, chunks, http, post, saying

SSE = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
upstream = Upstream()


def provider(kind, **more):
    return {"kind": kind, "base_url": upstream.url("/v1" if kind == "openai" else ""), "keys": ["env:KEY_1"], **more}


gateway = Lasting({
    "providers": {
        "claude": provider("anthropic"), "gemini": provider("gemini"),
        "gpt": provider("openai", interfaces=["chat"]), "new": provider("openai", interfaces=["responses"]),
    },
    "policies": {"once": {"max_attempts": 1}}, "threads": 1, "cooldown_ms": 0, "breaker": {"min_calls": 0},
    "routes": [
        {"model": "claude", "policy": "once", "chain": ["claude/claude-sonnet-4-5"]},
        {"model": "gemini", "policy": "once", "chain": ["gemini/gemini-2.5-pro"]},
        {"model": "gpt", "policy": "once", "chain": ["gpt/gpt-4.1"]},
        {"model": "new", "policy": "once", "chain": ["new/gpt-5"]},
    ]}).start()

HI = [{"role": "user", "content": "Hi"}]
THINKING = {"type": "enabled", "budget_tokens": 2000}


def messages(model, mark, **more):
    return post("/v1/messages", json.dumps({"model": model, "max_tokens": 4000, "messages": HI, **more}).encode(), mark)


def chat(model, mark, **more):
    return post("/v1/chat/completions", json.dumps({"model": model, "messages": HI, **more}).encode(), mark)


def gemini(model, mark, verb="generateContent"):
    body = {"contents": [{"role": "user", "parts": [{"text": "Hi"}]}]}
    return post(f"/v1beta/models/{model}:{verb}", json.dumps(body).encode(), mark)


def ask(request, step):
    mark, _ = upstream.plan(step)
    with Client(gateway.port) as client:
        return client.ask(request(mark))


def streaming(*events):
    return saying(SSE + chunks([b"data: " + json.dumps(event).encode() + b"\n\n" for event in events]))


def gemini_event(part, finish=None):
    candidate = {"content": {"role": "model", "parts": [part]}, "index": 0}
    if finish:
        candidate["finishReason"] = finish
    return {"candidates": [candidate], "usageMetadata": {"promptTokenCount": 3, "candidatesTokenCount": 5}}


# ---- states ----


def seals_in_streams():
    """The state of a call that follows the first text is sealed for the client, although the request is freed when the
    first text is sent."""
    call = {"functionCall": {"name": "f", "args": {}}, "thoughtSignature": "c2lnbmF0dXJl"}
    stream = streaming(gemini_event({"text": "I look."}), gemini_event(call), gemini_event({"text": ""}, "STOP"))
    for request in (lambda mark: chat("gemini", mark, stream=True),
                    lambda mark: messages("gemini", mark, stream=True, thinking=THINKING)):
        answer = ask(request, stream)
        check(answer.status == 200 and answer.end == CLEAN, answer)
        check(b'"rc1.' in answer.body and b"c2lnbmF0dXJl" not in answer.body, answer)


def removes_seals_on_every_route():
    """A client that changes the model in the middle of a conversation returns the seals of one route to another, whose
    only target has the client's own API."""
    thought = {"type": "thinking", "thinking": "hm", "signature": "rc1.Zm9yZWlnbg"}
    turns = HI + [{"role": "assistant", "content": [thought, {"type": "text", "text": "a"}]}] + HI
    seen = []

    def answer_it(conn, request):
        seen.append(request.body)
        conn.sendall(http(b'{"id":"m","type":"message","role":"assistant","content":[],"stop_reason":"end_turn"}'))
        return True

    answer = ask(lambda mark: messages("claude", mark, messages=turns), answer_it)
    check(answer.status == 200 and b"rc1." not in seen[0] and b'"thinking"' not in seen[0], answer, seen)
    check(answer.get("x-recourse-translated") == "messages>messages; adapted=thinking.history", answer.head.raw)
    seen.clear()
    turns[1]["content"] = [dict(thought, signature="EqQBCgIYAh")]
    answer = ask(lambda mark: messages("claude", mark, messages=turns), answer_it)
    check(b"EqQBCgIYAh" in seen[0] and not answer.get("x-recourse-translated"), answer, seen)


# ---- bodies ----

GEMINI_HELLO = gemini_event({"text": "Hello"}, "STOP")


def translates_any_content_type():
    """The content type of a whole response does not matter, as on the path without translation."""
    for content_type in ("text/plain", "application/octet-stream", "application/json"):
        answer = ask(lambda mark: chat("gemini", mark), saying(http(json.dumps(GEMINI_HELLO).encode(),
                                                                    content_type=content_type)))
        check(answer.status == 200 and answer.end == CLEAN, content_type, answer)
        check(json.loads(answer.body)["choices"][0]["message"]["content"] == "Hello", content_type, answer)


def refuses_other_bodies():
    """A body that is no response never reaches a client of another API."""
    for body, content_type in ((b"<html>hi</html>", "text/html"), (b"", "application/json"),
                               (b"data: {}\n\n", "text/event-stream")):
        answer = ask(lambda mark: chat("gemini", mark), saying(http(body, content_type=content_type)))
        check(answer.status == 502 and answer.get("x-recourse-error-code") == "MalformedResponse", body, answer)


def reads_long_ends():
    """The last events of a stream of the Responses API repeat all content. The client gets the content once, and the
    end."""
    text = "y" * (3 << 10)
    item = {"id": "msg_1", "type": "message", "role": "assistant", "status": "completed",
            "content": [{"type": "output_text", "text": text * 1000, "annotations": []}]}
    events = [{"type": "response.created", "response": {"id": "resp_1", "status": "in_progress", "output": []}}]
    events += [{"type": "response.output_text.delta", "output_index": 0, "delta": text}] * 1000
    events += [{"type": "response.output_text.done", "output_index": 0, "text": text * 1000},
               {"type": "response.output_item.done", "output_index": 0, "item": item},
               {"type": "response.completed", "response": {"id": "resp_1", "status": "completed", "output": [item],
                                                           "usage": {"input_tokens": 3, "output_tokens": 5}}}]
    answer = ask(lambda mark: chat("new", mark, stream=True), streaming(*events))
    check(answer.status == 200 and answer.body.endswith(b"data: [DONE]\n\n"), answer)
    check(answer.body.count(b"y") == len(text) * 1000, answer.body.count(b"y"))


def advises_about_large_bodies():
    """A response that is too large to be translated: the advice is about the length, not about the connection."""
    message = {"role": "assistant", "content": "x" * (9 << 20)}
    large = {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}
    answer = ask(lambda mark: messages("gpt", mark), saying(http(json.dumps(large).encode())))
    check(answer.status == 502 and b"too large to be translated" in answer.body, answer)
    check(b"Limit the length of the response" in answer.body and b"base URL" not in answer.body, answer)


def names_what_cannot_be_read():
    """A body that is valid JSON, but cannot be translated: the message does not claim that it is no JSON."""
    for content in (b"[" * 200 + b"]" * 200, b'"\\ud800"'):
        body = b'{"model":"claude","messages":[{"role":"user","content":%b}]}' % content
        answer = ask(lambda mark: post("/v1/chat/completions", body, mark), saying(b""))
        check(answer.status == 400 and b"surrogate pair" in answer.body and b"128 levels" in answer.body, answer)


suite = Suite()
suite.case("a whole response is translated whatever its content type is", translates_any_content_type)
suite.case("a body that is no response is refused", refuses_other_bodies)
suite.case("the last events of a stream may repeat 3 MiB", reads_long_ends)
suite.case("a response that is too large comes with advice about its length", advises_about_large_bodies)
suite.case("a body that is too deep to be read is refused by this name", names_what_cannot_be_read)
suite.case("seals are removed on routes that do not translate", removes_seals_on_every_route)
suite.case("states that follow the first text of a stream are sealed", seals_in_streams)
main(suite, gateway, upstream)
