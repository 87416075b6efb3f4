"""Plays scenarios of one minute each against a real gateway and compares the results with the
simulator, see docs/internals/bench-delivery.md.

    run.py [--only NAME,...] [--seconds N] [--out FILE]

RECOURSE is the command. --seconds shortens every scenario, for a first look. Exit status 1: a goal was missed."""

import argparse
import copy
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tests/wire"))

import delivery  # noqa: E402

FAST = {"first_token_ms": 40, "tokens_per_s": 0, "fails_in_ms": 5}


def clients(per_s, deadline, **more):
    """Traffic of 100 clients that send small requests, `per_s` requests per second together."""
    return {"count": 100, "every_ms": 100000 // per_s, "deadline_ms": deadline, "tokens_in": 10, "tokens_out": 5,
            **more}


def outage(seconds):
    """Scenario: the only target responds with 503 for 15 s in the middle of a minute."""
    return {"name": "outage", "duration_ms": f"{seconds}s", "clients": clients(100, "40s"),
            "providers": [{"name": "primary", **FAST,
                           "faults": [{"kind": "outage", "from_ms": seconds * 250, "until_ms": seconds * 500}]}]}


def refused(seconds):
    """Scenario: the only target refuses connections for 15 s."""
    scenario = outage(seconds)
    scenario["name"] = "refused"
    scenario["providers"][0]["faults"][0]["kind"] = "refuse"
    return scenario


def limit(seconds):
    """Scenario: a key is limited to 600 requests a minute, and 900 requests a minute arrive for
    half of the time."""
    return {"name": "limit", "duration_ms": f"{seconds}s",
            "clients": clients(5, "60s", surge={"from_ms": seconds * 250, "until_ms": seconds * 750, "pct": 300}),
            "providers": [{"name": "primary", **FAST, "limits": {"requests_per_min": 600, "burst_ms": "2s"}}]}


def half(seconds):
    """Scenario: half of the calls to the only target fail."""
    return {"name": "half", "duration_ms": f"{seconds}s", "clients": clients(50, "40s"),
            "providers": [{"name": "primary", **FAST,
                           "faults": [{"kind": "error", "from_ms": 0, "until_ms": seconds * 1000,
                                       "share_pct": 50}]}]}


def brownout(seconds):
    """Scenario: a third of the calls to the only target fail for half of the time."""
    scenario = half(seconds)
    scenario["name"] = "brownout"
    scenario["providers"][0]["faults"] = [
        {"kind": "error", "from_ms": seconds * 250, "until_ms": seconds * 750, "share_pct": 33}]
    return scenario


def hang(seconds):
    """Scenario: the first of two targets never responds."""
    return {"name": "hang", "duration_ms": f"{seconds}s", "clients": clients(10, "40s"),
            "providers": [{"name": "primary", **FAST,
                           "faults": [{"kind": "hang", "from_ms": 0, "until_ms": seconds * 1000}]},
                          {"name": "backup", **FAST}]}


def dead(seconds):
    """Scenario: the first of two targets refuses connections."""
    scenario = hang(seconds)
    scenario["name"] = "dead"
    scenario["providers"][0]["faults"][0]["kind"] = "refuse"
    return scenario


def herd_of(result, scenario):
    """Returns the highest number of calls in 100 ms after the outage, relative to the steady
    rate."""
    fault = scenario["providers"][0]["faults"][0]
    after = result.per_100_ms(delivery.ms(fault["until_ms"]), delivery.ms(scenario["duration_ms"]))
    steady = scenario["clients"]["count"] * 100 / delivery.ms(scenario["clients"]["every_ms"])
    return max(after, default=0) / steady


# Each entry has a name, a scenario and goals. A goal is an expression over the names of the
# measured numbers.
SCENARIOS = [
    (outage, ["served >= 99.5", "calls <= 1.05", "herd <= 1.5"]),
    (refused, ["served >= 99.5", "calls <= 1.05", "herd <= 1.5"]),
    (limit, ["served >= 99.5", "client_429 == 0", "limited <= 1"]),
    (half, ["served >= 99"]),
    (brownout, ["served >= 99.5", "calls <= 1.6"]),
    (hang, ["served == 100", "p90_ms <= 90"]),
    (dead, ["served == 100", "p50_ms <= 60"]),
]


def measure(scenario):
    result = delivery.play(scenario, is_even=True)
    latencies = result.latencies_ms()
    numbers = {
        "requests": len(result.answers), "served": round(result.served_pct(), 2),
        "calls": round(result.calls_per_request(), 3), "seen_calls": result.seen_calls(),
        "limited": round(result.limited_pct(), 2), "client_429": result.statuses().get(429, 0),
        "p50_ms": round(delivery.percentile(latencies, 50)), "p90_ms": round(delivery.percentile(latencies, 90)),
        "p99_ms": round(delivery.percentile(latencies, 99)), "failures": result.failures(),
    }
    if scenario.get("name") in ("outage", "refused"):
        numbers["herd"] = round(herd_of(result, scenario), 2)
    sim = delivery.simulated(scenario)
    numbers["sim_served"] = sim["success_pct"]
    numbers["sim_calls"] = sim["calls_per_request"]
    return numbers


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--out")
    options = parser.parse_args()
    only = [name for name in options.only.split(",") if name]
    results = {}
    missed = 0
    for make, goals in SCENARIOS:
        if only and make.__name__ not in only:
            continue
        scenario = make(options.seconds)
        numbers = measure(copy.deepcopy(scenario))
        failed = [goal for goal in goals if not eval(goal, {}, numbers)]  # pylint: disable=eval-used
        missed += len(failed)
        results[make.__name__] = numbers
        print(f"{make.__name__:10}", " ".join(f"{name}={value}" for name, value in numbers.items() if value != {}),
              "MISSED " + ", ".join(failed) if failed else "ok", flush=True)
    if options.out:
        with open(options.out, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
