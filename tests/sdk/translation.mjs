// The SDKs of OpenAI, Anthropic and Google as clients of the other providers' APIs: the gateway translates. All
// twelve pairs of APIs, whole and streamed, with two turns with a tool; each failure in the SDK's own class.
import assert from "node:assert/strict";

import Anthropic, * as anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
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

function googleClient() {
    const sent = counted();
    return { sent, api: new GoogleGenAI({ apiKey: TOKEN, httpOptions: { baseUrl: base(), fetch: sent } }) };
}

// The targets' APIs, with the kind of provider and its interface.
const TARGETS = {
    chat: ["openai", { interfaces: "chat" }],
    responses: ["openai", { interfaces: "responses" }],
    messages: ["anthropic", {}],
    gemini: ["gemini", {}],
};

// The clients' APIs. round: the members of the second request, after a tool call and its result.
const CHAT = {
    name: "chat",
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
    name: "messages",
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

const RESPONSES = {
    name: "responses",
    client: chatClient,
    whole: (api, model, more) => api.responses.create({ model, input: "Hello you", ...more }),
    stream: (api, model, more) => api.responses.create({ model, input: "Hello you", stream: true, ...more }),
    helper: (api, model, more) => api.responses.stream({ model, input: "Hello you", ...more }).finalResponse(),
    said: (answer) => answer.output_text,
    piece: (event) => (event.type === "response.output_text.delta" ? event.delta : ""),
    tools: { tools: [{ type: "function", name: "look", parameters: SCHEMA, strict: false }] },
    calls: (answer) => answer.output.filter(({ type }) => type === "function_call").map((call) =>
        ({ id: call.call_id, name: call.name, input: JSON.parse(call.arguments) })),
    end: (answer) => answer.status,
    ends: { text: "completed", call: "completed" },
    round: (answer, call) => ({
        input: [...hello, ...answer.output, { type: "function_call_output", call_id: call.id, output: "rain" }],
    }),
};
const GOOGLE = {
    name: "gemini",
    client: googleClient,
    whole: (api, model, more) => api.models.generateContent({ model, contents: "Hello you", ...more }),
    stream: (api, model, more) => api.models.generateContentStream({ model, contents: "Hello you", ...more }),
    said: (answer) => answer.text,
    piece: (event) => event.text ?? "",
    tools: { config: { tools: [{ functionDeclarations: [{ name: "look", parametersJsonSchema: SCHEMA }] }] } },
    calls: (answer) => answer.functionCalls.map(({ id, name, args }) => ({ id: id ?? "none", name, input: args })),
    end: (answer) => answer.candidates[0].finishReason,
    ends: { text: "STOP", call: "STOP" },
    round: (answer, call) => ({
        contents: [{ role: "user", parts: [{ text: "Hello you" }] }, answer.candidates[0].content,
            { role: "user", parts: [{ functionResponse: { name: call.name, id: call.id, response: { output: "rain" } } }] }],
    }),
};

async function read(stream, face, got = { text: "", count: 0 }) {
    for await (const event of await stream) {
        got.count++;
        got.text += face.piece(event);
    }
    return got;
}

const headersOf = (answer) => new Headers(answer.sdkHttpResponse.headers);

function addSuccesses(group, face, to) {
    const [kind, options] = TARGETS[to];
    const pair = `${face.name}>${to}`;
    const target = route(kind, "echo", options);
    group.test(`${pair}: whole, streamed and collected responses are the same`, async () => {
        const { api } = face.client();
        const pending = face.whole(api, target.name);
        const { data, headers } = pending.withResponse
            ? await pending.withResponse().then(({ data, response }) => ({ data, headers: response.headers }))
            : await pending.then((answer) => ({ data: answer, headers: headersOf(answer) }));
        assert.equal(face.said(data).trim(), "Hello you");
        assert.equal(face.end(data), face.ends.text);
        assert.match(headers.get("x-recourse-translated"), new RegExp(`^${pair}; `));
        assert.equal((await read(face.stream(api, target.name), face)).text, face.said(data));
        if (face.helper)
            assert.equal(face.said(await face.helper(api, target.name)), face.said(data));
    });
    const slow = route(kind, "tokens-40+trickle-2", options);
    group.test(`${pair}: a slow stream arrives in pieces`, async () => {
        const { api } = face.client();
        const got = await read(face.stream(api, slow.name), face);
        assert.ok(got.count > 30, String(got.count));
    });
    const reasoning = route(kind, "reasoning", options);
    group.test(`${pair}: reasoning before the response`, async () => {
        const { api } = face.client();
        const whole = await face.whole(api, reasoning.name);
        assert.ok(face.said(whole).length > 0);
        assert.ok((await read(face.stream(api, reasoning.name), face)).text.length > 0);
    });
}

function addTools(group, face, to) {
    const [kind, options] = TARGETS[to];
    const target = route(kind, "tool-call", options);
    for (const how of face.helper ? ["whole", "helper"] : ["whole"])
        group.test(`${face.name}>${to}, ${how}: a tool call and its result`, async () => {
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

function addFailures(group, face, to) {
    const [kind, options] = TARGETS[to];
    const pair = `${face.name}>${to}`;
    for (const [how, rows] of [["whole", [...FAILURES, ...WHOLE_FAILURES]], ["stream", [...FAILURES, ...EARLY_FAILURES]]])
        for (const row of rows) {
            const target = route(kind, row.does, options);
            group.test(`${pair}, ${how}: ${row.does} is the SDK's own error`, async () => {
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
        const target = route(kind, row.does, { ...options, ...row });
        group.test(`${pair}, stream: ${row.does} after content is an exception`, async () => {
            const { api } = face.client();
            const got = { text: "", count: 0 };
            const error = await thrown(() => read(face.stream(api, target.name), face, got));
            assert.ok(error instanceof face.error, String(error));
            assert.ok(got.text.length > 0, "the failure came before the content");
        });
    }
}

// The mock counts at most 128 keys of one group.
const successes = new Group("translation");
const chatFailures = new Group("translation");
const messagesFailures = new Group("translation");
for (const face of [CHAT, RESPONSES, MESSAGES, GOOGLE])
    for (const to of Object.keys(TARGETS).filter((name) => name !== face.name)) {
        addSuccesses(successes, face, to);
        addTools(successes, face, to);
    }
addFailures(chatFailures, CHAT, "messages");
addFailures(messagesFailures, MESSAGES, "chat");

export const groups = [successes, chatFailures, messagesFailures];
