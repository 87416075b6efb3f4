// Badges: the outcome of a request, the state of a target or key. Each has a sign and a word, so that
// colour is never the only difference.

import { cut, el } from "/app/dom.js";
import { count, ms, requestId, words } from "/app/format.js";

export function badge(tone, sign, text) {
    return el("span", { class: `badge ${tone}` },
        el("span", { class: "sign", "aria-hidden": "true" }, sign), text);
}

export function outcomeOf(operation) {
    if (operation.outcome === "succeeded")
        return operation.recovered ? "recovered" : "ok";
    return operation.outcome;
}

const OUTCOMES = {
    ok: ["good", "✓", "ok"],
    recovered: ["warn", "↻", "recovered"],
    failed: ["bad", "✕", "failed"],
    cancelled: ["dim", "■", "cancelled"],
    open: ["dim", "○", "open"],
    notice: ["info", "!", "notice"],
};

export function outcomeBadge(operation) {
    const [tone, sign, text] = OUTCOMES[outcomeOf(operation)] || ["dim", "?", operation.outcome];
    return badge(tone, sign, text);
}

const TARGET_STATES = {
    up: ["good", "✓", "up"],
    out_of_service: ["info", "‖", "out of service"],
    cooling: ["warn", "◷", "cooling down"],
    breaker_open: ["bad", "⊘", "breaker open"],
    no_key: ["bad", "∅", "no usable key"],
    full: ["warn", "≡", "full"],
    degraded: ["warn", "!", "degraded"],
    failing: ["bad", "✕", "failing"],
    down: ["bad", "✕", "down"],
};

// condition: from conditionOf() of attention.js.
export function targetBadge(condition) {
    const [tone, sign, text] = TARGET_STATES[condition] || ["dim", "?", words(condition)];
    return badge(tone, sign, text);
}

const BREAKERS = { closed: ["good", "●", "closed"], open: ["bad", "○", "open"],
    half_open: ["warn", "◐", "half open"] };

export function breakerBadge(name) {
    const [tone, sign, text] = BREAKERS[name] || ["dim", "?", words(name)];
    return badge(`${tone} plain`, sign, text);
}

const KEY_STATES = {
    healthy: ["good", "✓", "healthy"],
    cooling: ["warn", "◷", "cooling down"],
    exhausted: ["bad", "$", "exhausted"],
    dead: ["bad", "✕", "rejected"],
};

export function keyBadge(key) {
    const [tone, sign, text] = KEY_STATES[key.state] || ["dim", "?", words(key.state)];
    return badge(tone, sign, text);
}

// The object of a notice: a target, a key, or "" for the gateway.
export function placeOf({ target, provider, model, credential }) {
    return target || (provider && model ? `${provider}/${model}` : credential || "");
}

// The requested model, and the target if its name differs.
export function wayOf(operation) {
    if (operation.outcome === "notice")
        return cut(placeOf(operation) || "the gateway");
    const { model = "", target = "" } = operation;
    const own = target.slice(target.indexOf("/") + 1);
    if (target === "")
        return cut(model || "–");
    if (model === "" || model === target || model === own)
        return cut(target);
    return el("span", {}, cut(model), el("span", { class: "arrow" }, " → "), cut(target));
}

export function operationLink(operation, ...children) {
    return el("a", { href: `#/requests/${encodeURIComponent(requestId(operation.id))}` }, ...children);
}

// "3 attempts, 2 switches, waited 1.2 s"
export function effortOf(operation) {
    const parts = [];
    if (operation.attempts > 1)
        parts.push(`${count(operation.attempts)} attempts`);
    if (operation.switches > 0)
        parts.push(operation.switches === 1 ? "1 switch" : `${operation.switches} switches`);
    if (operation.wait_ms > 0)
        parts.push(`waited ${ms(operation.wait_ms)}`);
    return parts.join(", ");
}
