// npm's classifiers, each called through its own code: { name, package, says, prepare, ask }.
//
// prepare(call) makes the classifier's input from an arrived call; ask(prepared) returns { retry,
// category?, codes?, wait? }. wait(call) exists if other code of the package computes the wait. If
// a classifier can be called in several ways, the way with the best score is used.
import { APICallError } from "@ai-sdk/provider";
import Anthropic from "@anthropic-ai/sdk";
import * as errorBody from "@earendil-works/pi-ai/utils/error-body";
import { isContextOverflow } from "@earendil-works/pi-ai/utils/overflow";
import { retryProviderRequest } from "@earendil-works/pi-ai/utils/provider-retry";
import { isRetryableAssistantError } from "@earendil-works/pi-ai/utils/retry";
import { getRetryable } from "@langchain/core/errors";
import { AsyncCaller, classifyRateLimitError } from "@langchain/core/utils/async_caller";
import * as aws from "@smithy/core/retry";
import { normalizeError } from "llm-errors";
import * as failover from "llm-failover";
import OpenAI from "openai";
import * as retryLlm from "retry-llm";

import { hasHttpError, isAnthropic, payload, sdkError } from "./evidence.mjs";

const clientOptions = { apiKey: "none", baseURL: "http://127.0.0.1:9" };
const openai = new OpenAI(clientOptions);
const anthropic = new Anthropic(clientOptions);
const langchain = new AsyncCaller({});

// Returns the time for which the classifier's code would sleep, without sleeping. Math.random
// returns NaN, so that a wait that depends on it is not a number.
async function sleepOf(run) {
    const { setTimeout } = globalThis;
    const { random } = Math;
    let slept;
    Math.random = () => NaN;
    globalThis.setTimeout = (wake, ms) => {
        slept ??= ms;
        wake();
    };
    try {
        await run();
    } catch {
        // The behaviour of the code after the sleep does not matter here.
    } finally {
        globalThis.setTimeout = setTimeout;
        Math.random = random;
    }
    return Number.isFinite(slept) ? slept : undefined;
}

// The SDKs call shouldRetry for every response that is not ok, and retry every failed connection.
function sdkRule(name, packageName, client) {
    client.makeRequest = async () => undefined;
    return {
        name,
        package: packageName,
        says: ["wait"],
        isAsync: true,
        prepare: asIs,
        async ask(call) {
            if (call.status === undefined)
                return { retry: Boolean(call.transport) };
            return { retry: await client.shouldRetry(call, {}) };
        },
        wait(call) {
            const extra = client === anthropic ? [undefined, call.headers] : [call.headers];
            return sleepOf(() => client.retryRequest({}, 1, "", ...extra));
        },
    };
}

function asIs(call) {
    return call;
}

const piAi = {
    name: "pi-ai",
    package: "@earendil-works/pi-ai",
    says: ["overflow", "wait"],
    prepare(call) {
        const error = sdkError(call);
        if (!isAnthropic(call) && hasHttpError(call))
            error.body = call.text;
        const normal = errorBody.normalizeProviderError(error);
        const errorMessage = errorBody.formatProviderError(normal);
        return { stopReason: "error", provider: call.provider, errorMessage };
    },
    ask(message) {
        if (isContextOverflow(message))
            return { retry: false, codes: ["ContextOverflow"] };
        return { retry: isRetryableAssistantError(message) };
    },
    wait(call) {
        let tries = 0;
        const request = async () => {
            if (tries++ === 0)
                throw Object.assign(new Error(), { status: 503, headers: call.headers });
        };
        return sleepOf(() => retryProviderRequest(request, { maxRetries: 1, maxRetryDelayMs: 0 }));
    },
};

const LLM_ERRORS = {
    authentication: ["configuration", ["AuthFailed"]],
    permission: ["configuration", ["PermissionDenied"]],
    rate_limit: ["transient", ["RateLimited"]],
    insufficient_quota: ["capacity", ["QuotaExhausted"]],
    context_length_exceeded: ["content", ["ContextOverflow"]],
    request_too_large: ["content", ["RequestTooLarge"]],
    invalid_request: ["content", ["InvalidRequest"]],
    not_found: ["configuration", ["ModelNotFound", "EndpointNotFound"]],
    content_filter: ["content", ["ContentFilter"]],
    timeout: ["transient", ["ProviderTimeout", "NetworkTimeout"]],
    server_error: ["transient", ["Provider5xx", "ConnectionFailed", "ConnectionReset"]],
    overloaded: ["transient", ["Overloaded", "ModelLoading"]],
    unknown: ["unknown", ["Unclassified"]],
};

const llmErrors = {
    name: "llm-errors",
    package: "llm-errors",
    says: ["category", "code", "wait", "overflow", "quota"],
    prepare: sdkError,
    ask(error) {
        const answer = normalizeError(error);
        const [category, codes] = LLM_ERRORS[answer.category];
        return { retry: answer.retryable, category, codes, wait: answer.retryAfterMs };
    },
};

