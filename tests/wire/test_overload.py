"""Twice as many requests as the limit: admitted requests complete, the others are refused at once with advice to retry,
every request is recorded, and the memory of the gateway does not grow."""

import collections
import json
import resource
import threading

from dialects import DIALECTS
from gateways import Lasting, Metrics
from harness import IS_FEW, WAIT_S, Suite, check, main, report_of, wait_until
from mocks import Mock
from peers import CLEAN, Client

ROOM = 8        # The value of max_in_flight for the gateway.
SMALL_ROOM = 3  # The value of max_in_flight for the models of one provider.
ROUNDS = 3 if IS_FEW else 6
MODEL = "tokens-20+trickle-15"
GROWTH_BYTES = 2 << 20
KINDS = {"o": "openai", "c": "anthropic", "g": "gemini"}


class World:
    """A gateway with two providers for each API family; the second of them has a low limit."""

    def __init__(self):
        self.gateway = Lasting({})
        self.mock = Mock(self.gateway.folder)
        url = f"http://127.0.0.1:{self.mock.port}"
        providers = {name + place: {"kind": kind, "base_url": f"{url}/{name + place}" + "/v1" * (name == "o")}
                     for name, kind in KINDS.items() for place in "ab"}
        for name in KINDS:
            providers[name + "b"]["max_in_flight"] = SMALL_ROOM
        routes = [{"model": f"large.{name}a", "chain": [{"target": f"{name}a/{MODEL}"}]} for name in KINDS]
        routes += [{"model": f"small.{name}a", "wait": "off", "chain": [{"target": f"{name}b/{MODEL}"}]}
                   for name in KINDS]
        routes += [{"model": f"patient.{name}a", "chain": [{"target": f"{name}b/{MODEL}"}]} for name in KINDS]
        self.gateway.write({
            "listen": "127.0.0.1:0", "admin": {"listen": "127.0.0.1:0"}, "store": "sqlite:audit.db", "threads": 2,
            "limits": {"max_in_flight": ROOM}, "providers": providers, "routes": routes})
        self.gateway.start()
        self.told = collections.Counter()  # (route, outcome)

    def metrics(self):
        return Metrics(self.gateway.page("/metrics"))

    def rss_bytes(self):
        with open(f"/proc/{self.gateway.pid()}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * resource.getpagesize()

    def round(self, size, requests):
        """Sends all requests at the same time. requests: (dialect, is_stream) of each request."""
        barrier = threading.Barrier(len(requests))
        lock = threading.Lock()
        troubles, answered = [], collections.Counter()

        def ask(dialect, is_stream):
            try:
                with Client(self.gateway.port) as client:
                    barrier.wait(WAIT_S)
                    answer = client.ask(dialect.request(f"{size}.{dialect.first}", is_stream, "fish"))
                outcome = judge(answer, dialect, is_stream)
            except Exception as error:  # The thread that counts reports the exception below.
                troubles.append(error)
                return
            with lock:
                answered[outcome] += 1
        threads = [threading.Thread(target=ask, args=request) for request in requests]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(WAIT_S)
        if troubles:
            raise troubles[0]
        check(sum(answered.values()) == len(requests), "somebody got no answer:", answered)
        self.told.update({(size, outcome): count for outcome, count in answered.items()})
        wait_until(lambda: self.metrics().sum("recourse_in_flight") == 0, "the last one")
        return answered

    def stop(self):
        self.mock.stop()
        self.gateway.stop()


def judge(answer, dialect, is_stream):
    """Returns "served" for a complete response, and "refused" for an error of the dialect with a retry time. Fails
    otherwise."""
    check(answer.end == CLEAN, dialect.name, answer)
    if answer.status == 200:
        check(dialect.is_whole(answer.body, is_stream), dialect.name, answer)
        return "served"
    status = 529 if dialect.name == "messages" else 503  # 529 is Anthropic's status for an overload.
    check(answer.status == status and dialect.is_overloaded(answer.body), dialect.name, answer)
    check(int(answer.get("retry-after")) >= 1 and int(answer.get("retry-after-ms")) >= 1, answer.head.raw)
    check(answer.get("x-should-retry") == "true", answer.head.raw)
    check(answer.get("x-recourse-error-code") == "Overloaded", answer.head.raw)
    check(answer.get("x-recourse-report-id") == report_of(json.loads(answer.body))["report_id"], answer)
    return "refused"


world = World()


def gateway_is_full():
    """Twice as many requests as the limit, in all dialects, several times. Requests that arrive after others have
    ended are admitted."""
    requests = [(DIALECTS[number % 4], number // 4 % 2 == 0) for number in range(2 * ROOM)]
    sizes = []
    for _ in range(ROUNDS):
        answered = world.round("large", requests)
        check(answered["served"] >= ROOM, answered)
        sizes.append(world.rss_bytes())
    check(world.told["large", "refused"] >= ROOM, "never full:", world.told)
    # Sanitizers keep freed memory.
    if not IS_FEW:
        check(sizes[-1] <= sizes[1] + GROWTH_BYTES, "it grows:", sizes)


def provider_is_full():
    """The gateway is below its limit, but the provider's model has reached its own."""
    requests = [(DIALECTS[number % 2 * 2], True) for number in range(ROOM)]
    for _ in range(ROUNDS):
        answered = world.round("small", requests)
        check(answered["served"] >= 2 * SMALL_ROOM, answered)
    check(world.told["small", "refused"] > 0, "never full:", world.told)


def provider_is_waited_for():
    """A route that waits serves every request as soon as the provider's model has room."""
    requests = [(DIALECTS[number % 2 * 2], True) for number in range(ROOM)]
    for _ in range(ROUNDS):
        answered = world.round("patient", requests)
        check(answered["served"] == ROOM, answered)


def room_comes_back():
    """Requests up to the limit are all served."""
    answered = world.round("large", [(dialect, True) for dialect in DIALECTS * (ROOM // 4)])
    check(answered == {"served": ROOM}, answered)


def all_are_counted():
    """Metrics, audit and the provider's counters agree with the responses."""
    served = sum(count for (_, outcome), count in world.told.items() if outcome == "served")
    refused = sum(count for (_, outcome), count in world.told.items() if outcome == "refused")
    metrics = world.metrics()
    check(metrics.sum("recourse_requests_total", outcome="succeeded") == served, served)
    check(metrics.sum("recourse_requests_total", outcome="refused", code="Overloaded") == refused, refused)
    check(metrics.sum("recourse_requests_total") == served + refused)
    check(metrics.sum("recourse_attempts_total") == served, "who is refused costs no try")
    check(metrics.sum("recourse_in_flight") == metrics.sum("recourse_target_in_flight") == 0)
    check(metrics.sum("recourse_store_lost_total") == 0)
    check(world.mock.ledger()["requests"] == served)
    world.gateway.end()
    rows = dict(world.gateway.rows("SELECT outcome, count(*) FROM operations GROUP BY outcome"))
    check(rows == {1: served, 2: refused}, rows, served, refused)


def refusal_waits_for_no_disk():
    """A refusal is sent while the disk is busy, and recorded later."""
    gateway = Lasting({})
    mock = Mock(gateway.folder)
    try:
        gateway.write({
            "listen": "127.0.0.1:0", "admin": {"listen": "off"}, "store": "sqlite:audit.db", "threads": 1,
            "limits": {"max_in_flight": 1},
            "providers": {"up": {"kind": "openai", "base_url": f"http://127.0.0.1:{mock.port}/v1"}},
            "routes": [{"model": "*", "chain": [{"target": "up/*"}]}]})
        gateway.start("-e", "trace=fdatasync,fsync", "-e", "inject=fdatasync,fsync:delay_enter=2000000")
        chat = DIALECTS[0]
        with Client(gateway.port) as holder, Client(gateway.port) as other:
            holder.send(chat.request("hang", False, "fish"))
            wait_until(lambda: mock.ledger()["requests"] == 1, "the first request")
            check(judge(other.ask(chat.request("ok", False, "fish")), chat, False) == "refused")
            check(gateway.rows("SELECT count(*) FROM operations WHERE outcome = 2") == [(0,)], "it has waited")
            wait_until(lambda: gateway.rows("SELECT count(*) FROM operations WHERE outcome = 2") == [(1,)],
                       "the record")
        gateway.end()
    finally:
        mock.stop()
        gateway.stop()


suite = Suite(threads=1)
suite.case("a gateway that is full", gateway_is_full)
suite.case("a provider that is full", provider_is_full)
suite.case("there is room again", room_comes_back)
suite.case("all of them are counted", all_are_counted)
suite.case("a refusal waits for no disk", refusal_waits_for_no_disk)
main(suite, world)
