"""A thousand operations of every kind against a provider that counts tokens itself: every sum in the audit agrees with
the provider's counts, to the token.

A provider does not count a response that it cuts off; the gateway then estimates the tokens from the length of the
text. This test's provider counts words. Both counts agree for words of four letters including the separator, so all
prompts consist of such words, and responses that end too early repeat the prompt."""

import csv
import io
import itertools
import json
import os
import random
import subprocess
import threading
from queue import Empty, SimpleQueue

from dialects import DIALECTS
from gateways import Lasting, Metrics
from harness import IS_FEW, RECOURSE, WAIT_S, Suite, check, main, wait_until
from mocks import Mock
from peers import CLEAN, Client

OPERATIONS = 150 if IS_FEW else 1000
THREADS = 12
MEASURED, ESTIMATED = 4, 8
# Millionths of a dollar per token, so that all costs are exact.
PRICE_IN, PRICE_OUT = 3, 7
PRICES = ("as_of: 2026-11-01\nbuilt_in: false\nprices:\n"
          f"  - {{model: '*', input: {PRICE_IN}, output: {PRICE_OUT}}}\n")
PROMPT = "fish how are you and the big red sun all day far out sea"  # The 14th word ends the response.
SEEN = 5  # Number of words that a client reads before it disconnects.
LAST_SEEN = b"and"

# Two providers for each API family; the path tells the mock which provider is called.
PROVIDERS = {"oa": ("openai", "/v1"), "ob": ("openai", "/v1"),
             "ca": ("anthropic", ""), "cb": ("anthropic", ""),
             "ga": ("gemini", ""), "gb": ("gemini", "")}
TOKEN = b"Authorization: Bearer token-of-app\r\n"
KEYS = {f"{name}:{number}": f"key-of-{name}-{number}" for name in PROVIDERS for number in (1, 2)}


# EITHER: the operation may succeed or fail, because enough attempts may fail at the same time to use up the limit.
ANSWER, FAILURE, EITHER, BROKEN, LEAVES, LEAVES_EARLY = range(6)
WHOLE, STREAM, BOTH = (False,), (True,), (False, True)


class Kind:
    """A kind of operation and its expected end. chain: models of the first and the second provider."""

    def __init__(self, name, ways, end, chain, share=2, **route):
        self.name, self.ways, self.end, self.chain = name, ways, end, chain
        self.share, self.route = share, route


# SILENT: a short time limit for the first byte. STALL: a short time limit between two pieces of a stream.
SILENT = {"timeouts": {"connect_ms": 30000, "first_byte_ms": 1000, "idle_ms": 30000}}
STALL = {"timeouts": {"connect_ms": 30000, "first_byte_ms": 30000, "idle_ms": 300}}
KINDS = [
    Kind("ok", BOTH, ANSWER, ["ok"], 4),
    Kind("echo", BOTH, ANSWER, ["echo"], 4),
    Kind("long", BOTH, ANSWER, ["tokens-40"], 3),
    Kind("thinks", BOTH, ANSWER, ["reasoning"]),
    Kind("calls", BOTH, ANSWER, ["tool-call"]),
    Kind("retried", BOTH, EITHER, ["503@1/2"], 3),
    Kind("retried-in-200", BOTH, EITHER, ["200-with-error@1/3"]),
    Kind("retried-first", STREAM, EITHER, ["stream-error-first@1/2"], 3),
    Kind("retried-begun", STREAM, EITHER, ["start-then-overloaded@1/2"], 3),
    Kind("retried-cut-whole", WHOLE, EITHER, ["echo+cut-bytes-1@1/2"]),
    Kind("retried-refused", BOTH, EITHER, ["refuse@1/2"]),
    Kind("retried-empty", STREAM, EITHER, ["empty-stream@1/2"]),
    Kind("retried-silent", BOTH, EITHER, ["hang@1/2"], 1, **SILENT),
    Kind("switched", BOTH, ANSWER, ["switched"], 3),
    Kind("fails-over", BOTH, ANSWER, ["529", "echo"], 4),
    Kind("fails-over-begun", STREAM, ANSWER, ["start-then-overloaded", "echo"], 3),
    Kind("fails-over-quota", BOTH, ANSWER, ["429", "tokens-7"], 3),
    Kind("fails-over-silent", BOTH, ANSWER, ["slow-first-60s", "echo"], 1, **SILENT),
    Kind("hedged", BOTH, ANSWER, ["slow-first-60s", "tokens-9"], 1, hedge_ms=20),
    Kind("fails", BOTH, FAILURE, ["400"]),
    Kind("fails-all", BOTH, FAILURE, ["503", "502"]),
    Kind("cut", STREAM, BROKEN, ["echo+cut-after-3"], 4),
    Kind("cut-late", STREAM, BROKEN, ["echo+cut-after-12"], 4),
    Kind("closed", STREAM, BROKEN, ["echo+fin-after-5"], 4),
    Kind("error-inside", STREAM, BROKEN, ["529+echo+stream-error-after-4"], 4),
    Kind("stalls", STREAM, BROKEN, ["echo+stall-after-6"], 2, **STALL),
    Kind("leaves", STREAM, LEAVES, [f"echo+stall-after-{SEEN}"], 5),
    Kind("leaves-early", BOTH, LEAVES_EARLY, ["hang"], 2),
]


