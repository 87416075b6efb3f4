"""Google's GenAI SDK: with its default version of the API, and with the versions v1 and v1beta."""

from common import TOKEN, asked, base, check, check_class, check_report, main, route, test, thrown
from failures import CALLS, FAILURES
from google import genai
from google.genai import errors

CONTENTS = "Hello you"


def client(version=None, api_key=TOKEN):
    options = {"base_url": base(), **({"api_version": version} if version else {})}
    return genai.Client(api_key=api_key, http_options=options)


def whole(model, **options):
    with client(**options) as api:
        return api.models.generate_content(model=model, contents=CONTENTS)


def pieces(model, got, **options):
    with client(**options) as api:
        for part in api.models.generate_content_stream(model=model, contents=CONTENTS):
            got.append(part.text or "")
    return got


GOOD = route("gemini", "tokens-12")
ONCE = route("gemini", "503@1", "fast")
CUT = route("gemini", "cut-after-3")
FILTER = route("gemini", "400-filter")


def success(version):
    check(whole(GOOD.name, version=version).text, "no text")
    check("".join(pieces(GOOD.name, [], version=version)), "no text in a stream")
    with client(version) as api:
        count = api.models.count_tokens(model=GOOD.name, contents=CONTENTS)
        check(count.total_tokens > 0, count)
        names = [model.name for model in api.models.list()]
        check(f"models/{GOOD.name}" in names, names[:5])
        check(api.models.get(model=GOOD.name).name == f"models/{GOOD.name}")
        vectors = api.models.embed_content(model=GOOD.name, contents=["a", "b"])
        check(len(vectors.embeddings) == 2, vectors)


for api_version in (None, "v1", "v1beta"):
    test(f"version {api_version or 'of the SDK'}: responses, streams, counts, models, embeddings",
         api_version)(success)


@test("a 503 that passes is not seen")
def passes():
    check(whole(ONCE.name).text, "no text")
    check(asked(ONCE) == 2, asked(ONCE))


@test("a token that is none: ClientError 401")
def wrong_token():
    error = thrown(lambda: whole(GOOD.name, api_key="wrong"))
    check_class(error, errors.ClientError)
    check(error.code == 401 and error.status == "UNAUTHENTICATED", error)
    check(error.details["recourse"]["error_code"] == "AuthFailed", error.details)


def failure(behaviour, target, run):
    code, _, _, status = FAILURES[behaviour]
    for _ in range(CALLS):
        error = thrown(run, target.name)
        check_class(error, errors.ClientError if status < 500 else errors.ServerError)
        check(error.code == status, error.code)
        check_report(error.details["recourse"], code, target)


for behaviour, facts in FAILURES.items():
    if behaviour == "400-filter":  # Not an error in Gemini's API.
        continue
    for how, call in (("whole", whole), ("stream", lambda model: pieces(model, []))):
        own = route("gemini", behaviour)
        test(f"{behaviour}, {how}: an error of status {facts[3]}", behaviour, own, call)(failure)


@test("a prompt that is blocked: promptFeedback")
def blocked():
    feedback = whole(FILTER.name).prompt_feedback
    check(feedback and feedback.block_reason, feedback)


@test("a stream that is cut: an error with the report")
def cut():
    got = []
    error = thrown(pieces, CUT.name, got)
    check("".join(got), "no text came before it")
    check(isinstance(error, errors.APIError), type(error), error)
    check_report(error.details["recourse"], "StreamInterrupted", CUT)
    check(asked(CUT) == 1, asked(CUT))


main()
