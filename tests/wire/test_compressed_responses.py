"""Responses that arrive compressed although no compression was requested: they are parsed and sent on decompressed. A
response that cannot be decompressed is a failure, and a damaged response never looks complete to the client."""

import gzip
import json
import os
import subprocess
import threading
import zlib

from gateways import Lasting
from harness import IS_FEW, RECOURSE, WAIT_S, Suite, check, main, report_of, wait_until
from peers import (CLEAN, OK_CHAT, Client, Upstream, chunk, chunks, config, ending, is_gone, post, routes,
                   say, saying)
from streams import CHAT, GEMINI, SAMPLES

upstream = Upstream()
whole = config(upstream, routes=routes(wait="off"))
PLACES = [f"q{number}" for number in range(6)]
for place in PLACES:
    whole["providers"][place] = dict(whole["providers"]["a"])
    whole["routes"].insert(0, {"model": place, "policy": "quick", "chain": [
        {"target": f"{place}/m", "tries": 1}, {"target": "b/m", "tries": 1}]})
# The targets of the hedge are its own: the failures of other cases could close them.
for place in "ab":
    whole["providers"][f"h{place}"] = dict(whole["providers"][place])
whole["routes"].insert(0, {"model": "hedged", "policy": "quick", "hedge_ms": 1, "chain": [
    {"target": "ha/m", "tries": 1}, {"target": "hb/m", "tries": 1}]})
gateway = Lasting({"clients": [], "audit": {"durability": "async"}, **whole}).start()
# The buffers of a few requests take a few MB; a stored bomb would take BOMB_BYTES.
GROWTH_BYTES = 12 << 20
BOMB_BYTES = 24 << 20


def deflated(data, bits):
    coder = zlib.compressobj(9, zlib.DEFLATED, bits)
    return coder.compress(data) + coder.flush()


CODINGS = {
    "gzip": (b"gzip", lambda data: gzip.compress(data, mtime=0)),
    "x-gzip in another case": (b"X-GZip", lambda data: gzip.compress(data, mtime=0)),
    "gzip beside identity": (b"identity, gzip", lambda data: gzip.compress(data, mtime=0)),
    "gzip that fills a block with zeros": (b"gzip", lambda data: gzip.compress(data) + b"\0" * 20),
    "gzip of two members": (b"gzip", lambda data: gzip.compress(data[:50]) + gzip.compress(data[50:])),
    "deflate": (b"deflate", lambda data: deflated(data, 15)),
    "bare deflate": (b"deflate", lambda data: deflated(data, -15)),
}
GZIP = CODINGS["gzip"]
OTHERS = (b"Content-Encoding: br\r\n", b"Content-Encoding: zstd\r\n", b"Content-Encoding: gzip, br\r\n",
          b"Content-Encoding: gzip, gzip\r\n", b"Content-Encoding: what/ever\r\n",
          b"Content-Encoding: gzip\r\nContent-Encoding: deflate\r\n")


class Whole:
    """A response in one piece and the request for it, for one endpoint."""

    is_array = False

    def __init__(self, name, path, body, answer):
        self.name, self.path, self.body, self.answer = name, path, body, answer
        self.type = "application/json"

    def pieces(self, mark=b""):
        return [self.answer.replace(b"@@", mark)]

    def request(self, mark, extra=b""):
        return post(self.path, self.body, mark, extra)


USED = b'"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}'
WHOLES = (
    Whole("chat", "/v1/chat/completions", b'{"model":"two","messages":[]}',
          b'{"choices":[{"index":0,"message":{"role":"assistant","content":"@@Hello"},"finish_reason":'
          b'"stop"}],%b}' % USED),
    Whole("completions", "/v1/completions", b'{"model":"two","prompt":"Hi"}',
          b'{"choices":[{"index":0,"text":"@@Hello","finish_reason":"stop"}],%b}' % USED),
    Whole("responses", "/v1/responses", b'{"model":"two","input":"Hi"}',
          b'{"status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":'
          b'"@@Hello"}]}],"usage":{"input_tokens":3,"output_tokens":2}}'),
    Whole("messages", "/v1/messages", b'{"model":"claude","max_tokens":9,"messages":[]}',
          b'{"type":"message","content":[{"type":"text","text":"@@Hello"}],"stop_reason":"end_turn",'
          b'"usage":{"input_tokens":3,"output_tokens":2}}'),
    Whole("gemini", "/v1beta/models/gemini:generateContent", b'{"contents":[{"parts":[{"text":"Hi"}]}]}',
          b'{"candidates":[{"content":{"parts":[{"text":"@@Hello"}]},"finishReason":"STOP"}],'
          b'"usageMetadata":{"promptTokenCount":3,"candidatesTokenCount":2}}'),
    Whole("embeddings", "/v1/embeddings", b'{"model":"two","input":"Hi"}',
          b'{"data":[{"embedding":[0.5]}],"model":"@@","usage":{"prompt_tokens":3,"total_tokens":3}}'),
)
WHOLE = WHOLES[0]
SMALL = Whole("small", WHOLE.path, b'{"model":"once","messages":[]}', WHOLE.answer)


