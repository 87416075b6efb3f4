"""Connection headers, the gateway's own headers, and headers that identify somebody are sent on in neither direction.
No header value can begin a new header line."""

import json
import re
import time

from harness import Gateway, Suite, check, main
from peers import CLEAN, OK_CHAT, Client, Upstream, chat, config, http, post, say, saying

upstream = Upstream()
gateway = Gateway(config(upstream))
BODY = OK_CHAT.partition(b"\r\n\r\n")[2]

# Headers of a client's request. None of these values may reach a provider.
DROPPED = """Connection: keep-alive, x-listed-1
Connection: X-Listed-2,x-listed-3 , close-not
x-listed-1: secret-v
X-LISTED-2: secret-v
x-listed-3: secret-v
Keep-Alive: timeout=secret-v
TE: trailers, secret-v
Trailer: secret-v
Upgrade: secret-v
HTTP2-Settings: secret-v
Proxy-Authorization: Basic secret-v
Proxy-Connection: secret-v
Proxy-Foo: secret-v
Forwarded: for=secret-v
X-Forwarded-For: secret-v
X-Forwarded-Host: secret-v
X-Forwarded-Proto: secret-v
X-Forwarded-Anything: secret-v
X-Real-IP: secret-v
X-Client-IP: secret-v
True-Client-IP: secret-v
CF-Connecting-IP: secret-v
Via: 1.1 secret-v
Cookie: a=secret-v
Authorization: Bearer secret-v
x-api-key: secret-v
x-goog-api-key: secret-v
api-key: secret-v
X-Original-URL: /secret-v
X-Rewrite-URL: /secret-v
X-HTTP-Method-Override: secret-v
x-recourse-anything: secret-v
x-recourse-target: secret-v
x-recourse-deadline-ms: 50000
X-Recourse-Policy: once
x-recourse-replayable: true
anthropic-beta: secret-v
OpenAI-Organization: secret-v
OpenAI-Project: secret-v
x-goog-user-project: secret-v""".split("\n")

# Headers of a provider's response. None of these values may reach a client.
DROPPED_BACK = """Connection: keep-alive, x-listed-1
Connection: X-Listed-2
x-listed-1: secret-v
X-LISTED-2: secret-v
Keep-Alive: timeout=secret-v
Trailer: secret-v
Upgrade: secret-v
Proxy-Authenticate: secret-v
Proxy-Connection: secret-v
Via: 1.1 secret-v
Set-Cookie: a=secret-v
Server: secret-v
X-Powered-By: secret-v
Alt-Svc: secret-v
Strict-Transport-Security: secret-v
Content-Security-Policy: secret-v
Access-Control-Allow-Origin: secret-v
WWW-Authenticate: secret-v
Location: /secret-v
Refresh: 0;secret-v
X-Forwarded-For: secret-v
x-recourse-target: secret-v
X-Recourse-Request-Id: secret-v
x-recourse-attempts: 77
x-recourse-anything: secret-v
Authorization: secret-v""".split("\n")


def lines(fields):
    return "".join(field + "\r\n" for field in fields).encode()


def ask(mark, extra):
    with Client(gateway.port) as client:
        answer = client.ask(chat(mark, "once", extra=extra))
        check(answer.status == 200 and answer.end == CLEAN, answer)
        return answer


def dropped_on_the_way_up():
    mark, plan = upstream.plan(saying(OK_CHAT))
    ask(mark, lines(DROPPED) + b"x-mine: kept\r\nX-Mine: too\r\nUser-Agent: mine/1\r\n"
        b"openai-beta: org\r\n")
    seen = plan.seen[0]
    check("secret-v" not in seen.raw.decode("latin-1"), seen.raw)
    check(seen.all("x-mine") == ["kept", "too"], seen.raw)
    check(seen.get("user-agent") == "mine/1" and seen.get("openai-beta") == "org", seen.raw)
    check(seen.all("host") == [f"127.0.0.1:{upstream.port}"], seen.raw)
    check(seen.all("authorization") == ["Bearer key-1111"], seen.raw)
    check(seen.all("accept-encoding") == ["identity"], seen.raw)
    names = {name for name, _ in seen.fields}
    allowed = {"host", "authorization", "x-mine", "user-agent", "openai-beta", "x-plan",
               "accept-encoding", "content-type", "content-length", "accept", "via"}
    check(re.fullmatch(r"1\.1 recourse-[0-9a-f]{16}", seen.get("via")), seen.raw)
    check(names <= allowed, "more than was sent:", names - allowed)


