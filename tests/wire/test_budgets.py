"""Budgets: many concurrent requests never exceed a budget, and the refusal names limit, spent and reserved
amounts."""

import csv
import datetime
import itertools
import json
import os
import signal
import sqlite3
import subprocess
import threading
import time

from gateways import Lasting, chat
from harness import IS_FEW, RECOURSE, WAIT_S, Suite, check, main, report_of, wait_until
from mocks import Mock
from peers import CLEAN, Client, post

PRICES = "as_of: 2026-11-01\nprices:\n  - {kind: demo, model: '*', input: 100, output: 200}\n"


def run_all(function, arguments):
    troubles = []

    def run(args):
        try:
            function(*args)
        except Exception as error:  # The thread that counts reports the exception below.
            troubles.append(error)
    threads = [threading.Thread(target=run, args=(args,)) for args in arguments]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(WAIT_S)
    if troubles:
        raise troubles[0]


def budget_is_not_overrun():
    """Of a hundred concurrent requests, those beyond the budget are refused; the error names the amounts."""
    gateway = Lasting({}, {"TOKEN": "token-of-app"})
    limit = 1_000_000
    try:
        with open(os.path.join(gateway.folder, "prices.yaml"), "w", encoding="ascii") as file:
            file.write(PRICES)
        gateway.write({
            "listen": "127.0.0.1:0", "admin": {"listen": "off"}, "store": "sqlite:audit.db",
            "prices": "prices.yaml", "providers": {"demo": {"kind": "demo"}},
            "clients": [{"name": "app", "token": "env:TOKEN", "budget_usd": 1, "on_exceed": "fail"}],
            "routes": [{"model": "*", "chain": [{"target": "demo/*"}]}]})
        gateway.start()
        statuses = []
        body = chat("tokens-400", "Authorization: Bearer token-of-app").replace(
            b'{"model"', b'{"max_tokens": 400, "model"')
        length = len(body.split(b"\r\n\r\n", 1)[1])
        body = body.replace(b"Content-Length: ", b"Content-Length: %d\r\nx-was: " % length)

        def ask():
            with Client(gateway.port) as client:
                answer = client.ask(body)
                check(answer.status in (200, 402) and answer.end == CLEAN, answer)
                if answer.status == 402:
                    check(answer.get("x-recourse-error-code") == "BudgetExceeded", answer)
                    check(b"The budget of client app has no room for this request" in answer.body, answer)
                statuses.append(answer.status)
        run_all(ask, [()] * (30 if IS_FEW else 100))
        gateway.end()
        spent = gateway.rows("SELECT sum(cost_usd_micro) FROM records WHERE kind = 2")[0][0]
        # An attempt is granted only with its maximum cost, so the budget is never exceeded.
        check(0 < spent <= limit, spent, statuses.count(200), statuses.count(402))
        check(402 in statuses and 200 in statuses, statuses)
        # The spent amount is restored after a restart.
        gateway.start()
        statuses.clear()
        run_all(ask, [()] * 20)
        gateway.end()
        again = gateway.rows("SELECT sum(cost_usd_micro) FROM records WHERE kind = 2")[0][0]
        check(again <= limit, again)
        check("is used up" in gateway.said(), gateway.said()[-1000:])
    finally:
        gateway.stop()


def body_of(dialect, is_stream=False):
    """Returns the path and body of a request that may cost slightly more than 40,000 millionths of a dollar."""
    message = [{"role": "user", "content": "fish"}]
    if dialect == "gemini":
        way = "streamGenerateContent?alt=sse" if is_stream else "generateContent"
        return f"/v1beta/models/tokens-100:{way}", {
            "contents": [{"role": "user", "parts": [{"text": "fish"}]}],
            "generationConfig": {"maxOutputTokens": 200}}
    body = {"model": "tokens-100", "stream": is_stream}
    if dialect == "responses":
        return "/v1/responses", {**body, "input": "fish", "max_output_tokens": 200}
    path = "/v1/messages" if dialect == "anthropic" else "/v1/chat/completions"
    return path, {**body, "messages": message, "max_tokens": 200}