def coded(one, data, how="length", name=b"gzip", status=b"200 OK", extra=b""):
    """Returns a response with these bytes as its body and `name` as its Content-Encoding."""
    head = b"HTTP/1.1 %b\r\nContent-Type: %b\r\n%b" % (status, one.type.encode(), extra)
    if name:
        head += b"Content-Encoding: %b\r\n" % name
    if how == "length":
        return head + b"Content-Length: %d\r\n\r\n" % len(data) + data
    if how == "close":
        return head + b"Connection: close\r\n\r\n" + data
    size = int(how)
    return head + b"Transfer-Encoding: chunked\r\n\r\n" + chunks(
        data[at:at + size] for at in range(0, len(data), size))


def ask(one, *steps, extra=b""):
    mark, plan = upstream.plan(*steps)
    with Client(gateway.port) as client:
        return client.ask(one.request(mark, extra)), plan


def good(one):
    return saying(coded(one, b"".join(one.pieces(b"B")), name=b""))


def packed(one, coding=GZIP, mark=b""):
    return coding[1](b"".join(one.pieces(mark)))


def used(answer):
    """Returns outcome, tokens and flags of the operation in the store."""
    name = answer.get("x-recourse-request-id")
    rows = []

    def is_there():
        rows[:] = gateway.rows("SELECT outcome, tokens_in, tokens_out, flags FROM operations WHERE "
                               "substr(id, 4) = ?", name[3:])
        return rows and rows[0][0]
    wait_until(is_there, "the record of " + name)
    return rows[0]


# ---- responses that can be decompressed ----


def arrives(one, coding, how):
    """A compressed response has the same bytes, usage and number of attempts as an uncompressed one."""
    name, pack = coding
    plain = b"".join(one.pieces())
    extra = b'ETag: "x"\r\nContent-MD5: x\r\nX-Kept: yes\r\n'
    step = ending if how == "close" else saying
    answer, plan = ask(one, step(coded(one, pack(plain), how, name, extra=extra)),
                       extra=b"Accept-Encoding: gzip\r\n")
    check(answer.status == 200 and answer.end == CLEAN and len(plan.seen) == 1, answer)
    check(plan.seen[0].all("accept-encoding") == ["identity"], plan.seen[0].raw)
    check(answer.body == plain, "other bytes:", answer)
    for gone in ("content-encoding", "etag", "content-md5"):
        check(not answer.get(gone), answer.head.raw)
    check(answer.get("x-kept") == "yes", answer.head.raw)
    if answer.get("content-length"):
        check(answer.get("content-length") == str(len(plain)), answer.head.raw)
    same, _ = ask(one, step(coded(one, plain, how, b"")))
    check(used(answer) == used(same), "on record:", used(answer), "and of a plain one:", used(same))


def large(how):
    """A compressed response that is larger than the gateway holds back, and is decompressed in several turns, is
    relayed."""
    body = WHOLE.answer.replace(b"@@", b"".join(b"%d " % i for i in range(400000)))
    answer, plan = ask(WHOLE, saying(coded(WHOLE, gzip.compress(body), how)))
    check(answer.status == 200 and answer.end == CLEAN and len(plan.seen) == 1, answer)
    check(answer.body == body and not answer.get("content-encoding"), answer)


def long_stream():
    """A stream with many events in few compressed bytes is decompressed in several turns, including its end."""
    pieces = CHAT.pieces()
    body = pieces[0] + pieces[1] * 20000 + b"".join(pieces[2:])
    answer, plan = ask(CHAT, saying(coded(CHAT, gzip.compress(body), "100000")))
    check(answer.status == 200 and answer.end == CLEAN and len(plan.seen) == 1, answer)
    check(answer.body == body, "other bytes:", len(answer.body), len(body))


