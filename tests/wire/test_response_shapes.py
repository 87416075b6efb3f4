"""A stream where one body was requested, and one body where a stream was requested: a response that the client cannot read
is a failure in every dialect. A response with another content type, or with bytes before its content, passes."""

import json

from gateways import OUTCOMES, Lasting
from harness import Suite, check, main, report_of
from peers import CLEAN, Client, Upstream, chunk, chunks, config, http, post, say, saying
from streams import ANTHROPIC, ARRAY, CHAT, COMPLETIONS, GEMINI, RESPONSES, framed, parse_sse

MALFORMED, FILTERED, UNKNOWN = 210, 409, "OutcomeUnknown"
RATE_LIMITED = 201
upstream = Upstream()
whole = config(upstream)
whole["audit"] = {"durability": "before-response"}
whole["routes"].insert(0, {"model": "twice", "policy": "quick", "chain": [{"target": "a/m", "tries": 2}]})
gateway = Lasting({**whole, "threads": 1, "clients": [], "limits": {"replay_bytes": 65536}}).start()

HI = [{"role": "user", "content": "Hi"}]
USED = (7, 5)


class One:
    """An endpoint without streaming: its request, a response, and the sample of the stream that it could be taken
    for."""

    def __init__(self, path, body, answer, sample):
        self.path, self.sample = path, sample
        self.body = json.dumps(body).encode()
        self.answer = json.dumps(answer).encode()

    def request(self, mark, extra=b""):
        return post(self.path, self.body, mark, extra)


COUNT = {"prompt_tokens": USED[0], "completion_tokens": USED[1], "total_tokens": sum(USED)}
ONES = {
    "chat": One("/v1/chat/completions", {"model": "two", "messages": HI},
                {"choices": [{"index": 0, "message": {"content": "Hello"}, "finish_reason": "stop"}],
                 "usage": COUNT}, CHAT),
    "completions": One("/v1/completions", {"model": "two", "prompt": "Hi"},
                       {"choices": [{"index": 0, "text": "Hello", "finish_reason": "stop"}], "usage": COUNT},
                       COMPLETIONS),
    "responses": One("/v1/responses", {"model": "two", "input": "Hi"},
                     {"object": "response", "status": "completed", "output": [{"type": "message"}],
                      "usage": {"input_tokens": USED[0], "output_tokens": USED[1]}}, RESPONSES),
    "messages": One("/v1/messages", {"model": "claude", "max_tokens": 9, "messages": HI},
                    {"type": "message", "content": [{"type": "text", "text": "Hello"}],
                     "stop_reason": "end_turn",
                     "usage": {"input_tokens": USED[0], "output_tokens": USED[1]}}, ANTHROPIC),
    "generate": One("/v1beta/models/gemini:generateContent", {"contents": [{"parts": [{"text": "Hi"}]}]},
                    {"candidates": [{"content": {"parts": [{"text": "Hello"}]}, "finishReason": "STOP"}],
                     "usageMetadata": {"promptTokenCount": USED[0], "candidatesTokenCount": USED[1]}}, GEMINI),
}
OBJECT, EVENTS, LIST = "one JSON object", "a stream of events", "a JSON array"


def typed(body, content_type):
    """Returns a response. content_type: None for a response without this header."""
    if content_type is None:
        return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body)
    return http(body, content_type=content_type)


def events_of(sample, mark=b""):
    return b"".join(sample.pieces(mark))


def ask(one, *steps, extra=b""):
    mark, plan = upstream.plan(*steps)
    with Client(gateway.port) as client:
        return client.ask(one.request(mark, extra)), plan


def record_of(answer):
    name = "rep" + answer.get("x-recourse-request-id")[3:]
    (outcome, code, op), = gateway.rows("SELECT outcome, code, op FROM operations WHERE id = ?", name)
    tries = gateway.rows("SELECT code, status, tokens_in, tokens_out FROM records WHERE op = ? AND kind = 2"
                         " ORDER BY seq", op)
    return OUTCOMES[outcome], code, tries


