"""The wall clock changes while the gateway is down: a wait that the provider stated in seconds never becomes
longer."""

import json
import sqlite3

from gateways import Lasting, chat
from harness import Suite, check, main
from peers import OK_CHAT, Client, Upstream, http, say

DAY_MS = 86400000
KEY_BITS = 15  # Bits of an operation's key below its time.
TOLD_S = 578
DAILY = http(b'{"error":{"message":"Rate limit reached for model daily on tokens per day (TPD): Limit '
             b'100000, Used 99990. Please try again in 9m38s.","code":"rate_limit_exceeded"}}',
             status="429 Too Many")
SPENT = http(b'{"error":{"message":"You exceeded your current quota, please check your plan and billing '
             b'details. Please try again in 9m38s.","type":"insufficient_quota","code":'
             b'"insufficient_quota"}}', status="429 Too Many")


def ask(gateway, model):
    with Client(gateway.port) as client:
        return client.ask(chat(model))


def set_clock(gateway, by_ms):
    """Moves all times in the store by by_ms, which has the same effect as setting the clock by -by_ms."""
    with sqlite3.connect(gateway.database, timeout=30) as database:
        database.execute("UPDATE operations SET op = op + ?", (by_ms << KEY_BITS,))
        database.execute("UPDATE marks SET until_unix_ms = until_unix_ms + ? WHERE until_unix_ms <> 0",
                         (by_ms,))
    database.close()


def clock_moves(by_ms, answer, is_open):
    upstream = Upstream()
    upstream.on_stray = lambda conn, request: say(
        conn, answer if json.loads(request.body)["model"] == "daily" else OK_CHAT)
    gateway = Lasting({
        "providers": {"up": {"kind": "openai", "base_url": upstream.url("/v1"), "keys": ["env:KEY_1"]}},
        "policies": {"once": {"max_attempts": 1}},
        "routes": [{"model": "*", "policy": "once", "chain": [{"target": "up/*"}]}]})
    try:
        gateway.start()
        first = ask(gateway, "daily")
        check(first.status == 429 and first.get("x-recourse-error-code") == "QuotaExhausted", first)
        gateway.end()
        marks = gateway.rows("SELECT until_unix_ms FROM marks")
        check(len(marks) == 1 and marks[0][0] > 0, marks)
        set_clock(gateway, by_ms)
        gateway.start()
        again = ask(gateway, "daily")
        asked = len(upstream.strays)
        if is_open:
            check(again.status == 429 and asked == 2, again, asked)
        else:
            wait_s = int(again.get("retry-after"))
            check(again.status == 429 and asked == 1 and 0 < wait_s, again, asked)
            # The time of an operation is the time of its begin, which may be slightly before the
            # provider's response.
            check(wait_s <= TOLD_S + 60, "told", TOLD_S, "s, and now waits for", wait_s, "s")
        gateway.end()
    finally:
        gateway.stop()
        upstream.stop()


suite = Suite(threads=2)
for name, said in (("of one model", DAILY), ("of the key", SPENT)):
    suite.case(f"a limit {name}: the clock is as it was", clock_moves, 0, said, False)
    suite.case(f"a limit {name}: the clock is set back by a day", clock_moves, DAY_MS, said, False)
    suite.case(f"a limit {name}: the clock is set back by a year", clock_moves, 365 * DAY_MS, said, False)
    suite.case(f"a limit {name}: the clock is set on by a day", clock_moves, -DAY_MS, said, True)
main(suite)
