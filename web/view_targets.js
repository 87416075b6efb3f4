// Targets and keys: who can be asked, who not, until when and why.

import { el, fill, said } from "/app/dom.js";
import { count, ms, plural, share } from "/app/format.js";
import { gate, hear } from "/app/gate.js";
import { range } from "/app/range.js";
import { countdown } from "/app/clocks.js";
import { follow } from "/app/stats.js";
import { table } from "/app/table.js";
import { breakerBadge, keyBadge, targetBadge } from "/app/badge.js";
import { keyActions, quotaText, reloadButton, targetActions, whyOf } from "/app/attention.js";

const FEW = 5; // calls, of which no share is worth a colour

function gauge(name, value, most, text) {
    const meter = el("meter", { min: 0, max: Math.max(1, most), low: most / 5, optimum: most, value,
        "aria-label": name }, text);
    return el("div", { class: "gauge" }, el("span", {}, name), meter, el("span", { class: "num" }, text));
}

// What the audit knows of a target; "openai/*" stands for all of its models that no other names.
function sumsOf(target, stats, all) {
    const groups = (stats?.attempts.target || []).filter((group) => group.name);
    if (target.model !== "*")
        return groups.filter((group) => group.name === target.target);
    const named = new Set(all.map((other) => other.target));
    return groups.filter((group) => group.name.startsWith(`${target.provider}/`) && !named.has(group.name));
}

const add = (groups, key) => groups.reduce((sum, group) => sum + (group[key] || 0), 0);
const worst = (groups, of, at) => groups.reduce((most, group) =>
    Math.max(most, group[of]?.[at] ?? -1), -1);

// Most of what it is asked fails.
const isFailing = (groups) => add(groups, "count") >= FEW && add(groups, "failed") * 2 > add(groups, "count");

// What is left of its provider's limits: the lowest one.
const quotaOf = ({ quotas: [low] = [] }) => (low ? el("span", { class: low.low ? "note warn-text" : "note" },
    quotaText(low), low.renews ? [", renewed in ", countdown(low.renews)] : null) : null);

const stateOf = (t) => [targetBadge(t), t.state !== "up" ? el("span", { class: "note" }, whyOf(t)) : null, quotaOf(t)];

function auditOf(store) {
    if (!store.on)
        return "off";
    return store.down ? "down" : `${store.kind}, ${count(store.kept)} kept, ${count(store.queued)} waiting`;
}

// Those in trouble first, then those that are asked most.
const TROUBLE = ["breaker_open", "no_key", "cooling", "full", "out_of_service", "up"];
const byTrouble = (callsOf) => (a, b) => TROUBLE.indexOf(a.state) - TROUBLE.indexOf(b.state)
    || callsOf(b) - callsOf(a) || a.target.localeCompare(b.target);

export function targets(main) {
    let stats = null;
    const sums = (target) => sumsOf(target, stats, gate.state.targets);
    const list = table("Targets", [
        { name: "Target", class: "way", cell: (t) => [said(t.target),
            el("div", { class: "narrow-only sides" }, el("div", { class: "state" }, stateOf(t),
                t.breaker === "half_open" ? ["Breaker: ", breakerBadge(t.breaker)] : null),
                el("div", { class: "row" }, targetActions(t)))] },
        { name: "State", class: "wide", cell: stateOf },
        { name: "Breaker", class: "wide", cell: (t) => breakerBadge(t.breaker) },
        { name: "Keys", class: "num wide", cell: (t) => (t.keys > 0 ? `${t.usable_keys} of ${t.keys}` : "–") },
        { name: "Under way", class: "num wide", cell: (t) => (t.max_in_flight
            ? `${count(t.in_flight)} of ${count(t.max_in_flight)}` : count(t.in_flight)) },
        { name: "Calls", class: "num", cell: (t) => count(add(sums(t), "count")) },
        { name: "Failed", class: "num", cell: (t) => el("span", { class: isFailing(sums(t)) ? "bad-text" : null },
            share(add(sums(t), "failed"), add(sums(t), "count"))) },
        { name: "p99", class: "num wide", cell: (t) => {
            const most = worst(sums(t), "latency_ms", "p99");
            return most < 0 ? "–" : ms(most);
        } },
        { name: "Change", class: "fit actions wide", cell: (t) => targetActions(t) },
    ], [], { heads: true, empty: "No target is configured." });
    const keys = table("Keys", [
        { name: "Key", class: "way", cell: (key) => said(key.id) },
        { name: "Provider", class: "wide", cell: (key) => said(key.provider) },
        { name: "State", cell: (key) => [keyBadge(key), key.until
            ? el("span", { class: "note" }, "for ", countdown(key.until)) : null, key.limited_targets
            ? el("span", { class: "note" }, `limited at ${plural(key.limited_targets, "target", "targets")}`) : null,
            quotaOf(key)] },
        { name: "Change", class: "fit actions", cell: (key) => keyActions(key) },
    ], [], { heads: true, empty: "No provider has keys." });
    const process = el("div", { class: "gauges" });
    const facts = el("dl", { class: "facts" });
    const wait = el("p", { class: "note" }, "Waiting for the gateway…");

    function draw() {
        const { state } = gate;
        if (state === null)
            return;
        wait.hidden = true;
        // A button that is focused, or a dialog that stands over it, is not taken away.
        if (!list.contains(document.activeElement) && document.querySelector("dialog") === null)
            list.draw([...state.targets].sort(byTrouble((t) => add(sums(t), "count"))));
        if (!keys.contains(document.activeElement) && document.querySelector("dialog") === null)
            keys.draw(state.keys);
        const { budget, store, config } = state;
        fill(process, budget.on ? gauge("Retry budget", budget.tokens, budget.burst,
            `${count(budget.tokens)} of ${count(budget.burst)}`) : null);
        const sum = (key) => state.loops.reduce((all, loop) => all + loop[key], 0);
        fill(facts, [
            ["Configuration", [said(config.file || "from the environment"), `, edition ${config.generation}`]],
            ["Audit", auditOf(store)],
            ["Clients", plural(sum("connections"), "connection", "connections")],
            ["Providers", `${count(sum("upstream_busy"))} busy, ${count(sum("upstream_idle"))} idle connections`],
            ["Event loops", [count(state.loops.length),
                sum("stalls") > 0 ? `, stalled ${plural(sum("stalls"), "time", "times")}` : ""]],
        ].map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))));
    }

    fill(main, el("h1", {}, "Targets"), wait,
        el("section", { class: "panel flush", "aria-labelledby": "targets-title" },
            el("h2", { id: "targets-title" }, "Who can be asked"), list,
            el("p", { class: "note foot-note" }, "Calls, failures and times are of the time that is shown: ",
                range().name.toLowerCase(), ".")),
        el("section", { class: "panel flush", "aria-labelledby": "keys-title" },
            el("h2", { id: "keys-title" }, "Keys"), keys),
        el("section", { class: "panel", "aria-labelledby": "process-title" },
            el("div", { class: "head" }, el("h2", { id: "process-title" }, "The gateway"), reloadButton()),
            process, facts));
    draw();
    const ends = [hear("state", draw), follow(["target"], () => ({}), (answer) => {
        stats = answer;
        draw();
    }, () => {})];
    return () => ends.forEach((end) => end());
}