def good_of(one):
    """Returns the right response to the request, and its body."""
    if isinstance(one, One):
        return http(one.answer), one.answer
    head, body = framed(one, "chunked", b"B")
    return head + body, events_of(one, b"B")


def is_none(one, data, asked, came, used=None):
    """Checks that a response in the wrong form (`data`) leads to an attempt at the next target and
    that the usage of this response is recorded. If the last target responds in the wrong form, too,
    the error must state the requested form (`asked`) and the received form (`came`)."""
    good, body = good_of(one)
    answer, plan = ask(one, saying(data), saying(good))
    check(answer.status == 200 and answer.end == CLEAN and answer.body == body, answer)
    check([request.path[:3] for request in plan.seen] == ["/a/", "/b/"], plan.seen)
    outcome, _, tries = record_of(answer)
    check(outcome == "succeeded" and len(tries) == 2, outcome, tries)
    check(tries[0][:2] == (MALFORMED, 200) and tries[1][:2] == (0, 200), tries)
    check(used is None or tries[0][2:] == used, "used:", tries)
    answer, plan = ask(one, saying(data), saying(data))
    check(answer.status == 502 and len(plan.seen) == 2, answer, len(plan.seen))
    check(answer.get("x-recourse-error-code") == "MalformedResponse", answer.head.raw)
    words = f"{asked[0].upper()}{asked[1:]} was requested, but {came} arrived."
    check(words.encode() in answer.body, words, answer)


def passes(one, data, body):
    answer, plan = ask(one, saying(data))
    check(answer.status == 200 and answer.end == CLEAN and len(plan.seen) == 1, answer)
    check(answer.body == body, "other bytes:", answer)
    check(record_of(answer)[0] == "succeeded", record_of(answer))


def in_bytes(one, head, body):
    """Sends the response of the provider in chunks of one byte."""
    def step(conn, _):
        conn.sendall(head + b"Transfer-Encoding: chunked\r\n\r\n")
        for at in range(len(body)):
            conn.sendall(chunk(body[at:at + 1]))
        return say(conn, b"0\r\n\r\n")
    return ask(one, step, saying(good_of(one)[0]))


def passes_in_bytes(sample, head, front):
    answer, plan = in_bytes(sample, head, front + events_of(sample))
    check(answer.status == 200 and answer.body == front + events_of(sample), answer)
    check(len(plan.seen) == 1, "tried again")


def fails_in_bytes(one, head, body):
    answer, plan = in_bytes(one, head, body)
    check(answer.status == 200 and answer.body == good_of(one)[1] and len(plan.seen) == 2, answer)


