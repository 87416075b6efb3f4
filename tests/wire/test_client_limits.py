"""Limits of a client: rpm, tpm, max_in_flight. A refusal says whose limit it is, its value and when; reloads keep the
state."""

import json
import signal
import threading

from gateways import Lasting
from harness import Suite, check, main, report_of, wait_until
from mocks import Mock
from peers import Client

gateway = Lasting({"admin": {"listen": "127.0.0.1:0"}, "providers": {}, "routes": []},
                  {name.upper(): f"token-{name}" for name in ("few", "tokens", "busy", "free")})
mock = Mock(gateway.folder)


def config(**few):
    base = f"http://127.0.0.1:{mock.port}"
    return {
        "listen": "127.0.0.1:0", "admin": {"listen": "127.0.0.1:0"}, "store": "sqlite:audit.db", "threads": 1,
        "providers": {"m": {"kind": "openai", "base_url": base + "/v1", "keys": ["env:KEY_1"]},
                      "claude": {"kind": "anthropic", "base_url": base, "keys": ["env:KEY_1"]}},
        "routes": [{"model": "claude*", "chain": ["claude/ok"]}, {"model": "*", "chain": ["m/*"]}],
        "clients": [{"name": "few", "token": "env:FEW", **(few or {"rpm": 3})},
                    {"name": "tokens", "token": "env:TOKENS", "tpm": 3000},
                    {"name": "busy", "token": "env:BUSY", "max_in_flight": 2},
                    {"name": "free", "token": "env:FREE"}]}


gateway.write(config())
gateway.start()


def ask(client, model="ok", path="/v1/chat/completions", **more):
    body = json.dumps({"model": model, "max_tokens": 100, "messages": [{"role": "user", "content": "hi"}], **more})
    with Client(gateway.port) as connection:
        return connection.ask((f"POST {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer token-{client}\r\n"
                               f"Content-Length: {len(body)}\r\n\r\n{body}").encode())


def client_state(name):
    return next(one for one in json.loads(gateway.page("/admin/v1/state"))["clients"] if one["name"] == name)


def requests_per_minute():
    answers = [ask("few") for _ in range(4)]
    check([answer.status for answer in answers] == [200, 200, 200, 429], answers)
    refused = answers[3]
    report = report_of(json.loads(refused.body))
    check(report["error_code"] == "RateLimited", report)
    check("a limit of this gateway, not of the provider: 3 requests per minute (rpm)" in report["message"], report)
    check("clients[].rpm raised" in report["user_action"]["detail"], report)
    check(1 <= int(refused.get("retry-after")) <= 20, refused)
    check(refused.get("x-ratelimit-limit-requests") == "3", refused)
    check(refused.get("x-ratelimit-remaining-requests") == "0", refused)
    check(refused.get("x-ratelimit-reset-requests").endswith("s"), refused)
    check(not refused.get("x-ratelimit-limit-tokens"), refused)
    state = client_state("few")
    check(state["rpm"]["limit"] == 3 and state["rpm"]["left"] == 0 and state["rpm"]["refused"] == 1, state)
    check('recourse_client_limited_total{client="few",limit="rpm"} 1' in gateway.page("/metrics"), "no metric")
    check(ask("free").status == 200, "another client")


def in_anthropics_dialect():
    refused = ask("few", "claude-x", "/v1/messages")
    body = json.loads(refused.body)
    check(refused.status == 429 and body["type"] == "error" and body["error"]["type"] == "rate_limit_error", refused)
    check(refused.get("anthropic-ratelimit-requests-limit") == "3", refused)
    check(refused.get("anthropic-ratelimit-requests-remaining") == "0", refused)
    check("T" in refused.get("anthropic-ratelimit-requests-reset"), refused)
    check(not refused.get("x-ratelimit-limit-requests"), refused)


def a_reload_keeps_the_state():
    def reload(**few):
        before = json.loads(gateway.page("/admin/v1/state"))["config"]["generation"]
        gateway.write(config(**few))
        gateway.signal(signal.SIGHUP)
        wait_until(lambda: json.loads(gateway.page("/admin/v1/state"))["config"]["generation"] > before, "the reload")
    reload(rpm=4)
    check(ask("few").status == 429, "the reload filled the limit")
    check(client_state("few")["rpm"]["limit"] == 4, client_state("few"))
    reload(max_in_flight=5)
    check(ask("few").status == 200, "the limit is still there")
    reload(rpm=3)


def tokens_are_corrected():
    before = client_state("tokens")["tpm"]["left"]
    answer = ask("tokens")
    check(answer.status == 200, answer)
    usage = json.loads(answer.body)["usage"]
    wait_until(lambda: client_state("tokens")["tpm"]["left"] >= before - usage["total_tokens"], "the correction")
    large = ask("tokens", messages=[{"role": "user", "content": "many words " * 4000}])
    later = ask("tokens", messages=[{"role": "user", "content": "many words " * 4000}])
    check({large.status, later.status} <= {200, 429} and later.status == 429, (large.status, later.status))
    check("3000 tokens per minute (tpm)" in report_of(json.loads(later.body))["message"], later)
    check(later.get("x-ratelimit-limit-tokens") == "3000", later)
    check(int(later.get("retry-after")) >= 1, later)


def concurrent_requests():
    statuses = []
    threads = [threading.Thread(target=lambda: statuses.append(ask("busy", "slow-first-2").status)) for _ in range(2)]
    for thread in threads:
        thread.start()
    wait_until(lambda: client_state("busy")["max_in_flight"]["in_flight"] == 2, "two requests in flight")
    refused = ask("busy")
    for thread in threads:
        thread.join()
    check(refused.status == 429, refused)
    check("2 concurrent requests (max_in_flight)" in report_of(json.loads(refused.body))["message"], refused)
    check(not refused.get("retry-after"), refused)
    wait_until(lambda: client_state("busy")["max_in_flight"]["in_flight"] == 0, "the slots")
    check(ask("busy").status == 200 and statuses == [200, 200], statuses)


suite = Suite(threads=1)
suite.case("requests per minute: the refusal says whose limit, its value and when", requests_per_minute)
suite.case("in Anthropic's dialect the headers have its names", in_anthropics_dialect)
suite.case("a reload keeps the state of the limits", a_reload_keeps_the_state)
suite.case("tokens are estimated before and corrected after", tokens_are_corrected)
suite.case("concurrent requests", concurrent_requests)
main(suite, gateway, mock)
