"""Every timer that expires has its own message, with its setting and duration, in the response, in the audit, in the log
and in the output of `recourse call`."""

import json
import signal
import socket
import threading
import time

from gateways import Lasting, unwrapped
from harness import WAIT_S, Suite, check, main, report_of, wait_until
from peers import CLEAN, OK_CHAT, Client, Upstream, chat, hanging, http, post, saying
from streams import CHAT, framed, parse_sse

SHORT, LONG = 300, 3600000
TIMEOUT, LATE, STREAM, UNKNOWN = "NetworkTimeout", "DeadlineExceeded", "StreamInterrupted", "OutcomeUnknown"

# ---- peers ----


class Deaf:
    """Accepts connections and reads nothing: no TLS handshake proceeds, no large request is read."""

    def __init__(self):
        self.sock = socket.socket()
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.sock.bind(("127.0.0.1", 0))
        self.sock.listen(64)
        self.port = self.sock.getsockname()[1]

    def stop(self):
        self.sock.close()


class Full:
    """A listener with a full queue: a connection to it is never established."""

    def __init__(self):
        self.sock = socket.socket()
        self.sock.bind(("127.0.0.1", 0))
        self.sock.listen(0)
        self.port = self.sock.getsockname()[1]
        self.held = []
        for _ in range(8):
            one = socket.socket()
            one.setblocking(False)
            one.connect_ex(("127.0.0.1", self.port))
            self.held.append(one)

    def stop(self):
        for one in self.held:
            one.close()
        self.sock.close()


# ---- expected messages ----

# name: timeouts of the route, further keys of the route
ROUTES = {
    "connect": ({"connect_ms": SHORT}, {}),
    "tls": ({"connect_ms": SHORT}, {}),
    "send": ({"idle_ms": SHORT}, {}),
    "first_byte": ({"first_byte_ms": SHORT}, {}),
    "idle": ({"idle_ms": SHORT}, {}),
    "route": ({}, {"deadline_ms": SHORT}),
    "client": ({}, {}),
    "policy": ({}, {"policy": "brief"}),
    "silent": ({"first_byte_ms": SHORT}, {}),
    "late": ({}, {"deadline_ms": SHORT}),
    "built_in": ({"first_byte_ms": SHORT}, {"chain": [{"target": "demo/hang"}]}),
    "built_in_stall": ({"idle_ms": SHORT}, {"chain": [{"target": "demo/stall-after-1"}]}),
    "wait": ({}, {"policy": "patient"}),
}
HEAD, EVENTS = framed(CHAT, "chunked")
OPENED = HEAD + b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in CHAT.pieces(b"")[:1])
BEGUN = HEAD + b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in CHAT.pieces(b"")[:2])
HALF = http(b'{"id":"c","choices":[{"index":0}]}')[:-9]
NO_REPLAY = b"x-recourse-replayable: false\r\n"


def deadline(ms):
    return b"x-recourse-deadline-ms: %d\r\n" % ms


