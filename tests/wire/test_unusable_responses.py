"""A response with status 200 but without usable content is retried. If no attempt produces usable content, the record
has the code of the failure, under the request id that the client received."""

import json
import subprocess

from gateways import OUTCOMES, Lasting
from harness import RECOURSE, WAIT_S, Suite, check, main
from peers import CLEAN, OK_CHAT, Client, Upstream, chunks, http, of_each_dialect, post, saying

QUICK = {"max_attempts": 2, "backoff": "fixed", "base_ms": 1, "jitter": "none"}
HI = [{"role": "user", "content": "Hi"}]
upstream = Upstream()
gateway = Lasting({
    "providers": of_each_dialect(upstream),
    "policies": {"quick": QUICK}, "threads": 1, "cooldown_ms": 0, "breaker": {"min_calls": 0},
    "retry_budget": {"burst": 0}, "clients": [],
    "routes": [{"model": name, "policy": "quick", "chain": [{"target": f"{name}/m"}]} for name in "ocg"],
}).start()

# Path, request, response.
CHAT = ("/v1/chat/completions", {"model": "o", "messages": HI}, OK_CHAT)
TEXT = ("/v1/completions", {"model": "o", "prompt": "Hi"},
        http(b'{"object":"text_completion","choices":[{"index":0,"text":"Hello","finish_reason":"stop"}]}'))
CLAUDE = ("/v1/messages", {"model": "c", "max_tokens": 9, "messages": HI},
          http(b'{"type":"message","role":"assistant","content":[{"type":"text","text":"Hello"}],'
               b'"stop_reason":"end_turn","usage":{"input_tokens":3,"output_tokens":2}}'))
GEMINI = ("/v1beta/models/g:generateContent", {"contents": [{"parts": [{"text": "Hi"}]}]},
          http(b'{"candidates":[{"content":{"parts":[{"text":"Hello"}]},"finishReason":"STOP"}]}'))
EMBED = ("/v1/embeddings", {"model": "o", "input": "Hi"},
         http(b'{"object":"list","data":[{"object":"embedding","embedding":[0.5]}]}'))
NOTHING = b"HTTP/1.1 204 No Content\r\n\r\n"
RESET = b"HTTP/1.1 205 Reset Content\r\nContent-Length: 0\r\n\r\n"
EMPTY = http(b"")
BARE = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"


def ask(one, *steps):
    mark, plan = upstream.plan(*steps)
    with Client(gateway.port) as client:
        return client.ask(post(one[0], json.dumps(one[1]).encode(), mark)), plan


def is_none(one, data):
    """An unusable response leads to another attempt; without a usable one the client gets MalformedResponse."""
    answer, plan = ask(one, saying(data), saying(one[2]))
    check(answer.status == 200 and answer.get("x-recourse-attempts") == "2", answer.head.raw, answer)
    check(answer.body == one[2].partition(b"\r\n\r\n")[2], answer)
    answer, plan = ask(one, saying(data))
    check(answer.status == 502 and len(plan.seen) == 2, answer, len(plan.seen))
    check(answer.get("x-recourse-error-code") == "MalformedResponse", answer.head.raw)


def is_one(one, data):
    answer, plan = ask(one, saying(data))
    check(answer.status == 200 and answer.end == CLEAN and len(plan.seen) == 1, answer)
    check(answer.body == data.partition(b"\r\n\r\n")[2], answer)
    check(record_of(answer)[0] == "succeeded", record_of(answer))


def passes_through(data):
    """The response of a passthrough is not checked for content."""
    mark, _ = upstream.plan(saying(data))
    with Client(gateway.port) as client:
        answer = client.ask(post("/p/o/files", b"{}", mark))
    check(answer.status in (200, 204, 205) and answer.end == CLEAN, answer)


# ---- responses without use ----


def record_of(answer):
    name = "rep" + answer.get("x-recourse-request-id")[3:]
    (outcome, code, op), = gateway.rows("SELECT outcome, code, op FROM operations WHERE id = ?", name)
    tries = gateway.rows("SELECT code, status, tokens_out FROM records WHERE op = ? AND kind = 2", op)
    return OUTCOMES[outcome], code, tries


