// The table of budgets: spent and reserved amounts, renewal, and a button to raise the limit.

import { el, said } from "/app/dom.js";
import { share, unpriced, usd } from "/app/format.js";
import { gateway } from "/app/gateway.js";
import { countdown } from "/app/clocks.js";
import { longTable } from "/app/long.js";
import { bar } from "/app/bar.js";
import { raiseButton } from "/app/attention.js";

const PER = { day: "per day", month: "per month", total: "in total" };

function ruleOf({ limit_usd: limit, per, on_exceed: then }) {
    return limit ? `${usd(limit)} ${PER[per]}, on_exceed: ${then}` : `no limit, counted ${PER[per]}`;
}

function toneOf({ spent_usd: spent, limit_usd: limit, refusing }) {
    if (spent >= limit || refusing)
        return "bad";
    return spent >= 0.8 * limit ? "warn" : "good";
}

function usedOf(budget) {
    const { spent_usd: spent, limit_usd: limit, raised_usd: raised } = budget;
    if (!limit)
        return "–";
    return [bar(spent, limit, toneOf(budget)), el("span", { class: "note" }, share(spent, limit),
        raised ? `, raised by ${usd(raised)}` : "", budget.refusing ? ", refuses requests" : "")];
}

// The order: budgets that delay or refuse requests, then by the used share, then those without a limit.
const usedPart = ({ awaited, refusing, spent_usd: spent, limit_usd: limit }) =>
    (awaited || refusing ? Infinity : limit ? spent / limit : -1);

export function budgets() {
    const list = longTable("Budgets", [
        { name: "Budget", class: "way", cell: (b) => [said(b.scope), el("span", { class: "note" }, ruleOf(b)),
            b.unpriced_calls ? el("span", { class: "note" }, `not counted: ${unpriced(b.unpriced_calls)}`) : "",
            el("div", { class: "narrow-only" }, usedOf(b))] },
        { name: "Spent", class: "num", cell: (b) => usd(b.spent_usd) },
        { name: "Reserved", class: "num wide", cell: (b) => usd(b.held_usd) },
        { name: "Used", class: "wide lane", cell: usedOf },
        { name: "Renews", class: "num wide", cell: (b) => (b.renews ? ["in ", countdown(b.renews)] : "never") },
        { name: "Change", class: "fit actions", cell: (b) => (b.limit_usd ? raiseButton(b) : "") },
    ], { heads: true, nouns: "budgets", first: 10, key: (b) => b.scope });
    const section = el("section", { class: "panel flush", "aria-labelledby": "budgets-title", hidden: true },
        el("h2", { id: "budgets-title" }, "Budgets"), list);
    section.draw = () => {
        const known = gateway.state?.budgets || [];
        section.hidden = known.length === 0;
        list.show([...known].sort((a, b) => usedPart(b) - usedPart(a) || (b.spent_usd || 0) - (a.spent_usd || 0)));
    };
    return section;
}
