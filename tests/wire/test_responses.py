"""Responses of providers are parsed as strictly as requests: a malformed, ambiguous or cut response is a typed failure,
the next target responds, and the connection is not reused."""

import json
import os
import socket
import threading

from cases import read_cases
from harness import HERE, WAIT_S, Gateway, Suite, check, main, report_of, wait_until
from peers import (CLEAN, OK_CHAT, Client, Upstream, chat, chunk, config, ending, http, is_gone, reset,
                   saying)

BODY = OK_CHAT.partition(b"\r\n\r\n")[2]
OK = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"

upstream = Upstream()
quiet = Upstream()  # A provider whose connections only one case uses.
gateway = Gateway(config(upstream, rest=quiet))


def words_of(_):
    return {"$ok": OK, "$body": BODY, "$chunk": chunk(BODY), "$length": str(len(BODY)).encode(),
            "$size": b"%x" % len(BODY)}


def sending(data, how, ended, is_slow):
    """Returns a step that sends the bytes and then acts as `how` says; `ended` gets whether the gateway closed the
    connection."""
    def step(conn, _):
        try:
            if is_slow:
                for at in range(len(data)):
                    conn.sendall(data[at:at + 1])
            else:
                conn.sendall(data)
            if how == "keep":
                return True
            if how == "reset":
                reset(conn)
                return False
            if how == "end":
                conn.shutdown(socket.SHUT_WR)
        except ConnectionError:
            pass  # The gateway has closed the connection after it read enough.
        ended.append(is_gone(conn))
        return False
    return step


def check_failure(answer, codes):
    check(answer.status >= 500 and answer.end == CLEAN, answer)
    check(answer.get("x-recourse-error-code") in codes, "wanted", codes, answer.head.raw, answer)
    check(b'"recourse"' in answer.body, "no report", answer)


def refuse(_, rest, data):
    codes, how = rest[0].split(","), rest[1] if len(rest) > 1 else ""
    for is_slow in (False, True) if len(data) < 2000 else (False,):
        ended = []
        with Client(gateway.port) as client:
            mark, plan = upstream.plan(sending(data, how, ended, is_slow))
            check_failure(client.ask(chat(mark, "once")), codes)
            check(len(plan.seen) == 1, "tried again")
            # With a second target, the client notices nothing.
            mark, plan = upstream.plan(sending(data, how, ended, is_slow), saying(OK_CHAT))
            answer = client.ask(chat(mark, "two"))
            check(answer.status == 200 and answer.body == BODY, answer)
            check(answer.get("x-recourse-attempts") == "2", answer)
            first, second = plan.seen
            check(how == "keep" or first.connection != second.connection, "the connection was used again")
        check(all(ended), "the gateway kept the connection")


# ---- complete responses with further bytes ----


def garbage_behind(data):
    """A complete response is used, but bytes after it make the gateway close the connection."""
    ended = []
    with Client(gateway.port) as client:
        mark, plan = upstream.plan(sending(data, "", ended, False))
        for _ in range(3):
            answer = client.ask(chat(mark, "once"))
            check(answer.status == 200 and answer.body == BODY, answer)
        check(len({request.connection for request in plan.seen}) == 3, "used again")
    wait_until(lambda: len(ended) == 3, "the gateway to let go")


def garbage_at_rest():
    """An idle connection on which the provider sends bytes is not used again."""
    ended = []

    def step(conn, request):
        conn.sendall(OK_CHAT)
        if request.number == 1:
            resting.wait(WAIT_S)
        conn.sendall(OK_CHAT.replace(b"Hello", b"Wrong"))
        ended.append(is_gone(conn))
        return False
    resting = threading.Event()
    with Client(gateway.port) as client:
        mark, plan = quiet.plan(step, saying(OK_CHAT))
        check(client.ask(chat(mark, "rest")).status == 200)
        resting.set()
        wait_until(lambda: ended, "the gateway to let go")
        answer = client.ask(chat(mark, "rest"))
        check(answer.status == 200 and b"Wrong" not in answer.body, answer)
        check(plan.seen[0].connection != plan.seen[1].connection, "used again")


