"""Hedges with budgets, time limits and large bodies: a hedge that cannot start or fails does not stop the first
attempt."""

import hashlib
import json
import os
import threading
import time

from gateways import Lasting
from harness import WAIT_S, Suite, check, main, report_of, wait_until
from peers import (CLEAN, OK_CHAT, Client, Upstream, chunk, chunks, hanging, http, post, say,
                   saying)

PRICES = """as_of: 2026-11-01
built_in: false
prices:
  - {kind: openai, model: "*", input: 0, output: 1000}
"""
BAD_KEY = b'{"error":{"message":"Incorrect API key provided","code":"invalid_api_key"}}'
ASKED = b'{"model":"m","max_tokens":900,"messages":[{"role":"user","content":"%b"}]}'

upstream = Upstream()


def start(on_exceed, **more):
    """Starts a gateway whose budget allows one attempt, but not two."""
    provider = {"kind": "openai", "keys": ["env:KEY_1"]}
    gateway = Lasting({
        "providers": {name: {**provider, "base_url": upstream.url(f"/{name}/v1")} for name in "ab"},
        "prices": "prices.yaml", "threads": 1, "limits": {"replay_bytes": 1024},
        "budgets": [{"name": "all", "limit_usd": 1.5, "on_exceed": on_exceed}],
        "routes": [{"model": "m", "chain": [{"target": "a/m"}, {"target": "b/m"}], **more}]})
    with open(os.path.join(gateway.folder, "prices.yaml"), "w", encoding="utf-8") as file:
        file.write(PRICES)
    return gateway.start()


def tries_of(gateway):
    return gateway.rows("SELECT code, status FROM records WHERE kind = 2 ORDER BY seq")


def ask(gateway, mark, text=b"Hi"):
    with Client(gateway.port) as client:
        return client.ask(post("/v1/chat/completions", ASKED % text, mark))


def by_lane(first, second):
    """Returns a step for both lanes, whose requests may arrive in either order."""
    return lambda conn, request: (second if request.path.startswith("/b/") else first)(conn, request)


