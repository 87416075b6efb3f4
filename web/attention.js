// What somebody on call should look at: what is wrong, since when or until when, and what to do. Of what
// there may be hundreds, title, text and actions are functions.

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
        actions.push(button("Ask it again now", `Forget why ${name} is left alone?`, `${path}/clear`,
            `${name} is asked again.`));
    if (target.out_of_service)
        actions.push(button("Put back", `Put ${name} back into service?`, `${path}/in`,
            `${name} is in service.`));
    else
        actions.push(button("Take out", `Take ${name} out of service?`, `${path}/out`,
            `${name} is out of service.`));
    return actions;
}

export function keyActions(key) {
    return key.state === "healthy" ? [] : [button("Try it again", `Try the key ${key.id} again?`,
        `keys/${escapePath(key.id)}/revive`, `${key.id} is tried again.`)];
}

// A budget of money, raised by an amount until it renews.
export function raiseButton(budget) {
    return el("button", { type: "button", onclick: () => confirm({
        title: `Let ${budget.scope} spend more?`, action: "Raise", amount: "By how many dollars, until it renews",
        run: (reason, amount) => post(`/admin/v1/budgets/${escapePath(budget.scope)}/raise`,
            `{"usd":${amount},"reason":${JSON.stringify(reason)}}`),
        done: `${budget.scope} may spend more.` }) }, "Raise");
}

// What the configuration says otherwise than it runs.
const restartOf = (config) => (config.needs_restart || []).join(", ");

export const reloadButton = () => button("Reload", "Read the configuration again?", "reload",
    ({ config }) => `The configuration was read again.${config.needs_restart
        ? ` Changed, and in need of a restart: ${restartOf(config)}.` : ""}`);

function ofProcess(state, items) {
    if (!state.ready)
        items.push({ tone: BAD, title: state.draining ? "The gateway is ending" :
            "The gateway is not ready", text: state.why_not_ready || "It takes no requests." });
    if (state.config.last_reload_refused)
        items.push({ tone: BAD, title: "The new configuration was refused",
            text: [said(state.config.refusal), ". The old one goes on."],
            todo: "Correct the file, then reload. “recourse config check” shows all mistakes.",
            actions: [reloadButton()] });
    if (state.config.needs_restart)
        items.push({ tone: WARN, title: "The configuration waits for a restart",
            text: ["Not as the gateway runs: ", said(restartOf(state.config)), ". All else of it holds."],
            todo: "Restart the gateway, or change it back and reload.", actions: [reloadButton()] });
    const { store } = state;
    if (store.on && store.down)
        items.push({ tone: BAD, title: "The audit cannot be kept", text: said(store.why || ""),
            todo: "Make room, or repair what the message names. It is tried again by itself." });
    if (store.lost > 0)
        items.push({ tone: WARN, title: `${plural(store.lost, "request has", "requests have")} no record`,
            text: "The audit could not keep up or was down, and the configuration says to go on." });
    if (store.refused > 0)
        items.push({ tone: WARN, title: `${plural(store.refused, "request was", "requests were")} refused`,
            text: "Their record could not be kept, and the configuration says not to go on." });
    if (state.log_dropped > 0)
        items.push({ tone: WARN, title: `${plural(state.log_dropped, "log line", "log lines")} lost`,
            text: "Whoever reads the log is too slow." });
    const { budget } = state;
    if (budget.on && budget.tokens < budget.burst / 5)
        items.push({ tone: WARN, title: "The retry budget is nearly used up",
            text: `${count(budget.tokens)} of ${count(budget.burst)} are left. Without it, failures are ` +
                "passed on at once, so that retries do not make an outage worse.",
            todo: "Look at what fails below." });
}

// Clients that send again what was answered for good; for as long as somebody may still remember.
const REPEATS_MS = 3600000;

function ofRepeats(state, items) {
    const now = new Date(state.now);
    for (const repeat of (state.repeats || []).filter((one) => now - new Date(one.last) < REPEATS_MS))
        items.push({ tone: WARN,
            title: () => [said(repeat.client), " retries what cannot succeed"],
            text: () => [`${plural(repeat.requests, "request was", "requests were")} sent again, unchanged, after an ` +
                `answer that said not to (x-should-retry: false). The latest: ${words(repeat.code)}, ${when(repeat.last)}.`,
                repeat.product ? " The name is that of its User-Agent." : ""],
            todo: "Turn off the retries of this client: the gateway has made them already. The page of the client in " +
                "the documentation names the setting.",
            link: repeat.product ? null : [`#/requests?outcome=failed&client=${encodeURIComponent(repeat.client)}`,
                "Show its failures"] });
}

