"""Chains whose targets have other APIs than the client: requests and responses are translated, and what is left out
or changed is reported."""

import json

from gateways import Lasting
from harness import IS_FEW, Suite, check, main, report_of
from peers import CLEAN, Client, Upstream, chunk, chunks, http, post, resetting, saying
from streams import parse_sse

QUICK = {"max_attempts": 2, "backoff": "fixed", "base_ms": 1, "jitter": "none"}
SSE = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
upstream = Upstream()


def provider(kind, path="", **more):
    return {"kind": kind, "base_url": upstream.url(path), "keys": ["env:KEY_1"], **more}


gateway = Lasting({
    "providers": {
        "claude": provider("anthropic"), "gpt": provider("openai", "/v1", interfaces=["chat"]),
        "compat": provider("anthropic", interfaces=["chat", "messages"]),
        "small": provider("openai_compatible", "/v1", context_tokens=20),
        "gemini": provider("gemini"),
        "blind": provider("openai_compatible", "/v1", capabilities=["streaming"]),
    },
    "policies": {"quick": QUICK}, "threads": 1, "cooldown_ms": 0, "breaker": {"min_calls": 0},
    "retry_budget": {"burst": 0},
    "routes": [
        {"model": "both", "policy": "quick", "chain": ["claude/claude-opus-4-8", "gpt/gpt-5"]},
        {"model": "chat-first", "policy": "quick", "chain": ["gpt/gpt-5", "claude/claude-opus-4-8"]},
        {"model": "gpt", "policy": "quick", "chain": ["gpt/gpt-5"]},
        {"model": "gemini", "policy": "quick", "chain": ["gemini/gemini-3-pro"]},
        {"model": "free", "policy": "quick", "chain": ["small/any", "blind/any", "gpt/gpt-5"]},
        {"model": "claude", "policy": "quick", "chain": ["claude/claude-opus-4-8"]},
        {"model": "exact", "policy": "quick", "translate": "exact", "chain": ["claude/c", "gpt/gpt-5"]},
        {"model": "off", "policy": "quick", "translate": "off", "chain": ["claude/c"]},
        {"model": "compat", "policy": "quick", "chain": ["compat/c"]},
        {"model": "masked", "policy": "quick", "chain": ["claude/c", "gpt/gpt-5"],
         "fallback_on": ["InvalidRequest"]},
        {"model": "overflow", "policy": "quick", "chain": ["claude/c"], "overflow_to": "gpt/gpt-5"},
        {"model": "hedged", "policy": "quick", "hedge_ms": 1, "chain": ["claude/c", "gpt/gpt-5"]},
    ]}).start()

# ---- requests ----

HI = [{"role": "user", "content": "Hi"}]
TOOL = {"type": "object", "properties": {"city": {"type": "string"}}}


def messages(model, mark, extra=b"", **more):
    body = {"model": model, "max_tokens": 100, "messages": HI, **more}
    return post("/v1/messages", json.dumps(body).encode(), mark, b"anthropic-version: 2023-06-01\r\n" + extra)


def chat(model, mark, **more):
    return post("/v1/chat/completions", json.dumps({"model": model, "messages": HI, **more}).encode(), mark)


def responses(model, mark, **more):
    return post("/v1/responses", json.dumps({"model": model, "input": "Hi", **more}).encode(), mark)


def gemini(model, mark, verb="streamGenerateContent?alt=sse"):
    return post(f"/v1beta/models/{model}:{verb}", b'{"contents":[{"role":"user","parts":[{"text":"Hi"}]}]}', mark)


def ask(request, *steps):
    """request: a function of the model's and the plan's names."""
    mark, plan = upstream.plan(*steps)
    with Client(gateway.port) as client:
        return client.ask(request(mark)), plan


# ---- responses ----

OVERLOADED = http(b'{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}', "529 Overloaded")
CHAT_USAGE = {"prompt_tokens": 30, "completion_tokens": 7, "total_tokens": 37,
              "prompt_tokens_details": {"cached_tokens": 10}}
CLAUDE_USAGE = {"input_tokens": 20, "cache_read_input_tokens": 6, "cache_creation_input_tokens": 4, "output_tokens": 7}


def whole_chat(message, finish="stop"):
    return http(json.dumps({"id": "c", "object": "chat.completion", "created": 1, "model": "gpt-5", "choices": [
        {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish}],
        "usage": CHAT_USAGE}).encode())


