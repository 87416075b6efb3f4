"""Memory, start and disconnects of a proxy, each measured in a process of its own that has done nothing
else."""
import socket
import time

import table

STREAMS = 2000
FEW_STREAMS = 120
STALLED = 8
PATIENCE_MS = 1500


def warm(driver, proxy):
    port, request = proxy.way("plain")
    driver.load(port, request, 8, 100)


def answered(proxy):
    """Returns whether the proxy already responds to a request."""
    port, path = proxy.way("plain")
    with open(path, "rb") as file:
        request = file.read()
    try:
        with socket.create_connection(("127.0.0.1", port), 1) as one:
            one.sendall(request)
            return one.recv(64).startswith(b"HTTP/1.1 200")
    except OSError:
        return False


def cold_start_ms(proxy):
    command = proxy.prepare()
    proxy.way("plain")
    since = time.monotonic()
    proxy.spawn(command)
    while not answered(proxy):
        if time.monotonic() - since > 20:
            raise RuntimeError(f"{proxy.name} does not start")
        time.sleep(0.0002)
    return (time.monotonic() - since) * 1000


def start_rows(proxies, is_quick):
    """Measures a cold start: the time to the first response, in the fastest of several runs,
    because other load disturbs this run least."""
    names = [name for name in ("audit-off", "audit-on", "haproxy", "nginx", "portkey")
             if name in proxies]
    times = {name: [] for name in names}
    idle = {}
    for turn in range(5 if is_quick else 15):
        for name in names:
            if name == "portkey" and turn >= 3:
                continue
            proxy = proxies[name]
            try:
                times[name].append(cold_start_ms(proxy))
                idle[name] = proxy.rss_kb() / 1024
            finally:
                proxy.end()
    rows = []
    for which in ("audit-off", "audit-on"):
        if which not in names:
            continue
        label = which.replace("-", " ")
        rows.append(table.Row(f"resident after the first answer, {label}", "MB", idle[which],
                              idle["haproxy"], "haproxy", goal=8))
        rows.append(table.Row(f"cold start to the first answer, best, {label}", "ms",
                              min(times[which]), min(times["haproxy"]), "haproxy", goal=20))
    for name in ("nginx", "portkey"):
        if name in names:
            rows.append(table.Row("resident after the first answer, audit off", "MB",
                                  idle["audit-off"], idle[name], name))
            rows.append(table.Row("cold start to the first answer, best, audit off", "ms",
                                  min(times["audit-off"]), min(times[name]), name))
    return rows


def fresh(driver, proxy, measure):
    proxy.start()
    try:
        warm(driver, proxy)
        return measure(proxy)
    finally:
        proxy.end()


class TooFew(RuntimeError):
    """Raised for a proxy that cannot hold the wanted number of streams."""


def stream_kb(driver, streams):
    def measure(proxy):
        port, request = proxy.way("hold")
        before = proxy.rss_kb()
        answer = driver.tell("open", port=port, clients=streams, request=request)
        if answer["begun_bodies"] != streams or answer["bad"] > 0:
            raise TooFew(f"{proxy.name} opened {answer['begun_bodies'] - answer['bad']} of "
                         f"{streams} streams (then: {answer['bad_status']})")
        time.sleep(0.3)
        grown = proxy.rss_kb() - before
        driver.tell("leave", service="hold", wait_ms=1)
        return grown / streams
    return measure


def stalled_mb(driver):
    """Measures the memory growth for one client that stopped reading, while the provider has 64 MB
    to send."""
    def measure(proxy):
        port, request = proxy.way("flood")
        before = proxy.rss_kb()
        driver.tell("open", port=port, clients=STALLED, request=request, stalled=1)
        sent, most, until = -1, 0, time.monotonic() + 6
        while time.monotonic() < until:
            now = driver.tell("stats")["flood"]["body_bytes"]
            most = max(most, proxy.rss_kb() - before)
            if now == sent:
                break
            sent = now
            time.sleep(0.4)
        driver.tell("leave", service="flood", wait_ms=1)
        return most / 1024 / STALLED
    return measure


def memory_rows(driver, proxies):
    names = [name for name in ("audit-off", "haproxy", "nginx", "portkey") if name in proxies]
    kb, few = {}, {}
    for name in names:
        try:
            kb[name] = fresh(driver, proxies[name], stream_kb(driver, STREAMS))
        except TooFew as why:
            few[name] = f"{why}; the number is that of {FEW_STREAMS}"
            kb[name] = fresh(driver, proxies[name], stream_kb(driver, FEW_STREAMS))
    mb = {name: fresh(driver, proxies[name], stalled_mb(driver)) for name in names}
    rows = []
    for name in names[1:]:
        goal = {"goal": 12} if name == "haproxy" else {}
        rows.append(table.Row(f"memory of an idle stream, {STREAMS} open", "KB", kb["audit-off"],
                              kb[name], name, has_failed="audit-off" in few and bool(goal),
                              note=few.get("audit-off" if goal else name), **goal))
    for name in names[1:]:
        goal = {"goal": 1} if name == "haproxy" else {}
        rows.append(table.Row("growth with a stalled reader", "MB", mb["audit-off"],
                              mb[name], name, **goal))
    return rows


def leave_ms(driver, proxy, way, times):
    """Returns the milliseconds from the client's disconnect until the provider sees it; None: the
    provider did not see it within PATIENCE_MS."""
    took = []
    port, request = proxy.way(way)
    for _ in range(times):
        driver.tell("open", port=port, clients=1, request=request, service=way)
        time.sleep(0.01)
        answer = driver.tell("leave", service=way, wait_ms=PATIENCE_MS)
        if answer["gone"] == 0:
            return None
        took.append(answer["last_ms"])
    return max(took)


def leave_rows(driver, proxies):
    rows = []
    ways = (("hold", "client left in a stream, provider let go"),
            ("mute", "client left before the answer, provider let go"))
    for way, measure in ways:
        took = {}
        for name in ("audit-off", "haproxy", "nginx", "portkey"):
            if name in proxies:
                took[name] = leave_ms(driver, proxies[name], way, 20)
        for name in list(took)[1:]:
            goal = {"goal": 50} if name == "haproxy" else {}
            note = None if took[name] is not None else \
                f"{name} keeps the provider's connection: still open after {PATIENCE_MS} ms"
            rows.append(table.Row(measure, "ms at most", took["audit-off"], took[name], name,
                                  note=note, **goal))
    return rows
