// The cost view: costs, tokens and wasted calls over time, by model, client and target.

import { el, fill, said } from "/app/dom.js";
import { count, few, share, unpriced, usd } from "/app/format.js";
import { subscribe } from "/app/gateway.js";
import { chart, total } from "/app/chart.js";
import { follow, seriesOf } from "/app/stats.js";
import { longTable, markOf } from "/app/long.js";
import { bar } from "/app/bar.js";
import { LEGEND, about, estimateOf, money } from "/app/money.js";
import { tile } from "/app/tile.js";
import { budgets } from "/app/budgets.js";

const COST = [{ key: "cost", name: "spent", value: (g) => g?.cost_usd || 0 }];
const COST_APART = [
    { key: "cost", name: "measured", value: (g) => (g?.cost_usd || 0) - (g?.estimated_usd || 0) },
    { key: "estimated", name: "estimated", value: (g) => g?.estimated_usd || 0 },
];
const TOKENS = [
    { key: "in", name: "in", value: (g) => g?.tokens_in || 0 },
    { key: "out", name: "out", value: (g) => g?.tokens_out || 0 },
];
const CALLS = [
    { key: "ok", name: "useful", value: (g) => (g?.count || 0) - (g?.wasted || 0) },
    { key: "failed", name: "wasted", value: (g) => g?.wasted || 0 },
];
const counted = (title) => ({ title, kind: "bars", format: count, mark: few, whole: true, sum: total });

// One table, sorted by cost or, without prices, by tokens. The column of counts has the number of
// requests; for a target it has the number of calls to the target, even if another target sent the
// response.
function sheet(title, { counts = "Requests", note = null } = {}) {
    let most = 0;
    let sum = 0;
    const weight = (g) => (sum > 0 ? g.cost_usd || 0 : (g.tokens_in || 0) + (g.tokens_out || 0));
    const nameOf = (g) => (g.rest ? "all others" : g.name || "none");
    const list = longTable(title, [
        { name: title, class: "way", cell: (g) => (g.rest ? nameOf(g) : said(nameOf(g))) },
        { name: counts, class: "num wide", cell: (g) => count(g.count) },
        { name: "Tokens in", class: "num wide", cell: (g) => count(g.tokens_in || 0) },
        { name: "Tokens out", class: "num wide", cell: (g) => count(g.tokens_out || 0) },
        { name: "Wasted calls", class: "num", cell: (g) => share(g.wasted || 0, g.attempts) },
        { name: "Cost", class: "num", cell: (g) => money(g) },
        { name: "Share", class: "wide lane", cell: (g) => bar(weight(g), most) },
    ], { heads: true, empty: "No data in this time range.", nouns: `${title.toLowerCase()}s`, key: nameOf,
        mark: (g) => markOf(g, most) });
    const section = el("section", { class: "panel flush", "aria-label": title },
        el("h2", {}, `By ${title.toLowerCase()}`), list, note ? el("p", { class: "note foot-note" }, note) : null);
    section.draw = (groups) => {
        sum = groups.reduce((all, g) => all + (g.cost_usd || 0), 0);
        const sorted = [...groups].sort((a, b) => weight(b) - weight(a) || b.count - a.count);
        most = sorted.length > 0 ? weight(sorted[0]) : 0;
        list.show(sorted);
    };
    return section;
}

function tilesOf({ operations: { total: all }, attempts: { total: attempts } }) {
    return [
        tile("Cost", about(all), all.cost_usd ? [`${usd(all.cost_usd / all.count)} per request`, estimateOf(all),
            attempts.unpriced ? `excludes ${unpriced(attempts.unpriced)}` : ""].filter(Boolean).join(", ") :
            attempts.unpriced ? `excludes ${unpriced(attempts.unpriced)}` : all.count ? "no price is configured" : null),
        tile("Tokens in", count(all.tokens_in || 0)),
        tile("Tokens out", count(all.tokens_out || 0)),
        tile("Wasted calls", count(attempts.wasted || 0),
            `${share(attempts.wasted || 0, attempts.count)} of ${count(attempts.count)}`),
    ];
}

export function cost(main) {
    const tiles = el("dl", { class: "tiles" }, tile("Cost", "…"));
    const hint = el("p", { class: "note" });
    const problem = el("p", { class: "bad-text", role: "status" });
    const money = budgets();
    const charts = [
        { figure: chart({ title: "Cost", kind: "bars", format: usd, sum: total,
            empty: "No cost in this time range." }), of: "operations",
            names: ({ operations: { total: all } }) => (all.estimated_usd ? COST_APART : COST) },
        { figure: chart(counted("Tokens")), of: "operations", names: () => TOKENS },
        { figure: chart(counted("Calls to providers")), of: "attempts", names: () => CALLS },
    ];
    const sheets = {
        model: sheet("Model"),
        client: sheet("Client"),
        target: sheet("Target", { counts: "Calls", note: "Each call counts for the target that was called, even if " +
            "another target responded in the end." }),
    };

    function onAnswer(answer) {
        const { total: all } = answer.operations;
        fill(problem);
        fill(tiles, tilesOf(answer));
        fill(hint, all.count && !all.cost_usd ? "The audit has no cost: these models have no price, " +
            "or they are free. Shares are shares of tokens." : all.estimated_usd ? LEGEND : null);
        charts.forEach(({ figure, of, names }) => figure.draw(seriesOf(answer, of, names(answer))));
        for (const [by, section] of Object.entries(sheets))
            section.draw(answer[by === "target" ? "attempts" : "operations"][by]);
    }

    fill(main, el("h1", {}, "Cost"), el("section", { "aria-label": "Sums" }, tiles), hint, problem, money,
        el("div", { class: "charts three" }, charts.map(({ figure }) => figure)), Object.values(sheets));
    money.draw();
    const ends = [subscribe("state", money.draw),
        follow(["time", "model", "client", "target"], () => ({}), onAnswer, (fault) => {
            if (fault.status !== 0 && fault.status !== 401)
                fill(problem, fault.message, " ", fault.advice);
        })];
    return () => ends.forEach((end) => end());
}
