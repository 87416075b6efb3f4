"""Hostile strings from a provider and from a client: terminal escapes, marks of text direction, scripts, formulas, lines
that imitate others, and a megabyte of text. All outputs for people and programs treat them as text."""

import csv
import io
import json
import os
import pty
import re
import select
import subprocess

from gateways import Lasting, Metrics
from harness import IS_FEW, RECOURSE, WAIT_S, Suite, check, main, wait_until
from peers import CLEAN, Client, Upstream, chunks, http, post, say

CONTROLS = "\x1b]0;title\x07\x1b[2J\x1b[31mred\x1b[0m\x9b31m\x9d0;t\x9c\x00\x08\x7f"
TURNED = "\u202eevil\u202c \u2066a\u2069 \u200e\u200f\u061c\u200b\u200d\u2060\ufeff\u2028\u2029\U000e0041"
SCRIPT = "<script>alert(1)</script><img src=x onerror=alert(1)>[x](javascript:alert(1))\"'`|"
LINES = "first\nFORGED line\r\nFORGED other\rFORGED third\n{\"level\":\"FORGED\"}"
FORMULAS = ("=HYPERLINK(\"http://x\",\"y\")", "+1+cmd|' /C calc'!A0", "-2+3+cmd|' /C calc'!A0", "@SUM(1+1)",
            "\t=1+1", "\r=1+1", "\uff1d1+1")
LONG = "A\x1b[31m" * (1 << 18)  # 1.5 MB
STRINGS = [FORMULAS[0], LONG, CONTROLS + TURNED + SCRIPT + LINES]
if not IS_FEW:
    STRINGS += [CONTROLS, TURNED, SCRIPT, LINES, *FORMULAS[1:], "\ud800 \udfff lone"]

# Characters that a terminal interprets or a person cannot see. Only a newline may end a line.
HARMFUL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f"
                     "\ufeff\U000e0000-\U000e007f]")
LINE_MAX = 64 << 10

upstream = Upstream()


def error_body(text):
    """Returns an error's body in ASCII, so that invalid characters are possible as escapes."""
    return json.dumps({"error": {"message": text, "type": text[:300], "code": text[:300], "param": text[:300]}}
                      ).encode()


def header_text(text):
    """Returns the part of the text that is allowed in a header."""
    return re.sub(rb"[^\x20-\x7e\x80-\xff]", b"", text[:200].encode("utf-8", "replace")).strip() or b"x"


def steps(text):
    """Returns responses in which a provider can send the text."""
    body = error_body(text)
    extra = b"x-request-id: %b\r\nserver: %b\r\n" % (header_text(text), header_text(text))
    content = json.dumps({"choices": [{"index": 0, "delta": {"content": "Hi"}}]}).encode()
    stream = chunks([b"data: " + content + b"\n\n", b"data: " + body + b"\n\n"])
    raw = text.encode("utf-8", "replace")
    return [("400", False, http(body, "400 Bad Request", extra=extra)),
            ("503", False, http(body, "503 " + SCRIPT.replace("\r", ""), extra=extra)),
            ("200", False, http(body, extra=extra)),
            ("page", False, http(b"<html><title>" + raw + b"</title>" + raw, "502 Bad", "text/html", extra)),
            ("bytes", False, http(b"\xff\xfe\x80" + raw, "500 Bad", "text/plain", extra)),
            ("stream", True, b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                             b"Transfer-Encoding: chunked\r\n" + extra + b"\r\n" + stream)]