def message_of(dialect, body):
    """Returns the message that an SDK of the dialect shows, and the report."""
    check((body["type"] == "error") if dialect == "anthropic" else "type" not in body, body)
    types = {"chat": ("code", "insufficient_quota"), "responses": ("code", "insufficient_quota"),
             "anthropic": ("type", "billing_error"), "gemini": ("status", "RESOURCE_EXHAUSTED")}
    key, value = types[dialect]
    check(body["error"][key] == value, body)
    return body["error"]["message"], report_of(body)


def refusal_says_it_all():
    """A refusal states the spent amount, the limit, the amount reserved for requests in flight, the renewal time and
    what to do: in every dialect and in the audit."""
    gateway = Lasting({}, {"TOKEN": "token-of-app"})
    mock = Mock(gateway.folder)
    try:
        with open(os.path.join(gateway.folder, "prices.yaml"), "w", encoding="ascii") as file:
            file.write(PRICES + "  - {model: '*', input: 100, output: 200}\n")
        gateway.write({
            "listen": "127.0.0.1:0", "admin": {"listen": "off"}, "store": "sqlite:audit.db",
            "prices": "prices.yaml",
            "providers": {"demo": {"kind": "demo"},
                          "up": {"kind": "openai", "base_url": f"http://127.0.0.1:{mock.port}/v1"}},
            "clients": [{"name": "app", "token": "env:TOKEN", "budget_usd": 0.07, "on_exceed": "fail"}],
            "routes": [{"model": "hang", "chain": [{"target": "up/hang"}]},
                       {"model": "*", "chain": [{"target": "demo/*"}]}]})
        gateway.start()
        token = "Authorization: Bearer token-of-app"

        def ask(dialect, is_stream=False):
            path, body = body_of(dialect, is_stream)
            with Client(gateway.port) as client:
                return client.ask(post(path, json.dumps(body).encode(), extra=token.encode() + b"\r\n"))
        check(ask("chat").status == 200)
        spent = gateway.rows("SELECT sum(cost_usd_micro) FROM records WHERE kind = 2")[0][0]
        check(spent == 20500, spent)
        # A call in flight reserves 100 output tokens at 200 and 5 input tokens at 100.
        with Client(gateway.port) as holder:
            body = json.dumps({"model": "hang", "max_tokens": 100,
                               "messages": [{"role": "user", "content": "fish"}]}).encode()
            holder.send(post("/v1/chat/completions", body, extra=token.encode() + b"\r\n"))
            wait_until(lambda: mock.ledger()["requests"] == 1, "a call in flight")
            for dialect, is_stream in itertools.product(("chat", "responses", "anthropic", "gemini"),
                                                        (False, True)):
                answer = ask(dialect, is_stream)
                check(answer.status == 402 and answer.get("x-should-retry") == "false", answer)
                check(answer.get("x-recourse-error-code") == "BudgetExceeded", answer)
                check(int(answer.get("retry-after")) > 0, answer)
                message, report = message_of(dialect, json.loads(answer.body))
                asked = "$0.0401" if dialect == "responses" else "$0.0405"
                check(message.startswith(
                    "The budget of client app has no room for this request: limit $0.07, spent $0.0205, reserved for "
                    f"requests in flight $0.0205, estimate for this request {asked}. It renews on 20"), message)
                check(report["error_code"] == "BudgetExceeded" and not report["retryable"], report)
                check(report["user_action"]["kind"] == "raise_limit" and
                      "max_tokens" in report["user_action"]["detail"], report)
                check(0 < report["provider_metadata"]["retry_after_ms"] <= 31 * 86400000, report)
        shown = subprocess.run([RECOURSE, "audit", "--store", "sqlite:audit.db", "show", report["report_id"]],
                               cwd=gateway.folder, check=True, timeout=WAIT_S, stdout=subprocess.PIPE).stdout.decode()
        shown = " ".join(shown.replace("│", " ").split())
        for words in (message.removesuffix("."), "stops: the remainder of a cost budget is reserved for calls in flight",
                      "It renews in ", report["user_action"]["detail"], "HTTP 402"):
            check(words in shown, words, shown)
        gateway.end()
        check("the budget of client app is used up: $0.0205 of $0.07 is spent" in gateway.said(), gateway.said())
    finally:
        mock.stop()
        gateway.stop()


