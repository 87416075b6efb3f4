"""Models that the configuration does not name: however many of them clients request, they displace no state of the
configured models."""

import threading

from harness import WAIT_S, Gateway, Suite, check, main, wait_until
from peers import OK_CHAT, Client, Upstream, chat, config, http, say, saying

ROWS = 512  # Number of rows for models that no route names.

upstream = Upstream()
# A provider without a key, so that a limit of one model affects no other model.
open_one = {"kind": "openai_compatible", "base_url": upstream.url("/o/v1")}
gateway = Gateway({**config(upstream), "threads": 2, "cooldown_ms": 60000, "providers": {"o": open_one},
                   "routes": []})
NONE = http(b'{"error":{"message":"The model does not exist","code":"model_not_found"}}', status="404 Not Found")
BUSY = http(b'{"error":{"message":"Rate limit reached for requests","code":"rate_limit_exceeded"}}',
            status="429 Too Many Requests", extra=b"Retry-After: 50\r\n")


def name_many(count, prefix):
    """Requests this number of unknown models on four connections, so that both loops get some of them."""
    mark, _ = upstream.plan(saying(NONE))
    troubles = []

    def run(part):
        with Client(gateway.port) as client:
            for number in range(part, count, 4):
                answer = client.ask(chat(mark, f"o/{prefix}-{number}"))
                if answer.status != 404:
                    troubles.append(answer)
    threads = [threading.Thread(target=run, args=(part,)) for part in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(WAIT_S)
    check(not troubles, troubles[:1])


def ask(model, *steps):
    mark, plan = upstream.plan(*steps)
    with Client(gateway.port) as client:
        return client.ask(chat(mark, model, extra=b"x-recourse-deadline-ms: 20000\r\n")), plan


def bogus_names_close_nothing():
    name_many(ROWS + 50, "bogus")
    answer, plan = ask("o/limited", saying(BUSY))
    check(answer.status == 429 and plan.seen, answer)
    # Another new model is not affected.
    answer, _ = ask("o/fresh", saying(OK_CHAT))
    check(answer.status == 200, answer)
    # The limited model is not called, even after many more names.
    name_many(ROWS + 50, "other")
    answer, plan = ask("o/limited", saying(OK_CHAT))
    check(answer.status in (429, 503) and not plan.seen, answer, len(plan.seen))


def a_call_keeps_its_row():
    """The row of a call in flight is not given to another model."""
    may_answer = threading.Event()
    mark, plan = upstream.plan(lambda conn, _: (may_answer.wait(WAIT_S), say(conn, OK_CHAT))[1])
    answers = []

    def run():
        with Client(gateway.port) as client:
            answers.append(client.ask(chat(mark, "o/long")))
    thread = threading.Thread(target=run)
    thread.start()
    try:
        wait_until(lambda: plan.seen, "the call")
        name_many(ROWS + 50, "third")
    finally:
        may_answer.set()
        thread.join(WAIT_S)
    check(answers and answers[0].status == 200, answers)
    check(ask("o/long", saying(OK_CHAT))[0].status == 200)


suite = Suite(threads=1)
suite.case("names that nobody has close nothing", bogus_names_close_nothing)
suite.case("a call under way keeps its row", a_call_keeps_its_row)
main(suite, gateway, upstream)