class World:
    """A gateway that received all hostile strings, and its outputs."""

    def __init__(self):
        self.gateway = Lasting({})
        self.gateway.write({
            "listen": "127.0.0.1:0", "store": "sqlite:audit.db", "admin": {"listen": "127.0.0.1:0"},
            "log": {"format": "json", "file": "log"},
            "providers": {"up": {"kind": "openai", "base_url": upstream.url("/v1"), "keys": ["env:KEY_1"]}},
            "policies": {"quick": {"max_attempts": 2, "backoff": "fixed", "base_ms": 1, "jitter": "none"}},
            "breaker": {"min_calls": 0}, "retry_budget": {"burst": 0}, "cooldown_ms": 0,
            "routes": [{"model": "*", "policy": "quick", "wait": "off", "chain": [{"target": "up/*"}]}]})
        self.gateway.start(is_plain=True)
        self.answers = []
        self.asked = 0
        for text in STRINGS:
            for _, is_stream, data in steps(text):
                mark, _ = upstream.plan(lambda conn, request, data=data: say(conn, data))
                self.ask(mark, "m", is_stream)
            # The client also sends hostile text: as the model and in the path.
            mark, _ = upstream.plan(lambda conn, request: say(conn, http(error_body("no"), "400 Bad")))
            self.ask(mark, text[:200], False)
            self.ask(mark, "m", False, "/v1/" + header_text(text).replace(b" ", b"").decode("latin-1"))

        def is_kept():
            return self.gateway.rows("SELECT count(*) FROM operations")[0][0] == self.asked
        wait_until(is_kept, "the records")
        self.metrics = self.page("/metrics")
        self.state = self.page("/admin/v1/state")
        self.human = self.run_human()
        self.gateway.end()

    def ask(self, mark, model, is_stream, path="/v1/chat/completions"):
        body = json.dumps({"model": model, "stream": is_stream,
                           "messages": [{"role": "user", "content": "Hi"}]}).encode()
        with Client(self.gateway.port) as client:
            answer = client.ask(post(path, body, mark))
        # Requests for unknown paths are not recorded.
        if answer.get("x-recourse-request-id") and answer.get("x-recourse-error-code") != "EndpointNotFound":
            self.asked += 1
        self.answers.append(answer)

    def page(self, path):
        with open(os.path.join(self.gateway.folder, "log"), encoding="utf-8") as file:
            port = re.search(r"admin interface at \S+?:(\d+)", file.read())[1]
        with Client(int(port)) as client:
            return client.ask(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()).body

    def run_human(self):
        """Runs a second gateway, which writes the log for people about the same responses."""
        other = Lasting({})
        try:
            other.write({
                "listen": "127.0.0.1:0", "admin": {"listen": "off"}, "store": "sqlite:audit.db",
                "providers": {"up": {"kind": "openai", "base_url": upstream.url("/v1")}},
                "policies": {"once": {"max_attempts": 1}},
                "routes": [{"model": "*", "policy": "once", "wait": "off", "chain": [{"target": "up/*"}]}]})
            other.start()
            for text in STRINGS:
                for _, is_stream, data in steps(text):
                    mark, _ = upstream.plan(lambda conn, request, data=data: say(conn, data))
                    body = json.dumps({"model": text[:200], "stream": is_stream, "messages": []}).encode()
                    with Client(other.port) as client:
                        client.ask(post("/v1/chat/completions", body, mark))
            other.end()
            with open(other.talk, "rb") as file:
                return file.read()
        finally:
            other.stop()

    def audit(self, *words):
        return subprocess.run([RECOURSE, "audit", "--store", "sqlite:audit.db", *words], check=True,
                              cwd=self.gateway.folder, stdout=subprocess.PIPE, timeout=WAIT_S).stdout

    def operations(self):
        return [row for row, in self.gateway.rows("SELECT id FROM operations")]

    def stop(self):
        self.gateway.stop()


world = World()


def check_text(data, where):
    """Checks an output for terminals: no character that a terminal interprets, no forged line, no endless line."""
    text = data.decode("utf-8")  # Raises if the output is not UTF-8.
    found = HARMFUL.search(text)
    check(not found, where, "has", found and ascii(text[max(0, found.start() - 80):found.end() + 20]))
    for line in text.split("\n"):
        check(not line.startswith("FORGED"), where, "has a line of another's:", line)
        check(len(line) <= LINE_MAX, where, "has a line of", len(line))


def check_json(data, where, is_lines=False):
    """Checks a JSON output: it can be parsed, and no character is harmful if it is displayed unparsed."""
    text = data.decode("utf-8")
    found = HARMFUL.search(text)
    check(not found, where, "has", found and ascii(text[max(0, found.start() - 80):found.end() + 20]))
    return [json.loads(line) for line in text.splitlines() if line] if is_lines else [json.loads(text)]


def on_terminal():
    for words in (("list", "--limit", "500"), ("tail", "--limit", "500"), ("stats", "--by", "target,code,model,client"),
                  ("list", "--limit", "500", "--format", "markdown")):
        check_text(world.audit(*words, "--color", "never"), " ".join(words))
    shown = b""
    for name in world.operations():
        for more in ((), ("--view", "internal"), ("--format", "markdown"), ("--agent",)):
            data = world.audit("show", name, *more, "--color", "never")
            check_text(data, f"show {name} {more}")
            shown += data
    # The hostile strings were shown, as escaped text.
    for words in (b"\\u{1B}", b"\\u{9B}", b"\\u{202E}", b"\\u{E0041}", b"alert(1)", b"HYPERLINK", b"FORGED"):
        check(words in shown, "never shown:", words)


def as_json():
    shown = b""
    for words in (("list", "--limit", "500", "--format", "json"), ("stats", "--format", "json", "--by", "model")):
        check_json(world.audit(*words), " ".join(words))
    for name in world.operations():
        data = world.audit("show", name, "--format", "json")
        check_json(data, f"show {name} as JSON")
        shown += data
    for words in (b"\\u001b", b"\\u009b", b"\\u202e", b"\\udb40\\udc41", b"alert(1)", b"=HYPERLINK"):
        check(words in shown, "never shown:", words)
    for of in ("operations", "attempts"):
        rows = check_json(world.audit("export", "--of", of, "--format", "jsonl"), of, is_lines=True)
        check(len(rows) >= len(STRINGS), of, len(rows))
    check_json(world.audit("tail", "--limit", "500", "--format", "jsonl"), "tail", is_lines=True)


