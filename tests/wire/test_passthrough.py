"""Requests behind /p/PROVIDER: the provider's errors reach the client with their status and text in the client's dialect;
errors of the gateway itself have the gateway's codes."""

import json

from gateways import Lasting
from harness import Suite, check, main, report_of
from peers import CLEAN, Client, Upstream, ending, http, of_each_dialect, resetting, saying

QUICK = {"max_attempts": 2, "backoff": "fixed", "base_ms": 1, "jitter": "none"}
upstream = Upstream()
gateway = Lasting({
    "providers": of_each_dialect(upstream),
    "threads": 1, "cooldown_ms": 0, "breaker": {"min_calls": 0}, "retry_budget": {"burst": 0},
    "policies": {"quick": QUICK}, "clients": [],
}).start()

REASONS = {400: "Bad Request", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed", 407: "Proxy",
           409: "Conflict", 410: "Gone", 412: "Precondition Failed", 416: "Range Not Satisfiable",
           422: "Unprocessable Content", 500: "Internal Server Error", 502: "Bad Gateway", 529: "Overloaded",
           301: "Moved Permanently"}


def error(status, body):
    if not isinstance(body, bytes):
        body = json.dumps(body).encode()
    return saying(http(body, f"{status} {REASONS[status]}"))


def openai(message, code=None, param=None, kind="invalid_request_error"):
    return {"error": {"message": message, "type": kind, "param": param, "code": code}}


def anthropic(message, kind):
    return {"type": "error", "error": {"type": kind, "message": message}}


def gemini(status, message, word):
    return {"error": {"code": status, "message": message, "status": word}}


def ask(path, *steps, method="GET", extra=b"", body=b""):
    mark, plan = upstream.plan(*steps)
    lines = [f"{method} {path} HTTP/1.1\r\nHost: x\r\nx-plan: {mark}\r\nx-recourse-policy: quick\r\n".encode(), extra]
    if body:
        lines.append(b"content-type: application/json\r\ncontent-length: %d\r\n" % len(body))
    with Client(gateway.port) as client:
        return client.ask(b"".join(lines) + b"\r\n" + body, method == "HEAD"), plan


def error_of(path, answer):
    """Returns the error in the place where clients of this provider expect it."""
    check(answer.end == CLEAN and answer.get("content-type") == "application/json", answer.head.raw, answer)
    page = json.loads(answer.body)
    check(report_of(page)["report_id"] == answer.get("x-recourse-report-id"), page)
    if path.startswith("/p/c/"):
        check(page["type"] == "error" and page["request_id"], page)
    return page["error"]


# ---- errors of the provider ----


def passes(path, status, body, code, has):
    """The provider's status and text are sent on, without advice about missing endpoints."""
    answer, plan = ask(path, error(status, body))
    check(answer.status == status, answer.head.raw, answer)
    check(answer.get("x-recourse-error-code") == code, answer.head.raw)
    message = error_of(path, answer)["message"]
    check(has in message, message)
    check("does not have this endpoint" not in message and "base URL" not in answer.body.decode(), answer)
    if path.startswith("/p/g/"):
        check(error_of(path, answer)["code"] == status, answer)
    check(report_of(json.loads(answer.body))["http_status"] == status, answer)
    check(len(plan.seen) == 1, "asked", len(plan.seen))


def passes_after_tries(status, code, is_told=False):
    """The provider's status is sent on after a retry, too. The texts of server errors are only logged; the text of a
    conflict is sent on."""
    answer, plan = ask("/p/o/files/1", error(status, openai("Something", kind="server_error")))
    check(answer.status == status and len(plan.seen) == 2, answer, len(plan.seen))
    check(answer.get("x-recourse-error-code") == code and answer.get("x-should-retry") == "false", answer.head.raw)
    check(("Something" in error_of("/p/o/", answer)["message"]) == is_told, answer)
    error_of("/p/o/", answer)


def problem_when_asked():
    answer, _ = ask("/p/o/files/1", error(404, openai("No such File object: file-1")),
                    extra=b"accept: application/problem+json\r\n")
    check(answer.get("content-type") == "application/problem+json", answer.head.raw)
    page = json.loads(answer.body)
    check(answer.status == page["status"] == 404 and "No such File object: file-1" in page["detail"], page)