def whole_claude(content, stop="end_turn"):
    return http(json.dumps({"id": "m", "type": "message", "role": "assistant", "model": "c", "content": content,
                            "stop_reason": stop, "usage": CLAUDE_USAGE}).encode())


CHAT_HELLO = whole_chat({"content": "Hello"})
CLAUDE_HELLO = whole_claude([{"type": "text", "text": "Hello"}])


def chat_event(delta, finish=None, **more):
    return b"data: " + json.dumps({"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "gpt-5",
                                   "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
                                   **more}).encode() + b"\n\n"


def chat_call(index, call_id=None, name=None, arguments=""):
    call = {"index": index, "function": {"arguments": arguments}}
    if call_id:
        call.update(id=call_id, type="function")
        call["function"]["name"] = name
    return chat_event({"tool_calls": [call]})


CHAT_END = [b"data: " + json.dumps({"choices": [], "usage": CHAT_USAGE}).encode() + b"\n\n", b"data: [DONE]\n\n"]


def claude_event(name, **more):
    return b"event: %b\ndata: " % name.encode() + json.dumps({"type": name, **more}).encode() + b"\n\n"


def claude_stream(*blocks, stop="end_turn"):
    """blocks: (content_block, deltas)."""
    events = [claude_event("message_start", message={"id": "m", "type": "message", "role": "assistant", "content": [],
                                                     "usage": {**CLAUDE_USAGE, "output_tokens": 1}}),
              claude_event("ping")]
    for index, (block, deltas) in enumerate(blocks):
        events.append(claude_event("content_block_start", index=index, content_block=block))
        events += [claude_event("content_block_delta", index=index, delta=delta) for delta in deltas]
        events.append(claude_event("content_block_stop", index=index))
    return events + [claude_event("message_delta", delta={"stop_reason": stop}, usage={"output_tokens": 7}),
                     claude_event("message_stop")]


CHAT_STREAM = [chat_event({"role": "assistant", "content": ""}), chat_event({"content": "Hel"}),
               chat_event({"content": "lo"}), chat_event({}, "stop"), *CHAT_END]
CLAUDE_STREAM = claude_stream(({"type": "text", "text": ""}, [{"type": "text_delta", "text": "Hel"},
                                                             {"type": "text_delta", "text": "lo"}]))


def gemini_event(text, **more):
    return b"data: " + json.dumps({"candidates": [{"content": {"role": "model", "parts": [{"text": text}]}, "index": 0,
                                                   **more}],
                                   "usageMetadata": {"promptTokenCount": 30, "candidatesTokenCount": 5,
                                                     "thoughtsTokenCount": 2, "totalTokenCount": 37}}).encode() + b"\n\n"


GEMINI_STREAM = [gemini_event("Hel"), gemini_event("lo", finishReason="STOP")]


def streaming(pieces):
    return saying(SSE + chunks(pieces))


def events_of(answer):
    return [(name, json.loads(data)) for name, data in parse_sse(answer.body)[0] if data != "[DONE]"]


def is_refused(answer, code, word, *named):
    check(answer.status == 422, answer, answer.head.raw if answer.head else "")
    report = report_of(json.loads(answer.body))
    check(report["error_code"] == code, report)
    check(answer.get("x-should-retry") == "false", answer.head.raw)
    for text in (word, *named):
        check(text in report["message"], report["message"])


def record_of(answer):
    """Returns the audit records of a request."""
    done = gateway.run("audit", "show", answer.get("x-recourse-request-id"), "--format", "json")
    return json.loads(done.stdout)["records"]


# ---- whole responses ----


