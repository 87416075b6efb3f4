"""Both sides of the gateway: clients that send any bytes, and providers that follow a script.

A client marks its request with the header x-plan; the provider finds the plan by that mark and executes its next step
for each request. A request without a mark is counted as a stray."""

import itertools
import socket
import struct
import threading

from harness import WAIT_S, check

CLEAN, CUT, RESET, TIMEOUT = "clean", "cut", "reset", "timeout"


def reset(sock):
    """Closes the connection with a reset instead of a FIN."""
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    sock.close()


def is_gone(sock, timeout_s=WAIT_S):
    """Waits until the peer closes or resets the connection; drops all bytes that arrive until then."""
    sock.settimeout(timeout_s)
    try:
        while sock.recv(65536):
            pass
        return True
    except ConnectionError:
        return True
    except socket.timeout:
        return False


class Head:
    """A start line and header fields, as received."""

    def __init__(self, raw):
        self.raw = raw
        lines = raw[:-4].split(b"\r\n")
        self.start = lines[0].decode("latin-1")
        self.fields = []
        for line in lines[1:]:
            name, _, value = line.partition(b":")
            self.fields.append((name.decode("latin-1").lower(), value.strip().decode("latin-1")))

    def all(self, name):
        return [value for key, value in self.fields if key == name]

    def get(self, name, default=""):
        found = self.all(name)
        return found[0] if found else default


class Source:
    """Reads from a socket in units of HTTP. Raises EOFError if the peer has closed the connection."""

    def __init__(self, sock):
        self.sock = sock
        self.rest = bytearray()

    def more(self):
        piece = self.sock.recv(1 << 18)
        if not piece:
            raise EOFError
        self.rest += piece

    def take(self, count):
        got = bytes(self.rest[:count])
        del self.rest[:count]
        return got

    def until(self, mark):
        at = 0
        while True:
            found = self.rest.find(mark, at)
            if found >= 0:
                return self.take(found + len(mark))
            at = max(0, len(self.rest) - len(mark) + 1)
            self.more()

    def exactly(self, count):
        while len(self.rest) < count:
            self.more()
        return self.take(count)


# ---- clients ----


class Answer:
    """The response that a client received. `end` is how the response ended: CLEAN, CUT, RESET or
    TIMEOUT."""

    def __init__(self):
        self.head = None
        self.interim = []
        self.body = b""
        self.end = CUT
        self.trouble = ""

    @property
    def status(self):
        return int(self.head.start.split(" ")[1]) if self.head else 0

    def get(self, name, default=""):
        return self.head.get(name, default) if self.head else default

    def __repr__(self):
        start = self.head.start if self.head else "nothing"
        return f"<{start} {self.end} {self.trouble} {self.body[-600:]!r}>"


class Client:
    """One connection to the gateway."""

    def __init__(self, port, receive_bytes=0):
        self.sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        if receive_bytes:
            self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
        self.sock.settimeout(WAIT_S)
        self.sock.connect(("127.0.0.1", port))
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.source = Source(self.sock)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.sock.close()

    def send(self, data):
        """Sends bytes. Returns false if the peer has closed the connection, which is no error: the response shows
        why."""
        try:
            self.sock.sendall(data)
        except ConnectionError:
            return False
        return True

    def send_slowly(self, data):
        """Sends each byte in a packet of its own."""
        for at in range(len(data)):
            if not self.send(data[at:at + 1]):
                return False
        return True

    def _chunked(self, answer):
        while True:
            line = self.source.until(b"\r\n")[:-2]
            size = int(line, 16)
            if size == 0:
                trailer = self.source.until(b"\r\n")
                check(trailer == b"\r\n", "a trailer:", trailer)
                return
            answer.body += self.source.exactly(size)
            check(self.source.exactly(2) == b"\r\n", "a chunk without its end")

    def _body(self, answer, is_head):
        coding = answer.head.all("transfer-encoding")
        length = answer.head.all("content-length")
        check(len(coding) + len(length) <= 1, "two framings:", answer.head.raw)
        if is_head or answer.status in (204, 304):
            return
        if coding:
            check(coding == ["chunked"], coding)
            self._chunked(answer)
        elif length:
            wanted = int(length[0])
            try:
                answer.body = self.source.exactly(wanted)
            except (EOFError, OSError):
                answer.body = self.source.take(wanted)
                raise
        else:
            try:
                while True:
                    self.source.more()
            except EOFError:
                answer.body = self.source.take(len(self.source.rest))

    def read(self, is_head=False):
        """Reads one response and the interim responses before it."""
        answer = Answer()
        try:
            head = Head(self.source.until(b"\r\n\r\n"))
            while head.start.split(" ")[1].startswith("1"):
                answer.interim.append(head)
                head = Head(self.source.until(b"\r\n\r\n"))
            answer.head = head
            self._body(answer, is_head)
            answer.end = CLEAN
        except EOFError:
            answer.end = CUT
        except ConnectionError:
            answer.end = RESET
        except socket.timeout:
            answer.end = TIMEOUT
        except (ValueError, IndexError, AssertionError) as error:
            answer.end = CUT
            answer.trouble = f"malformed: {error}"
        return answer

    def ask(self, data, is_head=False):
        self.send(data)
        return self.read(is_head)


