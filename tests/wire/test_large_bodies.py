"""Request bodies that are too large to store are relayed while they arrive: the provider gets exactly their bytes,
once, at its own speed, and never more bytes than announced."""

import socket
import threading

from harness import IS_FEW, WAIT_S, Gateway, Suite, check, main, wait_until
from peers import (CLEAN, OK_CHAT, Client, Upstream, chat, config, ending, http, is_gone, post, reset,
                   resetting, saying)

MB = 1 << 20
KEPT = 4096  # replay_bytes: the gateway stores this many bytes of a body to send them again.
GROWTH = 16 * MB if IS_FEW else 3 * MB

upstream = Upstream()
eager = Upstream(is_eager=True)
gateway = Gateway(config(upstream, rest=eager, threads=2, limits={"replay_bytes": KEPT}))
BODY = OK_CHAT.partition(b"\r\n\r\n")[2]


def body_of(model, size):
    start, end = b'{"model":"%b","messages":["' % model.encode(), b'"]}'
    return start + b"x" * (size - len(start) - len(end)) + end


def wanted(model, size):
    """Returns the body as the provider gets it, with the provider's model name."""
    return body_of(model, size).replace(b'"model":"%b"' % model.encode(), b'"model":"m"')


def check_ok(answer):
    check(answer.status == 200 and answer.end == CLEAN and answer.body == BODY, answer)


def around_the_limit(model):
    """The provider gets the same request whether the body is stored or relayed, and however it is split into
    packets."""
    for size in (KEPT - 1, KEPT, KEPT + 1, 2 * KEPT, 20 * KEPT):
        for step in (size, 1 if size < 2 * KEPT else 777):
            mark, plan = upstream.plan(saying(OK_CHAT))
            request = post("/v1/chat/completions", body_of(model, size), mark)
            with Client(gateway.port) as client:
                for at in range(0, len(request), step):
                    check(client.send(request[at:at + step]), "closed early")
                check_ok(client.read())
                # The bytes that follow belong to another request.
                check_ok(client.ask(request))
            for seen in plan.seen:
                check(seen.body == wanted(model, size), size, seen.body[:80])
                check(seen.get("content-length") == str(len(seen.body)), seen.raw)
            check(len(plan.seen) == 2)


def pipelined():
    mark, plan = upstream.plan(saying(OK_CHAT))
    request = post("/v1/chat/completions", body_of("once", 10 * KEPT), mark)
    with Client(gateway.port) as client:
        client.send(request * 5 + chat(mark, "once"))
        for _ in range(6):
            check_ok(client.read())
    check([len(seen.body) for seen in plan.seen[:5]] == [len(wanted("once", 10 * KEPT))] * 5)


