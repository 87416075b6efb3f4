"""A stream of numbered events is cut: the gateway's last events continue the numbers and refer to the same
response."""

import json

from harness import Gateway, Suite, check, main, report_of
from peers import CLEAN, Client, Upstream, chunk, config, post, routes, saying
from streams import parse_sse

upstream = Upstream()
gateway = Gateway(config(upstream, routes=routes()))
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
BODY = b'{"model":"two","stream":true,"input":"Hi"}'
ID = "resp_68a1f0c9e8b7a64f1c0a9be7d24c55b368a1f0c9e8b7a64f"


def event(kind, number=None, **more):
    data = {"type": kind, **more}
    if number is not None:
        data["sequence_number"] = number
    return f"event: {kind}\ndata: {json.dumps(data)}\n\n".encode()


def begin(name=ID, first=0):
    return [event("response.created", first, response={"id": name, "status": "in_progress"}),
            event("response.in_progress", first + 1, response={"id": name, "status": "in_progress"}),
            event("response.output_item.added", first + 2, item={"id": "msg_1", "type": "message"})]


def delta(number, text="Hello"):
    return event("response.output_text.delta", number, delta=text, item_id="msg_1")


def cut(pieces):
    """Returns a step that sends the pieces and closes the connection before the last chunk."""
    def step(conn, _):
        conn.sendall(HEAD + b"".join(chunk(piece) for piece in pieces))
        return False
    return step


def ask(*steps):
    mark, plan = upstream.plan(*steps)
    with Client(gateway.port) as client:
        answer = client.ask(post("/v1/responses", BODY, mark))
    check(answer.status == 200 and answer.end == CLEAN, answer)
    events, rest = parse_sse(answer.body)
    check(not rest, "half an event:", rest)
    events = [json.loads(data) for _, data in events]
    check([one["type"] for one in events[-2:]] == ["error", "response.failed"], answer)
    return events, plan


def goes_on(pieces, number, name, passed=None):
    """The last two events of a cut stream have the numbers `number` and `number` + 1. name: the response id; None: the
    id of the report."""
    events, _ = ask(cut(pieces))
    check(len(events) == (len(pieces) if passed is None else passed) + 2, "events:", len(events))
    numbers = [one["sequence_number"] for one in events[-2:]]
    check(numbers == [number, number + 1], numbers)
    found = events[-1]["response"]["id"]
    check(found == (name or report_of(events[-2])["report_id"]), "id:", found)
    check(events[-1]["response"]["status"] == "failed", events[-1])


def of_the_one_that_answers():
    """The numbers and the id of an attempt that failed before it sent content do not affect the
    stream of the next attempt."""
    events, plan = ask(cut(begin("resp_first", 40)), cut(begin("resp_second") + [delta(3)]))
    check(len(plan.seen) == 2 and len(events) == 6, plan.seen, events)
    check([one["sequence_number"] for one in events] == [0, 1, 2, 3, 4, 5], events)
    check(events[-1]["response"]["id"] == "resp_second", events[-1])


def of_a_failure_that_is_told():
    """The provider's own error event is replaced, so its sequence number is used for the gateway's event."""
    failed = event("response.failed", 4, response={"id": ID, "status": "failed", "error": {
        "code": "server_error", "message": "busy"}})
    events, _ = ask(saying(HEAD + b"".join(chunk(piece) for piece in begin() + [delta(3), failed])
                           + b"0\r\n\r\n"))
    check([one["sequence_number"] for one in events] == [0, 1, 2, 3, 4, 5], events)
    check(events[-1]["response"]["id"] == ID, events[-1])


suite = Suite()
suite.case("behind events 0 to 5", goes_on, begin() + [delta(3), delta(4), delta(5)], 6, ID)
suite.case("from 1 on", goes_on, begin(first=1) + [delta(4)], 5, ID)
suite.case("the id comes with response.in_progress", goes_on,
           [event("response.created", 0, response={}), begin()[1], delta(2)], 3, ID)
suite.case("half an event is not counted", goes_on, begin() + [delta(3), delta(4)[:-30]], 4, ID, 4)
suite.case("without numbers", goes_on, [event("response.created", response={"id": ID}), delta(None)], 0, ID)
suite.case("a number is missing", goes_on, begin() + [delta(3), delta(None), delta(None)], 6, ID)
suite.case("an event that is too large to be read", goes_on, begin() + [delta(3), delta(4, "x" * 1500000)], 5, ID)
suite.case("numbers that are none", goes_on,
           begin() + [delta(3), delta("9"), delta(-5), delta(2.5), delta(1 << 70)], 8, ID)
suite.case("the last number that there is", goes_on, begin() + [delta((1 << 63) - 1)], 4, ID)
for what, text in (("quotes and line ends", 'a"}\n\ndata: [DONE]\n\n'), ("another script", "r\u00e9p\u2028\U0001f600"),
                   ("as long as can be", "r" * 128)):
    suite.case(f"an id with {what}", goes_on, begin(text) + [delta(3)], 4, text)
for what, text in (("too long", "r" * 129), ("empty", ""), ("a number", 7), ("nothing", None)):
    suite.case(f"an id that is {what}", goes_on, begin(text) + [delta(3)], 4, None)
suite.case("no response in front of the content", goes_on, [delta(0), delta(1)], 2, None)
suite.case("of two streams", of_the_one_that_answers)
suite.case("behind an error that is told", of_a_failure_that_is_told)
suite.alone("nothing came unasked", lambda: check(not upstream.strays, upstream.strays))
main(suite, gateway, upstream)