def show(report_id):
    done = subprocess.run([RECOURSE, "audit", "--store", "sqlite:audit.db", "show", report_id],
                          cwd=gateway.folder, check=False, timeout=WAIT_S, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    return done.returncode, done.stdout.decode()


def is_of_no_use(one, data, number, code):
    """The response is sent on unchanged; the record has the failure, and the client's request id finds it."""
    answer, plan = ask(one, saying(data))
    check(answer.status == 200 and answer.body == data.partition(b"\r\n\r\n")[2], answer)
    check(len(plan.seen) == 1, "tried again")
    outcome, found, tries = record_of(answer)
    check(outcome == "failed" and found == number, outcome, found)
    check([row[:2] for row in tries] == [(number, 200)], tries)
    status, text = show(answer.get("x-recourse-report-id"))
    check(status == 0 and code in text, status, text)


def stream_of_no_use(number, code, *events):
    events = [b"data: %b\n\n" % event for event in events] + [b"data: [DONE]\n\n"]
    data = (b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
            + chunks(events))
    answer, _ = ask((CHAT[0], {**CHAT[1], "stream": True}), saying(data))
    check(answer.status == 200 and answer.body == b"".join(events), answer)
    outcome, found, tries = record_of(answer)
    check(outcome == "failed" and found == number and len(tries) == 1, outcome, found, tries)
    status, text = show("rep" + answer.get("x-recourse-request-id")[3:])
    check(status == 0 and code in text, status, text)


def stream_with_a_damaged_part():
    """The client gets the events before the damaged one and then the error; the record agrees."""
    first = b'data: {"choices":[{"index":0,"delta":{"content":"a"}}]}\n\n'
    rest = [b'data: {"choices":[{"index":0,"del\n\n',
            b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n', b"data: [DONE]\n\n"]
    data = (b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
            + chunks([first, *rest]))
    answer, plan = ask((CHAT[0], {**CHAT[1], "stream": True}), saying(data))
    check(answer.status == 200 and answer.end == CLEAN and len(plan.seen) == 1, answer)
    check(answer.body.startswith(first) and not any(part in answer.body for part in rest), answer)
    check(b'"error_code":"MalformedResponse"' in answer.body, answer)
    outcome, found, tries = record_of(answer)
    check(outcome == "failed" and found == 210 and len(tries) == 1, outcome, found, tries)


def caller_and_audit_agree(is_via, event, code, status):
    """recourse call shows a report that the audit contains, and both agree."""
    upstream.on_stray = saying(http(b"data: %b\n\ndata: [DONE]\n\n" % event, content_type="text/event-stream"))
    way = ["--via", f"http://127.0.0.1:{gateway.port}"] if is_via else ["--config", "recourse.yaml"]
    folder = gateway.folder
    if not is_via:
        own = Lasting({"providers": {"o": of_each_dialect(upstream)["o"]},
                       "routes": [{"model": "o", "chain": [{"target": "o/m"}]}]})
        folder = own.folder
    try:
        done = subprocess.run([RECOURSE, "call", *way, "--model", "o", "--format", "json", "Hi"],
                              cwd=folder, check=False, timeout=WAIT_S, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, env={**gateway.environment, "NO_COLOR": "1"})
        said = json.loads(done.stdout.decode().splitlines()[-1])
        check(done.returncode == status and said["error_code"] == code, done)
        shown = subprocess.run([RECOURSE, "audit", "--store", "sqlite:audit.db", "show", said["report_id"]],
                               cwd=folder, check=False, timeout=WAIT_S, stdout=subprocess.PIPE).stdout.decode()
        check(f"The client received {code} after 1 attempt" in shown and
              f"the client receives {code}, HTTP 200" in shown, said, shown)
    finally:
        if not is_via:
            own.stop()


suite = Suite()
for name, one in (("chat", CHAT), ("completions", TEXT), ("messages", CLAUDE), ("generate", GEMINI)):
    for what, sent in (("204", NOTHING), ("205", RESET), ("no body", EMPTY), ("no body and no type", BARE),
                       ("an object with nothing in it", http(b"{}")), ("a list", http(b"[]"))):
        suite.case(f"no answer: {name}, {what}", is_none, one, sent)
suite.case("no answer: embeddings, 204", is_none, EMBED, NOTHING)
for what in (b"[]", b" [ ] ", b"null", b'"none"', b"{}"):
    suite.case(f"no answer: choices {what}", is_none, CHAT, http(b'{"id":"c","choices":%b}' % what))
    suite.case(f"no answer: choices {what} of a completion", is_none, TEXT, http(b'{"choices":%b}' % what))
    suite.case(f"no answer: candidates {what}", is_none, GEMINI, http(b'{"candidates":%b}' % what))
for what in (b"null", b'"none"', b"{}"):
    suite.case(f"no answer: content {what}", is_none, CLAUDE, http(b'{"type":"message","content":%b}' % what))
suite.case("an answer: Claude has nothing to say", is_one, CLAUDE,
           http(b'{"type":"message","content":[],"stop_reason":"end_turn"}'))
suite.case("an answer: no finish reason", is_one, CHAT,
           http(b'{"choices":[{"index":0,"message":{"content":"finish_reason"}}]}'))
suite.case("an answer: words of a filter in its text", is_one, CHAT,
           http(b'{"choices":[{"index":0,"message":{"content":"\\"finish_reason\\":\\"content_filter\\""},'
                b'"finish_reason":"stop"}]}'))
suite.case("an answer: cut by its length", is_one, CHAT,
           http(b'{"choices":[{"index":0,"message":{"content":"a"},"finish_reason":"length"}]}'))
for name, one in (("chat", CHAT), ("completions", TEXT), ("messages", CLAUDE), ("generate", GEMINI),
                  ("embeddings", EMBED)):
    suite.case(f"an answer: {name}", is_one, one, one[2])
for what, sent in (("204", NOTHING), ("205", RESET), ("no body", EMPTY)):
    suite.case(f"a passthrough: {what}", passes_through, sent)

FILTER, OVERFLOW = (409, "ContentFilter"), (407, "ContextOverflow")
FILTERED = b'{"choices":[{"index":0,"message":{"content":"a"},"finish_reason":"content_filter"%b}]}'
suite.case("a filter, chat", is_of_no_use, CHAT, http(FILTERED % b""), *FILTER)
suite.case("a filter, chat, with much behind it", is_of_no_use, CHAT,
           http(FILTERED % (b',"logprobs":"%b"' % (b"x" * 1000))), *FILTER)
ENDS = b'{"choices":[{"index":0,"message":{"content":"a"},"finish_reason":"%b"},' \
       b'{"index":1,"message":{"content":"b"},"finish_reason":"%b"},' \
       b'{"index":2,"message":{"content":"c"},"finish_reason":"%b"}]}'
for place, words in enumerate(([b"content_filter", b"stop", b"stop"], [b"stop", b"content_filter", b"length"],
                               [b"length", b"stop", b"content_filter"])):
    suite.case(f"a filter of one choice of three, {place}", is_of_no_use, CHAT, http(ENDS % tuple(words)), *FILTER)
    suite.case(f"a filter of one choice of three, {place}, stream", stream_of_no_use, *FILTER, *(
        b'{"choices":[{"index":%d,"delta":{"content":"a"},"finish_reason":"%b"}]}' % (index, word)
        for index, word in enumerate(words)))
suite.case("a filter of the first of two texts", is_of_no_use, TEXT,
           http(b'{"choices":[{"text":"","finish_reason":"content_filter"},{"text":"b","finish_reason":"stop"}]}'),
           *FILTER)
suite.case("a filter of the first of two candidates", is_of_no_use, GEMINI,
           http(b'{"candidates":[{"finishReason":"SAFETY","index":0},{"content":{"parts":[{"text":"b"}]},'
                b'"finishReason":"STOP","index":1}]}'), *FILTER)
suite.case("an answer: three choices, one cut by its length", is_one, CHAT,
           http(ENDS % (b"stop", b"length", b"stop")))
suite.case("a filter, messages", is_of_no_use, CLAUDE,
           http(b'{"type":"message","content":[],"stop_reason":"refusal"}'), *FILTER)
suite.case("a full context, messages", is_of_no_use, CLAUDE,
           http(b'{"type":"message","content":[],"stop_reason":"model_context_window_exceeded"}'), *OVERFLOW)
suite.case("a filter, generate", is_of_no_use, GEMINI,
           http(b'{"candidates":[{"finishReason":"SAFETY","index":0}]}'), *FILTER)
suite.case("a prompt that is blocked, generate", is_of_no_use, GEMINI,
           http(b'{"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"}}'), *FILTER)
suite.case("a filter, responses", is_of_no_use, ("/v1/responses", {"model": "o", "input": "Hi"}),
           http(b'{"object":"response","status":"incomplete","output":[],'
                b'"incomplete_details":{"reason":"content_filter"}}'), *FILTER)
suite.case("a filter, stream", stream_of_no_use, *FILTER, b'{"choices":[{"index":0,"delta":{"content":"a"}}]}',
           b'{"choices":[{"index":0,"delta":{},"finish_reason":"content_filter"}]}')
suite.case("a damaged part, stream", stream_with_a_damaged_part)
for via in (False, True):
    words = "through a gateway" if via else "without one"
    suite.alone(f"call and the audit agree on a filter, {words}", caller_and_audit_agree, via,
                FILTERED % b"", "ContentFilter", 65)
main(suite, gateway, upstream)
