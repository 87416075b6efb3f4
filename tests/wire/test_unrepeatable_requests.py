"""A request that must not be sent twice has no hedge and no retry after an unknown result, and no client is advised to
send it again."""

import json
import signal

from gateways import Lasting
from harness import WAIT_S, Suite, check, main, report_of, wait_until
from peers import CLEAN, OK_CHAT, Client, Upstream, http, is_gone, post, saying

QUICK = {"max_attempts": 3, "backoff": "fixed", "base_ms": 1, "jitter": "none"}
IMAGES = "/v1/images/generations"
CHAT = "/v1/chat/completions"
NOT_AGAIN = b"x-recourse-replayable: false\r\n"
KEYED = b"idempotency-key: once-1\r\n"
ASKED = b'{"model":"m","prompt":"a fish","messages":[{"role":"user","content":"Hi"}]}'

upstream = Upstream()


def start(drain_ms=30000, **more):
    provider = {"kind": "openai", "keys": ["env:KEY_1"]}
    return Lasting({
        "providers": {name: {**provider, "base_url": upstream.url(f"/{name}/v1")} for name in "ab"},
        "policies": {"quick": QUICK}, "threads": 1, "limits": {"drain_ms": drain_ms}, "cooldown_ms": 0,
        "breaker": {"min_calls": 0},
        "routes": [{"model": "m", "policy": "quick", "chain": [{"target": "a/m"}, {"target": "b/m"}],
                    **more}]}).start()


def ask(gateway, path, mark, extra=b""):
    with Client(gateway.port) as client:
        return client.ask(post(path, ASKED, mark, extra))


def is_not_known(answer, tries=1):
    """The error says that the outcome is unknown and that the request must not be sent again."""
    check(answer.get("x-recourse-error-code") == "OutcomeUnknown", answer.head.raw, answer)
    check(answer.get("x-should-retry") == "false", answer.head.raw)
    check(answer.get("x-recourse-attempts") == str(tries), answer.head.raw)
    report = report_of(json.loads(answer.body))
    check(report["retryable"] is False, report)
    return report


# ---- hedges ----


def one_lane(path, extra, lanes):
    """The first provider is slow. A second one is called only if a request sent twice does no harm."""
    gateway = start(hedge_ms=20)
    second = []

    def slow(conn, _):
        """A step that responds after the other lane has begun, or would have begun long ago."""
        if lanes > 1:
            wait_until(lambda: len(plan.seen) > 1, "the second lane")
        else:
            conn.settimeout(0.5)
            try:
                second.append(conn.recv(1))
            except TimeoutError:
                pass
            conn.settimeout(None)
        return saying(OK_CHAT)(conn, _)

    mark, plan = upstream.plan(slow, saying(OK_CHAT))
    try:
        answer = ask(gateway, path, mark, extra)
        check(answer.status == 200 and answer.end == CLEAN, answer)
        check(len(plan.seen) == lanes, "asked:", [request.path for request in plan.seen])
        check(answer.get("x-recourse-attempts") == str(lanes), answer.head.raw)
    finally:
        gateway.stop()


# ---- responses that cannot be read ----

UNREADABLE = (("no body", http(b"")), ("half of it", http(b'{"created":1,"data":[{"url":"http')),
              ("a page", http(b"<html><body>Welcome</body></html>", content_type="text/html")),
              ("no JSON", http(b"certainly!")))


def lost_answer(gateway, data, path, extra):
    mark, plan = upstream.plan(saying(data))
    report = is_not_known(ask(gateway, path, mark, extra))
    check(len(plan.seen) == 1, "sent", len(plan.seen), "times")
    check("reported success" in report["message"], report)


def may_be_sent_again(gateway, data):
    """The same response to a request that may be sent again leads to another attempt."""
    mark, plan = upstream.plan(saying(data), saying(OK_CHAT))
    answer = ask(gateway, IMAGES, mark, KEYED)
    check(answer.status == 200 and len(plan.seen) == 2, answer, len(plan.seen))