def dropped_on_the_way_down():
    mark, _ = upstream.plan(saying(http(BODY, extra=lines(DROPPED_BACK)
                                        + b"x-mine: kept\r\nx-request-id: theirs\r\n")))
    answer = ask(mark, b"")
    check("secret-v" not in answer.head.raw.decode("latin-1"), answer.head.raw)
    check(answer.get("x-mine") == "kept" and answer.get("x-request-id") == "theirs")
    check(answer.head.all("x-recourse-attempts") == ["1"], answer.head.raw)
    check(answer.head.all("x-recourse-target") == ["a/m"], answer.head.raw)
    check(len(answer.head.all("x-recourse-request-id")) == 1, answer.head.raw)


def dropped_of_a_failure():
    """The headers of a failed provider response are not sent on with the gateway's own error response."""
    mark, _ = upstream.plan(saying(http(b'{"error":{"message":"no"}}', status="400 Bad Request",
                                        extra=lines(DROPPED_BACK))))
    with Client(gateway.port) as client:
        answer = client.ask(chat(mark, "once"))
        check(answer.status == 400, answer)
        check("secret-v" not in answer.head.raw.decode("latin-1"), answer.head.raw)


MANY = [f"x-many-{i}: value {i}" for i in range(80)]


def many_headers():
    """Heads with more headers than the parser has memory for by itself, whole and in pieces."""
    whole = http(BODY, extra=lines(MANY))
    for send in (saying(whole), in_two_parts(whole)):
        mark, plan = upstream.plan(send)
        with Client(gateway.port) as client:
            request = chat(mark, "once", extra=lines(MANY))
            client.send(request[:900])
            time.sleep(0.05)
            client.send(request[900:])
            answer = client.read()
        check(answer.status == 200 and answer.end == CLEAN, answer)
        for i in range(80):
            check(plan.seen[0].all(f"x-many-{i}") == [f"value {i}"], plan.seen[0].raw)
            check(answer.head.all(f"x-many-{i}") == [f"value {i}"], answer.head.raw)


def in_two_parts(data):
    def step(conn, _):
        say(conn, data[:900])
        time.sleep(0.05)
        say(conn, data[900:])
    return step


def too_many_headers():
    mark, _ = upstream.plan(saying(http(BODY, extra=lines(MANY + MANY))))
    with Client(gateway.port) as client:
        answer = client.ask(chat(mark, "once", extra=lines(MANY + MANY)))
        check(answer.status == 431, answer)
    with Client(gateway.port) as client:
        answer = client.ask(chat(mark, "once"))
        check(answer.status == 502, answer)


LIMITS = {
    "openai": """x-ratelimit-limit-requests: 60
x-ratelimit-remaining-requests: 0
X-RateLimit-Reset-Tokens: 6m0s
RateLimit-Policy: 60;w=60""",
    "anthropic": """anthropic-ratelimit-requests-limit: 50
anthropic-ratelimit-requests-remaining: 0
anthropic-ratelimit-requests-reset: 2026-11-18T02:20:00Z""",
}
NO_LIMITS = f"""openai-organization: secret-v
anthropic-organization-id: secret-v
x-goog-user-project: secret-v
x-debug: secret-v
Connection: x-ratelimit-listed
x-ratelimit-listed: secret-v
x-ratelimit-key: sk-proj-Canary0Key0For0The0Provider0Alone0123456789abcdef
x-ratelimit-long: {"9" * 65}"""