def in_pieces():
    """Each event is sent on when it has arrived, before the compressed data ends."""
    pieces = CHAT.pieces()
    is_read = threading.Event()

    def step(conn, _):
        coder = zlib.compressobj(9, zlib.DEFLATED, 31)
        conn.sendall(coded(CHAT, b"", "1")[:-5])
        for piece in pieces[:2]:
            conn.sendall(chunk(coder.compress(piece) + coder.flush(zlib.Z_SYNC_FLUSH)))
        check(is_read.wait(WAIT_S), "nothing was passed on")
        conn.sendall(chunk(coder.compress(b"".join(pieces[2:])) + coder.flush()) + b"0\r\n\r\n")
        return True
    mark, _ = upstream.plan(step)
    with Client(gateway.port) as client:
        client.send(CHAT.request(mark))
        client.source.until(b"dich")
        is_read.set()
        client.source.until(b"0\r\n\r\n")


def nothing_to_read(data):
    """An empty body is unusable, whatever its Content-Encoding is; the next target is tried."""
    answer, plan = ask(WHOLE, saying(data), good(WHOLE))
    check(answer.status == 200 and answer.body == WHOLE.pieces(b"B")[0], answer)
    check(len(plan.seen) == 2, plan.seen)


# ---- errors in compressed bodies ----

BUSY = {
    "openai": b'{"error":{"message":"The server is overloaded","type":"server_error"}}',
    "anthropic": b'{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}',
    "gemini": b'{"error":{"code":503,"message":"The model is overloaded","status":"UNAVAILABLE"}}',
}
QUOTA = (b'{"error":{"message":"You exceeded your current quota","type":"insufficient_quota",'
         b'"code":"insufficient_quota"}}')


def error_in_good(one):
    """A response with status 200 whose body is an error leads to an attempt at the next target."""
    names = {"messages": "anthropic", "array": "gemini"}
    data = BUSY.get(names.get(one.name, one.name), BUSY["openai"])
    if one in SAMPLES and not one.is_array:
        data = (b"event: error\n" if one.name == "anthropic" else b"") + b"data: " + data + b"\n\n"
    elif one.is_array:
        data = b"[" + data + b"]"
    answer, plan = ask(one, saying(coded(one, gzip.compress(data))), good(one))
    check(answer.status == 200 and answer.end == CLEAN, answer)
    check(answer.body == b"".join(one.pieces(b"B")), answer)
    check([request.path[:3] for request in plan.seen] == ["/a/", "/b/"], plan.seen)


def error_is_named(status, name, place):
    """The error text in a compressed body is classified, with status 200 and with an error status, and the next target
    is tried. Each case has its own provider, because an exhausted quota stays in force."""
    one = Whole("quota", WHOLE.path, b'{"model":"%b","messages":[]}' % place, WHOLE.answer)
    data = coded(one, GZIP[1](QUOTA) if name else QUOTA, name=name, status=status)
    answer, plan = ask(one, saying(data), good(one))
    check(answer.status == 200 and answer.body == one.pieces(b"B")[0] and len(plan.seen) == 2, answer)
    wait_until(lambda: gateway.rows("SELECT count(*) FROM reports WHERE body LIKE '%QuotaExhausted%' AND "
                                    "body LIKE ?", f'%"{place.decode()}"%')[0][0] > 0,
               "a report of a quota")


def error_by_status(data, code):
    """An error whose text cannot be decompressed is classified by its status."""
    answer, plan = ask(SMALL, saying(data))
    check(len(plan.seen) == 1 and answer.end == CLEAN, answer)
    check(answer.get("x-recourse-error-code") == code, answer.head.raw)


def no_terminator(one):
    """A stream without a terminator is cut, even if its compressed data ends correctly."""
    pieces = one.pieces()
    end = len(pieces) - (2 if one is GEMINI else 1)
    while end > 1 and b"stop" in b"".join(pieces[:end]).lower():
        end -= 1
    body = b"".join(pieces[:end])
    answer, plan = ask(one, saying(coded(one, gzip.compress(body), "40")), good(one))
    check(len(plan.seen) == 1, plan.seen)
    check(one.check_error(answer, len(body)) == "StreamInterrupted", answer)
    check(used(answer)[0] == 2, "on record as", used(answer))


