"""What an operator sees of waiting requests and of learned rate limits: in the state, in the metrics and in the audit.
Only counts are checked, never times."""

import json
import threading

from gateways import Lasting, Metrics
from harness import Suite, check, main, report_of, wait_until
from peers import Client, Upstream, chat, http as answer_of, saying

GOOD = b'{"id":"c","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"hi"},' \
       b'"finish_reason":"stop"}]}'
LIMITED = answer_of(b'{"error":{"message":"slow down","type":"rate_limit_error"}}', "429 Too Many Requests",
                    extra=b"retry-after: 60\r\n")
LEARNED = b"x-ratelimit-limit-requests: 1000\r\nx-ratelimit-remaining-requests: 900\r\n" \
          b"x-ratelimit-reset-requests: 100s\r\n"
QUEUE = ("recourse_queue_waiting", "recourse_queue_bytes")


class Waiting:
    """A gateway with one key at one target, which has refused a request with retry-after. The next requests wait."""

    def __init__(self, **limits):
        self.upstream = Upstream()
        self.gateway = Lasting({}, {"APP": "token-app", "WEB": "token-web"})
        self.gateway.write({
            "listen": "127.0.0.1:0", "admin": {"listen": "127.0.0.1:0"}, "store": "sqlite:audit.db", "threads": 2,
            "providers": {"up": {"kind": "openai", "base_url": self.upstream.url("/v1"), "keys": ["env:KEY_1"]}},
            "clients": [{"name": "app", "token": "env:APP"}, {"name": "web", "token": "env:WEB"}],
            "limits": limits,
            "routes": [{"model": "m", "deadline": "10m", "chain": ["up/m"]}]})
        self.gateway.start()
        self.before = None
        with Client(self.gateway.port) as first:
            self.send(first, saying(LIMITED), saying(answer_of(GOOD)))
            wait_until(lambda: self.state()["targets"][0]["state"] == "cooling", "the cooldown")
        wait_until(lambda: self.metrics().sum("recourse_in_flight") == 0, "the end of the first request")
        self.before = self.metrics()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.upstream.stop()
        self.gateway.stop()

    def send(self, client, *steps, name="app"):
        mark, _ = self.upstream.plan(*steps)
        client.send(chat(mark, "m", extra=f"Authorization: Bearer token-{name}\r\n".encode()))

    def state(self):
        return json.loads(self.gateway.page("/admin/v1/state"))

    def metrics(self):
        return Metrics(self.gateway.page("/metrics"))

    def wait_for(self, count):
        wait_until(lambda: self.state()["waiting"]["requests"] == count
                   and len(self.state()["waiting"]["oldest"]) == count, f"{count} waiting requests")

    def counted(self, name, **labels):
        """Returns by how much a metric has grown since the first request has ended."""
        return self.metrics().sum(name, **labels) - self.before.sum(name, **labels)

    def ends(self, end):
        return self.counted("recourse_queue_waits_total", route="m", end=end)

    def is_empty(self):
        metrics = self.metrics()
        return all(metrics.sum(name) == 0 for name in QUEUE) and self.state()["waiting"]["requests"] == 0


def a_wait_is_shown_and_granted():
    with Waiting() as here, Client(here.gateway.port) as client:
        check(here.state()["waiting"]["oldest"] == [] and here.is_empty(), here.state()["waiting"])
        here.send(client, saying(answer_of(GOOD, extra=LEARNED)))
        here.wait_for(1)
        waiting = here.state()["waiting"]
        one = waiting["oldest"][0]
        check(waiting["bytes"] > 0 and waiting["max_requests"] > 1 and waiting["max_bytes"] > waiting["bytes"], waiting)
        check(one["request_id"].startswith("req_") and one["client"] == "app" and one["route"] == "m"
              and one["model"] == "m" and one["targets"] == ["up/m"], one)
        check(one["since"] <= one["start_by"] <= one["until"] and one["remaining_ms"] > 0, one)
        metrics = here.metrics()
        check(metrics.sum("recourse_queue_waiting", route="m") == 1, metrics.rows)
        check(metrics.sum("recourse_queue_bytes", route="m") == waiting["bytes"], metrics.rows)
        check(metrics.sum("recourse_target_admission", target="up/m") in (0, 1, 2), metrics.rows)
        check(here.gateway.post("/admin/v1/targets/up/m/clear").status == 200)
        check(client.read().status == 200)
        wait_until(here.is_empty, "an empty queue")
        check(here.ends("granted") == 1, here.metrics().rows)
        metrics = here.metrics()
        check(here.counted("recourse_queue_wait_seconds_count", route="m") == 1, metrics.rows)
        check(here.counted("recourse_queue_wait_seconds_sum", route="m") >= 0, metrics.rows)
        # The audit names the target, the reason why it was closed, and the length of the wait.
        wait_until(lambda: "succeeded" in here.gateway.operations().get(one["request_id"], []), "the record")
        said = here.gateway.run("audit", "--store", "sqlite:audit.db", "--width", "200", "show",
                                one["request_id"]).stdout.decode()
        said = " ".join(said.split())
        check("waits in the queue until a target may be used (up/m)" in said and "skips up/m" in said, said)
        # The response has stated a limit.
        learned = next(key for key in here.state()["keys"] if key["id"] == "up:1")["learned"]
        check(len(learned) == 1 and learned[0]["kind"] == "requests" and learned[0]["limit"] == 1000
              and 900 <= learned[0]["remaining"] <= 1000 and learned[0]["target"] == "up/m"
              and learned[0]["returns"] == "gradually", learned)
        labels = {"target": "up/m", "credential": "up:1", "limit": "requests"}
        check(metrics.sum("recourse_learned_limit", **labels) == 1000, metrics.rows)
        check(900 <= metrics.sum("recourse_learned_limit_remaining", **labels) <= 1000, metrics.rows)