# ---- providers ----


class Request(Head):
    """A request that a provider received."""

    def __init__(self, raw, body, connection, number):
        super().__init__(raw)
        self.body = body
        self.connection = connection
        self.number = number  # Number of the request on its connection, from 1.

    @property
    def path(self):
        return self.start.split(" ")[1]


class Plan:
    """The steps that the provider executes for the requests of one client: one step for each request; the last step is
    repeated. A step gets the provider's connection and the request. It returns True if the connection may be used
    again."""

    def __init__(self, *steps):
        self.steps = steps
        self.seen = []
        self.lock = threading.Lock()

    def take(self, request):
        with self.lock:
            self.seen.append(request)
            return self.steps[min(len(self.seen), len(self.steps)) - 1]


class Silent:
    """A provider that accepts connections and requests, and never responds."""

    def __init__(self):
        self.sock = socket.socket()
        self.sock.bind(("127.0.0.1", 0))
        self.sock.listen(64)
        self.port = self.sock.getsockname()[1]

    def stop(self):
        self.sock.close()


class Upstream:
    """A provider whose responses are steps of plans. is_eager: it responds after the head and reads of the body only
    the bytes that arrive with the head."""

    def __init__(self, is_eager=False):
        self.is_eager = is_eager
        self.sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        if is_eager:
            self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.sock.bind(("127.0.0.1", 0))
        self.sock.listen(1024)
        self.port = self.sock.getsockname()[1]
        self.plans = {}
        self.strays = []
        self.on_stray = lambda conn, request: say(conn, OK_CHAT)
        self.marks = itertools.count(1)
        self.connections = itertools.count(1)
        self.open = set()
        self.lock = threading.Lock()
        threading.Thread(target=self._accept, daemon=True).start()

    def url(self, path):
        return f"http://127.0.0.1:{self.port}{path}"

    def plan(self, *steps):
        """Adds a plan. Returns its mark and the plan."""
        mark = f"plan-{next(self.marks)}"
        plan = Plan(*steps)
        self.plans[mark] = plan
        return mark, plan

    def stop(self):
        self.sock.close()
        with self.lock:
            for conn in list(self.open):
                conn.close()

    def _accept(self):
        while True:
            try:
                conn, _ = self.sock.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(conn, next(self.connections)),
                             daemon=True).start()

    def _step(self, request):
        plan = self.plans.get(request.get("x-plan"))
        if plan:
            return plan.take(request)
        with self.lock:
            self.strays.append(request)
        return self.on_stray

    def _serve(self, conn, connection):
        with self.lock:
            self.open.add(conn)
        try:
            conn.settimeout(WAIT_S)
            conn.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            source = Source(conn)
            for number in itertools.count(1):
                raw = source.until(b"\r\n\r\n")
                head = Head(raw)
                length = int(head.get("content-length", "0"))
                body = source.exactly(min(length, len(source.rest)) if self.is_eager else length)
                request = Request(raw, body, connection, number)
                if not self._step(request)(conn, request):
                    break
        except (EOFError, OSError):
            pass
        finally:
            with self.lock:
                self.open.discard(conn)
            conn.close()


def say(conn, data):
    """Sends the bytes and keeps the connection open."""
    conn.sendall(data)
    return True


def saying(data):
    """Returns a step that sends the bytes and keeps the connection open."""
    return lambda conn, request: say(conn, data)


def ending(data):
    """Returns a step that sends the bytes and closes the connection."""
    def step(conn, _):
        conn.sendall(data)
        return False
    return step


def resetting(data):
    """Returns a step that sends the bytes and resets the connection."""
    def step(conn, _):
        conn.sendall(data)
        reset(conn)
        return False
    return step


