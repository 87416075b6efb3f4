"""Clients that are slow on purpose use only a connection and little memory, are disconnected in time, and do not
affect other clients."""

import select
import socket
import threading
import time

from harness import IS_FEW, WAIT_S, Gateway, Suite, check, main, wait_until
from peers import CLEAN, OK_CHAT, Client, Upstream, chat, chunk, config, http, is_gone, post, saying
from streams import ARRAY, CHAT, framed

MB = 1 << 20
STALLS = 150  # Three seconds without a byte; a gateway that is only slow would have read something in this time.
# Bytes that may be in the kernel's buffers of three sockets, which do not belong to the gateway.
IN_KERNEL = 32 * MB
GROWTH = 16 * MB if IS_FEW else 2 * MB  # A sanitizer keeps freed memory.
SLOW = 60 if IS_FEW else 300

upstream = Upstream()
gateway = Gateway(config(upstream))
BODY = OK_CHAT.partition(b"\r\n\r\n")[2]


def good_request():
    mark, _ = upstream.plan(saying(OK_CHAT))
    with Client(gateway.port) as client:
        answer = client.ask(chat(mark, "once"))
        check(answer.status == 200 and answer.end == CLEAN and answer.body == BODY, answer)


# ---- request heads ----


def trickle(clients, data, at):
    """Sends a byte to each client that is still connected."""
    for client in list(clients):
        if not client.send(data[at % len(data):at % len(data) + 1]):
            clients.remove(client)


