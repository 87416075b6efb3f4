// A failed call of the corpus as a Node program sees it: the response, and the error that the OpenAI or
// Anthropic SDK throws for it.
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";

const TRANSPORT = {
    timeout: ["ETIMEDOUT", "Request timed out."],
    connect_refused: ["ECONNREFUSED", "connect ECONNREFUSED 127.0.0.1:443"],
    dns: ["ENOTFOUND", "getaddrinfo ENOTFOUND api.example.com"],
    tls: ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "unable to verify the first certificate"],
    reset: ["ECONNRESET", "read ECONNRESET"],
    eof: ["UND_ERR_SOCKET", "other side closed"],
};

export function parse(text) {
    try {
        return JSON.parse(text);
    } catch {
        return undefined;
    }
}

// The payload of the last JSON event of a stream, SSE or not.
function parseEvent(text) {
    const lines = text.split("\n").map((line) => line.replace(/^data:\s*/, ""));
    for (const line of lines.reverse()) {
        const value = parse(line);
        if (value !== null && typeof value === "object")
            return value;
    }
    return undefined;
}

// A row may be a log line of a call; the program that wrote the line knew the status.
const STATUS_WORD = /\b(?:error code|status(?:[ _]?code)?|http(?:\/[\d.]+)?)["']?\s*[:=]?\s*/;
const LOGGED_STATUS = new RegExp(`(?:^\\s*|${STATUS_WORD.source})([45]\\d\\d)\\b`, "i");

function statusOf(row, text) {
    if (row.status || row.transport)
        return row.status || undefined;
    const logged = LOGGED_STATUS.exec(text);
    return logged ? Number(logged[1]) : undefined;
}

// The call of a row as it arrived, before any processing.
export function arrive(row) {
    const text = [row.body, row.event].filter(Boolean).join("\n");
    return {
        provider: row.provider ?? "",
        status: statusOf(row, text),
        headers: new Headers(row.headers ?? {}),
        body: row.body ?? "",
        event: row.event ?? "",
        text,
        transport: row.transport,
    };
}

export function isAnthropic(call) {
    return call.provider === "anthropic";
}

// Below 400 the SDK saw no HTTP error, so the error is in the body or in the stream.
export function hasHttpError(call) {
    return call.status >= 400;
}

function transportError(call) {
    const [code, text] = TRANSPORT[call.transport] ?? ["UND_ERR_SOCKET", "other side closed"];
    const cause = Object.assign(new Error(text), { code });
    const message = call.text || text;
    const error = call.transport === "timeout"
        ? new OpenAI.APIConnectionTimeoutError({ message })
        : new OpenAI.APIConnectionError({ message, cause });
    return Object.assign(error, { code });
}

export function payload(call) {
    const value = (call.event && parseEvent(call.event)) || parse(call.body);
    return Array.isArray(value) ? value[0] : value;
}

// Returns the error that a program catches.
export function sdkError(call) {
    if (call.transport && !hasHttpError(call))
        return transportError(call);
    const json = payload(call);
    const inner = json?.error ?? json?.response?.error ?? json;
    const sdk = isAnthropic(call) ? Anthropic : OpenAI;
    if (!hasHttpError(call))
        return new sdk.APIError(undefined, inner ?? undefined, call.text, call.headers);
    if (isAnthropic(call))
        return sdk.APIError.generate(call.status, json, json ? undefined : call.text, call.headers);
    const whole = json && typeof json === "object" ? { error: inner } : undefined;
    return sdk.APIError.generate(call.status, whole, whole ? undefined : call.text, call.headers);
}
