// The cards of the overview: each problem with its time and the next step. Lists that may have hundreds of items
// have functions as title, text and actions, so that hidden cards cost nothing.

import { el, said } from "/app/dom.js";
import { count, plural, share, usd, when, words } from "/app/format.js";
import { countdown } from "/app/clocks.js";
import { gateway } from "/app/gateway.js";
import { act, escapePath, post } from "/app/api.js";
import { confirm } from "/app/confirm.js";
import { failuresOf } from "/app/culprits.js";

const BAD = "bad";
const WARN = "warn";
const INFO = "info";

function button(text, question, path, done) {
    return el("button", { type: "button", onclick: () => confirm({ title: question, action: text,
        run: (reason) => act(path, reason), done }) }, text);
}

const targetPath = (target) =>
    `targets/${encodeURIComponent(target.provider)}/${escapePath(target.model)}`;

export function targetActions(target) {
    const { target: name, state } = target;
    const path = targetPath(target);
    const actions = [];
    if (state === "cooling" || state === "breaker_open")
        actions.push(button(state === "cooling" ? "End cooldown" : "Close breaker", state === "cooling"
            ? `End the cooldown of ${name}?` : `Close the breaker of ${name}?`, `${path}/clear`,
            `${name} is used again.`));
    if (target.out_of_service)
        actions.push(button("Put back", `Put ${name} back into service?`, `${path}/in`,
            `${name} is in service again.`));
    else
        actions.push(button("Take out", `Take ${name} out of service?`, `${path}/out`,
            `${name} is out of service.`));
    return actions;
}

export function keyActions(key) {
    return key.state === "healthy" ? [] : [button("Retry", `Use key ${key.id} again?`,
        `keys/${escapePath(key.id)}/revive`, `Key ${key.id} is used again.`)];
}

// The button that raises a budget's limit until it renews.
export function raiseButton(budget) {
    return el("button", { type: "button", onclick: () => confirm({
        title: `Raise the limit of ${budget.scope}?`, action: "Raise", amount: "Dollars to add until the budget renews",
        run: (reason, amount) => post(`/admin/v1/budgets/${escapePath(budget.scope)}/raise`,
            `{"usd":${amount},"reason":${JSON.stringify(reason)}}`),
        done: `The limit of ${budget.scope} is raised.` }) }, "Raise");
}

// The changed configuration keys that take effect only after a restart.
const restartOf = (config) => (config.needs_restart || []).join(", ");

export const reloadButton = () => button("Reload", "Reload the configuration?", "reload",
    ({ config }) => `The configuration was reloaded.${config.needs_restart
        ? ` These changed keys need a restart: ${restartOf(config)}.` : ""}`);

function ofProcess(state, items) {
    if (!state.ready)
        items.push({ tone: BAD, title: state.draining ? "The gateway is shutting down" :
            "The gateway is not ready", text: state.why_not_ready || "The gateway accepts no requests." });
    if (state.config.last_reload_refused)
        items.push({ tone: BAD, title: "The new configuration was rejected",
            text: [said(state.config.refusal), ". The gateway still uses the previous configuration."],
            todo: "Correct the file, then press Reload. “recourse config check” lists all errors.",
            actions: [reloadButton()] });
    if (state.config.needs_restart)
        items.push({ tone: WARN, title: "Configuration changes need a restart",
            text: ["Changed keys that take effect after a restart: ", said(restartOf(state.config)),
                ". All other changes are in effect."],
            todo: "Restart the gateway, or revert these keys and press Reload.", actions: [reloadButton()] });
    const { store } = state;
    if (store.on && store.down)
        items.push({ tone: BAD, title: "The audit cannot be written", text: said(store.why || ""),
            todo: "Free disk space, or fix the cause in the message. The gateway retries by itself." });
    if (store.lost > 0)
        items.push({ tone: WARN, title: `${plural(store.lost, "request has", "requests have")} no audit record`,
            text: "The audit was too slow or unavailable, and the configuration allows requests without a record." });
    if (store.refused > 0)
        items.push({ tone: WARN, title: `${plural(store.refused, "request was", "requests were")} refused`,
            text: "The audit could not record them, and the configuration refuses requests without a record." });
    if (state.log_dropped > 0)
        items.push({ tone: WARN, title: `${plural(state.log_dropped, "log line", "log lines")} lost`,
            text: "The program that reads the gateway’s log is too slow." });
    const { budget } = state;
    if (budget.on && budget.tokens < budget.burst / 5)
        items.push({ tone: WARN, title: "The retry budget is nearly used up",
            text: `${count(budget.tokens)} of ${count(budget.burst)} retries are left. When none is left, ` +
                "the gateway returns failures without a retry, so that retries do not make an outage worse.",
            todo: "Check which targets and requests fail." });
}

// Clients that repeated a request after a final error; cards disappear an hour after the latest repetition.
const REPEATS_MS = 3600000;