def head_alone():
    answer, _ = ask("/p/o/files/1", saying(b"HTTP/1.1 404 Not Found\r\ncontent-length: 9\r\n\r\n"), method="HEAD")
    check(answer.status == 404 and answer.end == CLEAN, answer)


def secrets_stay():
    """Text that the provider repeats from the request, and text that looks like a key, is not sent on."""
    diary = "my dear diary is not for anybody else"
    words = f"No such File object: {diary}, asked with sk-proj-abcdefghijklmnop1234567890"
    answer, _ = ask("/p/o/batches", error(404, openai(words)), method="POST",
                    body=json.dumps({"input_file_id": diary}).encode())
    check(answer.status == 404 and "No such File" in answer.body.decode(), answer)
    check(diary not in answer.body.decode() and "abcdefghijklmnop" not in answer.body.decode(), answer)


# ---- errors of the gateway ----


def ours(step, status, code, path="/p/o/files/1", method="GET", extra=b""):
    answer, _ = ask(path, step, method=method, extra=extra)
    check(answer.status == status and answer.get("x-recourse-error-code") == code, answer.head.raw, answer)
    error_of(path, answer)


# ---- requests that are sent again, or not ----


def asked_again(method, step):
    """A request with a safe method is sent again if the connection broke."""
    good = http(b'{"id":"batch_1"}') if method != "HEAD" else b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n"
    answer, plan = ask("/p/o/batches/batch_1", step, saying(good), method=method)
    check(answer.status == 200 and answer.end == CLEAN and len(plan.seen) == 2, answer, len(plan.seen))
    answer, plan = ask("/p/o/batches/batch_1", step, method=method)
    check(answer.status == 502 and len(plan.seen) == 2, answer, len(plan.seen))
    check(answer.get("x-recourse-error-code") == "ConnectionReset", answer.head.raw)


def sent_once(method, extra=b"", body=b""):
    answer, plan = ask("/p/o/batches", resetting(b""), saying(http(b"{}")), method=method, extra=extra, body=body)
    check(answer.status == 502 and len(plan.seen) == 1, answer, len(plan.seen))
    check(answer.get("x-recourse-error-code") == "OutcomeUnknown", answer.head.raw)
    check(answer.get("x-should-retry") == "false", answer.head.raw)


# ---- endpoints that this gateway does not have ----

OPENAI = of_each_dialect(upstream)["o"]
MANY = {"second": {**OPENAI, "kind": "mistral"}}
several = Lasting({"providers": {"first": OPENAI, **MANY}})
several.start()


def names_the_way(path, way, where=gateway, more="", version=b""):
    """The error is in the client's dialect and names the passthrough path; no provider is called."""
    before = len(upstream.strays)
    with Client(where.port) as client:
        answer = client.ask(f"GET {path} HTTP/1.1\r\nHost: x\r\n".encode() + version + b"\r\n")
    check(answer.status == 404 and answer.get("x-recourse-error-code") == "EndpointNotFound", answer)
    page = json.loads(answer.body)
    message = page["error"]["message"]
    if way is None:
        check("/p/" not in answer.body.decode() and f"no endpoint GET {path} here" in message, page)
    else:
        check(f"request {way}{more}." in message, message)
        check(way[:way.index("/", 3)] + " of this" in report_of(page)["user_action"]["detail"], page)
    if way and way.startswith("/p/c/"):
        check(page["type"] == "error" and page["error"]["type"] == "not_found_error", page)
    if "v1beta" in path:
        check(page["error"]["status"] == "NOT_FOUND", page)
    check(len(upstream.strays) == before, "a provider was asked")


