// OpenAI's SDK: chat completions, the Responses API, embeddings, the list of models. The SDK has its
// default number of retries (two), so each test also checks that x-should-retry prevents wrong retries.
import assert from "node:assert/strict";

import OpenAI from "openai";

import { checkErrorHeaders, checkReport, checkToldHeaders, closedPort, counted, thrown } from "./checks.mjs";
import { EARLY_FAILURES, FAILURES, LATE_FAILURES, WHOLE_FAILURES } from "./failures.mjs";
import { TOKEN, asked, base, own, route } from "./servers.mjs";
import { Group } from "./tap.mjs";

const messages = [{ role: "user", content: "Hello you" }];

// Returns the SDK's client (api) and a counter of its HTTP requests (sent).
function client(options = {}) {
    const sent = counted();
    const api = new OpenAI({ apiKey: TOKEN, baseURL: `${base()}/v1`, fetch: sent, logLevel: "off", ...options });
    return { api, sent };
}

// The same functions for each API. whole, stream: return a promise of a response or of a stream. said,
// piece: return the text of a response or of one event.
const CHAT = {
    name: "chat",
    whole: (api, model) => api.chat.completions.create({ model, messages }),
    stream: (api, model) => api.chat.completions.create({ model, messages, stream: true }),
    helper: (api, model) => api.chat.completions.stream({ model, messages }).finalChatCompletion(),
    said: (answer) => answer.choices[0].message.content,
    piece: (event) => event.choices[0]?.delta?.content ?? "",
};
const RESPONSES = {
    name: "responses",
    whole: (api, model) => api.responses.create({ model, input: "Hello you" }),
    stream: (api, model) => api.responses.create({ model, input: "Hello you", stream: true }),
    helper: (api, model) => api.responses.stream({ model, input: "Hello you" }).finalResponse(),
    said: (answer) => answer.output_text,
    piece: (event) => (event.type === "response.output_text.delta" ? event.delta : ""),
};
const COMPLETIONS = {
    name: "completions",
    whole: (api, model) => api.completions.create({ model, prompt: "Hello you" }),
    stream: (api, model) => api.completions.create({ model, prompt: "Hello you", stream: true }),
    said: (answer) => answer.choices[0].text,
    piece: (event) => event.choices[0]?.text ?? "",
};

async function read(stream, face, got = { text: "", events: [] }) {
    for await (const event of await stream) {
        got.events.push(event);
        got.text += face.piece(event);
    }
    return got;
}

async function checkFailure(row, target, run) {
    const { api, sent } = client();
    const error = await thrown(() => run(api, target.name));
    assert.equal(error.constructor, OpenAI[row.openai.class], error.constructor.name);
    assert.equal(error.status, row.status);
    assert.equal(error.code, row.openai.code);
    const report = error.error.recourse;
    checkReport(report, { code: row.code, target: target.target });
    checkErrorHeaders(error.headers, report, target);
    assert.equal(error.headers.get("x-should-retry"), "false");
    assert.ok(error.requestID.length > 0);
    assert.ok(error.message.includes(report.message));
    assert.equal(sent.requests, 1, "it was sent again");
    assert.equal(await asked(target), 1);
    return { error, report };
}

function addFailures(group, face, rows, how) {
    for (const row of rows) {
        const target = route("openai", row.does);
        group.test(`${face.name}, ${how}: ${row.does} is a ${row.openai.class}`, async () => {
            const { report } = await checkFailure(row, target, (api, model) =>
                how === "whole" ? face.whole(api, model) : read(face.stream(api, model), face));
            if (row.does === "429-retry-after-2")
                assert.ok(report.provider_metadata.retry_after_ms > 1000);
        });
    }
}

