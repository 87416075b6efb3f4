"""Keys, tokens and prompts are planted everywhere; afterwards no log, audit row, metric, error, page of the admin
interface, process title or file of the gateway contains them."""

import json
import os
import signal

from gateways import Lasting
from harness import Suite, check, main, wait_until
from peers import CLEAN, Client, Upstream, say

KEY = "sk-proj-Canary0Key0For0The0Provider0Alone0123456789abcdef"
FILE_KEY = "sk-ant-api03-Canary0File0Key0987654321zyxwvutsrq"
TOKEN = "rct-Canary0Token0Of0A0Client0abcdef0123456789"
ADMIN = "adm-Canary0Token0Of0The0Operator0fedcba9876543210"
PROMPT = "CanaryPromptThatNobodyMayKeep"
ANSWER = "CanaryAnswerThatNobodyMayKeep"
SECRETS = [text.encode() for text in (KEY, FILE_KEY, TOKEN, ADMIN, PROMPT, ANSWER)]

upstream = Upstream()


def respond(status, body, *fields):
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    head = [f"HTTP/1.1 {status} X", "Content-Type: application/json", f"Content-Length: {len(data)}", *fields]
    return ("\r\n".join(head) + "\r\n\r\n").encode() + data


def echo(key):
    """Yields responses in which a provider repeats a key or a prompt."""
    yield respond(400, {"error": {"message": f"bad request with header Authorization: Bearer {key}",
                                  "type": "invalid_request_error"}})
    yield respond(429, {"error": {"message": "slow down", "type": "rate_limit_error"}},
                  "Retry-After: 0", f"X-Debug: {key}", f"Set-Cookie: session={key}")
    yield respond(500, f"<html>boom at https://user:{key}@host/v1?api_key={key}</html>".encode())
    yield respond(503, json.dumps({"error": {"message": "x-api-key: " + key}}).encode())
    yield respond(200, f"data: {key}".encode())
    yield respond(302, b"", f"Location: https://evil.example/?key={key}")
    yield respond(422, {"detail": [{"type": "missing", "loc": ["body", "max_tokens"], "msg": "Field required",
                                    "input": {"messages": [{"role": "user", "content": PROMPT}]}}]})
    yield respond(400, {"error": {"message": f"The prompt '{PROMPT}' is not allowed", "type": "invalid_request"}})
    yield respond(400, f"cannot read: {PROMPT}".encode())
    # This response is the last one, because a rejected key is not used again.
    yield respond(401, {"error": {"message": f"Incorrect API key provided: {key}. You can find your key "
                                             "at the dashboard.", "code": "invalid_api_key"}})


def ask(port, path, body, *headers):
    data = json.dumps(body).encode()
    lines = [f"POST {path} HTTP/1.1", "Host: x", f"Content-Length: {len(data)}", *headers]
    with Client(port) as client:
        return client.ask(("\r\n".join(lines) + "\r\n\r\n").encode() + data)


def admin(port, path, token):
    with Client(port) as client:
        return client.ask(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n\r\n"
                          .encode())


def found_in(data):
    return [secret.decode() for secret in SECRETS if secret in data]


def every_file(folder, *but):
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        if os.path.isfile(path) and name not in but:
            with open(path, "rb") as file:
                yield name, file.read()


