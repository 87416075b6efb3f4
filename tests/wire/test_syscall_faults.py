"""System calls fail, injected by strace: a full or broken disk, no descriptors, reset connections. The gateway reports
the fault, continues, and recovers when the system calls work again."""

from gateways import Lasting, chat
from harness import IS_FEW, Suite, check, main, wait_until
from peers import CLEAN, Client, Upstream, config

DEMO = {"providers": {"demo": {"kind": "demo"}}, "threads": 1,
        "routes": [{"model": "*", "chain": [{"target": "demo/*"}]}]}


def inject(call, error, when):
    return ["-e", f"trace={call}", "-e", f"inject={call}:error={error}:when={when}"]


def ask(gateway, model="ok"):
    with Client(gateway.port) as client:
        return client.ask(chat(model))


def try_to_start(gateway, options):
    """Starts the gateway. Returns False if it ended with an error message; fails if it crashed."""
    try:
        gateway.start(*options)
        return True
    except AssertionError:
        status = gateway.process.wait()
        check(0 < status < 128, "it ended with", status, gateway.said()[-2000:])
        check("recourse serve: " in gateway.said(), gateway.said()[-2000:])
        return False


def is_typed(answer):
    return (answer.status in (500, 503) and answer.end == CLEAN
            and answer.get("x-recourse-error-code") == "StoreUnavailable"
            and b'"user_action"' in answer.body)


def disk_fails(call, error, when):
    """Either the gateway refuses to start with a message, or requests get an error with a code; no partial record is
    stored."""
    gateway = Lasting(DEMO)
    try:
        if try_to_start(gateway, inject(call, error, when)):
            answers = []
            for _ in range(6):
                answers.append(ask(gateway))
                if answers[-1].status != 200:
                    break
            for answer in answers:
                check(answer.status == 200 or is_typed(answer), answer)
            if any(answer.status != 200 for answer in answers):
                check("the audit store is unavailable" in gateway.said(), gateway.said()[-2000:])
            gateway.kill()
        # With a working disk the gateway starts, and all recorded responses are in the store.
        gateway.start()
        check(ask(gateway).status == 200, gateway.said()[-2000:])
        gateway.end()
        check(gateway.is_sound(), "the file is damaged")
        check(all(len(ends) == 1 for ends in gateway.operations().values()), gateway.operations())
    finally:
        gateway.stop()


def disk_recovers():
    """The disk works again while the gateway runs: no restart is needed, and the outage is recorded."""
    gateway = Lasting(DEMO)
    # The third flush after the start and the flushes after it fail, until the fault has passed.
    try:
        gateway.start(*inject("fdatasync", "EIO", "12..16"))
        answers = []

        def is_well():
            answers.append(ask(gateway))
            return len(answers) > 12 and answers[-1].status == 200
        wait_until(is_well, "a good answer")
        check(all(answer.status == 200 or is_typed(answer) for answer in answers), answers)
        gateway.end()
        check(gateway.is_sound(), "the file is damaged")
    finally:
        gateway.stop()


def goes_on_without_the_store():
    """With on_failure: continue, requests are served while the store fails, and the failure is reported."""
    gateway = Lasting({**DEMO, "audit": {"on_failure": "continue"}})
    try:
        if not try_to_start(gateway, inject("fdatasync", "EIO", "14+")):
            return
        for _ in range(30):
            answer = ask(gateway)
            check(answer.status == 200, answer)
            if "SuppressedError" in gateway.said():
                break
        check("SuppressedError" in gateway.said(), gateway.said()[-2000:])
        gateway.kill()
    finally:
        gateway.stop()


def no_descriptor_for_a_connection():
    gateway = Lasting(DEMO)
    try:
        gateway.start(*inject("accept4", "EMFILE", "2..6"))
        for _ in range(12):  # The kernel queues the connections until the gateway can accept them.
            answer = ask(gateway)
            check(answer.status == 200, answer)
        gateway.end()
    finally:
        gateway.stop()


upstream = Upstream()


def connection_breaks(call, error, when):
    """Whichever system call fails on either side, the client gets a complete response, an error with a code or a
    broken connection, and the gateway does not crash."""
    settings = {**config(upstream), "audit": {"durability": "off"}, "threads": 1}
    # After a write that was reset only by the injection, the provider waits on an open connection and never responds,
    # so a short time limit is set.
    for route in settings["routes"]:
        route["timeouts"] = {"first_byte_ms": 500}
    gateway = Lasting(settings)
    try:
        if not try_to_start(gateway, inject(call, error, when)):
            return
        for _ in range(25):
            try:
                answer = ask(gateway, "m")
            except OSError:
                continue
            is_whole = answer.end == CLEAN and answer.status in (200, 500, 502, 503, 504)
            check(is_whole or (answer.head is None and answer.end != CLEAN), answer)
        check(gateway.process.poll() is None, "it is gone:", gateway.said()[-2000:])
        check(ask(gateway, "m").status in (200, 502, 503), "it does not recover")
        gateway.end()
    finally:
        gateway.stop()


suite = Suite(threads=32)
places = (9, 15) if IS_FEW else (1, 8, 11, 13, 17, 31)
for place in places:
    suite.case(f"no space at write {place} and from then on", disk_fails, "pwrite64", "ENOSPC", f"{place}+")
    suite.case(f"no flush from the {place}th on", disk_fails, "fdatasync", "EIO", f"{place}+")
    suite.case(f"write {place} fails once", disk_fails, "pwrite64", "EIO", place)
suite.case("a disk that fails for a while", disk_recovers)
suite.case("going on without the store", goes_on_without_the_store)
suite.case("no descriptors for a while", no_descriptor_for_a_connection)
# System calls that libuv itself needs are not made to fail, because libuv aborts if they fail.
for place in places if IS_FEW else (1, 2, 3, 5, 8, 13):
    suite.case(f"writev {place} is reset", connection_breaks, "writev", "ECONNRESET", f"{place}+9")
    suite.case(f"connect {place} is refused", connection_breaks, "connect", "ECONNREFUSED", f"{place}+5")
    suite.case(f"socket {place} finds no descriptor", connection_breaks, "socket", "EMFILE", f"{place}+5")
    suite.case(f"accept {place} is aborted", connection_breaks, "accept4", "ECONNABORTED", f"{place}+5")
main(suite, upstream)
