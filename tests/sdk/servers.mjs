// Starts one recourse mock and one recourse serve in front of it, for all tests. Before they start, each
// test adds a route: a model name whose provider and key belong to this test alone. Thus a limit or a
// pause of one provider does not affect other tests, and the mock counts the calls of each test.
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { startChild, stopChildren } from "./children.mjs";

export const TOKEN = "token-of-the-tests";

const routes = [];
let mockUrl = "";
let gateUrl = "";

export const base = () => gateUrl;

// Adds a route for a test. Returns the route's model name (name) and its target (target) as reports
// and headers name it. kind: the provider's kind. behaviour: the mock's behaviour, see
// docs/mock.md. options: policy (once, fast, hasty), deadline_ms, timeouts, interfaces of the
// provider.
export function route(kind, behaviour, options = {}) {
    const number = routes.length + 1;
    const made = { name: `model-${number}`, target: `p${number}/mock/${behaviour}` };
    routes.push({ ...made, kind, options, key: `key-of-provider-${String(number).padStart(4, "0")}` });
    return made;
}

// Returns the base URL of the passthrough to a target's provider.
export const own = ({ target }) => `${base()}/p/${target.split("/")[0]}`;

function provider({ kind, options }, index) {
    const path = kind === "openai" ? "/v1" : "";
    const interfaces = options.interfaces ? `interfaces: [${options.interfaces}], ` : "";
    return `  p${index + 1}: {kind: ${kind}, ${interfaces}base_url: "${mockUrl}${path}", keys: [env:KEY_${index + 1}]}`;
}

function entry({ name, target, options }) {
    const timeouts = { connect_ms: 5000, first_byte_ms: 10000, idle_ms: 10000, ...options.timeouts };
    return `  - model: ${name}
    policy: ${options.policy ?? "once"}
    deadline_ms: ${options.deadline_ms ?? 120000}
    timeouts: {${Object.entries(timeouts).map(([key, ms]) => `${key}: ${ms}`).join(", ")}}
    chain: [{target: "${target}"}]`;
}

function configuration() {
    return `listen: 127.0.0.1:0
clients: [{name: tests, token: env:TOKEN}]
cooldown_ms: 100
retry_budget: {ratio: 1, floor_per_s: 1000}
policies:
  once: {max_attempts: 1, backoff: fixed, base_ms: 5, jitter: none}
  fast: {max_attempts: 3, backoff: fixed, base_ms: 5, jitter: none}
  hasty: {max_attempts: 3, backoff: fixed, base_ms: 5, jitter: none, max_delay_ms: 50}
providers:
${routes.map(provider).join("\n")}
routes:
${routes.map(entry).join("\n")}
`;
}

export async function startServers() {
    const mock = await startChild("mock", ["mock", "--listen", "127.0.0.1:0", "--quiet"], {});
    mockUrl = `http://127.0.0.1:${mock.port}`;
    writeFileSync("recourse.yaml", configuration());
    const keys = routes.map(({ key }, index) => [`KEY_${index + 1}`, key]);
    const gate = await startChild("gate", ["serve", "--config", "recourse.yaml", "--admin", "off"],
        { TOKEN, ...Object.fromEntries(keys) });
    gateUrl = `http://127.0.0.1:${gate.port}`;
}

// Stops the gateway first, because it has connections to the mock.
export const stopServers = stopChildren;

// Resets the mock's counters, because they have space for only 128 keys.
export async function forget() {
    await fetch(`${mockUrl}/mock/reset`, { method: "POST" });
}

export async function stats() {
    return (await fetch(`${mockUrl}/mock/stats`)).json();
}

// Returns the number of calls to the provider behind a model. The mock identifies a key by a part of its
// hash and its end.
export async function asked({ name }) {
    const { key } = routes.find((one) => one.name === name);
    const hash = createHash("sha256").update(key).digest("hex").slice(0, 8);
    const { by_key: rows } = await stats();
    if (rows["(others)"])
        throw new Error("the mock has counted more keys than it has rows for");
    return rows[`${hash}-${key.slice(-4)}`]?.requests ?? 0;
}
