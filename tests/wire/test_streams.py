"""Streams with damage, errors, unusual line ends, sizes and pauses. An unusual but valid stream passes byte for byte; a
failed one is reported to the client or retried at another target."""

import socket
import threading
import time

from harness import WAIT_S, Gateway, Suite, check, main, report_of
from peers import (CLEAN, OK_CHAT, Client, Upstream, chunk, chunks, config, is_gone, post, routes,
                   saying)
from streams import ANTHROPIC, ARRAY, CHAT, COMPLETIONS, GEMINI, RESPONSES, SAMPLES, framed

upstream = Upstream()
gateway = Gateway(config(upstream))
# Other processes may use both cores, so a provider that responds needs time.
QUICK = {"connect_ms": 4000, "first_byte_ms": 4000, "idle_ms": 4000}


def unreachable():
    """Returns the ports of three targets: one reads no request, one accepts no connection, one does not listen."""
    deaf = Upstream(is_eager=True)
    deaf.on_stray = lambda conn, request: stalled.wait(WAIT_S) and False
    full = socket.create_server(("127.0.0.1", 0), backlog=0)
    waiting = [socket.socket() for _ in range(4)]
    for sock in waiting:
        sock.setblocking(False)
        sock.connect_ex(full.getsockname())
    with socket.create_server(("127.0.0.1", 0)) as none:
        ports = {"deaf": deaf.port, "full": full.getsockname()[1], "none": none.getsockname()[1]}
    return ports, (deaf, full, waiting)


stalled = threading.Event()
PORTS, KEPT = unreachable()
whole = config(upstream, routes=routes(timeouts=QUICK), limits={"replay_bytes": 16 << 20})
for place, port in PORTS.items():
    whole["providers"][place] = {"kind": "openai", "base_url": f"http://127.0.0.1:{port}/v1",
                                 "keys": ["env:KEY_1"]}
    for route, chain in ((place, (f"{place}/m", "b/m")), (f"{place}-alone", (f"{place}/m",))):
        whole["routes"].insert(0, {"model": route, "policy": "quick", "timeouts": QUICK, "chain": [
            {"target": target, "tries": 1} for target in chain]})
impatient = Gateway(whole)

SSE = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"


def delta(text):
    return b'data: {"choices":[{"index":0,"delta":{"content":"%b"}}]}\n\n' % text


STOP = b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n'
DONE = b"data: [DONE]\n\n"


def ask(sample, *steps, port=gateway.port):
    mark, plan = upstream.plan(*steps)
    with Client(port) as client:
        return client.ask(sample.request(mark)), plan


def good(sample):
    head, body = framed(sample, "chunked", b"B")
    return saying(head + body)


def stream(*pieces):
    return SSE + b"Transfer-Encoding: chunked\r\n\r\n" + chunks(pieces)


def passes(sample, pieces):
    """All events are sent on unchanged, in one attempt."""
    head = framed(sample, "chunked")[0]
    answer, plan = ask(sample, saying(head + chunks(pieces)))
    check(answer.status == 200 and answer.end == CLEAN and len(plan.seen) == 1, answer)
    check(answer.body == b"".join(pieces), "other bytes:", answer)


def has_no_comments(sample):
    """A Gemini client that requests events gets none, because Google's SDKs take comments for damaged data."""
    failed = b'{"error":{"code":503,"message":"busy","status":"UNAVAILABLE"}}'
    head = b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
    mark, plan = upstream.plan(saying(head % len(failed) + failed), good(sample))
    with Client(gateway.port) as client:
        request = sample.request(mark).replace(b"\r\n\r\n", b"\r\nx-recourse-events: 1\r\n\r\n", 1)
        answer = client.ask(request)
    check(answer.status == 200 and answer.end == CLEAN and len(plan.seen) == 2, answer)
    check(answer.body == b"".join(sample.pieces(b"B")), "other bytes:", answer)


BLOCK = b'{"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"},"usageMetadata":{"promptTokenCount":3}}'


def leaves_out(sample, pieces, at):
    """All pieces except one are sent on, in one attempt."""
    head = framed(sample, "chunked")[0]
    answer, plan = ask(sample, saying(head + chunks(pieces)))
    check(answer.status == 200 and answer.end == CLEAN and len(plan.seen) == 1, answer)
    check(answer.body == b"".join(pieces[:at] + pieces[at + 1:]), "other bytes:", answer)


def retried(sample, data):
    """The client gets the second target's complete stream and notices nothing."""
    answer, plan = ask(sample, saying(data), good(sample))
    check(answer.status == 200 and answer.end == CLEAN, answer)
    check(answer.body == b"".join(sample.pieces(b"B")), answer)
    check([request.path[:3] for request in plan.seen] == ["/a/", "/b/"], plan.seen)


