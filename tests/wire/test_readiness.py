"""Readiness: the state of the gateway and its targets, as shown to a load balancer, to a client, and to a sender
without a token."""

import json

from gateways import Lasting
from harness import Suite, check, main
from peers import OK_CHAT, Client, Upstream, http, saying

BROKEN = http(b'{"error":{"message":"The server had an error"}}', status="500 Internal Server Error")
BUSY = http(b'{"error":{"message":"Rate limit reached","code":"rate_limit_exceeded"}}',
            status="429 Too Many Requests", extra=b"Retry-After: 50\r\n")
TOKEN = "token-of-a-client"

upstream = Upstream()


class World:
    def __init__(self):
        self.gateways = []

    def start(self, clients):
        gateway = Lasting({}, {"TOKEN": TOKEN})
        self.gateways.append(gateway)
        gateway.write({
            "listen": "127.0.0.1:0", "admin": {"listen": "127.0.0.1:0"}, "store": "sqlite:audit.db",
            "providers": {"up": {"kind": "openai", "base_url": upstream.url("/v1"), "keys": ["env:KEY_1"]},
                          "more": {"kind": "openai", "base_url": upstream.url("/v1"), "keys": ["env:KEY_2"]}},
            "clients": clients, "breaker": {"min_calls": 0}, "cooldown_ms": 0,
            "policies": {"once": {"max_attempts": 1}},
            "routes": [{"model": "a", "policy": "once", "chain": [{"target": "up/a"}]},
                       {"model": "b", "policy": "once", "chain": [{"target": "more/b"}]}]})
        return gateway.start()

    def stop(self):
        for gateway in self.gateways:
            gateway.stop()


world = World()


def send(gateway, model, step):
    mark, _ = upstream.plan(saying(step))
    body = json.dumps({"model": model, "messages": []}).encode()
    with Client(gateway.port) as client:
        return client.ask(f"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nx-plan: {mark}\r\n"
                          f"Authorization: Bearer {TOKEN}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)


def ask(gateway, path, *fields):
    with Client(gateway.port) as client:
        return client.ask("\r\n".join([f"GET {path} HTTP/1.1", "Host: localhost", *fields, "", ""]).encode())


def verbose(gateway):
    answer = ask(gateway, "/readyz?verbose", f"Authorization: Bearer {TOKEN}")
    page = json.loads(answer.body)
    check(page["ready"] == (answer.status == 200), answer)
    return answer.status, {target["target"]: target for target in page["targets"]}, page


def targets_are_shown():
    gateway = world.start([])
    status, targets, _ = verbose(gateway)
    check(status == 200 and sorted(targets) == ["more/b", "up/a"], targets)
    began = targets["up/a"]["since"]
    check(all(target["health"] == "up" for target in targets.values()), targets)
    for _ in range(3):
        check(send(gateway, "a", BROKEN).status >= 500)
    status, targets, _ = verbose(gateway)
    check(status == 200 and targets["up/a"]["health"] == "failing", targets)
    check(targets["up/a"]["failed_with"] == "Provider5xx" and targets["up/a"]["since"] >= began, targets, began)
    check(targets["more/b"]["health"] == "up", targets)
    # The admin interface shows the same state.
    shown = {target["target"]: target for target in json.loads(gateway.page("/admin/v1/targets"))["targets"]}
    check(shown["up/a"]["health"] == "failing" and shown["up/a"]["since"] == targets["up/a"]["since"], shown)
    check(send(gateway, "a", OK_CHAT).status == 200)
    check(verbose(gateway)[1]["up/a"]["health"] == "degraded")
    # A model name that one client invented is not shown to other clients.
    send(gateway, "up/invented", OK_CHAT)
    check("invented" not in json.dumps(verbose(gateway)[2]))


def no_route_is_not_ready():
    gateway = world.start([])
    send(gateway, "a", BUSY)
    status, targets, _ = verbose(gateway)
    check(status == 200 and targets["up/a"]["health"] == "down" and targets["up/a"]["state"] == "cooling", targets)
    check(ask(gateway, "/readyz").body == b"ok\n")
    send(gateway, "b", BUSY)
    status, targets, page = verbose(gateway)
    check(status == 503 and page["why"].startswith("no route can be served"), page)
    answer = ask(gateway, "/readyz")
    check(answer.status == 503 and answer.body.startswith(b"no route can be served"), answer)
    check(ask(gateway, "/healthz").status == 200)
    with Client(gateway.admin_port()) as client:
        check(client.ask(b"GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n").status == 503)
    check(gateway.post("/admin/v1/targets/up/a/clear").status == 200)
    check(ask(gateway, "/readyz").status == 200)
    # A target that is out of service is "disabled"; the other target is "down".
    check(gateway.post("/admin/v1/targets/up/a/out").status == 200)
    status, targets, _ = verbose(gateway)
    check(status == 503 and targets["up/a"]["health"] == "disabled" and targets["more/b"]["health"] == "down", targets)


def strangers_see_no_targets():
    gateway = world.start([{"name": "app", "token": "env:TOKEN"}])
    for fields in ((), ("Authorization: Bearer wrong",)):
        answer = ask(gateway, "/readyz?verbose", *fields)
        check(answer.status == 401 and b"up/a" not in answer.body, answer)
    check(ask(gateway, "/readyz").body == b"ok\n")
    check("up/a" in verbose(gateway)[1])
    # If no clients are configured, a page of another site may not see the targets.
    gateway = world.start([])
    answer = ask(gateway, "/readyz?verbose", "Sec-Fetch-Site: cross-site", "Origin: https://evil.example")
    check(answer.status == 401 and b"up/a" not in answer.body, answer)


suite = Suite(threads=1)
suite.case("each target with its health and since when", targets_are_shown)
suite.case("no route that can be served is not ready", no_route_is_not_ready)
suite.case("whoever is no client sees no targets", strangers_see_no_targets)
main(suite, world, upstream)
