"""A provider's stream is cut after every byte, by a close and by a reset. Before content the second target responds and
the client notices nothing. After content there is no retry, and the client gets an error in its own dialect. An
incomplete stream never looks complete."""

import random

from harness import IS_FEW, Gateway, Suite, check, main
from peers import CLEAN, Client, Upstream, chat, chunks, config, ending, post, resetting, saying
from streams import SAMPLES, Sample, framed, payload_of

upstream = Upstream()
gateway = Gateway(config(upstream, threads=2))
STEP = 17 if IS_FEW else 5  # The test unit/split cuts streams after every byte.

# Number of bytes (line ends) that may be missing at the end of an event that still counts as complete.
LINE_ENDS = {"array": 2, "gemini": 4}


def is_same(sample, answer, mark):
    """Returns whether the client got all events of the sample; line ends that were cut off may differ."""
    got, rest = sample.read(answer.body)
    return answer.end == CLEAN and not rest and got == sample.read(b"".join(sample.pieces(mark)))[0]


def check_retried(sample, answer, plan):
    check(answer.status == 200 and is_same(sample, answer, b"B"), answer)
    check(answer.get("x-recourse-attempts") == "2", answer)
    check([request.path[:3] for request in plan.seen] == ["/a/", "/b/"], plan.seen)


def check_told(sample, answer, plan, payload, is_exact):
    check(len(plan.seen) == 1, "tried again behind content")
    code = sample.check_error(answer, payload, is_exact)
    check(code in ("StreamInterrupted", "ConnectionReset", "MalformedResponse"), code)


def check_whole(sample, answer, plan):
    check(len(plan.seen) == 1, "tried again")
    check(answer.status == 200 and is_same(sample, answer, b""), answer)


def is_any(*checks):
    """At the exact end of an event, two results are right. Passes if one of the checks passes."""
    troubles = []
    for one in checks:
        try:
            one()
            return
        except AssertionError as error:
            troubles.append(str(error))
    raise AssertionError(" / ".join(troubles))


def judge(sample, how, sent, answer, plan, is_exact, has_end):
    """is_exact: all bytes that were sent have arrived, which a reset can prevent. has_end: the last event is a
    terminator, whatever the length of the body is."""
    body = framed(sample, how)[1]
    payload = payload_of(sample, how, sent)
    whole = len(b"".join(sample.pieces()))
    slack = LINE_ENDS.get(sample.name, 2)
    content = sample.content_end()

    def retried():
        check_retried(sample, answer, plan)

    def told():
        check_told(sample, answer, plan, payload, is_exact)

    def done():
        check_whole(sample, answer, plan)
    is_whole_message = sent == len(body) and how != "close"
    if not is_exact and payload == whole:
        is_any(told, done)
    elif is_whole_message or (has_end and payload == whole):
        done()
    elif has_end and payload >= whole - slack:
        is_any(told, done)
    elif payload >= content and is_exact:
        told()
    elif payload >= content:
        is_any(told, retried)
    elif payload >= content - slack and not sample.is_array:
        is_any(told, retried)
    else:
        retried()


def cut_at(client, sample, how, end, sent, is_exact=True):
    head, body = framed(sample, how)
    head_b, body_b = framed(sample, "chunked", b"B")
    mark, plan = upstream.plan(end(head + body[:sent]), saying(head_b + body_b))
    answer = client.ask(sample.request(mark))
    # A dialect without a terminator ends with the finish reason if the body ends with the connection.
    has_end = sample.has_terminator or (how == "close" and end is ending)
    try:
        judge(sample, how, sent, answer, plan, is_exact, has_end)
    except AssertionError as error:
        raise AssertionError(f"behind byte {sent} of {len(body)}: {error}") from None
    finally:
        del upstream.plans[mark]


def cut_everywhere(sample, how, end, offset, step):
    """Cuts the stream at each offset. All requests use one client connection, which must stay usable."""
    trouble = []
    with Client(gateway.port) as client:
        # A stream with all bytes is not cut, unless neither a length nor a last chunk shows that it is complete.
        last = len(framed(sample, how)[1]) + (how == "close")
        for sent in range(offset, last, step):
            try:
                cut_at(client, sample, how, end, sent)
            except AssertionError as error:
                trouble.append(str(error))
                client.__exit__()
                client.__init__(gateway.port)
    check(not trouble, len(trouble), "offsets;", "; ".join(trouble[:3]))


def long_of(sample, times):
    """Returns the sample with its last content repeated many times."""
    last = max(at for at, (_, is_content) in enumerate(sample.events) if is_content)
    again = [sample.events[last]] * times
    # The last event with content has the finish reason, so the event before it is repeated.
    if sample.name in ("gemini", "array"):
        again = [sample.events[last - 1]] * times
        return Sample(sample.name, sample.path, sample.body, sample.events[:last] + again
                      + sample.events[last:], sample.is_array, sample.has_terminator)
    return Sample(sample.name, sample.path, sample.body, sample.events[:last] + again
                  + sample.events[last + 1:], sample.is_array, sample.has_terminator)


