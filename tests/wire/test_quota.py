"""Before a provider refuses: what the head of its answers says is left of its limits is told once a window, in the
log, the live stream, the state, the metrics and by recourse call; numbers that cannot be true are told nowhere."""

import http.client
import json
import re
import threading

from gateways import Lasting, Metrics
from harness import WAIT_S, Suite, check, main, wait_until
from mocks import Mock
from peers import CLEAN, Client, Upstream, chat, http as answer_of, post, saying

KEY = "key-1111"
GOOD = b'{"id":"c","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"hi"},' \
       b'"finish_reason":"stop"}]}'
MESSAGES = [{"role": "user", "content": "hi"}]


class Live:
    """Whoever watches."""

    def __init__(self, gateway):
        port = int(re.findall(r"operator's side at \S+:(\d+)", gateway.said())[-1])
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=WAIT_S)
        self.connection.request("GET", "/admin/v1/live", headers={"Host": "localhost"})
        self.answer = self.connection.getresponse()
        check(self.answer.status == 200, self.answer.status)
        self.events = []
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()
        wait_until(lambda: self.all("state"), "the first state")

    def _read(self):
        name = ""
        try:
            for line in self.answer:
                text = line.decode().rstrip("\n")
                if text.startswith("event: "):
                    name = text[7:]
                elif text.startswith("data: "):
                    self.events.append((name, json.loads(text[6:])))
        except OSError:
            pass

    def all(self, name):
        return [data for event, data in list(self.events) if event == name]

    def close(self):
        """The gateway has ended, and with it the stream."""
        self.thread.join(WAIT_S)
        self.connection.close()


def start(gateway, url, log="json"):
    gateway.write({
        "listen": "127.0.0.1:0", "admin": {"listen": "127.0.0.1:0"}, "store": "sqlite:audit.db", "threads": 2,
        "log": {"format": log},
        "providers": {"up": {"kind": "openai", "base_url": f"{url}/v1", "keys": ["env:KEY_1"]},
                      "cl": {"kind": "anthropic", "base_url": url, "keys": ["env:KEY_1"]},
                      "ge": {"kind": "gemini", "base_url": url, "keys": ["env:KEY_1"]},
                      "bare": {"kind": "openai_compatible", "base_url": f"{url}/v1"}},
        "policies": {"once": {"max_attempts": 1}},
        "routes": [{"model": "*", "policy": "once", "chain": [{"target": "up/*"}]}]})
    gateway.start(is_plain=True)


def ask(gateway, path, body, status=200):
    with Client(gateway.port) as client:
        answer = client.ask(post(path, json.dumps(body).encode()))
    check(answer.status == status and answer.end == CLEAN, answer)
    return answer


def ask_chat(gateway, model, status=200, **more):
    return ask(gateway, "/v1/chat/completions", {"model": model, "messages": MESSAGES, **more}, status)


def warnings_of(gateway):
    lines = [json.loads(line) for line in gateway.said().splitlines() if line.startswith("{")]
    return [line for line in lines if line["event"] == "quota:warning"]


def facts_of(gateway, key):
    keys = json.loads(gateway.page("/admin/v1/state"))["keys"]
    return next(one for one in keys if one["id"] == key).get("quotas", [])


def by_every_way():
    """Whole answers, streams and failures, in the headers of each dialect."""
    gateway = Lasting({})
    mock = Mock(gateway.folder)
    try:
        start(gateway, f"http://127.0.0.1:{mock.port}")
        live = Live(gateway)
        ask_chat(gateway, "quota-left-900")
        ask_chat(gateway, "quota-left-20")
        ask_chat(gateway, "quota-left-20")
        ask_chat(gateway, "quota-left-7", stream=True)
        ask_chat(gateway, "503+quota-left-3", 503)
        ask(gateway, "/v1/responses", {"model": "quota-left-6+ok", "input": "hi", "stream": True})
        for is_stream in (False, True):
            ask(gateway, "/v1/messages", {"model": f"cl/quota-left-{9 if is_stream else 8}", "max_tokens": 9,
                                          "stream": is_stream, "messages": MESSAGES})
        ask_chat(gateway, "bare/quota-left-5")
        ask(gateway, "/v1beta/models/ge%2Fquota-left-4:generateContent",
            {"contents": [{"role": "user", "parts": [{"text": "hi"}]}]})
        wanted = {("up/quota-left-20", "up:1", 20), ("up/quota-left-7", "up:1", 7), ("up/503+quota-left-3", "up:1", 3),
                  ("up/quota-left-6+ok", "up:1", 6), ("cl/quota-left-8", "cl:1", 8), ("cl/quota-left-9", "cl:1", 9),
                  ("bare/quota-left-5", "", 5)}
        wait_until(lambda: len(warnings_of(gateway)) >= len(wanted), "the warnings")
        told = warnings_of(gateway)
        check(len(told) == len(wanted), told)
        check({(one["target"], one.get("credential", ""), one["remaining"]) for one in told} == wanted, told)
        for one in told:
            check(one["level"] == "warn" and one["kind"] == "requests" and one["limit"] == 1000, one)
            check(59000 < one["reset_ms"] <= 60000 and one["request_id"].startswith("req_"), one)
        check("up/quota-left-20 with key up:1 is near its limit of requests: 20 of 1000 are left, renewed in 1m"
              in told[0]["message"], told[0])
        wait_until(lambda: len(live.all("quota:warning")) >= len(wanted), "the live ones")
        seen = live.all("quota:warning")
        check({(one["model"], one.get("credential", ""), one["remaining"]) for one in seen} == wanted, seen)
        check([one["seq"] for one in seen] == list(range(1, len(wanted) + 1)), seen)
        # The state that follows has it, too: nobody has to ask.
        wait_until(lambda: any(quota["low"] for key in live.all("state")[-1]["keys"]
                               for quota in key.get("quotas", [])), "a state that says so")
        facts = facts_of(gateway, "up:1")
        check([one["remaining"] for one in facts] == [3, 6, 7, 20, 900], facts)
        check([one["low"] for one in facts] == [True, True, True, True, False], facts)
        check(all(one["kind"] == "requests" and one["limit"] == 1000 and one["renews"] for one in facts), facts)
        check(facts_of(gateway, "ge:1") == [], "Gemini says nothing")
        targets = json.loads(gateway.page("/admin/v1/targets"))["targets"]
        bare = next(one for one in targets if one["target"] == "bare/quota-left-5")
        check([one["remaining"] for one in bare["quotas"]] == [5], bare)
        metrics = Metrics(gateway.page("/metrics"))
        check(metrics.sum("recourse_quota_warnings_total") == len(wanted), metrics.rows)
        check(metrics.sum("recourse_quota_warnings_total", target="up/*", limit="requests") == 4)
        check(metrics.sum("recourse_quota_left_ratio", credential="up:1", limit="requests") == 0.003)
        check(metrics.labels("recourse_quota_left_ratio", "credential") == {"up:1", "cl:1"})
        check(KEY not in gateway.said() + json.dumps(live.events) + gateway.page("/metrics"), "the key is shown")
        gateway.end()
        live.close()
    finally:
        mock.stop()
        gateway.stop()


