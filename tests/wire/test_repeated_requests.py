"""Clients that repeat a request after a response with x-should-retry: false are counted by name."""

import json

from gateways import Lasting
from harness import Suite, check, main
from peers import OK_CHAT, Client, Upstream, http, saying

INVALID = http(b'{"error":{"message":"Invalid value","type":"invalid_request_error"}}', status="400 Bad Request")
BUSY = http(b'{"error":{"message":"Overloaded"}}', status="503 Service Unavailable", extra=b"Retry-After: 1\r\n")
NAME = "recourse_repeated_requests_total"

upstream = Upstream()


class World:
    def __init__(self):
        self.gateways = []

    def start(self, clients):
        gateway = Lasting({}, {"TOKEN_1": "token-one", "TOKEN_2": "token-two"})
        self.gateways.append(gateway)
        gateway.write({
            "listen": "127.0.0.1:0", "admin": {"listen": "127.0.0.1:0"}, "store": "sqlite:audit.db",
            "providers": {"up": {"kind": "openai", "base_url": upstream.url("/v1"), "keys": ["env:KEY_1"]}},
            "clients": clients, "cooldown_ms": 0, "policies": {"once": {"max_attempts": 1}},
            "routes": [{"model": "*", "policy": "once", "chain": [{"target": "up/*"}]}]})
        return gateway.start()

    def stop(self):
        for gateway in self.gateways:
            gateway.stop()


world = World()


def send(gateway, text, step, *fields):
    mark, _ = upstream.plan(saying(step))
    body = json.dumps({"model": "m", "messages": [{"role": "user", "content": text}]}).encode()
    lines = ["POST /v1/chat/completions HTTP/1.1", "Host: localhost", f"x-plan: {mark}",
             f"Content-Length: {len(body)}", *fields]
    with Client(gateway.port) as client:
        return client.ask(("\r\n".join(lines) + "\r\n\r\n").encode() + body)


def counted(gateway):
    return sorted(line[len(NAME):] for line in gateway.page("/metrics").splitlines() if line.startswith(NAME + "{"))


def clients_are_named():
    gateway = world.start([{"name": "app", "token": "env:TOKEN_1"}, {"name": "web", "token": "env:TOKEN_2"}])
    app, web = "Authorization: Bearer token-one", "Authorization: Bearer token-two"
    answer = send(gateway, "a-prompt-of-its-own", INVALID, app)
    check(answer.head.all("x-should-retry") == ["false"], answer)
    check(counted(gateway) == [], counted(gateway))
    # The same request of another client, and another request of the same client, are not counted.
    send(gateway, "a-prompt-of-its-own", INVALID, web)
    send(gateway, "another prompt", INVALID, app)
    check(counted(gateway) == [], counted(gateway))
    for _ in range(3):
        send(gateway, "a-prompt-of-its-own", INVALID, app)
    check(counted(gateway) == ['{client="app"} 3'], counted(gateway))
    state = json.loads(gateway.page("/admin/v1/state"))
    check([(one["client"], one["product"], one["requests"], one["code"]) for one in state["repeats"]]
          == [("app", False, 3, "InvalidRequest")], state["repeats"])
    check("a-prompt-of-its-own" not in json.dumps(state), state)


def what_may_be_sent_again_is_not_counted():
    gateway = world.start([])
    for _ in range(3):
        check(send(gateway, "good", OK_CHAT, "User-Agent: tool/1").status == 200)
    check(counted(gateway) == [], counted(gateway))
    # Requests count as repeated after the first response that says not to retry.
    said = [send(gateway, "busy", BUSY, "User-Agent: tool/1").head.all("x-should-retry")[0] for _ in range(4)]
    expected = sum("false" in said[:number] for number in range(len(said)))
    check(counted(gateway) == ([f'{{client="tool"}} {expected}'] if expected else []), counted(gateway), said)


def products_are_names_without_clients():
    gateway = world.start([])
    for agent in ("langchain-google-genai/2.1 (linux)", "sk-proj-Planted0Key0As0A0Product01/1", "<b>/1"):
        for _ in range(2):
            send(gateway, "wrong", INVALID, f"User-Agent: {agent}")
    check(counted(gateway) == ['{client="langchain-google-genai"} 1', '{client="other"} 2'], counted(gateway))


suite = Suite(threads=1)
suite.case("clients of the configuration are named", clients_are_named)
suite.case("what worked or may be retried is not counted", what_may_be_sent_again_is_not_counted)
suite.case("without clients the product is named", products_are_names_without_clients)
main(suite, world, upstream)