// A failure after the first content must raise an error; the stream must not end normally.
function addLateFailures(group, face) {
    for (const { does, code, ...options } of LATE_FAILURES) {
        const target = route("openai", does, options);
        const again = route("openai", does, options);
        group.test(`${face.name}, stream: ${does} is an APIError`, async () => {
            const { api, sent } = client();
            const got = { text: "", events: [] };
            const error = await thrown(() => read(face.stream(api, target.name), face, got));
            assert.ok(got.text.length > 0, "there was content");
            assert.equal(error.constructor, OpenAI.APIError, error.constructor.name);
            checkReport(error.error.recourse, { code, target: target.target });
            checkToldHeaders(error.headers, target);
            assert.equal(sent.requests, 1);
            assert.equal(await asked(target), 1);
        });
        if (face.helper)
            group.test(`${face.name}, stream helper: ${does} is an error`, async () => {
                const { api, sent } = client();
                const error = await thrown(() => face.helper(api, again.name));
                assert.ok(error instanceof OpenAI.OpenAIError, error.constructor.name);
                assert.equal(error.error.recourse.error_code, code);
                assert.equal(sent.requests, 1);
            });
    }
    const damaged = route("openai", "damaged-line-2");
    group.test(`${face.name}, stream: an event that is no JSON is an error`, async () => {
        const { api } = client();
        await thrown(() => read(face.stream(api, damaged.name), face));
    });
}

function addSuccesses(group, face) {
    const target = route("openai", "tokens-12");
    group.test(`${face.name}, whole: an answer`, async () => {
        const { api } = client();
        const { data, response } = await face.whole(api, target.name).withResponse();
        assert.ok(face.said(data).length > 0);
        checkToldHeaders(response.headers, target);
    });
    group.test(`${face.name}, stream: the same answer`, async () => {
        const { api } = client();
        const got = await read(face.stream(api, target.name), face);
        assert.ok(got.text.length > 0 && got.events.length > 10);
    });
    if (face.helper)
        group.test(`${face.name}, stream helper: the same answer`, async () => {
            const { api } = client();
            assert.ok(face.said(await face.helper(api, target.name)).length > 0);
        });
    for (const does of ["503@1", "refuse@1"]) {
        const failing = route("openai", does, { policy: "fast" });
        group.test(`${face.name}, whole: ${does} is not seen`, async () => {
            const { api, sent } = client();
            const { response } = await face.whole(api, failing.name).withResponse();
            checkToldHeaders(response.headers, { ...failing, attempts: 2 });
            assert.equal(sent.requests, 1);
            assert.equal(await asked(failing), 2);
        });
    }
    for (const does of ["503@1", "start-then-overloaded@1", "empty-stream@1"]) {
        const failing = route("openai", does, { policy: "fast" });
        group.test(`${face.name}, stream: ${does} is not seen`, async () => {
            const { api, sent } = client();
            const got = await read(face.stream(api, failing.name), face);
            assert.ok(got.text.length > 0);
            assert.equal(sent.requests, 1);
            assert.equal(await asked(failing), 2);
        });
    }
}

function faceGroup(face) {
    const group = new Group("openai");
    addSuccesses(group, face);
    addFailures(group, face, [...FAILURES, ...WHOLE_FAILURES], "whole");
    addFailures(group, face, [...FAILURES, ...EARLY_FAILURES], "stream");
    addLateFailures(group, face);
    return group;
}

// ---- tests of a single API ----

function addResponsesEvents(group) {
    const failed = route("openai", "stream-error-after-3");
    group.test("responses, stream: a provider's response.failed is raised, not handed on", async () => {
        const { api } = client();
        const got = { text: "", events: [] };
        const error = await thrown(() => read(RESPONSES.stream(api, failed.name), RESPONSES, got));
        assert.equal(error.error.recourse.error_code, "Provider5xx");
        assert.ok(got.events.every(({ type }) => type !== "response.failed" && type !== "response.completed"));
    });
    const endless = route("openai", "no-terminator");
    group.test("responses, stream: an end without response.completed is an APIError", async () => {
        const { api } = client();
        const error = await thrown(() => read(RESPONSES.stream(api, endless.name), RESPONSES));
        assert.equal(error.constructor, OpenAI.APIError);
        assert.equal(error.error.recourse.error_code, "StreamInterrupted");
    });
    // The SDK raises at the first of the two events at the end of the stream, so this test reads the bytes.
    group.test("responses, stream: what ends it goes on counting, and is the same response's", async () => {
        const { api } = client();
        const text = await (await RESPONSES.stream(api, endless.name).asResponse()).text();
        const events = text.match(/^data: .*$/gm).map((line) => JSON.parse(line.slice(6)));
        assert.ok(events.length > 4, `${events.length} events`);
        assert.deepEqual(events.map((event) => event.sequence_number), events.map((_, index) => index));
        assert.equal(events.at(-1).type, "response.failed");
        assert.equal(events.at(-1).response.id, events[0].response.id);
    });
}