def object_passes_in_bytes(one, body):
    answer, plan = in_bytes(one, b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n", body)
    check(answer.status == 200 and answer.body == body and len(plan.seen) == 1, answer)


def is_counted(one, data):
    answer, _ = ask(one, saying(data))
    check(record_of(answer)[2] == [(0, 200, *USED)], record_of(answer))


def is_malformed(one, data):
    good, body = good_of(one)
    answer, plan = ask(one, saying(data), saying(good))
    check(answer.status == 200 and answer.body == body and len(plan.seen) == 2, answer)
    check(record_of(answer)[2][0][:2] == (MALFORMED, 200), record_of(answer))


def is_error_in_bytes(status, body):
    """An error after a byte order mark is recognised, even if the mark arrives in three pieces."""
    answer, plan = in_bytes(CHAT, f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\n".encode(), body)
    check(answer.status == 200 and len(plan.seen) == 2, answer)
    check(record_of(answer)[2][0][0] == RATE_LIMITED, record_of(answer))


def is_error(one, data, code, status):
    """An error is classified as such, whatever form was requested."""
    answer, _ = ask(one, saying(data), saying(data))
    check(answer.get("x-recourse-error-code") == code and answer.status == status, answer.head.raw, answer)


def is_once(one, data, extra=b""):
    """A request that must not be sent twice is not retried after a response in another shape; the
    outcome is unknown."""
    answer, plan = ask(one, saying(data), extra=extra)
    check(answer.get("x-recourse-error-code") == UNKNOWN and len(plan.seen) == 1, answer)
    check(answer.get("x-should-retry") == "false", answer.head.raw)


def is_large(one, data):
    good, body = good_of(one)
    answer, plan = ask(one, saying(data), saying(good))
    check(answer.status == 200 and answer.body == body and len(plan.seen) == 2, answer)


def is_filtered(one, data):
    """After a content filter no other target is tried, because the result would be the same."""
    answer, plan = ask(one, saying(data))
    check(answer.status == 400 and len(plan.seen) == 1, answer)
    check(record_of(answer)[1] == FILTERED, record_of(answer))


def is_told():
    """The response head was sent early for the gateway's events: a response that is no stream leads to another attempt
    and then to an error event."""
    data = http(ONES["chat"].answer)
    failed = http(b'{"error":{"message":"busy","type":"server_error"}}', "500 Internal Server Error")
    one = One("/v1/chat/completions", {"model": "twice", "stream": True, "messages": HI}, {}, CHAT)
    answer, plan = ask(one, saying(failed), saying(data), extra=b"x-recourse-events: 1\r\n")
    check(answer.status == 200 and answer.end == CLEAN and len(plan.seen) == 2, answer)
    events, rest = parse_sse(answer.body)
    check(not rest and len(events) == 1, answer)
    check(report_of(json.loads(events[0][1]))["error_code"] == "MalformedResponse", events)


suite = Suite()
ASKED = {**ONES, "array": One("", {}, json.loads(ONES["generate"].answer), ARRAY)}
for name, each in ASKED.items():
    wanted = LIST if name == "array" else EVENTS
    for kind in ("application/json", "application/json; charset=utf-8", "text/event-stream", "text/plain", None):
        suite.case(f"{name}: {wanted} asked for, an object as {kind}", is_none, each.sample,
                   typed(each.answer, kind), wanted, OBJECT, USED)
for name, each in ONES.items():
    for kind in ("text/event-stream", "text/event-stream; charset=utf-8", "text/plain", "application/json", None):
        suite.case(f"{name}: an object asked for, events as {kind}", is_none, each,
                   typed(events_of(each.sample), kind), OBJECT, EVENTS)
    suite.case(f"{name}: an object asked for, one called events", is_none, each,
               typed(each.answer, "text/event-stream"), OBJECT, OBJECT + " that is labelled as a stream of events", USED)
suite.case("what events tell of tokens counts", is_none, ONES["chat"],
           typed(events_of(CHAT), "text/event-stream"), OBJECT, EVENTS, (1, 2))
suite.case("what an array tells of tokens counts", is_none, GEMINI, http(
    b'[{"candidates":[{"content":{"parts":[{"text":"Hello"}]},"finishReason":"STOP"}],'
    b'"usageMetadata":{"promptTokenCount":7,"candidatesTokenCount":5}}]'), EVENTS, LIST, USED)
suite.case("gemini: an array asked for, events", is_none, ARRAY,
           typed(events_of(GEMINI), "text/event-stream"), LIST, EVENTS)
suite.case("gemini: an object asked for, an array", is_none, ONES["generate"], http(events_of(ARRAY)), OBJECT, LIST)
suite.case("behind white space", is_none, CHAT, typed(b" \n\r\n" + ONES["chat"].answer, "text/event-stream"),
           EVENTS, OBJECT, USED)
suite.case("events behind a comment", is_none, ONES["chat"],
           typed(b": ping\n\n" + events_of(CHAT), "text/event-stream"), OBJECT, EVENTS, (1, 2))
QUOTA = b"You exceeded your current quota, please check your plan and billing details"
suite.case("words of an error in an answer are none: an object", is_none, CHAT,
           http(ONES["chat"].answer.replace(b"Hello", QUOTA)), EVENTS, OBJECT, USED)
suite.case("words of an error in an answer are none: events", is_none, ONES["chat"],
           typed(events_of(CHAT).replace(b" you", QUOTA), "text/event-stream"), OBJECT, EVENTS)

# ---- responses that pass ----
for one_sample in (CHAT, COMPLETIONS, RESPONSES, ANTHROPIC, GEMINI):
    for kind in ("text/plain", "application/json", "application/octet-stream", None):
        suite.case(f"passes: events of {one_sample.name} as {kind}", passes, one_sample,
                   typed(events_of(one_sample), kind), events_of(one_sample))
for name, each in ONES.items():
    for kind in ("application/json;charset=UTF-8", "application/vnd.provider.v1+json", "text/plain", None):
        suite.case(f"passes: an object of {name} as {kind}", passes, each, typed(each.answer, kind), each.answer)
    suite.case(f"passes: an object of {name} behind white space", passes, each,
               http(b"\n \n" + each.answer), b"\n \n" + each.answer)
PLAIN, NAMED = (b"HTTP/1.1 200 OK\r\nContent-Type: %b\r\n" % kind for kind in (b"text/plain", b"text/event-stream"))
for what, before in (("nothing", b""), ("a comment", b": ping\n\n"), ("blank lines", b"\n\r\n\n"),
                     ("a byte order mark", b"\xef\xbb\xbf"), ("an id", b"id: 7\n"), ("a wait", b"retry: 10\n\n")):
    suite.case(f"passes: a byte at a time, in front of it {what}", passes_in_bytes, CHAT, PLAIN, before)
suite.case("passes: a field that nobody knows, called events", passes_in_bytes, CHAT, NAMED, b"foo: bar\n\n")
suite.case("a byte at a time: an object", fails_in_bytes, CHAT, NAMED, b"  " + ONES["chat"].answer)
MARK = b"\xef\xbb\xbf"
for name, each in ONES.items():
    marked = MARK + each.answer
    suite.case(f"passes: an object of {name} behind a byte order mark", passes, each, http(marked), marked)
    suite.case(f"passes: the same a byte at a time, {name}", object_passes_in_bytes, each, marked)
    suite.case(f"counted: an object of {name} behind a byte order mark", is_counted, each, http(marked))
    suite.case(f"half a mark is none: {name}", is_malformed, each, http(MARK[1:] + each.answer))
suite.case("a byte order mark is no answer", is_malformed, ONES["chat"], http(MARK))
suite.case("a byte at a time: an object behind a mark", fails_in_bytes, CHAT, NAMED, MARK + ONES["chat"].answer)
suite.case("passes: an array behind a mark", passes_in_bytes, ARRAY,
           b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n", MARK)
suite.case("a byte at a time: a text", fails_in_bytes, CHAT, PLAIN, b"dear customer")
ODD = One("/v1/chat/completions", {"model": "two", "stream": 1, "messages": HI}, {}, CHAT)
suite.case("passes: a stream asked for in another way", passes, ODD,
           typed(events_of(CHAT), "text/event-stream"), events_of(CHAT))
LATE = One("/v1/chat/completions", {"model": "two", "messages": [{"role": "user", "content": "x" * 200000}],
                                    "stream": True}, {}, CHAT)
suite.case("passes: a stream asked for behind a large message", passes, LATE,
           typed(events_of(CHAT), "text/event-stream"), events_of(CHAT))
suite.case("passes: Google's events on demand", passes,
           One("/v1beta/models/gemini:generateContent?alt=sse", {"contents": []}, {}, GEMINI),
           typed(events_of(GEMINI), "text/event-stream"), events_of(GEMINI))
SOUND = One("/v1/audio/speech", {"model": "two", "input": "Hi", "voice": "v", "stream_format": "sse"}, {}, CHAT)
suite.case("passes: sound in events", passes, SOUND,
           typed(b'data: {"type":"speech.audio.done"}\n\n', "text/event-stream"),
           b'data: {"type":"speech.audio.done"}\n\n')
IMAGE = One("/v1/images/generations", {"model": "two", "prompt": "Hi", "stream": True}, {}, CHAT)
suite.case("passes: an image of who knows no stream", passes, IMAGE, http(b'{"data":[{"b64_json":"AA"}]}'),
           b'{"data":[{"b64_json":"AA"}]}')

# ---- errors that are classified as before ----
BUSY = b'{"error":{"message":"Rate limit reached","type":"requests","code":"rate_limit_exceeded"}}'
for status in ("200 OK", "429 Too Many Requests", "500 Internal Server Error"):
    suite.case(f"an error behind a mark: {status}", is_error, ONES["chat"], http(MARK + BUSY, status),
               "RateLimited", 429)
    suite.case(f"an error behind a mark where events were asked for: {status}", is_error, CHAT,
               http(MARK + BUSY, status), "RateLimited", 429)
    suite.case(f"the same a byte at a time: {status}", is_error_in_bytes, status, MARK + BUSY)
for name, each in ONES.items():
    suite.case(f"an error where events were asked for: {name}", is_error, each.sample, http(BUSY),
               "RateLimited", 429)
    suite.case(f"an error in events where an object was asked for: {name}", is_error, each,
               typed(b"event: error\ndata: " + BUSY + b"\n\n", "text/event-stream"), "RateLimited", 429)
suite.case("an error in an array", is_error, GEMINI, http(b"[" + BUSY + b"]"), "RateLimited", 429)
FILTER = ONES["chat"].answer.replace(b'"stop"', b'"content_filter"')
suite.case("a filter stays one: an object", is_filtered, CHAT, http(FILTER))
suite.case("a filter stays one: events", is_filtered, ONES["chat"], typed(
    b"data: " + FILTER.replace(b"message", b"delta") + b"\n\ndata: [DONE]\n\n", "text/event-stream"))
ONCE = b"x-recourse-replayable: false\r\n"
suite.case("not sent twice: an object", is_once, CHAT, http(ONES["chat"].answer), ONCE)
suite.case("not sent twice: events", is_once, ONES["chat"], typed(events_of(CHAT), "text/event-stream"), ONCE)
suite.case("not sent twice: an image in events", is_once,
           One("/v1/images/generations", {"model": "two", "prompt": "Hi"}, {}, CHAT),
           typed(b'data: {"type":"image_generation.completed"}\n\n', "text/event-stream"))
suite.case("vectors in events", is_none,
           One("/v1/embeddings", {"model": "two", "input": "Hi"}, {"data": [{"embedding": [0.5]}]}, CHAT),
           typed(b'data: {"data":[{"embedding":[0.5]}]}\n\n', "text/event-stream"), OBJECT, EVENTS)

LONG = b"x" * 400000
suite.case("large: an object where events were asked for", is_large, CHAT,
           http(ONES["chat"].answer.replace(b"Hello", LONG)))
suite.case("large: events where an object was asked for", is_large, ONES["chat"],
           typed(events_of(CHAT) + CHAT.pieces()[1].replace(b"dich", LONG), "text/event-stream"))
suite.case("large: many small events", is_large, ONES["messages"],
           NAMED + b"Transfer-Encoding: chunked\r\n\r\n" + chunks([ANTHROPIC.pieces()[3]] * 4000))
for what, size in (("small", 100), ("large", len(LONG))):
    page = http(b"<html>" + LONG[:size], content_type="text/html")
    for name, each in ONES.items():
        suite.case(f"{what}: a page where an object was asked for, {name}", is_error, each, page,
                   "MalformedResponse", 502)
        suite.case(f"{what}: a page where events were asked for, {name}", is_error, each.sample, page,
                   "MalformedResponse", 502)
suite.case("passes: a large object", passes, ONES["chat"],
           http(ONES["chat"].answer.replace(b"Hello", LONG)), ONES["chat"].answer.replace(b"Hello", LONG))
suite.case("for who is told of retries", is_told)
suite.alone("nothing came unasked", lambda: check(not upstream.strays, upstream.strays))
main(suite, gateway, upstream)
