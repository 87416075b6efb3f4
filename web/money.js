// What something cost. Where a provider did not tell how many tokens it took, that is an estimate, and so
// is what it cost: "≈", with how much of it.

import { el } from "/app/dom.js";
import { usd } from "/app/format.js";

export const LEGEND = "≈ is estimated in part or whole: a provider did not tell how many tokens it took.";

export const estimateOf = ({ estimated_usd: part }) => (part ? `of it estimated ${usd(part)}` : "");

// Beside which estimateOf stands. "+": there is more, which has no price.
export const about = (sum) => `${sum.estimated_usd ? "≈ " : ""}${usd(sum.cost_usd)}${sum.unpriced ? "+" : ""}`;

export function money(sum) {
    if (sum.unpriced && !sum.cost_usd)
        return "no price";
    if (!sum.estimated_usd)
        return about(sum);
    return el("span", { title: estimateOf(sum) }, about(sum), el("span", { class: "hidden" }, `, ${estimateOf(sum)}`));
}

// Of one request or attempt, which says how its tokens were counted.
const GUESSES = { estimated: " (estimated)", partly_estimated: " (partly estimated)" };
export const guessOf = ({ tokens_are: are }) => GUESSES[are] || "";

export function moneyOf(record) {
    const guess = guessOf(record);
    if (!guess)
        return usd(record.cost_usd);
    return el("span", { title: guess.trim() }, `≈ ${usd(record.cost_usd)}`, el("span", { class: "hidden" }, guess));
}
