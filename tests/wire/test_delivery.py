"""Scenarios of a few seconds on real sockets: recourse serve in front of recourse mock --script. Only counts are
checked, never times."""

import delivery
from harness import Suite, check, main

FAST = {"first_token_ms": 5, "tokens_per_s": 0, "fails_in_ms": 0}


def scenario(providers, per_s=50, seconds=2, **clients):
    return {"duration_ms": seconds * 1000, "providers": providers,
            "clients": {"count": 10, "every_ms": 10000 // per_s, "deadline_ms": "120s", "tokens_in": 10,
                        "tokens_out": 5, **clients}}


def fault(kind, until_ms=60000, from_ms=0, **more):
    return {"kind": kind, "from_ms": from_ms, "until_ms": until_ms, **more}


def a_calm_day():
    result = delivery.play(scenario([{"name": "primary", **FAST}]))
    check(result.statuses() == {200: len(result.answers)}, result.failures())
    check(result.seen_calls() == len(result.answers), result.providers)
    check(result.attempts == {"none": len(result.answers)}, result.attempts)


def a_second_target_takes_over(kind):
    result = delivery.play(scenario([{"name": "primary", **FAST, "faults": [fault(kind)]},
                                     {"name": "backup", **FAST}]))
    check(result.statuses() == {200: len(result.answers)}, result.failures())
    check(result.providers[1]["served"] == len(result.answers), result.providers)


suite = Suite(threads=2)
suite.case("a calm day: one call per request", a_calm_day)
for name in ("outage", "refuse", "reset", "overload"):
    suite.case(f"the second target serves every request: {name}", a_second_target_takes_over, name)
main(suite)