def fails_over_to_another_api():
    answer, plan = ask(lambda mark: messages("both", mark, system="Be brief."), saying(OVERLOADED), saying(CHAT_HELLO))
    check(answer.status == 200 and answer.end == CLEAN, answer)
    body = json.loads(answer.body)
    check(body["type"] == "message" and body["content"] == [{"type": "text", "text": "Hello"}], body)
    check(body["stop_reason"] == "end_turn", body)
    check(answer.get("x-recourse-translated") == "messages>chat; exact", answer.head.raw)
    check([seen.path for seen in plan.seen] == ["/v1/messages", "/v1/chat/completions"], plan.seen)
    first, second = plan.seen
    check(json.loads(first.body) == {"model": "claude-opus-4-8", "max_tokens": 100, "messages": HI,
                                     "system": "Be brief."}, first.body)
    check(b'"max_tokens": 100, "messages": [{"role": "user", "content": "Hi"}]' in first.body, "rewritten", first.body)
    sent = json.loads(second.body)
    check(sent["messages"][0] == {"role": "system", "content": "Be brief."} and sent["model"] == "gpt-5", sent)
    check(second.get("authorization") == "Bearer key-1111" and not second.get("anthropic-version"), second.raw)
    check(second.get("content-type") == "application/json" and not second.get("x-api-key"), second.raw)
    attempts = [record for record in record_of(answer) if record["kind"] == "attempt"]
    check([one.get("translated") for one in attempts] == [None, "messages>chat; exact"], attempts)


def fails_over_the_other_way():
    answer, plan = ask(lambda mark: chat("chat-first", mark), saying(http(b"{}", "503 No")), saying(CLAUDE_HELLO))
    body = json.loads(answer.body)
    check(answer.status == 200 and body["object"] == "chat.completion", answer)
    check(body["choices"][0]["message"]["content"] == "Hello", body)
    check(body["choices"][0]["finish_reason"] == "stop", body)
    check(answer.get("x-recourse-translated").startswith("chat>messages; "), answer.head.raw)
    sent = plan.seen[1]
    check(sent.path == "/v1/messages" and sent.get("anthropic-version") == "2023-06-01", sent.raw)
    check(sent.get("x-api-key") == "key-1111" and not sent.get("authorization"), sent.raw)
    check(json.loads(sent.body)["max_tokens"] > 0, sent.body)


def keeps_the_own_dialect():
    """The client's own dialect in a mixed chain passes byte for byte, and no header is added."""
    raw = b'{"model":"both" , "max_tokens":5,"new_member":[1, 2],"messages":[{"role":"user","content":"Hi"}]}'
    answer, plan = ask(lambda mark: post("/v1/messages", raw, mark), saying(CLAUDE_HELLO))
    check(answer.status == 200 and answer.body == CLAUDE_HELLO.partition(b"\r\n\r\n")[2], answer)
    check(plan.seen[0].body == raw.replace(b'"both"', b'"claude-opus-4-8"'), plan.seen[0].body)
    check(not answer.get("x-recourse-translated"), answer.head.raw)


def translates_for_a_native_provider():
    """A chat client at a provider of kind anthropic is translated; `interfaces` brings the provider's own endpoint for
    chat back."""
    answer, plan = ask(lambda mark: chat("claude", mark), saying(CLAUDE_HELLO))
    check(answer.status == 200 and plan.seen[0].path == "/v1/messages", answer, plan.seen)
    answer, plan = ask(lambda mark: chat("compat", mark), saying(CHAT_HELLO))
    check(answer.status == 200 and plan.seen[0].path == "/v1/chat/completions", answer, plan.seen)
    check(not answer.get("x-recourse-translated"), answer.head.raw)


def reports_what_is_adapted():
    content = [{"type": "text", "text": "Hi", "cache_control": {"type": "ephemeral"}}]
    answer, plan = ask(lambda mark: messages("gpt", mark, top_k=3, messages=[{"role": "user", "content": content}]),
                       saying(CHAT_HELLO))
    check(answer.status == 200, answer)
    check(answer.get("x-recourse-translated") == "messages>chat; adapted=cache_control,top_k", answer.head.raw)
    check(b"cache_control" not in plan.seen[0].body and b"top_k" not in plan.seen[0].body, plan.seen[0].body)
    shown = gateway.run("audit", "show", answer.get("x-recourse-request-id")).stdout.decode()
    check("messages>chat; adapted=cache_control,top_k" in " ".join(shown.split()), shown)


