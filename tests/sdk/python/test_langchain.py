"""LangChain with each dialect, with the settings of docs/clients/langchain.md."""

from common import TOKEN, asked, base, check, check_report, main, route, test, thrown
from failures import CALLS, FAILURES
from langchain_anthropic import ChatAnthropic
from langchain_google_genai import ChatGoogleGenerativeAI
from langchain_openai import ChatOpenAI

MAKERS = {
    "openai": lambda model, key: ChatOpenAI(model=model, api_key=key, max_retries=0, base_url=base("/v1")),
    "anthropic": lambda model, key: ChatAnthropic(model=model, api_key=key, max_retries=0, base_url=base()),
    "gemini": lambda model, key: ChatGoogleGenerativeAI(model=model, api_key=key, max_retries=1,
                                                        base_url=base()),
}
# LangChain's own subclasses of the SDKs' exceptions, by name.
CLASSES = {
    "openai": {"401": "OpenAIAuthenticationError", "403": "OpenAIPermissionDeniedError",
               "404-model": "OpenAIModelNotFoundError", "429-retry-after-2": "OpenAIRateLimitError",
               "quota": "OpenAIRateLimitError", "503": "OpenAIAPIError", "529": "OpenAIAPIError",
               "400-overflow": "OpenAIContextOverflowError", "400-filter": "OpenAIInvalidRequestError",
               "cut": "APIError"},
    "anthropic": {"401": "AnthropicAuthenticationError", "403": "AnthropicPermissionDeniedError",
                  "404-model": "AnthropicModelNotFoundError", "429-retry-after-2": "AnthropicRateLimitError",
                  "quota": "APIStatusError", "503": "AnthropicOverloadedError",
                  "529": "AnthropicOverloadedError", "400-overflow": "AnthropicContextOverflowError",
                  "400-filter": "AnthropicInvalidRequestError", "cut": "APIStatusError"},
    "gemini": {"401": "GoogleAuthenticationError", "403": "GooglePermissionDeniedError",
               "404-model": "GoogleModelNotFoundError", "429-retry-after-2": "GoogleRateLimitError",
               "quota": "GoogleRateLimitError", "503": "GoogleAPIError", "529": "GoogleAPIError",
               "400-overflow": "GoogleContextOverflowError", "cut": "GoogleAPIError"},
}


def check_name(error, kind, behaviour):
    expected = CLASSES[kind][behaviour]
    check(type(error).__name__ == expected, type(error), "is not", expected, f"{error!s:.300}")


def success(kind, target):
    model = MAKERS[kind](target.name, TOKEN)
    check(model.invoke("Hello you").text, "no text")
    check("".join(part.text for part in model.stream("Hello you")), "no text in a stream")


def failure(kind, behaviour, target):
    for _ in range(CALLS):
        error = thrown(MAKERS[kind](target.name, TOKEN).invoke, "Hello you")
        check_name(error, kind, behaviour)
        if kind != "gemini":
            check_report(error.body["recourse"], FAILURES[behaviour][0], target)
    check(asked(target) <= CALLS, asked(target))


def wrong_token(kind):
    check_name(thrown(MAKERS[kind]("model-1", "wrong").invoke, "Hello you"), kind, "401")


def cut(kind, target):
    got = []

    def read():
        for part in MAKERS[kind](target.name, TOKEN).stream("Hello you"):
            got.append(part.text)
    error = thrown(read)
    check("".join(got), "no text came before it")
    check_name(error, kind, "cut")
    check(asked(target) == 1, asked(target))


for name in MAKERS:
    test(f"{name}: a response and a stream", name, route(name, "tokens-12"))(success)
    test(f"{name}: a token that is none", name)(wrong_token)
    for does in FAILURES:
        if (name, does) == ("gemini", "400-filter"):  # Not an error in Gemini's API.
            continue
        test(f"{name}: {does}: {CLASSES[name][does]}", name, does, route(name, does))(failure)
    test(f"{name}: a stream that is cut is an error", name, route(name, "cut-after-3"))(cut)

main()