suite = Suite()
for case in (
        ("/p/o/responses/resp_1", 404, openai("Response with id 'resp_1' not found."), "InvalidRequest",
         "Response with id 'resp_1' not found."),
        ("/p/o/files/file-1", 404, openai("No such File object: file-1", param="id"), "InvalidRequest",
         "No such File object: file-1"),
        ("/p/c/v1/messages/batches/b", 404, anthropic("Message Batch 'b' not found.", "not_found_error"),
         "InvalidRequest", "Message Batch 'b' not found."),
        ("/p/c/v1/files/f", 404, anthropic("File not found: f", "not_found_error"), "InvalidRequest",
         "File not found: f"),
        ("/p/g/v1beta/files/f", 404, gemini(404, "File files/f not found", "NOT_FOUND"), "InvalidRequest",
         "File files/f not found"),
        # The code does not show what is missing here, so the provider's text must show it.
        ("/p/g/v1beta/cachedContents/c", 404, gemini(404, "Requested entity was not found.", "NOT_FOUND"),
         "EndpointNotFound", "g has no resource at this path: Requested entity was not found."),
        ("/p/o/x", 404, {"detail": "Not Found"}, "EndpointNotFound", "no resource at this path: Not Found"),
        ("/p/o/x", 404, b"", "EndpointNotFound", "o has no resource at this path."),
        ("/p/o/x", 405, {"detail": "Method Not Allowed"}, "EndpointNotFound", "o does not support this method"),
        ("/p/o/x", 410, {"error": {"message": "gone"}}, "EndpointNotFound", "gone"),
        ("/p/o/x", 412, {"error": {"message": "etag"}}, "InvalidRequest", "etag"),
        ("/p/o/x", 416, b"", "InvalidRequest", ""),
        ("/p/c/v1/x", 422, anthropic("bad", "invalid_request_error"), "InvalidRequest", "bad"),
        ("/p/g/v1beta/files/f", 403, gemini(403, "You do not have permission.", "PERMISSION_DENIED"),
         "PermissionDenied", "g does not allow this request: You do not have permission."),
):
    suite.case(f"{case[1]} of {case[0]} ({case[4]})", passes, *case)
suite.case("500 after its tries", passes_after_tries, 500, "Provider5xx")
suite.case("529 after its tries", passes_after_tries, 529, "Overloaded")
suite.case("409 after its tries", passes_after_tries, 409, "Conflict", True)
suite.case("as a problem when asked", problem_when_asked)
suite.case("of a head", head_alone)
suite.case("echoes and secrets", secrets_stay)
suite.case("a redirect is ours", ours, saying(b"HTTP/1.1 301 Moved\r\nlocation: http://x/\r\ncontent-length: 0\r\n\r\n"),
           404, "EndpointNotFound")
suite.case("a proxy's login is ours", ours, error(407, b""), 401, "AuthFailed")
suite.case("a reset is ours", ours, resetting(b""), 502, "OutcomeUnknown", "/p/c/v1/x", "POST")
suite.case("a deadline is ours", ours, lambda conn, request: conn.recv(1), 504, "DeadlineExceeded", "/p/g/v1beta/x",
           "GET", b"x-recourse-deadline-ms: 300\r\n")
for verb in ("GET", "HEAD", "OPTIONS"):
    suite.case(f"{verb} after a reset", asked_again, verb, resetting(b""))
    suite.case(f"{verb} after an end", asked_again, verb, ending(b""))
    suite.case(f"{verb} that must not be repeated", sent_once, verb, b"x-recourse-replayable: false\r\n")
for verb in ("POST", "PUT", "DELETE", "PATCH"):
    suite.case(f"{verb} after a reset", sent_once, verb, b"", b"{}" if verb != "DELETE" else b"")
for case in (
        ("/v1/responses/resp_1", "/p/o/responses/resp_1"),
        ("/v1/responses/resp_1/input_items", "/p/o/responses/resp_1/input_items"),
        ("/v1/files?purpose=batch&key=k", "/p/o/files"), ("/v1/batches", "/p/o/batches"),
        ("/v1/moderations", "/p/o/moderations"), ("/v1/messages/batches", "/p/c/v1/messages/batches"),
        ("/v1beta/files/f", "/p/g/v1beta/files/f"), ("/v1beta/cachedContents", "/p/g/v1beta/cachedContents"),
        ("/upload/v1beta/files", "/p/g/upload/v1beta/files"),
        ("/v1/" + "x" * 500, "/p/o/ followed by the path"),
        ("/nothing", None)):
    suite.case(f"the way to {case[0][:40]}", names_the_way, *case)
suite.case("the way to Anthropic's files", names_the_way, "/v1/files", "/p/c/v1/files", gateway, "",
           b"anthropic-version: 2023-06-01\r\n")
suite.case("several know the way", names_the_way, "/v1/files", "/p/first/files", several,
           ", or the same path with the name of another provider")
suite.case("nobody knows the way", names_the_way, "/v1beta/files", "/p/PROVIDER/v1beta/files", several,
           " with the name of a provider that has this API; no such provider is configured")
suite.case("a name that is not known is ours", ours, None, 404, "EndpointNotFound", "/p/nobody/x")
main(suite, gateway, several, upstream)