const FAILOVER = {
    auth: ["configuration", ["AuthFailed"]],
    auth_permanent: ["configuration", ["PermissionDenied"]],
    billing: ["capacity", ["QuotaExhausted"]],
    rate_limit: ["transient", ["RateLimited"]],
    timeout: ["transient", ["ProviderTimeout", "NetworkTimeout"]],
    model_not_found: ["configuration", ["ModelNotFound"]],
    format: ["content", ["InvalidRequest"]],
    unknown: ["unknown", ["Unclassified"]],
};

// This package tries the next key after any failure; its name for a 5xx is "unknown".
const llmFailover = {
    name: "llm-failover",
    package: "llm-failover",
    says: ["category", "code", "quota"],
    prepare: sdkError,
    ask(error) {
        const [category, codes] = FAILOVER[failover.classifyError(error)];
        return { retry: category === "transient" || category === "unknown", category, codes };
    },
};

// A copy of a list that the package does not export.
const RETRY_LLM_RETRIES = ["rate_limit", "overloaded", "server", "connection", "unknown"];

const retryLlmRule = {
    name: "retry-llm",
    package: "retry-llm",
    says: ["wait"],
    prepare: sdkError,
    ask(error) {
        const wait = retryLlm.getRetryAfter(error) ?? undefined;
        return { retry: RETRY_LLM_RETRIES.includes(retryLlm.classifyError(error)), wait };
    },
};

// The handler throws errors that it does not retry itself, marked if another handler may retry. The
// handler changes the error object, so each call needs a new object.
const langchainRule = {
    name: "LangChain",
    package: "@langchain/core",
    says: ["quota", "wait"],
    prepare: sdkError,
    ask(error) {
        const limit = classifyRateLimitError(error);
        const codes = limit?.action === "stop" ? ["QuotaExhausted"] : undefined;
        let retry = true;
        try {
            langchain.onFailedAttempt(error);
        } catch (thrown) {
            retry = getRetryable(thrown) ?? false;
        }
        return { retry, codes, wait: limit?.retryAfterMs };
    },
};

// Finds "ThrottlingException" in a header, a stream's exception or a body.
function awsErrorName(call) {
    const header = call.headers.get("x-amzn-errortype")?.split(":")[0];
    const event = /^:exception-type:\s*(\w+)/m.exec(call.event)?.[1];
    const type = payload(call)?.__type?.split("#").at(-1);
    const name = header ?? event ?? type ?? "Error";
    return name[0].toUpperCase() + name.slice(1);
}

const awsRule = {
    name: "AWS SDK (smithy)",
    package: "@smithy/core",
    says: [],
    prepare(call) {
        const name = awsErrorName(call);
        return Object.assign(sdkError(call), { name, $metadata: { httpStatusCode: call.status } });
    },
    ask(error) {
        return { retry: aws.isThrottlingError(error) || aws.isTransientError(error) ||
            aws.isServerError(error) };
    },
};

const aiSdk = {
    name: "AI SDK",
    package: "@ai-sdk/provider",
    says: [],
    prepare: asIs,
    ask(call) {
        const error = new APICallError({
            message: call.text,
            url: "",
            requestBodyValues: {},
            statusCode: call.status,
            responseBody: call.body,
            isRetryable: call.status === undefined && call.transport ? true : undefined,
        });
        return { retry: error.isRetryable };
    },
};

function ohMyPi(omp) {
    const { Flag } = omp;
    return {
        name: "oh-my-pi",
        package: "@oh-my-pi/pi-ai",
        says: ["overflow", "quota", "wait"],
        prepare(call) {
            const error = ompError(omp, call);
            return { error, headers: call.headers, text: call.text };
        },
        ask({ error, headers, text }) {
            const id = omp.classify(error);
            const wait = omp.extractRetryHint(headers, text);
            if (omp.is(id, Flag.ContextOverflow))
                return { retry: false, codes: ["ContextOverflow"], wait };
            if (omp.is(id, Flag.UsageLimit))
                return { retry: false, codes: ["QuotaExhausted"], wait };
            return { retry: omp.retriable(id), wait };
        },
    };
}

function ompError(omp, call) {
    if (call.transport && !hasHttpError(call))
        return sdkError(call);
    if (hasHttpError(call)) {
        const { code } = omp.OpenAIHttpError.parseEnvelope(payload(call), call.text);
        const message = `${call.status} ${call.text || "status code (no body)"}`;
        return new omp.ProviderHttpError(message, call.status, { headers: call.headers, code });
    }
    const frame = payload(call);
    const error = frame ? omp.createInBandProviderError(frame)
        : omp.createInBandProviderErrorFromText(call.text);
    return error ?? new Error(call.text);
}

export function rivals(omp) {
    return [
        ohMyPi(omp),
        piAi,
        llmErrors,
        langchainRule,
        sdkRule("OpenAI SDK", "openai", openai),
        sdkRule("Anthropic SDK", "@anthropic-ai/sdk", anthropic),
        aiSdk,
        awsRule,
        retryLlmRule,
        llmFailover,
    ];
}
