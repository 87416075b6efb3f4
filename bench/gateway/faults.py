"""The failure path: one fault after another, with our gateway and with Portkey, each with the closest
equivalent configuration. The provider is recourse mock, whose statistics show the tokens spent."""
import concurrent.futures
import json
import os
import socket
import time
import urllib.request
from statistics import median

import bodies
import process
from fault_client import ANSWER, LOOKS_CLEAN, TOKENS, ask, outcome
from proxies import known_keys

PATIENCE_S = 8
MORE = 10
LIMIT_MS = 1000  # time limit until the first byte, and between two chunks


class Fault:
    """One fault. spare: there is a second target, which works unless spare_fails is set. once: the
    fault ends after one failure. lasting: further requests after the first one are measured,
    too."""

    def __init__(self, name, behaviour, stream=False, dialect="openai", spare=True, once=False,
                 deadline_ms=None, leave_after=None, dead=False, spare_fails=False, lasting=False):
        self.name, self.stream, self.dialect, self.spare = name, stream, dialect, spare
        self.deadline_ms, self.leave_after, self.dead = deadline_ms, leave_after, dead
        self.lasting = lasting
        text = "" if "tokens-" in behaviour else f"+tokens-{TOKENS}"
        self.model = behaviour + text + ("@1" if once else "")
        self.spare_model = self.model if spare_fails else f"tokens-{TOKENS}"

    def path(self):
        return "/v1/messages" if self.dialect == "anthropic" else "/v1/chat/completions"

    def body(self):
        body = {"model": self.model, "stream": self.stream,
                "messages": [{"role": "user", "content": "Hello you"}]}
        return body | ({"max_tokens": 200} if self.dialect == "anthropic" else {})


FAULTS = (
    Fault("503 once", "503", once=True),
    Fault("503 always", "503", lasting=True),
    Fault("503 once, nobody else", "503", once=True, spare=False),
    Fault("529 once (Anthropic)", "529", once=True, dialect="anthropic"),
    Fault("529 always (Anthropic)", "529", dialect="anthropic"),
    Fault("429, retry-after 1 s", "429-retry-after-1", once=True),
    Fault("429, retry-after 1 s, nobody else", "429-retry-after-1", once=True, spare=False),
    Fault("429, retry-after 60 s", "429-retry-after-60", lasting=True),
    Fault("429, retry-after 60 s, nobody else", "429-retry-after-60", spare=False),
    Fault("insufficient_quota", "quota", lasting=True),
    Fault("insufficient_quota, nobody else", "quota", spare=False),
    Fault("401, the key is dead", "401"),
    Fault("400, the request is wrong", "400", spare_fails=True),
    Fault("502 as a proxy's page", "html-502"),
    Fault("connection refused", "ok", dead=True, lasting=True),
    Fault("closed without an answer", "refuse"),
    Fault("200 with an error inside", "503+200-with-error"),
    Fault("200 without a body", "empty-200"),
    Fault("200, JSON cut short", "truncated-json"),
    Fault("200, reset after 100 bytes", "cut-bytes-100"),
    Fault("200, shorter than its length", "wrong-length"),
    Fault("hang, limit 1 s", "hang", lasting=True),
    Fault("hang, nobody else, deadline 1 s", "hang", spare=False, deadline_ms=1000),
    Fault("stream: error is the first event", "503+stream-error-first", stream=True),
    Fault("stream: no event at all", "empty-stream", stream=True),
    Fault("stream: message_start, then overloaded", "start-then-overloaded", stream=True,
          dialect="anthropic"),
    Fault("stream: silence before the first token", "stall-after-0", stream=True),
    Fault("stream: reset after 5 tokens", "cut-after-5", stream=True),
    Fault("stream: closed after 5 tokens", "fin-after-5", stream=True),
    Fault("stream: error after 5 tokens", "503+stream-error-after-5", stream=True),
    Fault("stream: silence after 5 tokens", "stall-after-5", stream=True),
    Fault("stream: no terminator (Anthropic)", "no-terminator", stream=True, dialect="anthropic"),
    Fault("stream: the 5th event is no JSON", "damaged-line-5", stream=True),
    Fault("stream: a chunk's size is no number", "bad-chunk", stream=True),
    Fault("client leaves after 5 of 200 tokens", "trickle-10+tokens-200", stream=True,
          leave_after=5),
)


class Mock:
    def __init__(self, program, core, home):
        port_file = f"{home}/mock.port"
        self.child = process.spawn([program, "mock", "--listen", "127.0.0.1:0", "--port-file",
                                    port_file, "--quiet"], core, f"{home}/mock.log")
        self.port = read_port(port_file, self.child)

    def stats(self):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/mock/stats") as answer:
            return json.load(answer)


