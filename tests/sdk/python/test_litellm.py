"""LiteLLM's SDK with each dialect. LiteLLM has its own exception classes, and chooses one by
status, type and text."""

import os

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # Prevents LiteLLM from fetching a file.

import litellm
from common import TOKEN, asked, base, check, check_class, main, route, test, thrown
from failures import CALLS, FAILURES

litellm.suppress_debug_info = True
litellm.telemetry = False
MESSAGES = [{"role": "user", "content": "Hello you"}]
PATHS = {"openai": ("openai", "/v1"), "anthropic": ("anthropic", ""), "gemini": ("gemini", "/v1beta")}


def call(kind, model, **options):
    prefix, path = PATHS[kind]
    options = {"api_key": TOKEN, "num_retries": 0, "max_retries": 0, **options}
    return litellm.completion(f"{prefix}/{model}", messages=MESSAGES, api_base=base(path), **options)


def pieces(kind, model, got):
    for part in call(kind, model, stream=True):
        got.append(part.choices[0].delta.content or "")
    return got


CLASSES = {"401": litellm.AuthenticationError, "403": litellm.PermissionDeniedError,
           "404-model": litellm.NotFoundError, "429-retry-after-2": litellm.RateLimitError,
           "quota": litellm.RateLimitError, "503": litellm.ServiceUnavailableError,
           "529": litellm.ServiceUnavailableError, "400-overflow": litellm.ContextWindowExceededError,
           "400-filter": litellm.ContentPolicyViolationError}
# LiteLLM raises the same classes for the providers' own responses.
OF_KIND = {("openai", "403"): litellm.BadRequestError, ("gemini", "403"): litellm.BadRequestError,
           ("anthropic", "quota"): litellm.exceptions.PaymentRequiredError,
           ("anthropic", "503"): litellm.InternalServerError, ("anthropic", "529"): litellm.InternalServerError}


def class_of(kind, behaviour):
    return OF_KIND.get((kind, behaviour), CLASSES[behaviour])


def success(kind, target):
    check(call(kind, target.name).choices[0].message.content, "no text")
    check("".join(pieces(kind, target.name, [])), "no text in a stream")


def failure(kind, behaviour, target):
    for _ in range(CALLS):
        check_class(thrown(call, kind, target.name), class_of(kind, behaviour))
    check(asked(target) <= CALLS, asked(target))


def wrong_token(kind):
    error = thrown(lambda: call(kind, "model-1", api_key="wrong"))
    check_class(error, litellm.AuthenticationError)


def cut(kind, target):
    got = []
    error = thrown(pieces, kind, target.name, got)
    check("".join(got), "no text came before it")
    check_class(error, litellm.exceptions.MidStreamFallbackError)
    check(asked(target) == 1, asked(target))


for name in PATHS:
    test(f"{name}: a response and a stream", name, route(name, "tokens-12"))(success)
    test(f"{name}: a token that is none", name)(wrong_token)
    for does in FAILURES:
        if (name, does) == ("gemini", "400-filter"):  # Not an error in Gemini's API.
            continue
        test(f"{name}: {does}: {class_of(name, does).__name__}", name, does, route(name, does))(failure)
    test(f"{name}: a stream that is cut is an error", name, route(name, "cut-after-3"))(cut)

main()
