"""A key is replaced while calls with the old key are in flight."""

import os
import threading

from gateways import Lasting
from harness import WAIT_S, Suite, check, main
from peers import CLEAN, OK_CHAT, Client, Upstream, chat, http, say

CALLS = 8
REFUSED = http(b'{"error":{"message":"Incorrect API key provided","code":"invalid_api_key"}}', "401 Unauthorized")

upstream = Upstream()
gateway = Lasting({"threads": 1, "retry_budget": {"burst": 0}, "breaker": {"min_calls": 0},
                   "providers": {"a": {"kind": "openai", "base_url": upstream.url("/v1"), "keys": ["file:key"]}},
                   "routes": [{"model": "*", "chain": [{"target": "a/*"}]}]})


def write_key(text):
    path = os.path.join(gateway.folder, "key")
    with open(os.open(path + ".new", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="ascii") as file:
        file.write(text)
    os.rename(path + ".new", path)


def ask(mark):
    with Client(gateway.port) as client:
        return client.ask(chat(mark))


def all_get_the_new_key():
    """Each of the calls is rejected once. The first rejection reloads the key; the other rejections do not disable the
    new key."""
    arrived = threading.Semaphore(0)
    is_replaced = threading.Event()

    def old_is_refused(conn, request):
        if request.get("authorization") == "Bearer key-new":
            return say(conn, OK_CHAT)
        arrived.release()
        check(is_replaced.wait(WAIT_S), "the new key")
        return say(conn, REFUSED)

    marks = [upstream.plan(old_is_refused) for _ in range(CALLS)]
    answers = []
    threads = [threading.Thread(target=lambda mark=mark: answers.append(ask(mark))) for mark, _ in marks]
    for thread in threads:
        thread.start()
    for _ in range(CALLS):
        check(arrived.acquire(timeout=WAIT_S), "not all have arrived")
    write_key("key-new")
    is_replaced.set()
    for thread in threads:
        thread.join(WAIT_S)
    check([answer.status for answer in answers] == [200] * CALLS, answers)
    check([len(plan.seen) for _, plan in marks] == [2] * CALLS, [len(plan.seen) for _, plan in marks])
    mark, plan = upstream.plan(old_is_refused)
    answer = ask(mark)
    check(answer.status == 200 and answer.end == CLEAN and len(plan.seen) == 1, answer)


write_key("key-old")
gateway.start()
suite = Suite()
suite.case("calls with the old key get the new one", all_get_the_new_key)
main(suite, gateway, upstream)
