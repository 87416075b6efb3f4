"""The header in which an SDK counts its own retries is sent on to the provider. The log and the audit show the
client's retries together with the gateway's."""

import json
import os
import subprocess

from gateways import Lasting, chat
from harness import RECOURSE, WAIT_S, Suite, check, main
from peers import OK_CHAT, Client, Upstream, say

HEADER = "x-stainless-retry-count"


def is_seen(count, kept):
    """count: the value of the header; None: the client sends no header. kept: the number in log and audit."""
    upstream = Upstream()
    upstream.on_stray = lambda conn, request: say(conn, OK_CHAT)
    gateway = Lasting({
        "providers": {"up": {"kind": "openai", "base_url": upstream.url("/v1"), "keys": ["env:KEY_1"]}},
        "log": {"format": "json", "file": "log.jsonl"}})
    try:
        gateway.start(is_plain=True)
        with Client(gateway.port) as client:
            answer = client.ask(chat("up/m", *([f"{HEADER}: {count}"] if count is not None else [])))
        check(answer.status == 200, answer)
        check(upstream.strays[0].get(HEADER, None) == count, upstream.strays[0].raw)
        gateway.end()
        with open(os.path.join(gateway.folder, "log.jsonl"), encoding="utf-8") as file:
            line, = [row for row in map(json.loads, file) if row["event"] == "request"]
        check(line.get("client_retry") == kept, line)
        done = subprocess.run([RECOURSE, "audit", "--store", "sqlite:audit.db", "list", "--format", "json"],
                              cwd=gateway.folder, check=False, timeout=WAIT_S, stdout=subprocess.PIPE)
        operation, = json.loads(done.stdout)["operations"]
        check(operation.get("client_retry") == (True if kept else None), operation)
    finally:
        gateway.stop()
        upstream.stop()


suite = Suite(threads=2)
suite.case("the second retry of an SDK", is_seen, "2", 2)
suite.case("its first try", is_seen, "0", None)
suite.case("a client that does not count", is_seen, None, None)
suite.case("a number that is none", is_seen, "many", None)
main(suite)
