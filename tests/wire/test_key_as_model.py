"""A client sends a key as the name of a model: the provider gets it unchanged, but no response, page of the admin
interface, log line or file contains it."""

import http.client
import json
import os
import threading
import urllib.parse

from gateways import Lasting
from harness import WAIT_S, Suite, check, main, wait_until
from peers import OK_CHAT, Client, Upstream, http as answer_of, saying

KEYS = ["sk-proj-Planted0Key0As0Model0Name0123456789abcdef", "AKIAPLANTED0KEY0MODL",
        "sk-ant-api03-Planted0Key0" + "0123456789abcdef" * 8]
BUSY = answer_of(b'{"error":{"message":"Rate limit reached for requests","code":"rate_limit_exceeded"}}',
                 status="429 Too Many Requests", extra=b"Retry-After: 50\r\n")
LOW = answer_of(json.dumps({"choices": [{"message": {"role": "assistant", "content": "hello"},
                                         "finish_reason": "stop"}]}).encode(),
                extra=b"x-ratelimit-limit-requests: 100\r\nx-ratelimit-remaining-requests: 1\r\n"
                      b"x-ratelimit-reset-requests: 50s\r\n")
PAGES = ("/metrics", "/admin/v1/state", "/admin/v1/targets", "/admin/v1/keys", "/admin/v1/operations?limit=100",
         "/admin/v1/stats?since=1h&by=model,target,code,client", "/admin/v1/budgets", "/readyz?verbose")

upstream = Upstream()


class Watch:
    """Reads the live events of the admin interface."""

    def __init__(self, gateway):
        self.connection = http.client.HTTPConnection("127.0.0.1", gateway.admin_port(), timeout=WAIT_S)
        self.connection.request("GET", "/admin/v1/live", headers={"Host": "localhost"})
        self.answer = self.connection.getresponse()
        self.seen = b""
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()
        wait_until(lambda: b"event: state" in self.seen, "the first state")

    def _read(self):
        try:
            for line in self.answer:
                self.seen += line
        except OSError:
            pass

    def close(self):
        self.thread.join(WAIT_S)
        self.connection.close()


class World:
    def __init__(self):
        self.gateway = Lasting({})
        self.gateway.write({
            "listen": "127.0.0.1:0", "admin": {"listen": "127.0.0.1:0"}, "store": "sqlite:audit.db",
            "log": {"format": "json"},
            "providers": {"up": {"kind": "openai", "base_url": upstream.url("/v1"), "keys": ["env:KEY_1"]}},
            "policies": {"once": {"max_attempts": 1}},
            "routes": [{"model": "*", "policy": "once", "wait": "off", "chain": [{"target": "up/*"}]}]})
        self.gateway.start(is_plain=True)
        self.watch = Watch(self.gateway)
        self.answers = []
        for key in KEYS:
            self._send_all(key)
        self._send_last()
        wait_until(lambda: self.watch.seen.count(b"event: operation") >= len(self.answers) - len(KEYS),
                   "an event for every request")
        self.pages = [(path, self.gateway.page(path)) for path in PAGES]

    def _send(self, path, body, *fields, steps=(), method="POST"):
        mark, plan = upstream.plan(*steps) if steps else ("none", None)
        data = json.dumps(body).encode() if body is not None else b""
        lines = [f"{method} {path} HTTP/1.1", "Host: localhost", f"Content-Length: {len(data)}", f"x-plan: {mark}",
                 *fields]
        with Client(self.gateway.port) as client:
            self.answers.append(client.ask(("\r\n".join(lines) + "\r\n\r\n").encode() + data))
        return plan

    def _send_all(self, key):
        chat = "/v1/chat/completions"
        plan = self._send(chat, {"model": key, "messages": []}, steps=[saying(LOW)])
        check(key.encode() in plan.seen[0].body, "the provider gets the name as it was sent:", plan.seen)
        check(self.answers[-1].status == 200, self.answers[-1])
        plan = self._send(chat, {"model": "up/" + key, "messages": []}, steps=[saying(OK_CHAT)])
        check(key.encode() in plan.seen[0].body
              and b"up/" + key.encode() not in plan.seen[0].body, plan.seen)
        self._send(chat, {"model": key, "messages": []}, "x-recourse-policy: none-such")
        self._send(chat, {"model": "nobody/" + key, "messages": []}, steps=[saying(OK_CHAT)])
        self._send("/v1/messages", {"model": key, "max_tokens": 5, "messages": []})
        self._send(f"/v1beta/models/{urllib.parse.quote(key)}:generateContent", {"contents": []})
        self._send(f"/v1/models/{urllib.parse.quote(key)}", None, method="GET")

    def _send_last(self):
        """Makes the models cool down, which is saved across restarts. All of these names are one target."""
        for key in KEYS:
            self._send("/v1/chat/completions", {"model": key, "messages": []}, steps=[saying(BUSY)])

    def stop(self):
        self.gateway.stop()


world = World()


def found_in(data):
    # The first half of a key counts, too, because some outputs truncate names.
    return [key for key in KEYS if key[:20].encode() in data]


def nothing_in_answers():
    for answer in world.answers:
        check(answer.head is not None and not found_in(answer.head.raw + answer.body), answer)


def nothing_in_pages():
    for path, text in world.pages:
        check(not found_in(text.encode()), path, text)
    check("[redacted]" in world.pages[2][1], "the target is shown by another name:", world.pages[2])


def nothing_in_live_events():
    check(b"event: quota:warning" in world.watch.seen, "there was no warning")
    check(not found_in(world.watch.seen), world.watch.seen)


def nothing_in_files():
    world.gateway.end()
    check(not found_in(world.gateway.said().encode()), "the log")
    for name in sorted(os.listdir(world.gateway.folder)):
        path = os.path.join(world.gateway.folder, name)
        if os.path.isfile(path):
            with open(path, "rb") as file:
                check(not found_in(file.read()), name)
    world.watch.close()


suite = Suite(threads=1)
suite.case("no answer has it", nothing_in_answers)
suite.case("no page of the admin interface has it", nothing_in_pages)
suite.case("no live event has it", nothing_in_live_events)
suite.case("no file has it", nothing_in_files)
main(suite, world, upstream)