def told(sample, data, content, codes):
    """One attempt: the client gets the content so far and the dialect's error with the report."""
    answer, plan = ask(sample, saying(data), good(sample))
    check(answer.status == 200 and answer.end == CLEAN and len(plan.seen) == 1, answer)
    check(content in answer.body, "content is missing:", answer)
    events, rest = sample.read(answer.body)
    check(not rest, "half an event:", rest)
    error = sample.take_error(events)
    check(report_of(error)["error_code"] in codes, report_of(error))
    check(not any("error" in event for _, event in events if isinstance(event, dict)), answer)


def untouched(sample):
    """The provider's own error event is replaced by the gateway's."""
    def inner():
        mine = {"chat": delta(b"Hi") + b'data: {"error":{"message":"m-1","type":"server_error"}}\n\n',
                "anthropic": b"".join(ANTHROPIC.pieces()[:4]) + b'event: error\ndata: {"type":"error",'
                b'"error":{"type":"overloaded_error","message":"m-1"}}\n\n',
                "gemini": GEMINI.pieces()[0] + b'data: {"error":{"code":503,"message":"m-1","status":'
                b'"UNAVAILABLE"}}\r\n\r\n',
                "array": ARRAY.pieces()[0] + b',{"error":{"code":503,"message":"m-1","status":'
                b'"UNAVAILABLE"}}]',
                "responses": b"".join(RESPONSES.pieces()[:3]) + b'event: error\ndata: {"type":"error",'
                b'"code":"server_error","message":"m-1"}\n\n',
                "completions": COMPLETIONS.pieces()[1] + b'data: {"error":{"message":"m-1","type":'
                b'"server_error"}}\n\n'}[sample.name]
        head = framed(sample, "chunked")[0]
        told(sample, head + chunks([mine]), b"H", ("Overloaded", "Provider5xx"))
    return inner


# ---- pauses ----


def stalling(data, gone):
    def step(conn, _):
        conn.sendall(data)
        if is_gone(conn):
            gone.set()
        return False
    return step


def first_token_stalls(sample, count):
    """A head, and events without content, do not stop the time limit for the first content."""
    head, _ = framed(sample, "chunked")
    data = head + b"".join(chunk(piece) for piece in sample.pieces()[:count])
    gone = threading.Event()
    answer, plan = ask(sample, stalling(data, gone), good(sample), port=impatient.port)
    check(answer.status == 200 and answer.body == b"".join(sample.pieces(b"B")), answer)
    check(len(plan.seen) == 2 and gone.wait(WAIT_S), "the provider was not let go")


PINGS = {"anthropic": b'event: ping\ndata: {"type":"ping"}\n\n',
         "responses": b'event: keepalive\ndata: {"type":"keepalive","sequence_number":1}\n\n'}


def thinks(sample, count):
    """A stream that sends only pings for longer than all time limits except the deadline is alive and passes complete,
    in one attempt."""
    pieces = sample.pieces()
    pings = [PINGS.get(sample.name, b": still there\n\n")] * 50

    def step(conn, _):
        conn.sendall(framed(sample, "chunked")[0] + b"".join(chunk(piece) for piece in pieces[:count]))
        for ping in pings:
            time.sleep(0.1)
            conn.sendall(chunk(ping))
        conn.sendall(chunks(pieces[count:]))
        return True
    answer, plan = ask(sample, step, port=impatient.port)
    check(answer.status == 200 and answer.end == CLEAN and len(plan.seen) == 1, answer)
    check(answer.body == b"".join(pieces[:count] + pings + pieces[count:]), answer)


def thinks_for_ever():
    """Pings alone are no response: the deadline ends the call."""
    gone = threading.Event()

    def step(conn, _):
        conn.sendall(SSE + b"Transfer-Encoding: chunked\r\n\r\n")
        try:
            while not gone.wait(0.02):
                conn.sendall(chunk(b": still there\n\n"))
        except OSError:
            gone.set()
        return False
    mark, plan = upstream.plan(step, good(CHAT))
    with Client(impatient.port) as client:
        answer = client.ask(CHAT.request(mark).replace(b"\r\n", b"\r\nx-recourse-deadline-ms: 700\r\n", 1))
    check(answer.status == 504 and answer.get("x-recourse-error-code") == "DeadlineExceeded", answer)
    check(len(plan.seen) == 1 and gone.wait(WAIT_S), "the provider was not let go")