def expecting():
    mark, plan = upstream.plan(saying(OK_CHAT))
    whole = post("/v1/chat/completions", body_of("once", 3 * KEPT), mark,
                 b"Expect: 100-continue\r\n")
    at = whole.index(b"\r\n\r\n") + 4
    with Client(gateway.port) as client:
        client.send(whole[:at])
        check(client.source.until(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n")
        client.send(whole[at:])
        check_ok(client.read())
    check(not plan.seen[0].all("expect") and plan.seen[0].body == wanted("once", 3 * KEPT))


def ambiguous_behind_the_start(member):
    """A second model after the bytes that the gateway has read before it began to relay: the provider never gets the
    whole body, and the error names the member."""
    for size in (2 * KEPT, 300 * KEPT):
        mark, plan = upstream.plan(saying(OK_CHAT))
        body = body_of("once", size)[:-1] + b',"%b":"other"}' % member
        with Client(gateway.port) as client:
            answer = client.ask(post("/v1/chat/completions", body, mark))
        check(answer.status == 400 and answer.get("x-recourse-error-code") == "InvalidRequest", answer)
        check(answer.get("x-should-retry") == "false" and b'"message":"model: the body has this' in answer.body, answer)
        check(not plan.seen, "the provider got all of it")
        with Client(gateway.port) as client:
            check_ok(client.ask(post("/v1/chat/completions", body_of("once", size), mark)))


# ---- bodies that do not arrive completely ----


class Half:
    """A step of the mock provider: reads the body until the gateway closes the connection, and
    stores in `how` whether by an end or a reset."""

    def __init__(self):
        self.bytes = 0
        self.how = ""
        self.gone = threading.Event()

    def __call__(self, conn, request):
        conn.settimeout(WAIT_S)
        self.bytes = len(request.body)
        try:
            while True:
                piece = conn.recv(65536)
                if not piece:
                    self.how = "end"
                    break
                self.bytes += len(piece)
        except ConnectionResetError:
            self.how = "reset"
        except socket.timeout:
            self.how = "nothing"
        self.gone.set()
        return False


def left(leave):
    """The client disconnects while it sends its body: the provider sees a reset and never a complete request."""
    half = Half()
    mark, plan = eager.plan(half)
    request = post("/v1/chat/completions", body_of("rest", 40 * KEPT), mark)
    client = Client(gateway.port)
    client.send(request[:20 * KEPT])
    wait_until(lambda: half.bytes > 0, "the first bytes")
    leave(client)
    check(half.gone.wait(WAIT_S) and half.how == "reset", "the provider saw", half.how)
    check(half.bytes < 40 * KEPT and len(plan.seen) == 1, half.bytes)
    client.sock.close()


def mixed():
    """Bytes of one client's body never become a part of another client's request."""
    troubles = []

    def cut_off(number):
        request = post("/v1/chat/completions", body_of("once", 8 * KEPT).replace(b"x", b"y"), "plan-none")
        with Client(gateway.port) as client:
            client.send(request[:len(request) - 1 - number % 7])
            if number % 2:
                reset(client.sock)

    def good(_):
        mark, plan = upstream.plan(saying(OK_CHAT))
        with Client(gateway.port) as client:
            answer = client.ask(post("/v1/chat/completions", body_of("once", 5 * KEPT), mark))
        if answer.status != 200 or plan.seen[0].body != wanted("once", 5 * KEPT):
            troubles.append(answer)

    threads = [threading.Thread(target=what, args=(number,)) for number in range(20)
               for what in (cut_off, good)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    check(not troubles, troubles[:1])
    check(not upstream.strays, "half a request was taken for a whole one")


# ---- the provider ----


def not_taken():
    """The provider does not read: the client's upload stops, and the gateway's memory does not grow."""
    go = threading.Event()

    def step(conn, request):
        go.wait(WAIT_S)
        conn.settimeout(WAIT_S)
        left_over = int(request.get("content-length")) - len(request.body)
        while left_over > 0:
            left_over -= len(conn.recv(min(left_over, MB)))
        conn.sendall(OK_CHAT)
        return False
    mark, _ = eager.plan(step)
    request = post("/v1/chat/completions", body_of("rest", 30 * MB), mark)
    before = gateway.rss_bytes()
    with Client(gateway.port) as client:
        client.sock.setblocking(False)
        sent = stalls = 0
        while stalls < 50 and sent < len(request):
            try:
                sent += client.sock.send(request[sent:sent + MB])
                stalls = 0
            except BlockingIOError:
                stalls += 1
                threading.Event().wait(0.01)
        check(sent < len(request), "all of it was taken")
        grown = gateway.rss_bytes() - before
        check(grown < GROWTH, "grown by", grown)
        go.set()
        client.sock.settimeout(WAIT_S)
        client.send(request[sent:])
        check_ok(client.read())


def answered_early():
    """The provider refuses the request before it has received the whole body; the client gets the error."""
    def step(conn, _):
        conn.sendall(http(b'{"error":{"message":"too long","type":"invalid_request_error","code":'
                          b'"context_length_exceeded"}}', status="400 Bad Request"))
        is_gone(conn)
        return False
    mark, _ = eager.plan(step)
    request = post("/v1/chat/completions", body_of("rest", 20 * MB), mark)
    with Client(gateway.port) as client:
        client.send(request[:10 * KEPT])
        answer = client.read()
        check(answer.get("x-recourse-error-code") == "ContextOverflow", answer)


def cut(end):
    """The provider closes the connection during the upload: the client gets an error at once, and there is no
    retry."""
    mark, plan = eager.plan(end(b""))
    request = post("/v1/chat/completions", body_of("rest", 20 * MB), mark)
    with Client(gateway.port) as client:
        client.send(request[:10 * KEPT])
        answer = client.read()
        check(answer.status in (502, 504) and answer.end == CLEAN, answer)
        check(answer.get("x-recourse-error-code"), answer.head.raw)
        check(len(plan.seen) == 1, "tried again without a body")


def not_again():
    """A relayed body is not sent again, and the next target does not get a part of it."""
    mark, plan = upstream.plan(ending(b""), saying(OK_CHAT))
    with Client(gateway.port) as client:
        answer = client.ask(post("/v1/chat/completions", body_of("two", 3 * MB), mark))
        check(answer.status >= 500 and len(plan.seen) == 1, answer)
    # A stored body is sent again.
    mark, plan = upstream.plan(ending(b""), saying(OK_CHAT))
    with Client(gateway.port) as client:
        check_ok(client.ask(post("/v1/chat/completions", body_of("two", KEPT), mark)))
        check(len(plan.seen) == 2 and plan.seen[1].body == wanted("two", KEPT))


suite = Suite()
for name in ("once", "m"):
    suite.case(f"around the limit: model {name}", around_the_limit, name)
for spelling in (b"model", b"Model", b"mod\\u0065l"):
    suite.case(f"ambiguous behind the start: {spelling.decode()}", ambiguous_behind_the_start, spelling)
suite.case("several one behind the other", pipelined)
suite.case("100-continue", expecting)
suite.case("a client that closes in its body", left, lambda client: client.sock.close())
suite.case("a client that resets in its body", left, lambda client: reset(client.sock))
suite.case("a client that shuts its side in its body", left,
           lambda client: client.sock.shutdown(socket.SHUT_WR))
suite.case("bodies of several clients", mixed)
suite.case("a provider that refuses early", answered_early)
suite.case("a provider that ends", cut, ending)
suite.case("a provider that resets", cut, resetting)
suite.case("once is once", not_again)
suite.alone("a provider that does not read", not_taken)
suite.alone("nothing came unasked", lambda: check(not upstream.strays, upstream.strays))
main(suite, gateway, upstream, eager)