def limits_of_a_failure(kind, status, code):
    """After a rate limit, the client gets the provider's rate-limit headers and message, without the name of the
    account."""
    body = ('{"type":"error","error":{"type":"%s","code":"%s","message":"Limit: 60 / min for org-Secret0of0us '
            'with Hello-this-is-the-prompt"}}' % (code, code)).encode()
    extra = lines((LIMITS[kind] + "\n" + NO_LIMITS).split("\n")) + b"retry-after: 7\r\n"
    mark, _ = upstream.plan(saying(http(body, status, extra=extra)))
    path, model = ("/v1/messages", "ca/m") if kind == "anthropic" else ("/v1/chat/completions", "a/m")
    asked = ('{"model":"%s","max_tokens":9,"messages":[{"role":"user","content":"Hello-this-is-the-prompt"}]}'
             % model).encode()
    limited = Gateway(config(upstream))  # A gateway of its own, because a limit closes the target.
    try:
        with Client(limited.port) as client:
            answer = client.ask(post(path, asked, mark, extra=b"x-recourse-policy: once\r\n"))
    finally:
        limited.stop()
    check(answer.status == int(status[:3]) and answer.end == CLEAN, answer)
    for field in LIMITS[kind].split("\n"):
        name, _, value = field.partition(": ")
        check(answer.head.all(name.lower()) == [value], field, answer.head.raw)
    head = answer.head.raw.decode("latin-1")
    check("secret-v" not in head and "Canary0Key" not in head and "x-ratelimit-long" not in head, head)
    check(answer.head.all("retry-after") == ["7"], head)
    message = json.loads(answer.body)["error"]["message"]
    check("Limit: 60 / min for [account]" in message, message)
    check("Secret0of0us" not in answer.body.decode() and "is-the-prompt" not in answer.body.decode(), answer)


def no_limits_of_other_failures():
    mark, _ = upstream.plan(saying(http(b'{"error":{"message":"no"}}', status="400 Bad Request",
                                        extra=lines(LIMITS["openai"].split("\n")))))
    with Client(gateway.port) as client:
        answer = client.ask(chat(mark, "once"))
        check(answer.status == 400 and b"ratelimit" not in answer.head.raw.lower(), answer.head.raw)


def listed_as_of_the_connection(name):
    """A client cannot remove a header that the gateway itself sends to a provider by naming it in Connection."""
    mark, plan = upstream.plan(saying(OK_CHAT))
    ask(mark, b"Connection: %b\r\n" % name)
    seen = plan.seen[0]
    check(seen.all("host") == [f"127.0.0.1:{upstream.port}"], seen.raw)
    check(seen.all("authorization") == ["Bearer key-1111"], seen.raw)
    check(seen.all("content-length") == [str(len(seen.body))] and seen.body, seen.raw)


# ---- lines ----

EVIL = "%0d%0ax-evil:%201", "%0ax-evil:%201", "%0d", "%00", "%0D%0A%0d%0aGET%20/%20HTTP/1.1"


def no_evil(requests, answer):
    for head in [request.raw for request in requests] + ([answer.head.raw] if answer.head else []):
        check(b"\0" not in head and b"\nx-evil" not in head.lower(), head)
        check(head.count(b"\n") == head.count(b"\r\n") == head.count(b"\r"), head)
        check(head.count(b"\r\n\r\n") == 1 and head.endswith(b"\r\n\r\n"), head)
    check(all(len(request.raw.split(b"\r\n")[0].split(b" ")) == 3 for request in requests))


def in_a_path(evil):
    mark, plan = upstream.plan(saying(http(b'{"candidates":[{"content":{"parts":[{"text":"x"}]}}]}')))
    ask_gemini = b'{"contents":[]}'
    for path in (f"/v1beta/models/gemini{evil}:generateContent", f"/v1beta/models/{evil}/:embedContent",
                 f"/p/a/files/{evil}", f"/p/a/files?x={evil}", f"/p/{evil}/files",
                 f"/v1beta/models/gemini:generateContent?x={evil}&key={evil}",
                 f"/v1/chat/completions?{evil}"):
        with Client(gateway.port) as client:
            no_evil(plan.seen, client.ask(post(path, ask_gemini, mark)))


