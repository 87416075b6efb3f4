"""A gateway without file descriptors accepts no connections for a while, continues the requests in flight, does not
use the CPU in a loop, and recovers."""

import threading
import time

from harness import IS_FEW, Gateway, Suite, check, main, wait_until
from peers import CLEAN, OK_CHAT, Client, Upstream, chat, chunk, config, saying
from streams import CHAT, framed

LIMIT = 64

upstream = Upstream()
gateway = Gateway(config(upstream), nofile=LIMIT)


def until_full(clients):
    """Opens connections until the gateway has no descriptor left; further connections wait in the kernel."""
    for _ in range(2 * LIMIT):
        clients.append(Client(gateway.port))
    wait_until(lambda: gateway.descriptors() >= LIMIT - 1, "the last descriptor")


def exhausted():
    head, body = framed(CHAT, "chunked")
    go, told = threading.Event(), []

    def step(conn, _):
        conn.sendall(head + chunk(CHAT.pieces()[1]))
        while not go.wait(0.02):
            conn.sendall(chunk(CHAT.pieces()[2]))
            told.append(1)
        conn.sendall(b"".join(chunk(piece) for piece in CHAT.pieces()[3:]) + b"0\r\n\r\n")
        return True
    mark, _ = upstream.plan(step)
    plain, _ = upstream.plan(saying(OK_CHAT))
    stream, known = Client(gateway.port), Client(gateway.port)
    # Idle connections and half-sent heads are evicted; this client has sent its head and most of its body.
    half = chat(plain, "two")
    known.send(half[:-10])
    stream.send(CHAT.request(mark))
    stream.source.until(CHAT.pieces()[1])
    others = []
    until_full(others)

    # Requests in flight continue, and the gateway does not loop without a wait.
    count, cpu, begin = len(told), gateway.cpu_s(), time.monotonic()
    for _ in range(50):
        stream.source.until(CHAT.pieces()[2])
    wait_until(lambda: len(told) > count + 50, "the stream")
    took, used = time.monotonic() - begin, gateway.cpu_s() - cpu
    check(used < took * (0.4 if IS_FEW else 0.1), "CPU", used, "s of", took, "s")

    # A client that was connected before gets a response: success or an error with a code.
    answer = known.ask(half[-10:])
    check(answer.end == CLEAN and answer.status in (200, 502, 503), answer)
    check(answer.status == 200 or answer.get("x-recourse-error-code"), answer)

    # After descriptors became free, the waiting clients are served, and the stream continues to its end.
    for client in others[:-1]:
        client.sock.close()
    check(others[-1].ask(chat(plain, "once")).status == 200)
    go.set()
    answer = stream.source.until(b"0\r\n\r\n")
    check(answer.endswith(b"data: [DONE]\n\n\r\n0\r\n\r\n"), answer[-100:])
    for client in (stream, known, others[-1]):
        client.sock.close()
    wait_until(lambda: gateway.descriptors() < LIMIT // 2, "descriptors that come back")


def many_times():
    """Descriptors are exhausted and freed several times; none is leaked."""
    idle = gateway.descriptors()
    mark, _ = upstream.plan(saying(OK_CHAT))
    for _ in range(3):
        clients = []
        until_full(clients)
        for client in clients:
            client.sock.close()
        with Client(gateway.port) as client:
            check(client.ask(chat(mark, "once")).status == 200)
    wait_until(lambda: gateway.descriptors() <= idle + 2, "descriptors that come back")


suite = Suite(threads=1)
suite.alone("no descriptors: accepting pauses, streams go on, it recovers", exhausted)
suite.alone("no descriptors, several times", many_times)
suite.alone("nothing came unasked", lambda: check(not upstream.strays, upstream.strays))
main(suite, gateway, upstream)
