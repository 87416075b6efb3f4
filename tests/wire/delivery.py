"""A load driver: plays the clients of a scenario against `recourse serve` in front of `recourse mock --script`.

    result = play(scenario, config)          the scenario as a dict (docs/simulate.md); JSON is YAML
    result.served_pct(), result.calls_per_request(), result.waits(), ...

The same dict runs in `recourse simulate`, so that both can be compared (simulated)."""

import asyncio
import json
import os
import random
import re
import subprocess
import tempfile
import time
import urllib.request

from harness import RECOURSE, WAIT_S, Gateway, check, wait_until

TIMES = {"": 1, "ms": 1, "s": 1000, "m": 60000}
PERIOD_S = 0.1


def ms(value):
    """Returns a time of a scenario in milliseconds. value: a number of milliseconds, or a text with a unit."""
    if isinstance(value, (int, float)):
        return value
    number, unit = re.fullmatch(r"([\d.]+)\s*(ms|s|m|)", value).groups()
    return float(number) * TIMES[unit]


class ScriptedMock:
    """Runs recourse mock --script, with one port for statistics and one port for each provider."""

    def __init__(self, scenario, seed=0):
        self.folder = tempfile.TemporaryDirectory(prefix="recourse-script-")
        path = os.path.join(self.folder.name, "scenario.yaml")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(scenario, file)
        ports = os.path.join(self.folder.name, "ports")
        command = [RECOURSE, "mock", "--script", path, "--listen", "127.0.0.1:0", "--quiet",
                   "--port-file", ports] + (["--seed", str(seed)] if seed else [])
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_until(lambda: os.path.exists(ports), "the mock's ports")
        with open(ports, encoding="ascii") as file:
            self.port, *self.provider_ports = [int(line) for line in file]

    def _own(self, path, method):
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", method=method)
        with urllib.request.urlopen(request, timeout=WAIT_S) as response:
            return json.load(response)

    def restart(self):
        self._own("/mock/reset", "POST")

    def providers(self):
        return self._own("/mock/stats", "GET")["script"]["providers"]

    def stop(self):
        self.process.terminate()
        check(self.process.wait(WAIT_S) == 0, "the mock failed")
        self.folder.cleanup()


def config_for(mock, scenario, **more):
    """Returns a configuration with the scenario's providers as the chain of the model "scenario". route: further keys
    of the route. Other names: further keys of the configuration."""
    providers = {}
    chain = []
    for port, spec in zip(mock.provider_ports, scenario["providers"]):
        is_anthropic = spec.get("dialect") == "anthropic"
        providers[spec["name"]] = {
            "kind": "openai", "base_url": f"http://127.0.0.1:{port}" + ("" if is_anthropic else "/v1"),
            "keys": [f"env:SCRIPT_KEY_{i}" for i in range(spec.get("keys", 1))]}
        if is_anthropic:
            providers[spec["name"]]["kind"] = "anthropic"
        chain.append(f"{spec['name']}/m")
    route = {"model": "scenario", "chain": chain}
    route.update(more.pop("route", {}))
    return {"providers": providers, "routes": [route], **more}


class Answer:
    """The response to one request. All times are in seconds since the start of the run."""

    __slots__ = ("client", "began", "ended", "status", "headers", "body", "fault")

    def __init__(self, client, began):
        self.client = client
        self.began = began
        self.ended = 0.0
        self.status = 0
        self.headers = {}
        self.body = b""
        self.fault = None

    def is_served(self):
        return self.status == 200

    def code(self):
        """Returns the error code in the report of a failed request."""
        try:
            page = json.loads(self.body)
            return (page.get("recourse") or page["error"]["recourse"])["error_code"]
        except (ValueError, KeyError, TypeError):
            return self.fault or str(self.status)


class _Connections:
    """Keep-alive connections to the gateway."""

    def __init__(self, port):
        self.port = port
        self.idle = []

    async def take(self):
        while self.idle:
            reader, writer = self.idle.pop()
            if not reader.at_eof():
                return reader, writer
            writer.close()
        return await asyncio.open_connection("127.0.0.1", self.port, limit=1 << 20)

    def close(self):
        for _, writer in self.idle:
            writer.close()