def translates_a_tool_round():
    tools = [{"name": "weather", "description": "d", "input_schema": TOOL}]
    calls = {"content": None, "tool_calls": [
        {"id": "call_1", "type": "function", "function": {"name": "weather", "arguments": '{"city":"Oslo"}'}}]}
    answer, plan = ask(lambda mark: messages("gpt", mark, tools=tools), saying(whole_chat(calls, "tool_calls")))
    body = json.loads(answer.body)
    check(body["stop_reason"] == "tool_use", body)
    check(body["content"] == [{"type": "tool_use", "id": "call_1", "name": "weather", "input": {"city": "Oslo"}}], body)
    turns = HI + [{"role": "assistant", "content": body["content"]},
                  {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "call_1", "content": "rain"}]}]
    answer, plan = ask(lambda mark: messages("gpt", mark, tools=tools, messages=turns), saying(CHAT_HELLO))
    sent = json.loads(plan.seen[0].body)
    check(sent["messages"][1]["tool_calls"][0]["id"] == "call_1", sent)
    check(sent["messages"][2] == {"role": "tool", "tool_call_id": "call_1", "content": "rain"}, sent)
    check(answer.status == 200, answer)


def restores_long_names():
    name = "n" * 100
    tools = [{"name": name, "input_schema": TOOL}]
    seen = []

    def call_it(conn, request):
        seen.append(json.loads(request.body)["tools"][0]["function"]["name"])
        conn.sendall(whole_chat({"content": None, "tool_calls": [
            {"id": "a|b", "type": "function", "function": {"name": seen[0], "arguments": "{}"}}]}, "tool_calls"))
        return True

    answer, _ = ask(lambda mark: messages("gpt", mark, tools=tools), call_it)
    block = json.loads(answer.body)["content"][0]
    check(len(seen[0]) == 64 and block["name"] == name, seen, block)
    check("|" not in block["id"] and block["id"], block)

    def stream_it(conn, request):
        short = json.loads(request.body)["tools"][0]["function"]["name"]
        conn.sendall(SSE + chunks([chat_event({"content": "x"}), chat_call(0, "c1", short, "{}"),
                                   chat_event({}, "tool_calls"), *CHAT_END]))
        return True

    answer, _ = ask(lambda mark: messages("gpt", mark, tools=tools, stream=True), stream_it)
    starts = [event["content_block"] for event_name, event in events_of(answer)
              if event_name == "content_block_start"]
    check(starts[1]["name"] == name, starts)


def counts_the_provider_s_tokens():
    """The client hears the provider's counts in its own form, and the record has them unchanged."""
    answer, _ = ask(lambda mark: chat("claude", mark), saying(CLAUDE_HELLO))
    usage = json.loads(answer.body)["usage"]
    check(usage["prompt_tokens"] == 30 and usage["completion_tokens"] == 7, usage)
    check(usage["prompt_tokens_details"]["cached_tokens"] == 6, usage)
    attempt, = [record for record in record_of(answer) if record["kind"] == "attempt"]
    check(attempt["tokens_in"] == 30 and attempt["tokens_out"] == 7, attempt)
    answer, _ = ask(lambda mark: messages("gpt", mark), saying(CHAT_HELLO))
    usage = json.loads(answer.body)["usage"]
    check((usage["input_tokens"], usage["cache_read_input_tokens"], usage["output_tokens"]) == (20, 10, 7), usage)


def removes_foreign_seals():
    """The reasoning of a translated response comes back to a target of the client's own API: it is cut out, and all
    other bytes stay. The history with Claude's own reasoning stays as it is."""
    def asked(signature):
        thought = b'{"type":"thinking","thinking":"hm","signature":"%b"}' % signature
        raw = (b'{"model":"both","max_tokens":5,"messages":[{"role":"user","content":"Hi"},{"role":"assistant",'
               b'"content":[%b,{"type":"text","text":"a"}]},{"role":"user","content":"b"}]}' % thought)
        answer, plan = ask(lambda mark: post("/v1/messages", raw, mark), saying(CLAUDE_HELLO))
        check(answer.status == 200 and plan.seen[0].path == "/v1/messages", answer)
        return raw, answer, plan.seen[0].body

    raw, answer, sent = asked(b"EqQBCgIYAh")
    check(sent == raw.replace(b'"both"', b'"claude-opus-4-8"') and not answer.get("x-recourse-translated"), sent)
    raw, answer, sent = asked(b"rc1.Zm9yZWlnbg")
    check(b"rc1." not in sent and b'"thinking"' not in sent and b'"claude-opus-4-8"' in sent, sent)
    check([turn["role"] for turn in json.loads(sent)["messages"]] == ["user", "assistant", "user"], sent)
    check(answer.get("x-recourse-translated") == "messages>messages; adapted=thinking.history", answer.head.raw)
    check(CLAUDE_HELLO.endswith(answer.body), answer)