const EXCEEDED = { warn: "It goes on all the same.", pause: "Requests wait until there is room.",
    fail: "Requests are refused." };

// Scopes are "client app", "route gpt-4o*" or "budget team".
const budgetName = (scope) => (scope.startsWith("budget ") ? ["The ", said(scope)] : ["The budget of ", said(scope)]);

function ofBudgets(state, items) {
    for (const budget of (state.budgets || []).filter((one) => one.limit_usd)) {
        const part = budget.spent_usd / budget.limit_usd;
        if (part < 0.8 && !budget.awaited && !budget.refusing)
            continue;
        // What is left may be less than the next request can cost.
        const isShort = part < 1 && budget.refusing;
        const isOver = part >= 1 || budget.awaited || isShort;
        items.push({ tone: isOver && budget.on_exceed !== "warn" ? BAD : WARN,
            title: () => [...budgetName(budget.scope), isShort ? " refuses requests"
                : isOver ? " is used up" : " is nearly used up"],
            text: () => [`${usd(budget.spent_usd)} of ${usd(budget.limit_usd)} spent. `, isShort
                ? "The latest request may cost more than what is left, and was refused." : "",
                isOver && !isShort ? EXCEEDED[budget.on_exceed] : "",
                budget.renews ? [" It renews in ", countdown(budget.renews)] : ""],
            todo: "Raise it, or see who spends.", link: ["#/cost", "Show the cost"],
            actions: () => [raiseButton(budget)] });
    }
}

const causeOf = (target) => (target.failed_with ? `: ${words(target.failed_with)}` : "");
const sinceOf = (target) => (target.since ? `, since ${when(target.since)}` : "");

// How a target does: why it is not called, or how its latest calls went.
export const conditionOf = ({ state, health }) =>
    (["up", "full"].includes(state) && ["failing", "degraded"].includes(health) ? health : state);

const WHY = {
    cooling: (target) => [target.why ? `${words(target.why)}. ` : "", target.assumed
        ? "It did not say for how long; asked again in " : "Asked again in ", "clock"],
    breaker_open: (target) => ["Too much failed", target.why ? ` (${words(target.why)})` : "",
        ". One request tries it in ", "clock"],
    no_key: () => ["None of its keys can be used."],
    full: (target) => [`As many calls as it takes are under way: ${count(target.in_flight)}.`],
    out_of_service: () => ["An operator took it out."],
    failing: (target) => ["All of its latest calls failed", causeOf(target), sinceOf(target)],
    degraded: (target) => ["Some of its latest calls failed", causeOf(target), sinceOf(target)],
};

const TITLES = { cooling: "is cooling down", breaker_open: "is left alone: its breaker is open",
    no_key: "has no usable key", full: "is full", out_of_service: "is out of service", failing: "is failing" };
const ADVICE = { no_key: "Add a key, or credit; then try the key again.",
    full: "Raise max_in_flight, or add another target to the chain.",
    failing: "Look at its failed requests and its provider’s status page; take it out if another target can serve." };

// All of its keys rest, here alone, after a limit.
const isLimited = (target) => target.state === "cooling" && target.keys > 0 && target.usable_keys === 0;

// A target's state in words, with the clock that belongs to it.
export function whyOf(target) {
    return WHY[conditionOf(target)]?.(target).map((part) => (part !== "clock" ? part
        : target.until ? countdown(target.until) : "a moment"));
}

const NAMED_MAX = 10;
const TONES = { breaker_open: BAD, no_key: BAD, failing: BAD, out_of_service: INFO };