def refusal_is_no_call(on_exceed):
    """A request that a budget refuses calls no provider: there is no attempt, no call in the statistics, and the
    record has the reason. The same is true of a request that waits for a budget and whose client disconnects."""
    gateway = Lasting({}, {"TOKEN": "token-of-app"})
    mock = Mock(gateway.folder)
    try:
        with open(os.path.join(gateway.folder, "prices.yaml"), "w", encoding="ascii") as file:
            file.write("as_of: 2026-11-01\nprices:\n  - {model: '*', input: 100, output: 200}\n")
        gateway.write({
            "listen": "127.0.0.1:0", "admin": {"listen": "off"}, "store": "sqlite:audit.db",
            "prices": "prices.yaml",
            "providers": {"up": {"kind": "openai", "base_url": f"http://127.0.0.1:{mock.port}/v1"}},
            "clients": [{"name": "app", "token": "env:TOKEN", "budget_usd": 0.03, "on_exceed": on_exceed}],
            "routes": [{"model": "*", "chain": [{"target": "up/*"}]}]})
        gateway.start()
        path, body = body_of("chat")
        body["max_tokens"] = 100
        data = post(path, json.dumps(body).encode(), extra=b"Authorization: Bearer token-of-app\r\n")
        with Client(gateway.port) as client:
            check(client.ask(data).status == 200)
        for _ in range(3):
            with Client(gateway.port) as client:
                client.send(data)
                if on_exceed == "fail":
                    answer = client.read()
                    check(answer.status == 402 and not answer.get("x-recourse-attempts"), answer.head.raw)
                else:
                    wait_until(lambda: "requests are waiting" in gateway.said(), "the pause")
                    time.sleep(0.1)
        wait_until(lambda: len(gateway.operations()) == 4, "the records")
        gateway.end()
        check(mock.ledger()["requests"] == 1, mock.ledger())
        check(gateway.rows("SELECT count(*) FROM records WHERE kind = 2") == [(1,)])
        check(gateway.rows("SELECT attempt, count(*) FROM operations GROUP BY attempt ORDER BY 1") ==
              [(0, 3), (1, 1)], gateway.rows("SELECT attempt FROM operations"))
        if on_exceed == "fail":
            stops = gateway.rows("SELECT reason FROM records WHERE kind = 6")
            check(stops == [(100,)] * 3, stops)
        stats = subprocess.run([RECOURSE, "audit", "--store", "sqlite:audit.db", "stats", "--format", "json"],
                               cwd=gateway.folder, check=True, timeout=WAIT_S, stdout=subprocess.PIPE).stdout
        counts = json.loads(stats)
        check(counts["attempts"]["count"] == 1 and counts["attempts"]["wasted"] == 0, stats)
        check(counts["operations"]["attempts"] == 1 and counts["operations"]["wasted"] == 0, stats)
    finally:
        mock.stop()
        gateway.stop()


