"""If no target is available, the client, the audit and `recourse call` name the reason for each: an exhausted quota is not
reported as an overload, and a rejected key is named."""

import json

from gateways import Lasting, chat
from harness import Suite, check, main, report_of
from mocks import Mock
from peers import CLEAN, OK_CHAT, Client, Upstream, http, say

gateway = Lasting({})
mock = Mock(gateway.folder)
base = f"http://127.0.0.1:{mock.port}/v1"


DAY = http(b'{"error":{"message":"Rate limit reached on requests per day (RPD): Limit 200, Used 200.","code":'
           b'"rate_limit_exceeded"}}', status="429 Too Many", extra=b"Retry-After: 3600\r\n")
REFUSED = http(b'{"error":{"message":"Incorrect API key provided","code":"invalid_api_key"}}', "401 Unauthorized")
USED_UP = http(b'{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}', "429 Too Many")
upstream = Upstream()
upstream.on_stray = lambda conn, request: say(conn, DAY)
one_is_bad = Upstream()


def refuse_first_key(conn, request):
    """A step for two keys: the first one is rejected. The second one works, or is exhausted for the model "spent"."""
    if request.get("authorization") == "Bearer key-1111":
        return say(conn, REFUSED)
    return say(conn, USED_UP if b"spent" in request.body else OK_CHAT)


one_is_bad.on_stray = refuse_first_key


def provider(*keys):
    return {"kind": "openai_compatible", "base_url": base, "keys": [f"env:{key}" for key in keys]}


def chain(*targets):
    return [{"target": target, "tries": 1} for target in targets]


MANY = [f"many{number}" for number in range(20)]
# Cases run in parallel, so each has its own providers.
gateway.write({
    "listen": "127.0.0.1:0", "admin": {"listen": "off"}, "store": "sqlite:audit.db", "threads": 1,
    "providers": {**{name: provider("KEY_1", "KEY_2") for name in ("m", "m2", "m3", "m4")},
                  **{name: {**provider("KEY_1", "KEY_2"), "base_url": one_is_bad.url("/v1")}
                     for name in ("both", "good")},
                  **{name: provider("KEY_1") for name in ("n", "n2", "o", "k", "k2", *MANY)},
                  "told": {**provider("KEY_1"), "base_url": upstream.url("/v1")}},
    "breaker": {"min_calls": 0},
    "routes": [{"model": "quota", "wait": "off", "chain": chain("m/quota")},
               {"model": "called", "wait": "off", "chain": chain("m3/quota")},
               {"model": "waits", "wait": "off", "chain": chain("m4/quota")},
               {"model": "told", "wait": "off", "chain": chain("told/x")},
               {"model": "limited", "wait": "off", "chain": chain("n/429-retry-after-60")},
               {"model": "limited2", "wait": "off", "chain": chain("n2/429-retry-after-60")},
               {"model": "refused", "wait": "off", "chain": chain("k/401")},
               {"model": "busy", "wait": "off", "chain": chain("o/503-retry-after-70")},
               {"model": "all", "wait": "off", "chain": chain("m2/quota", "k2/401")},
               {"model": "some", "wait": "off", "chain": chain("m2/quota", "n2/429-retry-after-60")},
               {"model": "many", "wait": "off", "chain": chain(*(f"{name}/quota" for name in MANY))}],
})


def ask(model):
    with Client(gateway.port) as client:
        return client.ask(chat(model))


def told(model, status, code, message, action):
    """The target is unavailable: the client gets this error at once, and no provider is called."""
    answer = ask(model)
    check(answer.status == status and answer.end == CLEAN, answer)
    check(answer.get("x-recourse-error-code") == code, answer.head.raw)
    check(answer.get("x-recourse-attempts") == "", answer.head.raw)
    report = report_of(json.loads(answer.body))
    check(report["message"] == message, report)
    check(report["user_action"]["kind"] == action, report)
    return answer, report


def shown(report):
    page = gateway.run("audit", "show", "--store", "sqlite:audit.db", "--format", "markdown", report["report_id"])
    check(page.returncode == 0, page.stderr)
    return " ".join(page.stdout.decode().split())


def used_up():
    check(ask("quota").status == 429)
    answer, report = told("quota", 429, "QuotaExhausted",
                          "No target is available now. m/quota: quota used up (keys m:1, m:2).", "add_credit")
    # No provider stated a time, and the gateway's next try of the keys is no reason for a client to retry.
    check(answer.get("retry-after") == "" and answer.get("x-should-retry") == "false", answer.head.raw)
    check(json.loads(answer.body)["error"]["code"] == "insufficient_quota", answer.body)
    check(report["retryable"] is False, report)
    check("tries the keys again by itself" in report["user_action"]["detail"], report)
    page = shown(report)
    check("more: quota used up (keys m:1, m:2)" in page and "Overloaded" not in page, page)
    # A quota of the account applies to all models.
    told("m/another", 429, "QuotaExhausted",
         "No target is available now. m/another: quota used up (keys m:1, m:2).", "add_credit")


