"""OpenAI's SDK with its default number of retries (two): each test also checks that the SDK obeys x-should-retry."""

import openai
from common import TOKEN, asked, base, check, check_class, check_report, main, route, test, thrown
from failures import CALLS, FAILURES

MESSAGES = [{"role": "user", "content": "Hello you"}]
CLASSES = {400: openai.BadRequestError, 401: openai.AuthenticationError, 403: openai.PermissionDeniedError,
           404: openai.NotFoundError, 429: openai.RateLimitError, 503: openai.InternalServerError}


def client(**options):
    return openai.OpenAI(base_url=base("/v1"), api_key=options.pop("api_key", TOKEN), **options)


def whole(model):
    return client().chat.completions.create(model=model, messages=MESSAGES)


def pieces(model, got):
    for part in client().chat.completions.create(model=model, messages=MESSAGES, stream=True):
        got.append(part.choices[0].delta.content or "" if part.choices else "")
    return got


GOOD = route("openai", "tokens-12")
ONCE = route("openai", "503@1", "fast")
CUT = route("openai", "cut-after-3")


@test("chat completions: a response")
def response():
    raw = client().chat.completions.with_raw_response.create(model=GOOD.name, messages=MESSAGES)
    check(raw.headers["x-recourse-target"] == GOOD.target, raw.headers)
    check(raw.parse().choices[0].message.content, raw.text)


@test("chat completions: a stream")
def stream():
    check("".join(pieces(GOOD.name, [])), "no text")


@test("responses: a response and a stream")
def responses():
    check(client().responses.create(model=GOOD.name, input="Hello").output_text, "no text")
    types = [event.type for event in client().responses.create(model=GOOD.name, input="Hello", stream=True)]
    check(types[-1] == "response.completed", types)


@test("embeddings and the list of models")
def others():
    check(len(client().embeddings.create(model=GOOD.name, input=["a", "b"]).data) == 2)
    check(GOOD.name in [model.id for model in client().models.list()], "not listed")


@test("a 503 that passes is not seen")
def passes():
    check(whole(ONCE.name).choices[0].message.content, "no text")
    check(asked(ONCE) == 2, asked(ONCE))


@test("a token that is none: AuthenticationError")
def wrong_token():
    error = thrown(lambda: client(api_key="wrong").models.list())
    check_class(error, openai.AuthenticationError)
    check(error.body["recourse"]["error_code"] == "AuthFailed", error.body)


def failure(behaviour, target, run):
    code, status, _, _ = FAILURES[behaviour]
    for _ in range(CALLS):
        error = thrown(run, target.name)
        check_class(error, CLASSES[status])
        check(error.status_code == status, error.status_code)
        check_report(error.body["recourse"], code, target)
        check(error.response.headers["x-recourse-report-id"] == error.body["recourse"]["report_id"])
        check(error.body["recourse"]["message"] in error.message, error.message)


for behaviour, facts in FAILURES.items():
    for how, call in (("whole", whole), ("stream", lambda model: pieces(model, []))):
        own = route("openai", behaviour)
        test(f"{behaviour}, {how}: {CLASSES[facts[1]].__name__}", behaviour, own, call)(failure)


@test("a stream that is cut: APIError with the report")
def cut():
    got = []
    error = thrown(pieces, CUT.name, got)
    check("".join(got), "no text came before it")
    check_class(error, openai.APIError)
    check_report(error.body["recourse"], "StreamInterrupted", CUT)
    check(asked(CUT) == 1, asked(CUT))


main()
