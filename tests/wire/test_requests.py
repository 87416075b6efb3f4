"""Unusual but valid requests pass, and limits are exact to the byte."""

import json
import threading

from harness import WAIT_S, Gateway, Suite, check, main, report_of, wait_until
from peers import (CLEAN, OK_CHAT, RESET, Client, Upstream, chat, chunk, config, ending, http, is_gone,
                   post, routes, say, saying)

upstream = Upstream()
eager = Upstream(is_eager=True)
gateway = Gateway(config(upstream, rest=eager))
MAX_BODY, MAX_HEAD = 4096, 2048
small = Gateway(config(upstream, limits={"max_body_bytes": MAX_BODY, "max_header_bytes": MAX_HEAD}))
strict = Gateway(config(upstream, routes=routes(translate="off")))
BODY = OK_CHAT.partition(b"\r\n\r\n")[2]


def check_ok(answer):
    check(answer.status == 200 and answer.end == CLEAN and answer.body == BODY, answer)


def planned(*steps):
    return upstream.plan(*(steps or (saying(OK_CHAT),)))


# ---- request targets ----


def whole_url():
    """A target that is a whole URL, as for a proxy (RFC 9112, section 3.2.2): the provider gets a path."""
    mark, plan = planned()
    data = chat(mark, "once")
    with Client(gateway.port) as client:
        check_ok(client.ask(data.replace(b" /v1", b" http://gateway/v1", 1)))
        check_ok(client.ask(data))
    check(len({request.path for request in plan.seen}) == 1 and plan.seen[0].path[0] == "/",
          [request.raw for request in plan.seen])


# ---- one connection ----


def pipelined():
    """Pipelined requests get their responses in order, even if the first one takes longest."""
    late = threading.Event()

    def first(conn, _):
        late.wait(WAIT_S)
        return say(conn, OK_CHAT.replace(b"Hello", b"First"))
    slow, _ = planned(first)
    quick, plan = planned()
    with Client(gateway.port) as client:
        client.send(chat(slow, "once") + b"\r\n" + chat(quick, "once") + post("/v2/none", b"{}")
                    + chat(quick, "once"))
        late.set()
        check(b"First" in client.read().body)
        check_ok(client.read())
        check(client.read().status == 404)
        check_ok(client.read())
        check(len(plan.seen) == 2)


def pipelined_many():
    mark, plan = planned()
    with Client(gateway.port) as client:
        client.send(chat(mark, "once") * 50)
        for _ in range(50):
            check_ok(client.read())
        check(len(plan.seen) == 50)


def closes_when_asked():
    mark, plan = planned()
    with Client(gateway.port) as client:
        client.send(chat(mark, "once", extra=b"Connection: close\r\n") + chat(mark, "once"))
        answer = client.read()
        check_ok(answer)
        check(answer.get("connection") == "close", answer.head.raw)
        check(is_gone(client.sock) and not client.source.rest, "a second answer")
        check(len(plan.seen) == 1, "read on behind the last request")


# ---- bodies ----