# name: route, the provider's response (None: another peer), is_stream, further headers; code, rule of the attempt and
# of the call, message, the setting, its value
CASES = {
    "connect": ("connect", None, False, b"", TIMEOUT, "timeout.connect",
                "connect's host did not accept the connection", "timeouts.connect_ms", "300ms"),
    "tls": ("tls", None, False, b"", TIMEOUT, "timeout.tls",
            "The TLS handshake with tls's host did not finish", "timeouts.connect_ms", "300ms"),
    "send": ("send", None, False, b"", TIMEOUT, "timeout.send",
             "send accepted no more of the request", "timeouts.idle_ms", "300ms"),
    "first byte": ("first_byte", b"", False, b"", TIMEOUT, "timeout.first_byte",
                   "first_byte did not begin its response", "timeouts.first_byte_ms", "300ms"),
    "half a head": ("first_byte", b"HTTP/1.1 200 OK\r\nContent-", False, b"", TIMEOUT, "timeout.first_byte",
                    "first_byte did not begin its response", "timeouts.first_byte_ms", "300ms"),
    "a head alone": ("first_byte", HEAD, True, b"", TIMEOUT, "timeout.first_byte",
                     "first_byte did not begin its response", "timeouts.first_byte_ms", "300ms"),
    "idle": ("idle", HALF, False, b"", TIMEOUT, "timeout.idle",
             "idle's response stopped: no data arrived", "timeouts.idle_ms", "300ms"),
    "stall before content": ("idle", OPENED, True, b"", TIMEOUT, "timeout.stall_early",
                             "idle's stream stalled and was terminated: no data arrived", "timeouts.idle_ms", "300ms"),
    "stall": ("idle", BEGUN, True, b"", STREAM, "timeout.stall",
              "idle's stream stalled and was terminated: no data arrived", "timeouts.idle_ms", "300ms"),
    "route's deadline": ("route", b"", False, b"", LATE, "deadline.route",
                         "The route's deadline passed: the response was not complete", "deadline_ms", "300ms"),
    "route's deadline in a stream": ("route", BEGUN, True, b"", LATE, "deadline.route",
                                     "The route's deadline passed: the response was not complete", "deadline_ms",
                                     "300ms"),
    "client's deadline": ("client", b"", False, deadline(250), LATE, "deadline.client",
                          "The client's deadline passed: the response was not complete", "x-recourse-deadline-ms",
                          "250ms"),
    "policy's budget": ("policy", b"", False, deadline(LONG), LATE, "deadline.policy",
                        "The policy's time budget is used up: the response was not complete", "budget_ms",
                        "200ms"),
    "first byte, once": ("first_byte", b"", False, NO_REPLAY, UNKNOWN, "outcome.timeout",
                         "first_byte did not begin its response", "timeouts.first_byte_ms", "300ms"),
    "silent": ("silent", None, False, b"", TIMEOUT, "timeout.first_byte",
               "silent did not begin its response", "timeouts.first_byte_ms", "300ms"),
    "late": ("late", None, False, b"", LATE, "deadline.route",
             "The route's deadline passed: the response was not complete", "deadline_ms", "300ms"),
    "built-in": ("built_in", None, False, b"", TIMEOUT, "timeout.first_byte",
                 "demo did not begin its response", "timeouts.first_byte_ms", "300ms"),
    "built-in stall": ("built_in_stall", None, True, b"", STREAM, "timeout.stall",
                       "demo's stream stalled and was terminated: no data arrived", "timeouts.idle_ms", "300ms"),
}


def start():
    peers = {"connect": Full(), "tls": Deaf(), "send": Deaf(), "silent": Deaf(), "late": Deaf()}
    bases = {name: upstream.url(f"/{name}/v1") for name in [*ROUTES, "plain", "named"]}
    for name, peer in peers.items():
        bases[name] = f"{'https' if name == 'tls' else 'http'}://127.0.0.1:{peer.port}/v1"
    made = Lasting({
        "providers": {"demo": {"kind": "demo"},
                      **{name: {"kind": "openai", "base_url": base, "keys": ["env:KEY_1"]}
                         for name, base in bases.items()}},
        "policies": {"once": {"max_attempts": 1}, "brief": {"max_attempts": 1, "budget_ms": 200},
                     "patient": {"max_attempts": 3, "max_delay_ms": LONG}},
        "breaker": {"min_calls": 0}, "retry_budget": {"burst": 0}, "cooldown_ms": 0, "threads": 1,
        "routes": [{"model": name, "policy": "once", "deadline_ms": LONG, "chain": [{"target": f"{name}/m"}],
                    "timeouts": {"connect_ms": LONG, "first_byte_ms": LONG, "idle_ms": LONG, **timeouts},
                    **more} for name, (timeouts, more) in ROUTES.items()]
                  + [{"model": "plain", "chain": [{"target": "plain/m"}]}],
    }).start(is_plain=True)
    return made, peers


def request(name):
    route, says, is_stream, extra, *_ = CASES[name]
    if route == "send":
        padding = b"x" * (8 << 20)
        return post("/v1/chat/completions",
                    b'{"model":"send","messages":[{"role":"user","content":"%b"}]}' % padding, "", extra)
    mark = "" if says is None else upstream.plan(hanging(says, threading.Event()))[0]
    return chat(mark, route, is_stream, extra)


def report_in(answer, code):
    """Returns the report of an error response, or of the event at the end of a stream."""
    if answer.status == 200:
        told = [data for _, data in parse_sse(answer.body)[0] if '"recourse"' in data]
        check(len(told) == 1, answer)
        return report_of(json.loads(told[0]))
    check(answer.status == (502 if code == UNKNOWN else 504) and answer.end == CLEAN, answer)
    check(answer.get("x-recourse-error-code") == code, answer.head.raw)
    body = json.loads(answer.body)
    check(body["error"]["message"].startswith(report_of(body)["message"]), body)
    return report_of(body)