// Targets of one provider without a key are one thing to look at.
function ofTargets(state, items) {
    const isKeyless = (target) => target.state === "no_key";
    for (const target of state.targets.filter((one) => TITLES[conditionOf(one)] && !isKeyless(one))) {
        const condition = conditionOf(target);
        items.push({ tone: TONES[condition] || WARN,
            title: () => [said(target.target), ` ${TITLES[condition]}`], text: () => whyOf(target),
            todo: isLimited(target) ? "Wait, send fewer requests, or add a key." : ADVICE[condition],
            link: condition === "failing" ? [`#/requests?target=${encodeURIComponent(target.target)}`, "Show them"] : null,
            actions: () => targetActions(target) });
    }
    const keyless = new Map();
    for (const target of state.targets.filter(isKeyless)) {
        if (!keyless.has(target.provider))
            keyless.set(target.provider, []);
        keyless.get(target.provider).push(target);
    }
    for (const [provider, those] of keyless)
        items.push({ tone: BAD, title: () => ["None of ", said(provider), "’s keys can be used"],
            text: () => (those.length === 1 ? said(those[0].target) : [`${those.length} targets: `,
                said(those.slice(0, NAMED_MAX).map((target) => target.model).join(", ")),
                those.length > NAMED_MAX ? ` and ${those.length - NAMED_MAX} more` : ""]),
            todo: ADVICE.no_key, link: ["#/targets", "Show the keys"] });
}

// What is left of a provider's own limit: "20 of 1,000 requests left at openai/gpt-4o".
export const quotaText = (quota) => [`${count(quota.remaining)} of ${count(quota.limit)} `,
    said(quota.kind === "limit" ? "" : quota.kind), " left at ", said(quota.target)];

// Limits that are nearly used up, the lowest first; a target that rests says so itself.
function ofQuotas(state, items) {
    const resting = new Set(state.targets.filter((target) => target.state === "cooling").map((target) => target.target));
    const owners = [...state.keys.filter((key) => key.state === "healthy").map((key) => [["Key ", said(key.id)], key]),
        ...state.targets.map((target) => [[said(target.target)], target])];
    for (const [name, owner] of owners) {
        const lows = (owner.quotas || []).filter((quota) => quota.low && !resting.has(quota.target));
        if (lows.length === 0)
            continue;
        const [low, ...others] = lows;
        items.push({ tone: WARN, title: [...name, low.remaining > 0 ? " is near a limit of its provider"
            : " has used up a limit of its provider"],
        text: [quotaText(low), others.length > 0 ? `, and ${plural(others.length, "other limit", "other limits")}` : "",
            low.renews ? [". Renewed in ", countdown(low.renews)] : "."],
        todo: "Send fewer requests, add a key, or have the limit raised.", link: ["#/targets", "Show the keys"] });
    }
}

function ofKeys(state, items) {
    for (const key of state.keys) {
        if (key.state === "dead")
            items.push({ tone: BAD, title: () => ["Key ", said(key.id), " was refused"],
                text: `${key.provider} does not take it. It is not used any more.`,
                todo: "Put a good key into its place and reload, or try it again.",
                actions: () => keyActions(key) });
        else if (key.state === "exhausted")
            items.push({ tone: BAD, title: () => ["Key ", said(key.id), " is used up"],
                text: () => key.until ? ["Asked again in ", countdown(key.until)] : "Its quota or credit is spent.",
                todo: "Add credit or raise the limit, then try it again.", actions: () => keyActions(key) });
    }
}

// Codes that clients were answered with, and whose requests they were.
function ofFailures(stats, culprits, items) {
    const all = stats?.operations.total.count || 0;
    for (const group of failuresOf(stats))
        // What its client sent is its client's to correct.
        items.push({ tone: group.failed / all >= 0.01 && group.domain !== "input" ? BAD : WARN,
            title: `${plural(group.failed, "request", "requests")} failed: ${words(group.name)}`,
            text: () => [`${share(group.failed, all)} of all in this time`, culprits?.textOf(group.name), "."],
            todo: group.todo,
            link: [`#/requests?outcome=failed&code=${group.name}`, "Show them"] });
}

const ORDER = { bad: 0, warn: 1, info: 2 };

export function attention(state, stats, culprits = null) {
    const items = [];
    if (state !== null) {
        ofProcess(state, items);
        ofBudgets(state, items);
        ofRepeats(state, items);
        ofKeys(state, items);
        ofQuotas(state, items);
        ofTargets(state, items);
    }
    ofFailures(stats, culprits, items);
    return items.sort((a, b) => ORDER[a.tone] - ORDER[b.tone]);
}
