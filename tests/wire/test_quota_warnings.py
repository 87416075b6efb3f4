"""Warnings before a provider's rate limit is used up. A low remaining amount in response headers is reported once per
window: in the log, the live stream, the state, the metrics, the audit and by recourse call. Implausible numbers are
not reported."""

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
    """A client of the live stream."""

    def __init__(self, gateway):
        self.connection = http.client.HTTPConnection("127.0.0.1", gateway.admin_port(), timeout=WAIT_S)
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
        """Waits for the end of the stream, after the gateway has ended."""
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
    """Warnings from responses of all kinds (complete, streamed, failed) and from the headers of each dialect."""
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
            # The provider names the time of the reset, a minute ahead, in whole milliseconds or seconds; the
            # gateway subtracts its own time, which on a busy machine is later.
            check(0 < one["reset_ms"] <= 61000 and one["request_id"].startswith("req_"), one)
        check(re.search("up/quota-left-20 with key up:1 is near its limit of requests: 20 of 1000 are left, "
                        r"renews in (1m|\d+s)", told[0]["message"]), told[0])
        wait_until(lambda: len(live.all("quota:warning")) >= len(wanted), "the live ones")
        seen = live.all("quota:warning")
        check({(one["model"], one.get("credential", ""), one["remaining"]) for one in seen} == wanted, seen)
        check([one["seq"] for one in seen] == list(range(1, len(wanted) + 1)), seen)
        # The state event that follows contains the quota, too.
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
        # Header names in any case, and several limits in one response: each is reported, the lowest first.
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
    """Many connections on two loops use one key and model: the warning is reported once."""
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
        line = "up/quota-left-2 with key up:1 is near its limit of requests: 2 of 1000 are left, renews in 1m"
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
        check(said == ["recourse call: up/quota-left-1 is near its limit of requests: 1 of 1000 is left, renews in 1m."],
              lines)
        check(call("--model", "up/quota-left-1", "--quiet") == [], "quiet is quiet")
        check(not any("limit" in line for line in call("--model", "up/quota-left-500")), "there is enough")
    finally:
        mock.stop()
        gateway.stop()


def called_via(gateway, *options):
    done = gateway.run("call", "--via", f"http://127.0.0.1:{gateway.port}", *options, "hi")
    check(done.returncode == 0 and KEY not in done.stderr.decode(), done)
    return [line for line in done.stderr.decode().splitlines() if "limit" in line]


def events_of(answer):
    """Returns (type, seq) of the gateway's events in a stream, and the events that are warnings."""
    lines = [json.loads(line[11:]) for line in answer.body.decode().splitlines() if line.startswith(": recourse ")]
    return [(one["type"], one["seq"]) for one in lines], [one for one in lines if one["type"] == "quota:warning"]


def a_gateway_tells_a_call():
    """recourse call shows the warnings of a remote gateway as it does those of its own gateway."""
    gateway = Lasting({})
    mock = Mock(gateway.folder)
    try:
        start(gateway, f"http://127.0.0.1:{mock.port}")
        for dialect, model in (("openai", "up/quota-left-1"), ("anthropic", "cl/quota-left-1")):
            said = called_via(gateway, "--model", model)
            check(said == [f"recourse call: {model} is near its limit of requests: 1 of 1000 is left, renews in 1m."],
                  dialect, said)
            # One warning per window.
            check(called_via(gateway, "--model", model) == [], dialect)
        check(called_via(gateway, "--quiet", "--model", "up/quota-left-2") == [], "quiet is quiet")
        check(called_via(gateway, "--model", "up/quota-left-500") == [], "there is enough")
        with Client(gateway.port) as client:
            body = json.dumps({"model": "up/quota-left-3", "messages": MESSAGES, "stream": True}).encode()
            answer = client.ask(post("/v1/chat/completions", body, extra=b"x-recourse-events: 1\r\n"))
        order, told = events_of(answer)
        check(order == [("quota:warning", 1), ("cost:updated", 2)], answer.body)
        check(told[0]["model"] == "up/quota-left-3" and told[0]["credential"] == "up:1" and told[0]["limit"] == 1000 and
              told[0]["remaining"] == 3 and told[0]["correlation_id"].startswith("req_"), told)
        # A client that did not request events gets the provider's bytes unchanged.
        plain = ask_chat(gateway, "quota-left-4", stream=True)
        check(b"recourse" not in plain.body, plain.body)
    finally:
        mock.stop()
        gateway.stop()


