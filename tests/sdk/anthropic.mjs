// Anthropic's SDK: messages and token counts. The SDK has its default number of retries (two), so each
// test also checks that x-should-retry prevents wrong retries.
import assert from "node:assert/strict";

import Anthropic, * as sdk from "@anthropic-ai/sdk";

import { checkErrorHeaders, checkReport, checkToldHeaders, closedPort, counted, thrown } from "./checks.mjs";
import { EARLY_FAILURES, FAILURES, LATE_FAILURES, WHOLE_FAILURES } from "./failures.mjs";
import { TOKEN, asked, base, own, route } from "./servers.mjs";
import { Group } from "./tap.mjs";

const talk = { max_tokens: 100, messages: [{ role: "user", content: "Hello you" }] };

// Returns the SDK's client (api) and a counter of its HTTP requests (sent).
function client(options = {}) {
    const sent = counted();
    const api = new Anthropic({ apiKey: TOKEN, authToken: null, baseURL: base(), fetch: sent, logLevel: "off", ...options });
    return { api, sent };
}

const whole = (api, model) => api.messages.create({ model, ...talk });

async function read(api, model, got = { text: "", types: [] }) {
    for await (const event of await api.messages.create({ model, ...talk, stream: true })) {
        got.types.push(event.type);
        got.text += event.delta?.text ?? "";
    }
    return got;
}

async function checkFailure(row, target, run) {
    const { api, sent } = client();
    const error = await thrown(() => run(api, target.name));
    assert.equal(error.constructor, sdk[row.anthropic.class], error.constructor.name);
    assert.equal(error.status, row.anthropic.status);
    assert.equal(error.error.recourse.http_status, error.status);
    assert.equal(error.type, row.anthropic.type);
    const report = error.error.recourse;
    checkReport(report, { code: row.code, target: target.target });
    checkErrorHeaders(error.headers, report, target);
    assert.equal(error.headers.get("x-should-retry"), "false");
    assert.equal(error.requestID, error.error.request_id);
    assert.ok(error.requestID.length > 0);
    assert.equal(error.error.error.message, report.message);
    assert.equal(error.message, `${error.status} ${report.message}`);
    assert.equal(sent.requests, 1, "it was sent again");
    assert.equal(await asked(target), 1);
}

function addSuccesses(group) {
    const target = route("anthropic", "tokens-12");
    group.test("messages, whole: an answer", async () => {
        const { api } = client();
        const { data, response } = await whole(api, target.name).withResponse();
        assert.ok(data.content[0].text.length > 0);
        assert.equal(data.stop_reason, "end_turn");
        checkToldHeaders(response.headers, target);
    });
    group.test("messages, stream: the same answer", async () => {
        const { api } = client();
        const got = await read(api, target.name);
        assert.ok(got.text.length > 0);
        assert.equal(got.types.at(-1), "message_stop");
    });
    group.test("messages, stream helper: the same answer", async () => {
        const { api } = client();
        const message = await api.messages.stream({ model: target.name, ...talk }).finalMessage();
        assert.ok(message.content[0].text.length > 0);
    });
    group.test("messages: a bearer token is as good as an API key", async () => {
        const { api } = client({ apiKey: null, authToken: TOKEN });
        assert.ok((await whole(api, target.name)).content.length > 0);
    });
    const tool = route("anthropic", "tool-call");
    group.test("messages, stream helper: a call of a tool", async () => {
        const { api } = client();
        const tools = [{ name: "look", input_schema: { type: "object", properties: {} } }];
        const message = await api.messages.stream({ model: tool.name, ...talk, tools }).finalMessage();
        assert.equal(message.stop_reason, "tool_use");
        assert.equal(message.content.find(({ type }) => type === "tool_use").name, "look");
    });
    for (const does of ["529@1", "start-then-overloaded@1", "empty-stream@1"]) {
        const failing = route("anthropic", does, { policy: "fast" });
        group.test(`messages, stream: ${does} is not seen`, async () => {
            const { api, sent } = client();
            const got = await read(api, failing.name);
            assert.equal(got.types.filter((type) => type === "message_start").length, 1);
            assert.equal(got.types.at(-1), "message_stop");
            assert.equal(sent.requests, 1);
            assert.equal(await asked(failing), 2);
        });
    }
}

