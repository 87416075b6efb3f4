"""Anthropic's SDK with its default number of retries (two): each test also checks that the SDK obeys
x-should-retry."""

import anthropic
from common import TOKEN, asked, base, check, check_class, check_report, main, route, test, thrown
from failures import CALLS, FAILURES

TALK = {"max_tokens": 100, "messages": [{"role": "user", "content": "Hello you"}]}
CLASSES = {400: "BadRequestError", 401: "AuthenticationError", 403: "PermissionDeniedError",
           404: "NotFoundError", 402: "APIStatusError", 429: "RateLimitError", 529: "OverloadedError"}


def client(**options):
    return anthropic.Anthropic(base_url=base(), api_key=options.pop("api_key", TOKEN), **options)


def whole(model):
    return client().messages.create(model=model, **TALK)


def pieces(model, got):
    with client().messages.stream(model=model, **TALK) as stream:
        got.extend(stream.text_stream)
    return got


GOOD = route("anthropic", "tokens-12")
ONCE = route("anthropic", "529@1", "fast")
CUT = route("anthropic", "cut-after-3")


@test("messages: a response")
def response():
    raw = client().messages.with_raw_response.create(model=GOOD.name, **TALK)
    check(raw.headers["x-recourse-target"] == GOOD.target, raw.headers)
    check(raw.parse().content[0].text, "no text")


@test("messages: a stream")
def stream():
    check("".join(pieces(GOOD.name, [])), "no text")


@test("token counts and the list of models")
def others():
    count = client().messages.count_tokens(model=GOOD.name, messages=TALK["messages"])
    check(count.input_tokens > 0, count)
    check(GOOD.name in [model.id for model in client().models.list()], "not listed")


@test("a 529 that passes is not seen")
def passes():
    check(whole(ONCE.name).content[0].text, "no text")
    check(asked(ONCE) == 2, asked(ONCE))


@test("a token that is none: AuthenticationError")
def wrong_token():
    error = thrown(lambda: client(api_key="wrong").messages.create(model=GOOD.name, **TALK))
    check_class(error, anthropic.AuthenticationError)
    check(error.body["recourse"]["error_code"] == "AuthFailed", error.body)


def failure(behaviour, target, run):
    code, _, status, _ = FAILURES[behaviour]
    for _ in range(CALLS):
        error = thrown(run, target.name)
        check(type(error).__name__ == CLASSES[status], type(error), error)
        check(error.status_code == status, error.status_code)
        check_report(error.body["recourse"], code, target)
        check(error.response.headers["x-recourse-report-id"] == error.body["recourse"]["report_id"])


for behaviour, facts in FAILURES.items():
    for how, call in (("whole", whole), ("stream", lambda model: pieces(model, []))):
        own = route("anthropic", behaviour)
        test(f"{behaviour}, {how}: {CLASSES[facts[2]]}", behaviour, own, call)(failure)


@test("a stream that is cut: an error with the report")
def cut():
    got = []
    error = thrown(pieces, CUT.name, got)
    check("".join(got), "no text came before it")
    check(isinstance(error, anthropic.APIError), type(error))
    check_report(error.body["recourse"], "StreamInterrupted", CUT)
    check(asked(CUT) == 1, asked(CUT))


main()