class Paused:
    """A gateway with a slow provider and a single budget, which allows one call at a time."""

    def __init__(self, limits=None, **route):
        self.gateway = Lasting({})
        self.mock = Mock(self.gateway.folder)
        with open(os.path.join(self.gateway.folder, "prices.yaml"), "w", encoding="ascii") as file:
            file.write("as_of: 2026-11-01\nprices:\n  - {model: 'tokens-*', input: 100, output: 200}\n")
        self.gateway.write({
            "listen": "127.0.0.1:0", "admin": {"listen": "127.0.0.1:0"}, "store": "sqlite:audit.db",
            "prices": "prices.yaml", "limits": limits or {},
            "providers": {"up": {"kind": "openai", "base_url": f"http://127.0.0.1:{self.mock.port}/v1"}},
            "budgets": [{"name": "all", "per": "day", "limit_usd": 0.03, "on_exceed": "pause"}],
            "routes": [{"model": "first", "chain": [{"target": "up/tokens-100"}]},
                       {"model": "*", "chain": [{"target": "up/tokens-100"}], **route}]})
        self.gateway.start(is_plain=True)
        with Client(self.gateway.port) as client:
            check(client.ask(self.request("first")).status == 200)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.mock.stop()
        self.gateway.stop()

    @staticmethod
    def request(model="tokens-100"):
        path, body = body_of("chat")
        return post(path, json.dumps({**body, "model": model, "max_tokens": 100}).encode())

    def is_waited_for(self, pauses=1):
        wait_until(lambda: self.gateway.said().count('"budget:paused"') == pauses, "the pause")

    def lift(self):
        answer = self.gateway.post("/admin/v1/budgets/budget%20all/raise", b'{"usd": 1}')
        check(answer.status == 200, answer)

    def story(self):
        """Returns the log line, the operation and the records of the request that waited, and the outputs of audit
        show."""
        def lines():
            return [line for line in self.gateway.said().splitlines() if '"event":"request"' in line]
        wait_until(lambda: len(lines()) == 2, "the line")
        line = json.loads(lines()[1])

        def show(form):
            shown = self.gateway.run("audit", "--store", "sqlite:audit.db", "--width", "200", "show",
                                     "rep" + line["request_id"][3:], "--format", form)
            return " ".join(shown.stdout.decode().split())
        wait_until(lambda: '"ended"' in show("json"), "the record")  # The record is written after the log line.
        told = json.loads(show("json"))
        return line, told["operation"], told["records"], [show("human"), show("markdown")]


def pause_is_on_record():
    """A wait for a budget has a record of its own; the attempt begins when the provider is called."""
    with Paused() as paused:
        with Client(paused.gateway.port) as client:
            client.send(paused.request())
            paused.is_waited_for()
            check(paused.mock.ledger()["requests"] == 1)
            lifted_ms = time.time() * 1000
            paused.lift()
            check(client.read().status == 200)
        line, operation, records, shown = paused.story()
        check([record["kind"] for record in records] == ["wait", "attempt"], records)
        wait, attempt = records
        check(wait["reason"] == "budget_spent" and wait["text"] == "budget all" and wait["wait_ms"] > 0, wait)
        check(wait["target"] == "up/tokens-100" and "credential" not in wait and "attempt" not in wait, wait)
        # The wait is measured by the loop's clock, which does not advance during a callback.
        check(attempt["at_ms"] - wait["at_ms"] - wait["wait_ms"] > -200, wait, attempt)
        check(lifted_ms < gateway_ms(attempt["time"]) + 200, lifted_ms, attempt)
        check(attempt["at_ms"] + attempt["latency_ms"] < operation["latency_ms"] + 200, attempt, operation)
        check(operation["wait_ms"] == wait["wait_ms"] == line["wait_ms"], operation, line)
        for text in shown:
            check("waits: a cost budget is used up (budget all)" in text, text)
            check("responded on the first attempt, which waited for" in text, text)
        asked = paused.gateway.rows("SELECT count(*) FROM records WHERE kind = 2")
        check(asked == [(2,)], asked)
        table = paused.gateway.run("audit", "--store", "sqlite:audit.db", "export", "--format", "csv").stdout
        waits = [row["wait_ms"] for row in csv.DictReader(table.decode().splitlines()) if row["attempts"] == "1"]
        check(waits == ["0", str(wait["wait_ms"])], waits)