# ---- requests that a target cannot carry ----


def skips_without_a_call():
    answer, plan = ask(lambda mark: chat("both", mark, response_format={"type": "json_object"}), saying(CHAT_HELLO))
    check(answer.status == 200 and [seen.path for seen in plan.seen] == ["/v1/chat/completions"], answer, plan.seen)
    check(answer.get("x-recourse-attempts") == "1" and not answer.get("x-recourse-translated"), answer.head.raw)
    skip, = [record for record in record_of(answer) if record["kind"] == "skip"]
    check(skip["target"] == "claude/claude-opus-4-8" and skip["reason"] == "skip_translation", skip)
    check(skip["text"] == "`json_object` cannot be expressed in the messages API", skip)


def refuses_when_none_is_left():
    answer, plan = ask(lambda mark: chat("claude", mark, response_format={"type": "json_object"}))
    is_refused(answer, "MissingStructuredOutput", "json_object", "claude/claude-opus-4-8")
    answer, plan = ask(lambda mark: chat("claude", mark, n=2))
    is_refused(answer, "UnsupportedFeature", "`n`")
    check(not plan.seen, plan.seen)
    answer, plan = ask(lambda mark: messages("gpt", mark, container="c_1"))
    is_refused(answer, "UnsupportedFeature", "container")
    check(json.loads(answer.body)["type"] == "error", answer)