function addEmbeddings(group) {
    const target = route("openai", "ok");
    group.test("embeddings: numbers", async () => {
        const { api } = client();
        const { data } = await api.embeddings.create({ model: target.name, input: ["Hello", "you"] });
        assert.equal(data.length, 2);
        assert.ok(data.every(({ embedding }) => embedding.length === 16 && embedding.every(Number.isFinite)));
    });
    for (const row of FAILURES.filter(({ does }) => ["400", "401", "429-retry-after-2", "500"].includes(does))) {
        const failing = route("openai", row.does);
        group.test(`embeddings: ${row.does} is a ${row.openai.class}`, () => checkFailure(row, failing,
            (api, model) => api.embeddings.create({ model, input: "Hello" })));
    }
}

function addRetries(group) {
    const spent = route("openai", "500", { policy: "fast" });
    group.test("retries that are used up are told with all attempts, and not used again", async () => {
        const { api, sent } = client();
        const error = await thrown(() => CHAT.whole(api, spent.name));
        assert.equal(error.error.recourse.retry_exhausted, true);
        checkErrorHeaders(error.headers, error.error.recourse, { ...spent, attempts: 3 });
        assert.equal(sent.requests, 1);
        assert.equal(await asked(spent), 3);
    });
    const far = route("openai", "429-retry-after-600", { policy: "hasty" });
    group.test("a wait that no SDK keeps is not left to it", async () => {
        const { api, sent } = client();
        // The second request calls no provider, because the target cools down.
        for (const status of [429, 429]) {
            const error = await thrown(() => CHAT.whole(api, far.name));
            assert.equal(error.status, status);
            assert.equal(error.headers.get("x-should-retry"), "false");
            assert.ok(Number(error.headers.get("retry-after")) > 590);
        }
        assert.equal(sent.requests, 2);
        assert.equal(await asked(far), 1);
    });
    const later = route("openai", "429-ms-300@1", { policy: "hasty" });
    group.test("a wait that is not ours is the SDK's: told when, it comes again, and not before", async () => {
        const { api, sent } = client();
        const start = Date.now();
        const { response } = await CHAT.whole(api, later.name).withResponse();
        assert.ok(Date.now() - start >= 290, `it waited ${Date.now() - start} ms`);
        assert.equal(response.headers.get("x-recourse-attempts"), "1");
        assert.equal(sent.requests, 2);
        assert.equal(await asked(later), 2);
    });
}

function addRefusals(group) {
    group.test("a token that is none is an AuthenticationError", async () => {
        const { api, sent } = client({ apiKey: "sk-wrong" });
        const error = await thrown(() => CHAT.whole(api, "model-1"));
        assert.equal(error.constructor, OpenAI.AuthenticationError);
        assert.equal(error.error.recourse.error_code, "AuthFailed");
        assert.equal(sent.requests, 1);
    });
    group.test("a model that is none is a NotFoundError", async () => {
        const { api, sent } = client();
        const error = await thrown(() => CHAT.whole(api, "no-such-model"));
        assert.equal(error.constructor, OpenAI.NotFoundError);
        assert.equal(error.code, "model_not_found");
        assert.match(error.headers.get("x-recourse-report-id"), /^rep_/);
        assert.match(error.headers.get("x-recourse-request-id"), /^req_/);
        assert.equal(sent.requests, 1);
    });
    const unable = route("anthropic", "ok");
    group.test("an endpoint that no target has is an UnprocessableEntityError", async () => {
        const { api } = client();
        const error = await thrown(() => api.embeddings.create({ model: unable.name, input: "Hello" }));
        assert.equal(error.constructor, OpenAI.UnprocessableEntityError);
        assert.equal(error.error.recourse.error_code, "UnsupportedFeature");
        assert.equal(await asked(unable), 0);
    });
    group.test("a header of ours that is wrong is a BadRequestError", async () => {
        const { api } = client({ defaultHeaders: { "x-recourse-deadline-ms": "soon" } });
        const error = await thrown(() => CHAT.whole(api, unable.name));
        assert.equal(error.constructor, OpenAI.BadRequestError);
        assert.match(error.message, /x-recourse-deadline-ms/);
    });
    const hanging = route("openai", "hang");
    group.test("a deadline that the request names is kept", async () => {
        const { api, sent } = client({ defaultHeaders: { "x-recourse-deadline-ms": "300" } });
        const error = await thrown(() => CHAT.whole(api, hanging.name));
        assert.equal(error.constructor, OpenAI.InternalServerError);
        assert.equal(error.status, 504);
        assert.equal(error.error.recourse.error_code, "DeadlineExceeded");
        assert.equal(sent.requests, 1);
    });
}

