// The overview: problems, sums, charts and live requests.

import { cut, el, fill, said } from "/app/dom.js";
import { count, few, ms, plural, requestId, share, when, words } from "/app/format.js";
import { get } from "/app/api.js";
import { gateway, subscribe } from "/app/gateway.js";
import { attention } from "/app/attention.js";
import { Culprits } from "/app/culprits.js";
import { chart, last, total } from "/app/chart.js";
import { follow, seriesOf } from "/app/stats.js";
import { tile } from "/app/tile.js";
import { waitingPanel } from "/app/waiting.js";
import { about, estimateOf } from "/app/money.js";
import { effortOf, operationLink, outcomeBadge, outcomeOf, wayOf } from "/app/badge.js";

const FEED_MAX = 12;
const ITEMS_MAX = 6;
const ITEMS_MORE = 50;
const OUTCOMES = [
    { key: "ok", name: "ok", value: (g) => (g?.succeeded || 0) - (g?.recovered || 0) },
    { key: "recovered", name: "recovered", value: (g) => g?.recovered || 0 },
    { key: "failed", name: "failed", value: (g) => g?.failed || 0 },
    { key: "cancelled", name: "cancelled", value: (g) => g?.cancelled || 0 },
];
const times = (of) => [
    { key: "p50", name: "p50", value: (g) => g?.[of]?.p50 ?? null },
    { key: "p99", name: "p99", value: (g) => g?.[of]?.p99 ?? null },
];

function tilesOf(stats, state) {
    const all = stats.operations.total;
    const attempts = stats.attempts.total;
    const inFlight = (state?.loops || []).reduce((sum, loop) => sum + loop.in_flight, 0);
    const succeeded = (all.succeeded || 0) / Math.max(1, (all.succeeded || 0) + (all.failed || 0));
    const faltered = all.faltered || 0;
    return [
        tile("Requests", count(all.count), `${count(inFlight)} in flight`),
        tile("Success rate", share(all.succeeded || 0, (all.succeeded || 0) + (all.failed || 0)),
            plural(all.failed || 0, "failed", "failed"),
            !all.count ? "" : succeeded < 0.95 ? "bad" : succeeded < 0.99 ? "warn" : "good"),
        tile("Recovered", faltered ? share(all.recovered || 0, faltered) : "–",
            faltered ? `${count(all.recovered || 0)} of ${count(faltered)} with a failed attempt`
                : "no attempt failed"),
        tile("Latency p99", ms(all.latency_ms?.p99), `p50 ${ms(all.latency_ms?.p50)}`),
        tile("First token p99", ms(all.first_byte_ms?.p99), `p50 ${ms(all.first_byte_ms?.p50)}`),
        tile("Wasted calls", count(attempts.wasted || 0),
            `${share(attempts.wasted || 0, attempts.count)} of ${count(attempts.count)}`),
        tile("Cost", about(all), [`${count((all.tokens_in || 0) + (all.tokens_out || 0))} tokens`, estimateOf(all)]
            .filter(Boolean).join(", ")),
    ];
}

// The parts of a card may be functions, which are called only for cards that are shown.
const made = (part) => (typeof part === "function" ? part() : part);

function itemOf(item) {
    const marks = { bad: "✕", warn: "!", info: "i" };
    const names = { bad: "Problem", warn: "Warning", info: "Note" };
    const actions = made(item.actions) || [];
    return el("li", { class: `item ${item.tone}` },
        el("span", { class: "item-mark", "aria-hidden": "true" }, marks[item.tone]),
        el("div", { class: "item-body" },
            el("h3", {}, el("span", { class: "hidden" }, `${names[item.tone]}: `), made(item.title)),
            el("p", {}, made(item.text), item.link ? [" ", el("a", { href: item.link[0] }, item.link[1])] : null),
            item.todo ? el("p", { class: "todo" }, el("b", {}, "Next step: "), item.todo) : null),
        actions.length > 0 ? el("div", { class: "row" }, actions) : null);
}

// The number of cards of each kind: "3 problems, 2 warnings and 1 note".
function countsOf(items) {
    const parts = [["bad", "problem", "problems"], ["warn", "warning", "warnings"], ["info", "note", "notes"]]
        .map(([tone, one, many]) => [items.filter((item) => item.tone === tone).length, one, many])
        .filter(([number]) => number > 0).map(([number, one, many]) => plural(number, one, many));
    return parts.length > 1 ? `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}` : parts[0];
}