function ofRepeats(state, items) {
    const now = new Date(state.now);
    for (const repeat of (state.repeats || []).filter((one) => now - new Date(one.last) < REPEATS_MS))
        items.push({ tone: WARN,
            title: () => [said(repeat.client), " repeats requests that cannot succeed"],
            text: () => [`${plural(repeat.requests, "request was", "requests were")} sent again unchanged after a ` +
                `response with x-should-retry: false. Latest: ${words(repeat.code)}, ${when(repeat.last)}.`,
                repeat.product ? " The name comes from the User-Agent header." : ""],
            todo: "Turn off retries in this client: the gateway already retries. The client’s page in the " +
                "documentation names the setting.",
            link: repeat.product ? null : [`#/requests?outcome=failed&client=${encodeURIComponent(repeat.client)}`,
                "Show its failures"] });
}

// Targets whose fatal failures fallback_on hides from clients; the card stays until the target succeeds again.
function ofMasked(state, items) {
    for (const target of (state.targets || []).filter((one) => one.masked))
        items.push({ tone: WARN,
            title: () => [said(target.target), " fails, which fallback_on hides from clients"],
            text: () => [`${plural(target.masked.requests, "request", "requests")} failed at this target with ` +
                `${words(target.masked.code)} and used the next target. First at ${when(target.masked.since)}.`],
            todo: "Fix the model name, the key or its permissions. The card disappears with the target’s next success.",
            link: [`#/requests?target=${encodeURIComponent(target.target)}`, "Show its requests"],
            actions: () => targetActions(target) });
}

const EXCEEDED = { warn: "Requests continue: on_exceed is warn.", pause: "Requests wait: on_exceed is pause.",
    fail: "Requests are refused: on_exceed is fail." };

// Scopes are "client app", "route gpt-4o*" or "budget team".
const budgetName = (scope) => (scope.startsWith("budget ") ? ["The ", said(scope)] : ["The budget of ", said(scope)]);

function ofBudgets(state, items) {
    for (const budget of (state.budgets || []).filter((one) => one.limit_usd)) {
        const part = budget.spent_usd / budget.limit_usd;
        if (part < 0.8 && !budget.awaited && !budget.refusing)
            continue;
        // A budget refuses before it is used up when the remaining amount is less than the request may cost.
        const isShort = part < 1 && budget.refusing;
        const isOver = part >= 1 || budget.awaited || isShort;
        items.push({ tone: isOver && budget.on_exceed !== "warn" ? BAD : WARN,
            title: () => [...budgetName(budget.scope), isShort ? " refuses requests"
                : isOver ? " is used up" : " is nearly used up"],
            text: () => [`${usd(budget.spent_usd)} of ${usd(budget.limit_usd)} spent. `, isShort
                ? "The latest request was refused because it may cost more than the remaining amount." : "",
                isOver && !isShort ? EXCEEDED[budget.on_exceed] : "",
                budget.renews ? [" It renews in ", countdown(budget.renews)] : ""],
            todo: "Raise the budget, or find the models and clients that spend most.",
            link: ["#/cost", "Show the cost"],
            actions: () => [raiseButton(budget)] });
    }
}

const causeOf = (target) => (target.failed_with ? `: ${words(target.failed_with)}` : "");
const sinceOf = (target) => (target.since ? `, since ${when(target.since)}` : "");

const recentOf = ({ recent }) => (recent?.failed > 0
    ? ` ${count(recent.failed)} of the latest ${plural(recent.calls, "call", "calls")} failed.` : "");

// A target's condition: its state, or "down", "failing" or "degraded" by the results of its latest calls.
export const conditionOf = ({ state, health }) =>
    (["up", "full"].includes(state) && ["down", "failing", "degraded"].includes(health) ? health : state);

const WHY = {
    cooling: (target) => [target.why ? `${words(target.why)}. ` : "", target.assumed
        ? "The provider gave no time; used again in " : "Used again in ", "clock"],
    breaker_open: (target) => ["Too many calls failed", target.why ? ` (${words(target.why)})` : "",
        ". The next probe request is in ", "clock"],
    no_key: () => ["The provider has no usable key."],
    full: (target) => [`${count(target.in_flight)} calls are in flight, the limit of this target.`],
    out_of_service: () => ["An operator took this target out of service."],
    down: (target) => ["Hardly any call succeeds, so the target gets only probe requests", causeOf(target),
        sinceOf(target), ".", recentOf(target)],
    failing: (target) => ["All recent calls failed", causeOf(target), sinceOf(target)],
    degraded: (target) => ["Some recent calls failed", causeOf(target), sinceOf(target), ".", recentOf(target)],
};

const TITLES = { cooling: "is cooling down", breaker_open: "is not called: its breaker is open",
    no_key: "has no usable key", full: "has reached its limit of calls in flight",
    out_of_service: "is out of service", failing: "is failing", down: "is down" };
const ADVICE = { no_key: "Add a key or credit, then press Retry beside the key.",
    full: "Raise max_in_flight, or add another target to the chain.",
    failing: "Check its failed requests and the provider’s status page. Take the target out of service if another target can respond." };

// The target cools down because a limit applies to each of its keys.
const isLimited = (target) => target.state === "cooling" && target.keys > 0 && target.usable_keys === 0;