def hanging(data, events):
    """Returns a step that sends the bytes, waits until the gateway closes the connection, and then calls
    events.set()."""
    def step(conn, _):
        conn.sendall(data)
        if is_gone(conn):
            events.set()
        return False
    return step


def http(body, status="200 OK", content_type="application/json", extra=b""):
    """Returns a complete response with Content-Length."""
    return (f"HTTP/1.1 {status}\r\nContent-Type: {content_type}\r\n"
            f"Content-Length: {len(body)}\r\n").encode() + extra + b"\r\n" + body


def chunk(data):
    return b"%x\r\n%b\r\n" % (len(data), data)


def chunks(pieces):
    return b"".join(chunk(piece) for piece in pieces) + b"0\r\n\r\n"


OK_CHAT = http(b'{"id":"c","object":"chat.completion","choices":[{"index":0,"message":{"role":'
               b'"assistant","content":"Hello"},"finish_reason":"stop"}]}')


def chat(mark="", model="m", is_stream=False, extra=b"", version=b"1.1", body=None):
    """Returns a chat request as bytes."""
    if body is None:
        stream = b',"stream":true' if is_stream else b""
        body = b'{"model":"%b"%b,"messages":[{"role":"user","content":"Hi"}]}' % (
            model.encode(), stream)
    return post("/v1/chat/completions", body, mark, extra, version)


def post(path, body, mark="", extra=b"", version=b"1.1"):
    head = b"POST %b HTTP/%b\r\nHost: gateway\r\nContent-Type: application/json\r\n" % (
        path.encode(), version)
    if mark:
        head += b"x-plan: %b\r\n" % mark.encode()
    return head + extra + b"Content-Length: %d\r\n\r\n" % len(body) + body


def of_each_dialect(upstream):
    """Returns one provider for each API family. All of them have the address of `upstream`."""
    keys = ["env:KEY_1"]
    return {"o": {"kind": "openai", "base_url": upstream.url("/v1"), "keys": keys},
            "c": {"kind": "anthropic", "base_url": upstream.url(""), "keys": keys},
            "g": {"kind": "gemini", "base_url": upstream.url(""), "keys": keys}}


def config(upstream, rest=None, **more):
    """Returns a configuration with two providers for each API family, all of them with the address of `upstream`.
    rest: the upstream of the model "rest" alone. No state is carried over from one case to the next."""
    keys = ["env:KEY_1"]
    whole = {
        "providers": {
            "a": {"kind": "openai", "base_url": upstream.url("/a/v1"), "keys": keys},
            "b": {"kind": "openai", "base_url": upstream.url("/b/v1"), "keys": keys},
            "ca": {"kind": "anthropic", "base_url": upstream.url("/a"), "keys": keys},
            "cb": {"kind": "anthropic", "base_url": upstream.url("/b"), "keys": keys},
            "ga": {"kind": "gemini", "base_url": upstream.url("/a"), "keys": keys},
            "gb": {"kind": "gemini", "base_url": upstream.url("/b"), "keys": keys},
        },
        "policies": {"quick": {"max_attempts": 3, "backoff": "fixed", "base_ms": 1,
                               "jitter": "none"},
                     "once": {"max_attempts": 1}},
        "breaker": {"min_calls": 0},
        "retry_budget": {"burst": 0},
        "cooldown_ms": 0,
        "routes": routes(),
    }
    if rest:
        whole["providers"]["r"] = {"kind": "openai", "base_url": rest.url("/v1"), "keys": keys}
        whole["routes"].insert(0, {"model": "rest", "policy": "once", "chain": [{"target": "r/m"}]})
    whole.update(more)
    return whole


def routes(**more):
    """Returns the routes: "once" makes one attempt; "two", "claude" and "gemini" make one attempt at each of two
    targets; all other models get three attempts at one target."""
    def chain(*names):
        return [{"target": name, "tries": 1} for name in names]
    rows = [
        {"model": "once", "policy": "once", "chain": chain("a/m")},
        {"model": "two", "policy": "quick", "chain": chain("a/m", "b/m")},
        {"model": "claude", "policy": "quick", "chain": chain("ca/m", "cb/m")},
        {"model": "gemini", "policy": "quick", "chain": chain("ga/m", "gb/m")},
        {"model": "*", "policy": "quick", "chain": [{"target": "a/*"}]},
    ]
    for row in rows:
        row.update(more)
    return rows