# ---- valid responses ----


def passes(data, step=saying):
    with Client(gateway.port) as client:
        mark, _ = upstream.plan(step(data))
        answer = client.ask(chat(mark, "once"))
        check(answer.status == 200 and answer.end == CLEAN and answer.body == BODY, answer)


def kept():
    """A good connection is reused, so the cases above do not pass by chance."""
    with Client(gateway.port) as client:
        mark, plan = upstream.plan(saying(OK_CHAT))
        for _ in range(40):
            check(client.ask(chat(mark, "once")).status == 200)
        check(any(request.number > 1 for request in plan.seen), "never used again")


def redirected(status):
    with Client(gateway.port) as client:
        mark, plan = upstream.plan(saying(http(b"{}", status=f"{status} Moved", extra=(
            b"Location: %b?token=t0ken\r\n" % upstream.url("/elsewhere").replace("//", "//me:pa55@").encode()))))
        answer = client.ask(chat(mark, "once"))
        check(answer.status >= 400 and answer.get("x-recourse-error-code"), answer)
        check(not answer.get("location"), answer.head.raw)
        report = report_of(json.loads(answer.body))
        check(report["message"] == f"a redirects to {upstream.url('/elsewhere')} instead of responding.", report)
        check("base_url" in report["user_action"]["detail"], report)
        check(b"t0ken" not in answer.body and b"pa55" not in answer.body, answer)
        check([request.path for request in plan.seen] == ["/a/v1/chat/completions"],
              "followed", [request.path for request in plan.seen])


suite = Suite()
for one in read_cases(os.path.join(HERE, "responses.txt"), words_of):
    suite.case("refused: " + one[0], refuse, *one)

chunked = OK + b"Transfer-Encoding: chunked\r\n\r\n"
suite.case("garbage behind the length", garbage_behind, OK_CHAT + b"garbage")
suite.case("garbage behind the last chunk", garbage_behind, chunked + chunk(BODY) + b"0\r\n\r\nxyz")
suite.case("a second response behind the first", garbage_behind, OK_CHAT + OK_CHAT)
suite.case("an answer on a connection at rest", garbage_at_rest)
for name, sent, step in (
        ("no reason", OK_CHAT.replace(b"200 OK", b"200 "), saying),
        ("no reason and no space", OK_CHAT.replace(b"200 OK", b"200"), saying),
        ("chunked", chunked + chunk(BODY[:9]) + chunk(BODY[9:]) + b"0\r\n\r\n", saying),
        ("chunks with extensions and a trailer", chunked + b"%x;a=b\r\n%b\r\n0;e\r\n"
         b"X-Sum: 1\r\n\r\n" % (len(BODY), BODY), saying),
        ("chunks with several extensions", chunked + b'%x;a=b;c="d;e";f\r\n%b\r\n0;a=b;c=d\r\n\r\n'
         % (len(BODY), BODY), saying),
        ("an extension in each of many chunks", chunked + b"".join(
            b"1;signature=%b;n=%d\r\n%c\r\n" % (b"f" * 64, i, byte) for i, byte in enumerate(BODY))
         + b"0\r\n\r\n", saying),
        ("a coding in another case", chunked.replace(b"chunked", b"CHUNKED") + chunk(BODY)
         + b"0\r\n\r\n", saying),
        ("interim answers", b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n"
         b"\r\n" + OK_CHAT, saying),
        ("the end being the end", OK + b"\r\n" + BODY, ending),
        ("the end being the end, of 1.0", OK.replace(b"1.1", b"1.0") + b"\r\n" + BODY, ending),
        ("zeros before the length", OK_CHAT.replace(b"Length: ", b"Length: 000"), saying),
        ("spaces around the length", OK_CHAT.replace(b"Length: 133", b"Length:    133   "), saying)):
    suite.case("passes: " + name, passes, sent, step)
suite.case("a good connection is used again", kept)
for code in (301, 302, 303, 307, 308):
    suite.case(f"a redirect is not followed: {code}", redirected, code)
suite.alone("nothing came unasked", lambda: check(not upstream.strays, upstream.strays))
main(suite, gateway, upstream, quiet)
