"""any_of: targets of one chain entry share the requests; a target that fails gets nothing, and its requests go to
the others first; sticky users."""

import collections
import json

from gateways import Lasting
from harness import Suite, check, main
from mocks import Mock
from peers import Client

gateway = Lasting({"admin": {"listen": "127.0.0.1:0"}, "providers": {}, "routes": []})
mock = Mock(gateway.folder)


def provider():
    return {"kind": "openai", "base_url": f"http://127.0.0.1:{mock.port}/v1", "keys": ["env:KEY_1"]}


def group(*targets, **more):
    return {"any_of": list(targets), **more}


ROUTES = [
    {"model": "weighted", "chain": [group("a/ok", "b/ok", weights=[3, 1])]},
    {"model": "broken", "chain": [group("a/500", "b/ok"), "c/ok"]},
    {"model": "both", "chain": [group("a/500", "b/500"), "c/ok"], "policy": "quick"},
    {"model": "sticky", "chain": [group("a/ok", "b/ok", "c/ok", sticky="user")]},
    {"model": "session", "chain": [group("a/ok", "b/ok", "c/ok", sticky="session", by="least-busy")]}]
gateway.write({
    "listen": "127.0.0.1:0", "admin": {"listen": "127.0.0.1:0"}, "store": "sqlite:audit.db", "threads": 1,
    "providers": {name: provider() for name in "abc"},
    "policies": {"quick": {"max_attempts": 2, "base_ms": 1}}, "routes": ROUTES})
gateway.start()


def ask(model, *headers, **more):
    body = json.dumps({"model": model, "messages": [{"role": "user", "content": "hi"}], **more})
    lines = ["POST /v1/chat/completions HTTP/1.1", "Host: x", f"Content-Length: {len(body)}", *headers]
    with Client(gateway.port) as client:
        return client.ask(("\r\n".join(lines) + "\r\n\r\n" + body).encode())


def targets(model, count, *headers, **body):
    answers = [ask(model, *headers, **body) for _ in range(count)]
    check(all(answer.status == 200 for answer in answers), [answer.status for answer in answers])
    return collections.Counter(answer.get("x-recourse-target") for answer in answers), answers


def shares_follow_the_weights():
    """200 requests: 150 expected at a; the bounds are five standard deviations away."""
    seen, _ = targets("weighted", 200)
    check(set(seen) == {"a/ok", "b/ok"} and 119 <= seen["a/ok"] <= 181, seen)


def a_failing_target_gets_only_probes():
    """Every request is served; after three failures the failing target is left out, and the audit says so."""
    seen, answers = targets("broken", 60)
    check(set(seen) == {"b/ok"}, seen)
    attempts = sum(int(answer.get("x-recourse-attempts")) for answer in answers)
    check(63 <= attempts <= 70, f"{attempts} attempts for 60 requests")
    shown = [gateway.run("audit", "show", answer.get("x-recourse-request-id")).stdout.decode() for answer in answers[-20:]]
    check(any("skips a/500: the latest calls to the target failed" in text for text in shown), shown[-1])


def the_group_comes_before_the_next_entry():
    seen, answers = targets("both", 1)
    check(set(seen) == {"c/ok"} and answers[0].get("x-recourse-attempts") == "3", answers[0])


def a_user_stays_with_one_target():
    owners = {}
    for user in range(12):
        seen, _ = targets("sticky", 4, user=f"user-{user}")
        check(len(seen) == 1, f"user {user}: {seen}")
        owners[user] = next(iter(seen))
    check(len(set(owners.values())) > 1, owners)
    lost = owners[0]
    check(gateway.post(f"/admin/v1/targets/{lost}/out").status == 200, lost)
    for user, own in owners.items():
        seen, _ = targets("sticky", 2, user=f"user-{user}")
        check(len(seen) == 1 and (lost not in seen if own == lost else own in seen), f"user {user}: {own}, {seen}")
    check(gateway.post(f"/admin/v1/targets/{lost}/in").status == 200, lost)
    for user, own in owners.items():
        seen, _ = targets("sticky", 1, user=f"user-{user}")
        check(set(seen) == {own}, f"user {user}: {own}, {seen}")


def a_session_stays_with_one_target():
    for session in range(6):
        seen, _ = targets("session", 4, f"x-recourse-session: s{session}")
        check(len(seen) == 1, seen)
    refused = ask("session", "x-recourse-session: two words")
    check(refused.status == 400 and b"x-recourse-session" in refused.body, refused)


def config_check_shows_the_group():
    shown = json.loads(gateway.run("config", "check", "--format", "json").stdout)
    entry = shown["routes"][0]["chain"][0]
    check(entry == {"any_of": ["a/ok", "b/ok"], "weights": [3, 1], "by": "weight", "sticky": "none"}, entry)


suite = Suite(threads=1)
suite.case("the shares follow the weights", shares_follow_the_weights)
suite.case("a failing target gets only probes", a_failing_target_gets_only_probes)
suite.case("the targets of a group come before the next entry", the_group_comes_before_the_next_entry)
suite.case("a user stays with one target while it can be used", a_user_stays_with_one_target)
suite.case("a session stays with one target", a_session_stays_with_one_target)
suite.case("config check shows the group", config_check_shows_the_group)
main(suite, gateway, mock)