def stalls_behind_content(sample):
    """A stream that stalls after content ends with an error event and is not tried again."""
    head, _ = framed(sample, "chunked")
    pieces = sample.pieces()
    count = 1 + [is_content for _, is_content in sample.events].index(True)
    data = head + b"".join(chunk(piece) for piece in pieces[:count])
    gone = threading.Event()
    answer, plan = ask(sample, stalling(data, gone), good(sample), port=impatient.port)
    code = sample.check_error(answer, len(b"".join(pieces[:count])))
    check(code in ("NetworkTimeout", "StreamInterrupted"), code)
    check(len(plan.seen) == 1, "tried again")
    check(gone.wait(WAIT_S), "the provider was not let go")


def stalls_in_the_head():
    gone = threading.Event()
    answer, plan = ask(CHAT, stalling(b"HTTP/1.1 200 OK\r\nContent-", gone), good(CHAT),
                       port=impatient.port)
    check(answer.status == 200 and len(plan.seen) == 2, answer)
    check(gone.wait(WAIT_S), "the provider was not let go")


def elsewhere(model, codes):
    """If the first target cannot be reached or does not read, the second one responds; without a second one the client
    gets an error."""
    body = b'{"model":"%b","messages":["%b"]}'
    filler = b"x" * 8000000 if model == "deaf" else b""
    mark, plan = upstream.plan(saying(OK_CHAT))
    with Client(impatient.port) as client:
        answer = client.ask(post("/v1/chat/completions", body % (model.encode(), filler), mark))
        check(answer.status == 200 and answer.get("x-recourse-attempts") == "2", answer)
        check(len(plan.seen) == 1 and plan.seen[0].path.startswith("/b/"), plan.seen)
        answer = client.ask(post("/v1/chat/completions", body % (model.encode() + b"-alone", filler)))
        check(answer.status in (502, 504) and answer.end == CLEAN, answer)
        check(answer.get("x-recourse-error-code") in codes, answer.head.raw)


suite = Suite()
suite.case("no comments for Google's SDKs", has_no_comments, GEMINI)
suite.case("a prompt that Gemini blocks, in events", passes, GEMINI, [b"data: " + BLOCK + b"\r\n\r\n"])
suite.case("a prompt that Gemini blocks, in an array", passes, ARRAY, [b"[" + BLOCK + b"]"])
first, second = delta(b"Hel"), delta(b"lo")
for name, parts in (
        ("usage behind the finish", CHAT.pieces()),
        ("usage behind the terminator", [first, STOP, DONE, b'data: {"choices":[],"usage":{}}\n\n']),
        ("no terminator, but a finish", [first, second, STOP]),
        ("a line that is no field", [first, b"what is this\n\n", second, STOP, DONE]),
        ("comments and keep-alives", [b": hello\n\n", b":\n", first, b": still there\n\n", second,
                                      b":a\n:b\n\n", STOP, b": nearly\n\n", DONE]),
        ("CR", [part.replace(b"\n", b"\r") for part in (first, second, STOP, DONE)]),
        ("CR LF", [part.replace(b"\n", b"\r\n") for part in (first, second, STOP, DONE)]),
        ("line ends mixed", [first.replace(b"\n", b"\r\n"), second.replace(b"\n", b"\r"), STOP, DONE]),
        ("a byte order mark", [b"\xef\xbb\xbf" + first, second, STOP, DONE]),
        ("UTF-8 in two pieces", [first[:40] + b"\xf0\x9f", b"\x98\x80" + first[40:], STOP, DONE]),
        ("ids, retry and unknown fields", [b"id: 7\nretry: 10\nfoo: bar\n" + first, second, STOP, DONE]),
        ("data in two lines", [first.replace(b"{", b"{\ndata: ", 1), second, STOP, DONE]),
        ("garbage behind the terminator", [first, STOP, DONE, b"garbage\n\n"]),
        ("a line of 1 MB", [first, delta(b"x" * 1000000), STOP, DONE]),
        ("a line of 3 MB", [first, delta(b"x" * 3000000), STOP, DONE]),
        ("two choices", [first, second.replace(b'"index":0', b'"index":1'), STOP,
                         STOP.replace(b'"index":0', b'"index":1'), DONE]),
        ("a NUL in a comment", [first, b": \0\n\n", STOP, DONE])):
    suite.case("passes: " + name, passes, CHAT, parts)
array = ARRAY.pieces()
suite.case("passes: an array with white space", passes, ARRAY,
           [b" \n" + array[0] + b" \n\t", array[1] + b" ", array[2], b" \n ] \n"])
suite.case("passes: an element of 1 MB", passes, ARRAY,
           [array[0].replace(b"Hello", b"x" * 1000000), array[1], array[2], array[3]])
suite.case("passes: Anthropic's pings", passes, ANTHROPIC, ANTHROPIC.pieces()[:4] + [
    ANTHROPIC.pieces()[2]] * 3 + ANTHROPIC.pieces()[4:])

