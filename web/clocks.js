// Countdowns. One timer updates all countdowns and drops those that are no longer on the page.

import { el } from "/app/dom.js";
import { span } from "/app/format.js";
import { now } from "/app/gateway.js";

const clocks = new Set();

function draw(clock) {
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

// Shows the time left until `until`, then the text `over`.
export function countdown(until, over = "now") {
    const element = el("time", { class: "clock", datetime: new Date(until).toISOString() });
    const clock = { element, until: new Date(until).getTime(), over, wasSeen: false };
    draw(clock);
    clocks.add(clock);
    return element;
}
