"""fallback_on: after a fatal failure the next target is tried, and the log, the audit and the
metrics show this."""

import json

from gateways import Lasting, chat
from harness import Suite, check, main, report_of
from mocks import Mock
from peers import Client

gateway = Lasting({"admin": {"listen": "127.0.0.1:0"}, "providers": {}, "routes": []})
mock = Mock(gateway.folder, {"keys": [{"name": "bad", "ends": "1111", "do": "401"}, {"name": "good", "ends": "2222"}]})


def provider(key):
    return {"kind": "openai", "base_url": f"http://127.0.0.1:{mock.port}/v1", "keys": [f"env:{key}"]}


CHAIN = ["lost/404-model", "good/ok"]
gateway.write({
    "listen": "127.0.0.1:0", "admin": {"listen": "127.0.0.1:0"}, "store": "sqlite:audit.db", "threads": 1,
    "providers": {"lost": provider("KEY_2"), "good": provider("KEY_2"), "refused": provider("KEY_1")},
    "routes": [{"model": "masked", "chain": CHAIN, "fallback_on": ["ModelNotFound"]},
               {"model": "plain", "chain": CHAIN},
               {"model": "key", "chain": ["refused/ok", "good/ok"], "fallback_on": ["AuthFailed"]}]})
gateway.start()


def ask(model, *headers):
    with Client(gateway.port) as client:
        return client.ask(chat(model, *headers))


def target(name):
    return next(one for one in json.loads(gateway.page("/admin/v1/state"))["targets"] if one["target"] == name)


def is_masked_in_the_open():
    answer = ask("masked")
    check(answer.status == 200, answer)
    check(answer.get("x-recourse-masked") == "ModelNotFound at lost/404-model", answer)
    check(answer.get("x-recourse-target") == "good/ok", answer)
    check(answer.get("x-recourse-attempts") == "2", answer)
    check(target("lost/404-model")["masked"]["code"] == "ModelNotFound", target("lost/404-model"))
    check('recourse_masked_total{target="lost/404-model",code="ModelNotFound"} 1' in gateway.page("/metrics"),
          "no metric")
    shown = gateway.run("audit", "show", answer.get("x-recourse-request-id")).stdout.decode()
    check("fallback_on" in shown, shown)


def a_refused_key_is_masked_once():
    """The first request finds that the key is rejected; later requests do not use the provider,
    because it has no usable key."""
    answers = [ask("key") for _ in range(2)]
    check([answer.status for answer in answers] == [200, 200], answers)
    check(answers[0].get("x-recourse-masked") == "AuthFailed at refused/ok", answers[0])
    check(answers[1].get("x-recourse-attempts") == "1", answers[1])


def without_the_setting_the_failure_is_returned():
    answer = ask("plain")
    check(answer.status == 404 and not answer.get("x-recourse-masked"), answer)
    report = report_of(json.loads(answer.body))
    check(report["error_code"] == "ModelNotFound", report)
    check(report["user_action"]["detail"].startswith(
        "good/ok stands by: fallback_on: [ModelNotFound] of the route would use it. "), report)
    notes = json.loads(gateway.run("config", "check", "--format", "json").stdout)["notes"]
    check(len(notes) == 1 and "good/ok stands by" in notes[0], notes)


suite = Suite(threads=1)
suite.case("a masked failure is told in header, state, metric and audit", is_masked_in_the_open)
suite.case("a refused key is masked", a_refused_key_is_masked_once)
suite.case("without fallback_on the failure is returned and names the setting", without_the_setting_the_failure_is_returned)
main(suite, gateway, mock)