def limited():
    check(ask("limited").status == 429)
    answer, report = told("limited", 429, "RateLimited",
                          "No target is available now. n/429-retry-after-60: rate limited (key n:1).",
                          "wait_and_retry")
    check(0 < int(answer.get("retry-after")) <= 60 and report["retryable"] is True, answer.head.raw)


def overloaded():
    check(ask("busy").status == 503)
    told("busy", 503, "Overloaded", "No target is available now. o/503-retry-after-70: overloaded.",
         "wait_and_retry")


def refused():
    check(ask("refused").status == 401)
    answer, report = told("refused", 401, "AuthFailed",
                          "Every credential was rejected. k/401: refused (key k:1).", "check_credentials")
    check(answer.get("x-should-retry") == "false", answer.head.raw)
    check("refused (key k:1)" in shown(report), shown(report))


def mixed():
    for model in ("m2/quota", "k2/401", "limited2"):
        check(ask(model).status in (401, 429), model)
    _, report = told("all", 429, "QuotaExhausted",
                     "No target is available now. m2/quota: quota used up (keys m2:1, m2:2); "
                     "k2/401: refused (key k2:1).", "add_credit")
    check("replace the rejected keys" in report["user_action"]["detail"], report)
    # One target becomes available by itself, so the client is advised to wait.
    answer, report = told("some", 429, "RateLimited",
                          "No target is available now. m2/quota: quota used up (keys m2:1, m2:2); "
                          "n2/429-retry-after-60: rate limited (key n2:1).", "wait_and_retry")
    check(0 < int(answer.get("retry-after")) <= 60, answer.head.raw)
    check("credit" in report["user_action"]["detail"], report)


def keys_differ():
    """One key of the target is exhausted, the other one is rejected."""
    for _ in range(2):
        ask("both/spent")
    answer = ask("both/ok")
    report = report_of(json.loads(answer.body))
    check(answer.status == 429 and report["error_code"] == "QuotaExhausted", answer)
    check("quota used up (key both:" in report["message"] and ", refused (key both:" in report["message"], report)


def one_bad_key():
    """The request that finds the first key rejected succeeds with the other key."""
    for _ in range(3):
        check(ask("good/fine").status == 200, "a request was lost to one bad key")
    asked = [request.get("authorization") for request in one_is_bad.strays if b'"fine"' in request.body]
    check(asked.count("Bearer key-1111") == 1, asked)


def many():
    """If the message has no space for all targets, it does not say that the others have the same reason."""
    for name in MANY:
        check(ask(f"{name}/quota").status == 429)
    report = report_of(json.loads(ask("many").body))
    check(report["error_code"] == "Overloaded", report)
    check("many0/quota: quota used up (key many0:1); many1/quota" in report["message"], report)


def said_by(command, *more):
    done = gateway.run("call", "--via", f"http://127.0.0.1:{gateway.port}", *more, "--model", command, "hi")
    return " ".join((done.stderr + done.stdout).decode().replace("│", " ").split())


def whose_wait():
    """The message distinguishes a wait that the gateway chose from a wait that the provider stated."""
    for more in ((), ("--format", "markdown"), ("--format", "json")):
        for _ in range(2):
            said = said_by("waits", *more)
            check("Recourse retries after" in said and "states a wait" not in said, said)
    said = said_by("told")
    check("The provider states a wait of 1h" in said and "Recourse retries" not in said, said)
    check("Recourse retries after" in said_by("told"), "it was not asked")
    report = report_of(json.loads(ask("waits").body))
    check(report["context"]["wait_by"] == "recourse", report)
    check("Recourse retries after" in shown(report), shown(report))


def call_says_it():
    check(ask("called").status == 429)
    said = said_by("called")
    check("m3/quota: quota used up (keys m3:1, m3:2)" in said and "Add credit" in said, said)


def restarted():
    """A reason that was restored from the store has the same text."""
    other = Lasting({"providers": {"m": provider("KEY_1")},
                     "routes": [{"model": "rests", "wait": "off", "chain": chain("m/quota")}]}).start()
    try:
        with Client(other.port) as client:
            check(client.ask(chat("rests")).status == 429)
        other.end()
        other.start()
        with Client(other.port) as client:
            answer = client.ask(chat("rests"))
        check(answer.status in (402, 429) and b"m/quota: quota used up (key m:1)." in answer.body, answer)
    finally:
        other.stop()


gateway.start(is_plain=True)
suite = Suite()
suite.case("a used-up quota", used_up)
suite.case("a rate limit", limited)
suite.case("an overload", overloaded)
suite.case("a refused key", refused)
suite.case("targets that rest for different things", mixed)
suite.case("keys that rest for different things", keys_differ)
suite.case("one key of two is refused", one_bad_key)
suite.case("more targets than are listed", many)
suite.case("recourse call", call_says_it)
suite.case("whose wait it is", whose_wait)
suite.case("after a restart", restarted)
try:
    main(suite, gateway, upstream, one_is_bad)
finally:
    mock.stop()
