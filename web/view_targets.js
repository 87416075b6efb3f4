// The targets view: the state of each target and key, and of the gateway.

import { el, fill, refill, said } from "/app/dom.js";
import { count, ms, plural, share } from "/app/format.js";
import { gateway, subscribe } from "/app/gateway.js";
import { learnedOf } from "/app/waiting.js";
import { range } from "/app/range.js";
import { countdown } from "/app/clocks.js";
import { follow } from "/app/stats.js";
import { longTable, markOf } from "/app/long.js";
import { breakerBadge, keyBadge, targetBadge } from "/app/badge.js";
import { conditionOf, keyActions, quotaText, reloadButton, targetActions, whyOf } from "/app/attention.js";

const FEW = 5; // minimum number of calls for which failures are coloured

function gauge(name, value, most, text) {
    const meter = el("meter", { min: 0, max: Math.max(1, most), low: most / 5, optimum: most, value,
        "aria-label": name }, text);
    return el("div", { class: "gauge" }, el("span", {}, name), meter, el("span", { class: "num" }, text));
}

// The statistics of each target; "openai/*" has those of all models that no other target names.
function sumsOf(targets, stats) {
    const groups = stats?.attempts.target || [];
    // If the response has a group for all other targets, the statistics of a target without a group
    // of its own are unknown.
    const isAll = stats !== null && !groups.some((group) => group.rest);
    const sums = new Map(targets.map(({ target }) => [target, { calls: 0, failed: 0, p99: -1, isKnown: isAll }]));
    const rests = new Map(targets.filter(({ model }) => model === "*").map(({ provider, target }) =>
        [provider, sums.get(target)]));
    for (const group of groups.filter(({ name }) => name)) {
        const sum = sums.get(group.name) || rests.get(group.name.slice(0, group.name.indexOf("/")));
        if (sum === undefined)
            continue;
        sum.calls += group.count;
        sum.failed += group.failed || 0;
        sum.p99 = Math.max(sum.p99, group.latency_ms?.p99 ?? -1);
        sum.isKnown = true;
    }
    return sums;
}

// More than half of the target's calls fail.
const isFailing = ({ calls, failed }) => calls >= FEW && failed * 2 > calls;

const failedOf = (sum) => el("span", { class: isFailing(sum) ? "bad-text" : null }, share(sum.failed, sum.calls));

// Returns the lowest of the rate limits of the target's provider.
const quotaOf = ({ quotas: [low] = [] }) => (low ? el("span", { class: low.low ? "note warn-text" : "note" },
    quotaText(low), low.renews ? [", resets in ", countdown(low.renews)] : null) : null);

const keyStateOf = (key) => [keyBadge(key),
    key.until ? el("span", { class: "note" }, "for ", countdown(key.until)) : null,
    key.limited_targets
        ? el("span", { class: "note" }, `limited at ${plural(key.limited_targets, "target", "targets")}`) : null,
    quotaOf(key), learnedOf(key)];
const stateOf = (t) => [targetBadge(conditionOf(t)),
    conditionOf(t) !== "up" ? el("span", { class: "note" }, whyOf(t)) : null,
    t.admission === "recovering" ? el("span", { class: "note" }, "Recovering: the rate of calls grows") : null,
    quotaOf(t), learnedOf(t)];

function auditOf(store) {
    if (!store.on)
        return "off";
    return store.down ? "unavailable" : `${store.kind}, ${count(store.kept)} records, ${count(store.queued)} queued`;
}

function factsOf({ config, loops, store }) {
    const sum = (key) => loops.reduce((all, loop) => all + loop[key], 0);
    return [
        ["Configuration", [said(config.file || "from the environment"), `, generation ${config.generation}`]],
        ["Audit", auditOf(store)],
        ["Clients", plural(sum("connections"), "connection", "connections")],
        ["Providers", `${count(sum("upstream_busy"))} busy, ${count(sum("upstream_idle"))} idle connections`],
        ["Event loops", [count(loops.length),
            sum("stalls") > 0 ? `, stalled ${plural(sum("stalls"), "time", "times")}` : ""]],
    ].map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value)));
}

// Sorts targets by state, then failing ones first, then by the number of calls.
const STATES = ["breaker_open", "no_key", "down", "failing", "cooling", "full", "degraded", "out_of_service", "up"];
const inOrder = (a, b) => (a < b ? -1 : Number(a > b));
const byState = (sums) => (a, b) => STATES.indexOf(conditionOf(a)) - STATES.indexOf(conditionOf(b))
    || isFailing(sums.get(b.target)) - isFailing(sums.get(a.target))
    || sums.get(b.target).calls - sums.get(a.target).calls || inOrder(a.target, b.target);

// Sorts keys in the same way; keys that compare equal stay in the order of the configuration.
const KEY_STATES = ["dead", "exhausted", "cooling", "healthy"];
const byKeyState = (a, b) => KEY_STATES.indexOf(a.state) - KEY_STATES.indexOf(b.state)
    || (b.limited_targets || 0) - (a.limited_targets || 0);