// Endpoints that a provider has and the gateway does not.
function addOwn(group) {
    const behind = route("openai", "tokens-12");
    group.test("what a provider does not have is a NotFoundError with its words", async () => {
        const { api, sent } = client({ baseURL: own(behind) });
        const error = await thrown(() => api.files.retrieve("file-1"));
        assert.equal(error.constructor, OpenAI.NotFoundError, error.constructor.name);
        assert.ok(error.message.includes("Invalid URL"), error.message);
        assert.equal(error.error.recourse.error_code, "EndpointNotFound");
        assert.equal(sent.requests, 1);
    });
}

function addElsewhere(group) {
    group.test("an endpoint of providers names the way to it", async () => {
        const { api, sent } = client();
        const error = await thrown(() => api.responses.retrieve("resp_1"));
        assert.equal(error.constructor, OpenAI.NotFoundError, error.constructor.name);
        assert.match(error.message, /request \/p\/p[0-9]+\/responses\/resp_1,/);
        assert.equal(sent.requests, 1);
    });
}

function addConnections(group) {
    group.test("no gateway is an APIConnectionError", async () => {
        const { api } = client({ baseURL: `http://127.0.0.1:${await closedPort()}/v1`, maxRetries: 0 });
        const error = await thrown(() => CHAT.whole(api, "model-1"));
        assert.equal(error.constructor, OpenAI.APIConnectionError);
    });
    const hanging = route("openai", "hang");
    group.test("a timeout of the SDK is an APIConnectionTimeoutError", async () => {
        const { api } = client({ timeout: 300, maxRetries: 0 });
        const error = await thrown(() => CHAT.whole(api, hanging.name));
        assert.equal(error.constructor, OpenAI.APIConnectionTimeoutError);
    });
    const large = route("openai", "huge-1024+cut-bytes-500000");
    group.test("a large answer that is cut is an error", async () => {
        const { api } = client({ maxRetries: 0 });
        await thrown(() => CHAT.whole(api, large.name));
    });
    const long = route("openai", "huge-1024");
    group.test("a large stream comes whole", async () => {
        const { api } = client();
        const got = await read(CHAT.stream(api, long.name), CHAT);
        assert.ok(got.text.length >= 1 << 20, `${got.text.length} characters`);
    });
}

function otherGroup() {
    const group = new Group("openai");
    addResponsesEvents(group);
    addEmbeddings(group);
    addSuccesses(group, COMPLETIONS);
    group.test("models: the list", async () => {
        const { api } = client();
        const ids = [];
        for await (const model of api.models.list()) {
            ids.push(model.id);
            assert.ok(model.created > 1700000000 && model.owned_by.length > 0, JSON.stringify(model));
        }
        assert.ok(ids.includes("model-1") && !ids.includes("p1/mock/tokens-12"), ids.join(" ").slice(0, 200));
        assert.equal((await api.models.retrieve("p1/mock/tokens-12")).id, "p1/mock/tokens-12");
    });
    group.test("models: one that is none", async () => {
        const { api } = client();
        const error = await thrown(() => api.models.retrieve("nobody/nothing"));
        assert.equal(error.constructor, OpenAI.NotFoundError, error.constructor.name);
    });
    addRetries(group);
    addRefusals(group);
    addOwn(group);
    addElsewhere(group);
    addConnections(group);
    return group;
}

export const groups = [faceGroup(CHAT), faceGroup(RESPONSES), otherGroup()];