def of_a_try_that_failed():
    """A warning in a failed response is reported, although another attempt responds; its event precedes the end of the
    stream."""
    upstream = Upstream()
    gateway = Lasting({})
    low = b"x-ratelimit-limit-requests: 100\r\nx-ratelimit-remaining-requests: 0\r\n"
    try:
        gateway.write({
            "listen": "127.0.0.1:0", "admin": {"listen": "127.0.0.1:0"}, "store": "sqlite:audit.db",
            "providers": {"up": {"kind": "openai", "base_url": upstream.url("/v1"), "keys": ["env:KEY_1"]}},
            "policies": {"again": {"max_attempts": 3, "base_ms": 1}},
            "routes": [{"model": "*", "policy": "again", "chain": [{"target": "up/*"}]}]})
        gateway.start(is_plain=True)
        stream = b'data: {"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"hi"},' \
                 b'"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
        mark, _ = upstream.plan(saying(answer_of(b"{}", status="503 Gone", extra=low)),
                                saying(answer_of(stream, content_type="text/event-stream")))
        with Client(gateway.port) as client:
            body = json.dumps({"model": "m", "messages": MESSAGES, "stream": True}).encode()
            answer = client.ask(post("/v1/chat/completions", body, mark, b"x-recourse-events: 1\r\n"))
        order, told = events_of(answer)
        check([name for name, _ in order] == ["auto_retry_start", "auto_retry_end", "quota:warning", "cost:updated"],
              answer.body)
        check([seq for _, seq in order] == [1, 2, 3, 4] and told[0]["remaining"] == 0, answer.body)
        record = shown(gateway, told[0]["correlation_id"])
        check([one["kind"] for one in record["records"]] ==
              ["attempt", "quota", "wait", "attempt"], record)
    finally:
        gateway.stop()
        upstream.stop()


def shown(gateway, request, *options):
    done = gateway.run("audit", "show", request, "--store", "audit.db", *(options or ("--format", "json")))
    check(done.returncode == 0, done)
    return done.stdout.decode() if options else json.loads(done.stdout)


def it_is_on_record():
    gateway = Lasting({})
    mock = Mock(gateway.folder)
    try:
        start(gateway, f"http://127.0.0.1:{mock.port}")
        request = ask_chat(gateway, "quota-left-20").get("x-recourse-request-id")
        again = ask_chat(gateway, "quota-left-20").get("x-recourse-request-id")
        bare = ask_chat(gateway, "bare/quota-left-0").get("x-recourse-request-id")
        records = shown(gateway, request)["records"]
        check([one["kind"] for one in records] == ["attempt", "quota"], records)
        words = "is near its limit of requests: 20 of 1000 are left, renews in 1m"
        check(records[1]["text"] == words and records[1]["target"] == "up/quota-left-20" and
              records[1]["credential"] == "up:1" and records[1]["attempt"] == 1, records[1])
        check([one["kind"] for one in shown(gateway, again)["records"]] == ["attempt"], "once")
        page = shown(gateway, request, "--format", "human", "--width", "120")
        check(f"! up/quota-left-20 (up:1) {words}\n" in page, page)
        page = shown(gateway, request, "--format", "markdown")
        check(f"up/quota-left-20 (up:1) {words}" in page, page)
        page = shown(gateway, bare, "--format", "human", "--width", "120")
        check("! bare/quota-left-0 has used up its limit of requests: 0 of 1000 are left" in page, page)
        stats = gateway.run("audit", "stats", "--store", "audit.db", "--format", "json")
        check(json.loads(stats.stdout)["operations"]["count"] == 3, stats)
        check(gateway.run("audit", "check", "--store", "audit.db").returncode == 0, "the file is sound")
    finally:
        mock.stop()
        gateway.stop()


suite = Suite()
suite.case("in every dialect, by every way", by_every_way)
suite.case("numbers that cannot be true", nonsense_is_told_nowhere)
suite.case("many at once", many_hear_it_and_one_tells)
suite.case("recourse call", a_call_says_so_at_its_end)
suite.case("recourse call --via", a_gateway_tells_a_call)
suite.case("the warning of a try that failed", of_a_try_that_failed)
suite.case("the audit", it_is_on_record)
main(suite)