// What remains of a client's limit, and how many requests it refused.
const leftOf = (limit) => (limit ? [`${count(limit.left ?? limit.limit - limit.in_flight)} of ${count(limit.limit)}`,
    limit.refused > 0 ? el("span", { class: "note" }, `${plural(limit.refused, "refusal", "refusals")}`) : null] : "–");

const clientTable = () => longTable("Limits of clients", [
    { name: "Client", class: "way", cell: (client) => said(client.name) },
    { name: "Requests left this minute", class: "num", cell: (client) => leftOf(client.rpm) },
    { name: "Tokens left this minute", class: "num", cell: (client) => leftOf(client.tpm) },
    { name: "Free slots", class: "num", cell: (client) => leftOf(client.max_in_flight) },
], { heads: true, empty: "No client has limits.", nouns: "clients", key: (client) => client.name });

export function targets(main) {
    let stats = null;
    let sums = new Map();
    const of = (target) => sums.get(target.target);
    const list = longTable("Targets", [
        { name: "Target", class: "way", cell: (t) => [said(t.target),
            el("div", { class: "narrow-only" }, stateOf(t),
                t.breaker === "half_open" ? ["Breaker: ", breakerBadge(t.breaker)] : null,
                of(t).calls > 0 ? el("span", { class: "note" }, `${plural(of(t).calls, "call", "calls")}, `,
                    failedOf(of(t)), " failed") : null)] },
        { name: "State", class: "wide", cell: stateOf },
        { name: "Breaker", class: "wide", cell: (t) => breakerBadge(t.breaker) },
        { name: "Keys", class: "num wide", cell: (t) => (t.keys > 0 ? `${t.usable_keys} of ${t.keys}` : "–") },
        { name: "In flight", class: "num wide", cell: (t) => (t.max_in_flight
            ? `${count(t.in_flight)} of ${count(t.max_in_flight)}` : count(t.in_flight)) },
        { name: "Calls", class: "num wide", cell: (t) => (of(t).isKnown ? count(of(t).calls) : "–") },
        { name: "Failed", class: "num wide", cell: (t) => failedOf(of(t)) },
        { name: "p99", class: "num wide", cell: (t) => (of(t).p99 < 0 ? "–" : ms(of(t).p99)) },
        { name: "Change", class: "fit actions", cell: (t) => targetActions(t) },
    ], { heads: true, empty: "No target is configured.", nouns: "targets", key: (t) => t.target,
        mark: (t) => markOf(t, of(t)) });
    const keys = longTable("Keys", [
        { name: "Key", class: "way", cell: (key) => [said(key.id), el("div", { class: "narrow-only" }, keyStateOf(key))] },
        { name: "Provider", class: "wide", cell: (key) => said(key.provider) },
        { name: "State", class: "wide", cell: keyStateOf },
        { name: "Change", class: "fit actions", cell: (key) => keyActions(key) },
    ], { heads: true, empty: "No provider has keys.", nouns: "keys", key: (key) => key.id });
    const clients = clientTable();
    const limits = el("section", { class: "panel flush", "aria-labelledby": "clients-title", hidden: true },
        el("h2", { id: "clients-title" }, "Limits of clients"), clients);
    const process = el("div", { class: "gauges" });
    const facts = el("dl", { class: "facts" });
    const wait = el("p", { class: "note" }, "Waiting for the gateway…");

    function draw() {
        const { state } = gateway;
        if (state === null)
            return;
        wait.hidden = true;
        sums = sumsOf(state.targets, stats);
        list.show([...state.targets].sort(byState(sums)));
        keys.show([...state.keys].sort(byKeyState));
        if (state.clients.length > 0 || !limits.hidden) {
            limits.hidden = state.clients.length === 0;
            clients.show(state.clients);
        }
        const { budget } = state;
        refill(process, markOf(budget), () => (budget.on ? gauge("Retry budget", budget.tokens, budget.burst,
            `${count(budget.tokens)} of ${count(budget.burst)}`) : null));
        refill(facts, markOf(state.config, state.store, state.loops), () => factsOf(state));
    }

    fill(main, el("h1", {}, "Targets"), wait,
        el("section", { class: "panel flush", "aria-labelledby": "targets-title" },
            el("h2", { id: "targets-title" }, "All targets"), list,
            el("p", { class: "note foot-note" }, "Calls, failures and p99 are from the selected time range: ",
                range().name.toLowerCase(), ".")),
        el("section", { class: "panel flush", "aria-labelledby": "keys-title" },
            el("h2", { id: "keys-title" }, "Keys"), keys),
        limits,
        el("section", { class: "panel", "aria-labelledby": "process-title" },
            el("div", { class: "head" }, el("h2", { id: "process-title" }, "The gateway"), reloadButton()),
            process, facts));
    draw();
    const ends = [subscribe("state", draw), follow(["target"], () => ({}), (answer) => {
        stats = answer;
        draw();
    }, () => {})];
    return () => ends.forEach((end) => end());
}