def slow_heads():
    """A head that arrives byte by byte is one head, and the whole head has a time limit."""
    data = (b"POST /v1/chat/completions HTTP/1.1\r\nHost: gateway\r\n"
            + b"".join(b"x-%d: y\r\n" % i for i in range(2000)))
    before = gateway.descriptors()
    clients = [Client(gateway.port) for _ in range(SLOW)]
    everyone = list(clients)
    silent = [Client(gateway.port) for _ in range(SLOW // 10)]
    wait_until(lambda: gateway.descriptors() >= before + SLOW, "all of them")
    end = time.monotonic() + WAIT_S
    at = answered = 0
    while clients and time.monotonic() < end:
        trickle(clients, data, at)
        at += 1
        good_request()
        for client in list(clients):
            if select.select([client.sock], [], [], 0)[0]:
                answer = client.read()
                check(answer.status in (0, 408), answer)
                check(answer.status == 0 or (b'"NetworkTimeout"' in answer.body
                                             and answer.get("x-should-retry") == "true"), answer)
                answered += answer.status == 408
                clients.remove(client)
        time.sleep(0.05)
    check(not clients, len(clients), "heads still come")
    check(answered > SLOW // 2, "told 408:", answered)
    for client in everyone + silent:
        check(is_gone(client.sock), "still open")
        client.sock.close()
    wait_until(lambda: gateway.descriptors() < before + SLOW // 2, "their descriptors")


# ---- request bodies ----


def slow_bodies():
    """A body that does not arrive takes no memory of the size that it announces."""
    before = gateway.rss_bytes()
    head = b"POST /v1/chat/completions HTTP/1.1\r\nHost: g\r\nContent-Length: 30000000\r\n\r\n"
    clients = [Client(gateway.port) for _ in range(SLOW // 3)]
    wait_until(lambda: gateway.descriptors() > len(clients), "all of them")
    for client in clients:
        client.send(head + b'{"model":"')
    for at in range(20):
        trickle(clients, b"x", at)
        good_request()
    check(len(clients) == SLOW // 3, "a body that comes is waited for")
    grown = gateway.rss_bytes() - before
    check(grown < GROWTH + len(clients) * 64 * 1024, "grown by", grown)
    descriptors = gateway.descriptors()
    for client in clients:
        client.sock.close()
    wait_until(lambda: gateway.descriptors() < descriptors - SLOW // 4, "their descriptors")


# ---- clients that read slowly ----


def pouring(head, piece, wrap, state):
    """Returns a step that sends the head and then the same piece, as long as the gateway reads."""
    def step(conn, _):
        conn.sendall(head)
        wrapped = wrap(piece)
        left = memoryview(b"")
        conn.setblocking(False)
        while not state["stop"].is_set():
            left = left or memoryview(wrapped)
            try:
                count = conn.send(left)
            except BlockingIOError:
                state["stalls"] += 1
                state["stop"].wait(0.02)
                continue
            except OSError:
                state["gone"].set()
                return False
            state["sent"] += count
            left = left[count:]
            state["stalls"] = 0
        conn.settimeout(WAIT_S)
        conn.sendall(left)
        conn.sendall(state["last"])
        return False
    return step


def stalled_state(last):
    return {"stop": threading.Event(), "gone": threading.Event(), "sent": 0, "stalls": 0,
            "last": last}


def slow_reader(request, head, first, piece, wrap, last, expect):
    """If the client stops reading, the provider is stopped, memory does not grow and other clients
    are served. When the client continues to read, it gets the whole response."""
    state = stalled_state(last)
    mark, _ = upstream.plan(pouring(head + wrap(first), piece, wrap, state))
    before = gateway.rss_bytes()
    with Client(gateway.port, receive_bytes=8192) as client:
        client.send(request(mark))
        client.source.until(b"\r\n\r\n")
        wait_until(lambda: state["stalls"] > STALLS, "backpressure")
        check(state["sent"] < IN_KERNEL, "the provider could send", state["sent"])
        sent = state["sent"]
        for _ in range(20):
            good_request()
        grown = gateway.rss_bytes() - before
        check(grown < GROWTH, "grown by", grown)
        check(state["sent"] - sent < MB, "it went on by", state["sent"] - sent)
        state["stop"].set()
        total = tail = b""
        count = 0
        try:
            while True:
                total = client.sock.recv(MB)
                if not total:
                    break
                count += len(total)
                tail = (tail + total)[-200:]
                if expect in tail:
                    break
        except socket.timeout:
            pass
        check(expect in tail, "the end is missing:", tail)
        check(count > sent // 2, "received", count, "of", sent)


def gone_reader():
    """A client that disconnects while it does not read cancels its call."""
    state = stalled_state(b"")
    head, _ = framed(CHAT, "chunked")
    mark, _ = upstream.plan(pouring(head, CHAT.pieces()[1] * 400, chunk, state))
    client = Client(gateway.port, receive_bytes=8192)
    client.send(CHAT.request(mark))
    client.source.until(b"\r\n\r\n")
    wait_until(lambda: state["stalls"] > 5, "backpressure")
    client.sock.close()
    check(state["gone"].wait(WAIT_S), "the provider was not let go")


def unread_answers():
    """Pipelined requests whose responses are not read: the gateway stops reading requests and does not buffer without
    limit."""
    mark, plan = upstream.plan(saying(http(BODY.replace(b"Hello", b"x" * 100000))))
    request = chat(mark, "once") * 50
    before = gateway.rss_bytes()
    with Client(gateway.port, receive_bytes=8192) as client:
        client.sock.setblocking(False)
        sent = stalls = 0
        end = time.monotonic() + WAIT_S
        while stalls < 20 and sent < 64 * MB:
            check(time.monotonic() < end, "it takes requests for ever")
            try:
                sent += client.sock.send(request[sent % len(request):])
                stalls = 0
            except BlockingIOError:
                stalls += 1
                time.sleep(0.02)
        check(sent < 64 * MB, "taken:", sent)
        grown = gateway.rss_bytes() - before
        check(grown < GROWTH, "grown by", grown)
        good_request()
    seen = len(plan.seen)
    good_request()
    check(len(plan.seen) <= seen + 1, "requests of a client that left")


def plain(data):
    return data


suite = Suite(threads=1)
chunked = framed(CHAT, "chunked")[0]
suite.alone("a stream of events is not read",
            slow_reader, CHAT.request, chunked, CHAT.pieces()[1], CHAT.pieces()[2] * 400, chunk,
            b"".join(chunk(piece) for piece in CHAT.pieces()[3:]) + b"0\r\n\r\n", b"data: [DONE]")
suite.alone("an array is not read",
            slow_reader, ARRAY.request, framed(ARRAY, "chunked")[0], ARRAY.pieces()[0],
            ARRAY.pieces()[1] * 300, chunk,
            b"".join(chunk(piece) for piece in ARRAY.pieces()[2:]) + b"0\r\n\r\n", b"\n]")
big = http(b"")[:-2].replace(b"Content-Length: 0\r\n", b"Connection: close\r\n") + b"\r\n"
suite.alone("a large answer is not read",
            slow_reader, lambda mark: chat(mark, "once"), big, b'{"choices":[{"message":{"content":"',
            b"x" * 100000, plain, b'"}}],"end":"of it"}', b'"end":"of it"}')
suite.alone("bytes of a provider's own are not read",
            slow_reader, lambda mark: post("/p/a/files/1/content", b"", mark),
            big.replace(b"application/json", b"application/octet-stream"), b"begin", b"y" * 100000,
            plain, b"the end", b"the end")
suite.alone("a reader that leaves", gone_reader)
suite.alone("answers that are not read", unread_answers)
suite.alone("bodies that hardly come", slow_bodies)
suite.alone("heads that come a byte at a time", slow_heads)
suite.alone("nothing came unasked", lambda: check(not upstream.strays, upstream.strays))
main(suite, gateway, upstream)