class World:
    """A gateway with a secret of each kind. The provider of this gateway has sent each response
    with a secret once."""

    def __init__(self):
        self.gateway = Lasting({}, {"CANARY_KEY": KEY, "CANARY_TOKEN": TOKEN, "CANARY_ADMIN": ADMIN})
        folder = self.gateway.folder
        path = os.path.join(folder, "key")
        with open(path, "w", encoding="ascii") as file:
            file.write(FILE_KEY + "\n")
        os.chmod(path, 0o600)
        self.gateway.write({
            "listen": "127.0.0.1:0", "store": "sqlite:audit.db", "log": {"format": "json", "file": "log"},
            "admin": {"listen": "127.0.0.1:0", "token": "env:CANARY_ADMIN"},
            "clients": [{"name": "app", "token": "env:CANARY_TOKEN"}],
            "providers": {
                "up": {"kind": "openai", "base_url": upstream.url("/v1"), "keys": ["env:CANARY_KEY"]},
                "claude": {"kind": "anthropic", "base_url": upstream.url(""), "keys": [f"file:{path}"]}},
            "policies": {"quick": {"max_attempts": 2, "backoff": "fixed", "base_ms": 1, "jitter": "none"}},
            "breaker": {"min_calls": 0}, "retry_budget": {"burst": 0}, "cooldown_ms": 0,
            "routes": [{"model": "c*", "policy": "quick", "chain": [{"target": "claude/*"}]},
                       {"model": "*", "policy": "quick", "chain": [{"target": "up/*"}]}]})
        self.gateway.start(is_plain=True)
        self.answers = []
        self.sent = []
        self._ask_all()
        self.admin_port = self._admin_port()
        self.pages = [admin(self.admin_port, path, ADMIN) for path in
                      ("/metrics", "/admin/v1/state", "/admin/v1/keys", "/admin/v1/targets", "/healthz")]
        self.pages.append(admin(self.admin_port, "/admin/v1/state", TOKEN))

    def _admin_port(self):
        def line():
            with open(os.path.join(self.gateway.folder, "log"), encoding="utf-8") as file:
                return [row for row in file if "admin interface at" in row]
        wait_until(line, "the admin interface")
        return int(json.loads(line()[0])["message"].rsplit(":", 1)[1])

    def _ask_all(self):
        good = respond(200, {"choices": [{"message": {"role": "assistant", "content": ANSWER},
                                          "finish_reason": "stop"}]})
        mark, _ = upstream.plan(lambda conn, request: say(conn, good))
        self.good = ask(self.gateway.port, "/v1/chat/completions?key=" + TOKEN,
                        {"model": "ok", "messages": [{"role": "user", "content": PROMPT}]}, f"x-plan: {mark}")
        for wire, key in (("chat", KEY), ("messages", FILE_KEY)):
            path = "/v1/chat/completions" if wire == "chat" else "/v1/messages"
            model = "gpt" if wire == "chat" else "claude"
            for number, data in enumerate(echo(key)):
                mark, _ = upstream.plan(lambda conn, request, data=data: say(conn, data))
                self.sent.append(data)
                for stream in (False, True):
                    self.answers.append(ask(
                        self.gateway.port, path,
                        {"model": f"{model}-{number}", "max_tokens": 5, "stream": stream,
                         "messages": [{"role": "user", "content": PROMPT}]},
                        f"x-plan: {mark}", f"Authorization: Bearer {TOKEN}"))
        self.answers.append(ask(self.gateway.port, "/v1/chat/completions", {"model": "ok"},
                                "Authorization: Bearer " + ADMIN + "wrong"))

    def stop(self):
        self.gateway.stop()


world = World()


def nothing_in_answers():
    for answer in world.answers:
        check(answer.end == CLEAN, answer)
        raw = answer.head.raw + answer.body
        check(not found_in(raw), found_in(raw), answer)
    check(ANSWER.encode() in world.good.body, "what was asked for is passed on:", world.good)


def nothing_in_pages():
    for page in world.pages:
        check(page.head is not None and not found_in(page.head.raw + page.body), page)
    check(world.pages[0].status == 200 and b"recourse_requests_total" in world.pages[0].body, world.pages[0])
    for name in (b"gpt-0", b"claude-0"):
        check(name not in world.pages[0].body, "a name that a client invented is a label:", name)
    check(world.pages[-1].status == 401, "a client's token opens the admin interface:", world.pages[-1])


def nothing_in_the_process():
    pid = world.gateway.pid()
    for name in ("cmdline", "comm"):
        with open(f"/proc/{pid}/{name}", "rb") as file:
            check(not found_in(file.read()), name)
    with open(f"/proc/{pid}/task/{pid}/comm", "rb") as file:
        check(not found_in(file.read()), "comm")


