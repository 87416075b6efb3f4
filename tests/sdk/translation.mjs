// The SDKs of OpenAI and Anthropic as clients of the other provider's API: the gateway translates. Whole and
// streamed responses, two turns with a tool, and each failure in the SDK's own class.
import assert from "node:assert/strict";

import Anthropic, * as anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";

import { checkErrorHeaders, checkReport, counted, thrown } from "./checks.mjs";
import { EARLY_FAILURES, FAILURES, LATE_FAILURES, WHOLE_FAILURES } from "./failures.mjs";
import { TOKEN, asked, base, route } from "./servers.mjs";
import { Group } from "./tap.mjs";

const SCHEMA = { type: "object", properties: { city: { type: "string" } } };
const hello = [{ role: "user", content: "Hello you" }];

function chatClient() {
    const sent = counted();
    return { sent, api: new OpenAI({ apiKey: TOKEN, baseURL: `${base()}/v1`, fetch: sent, logLevel: "off" }) };
}

function messagesClient() {
    const sent = counted();
    return { sent, api: new Anthropic({ apiKey: TOKEN, authToken: null, baseURL: base(), fetch: sent, logLevel: "off" }) };
}

// The clients, each with the kind of the other provider. round: the history of a tool call and its result.
const CHAT = {
    name: "chat>messages",
    kind: "anthropic",
    client: chatClient,
    whole: (api, model, more) => api.chat.completions.create({ model, messages: hello, ...more }),
    stream: (api, model, more) => api.chat.completions.create({ model, messages: hello, stream: true, ...more }),
    helper: (api, model, more) => api.chat.completions.stream({ model, messages: hello, ...more }).finalChatCompletion(),
    said: (answer) => answer.choices[0].message.content,
    piece: (event) => event.choices[0]?.delta?.content ?? "",
    tools: { tools: [{ type: "function", function: { name: "look", parameters: SCHEMA } }] },
    calls: (answer) => answer.choices[0].message.tool_calls.map(({ id, function: called }) =>
        ({ id, name: called.name, input: JSON.parse(called.arguments) })),
    end: (answer) => answer.choices[0].finish_reason,
    ends: { text: "stop", call: "tool_calls" },
    round: (answer, call) => ({
        messages: [...hello, answer.choices[0].message, { role: "tool", tool_call_id: call.id, content: "rain" }],
    }),
    checkError: (error, row) => {
        assert.equal(error.constructor, OpenAI[row.openai.class], error.constructor.name);
        assert.equal(error.status, row.status);
        return error.error.recourse;
    },
    error: OpenAI.APIError,
};
const MESSAGES = {
    name: "messages>chat",
    kind: "openai",
    client: messagesClient,
    whole: (api, model, more) => api.messages.create({ model, max_tokens: 100, messages: hello, ...more }),
    stream: (api, model, more) => api.messages.create({ model, max_tokens: 100, messages: hello, stream: true, ...more }),
    helper: (api, model, more) => api.messages.stream({ model, max_tokens: 100, messages: hello, ...more }).finalMessage(),
    said: (answer) => answer.content.map(({ text }) => text ?? "").join(""),
    piece: (event) => event.delta?.text ?? "",
    tools: { tools: [{ name: "look", input_schema: SCHEMA }] },
    calls: (answer) => answer.content.filter(({ type }) => type === "tool_use").map(({ id, name, input }) => ({ id, name, input })),
    end: (answer) => answer.stop_reason,
    ends: { text: "end_turn", call: "tool_use" },
    round: (answer, call) => ({
        messages: [...hello, { role: "assistant", content: answer.content },
            { role: "user", content: [{ type: "tool_result", tool_use_id: call.id, content: "rain" }] }],
    }),
    checkError: (error, row) => {
        assert.equal(error.constructor, anthropic[row.anthropic.class], error.constructor.name);
        assert.equal(error.status, row.anthropic.status);
        return error.error.recourse;
    },
    error: Anthropic.APIError,
};

async function read(stream, face, got = { text: "", count: 0 }) {
    for await (const event of await stream) {
        got.count++;
        got.text += face.piece(event);
    }
    return got;
}

function addSuccesses(group, face) {
    const target = route(face.kind, "echo");
    group.test(`${face.name}: whole, streamed and collected responses are the same`, async () => {
        const { api } = face.client();
        const { data, response } = await face.whole(api, target.name).withResponse();
        assert.equal(face.said(data).trim(), "Hello you");
        assert.equal(face.end(data), face.ends.text);
        assert.match(response.headers.get("x-recourse-translated"), new RegExp(`^${face.name}; `));
        assert.equal((await read(face.stream(api, target.name), face)).text, face.said(data));
        assert.equal(face.said(await face.helper(api, target.name)), face.said(data));
    });
    const slow = route(face.kind, "tokens-40+trickle-2");
    group.test(`${face.name}: a slow stream arrives in pieces`, async () => {
        const { api } = face.client();
        const got = await read(face.stream(api, slow.name), face);
        assert.ok(got.count > 40, String(got.count));
    });
    const reasoning = route(face.kind, "reasoning");
    group.test(`${face.name}: reasoning before the response`, async () => {
        const { api } = face.client();
        const whole = await face.whole(api, reasoning.name);
        assert.ok(face.said(whole).length > 0);
        assert.ok((await read(face.stream(api, reasoning.name), face)).text.length > 0);
    });
}

function addTools(group, face) {
    const target = route(face.kind, "tool-call");
    for (const how of ["whole", "helper"])
        group.test(`${face.name}, ${how}: a tool call and its result`, async () => {
            const { api } = face.client();
            const answer = await face[how](api, target.name, face.tools);
            assert.equal(face.end(answer), face.ends.call);
            const [call] = face.calls(answer);
            assert.equal(call.name, "look");
            assert.equal(typeof call.input, "object");
            assert.ok(call.id.length > 0);
            const second = await face[how](api, target.name, { ...face.tools, ...face.round(answer, call) });
            assert.ok(second);
        });
}

function addFailures(group, face) {
    for (const [how, rows] of [["whole", [...FAILURES, ...WHOLE_FAILURES]], ["stream", [...FAILURES, ...EARLY_FAILURES]]])
        for (const row of rows) {
            const target = route(face.kind, row.does);
            group.test(`${face.name}, ${how}: ${row.does} is the SDK's own error`, async () => {
                const { api, sent } = face.client();
                const error = await thrown(() =>
                    how === "whole" ? face.whole(api, target.name) : read(face.stream(api, target.name), face));
                const report = face.checkError(error, row);
                checkReport(report, { code: row.code, target: target.target });
                checkErrorHeaders(error.headers, report, target);
                assert.equal(sent.requests, 1, "it was sent again");
                assert.equal(await asked(target), 1);
            });
        }
    for (const row of LATE_FAILURES) {
        const target = route(face.kind, row.does, row);
        group.test(`${face.name}, stream: ${row.does} after content is an exception`, async () => {
            const { api } = face.client();
            const got = { text: "", count: 0 };
            const error = await thrown(() => read(face.stream(api, target.name), face, got));
            assert.ok(error instanceof face.error, String(error));
            assert.ok(got.text.length > 0, "the failure came before the content");
        });
    }
}

const group = new Group("translation");
for (const face of [CHAT, MESSAGES]) {
    addSuccesses(group, face);
    addTools(group, face);
    addFailures(group, face);
}

export const groups = [group];