// Returns the reason for which the statistics are unknown or incomplete, with a sign; null: the
// statistics are complete. sums: {stats, fault}
function unknownOf({ stats, fault }) {
    if (gateway.link === "waiting" && gateway.fault !== null)
        return ["?", "are unavailable: the gateway does not respond"];
    if (gateway.state === null)
        return ["…", "are loading"];
    if (!gateway.state.store.on)
        return ["–", "are unavailable: the audit is off"];
    if (fault !== null)
        return ["?", "are unavailable: the audit query failed"];
    if (stats === null)
        return ["…", "are loading"];
    return stats.isPart ? ["…", "are loading: only the last hour is complete"] : null;
}

// The headline is green only if the statistics are complete and there is no problem.
function verdictOf(items, sums) {
    const has = (tone) => items.some((item) => item.tone === tone);
    const unknown = unknownOf(sums);
    if (has("bad"))
        return ["bad", "✕", countsOf(items)];
    if (has("warn"))
        return ["warn", "!", unknown === null ? `No problems, ${countsOf(items)}`
            : `${countsOf(items)}; request statistics ${unknown[1]}`];
    if (unknown !== null)
        return ["dim", unknown[0], `Request statistics ${unknown[1]}`];
    if (items.length > 0)
        return ["good", "✓", `No problems, ${countsOf(items)}`];
    return ["good", "✓", sums.stats.operations.total.count > 0 ? "No problems"
        : "No problems; no requests in this time range"];
}

// One line of the live list.
function feedRow(operation) {
    const effort = effortOf(operation);
    return el("li", { class: outcomeOf(operation) },
        el("time", { class: "feed-time", datetime: operation.ended }, when(operation.ended)),
        outcomeBadge(operation),
        el("span", { class: "feed-text" }, operationLink(operation, wayOf(operation)),
            operation.code ? el("span", { class: "code" }, words(operation.code)) : null,
            operation.message ? said(operation.message, { class: "note" }) : null,
            operation.outcome === "cancelled" ? el("span", { class: "note" }, "the client disconnected") : null,
            effort ? el("span", { class: "note" }, effort) : null),
        cut(operation.client || "", { class: "feed-client" }),
        el("span", { class: "feed-ms" }, ms(operation.latency_ms)));
}

// Fills the live list from the audit when the page is opened.
async function recall() {
    if (gateway.recent.length > 0)
        return;
    const pages = await Promise.all(["failed", "recovered"].map((outcome) =>
        get("/admin/v1/operations", { outcome, since: "1h", limit: FEED_MAX })));
    const known = new Set(gateway.recent.map((operation) => requestId(operation.id)));
    gateway.recent.push(...pages.flatMap((page) => page.operations)
        .filter((operation) => !known.has(requestId(operation.id))));
    gateway.recent.sort((a, b) => new Date(b.ended) - new Date(a.ended));
}

function feed() {
    const list = el("ol", { class: "feed" });
    const all = el("input", { type: "checkbox", id: "feed-all", onchange: draw });
    const lost = el("p", { class: "note" });

    function draw() {
        const shown = gateway.recent.filter((operation) => all.checked || outcomeOf(operation) !== "ok")
            .slice(0, FEED_MAX);
        fill(list, shown.length > 0 ? shown.map(feedRow) : el("li", { class: "none" },
            all.checked ? "Requests appear here as they end."
                : "Failures, failovers and retries appear here as they happen."));
        fill(lost, gateway.dropped > 0
            ? `${count(gateway.dropped)} requests are not shown, because too many ended at once; the Requests page lists them.`
            : null);
    }

    const section = el("section", { class: "panel", "aria-labelledby": "feed-title" },
        el("div", { class: "head" }, el("h2", { id: "feed-title" }, "Live requests"),
            el("label", { class: "check", for: "feed-all" }, all, "show successes")),
        list, lost);
    let waiting = false;
    const soon = () => {
        if (waiting)
            return;
        waiting = true;
        setTimeout(() => {
            waiting = false;
            draw();
        }, 250);
    };
    draw();
    recall().then(draw, () => {});
    return { section, end: [subscribe("operation", soon), subscribe("dropped", soon)] };
}