def nothing_in_files():
    """The audit with its write-ahead log, the log and standard error, after a shutdown and after a crash, contain no
    secret."""
    folder = world.gateway.folder
    world.gateway.signal(signal.SIGABRT)
    world.gateway.process.wait()
    seen = dict(every_file(folder, "key", "recourse.yaml"))
    check("audit.db" in seen and "log" in seen, list(seen))
    for name, data in seen.items():
        check(not found_in(data), name, found_in(data))
    check(not [name for name in seen if name.startswith("core")], "a core was left:", list(seen))
    check(len(seen["log"].splitlines()) > 20 and b"AuthFailed" in seen["log"], "the log is empty")
    check(world.gateway.rows("SELECT count(*) FROM reports")[0][0] > 10, "there are no reports")


def a_key_without_a_form():
    """A key without a known form is hidden, too, because the gateway knows its value."""
    key = "our team key"[4:].replace(" ", "-")
    other = Upstream()
    gateway = Lasting({"providers": {name: {"kind": "openai", "base_url": other.url("/v1"), "keys": ["env:PLAIN"]}
                                     for name in ("p1", "p2", "p3", "p4", "p5", "p6")}}, {"PLAIN": key}).start()
    said = f"Key {key} is not allowed here (key={key})"
    stream = ('data: {"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"x"}}]}\n\n'
              + 'data: {"error":{"message":"' + said + '","type":"rate_limit_error"}}\n\n').encode()
    answers = [respond(403, {"error": {"message": said}}),
               respond(402, {"error": {"message": said}}),
               respond(400, {"error": {"message": said, "type": "invalid_request_error", "code": key, "param": key}}),
               respond(429, {"error": {"message": "slow down"}}, "Retry-After: 700", f"x-request-id: {key}",
                       "x-ratelimit-remaining-requests: 7", f"x-ratelimit-limit-requests: {key}"),
               respond(401, said.encode()),
               respond(200, stream).replace(b"application/json", b"text/event-stream")]
    try:
        for number, answer in enumerate(answers, 1):
            other.on_stray = lambda conn, request, answer=answer: say(conn, answer)
            got = ask(gateway.port, "/v1/chat/completions", {
                "model": f"p{number}/m", "stream": number == 6, "messages": [{"role": "user", "content": "Hi"}]})
            check(got.end == CLEAN and got.head and key.encode() not in got.head.raw + got.body, got.head.raw, got)
        check(gateway.rows("SELECT count(*) FROM reports")[0][0] >= 5, "there are no reports")
        gateway.end()
        for name, data in every_file(gateway.folder):
            check(key.encode() not in data, name)
    finally:
        gateway.stop()
        other.stop()


suite = Suite(threads=1)


def an_error_that_repeats_the_key():
    """The key in an error is hidden; the rest of the error is classified as usual."""
    key = "team-key-of-no-known-form"
    other = Upstream()
    gateway = Lasting({"providers": {"p": {"kind": "openai", "base_url": other.url("/v1"), "keys": ["env:PLAIN"]}}},
                      {"PLAIN": key}).start()
    error = respond(429, {"error": {"message": f"The account of {key} has no credit left.", "type": "insufficient_quota",
                                    "code": "insufficient_quota"}})
    other.on_stray = lambda conn, request: say(conn, error)
    try:
        got = ask(gateway.port, "/v1/chat/completions", {"model": "p/m", "messages": []})
        check(got.get("x-recourse-error-code") == "QuotaExhausted", got.head.raw, got)
        check(key.encode() not in got.head.raw + got.body, got)
    finally:
        gateway.stop()
        other.stop()


suite.case("a key that looks like none is hidden", a_key_without_a_form)
suite.case("an error that repeats the key keeps its meaning", an_error_that_repeats_the_key)
suite.case("no answer has one", nothing_in_answers)
suite.case("no page of the admin interface has one", nothing_in_pages)
suite.case("the process's title has none", nothing_in_the_process)
suite.case("no file has one, whatever ended the process", nothing_in_files)
main(suite, world, upstream)
