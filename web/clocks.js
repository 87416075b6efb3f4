// Countdowns and counted times. One timer updates all of them and drops those that are no longer on the page.

import { el } from "/app/dom.js";
import { span } from "/app/format.js";
import { now } from "/app/gateway.js";

const clocks = new Set();

function draw(clock) {
    if (clock.since !== undefined) {
        clock.element.textContent = span(Math.max(0, now() - clock.since));
        return;
    }
    const left = clock.until - now();
    clock.element.textContent = left > 0 ? span(left) : clock.over;
}

setInterval(() => {
    for (const clock of clocks) {
        if (clock.element.isConnected || !clock.wasSeen) {
            clock.wasSeen = clock.wasSeen || clock.element.isConnected;
            draw(clock);
        } else {
            clocks.delete(clock);
        }
    }
}, 1000);

function add(at, clock) {
    const all = { element: el("time", { class: "clock", datetime: new Date(at).toISOString() }), wasSeen: false, ...clock };
    draw(all);
    clocks.add(all);
    return all.element;
}

// Shows the time since `since`.
export const countup = (since) => add(since, { since: new Date(since).getTime() });

// Shows the time left until `until`, then the text `over`.
export function countdown(until, over = "now") {
    return add(until, { until: new Date(until).getTime(), over });
}