def read_port(path, child):
    until = time.monotonic() + 20
    while time.monotonic() < until and child.poll() is None:
        try:
            with open(path) as file:
                text = file.read()
            if text.strip():
                return int(text)
        except FileNotFoundError:
            pass
        time.sleep(0.005)
    raise RuntimeError(f"{child.args}: no port in {path}")


class Ours:
    """A new gateway for each run, so that no state remains of the previous run."""

    def __init__(self, program, core, home, fault, port, dead_port):
        lines = ["listen: 127.0.0.1:0", f"store: sqlite:{home}/audit.db", "providers:"]
        base = "" if fault.dialect == "anthropic" else "/v1"
        for name, to in (("up", dead_port if fault.dead else port), ("spare", port)):
            lines.append(f"  {name}: {{kind: {fault.dialect}, keys: [env:BENCH_KEY], "
                         f'base_url: "http://127.0.0.1:{to}{base}"}}')
        spare = f", {{target: spare/{fault.spare_model}}}" if fault.spare else ""
        deadline = fault.deadline_ms or PATIENCE_S * 1000
        lines += ["routes:", f'  - {{model: "*", chain: [{{target: up/*}}{spare}], '
                  f"deadline_ms: {deadline}, timeouts: {{first_byte_ms: {LIMIT_MS}, idle_ms: {LIMIT_MS}}}}}"]
        lines += known_keys(program, lines, ["threads: 1", "admin: {listen: off}"])
        path = f"{home}/recourse.yaml"
        with open(path, "w") as file:
            file.write("\n".join(lines) + "\n")
        port_file = f"{home}/serve.port"
        self.child = process.spawn(
            [program, "serve", "--config", path, "--listen", "127.0.0.1:0", "--port-file",
             port_file], core, f"{home}/serve.log", {"BENCH_KEY": bodies.KEY})
        self.port = read_port(port_file, self.child)

    def headers(self):
        return {"content-type": "application/json", "anthropic-version": "2023-06-01"}

    def end(self):
        process.end(self.child)


class Theirs:
    """One Portkey for all runs: a header of each request contains its configuration."""

    def __init__(self, portkey_port, fault, port, dead_port):
        self.port = portkey_port
        first = self.target(fault, dead_port if fault.dead else port)
        targets = [first]
        if fault.spare:
            targets.append(self.target(fault, port) |
                           {"override_params": {"model": fault.spare_model}})
        self.config = {"strategy": {"mode": "fallback"}, "retry": {"attempts": 2},
                       "request_timeout": fault.deadline_ms or LIMIT_MS, "targets": targets}

    def target(self, fault, port):
        return {"provider": fault.dialect, "api_key": bodies.KEY,
                "custom_host": f"http://127.0.0.1:{port}/v1"}

    def headers(self):
        return {"content-type": "application/json", "anthropic-version": "2023-06-01",
                "x-portkey-config": json.dumps(self.config, separators=(",", ":"))}

    def end(self):
        pass


class Run:
    """The result of one request."""

    def __init__(self, seen, before, stats):
        self.seen, tokens = outcome(seen)
        self.ms = seen.seconds * 1000
        self.calls = stats["requests"] - before["requests"]
        self.lost = max(0, stats["tokens_out"] - before["tokens_out"] - tokens)
        self.is_clean_lie = self.seen in LOOKS_CLEAN


def settle(mock):
    """Returns the mock's statistics once they no longer change."""
    stats = mock.stats()
    for _ in range(20):
        time.sleep(0.15)
        later = mock.stats()
        if later["tokens_out"] == stats["tokens_out"]:
            return later
        stats = later
    return stats


def calls_of(mock, fault):
    """Returns the number of calls to the failing target."""
    return mock.stats()["by_model"].get(fault.model, {"requests": 0})["requests"]


