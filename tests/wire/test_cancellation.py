"""A client that disconnects, or a deadline that passes, cancels the provider's call."""

import select
import socket
import threading
import time

from harness import WAIT_S, Gateway, Suite, check, main, wait_until
from peers import CLEAN, OK_CHAT, Client, Upstream, chat, chunk, config, http, reset, saying
from streams import SAMPLES, framed

upstream = Upstream()
WAITING = {"max_attempts": 3, "backoff": "fixed", "base_ms": 1000, "jitter": "none"}
patient = config(upstream, threads=2)
patient["policies"]["waiting"] = WAITING
patient["routes"].insert(0, {"model": "waiting", "policy": "waiting", "chain": [{"target": "a/m"}]})
patient["routes"].insert(0, {"model": "hanging", "policy": "quick", "chain": [{"target": "a/m"}],
                             "timeouts": {"first_byte_ms": 800}})
gateway = Gateway(patient)


def large(mark):
    return chat(mark, body=b'{"model":"once","messages":["%b"]}' % (b"x" * (8 << 20)))


class Watch:
    """A step that sends bytes, sets `sent`, and waits until the gateway closes the connection; `how` is then the kind
    of the end."""

    def __init__(self, data):
        self.data = data
        self.sent = threading.Event()
        self.gone = threading.Event()
        self.how = ""
        self.begin = time.monotonic()

    def __call__(self, conn, _):
        conn.settimeout(WAIT_S)
        try:
            # sendall raises if the gateway has already closed the connection, even for an empty text.
            conn.sendall(self.data)
            self.sent.set()
            while conn.recv(65536):
                pass
            self.how = "end"
        except ConnectionResetError:
            self.how = "reset"
        except socket.timeout:
            self.how = "nothing"
        self.gone.set()
        return False


def close(client):
    client.sock.close()


def shut(client):
    """Shuts down only the sending side. The gateway treats such a client as disconnected."""
    client.sock.shutdown(socket.SHUT_WR)


def hard(client):
    reset(client.sock)


def leaves(request, data, leave, wants):
    """A client that disconnects cancels the call to the provider. wants: the bytes that the client reads before it
    disconnects."""
    watch = Watch(data)
    mark, plan = upstream.plan(watch)
    client = Client(gateway.port)
    client.send(request(mark))
    check(watch.sent.wait(WAIT_S), "the request did not arrive")
    if wants:
        client.source.until(wants)
    leave(client)
    check(watch.gone.wait(WAIT_S) and watch.how == "reset", "the provider saw", watch.how)
    client.sock.close()
    check(len(plan.seen) == 1, "tried again for nobody")


def leaves_while_waiting(leave):
    """If the client disconnects during the wait between two attempts, there is no second attempt."""
    mark, plan = upstream.plan(saying(http(b'{"error":{"message":"busy"}}', status="503 Busy")),
                               saying(OK_CHAT))
    client = Client(gateway.port)
    client.send(chat(mark, "waiting"))
    wait_until(lambda: plan.seen, "the first try")
    time.sleep(0.05)
    leave(client)
    time.sleep(2 * WAITING["base_ms"] / 1000)
    client.sock.close()
    check(len(plan.seen) == 1, "tried again for nobody")


def waits_otherwise():
    """Shows that leaves_while_waiting would notice a second attempt."""
    mark, plan = upstream.plan(saying(http(b'{"error":{"message":"busy"}}', status="503 Busy")),
                               saying(OK_CHAT))
    with Client(gateway.port) as client:
        answer = client.ask(chat(mark, "waiting"))
        check(answer.status == 200 and len(plan.seen) == 2, answer)


def leaves_behind_others():
    """A pipelined second request is not started after the client has disconnected."""
    watch = Watch(b"")
    mark, plan = upstream.plan(watch)
    client = Client(gateway.port)
    client.send(chat(mark, "once") + chat(mark, "once"))
    check(watch.sent.wait(WAIT_S))
    close(client)
    check(watch.gone.wait(WAIT_S) and watch.how == "reset", watch.how)
    time.sleep(0.2)
    check(len(plan.seen) == 1, "the second one was begun")


def pour(client, data):
    """Sends as many bytes as the buffers of both sides accept. Returns their number."""
    client.sock.setblocking(False)
    sent = 0
    while sent < len(data) and select.select([], [client.sock], [], 0.1)[1]:
        sent += client.sock.send(data[sent:])
    return sent


def leaves_behind_a_large_one(leave):
    """The gateway notices a disconnect even if unread bytes of another request precede the FIN."""
    watch = Watch(b"")
    mark, plan = upstream.plan(watch)
    client = Client(gateway.port)
    client.send(chat(mark, "once"))
    check(watch.sent.wait(WAIT_S))
    check(pour(client, large(mark)) > 200000, "it fits into what is read ahead")
    leave(client)
    check(watch.gone.wait(WAIT_S) and watch.how == "reset", "the provider saw", watch.how)
    client.sock.close()
    check(len(plan.seen) == 1, "the second one was begun")


def stays_behind_a_large_one():
    """A client with a large pipelined request that does not disconnect gets the response to its first request, which
    closes the connection."""
    go_on = threading.Event()

    def step(conn, _):
        check(go_on.wait(WAIT_S))
        conn.sendall(OK_CHAT)
        return True
    mark, plan = upstream.plan(step)
    with Client(gateway.port) as client:
        client.send(chat(mark, "once"))
        wait_until(lambda: plan.seen, "the request")
        data = large(mark)
        end = time.monotonic() + WAIT_S
        sent = 0
        while sent < len(data):
            check(time.monotonic() < end, "nobody takes it:", sent)
            sent += pour(client, data[sent:])
        client.sock.settimeout(WAIT_S)
        go_on.set()
        answer = client.read()
        check(answer.status == 200 and answer.end == CLEAN, answer)
        check(answer.get("connection") == "close", answer.head.raw)
    check(len(plan.seen) == 1, "the second one was begun")