def no_content(one):
    """A response without usable content leads to an attempt at the next target."""
    body = b"" if one.events[0][1] else one.pieces()[0]
    answer, plan = ask(one, saying(coded(one, gzip.compress(body), "9")), good(one))
    check(answer.status == 200 and answer.body == b"".join(one.pieces(b"B")), answer)
    check(len(plan.seen) == 2, plan.seen)


# ---- damaged compressed data ----


def is_no_answer(one, data, step=saying):
    """Damage before content leads to an attempt at the next target; without such a target the client gets an error."""
    answer, plan = ask(one, step(data), good(one))
    check(answer.status == 200 and answer.end == CLEAN, answer)
    check(answer.body == b"".join(one.pieces(b"B")) and len(plan.seen) == 2, answer, plan.seen)
    answer, plan = ask(one, step(data))
    check(answer.status == 502 and answer.end == CLEAN and len(plan.seen) > 1, answer)
    check(answer.get("x-recourse-error-code") in ("MalformedResponse", "StreamInterrupted"),
          answer.head.raw)


def told(data, codes, step=saying):
    """Damage after content: one attempt, and the client gets the content and an error event."""
    answer, plan = ask(CHAT, step(data), good(CHAT))
    check(len(plan.seen) == 1 and answer.status == 200 and answer.end == CLEAN, answer)
    events, rest = CHAT.read(answer.body)
    error = CHAT.take_error(events)
    check(not rest and report_of(error)["error_code"] in codes, answer)
    check(b"dich" in answer.body, "the content is missing:", answer)
    check(b"[DONE]" not in answer.body, "it looks whole:", answer)


def synced(pieces, is_ended=True):
    """Returns a gzip stream that is flushed after each event, and the offset at which each event ends."""
    coder = zlib.compressobj(9, zlib.DEFLATED, 31)
    data, ends = b"", []
    for piece in pieces:
        data += coder.compress(piece) + coder.flush(zlib.Z_SYNC_FLUSH)
        ends.append(len(data))
    return data + (coder.flush() if is_ended else b""), ends


def cut_everywhere(one):
    """A compressed response that is cut after any byte is never sent to the client as complete."""
    data = packed(one)
    for end in range(1, len(data), 17 if IS_FEW else 5):
        answer, plan = ask(one, saying(coded(one, data[:end])), good(one))
        check(answer.status == 200 and answer.body == b"".join(one.pieces(b"B")), end, answer)
        check(len(plan.seen) == 2, end)


def cut_stream():
    """A compressed stream that is cut after any byte ends with an error event."""
    data, ends = synced(CHAT.pieces())
    for end in range(ends[1], ends[4], 11 if IS_FEW else 3):
        told(coded(CHAT, data[:end], "16"), ("StreamInterrupted",))
    # All events have arrived, so the missing end of the gzip data has no effect.
    answer, plan = ask(CHAT, saying(coded(CHAT, data[:ends[5]])))
    check(answer.status == 200 and answer.body == b"".join(CHAT.pieces()) and len(plan.seen) == 1, answer)


def damaged_large():
    """If a response that is too large to hold back is damaged near its end, the client sees that it was cut."""
    body = WHOLE.answer.replace(b"@@", os.urandom(400000).hex().encode())
    data = bytearray(gzip.compress(body, 1))
    data[-6] ^= 1
    answer, plan = ask(WHOLE, saying(coded(WHOLE, bytes(data), "50000")))
    check(answer.status == 200 and answer.end != CLEAN and len(plan.seen) == 1, answer)


def broken_behind_much():
    """The framing breaks in the same read as many events: the events are sent first, then the error."""
    filler = b": nothing\n\n" * 60000
    body = b"".join(CHAT.pieces()[:2]) + filler
    data = coded(CHAT, b"", "1")[:-5] + chunk(synced([body], False)[0]) + b"what\r\n"
    answer, plan = ask(CHAT, saying(data), good(CHAT))
    check(len(plan.seen) == 1 and answer.status == 200 and answer.end == CLEAN, answer)
    check(answer.body.startswith(body), "not all of it:", len(answer.body), len(body))
    CHAT.take_error(CHAT.read(answer.body)[0])


