"""Sends twice the capacity for a minute and measures how long accepted requests take, how long
refusals take, and whether the gateway's memory grows.

    overload.py --program FILE [--seconds N] [--folder FOLDER] [--out FILE]

Requests arrive at a steady rate, independent of earlier responses. The provider is recourse mock, which
takes the same time for each response; the gateway may have `MAX_IN_FLIGHT` requests at once, so its
capacity is known. The audit record of each response, refusals included, is written first, in FOLDER: in
/dev/shm the disk is not measured. The first phase has a quarter of the capacity, the second one twice the
capacity. Exit status 1: a goal was missed, or a response was neither complete nor a refusal with
Retry-After.
"""
import argparse
import asyncio
import json
import os
import shutil
import tempfile
import time

import process

MAX_IN_FLIGHT = 64
TOKENS, TRICKLE_MS = 10, 20
SERVICE_S = TOKENS * TRICKLE_MS / 1000
CAPACITY = MAX_IN_FLIGHT / SERVICE_S  # requests per second
GOAL_RATIO = 2.0             # p99 of accepted requests relative to the quiet phase
GOAL_REFUSAL_MS = 10
GOAL_GROWTH = 1.05
LATE_MS = 5

BODY = json.dumps({"model": "m", "messages": [{"role": "user", "content": "fish"}]}).encode()
REQUEST = (b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
           b"Content-Length: %d\r\n\r\n" % len(BODY)) + BODY


class Phase:
    """The times of one phase, in ms."""

    def __init__(self):
        self.served, self.refused, self.wrong = [], [], []
        self.late = []  # delays of this process relative to its own schedule

    async def send(self, port):
        since = time.monotonic()
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(REQUEST)
            answer = await reader.read(-1)
            took_ms = (time.monotonic() - since) * 1000
            writer.close()
        except OSError as error:
            self.wrong.append(str(error))
            return
        head = answer.split(b"\r\n\r\n", 1)[0].lower()
        if answer.startswith(b"HTTP/1.1 200") and b'"finish_reason":"stop"' in answer:
            self.served.append(took_ms)
        elif answer.startswith(b"HTTP/1.1 503") and b"\r\nretry-after: " in head:
            self.refused.append(took_ms)
        else:
            self.wrong.append(repr(answer[:300]))

    async def run(self, port, rate, seconds, every_s=None):
        """Runs one phase. every_s: a function that is called once a second."""
        tasks, begin = set(), time.monotonic()
        for number in range(int(rate * seconds)):
            await asyncio.sleep(max(0, begin + number / rate - time.monotonic()))
            self.late.append((time.monotonic() - begin - number / rate) * 1000)
            task = asyncio.create_task(self.send(port))
            tasks.add(task)
            task.add_done_callback(tasks.discard)
            if every_s and number % int(rate) == 0:
                every_s()
        await asyncio.gather(*tasks)


def part(times, share):
    times = sorted(times)
    return times[min(len(times) - 1, int(len(times) * share))] if times else 0.0


class Setup:
    """The provider and the gateway, each on a core of its own; this process shares the provider's."""

    def __init__(self, program, folder):
        self.folder = tempfile.mkdtemp(prefix="recourse-overload-", dir=folder)
        self.children = []
        first, last = process.cores()
        log = os.path.join(self.folder, "log")
        mock_port, self.port = process.free_port(), process.free_port()
        self.children.append(process.spawn([program, "mock", "--listen", f"127.0.0.1:{mock_port}", "--quiet"],
                                           last, log))
        process.wait_for_port(mock_port, self.children[-1])
        config = os.path.join(self.folder, "recourse.yaml")
        with open(config, "w", encoding="utf-8") as file:
            json.dump({
                "listen": f"127.0.0.1:{self.port}", "admin": {"listen": "off"}, "threads": 1,
                "store": f"sqlite:{self.folder}/audit.db", "limits": {"max_in_flight": MAX_IN_FLIGHT},
                "providers": {"up": {"kind": "openai", "base_url": f"http://127.0.0.1:{mock_port}/v1"}},
                "routes": [{"model": "m", "chain": [
                    {"target": f"up/tokens-{TOKENS}+trickle-{TRICKLE_MS}"}]}]}, file)
        self.gateway = process.spawn([program, "serve", "--config", config, "--log", "off"], first, log)
        self.children.append(self.gateway)
        process.wait_for_port(self.port, self.gateway)
        os.sched_setaffinity(0, last)

    def end(self):
        for child in reversed(self.children):
            process.end(child)
        shutil.rmtree(self.folder, ignore_errors=True)


