"""Finish reasons. A response whose finish reason makes it unusable is retried, streamed or not, with the same code as
in `recourse explain`; one usable choice of several is enough. A stream without a terminator ends with its finish
reason."""

import json
import subprocess

from gateways import OUTCOMES, Lasting
from harness import RECOURSE, WAIT_S, Suite, check, main, report_of
from peers import CLEAN, Client, Upstream, chunks, config, ending, http, post, saying
from streams import CHAT, GEMINI

upstream = Upstream()
gateway = Lasting({**config(upstream), "threads": 1, "clients": []}).start()

ASK_CHAT = ("/v1/chat/completions", b'{"model":"two","messages":[]}')
ASK_GEMINI = ("/v1beta/models/gemini:generateContent", GEMINI.body)
SSE = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
CLOSED = (SSE + b"Connection: close\r\n\r\n",
          b"HTTP/1.0 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")


def chat(*reasons):
    """Returns a response with one choice for each finish reason."""
    return json.dumps({"choices": [{"index": at, "message": {"role": "assistant", "content": "Hi"},
                                    "finish_reason": reason} for at, reason in enumerate(reasons)],
                       "usage": {"prompt_tokens": 3, "completion_tokens": 2}}).encode()


def gemini(*reasons):
    return json.dumps({"candidates": [{"index": at, "content": {"parts": [{"text": "Hi"}]},
                                       "finishReason": reason} for at, reason in enumerate(reasons)]}).encode()


FORMS = {"chat": (ASK_CHAT, chat), "gemini": (ASK_GEMINI, gemini)}


def ask(one, *steps):
    mark, plan = upstream.plan(*steps)
    with Client(gateway.port) as client:
        return client.ask(post(*one, mark)), plan


def record_of(answer):
    """Returns the outcome of the operation, the code of each attempt, and the tokens of each attempt."""
    (op, outcome), = gateway.rows("SELECT op, outcome FROM operations WHERE id = ?",
                                  "rep" + answer.get("x-recourse-request-id")[3:])
    tries = gateway.rows("SELECT code, tokens_in, tokens_out FROM records WHERE op = ? AND kind = 2 "
                         "ORDER BY seq", op)
    return OUTCOMES[outcome], [code for code, _, _ in tries], [row[1:] for row in tries]


def explained(body):
    done = subprocess.run([RECOURSE, "explain", "--format", "json", "-"], input=http(body), check=False,
                          timeout=WAIT_S, stdout=subprocess.PIPE)
    return json.loads(done.stdout)["error_code"]


# ---- responses that are not streamed ----


def is_none(form, code, *reasons):
    """An unusable finish reason leads to an attempt at the second target. If both responses are unusable, the code is
    that of recourse explain."""
    one, make = FORMS[form]
    bad, good = make(*reasons), make("stop")
    answer, plan = ask(one, saying(http(bad)), saying(http(good)))
    check(answer.status == 200 and answer.body == good and len(plan.seen) == 2, answer, plan.seen)
    outcome, codes, tokens = record_of(answer)
    check(outcome == "succeeded" and codes[0] != 0 and codes[1] == 0, outcome, codes)
    if form == "chat":  # The response reports its usage, so the failed attempt is charged, too.
        check(tokens == [(3, 2), (3, 2)], tokens)
    answer, plan = ask(one, saying(http(bad)), saying(http(bad)))
    check(answer.status >= 500 and len(plan.seen) == 2, answer, plan.seen)
    check(answer.get("x-recourse-error-code") == code, answer.head.raw)
    check(explained(bad) == code, explained(bad))


def is_passed_on(form, code, *reasons):
    """The response is sent on unchanged after one attempt; the record has the right outcome."""
    one, make = FORMS[form]
    answer, plan = ask(one, saying(http(make(*reasons))))
    check(answer.status == 200 and answer.body == make(*reasons) and len(plan.seen) == 1, answer)
    outcome = record_of(answer)[0]
    check(outcome == ("failed" if code else "succeeded"), outcome)
    if code:
        check(explained(make(*reasons)) == code, explained(make(*reasons)))


# ---- streams ----


def last_of(sample, reason):
    """Returns the event with the finish reason: the sample's own event without its content."""
    if sample is CHAT:
        return b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"%b"}]}\n\n' % reason
    return b'data: {"candidates":[{"content":{"parts":[]},"finishReason":"%b"}]}\r\n\r\n' % reason