def skips_models_that_are_too_small():
    image = [{"role": "user", "content": [
        {"type": "text", "text": "what is this? " * 30},
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGk="}}]}]
    answer, plan = ask(lambda mark: messages("free", mark, messages=image), saying(CHAT_HELLO))
    check(answer.status == 200 and answer.get("x-recourse-target") == "gpt/gpt-5", answer, answer.head.raw)
    skips = [(record["target"], record["text"]) for record in record_of(answer) if record["kind"] == "skip"]
    check(skips == [("small/any", "the request is longer than the context window of the model"),
                    ("blind/any", "`image` cannot be expressed in the chat API")], skips)


def keeps_to_exact_translations():
    answer, plan = ask(lambda mark: messages("exact", mark, top_k=3), saying(OVERLOADED))
    check(answer.status == 529 and len(plan.seen) == 2, answer, plan.seen)
    check({seen.path for seen in plan.seen} == {"/v1/messages"}, plan.seen)
    answer, plan = ask(lambda mark: messages("exact", mark), saying(OVERLOADED), saying(CHAT_HELLO))
    check(answer.status == 200 and answer.get("x-recourse-translated") == "messages>chat; exact", answer)


def keeps_to_one_api():
    answer, plan = ask(lambda mark: chat("off", mark))
    check(answer.status == 422 and not plan.seen, answer)
    check("Anthropic's" in report_of(json.loads(answer.body))["message"], answer)


def refuses_what_it_cannot_read():
    answer, plan = ask(lambda mark: post("/v1/messages", b'{"model":"gpt","max_tokens":5,"messages":[{]}', mark))
    check(answer.status in (400, 422) and not plan.seen, answer)
    answer, plan = ask(lambda mark: messages("gpt", mark, messages="no list"))
    report = report_of(json.loads(answer.body))
    check(report["error_code"] == "InvalidRequest" and "messages" in report["message"], report)


def estimates_tokens():
    """No target of the route can count tokens, so the gateway responds with its estimate."""
    answer, plan = ask(lambda mark: post("/v1/messages/count_tokens", json.dumps(
        {"model": "gpt", "messages": [{"role": "user", "content": "one two three " * 20}]}).encode(), mark))
    check(answer.status == 200 and not plan.seen, answer)
    check(20 < json.loads(answer.body)["input_tokens"] < 200, answer)
    check(answer.get("x-recourse-translated") == "messages>chat; adapted=estimated", answer.head.raw)
    answer, plan = ask(lambda mark: post("/v1/messages/count_tokens", json.dumps(
        {"model": "both", "messages": HI}).encode(), mark), saying(http(b'{"input_tokens":3}')))
    check(json.loads(answer.body) == {"input_tokens": 3} and not answer.get("x-recourse-translated"), answer)


# ---- failures ----


def retries_malformed_calls():
    cut = whole_chat({"content": None, "tool_calls": [
        {"id": "c", "type": "function", "function": {"name": "f", "arguments": '{"a":'}}]}, "tool_calls")
    answer, plan = ask(lambda mark: messages("gpt", mark), saying(cut), saying(CHAT_HELLO))
    check(answer.status == 200 and len(plan.seen) == 2, answer)
    answer, plan = ask(lambda mark: messages("gpt", mark), saying(cut))
    check(answer.status == 502 and answer.get("x-recourse-error-code") == "MalformedResponse", answer)


def masks_and_overflows():
    refused = http(b'{"type":"error","error":{"type":"invalid_request_error","message":"tools: bad"}}', "400 No")
    answer, plan = ask(lambda mark: messages("masked", mark), saying(refused), saying(CHAT_HELLO))
    check(answer.status == 200 and answer.get("x-recourse-translated"), answer)
    long = http(b'{"type":"error","error":{"type":"invalid_request_error","message":'
                b'"prompt is too long: 210000 tokens > 200000 maximum"}}', "400 No")
    answer, plan = ask(lambda mark: messages("overflow", mark), saying(long), saying(CHAT_HELLO))
    check(answer.status == 200 and json.loads(answer.body)["type"] == "message", answer)
    check(answer.get("x-recourse-target") == "gpt/gpt-5", answer.head.raw)


def hedges_with_another_api():
    """The first target never responds; the hedge at the other API wins."""
    mark, plan = upstream.plan(lambda conn, request: conn.recv(1) != b"", saying(CHAT_HELLO))
    with Client(gateway.port) as client:
        answer = client.ask(messages("hedged", mark))
    check(answer.status == 200 and json.loads(answer.body)["type"] == "message", answer)
    check(answer.get("x-recourse-translated") == "messages>chat; exact", answer.head.raw)


# ---- streams ----


def streams_to_messages():
    answer, plan = ask(lambda mark: messages("both", mark, stream=True), saying(OVERLOADED), streaming(CHAT_STREAM))
    check(answer.status == 200 and answer.end == CLEAN, answer)
    names = [name for name, _ in events_of(answer)]
    check(names == ["message_start", "content_block_start", "content_block_delta", "content_block_delta",
                    "content_block_stop", "message_delta", "message_stop"], names)
    events = [event for _, event in events_of(answer)]
    check(events[0]["message"]["usage"]["input_tokens"] > 0, events[0])
    check("".join(event["delta"]["text"] for event in events[2:4]) == "Hello", events)
    check(events[5]["usage"]["input_tokens"] == 20 and events[5]["usage"]["output_tokens"] == 7, events[5])
    sent = json.loads(plan.seen[1].body)
    check(sent["stream"] is True and sent["stream_options"] == {"include_usage": True}, sent)
    check(answer.get("x-recourse-translated") == "messages>chat; exact", answer.head.raw)
    check(answer.get("content-type").startswith("text/event-stream"), answer.head.raw)
    attempt = [record for record in record_of(answer) if record["kind"] == "attempt"][1]
    check(attempt["tokens_in"] == 30 and attempt["tokens_out"] == 7, attempt)


def streams_to_chat():
    for usage in (False, True):
        more = {"stream_options": {"include_usage": True}} if usage else {}
        answer, _ = ask(lambda mark: chat("claude", mark, stream=True, **more), streaming(CLAUDE_STREAM))
        check(answer.status == 200 and answer.end == CLEAN and answer.body.endswith(b"data: [DONE]\n\n"), answer)
        events = [event for _, event in events_of(answer)]
        text = "".join(event["choices"][0]["delta"].get("content", "") for event in events if event["choices"])
        check(text == "Hello", events)
        check(("usage" in events[-1] and events[-1]["choices"] == []) == usage, events[-1])
        if usage:
            check(events[-1]["usage"]["prompt_tokens"] == 30, events[-1])


def streams_interleaved_calls():
    """Calls that the provider sends alternately arrive one after the other, each whole."""
    pieces = [chat_call(0, "c0", "f", '{"a"'), chat_call(1, "c1", "g", '{"b"'), chat_call(0, arguments=":1}"),
              chat_call(1, arguments=":2}"), chat_call(2, "c2", "h"), chat_event({}, "tool_calls"), *CHAT_END]
    answer, _ = ask(lambda mark: messages("gpt", mark, stream=True), streaming(pieces))
    opened, arguments, is_open = [], {}, None
    for name, event in events_of(answer):
        if name == "content_block_start":
            check(is_open is None, "two open blocks", answer)
            is_open = event["index"]
            opened.append(event["content_block"]["name"])
        elif name == "content_block_delta":
            check(event["index"] == is_open, event)
            arguments[is_open] = arguments.get(is_open, "") + event["delta"]["partial_json"]
        elif name == "content_block_stop":
            is_open = None
    check(opened == ["f", "g", "h"], opened)
    check([json.loads(arguments.get(i) or "{}") for i in range(3)] == [{"a": 1}, {"b": 2}, {}], arguments)
    check(events_of(answer)[-2][1]["delta"]["stop_reason"] == "tool_use", answer)


def fails_over_before_content():
    """An error before the first content for the client is not seen by the client."""
    error = claude_event("error", error={"type": "overloaded_error", "message": "Overloaded"})
    answer, plan = ask(lambda mark: chat("claude", mark, stream=True), streaming(CLAUDE_STREAM[:2] + [error]),
                       streaming(CLAUDE_STREAM))
    check(answer.status == 200 and answer.end == CLEAN and len(plan.seen) == 2, answer)
    hidden = claude_stream(({"type": "thinking", "thinking": ""}, [{"type": "thinking_delta", "thinking": "hm"}]))
    answer, plan = ask(lambda mark: messages("both", mark, stream=True), streaming(hidden[:2] + [error]),
                       streaming(CHAT_STREAM))
    check(answer.status == 200 and len(plan.seen) == 2, answer)


def ends_with_the_client_s_error():
    error = b'data: {"error":{"message":"The server is overloaded","type":"server_error","code":"overloaded"}}\n\n'
    answer, plan = ask(lambda mark: messages("gpt", mark, stream=True), streaming(CHAT_STREAM[:3] + [error]))
    check(len(plan.seen) == 1 and answer.end == CLEAN, answer)
    names = [name for name, _ in events_of(answer)]
    check(names[-1] == "error" and "message_stop" not in names, names)
    check("report" in str(events_of(answer)[-1][1]) or "recourse" in events_of(answer)[-1][1], answer)


def streams_between_all_apis():
    """Text and the provider's counts, for clients of Gemini's and the Responses API and from Gemini."""
    answer, _ = ask(lambda mark: chat("gemini", mark, stream=True, stream_options={"include_usage": True}),
                    streaming(GEMINI_STREAM))
    check(answer.status == 200 and answer.body.endswith(b"data: [DONE]\n\n"), answer)
    check(events_of(answer)[-1][1]["usage"]["completion_tokens"] == 7, answer)
    answer, _ = ask(lambda mark: responses("claude", mark, stream=True), streaming(CLAUDE_STREAM))
    names = [name for name, _ in events_of(answer)]
    check(names[0] == "response.created" and names[-1] == "response.completed", names)
    check([event["sequence_number"] for _, event in events_of(answer)] == list(range(len(names))), answer)
    check(events_of(answer)[-1][1]["response"]["usage"]["input_tokens"] == 30, answer)
    answer, _ = ask(lambda mark: gemini("gpt", mark), streaming(CHAT_STREAM))
    check(answer.status == 200 and answer.get("content-type").startswith("text/event-stream"), answer)
    texts = [part["text"] for _, event in events_of(answer) for part in event["candidates"][0]["content"].get("parts", [])]
    check("".join(texts) == "Hello", answer)
    answer, _ = ask(lambda mark: gemini("gpt", mark, "streamGenerateContent"), streaming(CHAT_STREAM))
    check(answer.get("content-type").startswith("application/json") and isinstance(json.loads(answer.body), list), answer)


def errors_in_the_client_s_form():
    """After content a failure is the client's own error: numbered for the Responses API, an element of the array for
    Gemini."""
    cut = SSE + b"".join(chunk(piece) for piece in CLAUDE_STREAM[:5])
    answer, _ = ask(lambda mark: responses("claude", mark, stream=True), resetting(cut))
    events = [event for _, event in events_of(answer)]
    numbers = [event["sequence_number"] for event in events]
    check(numbers == list(range(len(numbers))) and "response.completed" not in answer.body.decode(), answer)
    check("error" in json.dumps(events[-1]), events[-1])
    cut = SSE + b"".join(chunk(piece) for piece in CHAT_STREAM[:3])
    answer, _ = ask(lambda mark: gemini("gpt", mark, "streamGenerateContent"), resetting(cut))
    elements = json.loads(answer.body)
    check("error" in elements[-1] and "finishReason" not in answer.body.decode(), answer)


def cut_anywhere(name, request, pieces, is_end):
    """A stream that is cut after any of its events ends as a whole response or as the client's error, never as a
    complete stream without its end."""
    whole = SSE + b"".join(chunk(piece) for piece in pieces)
    step = 37 if IS_FEW else 1
    for end in range(len(SSE), len(whole), step):
        answer, _ = ask(request, resetting(whole[:end]))
        if answer.status == 200 and is_end(answer.body):
            ends = (b"[DONE]", b'"message_stop"}', b'"finishReason": "STOP"')
            check(any(end_of in whole[:end] for end_of in ends), name, end, answer)
        elif answer.status == 200:
            events = events_of(answer)
            failed = events and (events[-1][1].get("error") or events[-1][1].get("response", {}).get("error"))
            check(failed, name, end, answer)
        else:
            check(answer.status in (502, 503, 504), name, end, answer)


suite = Suite(threads=4)
suite.case("a messages client fails over from Anthropic to OpenAI", fails_over_to_another_api)
suite.case("a chat client fails over from OpenAI to Anthropic", fails_over_the_other_way)
suite.case("the client's own dialect passes byte for byte in a mixed chain", keeps_the_own_dialect)
suite.case("a chat client at a provider of kind anthropic is translated", translates_for_a_native_provider)
suite.case("header, record and audit show name what was adapted", reports_what_is_adapted)
suite.case("a tool call and its result go through", translates_a_tool_round)
suite.case("a tool name of 100 letters comes back as it was", restores_long_names)
suite.case("the provider's token counts reach client and record", counts_the_provider_s_tokens)
suite.case("a target that cannot carry the request is skipped without a call", skips_without_a_call)
suite.case("a request that no target can carry gets a 422 that names the feature", refuses_when_none_is_left)
suite.case("targets without vision or with a small context window are skipped", skips_models_that_are_too_small)
suite.case("translate: exact refuses what would be adapted", keeps_to_exact_translations)
suite.case("translate: off refuses other interfaces", keeps_to_one_api)
suite.case("a request that cannot be read is refused", refuses_what_it_cannot_read)
suite.case("seals of translated responses are cut out for the own API", removes_foreign_seals)
suite.case("count_tokens is estimated if no target can count", estimates_tokens)
suite.case("a call whose arguments are cut is retried", retries_malformed_calls)
suite.case("fallback_on and overflow_to use another API", masks_and_overflows)
suite.case("a hedge uses another API", hedges_with_another_api)
suite.case("a chat stream becomes a messages stream", streams_to_messages)
suite.case("a messages stream becomes a chat stream", streams_to_chat)
suite.case("interleaved calls arrive one after the other", streams_interleaved_calls)
suite.case("errors before the first content are retried", fails_over_before_content)
suite.case("an error after content is the client's own error event", ends_with_the_client_s_error)
suite.case("streams of Gemini and the Responses API", streams_between_all_apis)
suite.case("errors after content in the forms of Gemini and the Responses API", errors_in_the_client_s_form)
suite.case("a cut gemini stream never looks complete to a chat client", cut_anywhere, "gemini",
           lambda mark: chat("gemini", mark, stream=True), GEMINI_STREAM, lambda body: b"[DONE]" in body)
suite.case("a cut messages stream never looks complete to a responses client", cut_anywhere, "messages",
           lambda mark: responses("claude", mark, stream=True), CLAUDE_STREAM,
           lambda body: b"response.completed" in body)
suite.case("a cut chat stream never looks complete to a gemini client", cut_anywhere, "chat",
           lambda mark: gemini("gpt", mark), CHAT_STREAM, lambda body: b'"finishReason"' in body)
suite.case("a cut chat stream never looks complete to a messages client", cut_anywhere, "chat",
           lambda mark: messages("gpt", mark, stream=True), CHAT_STREAM, lambda body: b"message_stop" in body)
suite.case("a cut messages stream never looks complete to a chat client", cut_anywhere, "messages",
           lambda mark: chat("claude", mark, stream=True), CLAUDE_STREAM, lambda body: b"[DONE]" in body)
main(suite, gateway, upstream)