def in_a_model(escape):
    """An escaped line break in a model name must not become a line break in a header or path for the provider."""
    model = b"m" + escape + b"x-evil: 1" + escape + b"y"
    for body in (b'{"model":"%b","messages":[]}' % model, b'{"model":"a/%b","messages":[]}' % model,
                 b'{"model":"ga/%b","messages":[]}' % model):
        mark, plan = upstream.plan(saying(OK_CHAT))
        with Client(gateway.port) as client:
            # "ga" gets a response that it cannot read, which is not tried again.
            no_evil(plan.seen, client.ask(chat(mark, body=body, extra=b"x-recourse-policy: once\r\n")))


def in_a_header(name):
    """Malformed values of the gateway's request headers are refused or ignored, never sent on."""
    for value in (b"a%0d%0ax-evil: 1", b"\xff\xfe", b"00-%b-%b-01" % (b"g" * 32, b"h" * 16), b'"',
                  b'"a b"', b"x" * 600):
        mark, plan = upstream.plan(saying(OK_CHAT))
        with Client(gateway.port) as client:
            answer = client.ask(chat(mark, "once", extra=b"%b: %b\r\n" % (name, value)))
            check(answer.status in (200, 400, 401), answer)
            no_evil(plan.seen, answer)


def from_a_provider():
    """Line breaks in a provider's error must not become header lines for the client."""
    evil = ('{"error":{"message":"a\\r\\nx-evil: 1","type":"b\\r\\nx-evil: 1","code":"c\\u0000\\r\\n'
            'x-evil: 1","param":"d\\nx-evil: 1"}}').encode()
    mark, plan = upstream.plan(saying(http(evil, status="429 Slow", extra=b"retry-after: 1\r\n")))
    with Client(gateway.port) as client:
        answer = client.ask(chat(mark, "once"))
        check(answer.status == 429, answer)
        no_evil(plan.seen, answer)


suite = Suite()
suite.case("towards a provider", dropped_on_the_way_up)
suite.case("towards a client", dropped_on_the_way_down)
suite.case("80 headers in both directions", many_headers)
suite.alone("too many headers", too_many_headers)
suite.case("of a rate limit: OpenAI's", limits_of_a_failure, "openai", "429 Too Many Requests", "rate_limit_exceeded")
suite.case("of a rate limit: Anthropic's", limits_of_a_failure, "anthropic", "429 Too Many Requests",
           "rate_limit_error")
suite.case("of an exhausted quota", limits_of_a_failure, "openai", "429 Too Many Requests", "insufficient_quota")
suite.case("limits go with limits alone", no_limits_of_other_failures)
suite.case("towards a client, of a failure", dropped_of_a_failure)
for listed in (b"host", b"authorization", b"content-length", b"close, content-type, host"):
    suite.case(f"Connection: {listed.decode()}", listed_as_of_the_connection, listed)
for text in EVIL:
    suite.case(f"in a path: {text}", in_a_path, text)
for text in (b"\\r\\n", b"\\n", b"\\u000d\\u000a", b"\\u0000", b"\\u2028", b"\r\n", b"\n", b"\0"):
    suite.case(f"in a model: {text!r}", in_a_model, text)
for header in (b"traceparent", b"tracestate", b"idempotency-key", b"x-recourse-policy", b"accept",
               b"x-recourse-deadline-ms", b"authorization", b"content-type", b"user-agent"):
    suite.case(f"in a header: {header.decode()}", in_a_header, header)
# The target cools down afterwards, so this case runs alone.
suite.alone("in a provider's error", from_a_provider)
suite.alone("nothing came unasked", lambda: check(not upstream.strays, upstream.strays))
main(suite, gateway, upstream)
