// Google's SDK: generateContent, generateContentStream, embedContent, countTokens, chats. The SDK has no
// retries unless retryOptions are set. The SDK's exceptions have a status and a message; the
// message is the response's body or, for a stream, ends with it.
import assert from "node:assert/strict";

import { ApiError, GoogleGenAI } from "@google/genai";
import * as older from "genai-1";

import { checkReport, checkToldHeaders, closedPort, counted, thrown } from "./checks.mjs";
import { EARLY_FAILURES, FAILURES, LATE_FAILURES, WHOLE_FAILURES } from "./failures.mjs";
import { TOKEN, asked, base, own, route } from "./servers.mjs";
import { Group } from "./tap.mjs";

const contents = "Hello you";

// Returns the SDK's client (api) and a counter of its HTTP requests (sent).
function client(httpOptions = {}, Class = GoogleGenAI) {
    const sent = counted();
    const api = new Class({ apiKey: TOKEN, httpOptions: { baseUrl: base(), fetch: sent, ...httpOptions } });
    return { api, sent };
}

const whole = (api, model) => api.models.generateContent({ model, contents });

async function read(stream, got = { text: "", last: undefined }) {
    for await (const chunk of await stream) {
        got.text += chunk.text ?? "";
        got.last = chunk;
    }
    return got;
}

const streamed = (api, model, got) => read(api.models.generateContentStream({ model, contents }), got);

// Reads the error's body as docs/clients/google-genai.md advises users.
const bodyOf = (error) => JSON.parse(error.message.slice(error.message.indexOf("{")));

const headersOf = (answer) => new Headers(answer.sdkHttpResponse.headers);

async function checkFailure(row, target, run) {
    const { api, sent } = client();
    const error = await thrown(() => run(api, target.name));
    assert.equal(error.constructor, ApiError, error.constructor.name);
    assert.equal(error.status, row.status);
    const body = bodyOf(error);
    assert.equal(body.error.code, row.status);
    assert.equal(body.error.status, row.google);
    assert.equal(body.error.message, body.recourse.message);
    assert.equal(body.error.details[0].metadata.report_id, body.recourse.report_id);
    checkReport(body.recourse, { code: row.code, target: target.target });
    assert.equal(sent.requests, 1, "it was sent again");
    assert.equal(await asked(target), 1);
    return body;
}

function addSuccesses(group) {
    const target = route("gemini", "tokens-12");
    group.test("generateContent: an answer", async () => {
        const { api } = client();
        const answer = await whole(api, target.name);
        assert.ok(answer.text.length > 0);
        assert.equal(answer.candidates[0].finishReason, "STOP");
        checkToldHeaders(headersOf(answer), target);
    });
    group.test("generateContentStream: the same answer", async () => {
        const { api } = client();
        const got = await streamed(api, target.name);
        assert.ok(got.text.length > 0);
        assert.equal(got.last.candidates[0].finishReason, "STOP");
        checkToldHeaders(headersOf(got.last), target);
    });
    // In Gemini's API a blocked prompt is not an error, but a response without candidates.
    const blocked = route("gemini", "400-filter");
    group.test("generateContent and generateContentStream: a prompt that is blocked is passed on", async () => {
        const { api } = client();
        const answer = await whole(api, blocked.name);
        assert.equal(answer.promptFeedback.blockReason, "PROHIBITED_CONTENT");
        const got = await streamed(api, blocked.name);
        assert.equal(got.text, "");
        assert.equal(got.last.promptFeedback.blockReason, "PROHIBITED_CONTENT");
        checkToldHeaders(headersOf(got.last), blocked);
    });
    group.test("chats: two turns, in events", async () => {
        const { api } = client();
        const chat = api.chats.create({ model: target.name });
        for (const message of ["Hello", "you"])
            assert.ok((await read(chat.sendMessageStream({ message }))).text.length > 0);
        assert.equal(chat.getHistory().filter(({ role }) => role === "user").length, 2);
    });
    group.test("countTokens: a number", async () => {
        const { api } = client();
        assert.ok((await api.models.countTokens({ model: target.name, contents })).totalTokens > 0);
    });
    group.test("models: the list, and one of it", async () => {
        const { api } = client();
        const names = [];
        for await (const model of await api.models.list())
            names.push(model.name);
        assert.ok(names.includes(`models/${target.name}`), names.join(" ").slice(0, 200));
        assert.equal((await api.models.get({ model: target.name })).displayName, target.name);
    });
    group.test("embedContent: numbers", async () => {
        const { api } = client();
        const { embeddings } = await api.models.embedContent({ model: target.name, contents: ["Hello", "you"] });
        assert.equal(embeddings.length, 2);
        assert.ok(embeddings.every(({ values }) => values.length === 16 && values.every(Number.isFinite)));
    });
    for (const does of ["503@1", "stream-error-first@1", "empty-stream@1"]) {
        const failing = route("gemini", does, { policy: "fast" });
        group.test(`generateContentStream: ${does} is not seen`, async () => {
            const { api, sent } = client();
            const got = await streamed(api, failing.name);
            assert.ok(got.text.length > 0);
            checkToldHeaders(headersOf(got.last), { ...failing, attempts: 2 });
            assert.equal(sent.requests, 1);
            assert.equal(await asked(failing), 2);
        });
    }
}