def nonsense_is_told_nowhere():
    upstream = Upstream()
    gateway = Lasting({})
    try:
        start(gateway, upstream.url(""))
        for remaining, limit in (("-1", "1000"), ("1", "0"), ("1", "-5"), ("1001", "1000"), ("few", "1000"),
                                 ("1", "many"), ("1", "9" * 30), ("", ""), ("1e0", "1000"), ("1", None)):
            extra = f"x-ratelimit-remaining-requests: {remaining}\r\nx-ratelimit-reset-requests: 1s\r\n"
            if limit is not None:
                extra += f"x-ratelimit-limit-requests: {limit}\r\n"
            mark, _ = upstream.plan(saying(answer_of(GOOD, extra=extra.encode())))
            with Client(gateway.port) as client:
                check(client.ask(chat(mark, "plain")).status == 200, remaining, limit)
        check(facts_of(gateway, "up:1") == [], facts_of(gateway, "up:1"))
        # Names in any case, and several limits at once: each is told of, the lowest first.
        extra = b"X-RateLimit-Limit-Requests: 100\r\nX-RATELIMIT-REMAINING-REQUESTS: 9\r\n" \
                b"x-ratelimit-limit-tokens: 100\r\nx-ratelimit-remaining-tokens: 1\r\n"
        for _ in range(4):
            mark, _ = upstream.plan(saying(answer_of(GOOD, extra=extra)))
            with Client(gateway.port) as client:
                check(client.ask(chat(mark, "plain")).status == 200)
        wait_until(lambda: len(warnings_of(gateway)) >= 2, "two warnings")
        told = warnings_of(gateway)
        check([one["kind"].lower() for one in told] == ["tokens", "requests"], told)
        check(all("reset_ms" not in one for one in told), told)
    finally:
        gateway.stop()
        upstream.stop()


def many_hear_it_and_one_tells():
    """Two loops, many connections, one key and model."""
    gateway = Lasting({})
    mock = Mock(gateway.folder)
    try:
        start(gateway, f"http://127.0.0.1:{mock.port}", "human")
        threads = [threading.Thread(target=ask_chat, args=(gateway, "quota-left-2")) for _ in range(24)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(WAIT_S)
        check(Metrics(gateway.page("/metrics")).sum("recourse_quota_warnings_total") == 1)
        line = "up/quota-left-2 with key up:1 is near its limit of requests: 2 of 1000 are left, renewed in 1m"
        check(gateway.said().count(line) == 1, gateway.said()[-2000:])
    finally:
        mock.stop()
        gateway.stop()


def a_call_says_so_at_its_end():
    gateway = Lasting({})
    mock = Mock(gateway.folder)
    try:
        gateway.write({"audit": {"durability": "off"}, "providers": {
            "up": {"kind": "openai", "base_url": f"http://127.0.0.1:{mock.port}/v1", "keys": ["env:KEY_1"]}}})

        def call(*options):
            done = gateway.run("call", "--config", "recourse.yaml", *options, "hi")
            check(done.returncode == 0 and KEY not in done.stderr.decode(), done)
            return done.stderr.decode().splitlines()
        lines = call("--model", "up/quota-left-1")
        said = [line for line in lines if "limit" in line]
        check(said == ["recourse call: up/quota-left-1 is near its limit of requests: 1 of 1000 is left, renewed in 1m."],
              lines)
        check(call("--model", "up/quota-left-1", "--quiet") == [], "quiet is quiet")
        check(not any("limit" in line for line in call("--model", "up/quota-left-500")), "there is enough")
    finally:
        mock.stop()
        gateway.stop()


suite = Suite()
suite.case("in every dialect, by every way", by_every_way)
suite.case("numbers that cannot be true", nonsense_is_told_nowhere)
suite.case("many at once", many_hear_it_and_one_tells)
suite.case("recourse call", a_call_says_so_at_its_end)
main(suite)