def configuration(mock):
    """Returns a configuration with a route for each kind and pair of providers, and one budget for all of them."""
    routes = []
    for kind, (first, second) in itertools.product(KINDS, (("oa", "ob"), ("ca", "cb"), ("ga", "gb"))):
        chain = [{"target": f"{name}/{model}", "tries": 1 if len(kind.chain) > 1 else 4}
                 for name, model in zip((first, second), kind.chain)]
        routes.append({"model": f"{kind.name}.{first}", "policy": "quick", "chain": chain, **kind.route})
    return {
        "admin": {"listen": "127.0.0.1:0"}, "threads": 2, "prices": "prices.yaml",
        "providers": {name: {"kind": kind, "base_url": f"http://127.0.0.1:{mock.port}/{name}{path}",
                             "keys": [f"env:{name.upper()}_1", f"env:{name.upper()}_2"]}
                      for name, (kind, path) in PROVIDERS.items()},
        "policies": {"quick": {"max_attempts": 4, "backoff": "fixed", "base_ms": 1, "jitter": "none"}},
        "breaker": {"min_calls": 0}, "retry_budget": {"burst": 0}, "cooldown_ms": 0,
        "clients": [{"name": "app", "token": "env:TOKEN", "budget_usd": 1000}],
        "routes": routes}


SCENARIO = {
    # The keys have the names that the gateway gives them.
    "keys": [{"name": name, "ends": key} for name, key in KEYS.items()],
    "rules": [{"when": {"model": "switched", "key": f"{name}:1"}, "do": "429"} for name in PROVIDERS] +
             [{"when": {"model": "switched"}, "do": "echo"}]}