function addFailures(group) {
    for (const row of [...FAILURES, ...WHOLE_FAILURES]) {
        const target = route("anthropic", row.does);
        group.test(`messages, whole: ${row.does} is a ${row.anthropic.class}`,
            () => checkFailure(row, target, whole));
    }
    for (const row of [...FAILURES, ...EARLY_FAILURES]) {
        const target = route("anthropic", row.does);
        group.test(`messages, stream: ${row.does} is a ${row.anthropic.class}`,
            () => checkFailure(row, target, (api, model) => read(api, model)));
    }
    const quota = route("anthropic", "quota");
    group.test("messages, whole: quota is an APIError of status 402", () => checkFailure(
        { code: "QuotaExhausted", anthropic: { class: "APIError", type: "billing_error", status: 402 } },
        quota, whole));
}

// A failure after the first content must raise an error; the stream must not end normally.
function addLateFailures(group) {
    const rows = [...LATE_FAILURES, { does: "no-terminator", code: "StreamInterrupted" }];
    for (const { does, code, ...options } of rows) {
        const target = route("anthropic", does, options);
        const again = route("anthropic", does, options);
        group.test(`messages, stream: ${does} is an APIError`, async () => {
            const { api, sent } = client();
            const got = { text: "", types: [] };
            const error = await thrown(() => read(api, target.name, got));
            assert.ok(got.text.length > 0 && !got.types.includes("message_stop"));
            assert.equal(error.constructor, Anthropic.APIError, error.constructor.name);
            checkReport(error.error.recourse, { code, target: target.target });
            assert.equal(error.message, error.error.recourse.message);
            checkToldHeaders(error.headers, target);
            assert.equal(error.type, error.error.error.type);
            assert.equal(sent.requests, 1);
            assert.equal(await asked(target), 1);
        });
        group.test(`messages, stream helper: ${does} is an error`, async () => {
            const { api } = client();
            const error = await thrown(() => api.messages.stream({ model: again.name, ...talk }).finalMessage());
            assert.ok(error instanceof Anthropic.APIError, error.constructor.name);
            assert.equal(error.error.recourse.error_code, code);
        });
    }
    const damaged = route("anthropic", "damaged-line-2");
    group.test("messages, stream: an event that is no JSON is an error", async () => {
        const { api } = client();
        await thrown(() => read(api, damaged.name));
    });
}

function addModels(group) {
    group.test("models: the list", async () => {
        const { api } = client();
        const ids = [];
        for await (const model of api.models.list()) {
            assert.equal(model.type, "model");
            ids.push(model.id);
        }
        assert.ok(ids.length > 0 && new Set(ids).size === ids.length, ids.join(" ").slice(0, 200));
        assert.equal((await api.models.retrieve(ids[0])).display_name, ids[0]);
    });
    group.test("models: one that is none", async () => {
        const { api } = client();
        const error = await thrown(() => api.models.retrieve("nobody/nothing"));
        assert.equal(error.constructor, Anthropic.NotFoundError, error.constructor.name);
    });
}

function addTokens(group) {
    const target = route("anthropic", "ok");
    group.test("count_tokens: a number", async () => {
        const { api } = client();
        const { messages } = talk;
        assert.ok((await api.messages.countTokens({ model: target.name, messages })).input_tokens > 0);
    });
    for (const row of FAILURES.filter(({ does }) => ["401", "429-retry-after-2", "529"].includes(does))) {
        const failing = route("anthropic", row.does);
        group.test(`count_tokens: ${row.does} is a ${row.anthropic.class}`, () => checkFailure(row, failing,
            (api, model) => api.messages.countTokens({ model, messages: talk.messages })));
    }
}

