"""The log and the audit agree on whether content was sent to the client, however the request ended."""

import json
import threading

from gateways import Lasting
from harness import Suite, check, main, wait_until
from peers import CLEAN, OK_CHAT, Client, Upstream, chat, hanging, http, post, saying
from streams import CHAT, framed

HEAD, EVENTS = framed(CHAT, "chunked")
OPENED, BEGUN = (HEAD + b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in CHAT.pieces()[:count])
                 for count in (1, 2))
CONTENT = CHAT.pieces()[1]
BUSY = http(b'{"error":{"message":"busy"}}', "503 Service Unavailable")

# name: the provider's response, is_stream, the bytes after which the client disconnects (None: it does not), outcome,
# committed
CASES = {
    "whole": (OK_CHAT, False, None, "succeeded", False),
    "stream": (HEAD + EVENTS, True, None, "succeeded", True),
    "refused": (BUSY, True, None, "failed", False),
    "stopped": (BEGUN, True, None, "failed", True),
    "left": (BEGUN, True, CONTENT, "cancelled", True),
    "left-early": (OPENED, True, b"", "cancelled", False),
    "left-whole": (b"", False, b"", "cancelled", False),
}


def ask(name):
    data, is_stream, leaves, _, _ = CASES[name]
    is_open = data in (BEGUN, OPENED, b"")
    mark, plan = upstream.plan(hanging(data, threading.Event()) if is_open else saying(data))
    with Client(gateway.port) as client:
        client.send(chat(mark, name, is_stream))
        if leaves is None:
            check(client.read().end == CLEAN, name)
        elif leaves:
            client.source.until(leaves)
        else:
            wait_until(lambda: plan.seen, "the provider has it")


def logged(name):
    """Waits for the log line about the request for this model and returns it."""
    found = []

    def is_there():
        lines = [json.loads(line) for line in gateway.said().splitlines() if line.startswith("{")]
        found[:] = [line for line in lines if line["event"] == "request" and line.get("model") == name]
        return found
    wait_until(is_there, "a line of the log")
    check(len(found) == 1, found)
    return found[0]


def exported(request_id):
    """Waits for the operation in audit export and returns it. If the client disconnects, the record is written after
    the log line."""
    found = []

    def is_there():
        done = gateway.run("audit", "export", "--store", "sqlite:audit.db", "--format", "jsonl")
        rows = [json.loads(row) for row in done.stdout.decode().splitlines()]
        found[:] = [row for row in rows if row["id"][3:] == request_id[3:] and row.get("outcome")]
        return found
    wait_until(is_there, "a row of the audit")
    return found[0]


def agree(name):
    _, _, _, outcome, is_committed = CASES[name]
    ask(name)
    line = logged(name)
    row = exported(line["request_id"])
    check(row["outcome"] == outcome, row)
    check(line["committed"] is is_committed, line)
    check(row["committed"] == is_committed, row)


def behind_p():
    """In a relayed response, the first byte already counts as content."""
    mark, _ = upstream.plan(saying(OK_CHAT))
    with Client(gateway.port) as client:
        check(client.ask(post("/p/a/things", b'{"model":"behind"}', mark)).status == 200)
    line = logged("behind")
    check(line["committed"] is True and exported(line["request_id"])["committed"], line)


upstream = Upstream()
gateway = Lasting({
    "providers": {"a": {"kind": "openai", "base_url": upstream.url("/a/v1"), "keys": ["env:KEY_1"]}},
    "policies": {"once": {"max_attempts": 1}}, "breaker": {"min_calls": 0}, "cooldown_ms": 0,
    "routes": [{"model": name, "policy": "once", "chain": [{"target": "a/m"}],
                "timeouts": {"idle_ms": 300 if name == "stopped" else 3600000}} for name in CASES],
}).start(is_plain=True)
suite = Suite()
for case in CASES:
    suite.case(f"the log agrees with the audit: {case}", agree, case)
suite.case("the log agrees with the audit: behind /p/", behind_p)
main(suite, gateway, upstream)