class Run:
    """Threads that take operations from one queue and carry them out."""

    def __init__(self, gateway, mock):
        self.gateway, self.mock = gateway, mock
        self.early = threading.Lock()
        self.queue = SimpleQueue()
        self.troubles = []
        self.answered = SimpleQueue()  # A queue with the name of the kind of each good response.
        combinations = [(kind, dialect, way) for kind in KINDS for dialect in DIALECTS
                        for way in kind.ways for _ in range(kind.share)]
        chance = random.Random(1)
        chance.shuffle(combinations)
        for number, combination in zip(range(OPERATIONS), itertools.cycle(combinations)):
            self.queue.put((number, *combination))

    def _leave_early(self, data):
        """Disconnects after the provider has received the request. Only one thread at a time
        disconnects early, so that its request can be recognised."""
        def count():
            return self.mock.ledger()["by_model"].get("hang", {"requests": 0})["requests"]
        with self.early:
            before = count()
            with Client(self.gateway.port) as client:
                client.send(data)
                wait_until(lambda: count() > before, "a request that hangs")

    def _one(self, number, kind, dialect, is_stream):
        words = PROMPT.split(" ")
        prompt = " ".join(words[:6 + number % 9]) if kind.end != BROKEN else PROMPT
        # If the response repeats the prompt, the provider need not report the usage.
        has_usage = number % 2 == 0 or not any("echo" in model for model in kind.chain)
        data = dialect.request(f"{kind.name}.{dialect.first}", is_stream, prompt, has_usage, TOKEN)
        if kind.end == LEAVES_EARLY:
            self._leave_early(data)
            return
        with Client(self.gateway.port) as client:
            if kind.end == LEAVES:
                client.send(data)
                client.source.until(LAST_SEEN)
                return
            answer = client.ask(data)
        check(answer.end == CLEAN, kind.name, dialect.name, answer)
        if kind.end in (ANSWER, BROKEN):
            check(answer.status == 200, kind.name, dialect.name, answer)
        if kind.end == FAILURE:
            check(answer.status >= 400, kind.name, dialect.name, answer)
        if answer.status == 200:
            self.answered.put(kind.name)
        if is_stream and answer.status == 200:
            check(dialect.has_error(answer.body) == (kind.end == BROKEN), kind.name, dialect.name, answer)

    def _run(self):
        try:
            while not self.troubles:
                self._one(*self.queue.get_nowait())
        except Empty:
            pass
        except Exception as error:  # The thread that counts reports the exception below.
            self.troubles.append(error)

    def run(self):
        threads = [threading.Thread(target=self._run) for _ in range(THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(2 * WAIT_S)
        if self.troubles:
            raise self.troubles[0]
        answered = {self.answered.get() for _ in range(self.answered.qsize())}
        missing = {kind.name for kind in KINDS if kind.end in (ANSWER, EITHER, BROKEN)} - answered
        check(not missing, "never answered:", missing)


# ---- sums from each source: {name: [requests, tokens in, tokens out]} ----

GROUPS = {"provider": lambda target, _: target.split("/")[0],
          "model": lambda target, _: target.split("/", 1)[1],
          "key": lambda _, credential: credential}


def add(sums, name, *numbers):
    row = sums.setdefault(name, [0] * len(numbers))
    for place, number in enumerate(numbers):
        row[place] += number


def of_the_mock(ledger):
    """Returns the mock's own sums. The path of a call shows its provider."""
    sums = {group: {} for group in ("all", *GROUPS)}
    tables = [("model", "by_model", lambda name: name), ("key", "by_key", lambda name: name),
              ("provider", "by_path", lambda path: path.split("/")[1])]
    for group, table, name_of in tables:
        check("(others)" not in ledger[table], "the mock has lost count:", ledger[table].keys())
        for name, row in ledger[table].items():
            add(sums[group], name_of(name), row["requests"], row["billed_in"], row["tokens_out"])
    add(sums["all"], "all", ledger["requests"], ledger["billed_in"], ledger["tokens_out"])
    return sums


def of_the_attempts(rows):
    """Returns the sums of the attempts. rows: (target, credential, tokens in, tokens out)."""
    sums = {group: {} for group in ("all", *GROUPS)}
    for target, credential, tokens_in, tokens_out in rows:
        add(sums["all"], "all", 1, tokens_in, tokens_out)
        for group, name_of in GROUPS.items():
            add(sums[group], name_of(target, credential), 1, tokens_in, tokens_out)
    return sums


def check_same(ours, theirs, who):
    for group, wanted in theirs.items():
        different = {name: (ours[group].get(name), wanted.get(name))
                     for name in {*ours[group], *wanted} if ours[group].get(name) != wanted.get(name)}
        check(not different, who, "by", group, "(ours, the provider's):", different)


class World:
    """The run of all operations, and the gateway's outputs during and after the run."""

    def __init__(self):
        tokens = {name.upper().replace(":", "_"): key for name, key in KEYS.items()}
        self.gateway = Lasting({}, {"TOKEN": "token-of-app", **tokens})
        with open(os.path.join(self.gateway.folder, "prices.yaml"), "w", encoding="ascii") as file:
            file.write(PRICES)
        self.mock = Mock(self.gateway.folder, SCENARIO)
        try:
            self.gateway.write({"listen": "127.0.0.1:0", "store": "sqlite:audit.db",
                                **configuration(self.mock)})
            self.gateway.start()
            Run(self.gateway, self.mock).run()
            wait_until(lambda: Metrics(self.gateway.page("/metrics")).sum("recourse_in_flight") == 0, "the last one")
            self.metrics = Metrics(self.gateway.page("/metrics"))
            self.budgets = json.loads(self.gateway.page("/admin/v1/budgets"))
            self.gateway.end()
            self.ledger = self.mock.ledger()
        except BaseException:
            self.stop()
            raise

    def audit(self, *words):
        return subprocess.run([RECOURSE, "audit", "--store", "sqlite:audit.db", *words], check=True,
                              cwd=self.gateway.folder, stdout=subprocess.PIPE, timeout=WAIT_S).stdout.decode()

    def total(self):
        """Returns the tokens in, the tokens out and their cost, from the provider's ledger."""
        tokens_in, tokens_out = self.ledger["billed_in"], self.ledger["tokens_out"]
        return tokens_in, tokens_out, PRICE_IN * tokens_in + PRICE_OUT * tokens_out

    def attempts(self):
        return self.gateway.rows("SELECT t.text, c.text, r.tokens_in, r.tokens_out FROM records r "
                                 "JOIN names t ON t.id = r.target JOIN names c ON c.id = r.credential "
                                 "WHERE r.kind = 2")

    def by_target(self):
        sums = {}
        for target, _, tokens_in, tokens_out in self.attempts():
            add(sums, target, 1, tokens_in, tokens_out)
        return sums

    def stop(self):
        self.mock.stop()
        self.gateway.stop()


world = World()
SUMS = "coalesce(sum(tokens_in), 0), coalesce(sum(tokens_out), 0), coalesce(sum(cost_usd_micro), 0)"


def attempts_are_the_ledger():
    """The attempts agree with the provider's ledger: in total, by provider, by model and by key. Every call is an
    attempt."""
    check_same(of_the_attempts(world.attempts()), of_the_mock(world.ledger), "attempts")
    check(world.gateway.rows(f"SELECT {SUMS} FROM records WHERE kind = 2") == [world.total()], world.total())


def one_token_is_noticed():
    """Shows that attempts_are_the_ledger notices a difference of one token."""
    for place, row in ((2, 1), (3, -1)):
        rows = [list(attempt) for attempt in world.attempts()]
        rows[len(rows) // 2][place] += row
        try:
            check_same(of_the_attempts(rows), of_the_mock(world.ledger), "attempts")
        except AssertionError:
            continue
        check(False, "one token more or less was not noticed")


def operations_are_their_attempts():
    rows = world.gateway.rows
    check(rows("SELECT count(*), count(DISTINCT id) FROM operations") == [(OPERATIONS, OPERATIONS)])
    check(rows("SELECT count(*) FROM operations WHERE outcome NOT IN (1, 2, 3)") == [(0,)])
    check(rows(f"SELECT {SUMS} FROM operations") == [world.total()])
    different = rows(
        "SELECT o.id, o.tokens_in, o.tokens_out, o.cost_usd_micro FROM operations o WHERE "
        "(o.tokens_in, o.tokens_out, o.cost_usd_micro) <> "
        f"(SELECT {SUMS} FROM records r WHERE r.op = o.op AND r.kind = 2)")
    check(not different, different)


def sums_of_days_are_the_attempts():
    by_day = {}
    for target, credential, count, tokens_in, tokens_out in world.gateway.rows(
            "SELECT t.text, c.text, attempts, tokens_in, tokens_out FROM spend s "
            "JOIN names t ON t.id = s.target JOIN names c ON c.id = s.credential"):
        add(by_day, (target, credential), count, tokens_in, tokens_out)
    wanted = {}
    for target, credential, tokens_in, tokens_out in world.attempts():
        if tokens_in or tokens_out:
            add(wanted, (target, credential), 1, tokens_in, tokens_out)
    check(by_day == wanted, by_day, wanted)
    check(world.gateway.rows(f"SELECT {SUMS} FROM spend") == [world.total()])


def estimates_are_marked():
    """Each attempt with tokens is marked as measured or as estimated. Complete responses with a usage are measured."""
    rows = world.gateway.rows
    bad = rows("SELECT count(*) FROM records WHERE kind = 2 AND ((flags & ?) <> 0) + ((flags & ?) <> 0) <> "
               "(tokens_in + tokens_out > 0)", MEASURED, ESTIMATED)
    check(bad == [(0,)], "neither or both:", bad)
    names = "SELECT id FROM names WHERE text LIKE ?"
    for pattern, mark in (("%/echo+cut-after%", ESTIMATED), ("%/echo+stall%", ESTIMATED),
                          ("%/hang", ESTIMATED),
                          ("%/tokens-%", MEASURED), ("%/tool-call", MEASURED), ("%/reasoning", MEASURED)):
        found = rows("SELECT count(*), sum((flags & ?) <> 0) FROM records WHERE kind = 2 "
                     f"AND target IN ({names})", mark, pattern)
        check(found[0][0] > 0 and found[0][0] == found[0][1], pattern, found)


def commands_say_the_same():
    stats = json.loads(world.audit("stats", "--format", "json", "--by", "target,client", "--limit", "1000"))
    tokens_in, tokens_out, micro = world.total()
    for part, count in (("operations", OPERATIONS), ("attempts", world.ledger["requests"])):
        said = stats[part]
        check((said["count"], said["tokens_in"], said["tokens_out"], round(said["cost_usd"] * 1e6)) ==
              (count, tokens_in, tokens_out, micro), part, said, world.total())
    by_target = {row["target"]: [row["attempts"][name] for name in ("count", "tokens_in", "tokens_out")]
                 for row in stats["by"]["target"]}
    check(by_target == world.by_target(), by_target, world.by_target())
    exported = csv.DictReader(io.StringIO(world.audit("export", "--of", "attempts", "--format", "csv")))
    rows = [(row["target"], row["credential"], int(row["tokens_in"] or 0), int(row["tokens_out"] or 0))
            for row in exported]
    check(sorted(rows) == sorted(world.attempts()), "the export has other attempts")


def metrics_say_the_same():
    metrics, (_, _, micro) = world.metrics, world.total()
    wanted = world.by_target()
    said = {target: [metrics.sum("recourse_attempts_total", target=target),
                     metrics.sum("recourse_tokens_total", target=target, direction="input"),
                     metrics.sum("recourse_tokens_total", target=target, direction="output")]
            for target in metrics.labels("recourse_attempts_total", "target")}
    said = {target: row for target, row in said.items() if any(row)}
    check(said == wanted, {target: (said.get(target), wanted.get(target)) for target in {*said, *wanted}
                           if said.get(target) != wanted.get(target)})
    check(metrics.sum("recourse_requests_total") == OPERATIONS)
    check(metrics.sum("recourse_client_requests_total", client="app") == OPERATIONS)
    for name in ("recourse_cost_usd_total", "recourse_client_cost_usd_total"):
        check(round(metrics.sum(name) * 1e6) == micro, name, metrics.sum(name), micro)
    estimated = world.gateway.rows(f"SELECT {SUMS} FROM records WHERE kind = 2 AND (flags & ?)", ESTIMATED)
    for place, direction in enumerate(("input", "output")):
        kind = metrics.sum("recourse_tokens_total", direction=direction, kind="estimated")
        check(kind == estimated[0][place], direction, kind, estimated)


def budget_says_the_same():
    """Without a request in flight nothing is reserved, and the spent amount is restored after a restart."""
    _, _, micro = world.total()

    def check_budget(budgets):
        budget, = budgets["budgets"]
        check(budget["scope"] == "client app" and round(budget["spent_usd"] * 1e6) == micro, budget, micro)
        check(budget["held_usd"] == 0, budget)
    check_budget(world.budgets)
    world.gateway.start()
    check_budget(json.loads(world.gateway.page("/admin/v1/budgets")))
    world.gateway.end()


suite = Suite(threads=1)
suite.case("attempts are what the provider counted", attempts_are_the_ledger)
suite.case("one token more or less is noticed", one_token_is_noticed)
suite.case("operations are the sums of their attempts", operations_are_their_attempts)
suite.case("the sums by day are those of the attempts", sums_of_days_are_the_attempts)
suite.case("what was estimated is marked", estimates_are_marked)
suite.case("the audit's commands say the same", commands_say_the_same)
suite.case("metrics say the same", metrics_say_the_same)
suite.case("the budget says the same, also after a restart", budget_says_the_same)
main(suite, world)