HALF = b'data: {"choices":[{"ind\n\n'
for name, parts, at in (("behind the finish", [first, STOP, HALF, DONE], 2),
                        ("behind the terminator", [first, STOP, DONE, HALF], 3),
                        ("that is no JSON at all", [first, b"data: ping\n\n", second, STOP, DONE], 1)):
    suite.case("leaves out: an event " + name, leaves_out, CHAT, parts, at)

for one in SAMPLES:
    empty = framed(one, "chunked")[0]
    suite.case(f"tried elsewhere: an empty stream of {one.name}", retried, one, empty + chunks([]))
    suite.case(f"tried elsewhere: only spaces, {one.name}", retried, one,
               empty + chunks([b"\n\n"]))
    suite.case(f"the provider's own error becomes one of ours: {one.name}", untouched(one))
for name, data in (
        ("a role and the end", stream(CHAT.pieces()[0])),
        ("a role and the terminator", stream(CHAT.pieces()[0], DONE)),
        ("the terminator alone", stream(DONE)),
        ("a damaged event first", stream(HALF, first, STOP, DONE)),
        ("an error first", stream(b'data: {"error":{"message":"busy","type":"server_error"}}\n\n')),
        ("an error behind the role", stream(CHAT.pieces()[0], b'data: {"error":{"message":"busy",'
                                            b'"code":503}}\n\n')),
        ("an error named so", stream(b"event: error\ndata: busy, overloaded\n\n")),
        ("a length that is too short, before content", SSE + b"Content-Length: 20\r\n"
         b"Connection: close\r\n\r\n" + first + STOP + DONE)):
    suite.case("tried elsewhere: " + name, retried, CHAT, data)
suite.case("tried elsewhere: only a preamble, Anthropic", retried, ANTHROPIC,
           framed(ANTHROPIC, "chunked")[0] + chunks(ANTHROPIC.pieces()[:3]))
suite.case("tried elsewhere: an overload behind message_start", retried, ANTHROPIC,
           framed(ANTHROPIC, "chunked")[0] + chunks(ANTHROPIC.pieces()[:1] + [
               b'event: error\ndata: {"type":"error","error":{"type":"overloaded_error",'
               b'"message":"Overloaded"}}\n\n']))

BROKEN = ("StreamInterrupted", "MalformedResponse", "ConnectionReset")
for name, data in (
        ("a body that ends without an end", stream(first, second)),
        ("a length that is too short", SSE + b"Content-Length: %d\r\nConnection: close\r\n\r\n"
         % (len(first) + 9) + first + second + STOP + DONE),
        ("a chunk that is no chunk", SSE + b"Transfer-Encoding: chunked\r\n\r\n" + chunk(first)
         + b"zz\r\n" + second),
        ("a chunk that is too long", SSE + b"Transfer-Encoding: chunked\r\n\r\n" + chunk(first)
         + b"5\r\n" + second),
        ("a chunk without an end", SSE + b"Transfer-Encoding: chunked\r\n\r\n" + chunk(first)
         + chunk(second)[:-2] + b"xx"),
        ("a damaged event", stream(first, HALF, second, STOP, DONE)),
        ("a last event that is damaged", stream(first, STOP, b'data: {"choices":[{"ind\n\n')),
        ("content behind the finish", stream(first, STOP, second))):
    suite.case("told: " + name, told, CHAT, data, b"Hel", BROKEN)

for one, preamble in ((CHAT, 0), (CHAT, 1), (ANTHROPIC, 3), (RESPONSES, 2), (GEMINI, 0), (ARRAY, 0)):
    suite.case(f"the first token does not come: {one.name}, behind {preamble} events",
               first_token_stalls, one, preamble)
for one, events in ((CHAT, 0), (CHAT, 1), (CHAT, 2), (ANTHROPIC, 1), (ANTHROPIC, 4), (RESPONSES, 2), (GEMINI, 0)):
    suite.case(f"it thinks: {one.name}, behind {events} events", thinks, one, events)
suite.case("it thinks for ever", thinks_for_ever)
suite.case("the head does not come to its end", stalls_in_the_head)
for one in SAMPLES:
    suite.case(f"the next token does not come: {one.name}", stalls_behind_content, one)
suite.case("the provider does not take the request", elsewhere, "deaf", ("NetworkTimeout",))
suite.case("the provider takes no connection", elsewhere, "full", ("NetworkTimeout",
                                                                    "ConnectionFailed"))
suite.case("there is no provider", elsewhere, "none", ("ConnectionFailed",))
suite.alone("nothing came unasked", lambda: check(not upstream.strays, upstream.strays))
main(suite, gateway, impatient, upstream)