def gateway_ms(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp() * 1000


def pause_that_fails_is_on_record(end):
    """A wait for a budget is recorded, whether it ends at the deadline or because the client disconnects."""
    with Paused(deadline_ms=1000 if end == "late" else 60000) as paused:
        with Client(paused.gateway.port) as client:
            client.send(paused.request())
            paused.is_waited_for()
            if end == "late":
                check(client.read().status == 402)
            else:
                time.sleep(0.05)
        line, operation, records, shown = paused.story()
        kinds = [record["kind"] for record in records]
        check(kinds == ["wait", "stop" if end == "late" else "cancel"], kinds)
        wait = records[0]
        check(wait["reason"] == "budget_spent" and wait["text"] == "budget all", wait)
        check(0 < wait["wait_ms"] == operation["wait_ms"] == line["wait_ms"] <= operation["latency_ms"], wait, line)
        check("waits: a cost budget is used up (budget all)" in shown[0], shown[0])


def pause_does_not_hold_the_end(is_late):
    """At shutdown, requests that wait for a budget, or would have to, get an error at once. (drain_ms is longer than
    the test.)"""
    chain = [{"target": "up/tokens-100"}]
    if is_late:
        chain.insert(0, {"target": "up/slow-first-500ms+503", "tries": 1})
    with Paused(limits={"drain_ms": 600000}, chain=chain) as paused:
        with Client(paused.gateway.port) as client:
            client.send(paused.request())
            if is_late:
                wait_until(lambda: paused.mock.ledger()["requests"] == 2, "a try that costs nothing")
            else:
                paused.is_waited_for()
            paused.gateway.signal(signal.SIGTERM)
            answer = client.read()
        check(answer.status == 503 and answer.get("x-recourse-error-code") == "Overloaded", answer)
        check(int(answer.get("retry-after")) > 0, answer.head.raw)
        check(answer.get("x-recourse-attempts") == ("1" if is_late else ""), answer.head.raw)
        report = json.loads(answer.body)
        check("shutting down, and the request was still waiting for a budget" in report["error"]["message"], report)
        check(report_of(report)["retryable"], report)
        paused.gateway.end()
        waits = paused.gateway.rows("SELECT reason, text, wait_ms FROM records WHERE kind = 3")
        check(len(waits) == 1 and waits[0][:2] == (100, "budget all") and (is_late or waits[0][2] > 0), waits)


def first_request_says_why():
    """If a budget is smaller than the maximum cost of the first request, the message says so, although nothing was
    spent."""
    gateway = Lasting({}, {"TOKEN": "token-of-app"})
    try:
        with open(os.path.join(gateway.folder, "prices.yaml"), "w", encoding="ascii") as file:
            file.write(PRICES)
        gateway.write({
            "listen": "127.0.0.1:0", "admin": {"listen": "off"}, "store": "sqlite:audit.db",
            "prices": "prices.yaml", "providers": {"demo": {"kind": "demo"}},
            "clients": [{"name": "app", "token": "env:TOKEN", "budget_usd": 0.0001,
                         "on_exceed": "fail"}],
            "routes": [{"model": "*", "chain": [{"target": "demo/*"}]}]})
        gateway.start()
        path, body = body_of("chat")
        with Client(gateway.port) as client:
            answer = client.ask(post(path, json.dumps(body).encode(), extra=b"Authorization: Bearer token-of-app\r\n"))
        check(answer.status == 402, answer)
        message = json.loads(answer.body)["error"]["message"]
        check(message.startswith(
            "The budget of client app is smaller than the possible cost of this request: limit $0.0001, spent $0.00, reserved for "
            "requests in flight $0.00, estimate for this request $0.0405. It renews on 20"), message)
    finally:
        gateway.stop()


def direct_target_is_bound():
    """The budget of a route also counts requests that name its target directly, also after a restart."""
    gateway = Lasting({}, {})
    mock = Mock(gateway.folder)
    try:
        with open(os.path.join(gateway.folder, "prices.yaml"), "w", encoding="ascii") as file:
            file.write("as_of: 2026-11-01\nprices:\n  - {model: '*', input: 100, output: 200}\n")
        gateway.write({
            "listen": "127.0.0.1:0", "admin": {"listen": "off"}, "store": "sqlite:audit.db",
            "prices": "prices.yaml", "clients": [],
            "providers": {"up": {"kind": "openai", "base_url": f"http://127.0.0.1:{mock.port}/v1"}},
            "routes": [{"model": "fast", "chain": [{"target": "up/tokens-100"}], "budget_usd": 0.07,
                        "on_exceed": "fail"},
                       {"model": "free", "chain": [{"target": "up/tokens-101"}]}]})
        gateway.start()

        def ask(model, path="/v1/chat/completions"):
            body = json.dumps({"model": model, "max_tokens": 100, "messages": [{"role": "user", "content": "fish"}]})
            with Client(gateway.port) as client:
                return client.ask(post(path, body.encode()))
        ways = (("up/tokens-100",), ("tokens-100", "/p/up/chat/completions"), ("fast",))
        check([ask(*way).status for way in ways] == [200] * 3)
        for _ in range(2):
            for way in ways:
                answer = ask(*way)
                check(answer.status == 402 and b"budget of route fast" in answer.body, way, answer)
            check(ask("up/tokens-101").status == 200 and ask("free").status == 200)
            gateway.end()
            gateway.start()
    finally:
        mock.stop()
        gateway.stop()


def what_has_no_price_is_told():
    """A call without a price is marked in the records, counted in the sums, and counted by each budget that cannot
    include its cost, also after a restart."""
    gateway = Lasting({})
    mock = Mock(gateway.folder)
    try:
        with open(os.path.join(gateway.folder, "prices.yaml"), "w", encoding="ascii") as file:
            file.write("as_of: 2026-11-01\nprices:\n  - {provider: up, model: 'tokens-1*', input: 100, output: 200}\n"
                       "  - {provider: up, model: tokens-3, input: 0, output: 0}\n")
        gateway.write({
            "listen": "127.0.0.1:0", "admin": {"listen": "127.0.0.1:0"}, "store": "sqlite:audit.db",
            "prices": "prices.yaml",
            "providers": {"up": {"kind": "openai_compatible", "base_url": f"http://127.0.0.1:{mock.port}/v1"}},
            "budgets": [{"name": "all", "limit_usd": 1, "on_exceed": "fail"},
                        {"name": "priced", "limit_usd": 1, "match": {"target": "up/tokens-1*"}}],
            "routes": [{"model": "*", "chain": [{"target": "up/*"}]}]})
        gateway.start()

        def run(*words):
            done = gateway.run("audit", "--store", "sqlite:audit.db", *words)
            check(done.returncode == 0, done)
            return done.stdout.decode()
        for model in ("tokens-10", "tokens-2", "tokens-2", "tokens-3", "400"):
            with Client(gateway.port) as client:
                check(client.ask(chat(model)).status == (400 if model == "400" else 200), model)

        def counts():
            return [(one["scope"], one.get("unpriced_calls", 0))
                    for one in json.loads(gateway.page("/admin/v1/budgets"))["budgets"]]
        check(counts() == [("budget all", 2), ("budget priced", 0)], counts())
        stats = json.loads(run("stats", "--format", "json", "--by", "target,model"))
        check(stats["attempts"]["unpriced"] == 2 and stats["operations"]["unpriced"] == 2, stats)
        by_target = {row["target"]: row["attempts"]["unpriced"] for row in stats["by"]["target"]}
        check(by_target == {"up/tokens-10": 0, "up/tokens-2": 2, "up/tokens-3": 0, "up/400": 0}, by_target)
        live = json.loads(gateway.page("/admin/v1/stats?since=1h&by=target"))
        check(live["attempts"]["total"]["unpriced"] == 2, live)
        shown = run("--width", "200", "stats")
        check("; without 2 calls without a price" in shown, shown)
        cells = {line.split()[0]: line for line in shown.splitlines() if line.startswith("up/")}
        check(cells["up/tokens-2"].endswith("no price") and cells["up/tokens-3"].endswith("$0.00"), shown)
        rows = list(csv.DictReader(run("export", "--format", "csv").splitlines()))
        check([(row["model"], row["unpriced"]) for row in rows] ==
              [("tokens-10", "0"), ("tokens-2", "1"), ("tokens-2", "1"), ("tokens-3", "0"), ("400", "0")], rows)
        operations = json.loads(run("list", "--model", "tokens-2", "--format", "json"))["operations"]
        check([one.get("unpriced") for one in operations] == [True, True], operations)
        check("out, no price" in run("--width", "200", "show", operations[0]["id"]))
        gateway.end()
        gateway.start()
        check(counts() == [("budget all", 2), ("budget priced", 0)], counts())
    finally:
        mock.stop()
        gateway.stop()


def raise_outlasts_a_restart():
    """The amount by which an operator raises a budget stays in force until the budget renews, also after a restart."""
    gateway = Lasting({})
    try:
        with open(os.path.join(gateway.folder, "prices.yaml"), "w", encoding="ascii") as file:
            file.write(PRICES)
        config = {
            "listen": "127.0.0.1:0", "admin": {"listen": "127.0.0.1:0"}, "store": "sqlite:audit.db",
            "prices": "prices.yaml", "providers": {"demo": {"kind": "demo"}},
            "routes": [{"model": "*", "chain": [{"target": "demo/*"}], "budget_usd": 0.01, "on_exceed": "fail"}]}
        gateway.write(config)

        def status():
            with Client(gateway.port) as client:
                return client.ask(chat("ok")).status

        def budget():
            return json.loads(gateway.page("/admin/v1/budgets"))["budgets"]
        gateway.start()
        check(status() == 402)
        for usd in (b"5000", b"0.5"):
            answer = gateway.post("/admin/v1/budgets/route%20*/raise", b'{"usd": %s}' % usd)
            check(answer.status == 200, answer)
        check(budget()[0]["limit_usd"] == 5000.51 and status() == 200, budget())
        listed = gateway.run("audit", "list", "--outcome", "notice", "--width", "160").stdout.decode()
        for words in ("budget of route * raised by $5000.00", "budget of route * raised by $0.50"):
            check(f": {words} by " in listed, listed)
        gateway.end()
        gateway.start()
        check(budget()[0]["limit_usd"] == 5000.51 and budget()[0]["raised_usd"] == 5000.5, budget())
        check(status() == 200)
        gateway.end()
        # Without the budget, the saved state of the raise has no effect; if the budget is configured again, the raise
        # is in force again.
        route = config["routes"][0]
        gateway.write({**config, "routes": [{**route, "budget_usd": 0}]})
        gateway.start()
        check(budget() == [] and status() == 200, budget())
        gateway.write(config)
        gateway.signal(signal.SIGHUP)
        wait_until(lambda: budget() != [], "the budget")
        check(budget()[0]["limit_usd"] == 5000.51, budget())
        gateway.end()
        # A saved state of an earlier budget period has no effect.
        with sqlite3.connect(gateway.database) as database:
            check(database.execute("UPDATE marks SET until_unix_ms = 1 WHERE kind = 4").rowcount == 1)
        gateway.start()
        check(budget()[0]["limit_usd"] == 0.01 and "raised_usd" not in budget()[0], budget())
        check(status() == 402)
    finally:
        gateway.stop()


suite = Suite()
for word in ("fail", "pause"):
    suite.case(f"who is refused has asked nobody, {word}", refusal_is_no_call, word)
suite.case("a pause is on record", pause_is_on_record)
for word in ("late", "gone"):
    suite.case(f"a pause that comes to nothing is on record, {word}", pause_that_fails_is_on_record, word)
for flag in (False, True):
    suite.case(f"a pause does not hold the end, {'from then on' if flag else 'before it'}",
               pause_does_not_hold_the_end, flag)
suite.case("a first request that is refused says why", first_request_says_why)
suite.case("a target that is addressed directly is bound by its route's budget", direct_target_is_bound)
suite.case("what has no price is told", what_has_no_price_is_told)
suite.case("a budget is not overrun", budget_is_not_overrun)
suite.case("who is refused is told all of it", refusal_says_it_all)
suite.case("what was raised outlasts a restart", raise_outlasts_a_restart)
main(suite)
