// Requests that wait in the queue, and the learned limits of keys and targets. Used by the overview and by the view
// of targets.

import { el, fill, said } from "/app/dom.js";
import { bytes, count, plural, requestId } from "/app/format.js";
import { countdown, countup } from "/app/clocks.js";
import { longTable } from "/app/long.js";

const LEARNED_MAX = 4;

const listed = (targets) => targets.flatMap((target, i) => [i > 0 ? " or " : "", said(target)]);
const lastStart = (one) => (one.start_by ? countdown(one.start_by, "late") : "–");
const latestEnd = (one) => (one.until ? countdown(one.until) : "–");

// Returns the panel with the waiting requests. panel.show(waiting): nothing is shown if no request waits.
export function waitingPanel() {
    const sum = el("p", { class: "note foot-note" });
    const list = longTable("Waiting requests", [
        { name: "Request", class: "way", cell: (one) => [said(requestId(one.request_id)),
            el("span", { class: "note" }, said(one.model), one.client ? [" for ", said(one.client)] : null)] },
        { name: "Waits for", cell: (one) => listed(one.targets) },
        { name: "Has waited", class: "num", cell: (one) => countup(one.since) },
        { name: "Latest start in", class: "num wide", cell: lastStart },
        { name: "Gives up in", class: "num wide", cell: latestEnd },
    ], { heads: true, nouns: "waiting requests", first: 10, key: (one) => one.request_id,
        mark: (one) => one.since });
    const panel = el("section", { class: "panel flush", "aria-labelledby": "waiting-title", hidden: true },
        el("h2", { id: "waiting-title" }, "Waiting requests"), list, sum);
    panel.show = (waiting) => {
        panel.hidden = !waiting || waiting.requests === 0;
        if (panel.hidden)
            return;
        list.show(waiting.oldest);
        const left = waiting.requests - waiting.oldest.length;
        fill(sum, `${plural(waiting.requests, "request", "requests")} of at most ${count(waiting.max_requests)}, `,
            `${bytes(waiting.bytes)} of at most ${bytes(waiting.max_bytes)}.`,
            left > 0 ? ` The ${count(waiting.oldest.length)} oldest are listed.` : null);
    };
    return panel;
}

const leftShare = (one) => (one.limit ? one.remaining / one.limit : 1);

function learnedText(one) {
    const name = one.kind.replace("_", " ");
    if (!one.limit)
        return [`at most ${count(one.calls_per_1000_s / 1000)} calls per second at `, said(one.target)];
    return [`estimate for now: ${count(Math.max(0, one.remaining))} of ${count(one.limit)} ${name} left at `, said(one.target),
        one.full ? [", full in ", countdown(one.full)] : null];
}

// Returns one line for each learned limit of a key or target, those with the smallest remainder first.
export function learnedOf({ learned = [] }) {
    const sorted = [...learned].sort((a, b) => leftShare(a) - leftShare(b));
    const lines = sorted.slice(0, LEARNED_MAX).map((one) => el("span", { class: "note learned" }, learnedText(one)));
    const more = sorted.length - lines.length;
    return more > 0 ? [...lines, el("span", { class: "note learned" }, `and ${plural(more, "limit", "limits")} more`)] : lines;
}