def good(sample):
    return saying(SSE + b"Transfer-Encoding: chunked\r\n\r\n" + chunks(sample.pieces(b"B")))


def stream_is_none(sample, reason, code):
    """An unusable finish reason before content leads to another attempt; after content the client gets an error
    event."""
    def stream(*events):
        tail = [b"data: [DONE]\n\n"] if sample is CHAT else []
        return saying(SSE + b"Transfer-Encoding: chunked\r\n\r\n" + chunks([*events, *tail]))
    one = (sample.path, sample.body)
    answer, plan = ask(one, stream(last_of(sample, reason)), good(sample))
    check(answer.status == 200 and answer.body == b"".join(sample.pieces(b"B")), answer)
    check(len(plan.seen) == 2, plan.seen)
    content = sample.pieces()[:2]
    answer, plan = ask(one, stream(*content, last_of(sample, reason)), good(sample))
    check(answer.status == 200 and answer.end == CLEAN and len(plan.seen) == 1, answer)
    check(answer.body.startswith(b"".join(content)), answer)
    events, rest = sample.read(answer.body)
    error = sample.take_error(events)
    check(report_of(error)["error_code"] == code and not rest, error, rest)
    check(last_of(sample, reason) not in answer.body, "the reason is passed on beside the error:", answer)


def ends_with_the_connection(head, reason, outcome):
    """A stream without length and chunks is complete if its connection ends after the finish reason."""
    whole = b"".join(GEMINI.pieces()[:2]) + last_of(GEMINI, reason)
    answer, plan = ask((GEMINI.path, GEMINI.body), ending(head + whole), good(GEMINI))
    check(answer.status == 200 and answer.end == CLEAN and answer.body == whole, answer)
    check(len(plan.seen) == 1 and record_of(answer)[0] == outcome, plan.seen, record_of(answer))


def is_cut_with_the_connection(head, tail):
    """A stream without length and chunks is cut if its connection ends before a finish reason or in the middle of an
    event."""
    whole = b"".join(GEMINI.pieces()[:2]) + tail
    answer, plan = ask((GEMINI.path, GEMINI.body), ending(head + whole), good(GEMINI))
    check(answer.status == 200 and answer.end == CLEAN and len(plan.seen) == 1, answer)
    error = GEMINI.take_error(GEMINI.read(answer.body)[0])
    check(report_of(error)["error_code"] == "StreamInterrupted", error)
    check(record_of(answer)[0] == "failed", record_of(answer))


suite = Suite()
for why in ("MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS"):
    suite.case(f"gemini: {why} is no answer", is_none, "gemini", "MalformedResponse", why)
    suite.case(f"gemini: {why} in a stream", stream_is_none, GEMINI, why.encode(), "MalformedResponse")
for why in ("insufficient_system_resource", "error", "network_error"):
    suite.case(f"chat: {why} is no answer", is_none, "chat", "Provider5xx", why)
    suite.case(f"chat: {why} in a stream", stream_is_none, CHAT, why.encode(), "Provider5xx")
suite.case("gemini: the first of two failed", is_none, "gemini", "MalformedResponse",
           "MALFORMED_FUNCTION_CALL", "STOP")
suite.case("chat: the first of two failed", is_none, "chat", "Provider5xx",
           "insufficient_system_resource", "stop")
suite.case("chat: the second of three failed", is_none, "chat", "Provider5xx", "stop", "error", "stop")
suite.case("chat: the first of two was filtered", is_passed_on, "chat", "ContentFilter",
           "content_filter", "stop")
suite.case("chat: the last of two was filtered, the first cut", is_passed_on, "chat", "ContentFilter",
           "length", "content_filter")
suite.case("chat: all is well", is_passed_on, "chat", None, "stop", "tool_calls", "length")
suite.case("gemini: a reason that nobody knows", is_passed_on, "gemini", None, "SOMETHING_NEW")
for start in CLOSED:
    called = start.split(b" ", 1)[0].decode()
    for why, ended in ((b"STOP", "succeeded"), (b"MAX_TOKENS", "succeeded"), (b"SAFETY", "failed")):
        suite.case(f"gemini: {why.decode()}, then the connection ends, {called}",
                   ends_with_the_connection, start, why, ended)
    for name, rest in (("nothing", b""), ("half an event", last_of(GEMINI, b"STOP") + b'data: {"cand')):
        suite.case(f"gemini: {name}, then the connection ends, {called}", is_cut_with_the_connection,
                   start, rest)
main(suite, gateway, upstream)
