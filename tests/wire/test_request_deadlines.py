"""Time limits of a request: a client may shorten the operator's deadline, or lengthen it up to the operator's maximum.
A response must begin within the timeout that an SDK announces."""

import json
import threading

from gateways import Lasting, chat
from harness import Suite, check, main, report_of
import peers
from peers import Client, Silent, Upstream, chunk, http, say

FAILED = http(b'{"error":{"message":"Internal error"}}', "500 Internal Server Error")
FOREVER = "3600000"


failing = Upstream()
failing.on_stray = lambda conn, request: say(conn, FAILED)
silent = Silent()
slow = Upstream()
go_on = threading.Event()


def event(delta):
    return b'data: {"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":%b}]}\n\n' % delta


def in_parts(conn, _):
    """A step: a stream that begins at once and ends after go_on is set."""
    conn.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
                 + chunk(event(b'{"content":"Hel"}')))
    go_on.wait(60)
    conn.sendall(chunk(event(b'{"content":"lo"}')) + chunk(b"data: [DONE]\n\n") + b"0\r\n\r\n")
    return True


slow.on_stray = in_parts


def provider(port):
    return {"kind": "openai", "base_url": f"http://127.0.0.1:{port}/v1", "keys": ["env:KEY_1"]}


def policy(tries, **more):
    return {"max_attempts": tries, "backoff": "fixed", "base_ms": 1, "jitter": "none", **more}


gateway = Lasting({
    "threads": 1, "retry_budget": {"burst": 0}, "breaker": {"min_calls": 0}, "cooldown_ms": 0,
    "providers": {"silent": provider(silent.port), "failing": provider(failing.port),
                  "slow": provider(slow.port)},
    "policies": {"few": policy(2, max_calls=2), "many": policy(50, max_calls=50), "brief": policy(2, budget_ms=700)},
    "routes": [{"model": "strict", "deadline_ms": 700, "chain": [{"target": "silent/m"}]},
               {"model": "generous", "deadline_ms": 300, "max_deadline_ms": 900, "chain": [{"target": "silent/m"}]},
               {"model": "long", "chain": [{"target": "silent/m"}]},
               {"model": "brief", "policy": "brief", "chain": [{"target": "silent/m"}]},
               {"model": "slow", "chain": [{"target": "slow/m"}]},
               {"model": "few", "policy": "few", "chain": [{"target": "failing/m"}]}],
}).start()


def ask(model, *headers):
    with Client(gateway.port) as client:
        answer = client.ask(chat(model, *headers))
    return answer, report_of(json.loads(answer.body))


def late(model, message, *headers):
    answer, report = ask(model, *headers)
    check(answer.status == 504 and report["error_code"] == "DeadlineExceeded", answer)
    check(message in report["message"], report)


def ceiling():
    late("strict", "within 700ms (deadline_ms)", f"x-recourse-deadline-ms: {FOREVER}")
    late("strict", "within 200ms (x-recourse-deadline-ms)", "x-recourse-deadline-ms: 200")
    late("generous", "within 900ms (x-recourse-deadline-ms)", f"x-recourse-deadline-ms: {FOREVER}")
    late("generous", "within 600ms (x-recourse-deadline-ms)", "x-recourse-deadline-ms: 600")
    late("generous", "within 300ms (deadline_ms)")


def policies():
    answer, _ = ask("few", "x-recourse-policy: many")
    check(answer.get("x-recourse-attempts") == "2", answer.head.raw)
    late("brief", "within 700ms (budget_ms)", "x-recourse-policy: many")


def announced():
    for header in ("x-stainless-timeout: 1", "x-stainless-read-timeout: 1.0", "x-server-timeout: 1"):
        late("long", f"within 900ms ({header.split(':')[0]})", header)
    late("long", "within 900ms (x-stainless-read-timeout)", "x-stainless-timeout: 600", "x-stainless-read-timeout: 1")
    late("long", "within 200ms (x-recourse-deadline-ms)", "x-stainless-timeout: 1", "x-recourse-deadline-ms: 200")
    for value in ("600", "NOT_GIVEN", "1e9", "-1", "0", "NaN", "86401", "99999999999999999999", ".", "", "1\r\nx-stainless-timeout: 1"):
        late("strict", "within 700ms (deadline_ms)", f"x-stainless-timeout: {value}")
    # Every SDK sends a timeout, so a long timeout does not lengthen the deadline.
    late("generous", "within 300ms (deadline_ms)", "x-stainless-timeout: 600")


def begun():
    """The client's timeout no longer applies once the response has begun; the operator's deadline applies to the
    stream."""
    with Client(gateway.port) as client, Client(gateway.port) as other:
        client.send(peers.chat(model="slow", is_stream=True, extra=b"x-stainless-read-timeout: 0.5\r\n"))
        client.source.until(b"Hel")
        # A later request with the same timeout has ended, so the timeout of the first request has passed, too.
        answer = other.ask(chat("long", "x-stainless-read-timeout: 0.5"))
        check(answer.status == 504, answer)
        answer = other.ask(chat("long", "x-stainless-read-timeout: 0.5"))
        check(answer.status == 504, answer)
        go_on.set()
        rest = client.source.until(b"0\r\n\r\n")
        # The next request gets a time limit of its own, even if it reuses the memory of a request whose response had
        # begun.
        for _ in range(2):
            answer = other.ask(chat("long", "x-stainless-read-timeout: 0.5"))
            check(answer.status == 504, answer)
    check(b'"lo"' in rest and b"[DONE]" in rest and b"error" not in rest, rest)


suite = Suite()
suite.case("a deadline above the operator's", ceiling)
suite.case("a policy that allows more than the route's", policies)
suite.case("timeouts that SDKs announce", announced)
suite.case("an announced timeout and a stream that has begun", begun)
main(suite, gateway, failing, silent, slow)