// The error classes that occurred, most failures first.
function classesOf(answer) {
    const names = Object.entries(answer.attempts.total.classes || {}).sort((a, b) => b[1] - a[1])
        .map(([name]) => name);
    return (names.length > 0 ? names : ["ProviderTransient"]).map((name) => ({ key: name,
        name: words(name), value: (g) => g?.classes?.[name] || 0 }));
}

export function overview(main) {
    const verdict = el("p", { class: "verdict" });
    const items = el("ul", { class: "items", "aria-label": "What needs attention" });
    const tiles = el("dl", { class: "tiles" });
    const charts = {
        outcomes: chart({ title: "Requests by outcome", kind: "bars", format: count, mark: few,
            whole: true, sum: total }),
        classes: chart({ title: "Failed calls to providers, by class of error", kind: "bars", format: count,
            mark: few, whole: true, sum: total, empty: "No call failed in this time range." }),
        latency: chart({ title: "Latency", kind: "lines", format: ms, whole: true, sum: last }),
        first: chart({ title: "Time to the first token", kind: "lines", format: ms, whole: true, sum: last,
            note: "For a stream, the time until its first content; for other responses, until they are complete." }),
    };
    const live = feed();
    const waiting = waitingPanel();
    let stats = null;
    let missing = null; // the error of the latest query
    let limit = ITEMS_MAX;
    const culprits = new Culprits(() => main.contains(items) && drawItems());
    const rest = el("button", { type: "button", class: "quiet", hidden: true, onclick: () => {
        limit += limit === ITEMS_MAX ? ITEMS_MORE - ITEMS_MAX : ITEMS_MORE;
        drawItems();
    } });

    function drawItems() {
        const found = attention(gateway.state, stats, culprits);
        const [tone, sign, text] = verdictOf(found, { stats, fault: missing });
        verdict.className = `verdict ${tone}`;
        fill(verdict, el("span", { class: "sign", "aria-hidden": "true" }, sign), text);
        // A list with the focus is not redrawn.
        if (!items.contains(document.activeElement))
            fill(items, found.slice(0, limit).map(itemOf));
        rest.hidden = found.length <= limit;
        rest.textContent = found.length <= ITEMS_MORE ? `Show all ${found.length}`
            : `Show more of ${count(found.length)}`;
        waiting.show(gateway.state?.waiting);
        if (stats !== null)
            fill(tiles, tilesOf(stats, gateway.state));
    }

    function onAnswer(answer) {
        stats = answer;
        missing = null;
        fill(problem);
        for (const one of Object.values(charts))
            one.hidden = false;
        charts.outcomes.draw(seriesOf(answer, "operations", OUTCOMES));
        charts.classes.draw(seriesOf(answer, "attempts", classesOf(answer)));
        charts.latency.draw(seriesOf(answer, "operations", times("latency_ms")));
        charts.first.draw(seriesOf(answer, "operations", times("first_byte_ms")));
        drawItems();
        culprits.update(answer).catch(() => {}); // if the query fails, the cards have no names
    }

    const problem = el("div", { role: "status" });
    const onFault = (fault) => {
        missing = fault;
        drawItems();
        if (fault.status !== 0 && fault.status !== 401)
            fill(problem, el("p", { class: "panel bad-text" }, `${fault.message} ${fault.advice || ""}`));
    };
    fill(main, el("h1", { class: "hidden" }, "Overview"),
        el("section", { class: "panel now", "aria-labelledby": "now-title" },
            el("h2", { id: "now-title", class: "hidden" }, "Now"), verdict, items, rest),
        waiting,
        el("section", { "aria-label": "Sums" }, tiles), problem,
        el("div", { class: "charts" }, Object.values(charts)), live.section);
    fill(tiles, tile("Requests", "…"));
    drawItems();
    const ends = [follow(["time", "code"], () => ({}), onAnswer, onFault), subscribe("state", drawItems), subscribe("link", drawItems),
        subscribe("range", () => {
            stats = null;
            drawItems();
        }), ...live.end];
    return () => ends.forEach((end) => end());
}