async def _ask(connections, request, answer, begin, within_s):
    """Sends one request and reads its response, which has a length."""
    try:
        reader, writer = await connections.take()
    except OSError as error:
        answer.fault = f"connect: {error}"
        answer.ended = time.monotonic() - begin
        return
    try:
        async with asyncio.timeout(within_s):
            writer.write(request)
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            status = int(head[0].split()[1])
            answer.headers = {name.lower(): value.strip() for name, _, value in
                              (line.partition(":") for line in head[1:] if line)}
            answer.body = await reader.readexactly(int(answer.headers.get("content-length", 0)))
            answer.status = status
        if answer.headers.get("connection", "").lower() == "close":
            writer.close()
        else:
            connections.idle.append((reader, writer))
    except (OSError, EOFError, TimeoutError, ValueError) as error:
        answer.fault = type(error).__name__
        writer.close()
    answer.ended = time.monotonic() - begin


def _request(scenario, headers):
    clients = scenario["clients"]
    tokens = clients.get("tokens_in", 10)
    count = tokens["p50"] if isinstance(tokens, dict) else tokens
    content = " ".join(["word"] * max(1, (count - 4)))
    body = json.dumps({"model": "scenario", "messages": [{"role": "user", "content": content}]}).encode()
    lines = ["POST /v1/chat/completions HTTP/1.1", "Host: x", "Content-Type: application/json",
             f"Content-Length: {len(body)}",
             f"x-recourse-deadline-ms: {int(ms(clients['deadline_ms']))}", *headers]
    return ("\r\n".join(lines) + "\r\n\r\n").encode() + body


def arrivals(scenario, is_even, seed=1):
    """Yields the times of the requests in seconds: evenly spaced, or as a Poisson process."""
    clients = scenario["clients"]
    gap_s = ms(clients["every_ms"]) / clients["count"] / 1000
    surge = clients.get("surge", {"from_ms": 0, "until_ms": 0, "pct": 100})
    end_s = ms(scenario["duration_ms"]) / 1000
    rng = random.Random(seed)
    at_s = 0.0
    while True:
        is_surge = ms(surge["from_ms"]) <= at_s * 1000 < ms(surge["until_ms"])
        gap_now_s = gap_s * 100 / surge["pct"] if is_surge else gap_s
        at_s += gap_now_s if is_even else rng.expovariate(1 / gap_now_s)
        if at_s >= end_s:
            return
        yield at_s


async def _play(scenario, port, is_even, headers_of, on_time):
    connections = _Connections(port)
    answers = []
    tasks = set()
    begin = time.monotonic()
    within_s = ms(scenario["clients"]["deadline_ms"]) / 1000 + WAIT_S
    requests = {}
    due = sorted(on_time or [], key=lambda event: event[0])
    for number, at_s in enumerate(arrivals(scenario, is_even)):
        while due and due[0][0] <= at_s:
            due.pop(0)[1]()
        pause_s = begin + at_s - time.monotonic()
        if pause_s > 0:
            await asyncio.sleep(pause_s)
        client = number % scenario["clients"]["count"]
        headers = tuple(headers_of(client)) if headers_of else ()
        if headers not in requests:
            requests[headers] = _request(scenario, headers)
        answer = Answer(client, time.monotonic() - begin)
        answers.append(answer)
        task = asyncio.create_task(_ask(connections, requests[headers], answer, begin, within_s))
        tasks.add(task)
        task.add_done_callback(tasks.discard)
    while tasks:
        await asyncio.wait(set(tasks))
    connections.close()
    return answers


def percentile(values, pct):
    values = sorted(values)
    return values[min(len(values) - 1, int(len(values) * pct / 100))] if values else 0.0