def is_told(name):
    _, _, _, _, code, rule, message, setting, limit = CASES[name]
    with Client(gateway.port) as client:
        answer = client.ask(request(name))
    report = report_in(answer, code)
    words = f"{message} within {limit} ({setting})."
    check(report["error_code"] == code and report["message"].endswith(words), report)
    check((report["message"] == words) == (code != UNKNOWN), report)
    advice = report["user_action"]["detail"]
    check((f"To allow more time, raise {setting}." in advice) == (code != UNKNOWN), advice)
    check("detail" not in report, report)

    line = gateway.logged(report["report_id"])
    check(line["rule"] == rule and line["message"] == report["message"] and line["code"] == code, line)

    shown = gateway.run("audit", "show", "--store", "sqlite:audit.db", "--format", "json", report["report_id"])
    check(shown.returncode == 0, shown.stderr)
    kept = json.loads(shown.stdout)["operation"]["report"]
    check(kept["rule"] == rule and kept["message"] == report["message"], kept)
    check(kept["cause"]["detail"].endswith(f"; {setting}: {limit}"), kept["cause"])
    page = unwrapped(gateway.run("audit", "show", "--store", "sqlite:audit.db", report["report_id"]).stdout)
    check(words.rstrip(".") in page, page)
    export = gateway.run("audit", "export", "--store", "sqlite:audit.db", "--format", "jsonl").stdout.decode()
    rows = [row for row in export.splitlines() if report["report_id"] in row]
    check(rows and all(rule in row and words in row for row in rows[:1]), rows)


def a_body_that_does_not_come():
    """The client's deadline also runs while its request body arrives."""
    with Client(gateway.port) as client:
        client.send(b"POST /v1/chat/completions HTTP/1.1\r\nHost: g\r\nContent-Length: 99\r\n"
                    + deadline(150) + b"\r\n{")
        answer = client.read()
    check(answer.status == 504, answer)
    report = report_of(json.loads(answer.body))
    check(report["error_code"] == LATE and report["message"] ==
          "The client's deadline passed: the request body did not arrive within 150ms "
          "(x-recourse-deadline-ms).", report)
    check(report["user_action"]["detail"] == "To allow more time, raise x-recourse-deadline-ms.", report)
    check(gateway.logged(report["report_id"])["rule"] == "deadline.body", report)


def a_wait_that_does_not_fit():
    """The provider's own error is sent at once, because the wait would pass the deadline; the record names this
    deadline."""
    mark, plan = upstream.plan(saying(http(b'{"error":{"message":"slow down"}}', "429 Too Many Requests",
                                           extra=b"Retry-After: 60\r\n")))
    with Client(gateway.port) as client:
        answer = client.ask(chat(mark, "wait", extra=deadline(20000)))
    check(answer.status == 429 and len(plan.seen) == 1, answer)
    report = report_of(json.loads(answer.body))
    shown = gateway.run("audit", "show", "--store", "sqlite:audit.db", "--format", "json", report["report_id"])
    context = json.loads(shown.stdout)["operation"]["report"]["context"]
    check(context["decision"] == "starts_too_late" and context["deadline_ms"] == 20000, context)
    check(context["deadline"] == "x-recourse-deadline-ms", context)


def a_route_has_the_time_of_the_table(model):
    """A route without deadline_ms, and a model that names its provider, have the default of the table."""
    mark, _ = upstream.plan(saying(http(b'{"error":{"message":"slow down"}}', "429 Too Many Requests",
                                        extra=b"Retry-After: 601\r\n")))
    with Client(gateway.port) as client:
        answer = client.ask(chat(mark, model, extra=b"x-recourse-policy: patient\r\n"))
    report = report_of(json.loads(answer.body))
    shown = gateway.run("audit", "show", "--store", "sqlite:audit.db", "--format", "json", report["report_id"])
    context = json.loads(shown.stdout)["operation"]["report"]["context"]
    check(context["deadline"] == "deadline_ms" and context["deadline_ms"] == 600000, context)


def hurry_harms_nobody():
    """Timeouts at a client's very short deadline do not make the target unavailable for other clients. Timeouts at
    the route's own deadline do, and so do timeouts at a client's deadline that is nearly as long."""
    hasty, fair = b"x-recourse-deadline-ms: 30\r\n", b"x-recourse-deadline-ms: 700\r\n"
    for model, extra, is_open in (("plain", hasty, False), ("hasty", b"", True), ("fair", fair, True)):
        slow, _ = upstream.plan(hanging(b"", threading.Event()))
        good, plan = upstream.plan(saying(OK_CHAT))
        for _ in range(4):
            with Client(strict.port) as client:
                check(client.ask(chat(slow, model, extra=extra)).status == 504, model)
        with Client(strict.port) as client:
            answer = client.ask(chat(good, model))
        check((answer.status, len(plan.seen)) == ((504, 0) if is_open else (200, 1)), model, answer)