// A target's state as a sentence, with its countdown.
export function whyOf(target) {
    return WHY[conditionOf(target)]?.(target).map((part) => (part !== "clock" ? part
        : target.until ? countdown(target.until) : "a moment"));
}

const NAMED_MAX = 10;
const TONES = { breaker_open: BAD, no_key: BAD, failing: BAD, down: BAD, out_of_service: INFO };

// One card for all targets of a provider without a usable key.
function ofTargets(state, items) {
    const isKeyless = (target) => target.state === "no_key";
    for (const target of state.targets.filter((one) => TITLES[conditionOf(one)] && !isKeyless(one))) {
        const condition = conditionOf(target);
        items.push({ tone: TONES[condition] || WARN,
            title: () => [said(target.target), ` ${TITLES[condition]}`], text: () => whyOf(target),
            todo: isLimited(target) ? "Wait, send fewer requests, or add a key." : ADVICE[condition],
            link: condition === "failing"
                ? [`#/requests?target=${encodeURIComponent(target.target)}`, "Show its requests"] : null,
            actions: () => targetActions(target) });
    }
    const keyless = new Map();
    for (const target of state.targets.filter(isKeyless)) {
        if (!keyless.has(target.provider))
            keyless.set(target.provider, []);
        keyless.get(target.provider).push(target);
    }
    for (const [provider, those] of keyless)
        items.push({ tone: BAD, title: () => ["Provider ", said(provider), " has no usable key"],
            text: () => (those.length === 1 ? ["Target: ", said(those[0].target)] : [`${those.length} targets: `,
                said(those.slice(0, NAMED_MAX).map((target) => target.model).join(", ")),
                those.length > NAMED_MAX ? ` and ${those.length - NAMED_MAX} more` : ""]),
            todo: ADVICE.no_key, link: ["#/targets", "Show the keys"] });
}

// The rest of a provider's rate limit: "20 of 1,000 requests left at openai/gpt-4o".
export const quotaText = (quota) => [`${count(quota.remaining)} of ${count(quota.limit)} `,
    said(quota.kind === "limit" ? "" : quota.kind), " left at ", said(quota.target)];

// Rate limits that are nearly used up, lowest first. A target that cools down has its own card.
function ofQuotas(state, items) {
    const cooling = new Set(state.targets.filter((target) => target.state === "cooling")
        .map((target) => target.target));
    const owners = [...state.keys.filter((key) => key.state === "healthy").map((key) => [["Key ", said(key.id)], key]),
        ...state.targets.map((target) => [[said(target.target)], target])];
    for (const [name, owner] of owners) {
        const lows = (owner.quotas || []).filter((quota) => quota.low && !cooling.has(quota.target));
        if (lows.length === 0)
            continue;
        const [low, ...others] = lows;
        items.push({ tone: WARN, title: [...name, low.remaining > 0 ? " is near a limit of its provider"
            : " has used up a limit of its provider"],
        text: [quotaText(low), others.length > 0 ? `, and ${plural(others.length, "other limit", "other limits")}` : "",
            low.renews ? [". Resets in ", countdown(low.renews)] : "."],
        todo: "Send fewer requests, add a key, or ask the provider for a higher limit.",
        link: ["#/targets", "Show the keys"] });
    }
}

function ofKeys(state, items) {
    for (const key of state.keys) {
        if (key.state === "dead")
            items.push({ tone: BAD, title: () => ["Key ", said(key.id), " was rejected"],
                text: `Provider ${key.provider} rejected this key. The key is disabled until you replace it or ` +
                    "press Retry.",
                todo: "Replace the key in the configuration and press Reload, or press Retry.",
                actions: () => keyActions(key) });
        else if (key.state === "exhausted")
            items.push({ tone: BAD, title: () => ["Key ", said(key.id), " is exhausted"],
                text: () => key.until ? ["Used again in ", countdown(key.until)]
                    : "The quota or credit of this key is used up.",
                todo: "Add credit or raise the limit, then press Retry.", actions: () => keyActions(key) });
    }
}

// Error codes that clients received, with their latest models, targets and clients.
function ofFailures(stats, culprits, items) {
    const all = stats?.operations.total.count || 0;
    for (const group of failuresOf(stats))
        // Invalid input is the client's error, so that it is only a warning.
        items.push({ tone: group.failed / all >= 0.01 && group.domain !== "input" ? BAD : WARN,
            title: `${plural(group.failed, "request", "requests")} failed: ${words(group.name)}`,
            text: () => [`${share(group.failed, all)} of all requests in this time range`,
                culprits?.textOf(group.name), "."],
            todo: group.todo,
            link: [`#/requests?outcome=failed&code=${group.name}`, "Show failed requests"] });
}

const ORDER = { bad: 0, warn: 1, info: 2 };

export function attention(state, stats, culprits = null) {
    const items = [];
    if (state !== null) {
        ofProcess(state, items);
        ofBudgets(state, items);
        ofRepeats(state, items);
        ofMasked(state, items);
        ofKeys(state, items);
        ofQuotas(state, items);
        ofTargets(state, items);
    }
    ofFailures(stats, culprits, items);
    return items.sort((a, b) => ORDER[a.tone] - ORDER[b.tone]);
}
