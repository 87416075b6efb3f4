"""Budgets: none is overrun however many ask at once, and who is refused is told the numbers."""

import os
import threading

from gateways import Lasting, chat
from harness import IS_FEW, WAIT_S, Suite, check, main
from peers import CLEAN, Client

PRICES = "as_of: 2026-11-01\nprices:\n  - {kind: demo, model: '*', input: 100, output: 200}\n"


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


suite = Suite()
suite.case("a budget is not overrun", budget_is_not_overrun)
main(suite)