def cut_here_and_there(sample, end):
    """A stream that does not fit into one read, cut at random offsets, which are the same in each run."""
    sample = long_of(sample, 1200)
    size = len(framed(sample, "chunked")[1])
    offsets = random.Random(size).sample(range(size), 4 if IS_FEW else 12)
    with Client(gateway.port) as client:
        for sent in offsets + [size - 1]:
            cut_at(client, sample, "chunked", end, sent, end is ending)


# ---- responses without events ----

HELD = 256 * 1024  # Number of bytes that the gateway holds back of a response.
BIG = b'{"choices":[{"index":0,"message":{"content":"%b"},"finish_reason":"stop"}]}' % (b"x" * 3 * HELD)
JSON = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"


def large_answer(framing, end):
    """A response that is cut while it is held back leads to another attempt; after its beginning was sent, the client
    sees the cut."""
    body = BIG if framing != "chunked" else chunks([BIG[:1000], BIG[1000:]])
    head = JSON + {"length": b"Content-Length: %d\r\n\r\n" % len(BIG), "close": b"\r\n",
                   "chunked": b"Transfer-Encoding: chunked\r\n\r\n"}[framing]
    for sent in (0, 1, 900, HELD // 2, HELD - 2000, HELD + 2000, 2 * HELD, len(body) - 1):
        mark, plan = upstream.plan(end(head + body[:sent]), saying(JSON + b"Content-Length: %d\r\n\r\n"
                                                                   % len(BIG) + BIG))
        with Client(gateway.port) as client:
            answer = client.ask(chat(mark, "two"))
        if len(plan.seen) == 2:
            check(answer.status == 200 and answer.body == BIG and answer.end == CLEAN, sent, answer)
        else:
            check(sent >= HELD and answer.end != CLEAN, "behind byte", sent, answer.end)
            check(BIG.startswith(answer.body), "other bytes than the provider's")


def coded_stream(end):
    """A compressed stream that cannot be read is relayed, and the client sees the cut."""
    head = (b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Encoding: gzip\r\n"
            b"Transfer-Encoding: chunked\r\n\r\n")
    body = chunks([b"\x1f\x8b" + bytes(range(200)), b"more"])
    for sent in range(10, len(body) - 1, 7):
        mark, plan = upstream.plan(end(head + body[:sent]))
        with Client(gateway.port) as client:
            answer = client.ask(SAMPLES[0].request(mark))
        check(answer.end != CLEAN or answer.status >= 500, sent, answer)
        check(len(plan.seen) == 1 or answer.status >= 500, "tried again behind content")


def foreign_bytes(framing, end):
    """A response of a passthrough is relayed, and the client sees the cut."""
    data = bytes(range(256)) * 40
    body = data if framing != "chunked" else chunks([data[:100], data[100:]])
    head = b"HTTP/1.1 200 OK\r\nContent-Type: audio/mpeg\r\n" + {
        "length": b"Content-Length: %d\r\n\r\n" % len(data),
        "chunked": b"Transfer-Encoding: chunked\r\n\r\n", "close": b"\r\n"}[framing]
    for sent in list(range(1, 200, 9)) + [len(body) - 1]:
        mark, plan = upstream.plan(end(head + body[:sent]))
        with Client(gateway.port) as client:
            answer = client.ask(post("/p/a/audio", b"{}", mark))
        check(answer.end != CLEAN or answer.status >= 500, sent, answer)
        check(len(plan.seen) == 1, "tried again")


suite = Suite()
for way in ("length", "chunked"):
    suite.case(f"a large answer, {way}, ended", large_answer, way, ending)
    suite.case(f"a large answer, {way}, reset", large_answer, way, resetting)
    suite.case(f"a provider's own bytes, {way}, ended", foreign_bytes, way, ending)
    suite.case(f"a provider's own bytes, {way}, reset", foreign_bytes, way, resetting)
suite.case("a large answer, the end being the end, reset", large_answer, "close", resetting)
suite.case("a provider's own bytes, the end being the end, reset", foreign_bytes, "close", resetting)
suite.case("a coded stream, ended", coded_stream, ending)
suite.case("a coded stream, reset", coded_stream, resetting)
for one in SAMPLES:
    suite.case(f"{one.name}: a long stream, cut here and there", cut_here_and_there, one, ending)
    suite.case(f"{one.name}: a long stream, reset here and there", cut_here_and_there, one, resetting)
    suite.case(f"{one.name}: an end behind every byte, chunked", cut_everywhere, one, "chunked",
               ending, 0, STEP)
    suite.case(f"{one.name}: a reset behind every byte, chunked", cut_everywhere, one, "chunked",
               resetting, 0, STEP)
    suite.case(f"{one.name}: an end behind every third byte of a length", cut_everywhere, one,
               "length", ending, 0, 3 * STEP)
    suite.case(f"{one.name}: an end behind every third byte, the end being the end",
               cut_everywhere, one, "close", ending, 1, 3 * STEP)
    suite.case(f"{one.name}: a reset behind every third byte, the end being the end",
               cut_everywhere, one, "close", resetting, 2, 3 * STEP)
main(suite, gateway, upstream)
