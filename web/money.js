// Costs. If a provider reported no token counts, tokens and cost are estimated: "≈", with the estimated part.

import { el } from "/app/dom.js";
import { usd } from "/app/format.js";

export const LEGEND =
    "≈ marks an amount that is partly or fully estimated, because a provider reported no token counts.";

export const estimateOf = ({ estimated_usd: part }) => (part ? `${usd(part)} of it estimated` : "");

// The sign "+" beside an amount: the amount does not include calls without a price.
export const about = (sum) => (sum.cost_usd === undefined ? "–"
    : `${sum.estimated_usd ? "≈ " : ""}${usd(sum.cost_usd)}${sum.unpriced ? "+" : ""}`);

export function money(sum) {
    if (sum.unpriced && !sum.cost_usd)
        return "no price";
    if (!sum.estimated_usd)
        return about(sum);
    return el("span", { title: estimateOf(sum) }, about(sum), el("span", { class: "hidden" }, `, ${estimateOf(sum)}`));
}

// For one request or attempt: tokens_are says how its tokens were counted.
const GUESSES = { estimated: " (estimated)", partly_estimated: " (partly estimated)" };
export const guessOf = ({ tokens_are: are }) => GUESSES[are] || "";

export function moneyOf(record) {
    const guess = guessOf(record);
    if (!guess)
        return usd(record.cost_usd);
    return el("span", { title: guess.trim() }, `≈ ${usd(record.cost_usd)}`, el("span", { class: "hidden" }, guess));
}