def hedge_without_money(on_exceed):
    """A hedge that the budget refuses does not stop the first lane, which responds afterwards."""
    gateway = start(on_exceed, hedge_ms=20)

    def answers_late(conn, _):
        # The hedge is due after 20 ms; a loop that has served two other requests since then has run its timers.
        time.sleep(0.1)
        for _ in range(2):
            with Client(gateway.port) as client:
                check(client.ask(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n").status == 200)
        return say(conn, OK_CHAT)

    mark, plan = upstream.plan(answers_late)
    try:
        answer = ask(gateway, mark)
        check(answer.status == 200 and answer.end == CLEAN, answer)
        check(len(plan.seen) == 1, "asked:", [request.path for request in plan.seen])
        # No second provider was called: there is no second attempt, and the record has the reason.
        tries = tries_of(gateway)
        check(tries == [(0, 200)], tries)
        check(answer.get("x-recourse-attempts") == "1", answer.head.raw)
        passed = gateway.rows("SELECT reason FROM records WHERE kind = 5")
        check(passed == [(101,)], passed)
    finally:
        gateway.stop()


def late_first_lane():
    """Once the second lane has begun its response, the first lane's time limit does not apply to it."""
    gateway = start("warn", hedge_ms=20,
                    timeouts={"connect_ms": 60000, "first_byte_ms": 15000, "idle_ms": 60000})
    head, body = OK_CHAT.split(b"\r\n\r\n", 1)

    def silent(conn, _):
        conn.recv(1)
        return False

    def slow(conn, _):
        conn.sendall(head + b"\r\n\r\n" + body[:10])
        time.sleep(15.5)
        return say(conn, body[10:])

    mark, plan = upstream.plan(by_lane(silent, slow))
    try:
        answer = ask(gateway, mark)
        check(answer.status == 200 and answer.body == body, answer)
        check(len(plan.seen) == 2, "tries:", len(plan.seen))
    finally:
        gateway.stop()


def all_agree(lane):
    """If one lane fails finally while the other one is running, the record, the report and the response all show both
    attempts."""
    gateway = start("warn", hedge_ms=20)
    is_over = threading.Event()

    def fails(conn, _):
        wait_until(lambda: len(plan.seen) == 2, "the other lane")
        return say(conn, http(BAD_KEY, "401 Unauthorized"))

    def waits(conn, _):
        is_over.wait(WAIT_S)
        return False

    steps = [waits, waits]
    steps[lane] = fails
    mark, plan = upstream.plan(by_lane(*steps))
    try:
        answer = ask(gateway, mark)
        check(answer.status == 401 and answer.end == CLEAN, answer)
        check(answer.get("x-recourse-attempts") == "2", answer.head.raw)
        check(report_of(json.loads(answer.body))["context"]["attempt"] == 2, answer)
        tries = gateway.rows("SELECT attempt, code, reason, tokens_in > 0 FROM records WHERE kind = 2"
                             " ORDER BY attempt")
        check([row[0] for row in tries] == [1, 2], tries)
        # The failed attempt has the code AuthFailed and is not retried; the cancelled attempt is charged with its
        # request.
        check(tries[lane] == (lane + 1, 401, 30, 0) and tries[1 - lane] == (2 - lane, 0, 0, 1), tries)
        (attempts, report), = gateway.rows(
            "SELECT attempt, body FROM operations JOIN reports USING (op) WHERE report_id = ?",
            answer.get("x-recourse-report-id"))
        listed = json.loads(report)["attempts"]
        check(attempts == 2 and sorted(row["attempt"] for row in listed) == [1, 2], attempts, listed)
        let_go, = (row for row in listed if row["attempt"] == 2 - lane)
        check(let_go["reason"] == "cancelled" and "error_code" not in let_go, let_go)
        wait_until(lambda: "  2 tries  " in gateway.said(), "the log's line")
    finally:
        is_over.set()
        gateway.stop()


EVENTS = (b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
          b"Transfer-Encoding: chunked\r\n\r\n")
DONE = b"data: [DONE]\n\n"
TEXT = b'data: {"choices":[{"index":0,"delta":{"content":"%b"},"finish_reason":null}]}\n\n'
STOP = b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n'
STREAMED = b'{"model":"m","stream":true,"messages":[{"role":"user","content":"Hi"}]}'


def ask_streamed(lane, said, answers):
    """One lane sends `said` and stays open; the other lane responds after the gateway has ended the first one."""
    gateway = start("warn", hedge_ms=20)
    let_go = threading.Event()

    def ends(conn, _):
        wait_until(lambda: len(plan.seen) == 2, "the other lane")
        return hanging(EVENTS + chunk(said), let_go)(conn, _)

    def other(conn, _):
        conn.sendall(EVENTS)
        let_go.wait(WAIT_S)
        return say(conn, chunks(answers))

    steps = [other, other]
    steps[lane] = ends
    mark, plan = upstream.plan(by_lane(*steps))
    try:
        with Client(gateway.port) as client:
            answer = client.ask(post("/v1/chat/completions", STREAMED, mark))
        check(answer.status == 200 and answer.end == CLEAN, answer)
        return answer, gateway.rows("SELECT attempt, code, status FROM records WHERE kind = 2"
                                    " ORDER BY attempt")
    finally:
        let_go.set()
        gateway.stop()


def empty_lane_ends(lane):
    """A lane whose stream ends without content has failed; the other lane responds."""
    answer, tries = ask_streamed(lane, DONE, [TEXT % b"there", STOP, DONE])
    check(answer.body == TEXT % b"there" + STOP + DONE, answer)
    check(tries[lane][1] != 0 and tries[1 - lane] == (2 - lane, 0, 200), tries)


def finished_lane_ends(lane):
    """A complete response without text wins; the other lane is not waited for."""
    answer, tries = ask_streamed(lane, STOP + DONE, [])
    check(answer.body == STOP + DONE, answer)
    check(tries[lane] == (lane + 1, 0, 200), tries)


def both_lanes_empty():
    """If both lanes end without content, another attempt follows."""
    gateway = start("warn", hedge_ms=20, chain=[{"target": "a/m", "tries": 2}, {"target": "b/m"}])
    gone = [threading.Event(), threading.Event()]

    def ends(number):
        def step(conn, _):
            wait_until(lambda: len(plan.seen) >= 2, "the other lane")
            return hanging(EVENTS + chunk(DONE), gone[number])(conn, _)
        return step

    mark, plan = upstream.plan(ends(0), ends(1), saying(EVENTS + chunks([TEXT % b"x", STOP, DONE])))
    try:
        with Client(gateway.port) as client:
            answer = client.ask(post("/v1/chat/completions", STREAMED, mark))
        check(answer.body == TEXT % b"x" + STOP + DONE and answer.end == CLEAN, answer)
        check(gone[0].wait(WAIT_S) and gone[1].wait(WAIT_S), "a lane that was not ended")
    finally:
        gateway.stop()


def upload_waits_for_money():
    gateway = start("pause")
    may_answer = threading.Event()
    first_mark, first = upstream.plan(lambda conn, _: (may_answer.wait(), say(conn, OK_CHAT))[1])
    mark, plan = upstream.plan(lambda conn, _: say(conn, OK_CHAT))
    large = b"".join(b"%08d" % number for number in range(20000))
    answers = []
    others = [threading.Thread(target=lambda: answers.append(ask(gateway, first_mark))),
              threading.Thread(target=lambda: answers.append(ask(gateway, mark, large)))]
    try:
        others[0].start()
        wait_until(lambda: first.seen, "the first request")
        others[1].start()
        wait_until(lambda: "requests are waiting" in gateway.said(), "the pause")
        check(not plan.seen, "sent without money")
        may_answer.set()
        for other in others:
            other.join()
        check([answer.status for answer in answers] == [200, 200], answers)
        got = hashlib.sha256(plan.seen[0].body).hexdigest()
        check(got == hashlib.sha256(ASKED % large).hexdigest(), len(plan.seen[0].body))
    finally:
        may_answer.set()
        gateway.stop()


suite = Suite()
for word in ("fail", "pause"):
    suite.case(f"a hedge that there is no money for, {word}: the first lane goes on",
               hedge_without_money, word)
suite.case("a second lane that has begun has its own time", late_first_lane)
for number, word in enumerate(("first", "second")):
    suite.case(f"the {word} lane fails for good: all count two tries", all_agree, number)
for number, word in enumerate(("first", "second")):
    suite.case(f"the {word} lane says its end and nothing else: it is not waited for",
               empty_lane_ends, number)
    suite.case(f"the {word} lane is whole without a word: it is the answer",
               finished_lane_ends, number)
suite.case("both lanes say their end and nothing else: another try", both_lanes_empty)
suite.case("a large body waits with a try that is paused", upload_waits_for_money)
main(suite, upstream)
