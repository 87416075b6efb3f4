"""How long a request may take: a client may shorten what the operator set, and lengthen it up to the
operator's ceiling; the timeout that an SDK announces is a deadline."""

import json
import socket

from gateways import Lasting, chat
from harness import Suite, check, main, report_of
from peers import Client, Upstream, http, say

FAILED = http(b'{"error":{"message":"Internal error"}}', "500 Internal Server Error")
FOREVER = "3600000"


class Silent:
    """Takes connections and requests, and never answers."""

    def __init__(self):
        self.sock = socket.socket()
        self.sock.bind(("127.0.0.1", 0))
        self.sock.listen(64)
        self.port = self.sock.getsockname()[1]

    def stop(self):
        self.sock.close()


failing = Upstream()
failing.on_stray = lambda conn, request: say(conn, FAILED)
silent = Silent()


def provider(port):
    return {"kind": "openai", "base_url": f"http://127.0.0.1:{port}/v1", "keys": ["env:KEY_1"]}


def policy(tries, **more):
    return {"max_attempts": tries, "backoff": "fixed", "base_ms": 1, "jitter": "none", **more}


gateway = Lasting({
    "threads": 1, "retry_budget": {"burst": 0}, "breaker": {"min_calls": 0}, "cooldown_ms": 0,
    "providers": {"silent": provider(silent.port), "failing": provider(failing.port)},
    "policies": {"few": policy(2, max_calls=2), "many": policy(50, max_calls=50), "brief": policy(2, budget_ms=700)},
    "routes": [{"model": "strict", "deadline_ms": 700, "chain": [{"target": "silent/m"}]},
               {"model": "generous", "deadline_ms": 300, "max_deadline_ms": 900, "chain": [{"target": "silent/m"}]},
               {"model": "long", "chain": [{"target": "silent/m"}]},
               {"model": "brief", "policy": "brief", "chain": [{"target": "silent/m"}]},
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
    answer, report = ask("brief", "x-recourse-policy: many")
    check(answer.status == 504 and report["error_code"] == "DeadlineExceeded", answer)


def announced():
    for header in ("x-stainless-timeout: 1", "x-stainless-read-timeout: 1.0", "X-Server-Timeout: 1"):
        late("long", "within 900ms", header)
    late("long", "within 900ms", "x-stainless-timeout: 600", "x-stainless-read-timeout: 1")
    late("long", "within 200ms", "x-stainless-timeout: 1", "x-recourse-deadline-ms: 200")
    late("strict", "within 700ms (deadline_ms)", "x-stainless-timeout: 600")
    late("strict", "within 700ms (deadline_ms)", "x-stainless-timeout: NOT_GIVEN")


suite = Suite()
suite.case("a deadline above the operator's", ceiling)
suite.case("a policy that allows more than the route's", policies)
suite.case("timeouts that SDKs announce", announced)
main(suite, gateway, failing, silent)