def as_csv():
    for of in ("operations", "attempts"):
        data = world.audit("export", "--of", of, "--format", "csv")
        text = data.decode("utf-8")
        found = re.search(HARMFUL.pattern.replace("\x0b-\x1f", "\x0b\x0c\x0e-\x1f"), text)
        check(not found, of, found and ascii(text[max(0, found.start() - 80):found.end() + 20]))
        check("\"'=HYPERLINK" in text, of, "has no formula at all")
        rows = list(csv.reader(io.StringIO(text, newline="")))
        check(len({len(row) for row in rows}) == 1 and len(rows) > len(STRINGS), of)
        for cell in (cell for row in rows for cell in row):
            is_number = re.fullmatch(r"-?\d+(\.\d+)?", cell)
            check(is_number or not cell.startswith(("=", "+", "-", "@", "\t", "\r", "\uff1d")), of, ascii(cell[:80]))


def in_the_logs():
    with open(os.path.join(world.gateway.folder, "log"), "rb") as file:
        data = file.read()
    rows = check_json(data, "the log", is_lines=True)
    check(len(rows) >= world.asked and not any(row.get("level") == "FORGED" for row in rows), len(rows))
    check(max(map(len, data.splitlines())) <= LINE_MAX, "a line of the log has no end")
    check_text(world.human, "the log for people")


def on_the_operators_side():
    check_json(world.state, "the state")
    text = world.metrics.decode("utf-8")
    found = HARMFUL.search(text)
    check(not found, "metrics have", found and ascii(text[max(0, found.start() - 80):found.end() + 20]))
    metrics = Metrics(text)
    check(metrics.sum("recourse_requests_total") >= world.asked, "metrics", world.asked)
    for line in text.splitlines():
        check(line.startswith(("#", "recourse_", "process_")), "a metric of another's:", line)


def to_clients():
    """Errors are JSON of the dialect, and no hostile string is a header of its own."""
    for answer in world.answers:
        check(answer.end == CLEAN, answer)
        check(not re.search(rb"[\x00-\x09\x0b\x0c\x0e-\x1f\x7f]", answer.head.raw), answer.head.raw)
        check("FORGED" not in {name for name, _ in answer.head.fields}, answer.head.raw)
        if answer.get("content-type").startswith("application/json") and answer.status >= 400:
            json.loads(answer.body)


def on_a_pty(command, environment):
    """Runs a command on a pseudo-terminal. Returns all of its output."""
    parent, child = pty.openpty()
    process = subprocess.Popen(command, cwd=world.gateway.folder, env=environment, stdin=subprocess.DEVNULL,
                               stdout=child, stderr=child)
    os.close(child)
    seen = b""
    while True:
        ready, _, _ = select.select([parent], [], [], WAIT_S)
        check(ready, "it does not end")
        try:
            piece = os.read(parent, 65536)
        except OSError:
            break
        if not piece:
            break
        seen += piece
    os.close(parent)
    process.wait(WAIT_S)
    return seen


def of_a_call():
    """recourse call: an error is harmless on a terminal and in a pipe; the text of a response is harmless on a
    terminal."""
    environment = dict(world.gateway.environment, TERM="xterm", NO_COLOR="1", OPENAI_API_KEY="key-1111",
                       OPENAI_BASE_URL=upstream.url("/v1"))
    for text in STRINGS:
        body = error_body(text)
        upstream.on_stray = lambda conn, request, body=body: say(conn, http(body, "400 Bad Request"))
        for more in ((), ("--format", "markdown"), ("--agent",)):
            result = subprocess.run([RECOURSE, "call", "--model", "up/m", *more, "Hi"], cwd=world.gateway.folder, env=environment, stdin=subprocess.DEVNULL,
                                    stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=WAIT_S, check=False)
            check(result.returncode != 0, result)
            check_text(result.stdout, "call")
            check_text(result.stderr, "call")
        answer = {"choices": [{"index": 0, "finish_reason": "stop",
                               "message": {"role": "assistant", "content": text}}]}
        good = http(json.dumps(answer).encode())
        upstream.on_stray = lambda conn, request, good=good: say(conn, good)
        seen = on_a_pty([RECOURSE, "call", "--no-stream", "--quiet", "--model", "up/m", "Hi"], environment)
        seen = seen.replace(b"\r\n", b"\n").decode("utf-8")
        found = re.search(HARMFUL.pattern.replace("\x00-\x09", "\x00-\x08"), seen)
        check(not found, "an answer on a terminal has", found and ascii(seen[max(0, found.start() - 80):found.end() + 20]))


suite = Suite(threads=1)
suite.case("the audit on a terminal", on_terminal)
suite.case("the audit as JSON", as_json)
suite.case("the audit as CSV", as_csv)
suite.case("the logs", in_the_logs)
suite.case("metrics and state", on_the_operators_side)
suite.case("what clients get", to_clients)
suite.case("recourse call", of_a_call)
main(suite, world, upstream)