def continues():
    """A client that waits for "100 Continue" gets it once."""
    mark, plan = planned()
    whole = chat(mark, "once", extra=b"Expect: 100-continue\r\n")
    at = whole.index(b"\r\n\r\n") + 4
    with Client(gateway.port) as client:
        client.send(whole[:at])
        check(client.source.until(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n")
        check(not plan.seen)
        client.send(whole[at:])
        answer = client.read()
        check_ok(answer)
        check(not answer.interim and not plan.seen[0].all("expect"), plan.seen[0].raw)
        # A client that sends its body without waiting gets no "100 Continue".
        answer = client.ask(whole)
        check_ok(answer)
        check(not answer.interim, answer.interim)


def refuses_what_it_would_not_take():
    """A client that waits for "100 Continue" gets the refusal before it sends a body that is too large."""
    head = (b"POST /v1/chat/completions HTTP/1.1\r\nHost: g\r\nExpect: 100-continue\r\n"
            b"Content-Length: %d\r\n\r\n" % (MAX_BODY + 1))
    with Client(small.port) as client:
        answer = client.ask(head)
        check(answer.status == 413 and not answer.interim, answer)
        check(answer.get("connection") == "close", answer.head.raw)
        check(is_gone(client.sock))


def chunked_upload():
    """However a chunked body is split, the provider gets one body with a length and without a trailer."""
    body = b'{"model":"once","messages":[]}'
    for pieces in ([body], [body[:7], body[7:]], [bytes([c]) for c in body]):
        mark, plan = planned()
        extra = b"x-plan: %b\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n" % mark.encode()
        data = b"".join(b"00%x;a=b\r\n%b\r\n" % (len(piece), piece) for piece in pieces)
        request = (b"POST /v1/chat/completions HTTP/1.1\r\nHost: g\r\n%b\r\n%b0;last\r\nX-Sum: 1\r\n"
                   b"x-evil: 2\r\n\r\n" % (extra, data))
        with Client(gateway.port) as client:
            check_ok(client.ask(request))
            check_ok(client.ask(chat(mark, "once")))
        seen = plan.seen[0]
        check(seen.body == b'{"model":"m","messages":[]}', seen.body)
        check(not seen.all("transfer-encoding") and not seen.all("trailer"), seen.raw)
        check(not seen.all("x-sum") and not seen.all("x-evil"), seen.raw)


def answered_while_uploading():
    """A refusal is sent at once. The remaining part of a short body is read and dropped; after a
    long body the connection is closed, and up to 64 MiB are dropped, so that a client that sends
    everything first can still read the response."""
    with Client(gateway.port) as client:
        head = b"POST /v2/none HTTP/1.1\r\nHost: g\r\nContent-Length: 100000\r\n\r\n"
        check(client.ask(head + b"x" * 100).status == 404)
        client.send(b"x" * 99900)
        mark, _ = planned()
        check_ok(client.ask(chat(mark, "once")))
    with Client(gateway.port) as client:
        head = b"POST /v2/none HTTP/1.1\r\nHost: g\r\nContent-Length: 200000000\r\n\r\n"
        answer = client.ask(head)
        check(answer.status == 404 and answer.get("connection") == "close", answer)
        for _ in range(2000):
            if not client.send(b"x" * 65536):
                break
        else:
            raise AssertionError("it took 128 MiB of a body that it had refused")


def chunks_beyond_the_ceiling():
    with Client(small.port) as client:
        client.send(b"POST /v1/chat/completions HTTP/1.1\r\nHost: g\r\nTransfer-Encoding: chunked"
                    b"\r\n\r\n")
        for _ in range(MAX_BODY // 512 + 1):
            client.send(chunk(b"x" * 512))
        check(client.read().status == 413)


def answered_by_the_provider_while_uploading():
    """A provider's response that arrives before the whole body was sent is used, and its connection is closed."""
    body = b'{"model":"rest","messages":["%b"]}' % (b"x" * 16000000)
    ended = []

    def step(conn, _):
        conn.sendall(http(b'{"error":{"message":"too long","type":"invalid_request_error","code":'
                          b'"context_length_exceeded"}}', status="400 Bad Request"))
        answered.wait(WAIT_S)
        ended.append(is_gone(conn))
        return False
    answered = threading.Event()
    mark, _ = eager.plan(step)
    with Client(gateway.port) as client:
        answer = client.ask(post("/v1/chat/completions", body, mark))
        check(answer.get("x-recourse-error-code") == "ContextOverflow", answer)
        answered.set()
        wait_until(lambda: ended, "the gateway to let go")


# ---- methods and versions ----


def head_requests():
    """The response to HEAD has no body, even if it states a length; the connection stays usable."""
    def step(conn, request):
        check(request.start.startswith("HEAD "), request.start)
        return say(conn, b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 500\r\n"
                   b"x-mine: 1\r\n\r\n")
    mark, _ = planned(step)
    with Client(gateway.port) as client:
        for path, status in (("/healthz", 200), ("/v1/models", 200), ("/v1/messages", 405),
                             ("/v2/none", 404)):
            answer = client.ask(b"HEAD %b HTTP/1.1\r\nHost: g\r\n\r\n" % path.encode(), is_head=True)
            check(answer.status == status and int(answer.get("content-length")) > 0, path, answer)
        answer = client.ask(b"HEAD /p/a/files HTTP/1.1\r\nHost: g\r\nx-plan: %b\r\n\r\n"
                            % mark.encode(), is_head=True)
        check(answer.status == 200 and answer.get("content-length") == "500", answer.head.raw)
        check(answer.get("x-mine") == "1", answer.head.raw)
        mark, _ = planned()
        check_ok(client.ask(chat(mark, "once")))


def without_content(status):
    """A response without content: the next response is not read as its body."""
    mark, _ = planned(saying(b"HTTP/1.1 %d None\r\nx-mine: 1\r\n\r\n" % status))
    good, _ = planned()
    with Client(gateway.port) as client:
        client.send(b"DELETE /p/a/files/1 HTTP/1.1\r\nHost: g\r\nx-plan: %b\r\n\r\n" % mark.encode()
                    + chat(good, "once"))
        answer = client.read()
        if status == 204:
            check(answer.status == 204 and answer.get("x-mine") == "1", answer)
            check(not answer.head.all("content-length"), answer.head.raw)
        else:
            check(answer.status >= 300, answer)
        check_ok(client.read())


def old_version():
    """HTTP/1.0: Host is optional, the response is not chunked, and the connection ends with the response."""
    mark, plan = planned()
    with Client(gateway.port) as client:
        answer = client.ask(chat(mark, "once", version=b"1.0").replace(b"Host: gateway\r\n", b""))
        check_ok(answer)
        check(is_gone(client.sock))
    stream = (b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n"
              b"\r\n")
    events = (b'data: {"choices":[{"index":0,"delta":{"content":"Hi"}}]}\n\n',
              b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n',
              b"data: [DONE]\n\n")
    mark, plan = planned(saying(stream + b"".join(chunk(e) for e in events) + b"0\r\n\r\n"))
    with Client(gateway.port) as client:
        answer = client.ask(chat(mark, "once", is_stream=True, version=b"1.0"))
        check(answer.body == b"".join(events) and answer.end == CLEAN, answer)
        check(not answer.get("transfer-encoding"), answer.head.raw)
        check(len(plan.seen) == 1)


def old_version_cut():
    """HTTP/1.0: if only the end of the connection shows that a response is complete, an incomplete response ends with
    a reset."""
    big = b'{"choices":[{"index":0,"message":{"content":"%b"}}]}' % (b"x" * 2000000)
    whole = http(big)
    mark, _ = planned(ending(whole[:len(whole) - 100]))
    with Client(gateway.port) as client:
        client.send(chat(mark, "once", version=b"1.0"))
        answer = client.read()
        check(answer.end != CLEAN or answer.status >= 500, answer.end, len(answer.body))
        check(answer.end == RESET or answer.get("content-length"), answer.end)


# ---- limits ----


def head_of(size):
    mark, _ = planned()
    body = b'{"model":"once","messages":[]}'
    start = (b"POST /v1/chat/completions HTTP/1.1\r\nHost: g\r\nx-plan: %b\r\nContent-Length: %d\r\n"
             b"x-fill: " % (mark.encode(), len(body)))
    return start + b"f" * (size - len(start) - 4) + b"\r\n\r\n" + body


def path_of(size):
    mark, _ = planned()
    path = "/v1/chat/completions?x="
    return post(path + "y" * (size - len(path)), b'{"model":"once","messages":[]}', mark)


def fields_of(count):
    mark, _ = planned()
    request = chat(mark, "once")
    own = request.split(b"\r\n\r\n")[0].count(b"\r\n")
    return chat(mark, "once", extra=b"x-a: b\r\n" * (count - own))


def body_of(size):
    mark, _ = planned()
    start, rest = b'{"model":"once","messages":["', b'"]}'
    return post("/v1/chat/completions", start + b"x" * (size - len(start) - len(rest)) + rest, mark)


def chunks_of(size):
    head, _, body = body_of(size).partition(b"\r\n\r\n")
    lines = [line for line in head.split(b"\r\n") if not line.startswith(b"Content-Length")]
    return (b"\r\n".join(lines) + b"\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk(body[:1000])
            + (chunk(body[1000:]) if len(body) > 1000 else b"") + b"0\r\n\r\n")


def trailer_of(size):
    return chunks_of(200)[:-2] + b"x-t: " + b"t" * (size - 9) + b"\r\n\r\n"


def extensions_of(size):
    """Returns a request with chunk extensions of this total size, in two chunks."""
    return chunks_of(200).replace(b"\r\n\r\nc8\r\n", b"\r\n\r\nc8;%b\r\n" % (b"e" * (size // 2))) \
        .replace(b"\r\n0\r\n", b"\r\n0;%b\r\n" % (b"e" * (size - size // 2)))


WHAT_TO_DO = {414: "a shorter path", 431: "fewer or shorter headers"}


def ceiling(make, limit, status, port):
    for size in (limit - 1, limit):
        with Client(port) as client:
            answer = client.ask(make(size))
            check_ok(answer)
    with Client(port) as client:
        answer = client.ask(make(limit + 1))
        check(answer.status == status and answer.end == CLEAN, answer)
        advice = report_of(json.loads(answer.body))["user_action"]["detail"]
        check((WHAT_TO_DO[status] in advice) if status in WHAT_TO_DO else advice, answer)


def other_interface(path, model, theirs, speaks, ways):
    """Without translation the refusal names both APIs and what the client should do."""
    mark, plan = planned()
    body = b'{"model":"%b","max_tokens":9,"input":"Hi","messages":[{"role":"user","content":"Hi"}]}'
    with Client(strict.port) as client:
        answer = client.ask(post(path, body % model.encode(), mark))
    check(answer.status == 422 and not plan.seen, answer)
    check(answer.get("x-recourse-error-code") == "UnsupportedFeature", answer.head.raw)
    report = report_of(json.loads(answer.body))
    check(f"belongs to {theirs} API" in report["message"] and speaks in report["message"], report)
    check(ways in report["user_action"]["detail"], report)


def ambiguous(path, body, member):
    """A body that a provider might read differently is refused with the member's name; no provider is called."""
    mark, plan = planned()
    with Client(gateway.port) as client:
        answer = client.ask(post(path, body, mark))
    check(answer.status == 400 and answer.get("x-recourse-error-code") == "InvalidRequest", answer)
    message = json.loads(answer.body)["error"]["message"]
    check(message.startswith(member + ": the body has this member twice or in another spelling"), message)
    check(not plan.seen, plan.seen)


suite = Suite()
suite.case("a target that is a whole URL", whole_url)
suite.case("pipelined requests are answered in their order", pipelined)
suite.case("fifty pipelined requests", pipelined_many)
suite.case("the last request is the last", closes_when_asked)
suite.case("100-continue", continues)
suite.case("100-continue for a body that is too large", refuses_what_it_would_not_take)
suite.case("chunked uploads with extensions and trailers", chunked_upload)
suite.case("an answer while the body still comes", answered_while_uploading)
suite.case("chunks beyond the ceiling", chunks_beyond_the_ceiling)
suite.case("a provider's answer while the body still goes out", answered_by_the_provider_while_uploading)
suite.case("HEAD", head_requests)
suite.case("204 has no body", without_content, 204)
suite.case("304 has no body", without_content, 304)
suite.case("HTTP/1.0", old_version)
suite.case("HTTP/1.0, cut", old_version_cut)
for name, make, limit, status, server in (
        ("head", head_of, MAX_HEAD, 431, small),
        ("target", path_of, 8192, 414, gateway),
        ("headers", fields_of, 100, 431, gateway),
        ("body with a length", body_of, MAX_BODY, 413, small),
        ("body in chunks", chunks_of, MAX_BODY, 413, small),
        ("trailer", trailer_of, 8192, 431, gateway),
        ("chunk extensions", extensions_of, 1024, 400, gateway)):
    suite.case(f"ceiling to the byte: {name}", ceiling, make, limit, status, server.port)
suite.alone("nothing came unasked", lambda: check(not upstream.strays, upstream.strays))
for number, case in enumerate((
        ("/v1/chat/completions", b'{"model":"m","messages":[],"model":"other"}', "model"),
        ("/v1/chat/completions", b'{"model":"m","messages":[],"Model":"other"}', "model"),
        ("/v1/chat/completions", b'{"mod\\u0065l":"m","messages":[],"model":"other"}', "model"),
        ("/v1/responses", b'{"model":"m","input":"x","max_output_tokens":1,"MAX_OUTPUT_TOKENS":99}',
         "max_output_tokens"),
        ("/v1/messages", b'{"model":"claude","messages":[],"max_tokens":1,"STREAM":true}', "stream"),
        ("/v1beta/models/gemini:generateContent", b'{"contents":[],"Contents":[]}', "contents"),
        ("/p/a/chat/completions", b'{"model":"m","mOdel":"other","messages":[]}', "model"))):
    suite.case(f"ambiguous: {case[0]} {number}", ambiguous, *case)
suite.case("another interface: messages to OpenAI's", other_interface, "/v1/messages", "once", "Anthropic's",
           "a uses OpenAI's", "/v1/chat/completions, /v1/completions, /v1/responses")
suite.case("another interface: generate to OpenAI's", other_interface, "/v1beta/models/once:generateContent",
           "once", "Gemini's", "a uses OpenAI's", "/v1/chat/completions")
suite.case("another interface: responses to Anthropic's", other_interface, "/v1/responses", "claude", "OpenAI's",
           "ca uses Anthropic's", "/v1/chat/completions, /v1/messages")
suite.case("another interface: responses to Gemini's", other_interface, "/v1/responses", "gemini", "OpenAI's",
           "ga uses Gemini's", "/v1beta/models/MODEL:generateContent")
suite.case("another interface: embeddings of Anthropic's", other_interface, "/v1/embeddings", "claude", "OpenAI's",
           "ca uses Anthropic's", "Send the request to a model of a provider that uses OpenAI's")
main(suite, gateway, small, strict, upstream, eager)
