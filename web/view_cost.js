// What it cost, who spent it, and what was spent in vain.

import { el, fill, said } from "/app/dom.js";
import { count, few, share, unpriced, usd } from "/app/format.js";
import { hear } from "/app/gate.js";
import { chart, total } from "/app/chart.js";
import { follow, seriesOf } from "/app/stats.js";
import { table } from "/app/table.js";
import { bar } from "/app/bar.js";
import { tile } from "/app/tile.js";
import { budgets } from "/app/budgets.js";

const COST = [{ key: "cost", name: "spent", value: (g) => g?.cost_usd || 0 }];
const TOKENS = [
    { key: "in", name: "in", value: (g) => g?.tokens_in || 0 },
    { key: "out", name: "out", value: (g) => g?.tokens_out || 0 },
];
const CALLS = [
    { key: "ok", name: "useful", value: (g) => (g?.count || 0) - (g?.wasted || 0) },
    { key: "failed", name: "wasted", value: (g) => g?.wasted || 0 },
];
const counted = (title) => ({ title, kind: "bars", format: count, mark: few, whole: true, sum: total });

// Who spent it: by cost or, where no price is known, by tokens.
function sheet(title, note) {
    let most = 0;
    let sum = 0;
    const weight = (g) => (sum > 0 ? g.cost_usd || 0 : (g.tokens_in || 0) + (g.tokens_out || 0));
    const list = table(title, [
        { name: title, class: "way", cell: (g) => (g.rest ? "all others" : said(g.name || "none")) },
        { name: "Requests", class: "num wide", cell: (g) => count(g.count) },
        { name: "Tokens in", class: "num wide", cell: (g) => count(g.tokens_in || 0) },
        { name: "Tokens out", class: "num wide", cell: (g) => count(g.tokens_out || 0) },
        { name: "Wasted calls", class: "num", cell: (g) => share(g.wasted || 0, g.attempts) },
        { name: "Cost", class: "num", cell: (g) => (g.unpriced && !g.cost_usd ? "no price" :
            `${usd(g.cost_usd)}${g.unpriced ? "+" : ""}`) },
        { name: "Share", class: "wide lane", cell: (g) => bar(weight(g), most) },
    ], [], { heads: true, empty: "Nothing in this time." });
    const section = el("section", { class: "panel flush", "aria-label": title },
        el("h2", {}, `By ${title.toLowerCase()}`), list, note ? el("p", { class: "note foot-note" }, note) : null);
    section.draw = (groups) => {
        sum = groups.reduce((all, g) => all + (g.cost_usd || 0), 0);
        const sorted = [...groups].sort((a, b) => weight(b) - weight(a) || b.count - a.count);
        most = sorted.length > 0 ? weight(sorted[0]) : 0;
        list.draw(sorted);
    };
    return section;
}

function tilesOf({ operations: { total: all }, attempts: { total: tries } }) {
    return [
        tile("Cost", usd(all.cost_usd),
            tries.unpriced ? `without ${unpriced(tries.unpriced)}` :
                all.cost_usd ? `${usd(all.cost_usd / all.count)} a request` : all.count ? "no price is known" : null),
        tile("Tokens in", count(all.tokens_in || 0)),
        tile("Tokens out", count(all.tokens_out || 0)),
        tile("Wasted calls", count(tries.wasted || 0),
            `${share(tries.wasted || 0, tries.count)} of ${count(tries.count)}`),
    ];
}

export function cost(main) {
    const tiles = el("dl", { class: "tiles" }, tile("Cost", "…"));
    const hint = el("p", { class: "note" });
    const problem = el("p", { class: "bad-text", role: "status" });
    const money = budgets();
    const charts = [
        { figure: chart({ title: "Cost", kind: "bars", format: usd, sum: total,
            empty: "Nothing was charged in this time." }), of: "operations", names: COST },
        { figure: chart(counted("Tokens")), of: "operations", names: TOKENS },
        { figure: chart(counted("Calls to providers")), of: "attempts", names: CALLS },
    ];
    const sheets = {
        model: sheet("Model"),
        client: sheet("Client"),
        target: sheet("Target", "By the target that answered last."),
    };

    function onAnswer(answer) {
        const { total: all } = answer.operations;
        fill(problem);
        fill(tiles, tilesOf(answer));
        fill(hint, all.count && !all.cost_usd ? "No cost is on record: for these models no price is known, " +
            "or they are free. Shares are of tokens." : null);
        charts.forEach(({ figure, of, names }) => figure.draw(seriesOf(answer, of, names)));
        for (const [by, section] of Object.entries(sheets))
            section.draw(answer.operations[by]);
    }

    fill(main, el("h1", {}, "Cost"), el("section", { "aria-label": "Sums" }, tiles), hint, problem, money,
        el("div", { class: "charts three" }, charts.map(({ figure }) => figure)), Object.values(sheets));
    money.draw();
    const ends = [hear("state", money.draw),
        follow(["time", "model", "client", "target"], () => ({}), onAnswer, (fault) => {
            if (fault.status !== 0 && fault.status !== 401)
                fill(problem, fault.message, " ", fault.advice);
        })];
    return () => ends.forEach((end) => end());
}