def leaves_in_its_body():
    with Client(gateway.port) as client:
        client.send(b"POST /v1/chat/completions HTTP/1.1\r\nHost: g\r\nContent-Length: 100\r\n\r\n{")
    mark, _ = upstream.plan(saying(OK_CHAT))
    with Client(gateway.port) as client:
        check(client.ask(chat(mark, "once")).status == 200)


# ---- deadlines ----


def deadline(model, tries, stream):
    """One deadline covers all attempts of a request; it ends the current call and is reported as DeadlineExceeded."""
    watches = []

    def step(conn, request):
        watch = Watch(b"")
        watches.append(watch)
        return watch(conn, request)
    mark, plan = upstream.plan(step)
    begin = time.monotonic()
    with Client(gateway.port) as client:
        answer = client.ask(chat(mark, model, is_stream=stream,
                                 extra=b"x-recourse-deadline-ms: 2000\r\n"))
    took = time.monotonic() - begin
    check(answer.status == 504 and answer.end == CLEAN, answer)
    check(answer.get("x-recourse-error-code") == "DeadlineExceeded", answer)
    attempts = int(answer.get("x-recourse-attempts"))
    check(attempts in tries, "tries:", attempts)
    # The deadline may end the last attempt before the provider sees it.
    check(attempts - 1 <= len(plan.seen) <= attempts, "seen:", len(plan.seen), answer.head.raw)
    for number, watch in enumerate(watches, 1):
        check(watch.gone.wait(WAIT_S) and watch.how == "reset", "try", number, "of", len(watches), "begun after",
              watch.begin - begin, "answered after", took, "ended by", watch.how or "nobody")


def deadline_in_its_body(is_chunked):
    """The deadline also runs while the request body arrives slowly; no provider is called."""
    mark, plan = upstream.plan(saying(OK_CHAT))
    framing = b"Transfer-Encoding: chunked" if is_chunked else b"Content-Length: 5000"
    with Client(gateway.port) as client:
        client.send(b"POST /v1/chat/completions HTTP/1.1\r\nHost: g\r\nx-plan: %b\r\n"
                    b"x-recourse-deadline-ms: 300\r\n%b\r\n\r\n" % (mark.encode(), framing))
        end = time.monotonic() + WAIT_S
        while not select.select([client.sock], [], [], 0.02)[0]:
            check(time.monotonic() < end, "a body that trickles is waited for")
            client.send(chunk(b" ") if is_chunked else b" ")
        answer = client.read()
    check(answer.status == 504 and b"DeadlineExceeded" in answer.body, answer)
    check(answer.get("x-should-retry") == "false" and not plan.seen, answer)


def deadline_in_a_stream(sample):
    """If the deadline passes after content was sent, the error is an event of the stream."""
    head, _ = framed(sample, "chunked")
    pieces = sample.pieces()
    count = 1 + [is_content for _, is_content in sample.events].index(True)
    watch = Watch(head + b"".join(chunk(piece) for piece in pieces[:count]))
    mark, plan = upstream.plan(watch)
    with Client(gateway.port) as client:
        answer = client.ask(sample.request(mark, extra=b"x-recourse-deadline-ms: 500\r\n"))
    code = sample.check_error(answer, len(b"".join(pieces[:count])))
    check(code == "DeadlineExceeded" and len(plan.seen) == 1, code)
    check(watch.gone.wait(WAIT_S) and watch.how == "reset", watch.how)


suite = Suite()
for leave in (close, shut, hard):
    way = {close: "closes", shut: "shuts its side", hard: "resets"}[leave]
    suite.case(f"{way} before the answer begins", leaves, lambda mark: chat(mark, "once"), b"", leave,
               b"")
    suite.case(f"{way} in the head of the answer", leaves, lambda mark: chat(mark, "once"),
               b"HTTP/1.1 200 OK\r\nContent-", leave, b"")
    suite.case(f"{way} in the body of the answer", leaves, lambda mark: chat(mark, "once"),
               http(b'{"choices":')[:-3], leave, b"")
    suite.case(f"{way} while a try is waited for", leaves_while_waiting, leave)
    for one in SAMPLES:
        start = framed(one, "chunked")[0]
        suite.case(f"{way} before content: {one.name}", leaves, one.request, start, leave, b"")
        pieces = b"".join(chunk(piece) for piece in one.pieces()[:-1])
        suite.case(f"{way} behind content: {one.name}", leaves, one.request, start + pieces, leave,
                   b"H")
suite.case("one that stays sees the second try", waits_otherwise)
suite.case("leaves with a request pipelined", leaves_behind_others)
for leave in (close, shut, hard):
    suite.case("leaves with a large request pipelined", leaves_behind_a_large_one, leave)
suite.case("stays with a large request pipelined", stays_behind_a_large_one)
suite.case("leaves in its own body", leaves_in_its_body)
for is_stream in (False, True):
    what = "a stream" if is_stream else "an answer"
    suite.case(f"a deadline, one try: {what}", deadline, "m", (1,), is_stream)
    suite.case(f"a deadline over three tries: {what}", deadline, "hanging", (2, 3), is_stream)
suite.case("a deadline in the client's own body", deadline_in_its_body, False)
suite.case("a deadline in the client's own chunks", deadline_in_its_body, True)
for one in SAMPLES:
    suite.case(f"a deadline behind content: {one.name}", deadline_in_a_stream, one)
suite.alone("nothing came unasked", lambda: check(not upstream.strays, upstream.strays))
main(suite, gateway, upstream)
