"""The first target of a chain hangs, refuses connections or fails: the second one responds, and after a few requests
the first one is no longer called."""

import socket

from gateways import Lasting, chat
from harness import Suite, check, main
from peers import Client, Silent, Upstream, http, say

ANSWER = http(b'{"id":"c","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant",'
              b'"content":"Hello"},"finish_reason":"stop"}]}')
FAILED = http(b'{"error":{"message":"Internal error"}}', "500 Internal Server Error")
REQUESTS = 6
LONG_MS = 3600000


def closed_port():
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return sock.getsockname()[1]


good = Upstream()
good.on_stray = lambda conn, request: say(conn, ANSWER)
failing = Upstream()
failing.on_stray = lambda conn, request: say(conn, FAILED)
silent = Silent()


def provider(port):
    return {"kind": "openai", "base_url": f"http://127.0.0.1:{port}/v1", "keys": ["env:KEY_1"]}


def chain(first):
    return [{"target": f"{first}/m"}, {"target": "good/m"}]


gateway = Lasting({
    "threads": 1, "retry_budget": {"burst": 0}, "breaker": {"min_calls": 0}, "cooldown_ms": LONG_MS,
    "providers": {"silent": provider(silent.port), "closed": provider(closed_port()),
                  "failing": provider(failing.port), "good": provider(good.port)},
    # A wait between two attempts would take longer than the test, so the test fails if there is one.
    "policies": {"slow": {"max_attempts": 3, "backoff": "fixed", "base_ms": LONG_MS, "max_delay_ms": LONG_MS,
                          "jitter": "none"}},
    "routes": [{"model": "hang", "deadline_ms": 4000, "chain": chain("silent")},
               {"model": "refuse", "policy": "slow", "chain": chain("closed")},
               {"model": "fail", "policy": "slow", "chain": chain("failing")}],
}).start()


def ask(model):
    with Client(gateway.port) as client:
        answer = client.ask(chat(model))
    check(answer.status == 200 and b"Hello" in answer.body, answer)
    return int(answer.get("x-recourse-attempts"))


def hangs():
    """Half of the deadline is reserved for the second target; after three hanging calls in a row the first target is
    no longer called."""
    check([ask("hang") for _ in range(REQUESTS)] == [2, 2, 2, 1, 1, 1])


def refuses():
    check([ask("refuse") for _ in range(REQUESTS)] == [2, 2, 2, 1, 1, 1])


def fails():
    """A target that responds with errors stays available, and its failures cause no wait while another target is
    healthy."""
    check([ask("fail") for _ in range(REQUESTS)] == [2] * REQUESTS)


suite = Suite()
suite.case("the first target hangs", hangs)
suite.case("the first target refuses connections", refuses)
suite.case("the first target fails", fails)
main(suite, gateway, good, failing, silent)
