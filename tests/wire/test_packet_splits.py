"""The result does not depend on how bytes are split into packets, in either direction."""

import random

from harness import IS_FEW, Gateway, Suite, check, main
from peers import CLEAN, OK_CHAT, Client, Upstream, chat, chunks, config, saying
from streams import SAMPLES, framed

upstream = Upstream()
gateway = Gateway(config(upstream, threads=2))
SEEDS = range(2 if IS_FEW else 6)


def whole(data):
    return [data]


def single(data):
    return [data[at:at + 1] for at in range(len(data))]


def split(seed):
    def cut(data):
        rand = random.Random(seed)
        pieces, at = [], 0
        while at < len(data):
            size = rand.choice((1, 2, 3, 7, 20, 50))
            pieces.append(data[at:at + size])
            at += size
        return pieces
    return cut


WAYS = [single] + [split(seed) for seed in SEEDS]


def visible(head):
    """Returns the headers that are the same for every request."""
    return [(name, value) for name, value in head.fields
            if name not in ("x-recourse-request-id", "x-plan", "x-recourse-report-id", "x-recourse-target-ms",
                            "x-recourse-total-ms")]


def send_request(cut, data, mark):
    with Client(gateway.port) as client:
        for piece in cut(data.replace(b"@PLAN@", mark.encode())):
            if not client.send(piece):
                break
        answer = client.read()
    check(answer.end == CLEAN, answer)
    return answer


def request_in_pieces(data):
    results = []
    for cut in [whole] + WAYS:
        mark, plan = upstream.plan(saying(OK_CHAT))
        answer = send_request(cut, data, mark)
        seen = [(request.start, visible(request), request.body) for request in plan.seen]
        results.append((answer.status, visible(answer.head), answer.body, seen))
    check(results[0][0] == 200 and len(results[0][3]) == 1, results[0])
    for result in results[1:]:
        check(result == results[0], "in pieces:", result, "whole:", results[0])


def sending(pieces):
    def step(conn, _):
        for piece in pieces:
            conn.sendall(piece)
        return False
    return step


def answer_in_pieces(request, data):
    """The client's response is the same however the provider's bytes are split. data: the complete response; the
    connection ends after it."""
    results = []
    for cut in [whole] + WAYS:
        mark, plan = upstream.plan(sending(cut(data)))
        with Client(gateway.port) as client:
            answer = client.ask(request(mark))
        check(answer.status == 200 and answer.end == CLEAN and len(plan.seen) == 1, answer)
        results.append((visible(answer.head), answer.body))
    for result in results[1:]:
        check(result == results[0], "in pieces:", result, "whole:", results[0])
    return results[0][1]


def stream_in_pieces(sample, how):
    head, body = framed(sample, how)
    head = head.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n") if how != "close" else head
    got = answer_in_pieces(sample.request, head + body)
    check(got == b"".join(sample.pieces()), "other bytes than the provider's:", got)


suite = Suite()
BODY = b'{"model":"once","messages":[{"role":"user","content":"Gr\xc3\xbc\xc3\x9fe \\"\\u00fc\\""}]}'
HEAD = b"POST /v1/chat/completions HTTP/1.1\r\nHost: g\r\nx-plan: @PLAN@\r\nX-Mine: a,\tb \r\n"
for name, request in (
        ("with a length", HEAD + b"Content-Length: %d\r\n\r\n" % len(BODY) + BODY),
        ("in chunks", HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + chunks([BODY[:5], BODY[5:]])),
        ("in chunks with extensions and a trailer", HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
         b"%X;a=b\r\n%b\r\n000;c\r\nX-Sum: 1\r\n\r\n" % (len(BODY), BODY)),
        ("behind an empty line", b"\r\n" + HEAD + b"Content-Length: %d\r\n\r\n" % len(BODY) + BODY),
        ("with an expectation", HEAD + b"Expect: 100-continue\r\nContent-Length: %d\r\n\r\n"
         % len(BODY) + BODY),
        ("of HTTP/1.0", HEAD.replace(b"HTTP/1.1", b"HTTP/1.0") + b"Content-Length: %d\r\n\r\n"
         % len(BODY) + BODY)):
    suite.case("a request " + name, request_in_pieces, request)

OK_BODY = OK_CHAT.partition(b"\r\n\r\n")[2]
OK = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n"
for name, response in (
        ("with a length", OK + b"Content-Length: %d\r\n\r\n" % len(OK_BODY) + OK_BODY),
        ("in chunks", OK + b"Transfer-Encoding: chunked\r\n\r\n" + chunks([OK_BODY])),
        ("in chunks with extensions and a trailer", OK + b"Transfer-Encoding: chunked\r\n\r\n"
         b"%x;a=b\r\n%b\r\n0\r\nX-Sum: 1\r\n\r\n" % (len(OK_BODY), OK_BODY)),
        ("whose end is the end", OK + b"\r\n" + OK_BODY),
        ("behind interim ones", b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\nA: b\r\n"
         b"\r\n" + OK + b"\r\n" + OK_BODY)):
    suite.case("an answer " + name, answer_in_pieces, lambda mark: chat(mark, "once"), response)

for one in SAMPLES:
    for way in ("chunked", "length", "close"):
        # Without a terminator, a stream that ends with its connection is a failure, which other tests cover.
        if one.has_terminator or way != "close":
            suite.case(f"a stream of {one.name}, {way}", stream_in_pieces, one, way)
suite.alone("nothing came unasked", lambda: check(not upstream.strays, upstream.strays))
main(suite, gateway, upstream)