function addFailures(group) {
    for (const row of [...FAILURES, ...WHOLE_FAILURES]) {
        const target = route("gemini", row.does);
        group.test(`generateContent: ${row.does} is an ApiError of status ${row.status}`, async () => {
            const body = await checkFailure(row, target, whole);
            const retry = body.error.details.find((one) => one["@type"].endsWith("RetryInfo"));
            assert.equal(retry !== undefined, row.does === "429-retry-after-2");
        });
    }
    for (const row of [...FAILURES, ...EARLY_FAILURES]) {
        const target = route("gemini", row.does);
        group.test(`generateContentStream: ${row.does} is an ApiError of status ${row.status}`,
            () => checkFailure(row, target, (api, model) => streamed(api, model)));
    }
    for (const row of FAILURES.filter(({ does }) => ["400", "401", "429-retry-after-2", "500"].includes(does))) {
        const target = route("gemini", row.does);
        group.test(`embedContent: ${row.does} is an ApiError of status ${row.status}`, () => checkFailure(row, target,
            (api, model) => api.models.embedContent({ model, contents })));
    }
}

const LATE = [...LATE_FAILURES, { does: "no-terminator", code: "StreamInterrupted" }];

// A failure after the first content must raise an error; the stream must not end normally.
function addLateFailures(group) {
    for (const { does, code, ...options } of LATE) {
        const target = route("gemini", does, options);
        group.test(`generateContentStream: ${does} is an ApiError`, async () => {
            const { api, sent } = client();
            const got = { text: "" };
            const error = await thrown(() => streamed(api, target.name, got));
            assert.ok(got.text.length > 0, "there was content");
            assert.equal(error.constructor, ApiError, error.constructor.name);
            const body = bodyOf(error);
            assert.equal(error.status, body.error.code);
            if (code === "QuotaExhausted")
                assert.deepEqual([body.error.code, body.error.status], [429, "RESOURCE_EXHAUSTED"]);
            checkReport(body.recourse, { code, target: target.target });
            assert.equal(sent.requests, 1);
            assert.equal(await asked(target), 1);
        });
    }
    const damaged = route("gemini", "damaged-line-2");
    group.test("generateContentStream: an event that is no JSON is an error", async () => {
        const { api } = client();
        await thrown(() => streamed(api, damaged.name));
    });
}

// Before 2.32 the SDK took an error in a stream for a response without text. The text that the gateway
// sends after the error makes these versions raise an exception, but without the report.
function addOlder(group) {
    for (const { does, ...options } of LATE) {
        const target = route("gemini", does, options);
        group.test(`generateContentStream of 1.52: ${does} is an error`, async () => {
            const { api } = client({ fetch: undefined }, older.GoogleGenAI);
            const got = { text: "", last: undefined };
            await thrown(() => streamed(api, target.name, got));
            assert.ok(got.text.length > 0, "there was content");
            checkToldHeaders(headersOf(got.last), target);
            assert.equal(await asked(target), 1);
        });
    }
    const good = route("gemini", "tokens-12");
    group.test("generateContentStream of 1.52: an answer", async () => {
        const { api } = client({ fetch: undefined }, older.GoogleGenAI);
        assert.ok((await streamed(api, good.name)).text.length > 0);
    });
    const refused = route("gemini", "400");
    group.test("generateContent of 1.52: an ApiError", async () => {
        const { api } = client({ fetch: undefined }, older.GoogleGenAI);
        const error = await thrown(() => whole(api, refused.name));
        assert.equal(error.constructor, older.ApiError);
        assert.equal(bodyOf(error).recourse.error_code, "InvalidRequest");
    });
}

function addRefusals(group) {
    group.test("a token that is none is an ApiError of status 401", async () => {
        const api = new GoogleGenAI({ apiKey: "wrong", httpOptions: { baseUrl: base() } });
        const error = await thrown(() => whole(api, "model-1"));
        assert.equal(error.status, 401);
        assert.equal(bodyOf(error).recourse.error_code, "AuthFailed");
    });
    group.test("a model that is none is an ApiError of status 404", async () => {
        const { api, sent } = client();
        const error = await thrown(() => whole(api, "no-such-model"));
        assert.equal(error.status, 404);
        assert.equal(bodyOf(error).error.status, "NOT_FOUND");
        assert.equal(sent.requests, 1);
    });
    const behind = route("gemini", "tokens-12");
    group.test("what a provider does not have is an ApiError of status 404 with its words", async () => {
        const { api, sent } = client({ baseUrl: own(behind) });
        const error = await thrown(() => api.files.get({ name: "files/f" }));
        const body = bodyOf(error);
        assert.equal(error.status, 404);
        assert.equal(body.error.status, "NOT_FOUND");
        assert.ok(body.error.message.includes("Requested entity was not found."), body.error.message);
        assert.equal(sent.requests, 1);
    });
    const hanging = route("gemini", "hang");
    group.test("a deadline that the request names is kept", async () => {
        const { api } = client({ headers: { "x-recourse-deadline-ms": "300" } });
        const error = await thrown(() => whole(api, hanging.name));
        assert.equal(error.status, 504);
        assert.equal(bodyOf(error).recourse.error_code, "DeadlineExceeded");
    });
    group.test("no gateway is an error of fetch", async () => {
        const { api } = client({ baseUrl: `http://127.0.0.1:${await closedPort()}` });
        const error = await thrown(() => whole(api, "model-1"));
        assert.equal(error.cause.code, "ECONNREFUSED");
    });
    const spent = route("gemini", "500", { policy: "fast" });
    group.test("retries that are used up are told with all attempts", async () => {
        const { api, sent } = client();
        const { recourse } = bodyOf(await thrown(() => whole(api, spent.name)));
        assert.equal(recourse.retry_exhausted, true);
        assert.equal(recourse.context.attempt, 3);
        assert.equal(sent.requests, 1);
        assert.equal(await asked(spent), 3);
    });
}

const group = new Group("google");
addSuccesses(group);
addFailures(group);
addLateFailures(group);
addOlder(group);
addRefusals(group);

export const groups = [group];