class Bench:
    def __init__(self, program, core, work, portkey_port):
        self.program, self.core, self.work = program, core, work
        self.portkey_port = portkey_port
        self.dead = socket.socket()  # bound, but does not listen: connections are refused
        self.dead.bind(("127.0.0.1", 0))

    def run(self, whose, fault, turn):
        return self.within(whose, fault, turn, self.one)

    def one(self, gateway, mock, fault):
        before = mock.stats()
        seen = ask(gateway.port, fault.path(), fault.body(), gateway.headers(), PATIENCE_S,
                   fault.leave_after)
        return Run(seen, before, settle(mock))

    def more(self, gateway, mock, fault):
        """Measures the cost of further requests directly after the first one."""
        self.one(gateway, mock, fault)
        before = calls_of(mock, fault)

        def again(_):
            return ask(gateway.port, fault.path(), fault.body(), gateway.headers(), PATIENCE_S)
        with concurrent.futures.ThreadPoolExecutor(MORE) as pool:
            seen = list(pool.map(again, range(MORE)))
        return {"ms": median(one.seconds for one in seen) * 1000,
                "answers": sum(outcome(one)[0] == ANSWER for one in seen),
                "in_vain": calls_of(mock, fault) - before}

    def within(self, whose, fault, turn, measure):
        home = f"{self.work}/fault.{whose}.{FAULTS.index(fault)}.{turn}"
        os.makedirs(home)
        dead_port = self.dead.getsockname()[1]
        mock = Mock(self.program, self.core, home)
        try:
            if whose == "ours":
                gateway = Ours(self.program, self.core, home, fault, mock.port, dead_port)
            else:
                gateway = Theirs(self.portkey_port, fault, mock.port, dead_port)
            try:
                return measure(gateway, mock, fault)
            finally:
                gateway.end()
        finally:
            process.end(mock.child)

    def all(self, turns):
        """Returns {(whose, fault): [Run]}. Several runs are executed at a time, because a run
        mostly waits."""
        work = [(one, fault, turn) for turn in range(turns) for fault in FAULTS
                for one in self.names()]
        with concurrent.futures.ThreadPoolExecutor(6) as pool:
            runs = list(pool.map(lambda item: self.run(*item), work))
        found = {}
        for (one, fault, _), run in zip(work, runs):
            found.setdefault((one, fault), []).append(run)
        return found

    def all_more(self):
        """Returns {(whose, fault): cost of further requests} for the lasting faults."""
        work = [(one, fault) for fault in FAULTS if fault.lasting for one in self.names()]
        with concurrent.futures.ThreadPoolExecutor(3) as pool:
            costs = pool.map(lambda item: self.within(*item, "more", self.more), work)
        return dict(zip(work, costs))

    def names(self):
        return ["ours"] + (["portkey"] if self.portkey_port else [])


def cell(runs):
    """Returns the median time and the worst of the other values."""
    worst = max(runs, key=lambda run: (run.is_clean_lie, run.seen != ANSWER, run.calls, run.lost))
    return {"ms": median(run.ms for run in runs), "calls": max(run.calls for run in runs),
            "lost": max(run.lost for run in runs), "seen": worst.seen,
            "looks_clean": worst.is_clean_lie}


def totals(cells, faults):
    """Returns the totals without the fault in which the client disconnects, because that is no
    failure of the provider."""
    counted = [cells[fault] for fault in faults if fault.leave_after is None]
    return {"answers": sum(one["seen"] == ANSWER for one in counted), "of": len(counted),
            "lies": sum(one["looks_clean"] for one in counted),
            "calls": sum(one["calls"] for one in counted),
            "lost": sum(one["lost"] for one in counted),
            "ms": sum(one["ms"] for one in counted)}


def print_table(cells, turns):
    print(f"\nThe failure path ({turns} runs of each: the median time, the worst of the rest)\n")
    print(" " * 40 + "".join(f"{one:^40}" for one in cells).rstrip())
    head = f"{'ms':>8}{'calls':>7}{'lost':>6}   {'client sees':<16}"
    print((f"{'fault':<40}" + head * len(cells)).rstrip())
    for fault in FAULTS:
        text = f"{fault.name:<40}"
        for one in cells.values():
            that = one[fault]
            seen = "(left)" if fault.leave_after else that["seen"]
            mark = "!" if that["looks_clean"] and not fault.leave_after else " "
            text += f"{that['ms']:>8,.0f}{that['calls']:>7}{that['lost']:>6}  {mark}{seen:<16}"
        print(text.rstrip())
    print()
    for name, one in cells.items():
        sums = totals(one, FAULTS)
        print(f"{name}: {sums['answers']} of {sums['of']} became good answers, {sums['lies']} broken "
              f"ones looked clean (!), {sums['calls']} calls, {sums['lost']} tokens lost, "
              f"{sums['ms'] / 1000:.1f} s in all")
    print("lost: tokens that the provider made and the client did not get")


def print_more(found):
    print(f"\nWhile it lasts: {MORE} more requests at once after the first\n")
    names = list(dict.fromkeys(one for one, _ in found))
    print(" " * 40 + "".join(f"{one:^32}" for one in names).rstrip())
    print(f"{'fault':<40}" + f"{'ms':>8}{'calls in vain':>15}{'answers':>9}" * len(names))
    for fault in FAULTS:
        if not fault.lasting:
            continue
        text = f"{fault.name:<40}"
        for one in names:
            that = found[one, fault]
            vain = "-" if fault.dead else that["in_vain"]
            text += f"{that['ms']:>8,.0f}{vain:>15}{that['answers']:>9}"
        print(text)


def compare(bench, turns):
    """Runs and prints both tables; returns them as JSON."""
    found = bench.all(turns)
    cells = {one: {fault: cell(found[one, fault]) for fault in FAULTS} for one in bench.names()}
    print_table(cells, turns)
    more = bench.all_more()
    print_more(more)
    return {"faults": {one: {fault.name: that for fault, that in column.items()}
                       for one, column in cells.items()},
            "more": [{"gateway": one, "fault": fault.name, **that}
                     for (one, fault), that in more.items()]}
