// curl: checks the bytes of responses, for clients without an SDK.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";

import { checkErrorHeaders, checkReport, checkToldHeaders, reportOf } from "./checks.mjs";
import { EARLY_FAILURES, FAILURES, LATE_FAILURES, WHOLE_FAILURES } from "./failures.mjs";
import { TOKEN, asked, base, route } from "./servers.mjs";
import { Group } from "./tap.mjs";

// Runs curl with a body on its standard input. Returns the response and curl's exit status (exit).
async function curl(path, body, { token = TOKEN, accept = "*/*" } = {}) {
    const fields = [`authorization: Bearer ${token}`, `accept: ${accept}`, "content-type: application/json"];
    const child = spawn("curl", ["-sS", "-i", "-N", "-m", "20", ...fields.flatMap((field) => ["-H", field]),
        "--data-binary", "@-", base() + path], { stdio: ["pipe", "pipe", "ignore"] });
    let out = "";
    child.stdout.setEncoding("utf8").on("data", (text) => (out += text));
    child.stdin.end(JSON.stringify(body));
    const [exit] = await new Promise((resolve, reject) => {
        child.once("error", reject).once("close", (...args) => resolve(args));
    });
    const end = out.indexOf("\r\n\r\n");
    const [line, ...lines] = out.slice(0, end).split("\r\n");
    const headers = new Headers(lines.map((field) => field.split(/: (.*)/s, 2)));
    return { exit, status: Number(line.split(" ")[1]), headers, body: out.slice(end + 4) };
}

const contents = [{ role: "user", parts: [{ text: "Hello you" }] }];
const messages = [{ role: "user", content: "Hello you" }];

