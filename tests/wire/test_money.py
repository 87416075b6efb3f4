"""Tokens and money: what the gateway puts on record is what the provider counted, and a budget is not
overrun however many ask at once."""

import json
import os
import subprocess
import threading

from gateways import Lasting, chat
from harness import IS_FEW, RECOURSE, WAIT_S, Suite, check, main, wait_until
from peers import CLEAN, Client

MEASURED, ESTIMATED = 4, 8
PRICES = "as_of: 2026-11-01\nprices:\n  - {kind: demo, model: '*', input: 100, output: 200}\n"


class Mock:
    """recourse mock, which keeps a ledger of its own."""

    def __init__(self, folder):
        self.process = subprocess.Popen([RECOURSE, "mock", "--listen", "127.0.0.1:0", "--quiet",
                                         "--port-file", "mock-port"], cwd=folder, stderr=subprocess.DEVNULL)
        path = os.path.join(folder, "mock-port")
        wait_until(lambda: os.path.exists(path) and os.path.getsize(path) > 0, "the mock's port")
        with open(path, encoding="ascii") as file:
            self.port = int(file.read())

    def ledger(self):
        with Client(self.port) as client:
            return json.loads(client.ask(b"GET /mock/stats HTTP/1.1\r\nHost: x\r\n\r\n").body)

    def stop(self):
        self.process.terminate()
        self.process.wait(WAIT_S)


def streamed(model):
    body = json.dumps({"model": model, "stream": True, "stream_options": {"include_usage": True},
                       "messages": [{"role": "user", "content": "how much is the fish today"}]})
    return (f"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n"
            f"{body}").encode()


def totals_equal_the_ledger():
    """Answers, streams, retries, failovers: all that is counted is on record, to the token."""
    gateway = Lasting({})
    mock = Mock(gateway.folder)
    try:
        gateway.write({
            "listen": "127.0.0.1:0", "admin": {"listen": "off"}, "store": "sqlite:audit.db",
            "providers": {"up": {"kind": "openai", "base_url": f"http://127.0.0.1:{mock.port}/v1"}},
            "policies": {"fast": {"max_attempts": 3, "backoff": "fixed", "base_ms": 1, "jitter": "none"}},
            "breaker": {"min_calls": 0}, "retry_budget": {"burst": 0}, "cooldown_ms": 0,
            "routes": [
                {"model": "fallback", "policy": "fast",
                 "chain": [{"target": "up/mock/503", "tries": 1}, {"target": "up/mock/tokens-7"}]},
                {"model": "*", "policy": "fast", "chain": [{"target": "up/*"}]}]})
        gateway.start()
        kinds = ["mock/ok", "mock/tokens-40", "mock/503@1/2", "mock/200-with-error@1/3", "fallback",
                 "mock/start-then-overloaded@1/2"]
        rounds = 5 if IS_FEW else 40

        def ask(model):
            with Client(gateway.port) as client:
                for number in range(rounds):
                    data = streamed(model) if number % 2 else chat(model)
                    answer = client.ask(data)
                    check(answer.status == 200 and answer.end == CLEAN, model, answer)
        run_all(ask, [(kind,) for kind in kinds])
        gateway.end()
        ledger = mock.ledger()
        counted = gateway.rows("SELECT sum(tokens_in), sum(tokens_out) FROM records WHERE kind = 2 "
                               "AND (flags & ?)", MEASURED)[0]
        check(counted[1] == ledger["tokens_out"], counted, ledger["tokens_in"], ledger["tokens_out"])
        guessed = gateway.rows("SELECT count(*) FROM records WHERE kind = 2 AND (flags & ?)", ESTIMATED)
        check(guessed[0][0] == 0, "something was estimated", guessed)
        # Operations add up to their attempts, and so do the day's sums.
        attempts = gateway.rows("SELECT sum(tokens_in), sum(tokens_out), sum(cost_usd_micro) FROM records "
                                "WHERE kind = 2")
        check(gateway.rows("SELECT sum(tokens_in), sum(tokens_out), sum(cost_usd_micro) FROM operations")
              == attempts, attempts)
        check(gateway.rows("SELECT sum(tokens_in), sum(tokens_out), sum(cost_usd_micro) FROM spend")
              == attempts, attempts)
    finally:
        mock.stop()
        gateway.stop()


def run_all(function, arguments):
    troubles = []

    def run(args):
        try:
            function(*args)
        except Exception as error:  # told below, in the thread that counts
            troubles.append(error)
    threads = [threading.Thread(target=run, args=(args,)) for args in arguments]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(WAIT_S)
    if troubles:
        raise troubles[0]


def budget_is_not_overrun():
    """A hundred at once, and money for some of them: the rest is refused, with the numbers."""
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
                    check(b"The budget of client app is used up" in answer.body, answer)
                statuses.append(answer.status)
        run_all(ask, [()] * (30 if IS_FEW else 100))
        gateway.end()
        spent = gateway.rows("SELECT sum(cost_usd_micro) FROM records WHERE kind = 2")[0][0]
        # A try is granted only with what it may cost at most: nothing is overrun at all.
        check(0 < spent <= limit, spent, statuses.count(200), statuses.count(402))
        check(402 in statuses and 200 in statuses, statuses)
        # A restart does not forget what was spent.
        gateway.start()
        statuses.clear()
        run_all(ask, [()] * 20)
        gateway.end()
        again = gateway.rows("SELECT sum(cost_usd_micro) FROM records WHERE kind = 2")[0][0]
        check(again <= limit, again)
        check("is used up" in gateway.said(), gateway.said()[-1000:])
    finally:
        gateway.stop()


suite = Suite(threads=2)
suite.case("what is on record is what the provider counted", totals_equal_the_ledger)
suite.case("a budget is not overrun", budget_is_not_overrun)
main(suite)
