"""A client with a wrong base URL gets an error in its own dialect that names the right base URL. Requests of Google's
clients with /v1 in the base URL are recognised."""

import json

from harness import Gateway, Suite, check, main, wait_until
from peers import Client

gateway = Gateway({"providers": {"d": {"kind": "demo"}},
                   "routes": [{"model": "m", "chain": [{"target": "d/ok"}]}]})
HOST = "gate.example:8787"


def ask(line, *fields):
    lines = [f"{line} HTTP/1.1", f"Host: {HOST}", *fields]
    body = b"{}" if line.startswith("POST") else b""
    if body:
        lines.append(f"Content-Length: {len(body)}")
    with Client(gateway.port) as client:
        return client.ask(("\r\n".join(lines) + "\r\n\r\n").encode() + body, is_head=line.startswith("HEAD "))


def report_of(page):
    return page["error"].get("recourse") or page["recourse"]


def told(line, fields, dialect, base, path):
    answer = ask(line, *fields)
    page = json.loads(answer.body)
    check(answer.status == 404, answer)
    error = page["error"]
    shape = {"openai": "param" in error, "anthropic": page.get("type") == "error", "gemini": "status" in error}
    check(shape[dialect], page)
    check(f"{base}, and the path of this request is {path}." in error["message"], page)
    check(report_of(page)["user_action"]["detail"] == f"Set the client's base URL to {base}.", page)


def listed(fields, member):
    answer = ask("GET /v1/models", *fields)
    check(answer.status == 200 and member in json.loads(answer.body), answer)


def no_such_path(line):
    answer = ask(line)
    page = json.loads(answer.body)
    check(answer.status == 404 and line in report_of(page)["message"], page)
    advice = report_of(page)["user_action"]["detail"]
    check(f"http://{HOST}/v1 for OpenAI's clients" in advice, page)
    check(f"http://{HOST} for Anthropic's clients" in advice, page)
    report = answer.get("x-recourse-report-id")
    wait_until(lambda: report in said(), "a line of the log")
    lines = [text for text in said().splitlines() if report in text]
    check(f"  404  {line}  " in lines[0], lines)


def said():
    with open(gateway.talk, encoding="utf-8") as file:
        return file.read()


def local(line, status, *parts):
    """The gateway responds itself, and the log has no line about the request."""
    answer = ask(line)
    check(answer.status == status and all(part in answer.body.decode() for part in parts), answer)
    check(answer.get("x-recourse-report-id") == "", answer)


MISTAKES = (
    ("POST /chat/completions", (), "openai", "/v1/chat/completions"),
    ("POST /v1//chat/completions", (), "openai", "/v1/chat/completions"),
    ("POST /v1/chat/completions/", (), "openai", "/v1/chat/completions"),
    ("POST /v1/v1/chat/completions?a=b", (), "openai", "/v1/chat/completions"),
    ("POST /responses", (), "openai", "/v1/responses"),
    ("GET /models", (), "openai", "/v1/models"),
    ("POST /messages", (), "anthropic", "/v1/messages"),
    ("POST /v1/v1/messages", (), "anthropic", "/v1/messages"),
    ("GET /v1/v1/models", ("anthropic-version: 2023-06-01",), "anthropic", "/v1/models"),
    ("POST /models/g:generateContent", (), "gemini", "/v1/models/g:generateContent"),
    ("POST /v1beta/v1beta/models/g:generateContent", (), "gemini", "/v1beta/models/g:generateContent"),
    ("POST /v1/v1beta/models/g:countTokens", (), "gemini", "/v1beta/models/g:countTokens"),
    ("GET /models", ("x-goog-api-key: k",), "gemini", "/v1/models"),
)
suite = Suite()
for line, fields, dialect, path in MISTAKES:
    base = f"http://{HOST}" + ("/v1" if dialect == "openai" else "")
    suite.case(f"{line} {' '.join(fields)}", told, line, fields, dialect, base, path)
suite.case("OpenAI's list", listed, (), "object")
suite.case("Google's list on /v1, by its key", listed, ("x-goog-api-key: k",), "models")
suite.case("Google's list on /v1, by its client", listed, ("x-goog-api-client: google-genai-sdk/3.3.0",), "models")
suite.case("Anthropic's list", listed, ("anthropic-version: 2023-06-01",), "has_more")
for line in ("GET /favicon.ico", "POST /", "DELETE /somewhere/else"):
    suite.case(line, no_such_path, line)
suite.case("GET /", local, "GET /", 200, f"http://{HOST}/v1 for OpenAI's clients", "/v1/models")
suite.case("HEAD /", local, "HEAD /", 200)
for path in ("/healthz", "/health", "/health/liveliness", "/readyz", "/health/readiness"):
    suite.case(f"GET {path}", local, f"GET {path}", 200, "ok")
main(suite, gateway)