def hedged():
    """Both lanes of a hedge must decompress much data before their first content. One of them wins with a complete
    response."""
    both = threading.Barrier(2)
    one = Whole("hedged", CHAT.path, CHAT.body.replace(b"two", b"hedged"), b"")
    pieces = CHAT.pieces(b"@" * 900000)

    def step(conn, request):
        both.wait(WAIT_S)
        data = b"".join(pieces).replace(b"@" * 9, request.path[1:2].encode() * 9)
        return say(conn, coded(CHAT, gzip.compress(data)))
    answer, plan = ask(one, step)
    check(answer.status == 200 and answer.end == CLEAN and len(plan.seen) == 2, answer)
    wanted = [b"".join(pieces).replace(b"@" * 9, lane * 9) for lane in (b"a", b"b")]
    check(answer.body in wanted, "neither the one nor the other:", answer)


# ---- compressed responses that the gateway does not read ----


def passes_as_it_is(path, extra, data, type_):
    mark, plan = upstream.plan(saying(b"HTTP/1.1 200 OK\r\nContent-Type: %b\r\n%bContent-Length: %d\r\n\r\n"
                                      % (type_, extra, len(data)) + data))
    with Client(gateway.port) as client:
        answer = client.ask(post(path, b'{"model":"two","input":"Hi","voice":"alloy"}', mark))
    check(answer.status == 200 and answer.end == CLEAN and len(plan.seen) == 1, answer)
    check(answer.body == data and answer.get("content-length") == str(len(data)), answer)
    wanted = extra.partition(b": ")[2].strip().decode()
    check(answer.get("content-encoding") == wanted, answer.head.raw)


# ---- bombs ----