class Result:
    def __init__(self, scenario, answers, providers, attempts):
        self.scenario = scenario
        self.answers = answers
        self.providers = providers  # The providers' counts in the form of /mock/stats.
        self.attempts = attempts    # The number of attempts by code, as in the gateway's metrics.

    def served_pct(self):
        return 100 * sum(answer.is_served() for answer in self.answers) / len(self.answers)

    def seen_calls(self):
        return sum(provider["calls"] for provider in self.providers)

    def calls_per_request(self):
        """Returns the number of the gateway's attempts per request, including those whose connection was refused."""
        return sum(self.attempts.values()) / len(self.answers)

    def statuses(self):
        counts = {}
        for answer in self.answers:
            counts[answer.status] = counts.get(answer.status, 0) + 1
        return counts

    def failures(self):
        counts = {}
        for answer in self.answers:
            if not answer.is_served():
                counts[answer.code()] = counts.get(answer.code(), 0) + 1
        return counts

    def latencies_ms(self):
        """Returns the latencies of the served requests, which include the provider's own time."""
        return [1000 * (answer.ended - answer.began) for answer in self.answers if answer.is_served()]

    def waited_ms(self):
        return [float(answer.headers.get("x-recourse-waited-ms", 0)) for answer in self.answers
                if answer.is_served()]

    def per_100_ms(self, from_ms, until_ms, what="calls_per_100_ms"):
        """Returns the number of calls to all providers in each 100 ms of this period."""
        lists = [provider[what] for provider in self.providers]
        return [sum(counts[at] for counts in lists if at < len(counts))
                for at in range(int(from_ms // 100), int(until_ms // 100))]

    def limited_pct(self):
        """Returns the percentage of the calls that the providers' limits refused."""
        limited = sum(provider["limit_requests"] + provider["limit_tokens"] + provider["limit_concurrency"]
                      for provider in self.providers)
        return 100 * limited / max(1, self.seen_calls())


def _attempts(metrics):
    counts = {}
    for line in metrics.splitlines():
        found = re.match(r'recourse_attempts_total\{.*code="([^"]*)".*\} (\d+)', line)
        if found:
            counts[found[1]] = counts.get(found[1], 0) + int(found[2])
    return counts


def admin_port(gateway):
    """Returns the port of the admin interface, which is read from the log."""
    def found():
        with open(gateway.talk, encoding="utf-8", errors="replace") as talk:
            return re.findall(r"admin interface at http://127.0.0.1:(\d+)", talk.read())
    wait_until(found, "the admin interface")
    return int(found()[-1])


def metrics_of(port):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=WAIT_S) as response:
        return response.read().decode()


def play(scenario, is_even=False, headers_of=None, on_time=None, seed=0, **more):
    """Runs the scenario once. more: further keys of the configuration (config_for). headers_of: header lines for a
    client's requests. on_time: pairs of a time in seconds and a function that is called at this time with the
    gateway."""
    mock = ScriptedMock(scenario, seed)
    gateway = None
    for i in range(8):
        os.environ[f"SCRIPT_KEY_{i}"] = f"script-key-{i}-{i}{i}{i}{i}"
    try:
        gateway = Gateway(config_for(mock, scenario, admin={"listen": "127.0.0.1:0"}, **more))
        admin = admin_port(gateway)
        bound = [(at_s, lambda call=call: call(gateway)) for at_s, call in on_time or []]
        mock.restart()
        answers = asyncio.run(_play(scenario, gateway.port, is_even, headers_of, bound))
        result = Result(scenario, answers, mock.providers(), _attempts(metrics_of(admin)))
    finally:
        if gateway:
            gateway.stop()
        mock.stop()
    return result


def simulated(scenario, policy="recourse"):
    """Returns the simulator's result for one policy, in the form of its JSON."""
    run = subprocess.run([RECOURSE, "simulate", "-", "--policy", policy, "--format", "json"],
                         input=json.dumps(scenario).encode(), stdout=subprocess.PIPE, timeout=WAIT_S, check=True)
    return json.loads(run.stdout)["policies"][0]
