"""A store that fails or hangs delays no client beyond its deadline. The gateway then follows audit.on_failure and
writes the record when the store recovers; the record agrees with the response that the client got."""

import contextlib
import glob
import json
import os
import signal
import socket
import sqlite3
import subprocess
import time

from dialects import DIALECTS
from gateways import Lasting, Load, chat
from harness import IS_FEW, WAIT_S, Suite, check, main, wait_until
from peers import CLEAN, Client, Upstream, http, post, say

DEMO = {"providers": {"demo": {"kind": "demo"}}, "threads": 1, "cooldown_ms": 0, "breaker": {"min_calls": 0},
        "routes": [{"model": "demo/*", "chain": [{"target": "demo/*"}]}]}
GO_ON = {"audit": {"on_failure": "continue"}}
SOON = "x-recourse-deadline-ms: 600"
SUPPRESSED = 9  # The kind of the record about a SuppressedError.


@contextlib.contextmanager
def gateway_of(config, *strace):
    gateway = Lasting({**DEMO, **config}).start(*strace)
    try:
        yield gateway
    finally:
        gateway.stop()


@contextlib.contextmanager
def busy(gateway):
    """Another process holds the write lock of the file: nothing can be stored, but others can read."""
    with contextlib.closing(sqlite3.connect(gateway.database, isolation_level=None, timeout=30)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


def name_of(answer):
    return "rep" + answer.get("x-recourse-request-id")[3:]


def row_of(gateway, name):
    """Returns outcome, status, code and record kinds of an operation. None: the operation is not stored."""
    rows = gateway.rows("SELECT op, outcome, status, outcome_seq FROM operations WHERE id = ?", name)
    check(len(rows) <= 1, "on record twice:", rows)
    if not rows:
        return None
    op, outcome, status, seq = rows[0]
    report = gateway.rows("SELECT body FROM reports WHERE op = ? AND seq = ?", op, seq)
    code = json.loads(report[0][0])["error_code"] if report else ""
    kinds = [kind for kind, in gateway.rows("SELECT kind FROM records WHERE op = ? ORDER BY seq", op)]
    return outcome, status, code, kinds


def becomes(gateway, name, wanted):
    """Waits until the operation has these values, and checks that they stay after the end of the gateway."""
    wait_until(lambda: row_of(gateway, name) == wanted, f"the record {wanted}")
    gateway.end()
    check(row_of(gateway, name) == wanted, row_of(gateway, name))
    check(gateway.is_sound() and len(gateway.operations()) >= 1)


def is_typed(answer):
    return (answer.status == 503 and answer.end == CLEAN
            and answer.get("x-recourse-error-code") == "StoreUnavailable" and b"deadline" in answer.body)


def ask(gateway, data):
    with Client(gateway.port) as client:
        return client.ask(data)


# ---- the response to the client and the record ----


def refused(dialect, is_stream):
    """If nothing was sent, the client gets an error. After content, an error event replaces the end of the stream."""
    with gateway_of({}) as gateway:
        with busy(gateway):
            answer = ask(gateway, dialect.request("demo/tokens-5", is_stream, "fish", extra=SOON.encode() + b"\r\n"))
            name = name_of(answer)
            check(row_of(gateway, name) is None, "it was kept before")
        if is_stream:
            check(answer.status == 200 and answer.end == CLEAN, answer)
            check(dialect.has_error(answer.body) and b"StoreUnavailable" in answer.body, answer)
            # Gemini's last event contains content, so it was already sent.
            check(dialect.name == "gemini" or dialect.terminator not in answer.body, answer)
        else:
            check(is_typed(answer) and "error" in json.loads(answer.body), answer)
        becomes(gateway, name, (2, answer.status, "StoreUnavailable", [2]))
        check(gateway.rows("SELECT sum(attempts) FROM spend") == [(1,)], "paid twice, or not")


def goes_on(dialect, is_stream):
    with gateway_of(GO_ON) as gateway:
        with busy(gateway):
            answer = ask(gateway, dialect.request("demo/tokens-5", is_stream, "fish", extra=SOON.encode() + b"\r\n"))
            name = name_of(answer)
            check(row_of(gateway, name) is None, "it was kept before")
        check(answer.status == 200 and dialect.is_whole(answer.body, is_stream), answer)
        check("SuppressedError" in gateway.said() and "before its record is stored" in gateway.said(), gateway.said())
        becomes(gateway, name, (1, 200, "", [2, SUPPRESSED]))


def relayed():
    """A relayed response cannot contain an error, so its last byte is not sent. The provider has
    generated the speech and must not generate it twice."""
    upstream = Upstream()
    upstream.on_stray = lambda conn, request: say(conn, http(b"x" * 1000, content_type="audio/mpeg"))
    config = {"providers": {"up": {"kind": "openai", "base_url": upstream.url("/v1")}},
              "routes": [{"model": "*", "chain": [{"target": "up/*"}]}]}
    try:
        with gateway_of(config) as gateway:
            with busy(gateway):
                answer = ask(gateway, post("/v1/audio/speech", b'{"model":"m","input":"fish","voice":"v"}',
                                           extra=SOON.encode() + b"\r\n"))
            check(answer.status == 200 and answer.end != CLEAN and len(answer.body) < 1000, answer)
            becomes(gateway, name_of(answer), (2, 200, "OutcomeUnknown", [2]))
    finally:
        upstream.stop()


def told_of_retries():
    """Events about retries were sent before the response; the error is then an event."""
    quick = {"policies": {"quick": {"min_remaining_ms": 0}}, "routes": [{**DEMO["routes"][0], "policy": "quick"}]}
    with gateway_of(quick) as gateway:
        with busy(gateway):
            extra = f"x-recourse-events: 1\r\n{SOON}\r\n".encode()
            answer = ask(gateway, DIALECTS[0].request("demo/429-ms-20@1", True, "fish", extra=extra))
        check(answer.status == 200 and answer.end == CLEAN, answer)
        check(b"auto_retry_start" in answer.body and DIALECTS[0].has_error(answer.body), answer)
        check(b"[DONE]" not in answer.body and b"StoreUnavailable" in answer.body, answer)
        becomes(gateway, name_of(answer), (2, 200, "StoreUnavailable", [2, 3, 2]))


def not_again():
    """The request was carried out and must not be sent twice, so the client is not advised to retry."""
    with gateway_of({}) as gateway:
        with busy(gateway):
            answer = ask(gateway, chat("demo/ok", SOON, "x-recourse-replayable: false"))
        check(answer.get("x-recourse-error-code") == "OutcomeUnknown", answer)
        check(answer.get("x-should-retry") == "false", answer.head.raw)
        becomes(gateway, name_of(answer), (2, answer.status, "OutcomeUnknown", [2]))


def error_of_another_kind():
    """The error of a request without an attempt is replaced by the store's error."""
    with gateway_of({}) as gateway:
        with busy(gateway):
            answer = ask(gateway, chat("nowhere", SOON))
        check(is_typed(answer), answer)
        becomes(gateway, name_of(answer), (2, 503, "StoreUnavailable", []))


def late_already():
    """A call that ends at its deadline is recorded and reported as such if the store works."""
    with gateway_of({}) as gateway:
        codes = []
        for _ in range(20):  # Several attempts are made, because the disk may be slow now and then.
            answer = ask(gateway, chat("demo/hang", "x-recourse-deadline-ms: 100"))
            codes.append(answer.get("x-recourse-error-code"))
            wait_until(lambda: (row_of(gateway, name_of(answer)) or ("",) * 4)[1:3] == (answer.status, codes[-1]),
                       "the record")
            if codes[-1] == "DeadlineExceeded":
                break
        check(codes[-1] == "DeadlineExceeded" and answer.status == 504, codes)


def hangs(config, status, wanted):
    """The store hangs: each flush takes longer than the deadline allows."""
    slow = ("-e", "trace=fdatasync,fsync", "-e", "inject=fdatasync,fsync:delay_enter=3000000")
    with gateway_of(config, *slow) as gateway:
        with Client(gateway.port) as client:
            for _ in range(2):  # The second request arrives during the flush of the first one.
                answer = client.ask(chat("demo/ok", SOON))
                check(answer.status == status and answer.end == CLEAN, answer)
                check(row_of(gateway, name_of(answer)) is None, "it has waited")
        becomes(gateway, name_of(answer), wanted)


def no_deadline_of_its_own():
    """A request without a deadline of its own waits for the store up to the route's deadline."""
    with gateway_of({}) as gateway:
        with Client(gateway.port) as client:
            with busy(gateway):
                client.send(chat("demo/ok"))
                time.sleep(1.5)
            answer = client.read()
        check(answer.status == 200, answer)
        check(row_of(gateway, name_of(answer)) == (1, 200, "", [2]), row_of(gateway, name_of(answer)))


# ---- memory of ended requests ----


def leaves_before_it():
    """The client disconnects before the deadline: the outcome in the queued record stays the same."""
    with gateway_of({}) as gateway:
        with busy(gateway):
            for _ in range(3):
                with Client(gateway.port) as client:
                    client.send(chat("demo/ok", "x-recourse-deadline-ms: 2500"))
                    time.sleep(0.1)
            time.sleep(2.6)
            check(not gateway.operations(), "it was kept before")
        wait_until(lambda: len(gateway.operations()) == 3, "the records")
        check(all(ends != ["failed"] for ends in gateway.operations().values()), gateway.operations())


def stays_down():
    """The store stays down: all clients get an error, only the outage is recorded, and the gateway ends normally."""
    with gateway_of({}) as gateway:
        with busy(gateway):
            with Client(gateway.port) as client:
                check(all(is_typed(client.ask(chat("demo/ok", SOON))) for _ in range(5)))
            wait_until(lambda: "the audit store is unavailable" in gateway.said(), "the store to be down")
            check(ask(gateway, chat("demo/ok", SOON)).status == 503)
        wait_until(lambda: "the audit store is available again" in gateway.said(), "the store to be back")
        check(gateway.rows("SELECT text FROM records WHERE text LIKE '%no record: 6'"), gateway.rows(
            "SELECT text FROM records"))
        check(ask(gateway, chat("demo/ok", SOON)).status == 200)


def ends_while_it_is_busy(config, wanted):
    """The drain time ends while the store is busy: the waiting client gets the configured result, which is also
    recorded."""
    with gateway_of({**config, "limits": {"drain_ms": 100}}) as gateway:
        with busy(gateway), Client(gateway.port) as client:
            client.send(chat("demo/ok"))
            for _ in range(20):  # After these iterations of the loop the request waits for the store.
                check(ask(gateway, b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n").status == 200, "it lives")
            gateway.signal(signal.SIGTERM)
            answer = client.read()
            check(answer.end == CLEAN and answer.status == wanted[1], answer)
            check(wanted[0] == 1 or (answer.get("x-recourse-error-code") == wanted[2]
                                     and b"shutting down" in answer.body), answer)
        check(gateway.process.wait(WAIT_S) == 0, gateway.said())
        check(row_of(gateway, name_of(answer)) == wanted, row_of(gateway, name_of(answer)))


@contextlib.contextmanager
def flushes_hang(pid):
    """From now on, each flush takes longer than the test."""
    tracer = subprocess.Popen(["strace", "-f", "-qq", "-o", "/dev/null", "-p", str(pid), "-e", "trace=fdatasync,fsync",
                               "-e", "inject=fdatasync,fsync:delay_enter=300000000"],
                              stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def is_traced():
        tasks = [open(path, encoding="ascii").read() for path in glob.glob(f"/proc/{pid}/task/*/status")]
        return all(f"TracerPid:\t{tracer.pid}\n" in task for task in tasks)
    try:
        wait_until(is_traced, "the tracer")
        yield
    finally:
        tracer.kill()
        tracer.wait()


def listens(port):
    try:
        socket.create_connection(("127.0.0.1", port), WAIT_S).close()
    except ConnectionRefusedError:
        return False
    return True


def is_ending(pid):
    """Returns whether the main thread has ended; the traced thread may still be stopped."""
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        return file.read().rsplit(")", 1)[1].split()[0] == "Z"


def ends_without_it():
    """A flush that hangs does not stop the gateway from ending after the second signal; the log says so."""
    with gateway_of({"limits": {"drain_ms": 600000}}) as gateway:
        with flushes_hang(gateway.pid()):
            check(is_typed(ask(gateway, chat("demo/ok", SOON))))
            gateway.signal(signal.SIGTERM)
            wait_until(lambda: "requested the shutdown" in gateway.said(), "the first one")
            gateway.signal(signal.SIGTERM)
            wait_until(lambda: "the store does not respond; the gateway ended without it" in gateway.said(), "the second one")
        check(gateway.process.wait(WAIT_S) == 74, gateway.said())


def fill(pipe):
    """Fills the pipe until it accepts no more bytes."""
    with open(os.open(f"/proc/self/fd/{pipe}", os.O_WRONLY | os.O_NONBLOCK), "wb", buffering=0) as full:
        while full.write(b"x"):
            pass


@contextlib.contextmanager
def unread(log):
    """Starts a gateway whose standard error is a pipe that nobody reads. Yields the gateway and the pipe."""
    gateway = Lasting({**DEMO, "limits": {"drain_ms": 600000}, "log": {"format": log}})
    reader, pipe = os.pipe()
    try:
        yield gateway.start(is_plain=True, stderr=pipe), pipe
    finally:
        os.close(reader)
        os.close(pipe)
        gateway.stop()


def ends_unread(log):
    """As ends_without_it, with a standard error that nobody reads."""
    with unread(log) as (gateway, pipe):
        with flushes_hang(gateway.pid()):
            check(is_typed(ask(gateway, chat("demo/ok", SOON))))
            fill(pipe)
            gateway.signal(signal.SIGTERM)
            wait_until(lambda: not listens(gateway.port), "the first one")
            gateway.signal(signal.SIGTERM)
            wait_until(lambda: is_ending(gateway.pid()), "the second one")
        check(gateway.process.wait(WAIT_S) == 74, "status")


def works_unread(log):
    """A standard error that nobody reads delays neither requests nor the end of the gateway."""
    with unread(log) as (gateway, pipe):
        fill(pipe)
        for number in (signal.SIGUSR2, signal.SIGHUP, signal.SIGUSR2):
            gateway.signal(number)
            check(ask(gateway, chat("demo/ok")).status == 200, number)
        gateway.signal(signal.SIGTERM)
        check(gateway.process.wait(WAIT_S) == 0, "status")


def ends_meanwhile():
    """The gateway shuts down while the store writes the records of requests that got a response."""
    with gateway_of({"threads": 2}) as gateway:
        load = Load(gateway, "demo/ok", threads=6, headers=(SOON,))
        with busy(gateway):
            wait_until(lambda: load.count() >= 12 and any(status == 503 for _, status in load.answered), "answers")
            load.stop()
        gateway.end()
        agree(gateway, load)


def agree(gateway, load):
    recorded = gateway.operations()
    for name, status in load.answered:
        wanted = ["succeeded"] if status == 200 else ["failed"]
        check(recorded.get(name) == wanted, name, status, recorded.get(name))
    check(gateway.is_sound(), "the file is damaged")


def comes_and_goes():
    """Under load, a store that is locked several times: each record is stored once and agrees with the response."""
    with gateway_of({"threads": 2}) as gateway:
        load = Load(gateway, "demo/ok", threads=8, headers=(SOON,))

        def statuses(since):
            return {status for _, status in list(load.answered)[since:]}
        for _ in range(1 if IS_FEW else 3):
            since = load.count()
            with busy(gateway):
                wait_until(lambda: 503 in statuses(since), "an answer without its record")
            since = load.count()
            wait_until(lambda: 200 in statuses(since), "the store to be back")
        load.stop()
        check(statuses(0) == {200, 503}, statuses(0))
        gateway.end()
        agree(gateway, load)


suite = Suite(threads=8)
suite.case("a store that stays down", stays_down)  # This case is added first, because it takes longest.
for one in DIALECTS:
    for way in (False, True):
        words = f"{one.name}, {'a stream' if way else 'whole'}"
        suite.case(f"refused at the deadline: {words}", refused, one, way)
        suite.case(f"goes on at the deadline: {words}", goes_on, one, way)
suite.case("refused at the deadline: an error of another kind", error_of_another_kind)
suite.case("refused at the deadline: an answer without a place for words", relayed)
suite.case("refused at the deadline: a client that heard of a retry", told_of_retries)
suite.case("refused at the deadline: what must not be sent twice", not_again)
suite.case("a deadline that ended the call itself", late_already)
suite.case("a store that hangs: refused", hangs, {}, 503, (2, 503, "StoreUnavailable", [2]))
suite.case("a store that hangs: goes on", hangs, GO_ON, 200, (1, 200, "", [2, SUPPRESSED]))
suite.case("no deadline of its own", no_deadline_of_its_own)
suite.case("a client that leaves before it", leaves_before_it)
suite.case("a second signal while it hangs", ends_without_it)
for log in ("json", "human"):
    suite.case(f"a second signal that nobody hears of: {log}", ends_unread, log)
    suite.case(f"whatever is said, nobody reads it: {log}", works_unread, log)
suite.case("an end meanwhile", ends_meanwhile)
suite.case("an end that cannot wait: refused", ends_while_it_is_busy, {}, (2, 503, "StoreUnavailable", [2]))
suite.case("an end that cannot wait: goes on", ends_while_it_is_busy, GO_ON, (1, 200, "", [2, SUPPRESSED]))
suite.case("a store that comes and goes under load", comes_and_goes)
main(suite)