async def measure(setup, seconds):
    quiet, loud, sizes = Phase(), Phase(), []
    await quiet.run(setup.port, CAPACITY / 4, max(5, seconds / 4))
    cpu_s = process.cpu_s(setup.gateway.pid)
    await loud.run(setup.port, CAPACITY * 2, seconds, lambda: sizes.append(process.rss_kb(setup.gateway.pid)))
    cpu_s = process.cpu_s(setup.gateway.pid) - cpu_s
    settled = sizes[len(sizes) // 4]
    return {
        "capacity_per_s": CAPACITY, "offered_per_s": CAPACITY * 2, "seconds": seconds,
        "served": len(loud.served), "refused": len(loud.refused), "wrong": (quiet.wrong + loud.wrong)[:5],
        "quiet_p50_ms": part(quiet.served, 0.5), "quiet_p99_ms": part(quiet.served, 0.99),
        "served_p50_ms": part(loud.served, 0.5), "served_p99_ms": part(loud.served, 0.99),
        "refusal_p50_ms": part(loud.refused, 0.5), "refusal_p90_ms": part(loud.refused, 0.9),
        "refusal_p99_ms": part(loud.refused, 0.99),
        "client_late_p90_ms": part(loud.late, 0.9), "client_late_p99_ms": part(loud.late, 0.99),
        "cpu_us_per_request": cpu_s * 1e6 / max(1, len(loud.served) + len(loud.refused)),
        "rss_settled_mb": settled / 1024, "rss_end_mb": sizes[-1] / 1024,
    }


def judge(found):
    """Returns the goals, each met or not. If this process itself was late, the machine was overloaded, and
    single times are not meaningful."""
    goals = {
        "nothing is lost": not found["wrong"] and found["served"] > 0 and found["refused"] > 0,
        f"p99 of who got in within {GOAL_RATIO:g} times that of the quiet phase":
            found["served_p99_ms"] <= GOAL_RATIO * found["quiet_p99_ms"],
        f"p99 of refusals within {GOAL_REFUSAL_MS} ms": found["refusal_p99_ms"] <= GOAL_REFUSAL_MS,
        "resident memory is flat": found["rss_end_mb"] <= GOAL_GROWTH * found["rss_settled_mb"],
    }
    if found["client_late_p99_ms"] > LATE_MS:
        goals = {name: True if is_met else None if "p99" in name else False for name, is_met in goals.items()}
    return goals


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--folder")
    parser.add_argument("--out")
    args = parser.parse_args()
    setup = Setup(os.path.abspath(args.program), args.folder)
    try:
        found = asyncio.run(measure(setup, args.seconds))
    finally:
        setup.end()
    goals = judge(found)
    for name, value in found.items():
        print(f"{name:20}  {value:.1f}" if isinstance(value, float) else f"{name:20}  {value}")
    for name, is_met in goals.items():
        print(f"{'met   ' if is_met else 'unsure' if is_met is None else 'MISSED'}  {name}")
    if args.out:
        with open(args.out, "w", encoding="utf-8") as file:
            json.dump({**found, "goals": goals}, file, indent=1)
    return 1 if False in goals.values() else 0


if __name__ == "__main__":
    raise SystemExit(main())
