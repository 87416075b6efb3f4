"""If the client can fix a fault, the provider's error code reaches the client on every endpoint and in every dialect,
because programs depend on it. Codes about accounts and servers, and texts that are not codes, are not sent on."""

import json

from gateways import Lasting
from harness import Suite, check, main
from peers import Client, Upstream, chunks, http, of_each_dialect, post, saying

HI = [{"role": "user", "content": "Hi"}]
upstream = Upstream()
gateway = Lasting({
    "providers": of_each_dialect(upstream),
    "threads": 1, "cooldown_ms": 0, "breaker": {"min_calls": 0}, "clients": [],
}).start()

OPENAI = (
    ("/v1/chat/completions", {"model": "o/m", "messages": HI}),
    ("/v1/chat/completions", {"model": "o/m", "messages": HI, "stream": True}),
    ("/v1/completions", {"model": "o/m", "prompt": "Hi"}),
    ("/v1/responses", {"model": "o/m", "input": "Hi"}),
    ("/v1/responses", {"model": "o/m", "input": "Hi", "stream": True}),
    ("/v1/embeddings", {"model": "o/m", "input": "Hi"}),
    ("/v1/images/generations", {"model": "o/m", "prompt": "Hi"}),
    ("/p/o/responses", {"model": "m", "input": "Hi"}),
)
EVENTS = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"


def ask(path, body, data):
    mark, _ = upstream.plan(saying(data))
    with Client(gateway.port) as client:
        return client.ask(post(path, json.dumps(body).encode(), mark))


def openai(message, kind, code, param=None):
    return json.dumps({"error": {"message": message, "type": kind, "param": param, "code": code}}).encode()


def of_openai(path, body):
    answer = ask(path, body, http(openai("Unsupported value", "image_user_error", "unsupported_value", "tools[0].x"),
                                  "400 Bad Request"))
    error = json.loads(answer.body)["error"]
    check(answer.status == 400, answer)
    told = {"status": 400, "type": "image_user_error", "code": "unsupported_value", "param": "tools[0].x"}
    check(all(error[name] == told[name] for name in ("type", "code", "param")), error)
    check(error["recourse"]["provider_metadata"] == told, error)


def of_anthropic(path, kind):
    """Anthropic's error type is sent on together with its status. If the gateway sends another
    status, only the report contains the provider's type."""
    page = json.dumps({"type": "error", "error": {"type": "not_found_error", "message": "File not found: f_1"}})
    answer = ask(path, {"model": "c/m", "max_tokens": 9, "messages": HI}, http(page.encode(), "404 Not Found"))
    page = json.loads(answer.body)
    check(answer.status == (404 if kind == "not_found_error" else 400), answer)
    check(page["error"]["type"] == kind and "File not found: f_1" in page["error"]["message"], page)
    check(page["recourse"]["provider_metadata"] == {"status": 404, "type": "not_found_error"}, page)


def of_gemini(path):
    page = json.dumps({"error": {"code": 400, "message": "The cache is too old", "status": "FAILED_PRECONDITION"}})
    answer = ask(path, {"contents": [{"parts": [{"text": "Hi"}]}]}, http(page.encode(), "400 Bad Request"))
    page = json.loads(answer.body)
    check(answer.status == 400 and page["error"]["status"] == "FAILED_PRECONDITION", page)
    check(page["recourse"]["provider_metadata"]["type"] == "FAILED_PRECONDITION", page)


def in_a_stream():
    """The provider's code is also in the events at the end of a Responses stream."""
    data = EVENTS + chunks([
        b'data: {"type":"response.created","response":{"id":"r","status":"in_progress"}}\n\n',
        b'data: {"type":"response.output_text.delta","delta":"Hello"}\n\n',
        b'data: {"type":"error","code":"invalid_image","message":"The image cannot be read.","param":"input"}\n\n'])
    answer = ask("/v1/responses", {"model": "o/m", "input": "Hi", "stream": True}, data)
    lines = [json.loads(line[6:]) for line in answer.body.decode().splitlines() if line.startswith("data: {")]
    error, failed = lines[-2:]
    check(error["type"] == "error" and error["code"] == error["error"]["code"] == "invalid_image", lines)
    check(failed["response"]["error"]["code"] == "invalid_image", failed)


def keeps(data, status, code, *hidden):
    """The client gets a code that all programs know, or the gateway's code, and none of the hidden texts."""
    answer = ask("/v1/chat/completions", {"model": "o/m", "messages": HI}, http(data, status))
    error = json.loads(answer.body)["error"]
    check(error["code"] == code, error)
    for text in hidden:
        check(text not in answer.body.decode(), text, answer)


suite = Suite()
for one in OPENAI:
    suite.case(f"OpenAI's names at {one[0]}{', a stream' if one[1].get('stream') else ''}", of_openai, *one)
for one in (("/v1/messages", "invalid_request_error"), ("/v1/messages/count_tokens", "invalid_request_error"),
            ("/p/c/v1/messages", "not_found_error")):
    suite.case(f"Anthropic's names at {one[0]}", of_anthropic, *one)
for one in ("/v1beta/models/g%2Fm:generateContent", "/v1beta/models/g%2Fm:streamGenerateContent?alt=sse",
            "/p/g/v1beta/models/m:generateContent"):
    suite.case(f"Gemini's names at {one}", of_gemini, one)
suite.case("in a stream of responses", in_a_stream)
suite.case("an overflow has one name", keeps,
           openai("This model's maximum context length is 9 tokens. However, your messages resulted in 90 tokens.",
                  "invalid_request_error", "invalid_parameter"), "400 Bad Request", "context_length_exceeded")
suite.case("what says nothing gives way", keeps,
           openai("No", "invalid_request_error", "invalid_request_error"), "400 Bad Request", "invalid_request")
suite.case("what is no name is not told", keeps,
           openai("No", "a type of mine", "my dear diary"), "400 Bad Request", "invalid_request", "dear", "of mine")
suite.case("nor is a secret", keeps,
           openai("No", "invalid_request_error", "sk-proj-abcdefghijklmnopqrstuvwx1234567890"), "400 Bad Request",
           "invalid_request", "abcdefghijklmnopqrstuvwx")
suite.alone("accounts are nobody's business", keeps,  # The provider's key is unusable for some time afterwards.
            openai("This key was revoked", "account_error", "account_deactivated"), "401 Unauthorized",
            "invalid_api_key", "account_")
main(suite, gateway, upstream)