function addRetries(group) {
    const spent = route("anthropic", "500", { policy: "fast" });
    group.test("retries that are used up are told with all attempts, and not used again", async () => {
        const { api, sent } = client();
        const error = await thrown(() => whole(api, spent.name));
        assert.equal(error.error.recourse.retry_exhausted, true);
        checkErrorHeaders(error.headers, error.error.recourse, { ...spent, attempts: 3 });
        assert.equal(sent.requests, 1);
        assert.equal(await asked(spent), 3);
    });
    const far = route("anthropic", "429-retry-after-600", { policy: "hasty" });
    group.test("a wait that no SDK keeps is not left to it", async () => {
        const { api, sent } = client();
        // The second request calls no provider, because the target cools down.
        for (const status of [429, 429]) {
            const error = await thrown(() => whole(api, far.name));
            assert.equal(error.status, status);
            assert.equal(error.headers.get("x-should-retry"), "false");
            assert.ok(Number(error.headers.get("retry-after")) > 590);
        }
        assert.equal(sent.requests, 2);
        assert.equal(await asked(far), 1);
    });
    const later = route("anthropic", "429-ms-300@1", { policy: "hasty" });
    group.test("a wait that is not ours is the SDK's: told when, it comes again, and not before", async () => {
        const { api, sent } = client();
        const start = Date.now();
        await whole(api, later.name);
        assert.ok(Date.now() - start >= 290, `it waited ${Date.now() - start} ms`);
        assert.equal(sent.requests, 2);
        assert.equal(await asked(later), 2);
    });
}

function addRefusals(group) {
    group.test("a token that is none is an AuthenticationError", async () => {
        const { api, sent } = client({ apiKey: "sk-ant-wrong" });
        const error = await thrown(() => whole(api, "model-1"));
        assert.equal(error.constructor, Anthropic.AuthenticationError);
        assert.equal(error.error.recourse.error_code, "AuthFailed");
        assert.equal(sent.requests, 1);
    });
    group.test("a model that is none is a NotFoundError", async () => {
        const { api, sent } = client();
        const error = await thrown(() => whole(api, "no-such-model"));
        assert.equal(error.constructor, Anthropic.NotFoundError);
        assert.equal(error.type, "not_found_error");
        assert.equal(sent.requests, 1);
    });
    const behind = route("anthropic", "tokens-12");
    group.test("what a provider does not have is a NotFoundError with its words", async () => {
        const { api, sent } = client({ baseURL: own(behind) });
        const error = await thrown(() => api.messages.batches.retrieve("msgbatch_1"));
        assert.equal(error.constructor, Anthropic.NotFoundError, error.constructor.name);
        assert.equal(error.type, "not_found_error");
        assert.ok(error.message.includes("no resource at this path: Not Found"), error.message);
        assert.equal(sent.requests, 1);
    });
    const hanging = route("anthropic", "hang");
    group.test("a deadline that the request names is kept", async () => {
        const { api, sent } = client({ defaultHeaders: { "x-recourse-deadline-ms": "300" } });
        const error = await thrown(() => whole(api, hanging.name));
        assert.equal(error.status, 504);
        assert.equal(error.error.recourse.error_code, "DeadlineExceeded");
        assert.equal(sent.requests, 1);
    });
    group.test("no gateway is an APIConnectionError", async () => {
        const { api } = client({ baseURL: `http://127.0.0.1:${await closedPort()}`, maxRetries: 0 });
        const error = await thrown(() => whole(api, "model-1"));
        assert.equal(error.constructor, Anthropic.APIConnectionError);
    });
    const waiting = route("anthropic", "hang");
    group.test("a timeout of the SDK is an APIConnectionTimeoutError", async () => {
        const { api } = client({ timeout: 300, maxRetries: 0 });
        const error = await thrown(() => whole(api, waiting.name));
        assert.equal(error.constructor, Anthropic.APIConnectionTimeoutError);
    });
}

const group = new Group("anthropic");
addSuccesses(group);
addFailures(group);
addLateFailures(group);
addTokens(group);
addModels(group);
addRetries(group);
addRefusals(group);

export const groups = [group];