def a_client_leaves():
    with Waiting() as here:
        with Client(here.gateway.port) as client:
            here.send(client, saying(answer_of(GOOD)))
            here.wait_for(1)
        wait_until(here.is_empty, "an empty queue")
        check(here.ends("client_left") == 1 and here.ends("granted") == 0, here.metrics().rows)


def no_target_is_left():
    with Waiting() as here, Client(here.gateway.port) as client:
        here.send(client, saying(answer_of(GOOD)))
        here.wait_for(1)
        check(here.gateway.post("/admin/v1/targets/up/m/out").status == 200)
        answer = client.read()
        check(answer.status >= 400, answer)
        wait_until(here.is_empty, "an empty queue")
        check(here.ends("no_target") == 1, here.metrics().rows)
        check("out of service" in answer.body.decode(), report_of(json.loads(answer.body)))


def the_queue_is_full():
    """A request that finds the queue full is refused, or takes the place of one of a client with more requests."""
    with Waiting(max_waiting=2) as here:
        clients = [Client(here.gateway.port) for _ in range(4)]
        for count, client in enumerate(clients[:2], 1):
            here.send(client, saying(answer_of(GOOD)))
            here.wait_for(count)
        here.send(clients[2], saying(answer_of(GOOD)))
        refused = clients[2].read()
        check(refused.status >= 400 and here.ends("full") == 1, refused, here.metrics().rows)
        here.send(clients[3], saying(answer_of(GOOD)), name="web")
        replaced = clients[1].read()
        check(replaced.status >= 400, replaced)
        for answer in (refused, replaced):
            check("queue of waiting requests" in answer.body.decode(), answer)
        wait_until(lambda: here.ends("full") == 2, "the second refusal")
        check({one["client"] for one in here.state()["waiting"]["oldest"]} == {"app", "web"}, here.state()["waiting"])
        for client in clients:
            client.__exit__()
        wait_until(here.is_empty, "an empty queue")
        check(here.ends("client_left") == 2, here.metrics().rows)


def the_list_has_an_end():
    """More requests wait than the state lists; the oldest are listed, in their order."""
    with Waiting() as here:
        clients = [Client(here.gateway.port) for _ in range(130)]
        here.send(clients[0], saying(answer_of(GOOD)))
        here.wait_for(1)
        first = here.state()["waiting"]["oldest"][0]["request_id"]
        for client in clients[1:]:
            here.send(client, saying(answer_of(GOOD)))
        wait_until(lambda: here.state()["waiting"]["requests"] == len(clients), "all requests")
        wait_until(lambda: len(here.state()["waiting"]["oldest"]) == 100, "the full list")
        waiting = here.state()["waiting"]
        check(waiting["requests"] == len(clients), waiting["requests"])
        check(waiting["oldest"][0]["request_id"] == first, waiting["oldest"][0])
        check(len({one["request_id"] for one in waiting["oldest"]}) == 100, waiting["oldest"])
        wait_until(lambda: here.metrics().sum("recourse_queue_waiting") == len(clients), "the gauge")
        check(here.gateway.post("/admin/v1/targets/up/m/clear").status == 200)
        answers = []
        threads = [threading.Thread(target=lambda one=one: answers.append(one.read().status)) for one in clients]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        check(answers == [200] * len(clients), answers)
        wait_until(here.is_empty, "an empty queue")
        check(here.ends("granted") >= len(clients), here.metrics().rows)
        for client in clients:
            client.__exit__()


suite = Suite()
suite.case("a wait is shown while it lasts, and counted when it is granted", a_wait_is_shown_and_granted)
suite.case("a client that leaves", a_client_leaves)
suite.case("no target is left", no_target_is_left)
suite.case("the queue is full", the_queue_is_full)
suite.case("the list of waiting requests has an end", the_list_has_an_end)
main(suite)
