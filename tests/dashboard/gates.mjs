// The gateways of the tests: main with a filled audit and traffic, locked with a token, bare without an audit, calm
// without requests, ill with a failing target and a small budget, busy with waiting requests, many with very many targets, keys and budgets.
// The providers of these gateways are a mock and a hostile upstream.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { startChild, stopChildren } from "./children.mjs";
import { startUpstream } from "./upstream.mjs";

export const TOKEN = "the-token-of-the-operator";
export const CLIENT = "the-token-of-the-client";
const LONG = "the-token-of-the-other-client";
export const LONG_NAME = "a client with a very long name (team infrastructure, nightly batch evaluation number 17)";
const STORIES = ["plain", "recovered", "exhausted", "refused", "cancelled", "hedged", "hostile", "notice"];
const FILLED = 600;
const SAYS_MS = 120_000;

let upstream = null;
// url: the base URL for clients; admin: the admin interface.
export const gates = { main: null, locked: null, bare: null, calm: null, ill: null, busy: null, many: null };

const CONFIG = (mock, evil) => `listen: 127.0.0.1:0
threads: 2
store: sqlite:audit.db
admin: {listen: "127.0.0.1:0"}
prices: prices.yaml
retry_budget: {ratio: 1, floor_per_s: 1000}
clients:
  - {name: app, token: env:CLIENT, budget_usd: 10, on_exceed: warn}
  - {name: "${LONG_NAME}", token: env:LONG}
budgets:
  - {name: steady-a-day, match: {route: steady}, per: day, limit_usd: 0.001, on_exceed: warn}
providers:
  good: {kind: openai, base_url: "${mock}/v1", keys: [env:KEY_1, env:KEY_2]}
  spare: {kind: openai, base_url: "${mock}/v1", keys: [env:KEY_1]}
  limited: {kind: openai, base_url: "${mock}/v1", keys: [env:KEY_1]}
  refused: {kind: openai, base_url: "${mock}/v1", keys: [env:KEY_1]}
  tight: {kind: openai, base_url: "${mock}/v1", keys: [env:KEY_1]}
  poor: {kind: openai, base_url: "${evil}/v1", keys: [env:KEY_1]}
  evil: {kind: openai_compatible, base_url: "${evil}/v1", keys: [env:KEY_1]}
policies:
  once: {max_attempts: 1}
  fast: {max_attempts: 3, backoff: fixed, base_ms: 5, jitter: none}
routes:
  - {model: steady, chain: [{target: good/mock/tokens-20}], policy: once}
  - {model: shaky, chain: [{target: good/mock/503@1/2}], policy: fast}
  - {model: spared, chain: [{target: limited/mock/429-retry-after-600}, {target: spare/mock/ok}], policy: once}
  - {model: wrong, chain: [{target: good/mock/400}], policy: once}
  - {model: refused, chain: [{target: refused/mock/401}], policy: once}
  - {model: poor, chain: [{target: poor/poor}], policy: once}
  - {model: near, chain: [{target: tight/mock/quota-left-20}], policy: once}
  - {model: resting, chain: [{target: spare/mock/503-retry-after-600}], policy: once}
  - {model: "evil*", chain: [{target: "evil/*"}], policy: once}
  - {model: "*", chain: [{target: "spare/*"}], policy: once}
`;

const PRICES = `as_of: 2026-11-01
prices:
  - {provider: good, model: "mock/tokens-20", input: 2, output: 8}
  - {provider: evil, model: "evil-silent", input: 200, output: 800}
  - {provider: p0, model: "mock/tokens-20", input: 2, output: 8}
`;

const SMALL = (mock, more) => `listen: 127.0.0.1:0
threads: 1
admin: {listen: "127.0.0.1:0"${more.admin || ""}}
${more.lines}
providers: {good: {kind: openai, base_url: "${mock}/v1", keys: [env:KEY_1]}}
routes: [{model: "*", chain: [{target: good/mock/ok}]}]
`;

const ILL = (mock) => `listen: 127.0.0.1:0
threads: 1
store: sqlite:ill.db
admin: {listen: "127.0.0.1:0"}
prices: prices.yaml
breaker: {min_calls: 0}
cooldown_ms: 0
clients: [{name: app, token: env:CLIENT}, {name: web, token: env:LONG}]
budgets: [{name: pocket, match: {route: steady}, per: day, limit_usd: 0.001, on_exceed: fail}]
providers: {good: {kind: openai, base_url: "${mock}/v1", keys: [env:KEY_1]}}
policies: {once: {max_attempts: 1}}
routes:
  - {model: steady, chain: [{target: good/mock/tokens-20}], policy: once}
  - {model: broken, chain: [{target: good/mock/500}], policy: once}
`;

