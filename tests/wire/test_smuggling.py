"""Ambiguous and malformed requests: each is refused, its connection ends, and no byte after it is parsed as a request
(RFC 9112, section 11.2)."""

import json
import os

from cases import read_cases
from harness import HERE, Gateway, Suite, check, main, report_of
from peers import CLEAN, Client, Upstream, config, is_gone

BODY = b'{"model":"m","messages":[]}'

def words_of(name):
    return {"$line": b"POST /v1/chat/completions HTTP/1.1\r\nx-case: %b\r\n" % name.encode(),
            "$host": b"Host: gateway\r\n", "$body": BODY, "$chunk": b"1b\r\n%b\r\n" % BODY,
            "$end": b"0\r\n\r\n"}


upstream = Upstream()
gateway = Gateway(config(upstream))


def second(name):
    """Returns bytes that must never be parsed as a request."""
    return (b"POST /v1/chat/completions HTTP/1.1\r\nHost: gateway\r\nx-smuggled: %b\r\n"
            b"Content-Length: 27\r\n\r\n%b" % (name.encode(), BODY))


def refuse(name, statuses, data, send):
    with Client(gateway.port) as client:
        send(client, data)
        answer = client.read()
        check(answer.status in statuses, "wanted", statuses, "got", answer)
        check(answer.end == CLEAN, answer)
        check(answer.get("connection") == "close", answer)
        report = report_of(json.loads(answer.body))
        check(report["http_status"] == answer.status and not report["retryable"], answer)
        check(answer.get("x-recourse-error-code") == report["error_code"], answer.head.raw)
        check(answer.get("x-should-retry") == "false", answer.head.raw)
        check(not client.source.rest, "a second answer:", client.source.rest)
        check(is_gone(client.sock), "the connection stays open")
    leaked = [r.raw for r in list(upstream.strays)
              if name in (r.get("x-case"), r.get("x-smuggled"))]
    check(not leaked, "reached the provider:", leaked)


def refuse_both_ways(name, rest, data):
    """Sends the bytes in one piece, and then byte by byte."""
    statuses = [int(status) for status in rest[0].split(",")]
    data += second(name)
    refuse(name, statuses, data, Client.send)
    if len(data) < 2000:
        refuse(name, statuses, data, Client.send_slowly)


def in_its_dialect(path, member, words):
    """The error is in the dialect of the path; for an unknown path it is in OpenAI's."""
    with Client(gateway.port) as client:
        answer = client.ask(b"POST %b HTTP/1.1\r\nHost: gateway\r\nContent-Length: 27\r\n"
                            b"Content-Length: 27\r\n\r\n%b" % (path.encode(), BODY))
        page = json.loads(answer.body)
        check(answer.status == 400 and report_of(page)["error_code"] == "InvalidRequest", answer)
        check(report_of(page)["message"].endswith("Content-Length occurs more than once."), page)
        check(page["error"][member] == words, page)
        check(is_gone(client.sock), "the connection stays open")


def nothing_passed():
    check(not upstream.strays, [request.raw for request in upstream.strays])


def is_alive():
    with Client(gateway.port) as client:
        answer = client.ask(second("none"))
        check(answer.status == 200 and answer.end == CLEAN, answer)
    check(len(upstream.strays) == 1, "the provider counts")


suite = Suite()
cases = read_cases(os.path.join(HERE, "smuggling.txt"), words_of)
for one in cases:
    suite.case("refused: " + one[0], refuse_both_ways, *one)
for path, member, words in (("/v1/chat/completions", "type", "invalid_request_error"),
                            ("/v1/messages", "type", "invalid_request_error"),
                            ("/v1beta/models/m:generateContent?x", "status", "INVALID_ARGUMENT"),
                            ("/v1beta/models", "status", "INVALID_ARGUMENT"),
                            ("/nowhere", "type", "invalid_request_error")):
    suite.case("refused as clients of its path expect: " + path, in_its_dialect, path, member, words)
suite.alone("every case has a name of its own, and there are many",
            lambda: check(len({one[0] for one in cases}) == len(cases) >= 150))
suite.alone("no request reached the provider", nothing_passed)
suite.alone("a good request does", is_alive)
main(suite, gateway, upstream)