// The same functions for each dialect. end: the text at the end of a complete stream, which no other stream has.
const FACES = [
    {
        name: "chat",
        kind: "openai",
        ask: (model, stream, more) => curl("/v1/chat/completions", { model, messages, stream }, more),
        check: ({ error }, { openai, status }) => {
            assert.equal(error.code, openai.code);
            assert.ok(status && error.type && "param" in error && error.recourse.report_id);
        },
        end: "data: [DONE]\n\n",
        frame: /\n\ndata: (?<json>\{"error":.*\})\n\n$/,
    },
    {
        name: "responses",
        kind: "openai",
        ask: (model, stream, more) => curl("/v1/responses", { model, input: "Hello you", stream }, more),
        check: ({ error }, { openai }) => assert.equal(error.code, openai.code),
        end: "event: response.completed\n",
        frame: /\n\nevent: error\ndata: (?<json>\{.*\})\n\nevent: response\.failed\ndata: (?<failed>\{.*\})\n\n$/,
        checkFrame: (found) => {
            const { type, response } = JSON.parse(found.failed);
            assert.equal(type, "response.failed");
            assert.equal(response.status, "failed");
            assert.equal(response.error.message, JSON.parse(found.json).message);
        },
    },
    {
        name: "messages",
        kind: "anthropic",
        ask: (model, stream, more) => curl("/v1/messages", { model, max_tokens: 1_000_000, messages, stream }, more),
        check: ({ type, error, request_id: id }, { anthropic }) => {
            assert.equal(type, "error");
            assert.equal(error.type, anthropic.type);
            assert.ok(id.length > 0);
        },
        end: "event: message_stop\n",
        frame: /\n\nevent: error\ndata: (?<json>\{.*\})\n\n$/,
    },
    {
        name: "generateContent",
        kind: "gemini",
        ask: (model, stream, more) => curl(`/v1beta/models/${model}:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
            { contents }, more),
        check: ({ error }, { google, status }) => {
            assert.equal(error.code, status);
            assert.equal(error.status, google);
        },
        end: '"finishReason":"STOP"',
        frame: /\r\n\r\ndata: (?<json>\{"error":.*\})\r\n\r\n(?<again>\{.*\})$/,
        checkFrame: (found) => assert.equal(found.again, found.json),
    },
    {
        name: "generateContent in an array",
        isArray: true,
        kind: "gemini",
        ask: (model, stream, more) => curl(`/v1beta/models/${model}:${stream ? "streamGenerateContent" : "generateContent"}`,
            { contents }, more),
        check: ({ error }, { google }) => assert.equal(error.status, google),
        end: '"finishReason":"STOP"',
        frame: /,\r\n(?<json>\{"error":.*\})\r\n\]$/,
        checkFrame: (_, body) => assert.ok(Array.isArray(JSON.parse(body))),
    },
];

// Returns the failures to test: all of them in the dialect "chat", and in the others those whose error
// has a type of its own. Before the first content, a stream's errors have the same bytes.
function failuresOf(face) {
    const own = ["400", "401", "404-model", "413", "429-retry-after-2", "500", "503", "504"];
    if (face.name === "chat")
        return [...FAILURES, ...WHOLE_FAILURES];
    return face.isArray ? [] : FAILURES.filter(({ does }) => own.includes(does));
}

function addFailures(group, face) {
    const rows = [
        ...failuresOf(face).map((row) => ({ row, stream: false })),
        ...[FAILURES[0], ...EARLY_FAILURES].map((row) => ({ row, stream: true })),
    ];
    for (const { row, stream } of rows) {
        const target = route(face.kind, row.does);
        group.test(`${face.name}, ${stream ? "stream" : "whole"}: ${row.does} is a ${row.status}`, async () => {
            const answer = await face.ask(target.name, stream);
            assert.equal(answer.exit, 0);
            assert.equal(answer.status, face.kind === "anthropic" ? row.anthropic.status : row.status);
            assert.equal(answer.headers.get("content-type"), "application/json");
            assert.equal(answer.headers.get("x-should-retry"), "false");
            const body = JSON.parse(answer.body);
            face.check(body, row);
            const report = reportOf(body);
            checkReport(report, { code: row.code, target: target.target });
            checkErrorHeaders(answer.headers, report, target);
            if (row.does === "429-retry-after-2")
                assert.equal(answer.headers.get("retry-after"), "2");
            assert.equal(await asked(target), 1);
        });
    }
}

function addLateFailures(group, face) {
    for (const { does, code, ...options } of LATE_FAILURES) {
        const target = route(face.kind, does, options);
        group.test(`${face.name}, stream: ${does} ends with the error`, async () => {
            const answer = await face.ask(target.name, true);
            assert.equal(answer.status, 200);
            assert.equal(answer.exit, 0);
            const found = face.frame.exec(answer.body)?.groups;
            assert.ok(found, answer.body.slice(-600));
            checkReport(reportOf(JSON.parse(found.json)), { code, target: target.target });
            face.checkFrame?.(found, answer.body);
            assert.ok(!answer.body.includes(face.end));
            checkToldHeaders(answer.headers, target);
        });
    }
}

function addOthers(group, face) {
    const target = route(face.kind, "tokens-12");
    group.test(`${face.name}, whole: an answer`, async () => {
        const answer = await face.ask(target.name, false);
        assert.equal(answer.status, 200);
        assert.ok(Object.keys(JSON.parse(answer.body)).length > 1);
        checkToldHeaders(answer.headers, target);
    });
    group.test(`${face.name}, stream: an answer to its end`, async () => {
        const answer = await face.ask(target.name, true);
        assert.equal(answer.status, 200);
        assert.ok(answer.body.includes(face.end));
        checkToldHeaders(answer.headers, target);
    });
    const failing = route(face.kind, "503");
    group.test(`${face.name}: a problem, when one is asked for`, async () => {
        const answer = await face.ask(failing.name, false, { accept: "application/problem+json" });
        assert.equal(answer.status, 503);
        assert.equal(answer.headers.get("content-type"), "application/problem+json");
        const problem = JSON.parse(answer.body);
        assert.equal(problem.type, "urn:recourse:error:overloaded");
        assert.equal(problem.status, 503);
        checkReport(problem.recourse, { code: "Overloaded", target: failing.target });
    });
    const large = route(face.kind, "huge-1024+cut-bytes-500000");
    group.test(`${face.name}, whole: a large answer that is cut is not ended`, async () => {
        const answer = await face.ask(large.name, false);
        // The status is 502 if the gateway noticed the cut before it began to send the response.
        assert.ok(answer.exit !== 0 || answer.status === 502, "curl takes it for whole");
    });
    group.test(`${face.name}: a token that is none is a 401`, async () => {
        const answer = await face.ask(target.name, false, { token: "wrong" });
        assert.equal(answer.status, 401);
        assert.equal(reportOf(JSON.parse(answer.body)).error_code, "AuthFailed");
    });
}

export const groups = FACES.map((face) => {
    const group = new Group("curl");
    addFailures(group, face);
    addLateFailures(group, face);
    addOthers(group, face);
    return group;
});