def state_of(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        return file.read().rsplit(")", 1)[1].split()[0]


def a_pause_of_ours_is_nobodys_fault():
    """The provider responds in time while the gateway is stopped by SIGSTOP: the attempt does not time out."""
    def step(conn, _):
        strict.signal(signal.SIGSTOP)
        wait_until(lambda: state_of(strict.pid()) == "T", "it stops")
        conn.sendall(OK_CHAT)
        is_answered.set()
        return True
    is_answered = threading.Event()
    mark, _ = upstream.plan(step)
    with Client(strict.port) as client:
        client.send(chat(mark, "soon"))
        is_answered.wait(WAIT_S)
        time.sleep(2.1)
        strict.signal(signal.SIGCONT)
        answer = client.read()
    check(answer.status == 200 and answer.end == CLEAN, answer)


def a_pause_in_a_handshake():
    """Bytes that arrived during a stop of the gateway are read before the handshake times out. If the handshake's two
    seconds passed before the stop, as on a busy machine, the case is repeated."""
    for _ in range(10):
        with Client(strict.port) as client:
            began = time.monotonic()
            client.send(chat("", "shake"))
            conn, _ = shy.accept()
            with conn:
                conn.settimeout(WAIT_S)
                check(conn.recv(65536), "no greeting")
                strict.signal(signal.SIGSTOP)
                wait_until(lambda: state_of(strict.pid()) == "T", "it stops")
                is_early = time.monotonic() - began < 1.5
                conn.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
                time.sleep(2.1)
                strict.signal(signal.SIGCONT)
                answer = client.read()
        if is_early:
            break
    check(is_early and b"does not speak TLS" in answer.body, answer)


def all_differ():
    told = {(case[5], case[7]) for case in CASES.values()}
    check(len({rule for rule, _ in told}) == len(told), told)


def call_shows(name):
    route, _, _, _, code, rule, message, setting, limit = CASES[name]
    done = gateway.run("call", "--config", "recourse.yaml", "--model", route, "hi")
    panel = unwrapped(done.stderr)
    check(done.returncode == (124 if code == LATE else 75), done.returncode, panel)
    for part in (message, f"within {limit} ({setting})", rule, f"raise {setting}"):
        check(part in panel, part, "is not in", panel)


upstream = Upstream()
gateway, held = start()
shy = socket.create_server(("127.0.0.1", 0))
shy.settimeout(WAIT_S)
bases = {**dict.fromkeys("abc", upstream.url("/v1")), "s": f"https://127.0.0.1:{shy.getsockname()[1]}/v1"}
strict = Lasting({
    "providers": {name: {"kind": "openai", "base_url": base, "keys": ["env:KEY_1"]} for name, base in bases.items()},
    "policies": {"once": {"max_attempts": 1}}, "threads": 1,
    "breaker": {"min_calls": 4, "open_ms": LONG, "open_max_ms": LONG},
    "routes": [{"model": "plain", "policy": "once", "chain": [{"target": "a/m"}]},
               {"model": "hasty", "policy": "once", "wait": "off", "deadline_ms": SHORT, "chain": [{"target": "b/m"}]},
               {"model": "fair", "policy": "once", "wait": "off", "deadline_ms": 1000, "chain": [{"target": "c/m"}]},
               {"model": "shake", "policy": "once", "timeouts": {"connect_ms": 2000}, "chain": [{"target": "s/m"}]},
               {"model": "soon", "policy": "once", "deadline_ms": 2000, "chain": [{"target": "a/m"}]}],
}).start()
suite = Suite()
for case in CASES:
    suite.case(f"{case} is told everywhere", is_told, case)
suite.case("a body that does not come", a_body_that_does_not_come)
suite.case("a wait that does not fit", a_wait_that_does_not_fit)
for one in ("plain", "named/m"):
    suite.case(f"the time of {one}", a_route_has_the_time_of_the_table, one)
suite.case("each has its own rule", all_differ)
suite.case("a client in a hurry harms nobody", hurry_harms_nobody)
suite.alone("a pause of ours is nobody's fault", a_pause_of_ours_is_nobodys_fault)
suite.alone("a pause of ours in a handshake", a_pause_in_a_handshake)
for case in ("connect", "tls", "silent", "late"):
    suite.case(f"recourse call shows {case}", call_shows, case)
main(suite, gateway, strict, upstream, *held.values())
