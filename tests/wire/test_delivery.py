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


def an_outage_is_waited_out():
    """One target, out of service for a while: every request waits in the gateway and is served."""
    result = delivery.play(scenario([{"name": "primary", **FAST, "faults": [fault("outage", 1500, 500)]}]))
    check(result.statuses() == {200: len(result.answers)}, result.failures())
    check(any(waited > 0 for waited in result.waited_ms()), "nobody waited")
    # On a busy machine many requests fail at the same moment, before the outage is known. Retries without a
    # queue would cost several calls per request.
    check(result.providers[0]["outage"] < len(result.answers), result.providers)


def without_waiting_it_fails():
    """wait: off: a request whose target is out of service is refused instead of waiting."""
    result = delivery.play(scenario([{"name": "primary", **FAST, "faults": [fault("outage")]}], per_s=20, seconds=1),
                           route={"wait": "off", "policy": "none"})
    check(200 not in result.statuses(), result.statuses())
    check(not any(float(answer.headers.get("x-recourse-waited-ms", 0)) for answer in result.answers), "waited")


suite = Suite(threads=2)
suite.case("a calm day: one call per request", a_calm_day)
for name in ("outage", "refuse", "reset", "overload"):
    suite.case(f"the second target serves every request: {name}", a_second_target_takes_over, name)
suite.case("an outage of the only target is waited out", an_outage_is_waited_out)
suite.case("wait: off", without_waiting_it_fails)
main(suite)