def bomb(start, filler, total):
    """Returns a gzip body that expands to `total` bytes from about a thousandth of them."""
    coder = zlib.compressobj(9, zlib.DEFLATED, 31)
    block = filler * ((1 << 20) // len(filler))
    return (coder.compress(start) + b"".join(coder.compress(block) for _ in range(total // len(block)))
            + coder.flush())


def others_run(data, one, read):
    """While a bomb is decompressed, other requests are served and the gateway's memory does not grow. read: reads the
    bomb on the client's side."""
    before = rss()
    mark, _ = upstream.plan(saying(data))
    with Client(gateway.port) as client:
        client.send(one.request(mark))
        for _ in range(20):
            other, plan = ask(WHOLE, saying(OK_CHAT))
            check(other.status == 200 and len(plan.seen) == 1, other)
        read(client)
    check_growth(before)


def check_growth(before):
    """Checks the peak memory since rss() was called. Under a sanitizer there is no check, because it keeps freed
    memory."""
    check(IS_FEW or memory("VmHWM") - before < GROWTH_BYTES, "it grew by", memory("VmHWM") - before)


def memory(field):
    with open(f"/proc/{gateway.pid()}/status", encoding="ascii") as file:
        return next(int(line.split()[1]) << 10 for line in file if line.startswith(field))


def rss():
    """Returns the resident memory and resets its peak."""
    with open(f"/proc/{gateway.pid()}/clear_refs", "w", encoding="ascii") as file:
        file.write("5")
    return memory("VmRSS")


def counted(client):
    """Reads the whole chunked body without storing it."""
    client.source.until(b"\r\n\r\n")
    total = 0
    while True:
        size = int(client.source.until(b"\r\n")[:-2], 16)
        if size == 0:
            break
        client.source.exactly(size + 2)
        total += size
    check(total > BOMB_BYTES - (1 << 20), "only", total)


def bombs():
    start = WHOLE.answer.partition(b"@@")[0]
    others_run(coded(WHOLE, bomb(start, b"a", BOMB_BYTES)), WHOLE, counted)
    event = CHAT.pieces()[1]
    others_run(coded(CHAT, bomb(CHAT.pieces()[0], event, BOMB_BYTES)), CHAT, counted)


def bomb_for_nobody():
    """The client of a bomb does not read and then disconnects: the call to the provider is ended, and memory does not
    grow."""
    start = WHOLE.answer.partition(b"@@")[0]
    gone = threading.Event()

    def step(conn, _):
        conn.sendall(coded(WHOLE, b"", "1")[:-5] + chunk(bomb(start, b"a", BOMB_BYTES)))
        if is_gone(conn):
            gone.set()
        return False
    before = rss()
    mark, _ = upstream.plan(step)
    with Client(gateway.port, receive_bytes=4096) as client:
        client.send(WHOLE.request(mark))
        client.source.until(b"\r\n\r\n")
        for _ in range(20):
            check(ask(WHOLE, saying(OK_CHAT))[0].status == 200)
    check(gone.wait(WAIT_S), "the provider was not let go")
    check_growth(before)


def bomb_in_error():
    """Only the part of an error's body that the gateway examines is decompressed."""
    data = coded(SMALL, bomb(b'{"error":{"message":"', b"a", BOMB_BYTES), status=b"503 Busy")
    error_by_status(data, "Overloaded")


def bomb_before_content():
    """An endless sequence of events without content is not held back without limit."""
    data = coded(CHAT, bomb(b"", b": nothing at all\n\n", BOMB_BYTES), "100000")
    others_run(data, CHAT, counted)


# ---- recourse call ----


def called(args, answer):
    """Runs recourse call against a provider with this response."""
    strangers = Upstream()
    strangers.on_stray = saying(answer)
    path = os.path.join(gateway.folder, f"call-{strangers.port}.yaml")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"providers": {"o": {"kind": "openai", "base_url": strangers.url("/v1"),
                                       "keys": ["env:KEY_1"]}},
                   "policies": {"p": {"max_attempts": 1}}, "store": f"sqlite:{path}.db",
                   "routes": [{"model": "m", "policy": "p", "chain": [{"target": "o/m"}]}]}, file)
    result = run_call(["--config", path, "--model", "m", *args])
    strangers.stop()
    return result


def run_call(args):
    return subprocess.run([RECOURSE, "call", *args, "Hi"], env=gateway.environment, cwd=gateway.folder,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          check=False, timeout=WAIT_S)


def call_reads():
    result = called(["--no-stream"], coded(WHOLE, packed(WHOLE)))
    check(result.returncode == 0 and b"Hello" in result.stdout, result)
    result = called([], coded(CHAT, packed(CHAT), "20"))
    check(result.returncode == 0 and b"dich" in result.stdout, result)
    result = called(["--no-stream"], coded(WHOLE, GZIP[1](QUOTA)))
    check(result.returncode != 0 and b"QuotaExhausted" in result.stderr, result)


def call_via():
    """recourse call neither reads a compressed response of a foreign server behind --via nor takes it for a model
    response."""
    for answer, code in ((coded(WHOLE, packed(WHOLE)), b"MalformedResponse"),
                         (coded(CHAT, packed(CHAT)), b"MalformedResponse"),
                         (coded(WHOLE, GZIP[1](BUSY["openai"]), status=LATER), b"RateLimited")):
        strangers = Upstream()
        strangers.on_stray = saying(answer)
        result = run_call(["--via", strangers.url(""), "--model", "m"])
        check(result.returncode != 0 and code in result.stderr, code, result)
        check(strangers.strays[0].all("accept-encoding") == ["identity"], strangers.strays[0].raw)
        strangers.stop()


suite = Suite()
for kind, pair in CODINGS.items():
    for sample in SAMPLES + WHOLES:
        for framing in ("length", "1" if sample in (CHAT, WHOLE) else "30"):
            suite.case(f"arrives: {kind} of {sample.path}, {framing}", arrives, sample, pair, framing)
    suite.case(f"arrives: {kind} until the end", arrives, WHOLE, pair, "close")
for framing in ("length", "70000"):
    suite.case(f"arrives: more than is held, {framing}", large, framing)
suite.case("arrives: many events", long_stream)
suite.case("each event leaves when it has come", in_pieces)
suite.case("no answer: no body", nothing_to_read, coded(WHOLE, b""))
suite.case("no answer: an empty body", nothing_to_read, coded(WHOLE, GZIP[1](b"")))
for sample in SAMPLES + WHOLES:
    suite.case(f"an error in a good answer: {sample.path}", error_in_good, sample)
for sample in SAMPLES:
    if sample.has_terminator:
        suite.case(f"told: no terminator, {sample.name}", no_terminator, sample)
    suite.case(f"tried elsewhere: no content, {sample.name}", no_content, sample)
for word in (b"200 OK", b"429 Too Many Requests", b"400 Bad Request"):
    for way in (b"gzip", b""):
        suite.case(f"an error with {word.decode()} is named, {way.decode()}", error_is_named, word, way,
                   PLACES.pop().encode())
LATER = b"429 Too Many Requests"
for line in OTHERS:
    tail = line[18:-2].decode()
    suite.case(f"cannot be read: {tail}", is_no_answer, WHOLE, coded(WHOLE, WHOLE.pieces()[0], name=b"",
                                                                    extra=line))
    suite.case(f"cannot be read: {tail}, a stream", is_no_answer, CHAT,
               coded(CHAT, b"".join(CHAT.pieces()), name=b"", extra=line))
    suite.case(f"an error that cannot be read: {tail}", error_by_status, coded(
        WHOLE, BUSY["openai"], name=b"", status=LATER, extra=line), "RateLimited")
suite.case("an error that is damaged", error_by_status, coded(WHOLE, b"no gzip", status=LATER),
           "RateLimited")
suite.case("an error that is cut", error_by_status, coded(WHOLE, GZIP[1](b"x" * 99)[:12], status=LATER),
           "RateLimited")
TAILED = packed(WHOLE)
for why, what in (
        ("no gzip at all", WHOLE.pieces()[0]),
        ("garbage behind its end", TAILED + b"garbage"),
        ("zeros and more behind its end", TAILED + b"\0" * 20 + b"xy"),
        ("half a member behind its end", TAILED + TAILED[:9]),
        ("another checksum", TAILED[:-8] + bytes([TAILED[-8] ^ 1]) + TAILED[-7:]),
        ("another length", TAILED[:-1] + b"\1"),
        ("a damaged block", TAILED[:12] + b"\xff\xff" + TAILED[14:])):
    suite.case("damaged: " + why, is_no_answer, WHOLE, coded(WHOLE, what))
    suite.case(f"damaged: {why}, a byte a chunk", is_no_answer, WHOLE, coded(WHOLE, what, "1"))
suite.case("damaged: deflate with bytes behind it", is_no_answer, WHOLE,
           coded(WHOLE, deflated(WHOLE.pieces()[0], 15) + b"x", name=b"deflate"))
suite.case("damaged: a connection that ends in it", is_no_answer, WHOLE,
           coded(WHOLE, TAILED, "close")[:-9], ending)
suite.case("damaged: a stream before its content", is_no_answer, CHAT,
           coded(CHAT, synced(CHAT.pieces()[:1], False)[0] + b"\xff" * 9))
STREAM, ENDS = synced(CHAT.pieces())
suite.case("told: damage behind content", told,
           coded(CHAT, STREAM[:ENDS[2]] + b"\xff" * 40), ("MalformedResponse",))
suite.case("told: another checksum behind the terminator", told,
           coded(CHAT, STREAM[:-8] + bytes([STREAM[-8] ^ 1]) + STREAM[-7:]), ("MalformedResponse",))
suite.case("told: a connection that ends behind content", told,
           coded(CHAT, STREAM[:ENDS[2]], "close"), ("StreamInterrupted",), ending)
suite.case("told: broken chunks behind much", broken_behind_much)
suite.case("two lanes of a hedge", hedged)
suite.case("cut at every byte: an answer", cut_everywhere, WHOLE)
suite.case("cut at every byte: a stream", cut_stream)
suite.case("cut: more than is held", damaged_large)
SOUND = bytes(range(256)) * 9
for line in OTHERS[:2] + (b"Content-Encoding: gzip\r\n",):
    suite.case(f"passes as it is: {line[18:-2].decode()} behind /p/", passes_as_it_is, "/p/a/v1/files/1",
               line, gzip.compress(SOUND), b"application/octet-stream")
    suite.case(f"passes as it is: {line[18:-2].decode()} of sound", passes_as_it_is, "/v1/audio/speech",
               line, gzip.compress(SOUND), b"audio/mpeg")
suite.case("recourse call reads them", call_reads)
suite.case("recourse call --via does not", call_via)
suite.alone("a bomb in an error", bomb_in_error)
suite.alone("a bomb, and others are answered", bombs)
suite.alone("a bomb that nobody reads", bomb_for_nobody)
suite.alone("a bomb without content", bomb_before_content)
suite.alone("it is still there", lambda: check(gateway.process.poll() is None, gateway.said()[-4000:]))
suite.alone("nothing came unasked", lambda: check(not upstream.strays, upstream.strays))
main(suite, gateway, upstream)
