"""The memory for stored request bodies and responses has one limit for all requests together. The limit is exact to
the byte, and the memory returns to the system afterwards."""

import threading

from harness import IS_FEW, WAIT_S, Gateway, Suite, check, main, wait_until
from peers import CLEAN, OK_CHAT, Client, Upstream, chat, chunk, config, saying
from streams import CHAT, framed

MB = 1 << 20
ROOM = 2 * MB
REPLAY = MB
# A body with more than REPLAY bytes is stored completely if its model comes after these bytes.
LIMITS = {"max_kept_bytes": ROOM, "replay_bytes": REPLAY, "max_body_bytes": 8 * MB}
LARGE, MANY = 4 * MB, 100
GROWTH = 24 * MB

upstream = Upstream()
gateway = Gateway(config(upstream, limits=LIMITS, threads=2))
wide = Gateway(config(upstream, limits={"max_kept_bytes": 1 << 30, "replay_bytes": 2 * LARGE}))


def body_of(size, start=b'{"messages":[', end=b"}"):
    """Returns a body whose model is its last member, so that the gateway must store the whole body."""
    tail = b'],"model":"once"' + end
    return start + b" " * (size - len(start) - len(tail)) + tail


def request(mark, size, **parts):
    return chat(mark, body=body_of(size, **parts))


def fits(size=ROOM):
    """A body of this size is accepted if no other body is stored."""
    mark, plan = upstream.plan(saying(OK_CHAT))
    with Client(gateway.port) as client:
        answer = client.ask(request(mark, size))
    check(answer.status == 200 and answer.end == CLEAN and len(plan.seen) == 1, answer)
    check(len(plan.seen[0].body) > size - 10, len(plan.seen[0].body))


def is_empty():
    try:
        fits()
        return True
    except AssertionError:
        return False


def nothing_is_kept():
    """Waits until no bytes are counted. A disconnect is noticed a little later."""
    wait_until(is_empty, "what is kept no more")


class Held:
    """A provider that has received a request and does not respond yet."""

    def __init__(self, size):
        self.arrived = threading.Event()
        self.go_on = threading.Event()
        self.mark, self.plan = upstream.plan(self.step)
        self.client = Client(gateway.port)
        self.client.send(request(self.mark, size))
        check(self.arrived.wait(WAIT_S), "it did not arrive")

    def step(self, conn, _):
        self.arrived.set()
        self.go_on.wait(WAIT_S)
        conn.sendall(OK_CHAT)
        return True

    def end(self):
        self.go_on.set()
        answer = self.client.read()
        self.client.sock.close()
        check(answer.status == 200 and answer.end == CLEAN, answer)


def refused_beside(size):
    mark, plan = upstream.plan(saying(OK_CHAT))
    with Client(gateway.port) as client:
        answer = client.ask(request(mark, size))
    check(answer.status == 503 and b'"Overloaded"' in answer.body, answer)
    check(b"limits.max_kept_bytes" in answer.body, answer)
    check(int(answer.get("retry-after")) >= 1 and answer.get("x-should-retry") == "true", answer.head.raw)
    check(not plan.seen, "it was sent")


def ceiling():
    """The limit is exact to the byte: a body that needs no more than the remaining bytes is accepted."""
    held = Held(ROOM - 4096)
    refused_beside(4097)
    refused_beside(MB)
    fits(4096)
    held.end()
    nothing_is_kept()


def too_large():
    """A body above the limit is refused without advice to retry."""
    mark, plan = upstream.plan(saying(OK_CHAT))
    with Client(gateway.port) as client:
        answer = client.ask(request(mark, ROOM + 1))
    check(answer.status == 413 and b'"RequestTooLarge"' in answer.body, answer)
    check(b"limits.max_kept_bytes" in answer.body and not plan.seen, answer)
    nothing_is_kept()


def passes():
    """Only the beginning of a relayed body is counted."""
    mark, plan = upstream.plan(saying(OK_CHAT))
    body = b'{"model":"once","messages":[' + b" " * (6 * MB) + b"]}"
    with Client(gateway.port) as client:
        answer = client.ask(chat(mark, body=body))
    check(answer.status == 200 and len(plan.seen[0].body) >= len(body) - 100, answer)
    nothing_is_kept()


def leaves(size, sent):
    """Bytes are no longer counted after the client disconnects during its upload."""
    for _ in range(3):
        client = Client(gateway.port)
        client.send(request("", size)[:sent])
        client.sock.close()
    nothing_is_kept()


def streams():
    """A stream's request is no longer counted after the first content."""
    head, _ = framed(CHAT, "chunked")
    pieces = [chunk(piece) for piece in CHAT.pieces()]
    go_on = threading.Event()

    def step(conn, _):
        conn.sendall(head + b"".join(pieces[:-1]))
        go_on.wait(WAIT_S)
        conn.sendall(pieces[-1] + b"0\r\n\r\n")
        return False
    mark, _ = upstream.plan(step)
    with Client(gateway.port) as client:
        client.send(request(mark, ROOM, start=b'{"stream":true,"messages":['))
        client.source.until(b"\r\n\r\n")
        client.source.until(b"data:")
        nothing_is_kept()
        go_on.set()
        client.source.until(b"[DONE]")
    nothing_is_kept()


def refused_at_once():
    """The body of a request that is not JSON is freed at once."""
    with Client(gateway.port) as client:
        answer = client.ask(request("", ROOM, end=b"]"))
    check(answer.status == 400, answer)
    nothing_is_kept()


def goes_back():
    """The memory of many large bodies that were stored at the same time returns to the system."""
    data = request("", LARGE, end=b"]")
    with Client(wide.port) as client:
        check(client.ask(data).status == 400)
    before = wide.rss_bytes()
    clients = []
    for number in range(MANY):
        client = Client(wide.port)
        check(client.send(data[:number - MANY]))
        for other in clients:  # Each client sends a byte, so that none is idle before all have sent their bodies.
            at = MANY - number
            check(other.send(data[-at - 1:-at]))
        clients.append(client)
    wait_until(lambda: wide.rss_bytes() > before + MANY * LARGE * 9 // 10, "all of it")
    for client in clients:
        client.send(data[-1:])
        check(client.read().status == 400)
        client.sock.close()
    wait_until(lambda: wide.rss_bytes() < before + GROWTH, "memory that goes back")


suite = Suite(threads=1)
suite.alone("a body of all that may be kept", fits)
suite.alone("a ceiling, to the byte", ceiling)
suite.alone("a body of more than may be kept", too_large)
suite.alone("a body that is passed on", passes)
suite.alone("a body that stops", leaves, ROOM, ROOM - MB)
suite.alone("a body that is refused", refused_at_once)
suite.alone("a stream", streams)
if not IS_FEW:  # A sanitizer keeps freed memory.
    suite.alone("memory goes back", goes_back)
suite.alone("nothing came unasked", lambda: check(not upstream.strays, upstream.strays))
main(suite, gateway, wide, upstream)