const BUSY = (mock) => `listen: 127.0.0.1:0
threads: 1
store: sqlite:busy.db
admin: {listen: "127.0.0.1:0"}
clients: [{name: app, token: env:CLIENT}, {name: web, token: env:LONG}]
providers: {good: {kind: openai, base_url: "${mock}/v1", keys: [env:KEY_1]}}
routes:
  - {model: held, chain: [{target: good/mock/429-retry-after-60}], deadline: 10m}
  - {model: left, chain: [{target: good/mock/quota-left-900}]}
`;

// 1,200 targets of 60 providers with 10 keys each, and a budget for each of 1,000 routes.
const MANY_KEYS = Array.from({ length: 10 }, (_, i) => `env:MANY_${i}`);
const many = (number, line) => Array.from({ length: number }, (_, i) => line(i)).join("\n");
const MANY = (mock) => `listen: 127.0.0.1:0
threads: 1
store: sqlite:many.db
admin: {listen: "127.0.0.1:0"}
prices: prices.yaml
providers:
${many(60, (i) => `  p${i}: {kind: openai, base_url: "${mock}/v1", keys: [${MANY_KEYS.join(", ")}]}`)}
routes:
${many(1000, (i) => `  - {model: r${i}, budget_usd: ${i === 777 ? 0.0001 : 100}, on_exceed: warn, chain: [{target: ${i === 777
    ? "p0/mock/tokens-20" : `p${i % 60}/mock/ok-${i}`}}${i < 200
    ? `, {target: p${(i + 1000) % 60}/mock/ok-${i + 1000}}` : ""}]}`)}
`;
const MANY_ENV = Object.fromEntries(MANY_KEYS.map((key, i) => [key.slice(4), `key-of-many-${i}-${i}`]));

async function startGate(name, config, env = {}) {
    writeFileSync(`${name}.yaml`, config);
    const gate = await startChild(name, ["serve", "--config", `${name}.yaml`],
        { KEY_1: "key-number-one-1111", KEY_2: "key-number-two-2222", CLIENT, LONG, ...env });
    // The gateway may print its admin address a little after its port.
    for (const end = Date.now() + SAYS_MS; Date.now() < end; await sleep(20)) {
        const [, said] = gate.talk().match(/admin interface at (http:\/\/[0-9.]+:[0-9]+)\b/) || [];
        if (said !== undefined)
            return { url: `http://127.0.0.1:${gate.port}`, admin: said };
    }
    throw new Error(`${name} does not print its admin address: ${gate.talk()}`);
}

function fillAudit() {
    const tool = `${process.env.RECOURSE_BINARY}/tests/tool_audit_fill`;
    const now = Date.now();
    execFileSync(tool, ["audit.db", "fill", String(FILLED), "1", String(now - 300_000)]);
    STORIES.forEach((name, i) => execFileSync(tool, ["audit.db", "story", name, String(now - 120_000 + i * 1000)]));
}

// Sends one request as client app, or as the client with the long name. leaves: time in ms after
// which the client disconnects.
export async function request(model, { leaves, gate = gates.main, isLong = false } = {}) {
    const controller = new AbortController();
    if (leaves !== undefined)
        setTimeout(() => controller.abort(), leaves);
    try {
        const response = await fetch(`${gate.url}/v1/chat/completions`, { method: "POST",
            signal: controller.signal,
            headers: { authorization: `Bearer ${isLong ? LONG : CLIENT}`, "content-type": "application/json" },
            body: JSON.stringify({ model, messages: [{ role: "user", content: "hello" }] }) });
        await response.text();
        return { status: response.status, id: response.headers.get("x-recourse-request-id")
            || response.headers.get("x-request-id") };
    } catch (error) {
        if (error.name === "AbortError")
            return { status: 0 };
        throw error;
    }
}

export async function admin(path, options = {}) {
    const response = await fetch(`${gates.main.admin}/admin/v1/${path}`, options);
    return response.json();
}

export async function startGates() {
    const mock = await startChild("mock", ["mock", "--listen", "127.0.0.1:0", "--quiet"], {});
    const url = `http://127.0.0.1:${mock.port}`;
    upstream = await startUpstream();
    writeFileSync("prices.yaml", PRICES);
    writeFileSync("token", TOKEN, { mode: 0o600 });
    fillAudit();
    gates.main = await startGate("main", CONFIG(url, upstream.url));
    gates.locked = await startGate("locked", SMALL(url, { admin: ", token: file:token",
        lines: "store: sqlite:locked.db" }));
    gates.bare = await startGate("bare", SMALL(url, { lines: "audit: {durability: off}" }));
    gates.calm = await startGate("calm", SMALL(url, { lines: "store: sqlite:calm.db" }));
    gates.ill = await startGate("ill", ILL(url));
    gates.busy = await startGate("busy", BUSY(url));
    gates.many = await startGate("many", MANY(url), MANY_ENV);
    // Successes, a retry, a failover, and failing keys and targets.
    for (const model of ["steady", "steady", "shaky", "spared", "wrong", "refused", "poor", "resting"])
        await request(model);
}

export async function stopGates() {
    upstream?.close();
    return stopChildren();
}