def told_error(gateway):
    """A response with status 200 that contains an error was not carried out, so another attempt is made."""
    busy = http(b'{"error":{"message":"Overloaded","type":"overloaded_error","code":"overloaded"}}')
    mark, plan = upstream.plan(saying(busy), saying(OK_CHAT))
    answer = ask(gateway, IMAGES, mark)
    check(answer.status == 200 and len(plan.seen) == 2, answer, len(plan.seen))


# ---- shutdown of the gateway ----


def drained(extra, is_known):
    """The request was sent, no response has arrived, and the gateway shuts down."""
    gateway = start(drain_ms=100)
    mark, plan = upstream.plan(lambda conn, _: is_gone(conn) and False)
    try:
        with Client(gateway.port) as client:
            client.send(post(CHAT, ASKED, mark, extra))
            wait_until(lambda: plan.seen, "the request")
            gateway.signal(signal.SIGTERM)
            answer = client.read()
        if is_known:
            check(answer.status == 503 and answer.get("x-should-retry") == "true", answer.head.raw)
            check(answer.get("x-recourse-error-code") == "Overloaded", answer.head.raw)
        else:
            report = is_not_known(answer)
            check("shutting down" in report["message"] and "ry again" not in report["message"], report)
        check(gateway.process.wait(WAIT_S) == 0, gateway.said()[-2000:])
    finally:
        gateway.stop()


# ---- responses without a record ----


def record_is_lost(extra, code, should_retry):
    """The provider has responded, and the disk is full: the error names the target."""
    gateway = start_traced()
    mark, plan = upstream.plan(saying(OK_CHAT))
    try:
        for _ in range(60):
            answer = ask(gateway, CHAT, mark, extra)
            if answer.status != 200:
                break
        check(answer.get("x-recourse-error-code") == code, answer.head.raw, answer)
        check(answer.get("x-should-retry") == should_retry, answer.head.raw)
        check(answer.get("x-recourse-attempts") == "1", answer.head.raw)
        check(answer.get("x-recourse-target") == "a/m", answer.head.raw)
        if should_retry == "false":
            check("its audit record cannot be stored" in is_not_known(answer)["message"], answer)
        gateway.kill()
    finally:
        gateway.stop()


def start_traced():
    provider = {"kind": "openai", "keys": ["env:KEY_1"], "base_url": upstream.url("/a/v1")}
    gateway = Lasting({"providers": {"a": provider}, "threads": 1,
                       "routes": [{"model": "m", "chain": [{"target": "a/m"}]}]})
    return gateway.start("-e", "trace=fdatasync", "-e", "inject=fdatasync:error=EIO:when=20+")


suite = Suite()
suite.case("a late image is not asked for twice", one_lane, IMAGES, b"", 1)
suite.case("nor is what the client says must not be", one_lane, CHAT, NOT_AGAIN, 1)
suite.case("an image with a key is", one_lane, IMAGES, KEYED, 2)
suite.case("and so is a completion", one_lane, CHAT, b"", 2)
plain = start()
for name, sent in UNREADABLE:
    if name != "a page":  # A response that is not JSON may be the image itself.
        suite.case(f"an image that worked and cannot be read: {name}", lost_answer, plain, sent, IMAGES, b"")
    suite.case(f"a completion that must not be sent again: {name}", lost_answer, plain, sent, CHAT, NOT_AGAIN)
for name, sent in UNREADABLE[:2]:
    suite.case(f"what may be sent again is: {name}", may_be_sent_again, plain, sent)
suite.case("an error that is told in a 200 stays what it is", told_error, plain)
suite.case("the gateway ends while it is out", drained, NOT_AGAIN, False)
suite.case("the gateway ends while one that may be sent again is out", drained, b"", True)
suite.case("no record of what must not be sent again", record_is_lost, NOT_AGAIN, "OutcomeUnknown", "false")
suite.case("no record of what may be", record_is_lost, b"", "StoreUnavailable", "true")
main(suite, plain, upstream)
